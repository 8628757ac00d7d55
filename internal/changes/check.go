package changes

import (
	"context"
	"fmt"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// SubjectKey checks the inputs of an action without a database, and returns the primary key that they form, or nil if
// the key depends on data that the action reads. The error is an *accesspatterns.ParamError.
func (pl *Planner) SubjectKey(a *change.Action, inputs map[string]string) (models.Item, error) {
	return a.SubjectKey(change.UserInput{Inputs: inputs, Actor: pl.s.Actor(), Token: change.NewToken(), Now: pl.s.Now().UTC()})
}

// Refuse records in the journal that ddbdesk refused a change before planning it. It returns cause, joined with an
// error of the journal. The item may not exist.
func (c *Committer) Refuse(ctx context.Context, a *change.Action, inputs map[string]string, reason string, cause error) error {
	journalReason, _ := change.MakeReason(reason) // The journal omits an invalid reason.
	detail := journal.Detail{Reason: journalReason}
	if e := a.Entity; e != nil {
		detail.Entity, detail.Table = e.Name, e.Table.Name
		if key, err := c.planner.SubjectKey(a, inputs); err == nil && key != nil {
			detail.Key = models.Printable(e.Table.KeyText(c.s.FullMasker().KeyOf(e, key)))
		}
	}
	return c.s.Refuse(ctx, a.FullID(), detail, cause)
}

// Undoable returns the plan of a past change, for PlanUndo. The error is a *session.Refusal if the change cannot be
// undone. Undoable also returns the plan with the error if it can read the plan.
func (j *Journal) Undoable(c PastChange) (*change.Plan, error) {
	p, err := j.PlanOf(c)
	if err != nil {
		return nil, err
	}
	id := journal.ShortID(c.Intent.ID)
	switch {
	case c.Open():
		return p, &session.Refusal{
			Reason: "the outcome of change " + id + " is unknown",
			Advice: "resolve it first with " + j.s.SchemaCommand("journal", "resolve"),
		}
	case c.Unclear():
		return p, &session.Refusal{
			Reason: fmt.Sprintf("the outcome of change %s is %s", id, c.Outcome.Outcome),
			Advice: "check the items; to undo an earlier change, add its ID to " + j.s.SchemaCommand("undo"),
		}
	case !c.Committed():
		return p, session.Refusef("there is nothing to undo", "change %s was not applied: %s", id, c.Outcome.Outcome)
	case c.IsUndo():
		return p, &session.Refusal{Reason: "change " + id + " is itself an undo", Advice: "apply the original change again"}
	case c.Undone:
		return p, &session.Refusal{Reason: "change " + id + " is already undone", Advice: "list the changes with ddbdesk journal"}
	case p.Action.NoUndo != "":
		return p, session.Refusef("", "%s cannot be undone: %s", p.Action.Term(), p.Action.NoUndo)
	}
	return p, nil
}

// shownConflict masks the keys of items that the plan wrote, because the user did not enter them.
func (pl *Planner) shownConflict(c *change.Conflict, p *change.Plan) *change.Conflict {
	var tables []*models.Table
	out := *c
	for _, w := range p.Writes {
		tables = append(tables, w.Table)
		fullKey, maskedKey := w.Table.KeyText(w.Key), w.Table.KeyText(pl.s.Masker().KeyOf(w.Entity, w.Key))
		out.Replace(models.Printable(fullKey), models.Printable(maskedKey))
	}
	out.Differences = shownDifferences(pl.s, tables, c.Differences)
	return &out
}

// shownDifferences masks every attribute that is sensitive in any entity of the table, because the entity is unknown.
func shownDifferences(v *session.Viewer, tables []*models.Table, list []models.Change) []models.Change {
	m := v.Masker()
	out := make([]models.Change, len(list))
	for i, c := range list {
		table, name := declaringTable(v, tables, c.Path)
		out[i] = models.Change{Path: c.Path, Derived: c.Derived}
		if c.Before != nil {
			out[i].Before = m.Item(table, models.Item{name: c.Before})[name]
		}
		if c.After != nil {
			out[i].After = m.Item(table, models.Item{name: c.After})[name]
		}
	}
	return out
}

func declaringTable(v *session.Viewer, tables []*models.Table, path string) (*models.Table, string) {
	for _, t := range tables {
		for _, e := range v.Profile().EntitiesOf(t) {
			for _, name := range []string{path, topAttribute(path)} {
				if _, key := e.Keys[name]; key || e.Attribute(name) != nil && name == topAttribute(path) {
					return t, name
				}
			}
		}
	}
	return tables[0], path
}

func topAttribute(path string) string {
	name, _, _ := strings.Cut(path, ".")
	return name
}
