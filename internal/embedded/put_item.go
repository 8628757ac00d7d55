// PutItem and DeleteItem.

package embedded

import "context"

type putItemInput struct {
	writeParameters
	Item wireItem
}

func (s *Store) putItem(_ context.Context, in *putItemInput) (*writeOutput, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	w, err := s.planPut(in)
	if err != nil {
		return nil, err
	}
	return s.single(w, &in.writeParameters)
}

// planPut validates a put up to the point where the stored item is needed.
func (s *Store) planPut(in *putItemInput) (*write, error) {
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
	w, err := s.planWrite(&in.writeParameters)
	if err != nil {
		return nil, err
	}
	if it.size() > maxItemSize {
		return nil, invalid("Item size has exceeded the maximum allowed size")
	}
	if w.unfit = w.table.checkItem(it); w.unfit == nil {
		w.key = w.table.rowKey(it)
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
	if err := in.check(); err != nil {
		return nil, err
	}
	w, err := s.planDelete(in)
	if err != nil {
		return nil, err
	}
	return s.single(w, &in.writeParameters)
}

// planDelete validates a delete up to the point where the stored item is needed.
func (s *Store) planDelete(in *keyedInput) (*write, error) {
	w, err := s.planCheck(in)
	if err != nil {
		return nil, err
	}
	w.change = func(item) (item, error) { return nil, nil }
	return w, nil
}

// planCheck validates a key and a condition, the ConditionCheck of a transaction.
func (s *Store) planCheck(in *keyedInput) (*write, error) {
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
	w, err := s.planWrite(&in.writeParameters)
	if err != nil {
		return nil, err
	}
	w.locate(key)
	return w, nil
}

// locate sets the stored key from a Key parameter.
func (w *write) locate(key item) {
	if w.unfit = w.table.checkKey(key); w.unfit == nil {
		w.key = w.table.rowKey(key)
	}
}

// planWrite parses the condition of a put or delete and finds the table.
func (s *Store) planWrite(in *writeParameters) (*write, error) {
	hasCondition := in.ConditionExpression != nil
	sc, err := in.scope(hasCondition, hasCondition, "ConditionExpression is")
	if err != nil {
		return nil, err
	}
	w := &write{showOld: in.ReturnValuesOnConditionCheckFailure == "ALL_OLD"}
	if w.condition, err = sc.optionalCondition("ConditionExpression", in.ConditionExpression); err != nil {
		return nil, err
	}
	if err := sc.unused(); err != nil {
		return nil, err
	}
	if w.table, err = s.table(in.TableName); err != nil {
		return nil, err
	}
	return w, w.table.checkNesting(pathsOf(w.condition))
}

// mustHave refuses a request that lacks a parameter.
func mustHave(ok bool, field string) error {
	var c checks
	c.present(ok, field)
	return c.err()
}

// onlyOld refuses the ReturnValues that only an update has.
func onlyOld(mode string) error {
	if mode != "" && mode != "NONE" && mode != "ALL_OLD" {
		return invalid("ReturnValues can only be ALL_OLD or NONE")
	}
	return nil
}
