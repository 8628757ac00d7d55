package store_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

var ordered = &models.Table{Name: "orders"}

// approve returns a conditional change of one item.
func approve() change.Batch {
	return updateItem(ordered, item(attrs{"PK": "hidden"}), "SET s = :new", "s = :old", attrs{":new": "hidden", ":old": "hidden too"})
}

// approveAll returns a transaction on two tables, with a token.
func approveAll() change.Batch {
	return transaction("the-token",
		types.TransactWriteItem{Update: &types.Update{
			TableName: aws.String("orders"), Key: item(attrs{"PK": "hidden"}), UpdateExpression: aws.String("SET s = :new"),
			ConditionExpression: aws.String("s = :old"), ExpressionAttributeValues: values(attrs{":new": "hidden", ":old": "b"}),
		}},
		types.TransactWriteItem{Put: &types.Put{
			TableName: aws.String("audit"), Item: item(attrs{"id": "hidden"}), ConditionExpression: aws.String("attribute_not_exists(id)"),
		}})
}

// overwrite returns a change without a condition, which must not be sent twice.
func overwrite() change.Batch {
	b := approve()
	b.Writes[0].Update.ConditionExpression = nil
	return b
}

// A script answers the attempts of one commit in order, repeats its last answer, and records the requests.
type script struct {
	answers []respond
	sent    []string
}

// Do implements store.Doer.
func (s *script) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	s.sent = append(s.sent, string(body))
	return s.answers[min(len(s.sent), len(s.answers))-1]()
}

const spent = `{"CapacityUnits":1.5,"TableName":"orders"}`

func done() (*http.Response, error) {
	return answer(200, `{"ConsumedCapacity":`+spent+`}`), nil
}

func successResponse() (*http.Response, error) {
	return answer(200, `{"ConsumedCapacity":[`+spent+`,`+spent+`]}`), nil
}

func conditionFailed() (*http.Response, error) {
	return answer(400, `{"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",`+
		`"message":"The conditional request failed","Item":{"PK":{"S":"hidden"}}}`), nil
}

// throttledBecause returns a throttling error with its reason, as DynamoDB returns it.
func throttledBecause(reason, index string) respond {
	return func() (*http.Response, error) {
		return answer(400, `{"__type":"com.amazonaws.dynamodb.v20120810#ThrottlingException","message":"Throughput exceeds",`+
			`"throttlingReasons":[{"reason":"`+reason+`","resource":"arn:aws:dynamodb:eu-west-1:123456789012:table/orders`+index+`"}]}`), nil
	}
}

// cancelled returns the error of a transaction whose second write failed with the code.
func cancelled(code string) respond {
	return func() (*http.Response, error) {
		return answer(400, `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException",`+
			`"Message":"Transaction cancelled, please refer cancellation reasons for specific reasons [None, hidden]",`+
			`"CancellationReasons":[{"Code":"None"},{"Code":"`+code+`","Item":{"id":{"S":"hidden"}}}]}`), nil
	}
}

var (
	reset             = failedAttempt(&net.OpError{Op: "read", Err: os.NewSyscallError("read", syscall.ECONNRESET)})
	waiting           = failedAttempt(&net.OpError{Op: "read", Err: os.ErrDeadlineExceeded})
	connectionRefused = failedAttempt(dial(os.NewSyscallError("connect", syscall.ECONNREFUSED)))
	nameless          = failedAttempt(dial(&net.DNSError{Err: "no such host", Name: "x", IsNotFound: true}))
	internalError     = dynamo(500, "InternalServerError", "we are sorry")
	throttled         = dynamo(400, "ThrottlingException", "slow down")
	forbidden         = dynamo(400, "AccessDeniedException", "no")
	running           = dynamo(400, "TransactionInProgressException", "The transaction with the given request token is already in progress.")
	mismatch          = dynamo(400, "IdempotentParameterMismatchException", "hidden")
	conflict          = dynamo(400, "TransactionConflictException", "Transaction is ongoing for the item")
)

// failureWithItem returns a failure with the item that the failed condition returned.
func failureWithItem(index int, code, key string) store.Failure {
	return store.Failure{Index: index, Code: code, Item: item(attrs{key: "hidden"})}
}

type commitCase struct {
	name     string
	batch    func() change.Batch
	answers  []respond
	attempts int
	class    store.Class // "" if the commit succeeds
	outcome  store.Outcome
	failures []store.Failure
	text     string // the complete error message, if it differs from that of a read
}

var commitFaults = []commitCase{
	{name: "done", batch: approve, answers: []respond{done}, attempts: 1},
	{name: "done without a condition", batch: overwrite, answers: []respond{done}, attempts: 1},
	{name: "all done", batch: approveAll, answers: []respond{successResponse}, attempts: 1},
	{name: "throttled, then done", batch: approve, answers: []respond{throttled, throttled, done}, attempts: 3},
	{name: "connection refused, then done", batch: overwrite, answers: []respond{connectionRefused, done}, attempts: 2},
	{name: "response lost before the write, then done", batch: approve, answers: []respond{reset, done}, attempts: 2},
	{name: "temporary internal error", batch: approve, answers: []respond{internalError, internalError, done}, attempts: 3},
	{name: "response lost, with a token", batch: approveAll, answers: []respond{reset, truncatedResponse, internalError, successResponse}, attempts: 4},
	{name: "in progress, then done", batch: approveAll, answers: []respond{reset, running, successResponse}, attempts: 3},
	{name: "temporary conflict", batch: approveAll, answers: []respond{
		cancelled("TransactionConflict"),
		cancelled("ThrottlingError"), successResponse,
	}, attempts: 3},
	{name: "temporary conflict of one item", batch: approve, answers: []respond{conflict, done}, attempts: 2},

	{
		name: "connection refused", batch: approve, answers: []respond{connectionRefused}, attempts: 2,
		class: store.Unreachable, outcome: store.NotWritten,
		text: "cannot reach the embedded database: connection refused; nothing was written; check the network, VPN and proxy",
	},
	{
		name: "no such host", batch: approveAll, answers: []respond{nameless}, attempts: 1,
		class: store.Unreachable, outcome: store.NotWritten,
	},
	{
		name: "access denied", batch: approve, answers: []respond{forbidden}, attempts: 1,
		class: store.AccessDenied, outcome: store.NotWritten,
	},
	{
		name: "validation error", batch: approve, answers: []respond{dynamo(400, "ValidationException", "numeric value: hidden")}, attempts: 1,
		class: store.Validation, outcome: store.NotWritten,
	},
	{
		name: "throttled", batch: approve, answers: []respond{throttled}, attempts: 5,
		class: store.Throttled, outcome: store.NotWritten,
		text: "UpdateItem on table orders was throttled; nothing was written; wait a moment, then try again",
	},
	{
		name: "captive portal with status 403", batch: approve, answers: []respond{page(403, "text/html", "<html>hidden")}, attempts: 1,
		class: store.Captive, outcome: store.NotWritten,
	},
	{
		name: "failed condition", batch: approve, answers: []respond{conditionFailed}, attempts: 1,
		class: store.ConditionFailed, outcome: store.NotWritten, failures: []store.Failure{failureWithItem(0, "ConditionalCheckFailed", "PK")},
		text: "the item changed since it was read; nothing was written; read it again",
	},
	{
		name: "failed condition after throttling", batch: approve, answers: []respond{connectionRefused, throttled, conditionFailed}, attempts: 3,
		class: store.ConditionFailed, outcome: store.NotWritten, failures: []store.Failure{failureWithItem(0, "ConditionalCheckFailed", "PK")},
	},
	{
		name: "conflict of one item", batch: approve, answers: []respond{conflict}, attempts: 5,
		class: store.Conflict, outcome: store.NotWritten, failures: []store.Failure{{Code: "TransactionConflict"}},
		text: "another request was changing the item; nothing was written; try again in a moment",
	},
	{
		name: "conflict of two regions", batch: approve, answers: []respond{dynamo(400, "ReplicatedWriteConflictException", "try again")},
		attempts: 5, class: store.Conflict, outcome: store.NotWritten,
		text: "another request was changing the item; nothing was written; try again in a moment",
	},
	{
		name: "hot partition key", batch: approve, attempts: 5, class: store.Throttled, outcome: store.NotWritten,
		answers: []respond{throttledBecause("TableWriteKeyRangeThroughputExceeded", "")},
		text: "UpdateItem on table orders was throttled: one partition key of table orders receives more writes than a partition allows; " +
			"nothing was written; wait a moment, or spread the requests over more keys; more capacity does not help",
	},
	{
		name: "throttled in a transaction", batch: approveAll, answers: []respond{cancelled("ThrottlingError")}, attempts: 5,
		class: store.Throttled, outcome: store.NotWritten, failures: []store.Failure{failureWithItem(1, "ThrottlingError", "id")},
		text: "TransactWriteItems was throttled; nothing was written; wait a moment, then try again",
	},
	{
		name: "a full item collection", batch: approve, attempts: 1, class: store.Validation, outcome: store.NotWritten,
		answers: []respond{dynamo(400, "ItemCollectionSizeLimitExceededException", "Collection size exceeded.")},
		text: "the items with this partition key and their local indexes would exceed 10 GB in table orders; " +
			"delete items with this key, or write to another one",
	},
	{
		name: "a full item collection in a transaction", batch: approveAll, answers: []respond{cancelled("ItemCollectionSizeLimitExceeded")},
		attempts: 1, class: store.TransactionCancelled, outcome: store.NotWritten,
		failures: []store.Failure{failureWithItem(1, "ItemCollectionSizeLimitExceeded", "id")},
		text: "the transaction was canceled; nothing was written (write 2: ItemCollectionSizeLimitExceeded: the items with this " +
			"partition key and their local indexes would exceed 10 GB)",
	},
	{
		name: "cancelled", batch: approveAll, answers: []respond{cancelled("ConditionalCheckFailed")}, attempts: 1,
		class: store.TransactionCancelled, outcome: store.NotWritten, failures: []store.Failure{failureWithItem(1, "ConditionalCheckFailed", "id")},
		text: "the transaction was canceled; nothing was written (write 2: ConditionalCheckFailed); read the items again",
	},
	{
		name: "conflicts", batch: approveAll, answers: []respond{cancelled("TransactionConflict")}, attempts: 5,
		class: store.TransactionCancelled, outcome: store.NotWritten, failures: []store.Failure{failureWithItem(1, "TransactionConflict", "id")},
		text: "the transaction was canceled; nothing was written (write 2: TransactionConflict); " +
			"other requests were changing the same items; try again in a moment",
	},
	{
		name: "token of another change", batch: approveAll, answers: []respond{mismatch}, attempts: 1,
		class: store.Validation, outcome: store.NotWritten,
		text: "another change used the same client request token; nothing was written; plan the change again, which gives it a new token",
	},
	{
		name: "response lost, then canceled, with a token", batch: approveAll,
		answers: []respond{reset, cancelled("ConditionalCheckFailed")}, attempts: 2,
		class: store.TransactionCancelled, outcome: store.NotWritten, failures: []store.Failure{failureWithItem(1, "ConditionalCheckFailed", "id")},
	},

	{
		name: "response lost, not repeated", batch: overwrite, answers: []respond{reset}, attempts: 1,
		class: store.Unreachable, outcome: store.Unknown,
		text: "cannot reach the embedded database: the connection broke; it is unknown whether the change was written; read " +
			"the items to find out",
	},
	{
		name: "internal error, not repeated", batch: overwrite, answers: []respond{internalError}, attempts: 1,
		class: store.Service, outcome: store.Unknown,
	},
	{
		name: "response lost, then failed condition", batch: approve, answers: []respond{reset, conditionFailed}, attempts: 2,
		class: store.Unreachable, outcome: store.Unknown, failures: []store.Failure{failureWithItem(0, "ConditionalCheckFailed", "PK")},
		text: "cannot reach the embedded database: the connection broke; it is unknown whether the change was written; read " +
			"the items to find out",
	},
	{
		name: "truncated response, then failed condition", batch: approve, answers: []respond{truncatedResponse, conditionFailed}, attempts: 2,
		class: store.Unreachable, outcome: store.Unknown, failures: []store.Failure{failureWithItem(0, "ConditionalCheckFailed", "PK")},
	},
	{
		name: "internal error, then failed condition", batch: approve, answers: []respond{internalError, throttled, conditionFailed}, attempts: 3,
		class: store.Service, outcome: store.Unknown, failures: []store.Failure{failureWithItem(0, "ConditionalCheckFailed", "PK")},
		text: "UpdateItem on table orders failed: we are sorry; it is unknown whether the change was written; read the items to find out",
	},
	{
		name: "response lost, then throttled", batch: approve, answers: []respond{reset, throttled}, attempts: 5,
		class: store.Throttled, outcome: store.Unknown,
		text: "UpdateItem on table orders was throttled; it is unknown whether the change was written; read the items to find out",
	},
	{
		name: "response lost, then access denied", batch: approve, answers: []respond{reset, forbidden}, attempts: 2,
		class: store.AccessDenied, outcome: store.Unknown,
	},
	{
		name: "response lost, then connection refused", batch: approve, answers: []respond{reset, connectionRefused}, attempts: 2,
		class: store.Unreachable, outcome: store.Unknown,
	},
	{
		name: "every response lost", batch: approveAll, answers: []respond{reset}, attempts: 5,
		class: store.Unreachable, outcome: store.Unknown,
	},
	{
		name: "no response in time", batch: approveAll, answers: []respond{waiting}, attempts: 2,
		class: store.Unreachable, outcome: store.Unknown,
	},
	{
		name: "internal error on every attempt", batch: approveAll, answers: []respond{internalError}, attempts: 5,
		class: store.Service, outcome: store.Unknown,
	},
	{
		name: "unavailable with a web page", batch: approve, answers: []respond{page(503, "text/html", "<html>hidden")}, attempts: 5,
		class: store.Service, outcome: store.Unknown,
	},
	{
		name: "response lost, then conflict, perhaps with the same transaction", batch: approveAll,
		answers:  []respond{reset, cancelled("TransactionConflict")},
		attempts: 5, class: store.TransactionCancelled, outcome: store.Unknown,
		failures: []store.Failure{failureWithItem(1, "TransactionConflict", "id")},
		text: "the transaction was canceled (write 2: TransactionConflict); it is unknown whether the change was written; " +
			"read the items to find out",
	},
	{
		name: "in progress on every attempt", batch: approveAll, answers: []respond{running}, attempts: 5,
		class: store.Throttled, outcome: store.Unknown,
		text: "this transaction was already sent and is still in progress; it is unknown whether the change was written; " +
			"read the items to find out",
	},
	{
		name: "JSON of another server", batch: approve, answers: []respond{page(200, "application/json", `{"login":"hidden"}`)}, attempts: 1,
		class: store.Captive, outcome: store.Unknown,
	},
	{
		name: "page of a captive portal", batch: approve, answers: []respond{page(200, "text/html", "<html>hidden")}, attempts: 1,
		class: store.Captive, outcome: store.Unknown,
	},
}

func TestCommitReportsOutcomeOfFailures(t *testing.T) {
	for _, test := range commitFaults {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{answers: test.answers}
				got, err := connect(t, s).Writer().Commit(t.Context(), test.batch())
				if len(s.sent) != test.attempts {
					t.Errorf("%d attempts, want %d", len(s.sent), test.attempts)
				}
				for _, second := range s.sent[1:] {
					if second != s.sent[0] {
						t.Errorf("the second request differs:\n%s\nthen\n%s", s.sent[0], second)
					}
				}
				if test.class == "" {
					if err != nil || got.Attempts != test.attempts || got.Capacity < 1.5 {
						t.Errorf("got %+v, %v", got, err)
					}
					return
				}
				wantFailure(t, err, test.class, test.outcome, test.failures...)
				if test.text != "" && err.Error() != test.text {
					t.Errorf("got  %s\nwant %s", err, test.text)
				}
			})
		})
	}
}

func TestTransactionKeepsGeneratedToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: []respond{reset, successResponse}}
		b := approveAll()
		b.Token = ""
		if _, err := connect(t, s).Writer().Commit(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		var sent struct{ ClientRequestToken string }
		if err := json.Unmarshal([]byte(s.sent[0]), &sent); err != nil || sent.ClientRequestToken == "" || s.sent[0] != s.sent[1] {
			t.Errorf("sent %q, %v", s.sent, err)
		}
	})
}

func TestFailedConditionAfterLostWriteIsNotConflict(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: []respond{reset, conditionFailed}}
		_, err := connect(t, s).Writer().Commit(t.Context(), approve())
		if _, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
			t.Error("the error still wraps a failed condition")
		}
	})
}

func TestSentRequestEqualsItsExplanation(t *testing.T) {
	put := change.Batch{Writes: []types.TransactWriteItem{{Put: &types.Put{
		TableName: aws.String("orders"), Item: item(attrs{"PK": "a", "l": []any{1, nil, []byte("b")}}),
		ConditionExpression: aws.String("attribute_not_exists(#k)"), ExpressionAttributeNames: map[string]string{"#k": "PK"},
	}}}}
	remove := change.Batch{Writes: []types.TransactWriteItem{{Delete: &types.Delete{
		TableName: aws.String("orders"), Key: item(attrs{"PK": "a"}),
	}}}}
	for _, b := range []change.Batch{approve(), overwrite(), put, remove, approveAll()} {
		s := &script{answers: []respond{done}}
		if b.IsTransaction() {
			s.answers[0] = successResponse
		}
		if _, err := connect(t, s).Writer().Commit(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		var sent, explained any
		if err := errors.Join(json.Unmarshal([]byte(s.sent[0]), &sent), json.Unmarshal(b.Explain().Input, &explained)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(explained, sent); diff != "" {
			t.Errorf("%s (-explained +sent):\n%s", b.Explain().Operation, diff)
		}
		if !bytes.Contains(b.Explain().Input, []byte(`"ReturnConsumedCapacity":"TOTAL"`)) {
			t.Errorf("the request does not ask for its capacity: %s", b.Explain().Input)
		}
	}
}

func TestCommitIsOneRequest(t *testing.T) {
	s := &script{answers: []respond{done}}
	for _, wrong := range []change.Batch{{}, {Writes: []types.TransactWriteItem{{}}}} {
		_, err := connect(t, s).Writer().Commit(t.Context(), wrong)
		wantFailure(t, err, store.Validation, store.NotWritten)
	}
	if len(s.sent) != 0 {
		t.Errorf("sent %q, want no request", s.sent)
	}
}

func TestCommitRefusesMaskedValues(t *testing.T) {
	key, value := approve(), approve()
	key.Writes[0].Update.Key = map[string]types.AttributeValue{"PK": models.HiddenValue()}
	value.Writes[0].Update.ExpressionAttributeValues[":new"] = &types.AttributeValueMemberL{Value: []types.AttributeValue{models.HiddenValue()}}
	all := approveAll()
	all.Writes[1].Put.Item["id"] = models.HiddenValue()
	s := &script{answers: []respond{done}}
	for _, masked := range []change.Batch{key, value, all} {
		_, err := connect(t, s).Writer().Commit(t.Context(), masked)
		wantFailure(t, err, store.Validation, store.NotWritten)
	}
	if len(s.sent) != 0 {
		t.Errorf("sent %q, want no request", s.sent)
	}
}

func TestCommitIsTraced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls []store.Call
		var retries []store.Retry
		ctx := store.WithTrace(t.Context(), store.Trace{
			Called:  func(c store.Call) { calls = append(calls, c) },
			Retried: func(r store.Retry) { retries = append(retries, r) },
		})
		s := &script{answers: []respond{cancelled("TransactionConflict"), successResponse}}
		if _, err := connect(t, s).Writer().Commit(ctx, approveAll()); err != nil {
			t.Fatal(err)
		}
		if len(calls) != 1 || calls[0].Operation != "TransactWriteItems" || calls[0].Capacity != 3 || calls[0].Err != nil {
			t.Errorf("got calls %+v", calls)
		}
		if len(retries) != 1 || retries[0].Class != store.TransactionCancelled || retries[0].Wait < 100*time.Millisecond {
			t.Errorf("got retries %+v", retries)
		}
	})
}

func TestCanceledCommitsReportTheirOutcome(t *testing.T) {
	for _, test := range []struct {
		name    string
		before  bool    // canceled before the request is sent
		during  bool    // canceled during the request, otherwise a millisecond after the answer
		answer  respond // nil for no answer
		outcome store.Outcome
	}{
		{name: "before the request is sent", before: true, outcome: store.NotWritten},
		{name: "during the request", during: true, outcome: store.Unknown},
		{name: "during a denied request", during: true, answer: forbidden, outcome: store.NotWritten},
		{name: "while a throttled request waits for the next attempt", answer: throttled, outcome: store.NotWritten},
		{name: "after a lost response, before the next attempt", answer: reset, outcome: store.Unknown},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				sent := 0
				c := connect(t, doer(func(r *http.Request) (*http.Response, error) {
					sent++
					if test.during {
						cancel()
					} else {
						time.AfterFunc(time.Millisecond, cancel)
					}
					if test.answer == nil {
						return nil, r.Context().Err()
					}
					return test.answer()
				}))
				if test.before {
					cancel()
				}
				_, err := c.Writer().Commit(ctx, approve())
				wantFailure(t, err, store.Canceled, test.outcome)
				if test.before != (sent == 0) || sent > 1 || !strings.Contains(err.Error(), "was canceled") {
					t.Errorf("sent %d requests: %v", sent, err)
				}
			})
		})
	}
}
