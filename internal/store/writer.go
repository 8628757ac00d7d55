package store

import (
	"context"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Writer commits changes. Only sessions of role admin have one. It is safe for concurrent use.
type Writer interface {
	// Commit sends the [change.Batch.Request]. Its errors are *Error: Outcome reports whether the store may have
	// written anything, and Failures contains the failed writes.
	//
	// Commit retries after throttling and conflicts with other transactions. If the response is lost, it sends the
	// request again if that is safe: a transaction, which has a ClientRequestToken, or a single write with a condition.
	//
	// After ctx ends, Commit sends nothing. If it has already sent the request, the outcome is unknown.
	Commit(ctx context.Context, b change.Batch) (Committed, error)
}

// Committed describes a committed change. If the first response was lost, Capacity comes from the attempt that
// succeeded.
type Committed struct {
	Capacity float64 // consumed write capacity units
	Attempts int     // number of requests sent, 1 if the first one succeeded
	// Old is the item that a DeleteItem deleted, if the batch requests it.
	Old models.Item
}

type writer struct {
	conn *Connection
}

// Writer returns the connection's interface for writing. It checks neither roles nor guards; the caller decides who may
// use it.
func (c *Connection) Writer() Writer { return &writer{c} }

// Commit implements Writer.
func (w *writer) Commit(ctx context.Context, b change.Batch) (Committed, error) {
	operation, input := b.Request()
	if input == nil {
		return Committed{}, &Error{Class: Validation, Problem: "a change must be one UpdateItem, PutItem, DeleteItem or TransactWriteItems"}
	}
	if b.Masked() {
		return Committed{}, &Error{Class: Validation, Problem: "the change contains masked values, which are for display only"}
	}
	start := time.Now()
	f := newPendingWrite(w.conn, operation, b)
	capacity, old, err := w.send(ctx, input, f)
	if err != nil {
		err = f.failure(ctx, err)
	}
	if err = w.conn.reportCall(ctx, f.subject, capacity, time.Since(start), err); err != nil {
		return Committed{}, err
	}
	return Committed{Capacity: capacity, Attempts: f.attempts, Old: old}, nil
}

func (w *writer) send(ctx context.Context, input any, f *pendingWrite) (capacity float64, old models.Item, err error) {
	var consumed []types.ConsumedCapacity
	add := func(c *types.ConsumedCapacity) {
		if c != nil {
			consumed = append(consumed, *c)
		}
	}
	observe := f.observe(ctx)
	switch in := input.(type) {
	case *dynamodb.UpdateItemInput:
		var out *dynamodb.UpdateItemOutput
		if out, err = w.conn.client.UpdateItem(ctx, in, observe); err == nil {
			add(out.ConsumedCapacity)
		}
	case *dynamodb.PutItemInput:
		var out *dynamodb.PutItemOutput
		if out, err = w.conn.client.PutItem(ctx, in, observe); err == nil {
			add(out.ConsumedCapacity)
		}
	case *dynamodb.DeleteItemInput:
		var out *dynamodb.DeleteItemOutput
		if out, err = w.conn.client.DeleteItem(ctx, in, observe); err == nil {
			add(out.ConsumedCapacity)
			old = out.Attributes
		}
	case *dynamodb.TransactWriteItemsInput:
		var out *dynamodb.TransactWriteItemsOutput
		if out, err = w.conn.client.TransactWriteItems(ctx, in, observe); err == nil {
			consumed = out.ConsumedCapacity
		}
	}
	if err == nil && len(consumed) == 0 {
		err = missingFieldError("ConsumedCapacity") // every request contains ReturnConsumedCapacity
	}
	return totalCapacity(consumed), old, err
}

// ConfineWriter returns a writer that commits only batches whose items all belong to one table and have a partition key
// of type S that begins with prefix. It rejects any other batch before it sends anything, with an *Error of class
// Validation and the Outcome NotWritten. It returns nil for a nil writer.
func ConfineWriter(w Writer, t *models.Table, prefix string) Writer {
	if w == nil {
		return nil
	}
	return confinedWriter{w, t, prefix}
}

type confinedWriter struct {
	next   Writer
	table  *models.Table
	prefix string
}

// Commit implements Writer.
func (c confinedWriter) Commit(ctx context.Context, b change.Batch) (Committed, error) {
	for table, item := range b.Items() {
		key, _ := item.Text(c.table.PartitionKey.Name)
		if table != c.table.Name || !strings.HasPrefix(key, c.prefix) {
			return Committed{}, &Error{Class: Validation, Problem: "the change writes outside of the requests in table " + c.table.Name}
		}
	}
	return c.next.Commit(ctx, b)
}
