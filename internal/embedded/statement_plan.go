package embedded

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"slices"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
	"github.com/ddbdesk/ddbdesk/internal/embedded/expression"
)

// statement is a parsed statement that is bound to the tables of a store.
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

// page plans a query if the WHERE has the partition key of the table or index, otherwise a scan.
func (st *statement) page(s *Store, in *readParameters, start attribute.Item) (*page, error) {
	p := &page{parameters: in, consistent: in.ConsistentRead, projection: st.Columns, columns: st.Columns, start: start}
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

func (st *statement) checkOrder(p *page) error {
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

// nextToken is the content of a NextToken: where the next page starts, and for which
// statement.
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
