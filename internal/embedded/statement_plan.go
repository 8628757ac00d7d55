package embedded

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"slices"
)

// statement is a parsed statement that is bound to the tables of a store.
type statement struct{ *parsedStatement }

// wholeKey returns the primary key that the WHERE of a statement has equalities for, and its
// other conditions. ok is false if an attribute of the key is missing.
func (st *statement) wholeKey(tb *table) (key item, rest *expr, ok bool, err error) {
	conditions, rest, err := splitKeys(st.where, tb.Keys, 1)
	if err != nil {
		return nil, nil, false, err
	}
	key = item{}
	for _, k := range tb.Keys {
		c, found := conditions[k.Name]
		if !found || c.op != opEqual {
			return nil, nil, false, nil
		}
		key[k.Name] = c.values[0]
	}
	return key, rest, true, nil
}

// write plans a statement that changes or checks one item.
func (st *statement) write(s *Store, showOld bool) (*write, error) {
	tb, err := s.table(st.table)
	if err != nil {
		return nil, err
	}
	w := &write{actions: st.actions, showOld: showOld}
	w.tableName = st.table
	if st.kind == statementInsert {
		w.kind, w.given, w.insert = writePut, st.item, true
		return w, nil
	}
	key, rest, ok, err := st.wholeKey(tb)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, invalid("Where clause does not contain a mandatory equality on all key attributes")
	}
	if rest, err = otherConditions(tb, key, rest); err != nil {
		return nil, err
	}
	w.given, w.condition = key, rest
	exists := &expr{op: opCall, name: "attribute_exists", args: []*expr{{op: opPath, path: path{{name: tb.Keys[0].Name}}}}}
	switch st.kind {
	case statementUpdate:
		w.kind, w.condition = writeUpdate, conjoin(append([]*expr{exists}, conjuncts(rest)...))
	case statementExists:
		w.kind, w.condition = writeNothing, conjoin(append([]*expr{exists}, conjuncts(rest)...))
	default:
		w.kind = writeDelete
	}
	return w, nil
}

// otherConditions removes the repetitions of the equalities of a key from the other
// conditions of a write. It rejects equalities with another key.
func otherConditions(tb *table, key item, rest *expr) (*expr, error) {
	var others []*expr
	for _, e := range conjuncts(rest) {
		repeated := false
		for _, k := range tb.Keys {
			c, ok := keyConditionOf(e, k)
			if !ok || c.op != opEqual {
				continue
			}
			if repeated = c.values[0].equal(key[k.Name]); !repeated {
				return nil, invalid("Multiple conditions on same key %s. Only single item Update/Insert/Delete are supported", k.Name)
			}
		}
		if !repeated {
			others = append(others, e)
		}
	}
	return conjoin(others), nil
}

// read plans a SELECT of one item. operation is the one that allows no other.
func (st *statement) read(s *Store, operation string) (*read, error) {
	tb, err := s.table(st.table)
	if err != nil {
		return nil, err
	}
	key, rest, ok, err := st.wholeKey(tb)
	switch {
	case err != nil:
		return nil, err
	case !ok || st.index != nil:
		return nil, invalid("Select statements within %s must specify the primary key in the where clause.", operation)
	}
	paths := slices.Concat([]path(st.columns), pathsOf(rest))
	return &read{target: target{tableName: st.table, given: key}, paths: paths, columns: st.columns, filter: rest}, nil
}

// page plans a SELECT: a query if the WHERE has the partition key of the table or index, and
// otherwise a scan. in has the name of the table and index and the
// parameters of the read, and start the key after which the page starts, or nil.
func (st *statement) page(s *Store, in *readParameters, start item) (*page, error) {
	p := &page{parameters: in, consistent: in.ConsistentRead, projection: st.columns, columns: st.columns, start: start}
	if in.Limit != nil {
		p.limit = int(*in.Limit)
	}
	p.filter = st.where // all its paths are checked
	if err := p.resolve(s); err != nil {
		return nil, err
	}
	var err error
	keys, width := p.table.keys(p.index), p.index.partitionWidth()
	if p.conditions, p.filter, err = splitKeys(st.where, keys, width); err != nil {
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

// checkOrder checks ORDER BY, and sets the direction of a query.
func (st *statement) checkOrder(p *page) error {
	keys, width := p.table.keys(p.index), p.index.partitionWidth()
	for _, o := range st.order {
		at := slices.IndexFunc(keys, func(k keyAttribute) bool { return len(o.path) == 1 && k.Name == o.path[0].name })
		switch {
		case p.conditions == nil:
			return invalid("Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause.")
		case at < 0:
			return invalid("Variable reference %s in ORDER BY clause must be part of the primary key", o.path[len(o.path)-1].name)
		case at >= width:
			p.backward = o.descending
		}
	}
	return nil
}

// nextToken is the content of a NextToken: where the next page starts, and for which
// statement.
type nextToken struct {
	Statement []byte
	Start     wireItem
}

// tokenAfter returns the NextToken of a page that ends with the key.
func tokenAfter(last item, digest []byte) (string, error) {
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

// startOf returns the key in a NextToken. It rejects a token of another statement.
func startOf(token string, digest []byte) (item, error) {
	data, err := base64.StdEncoding.DecodeString(token)
	var next nextToken
	if err != nil || json.Unmarshal(data, &next) != nil || len(next.Start) == 0 {
		return nil, invalid("Invalid NextToken")
	}
	if !bytes.Equal(next.Statement, digest) {
		return nil, invalid("NextToken does not match request")
	}
	return next.Start.values()
}
