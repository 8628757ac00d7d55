package embedded

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"math"
	"slices"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
	"github.com/ddbdesk/ddbdesk/internal/embedded/expression"
)

// statement is a parsed statement to bind to the tables of a store.
type statement struct{ *expression.Statement }

func (st *statement) wholeKey(tb *table) (key attribute.Item, rest *expression.Node, ok bool, err error) {
	conditions, rest, err := expression.SplitKeys(st.Where, tb.Keys, 1)
	if err != nil {
		return nil, nil, false, err
	}
	key = attribute.Item{}
	for _, k := range tb.Keys {
		c, found := conditions[k.Name]
		if !found || c.Op != expression.OpEqual {
			return nil, nil, false, nil
		}
		key[k.Name] = c.Values[0]
	}
	return key, rest, true, nil
}

func (st *statement) write(s *Store, showOld bool) (*write, error) {
	tb, err := s.table(st.Table)
	if err != nil {
		return nil, err
	}
	w := &write{actions: st.Actions, showOld: showOld}
	w.tableName = st.Table
	if st.Kind == expression.StatementInsert {
		w.kind, w.given, w.insert = writePut, st.Item, true
		return w, nil
	}
	key, rest, ok, err := st.wholeKey(tb)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, apierror.Invalid("Where clause does not contain a mandatory equality on all key attributes")
	}
	if rest, err = otherConditions(tb, key, rest); err != nil {
		return nil, err
	}
	w.given, w.condition = key, rest
	exists := expression.Exists(tb.Keys[0].Name)
	switch st.Kind {
	case expression.StatementUpdate:
		w.kind, w.condition = writeUpdate, expression.Conjoin(append([]*expression.Node{exists}, expression.Conjuncts(rest)...))
	case expression.StatementExists:
		w.kind, w.condition = writeNothing, expression.Conjoin(append([]*expression.Node{exists}, expression.Conjuncts(rest)...))
	default:
		w.kind = writeDelete
	}
	return w, nil
}

func otherConditions(tb *table, key attribute.Item, rest *expression.Node) (*expression.Node, error) {
	var others []*expression.Node
	for _, e := range expression.Conjuncts(rest) {
		repeated := false
		for _, k := range tb.Keys {
			c, ok := expression.KeyConditionOn(e, k)
			if !ok || c.Op != expression.OpEqual {
				continue
			}
			if repeated = c.Values[0].Equal(key[k.Name]); !repeated {
				return nil, apierror.Invalid("Multiple conditions on same key %s. Only single item Update/Insert/Delete are supported", k.Name)
			}
		}
		if !repeated {
			others = append(others, e)
		}
	}
	return expression.Conjoin(others), nil
}

func (st *statement) read(s *Store, operation string) (*read, error) {
	tb, err := s.table(st.Table)
	if err != nil {
		return nil, err
	}
	key, rest, ok, err := st.wholeKey(tb)
	switch {
	case err != nil:
		return nil, err
	case !ok || st.Index != nil:
		return nil, apierror.Invalid("Select statements within %s must specify the primary key in the where clause.", operation)
	}
	paths := slices.Concat([]expression.Path(st.Columns), expression.Paths(rest))
	return &read{target: target{tableName: st.Table, given: key}, paths: paths, columns: st.Columns, filter: rest}, nil
}

// page plans a query if the WHERE clause contains the whole partition key, and otherwise a scan.
func (st *statement) page(s *Store, in *readParameters, start attribute.Item) (*pageRead, error) {
	p := &pageRead{parameters: in, consistent: in.ConsistentRead, projection: st.Columns, columns: st.Columns, start: start}
	if in.Limit != nil {
		p.limit = int(*in.Limit)
	}
	p.filter = st.Where // all its paths are checked
	if err := p.resolve(s); err != nil {
		return nil, err
	}
	var err error
	keys, width := p.table.keys(p.index), p.index.partitionWidth()
	if p.conditions, p.filter, err = expression.SplitKeys(st.Where, keys, width); err != nil {
		return nil, err
	}
	if err := st.checkOrder(p); err != nil {
		return nil, err
	}
	if err := p.checkFilterProjection(); err != nil {
		return nil, err
	}
	if p.conditions != nil {
		if p.keys, err = p.table.keyRange(p.index, p.conditions); err != nil {
			return nil, err
		}
	}
	if p.conditions == nil {
		return p, p.checkScanStart()
	}
	return p, p.checkQueryStart()
}

func (st *statement) checkOrder(p *pageRead) error {
	keys, width := p.table.keys(p.index), p.index.partitionWidth()
	for _, o := range st.Order {
		at := slices.IndexFunc(keys, func(k attribute.Key) bool { return len(o.Path) == 1 && k.Name == o.Path[0].Name })
		switch {
		case p.conditions == nil:
			return apierror.Invalid("Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause.")
		case at < 0:
			return apierror.Invalid("Variable reference %s in ORDER BY clause must be part of the primary key", o.Path[len(o.Path)-1].Name)
		case at >= width:
			p.backward = o.Descending
		}
	}
	return nil
}

// nextToken is the content of a NextToken: the start of the next page and a digest of the statement.
type nextToken struct {
	Statement []byte
	Start     attribute.WireItem
}

func tokenAfter(last attribute.Item, digest []byte) (string, error) {
	start, err := last.MarshalJSON()
	if err != nil {
		return "", err
	}
	data, err := json.Marshal(struct {
		Statement []byte
		Start     json.RawMessage
	}{digest, start})
	return base64.StdEncoding.EncodeToString(data), err
}

func startOf(token string, digest []byte) (attribute.Item, error) {
	data, err := base64.StdEncoding.DecodeString(token)
	var next nextToken
	if err != nil || json.Unmarshal(data, &next) != nil || len(next.Start) == 0 {
		return nil, apierror.Invalid("Invalid NextToken")
	}
	if !bytes.Equal(next.Statement, digest) {
		return nil, apierror.Invalid("NextToken does not match request")
	}
	return next.Start.Item()
}

// maxStatement is the maximum length of a PartiQL statement in characters.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_ExecuteStatement.html
const maxStatement = 8192

// statementParameters contains a statement and the values for each ? in it.
type statementParameters struct {
	Statement                           *string
	Parameters                          []attribute.WireValue `json:",omitempty"`
	ReturnValuesOnConditionCheckFailure string                `json:",omitempty"`
}

func (in *statementParameters) checkStatement(c *checks, at string) {
	c.present(in.Statement != nil, at+"statement")
	if in.Statement != nil {
		c.length(*in.Statement, attribute.UTF16Length(*in.Statement), at+"statement", 1, maxStatement)
	}
	if in.Parameters != nil {
		c.list(true, len(in.Parameters), at+"parameters", countText(len(in.Parameters), "values"), math.MaxInt)
	}
	c.returnOnFailure(in.ReturnValuesOnConditionCheckFailure, at)
}

func (in *statementParameters) showsOld() bool {
	return in.ReturnValuesOnConditionCheckFailure == "ALL_OLD"
}

func (in *statementParameters) parse() (*statement, error) {
	values := make([]attribute.Value, len(in.Parameters))
	for i := range in.Parameters {
		var err error
		if values[i], err = in.Parameters[i].Value(); err != nil {
			return nil, err
		}
	}
	st, err := expression.ParseStatement(*in.Statement, values)
	if err != nil {
		return nil, err
	}
	return &statement{st}, nil
}

// executeStatementInput is the request to run a PartiQL statement, which reads any number of items or writes one.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_ExecuteStatement.html
type executeStatementInput struct {
	statementParameters
	ConsistentRead         bool
	Limit                  *int32
	NextToken              *string
	ReturnConsumedCapacity string
}

func (in *executeStatementInput) check(c *checks) {
	in.checkStatement(c, "")
	c.returnConsumed(in.ReturnConsumedCapacity)
	if in.Limit != nil {
		c.number(int64(*in.Limit), "limit", 1, math.MaxInt32)
	}
}

func (in *executeStatementInput) run(ctx context.Context, s *Store) (any, error) {
	st, err := in.parse()
	if err != nil {
		return nil, err
	}
	switch st.Kind {
	case expression.StatementSelect:
		return in.read(ctx, s, st)
	case expression.StatementExists:
		return nil, apierror.Invalid("EXISTS can only be used in ExecuteTransaction write requests.")
	case expression.StatementInsert, expression.StatementUpdate, expression.StatementDelete:
	}
	out, err := st.perform(s, in.showsOld(), in.ReturnConsumedCapacity)
	if err != nil {
		return nil, err
	}
	items := []attribute.Item{}
	if len(out.Attributes) > 0 {
		items = append(items, out.Attributes)
	}
	return &executeStatementOutput{items, out.ConsumedCapacity}, nil
}

// executeStatementOutput is the response to a write. It contains the item of RETURNING, if any.
type executeStatementOutput struct {
	Items            []attribute.Item
	ConsumedCapacity *consumedCapacity `json:",omitempty"`
}

func (st *statement) perform(s *Store, showOld bool, capacity string) (*writeOutput, error) {
	w, err := st.write(s, showOld)
	parameters := writeParameters{ReturnValues: st.Returning, ReturnConsumedCapacity: capacity}
	out, err := parameters.perform(s, w, err)
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (in *executeStatementInput) read(ctx context.Context, s *Store, st *statement) (any, error) {
	digest, err := digestOf(statementParameters{Statement: in.Statement, Parameters: in.Parameters})
	if err != nil {
		return nil, err
	}
	var start attribute.Item
	if in.NextToken != nil {
		if start, err = startOf(*in.NextToken, digest); err != nil {
			return nil, err
		}
	}
	p, err := st.page(s, &readParameters{
		TableName: &st.Table, IndexName: st.Index, Limit: in.Limit,
		ConsistentRead: in.ConsistentRead, ReturnConsumedCapacity: in.ReturnConsumedCapacity,
	}, start)
	if err != nil {
		return nil, err
	}
	page, err := p.run(ctx, s)
	if err != nil {
		return nil, err
	}
	return &selectOutput{page, digest}, nil
}

// selectOutput is the response to a SELECT. It contains the items of a page and the token of the next page.
type selectOutput struct {
	page   *pageOutput
	digest []byte
}

func (out *selectOutput) appendJSON([]byte) ([]byte, error) {
	dst := append(out.page.body, ']')
	if last := out.page.last; last != nil {
		token, err := tokenAfter(last, out.digest)
		if err != nil {
			return nil, err
		}
		dst = attribute.AppendQuoted(append(dst, `,"NextToken":`...), token)
		dst = attribute.AppendItem(append(dst, `,"LastEvaluatedKey":`...), last)
	}
	return appendConsumed(dst, out.page.consumed)
}
