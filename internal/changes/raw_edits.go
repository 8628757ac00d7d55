package changes

import (
	"errors"
	"fmt"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// checkMaskedEdits refuses to edit hidden values, because the plan would reveal whether they change.
func (pl *Planner) checkMaskedEdits(a *change.Action, b *change.Basis) error {
	if !a.IsRaw() {
		return nil
	}
	shown := pl.s.Masker().Lazy(a.Entity.Table, b.Items[change.Subject])
	for _, path := range a.RawPaths(b.Inputs) {
		if shown.Hides(path) {
			return &session.Refusal{
				Reason: models.Printable(models.PathText(path)) + " is masked, so you cannot edit it unseen", Advice: "add --reveal",
			}
		}
	}
	return nil
}

// CheckGuard refuses a raw change of an item, as it was shown, that an action of the schema should make. It sends no
// requests. A nil error is preliminary, because planning reads the item and checks it again.
func (pl *Planner) CheckGuard(a *change.Action, inputs map[string]string, shown models.Item) error {
	b := &change.Basis{
		UserInput: change.UserInput{Inputs: inputs, Actor: pl.s.Actor(), Now: pl.s.Now().UTC(), Override: pl.s.OverridesActions()},
		Values:    map[string]accesspatterns.Value{}, Items: map[string]models.Item{},
	}
	if shown != nil {
		b.Items[change.Subject] = shown
	}
	if _, err := pl.planWithGuard(a, b); errors.Is(err, session.ErrRefused) {
		return err
	}
	return nil
}

// planWithGuard refuses raw changes that an action of the schema should make.
func (pl *Planner) planWithGuard(a *change.Action, b *change.Basis) (*change.Plan, error) {
	p, err := a.Plan(b)
	guardErr, ok := errors.AsType[*change.GuardError](err)
	if !ok {
		return p, err
	}
	next := "set raw-edits: override in the context to change it with a second person"
	if a := guardErr.Action; a != nil && a.Disabled == "" {
		next = "choose it in the menu of the item (o)"
		if first := pl.Prerequisites(a, b.Items[change.Subject]); len(first) > 0 {
			next = fmt.Sprintf("choose %s, then %s, in the menu of the item (o)", first[0].Title, a.Title)
		} else if now, starts := startsFrom(a, b.Items[change.Subject]); !starts && now != "" {
			next = fmt.Sprintf("the current state, %s, does not allow that action", a.Lifecycle.Term(now))
		}
		if !pl.s.InConsole() {
			words := []string{"change", session.SchemaName(pl.s.Profile()), a.ID}
			values := a.Entity.Values(pl.s.Masker().Item(a.Entity.Table, b.Items[change.Subject]))
			for _, name := range a.Entity.KeyPlaceholders() {
				if v, ok := values(name); ok {
					words = append(words, name+"="+v)
				}
			}
			next = "use " + pl.s.Command(words...)
		}
	}
	return nil, &session.Refusal{Reason: guardErr.Error(), Advice: next}
}
