package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"net"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Failure is a write that prevented a change. A transaction can have several.
type Failure struct {
	Index int    // position of the write within its transaction, from 0
	Code  string // one of the codes below, or another DynamoDB code
	// Item is the current item if its condition failed. It is nil if the item does not exist, or if the store did not
	// return it.
	Item models.Item
}

// These are the codes of failures. Source: Amazon DynamoDB API Reference, TransactWriteItems,
// "TransactionCanceledException".
const (
	CodeConditionFailed = "ConditionalCheckFailed"
	CodeConflict        = "TransactionConflict" // another transaction changes the item
	CodeThrottled       = "ThrottlingError"
	CodeCapacity        = "ProvisionedThroughputExceeded"
	CodeInvalid         = "ValidationError"
)

// An Outcome describes whether the store applied a change although its commit returned an error. For Unknown, the
// caller reads the items again (see change.Plan.Outcome) before it reports anything to the user.
type Outcome string

// These are the outcomes.
const (
	// NotWritten means that the store rejected the change or did not receive it.
	NotWritten Outcome = "not written"
	// Unknown means that the response to the change was lost. The items show whether the store applied the change.
	Unknown Outcome = "unknown"
)

// Outcome reports whether the store may have applied a change although [Writer.Commit] returned e. It is meaningless
// for other errors.
func (e *Error) Outcome() Outcome {
	if e.hasUnknownOutcome {
		return Unknown
	}
	return NotWritten
}

func failuresOf(err error) []Failure {
	if failed, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		return []Failure{{Code: CodeConditionFailed, Item: itemOf(failed.Item)}}
	}
	if hasType[*types.TransactionConflictException](err) {
		return []Failure{{Code: CodeConflict}}
	}
	var list []Failure
	for i, reason := range reasonsOf(err) {
		list = append(list, Failure{Index: i, Code: aws.ToString(reason.Code), Item: itemOf(reason.Item)})
	}
	return list
}

// reasonsOf skips writes that did not fail. DynamoDB returns a reason for each write, with the code "None" for those.
func reasonsOf(err error) iter.Seq2[int, types.CancellationReason] {
	return func(yield func(int, types.CancellationReason) bool) {
		cancelled, ok := errors.AsType[*types.TransactionCanceledException](err)
		if !ok {
			return
		}
		for i, reason := range cancelled.CancellationReasons {
			if code := aws.ToString(reason.Code); code != "" && code != "None" && !yield(i, reason) {
				return
			}
		}
	}
}

func itemOf(attributes map[string]types.AttributeValue) models.Item {
	if len(attributes) == 0 {
		return nil
	}
	return attributes
}

// isTransient reports whether only throttling and conflicts canceled a transaction, so that it may succeed later.
func isTransient(err error) bool { return failsOnlyBy(err, CodeConflict, CodeThrottled, CodeCapacity) }

func isOnlyThrottled(err error) bool { return failsOnlyBy(err, CodeThrottled, CodeCapacity) }

func failsOnlyBy(err error, codes ...string) bool {
	list := failuresOf(err)
	return len(list) > 0 && !slices.ContainsFunc(list, func(f Failure) bool { return !slices.Contains(codes, f.Code) })
}

func (w *pendingWrite) failure(ctx context.Context, err error) error {
	w.note(err)
	failures := failuresOf(err)
	class := classify(ctx, err)
	isUnknown := w.unknownErr != nil
	switch {
	case class == ConditionFailed && isUnknown:
		// The condition may have failed because the store applied an earlier attempt.
		err = w.unknownErr
	case class == TransactionCancelled && !isTransient(err) && isUnknown && IsTokenForgotten(w.unknownSince, w.conn.now()):
		err = w.unknownErr // A store that forgot the token checks the conditions again.
	case class == TransactionCancelled && !isTransient(err):
		// If the store had applied an earlier attempt, it would return success now.
		isUnknown = false
	}
	failure := w.conn.failure(ctx, w.subject, err)
	e, ok := errors.AsType[*Error](failure)
	if !ok {
		return failure
	}
	e.Failures, e.hasUnknownOutcome = failures, isUnknown
	w.setText(e)
	return e
}

// nothingWritten is the end of an error's text if the store wrote nothing.
const nothingWritten = "; nothing was written"

func (w *pendingWrite) setText(e *Error) {
	done := ""
	switch {
	case hasType[*types.IdempotentParameterMismatchException](e.Err):
		e.Problem, done = "another change used the same client request token", nothingWritten
		e.Advice = "plan the change again, which gives it a new token"
	case isInProgress(e.Err) && e.Class == Throttled:
		e.Problem = "this transaction was already sent and is still in progress"
	case e.Class == Conflict:
		done = nothingWritten
	case e.Class == Throttled:
		reason, advice := throttlingReason(e.Err)
		e.Problem, done = w.subject.String()+" was throttled"+reason, nothingWritten
		e.Advice = cmp.Or(advice, "wait a moment, then try again")
	case e.Class == TransactionCancelled && isTransient(e.Err):
		if e.hasUnknownOutcome {
			e.Problem = "the transaction was canceled" + cancellationText(e.Err, w.subject.sent)
		}
		e.Advice = "other requests were changing the same items; try again in a moment"
	case e.Class == TransactionCancelled && !slices.ContainsFunc(e.Failures, func(f Failure) bool { return f.Code == CodeConditionFailed }):
		e.Advice = "" // reading the items would not help
	case e.Class == TableMissing && len(w.tables) > 1:
		e.Problem = fmt.Sprintf("one of the tables %s does not exist in %s", strings.Join(w.tables, ", "), w.conn.place())
	case e.Class == Canceled:
		e.Advice, done = "", nothingWritten
	case e.Class == Unreachable, e.Class == Service:
		done = nothingWritten
	}
	if e.hasUnknownOutcome {
		done = "; it is unknown whether the change was written"
		e.Advice = "read the items to find out"
	}
	e.Problem += done
}

// A pendingWrite is a write request in progress. As the SDK's HTTP client, it observes whether an attempt was sent,
// which determines whether the outcome is known.
type pendingWrite struct {
	conn       *Connection
	subject    subject
	tables     []string // tables of the writes, sorted and without duplicates
	repeatable bool     // sending the request again is safe
	traced     bool     // the HTTP client reports when it has a connection

	next         Doer
	attempts     int
	sent         bool      // the current attempt may have left this machine
	unknownErr   error     // error of the first attempt that the store may have applied, or nil
	unknownSince time.Time // wall clock time at which that attempt began
	startedAt    time.Time // start of the current attempt
}

func newPendingWrite(c *Connection, operation string, b change.Batch) *pendingWrite {
	f := &pendingWrite{
		conn: c, subject: subject{operation: operation, sent: b}, repeatable: b.Repeatable(),
	}
	_, f.traced = c.aws.HTTPClient.(*awshttp.BuildableClient)
	for table := range b.Items() {
		f.tables = append(f.tables, table)
	}
	slices.Sort(f.tables)
	if f.tables = slices.Compact(f.tables); len(f.tables) == 1 {
		f.subject.table = f.tables[0]
	}
	return f
}

func (w *pendingWrite) observe(ctx context.Context) func(*dynamodb.Options) {
	return func(o *dynamodb.Options) {
		w.next = o.HTTPClient
		o.HTTPClient = w
		r := w.conn.newRetrier(ctx, w.subject.operation, !w.repeatable)
		r.failure = w.note
		o.Retryer = r
	}
}

// Do implements Doer. It sends one attempt.
func (w *pendingWrite) Do(r *http.Request) (*http.Response, error) {
	w.attempts++
	w.startedAt = w.conn.now()
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	var connected atomic.Bool
	if w.traced {
		r = r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{
			GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
		}))
	}
	resp, err := w.next.Do(r)
	w.sent = err == nil || !wasNotSent(err) && (connected.Load() || !w.traced)
	return resp, err
}

func (w *pendingWrite) note(err error) {
	if w.sent && w.unknownErr == nil && !isRefusal(err) {
		w.unknownErr, w.unknownSince = err, w.startedAt
	}
	w.sent = false
}

func wasNotSent(err error) bool {
	operation, ok := errors.AsType[*net.OpError](err)
	return ok && operation.Op == "dial" || hasType[*net.DNSError](err) || rejectsTLS(err)
}

// tokenLifetime is how long the store certainly recognizes a client request token. It is less than documented, because
// clocks differ. Source: Amazon DynamoDB API Reference, TransactWriteItems, ClientRequestToken: 10 minutes.
const tokenLifetime = 9 * time.Minute

// IsTokenForgotten reports whether the store may have forgotten the client request token of a change that was sent at a
// wall clock time, or whether someone has set the clock back since. Sending the request again could then apply the
// change twice if only the token protected it.
func IsTokenForgotten(sent, now time.Time) bool {
	age := now.Round(0).Sub(sent.Round(0)) // Monotonic clocks stop while the machine sleeps.
	return age < 0 || age > tokenLifetime
}

func (c *Connection) now() time.Time {
	if c.clock == nil {
		return time.Now()
	}
	return c.clock()
}

// isRefusal reports whether err is a response which proves that the request had no effect: a 3xx or 4xx status from
// DynamoDB or a proxy, or the login page of a network. Source: RFC 6585, section 6.
func isRefusal(err error) bool {
	code := httpStatus(err)
	if answer, ok := errors.AsType[*answerError](err); ok {
		code = answer.status
	}
	if code == http.StatusNetworkAuthenticationRequired {
		return true // the network did not forward the request
	}
	// A server that times out may have received the whole request.
	return code >= 300 && code < 500 && code != http.StatusRequestTimeout && !isInProgress(err)
}

func isInProgress(err error) bool { return hasType[*types.TransactionInProgressException](err) }
