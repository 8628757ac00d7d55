package store

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
)

// A Writer commits changes.
type Writer interface {
	// Commit sends the batch as [change.Batch.Reporting] describes it. Its
	// errors are *Error: Outcome says whether anything may have been written, and
	// Failures which writes were the reason.
	//
	// Throttling and conflicts with other transactions are retried. A request whose
	// answer was lost is sent again when that is harmless: a transaction, which
	// carries its ClientRequestToken, and a single write with a condition.
	//
	// When ctx ends nothing more is sent. An end after the request went out leaves
	// the outcome unknown.
	Commit(ctx context.Context, b change.Batch) (Committed, error)
}

// Committed is what a change cost.
type Committed struct {
	Capacity float64 // write capacity units
	Attempts int     // requests sent, 1 when the first succeeded
}

// writeAPI is what a writer may call.
type writeAPI interface {
	UpdateItem(context.Context, *dynamodb.UpdateItemInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error)
	PutItem(context.Context, *dynamodb.PutItemInput, ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error)
	DeleteItem(context.Context, *dynamodb.DeleteItemInput, ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error)
	TransactWriteItems(context.Context, *dynamodb.TransactWriteItemsInput,
		...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error)
}

type writer struct {
	api  writeAPI
	conn *Connection
}

// Writer returns the writing side of the connection.
func (c *Connection) Writer() Writer { return &writer{api: c.client, conn: c} }

// errNoCapacity is an answer without the capacity that was asked for, which
// DynamoDB always sends: a stranger's JSON must not be taken for a commit.
var errNoCapacity = &answerError{status: 200, contentType: "JSON without ConsumedCapacity"}

// Commit implements Writer.
func (w *writer) Commit(ctx context.Context, b change.Batch) (Committed, error) {
	if inputs(b) != 1 {
		return Committed{}, &Error{Class: Validation, What: "a change must be one UpdateItem, PutItem, DeleteItem or TransactWriteItems"}
	}
	if b.Masked() {
		return Committed{}, &Error{Class: Validation, What: "the change contains masked values, which are for display only"}
	}
	f := newFlight(w.conn, b)
	capacity, err := w.send(ctx, b.Reporting(), f)
	if err != nil {
		err = f.failure(ctx, err)
	}
	if err = w.conn.called(ctx, f.subject, capacity, err); err != nil {
		return Committed{}, err
	}
	return Committed{Capacity: capacity, Attempts: f.attempts}, nil
}

func inputs(b change.Batch) int {
	n := 0
	for _, set := range []bool{b.Update != nil, b.Put != nil, b.Delete != nil, b.Transact != nil} {
		if set {
			n++
		}
	}
	return n
}

// send makes the one call of the batch.
func (w *writer) send(ctx context.Context, b change.Batch, f *flight) (capacity float64, err error) {
	var spent []types.ConsumedCapacity
	add := func(c *types.ConsumedCapacity) {
		if c != nil {
			spent = append(spent, *c)
		}
	}
	switch observe := f.observe(ctx); {
	case b.Update != nil:
		var out *dynamodb.UpdateItemOutput
		if out, err = w.api.UpdateItem(ctx, b.Update, observe); err == nil {
			add(out.ConsumedCapacity)
		}
	case b.Put != nil:
		var out *dynamodb.PutItemOutput
		if out, err = w.api.PutItem(ctx, b.Put, observe); err == nil {
			add(out.ConsumedCapacity)
		}
	case b.Delete != nil:
		var out *dynamodb.DeleteItemOutput
		if out, err = w.api.DeleteItem(ctx, b.Delete, observe); err == nil {
			add(out.ConsumedCapacity)
		}
	default:
		var out *dynamodb.TransactWriteItemsOutput
		if out, err = w.api.TransactWriteItems(ctx, b.Transact, observe); err == nil {
			spent = out.ConsumedCapacity
		}
	}
	if err == nil && len(spent) == 0 {
		err = errNoCapacity
	}
	return totalCapacity(spent), err
}
