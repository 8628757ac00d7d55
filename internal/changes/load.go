package changes

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// LoadPlan plans the change of a file with one item again from the current items. The error is a *change.Conflict if
// the data changed, and a *session.Refusal if the schema or the target differs.
func (pl *Planner) LoadPlan(ctx context.Context, f *File) (*change.Plan, error) {
	part, err := f.Single()
	if err != nil {
		return nil, err
	}
	if err := f.check(pl.s); err != nil {
		return nil, err
	}
	return pl.loadPart(ctx, f, part)
}

func (pl *Planner) loadPart(ctx context.Context, f *File, part Part) (*change.Plan, error) {
	inputs, err := f.inputs(pl.s, part)
	if err != nil {
		return nil, err
	}
	p, err := pl.planAgain(ctx, f, part, inputs)
	var conflict *change.Conflict
	switch {
	case err != nil && !errors.As(err, &conflict):
		return nil, err
	case err != nil || !part.matches(pl.s, p):
		return nil, pl.dataChangedError(f, part, p, conflict)
	}
	w, it := p.Writes[0], p.SubjectBefore()
	if it == nil {
		it = w.After
	}
	if partKey(pl.s, w.Table, it) != part.Key {
		return nil, editedRefusal() // The plan would change a different item from the reviewed one.
	}
	return p, nil
}

// planAgain plans the change of a part with its original author, token and time, but with the current items.
func (pl *Planner) planAgain(ctx context.Context, f *File, part Part, inputs map[string]string) (*change.Plan, error) {
	setOriginal := func(g *change.UserInput) {
		g.Actor, g.Identity, g.Token, g.Now = f.Actor, f.Person().Identity(), part.Token, f.Created
	}
	if f.Undoes != "" {
		original, err := pl.planToUndo(f)
		if err != nil {
			return nil, err
		}
		return pl.planUndo(ctx, original, f.Reason, setOriginal)
	}
	a, err := pl.Action(f.Action)
	if err != nil {
		return nil, err
	}
	if err := pl.s.CanPlan(a); err != nil {
		return nil, err
	}
	g, err := pl.userInput(ctx, a, inputs, f.Reason)
	if err != nil {
		return nil, err
	}
	setOriginal(&g)
	b, err := pl.gather(ctx, a, g)
	if err != nil {
		return nil, err
	}
	return pl.planWithGuard(a, b)
}

func (pl *Planner) planToUndo(f *File) (*change.Plan, error) {
	for c, err := range pl.journal.Past() {
		if err == nil && c.Intent.Detail.Token == f.Undoes {
			return pl.journal.Undoable(c)
		}
	}
	return nil, &session.Refusal{
		Reason: "this machine's journal does not contain the change that the plan undoes",
		Advice: "apply it on the machine that applied the change",
	}
}

// ActionOf returns the action of a file. For an undo, it returns the action of the change to undo.
func (pl *Planner) ActionOf(f *File) (*change.Action, error) {
	if f.Undoes == "" {
		return pl.Action(f.Action)
	}
	original, err := pl.planToUndo(f)
	if original == nil {
		return nil, err
	}
	return original.Action, nil
}

func (pl *Planner) dataChangedError(f *File, part Part, p *change.Plan, conflict *change.Conflict) error {
	out := &change.Conflict{Message: "the data changed since the plan was created at " + f.Created.UTC().Format(time.RFC3339)}
	if conflict != nil {
		out.Message += ": " + conflict.Message
		out.Differences, out.Lasting = conflict.Differences, true
		return out
	}
	const otherChange = "the plan would now write something else"
	var oldWrites []struct {
		Before map[string]any `json:"before"`
	}
	if models.DecodeJSON(string(part.Writes), &oldWrites) != nil || p == nil || len(oldWrites) != len(p.Writes) {
		out.Message += ": " + otherChange
		return out
	}
	var paths []string
	for i, w := range p.Shown(pl.s.FullMasker()).Writes {
		var now map[string]any
		if w.Before == nil || models.DecodeJSON(string(w.Before.AppendJSON(nil)), &now) != nil {
			continue
		}
		for _, name := range w.Before.Names() {
			if fmt.Sprint(now[name]) != fmt.Sprint(oldWrites[i].Before[name]) {
				paths = append(paths, fmt.Sprintf("%s was %s, is now %s", name, shortValue(oldWrites[i].Before[name]),
					shortValue(now[name])))
			}
		}
	}
	if len(paths) == 0 {
		paths = append(paths, otherChange)
	}
	out.Message += ": " + strings.Join(paths, "; ")
	return out
}

func shortValue(v any) string {
	const cells = 60
	if v == nil {
		return "not set"
	}
	return models.PrintableCell(fmt.Sprint(v), cells)
}

// Apply applies the plan of a file with one item. If the action needs a second person, it refuses the author of the
// plan. The same transaction applies a plan that is joined to p.
func (c *Committer) Apply(ctx context.Context, f *File, p *change.Plan) (*Commitment, error) {
	return c.commit(ctx, p, origin{file: f})
}

// planForApplier plans p again as a change by the user who applies the file.
func (c *Committer) planForApplier(p *change.Plan, f *File, m Member) (*change.Plan, error) {
	b := *p.Basis
	b.Actor, b.Identity = c.s.Actor(), c.s.Person().Identity()
	if f.Actor != c.s.Actor() {
		b.Reason = b.Reason.WithNote("(planned by " + f.Actor + ")")
	}
	if p.Joined != nil || m.Set != "" || c.wasSent(b.Token, f.Created) {
		// DynamoDB applies a transaction once for its token, but reports success to every sender. If several users
		// apply one request, only the user whose decision the table stores may receive that success. If a user applies
		// a file again after an undo, DynamoDB would write nothing. An interrupted set may send an item again with a
		// later time, and DynamoDB rejects a repeated token with different content.
		b.Token = change.NewToken()
	}
	return p.At(b)
}

// wasSent reports whether a change with this token may have been sent since a time. An unreadable line may be one.
func (c *Committer) wasSent(token string, since time.Time) bool {
	for e, err := range journal.Backward(c.s.JournalPath()) {
		switch {
		case err != nil || e.Kind == journal.Intent && e.Detail.Token == token:
			return true
		case e.Time.Before(since.Add(-journalSkew)):
			return false
		}
	}
	return false
}

// A Member identifies the item of a set for the journal. The zero Member represents a change without a set.
type Member struct {
	Set    string // ID of the set
	Number int    // number of the item, from 1
}

// An origin is the source of a change.
type origin struct {
	file            *File // nil without a file
	fromThisMachine bool  // this machine wrote the file, so its MAC was checked
	member          Member
}

func (o origin) notes() []string {
	if o.file == nil || o.fromThisMachine {
		return nil
	}
	return []string{"the plan was created on another machine; this machine cannot verify who created it"}
}

func (o origin) record(d *journal.Detail) {
	if o.member.Set != "" {
		d.Sweep, d.Part = o.member.Set, strconv.Itoa(o.member.Number)
	}
	if o.file == nil {
		return
	}
	d.PlannedBy, d.Planner = o.file.Actor, strings.TrimPrefix(o.file.Identity+"; "+o.file.User, "; ")
	d.Notes = strings.Join(o.notes(), "; ")
}
