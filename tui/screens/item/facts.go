package item

import (
	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// itemFacts is made once for an item and a masker.
type itemFacts struct {
	entity    *models.Entity // nil: no entity matches
	why       string         // then: why not the nearest one
	name, id  string
	filed     string      // the id as it may stand in a file, whatever is revealed
	states    int         // number of the badges that are states: the first ones
	masked    models.Item // every value in the facts comes from here
	keyText   string
	size      int // bytes, as DynamoDB counts them
	keys      []keyFact
	missing   []string
	expiry    string
	expiryBad bool
	relations []present.Relation
	findings  []*accesspatterns.Finding
	defects   []change.Defect // of the item itself, masked
}

func newItemFacts(env *screen.Env, masker *models.Masker, table *models.Table, it models.Item) itemFacts {
	f := itemFacts{masked: masker.Item(table, it), name: "Unknown item", size: it.Size()}
	f.keyText = table.KeyText(f.masked)
	r, ok := env.Session.Recognize(table, it)
	if !ok {
		f.why = present.WhyUnknown(env, masker, table, it)
		f.id, f.filed = f.keyText, table.KeyText(present.Unrevealed(env, masker).Item(table, it))
		return f
	}
	e := r.Entity
	f.entity, f.name = e, present.EntityName(e)
	f.id, f.filed = present.ItemTitle(e, masker, r, it).Text, present.ItemID(e, present.Unrevealed(env, masker), r, it).Text
	f.keys = keyFacts(e, masker, it)
	f.missing = e.MissingAttributes(it)
	f.expiry, f.expiryBad = present.Expiry(env, table, it)
	f.relations = present.RelationsOf(env, masker, table, it, f.masked)
	f.findings = present.FindingsOf(env, e)
	f.defects = env.Drift.DefectsShown(masker, table, it)
	for _, l := range e.Lifecycles {
		if _, ok := f.masked.Text(l.Attribute); ok {
			f.states++
		}
	}
	return f
}

func (f *itemFacts) badges() []widget.Cell {
	var list []widget.Cell
	if f.entity == nil {
		return []widget.Cell{{Text: "? matches no entity", Role: widget.RoleWarn}}
	}
	for _, l := range f.entity.Lifecycles {
		if state, ok := f.masked.Text(l.Attribute); ok {
			list = append(list, present.StateBadge(l, state))
		}
	}
	if f.expiry != "" {
		cell := widget.Cell{Text: f.expiry, Role: widget.RoleMuted}
		if f.expiryBad {
			cell = widget.Cell{Text: "✗ " + f.expiry, Role: widget.RoleBad}
		}
		list = append(list, cell)
	}
	if len(f.missing) > 0 {
		list = append(list, widget.Cell{Text: "! incomplete", Role: widget.RoleWarn})
	}
	return list
}
