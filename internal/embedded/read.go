package embedded

import "context"

// itemRead are the parameters of a read of one item, alone, in a batch or in a transaction.
type itemRead struct {
	TableName            *string
	Key                  wireItem
	ProjectionExpression *string
	placeholders
	legacyProjection
}

// read is a planned, validated read of one item.
type read struct {
	target
	paths   []path
	show    *selection
	columns columns // of a statement, instead of show
	filter  *expr   // of a statement: an item that does not match is not there
}

// plan validates the key and the projection, as far as that needs no table.
func (in *itemRead) plan() (*read, error) {
	given, err := in.Key.values()
	if err != nil {
		return nil, err
	}
	hasProjection := in.ProjectionExpression != nil
	err = unmixed([]parameter{{"AttributesToGet", in.AttributesToGet != nil}}, []parameter{{"ProjectionExpression", hasProjection}})
	if err != nil {
		return nil, err
	}
	sc, err := in.scope(hasProjection, true, "")
	if err != nil {
		return nil, err
	}
	paths, err := in.projection(sc, in.ProjectionExpression)
	if err != nil {
		return nil, err
	}
	r := &read{target: target{tableName: *in.TableName, given: given}, paths: paths, show: selectionOf(paths)}
	return r, sc.unused()
}

// bind finds the table of a read and runs the checks that depend on it.
func (r *read) bind(s *Store) error { return r.target.bind(s, r.paths, (*table).checkKey) }

// shown returns the projected item for a response, or nil.
func (r *read) shown(found item) *item {
	if found == nil || !r.filter.holds(found) {
		return nil
	}
	out := r.show.of(found)
	if r.columns != nil {
		out = r.columns.of(found)
	}
	return &out
}

// getItemInput reads one item. Every read is consistent; ConsistentRead only doubles the cost.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_GetItem.html
type getItemInput struct {
	itemRead
	ConsistentRead         bool
	ReturnConsumedCapacity string
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

func (in *getItemInput) check(c *checks) {
	c.present(in.Key != nil, "key")
	c.table(in.TableName, "tableName")
	c.returnConsumed(in.ReturnConsumedCapacity)
}

func (in *getItemInput) run(_ context.Context, s *Store) (any, error) {
	r, err := in.plan()
	if err != nil {
		return nil, err
	}
	shown, consumed, err := r.perform(s, in.ConsistentRead, in.ReturnConsumedCapacity)
	return &getItemOutput{item: shown, consumed: consumed}, err
}

// perform binds and performs a read on its own.
func (r *read) perform(s *Store, consistent bool, capacity string) (*item, *consumedCapacity, error) {
	if err := r.bind(s); err != nil {
		return nil, nil, err
	}
	if r.unfit != nil {
		return nil, nil, r.unfit
	}
	var found item
	err := s.storage.view(func(t *tx) (err error) {
		found, err = t.item(r.table, r.key)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	m := newMeter(r.table)
	m.read(nil, found.size(), consistent, 1)
	return r.shown(found), m.report(capacity), nil
}
