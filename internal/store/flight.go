package store

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"slices"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
)

// A flight is one write under way. Its note is told of every failed attempt.
type flight struct {
	conn       *Connection
	subject    subject
	tables     []string // of the writes, each once
	token      bool     // a transaction: the store does it once
	repeatable bool     // sending it again is harmless
	traced     bool     // the HTTP client reports when it has a connection

	next     Doer
	attempts int
	sent     bool  // the request of the current attempt may have left this machine
	unclear  error // of the first attempt that may have been done, nil without one
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

// observe puts the flight between the SDK and the network for one call.
func (f *flight) observe(ctx context.Context) func(*dynamodb.Options) {
	return func(o *dynamodb.Options) {
		f.next = o.HTTPClient
		o.HTTPClient = f
		r := f.conn.newRetrier(ctx, f.subject.operation, !f.repeatable)
		r.failure = f.note
		o.Retryer = r
	}
}

// Do implements Doer: it sends one attempt.
func (f *flight) Do(r *http.Request) (*http.Response, error) {
	f.attempts++
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

// note is told the error of each attempt.
func (f *flight) note(err error) {
	if f.sent && f.unclear == nil && !refusal(err) {
		f.unclear = err
	}
	f.sent = false
}

// neverSent reports whether err happened before there was a connection.
func neverSent(err error) bool {
	var dns *net.DNSError
	var operation *net.OpError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	return errors.As(err, &dns) || errors.As(err, &operation) && operation.Op == "dial" ||
		errors.As(err, &certificate) || errors.As(err, &record) || speaksPlain(err)
}

// refusal reports whether err is an answer that says that this request did
// nothing: a status of the classes 3xx and 4xx, of DynamoDB or of something on
// the way to it, and the log-in that a network asks for. Source: RFC 6585, 6.
func refusal(err error) bool {
	code := status(err)
	var answer *answerError
	if errors.As(err, &answer) {
		code = answer.status
	}
	if code == http.StatusNetworkAuthenticationRequired {
		return true // The network kept the request to itself.
	}
	// Whoever waited in vain for the rest of a request may have had all of it.
	return code >= 300 && code < 500 && code != http.StatusRequestTimeout && !inProgress(err)
}

// inProgress reports whether an earlier request with the same token is still
// being worked on.
func inProgress(err error) bool {
	var running *types.TransactionInProgressException
	return errors.As(err, &running)
}
