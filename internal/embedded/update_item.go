package embedded

import "context"

type updateItemInput struct {
	keyedInput
	UpdateExpression *string
	AttributeUpdates map[string]attributeUpdate `json:",omitempty"`
}

// updateItem changes an item, or creates it if it does not exist.
func (s *Store) updateItem(_ context.Context, in *updateItemInput) (*writeOutput, error) {
	var c checks
	in.check(&c)
	c.present(in.Key != nil, "key")
	if err := c.err(); err != nil {
		return nil, err
	}
	w, err := planUpdate(in)
	if err != nil {
		return nil, err
	}
	return s.single(w, &in.writeParameters)
}

// planUpdate validates an update without the table.
func planUpdate(in *updateItemInput) (*write, error) {
	if err := mustHave(in.Key != nil, "key"); err != nil {
		return nil, err
	}
	key, err := in.Key.values()
	if err != nil {
		return nil, err
	}
	w := &write{tableName: in.TableName, showOld: in.ReturnValuesOnConditionCheckFailure == "ALL_OLD"}
	if err := w.parseUpdate(in); err != nil {
		return nil, err
	}
	w.fit = func(tb *table) error {
		if w.locate(tb, key); w.unfit == nil {
			w.unfit = tb.checkActions(w.actions)
		}
		return nil
	}
	w.change = func(before item) (item, error) { return w.updated(before, key) }
	return w, nil
}

// updated returns the item after the update. before is nil if there is no item with the
// key.
func (w *write) updated(before, key item) (item, error) {
	if before == nil {
		if w.legacy && onlyDeletes(w.actions) {
			return nil, nil // there is no item to delete from
		}
		before = key
	}
	after, err := apply(before, w.actions)
	if err != nil {
		return nil, err
	}
	if err := w.table.checkUpdated(after); err != nil {
		return nil, err
	}
	for _, a := range w.actions { // only changed attributes can be too deep
		if after[a.path[0].name].depth() > maxNesting {
			return nil, tooDeep()
		}
	}
	if after.size() > maxItemSize {
		return nil, invalid("Item size to update has exceeded the maximum allowed size")
	}
	return after, nil
}

func (w *write) parseUpdate(in *updateItemInput) error {
	err := unmixed(append([]parameter{{"AttributeUpdates", in.AttributeUpdates != nil}}, in.legacy()...),
		[]parameter{{"UpdateExpression", in.UpdateExpression != nil}, {"ConditionExpression", in.ConditionExpression != nil}})
	if err != nil {
		return err
	}
	has := in.UpdateExpression != nil || in.ConditionExpression != nil
	sc, err := in.scope(has, has, "UpdateExpression and ConditionExpression are")
	if err != nil {
		return err
	}
	switch {
	case in.UpdateExpression != nil:
		w.actions, err = sc.update(*in.UpdateExpression)
	case in.AttributeUpdates != nil:
		w.legacy = true
		w.actions, err = attributeUpdates(in.AttributeUpdates)
	}
	if err != nil {
		return err
	}
	if w.condition, err = in.parseCondition(sc); err != nil {
		return err
	}
	return sc.unused()
}

// checkActions rejects changes of key attributes.
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

// checkActionKinds rejects literals of the wrong type for the key of an index.
func (tb *table) checkActionKinds(actions []action) error {
	for _, ix := range tb.byName {
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
