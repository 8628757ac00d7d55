package planner

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

func (c *Change) refusal() error {
	a := c.req.Action
	if a == nil {
		return c.Env.Session.CanUndo()
	}
	if err := c.Env.Session.CanChange(a); err != nil {
		return err
	}
	overFlag := ""
	if c.many != nil {
		overFlag = "--over PATTERN "
	}
	if a.FourEyes && c.req.Plan == nil && c.req.Verb != undoVerb {
		return &session.Refusal{
			Reason: a.Title + " needs a second person",
			Advice: "save the plan with ddbdesk change " + c.Env.Session.Profile().Name + " " + a.ID + " " + overFlag +
				"--plan FILE, and another user applies it",
		}
	}
	return nil
}

// canRequest excludes undos and repairs, because another user cannot plan them again from the inputs.
func (c *Change) canRequest() bool {
	return c.req.Plan == nil && c.many == nil && c.refusal() != nil && c.Env.Session.CanRequest() == nil &&
		c.Env.Session.CanPlan(c.req.Action) == nil
}

func (c *Change) cannotRequest() string {
	switch {
	case c.work == changeRequesting:
		return "the request is being filed"
	case !c.isReadToEnd():
		return "scroll to the end of the plan first (end)"
	}
	return ""
}

func (c *Change) refusalLines(st *widget.Styles, cause error, w int) []string {
	if c.canRequest() {
		if c.Env.Plain() {
			return widget.Wrap(st, widget.RoleText, "You can request this change. An admin then applies it.", w)
		}
		text := cause.Error()
		if refusal, ok := cause.(*session.Refusal); ok { //nolint:errorlint // c.refusal returns it unwrapped
			text = refusal.Reason
		}
		return widget.Wrap(st, widget.RoleWarn, text+". You can request the change, and another user applies it.", w)
	}
	lines := widget.Wrap(st, widget.RoleWarn, "Preview only: "+c.Env.Reason(cause), w)
	if c.req.Plan == nil && !c.Env.Plain() && c.Env.Session.RequestsTable() == "" {
		lines = append(lines, widget.Wrap(st, widget.RoleMuted, "To request changes here, set requests: {table: NAME} in a context, "+
			"then create the table:", w)...)
		lines = append(lines, widget.Wrap(st, widget.RoleMuted,
			c.Env.Session.Command("table", "create", session.SchemaName(c.Env.Session.Profile()), "--requests"), w)...)
	}
	return lines
}

func (c *Change) request() tea.Cmd {
	s, p := c.Env.Workspace, c.plan
	return c.write(changeRequesting, func(ctx context.Context) screen.Commit {
		q, note, err := s.Requests.File(ctx, p, session.SchemaName(s.Session.Profile()), "")
		return screen.Commit{Answer: func() tea.Cmd {
			e := outcomeOf(err, true)
			e.isRequest = true
			if err == nil {
				e.status, e.request, e.note = changes.Planned, q, note
			}
			return c.finish(e)
		}}
	})
}

func (c *Change) requestedLines(st *widget.Styles, w int) []string {
	q := c.outcome.request
	facts := &present.Facts{Styles: st, Label: 10, Width: w}
	facts.Text("request", widget.RoleStrong, q.ID)
	item := q.Subject
	if wr := c.plan.Writes[0]; c.many == nil && c.keyText(wr) != "" {
		item = present.EntityName(wr.Entity) + " " + c.keyText(wr)
	}
	facts.Text("item", widget.RoleText, item)
	facts.Text("reason", widget.RoleText, q.Reason)
	facts.Text("expires", widget.RoleText, present.When(q.Expires, c.Env.Now()))
	facts.Blank()
	facts.Paragraph(widget.RoleMuted,
		"No item has changed yet. An admin must apply the request.")
	if c.outcome.note != nil {
		facts.Lines = append(facts.Lines, present.HangingIndent(st, widget.RoleWarn, "! ", models.Printable(c.outcome.note.Error()), w)...)
	}
	return facts.Lines
}

func (c *Change) leave() tea.Cmd {
	if c.step == changeStepPlan || c.many != nil && c.step == changeStepInputs {
		return screen.Send(screen.NoticeMsg{Text: "canceled; nothing was changed or requested"})
	}
	if c.many != nil || c.step != changeStepEnded || c.outcome.status != changes.Planned {
		return nil
	}
	return screen.Send(screen.NoticeMsg{Text: "requested: " + actionTitle(c.req.Action) + "; press " +
		present.RequestKeys(c.Env) + " to open the change requests"})
}
