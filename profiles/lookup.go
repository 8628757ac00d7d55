package profiles

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
)

func find[T any](list []*T, fits func(*T) bool) *T {
	if i := slices.IndexFunc(list, fits); i >= 0 {
		return list[i]
	}
	return nil
}

func filter[T any](list []*T, fits func(*T) bool) []*T {
	var out []*T
	for _, x := range list {
		if fits(x) {
			out = append(out, x)
		}
	}
	return out
}

func (p *Profile) localID(id string) string { return strings.TrimPrefix(id, p.Name+".") }

// Table returns the table with the ID or real name, or nil.
func (p *Profile) Table(name string) *models.Table {
	return find(p.Tables, func(t *models.Table) bool { return t.ID == name || t.Name == name })
}

// TableSource returns the name of a table as it is written, with its variables. It is what an
// edit of the file has to find.
func (p *Profile) TableSource(t *models.Table) string {
	d, _ := p.decl.Tables.Get(t.ID)
	return cmp.Or(d.Name, t.ID)
}

// Entity returns the entity with the name, or nil.
func (p *Profile) Entity(name string) *models.Entity {
	return find(p.Entities, func(e *models.Entity) bool { return e.Name == name })
}

// Pattern returns the pattern or listing with the ID, which can start with the
// profile's name, or nil.
func (p *Profile) Pattern(id string) *accesspatterns.Pattern {
	id = p.localID(id)
	has := func(q *accesspatterns.Pattern) bool { return q.ID == id }
	return cmp.Or(find(p.Patterns, has), find(p.listings, has))
}

// Action returns the action with the ID, which can start with the profile's
// name, or nil. An ID comes before an alias of another action.
func (p *Profile) Action(id string) *change.Action {
	id = p.localID(id)
	if a := find(p.Actions, func(a *change.Action) bool { return a.ID == id }); a != nil {
		return a
	}
	return find(p.Actions, func(a *change.Action) bool { return slices.Contains(a.Aliases, id) })
}

// Queue returns the queue with the ID, which can start with the profile's name,
// or nil.
func (p *Profile) Queue(id string) *change.Queue {
	id = p.localID(id)
	return find(p.Queues, func(q *change.Queue) bool { return q.ID == id })
}

// PatternIDs returns the IDs of the patterns without the profile's name.
func (p *Profile) PatternIDs() []string {
	return models.NamesOf(p.Patterns, func(q *accesspatterns.Pattern) string { return q.ID })
}

// ActionIDs returns the IDs of the actions without the profile's name.
func (p *Profile) ActionIDs() []string {
	return models.NamesOf(p.Actions, func(a *change.Action) string { return a.ID })
}

// EntitiesOf returns the entities of the table. They are compared by identity, so the table
// must be of this profile. The order decides between two that match an item equally well; see
// models.Recognize.
func (p *Profile) EntitiesOf(t *models.Table) []*models.Entity {
	return filter(p.Entities, func(e *models.Entity) bool { return e.Table == t })
}

// FindingsOf returns the findings that concern the entity.
func (p *Profile) FindingsOf(e *models.Entity) []*accesspatterns.Finding {
	return filter(p.Findings, func(f *accesspatterns.Finding) bool { return slices.Contains(f.Entities, e.Name) })
}

// ActionsOf returns the actions that change items of the entity. Repairs that the profile does
// not declare are not among them; see RepairOf.
func (p *Profile) ActionsOf(e *models.Entity) []*change.Action {
	return filter(p.Actions, func(a *change.Action) bool { return a.Entity == e })
}

// TrailsOf returns the audit trails that cover the entity. A trail covers the entities of its
// About.
func (p *Profile) TrailsOf(e *models.Entity) []*change.Trail {
	return filter(p.Trails, func(t *change.Trail) bool {
		_, ok := t.Subject(e)
		return ok
	})
}

// RepairOf returns the action that recomputes the derived attributes of an item:
// the declared one or the default one. It is nil for an entity that another
// service owns.
func (p *Profile) RepairOf(e *models.Entity) *change.Action {
	return find(slices.Concat(p.Actions, p.repairs), func(a *change.Action) bool {
		return a.Entity == e && a.Kind == change.Repairs
	})
}

// AuditDisabled reports whether the profile states that the action writes no
// audit entry. An action without any trail writes none either, and it is false for it.
func (p *Profile) AuditDisabled(a *change.Action) bool {
	d, _ := p.decl.Actions.Get(a.ID)
	return d.Audit.text == noAudit
}

// Position returns the file, line and column, from 1, of the part of the profile at path, or of the closest part around it
// that is written down; zeros when there is none.
func (p *Profile) Position(path string) (file string, line, column int) {
	file, line, column = p.src.At(path)
	return cmp.Or(file, p.File), line, column
}
