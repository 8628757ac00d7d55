package planner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/requests"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// changeOutcome is the outcome of a change.
type changeOutcome struct {
	status      changes.Status      // Planned if the dialog filed the plan as a request
	done        *changes.Commitment // set for Committed
	err         error               // set for other statuses
	differences []models.Change
	sent        bool   // the dialog attempted a write, not only a plan
	user        string // user who changed the item in the meantime, "" if unknown

	isRequest bool                 // the dialog filed a request, or tried to
	request   requests.Request     // set for Planned
	note      requests.NotifyError // reason why no one was notified of the request; nil if someone was
	reviewed  bool                 // the change came from a reviewed request
}

func outcomeOf(err error, sent bool) changeOutcome {
	e := changeOutcome{status: changes.StatusOf(err), err: err, sent: sent}
	if conflict, ok := errors.AsType[*change.Conflict](err); ok {
		e.differences = conflict.Differences
	}
	return e
}

func (c *Change) finish(e changeOutcome) tea.Cmd {
	c.enter(changeStepEnded)
	e.reviewed = c.isReviewed()
	c.outcome, c.inForm, c.expanded, c.confirmForm = e, false, false, nil
	c.form.SetFocused(false)
	c.dialog.Danger = e.status == changes.Unknown
	c.dialog.Buttons = []widget.Button{{Name: "close", Label: "Close"}}
	add := func(b widget.Button) { c.dialog.Buttons = append(c.dialog.Buttons, b) }
	if e.canRepeat() {
		add(button("again", "Plan again", c.startPlan))
	}
	if e.status == changes.Committed {
		for _, o := range c.Env.Planner.QueuesAfter(c.plan) {
			add(widget.Button{Name: "queue " + o.Queue.ID, Label: "Open queue " + o.Queue.Title, Run: func() (tea.Cmd, bool) {
				return screen.Open(screen.Queue{ID: o.Queue.ID, Given: o.Given}), true
			}})
		}
	}
	if e.status != changes.Committed && e.status != changes.Unknown && e.status != changes.Planned && !e.reviewed {
		add(button("inputs", "Inputs", then(c.ShowInputs)))
	}
	if d := e.done; e.status == changes.Committed && d.Plan.Undoes == nil && d.Plan.Action.NoUndo == "" && d.Unrecorded == nil {
		add(button("undo", undoVerb, then(c.startUndo)))
	}
	if e.status == changes.Committed && c.canFold() {
		add(button("fold", "Attributes", then(c.toggleFold)))
	}
	return c.startGrace()
}

func (e changeOutcome) canRepeat() bool {
	return e.status == changes.Conflict || e.status == changes.Failed
}

func (e changeOutcome) headline() (widget.Role, string) {
	text, result := "Nothing was written", "written"
	if e.isRequest {
		text, result = "The request was not filed", "filed"
	}
	switch e.status {
	case changes.Committed:
		return widget.RoleGood, "✓ Done"
	case changes.Planned:
		return widget.RoleGood, "✓ Requested"
	case changes.Conflict:
		switch {
		case e.isRequest:
			return widget.RoleWarn, "≠ " + text
		case e.reviewed:
			return widget.RoleWarn, "≠ " + text + ": the request or the data changed in the meantime"
		case e.sent:
			return widget.RoleWarn, "≠ " + text + ": the item changed in the meantime"
		}
		return widget.RoleWarn, "≠ Cannot apply this change to the item"
	case changes.Refused:
		return widget.RoleWarn, "⊘ Refused: nothing was sent"
	case changes.Unknown:
		return widget.RoleBad, "? Outcome unknown: it may have been " + result
	default:
	}
	return widget.RoleBad, "✗ " + text
}

func (c *Change) endLines(st *widget.Styles, w int) []string {
	e := c.outcome
	role, headline := e.headline()
	lines := []string{st.Paint(role, headline)}
	switch e.status {
	case changes.Committed:
		return append(lines, c.doneLines(st, w)...)
	case changes.Planned:
		return append(append(lines, ""), c.requestedLines(st, w)...)
	default:
	}
	lines = append(lines, "")
	text := e.err.Error()
	for _, prefix := range []string{change.NothingWritten, changes.ErrUnknown.Error() + ": "} {
		text = strings.TrimPrefix(text, prefix)
	}
	lines = append(lines, widget.Wrap(st, widget.RoleText, present.Join(text, e.user, ". "), w)...)
	if len(e.differences) > 0 {
		lines = append(lines, "", st.Paint(widget.RoleMuted, "was → is"))
		list := slices.Clone(e.differences)
		for i, d := range list {
			list[i].Before, list[i].After = c.maskedValue(d.Path, d.Before), c.maskedValue(d.Path, d.After)
		}
		lines = append(lines, c.changeRows(st, c.req.Action.Entity, list, w)...)
	}
	if next := e.nextStep(c.hasHistory()); next != "" {
		lines = append(lines, "")
		lines = append(lines, widget.Wrap(st, widget.RoleMuted, next, w)...)
	}
	return lines
}

func (c *Change) hasHistory() bool {
	return len(c.Env.Session.Profile().TrailsOf(c.req.Action.Entity)) > 0
}

func (e changeOutcome) nextStep(hasHistory bool) string {
	switch {
	case e.reviewed && e.canRepeat():
		return "Plan again rereads the request and the items."
	case e.reviewed && e.status == changes.Refused:
		return ""
	}
	text := map[changes.Status]string{
		changes.Conflict: "Your inputs are kept. Plan again rereads the items.",
		changes.Failed:   "Your inputs are kept. Plan again rereads the items.",
		changes.Refused:  "Your inputs are kept.",
		changes.Unknown: "Do not repeat the change until its outcome is known. Resolve the open entry in the journal, or with " +
			"ddbdesk journal resolve, which reads the items.",
	}[e.status]
	switch {
	case e.status == changes.Unknown && e.isRequest:
		return "Check the change requests before you file it again."
	case e.status == changes.Conflict && e.sent && e.user == "" && !e.isRequest && hasHistory:
		text += " The item's history may show who changed it."
	}
	return text
}

func (c *Change) doneLines(st *widget.Styles, w int) []string {
	d, p := c.outcome.done, c.shownPlan()
	facts := []string{present.Plural(len(p.Writes), "write")}
	if d.Capacity > 0 {
		cost := fmt.Sprintf("%g WCU", d.Capacity)
		if c.isReviewed() {
			cost += " with the request"
		}
		facts = append(facts, cost)
	}
	if c.expanded || !c.canFold() {
		facts = append(facts, "journal entry "+d.Journal)
	}
	if p.To != "" && p.From != p.To {
		facts = append([]string{p.From + " → " + p.To}, facts...)
	}
	lines := []string{st.Paint(widget.RoleMuted, models.PrintableCell(strings.Join(facts, " · "), w))}
	undoText := "Undo it here, or close the dialog and press o u on the item."
	switch a := c.req.Action; {
	case p.Undoes != nil:
		undoText = "This was an undo. To repeat the change, run the action again."
	case a.NoUndo != "":
		undoText = "It cannot be undone: " + a.NoUndo
	}
	lines = append(lines, widget.Wrap(st, widget.RoleMuted, undoText, w)...)
	if notes := noteLines(st, slices.Concat(d.Notes, p.Notes), w); len(notes) > 0 {
		lines = append(append(lines, ""), notes...)
	}
	return append(append(lines, ""), c.writesLines(st, p, w)...)
}

// maskedValue masks a value if any of the change's entities declares its path as sensitive.
func (c *Change) maskedValue(path string, v types.AttributeValue) types.AttributeValue {
	if v == nil {
		return nil
	}
	text, isScalar := models.ValueText(v)
	if !isScalar {
		return models.StringValue(present.Summary(v))
	}
	masker := c.Env.Session.Masker()
	entities := []*models.Entity{c.req.Action.Entity}
	for _, companion := range c.req.Action.Companions {
		entities = append(entities, companion.Entity)
	}
	shown := models.Display{Text: text}
	for _, e := range entities {
		if a := e.Attribute(path); a != nil {
			shown = shown.Stricter(masker.Display(text, a.Sensitive, a.Format))
		}
		if t, ok := e.Keys[path]; ok {
			shown = shown.Stricter(masker.Display(text, e.TemplateSensitivity(t), models.NoFormat))
		}
	}
	if !shown.Masked {
		return v
	}
	return shown.Value()
}

// undoVerb is the label of the undo button.
const undoVerb = "Undo"

// NewUndo returns the dialog that undoes a change in the journal, or the remaining changes of its set, and its first
// command. The dialog asks for a new reason. done works like ChangeRequest.Done; for a set it is called once, with nil.
func NewUndo(env *screen.Env, l changes.Latest, done func(*changes.Commitment) tea.Cmd) (*Change, tea.Cmd) {
	if !l.Many() {
		r := undoRequest(env, l.PastChange, l.Plan)
		r.Done = done
		return NewChange(env, r), nil
	}
	single := &changes.Commitment{Plan: l.Plan, Past: l.PastChange}
	m := undoableChanges{n: l.Set.Changes, single: single, sets: []string{l.Set.ID}, keys: l.Set.Keys}
	r := m.request(env)
	r.Ended = func() tea.Cmd { return done(nil) }
	return NewManyItems(env, r)
}

func undoRequest(env *screen.Env, past changes.PastChange, p *change.Plan) ChangeRequest {
	about := "Undoes the change by " + past.Intent.Actor + ", " + present.Age(past.Intent.Time, env.Now())
	if p.To != "" {
		about += ": " + p.From + " → " + p.To
	}
	about += ". The version and update time still advance. Audit entries stay; the undo adds one."
	return ChangeRequest{
		Action: p.Action, Title: "Undo " + p.Action.Title + " · " + subjectOf(env, p, past.Intent.Detail.Key), About: about, Verb: undoVerb,
		Plan: func(ctx context.Context, _ map[string]string, reason string) (*change.Plan, error) {
			return env.Planner.PlanUndoOf(ctx, past, reason)
		},
	}
}

func subjectOf(env *screen.Env, p *change.Plan, key string) string {
	w := p.Writes[0]
	it := w.After
	if it == nil {
		it = w.Key // The journal does not store whole items.
	}
	if r, ok := env.Session.Recognize(w.Table, it); ok {
		if id := present.ItemID(r.Entity, env.Session.Masker(), r, it); id.Text != "" {
			return present.EntityName(r.Entity) + " " + models.PrintableCell(id.Text, 60)
		}
	}
	return models.PrintableCell(key, 60)
}

func (c *Change) startUndo() {
	done, onDone := c.outcome.done, c.req.Done
	c.req = undoRequest(c.Env, done.Past, done.Plan)
	c.req.Done, c.reason, c.firstAction = onDone, "", nil
	c.form = widget.NewForm(c.Env.Styles, changeFields(c.Env, c.req)...)
	c.ShowInputs()
}
