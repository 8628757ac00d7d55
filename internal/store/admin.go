package store

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// An Admin creates tables and puts items into them without conditions: for new
// tables and sample data, never for changes of live items. Its errors are *Error.
type Admin interface {
	// CreateTable creates the on-demand table with its global secondary indexes,
	// waits until all are ACTIVE, and enables TTL when the table has it. An index
	// whose projection is unknown projects all attributes. The error about an existing
	// table has the class TableExists.
	CreateTable(ctx context.Context, t *models.Table) error

	// PutItems puts the items, replacing those with the same keys. After an error,
	// some of them may have been written.
	PutItems(ctx context.Context, table string, items []models.Item) error
}

// Admin returns the side of the connection that creates tables.
func (c *Connection) Admin() Admin { return &admin{client: c.client, conn: c} }

type admin struct {
	client *dynamodb.Client
	conn   *Connection
}

const (
	// createWait limits the wait for a new table. AWS needs half a minute, with several
	// indexes a few minutes.
	createWait = 10 * time.Minute
	firstPoll  = 100 * time.Millisecond
	slowPoll   = 2 * time.Second
)

// CreateTable implements Admin.
func (a *admin) CreateTable(ctx context.Context, t *models.Table) error {
	s := subject{operation: "CreateTable", table: t.Name}
	_, err := a.client.CreateTable(ctx, createInput(t), a.conn.retrying(ctx, s, true))
	if err = a.conn.called(ctx, s, 0, err); err != nil {
		return err
	}
	if err := a.awaitActive(ctx, t.Name); err != nil {
		return err
	}
	if t.TTL == "" {
		return nil
	}
	return a.enableTTL(ctx, t.Name, t.TTL)
}

func createInput(t *models.Table) *dynamodb.CreateTableInput {
	in := &dynamodb.CreateTableInput{
		TableName: aws.String(t.Name), BillingMode: types.BillingModePayPerRequest,
		KeySchema: keySchema(t.PartitionKey, t.SortKey),
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
		in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName: aws.String(x.Name), KeySchema: keySchema(x.PartitionKey, x.SortKey), Projection: projection,
		})
	}
	return in
}

func keySchema(partition, sort models.Key) []types.KeySchemaElement {
	schema := []types.KeySchemaElement{{AttributeName: aws.String(partition.Name), KeyType: types.KeyTypeHash}}
	if sort.Name != "" {
		schema = append(schema, types.KeySchemaElement{AttributeName: aws.String(sort.Name), KeyType: types.KeyTypeRange})
	}
	return schema
}

// awaitActive waits for the table and all its indexes.
func (a *admin) awaitActive(ctx context.Context, table string) error {
	s := subject{operation: "CreateTable", table: table}
	waiting, cancel := context.WithTimeoutCause(ctx, createWait, errSlowTable)
	defer cancel()
	reader := a.conn.Reader()
	for poll := firstPoll; ; poll = min(slowPoll, poll*2) {
		info, err := reader.DescribeTable(waiting, table)
		switch {
		case err == nil && active(info):
			return nil
		case err != nil && ClassOf(err) != TableMissing:
			// A new table is not visible everywhere at once.
			return err
		}
		timer := time.NewTimer(poll)
		select {
		case <-waiting.Done():
			timer.Stop()
			return a.conn.failure(waiting, s, context.Cause(waiting))
		case <-timer.C:
		}
	}
}

var errSlowTable = fmt.Errorf("the table is not active after %s", createWait)

func active(t TableInfo) bool {
	for _, x := range t.Indexes {
		if x.Status != string(types.IndexStatusActive) {
			return false
		}
	}
	return t.Status == string(types.TableStatusActive)
}

func (a *admin) enableTTL(ctx context.Context, table, attribute string) error {
	s := subject{operation: "UpdateTimeToLive", table: table}
	_, err := a.client.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{
		TableName: aws.String(table),
		TimeToLiveSpecification: &types.TimeToLiveSpecification{
			AttributeName: aws.String(attribute), Enabled: aws.Bool(true),
		},
	}, a.conn.retrying(ctx, s, true))
	return a.conn.called(ctx, s, 0, err)
}

// PutItems implements Admin.
func (a *admin) PutItems(ctx context.Context, table string, items []models.Item) error {
	pending := make([]types.WriteRequest, len(items))
	for i, item := range items {
		pending[i].PutRequest = &types.PutRequest{Item: item}
	}
	p := patience{conn: a.conn, subject: subject{operation: "BatchWriteItem", table: table, sent: items}}
	for len(pending) > 0 {
		n := min(len(pending), maxBatchWrite)
		rest, err := a.putBatch(ctx, p.subject, pending[:n])
		if err == nil {
			err = p.progress(ctx, n-len(rest), len(rest))
		}
		if err != nil {
			return err
		}
		pending = requeue(rest, pending[n:])
	}
	return nil
}

// putBatch sends one request and returns the unprocessed writes.
func (a *admin) putBatch(ctx context.Context, s subject, batch []types.WriteRequest) (rest []types.WriteRequest, err error) {
	out, err := a.client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{
		RequestItems:           map[string][]types.WriteRequest{s.table: batch},
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
		// A repeated put leaves the same item, so it may be retried like a read.
	}, a.conn.retrying(ctx, s, false))
	if err == nil && out.UnprocessedItems == nil {
		err = &answerError{status: 200, contentType: "JSON without UnprocessedItems"}
	}
	if err != nil {
		return nil, a.conn.called(ctx, s, 0, err)
	}
	return out.UnprocessedItems[s.table], a.conn.called(ctx, s, totalCapacity(out.ConsumedCapacity), nil)
}
