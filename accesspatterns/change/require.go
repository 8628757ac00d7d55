package change

import (
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// maxOperators is the maximum number of operators and functions in an expression. Source: Amazon DynamoDB Developer
// Guide, "Quotas in Amazon DynamoDB", Expression parameters.
const maxOperators = 300

func (pl planner) requirements(d draft) ([]accesspatterns.Condition, error) {
	var list []accesspatterns.Condition
	for _, r := range d.require {
		c, isSet, err := pl.requirement(d, r)
		if err != nil {
			return nil, Conflictf("%v", err)
		}
		if !isSet {
			continue
		}
		if !isCheckedOnlyByWrite(d.entity, c) && !c.Holds(d.before) {
			return nil, unmetConflict(d.entity, d.before, c)
		}
		list = append(list, c)
	}
	return list, nil
}

// requirement returns false if the value to compare with, or the value of every alternative, is missing.
func (pl planner) requirement(d draft, r Requirement) (c accesspatterns.Condition, isSet bool, err error) {
	c = accesspatterns.Condition{Attribute: r.Attribute, Compare: r.Compare, OrMissing: r.OrMissing, Message: r.Message}
	for _, o := range r.Any {
		alternative, isSet, err := pl.requirement(d, o)
		if err != nil {
			return c, false, err
		}
		if isSet {
			c.Any = append(c.Any, alternative)
		}
	}
	switch {
	case r.Any != nil:
		return c, c.Any != nil, nil
	case r.Compare == accesspatterns.Exists || r.Compare == accesspatterns.NotExists:
		return c, true, nil
	}
	a := d.entity.Attribute(r.Attribute)
	if r.Compare == accesspatterns.Contains {
		a = a.Member()
	}
	v, err := pl.eval(r.Value, a, d.place+".require")
	if err != nil || v == nil {
		return c, false, err
	}
	c.Values, c.Hidden = []types.AttributeValue{v}, pl.isMasked(r.Value)
	return c, true, nil
}

// isCheckedOnlyByWrite reports whether only the write may check a condition. A plan would reveal a sensitive value.
func isCheckedOnlyByWrite(e *models.Entity, c accesspatterns.Condition) bool {
	if c.Any != nil {
		return slices.ContainsFunc(c.Any, func(o accesspatterns.Condition) bool { return isCheckedOnlyByWrite(e, o) })
	}
	return c.Hidden || c.Compare != accesspatterns.Exists && c.Compare != accesspatterns.NotExists &&
		e.Stricter(models.NotSensitive, strings.Split(c.Attribute, ".")) != models.NotSensitive
}

func unmetConflict(e *models.Entity, it models.Item, c accesspatterns.Condition) *Conflict {
	if c.Message != "" {
		return &Conflict{Message: c.Message}
	}
	if c.Any != nil {
		return Conflictf("%s does not meet any of: %s", e.Title, entityCondition{e, c})
	}
	now, ok := it.Text(c.Attribute)
	if _, present := it.At(c.Attribute); !ok {
		now = "not set"
		if present {
			now = "something else"
		}
	}
	if ok && e.Stricter(models.NotSensitive, strings.Split(c.Attribute, ".")) != models.NotSensitive {
		now = "something else"
	}
	if l := e.Lifecycle(c.Attribute); l != nil {
		return Conflictf("%s of %s is %s; required: %s", c.Attribute, e.Title, l.Term(now), entityCondition{e, c})
	}
	return Conflictf("%s of %s is %s; required: %s", c.Attribute, e.Title, models.Printable(now), entityCondition{e, c})
}

// An entityCondition is a condition in a text about an item of the entity.
type entityCondition struct {
	entity *models.Entity
	accesspatterns.Condition
}

func (s entityCondition) Plain() string { return s.Condition.Plain(s.entity) }

func (w Write) existenceCondition(o accesspatterns.Operator) accesspatterns.Condition {
	return accesspatterns.Condition{Attribute: w.Table.PartitionKey.Name, Compare: o}
}

// changeConditions returns conditions that the version or the time of change, and every changed attribute, have the
// values that ddbdesk read. The attributes are needed because two changes within one tick have the same time, and
// because other programs may change an item but not its version.
func changeConditions(d draft, w Write) []accesspatterns.Condition {
	list := []accesspatterns.Condition{w.existenceCondition(accesspatterns.Exists)}
	if d.lifecycle != nil {
		list = append(list, unchangedCondition(d.before, d.lifecycle.Attribute))
	}
	_, versioned := d.before[d.entity.Version]
	_, dated := d.before[d.entity.Updated]
	switch {
	case d.entity.Version != "" && versioned:
		list = append(list, unchangedCondition(d.before, d.entity.Version))
	case d.entity.Updated != "" && dated:
		list = append(list, unchangedCondition(d.before, d.entity.Updated))
	}
	changedPaths := models.MapSlice(w.Changes, func(c models.Change) string { return c.Path })
	if w.Operation == Delete { // It removes every attribute.
		changedPaths = slices.DeleteFunc(d.before.Names(), func(name string) bool {
			a := d.entity.Attribute(name)
			return name == w.Table.PartitionKey.Name || name == w.Table.SortKey.Name || a != nil && a.HasVolatile()
		})
		for _, a := range d.entity.Attributes { // An attribute added in the meantime would also be lost.
			if _, has := d.before[a.Path]; !has && !a.KeyOnly && !a.Volatile {
				changedPaths = append(changedPaths, a.Path)
			}
		}
	}
	for _, path := range changedPaths {
		c := unchangedCondition(d.before, path)
		c.ChecksUnchanged = true
		list = append(list, c)
	}
	return uniqueConditions(w.Entity, list)
}

// wholeItemConditions compares all attributes of an item without a version and a time of change.
func wholeItemConditions(w Write) []accesspatterns.Condition {
	e, before := w.Entity, w.Before
	list := changeConditions(draft{entity: e, before: before}, w)
	_, versioned := before[e.Version]
	_, dated := before[e.Updated]
	if w.Operation == Delete {
		return list
	}
	for i := range list {
		list[i].ChecksUnchanged = false // Conditions always compare overwritten values.
	}
	if e.Version != "" && versioned || e.Updated != "" && dated {
		return list
	}
	for _, l := range e.Lifecycles {
		list = append(list, unchangedCondition(before, l.Attribute))
	}
	for _, name := range before.Names() {
		about := func(c models.Change) bool { return c.Path == name || strings.HasPrefix(c.Path, name+".") }
		if models.KeyPosition(w.Table.PrimaryKeys(), name) >= 0 || e.Lifecycle(name) != nil || slices.ContainsFunc(w.Changes, about) {
			continue
		}
		c := unchangedCondition(before, name)
		c.ChecksUnchanged = true
		list = append(list, c)
	}
	return list
}

// setCondition keeps the most important conditions of a delete that fit into an expression. Unchecked lists the others.
func (w *Write) setCondition(seen, required []accesspatterns.Condition) {
	for _, name := range w.Before.Names() {
		if a := w.Entity.Attribute(name); w.Operation == Delete && a != nil && a.HasVolatile() && !a.Volatile {
			w.Unchecked = append(w.Unchecked, name) // A condition cannot compare only a part of a list.
		}
	}
	w.Condition = uniqueConditions(w.Entity, slices.Concat(seen, required))
	if w.operators() <= maxOperators && !w.isTooLong() {
		return
	}
	w.Condition = slices.DeleteFunc(w.Condition, func(c accesspatterns.Condition) bool {
		return c.Compare == accesspatterns.Exists && c.Attribute == w.Table.PartitionKey.Name // A comparison already implies that it exists.
	})
	rank := func(c accesspatterns.Condition) int {
		a := w.Entity.Attribute(c.Attribute)
		switch {
		case !c.ChecksUnchanged:
			return 0
		case a != nil && (a.Format.IsTime() || a.Type == models.TypeN):
			return 1
		}
		return 2
	}
	slices.SortStableFunc(w.Condition, func(a, b accesspatterns.Condition) int { return rank(a) - rank(b) })
	for n := w.operators(); ; n -= 2 { // Each compared attribute adds a comparison and an AND.
		last := len(w.Condition) - 1
		if last == 0 || !w.Condition[last].ChecksUnchanged || n <= maxOperators && !w.isTooLong() {
			break
		}
		if _, has := w.Before[w.Condition[last].Attribute]; has {
			w.Unchecked = append(w.Unchecked, w.Condition[last].Attribute)
		}
		w.Condition = w.Condition[:last]
	}
	slices.Sort(w.Unchecked)
}

// Differs reports whether any attribute that is not volatile, even one outside the condition, differs from the item that
// ddbdesk read.
func (w *Write) Differs(now models.Item) bool {
	return !models.EqualItems(w.Entity.WithoutVolatile(w.Before), w.Entity.WithoutVolatile(now))
}

func (w *Write) isTooLong() bool {
	_, condition, _ := w.expressions()
	return len(condition) > maxExpression
}

func (w *Write) operators() int {
	n := len(w.Condition) - 1 // the ANDs
	for _, c := range w.Condition {
		n += operatorsOf(c)
	}
	return n
}

func operatorsOf(c accesspatterns.Condition) int {
	n := 1
	if c.OrMissing {
		n += 2
	}
	if c.Any != nil {
		n = len(c.Any) - 1
		for _, other := range c.Any {
			n += operatorsOf(other)
		}
	}
	return n
}

func unchangedCondition(before models.Item, path string) accesspatterns.Condition {
	if v, ok := before.At(path); ok {
		return accesspatterns.Condition{Attribute: path, Compare: accesspatterns.Equal, Values: []types.AttributeValue{v}}
	}
	return accesspatterns.Condition{Attribute: path, Compare: accesspatterns.NotExists}
}

// uniqueConditions keeps a requirement on a sensitive value even if the write compares that value too.
func uniqueConditions(e *models.Entity, list []accesspatterns.Condition) []accesspatterns.Condition {
	var out []accesspatterns.Condition
	for _, c := range list {
		if !slices.ContainsFunc(out, func(o accesspatterns.Condition) bool {
			return o.Attribute == c.Attribute && o.Compare == c.Compare &&
				(o.ChecksUnchanged == c.ChecksUnchanged || !isCheckedOnlyByWrite(e, c)) &&
				slices.EqualFunc(o.Values, c.Values, models.EqualValues)
		}) {
			out = append(out, c)
		}
	}
	return out
}
