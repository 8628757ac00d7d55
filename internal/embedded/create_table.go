package embedded

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
)

// These are DynamoDB's limits on secondary indexes and key schemas.
// Sources: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.DesignPattern.MultiAttributeKeys.html
const (
	maxGlobalIndexes = 20
	maxLocalIndexes  = 5

	maxKeys      = 2   // key attributes of a table or a local index: one partition and one sort key
	maxProjected = 20  // names in one NonKeyAttributes
	maxIncluded  = 100 // names in the NonKeyAttributes of all indexes of a table
	maxKeyParts  = 4   // attributes in each key of a global index
)

// keyElement is a key attribute in a request or response. KeyType is HASH for a partition key and RANGE for a sort key.
type keyElement struct {
	AttributeName string
	KeyType       string
}

// projectionSpec defines the attributes of an index in addition to the keys of the table and the index.
type projectionSpec struct {
	ProjectionType   string   `json:",omitempty"`
	NonKeyAttributes []string `json:",omitempty"`
}

// indexSpec is a local or global index in a request.
type indexSpec struct {
	IndexName             string
	KeySchema             []keyElement
	Projection            *projectionSpec
	ProvisionedThroughput *throughput
	OnDemandThroughput    *onDemand
	WarmThroughput        *warmedThroughput
}

// createTableInput is the request to create a table, which is ACTIVE immediately.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_CreateTable.html
type createTableInput struct {
	TableName                 *string
	AttributeDefinitions      []attributeDefinition
	KeySchema                 []keyElement
	LocalSecondaryIndexes     []indexSpec
	GlobalSecondaryIndexes    []indexSpec
	BillingMode               string
	ProvisionedThroughput     *throughput
	StreamSpecification       *streamSpec
	TableClass                string
	DeletionProtectionEnabled bool
	Tags                      []tag
	ineffectiveSettings
	unsupported
}

// tableOutput is the response of the operations that change a table.
type tableOutput struct {
	TableDescription *tableDescription
}

func (in *createTableInput) run(_ context.Context, s *Store) (any, error) {
	tb, err := in.table()
	if err != nil {
		return nil, err
	}
	if _, exists := s.tables[tb.Name]; exists {
		return nil, apierror.Refused("ResourceInUseException", "Table already exists: %s", tb.Name)
	}
	tb.Created = s.now()
	tb.BilledFrom = tb.Created
	tb.ID = newTableID()
	err = s.alterTable(tb.Name, func(t *tx) (*table, error) {
		if tb.Stream != nil {
			if err := t.openStream(tb, tb.Created); err != nil {
				return nil, err
			}
		}
		return tb, t.saveTable(tb)
	})
	if err != nil {
		return nil, err
	}
	d, err := s.describe(tb)
	return &tableOutput{TableDescription: d}, err
}

func newTableID() string {
	var b [16]byte
	// rand.Read never returns an error.
	_, _ = rand.Read(b[:])
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func (in *createTableInput) check(c *checks) {
	if in.TableName == nil || *in.TableName == "" {
		c.existingTable(in.TableName)
		return
	}
	c.name(tableName(*in.TableName), "tableName")
	c.present(in.AttributeDefinitions != nil, "attributeDefinitions")
	c.oneOf(in.BillingMode, "billingMode", billProvisioned, billOnDemand)
	c.oneOf(in.TableClass, "tableClass", "STANDARD", "STANDARD_INFREQUENT_ACCESS")
	c.keySchema(in.KeySchema, "keySchema", maxKeys)
	c.attributeDefinitions(in.AttributeDefinitions)
	c.tags(in.Tags)
	c.refuse(in.reject())
	for i, spec := range in.GlobalSecondaryIndexes {
		spec.check(c, fmt.Sprintf("globalSecondaryIndexes.%d.member.", i+1), 2*maxKeyParts)
	}
	for i, spec := range in.LocalSecondaryIndexes {
		spec.check(c, fmt.Sprintf("localSecondaryIndexes.%d.member.", i+1), maxKeys)
	}
}

func (c *checks) attributeDefinitions(definitions []attributeDefinition) {
	for i, d := range definitions {
		at := fmt.Sprintf("attributeDefinitions.%d.member.", i+1)
		c.keyName(d.AttributeName, at+"attributeName")
		c.present(d.AttributeType != "", at+"attributeType")
		c.oneOf(d.AttributeType, at+"attributeType", "B", "N", "S")
	}
}

func (c *checks) keySchema(keys []keyElement, field string, maximum int) {
	elements := make([]string, len(keys))
	for i, k := range keys {
		elements[i] = "KeySchemaElement(attributeName=" + k.AttributeName + ", keyType=" + k.KeyType + ")"
	}
	c.list(keys != nil, len(keys), field, strings.Join(elements, ", "), maximum)
	for i, k := range keys {
		at := fmt.Sprintf("%s.%d.member.", field, i+1)
		c.keyName(k.AttributeName, at+"attributeName")
		c.oneOf(k.KeyType, at+"keyType", "HASH", "RANGE")
	}
}

func (spec *indexSpec) check(c *checks, at string, mostKeys int) {
	if spec.IndexName == "" {
		c.present(false, at+"indexName")
	} else {
		c.name(spec.IndexName, at+"indexName")
	}
	c.keySchema(spec.KeySchema, at+"keySchema", mostKeys)
	if t := spec.ProvisionedThroughput; t != nil && *t != (throughput{}) { // zeros mean on-demand billing
		t.check(c, at)
	}
	c.present(spec.Projection != nil, at+"projection")
	if spec.Projection != nil {
		c.oneOf(spec.Projection.ProjectionType, at+"projection.projectionType", projectAll, projectInclude, projectKeys)
		if n := len(spec.Projection.NonKeyAttributes); n > maxProjected {
			c.fail(fmt.Sprintf("[%d names]", n), at+"projection.nonKeyAttributes", atMost("length", maxProjected))
		}
		for i, name := range spec.Projection.NonKeyAttributes {
			c.length(name, len(name), fmt.Sprintf("%sprojection.nonKeyAttributes.%d.member", at, i+1), 1, maxKeyName)
		}
	}
}

func (in *createTableInput) table() (*table, error) {
	tb := &table{
		Name: tableName(*in.TableName), Attributes: in.AttributeDefinitions,
		Billing: in.BillingMode, Protected: in.DeletionProtectionEnabled, Class: in.TableClass, Passive: in.ineffectiveSettings,
	}
	var err error
	if tb.Stream, err = in.StreamSpecification.normalize(); err != nil {
		return nil, err
	}
	if tb.Billing, tb.Throughput, err = billing(in.BillingMode, in.ProvisionedThroughput); err != nil {
		return nil, err
	}
	if tb.Keys, _, err = tb.keySchema(in.KeySchema, 1); err != nil {
		return nil, err
	}
	local, global := in.LocalSecondaryIndexes, in.GlobalSecondaryIndexes
	switch {
	case local != nil && len(local) == 0:
		return nil, apierror.InvalidParameter("List of LocalSecondaryIndexes is empty")
	case global != nil && len(global) == 0:
		return nil, apierror.InvalidParameter("List of GlobalSecondaryIndexes is empty")
	case len(local) > maxLocalIndexes:
		return nil, apierror.InvalidParameter("Number of LocalSecondaryIndexes exceeds per-table limit of %d", maxLocalIndexes)
	case len(global) > maxGlobalIndexes:
		return nil, apierror.InvalidParameter("GlobalSecondaryIndex count exceeds the per-table limit of %d", maxGlobalIndexes)
	}
	for i, spec := range slices.Concat(local, global) {
		if err := tb.addIndex(&spec, i >= len(local)); err != nil {
			return nil, err
		}
	}
	if tb.Tags, err = mergeTags(nil, in.Tags); err != nil {
		return nil, err
	}
	return tb, tb.checkDefinitions()
}

// keySchema allows at most parts attributes in each of the two keys. width is the number in the partition key.
func (tb *table) keySchema(elements []keyElement, parts int) (keys []attribute.Key, width int, err error) {
	width, err = checkKeyTypes(elements, parts)
	if err != nil {
		return nil, 0, err
	}
	keys = make([]attribute.Key, len(elements))
	for i, e := range elements {
		at := slices.IndexFunc(tb.Attributes, func(d attributeDefinition) bool { return d.AttributeName == e.AttributeName })
		if at < 0 {
			var names []string
			for _, d := range tb.Attributes {
				names = append(names, d.AttributeName)
			}
			return nil, 0, apierror.InvalidParameter("Some index key attributes are not defined in AttributeDefinitions. Keys: [%s], "+
				"AttributeDefinitions: [%s]",
				e.AttributeName, strings.Join(names, ", "))
		}
		k, _ := attribute.KindOf(tb.Attributes[at].AttributeType)
		keys[i] = attribute.Key{Name: e.AttributeName, Kind: k}
	}
	return keys, width, nil
}

func checkKeyTypes(elements []keyElement, parts int) (width int, err error) {
	if elements[0].KeyType != "HASH" {
		return 0, apierror.Invalid("Invalid KeySchema: The first KeySchemaElement is not a HASH key type")
	}
	previous := map[string]bool{}
	for i, e := range elements {
		switch {
		case previous[e.AttributeName]:
			return 0, apierror.Invalid("Invalid KeySchema: Some index key attribute have no definition")
		case e.KeyType == "HASH" && i == width:
			width++
		case e.KeyType == "HASH" || e.KeyType == "":
			return 0, apierror.Invalid("Invalid KeySchema: The %s KeySchemaElement is not a RANGE key type", ordinals[i])
		}
		previous[e.AttributeName] = true
	}
	switch {
	case width > parts && parts == 1:
		return 0, apierror.Invalid("Invalid KeySchema: The second KeySchemaElement is not a RANGE key type")
	case width > parts || len(elements)-width > parts:
		return 0, apierror.Invalid("Invalid KeySchema: A key schema can have at most %d HASH and %d RANGE attributes", parts, parts)
	}
	return width, nil
}

// ordinals contains the names of key element positions in messages.
var ordinals = [2 * maxKeyParts]string{"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"}

func (tb *table) addIndex(spec *indexSpec, global bool) error {
	if tb.index(spec.IndexName) != nil {
		return apierror.InvalidParameter("Duplicate index name: %s", spec.IndexName)
	}
	parts := 1
	if global {
		parts = maxKeyParts
	}
	keys, width, err := tb.keySchema(spec.KeySchema, parts)
	if err != nil {
		return err
	}
	switch {
	case global:
	case len(tb.Keys) < 2:
		return apierror.InvalidParameter("Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex")
	case keys[0].Name != tb.Keys[0].Name:
		return apierror.InvalidParameter("Table KeySchema: The AttributeValue for the hash key of the local secondary index must be "+
			"the same as the table's. "+
			"Index KeySchema does not have the same leading hash key as table KeySchema for index: %s. index hash key: %s, "+
			"table hash key: %s",
			spec.IndexName, keys[0].Name, tb.Keys[0].Name)
	case len(keys) < 2:
		return apierror.InvalidParameter("Index KeySchema does not have a range key for index: %s", spec.IndexName)
	}
	ix := &index{
		Name: spec.IndexName, Global: global, Keys: keys, Partition: width,
		Projection: spec.Projection.ProjectionType, Include: spec.Projection.NonKeyAttributes,
		Passive: ineffectiveSettings{OnDemandThroughput: spec.OnDemandThroughput, WarmThroughput: spec.WarmThroughput},
	}
	switch {
	case ix.Projection == "":
		return apierror.InvalidParameter("Unknown ProjectionType: null")
	case ix.Projection != projectInclude && len(ix.Include) > 0:
		return apierror.InvalidParameter("ProjectionType is %s, but NonKeyAttributes is specified", ix.Projection)
	case ix.Projection == projectInclude && len(ix.Include) == 0:
		return apierror.InvalidParameter("ProjectionType is INCLUDE, but NonKeyAttributes is not specified")
	case len(slices.Compact(slices.Sorted(slices.Values(ix.Include)))) < len(ix.Include):
		return apierror.InvalidParameter("Cannot have two attributes with the same name in NonKeyAttributes of index: %s", ix.Name)
	}
	if global && tb.Billing == billProvisioned {
		if spec.ProvisionedThroughput == nil || *spec.ProvisionedThroughput == (throughput{}) {
			return apierror.InvalidParameter("ProvisionedThroughput must be specified for index: %s", spec.IndexName)
		}
		ix.Throughput = *spec.ProvisionedThroughput
	}
	tb.Indexes = append(tb.Indexes, ix)
	return tb.checkIncluded()
}

func (tb *table) checkIncluded() error {
	n := 0
	for _, ix := range tb.Indexes {
		n += len(ix.Include)
	}
	if n > maxIncluded {
		return apierror.InvalidParameter("Number of NonKeyAttributes over all secondary indexes exceeds per-table limit of %d", maxIncluded)
	}
	return nil
}

func (tb *table) checkDefinitions() error {
	used := map[string]bool{}
	for _, k := range tb.allKeys() {
		used[k.Name] = true
	}
	previous := map[string]bool{}
	for _, d := range tb.Attributes {
		if previous[d.AttributeName] {
			return apierror.Invalid("Duplicate AttributeName in AttributeDefinitions: %s", d.AttributeName)
		}
		previous[d.AttributeName] = true
	}
	if len(previous) != len(used) {
		return apierror.InvalidParameter("Number of attributes in KeySchema does not exactly match number of attributes defined in " +
			"AttributeDefinitions")
	}
	return nil
}

// statusActive is the status of every table and index. DynamoDB also has CREATING and UPDATING, because these
// operations take time there.
const statusActive = "ACTIVE"

func timestamp(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

// tableDescription describes a table. It omits DynamoDB members for features that the store lacks, such as replicas.
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
	SSEDescription             *encryptionDescription `json:",omitempty"`
	OnDemandThroughput         *onDemand              `json:",omitempty"`
	WarmThroughput             *warmedThroughput      `json:",omitempty"`
}

// throughputDescription is the provisioned throughput. It is zero for on-demand tables.
type throughputDescription struct {
	throughput
	NumberOfDecreasesToday int64
}

// billingSummary contains the time at which a table switched to on-demand billing. It is absent for provisioned tables.
type billingSummary struct {
	BillingMode                       string
	LastUpdateToPayPerRequestDateTime float64
}

type throughputMode struct{ TableThroughputMode string }

type tableClass struct{ TableClass string }

// indexDescription describes a local or global index. Local indexes have no status and no throughput.
type indexDescription struct {
	IndexName             string
	KeySchema             []keyElement
	Projection            projectionSpec
	IndexStatus           string                 `json:",omitempty"`
	ProvisionedThroughput *throughputDescription `json:",omitempty"`
	IndexSizeBytes        int64
	ItemCount             int64
	IndexArn              string
	OnDemandThroughput    *onDemand         `json:",omitempty"`
	WarmThroughput        *warmedThroughput `json:",omitempty"`
}

func (t *tx) describe(tb *table) (*tableDescription, error) {
	size, err := t.size(tb, nil)
	if err != nil {
		return nil, err
	}
	d := &tableDescription{
		AttributeDefinitions: tb.Attributes, TableName: tb.Name, KeySchema: keyElements(tb.Keys, 1),
		TableStatus: statusActive, CreationDateTime: timestamp(tb.Created), TableArn: tb.arn(), TableId: tb.ID,
		ProvisionedThroughput: throughputDescription{throughput: tb.Throughput},
		TableSizeBytes:        size.bytes, ItemCount: size.items,
		StreamSpecification: tb.Stream, LatestStreamLabel: tb.StreamLabel, LatestStreamArn: tb.streamARN(),
		DeletionProtectionEnabled: tb.Protected,
	}
	if tb.Billing == billOnDemand {
		d.BillingModeSummary = &billingSummary{tb.Billing, timestamp(tb.BilledFrom)}
		d.TableThroughputModeSummary = &throughputMode{tb.Billing}
	}
	d.SSEDescription, d.OnDemandThroughput, d.WarmThroughput = tb.Passive.describe()
	if tb.Class != "" {
		d.TableClassSummary = &tableClass{tb.Class}
	}
	for _, ix := range tb.Indexes {
		size, err := t.size(tb, ix)
		if err != nil {
			return nil, err
		}
		description := indexDescription{
			IndexName: ix.Name, KeySchema: keyElements(ix.Keys, ix.partitionWidth()), Projection: projectionSpec{ix.Projection, ix.Include},
			IndexSizeBytes: size.bytes, ItemCount: size.items, IndexArn: tb.arn() + "/index/" + ix.Name,
		}
		if !ix.Global {
			d.LocalSecondaryIndexes = append(d.LocalSecondaryIndexes, description)
			continue
		}
		description.IndexStatus = statusActive
		_, description.OnDemandThroughput, description.WarmThroughput = ix.Passive.describe()
		description.ProvisionedThroughput = &throughputDescription{throughput: ix.Throughput}
		d.GlobalSecondaryIndexes = append(d.GlobalSecondaryIndexes, description)
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

// tableInput contains the parameter of the operations on one table.
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

// deleteTableInput is the request to delete a table. It deletes immediately and reports DELETING, as DynamoDB does.
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
	err = s.alterTable(tb.Name, func(t *tx) (*table, error) {
		if tb.Stream != nil {
			if err := t.closeStream(tb, s.now()); err != nil {
				return nil, err
			}
		}
		return nil, t.dropTable(tb)
	})
	return &tableOutput{TableDescription: d}, err
}

// maxTableNames is the maximum number of names in one page of ListTables.
const maxTableNames = 100

// listTablesInput is the request to list up to 100 names in order, starting after ExclusiveStartTableName.
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
