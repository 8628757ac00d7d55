package embedded

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
)

// statusActive is the status of every table and index. The service has CREATING and UPDATING
// as well, because it needs time for both.
const statusActive = "ACTIVE"

// timestamp returns seconds since the epoch, the wire format of times.
func timestamp(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

// tableDescription describes a table. The service has more members, such as replicas and
// encryption; a client sees them as absent.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TableDescription.html
type tableDescription struct {
	AttributeDefinitions       []attributeDefinition
	TableName                  string
	KeySchema                  []keyElement
	TableStatus                string
	CreationDateTime           float64
	ProvisionedThroughput      throughputDescription
	TableSizeBytes             int64
	ItemCount                  int64
	TableArn                   string
	TableId                    string             //nolint:revive // the service's spelling
	BillingModeSummary         *billingSummary    `json:",omitempty"`
	TableThroughputModeSummary *throughputMode    `json:",omitempty"`
	LocalSecondaryIndexes      []indexDescription `json:",omitempty"`
	GlobalSecondaryIndexes     []indexDescription `json:",omitempty"`
	StreamSpecification        *streamSpec        `json:",omitempty"`
	LatestStreamLabel          string             `json:",omitempty"`
	LatestStreamArn            string             `json:",omitempty"`
	TableClassSummary          *tableClass        `json:",omitempty"`
	DeletionProtectionEnabled  bool
}

// throughputDescription is the provisioned throughput, zero for on-demand tables.
type throughputDescription struct {
	throughput
	NumberOfDecreasesToday int64
}

// billingSummary tells since when a table is billed on demand. It is absent for provisioned
// tables.
type billingSummary struct {
	BillingMode                       string
	LastUpdateToPayPerRequestDateTime float64
}

type throughputMode struct{ TableThroughputMode string }

type tableClass struct{ TableClass string }

// indexDescription describes a local or global index. Local indexes have neither a status nor
// a throughput of their own.
type indexDescription struct {
	IndexName             string
	KeySchema             []keyElement
	Projection            projectionSpec
	IndexStatus           string                 `json:",omitempty"`
	ProvisionedThroughput *throughputDescription `json:",omitempty"`
	IndexSizeBytes        int64
	ItemCount             int64
	IndexArn              string
}

func (t *tx) describe(tb *table) (*tableDescription, error) {
	held, err := t.size(tb, nil)
	if err != nil {
		return nil, err
	}
	d := &tableDescription{
		AttributeDefinitions: tb.Attributes, TableName: tb.Name, KeySchema: keyElements(tb.Keys, 1),
		TableStatus: statusActive, CreationDateTime: timestamp(tb.Created), TableArn: tb.arn(), TableId: tb.ID,
		ProvisionedThroughput: throughputDescription{throughput: tb.Throughput},
		TableSizeBytes:        held.bytes, ItemCount: held.items,
		StreamSpecification: tb.Stream, LatestStreamLabel: tb.StreamLabel, LatestStreamArn: tb.streamARN(),
		DeletionProtectionEnabled: tb.Protected,
	}
	if tb.Billing == billOnDemand {
		d.BillingModeSummary = &billingSummary{tb.Billing, timestamp(tb.BilledFrom)}
		d.TableThroughputModeSummary = &throughputMode{tb.Billing}
	}
	if tb.Class != "" {
		d.TableClassSummary = &tableClass{tb.Class}
	}
	for _, ix := range tb.Indexes {
		held, err := t.size(tb, ix)
		if err != nil {
			return nil, err
		}
		described := indexDescription{
			IndexName: ix.Name, KeySchema: keyElements(ix.Keys, ix.partitionWidth()), Projection: projectionSpec{ix.Projection, ix.Include},
			IndexSizeBytes: held.bytes, ItemCount: held.items, IndexArn: tb.arn() + "/index/" + ix.Name,
		}
		if !ix.Global {
			d.LocalSecondaryIndexes = append(d.LocalSecondaryIndexes, described)
			continue
		}
		described.IndexStatus = statusActive
		described.ProvisionedThroughput = &throughputDescription{throughput: ix.Throughput}
		d.GlobalSecondaryIndexes = append(d.GlobalSecondaryIndexes, described)
	}
	return d, nil
}

func keyElements(keys []attribute.Key, width int) []keyElement {
	elements := make([]keyElement, len(keys))
	for i, k := range keys {
		elements[i] = keyElement{k.Name, "RANGE"}
		if i < width {
			elements[i].KeyType = "HASH"
		}
	}
	return elements
}

// tableInput is the parameter of the operations on one table.
type tableInput struct{ TableName *string }

func (in *tableInput) check(c *checks) { c.existingTable(in.TableName) }

func (s *Store) namedTable(name string) (*table, error) {
	tb, err := s.table(name)
	if err != nil {
		return nil, apierror.Refused("ResourceNotFoundException", "Requested resource not found: Table: %s not found", tableName(name))
	}
	return tb, nil
}

type describeTableInput struct{ tableInput }

type describeTableOutput struct{ Table *tableDescription }

func (in *describeTableInput) run(_ context.Context, s *Store) (any, error) {
	tb, err := s.namedTable(*in.TableName)
	if err != nil {
		return nil, err
	}
	d, err := s.describe(tb)
	return &describeTableOutput{Table: d}, err
}

func (s *Store) describe(tb *table) (d *tableDescription, err error) {
	err = s.storage.view(func(t *tx) (err error) {
		d, err = t.describe(tb)
		return err
	})
	return d, err
}

// deleteTableInput deletes a table immediately and reports DELETING, as the service does.
type deleteTableInput struct{ tableInput }

func (in *deleteTableInput) run(_ context.Context, s *Store) (any, error) {
	tb, err := s.namedTable(*in.TableName)
	if err != nil {
		return nil, err
	}
	if tb.Protected {
		return nil, apierror.Invalid("Resource cannot be deleted as it is currently protected against deletion. " +
			"Disable deletion protection first.")
	}
	d, err := s.describe(tb)
	if err != nil {
		return nil, err
	}
	d.TableStatus = "DELETING"
	err = s.alter(tb.Name, func(t *tx) (*table, error) {
		if tb.Stream != nil {
			if err := t.closeStream(tb, s.now()); err != nil {
				return nil, err
			}
		}
		return nil, t.dropTable(tb)
	})
	return &tableOutput{TableDescription: d}, err
}

// maxTableNames is the number of names in one page of ListTables.
const maxTableNames = 100

// listTablesInput lists up to 100 names in order, starting after ExclusiveStartTableName.
type listTablesInput struct {
	ExclusiveStartTableName string
	Limit                   *int32
}

// listTablesOutput has a LastEvaluatedTableName if more tables follow.
type listTablesOutput struct {
	TableNames             []string
	LastEvaluatedTableName string `json:",omitempty"`
}

func (in *listTablesInput) check(c *checks) {
	if in.Limit != nil {
		c.number(int64(*in.Limit), "limit", 1, maxTableNames)
	}
	if in.ExclusiveStartTableName != "" {
		c.table(&in.ExclusiveStartTableName, "exclusiveStartTableName")
	}
}

func (in *listTablesInput) run(_ context.Context, s *Store) (any, error) { //nolint:unparam // the signature of all operations
	limit := maxTableNames
	if in.Limit != nil {
		limit = int(*in.Limit)
	}
	names := slices.Sorted(maps.Keys(s.tables))
	from, found := slices.BinarySearch(names, in.ExclusiveStartTableName)
	if found {
		from++
	}
	out := &listTablesOutput{TableNames: names[from:]}
	if len(out.TableNames) > limit {
		out.TableNames = out.TableNames[:limit]
		out.LastEvaluatedTableName = out.TableNames[limit-1]
	}
	if out.TableNames == nil {
		out.TableNames = []string{}
	}
	return out, nil
}
