package store

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// TableInfo is a live table as DynamoDB describes it.
type TableInfo struct {
	Name         string
	Status       string // ACTIVE, CREATING, UPDATING..
	PartitionKey models.Key
	SortKey      models.Key // Name "" without a sort key
	Indexes      []IndexInfo

	// ApproximateItems and ApproximateBytes lag behind by about six hours, so a
	// zero does not mean an empty table.
	ApproximateItems, ApproximateBytes int64

	Billing               string // PAY_PER_REQUEST or PROVISIONED
	ReadUnits, WriteUnits int64  // provisioned; 0 on demand
	Created               time.Time
	DeletionProtected     bool
}

// Index returns the index called name; false when there is none.
func (t TableInfo) Index(name string) (IndexInfo, bool) {
	for _, x := range t.Indexes {
		if x.Name == name {
			return x, true
		}
	}
	return IndexInfo{}, false
}

// IndexInfo is a live index.
type IndexInfo struct {
	Name         string
	Local        bool // a local secondary index
	PartitionKey models.Key
	SortKey      models.Key // Name "" without a sort key
	// Further are the other key attributes of an index whose keys are made of
	// several, in their order.
	Further    []models.Key
	Projection models.Projection
	Include    []string // the projected attributes of ProjectionInclude
	Status     string   // ACTIVE, CREATING..; local indexes are always ACTIVE

	// Approximate as the table's.
	ApproximateItems, ApproximateBytes int64
}

// DescribeTable implements Reader.
func (r *reader) DescribeTable(ctx context.Context, table string) (TableInfo, error) {
	s := subject{operation: "DescribeTable", table: table}
	out, err := r.api.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(table)}, r.conn.reading(ctx, s))
	if err == nil && out.Table == nil {
		err = &answerError{status: 200, contentType: "JSON without Table"}
	}
	if err != nil {
		return TableInfo{}, r.conn.called(ctx, s, 0, err)
	}
	return newTableInfo(out.Table), r.conn.called(ctx, s, 0, nil)
}

func newTableInfo(d *types.TableDescription) TableInfo {
	attributes := map[string]models.Type{}
	for _, a := range d.AttributeDefinitions {
		attributes[aws.ToString(a.AttributeName)] = models.Type(a.AttributeType)
	}
	t := TableInfo{
		Name: aws.ToString(d.TableName), Status: string(d.TableStatus),
		ApproximateItems: aws.ToInt64(d.ItemCount), ApproximateBytes: aws.ToInt64(d.TableSizeBytes),
		Billing: string(types.BillingModeProvisioned), Created: aws.ToTime(d.CreationDateTime),
		DeletionProtected: aws.ToBool(d.DeletionProtectionEnabled),
	}
	t.PartitionKey, t.SortKey, _ = keysOf(d.KeySchema, attributes)
	if d.BillingModeSummary != nil {
		t.Billing = string(d.BillingModeSummary.BillingMode)
	}
	if d.ProvisionedThroughput != nil {
		t.ReadUnits = aws.ToInt64(d.ProvisionedThroughput.ReadCapacityUnits)
		t.WriteUnits = aws.ToInt64(d.ProvisionedThroughput.WriteCapacityUnits)
	}
	for _, g := range d.GlobalSecondaryIndexes {
		x := newIndexInfo(aws.ToString(g.IndexName), g.KeySchema, g.Projection, attributes)
		x.Status = string(g.IndexStatus)
		x.ApproximateItems, x.ApproximateBytes = aws.ToInt64(g.ItemCount), aws.ToInt64(g.IndexSizeBytes)
		t.Indexes = append(t.Indexes, x)
	}
	for _, l := range d.LocalSecondaryIndexes {
		x := newIndexInfo(aws.ToString(l.IndexName), l.KeySchema, l.Projection, attributes)
		x.Local, x.Status = true, string(types.IndexStatusActive)
		x.ApproximateItems, x.ApproximateBytes = aws.ToInt64(l.ItemCount), aws.ToInt64(l.IndexSizeBytes)
		t.Indexes = append(t.Indexes, x)
	}
	return t
}

func newIndexInfo(
	name string, schema []types.KeySchemaElement, projection *types.Projection, attributes map[string]models.Type,
) IndexInfo {
	x := IndexInfo{Name: name}
	x.PartitionKey, x.SortKey, x.Further = keysOf(schema, attributes)
	if projection != nil {
		x.Projection = models.Projection(projection.ProjectionType)
		x.Include = projection.NonKeyAttributes
	}
	return x
}

// keysOf returns the first partition and sort key of a schema and what other key
// attributes it has.
func keysOf(schema []types.KeySchemaElement, attributes map[string]models.Type) (partition, sort models.Key, further []models.Key) {
	for _, element := range schema {
		name := aws.ToString(element.AttributeName)
		key := models.Key{Name: name, Type: attributes[name]}
		switch {
		case element.KeyType == types.KeyTypeHash && partition.Name == "":
			partition = key
		case element.KeyType == types.KeyTypeRange && sort.Name == "":
			sort = key
		default:
			further = append(further, key)
		}
	}
	return partition, sort, further
}

// DescribeTTL implements Reader.
func (r *reader) DescribeTTL(ctx context.Context, table string) (attribute string, enabled bool, err error) {
	s := subject{operation: "DescribeTimeToLive", table: table}
	in := &dynamodb.DescribeTimeToLiveInput{TableName: aws.String(table)}
	out, err := r.api.DescribeTimeToLive(ctx, in, r.conn.reading(ctx, s))
	if err = r.conn.called(ctx, s, 0, err); err != nil {
		return "", false, err
	}
	if d := out.TimeToLiveDescription; d != nil {
		return aws.ToString(d.AttributeName), d.TimeToLiveStatus == types.TimeToLiveStatusEnabled, nil
	}
	return "", false, nil
}

// Tables implements Reader.
func (r *reader) Tables(ctx context.Context) ([]string, error) {
	s := subject{operation: "ListTables"}
	var names []string
	var start *string
	for {
		in := &dynamodb.ListTablesInput{ExclusiveStartTableName: start}
		out, err := r.api.ListTables(ctx, in, r.conn.reading(ctx, s))
		if err == nil && out.TableNames == nil {
			err = &answerError{status: 200, contentType: "JSON without TableNames"}
		}
		if err = r.conn.called(ctx, s, 0, err); err != nil {
			return nil, err
		}
		names = append(names, out.TableNames...)
		if start = out.LastEvaluatedTableName; start == nil {
			return names, nil
		}
	}
}
