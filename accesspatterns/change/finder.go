package change

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
)

// A finder looks for what is wrong with one item.
type finder struct {
	scope  *scope
	entity *models.Entity
	item   models.Item
	values models.Values
	ghost  []string
}

// ownValues returns what the keys of an item are computed from: attributes, and
// what only keys hold. An index key is no witness for itself, so a documented
// attribute that is missing is taken from the primary key or from nowhere.
func ownValues(e *models.Entity, it models.Item) models.Values {
	primary, keyed := primaryParts(e, it), e.Values(it)
	return func(name string) (string, bool) {
		if v, ok := it.Text(name); ok {
			return v, true
		}
		if v, ok := primary[name]; ok {
			return v, true
		}
		if onlyInKeys(e, name) {
			return keyed(name)
		}
		return "", false
	}
}

// declared returns the item with its keys under the names of the profile.
func (f *finder) declared() models.Item {
	it := f.item
	for _, k := range f.entity.Table.KeyAttributes() {
		if v, there := f.item[f.scope.basis.Live.keyName(f.entity.Table, k.Name)]; there && it[k.Name] == nil {
			it = it.Clone()
			it[k.Name] = v
		}
	}
	return it
}

// onlyInKeys reports whether a part of a key exists in no attribute.
func onlyInKeys(e *models.Entity, name string) bool {
	a := e.Attribute(name)
	return a == nil || a.KeyOnly
}

// missing lists the required attributes that are missing and that a repair does
// not compute.
func (f *finder) missing() []string {
	var list []string
	for _, name := range f.entity.MissingAttributes(f.item) {
		if _, key := f.entity.Keys[name]; key {
			continue // key reports it
		}
		if a := f.entity.Attribute(name); a.Equals != "" && a.Format.IsTime() {
			if _, there := f.item.Text(a.Equals); there {
				continue // times reports it
			}
		}
		list = append(list, name)
	}
	return list
}

// key compares an index key with the attributes; false when nothing is wrong.
func (f *finder) key(k models.Key) (Defect, bool) {
	table := f.entity.Table
	t, declared := f.entity.Keys[k.Name]
	if !declared || k == table.PartitionKey || k == table.SortKey || t.String() == "{"+k.Name+"}" {
		return Defect{}, false
	}
	name := f.scope.basis.Live.keyName(table, k.Name)
	stored, present := f.item.Text(name)
	d := Defect{Kind: StaleKey, Attribute: name, Stored: stored}
	expected, err := t.Format(f.values)
	switch {
	case err != nil && !present:
		return d, false // a sparse index
	case err != nil:
		var bad *models.ValueError
		if errors.As(err, &bad) && (slices.Contains(f.ghost, bad.Name) || f.excused(t, stored)) {
			return d, false
		}
		d.Text = "there, although it cannot be computed"
		if bad != nil {
			d.Text = fmt.Sprintf("there, although %s does not give it", bad.Name)
			if _, there := f.item.At(bad.Name); !there {
				d.Text = fmt.Sprintf("there, although %s is not set", bad.Name)
			}
		}
		return d, true
	case !present && !f.enters(k.Name):
		return d, false
	case !present:
		d.Expected, d.Text = expected, "missing: the item is not in its index"
		return d, true
	case stored == expected || f.excused(t, stored):
		return d, false
	}
	d.Expected, d.Text = expected, "does not match the attributes: the item is in the wrong place of its index"
	return d, true
}

// enters reports whether the item would be in an index with the key attribute:
// the live table has it, and the other half of its key can be computed too.
func (f *finder) enters(name string) bool {
	table := f.entity.Table
	return slices.ContainsFunc(table.Indexes, func(x *models.Index) bool {
		if x.PartitionKey.Name != name && x.SortKey.Name != name {
			return false
		}
		if !f.scope.basis.Live.hasIndex(table, x) {
			return false
		}
		return f.gives(x.PartitionKey) && f.gives(x.SortKey)
	})
}

// gives reports whether the item has the key attribute, or the parts of it.
func (f *finder) gives(k models.Key) bool {
	if _, there := f.item[f.scope.basis.Live.keyName(f.entity.Table, k.Name)]; k.Name == "" || there {
		return true
	}
	t, ok := f.entity.Keys[k.Name]
	if !ok {
		return false
	}
	_, err := t.Format(f.values)
	return err == nil
}

// excused reports whether a key agrees with the attributes once what only keys
// hold is taken from the key itself: such a part has nothing to disagree with.
func (f *finder) excused(t models.Template, stored string) bool {
	m, err := t.Parse(stored)
	if err != nil {
		return false
	}
	again, err := t.Format(func(name string) (string, bool) {
		if v, ok := m.Values[name]; ok && onlyInKeys(f.entity, name) {
			return v, true
		}
		return f.values(name)
	})
	return err == nil && again == stored
}

// times compares the times that repeat a sibling, nested ones as well.
func (f *finder) times(list []*models.Attribute) []Defect {
	var found []Defect
	for _, a := range list {
		if d, wrong := f.time(a); wrong {
			found = append(found, d)
		}
		found = append(found, f.times(a.Attributes)...)
	}
	return found
}

func (f *finder) time(a *models.Attribute) (Defect, bool) {
	if a.Equals == "" || a.KeyOnly || !a.Format.IsTime() {
		return Defect{}, false
	}
	from := siblingOf(a)
	text, ok := f.item.Text(from)
	stored, there := f.item.Text(a.Path)
	d := Defect{Kind: StaleTTL, Attribute: a.Path, Stored: stored}
	if !ok || !there && !a.Required {
		return d, false
	}
	at, err := models.ParseTime(text, f.scope.basis.Now)
	if err != nil {
		d.Text = from + ", which it repeats, is no time"
		return d, true
	}
	d.Expected, _ = a.Format.FormatTime(at.Time)
	is, readable := a.Format.ReadTime(stored)
	switch {
	case !there:
		d.Text = "missing, although it repeats " + from
	case !readable:
		d.Text = "no time in the form " + string(a.Format)
	case a.Format.IsDay() && stored != d.Expected, !a.Format.IsDay() && is.Unix() != at.Unix():
		d.Text = "another moment than " + from + ", which it repeats"
	default:
		return d, false
	}
	return d, true
}

// siblingOf returns the path of the attribute whose moment a repeats.
func siblingOf(a *models.Attribute) string {
	if i := strings.LastIndexByte(a.Path, '.'); i >= 0 {
		return a.Path[:i+1] + a.Equals
	}
	return a.Equals
}
