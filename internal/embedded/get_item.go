package embedded

import "context"

type getItemInput struct {
	TableName              string
	Key                    wireItem
	ConsistentRead         bool
	ReturnConsumedCapacity string
	ProjectionExpression   *string
	placeholders
	legacyProjection
}

type getItemOutput struct {
	item     *item // nil when there is none
	consumed *consumedCapacity
}

func (out *getItemOutput) appendJSON(dst []byte) ([]byte, error) {
	dst = append(dst, '{')
	if out.item != nil {
		dst = appendItem(append(dst, `"Item":`...), *out.item)
	}
	return appendConsumed(dst, out.consumed)
}

// getItem reads one item. Every read is consistent; ConsistentRead only doubles the cost.
func (s *Store) getItem(_ context.Context, in *getItemInput) (*getItemOutput, error) {
	var c checks
	c.present(in.Key != nil, "key")
	c.table(in.TableName, "tableName")
	c.returnConsumed(in.ReturnConsumedCapacity)
	if err := c.err(); err != nil {
		return nil, err
	}
	r, err := planRead(in.TableName, in.Key, projectionParameters{in.ProjectionExpression, in.placeholders, in.legacyProjection})
	if err != nil {
		return nil, err
	}
	if err := s.bindRead(r); err != nil {
		return nil, err
	}
	if r.unfit != nil {
		return nil, r.unfit
	}
	var found item
	err = s.storage.view(func(t *tx) (err error) {
		found, err = t.item(r.table, r.key)
		return err
	})
	if err != nil {
		return nil, err
	}
	m := newMeter(r.table)
	m.read(nil, found.size(), in.ConsistentRead, 1)
	return &getItemOutput{item: r.shown(found), consumed: m.report(in.ReturnConsumedCapacity)}, nil
}

// read is a planned, validated read of one item, alone or in a batch or transaction. As
// with writes, planning uses the request only, and bindRead then the table.
type read struct {
	tableName string
	wanted    item // the key as given
	table     *table
	unfit     error // why the key does not fit the table, nil when it does
	key       []byte
	paths     []path
	show      *selection
}

// projectionParameters select what a read of one item returns.
type projectionParameters struct {
	expression *string
	placeholders
	legacyProjection
}

// planRead validates a key and a projection without the table.
func planRead(name string, key wireItem, p projectionParameters) (*read, error) {
	wanted, err := key.values()
	if err != nil {
		return nil, err
	}
	err = unmixed([]parameter{{"AttributesToGet", p.AttributesToGet != nil}}, []parameter{{"ProjectionExpression", p.expression != nil}})
	if err != nil {
		return nil, err
	}
	sc, err := p.scope(p.expression != nil, true, "")
	if err != nil {
		return nil, err
	}
	paths, err := sc.optionalProjection(p.expression)
	if err == nil && paths == nil {
		paths, err = p.paths()
	}
	if err != nil {
		return nil, err
	}
	return &read{tableName: name, wanted: wanted, paths: paths, show: selectionOf(paths)}, sc.unused()
}

// bindRead finds the table of a read and runs the checks that depend on it.
func (s *Store) bindRead(r *read) error {
	var err error
	if r.table, err = s.table(r.tableName); err != nil {
		return err
	}
	if r.unfit = r.table.checkKey(r.wanted); r.unfit == nil {
		r.key = r.table.rowKey(r.wanted)
	}
	return r.table.checkNesting(r.paths)
}

// shown returns the projected item for a response, or nil.
func (r *read) shown(found item) *item {
	if found == nil {
		return nil
	}
	out := r.show.of(found)
	return &out
}
