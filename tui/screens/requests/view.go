package requests

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/requests"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/planner"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// SetSize sets the rectangle. The details take more room than the list, because they have the plan; a low screen has none.
func (s *requestsScreen) SetSize(w, h int) {
	s.W, s.H = max(w, 0), max(h, 0)
	rest := s.H - 1
	below := 0
	if rest >= 14 {
		below = rest - max(rest/3, 8)
	}
	s.tabRow = widget.Rect{W: s.W, H: min(s.H, 1)}
	s.Rows = widget.Rect{Y: 1, W: s.W, H: max(rest-below, 0)}
	s.Text = widget.Rect{Y: 1 + rest - below, W: s.W, H: below}
}

// panes returns the parts of the screen for the mouse.
func (s *requestsScreen) panes() widget.Panes {
	tabs := func(x, _ int) tea.Cmd {
		if s.list.tabs.Click(x) {
			s.list.show(s.list.tabs.Active)
		}
		return s.review.consider()
	}
	moved := func() tea.Cmd {
		s.list.moved()
		return s.review.consider()
	}
	rows := s.rowPanes()
	rows[0].Moved = moved
	return append(widget.Panes{{Rect: s.tabRow, Other: tabs}}, rows...)
}

// View draws the screen.
func (s *requestsScreen) View() string {
	if s.W <= 0 || s.H <= 0 {
		return ""
	}
	st, l := s.env.Styles, &s.list
	inner := s.Rows.Inner()
	s.grid.SetSize(inner.W, results.RowsHeight(inner.H, l.Len(), l.err))
	draw := drawing{s}
	draw.setEmpty()
	frame := widget.Panel{Title: tabTitles[l.tabs.Active], Note: draw.note(), Focused: !s.OnDetails}
	content := results.ViewGrid(st, s.grid, inner.W, inner.H, l.Len(), l.err, "ctrl+r tries again")
	view := widget.Rows(l.tabs.Render(st, s.W), frame.Render(st, content, s.Rows.W, s.Rows.H))
	if s.Text.H > 0 {
		view = widget.Rows(view, draw.viewDetails())
	}
	return s.DrawBox(st, widget.Place(view, s.W, s.H), s.W, s.H)
}

// A drawing draws the parts of the screen.
type drawing struct{ *requestsScreen }

// note says what is being read, or the position of the cursor.
func (s drawing) note() string {
	switch t := s.list.task; {
	case t.Running() && t.Elapsed >= widget.BusyAfter:
		return "reading · esc cancels"
	case s.list.Len() == 0:
		return ""
	}
	return s.grid.Position()
}

// setEmpty says why a tab has no requests, and what to do.
func (s drawing) setEmpty() {
	l, schema := &s.list, session.SchemaName(s.env.Session.Profile())
	switch {
	case s.unconfigured() != nil:
		s.grid.SetEmpty("No requests table is configured", "The details say how to create one.")
	case !l.loaded && l.task != nil && l.task.Stopped:
		s.grid.SetEmpty("Stopped before the requests were read", "ctrl+r reads them again")
	case !l.loaded:
		s.grid.SetEmpty("Reading the requests …", "")
	case l.tabs.Active == created:
		s.grid.SetEmpty("You have no pending requests", "To request a change, plan it on its item and choose Request.")
	case l.tabs.Active == toReview:
		s.grid.SetEmpty("No requests to review", "as of "+l.at.UTC().Format("15:04:05")+" UTC")
	default:
		s.grid.SetEmpty("No requests ended in the last 30 days", "Older ones: "+s.env.Session.Command("requests", "list", schema, "--all"))
	}
}

// A shown is what the details were made from.
type shown struct {
	subject
	found  *review
	said   outcome
	masker *models.Masker
	minute int64 // of the ages
	room   int   // width in cells
}

// viewDetails draws the selected request, its plan and its history. A refresh does not scroll them.
func (s drawing) viewDetails() string {
	iw, ih := widget.PanelInner(s.Text.W, s.Text.H)
	p := widget.Panel{Title: "Details", Focused: s.OnDetails}
	now := shown{
		subject: subject{loads: s.list.loads}, found: s.review.current(), masker: s.env.Session.Masker(),
		minute: s.env.Now().Unix() / 60, room: max(iw-2, 10),
	}
	if e := s.list.selected(); e != nil {
		p.Title, now.id, now.said = models.Printable(e.ID), e.ID, s.decide.said[e.ID]
	}
	if now != s.shown {
		if now.id != s.shown.id {
			s.Details.ScrollTo(0)
		}
		s.shown = now
		s.Details.SetLines(s.detailLines(now.room))
	}
	s.Details.SetSize(iw-1, ih)
	if !s.Details.AtEnd() {
		p.Note = "↓ more · tab reads on"
	}
	return p.Render(s.env.Styles, widget.Indent(s.Details.View(), iw, ih), s.Text.W, s.Text.H)
}

// detailLines describes the selected request in lines of w cells.
func (s drawing) detailLines(w int) []string {
	t := &present.Facts{Styles: s.env.Styles, Label: 12, Width: w}
	if s.unconfigured() != nil {
		t.Paragraph(widget.RoleText, "Set requests: {table: NAME} in a context, or requests: NAME in the profile. Then create the table:")
		t.Blank()
		t.Paragraph(widget.RoleStrong, s.env.Session.Command("table", "create", session.SchemaName(s.env.Session.Profile()), "--requests"))
	}
	e := s.list.selected()
	if e == nil {
		return t.Lines
	}
	if said := s.decide.said[e.ID]; said.text != "" {
		role := widget.RoleGood
		if said.bad {
			role = widget.RoleBad
		}
		t.Paragraph(role, said.text)
	}
	state := stateCell(e.Request)
	t.Text("state", state.Role, state.Text+s.expiry(e.Request))
	t.Text("change", widget.RoleStrong, s.actionTitle(e.Request)+" · "+e.Subject)
	t.Text("reason", widget.RoleText, e.Reason)
	who := e.Requester
	if e.Identity != who {
		who = present.Join(who, e.Identity, " · ")
	}
	t.Text("requester", widget.RoleText, who+", "+moment(e.Created, s.env.Now()))
	t.Text("filed by", widget.RoleText, e.Via)
	s.describeDecision(t, e.Request)
	if e.State.Pending() && e.CannotApply != nil {
		t.Text("you", widget.RoleWarn, "⊘ "+e.CannotApply.Error())
	}
	s.describeReview(t, e.Request)
	return t.Lines
}

// describeDecision adds the last decision with its reason, or else the last comment.
func (s drawing) describeDecision(t *present.Facts, q requests.Request) {
	if q.DecidedBy == "" || q.State == requests.Open {
		t.Text("comment", widget.RoleText, q.Comment)
		return
	}
	word := string(q.State)
	if q.State == requests.Expired {
		word = string(requests.Approved)
	}
	t.Text(word, widget.RoleText, present.Join("by "+q.DecidedBy+", "+moment(q.DecidedAt, s.env.Now()), q.Comment, ": "))
}

// expiry says until when a request can be applied.
func (s drawing) expiry(q requests.Request) string {
	if q.Expires.IsZero() || q.State.Ended() {
		return ""
	}
	word := " · expires "
	if q.State == requests.Expired {
		word = " · since "
	}
	return word + moment(q.Expires, s.env.Now()) + ", " + present.ExactMoment(q.Expires, s.env.Now()) + " UTC"
}

// describeReview adds what the request would write now, and its history.
func (s drawing) describeReview(t *present.Facts, q requests.Request) {
	v := s.review.current()
	switch {
	case v == nil:
		t.Blank()
		t.Paragraph(widget.RoleMuted, "Reading the request and the items …")
		return
	case v.err != nil:
		t.Blank()
		t.Paragraph(widget.RoleBad, "✗ The request was not read: "+v.err.Error())
		t.Paragraph(widget.RoleMuted, "ctrl+r tries again")
	case v.Moved != nil && !q.State.Ended():
		t.Blank()
		t.Paragraph(widget.RoleWarn, "≠ Cannot be applied: "+v.Moved.Error())
		if keyboard(s).cannotRenew() == "" {
			t.Paragraph(widget.RoleMuted, "Press n to plan it again from the current items.")
		}
	case v.Plan != nil:
		t.Blank()
		t.Paragraph(widget.RoleMuted, "What it would write now")
		t.Lines = append(t.Lines, planner.PlanLines(s.env, v.Plan, t.Width)...)
	}
	if len(v.events) == 0 {
		return
	}
	t.Blank()
	t.Paragraph(widget.RoleMuted, "History")
	for _, e := range slices.Backward(v.events) {
		text := present.Join(e.Done()+" by "+e.Who, e.Comment, ": ")
		t.Text(moment(e.At, s.env.Now()), widget.RoleText, text)
	}
}
