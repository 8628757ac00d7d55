package change

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// A draft is what is known of a write before it is planned.
type draft struct {
	entity    *models.Entity
	before    models.Item
	set       []Setting
	remove    []string
	require   []Requirement
	lifecycle *models.Lifecycle
	from, to  string
	repair    bool
	place     string
}

// update plans the change of an item that is there.
func (s *scope) update(d draft) (Write, error) {
	required, err := s.require(d)
	if err != nil {
		return Write{}, err
	}
	after := d.before.Clone()
	set, err := s.apply(d, after)
	if err != nil {
		return Write{}, err
	}
	derived := s.derive(d.entity, d.before, after, d.repair)
	if models.EqualItems(d.before, after) {
		if d.repair {
			return Write{}, &Conflict{What: fmt.Sprintf("%s: every derived attribute agrees already", d.entity.Title)}
		}
		return Write{}, &Conflict{What: fmt.Sprintf("%s: %v, it already is as asked", d.entity.Title, errNothing)}
	}
	if !d.repair {
		if err := s.moveOn(d.entity, d.before, after, set); err != nil {
			return Write{}, err
		}
		for path := range s.derive(d.entity, d.before, after, false) { // a key may hold the time of change
			derived[path] = true
		}
	}
	w := Write{Operation: Update, Table: d.entity.Table, Entity: d.entity, Before: d.before, After: after}
	w.Key, _ = w.Table.PrimaryKey(d.before)
	w.Changes = marked(models.Diff(d.before, after), derived)
	for _, k := range []string{w.Table.PartitionKey.Name, w.Table.SortKey.Name} {
		if k != "" && !models.EqualValues(d.before[k], after[k]) {
			return Write{}, fmt.Errorf("%s would change the primary key attribute %s", s.action.FullID(), k)
		}
	}
	if err := s.fitsIndexes(d.entity, after); err != nil {
		return Write{}, err
	}
	w.Condition = merge(seen(d, w), required)
	return w, nil
}

// put plans an item that is not there yet.
func (s *scope) put(d draft) (Write, error) {
	after := models.Item{}
	set, err := s.apply(d, after)
	if err != nil {
		return Write{}, err
	}
	extra := s.keyValues(d, after, set)
	if err := s.moveOn(d.entity, nil, after, set); err != nil {
		return Write{}, err
	}
	s.repeatTimes(d.entity.Attributes, after, func(string) bool { return true }, map[string]bool{})
	full, err := d.entity.Build(after, extra)
	if err != nil {
		return Write{}, &Conflict{What: fmt.Sprintf("the key of the new %s cannot be made: %v", d.entity.Title, err)}
	}
	derived := map[string]bool{}
	for _, k := range d.entity.Table.KeyAttributes() {
		_, declared := d.entity.Keys[k.Name]
		if primary := k == d.entity.Table.PartitionKey || k == d.entity.Table.SortKey; declared && !primary && !set[k.Name] {
			v, there := full[k.Name]
			delete(full, k.Name)
			if name := s.basis.Live.keyName(d.entity.Table, k.Name); there && s.wanted(d.entity.Table, k.Name) {
				full[name] = v
				derived[name] = true
			}
		}
	}
	if missing := d.entity.MissingAttributes(full); len(missing) > 0 {
		return Write{}, &accesspatterns.ParamError{
			Param: missing[0], Reason: fmt.Sprintf("the new %s would lack %s", d.entity.Title, strings.Join(missing, ", ")),
		}
	}
	if err := s.fitsIndexes(d.entity, full); err != nil {
		return Write{}, err
	}
	w := Write{Operation: Put, Table: d.entity.Table, Entity: d.entity, After: full}
	w.Key, _ = w.Table.PrimaryKey(full)
	w.Changes = marked(models.Diff(nil, full), derived)
	w.Condition = []accesspatterns.Condition{{
		Attribute: w.Table.PartitionKey.Name, Compare: accesspatterns.NotExists, Because: "the key is free",
	}}
	return w, nil
}

// fitsIndexes refuses an item with a key that no index can hold.
func (s *scope) fitsIndexes(e *models.Entity, it models.Item) error {
	for _, x := range e.Table.Indexes {
		for _, k := range []models.Key{x.PartitionKey, x.SortKey} {
			text, _ := it.Text(s.basis.Live.keyName(e.Table, k.Name))
			limit := accesspatterns.MaxPartitionKey
			if k == x.SortKey {
				limit = accesspatterns.MaxSortKey
			}
			if len(text) > limit {
				t, _ := e.KeyTemplate(k.Name)
				return paramErrorf(longest(t, e.Values(it)), "the key %s would be %d bytes; DynamoDB allows %d", k.Name, len(text), limit)
			}
		}
	}
	return nil
}

// keyValues fills the attributes that the new item's keys need and that nobody
// sets: an input, or a name, that is called the same.
func (s *scope) keyValues(d draft, after models.Item, set map[string]bool) map[string]string {
	extra := map[string]string{}
	for _, k := range []models.Key{d.entity.Table.PartitionKey, d.entity.Table.SortKey} {
		t, ok := d.entity.KeyTemplate(k.Name)
		if !ok {
			continue
		}
		for _, name := range t.Placeholders() {
			a := d.entity.Attribute(name)
			if set[name] || a == nil {
				continue
			}
			f := Formula{parts: []formulaPart{{ref: Reference{Name: name}}}}
			v, ok, err := s.eval(f, a, a.Type, d.place+"."+name)
			if err != nil || !ok {
				continue // Build names what is missing
			}
			if a.KeyOnly {
				extra[name], _ = models.ValueText(v)
			} else {
				after.With(name, v)
			}
		}
	}
	return extra
}

// remove plans the deletion of an item that is there, as it was seen.
func (s *scope) remove(d draft) (Write, error) {
	required, err := s.require(d)
	if err != nil {
		return Write{}, err
	}
	w := Write{Operation: Delete, Table: d.entity.Table, Entity: d.entity, Before: d.before}
	w.Key, _ = w.Table.PrimaryKey(d.before)
	w.Condition = merge(seen(d, w), required)
	return w, nil
}

// only plans a check that writes nothing.
func (s *scope) only(d draft) (Write, error) {
	required, err := s.require(d)
	if err != nil {
		return Write{}, err
	}
	w := Write{Operation: Check, Table: d.entity.Table, Entity: d.entity, Before: d.before, After: d.before}
	w.Key, _ = w.Table.PrimaryKey(d.before)
	w.Condition = merge([]accesspatterns.Condition{{Attribute: w.Table.PartitionKey.Name, Compare: accesspatterns.Exists}}, required)
	return w, nil
}

// apply sets and removes what the draft says in after, and returns the paths
// that were set.
func (s *scope) apply(d draft, after models.Item) (map[string]bool, error) {
	set := map[string]bool{}
	if d.to != "" {
		a := d.entity.Attribute(d.lifecycle.Attribute)
		v, err := models.ScalarValue(a.Type, d.to)
		if err != nil {
			return nil, fmt.Errorf("setting %s: %w", a.Path, err)
		}
		after.With(a.Path, v)
		set[a.Path] = true
	}
	for _, f := range d.set {
		a := d.entity.Attribute(f.Name)
		var t models.Type
		if a != nil {
			t = a.Type
		}
		v, ok, err := s.eval(f.Formula, a, t, d.place+"."+f.Name)
		if err != nil {
			return nil, &Conflict{What: err.Error()}
		}
		if !ok {
			continue
		}
		if err := fits(a, v); err != nil {
			return nil, &Conflict{What: fmt.Sprintf("%s of %s: %v", f.Name, d.entity.Title, err)}
		}
		after.With(f.Name, v)
		set[f.Name] = true
	}
	for _, path := range d.remove {
		after.Without(path)
		set[path] = true
	}
	return set, nil
}

// fits refuses a value that a closed enum does not have.
func fits(a *models.Attribute, v types.AttributeValue) error {
	text, scalar := models.ValueText(v)
	if a == nil || !scalar || len(a.Enum) == 0 || a.OpenEnum || slices.Contains(a.Enum, text) {
		return nil
	}
	return fmt.Errorf("%q is none of %s", models.Printable(text), strings.Join(a.Enum, ", "))
}

func marked(changes []models.Change, derived map[string]bool) []models.Change {
	for i, c := range changes {
		changes[i].Derived = derived[c.Path]
	}
	return changes
}
