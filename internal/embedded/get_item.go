// GetItem, and the read of one item that it shares with batches and transactions.

package embedded

import "context"

type getItemInput struct {
	TableName              string
	Key                    wireItem
	ConsistentRead         bool
	ReturnConsumedCapacity string
	ProjectionExpression   *string
	placeholders
	legacyRead
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

// getItem reads one item. Every read here is consistent; ConsistentRead only doubles the cost.
func (s *Store) getItem(_ context.Context, in *getItemInput) (*getItemOutput, error) {
	var c checks
	c.table(in.TableName, "tableName")
	c.present(in.Key != nil, "key")
	c.returnConsumed(in.ReturnConsumedCapacity)
	if err := c.err(); err != nil {
		return nil, err
	}
	if err := in.refuse(); err != nil {
		return nil, err
	}
	r, err := s.planRead(in.TableName, in.Key, in.ProjectionExpression, &in.placeholders)
	if err == nil {
		err = r.unfit
	}
	if err != nil {
		return nil, err
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

// read is a planned, validated read of one item.
type read struct {
	table *table
	unfit error // why the key does not fit the table, nil when it does
	key   []byte
	show  *selection
}

// planRead validates a key and a projection up to the point where the item is needed.
func (s *Store) planRead(name string, key wireItem, projection *string, p *placeholders) (*read, error) {
	k, err := key.values()
	if err != nil {
		return nil, err
	}
	sc, err := p.scope(projection != nil, true, "")
	if err != nil {
		return nil, err
	}
	paths, err := sc.optionalProjection(projection)
	if err != nil {
		return nil, err
	}
	if err := sc.unused(); err != nil {
		return nil, err
	}
	tb, err := s.table(name)
	if err != nil {
		return nil, err
	}
	r := &read{table: tb, unfit: tb.checkKey(k), show: selectionOf(paths)}
	if r.unfit == nil {
		r.key = tb.rowKey(k)
	}
	return r, tb.checkNesting(paths)
}

// shown is the projected item as a member of a response, nil when there is none.
func (r *read) shown(found item) *item {
	if found == nil {
		return nil
	}
	out := r.show.of(found)
	return &out
}
