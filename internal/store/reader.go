package store

import (
	"context"
	"errors"
	"math"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Reader reads tables. It has no method that writes, and neither has what
// stands behind it. Its errors are *Error.
type Reader interface {
	// Fetch sends one request and returns its page: the leg from start on (nil:
	// from the beginning), reading at most limit items before the filter. Limit 0
	// is that of the leg, and without one as many as a page holds: 1 MB, or 1000
	// items of a scan on this machine. The leg is not changed. A GetItem that finds nothing
	// is a page without items.
	Fetch(ctx context.Context, leg accesspatterns.Leg, start models.Item, limit int) (accesspatterns.Page, error)

	// BatchGet reads the items of the keys, in the order of the keys. Those that
	// do not exist are left out, and a key given twice is read once. It reads
	// consistently.
	BatchGet(ctx context.Context, table string, keys []models.Item) ([]models.Item, error)

	// DescribeTable returns what DynamoDB knows of the table.
	DescribeTable(ctx context.Context, table string) (TableInfo, error)

	// DescribeTTL returns the attribute whose time deletes items; enabled is false
	// while it is switched off or still being switched.
	DescribeTTL(ctx context.Context, table string) (attribute string, enabled bool, err error)

	// Tables returns the names of all tables, however many pages that takes.
	Tables(ctx context.Context) ([]string, error)
}

// readAPI is what a reader may call.
type readAPI interface {
	GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
	Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error)
	Scan(context.Context, *dynamodb.ScanInput, ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error)
	BatchGetItem(context.Context, *dynamodb.BatchGetItemInput, ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error)
	DescribeTable(context.Context, *dynamodb.DescribeTableInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error)
	DescribeTimeToLive(context.Context, *dynamodb.DescribeTimeToLiveInput,
		...func(*dynamodb.Options)) (*dynamodb.DescribeTimeToLiveOutput, error)
	ListTables(context.Context, *dynamodb.ListTablesInput, ...func(*dynamodb.Options)) (*dynamodb.ListTablesOutput, error)
}

type reader struct {
	api  readAPI
	conn *Connection // for its words; reader calls api alone
}

// Reader returns the reading side of the connection.
func (c *Connection) Reader() Reader { return &reader{api: c.client, conn: c} }

// localScanPage is the Limit of a scan that asks for none on a server on this
// machine: DynamoDB Local needs 80 times as long for a page of 1 MB as for one
// of 1000 items.
const localScanPage = 1000

// Fetch implements Reader.
func (r *reader) Fetch(ctx context.Context, leg accesspatterns.Leg, start models.Item, limit int) (accesspatterns.Page, error) {
	switch {
	case leg.Get != nil && leg.Query == nil && leg.Scan == nil:
		return r.get(ctx, *leg.Get)
	case leg.Query != nil && leg.Get == nil && leg.Scan == nil:
		in := *leg.Query
		in.ExclusiveStartKey, in.Limit = start, pageLimit(limit, in.Limit)
		return r.query(ctx, in)
	case leg.Scan != nil && leg.Get == nil && leg.Query == nil:
		in := *leg.Scan
		in.ExclusiveStartKey, in.Limit = start, pageLimit(limit, in.Limit)
		if in.Limit == nil && r.conn.target.Loopback {
			in.Limit = aws.Int32(localScanPage)
		}
		return r.scan(ctx, in)
	}
	return accesspatterns.Page{}, &Error{Class: Validation, What: "a request must be one GetItem, Query or Scan"}
}

// pageLimit returns the Limit to send; own is that of the leg itself.
func pageLimit(limit int, own *int32) *int32 {
	if limit <= 0 {
		return own
	}
	return aws.Int32(int32(min(limit, math.MaxInt32)))
}

func (r *reader) get(ctx context.Context, in dynamodb.GetItemInput) (accesspatterns.Page, error) {
	in.ReturnConsumedCapacity = types.ReturnConsumedCapacityTotal
	s := subject{operation: "GetItem", table: aws.ToString(in.TableName), sent: &in}
	out, err := r.api.GetItem(ctx, &in, r.conn.reading(ctx, s))
	if err != nil {
		return accesspatterns.Page{}, r.conn.called(ctx, s, 0, err)
	}
	page := accesspatterns.Page{Capacity: capacityOf(out.ConsumedCapacity)}
	if len(out.Item) > 0 {
		page.Items, page.Count, page.Scanned = []models.Item{out.Item}, 1, 1
	}
	return page, r.conn.called(ctx, s, page.Capacity, nil)
}

func (r *reader) query(ctx context.Context, in dynamodb.QueryInput) (accesspatterns.Page, error) {
	in.ReturnConsumedCapacity = types.ReturnConsumedCapacityTotal
	s := subject{operation: "Query", table: aws.ToString(in.TableName), index: aws.ToString(in.IndexName), sent: &in}
	out, err := r.api.Query(ctx, &in, r.conn.reading(ctx, s))
	if err == nil && out.Items == nil && in.Select != types.SelectCount {
		err = errNoItems
	}
	if err != nil {
		return accesspatterns.Page{}, r.conn.called(ctx, s, 0, err)
	}
	page := newPage(out.Items, out.Count, out.ScannedCount, out.LastEvaluatedKey, out.ConsumedCapacity)
	return page, r.conn.called(ctx, s, page.Capacity, nil)
}

func (r *reader) scan(ctx context.Context, in dynamodb.ScanInput) (accesspatterns.Page, error) {
	in.ReturnConsumedCapacity = types.ReturnConsumedCapacityTotal
	s := subject{operation: "Scan", table: aws.ToString(in.TableName), index: aws.ToString(in.IndexName), sent: &in}
	out, err := r.api.Scan(ctx, &in, r.conn.reading(ctx, s))
	if err == nil && out.Items == nil && in.Select != types.SelectCount {
		err = errNoItems
	}
	if err != nil {
		return accesspatterns.Page{}, r.conn.called(ctx, s, 0, err)
	}
	page := newPage(out.Items, out.Count, out.ScannedCount, out.LastEvaluatedKey, out.ConsumedCapacity)
	return page, r.conn.called(ctx, s, page.Capacity, nil)
}

// errNoItems is a page without its list, which DynamoDB sends even when empty:
// an error, so that a stranger's JSON is never shown as an empty table.
var errNoItems = &answerError{status: 200, contentType: "JSON without Items"}

func newPage(
	rows []map[string]types.AttributeValue, count, scanned int32, last map[string]types.AttributeValue,
	capacity *types.ConsumedCapacity,
) accesspatterns.Page {
	page := accesspatterns.Page{Count: int(count), Scanned: int(scanned), Capacity: capacityOf(capacity)}
	if len(last) > 0 {
		page.LastKey = last
	}
	if len(rows) > 0 {
		page.Items = make([]models.Item, len(rows))
		for i, row := range rows {
			page.Items[i] = row
		}
	}
	return page
}

func capacityOf(c *types.ConsumedCapacity) float64 {
	if c == nil {
		return 0
	}
	return aws.ToFloat64(c.CapacityUnits)
}

// reading configures the retries of a call that changes nothing.
func (c *Connection) reading(ctx context.Context, s subject) func(*dynamodb.Options) {
	return c.retrying(ctx, s, false)
}

// retrying gives a call its own retrier, which counts its attempts.
func (c *Connection) retrying(ctx context.Context, s subject, writes bool) func(*dynamodb.Options) {
	return func(o *dynamodb.Options) { o.Retryer = c.newRetrier(ctx, s.operation, writes) }
}

func (c *Connection) newRetrier(ctx context.Context, operation string, writes bool) *retrier {
	return &retrier{ctx: ctx, operation: operation, writes: writes, notify: both(c.notify, traceOf(ctx).Retried)}
}

// called reports a finished call to the trace and returns its Error.
func (c *Connection) called(ctx context.Context, s subject, capacity float64, err error) error {
	err = c.failure(ctx, s, err)
	if report := traceOf(ctx).Called; report != nil {
		report(Call{Operation: s.operation, Table: s.table, Capacity: capacity, Err: err})
	}
	return err
}

// errNoProgress is a batch of which the store does nothing, time after time.
var errNoProgress = errors.New("the server accepts the batch but processes none of it")
