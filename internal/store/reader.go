package store

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Reader reads tables. Neither it nor its client has a method that writes. Its errors are *Error. The caller owns the
// items. A Reader is safe for concurrent use.
type Reader interface {
	// Fetch sends the request of a leg and returns one page of items. start is the key after which to read, or nil for
	// the beginning. limit is the maximum number of items to read before the filter; 0 means the leg's limit, or else a
	// full page: 1 MB, or 1000 items of a scan on this machine. A GetItem that finds nothing returns a page without
	// items. A BatchGetItem returns the existing items in the order of their keys, and reads a repeated key once. Fetch
	// does not modify the leg.
	Fetch(ctx context.Context, leg accesspatterns.Leg, start models.Item, limit int) (accesspatterns.Page, error)

	// DescribeTable returns DynamoDB's description of a table. The error for a missing table has the class
	// TableMissing.
	DescribeTable(ctx context.Context, table string) (TableInfo, error)

	// DescribeTTL returns the attribute that contains the expiry time of items. enabled is false while TTL is disabled
	// or being enabled. The attribute is "" if the table has never had TTL.
	DescribeTTL(ctx context.Context, table string) (attribute string, enabled bool, err error)

	// PointInTimeRecovery reports whether the table can be restored to any second of the last days. It needs the
	// permission dynamodb:DescribeContinuousBackups.
	PointInTimeRecovery(ctx context.Context, table string) (enabled bool, err error)

	// Tables returns the names of all tables of the account in the region, in DynamoDB's arbitrary order, or nil.
	Tables(ctx context.Context) ([]string, error)

	// Follow starts to follow the changes of a table in its stream, since a time, or from now on for the zero time. It
	// does not read the stream yet. The error has the class StreamOff if the table has no stream.
	Follow(ctx context.Context, table string, since time.Time) (Follower, error)

	// Lookback starts to read the past records of a table's stream. It returns the same errors as Follow.
	Lookback(ctx context.Context, table string) (Lookback, error)
}

// readAPI contains the operations that a reader may call.
type readAPI interface {
	GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
	Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error)
	Scan(context.Context, *dynamodb.ScanInput, ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error)
	BatchGetItem(context.Context, *dynamodb.BatchGetItemInput, ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error)
	DescribeTable(context.Context, *dynamodb.DescribeTableInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error)
	DescribeTimeToLive(context.Context, *dynamodb.DescribeTimeToLiveInput,
		...func(*dynamodb.Options)) (*dynamodb.DescribeTimeToLiveOutput, error)
	DescribeContinuousBackups(context.Context, *dynamodb.DescribeContinuousBackupsInput,
		...func(*dynamodb.Options)) (*dynamodb.DescribeContinuousBackupsOutput, error)
	ListTables(context.Context, *dynamodb.ListTablesInput, ...func(*dynamodb.Options)) (*dynamodb.ListTablesOutput, error)
}

type reader struct {
	api  readAPI
	conn *Connection // for retries and errors; requests use api
}

// Reader returns the connection's interface for reading.
func (c *Connection) Reader() Reader { return &reader{api: c.client, conn: c} }

// localScanPage is the default limit of a scan on this machine. DynamoDB Local needs 80 times as long for a page of 1
// MB as for 1000 items.
const localScanPage = 1000

// Fetch implements Reader.
func (r *reader) Fetch(
	ctx context.Context, leg accesspatterns.Leg, start models.Item, limit int,
) (page accesspatterns.Page, err error) {
	operation, input := leg.Request(start, limit)
	s := subject{operation: operation, sent: input}
	switch in := input.(type) {
	case *dynamodb.BatchGetItemInput:
		return r.batchGet(ctx, leg, start)
	case *dynamodb.GetItemInput:
		s.table = aws.ToString(in.TableName)
		_, err = call(ctx, r.conn, s, in, r.api.GetItem, func(out *dynamodb.GetItemOutput) (float64, error) {
			page.Capacity = capacityOf(out.ConsumedCapacity)
			if len(out.Item) > 0 {
				page.Items, page.Count, page.Scanned = []models.Item{out.Item}, 1, 1
			}
			return page.Capacity, nil
		})
	case *dynamodb.QueryInput:
		s.table, s.index = aws.ToString(in.TableName), aws.ToString(in.IndexName)
		_, err = call(ctx, r.conn, s, in, r.api.Query, func(out *dynamodb.QueryOutput) (float64, error) {
			return fillPage(&page, out, in.Select)
		})
	case *dynamodb.ScanInput:
		s.table, s.index = aws.ToString(in.TableName), aws.ToString(in.IndexName)
		if in.Limit == nil && r.conn.target.Loopback {
			in.Limit = aws.Int32(localScanPage)
		}
		_, err = call(ctx, r.conn, s, in, r.api.Scan, func(out *dynamodb.ScanOutput) (float64, error) {
			return fillPage(&page, (*dynamodb.QueryOutput)(out), in.Select)
		})
	default:
		err = &Error{Class: Validation, Problem: "a request must be one GetItem, BatchGetItem, Query or Scan"}
	}
	return page, err
}

func fillPage(page *accesspatterns.Page, out *dynamodb.QueryOutput, sel types.Select) (capacity float64, err error) {
	if out.Items == nil && sel != types.SelectCount {
		return 0, missingFieldError("Items")
	}
	page.Count, page.Scanned, page.Capacity = int(out.Count), int(out.ScannedCount), capacityOf(out.ConsumedCapacity)
	if len(out.LastEvaluatedKey) > 0 {
		page.LastKey = out.LastEvaluatedKey
	}
	if len(out.Items) > 0 {
		page.Items = make([]models.Item, len(out.Items))
	}
	for i, row := range out.Items {
		page.Items[i] = row
	}
	return page.Capacity, nil
}

func capacityOf(c *types.ConsumedCapacity) float64 {
	if c == nil {
		return 0
	}
	return aws.ToFloat64(c.CapacityUnits)
}

// call sends a request with a new retrier. read may reject a response that DynamoDB would not send.
func call[In, Out any](
	ctx context.Context, c *Connection, s subject, in *In,
	send func(context.Context, *In, ...func(*dynamodb.Options)) (*Out, error), read func(*Out) (capacity float64, err error),
) (*Out, error) {
	return sendRequest(ctx, c, s, func(r aws.RetryerV2) (*Out, error) {
		return send(ctx, in, func(o *dynamodb.Options) { o.Retryer = r })
	}, read)
}

func sendRequest[Out any](
	ctx context.Context, c *Connection, s subject, send func(aws.RetryerV2) (*Out, error), read func(*Out) (capacity float64, err error),
) (*Out, error) {
	if admit := traceOf(ctx).Admit; admit != nil && !admit() {
		return nil, &Error{Class: Canceled, Problem: "not sent: the request budget is used up"}
	}
	start := time.Now()
	out, err := send(c.newRetrier(ctx, s.operation, s.writes))
	capacity := 0.0
	if err == nil {
		capacity, err = read(out)
	}
	return out, c.reportCall(ctx, s, capacity, time.Since(start), err)
}

func ignoreOutput[Out any](*Out) (capacity float64, err error) { return 0, nil }

// missingFieldError rejects a response without a field that DynamoDB always sends: a table would look empty.
func missingFieldError(field string) error {
	return &answerError{status: http.StatusOK, contentType: "JSON without " + field}
}

func (c *Connection) newRetrier(ctx context.Context, operation string, writes bool) *retrier {
	return &retrier{
		ctx: ctx, operation: operation, writes: writes, notify: callBoth(c.notify, traceOf(ctx).Retried),
		login: c.login, renewals: c.login.renewals(),
	}
}

func (c *Connection) reportCall(ctx context.Context, s subject, capacity float64, took time.Duration, err error) error {
	err = c.failure(ctx, s, err)
	if t := traceOf(ctx); t.Called != nil {
		t.Called(Call{
			Operation: s.operation, Table: s.table, Index: s.index, Purpose: t.Purpose, Capacity: capacity, Took: took, Err: err,
		})
	}
	return err
}

const (
	// maxIdleRounds is the maximum number of consecutive rounds in which the store processes nothing of a batch. With
	// the waits in between, reading stops after 9 to 18 seconds without progress.
	maxIdleRounds = 8
)

// A tableKey is a key in one of the tables of a batch.
type tableKey struct {
	table string
	key   map[string]types.AttributeValue
}

func (k tableKey) id(item models.Item) string { return k.table + " " + keyText(item, k.key) }

// batchGet resends unprocessed keys, with increasing waits. Source: Amazon DynamoDB API Reference, BatchGetItem.
func (r *reader) batchGet(ctx context.Context, leg accesspatterns.Leg, start models.Item) (page accesspatterns.Page, err error) {
	tables := leg.Batch.RequestItems
	position := map[string]int{}
	var pending []tableKey
	for _, table := range slices.Sorted(maps.Keys(tables)) {
		for _, key := range tables[table].Keys {
			k := tableKey{table, key}
			if _, repeated := position[k.id(key)]; !repeated {
				position[k.id(key)] = len(position)
				pending = append(pending, k)
			}
		}
	}
	if len(pending) == 0 {
		return page, nil
	}
	if i, ok := position[pending[0].id(start)]; ok && start != nil {
		pending = pending[i+1:]
	}
	found, from := make([]models.Item, len(position)), make([]string, len(position))
	s := subject{operation: "BatchGetItem"}
	if len(tables) == 1 {
		s.table = pending[0].table
	}
	for idle := 0; len(pending) > 0; {
		batch := pending[:min(len(pending), accesspatterns.MaxBatch)]
		in := &dynamodb.BatchGetItemInput{
			RequestItems: map[string]types.KeysAndAttributes{}, ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
		}
		keys := map[string]tableKey{} // one key per table, for the names of the key attributes
		for _, k := range batch {
			part, ok := in.RequestItems[k.table]
			if !ok {
				part = tables[k.table]
				part.Keys = nil
			}
			part.Keys = append(part.Keys, k.key)
			in.RequestItems[k.table], keys[k.table] = part, k
		}
		s.sent = in
		var rest []tableKey
		_, err = call(ctx, r.conn, s, in, r.api.BatchGetItem, func(out *dynamodb.BatchGetItemOutput) (float64, error) {
			if out.Responses == nil {
				return 0, missingFieldError("Responses")
			}
			for table, items := range out.Responses {
				for _, item := range items {
					if i, ok := position[keys[table].id(item)]; ok {
						found[i], from[i] = item, table
					}
				}
			}
			for table, unprocessed := range out.UnprocessedKeys {
				for _, key := range unprocessed.Keys {
					rest = append(rest, tableKey{table, key})
				}
			}
			units := totalCapacity(out.ConsumedCapacity)
			page.Capacity += units
			return units, nil
		})
		if err != nil {
			return page, err
		}
		pending = append(rest, pending[len(batch):]...)
		switch {
		case len(rest) == 0:
			idle = 0
			continue
		case len(rest) < len(batch):
			idle = 1
		default:
			idle++
		}
		if err := r.conn.awaitCapacity(ctx, s, idle); err != nil {
			return page, err
		}
	}
	for i, item := range found {
		if item != nil {
			page.Items, page.Tables = append(page.Items, item), append(page.Tables, from[i])
		}
	}
	page.Count, page.Scanned = len(page.Items), len(page.Items)
	return page, nil
}

func keyText(item, key models.Item) string {
	keyItem := models.Item{}
	for name := range key {
		keyItem[name] = item[name]
	}
	return string(keyItem.AppendDynamoDBJSON(nil))
}

func totalCapacity(all []types.ConsumedCapacity) float64 {
	sum := 0.0
	for i := range all {
		sum += capacityOf(&all[i])
	}
	return sum
}

// errNoProgress is the cause when batchGet gives up.
var errNoProgress = errors.New("the server accepts the batch but processes none of it")

func (c *Connection) awaitCapacity(ctx context.Context, s subject, idle int) error {
	if idle >= maxIdleRounds {
		return &Error{
			Class: Throttled, Operation: s.operation, Table: s.table, Err: errNoProgress,
			Problem: s.String() + " was throttled", Advice: "wait a moment, or raise the table's capacity",
		}
	}
	wait := backoff(throttledBackoff, idle)
	if notify := callBoth(c.notify, traceOf(ctx).Retried); notify != nil {
		notify(Retry{Operation: s.operation, Attempt: idle, Class: Throttled, Wait: wait})
	}
	return c.failure(ctx, s, Sleep(ctx, wait))
}

// Sleep returns the cause of ctx if ctx ends first. If wait is not positive, it may return nil even if ctx has ended.
func Sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
