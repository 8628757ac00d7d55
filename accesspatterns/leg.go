package accesspatterns

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// A Leg is one operation of a request, read page by page. Exactly one of its inputs is set. Copies of a Leg share the
// inputs, which must not change once created.
type Leg struct {
	Get   *dynamodb.GetItemInput
	Query *dynamodb.QueryInput
	Scan  *dynamodb.ScanInput
	Batch *dynamodb.BatchGetItemInput // reads one table, unless CombinedGetLeg created it

	key          []Condition // the key conditions of Query
	filter       []Condition // the filter of Query or Scan
	clientFilter []Condition // filter conditions that ddbdesk evaluates, because DynamoDB cannot

	// These aliases are kept apart, because DynamoDB rejects an alias that no expression uses.
	keyAliases             Expression        // the aliases of the key conditions alone
	namesWithoutProjection map[string]string // the aliases of names without those of the projection
}

// A Page is the result of one operation. DynamoDB ends a page after 1 MB or Limit items, before it applies the filter.
// A page may therefore be empty although further pages have rows; only LastKey shows whether there are more. Source:
// Amazon DynamoDB Developer Guide, "Paginating table query results".
type Page struct {
	Items    []models.Item
	Tables   []string    // tables of the items in a BatchGetItem, nil for other requests
	Count    int         // items that passed the filter
	Scanned  int         // items read
	Capacity float64     // read capacity units consumed
	LastKey  models.Item // where the next page starts; nil after the last page
}

// A Fetch sends a leg and returns one page. The page begins after the key start, or at the beginning if start is nil,
// and contains at most limit items, or as many as fit if limit is 0. A Fetch must handle retries, must not change the
// leg and must be safe for concurrent use. A cursor returns its errors unchanged.
type Fetch func(ctx context.Context, leg Leg, start models.Item, limit int) (Page, error)

// GetLeg returns a leg that reads one item by its key. The read is strongly consistent, because an opened item must be
// current even if a list is not. It costs 1 RCU for each 4 KB of the item, rounded up, which is twice as much as an
// eventually consistent read.
func GetLeg(t *models.Table, key models.Item) Leg {
	return Leg{Get: &dynamodb.GetItemInput{
		TableName: aws.String(t.Name), Key: key, ConsistentRead: aws.Bool(true),
	}}
}

// MaxBatch is the maximum number of items in one BatchGetItem. Source: Amazon DynamoDB API Reference, BatchGetItem.
const MaxBatch = 100

// BatchLeg returns a leg that reads items by their keys with strong consistency. DynamoDB reads up to MaxBatch items
// per request and rejects repeated keys; the store sends several requests. A key without an item is not an error.
func BatchLeg(t *models.Table, keys []models.Item) Leg {
	request := types.KeysAndAttributes{ConsistentRead: aws.Bool(true)}
	for _, key := range keys {
		request.Keys = append(request.Keys, key)
	}
	return Leg{Batch: &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{t.Name: request}}}
}

// CombinedGetLeg returns a leg that combines GetItem requests, for one or more tables, into one request.
func CombinedGetLeg(gets []Leg) Leg {
	in := &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{}}
	for _, l := range gets {
		table := aws.ToString(l.Get.TableName)
		request := in.RequestItems[table]
		request.Keys = append(request.Keys, l.Get.Key)
		if aws.ToBool(l.Get.ConsistentRead) {
			request.ConsistentRead = l.Get.ConsistentRead
		}
		in.RequestItems[table] = request
	}
	return Leg{Batch: in}
}

// combineGets combines GetItem requests. The label of a combined request is that of its first value.
func combineGets(legs []Leg, labels []string) ([]Leg, []string) {
	if len(legs) < 2 || legs[0].Get == nil {
		return legs, labels
	}
	var batches []Leg
	var names []string
	for at := 0; at < len(legs); at += MaxBatch {
		get := legs[at].Get
		request := types.KeysAndAttributes{
			ConsistentRead: get.ConsistentRead, ProjectionExpression: get.ProjectionExpression,
			ExpressionAttributeNames: get.ExpressionAttributeNames,
		}
		for _, l := range legs[at:min(at+MaxBatch, len(legs))] {
			request.Keys = append(request.Keys, l.Get.Key)
		}
		in := &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{aws.ToString(get.TableName): request}}
		batches, names = append(batches, Leg{Batch: in}), append(names, labels[at])
	}
	return batches, names
}

// Keys returns the table and the keys of a leg that reads items by their keys. The table is "" for other legs.
func (l Leg) Keys() (table string, keys types.KeysAndAttributes) {
	if l.Batch != nil {
		for table, keys = range l.Batch.RequestItems {
			return table, keys
		}
	}
	return "", keys
}

// KeyCount returns the number of keys that a BatchGetItem reads, or 0 for other requests.
func (r *Request) KeyCount() int {
	n := 0
	for _, l := range r.Legs {
		_, request := l.Keys()
		n += len(request.Keys)
	}
	return n
}

// PartitionLeg returns a leg that reads the items with a partition key with strong consistency.
func PartitionLeg(t *models.Table, value types.AttributeValue) Leg {
	return Leg{Query: &dynamodb.QueryInput{
		TableName: aws.String(t.Name), ConsistentRead: aws.Bool(true), KeyConditionExpression: aws.String("#pk = :pk"),
		ExpressionAttributeNames:  map[string]string{"#pk": t.PartitionKey.Name},
		ExpressionAttributeValues: map[string]types.AttributeValue{":pk": value},
	}}
}

// RangeLeg returns a leg that reads the items with a partition key and an inclusive range of sort keys with strong
// consistency.
func RangeLeg(t *models.Table, value, first, last types.AttributeValue) Leg {
	l := PartitionLeg(t, value)
	l.Query.KeyConditionExpression = aws.String("#pk = :pk AND #sk BETWEEN :first AND :last")
	l.Query.ExpressionAttributeNames["#sk"] = t.SortKey.Name
	l.Query.ExpressionAttributeValues[":first"], l.Query.ExpressionAttributeValues[":last"] = first, last
	return l
}

// ConsistentScanLeg returns a leg that reads a whole table with strong consistency. It costs twice as much as ScanLeg:
// 1 RCU for each 4 KB of the table.
func ConsistentScanLeg(t *models.Table) Leg {
	l := ScanLeg(t)
	l.Scan.ConsistentRead = aws.Bool(true)
	return l
}

// ScanLeg returns a leg that reads a whole table with eventual consistency. It costs half an RCU for each 4 KB of the
// table, regardless of the result.
func ScanLeg(t *models.Table) Leg {
	return Leg{Scan: &dynamodb.ScanInput{TableName: aws.String(t.Name)}}
}

// SegmentLeg returns a leg that reads one of several segments of a table. segment ranges from 0 to total-1, and total
// is at most 1,000,000. Together, the segments contain every item once, but each has its own order. Source: Amazon
// DynamoDB API Reference, "Scan".
func SegmentLeg(t *models.Table, segment, total int) Leg {
	return Leg{Scan: &dynamodb.ScanInput{
		TableName: aws.String(t.Name), Segment: aws.Int32(int32(segment)), TotalSegments: aws.Int32(int32(total)),
	}}
}

// IndexScanLeg returns a leg that reads the items of an index with eventual consistency, because global indexes do not
// support other reads. The index contains only items that have its key.
func IndexScanLeg(t *models.Table, x *models.Index) Leg {
	return Leg{Scan: &dynamodb.ScanInput{TableName: aws.String(t.Name), IndexName: aws.String(x.Name)}}
}

// AsCount returns a query that counts its items instead of returning them, and returns other legs unchanged. Counting
// costs as much as reading the items: only the response is smaller.
func (l Leg) AsCount() Leg {
	if l.Query == nil {
		return l
	}
	in := *l.WithoutProjection().Query
	in.Select = types.SelectCount
	return Leg{Query: &in}
}

// FilterAttributes returns the top-level attributes that the leg's filter compares, in DynamoDB or in ddbdesk.
func (l Leg) FilterAttributes() []string {
	var names []string
	for _, c := range slices.Concat(l.filter, l.clientFilter) {
		names = append(names, c.topLevelNames()...)
	}
	return names
}

// PassesFilter reports whether an item passes the leg's filter. The item must have the attributes that the filter
// compares. Every item passes a leg without a filter.
func (l Leg) PassesFilter(it models.Item) bool {
	return allHold(l.filter, it) && l.PassesClientFilter(it)
}

// ClientFilter returns the text of the conditions that ddbdesk applies in addition to DynamoDB's, or "". It contains
// the values.
func (l Leg) ClientFilter() string {
	return strings.Join(models.MapSlice(l.clientFilter, Condition.Text), " AND ")
}

// PassesClientFilter reports whether an item meets the conditions that DynamoDB cannot evaluate.
func (l Leg) PassesClientFilter(it models.Item) bool { return allHold(l.clientFilter, it) }

func allHold(conditions []Condition, it models.Item) bool {
	return !slices.ContainsFunc(conditions, func(c Condition) bool { return !c.Holds(it) })
}

// Meets returns the conditions of a request that an item meets, and the conditions that it does not meet. With several
// legs, it uses the leg with the fewest unmet conditions. The request returns the item if it meets all of them and its
// entity is one that the pattern returns.
func (r *Request) Meets(it models.Item) (met, unmet []Condition) {
	var indexed []Condition // The index does not contain an item without its key.
	if r.Read.Index != nil {
		for _, k := range slices.Concat(r.partition, r.sort) {
			indexed = append(indexed, Condition{Attribute: k.Name, Compare: Exists})
		}
	}
	for i, l := range r.Legs {
		var metConditions, unmetConditions []Condition
		for _, c := range slices.Concat(l.KeyConditions(), l.filter, l.clientFilter, indexed) {
			if c.Holds(it) {
				metConditions = append(metConditions, c)
			} else {
				unmetConditions = append(unmetConditions, c)
			}
		}
		if i == 0 || len(unmetConditions) < len(unmet) {
			met, unmet = metConditions, unmetConditions
		}
	}
	return met, unmet
}

// KeyConditions returns the conditions on the key of a query or of a read of one item.
func (l Leg) KeyConditions() []Condition {
	list := slices.Clone(l.key)
	if l.Get != nil {
		for _, name := range models.Item(l.Get.Key).Names() {
			list = append(list, Condition{Attribute: name, Compare: Equal, Values: []types.AttributeValue{l.Get.Key[name]}})
		}
	}
	return list
}

// WithoutFilter returns the leg without its filter, and turns a count into a query for the items. Use it for queries of
// an index that does not contain the filter's attributes. It returns a leg without a filter unchanged.
func (l Leg) WithoutFilter() Leg {
	switch {
	case len(l.filter) == 0:
	case l.Query != nil:
		in := *l.Query
		in.FilterExpression, in.ProjectionExpression, in.Select = nil, nil, ""
		in.ExpressionAttributeNames, in.ExpressionAttributeValues = l.keyAliases.Names(), l.keyAliases.Values()
		return Leg{Query: &in, clientFilter: l.clientFilter}
	case l.Scan != nil:
		in := *l.Scan
		in.FilterExpression, in.ProjectionExpression = nil, nil
		in.ExpressionAttributeNames, in.ExpressionAttributeValues = l.keyAliases.Names(), l.keyAliases.Values()
		return Leg{Scan: &in, clientFilter: l.clientFilter}
	}
	return l
}

// WithoutProjection returns a query that reads whole items, for an index that does not contain the projected
// attributes. It returns other legs unchanged.
func (l Leg) WithoutProjection() Leg {
	if l.Query != nil && l.Query.ProjectionExpression != nil {
		in := *l.Query
		in.ProjectionExpression, in.ExpressionAttributeNames = nil, l.namesWithoutProjection
		l.Query = &in
	}
	return l
}

func (l Leg) withNames(names map[string]string) Leg {
	if l.Query == nil {
		return l
	}
	rename := func(aliases map[string]string) map[string]string {
		aliases = maps.Clone(aliases)
		for alias, name := range aliases {
			aliases[alias] = cmp.Or(names[name], name)
		}
		return aliases
	}
	in := *l.Query
	in.ExpressionAttributeNames = rename(in.ExpressionAttributeNames)
	l.Query, l.keyAliases.names, l.namesWithoutProjection = &in, rename(l.keyAliases.names), rename(l.namesWithoutProjection)
	return l
}

func (l Leg) withHiddenValues() Leg {
	hide := func(values map[string]types.AttributeValue) models.Item {
		out := make(models.Item, len(values))
		for name, v := range values {
			out[name] = models.StringValue("<hidden>")
			if models.ValueType(v) == models.TypeN {
				out[name] = &types.AttributeValueMemberN{Value: "<hidden>"}
			}
		}
		return out
	}
	switch {
	case l.Batch != nil:
		in := &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{}}
		for table, request := range l.Batch.RequestItems {
			request.Keys = slices.Clone(request.Keys)
			for i, key := range request.Keys {
				request.Keys[i] = hide(key)
			}
			in.RequestItems[table] = request
		}
		return Leg{Batch: in}
	case l.Get != nil:
		in := *l.Get
		in.Key = hide(in.Key)
		return Leg{Get: &in}
	case l.Query != nil:
		in := *l.Query
		in.ExpressionAttributeValues = hide(in.ExpressionAttributeValues)
		return Leg{Query: &in, clientFilter: hiddenConditions(l.clientFilter)}
	default:
		in := *l.Scan
		in.ExpressionAttributeValues = hide(in.ExpressionAttributeValues)
		return Leg{Scan: &in, clientFilter: hiddenConditions(l.clientFilter)}
	}
}

func hiddenConditions(list []Condition) []Condition {
	list = slices.Clone(list)
	for i, c := range list {
		list[i].Any, list[i].Values = hiddenConditions(c.Any), slices.Clone(c.Values)
		for j := range c.Values {
			list[i].Values[j] = models.StringValue("<hidden>")
		}
	}
	return list
}

func (b *binding) fanOutValues(f *FanOut) (name string, values []Value, err error) {
	if v, ok := b.values[f.Placeholder]; ok {
		return f.Placeholder, []Value{v}, nil
	}
	if len(f.Values) > 0 {
		for _, v := range f.Values {
			values = append(values, Value{Text: v})
		}
		return cmp.Or(f.Part, f.Placeholder), values, nil
	}
	values, err = b.fanOutPeriods(f)
	return f.Placeholder, values, err
}

func (b *binding) fanOutPeriods(f *FanOut) ([]Value, error) {
	var values []Value
	from, to, fromName, err := b.timeRange(f.From, f.To)
	if err != nil {
		return nil, err
	}
	step, format := 24*time.Hour, cmp.Or(f.Format, models.Date)
	if f.Hours {
		step = time.Hour
	}
	for at := from.UTC().Truncate(step); !at.After(to); at = at.Add(step) {
		label, _ := format.FormatTime(at)
		if n := len(values); n > 0 && values[n-1].label == label {
			continue // A day of the same month.
		}
		if len(values) == f.Max {
			return nil, ParamErrorf(fromName, "the range spans more than %d %ss, and every %[2]s is a partition; use a shorter range",
				f.Max, format.Period())
		}
		text := label
		if f.Rendered {
			text, _ = models.ISO8601.FormatTime(at)
		}
		values = append(values, Value{Text: text, Time: models.Time{Time: at, Day: !f.Hours}, IsTime: true, label: label})
	}
	if b.read.Descending {
		slices.Reverse(values)
	}
	return values, nil
}

func (b *binding) timeRange(from, to models.Template) (lo, hi time.Time, name string, err error) {
	first, fromName, err := b.fanOutEnd(from)
	if err != nil {
		return lo, hi, "", err
	}
	last, toName, err := b.fanOutEnd(to)
	if err != nil {
		return lo, hi, "", err
	}
	lo, hi = first.Time, last.End()
	if !lo.After(hi) {
		return lo, hi, cmp.Or(fromName, toName), nil
	}
	if fromName == "" {
		return lo, hi, "", ParamErrorf(toName, "earlier than %s", from)
	}
	return lo, hi, "", ParamErrorf(fromName, "later than %s", cmp.Or(toName, to.String()))
}

func (b *binding) fanOutEnd(end models.Template) (t models.Time, name string, err error) {
	if text, ok := end.Literal(); ok {
		if t, err = models.ParseTime(text, b.now); err != nil {
			err = fmt.Errorf("%s: fan-out: %w", b.pattern.FullID(), err)
		}
		return t, "", err
	}
	names := end.Placeholders()
	if len(names) != 1 {
		return t, "", fmt.Errorf("%s: fan-out over days has an end %q that is not one parameter", b.pattern.FullID(), end)
	}
	v, ok := b.value(names[0])
	switch {
	case !ok:
		return t, "", ParamErrorf(names[0], "missing; it selects the days to read")
	case !v.IsTime:
		return t, "", ParamErrorf(names[0], "not a time, so it cannot select days; set type: timestamp in the schema")
	}
	return v.Time, names[0], nil
}

// isInOrder reports whether the rows of each leg follow those of the previous leg. If not, the cursor merges the legs.
func (b *binding) isInOrder() bool {
	f := b.read.FanOut
	switch {
	case b.read.Operation == Get || len(b.sort) == 0:
		return true
	case b.listParam() != nil:
		return false
	case f == nil:
		return true
	}
	if _, isSet := b.values[f.Placeholder]; isSet {
		return true
	}
	return len(f.Values) == 0 && len(b.pattern.Returns) > 0 && b.isSortedByDay()
}

// isSortedByDay reports whether sort keys begin, after the same text, with the time whose day is in the partition key.
func (b *binding) isSortedByDay() bool {
	start := b.pattern.Returns[0]
	first, _ := start.KeyTemplate(b.sort[0].Name)
	for _, e := range b.pattern.Returns {
		sort, ok := e.KeyTemplate(b.sort[0].Name)
		names := sort.Placeholders()
		if !ok || len(names) == 0 || sort.LiteralPrefix() != first.LiteralPrefix() {
			return false
		}
		if !slices.ContainsFunc(b.partition, func(k models.Key) bool {
			partition, _ := e.KeyTemplate(k.Name)
			return sharesDay(e, partition, names[0])
		}) {
			return false
		}
	}
	return true
}

func sharesDay(e *models.Entity, partition models.Template, name string) bool {
	return slices.ContainsFunc(partition.Segments(), func(s models.Segment) bool {
		if s.Name != name {
			return false
		}
		a := e.Attribute(name)
		return s.Format.IsPeriod() || a != nil && a.Format.IsPeriod()
	})
}
