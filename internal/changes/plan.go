package changes

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/models"
)

// Action finds an action by its ID. The error wraps session.ErrInput and suggests the closest ID.
func (pl *Planner) Action(id string) (*change.Action, error) {
	if a := pl.s.Profile().Action(id); a != nil {
		return a, nil
	}
	ids := pl.s.Profile().ActionIDs()
	hint := models.DidYouMean(id, ids)
	switch {
	case hint == "" && len(ids) == 0:
		hint = "; the schema has no actions"
	case hint == "":
		hint = "; actions: " + strings.Join(ids, ", ")
	}
	return nil, session.InputErrorf("%s has no action %q%s", pl.s.Profile().Name, models.Printable(id), hint)
}

// Plan reads the data that the action needs and plans it. It writes nothing, and every role may plan. The error is an
// *accesspatterns.ParamError about an input, a *change.Conflict, a *session.Refusal, or an error of the store.
func (pl *Planner) Plan(ctx context.Context, a *change.Action, inputs map[string]string, reason string) (*change.Plan, error) {
	if err := pl.s.CanPlan(a); err != nil {
		return nil, err
	}
	ctx, end := pl.s.BeginLookup(ctx, &session.Lookup{Subject: "plan " + a.FullID(), Arguments: inputs, Always: pl.revealsMasked(a)})
	p, err := pl.plan(ctx, a, inputs, reason)
	if err = end(err); err != nil {
		return nil, err
	}
	return p, nil
}

// revealsMasked reports whether the journal must record plans of the action in the same way as reads of masked values.
func (pl *Planner) revealsMasked(a *change.Action) bool {
	return len(a.RevealingNames()) > 0 && pl.s.Masker().Hides(models.PII)
}

func (pl *Planner) plan(ctx context.Context, a *change.Action, inputs map[string]string, reason string) (*change.Plan, error) {
	g, err := pl.userInput(ctx, a, inputs, reason)
	if err != nil {
		return nil, err
	}
	b, err := pl.gather(ctx, a, g)
	if err != nil {
		return nil, err
	}
	if err := pl.checkMaskedEdits(a, b); err != nil {
		return nil, err
	}
	p, err := pl.planWithGuard(a, b)
	if conflict, ok := errors.AsType[*change.Conflict](err); ok {
		if first := models.MapSlice(pl.Prerequisites(a, b.Items[change.Subject]), (*change.Action).Short); len(first) > 0 {
			_ = conflict.Appendf("; run %s first", models.Terms(first))
		}
	}
	return p, err
}

// PlanUndoOf plans to undo a past change. The error is a *session.Refusal if the change cannot be undone. Otherwise, it
// returns the same errors as Plan.
func (pl *Planner) PlanUndoOf(ctx context.Context, c PastChange, reason string) (*change.Plan, error) {
	p, err := pl.journal.Undoable(c)
	if err != nil {
		return nil, err
	}
	return pl.PlanUndo(ctx, p, reason)
}

// PlanUndo reads the items that the plan wrote and plans to restore them. It returns the same errors as Plan.
func (pl *Planner) PlanUndo(ctx context.Context, p *change.Plan, reason string) (*change.Plan, error) {
	return pl.planUndo(ctx, p, reason, func(*change.UserInput) {})
}

func (pl *Planner) planUndo(ctx context.Context, p *change.Plan, reason string, modify func(*change.UserInput)) (*change.Plan, error) {
	if err := pl.s.CanPlan(p.Action); err != nil {
		return nil, err
	}
	if err := checkUndoPerson(pl.s, p); err != nil {
		return nil, err
	}
	g, err := pl.userInput(ctx, p.Action, p.Basis.Inputs, reason)
	if err != nil {
		return nil, err
	}
	modify(&g)
	g.LaterWrites = pl.journal.writesAfter(p)
	undo, err := p.Undo(ctx, g, pl.rd.Get)
	if conflict, ok := errors.AsType[*change.Conflict](err); ok {
		return nil, pl.shownConflict(conflict, p)
	}
	return undo, err
}

func (pl *Planner) gather(ctx context.Context, a *change.Action, g change.UserInput) (*change.Basis, error) {
	b, err := a.Gather(ctx, g, pl.rd.Get)
	if err != nil {
		return nil, err
	}
	subject := b.Items[change.Subject]
	for _, p := range a.Exclusive {
		found := accesspatterns.Relations([]*accesspatterns.Pattern{p}, pl.s.Profile().Entities, accesspatterns.ItemView(a.Entity, subject))
		if len(found) == 0 {
			return nil, change.Conflictf("the item lacks an attribute that %s needs to find the items that %s would leave behind",
				p.Short(), a.Term())
		}
		for _, r := range found {
			other, err := pl.otherItem(ctx, r, a.Entity.Table, subject)
			if err != nil {
				return nil, err
			}
			if other != "" {
				return nil, change.Conflictf("%s would leave items behind: %s finds %s; delete them first", a.Term(), p.Short(), other)
			}
		}
	}
	return b, nil
}

// otherItem returns the masked name of another item, or "" if there is none.
func (pl *Planner) otherItem(ctx context.Context, r accesspatterns.Related, table *models.Table, subject models.Item) (string, error) {
	it, err := pl.firstItem(ctx, r.Pattern, r.Args, func(it models.Item) bool {
		key, _ := r.Pattern.Table.PrimaryKey(it)
		subjectKey, _ := table.PrimaryKey(subject)
		return r.Pattern.Table != table || !models.EqualItems(key, subjectKey)
	})
	if it == nil {
		return "", err
	}
	name := "an item"
	if m, ok := pl.s.Recognize(r.Pattern.Table, it); ok {
		name = m.Entity.Title
	}
	return name + " " + models.Printable(r.Pattern.Table.KeyText(pl.s.FullMasker().Item(r.Pattern.Table, it))), nil
}

func (pl *Planner) firstItem(
	ctx context.Context, p *accesspatterns.Pattern, args map[string]string, fits func(models.Item) bool,
) (models.Item, error) {
	run, err := pl.rd.Start(p, args, reading.RunOptions{Stored: true})
	for err == nil {
		var page reading.Page
		page, err = run.Next(ctx)
		if i := slices.IndexFunc(page.Items, fits); i >= 0 {
			return page.Items[i], nil
		}
		if !page.More {
			break
		}
	}
	return nil, err
}

func (pl *Planner) userInput(ctx context.Context, a *change.Action, inputs map[string]string, reason string) (change.UserInput, error) {
	g := change.UserInput{
		Inputs: inputs, Actor: pl.s.Actor(), Identity: pl.s.Person().Identity(), Token: change.NewToken(), Now: pl.s.Now().UTC(),
		Override: pl.s.OverridesActions(),
	}
	g.FirstItem = func(ctx context.Context, p *accesspatterns.Pattern, args map[string]string, e *models.Entity) (models.Item, error) {
		return pl.firstItem(ctx, p, args, func(it models.Item) bool { return e.Explain(it) == nil })
	}
	var err error
	if g.Reason, err = session.ReasonFor(a, reason); err != nil {
		return g, err
	}
	live, err := pl.liveTables(ctx, a)
	if err != nil {
		return g, err
	}
	g.Live = func(t *models.Table) *models.Table {
		if l := live[t]; l != nil {
			return l
		}
		return t
	}
	return g, nil
}

// liveTables describes tables with an incomplete schema. If it may not describe a table, it uses the declaration.
func (pl *Planner) liveTables(ctx context.Context, a *change.Action) (map[*models.Table]*models.Table, error) {
	live := map[*models.Table]*models.Table{}
	for _, e := range a.WrittenEntities() {
		if live[e.Table] != nil || len(e.Table.Indexes) == 0 {
			continue
		}
		info, err := pl.tables.Describe(ctx, e.Table.Name)
		if err != nil && store.ClassOf(err) != store.AccessDenied {
			return nil, err
		}
		live[e.Table] = tables.Live(e.Table, info, err == nil)
	}
	return live, nil
}
