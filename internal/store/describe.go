package store

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// noStream is the value of Stream for a table without a stream.
const noStream = "disabled"

// TableInfo is DynamoDB's description of a table. Package tables compares it with a schema.
type TableInfo struct {
	Name         string
	Status       string // such as ACTIVE, CREATING or UPDATING
	PartitionKey models.Key
	SortKey      models.Key // without a sort key, Name is ""
	Indexes      []IndexInfo

	// DynamoDB updates ApproximateItems and ApproximateBytes about every six hours, so 0 does not mean that the table
	// is empty. Source: Amazon DynamoDB API Reference, TableDescription.
	ApproximateItems, ApproximateBytes int64

	Billing    string // PAY_PER_REQUEST or PROVISIONED
	ReadUnits  int64  // provisioned read capacity units per second; 0 on demand
	Stream     string // view type of the stream, such as NEW_IMAGE; "disabled" without a stream
	StreamARN  string // ARN of the latest stream, which may be disabled; or ""
	WriteUnits int64  // provisioned write capacity units per second; 0 on demand
}

// Index returns the index with a name, or false if there is none.
func (t TableInfo) Index(name string) (IndexInfo, bool) {
	return models.Find(t.Indexes, func(x IndexInfo) bool { return x.Name == name })
}

// IndexInfo is DynamoDB's description of a secondary index.
type IndexInfo struct {
	models.Index
	Status string // such as ACTIVE or CREATING; always ACTIVE for a local index

	// DynamoDB updates ApproximateItems and ApproximateBytes as in TableInfo.
	ApproximateItems, ApproximateBytes int64
}

// DescribeTable implements Reader.
func (r *reader) DescribeTable(ctx context.Context, table string) (info TableInfo, err error) {
	s := subject{operation: "DescribeTable", table: table}
	in := &dynamodb.DescribeTableInput{TableName: aws.String(table)}
	_, err = call(ctx, r.conn, s, in, r.api.DescribeTable, func(out *dynamodb.DescribeTableOutput) (float64, error) {
		if out.Table == nil {
			return 0, missingFieldError("Table")
		}
		info = newTableInfo(out.Table)
		return 0, nil
	})
	return info, err
}

func newTableInfo(d *types.TableDescription) TableInfo {
	attributes := map[string]models.Type{}
	for _, a := range d.AttributeDefinitions {
		attributes[aws.ToString(a.AttributeName)] = models.Type(a.AttributeType)
	}
	t := TableInfo{
		Name: aws.ToString(d.TableName), Status: string(d.TableStatus),
		ApproximateItems: aws.ToInt64(d.ItemCount), ApproximateBytes: aws.ToInt64(d.TableSizeBytes),
		Billing: string(types.BillingModeProvisioned), Stream: noStream,
		StreamARN: aws.ToString(d.LatestStreamArn),
	}
	if d.StreamSpecification != nil && aws.ToBool(d.StreamSpecification.StreamEnabled) {
		t.Stream = string(d.StreamSpecification.StreamViewType)
	}
	if partition, sort := keysOf(d.KeySchema, attributes); len(partition) > 0 {
		t.PartitionKey = partition[0]
		t.SortKey = append(sort, models.Key{})[0]
	}
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
		x.Status, x.Local = string(types.IndexStatusActive), true
		x.ApproximateItems, x.ApproximateBytes = aws.ToInt64(l.ItemCount), aws.ToInt64(l.IndexSizeBytes)
		t.Indexes = append(t.Indexes, x)
	}
	return t
}

func newIndexInfo(
	name string, schema []types.KeySchemaElement, projection *types.Projection, attributes map[string]models.Type,
) IndexInfo {
	x := IndexInfo{Index: models.Index{Name: name}}
	x.PartitionKeys, x.SortKeys = keysOf(schema, attributes)
	if projection != nil {
		x.Projection = models.Projection(projection.ProjectionType)
		x.Include = projection.NonKeyAttributes
	}
	return x
}

func keysOf(schema []types.KeySchemaElement, attributes map[string]models.Type) (partition, sort []models.Key) {
	for _, element := range schema {
		name := aws.ToString(element.AttributeName)
		key := models.Key{Name: name, Type: attributes[name]}
		if element.KeyType == types.KeyTypeHash {
			partition = append(partition, key)
		} else {
			sort = append(sort, key)
		}
	}
	return partition, sort
}

// DescribeTTL implements Reader.
func (r *reader) DescribeTTL(ctx context.Context, table string) (attribute string, enabled bool, err error) {
	s := subject{operation: "DescribeTimeToLive", table: table}
	in := &dynamodb.DescribeTimeToLiveInput{TableName: aws.String(table)}
	out, err := call(ctx, r.conn, s, in, r.api.DescribeTimeToLive, ignoreOutput)
	if err != nil || out.TimeToLiveDescription == nil {
		return "", false, err
	}
	d := out.TimeToLiveDescription
	return aws.ToString(d.AttributeName), d.TimeToLiveStatus == types.TimeToLiveStatusEnabled, nil
}

// PointInTimeRecovery implements Reader.
func (r *reader) PointInTimeRecovery(ctx context.Context, table string) (enabled bool, err error) {
	s := subject{operation: "DescribeContinuousBackups", table: table}
	in := &dynamodb.DescribeContinuousBackupsInput{TableName: aws.String(table)}
	_, err = call(ctx, r.conn, s, in, r.api.DescribeContinuousBackups,
		func(out *dynamodb.DescribeContinuousBackupsOutput) (float64, error) {
			d := out.ContinuousBackupsDescription
			if d == nil || d.PointInTimeRecoveryDescription == nil {
				return 0, missingFieldError("PointInTimeRecoveryDescription")
			}
			enabled = d.PointInTimeRecoveryDescription.PointInTimeRecoveryStatus == types.PointInTimeRecoveryStatusEnabled
			return 0, nil
		})
	return enabled, err
}

// Tables implements Reader.
func (r *reader) Tables(ctx context.Context) ([]string, error) {
	var names []string
	s, in := subject{operation: "ListTables"}, &dynamodb.ListTablesInput{}
	for {
		out, err := call(ctx, r.conn, s, in, r.api.ListTables, func(out *dynamodb.ListTablesOutput) (float64, error) {
			if out.TableNames == nil {
				return 0, missingFieldError("TableNames")
			}
			return 0, nil
		})
		if err != nil {
			return nil, err
		}
		names = append(names, out.TableNames...)
		if in.ExclusiveStartTableName = out.LastEvaluatedTableName; in.ExclusiveStartTableName == nil {
			return names, nil
		}
	}
}
