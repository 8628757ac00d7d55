package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
)

// An Admin creates tables and fills them with sample data. It never changes existing items. Its errors are *Error. It
// is safe for concurrent use.
type Admin struct {
	client *dynamodb.Client
	conn   *Connection
}

// Admin returns the connection's interface for creating tables. It sends no requests. Use it only if a user asked to
// create a table or to load items, because it performs none of a session's checks.
func (c *Connection) Admin() *Admin { return &Admin{client: c.client, conn: c} }

const (
	// createWait is the maximum wait for a new table. AWS needs half a minute, or a few minutes with several indexes.
	createWait = 10 * time.Minute
	firstPoll  = 100 * time.Millisecond
	slowPoll   = 2 * time.Second
)

// CreateTable creates a table with its indexes, on demand unless its billing is "provisioned". It waits until all are
// ACTIVE, and enables TTL if the table has it. An index with an unknown projection projects all attributes. The error
// for an existing table has the class TableExists.
func (a *Admin) CreateTable(ctx context.Context, t *models.Table) error {
	s := subject{operation: "CreateTable", table: t.Name, writes: true}
	if _, err := call(ctx, a.conn, s, createInput(t), a.client.CreateTable, ignoreOutput); err != nil {
		return err
	}
	if err := a.awaitActive(ctx, s); err != nil || t.TTL == "" {
		return err
	}
	s.operation = "UpdateTimeToLive"
	ttl := &types.TimeToLiveSpecification{AttributeName: aws.String(t.TTL), Enabled: aws.Bool(true)}
	in := &dynamodb.UpdateTimeToLiveInput{TableName: aws.String(t.Name), TimeToLiveSpecification: ttl}
	_, err := call(ctx, a.conn, s, in, a.client.UpdateTimeToLive, ignoreOutput)
	return err
}

// EnableStream turns on the stream of a table without one.
func (a *Admin) EnableStream(ctx context.Context, table string, view models.StreamView) error {
	s := subject{operation: "UpdateTable", table: table, writes: true}
	in := &dynamodb.UpdateTableInput{TableName: aws.String(table), StreamSpecification: streamSpecification(view)}
	_, err := call(ctx, a.conn, s, in, a.client.UpdateTable, ignoreOutput)
	return err
}

// provisionedUnits is the number of read and of write units for a table with provisioned capacity, as in the AWS
// console.
const provisionedUnits = 5

func provisionedThroughput(billing string) *types.ProvisionedThroughput {
	if !strings.EqualFold(billing, string(types.BillingModeProvisioned)) {
		return nil
	}
	return &types.ProvisionedThroughput{ReadCapacityUnits: aws.Int64(provisionedUnits), WriteCapacityUnits: aws.Int64(provisionedUnits)}
}

func streamSpecification(v models.StreamView) *types.StreamSpecification {
	return &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewType(v)}
}

func createInput(t *models.Table) *dynamodb.CreateTableInput {
	in := &dynamodb.CreateTableInput{
		TableName: aws.String(t.Name), BillingMode: types.BillingModePayPerRequest,
		KeySchema: keySchema(t.KeysOf(nil)), ProvisionedThroughput: provisionedThroughput(t.Billing),
	}
	if t.Stream != "" {
		in.StreamSpecification = streamSpecification(t.Stream)
	}
	if in.ProvisionedThroughput != nil {
		in.BillingMode = types.BillingModeProvisioned
	}
	for _, key := range t.KeyAttributes() {
		in.AttributeDefinitions = append(in.AttributeDefinitions, types.AttributeDefinition{
			AttributeName: aws.String(key.Name), AttributeType: types.ScalarAttributeType(key.Type),
		})
	}
	for _, x := range t.Indexes {
		projection := &types.Projection{ProjectionType: types.ProjectionTypeAll}
		if x.Projection != models.ProjectionUnknown {
			projection.ProjectionType = types.ProjectionType(x.Projection)
		}
		if x.Projection == models.ProjectionInclude {
			projection.NonKeyAttributes = x.Include
		}
		name, schema := aws.String(x.Name), keySchema(x.PartitionKeys, x.SortKeys)
		if x.Local {
			in.LocalSecondaryIndexes = append(in.LocalSecondaryIndexes, types.LocalSecondaryIndex{
				IndexName: name, KeySchema: schema, Projection: projection,
			})
			continue
		}
		in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName: name, KeySchema: schema, Projection: projection, ProvisionedThroughput: in.ProvisionedThroughput,
		})
	}
	return in
}

func keySchema(partition, sort []models.Key) []types.KeySchemaElement {
	elements := func(keys []models.Key, t types.KeyType) []types.KeySchemaElement {
		return models.MapSlice(keys, func(k models.Key) types.KeySchemaElement {
			return types.KeySchemaElement{AttributeName: aws.String(k.Name), KeyType: t}
		})
	}
	return append(elements(partition, types.KeyTypeHash), elements(sort, types.KeyTypeRange)...)
}

// awaitActive also waits for indexes, unlike the SDK. It polls a local server frequently, and AWS every 2 seconds.
func (a *Admin) awaitActive(ctx context.Context, s subject) error {
	waitCtx, cancel := context.WithTimeoutCause(ctx, createWait, errSlowTable)
	defer cancel()
	for poll := firstPoll; ; poll = min(slowPoll, poll*2) {
		info, err := a.conn.Reader().DescribeTable(waitCtx, s.table)
		switch {
		case err == nil && isActive(info):
			return nil
		case err != nil && ClassOf(err) != TableMissing: // a new table is not visible everywhere at once
			return err
		}
		if err := Sleep(waitCtx, poll); err != nil {
			return a.conn.failure(waitCtx, s, err)
		}
	}
}

// errSlowTable is the cause when the wait for a new table times out.
var errSlowTable = fmt.Errorf("the table is not active after %s", createWait)

func isActive(t TableInfo) bool {
	return t.Status == string(types.TableStatusActive) &&
		!slices.ContainsFunc(t.Indexes, func(x IndexInfo) bool { return x.Status != string(types.IndexStatusActive) })
}

const (
	// maxTransact is the maximum number of writes in a transaction. maxTransactSize is the maximum total size of their
	// items, with room for bytes that Item.Size does not count. Source: Amazon DynamoDB API Reference,
	// TransactWriteItems.
	maxTransact     = 100
	maxTransactSize = 3 << 20
)

// PutNew puts the items whose keys do not exist, and returns how many it wrote and how many existed. It never replaces
// items. After an error, the counts cover the transactions before the failed one, and the error's Failures contain
// positions in items. The class is never that of a conflict, because PutNew resends such a transaction.
//
// It uses transactions, because BatchWriteItem has no conditions. If a condition fails, it resends the transaction
// without the items that exist.
func (a *Admin) PutNew(ctx context.Context, t *models.Table, items []models.Item) (written, existed int, err error) {
	for from := 0; from < len(items); {
		n := transactLength(items[from:])
		done, err := a.putNew(ctx, t, items, from, from+n)
		if err != nil {
			return written, existed, err
		}
		written, existed, from = written+done, existed+n-done, from+n
	}
	return written, existed, nil
}

// partError converts the error of one transaction to the whole list. places contains the positions of its writes.
func partError(err error, places []int, sent change.Batch) error {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return err
	}
	e.Problem = strings.TrimSuffix(e.Problem, nothingWritten)
	for i := range e.Failures {
		e.Failures[i].Index = places[e.Failures[i].Index]
	}
	if e.Class == TransactionCancelled && isTransient(e.Err) {
		e.Class, e.Problem = Throttled, "other requests were changing the same items"
	} else if e.Class == TransactionCancelled {
		e.Class, e.Advice = Validation, ""
		for _, reason := range reasonsOf(e.Err) {
			e.Problem = "DynamoDB rejected the item: " + cmp.Or(withoutData(aws.ToString(reason.Message), sent), *reason.Code)
			break
		}
	}
	return e
}

func transactLength(items []models.Item) int {
	size := 0
	for i, it := range items[:min(maxTransact, len(items))] {
		if size += it.Size(); size > maxTransactSize && i > 0 {
			return i
		}
	}
	return min(maxTransact, len(items))
}

func (a *Admin) putNew(ctx context.Context, t *models.Table, items []models.Item, from, to int) (int, error) {
	var places []int
	for i := from; i < to; i++ {
		places = append(places, i)
	}
	for len(places) > 0 {
		in := change.Batch{Token: change.NewToken()}
		for _, i := range places {
			in.Writes = append(in.Writes, types.TransactWriteItem{Put: &types.Put{
				TableName: aws.String(t.Name), Item: items[i], ConditionExpression: aws.String("attribute_not_exists(#key)"),
				ExpressionAttributeNames: map[string]string{"#key": t.PartitionKey.Name},
			}})
		}
		_, err := a.conn.Writer().Commit(ctx, in)
		if err == nil {
			return len(places), nil
		}
		exists := existingItems(err)
		if len(exists) == 0 {
			return 0, partError(err, places, in)
		}
		for _, n := range slices.Backward(exists) {
			places = slices.Delete(places, n, n+1)
		}
	}
	return 0, nil
}

func existingItems(err error) []int {
	var failed *Error
	if !errors.As(err, &failed) || failed.Outcome() == Unknown {
		return nil
	}
	var list []int
	for _, f := range failed.Failures {
		if f.Code == CodeConditionFailed {
			list = append(list, f.Index)
		}
	}
	return list
}
