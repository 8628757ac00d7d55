package screens

import (
	"errors"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// itemFacts is made once for an item and a masker.
type itemFacts struct {
	entity    *models.Entity // nil: no entity matches
	why       string         // then: why not the nearest one
	name, id  string
	filed     string      // the id as it may stand in a file, whatever is revealed
	masked    models.Item // every value in the facts comes from here
	keyText   string
	size      int // bytes, as DynamoDB counts them
	keys      []keyFact
	missing   []string
	expiry    string
	expiryBad bool
	relations []relation
	findings  []*accesspatterns.Finding
}

func newItemFacts(env *Env, masker *models.Masker, table *models.Table, it models.Item) itemFacts {
	f := itemFacts{masked: masker.Item(table, it), name: "Unknown item", size: it.Size()}
	f.keyText = table.KeyText(f.masked)
	r, ok := env.Session.Recognise(table, it)
	if !ok {
		f.why = whyUnknown(env, masker, table, it)
		f.id, f.filed = f.keyText, table.KeyText(unrevealed(env, masker).Item(table, it))
		return f
	}
	e := r.Entity
	f.entity, f.name = e, entityName(e)
	f.id, f.filed = itemID(e, masker, r, it), itemID(e, unrevealed(env, masker), r, it)
	f.keys = keyFacts(e, masker, it)
	f.missing = e.MissingAttributes(it)
	f.expiry, f.expiryBad = expiry(env, table, it)
	f.relations = relationsOf(env, masker, table, it, f.masked)
	f.findings = findingsOf(env, e)
	return f
}

// unrevealed is the masker for what outlives the console: the names of files and
// bookmarks.
func unrevealed(env *Env, masker *models.Masker) *models.Masker {
	if masker.Hides(models.PII) {
		return masker
	}
	return models.NewMasker(env.Session.Profile().Entities, false)
}

func entityName(e *models.Entity) string {
	if e.Title != "" {
		return e.Title
	}
	return e.Name
}

// itemID is what people call the item by: the placeholder of its keys that is
// named after the entity, else the last one of the sort key, else the first of
// the partition key.
func itemID(e *models.Entity, masker *models.Masker, r models.Recognition, it models.Item) string {
	pk, _ := e.KeyTemplate(e.Table.PartitionKey.Name)
	sk, _ := e.KeyTemplate(e.Table.SortKey.Name)
	names := append(pk.Placeholders(), sk.Placeholders()...)
	best := ""
	if len(names) > 0 {
		best = names[0]
	}
	if n := sk.Placeholders(); len(n) > 0 {
		best = n[len(n)-1]
	}
	for _, n := range names {
		if strings.EqualFold(n, e.Name+"Id") || strings.EqualFold(n, "id") {
			best = n
		}
	}
	if best == "" {
		return ""
	}
	value := r.Values[best]
	if text, ok := it.Text(best); ok {
		value = text
	}
	if a := e.Attribute(best); a != nil {
		return masker.MaskText(value, a.Sensitive, a.Format)
	}
	return value
}

// whyUnknown explains by the entity that comes nearest why the item is none of
// those that the schema describes.
func whyUnknown(env *Env, masker *models.Masker, table *models.Table, it models.Item) string {
	var nearest *models.Entity
	var reason error
	at := -1
	for _, e := range env.Session.Profile().EntitiesOf(table) {
		err := e.Explain(it)
		var m *models.Mismatch
		if errors.As(err, &m) && m.Pos > at {
			nearest, reason, at = e, err, m.Pos
		}
	}
	if nearest == nil {
		return "the schema describes no item of this table"
	}
	for _, k := range []models.Key{table.PartitionKey, table.SortKey} {
		t, ok := nearest.KeyTemplate(k.Name)
		if ok && masker.Hides(nearest.TemplateSensitivity(t)) {
			return "no entity of the schema has such a key; the nearest is " + entityName(nearest)
		}
	}
	return "nearest: " + entityName(nearest) + ", but " + reason.Error()
}

// expiry says when the item's time to live ends. DynamoDB deletes within days
// of that moment, so an expired item may still be read.
func expiry(env *Env, table *models.Table, it models.Item) (text string, past bool) {
	if table.TTL == "" {
		return "", false
	}
	digits, ok := it.Text(table.TTL)
	if !ok || models.ValueType(it[table.TTL]) != models.TypeN {
		return "", false
	}
	t, ok := models.EpochSeconds.ReadTime(digits)
	if !ok {
		return "", false
	}
	if !t.After(env.Now()) {
		return "expired, waiting for deletion", true
	}
	return "expires " + age(t, env.Now()), false
}

// findingsOf lists what the document gets wrong about the entity and the
// patterns that return it, the gravest first.
func findingsOf(env *Env, e *models.Entity) []*accesspatterns.Finding {
	p := env.Session.Profile()
	list := append([]*accesspatterns.Finding(nil), p.FindingsOf(e)...)
	seen := map[*accesspatterns.Finding]bool{}
	for _, f := range list {
		seen[f] = true
	}
	for _, q := range p.Patterns {
		for _, r := range q.Returns {
			if r != e {
				continue
			}
			for _, f := range q.Findings {
				if !seen[f] {
					seen[f] = true
					list = append(list, f)
				}
			}
		}
	}
	gravity := accesspatterns.FindingKinds()
	slices.SortStableFunc(list, func(a, b *accesspatterns.Finding) int {
		return slices.Index(gravity, a.Kind) - slices.Index(gravity, b.Kind)
	})
	return list
}

// badges are the states of the item and its expiry, for the header.
func (f *itemFacts) badges() []widget.Cell {
	var list []widget.Cell
	if f.entity == nil {
		return []widget.Cell{{Text: "? matches no entity", Role: widget.RoleWarn}}
	}
	for _, l := range f.entity.Lifecycles {
		if state, ok := f.masked.Text(l.Attribute); ok {
			list = append(list, StateBadge(l, state))
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
