package change

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// LiveTables returns a table of the schema with the indexes of the live table. Names come from the schema, and key
// attributes and projections come from the live indexes. A nil LiveTables returns every table as declared. It must be
// safe for concurrent use and fast, because planning calls it for every key. It never returns nil.
type LiveTables func(*models.Table) *models.Table

func (l LiveTables) table(t *models.Table) *models.Table {
	if l == nil {
		return t
	}
	return l(t)
}

func (l LiveTables) hasIndex(t *models.Table, x *models.Index) bool {
	return !x.Optional || l.table(t).Index(x.Name) != nil
}

func (l LiveTables) usesKey(t *models.Table, name string) bool {
	return slices.ContainsFunc(t.Indexes, func(x *models.Index) bool {
		return x.HasKey(name) && l.hasIndex(t, x)
	})
}

func (l LiveTables) keyName(t *models.Table, name string) string {
	live := l.table(t)
	for _, x := range t.Indexes {
		lx := live.Index(x.Name)
		if lx == nil {
			continue
		}
		if i := models.KeyPosition(x.PartitionKeys, name); i >= 0 && i < len(lx.PartitionKeys) {
			return lx.PartitionKeys[i].Name
		}
		if i := models.KeyPosition(x.SortKeys, name); i >= 0 && i < len(lx.SortKeys) {
			return lx.SortKeys[i].Name
		}
	}
	return name
}

func (l LiveTables) isKey(t *models.Table, name string) bool {
	return slices.ContainsFunc(t.Indexes, func(x *models.Index) bool {
		return slices.ContainsFunc(x.KeyAttributes(), func(k models.Key) bool { return l.keyName(t, k.Name) == name })
	})
}

// A deriver computes attributes that depend on others: index keys, and times that equal another time.
type deriver struct {
	now    time.Time
	live   LiveTables
	action *Action // errors name the inputs of this action
}

// derive returns the paths that it set or removed. The error is a *ParamError or a *Conflict if a value does not fit an
// index key, because the item would leave the index.
func (d deriver) derive(e *models.Entity, before, after models.Item) (map[string]bool, error) {
	derived := map[string]bool{}
	differs := differsBetween(before, after)
	d.setEqualTimes(e, after, differs, derived)
	failed := d.computeKeys(e, before, after, differs, derived)
	for _, f := range failed {
		valueErr, named := errors.AsType[*models.ValueError](f.err)
		if _, present := after[f.name]; present || named && differs(valueErr.Name) {
			return nil, keyValueError(d.action, e, fmt.Sprintf("the index key %s of %s", f.name, e.Title), f.err)
		}
	}
	return derived, nil
}

// deriveAll ignores keys that it cannot compute, because Drift reports them.
func (d deriver) deriveAll(e *models.Entity, after models.Item) map[string]bool {
	derived := map[string]bool{}
	all := func(string) bool { return true }
	d.setEqualTimes(e, after, all, derived)
	d.computeKeys(e, after.Clone(), after, all, derived)
	return derived
}

func differsBetween(before, after models.Item) func(path string) bool {
	return func(path string) bool {
		x, _ := before.At(path)
		y, _ := after.At(path)
		return !models.EqualValues(x, y)
	}
}

// A failedKey is an index key that does not accept an item's values.
type failedKey struct {
	name string // key name in the live table
	err  error
}

// computeKeys adds the names of updated index keys to derived, and returns the keys that do not accept the values.
func (d deriver) computeKeys(
	e *models.Entity, before, after models.Item, differs func(path string) bool, derived map[string]bool,
) (failed []failedKey) {
	values := ownValues(e, after)
	for _, k := range derivedKeys(e) {
		t := e.Keys[k.Name]
		if !slices.ContainsFunc(append(e.KeyInputs(k.Name), ""), differs) { // "" stands for a literal
			continue
		}
		name := d.live.keyName(e.Table, k.Name)
		if _, present := before[name]; !present && !d.live.usesKey(e.Table, k.Name) {
			continue
		}
		var v types.AttributeValue
		var err error
		if e.HasKey(k.Name, after, values) {
			v, err = k.Value(t, values)
		}
		_, present := after[name]
		switch {
		case err != nil:
			failed = append(failed, failedKey{name, err})
		case v != nil:
			after[name] = v
			derived[name] = true
		case present: // a sparse index: the item leaves it
			delete(after, name)
			derived[name] = true
		}
	}
	return failed
}

// keyValueError returns an error without personal data.
func keyValueError(a *Action, e *models.Entity, subject string, err error) error {
	valueErr, named := errors.AsType[*models.ValueError](err)
	if !named {
		return Conflictf("cannot compute %s: %v", subject, err)
	}
	reason := valueErr.Err.Error()
	if attribute := e.Attribute(valueErr.Name); attribute != nil && attribute.Sensitive != models.NotSensitive {
		reason = "the value does not fit the key"
	}
	if a != nil && a.Input(valueErr.Name) != nil {
		return accesspatterns.ParamErrorf(valueErr.Name, "%s; it is part of %s", reason, subject)
	}
	return Conflictf("cannot compute %s: %s: %s", subject, valueErr.Name, reason)
}

// setEqualTimes removes a time whose source is missing, because DynamoDB would delete an item whose TTL remains.
func (d deriver) setEqualTimes(e *models.Entity, after models.Item, differs func(path string) bool, derived map[string]bool) {
	visitEqualTimes(e.Attributes, func(a *models.Attribute, source string) {
		if a.KeyOnly || !differs(source) {
			return
		}
		if _, present := after.At(source); !present {
			if _, present := after.At(a.Path); present && !a.Required {
				e.Remove(after, a.Path)
				derived[a.Path] = true
			}
			return
		}
		text, _ := after.Text(source)
		at, err := e.ReadTime(source, text, d.now)
		if err != nil {
			return // Drift reports it.
		}
		formatted, _ := a.Format.FormatTime(at.Time)
		if v, err := models.ScalarValue(a.Type, formatted); err == nil {
			e.Set(after, a.Path, v)
			derived[a.Path] = true
		}
	})
}

func visitEqualTimes(list []*models.Attribute, visit func(a *models.Attribute, source string)) {
	for _, a := range list {
		if a.Equals != "" && a.Format.IsTime() {
			visit(a, a.Path[:strings.LastIndexByte(a.Path, '.')+1]+a.Equals)
		}
		visitEqualTimes(a.Attributes, visit)
	}
}

func derivedKeys(e *models.Entity) []models.Key {
	return slices.DeleteFunc(e.Table.KeyAttributes(), func(k models.Key) bool {
		t, declared := e.Keys[k.Name]
		return !declared || k == e.Table.PartitionKey || k == e.Table.SortKey || t.String() == "{"+k.Name+"}"
	})
}

// ownValues takes a missing attribute only from the primary key, because an index key must not confirm itself.
func ownValues(e *models.Entity, it models.Item) models.Values {
	primary, keyed := primaryParts(e, it), e.Values(it)
	return func(name string) (string, bool) {
		if v, ok := it.Text(name); ok {
			return v, true
		}
		if v, ok := primary[name]; ok {
			return v, true
		}
		if isKeyOnly(e, name) {
			return keyed(name)
		}
		return "", false
	}
}

func isKeyOnly(e *models.Entity, name string) bool {
	a := e.Attribute(name)
	return a == nil || a.KeyOnly
}

// primaryParts omits a placeholder if the key contains only a part of its value, such as the day of a time.
func primaryParts(e *models.Entity, it models.Item) map[string]string {
	parts := map[string]string{}
	for _, k := range e.Table.PrimaryKeys() {
		t, ok := e.KeyTemplate(k.Name)
		text, present := it.Text(k.Name)
		if !ok || !present {
			continue
		}
		m, err := t.ParseItem(text, it.Text)
		if err != nil {
			continue
		}
		for _, s := range t.Segments() {
			if v, ok := m.Values[s.Name]; ok && !s.Format.IsLossy() {
				parts[s.Name] = v
			}
		}
	}
	return parts
}
