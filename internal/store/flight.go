package store

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"slices"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
)

// A flight is a write request in progress. As the HTTP client of the SDK it observes
// whether an attempt was sent, which decides whether the outcome is known.
type flight struct {
	conn       *Connection
	subject    subject
	tables     []string // of the writes, sorted, without duplicates
	token      bool     // a transaction, whose client request token makes the store apply it once
	repeatable bool     // sending it again does no harm
	traced     bool     // the HTTP client reports when it has a connection

	next     Doer
	attempts int
	sent     bool      // the request of the current attempt may have left this machine
	unclear  error     // error of the first attempt that may have been applied, or nil
	since    time.Time // when that attempt began, by the wall clock
	began    time.Time // when the current attempt did
}

func newFlight(c *Connection, b change.Batch) *flight {
	f := &flight{conn: c, subject: subject{sent: b}}
	_, f.traced = c.aws.HTTPClient.(*awshttp.BuildableClient)
	var table, condition *string
	switch {
	case b.Update != nil:
		f.subject.operation, table, condition = "UpdateItem", b.Update.TableName, b.Update.ConditionExpression
	case b.Put != nil:
		f.subject.operation, table, condition = "PutItem", b.Put.TableName, b.Put.ConditionExpression
	case b.Delete != nil:
		f.subject.operation, table, condition = "DeleteItem", b.Delete.TableName, b.Delete.ConditionExpression
	default:
		f.subject.operation, f.token = "TransactWriteItems", true
		for _, w := range b.Transact.TransactItems {
			f.tables = append(f.tables, tableOf(w))
		}
		slices.Sort(f.tables)
		f.tables = slices.Compact(f.tables)
	}
	if !f.token {
		f.tables = []string{aws.ToString(table)}
	}
	if len(f.tables) == 1 {
		f.subject.table = f.tables[0]
	}
	f.repeatable = f.token || aws.ToString(condition) != ""
	return f
}

func tableOf(w types.TransactWriteItem) string {
	switch {
	case w.Update != nil:
		return aws.ToString(w.Update.TableName)
	case w.Put != nil:
		return aws.ToString(w.Put.TableName)
	case w.Delete != nil:
		return aws.ToString(w.Delete.TableName)
	case w.ConditionCheck != nil:
		return aws.ToString(w.ConditionCheck.TableName)
	}
	return ""
}

func (f *flight) observe(ctx context.Context) func(*dynamodb.Options) {
	return func(o *dynamodb.Options) {
		f.next = o.HTTPClient
		o.HTTPClient = f
		r := f.conn.newRetrier(ctx, f.subject.operation, !f.repeatable)
		r.failure = f.note
		o.Retryer = r
	}
}

// Do implements Doer, and sends one attempt.
func (f *flight) Do(r *http.Request) (*http.Response, error) {
	f.attempts++
	f.began = f.conn.now()
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	var connected atomic.Bool
	if f.traced {
		r = r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{
			GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
		}))
	}
	resp, err := f.next.Do(r)
	f.sent = err == nil || !neverSent(err) && (connected.Load() || !f.traced)
	return resp, err
}

func (f *flight) note(err error) {
	if f.sent && f.unclear == nil && !refusal(err) {
		f.unclear, f.since = err, f.began
	}
	f.sent = false
}

func neverSent(err error) bool {
	operation, ok := errors.AsType[*net.OpError](err)
	return ok && operation.Op == "dial" || hasType[*net.DNSError](err) || rejectsTLS(err)
}

// tokenLife is how long the store is relied on to recognize a client request token, less than it promises because clocks
// differ. Source: Amazon DynamoDB API Reference, TransactWriteItems, ClientRequestToken: 10 minutes.
const tokenLife = 9 * time.Minute

// TokenForgotten reports whether the store may have forgotten the client request token of a change that was sent at a time of
// the wall clock. It may have if the clock was set back. After that, sending the request again
// could apply the change twice if only its token protected it.
func TokenForgotten(sent, now time.Time) bool {
	age := now.Round(0).Sub(sent.Round(0)) // A machine that sleeps stops its monotonic clock.
	return age < 0 || age > tokenLife
}

func (c *Connection) now() time.Time {
	if c.clock == nil {
		return time.Now()
	}
	return c.clock()
}

// refusal reports whether err is a response which shows that the request had no effect: a status of the classes 3xx
// and 4xx, from DynamoDB or a proxy, or the login page of a network. Source: RFC 6585, section 6.
func refusal(err error) bool {
	code := status(err)
	if answer, ok := errors.AsType[*answerError](err); ok {
		code = answer.status
	}
	if code == http.StatusNetworkAuthenticationRequired {
		return true // the network did not forward the request
	}
	// A server that times out may have received the whole request.
	return code >= 300 && code < 500 && code != http.StatusRequestTimeout && !inProgress(err)
}

// inProgress reports whether the store still processes an earlier request with the same client request token.
func inProgress(err error) bool { return hasType[*types.TransactionInProgressException](err) }
