package embedded

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
	"github.com/ddbdesk/ddbdesk/internal/embedded/expression"
)

// maxPage is the size in bytes at which a page ends, including the item that reaches it.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Query.Pagination.html
const maxPage = 1 << 20

// readParameters contains the parameters that Query and Scan share.
type readParameters struct {
	TableName *string
	IndexName *string
	Select    string
	// Limit is the maximum number of items to read, before the filter.
	Limit                  *int32
	ConsistentRead         bool
	ExclusiveStartKey      attribute.WireItem
	ReturnConsumedCapacity string
	FilterExpression       *string
	ProjectionExpression   *string
	expression.Placeholders
	legacyProjection
	ConditionalOperator string
}

func (in *readParameters) check(c *checks) {
	c.table(in.TableName, "tableName")
	if in.IndexName != nil {
		c.name(*in.IndexName, "indexName")
	}
	c.oneOf(in.Select, "select", "SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES")
	c.returnConsumed(in.ReturnConsumedCapacity)
}

// pageOutput is the response of Query and Scan. It encodes items as it reads them, so a page is in memory only once:
// about 1 MB of items with the JSON around it.
type pageOutput struct {
	body     []byte // response up to the last item so far
	count    int
	scanned  int
	bytes    int // size of the items read
	fetched  int // RCU of whole items fetched for a local index
	last     attribute.Item
	consumed *consumedCapacity
}

func newPageOutput(countOnly bool) *pageOutput {
	out := &pageOutput{body: make([]byte, 0, 4096)}
	out.body = append(out.body, '{')
	if !countOnly {
		out.body = append(out.body, `"Items":[`...)
	}
	return out
}

// appendSeparator adds a comma between items. It doubles the capacity, because append would grow in many small steps.
func (out *pageOutput) appendSeparator() {
	if cap(out.body)-len(out.body) < 1024 {
		out.body = slices.Grow(out.body, cap(out.body))
	}
	if out.body[len(out.body)-1] == '}' {
		out.body = append(out.body, ',')
	}
}

func (out *pageOutput) appendJSON([]byte) ([]byte, error) {
	dst := out.body
	if len(dst) > 1 {
		dst = append(dst, "],"...)
	}
	dst = fmt.Appendf(dst, `"Count":%d,"ScannedCount":%d`, out.count, out.scanned)
	if out.last != nil {
		dst = attribute.AppendItem(append(dst, `,"LastEvaluatedKey":`...), out.last)
	}
	return appendConsumed(dst, out.consumed)
}

func appendConsumed(dst []byte, c *consumedCapacity) ([]byte, error) {
	if c != nil {
		data, err := json.Marshal(c)
		if err != nil {
			return nil, err
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(append(dst, `"ConsumedCapacity":`...), data...)
	}
	return append(dst, '}'), nil
}

// pageRead is a planned, validated read of items in order. It belongs to one request.
type pageRead struct {
	table      *table
	index      *index                             // nil reads the table
	conditions map[string]expression.KeyCondition // conditions of a query, by key attribute
	keys       keyRange
	backward   bool
	limit      int // items to read, before the filter; 0 means no limit
	filter     *expression.Node
	projection []expression.Path
	selection  *expression.Selection // selection of the projection
	columns    expression.Columns    // columns of a statement, instead of selection
	start      attribute.Item        // nil starts at the beginning
	consistent bool
	countOnly  bool
	fetchWhole bool // ALL_ATTRIBUTES of an index with a smaller projection
	parameters *readParameters
}

// legacyFilter is QueryFilter or ScanFilter.
type legacyFilter struct {
	name       string
	conditions map[string]legacyCondition
}

// plan validates the parameters that do not depend on the table, in DynamoDB's order. keys is nil for a scan.
func (in *readParameters) plan(legacy legacyFilter, keys *keyParameters) (*pageRead, error) {
	isScan := keys == nil
	if isScan {
		keys = &keyParameters{}
	}
	err := checkUnmixed([]parameter{
		{"AttributesToGet", in.AttributesToGet != nil},
		{legacy.name, legacy.conditions != nil},
		{"ConditionalOperator", in.ConditionalOperator != ""},
	}, []parameter{
		{"ProjectionExpression", in.ProjectionExpression != nil},
		{"FilterExpression", in.FilterExpression != nil},
		{"KeyConditionExpression", keys.KeyConditionExpression != nil},
	})
	if err == nil {
		err = keys.checkUnmixed()
	}
	if err != nil {
		return nil, err
	}
	valueParameters := "FilterExpression is"
	if !isScan {
		valueParameters = "FilterExpression and KeyConditionExpression are"
	}
	hasValues := in.FilterExpression != nil || keys.KeyConditionExpression != nil
	sc, err := in.Scope(hasValues || in.ProjectionExpression != nil, hasValues, valueParameters)
	if err != nil {
		return nil, err
	}
	var keyExpression *expression.Node
	if !isScan {
		if keyExpression, err = keys.condition(sc); err != nil {
			return nil, err
		}
	}
	p := &pageRead{parameters: in, consistent: in.ConsistentRead, countOnly: in.Select == "COUNT"}
	if in.Limit != nil {
		p.limit = int(*in.Limit)
	}
	if in.ExclusiveStartKey != nil {
		if p.start, err = in.ExclusiveStartKey.Item(); err != nil {
			return nil, err
		}
	}
	if in.FilterExpression != nil {
		p.filter, err = sc.Condition("FilterExpression", *in.FilterExpression)
	} else {
		p.filter, err = joinConditions(legacy.conditions, in.ConditionalOperator)
	}
	if err != nil {
		return nil, err
	}
	if p.projection, err = in.projection(sc, in.ProjectionExpression); err != nil {
		return nil, err
	}
	if err := sc.CheckUnused(); err != nil || isScan {
		return p, err
	}
	p.conditions = map[string]expression.KeyCondition{}
	return p, expression.KeyConditions(keyExpression, p.conditions)
}

func (p *pageRead) resolve(s *Store) error {
	in := p.parameters
	var err error
	if p.table, err = s.table(*in.TableName); err != nil {
		return err
	}
	if in.IndexName != nil {
		if p.index = p.table.index(*in.IndexName); p.index == nil {
			return apierror.Invalid("The table does not have the specified index: %s", *in.IndexName)
		}
		if p.index.Global && p.consistent {
			return apierror.Invalid("Consistent reads are not supported on global secondary indexes")
		}
	}
	if err := p.checkSelect(); err != nil {
		return err
	}
	return p.table.checkNesting(append(expression.Paths(p.filter), p.projection...))
}

// checkSelect allows only projected attributes of a global index; a local index fetches the others from the table.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Query.html
func (p *pageRead) checkSelect() error {
	mode := p.parameters.Select
	if p.projection != nil && p.countOnly {
		return apierror.Invalid("Cannot specify the ProjectionExpression when choosing to get only the Count")
	}
	if p.projection != nil && mode != "" && mode != "SPECIFIC_ATTRIBUTES" {
		return apierror.Invalid("Cannot specify the ProjectionExpression when choosing to get %s", mode)
	}
	switch {
	case mode == "SPECIFIC_ATTRIBUTES" && p.projection == nil:
		return apierror.Invalid("Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES")
	case mode == "ALL_PROJECTED_ATTRIBUTES" && p.index == nil:
		return apierror.Invalid("ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName")
	case p.index == nil || p.index.projected == nil:
		return nil
	case mode == "ALL_ATTRIBUTES" && p.index.Global:
		return apierror.InvalidParameter(
			"Select type ALL_ATTRIBUTES is not supported for global secondary index %s because its projection type is not ALL",
			p.index.Name,
		)
	}
	unprojected := p.absentNames(p.projection)
	if p.index.Global && unprojected != nil {
		return apierror.InvalidParameter("Global secondary index %s does not project [%s]", p.index.Name, unprojected[0])
	}
	p.fetchWhole = mode == "ALL_ATTRIBUTES" || unprojected != nil
	return nil
}

func (p *pageRead) absentNames(paths []expression.Path) []string {
	if p.index == nil {
		return nil
	}
	var names []string
	for _, path := range paths {
		if name := path[0].Name; !p.index.projected.Has(name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func (p *pageRead) checkStart() error {
	if p.start == nil {
		return nil
	}
	names := p.table.keyNames(p.index)
	if len(p.start) != len(names) {
		return apierror.Invalid("The provided starting key is invalid")
	}
	tableKey := attribute.Item{}
	for _, k := range p.table.Keys {
		if v, ok := p.start[k.Name]; ok {
			tableKey[k.Name] = v
		}
	}
	if err := p.table.checkKey(tableKey); err != nil {
		return apierror.Invalid("The provided starting key is invalid: %s", apierror.MessageOf(err))
	}
	for i, k := range p.table.keys(p.index) {
		if v, ok := p.start[k.Name]; !ok || v.Kind != k.Kind {
			return apierror.Invalid("The provided starting key is invalid")
		} else if err := checkKeyValue(k, v, i < p.index.partitionWidth()); err != nil {
			return apierror.Invalid("The provided starting key is invalid: %s", apierror.MessageOf(err))
		}
	}
	return nil
}

func (p *pageRead) skipToStart() {
	if p.start == nil {
		return
	}
	key := p.table.storedKey(p.index, p.start)
	if p.backward {
		p.keys.to = key
	} else {
		p.keys.from = append(key, 0) // the smallest greater key: the key followed by a zero byte
	}
}

// run reads one snapshot, so a page has no partial transaction. Every 256 rows, it checks for a disconnected client.
func (p *pageRead) run(ctx context.Context, s *Store) (*pageOutput, error) {
	p.skipToStart()
	if p.columns == nil {
		p.selection = expression.SelectionOf(p.projection)
	}
	out := newPageOutput(p.countOnly)
	err := s.storage.view(func(t *tx) error {
		return t.walk(p.table, p.index, p.keys, p.backward, func(row []byte) (bool, error) {
			if out.scanned%256 == 0 && ctx.Err() != nil {
				return false, ctx.Err()
			}
			out.scanned++
			if err := p.addRow(out, row); err != nil {
				return false, err
			}
			if out.scanned != p.limit && out.bytes < maxPage {
				return true, nil
			}
			it, err := attribute.DecodeItem(row)
			if err == nil {
				out.last = p.table.startKey(p.index, it)
			}
			return false, err
		})
	})
	if err != nil {
		return nil, err
	}
	m := newMeter(p.table)
	m.read(p.index, out.bytes, p.consistent, 1)
	if out.fetched > 0 {
		m.read(nil, out.fetched*readUnit, p.consistent, 1)
	}
	out.consumed = m.report(p.parameters.ReturnConsumedCapacity)
	return out, nil
}

func (p *pageRead) project(it attribute.Item) attribute.Item {
	if p.columns != nil {
		return p.columns.Project(it)
	}
	return p.selection.Project(it)
}

func (p *pageRead) addRow(out *pageOutput, row []byte) error {
	if p.filter == nil && p.selection == nil && p.columns == nil && !p.countOnly && (p.index == nil || p.index.projected == nil) {
		out.appendSeparator()
		body, size, err := attribute.AppendRow(out.body, row)
		out.body = body
		out.bytes += size
		out.count++
		return err
	}
	it, err := attribute.DecodeItem(row)
	if err != nil {
		return err
	}
	projected := p.index.view(it)
	out.bytes += projected.Size()
	if p.fetchWhole {
		projected = it
		out.fetched += int(units(it.Size(), readUnit))
	}
	if p.filter.Holds(projected) {
		out.count++
		if !p.countOnly {
			out.appendSeparator()
			out.body = attribute.AppendItem(out.body, p.project(projected))
		}
	}
	return nil
}
