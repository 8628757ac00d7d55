package team

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/requests"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

var showRequest = op.New(op.Op{
	Path: "requests show", Title: "Show a request, its history, and the writes that it would make now", Needs: op.Writes,
	Formats: op.TextJSON,
}, inputs, func(ctx context.Context, c *op.Call, in *RequestRef) (op.Result, error) {
	if err := in.Find(ctx, c); err != nil {
		return nil, err
	}
	events, err := in.Register.Events(ctx, in.Request.ID)
	if err != nil {
		return nil, err
	}
	doc := review{Request: NewRequest(in.Request), Events: events}
	named, shown, next := newTitles(c), (*change.Plan)(nil), []string(nil)
	out := op.Doc{Head: func(to op.Output) []string {
		q := in.Request
		if to.Draws() {
			title, id := named.item(q.Schema, q.Subject)
			q.Subject = strings.TrimSpace(title + " " + id)
		}
		lines := requestLines(q, named.action(q.Schema, q.Action), events, to.At)
		if shown != nil {
			lines = append(append(lines, ""), changes.Lines(shown, false, c.Plain(), to.Draws())...)
		}
		if to.Draws() {
			lines = append(lines, next...)
		}
		return lines
	}}
	if q := in.Request; q.File != nil && q.File.Many() && q.State.Pending() {
		out.Document, out.Lines = doc, append([]string{""}, sweepLines(q.File, c.Plain())...)
		return out, nil
	}
	v, w, err := in.Review(ctx, c)
	if err != nil {
		return nil, err
	}
	if v.Outdated != nil {
		text := v.Outdated.Error()
		doc.Outdated, out.Lines = &text, []string{"", "no user can apply this request: " + c.ErrorText(v.Outdated)}
	}
	if v.Plan != nil {
		plan := v.Plan.Shown(w.Session.Masker())
		planned := changes.DocumentOf(plan.Action, changes.Planned, in.Request.File.Reason, plan, false)
		doc.Change = &planned
		if v.Outdated == nil {
			shown, next = plan, in.nextSteps(w)
		}
	}
	out.Document = doc
	return out, nil
})

// nextSteps returns the commands with which the user, or another one, can continue with a request.
func (at *RequestRef) nextSteps(w *workspace.Workspace) []string {
	q, s := at.Request, w.Session
	lead := map[bool]string{true: "to apply it, run", false: "another user applies it with"}[w.Requests.CanApply(q) == nil]
	lines := []string{"", lead, "  " + s.AdminCommand(at.words("apply", q.ID)...)}
	if at.Register.IsRequester(q) {
		return append(lines, "to withdraw it, run", "  "+s.Command(at.words("withdraw", q.ID)...))
	} else if s.CanDecide() == nil {
		return append(lines, "to reject it, run", "  "+s.Command(at.words("reject", q.ID, "--reason", "TEXT")...))
	}
	return lines
}

// A review is the document of a request with its history and its current plan. If the change cannot be applied, Change
// is null and Outdated is the reason.
type review struct {
	Request  Request           `json:"request"`
	Events   []requests.Event  `json:"events"`
	Change   *changes.Document `json:"change"`
	Outdated *string           `json:"moved"`
}

func requestLines(q requests.Request, action string, events []requests.Event, at func(time.Time) string) []string {
	lines := []string{
		fmt.Sprintf("%s  %s  %s %s", q.ID, q.State, q.Schema, action), q.Subject,
		fmt.Sprintf("requested by %s at %s, expires at %s", q.Requester, at(q.Created), at(q.Expires)),
	}
	if q.Via != "" {
		lines = append(lines, "filed by "+q.Via)
	}
	if q.Reason != "" {
		lines = append(lines, "reason: "+q.Reason)
	}
	for _, e := range events {
		line := fmt.Sprintf("  %s  %-9s  %s", at(e.At), e.PastTense(), e.Who)
		if e.Comment != "" {
			line += ": " + e.Comment
		}
		lines = append(lines, line)
	}
	for i, line := range lines { // A line break in a user's text would start a line that looks like an event.
		lines[i] = models.Printable(line)
	}
	return lines
}
