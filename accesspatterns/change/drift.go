package change

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// A DefectKind is a kind of defect of an item. The JSON contract contains the values, so they must not change.
type DefectKind string

// These are the kinds of defects.
const (
	Unknown  DefectKind = "unknown"   // no entity of the table matches the item
	Ghost    DefectKind = "ghost"     // required attributes are missing
	StaleKey DefectKind = "stale-key" // an index key differs from the attributes that it is computed from
	StaleTTL DefectKind = "ttl"       // a repeated time differs from its source or has a wrong type or format
	// WrongValue means that a value has an undocumented type or format, or is outside a closed enum.
	WrongValue DefectKind = "value"
)

// Word names the kind for people.
func (k DefectKind) Word() string {
	return cmp.Or(map[DefectKind]string{Ghost: "incomplete", StaleKey: "stale key", StaleTTL: "time"}[k], string(k))
}

// DefectKinds lists every kind of defect.
func DefectKinds() []DefectKind { return []DefectKind{Unknown, Ghost, StaleKey, StaleTTL, WrongValue} }

// A Defect is one defect of an item. Stored and Expected are unmasked; see Shown. Text contains no item values.
type Defect struct {
	Kind      DefectKind
	Attribute string // "" for the kinds Unknown and Ghost
	Stored    string // "" if the attribute is missing
	Expected  string // "" if the attribute should not exist, or cannot be computed
	Text      string // describes the defect
}

// A Drift finds the defects of items. The zero value uses tables as declared. It is read-only, so several goroutines
// may share one. It uses Now only for relative times.
type Drift struct {
	Entities []*models.Entity
	Now      time.Time
	Live     LiveTables
}

// Defects recognizes the item and returns its defects: missing attributes first, then keys in table order, then values
// and times. If no entity matches the item, it returns an empty Recognition and the defect Unknown. Defects sends no
// requests, so it cannot find defects that involve another item, such as a reference to a missing item.
func (d Drift) Defects(table *models.Table, it models.Item) (models.Recognition, []Defect) {
	r, ok := models.Recognize(d.Entities, table, it)
	if !ok {
		return models.Recognition{}, []Defect{{Kind: Unknown, Text: d.mismatchText(table, it)}}
	}
	f := finder{Drift: d, entity: r.Entity, item: it}
	f.values = ownValues(r.Entity, f.itemWithSchemaKeys())
	var list []Defect
	if f.missing = f.missingAttributes(); len(f.missing) > 0 {
		list = append(list, Defect{Kind: Ghost, Text: "required attributes are missing: " + strings.Join(f.missing, ", ")})
	}
	for _, k := range table.PrimaryKeys() {
		if defect, found := f.primaryKeyDefect(k); found {
			list = append(list, defect)
		}
	}
	for _, k := range derivedKeys(r.Entity) {
		if defect, found := f.keyDefect(k); found {
			list = append(list, defect)
		}
	}
	list = append(list, f.wrongValues(r.Entity.Attributes, it)...)
	list = append(list, f.wrongParts()...)
	visitEqualTimes(r.Entity.Attributes, func(a *models.Attribute, source string) {
		if defect, found := f.timeDefect(a, source); found {
			list = append(list, defect)
		}
	})
	return r, list
}

// WouldRepair reports whether a repair would change an item of the entity. If it returns false, a person must fix the
// defects, because a repair cannot invent a missing attribute.
func (d Drift) WouldRepair(e *models.Entity, it models.Item) bool {
	after := it.Clone()
	deriver{now: d.Now, live: d.Live}.deriveAll(e, after)
	return !models.EqualItems(it, after)
}

func (d Drift) mismatchText(table *models.Table, it models.Item) string {
	var best *models.Entity
	var reason *models.Mismatch
	maximum := -1
	for _, e := range d.Entities {
		if e.Table != table {
			continue
		}
		m, ok := errors.AsType[*models.Mismatch](e.Explain(it))
		if n := commonText(e, it); ok && n > maximum {
			best, reason, maximum = e, m, n
		}
	}
	if best == nil {
		return "the schema has no entity in this table"
	}
	cause := reason.Error()
	for _, name := range best.KeyNames() {
		// A reason about a placeholder quotes a part of the key.
		if t, _ := best.KeyTemplate(name); t.String() == reason.Template && t.Has(reason.Want) {
			cause = fmt.Sprintf("%s: {%s} does not match at character %d", reason.Template, reason.Want, reason.Pos+1)
		}
	}
	return fmt.Sprintf("no entity matches; the closest is %s: %s", best.Title, cause)
}

// commonText counts literal text only, because placeholders match any text.
func commonText(e *models.Entity, it models.Item) int {
	n := 0
	for _, k := range e.Table.PrimaryKeys() {
		t, ok := e.KeyTemplate(k.Name)
		text, present := it.Text(k.Name)
		if !ok || !present {
			continue
		}
		if head := t.LiteralPrefix(); head != "" && strings.HasPrefix(text, head) {
			n += 2 * len(head)
		} else {
			n += accesspatterns.CommonPrefix(head, text)
		}
		if _, err := t.Parse(text); err == nil {
			n++
		}
	}
	return n
}

// Shown returns the defect of an item of e with its values masked by m.
func (d Defect) Shown(m *models.Masker, e *models.Entity) Defect {
	if e == nil {
		return d
	}
	if d.Kind == StaleTTL || d.Kind == WrongValue {
		if a := e.Attribute(d.Attribute); a != nil {
			d.Stored, d.Expected = m.MaskText(d.Stored, a.Sensitive, a.Format), m.MaskText(d.Expected, a.Sensitive, a.Format)
		}
		return d
	}
	t, ok := e.Keys[d.Attribute]
	if !ok { // The live table uses another name, so this may be any key of the entity.
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

// A finder finds the defects of one item.
type finder struct {
	Drift
	entity  *models.Entity
	item    models.Item
	values  models.Values
	missing []string
}

func (f *finder) itemWithSchemaKeys() models.Item {
	it := f.item
	for _, k := range f.entity.Table.KeyAttributes() {
		if v, present := f.item[f.Live.keyName(f.entity.Table, k.Name)]; present && it[k.Name] == nil {
			it = it.Clone()
			it[k.Name] = v
		}
	}
	return it
}

// missingAttributes omits attributes that are reported as wrong keys or times.
func (f *finder) missingAttributes() []string {
	return slices.DeleteFunc(f.entity.MissingAttributes(f.item), func(name string) bool {
		if _, key := f.entity.Keys[name]; key {
			return true
		}
		a := f.entity.Attribute(name)
		if a.Equals == "" || !a.Format.IsTime() {
			return false
		}
		_, present := f.item.Text(a.Equals)
		return present
	})
}

func (f *finder) keyDefect(k models.Key) (Defect, bool) {
	t := f.entity.Keys[k.Name]
	name := f.Live.keyName(f.entity.Table, k.Name)
	stored, present := f.item.Text(name)
	d := Defect{Kind: StaleKey, Attribute: name, Stored: stored}
	if !f.entity.HasKey(k.Name, f.item, f.values) {
		d.Text = "present, but an item is in the index only if " + f.entity.KeyCondition(k.Name)
		return d, present
	}
	expected, err := t.Format(f.values)
	switch {
	case err != nil:
		valueErr, isValueErr := errors.AsType[*models.ValueError](err)
		switch {
		case !present: // a sparse index
			return d, false
		case isValueErr && (slices.Contains(f.missing, valueErr.Name) || f.roundTrips(t, stored)):
			return d, false
		case !isValueErr:
			d.Text = "present, but cannot be computed"
		case !f.has(valueErr.Name):
			d.Text = fmt.Sprintf("present, but %s is not set", valueErr.Name)
		default:
			d.Text = fmt.Sprintf("present, but cannot be computed from %s", valueErr.Name)
		}
		return d, true
	case !present:
		d.Expected, d.Text = expected, "missing: the item is not in its index"
		return d, f.isIndexed(k.Name)
	case stored == expected || f.roundTrips(t, stored):
		return d, false
	}
	d.Expected, d.Text = expected, "does not match the attributes: the item is in the wrong place in its index"
	return d, true
}

// primaryKeyDefect reports a table key that differs from the attributes. A repair cannot determine which one is wrong.
func (f *finder) primaryKeyDefect(k models.Key) (Defect, bool) {
	t, declared := f.entity.Keys[k.Name]
	stored, _ := f.item.Text(k.Name)
	expected, err := t.Format(f.values)
	if valueErr, isValueErr := errors.AsType[*models.ValueError](err); declared && isValueErr && f.has(valueErr.Name) &&
		!f.roundTrips(t, stored) {
		empty, _ := f.item.Text(valueErr.Name)
		return Defect{
			Kind: StaleKey, Attribute: k.Name, Stored: stored,
			Text: "has a value where " + valueErr.Name + " is empty",
		}, empty == ""
	}
	if !declared || err != nil || expected == stored || f.roundTrips(t, stored) {
		return Defect{}, false
	}
	return Defect{
		Kind: StaleKey, Attribute: k.Name, Stored: stored, Expected: expected,
		Text: "does not match the attributes; a primary key cannot change, so correct the attributes or move the item",
	}, true
}

func (f *finder) has(path string) bool {
	_, present := f.item.At(path)
	return present
}

func (f *finder) isIndexed(name string) bool {
	table := f.entity.Table
	return slices.ContainsFunc(table.Indexes, func(x *models.Index) bool {
		lacks := func(k models.Key) bool { return !f.canCompute(k) }
		return x.HasKey(name) && f.Live.hasIndex(table, x) && !slices.ContainsFunc(x.KeyAttributes(), lacks)
	})
}

func (f *finder) canCompute(k models.Key) bool {
	if _, present := f.item[f.Live.keyName(f.entity.Table, k.Name)]; present {
		return true
	}
	t, ok := f.entity.Keys[k.Name]
	if !ok || !f.entity.HasKey(k.Name, f.item, f.values) {
		return false
	}
	_, err := t.Format(f.values)
	return err == nil
}

func (f *finder) roundTrips(t models.Template, stored string) bool {
	m, err := t.ParseItem(stored, f.item.Text)
	if err != nil {
		return false
	}
	formatted, err := t.Format(func(name string) (string, bool) {
		if v, ok := m.Values[name]; ok && isKeyOnly(f.entity, name) {
			return v, true
		}
		return f.values(name)
	})
	return err == nil && formatted == stored
}

func (f *finder) timeDefect(a *models.Attribute, source string) (Defect, bool) {
	text, _ := f.item.Text(source)
	stored, _ := f.item.Text(a.Path)
	present := f.has(a.Path)
	d := Defect{Kind: StaleTTL, Attribute: a.Path, Stored: stored}
	switch hasSource := f.has(source); {
	case a.KeyOnly || !hasSource && (!present || a.Required):
		return d, false
	case !hasSource:
		d.Text = "present, but " + source + ", which it must equal, is not set"
		return d, true
	}
	at, err := f.entity.ReadTime(source, text, f.Now)
	if err != nil {
		d.Text = source + ", which it must equal, is not a time"
		return d, true
	}
	d.Expected, _ = a.Format.FormatTime(at.Time)
	storedTime, readable := a.Format.ReadTime(stored)
	switch {
	case !present:
		d.Text = "missing, but must equal " + source
	case !readable:
		d.Text = "not a time in the format " + string(a.Format)
	case a.Format.IsDay() && stored != d.Expected, !a.Format.IsDay() && storedTime.Unix() != at.Unix():
		d.Text = "differs from " + source + ", which it must equal"
	default:
		return d, false
	}
	return d, true
}
