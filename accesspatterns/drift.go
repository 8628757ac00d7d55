// This file finds what is wrong with a stored item: what no entity fits, what
// lacks required attributes, and what no longer follows from the attributes
// that it is computed from.

package accesspatterns

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ddbdesk/ddbdesk/models"
)

// A DefectKind says what is wrong with an item.
type DefectKind string

// The kinds of defect.
const (
	Unknown  DefectKind = "unknown" // no entity of the table fits its key
	Ghost    DefectKind = "ghost"   // required attributes are missing
	StaleKey DefectKind = "stale-key"
	StaleTTL DefectKind = "ttl" // a time that repeats another one, and does not
)

// DefectKinds lists every kind.
func DefectKinds() []DefectKind { return []DefectKind{Unknown, Ghost, StaleKey, StaleTTL} }

// A Defect is one thing that is wrong with an item. Stored and Expected are as
// in the table: show them through Shown. Text holds no value of the item.
type Defect struct {
	Kind      DefectKind
	Attribute string // "" of what no entity fits, and of a ghost
	Stored    string // "" when it is not there
	Expected  string // "" when it should not be there, or cannot be computed
	Text      string // what is wrong, in words
}

// A Drift finds the defects of items. The zero value takes tables as they are
// declared.
type Drift struct {
	Entities []*models.Entity
	Now      time.Time
	// HasIndex and KeyName are those of a Basis.
	HasIndex func(*models.Table, *models.Index) bool
	KeyName  func(t *models.Table, name string) string
}

// Defects returns what the item is and what is wrong with it: what no entity
// fits first, then what is missing, then keys in the table's order, then times.
// The Recognition has no entity when none fits.
func (d Drift) Defects(table *models.Table, it models.Item) (models.Recognition, []Defect) {
	r, ok := models.Recognise(d.Entities, table, it)
	if !ok {
		return models.Recognition{}, []Defect{{Kind: Unknown, Text: d.nearest(table, it)}}
	}
	s := newScope(&Action{}, d.basis())
	f := finder{scope: s, entity: r.Entity, item: it}
	f.values = ownValues(r.Entity, f.declared())
	var list []Defect
	if missing := f.missing(); len(missing) > 0 {
		list = append(list, Defect{Kind: Ghost, Text: "required attributes are missing: " + strings.Join(missing, ", ")})
		f.ghost = missing
	}
	for _, k := range table.KeyAttributes() {
		if defect, found := f.key(k); found {
			list = append(list, defect)
		}
	}
	return r, append(list, f.times(r.Entity.Attributes)...)
}

// ScanLeg returns the leg that reads a whole table, eventually consistent: of
// one item all attributes are of the same moment.
func ScanLeg(t *models.Table) Leg {
	return Leg{Scan: &dynamodb.ScanInput{TableName: aws.String(t.Name)}}
}

// Derives reports whether a repair would change an item of the entity: whether
// anything that derives from other attributes disagrees with them.
func (d Drift) Derives(e *models.Entity, it models.Item) bool {
	after := it.Clone()
	newScope(&Action{Entity: e}, d.basis()).derive(e, it, after, true)
	return !models.EqualItems(it, after)
}

func (d Drift) basis() *Basis {
	return &Basis{Now: d.Now, HasIndex: d.HasIndex, KeyName: d.KeyName}
}

// nearest says why the entity that comes closest is not what the item is.
func (d Drift) nearest(table *models.Table, it models.Item) string {
	var best *models.Entity
	var reason *models.Mismatch
	most := -1
	for _, e := range d.Entities {
		if e.Table != table {
			continue
		}
		var m *models.Mismatch
		if !errors.As(e.Explain(it), &m) {
			continue
		}
		if n := common(e, it); n > most {
			best, reason, most = e, m, n
		}
	}
	if best == nil {
		return "no entity of the profile lives in this table"
	}
	why := reason.Error()
	for _, name := range best.KeyNames() {
		// A reason about a placeholder repeats what is in the key.
		if t, _ := best.KeyTemplate(name); t.String() == reason.Template && t.Has(reason.Want) {
			why = fmt.Sprintf("%s: {%s} does not fit at character %d", reason.Template, reason.Want, reason.Pos+1)
		}
	}
	return fmt.Sprintf("no entity fits; the nearest is %s: %s", best.Title, why)
}

// common counts how much literal text of the entity's primary key the item has:
// a placeholder takes any text, so only that tells what was meant.
func common(e *models.Entity, it models.Item) int {
	n := 0
	for _, k := range []models.Key{e.Table.PartitionKey, e.Table.SortKey} {
		t, ok := e.KeyTemplate(k.Name)
		text, there := it.Text(k.Name)
		if !ok || !there {
			continue
		}
		if head := t.LiteralPrefix(); head != "" && strings.HasPrefix(text, head) {
			n += 2 * len(head)
		} else {
			n += shared(head, text)
		}
		if _, err := t.Parse(text); err == nil {
			n++
		}
	}
	return n
}

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
		if v, there := f.item[f.scope.keyName(f.entity.Table, k.Name)]; there && it[k.Name] == nil {
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
	name := f.scope.keyName(table, k.Name)
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
	d.Expected, d.Text = expected, "disagrees with the attributes: the item is in the wrong place of its index"
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
		if x.Optional && f.scope.basis.HasIndex != nil && !f.scope.basis.HasIndex(table, x) {
			return false
		}
		return f.gives(x.PartitionKey) && f.gives(x.SortKey)
	})
}

// gives reports whether the item has the key attribute, or the parts of it.
func (f *finder) gives(k models.Key) bool {
	if _, there := f.item[f.scope.keyName(f.entity.Table, k.Name)]; k.Name == "" || there {
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

// Shown returns the defect of an item of e as it may be shown.
func (d Defect) Shown(m *models.Masker, e *models.Entity) Defect {
	if e == nil {
		return d
	}
	if d.Kind == StaleTTL {
		if a := e.Attribute(d.Attribute); a != nil {
			d.Stored, d.Expected = m.MaskText(d.Stored, a.Sensitive, a.Format), m.MaskText(d.Expected, a.Sensitive, a.Format)
		}
		return d
	}
	t, ok := e.Keys[d.Attribute]
	if !ok { // the live table calls it otherwise: it may be any key of the entity
		for _, other := range e.Keys {
			if kind := e.TemplateSensitivity(other); m.Hides(kind) {
				d.Stored, d.Expected = m.MaskText(d.Stored, kind, models.NoFormat), m.MaskText(d.Expected, kind, models.NoFormat)
				return d
			}
		}
		return d
	}
	if d.Stored != "" {
		d.Stored = m.Key(e, t, d.Stored)
	}
	if d.Expected != "" {
		d.Expected = m.Key(e, t, d.Expected)
	}
	return d
}
