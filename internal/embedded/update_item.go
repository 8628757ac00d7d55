// UpdateItem.

package embedded

import "context"

type updateItemInput struct {
	keyedInput
	UpdateExpression *string
}

// updateItem changes an item, and creates it when it does not exist.
func (s *Store) updateItem(_ context.Context, in *updateItemInput) (*writeOutput, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	w, err := s.planUpdate(in)
	if err != nil {
		return nil, err
	}
	return s.single(w, &in.writeParameters)
}

// planUpdate validates an update up to the point where the stored item is needed.
func (s *Store) planUpdate(in *updateItemInput) (*write, error) {
	if err := mustHave(in.Key != nil, "key"); err != nil {
		return nil, err
	}
	key, err := in.Key.values()
	if err != nil {
		return nil, err
	}
	w := &write{showOld: in.ReturnValuesOnConditionCheckFailure == "ALL_OLD"}
	if err := w.parseUpdate(in); err != nil {
		return nil, err
	}
	if w.table, err = s.table(in.TableName); err != nil {
		return nil, err
	}
	if err := w.table.checkNesting(pathsOf(w.condition)); err != nil {
		return nil, err
	}
	if w.locate(key); w.unfit == nil {
		w.unfit = w.table.checkActions(w.actions)
	}
	w.change = func(before item) (item, error) {
		if before == nil {
			before = key
		}
		after, err := apply(before, w.actions)
		if err != nil {
			return nil, err
		}
		if err := w.table.checkUpdated(after); err != nil {
			return nil, err
		}
		if after.size() > maxItemSize {
			return nil, invalid("Item size to update has exceeded the maximum allowed size")
		}
		return after, nil
	}
	return w, nil
}

func (w *write) parseUpdate(in *updateItemInput) error {
	has := in.UpdateExpression != nil || in.ConditionExpression != nil
	sc, err := in.scope(has, has, "UpdateExpression and ConditionExpression are")
	if err != nil {
		return err
	}
	if in.UpdateExpression != nil {
		if w.actions, err = sc.update(*in.UpdateExpression); err != nil {
			return err
		}
	}
	if w.condition, err = sc.optionalCondition("ConditionExpression", in.ConditionExpression); err != nil {
		return err
	}
	return sc.unused()
}

// checkActions refuses changes of key attributes.
func (tb *table) checkActions(actions []action) error {
	var paths []path
	for _, a := range actions {
		for _, k := range tb.Keys {
			if a.path[0].name == k.Name {
				return invalidParameter("Cannot update attribute %s. This attribute is part of the key", k.Name)
			}
		}
		paths = append(append(paths, a.path), pathsOf(a.value)...)
	}
	if err := tb.checkNesting(paths); err != nil {
		return err
	}
	return tb.checkActionKinds(actions)
}

// checkActionKinds refuses literals of the wrong type for the key of an index.
func (tb *table) checkActionKinds(actions []action) error {
	for _, ix := range tb.Indexes {
		for _, k := range ix.Keys {
			for _, a := range actions {
				if a.value == nil || a.path[0].name != k.Name {
					continue
				}
				if actual := a.value.staticKind(); actual != 0 && actual != k.Kind {
					return wrongIndexKey(ix, k, actual)
				}
			}
		}
	}
	return nil
}
