package embedded

import (
	"context"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
	"github.com/ddbdesk/ddbdesk/internal/embedded/expression"
)

// writeKind is one of the four actions on a single item.
type writeKind byte

const (
	writePut writeKind = iota
	writeUpdate
	writeDelete
	writeNothing // ConditionCheck of a transaction
)

// target is the item that a request reads or writes, alone, in a batch or in a transaction. Planning sets the fields
// from the request, and bind sets the fields that depend on the table.
type target struct {
	tableName string
	given     attribute.Item // the key, or the whole item of a put
	table     *table
	key       []byte
	// keyError is the error of a key or item that does not fit the table, or nil. In a transaction, it is the reason of
	// the action. Otherwise, it is the error of the request.
	keyError error
}

// bind sets key or keyError. fits checks the given key or item.
func (g *target) bind(s *Store, paths []expression.Path, fits func(*table, attribute.Item) error) error {
	var err error
	if g.table, err = s.table(g.tableName); err != nil {
		return err
	}
	if err := g.table.checkNesting(paths); err != nil {
		return err
	}
	if g.keyError = fits(g.table, g.given); g.keyError == nil {
		g.key = g.table.rowKey(g.given)
	}
	return nil
}

// targets contains the items of a batch or transaction so far.
type targets map[string]bool

func (ts targets) add(g *target) bool {
	id := g.table.ID + string(g.key)
	isRepeated := g.key != nil && ts[id]
	ts[id] = true
	return !isRepeated
}

// write is a planned, validated change of one item.
type write struct {
	target
	kind      writeKind
	condition *expression.Node
	actions   []expression.Action // actions of an update
	insert    bool                // the put fails if the item exists
	// showsOld returns the stored item if the condition fails.
	showOld bool
}

func (w *write) bind(s *Store) error {
	return w.target.bind(s, expression.Paths(w.condition), func(tb *table, given attribute.Item) error {
		if w.kind == writePut {
			return tb.checkItem(given)
		}
		if err := tb.checkKey(given); err != nil {
			return err
		}
		return tb.checkActions(w.actions)
	})
}

func (w *write) perform(t *tx) (before, after attribute.Item, err error) {
	if before, after, err = w.prepare(t); err != nil {
		return before, nil, err
	}
	return before, after, w.store(t, before, after)
}

func (w *write) prepare(t *tx) (before, after attribute.Item, err error) {
	if w.keyError != nil {
		return nil, nil, w.keyError
	}
	before, err = t.item(w.table, w.key)
	if err != nil {
		return nil, nil, err
	}
	if err := w.checkStored(before); err != nil {
		return before, nil, err
	}
	switch w.kind {
	case writePut:
		return before, w.given, nil
	case writeUpdate:
		after, err = w.updatedItem(before)
		return before, after, err
	case writeNothing:
		return before, before, nil
	default: // writeDelete
		return before, nil, nil
	}
}

func (w *write) checkStored(before attribute.Item) error {
	var failure *apierror.Error
	switch {
	case w.insert && before != nil:
		failure = apierror.DuplicateItem()
	case !w.condition.Holds(before):
		failure = apierror.ConditionFailed()
	default:
		return nil
	}
	if w.showOld && before != nil {
		failure.Item = before
	}
	return failure
}

func (w *write) updatedItem(before attribute.Item) (attribute.Item, error) {
	created := before == nil
	if created {
		before = w.given
	}
	after, err := expression.Apply(before, w.actions)
	if err != nil {
		return nil, err
	}
	if created && onlyDeletes(w.actions) {
		return nil, nil // no item to delete from
	}
	if err := w.table.checkUpdated(after, w.actions); err != nil {
		return nil, err
	}
	for _, a := range w.actions { // only changed attributes can be too deep
		if after[a.Path[0].Name].Depth() > attribute.MaxNesting {
			return nil, apierror.TooDeep()
		}
	}
	if after.Size() > maxItemSize {
		return nil, apierror.Invalid("Item size to update has exceeded the maximum allowed size")
	}
	return after, nil
}

func (w *write) store(t *tx, before, after attribute.Item) error {
	if w.kind == writeNothing || before == nil && after == nil {
		return nil
	}
	return t.write(w.table, w.key, before, after)
}

// writeParameters contains the parameters of the three single writes and of the actions of a transaction.
type writeParameters struct {
	TableName                           *string
	ConditionExpression                 *string
	ReturnValues                        string
	ReturnConsumedCapacity              string
	ReturnItemCollectionMetrics         string
	ReturnValuesOnConditionCheckFailure string
	expression.Placeholders
	legacyWrite
}

func (in *writeParameters) check(c *checks) {
	c.returnConsumed(in.ReturnConsumedCapacity)
	c.table(in.TableName, "tableName")
	c.oneOf(in.ReturnValues, "returnValues", "ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW")
	c.collectionMetrics(in.ReturnItemCollectionMetrics)
	c.returnOnFailure(in.ReturnValuesOnConditionCheckFailure, "")
}

func (in *writeParameters) checkAction(c *checks, at string) {
	c.table(in.TableName, at+"tableName")
	c.returnOnFailure(in.ReturnValuesOnConditionCheckFailure, at)
}

// updateParameters contains the changes of an update, as an expression or in the legacy form.
type updateParameters struct {
	UpdateExpression *string
	AttributeUpdates map[string]attributeUpdate `json:",omitempty"`
}

// plan checks in DynamoDB's order: values, exclusive parameters, placeholders, expressions, unused placeholders.
func (in *writeParameters) plan(kind writeKind, given attribute.WireItem, up updateParameters) (*write, error) {
	w := &write{kind: kind, showOld: in.ReturnValuesOnConditionCheckFailure == "ALL_OLD"}
	w.tableName = *in.TableName
	var err error
	if w.given, err = given.Item(); err != nil {
		return nil, err
	}
	valueParameters := "ConditionExpression is"
	if kind == writeUpdate {
		valueParameters = "UpdateExpression and ConditionExpression are"
	} else if in.ReturnValues != "" && in.ReturnValues != "NONE" && in.ReturnValues != "ALL_OLD" {
		return nil, apierror.Invalid("ReturnValues can only be ALL_OLD or NONE")
	}
	err = checkUnmixed([]parameter{
		{"AttributeUpdates", up.AttributeUpdates != nil},
		{"Expected", in.Expected != nil},
		{"ConditionalOperator", in.ConditionalOperator != ""},
	}, []parameter{
		{"UpdateExpression", up.UpdateExpression != nil},
		{"ConditionExpression", in.ConditionExpression != nil},
	})
	if err != nil {
		return nil, err
	}
	hasExpression := up.UpdateExpression != nil || in.ConditionExpression != nil
	sc, err := in.Scope(hasExpression, hasExpression, valueParameters)
	if err != nil {
		return nil, err
	}
	if up.UpdateExpression != nil {
		w.actions, err = sc.Update(*up.UpdateExpression)
	} else {
		w.actions, err = attributeUpdates(up.AttributeUpdates)
	}
	if err != nil {
		return nil, err
	}
	if in.ConditionExpression != nil {
		w.condition, err = sc.Condition("ConditionExpression", *in.ConditionExpression)
	} else {
		w.condition, err = in.expected()
	}
	if err != nil {
		return nil, err
	}
	return w, sc.CheckUnused()
}

// writeOutput is the response of the three single writes.
type writeOutput struct {
	Attributes            attribute.Item     `json:",omitempty"`
	ConsumedCapacity      *consumedCapacity  `json:",omitempty"`
	ItemCollectionMetrics *collectionMetrics `json:",omitempty"`
}

func (in *writeParameters) perform(s *Store, w *write, err error) (*writeOutput, error) {
	if err != nil {
		return nil, err
	}
	if err := w.bind(s); err != nil {
		return nil, err
	}
	if w.keyError != nil {
		return nil, w.keyError
	}
	var before, after attribute.Item
	var collections collectionReport
	err = s.storage.update(func(t *tx) (err error) {
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
	out := &writeOutput{
		Attributes:       returnedItem(in.ReturnValues, w.actions, before, after),
		ConsumedCapacity: m.report(in.ReturnConsumedCapacity),
	}
	if metrics := collections.byTable[w.table.Name]; metrics != nil {
		out.ItemCollectionMetrics = metrics[0]
	}
	return out, nil
}

// returnedItem limits UPDATED_OLD and UPDATED_NEW to the values at the paths. UPDATED_NEW omits removed values.
func returnedItem(mode string, actions []expression.Action, before, after attribute.Item) attribute.Item {
	switch mode {
	case "ALL_OLD":
		return before
	case "ALL_NEW":
		return after
	case "UPDATED_OLD":
		return expression.Select(expression.ActionPaths(actions)).Project(before)
	case "UPDATED_NEW":
		return expression.Select(expression.ActionPaths(actions)).Project(after)
	default:
		return nil
	}
}

// putItemInput is the request to create an item or to replace the whole item with the same key.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_PutItem.html
type putItemInput struct {
	writeParameters
	Item attribute.WireItem
}

func (in *putItemInput) check(c *checks) {
	c.present(in.Item != nil, "item")
	in.writeParameters.check(c)
}

func (in *putItemInput) checkAction(c *checks, at string) {
	in.writeParameters.checkAction(c, at)
	c.present(in.Item != nil, at+"item")
}

func (in *putItemInput) plan() (*write, error) {
	return in.writeParameters.plan(writePut, in.Item, updateParameters{})
}

func (in *putItemInput) run(_ context.Context, s *Store) (any, error) {
	w, err := in.plan()
	return in.perform(s, w, err)
}

// keyedInput is a write of the item with a given key.
type keyedInput struct {
	writeParameters
	Key attribute.WireItem
}

func (in *keyedInput) check(c *checks) {
	in.writeParameters.check(c)
	c.present(in.Key != nil, "key")
}

func (in *keyedInput) checkAction(c *checks, at string) {
	in.writeParameters.checkAction(c, at)
	c.present(in.Key != nil, at+"key")
}

// deleteItemInput is the request to delete an item. A missing item is not an error.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_DeleteItem.html
type deleteItemInput struct{ keyedInput }

func (in *deleteItemInput) plan() (*write, error) {
	return in.writeParameters.plan(writeDelete, in.Key, updateParameters{})
}

func (in *deleteItemInput) run(_ context.Context, s *Store) (any, error) {
	w, err := in.plan()
	return in.perform(s, w, err)
}

// updateItemInput is the request to change attributes of an item, or to create it if it does not exist.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateItem.html
type updateItemInput struct {
	keyedInput
	updateParameters
}

func (in *updateItemInput) checkAction(c *checks, at string) {
	in.keyedInput.checkAction(c, at)
	c.present(in.UpdateExpression != nil, at+"updateExpression")
}

func (in *updateItemInput) plan() (*write, error) {
	return in.writeParameters.plan(writeUpdate, in.Key, in.updateParameters)
}

func (in *updateItemInput) run(_ context.Context, s *Store) (any, error) {
	w, err := in.plan()
	return in.perform(s, w, err)
}

// conditionCheckInput is the ConditionCheck of a transaction, which writes nothing.
type conditionCheckInput struct{ keyedInput }

func (in *conditionCheckInput) checkAction(c *checks, at string) {
	in.keyedInput.checkAction(c, at)
	c.present(in.ConditionExpression != nil, at+"conditionExpression")
}

func (in *conditionCheckInput) plan() (*write, error) {
	return in.writeParameters.plan(writeNothing, in.Key, updateParameters{})
}
