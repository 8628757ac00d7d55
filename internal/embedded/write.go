package embedded

// write is a planned, validated change of one item, alone or in a batch or transaction.
// Planning uses the request only, and bind then the table.
type write struct {
	tableName string
	// fit checks the key or item against the table and sets key and unfit.
	fit   func(*table) error
	table *table
	// unfit is the error of a key or item that does not fit the table, or nil. In a
	// transaction it is the reason of the action, otherwise the error of the write.
	unfit     error
	key       []byte
	partition value // of the key
	condition *expr
	// change returns the new item for the stored one; nil means no item. A nil change
	// only checks the condition.
	change  func(before item) (item, error)
	actions []action // of an update, for ReturnValues
	legacy  bool     // of an update: the actions come from AttributeUpdates
	// showOld returns the stored item if the condition fails.
	showOld bool
}

// bind finds the table of a write and runs the checks that depend on it.
func (s *Store) bind(w *write) error {
	var err error
	if w.table, err = s.table(w.tableName); err != nil {
		return err
	}
	if err := w.table.checkNesting(pathsOf(w.condition)); err != nil {
		return err
	}
	return w.fit(w.table)
}

// perform checks the condition and writes, inside the caller's transaction.
func (w *write) perform(t *tx) (before, after item, err error) {
	if before, after, err = w.prepare(t); err != nil {
		return before, nil, err
	}
	return before, after, w.store(t, before, after)
}

// store writes the result of prepare. A condition check, and a deletion of an item that
// does not exist, write nothing.
func (w *write) store(t *tx, before, after item) error {
	if w.change == nil || before == nil && after == nil {
		return nil
	}
	return t.write(w.table, w.key, before, after)
}

// prepare checks the condition and computes the new item without writing it.
func (w *write) prepare(t *tx) (before, after item, err error) {
	if w.unfit != nil {
		return nil, nil, w.unfit
	}
	before, err = t.item(w.table, w.key)
	if err != nil {
		return nil, nil, err
	}
	if !w.condition.holds(before) {
		var shown item
		if w.showOld {
			shown = before
		}
		return before, nil, conditionFailed(shown)
	}
	if w.change == nil {
		return before, before, nil
	}
	after, err = w.change(before)
	return before, after, err
}

// writeParameters are the parameters of the three single writes.
type writeParameters struct {
	TableName                           string
	ConditionExpression                 *string
	ReturnValues                        string
	ReturnConsumedCapacity              string
	ReturnItemCollectionMetrics         string
	ReturnValuesOnConditionCheckFailure string
	placeholders
	legacyWrite
}

// check validates the parameters that need no table.
func (in *writeParameters) check(c *checks) {
	c.returnConsumed(in.ReturnConsumedCapacity)
	c.table(in.TableName, "tableName")
	c.returnValues(in.ReturnValues)
	c.collectionMetrics(in.ReturnItemCollectionMetrics)
	c.returnOnFailure(in.ReturnValuesOnConditionCheckFailure, "returnValuesOnConditionCheckFailure")
}

// writeOutput answers the three single writes.
type writeOutput struct {
	Attributes            item               `json:",omitempty"`
	ConsumedCapacity      *consumedCapacity  `json:",omitempty"`
	ItemCollectionMetrics *collectionMetrics `json:",omitempty"`
}

// single performs a write in a transaction of its own.
func (s *Store) single(w *write, in *writeParameters) (*writeOutput, error) {
	if err := s.bind(w); err != nil {
		return nil, err
	}
	if w.unfit != nil {
		return nil, w.unfit
	}
	var before, after item
	var collections collectionReport
	err := s.storage.update(func(t *tx) (err error) {
		collections = collectionReport{}
		if before, after, err = w.perform(t); err != nil {
			return err
		}
		return collections.addAll(t, []*write{w}, in.ReturnItemCollectionMetrics)
	})
	if err != nil {
		return nil, err
	}
	m := newMeter(w.table)
	m.write(before, after, 1)
	return &writeOutput{
		Attributes:            returned(in.ReturnValues, w.actions, before, after),
		ConsumedCapacity:      m.report(in.ReturnConsumedCapacity),
		ItemCollectionMetrics: collections.single(w.table),
	}, nil
}

// returned returns the Attributes for a ReturnValues mode. UPDATED_OLD and UPDATED_NEW
// have only the values at the paths of the update; removed values are not in
// UPDATED_NEW.
func returned(mode string, actions []action, before, after item) item {
	switch mode {
	case "ALL_OLD":
		return before
	case "ALL_NEW":
		return after
	case "UPDATED_OLD":
		return selectPaths(pathsOfActions(actions, true)).of(before)
	case "UPDATED_NEW":
		return selectPaths(pathsOfActions(actions, false)).of(after)
	default:
		return nil
	}
}

func pathsOfActions(actions []action, removals bool) []path {
	var paths []path
	for _, a := range actions {
		if removals || a.clause != clauseRemove {
			paths = append(paths, a.path)
		}
	}
	return paths
}
