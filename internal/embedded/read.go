package embedded

import (
	"context"

	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
	"github.com/ddbdesk/ddbdesk/internal/embedded/expression"
)

// itemRead contains the parameters for reading one item, alone, in a batch or in a transaction.
type itemRead struct {
	TableName            *string
	Key                  attribute.WireItem
	ProjectionExpression *string
	expression.Placeholders
	legacyProjection
}

// read is a planned, validated read of one item.
type read struct {
	target
	paths   []expression.Path
	show    *expression.Selection
	columns expression.Columns // columns of a statement, instead of show
	filter  *expression.Node   // filter of a statement; treats an item that does not match as missing
}

func (in *itemRead) plan() (*read, error) {
	given, err := in.Key.Item()
	if err != nil {
		return nil, err
	}
	hasProjection := in.ProjectionExpression != nil
	err = checkUnmixed([]parameter{{"AttributesToGet", in.AttributesToGet != nil}}, []parameter{{"ProjectionExpression", hasProjection}})
	if err != nil {
		return nil, err
	}
	sc, err := in.Scope(hasProjection, true, "")
	if err != nil {
		return nil, err
	}
	paths, err := in.projection(sc, in.ProjectionExpression)
	if err != nil {
		return nil, err
	}
	r := &read{target: target{tableName: *in.TableName, given: given}, paths: paths, show: expression.SelectionOf(paths)}
	return r, sc.CheckUnused()
}

func (r *read) bind(s *Store) error { return r.target.bind(s, r.paths, (*table).checkKey) }

func (r *read) project(found attribute.Item) *attribute.Item {
	if found == nil || !r.filter.Holds(found) {
		return nil
	}
	out := r.show.Project(found)
	if r.columns != nil {
		out = r.columns.Project(found)
	}
	return &out
}

// getItemInput is the request to read one item. Every read is consistent; ConsistentRead only doubles the cost.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_GetItem.html
type getItemInput struct {
	itemRead
	ConsistentRead         bool
	ReturnConsumedCapacity string
}

type getItemOutput struct {
	item     *attribute.Item // nil if the item does not exist
	consumed *consumedCapacity
}

func (out *getItemOutput) appendJSON(dst []byte) ([]byte, error) {
	dst = append(dst, '{')
	if out.item != nil {
		dst = attribute.AppendItem(append(dst, `"Item":`...), *out.item)
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

func (r *read) perform(s *Store, consistent bool, capacity string) (*attribute.Item, *consumedCapacity, error) {
	if err := r.bind(s); err != nil {
		return nil, nil, err
	}
	if r.keyError != nil {
		return nil, nil, r.keyError
	}
	var found attribute.Item
	err := s.storage.view(func(t *tx) (err error) {
		found, err = t.item(r.table, r.key)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	m := newMeter(r.table)
	m.read(nil, found.Size(), consistent, 1)
	return r.project(found), m.report(capacity), nil
}
