package embedded

import "context"

type putItemInput struct {
	writeParameters
	Item wireItem
}

func (s *Store) putItem(_ context.Context, in *putItemInput) (*writeOutput, error) {
	var c checks
	c.present(in.Item != nil, "item")
	in.check(&c)
	if err := c.err(); err != nil {
		return nil, err
	}
	w, err := planPut(in)
	if err != nil {
		return nil, err
	}
	return s.single(w, &in.writeParameters)
}

// planPut validates a put without the table.
func planPut(in *putItemInput) (*write, error) {
	if err := mustHave(in.Item != nil, "item"); err != nil {
		return nil, err
	}
	it, err := in.Item.values()
	if err != nil {
		return nil, err
	}
	if err := onlyOld(in.ReturnValues); err != nil {
		return nil, err
	}
	w, err := planWrite(&in.writeParameters)
	if err != nil {
		return nil, err
	}
	w.fit = func(tb *table) error {
		if it.size() > maxItemSize {
			return invalid("Item size has exceeded the maximum allowed size")
		}
		if w.unfit = tb.checkItem(it); w.unfit == nil {
			w.key, w.partition = tb.rowKey(it), it[tb.Keys[0].Name]
		}
		return nil
	}
	w.change = func(item) (item, error) { return it, nil }
	return w, nil
}

// keyedInput is a write of the item with a given key.
type keyedInput struct {
	writeParameters
	Key wireItem
}

func (s *Store) deleteItem(_ context.Context, in *keyedInput) (*writeOutput, error) {
	var c checks
	in.check(&c)
	c.present(in.Key != nil, "key")
	if err := c.err(); err != nil {
		return nil, err
	}
	w, err := planDelete(in)
	if err != nil {
		return nil, err
	}
	return s.single(w, &in.writeParameters)
}

// planDelete validates a delete without the table.
func planDelete(in *keyedInput) (*write, error) {
	w, err := planCheck(in)
	if err != nil {
		return nil, err
	}
	w.change = func(item) (item, error) { return nil, nil }
	return w, nil
}

// planCheck validates the ConditionCheck of a transaction without the table.
func planCheck(in *keyedInput) (*write, error) {
	if err := mustHave(in.Key != nil, "key"); err != nil {
		return nil, err
	}
	key, err := in.Key.values()
	if err != nil {
		return nil, err
	}
	if err := onlyOld(in.ReturnValues); err != nil {
		return nil, err
	}
	w, err := planWrite(&in.writeParameters)
	if err != nil {
		return nil, err
	}
	w.fit = func(tb *table) error {
		w.locate(tb, key)
		return nil
	}
	return w, nil
}

// locate sets the stored key from a Key parameter.
func (w *write) locate(tb *table, key item) {
	if w.unfit = tb.checkKey(key); w.unfit == nil {
		w.key, w.partition = tb.rowKey(key), key[tb.Keys[0].Name]
	}
}

// planWrite parses the condition of a put or delete.
func planWrite(in *writeParameters) (*write, error) {
	err := unmixed(in.legacy(), []parameter{{"ConditionExpression", in.ConditionExpression != nil}})
	if err != nil {
		return nil, err
	}
	hasCondition := in.ConditionExpression != nil
	sc, err := in.scope(hasCondition, hasCondition, "ConditionExpression is")
	if err != nil {
		return nil, err
	}
	w := &write{tableName: in.TableName, showOld: in.ReturnValuesOnConditionCheckFailure == "ALL_OLD"}
	if w.condition, err = in.parseCondition(sc); err != nil {
		return nil, err
	}
	return w, sc.unused()
}

// parseCondition reads the condition of a write, modern or legacy.
func (in *writeParameters) parseCondition(sc *scope) (*expr, error) {
	if in.ConditionExpression == nil {
		return in.expected()
	}
	return sc.condition("ConditionExpression", *in.ConditionExpression)
}

// mustHave rejects a request without a parameter.
func mustHave(ok bool, field string) error {
	var c checks
	c.present(ok, field)
	return c.err()
}

// onlyOld rejects the ReturnValues that only an update has.
func onlyOld(mode string) error {
	if mode != "" && mode != "NONE" && mode != "ALL_OLD" {
		return invalid("ReturnValues can only be ALL_OLD or NONE")
	}
	return nil
}
