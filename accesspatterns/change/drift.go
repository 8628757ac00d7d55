package change

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
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
	Live     LiveTables
}

// Defects returns what the item is and what is wrong with it: what no entity
// fits first, then what is missing, then keys in the table's order, then times.
// The Recognition has no entity when none fits.
func (d Drift) Defects(table *models.Table, it models.Item) (models.Recognition, []Defect) {
	r, ok := models.Recognize(d.Entities, table, it)
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

// Derives reports whether a repair would change an item of the entity: whether
// anything that derives from other attributes disagrees with them.
func (d Drift) Derives(e *models.Entity, it models.Item) bool {
	after := it.Clone()
	newScope(&Action{Entity: e}, d.basis()).derive(e, it, after, true)
	return !models.EqualItems(it, after)
}

func (d Drift) basis() *Basis {
	return &Basis{Given: Given{Now: d.Now, Live: d.Live}}
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
			n += accesspatterns.CommonPrefix(head, text)
		}
		if _, err := t.Parse(text); err == nil {
			n++
		}
	}
	return n
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
