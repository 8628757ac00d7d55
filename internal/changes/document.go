package changes

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// Status describes the result of a change. Scripts compare the values, so they must not change.
type Status string

// The statuses. After any of them but Unknown it is known whether the item was written.
const (
	Planned   Status = "planned"
	Committed Status = "committed"
	Earlier   Status = "earlier"  // committed before, by the journal or by what the item shows
	Conflict  Status = "conflict" // the item's state does not allow it, or it changed
	Refused   Status = "refused"
	Failed    Status = "failed"  // nothing was written
	Unknown   Status = "unknown" // the response was lost, and the items do not show the outcome
	Skipped   Status = "skipped" // not tried
)

// Statuses lists every status of an item that is changed.
func Statuses() []Status {
	return []Status{Committed, Earlier, Conflict, Refused, Failed, Unknown, Skipped}
}

// StatusOf returns the result of a change that ended with an error, or was applied without one.
func StatusOf(err error) Status {
	switch {
	case err == nil:
		return Committed
	case errors.Is(err, ErrUnknown):
		return Unknown
	case errors.As(err, new(*change.Conflict)):
		return Conflict
	case errors.Is(err, session.ErrRefused):
		return Refused
	}
	return Failed
}

// A Document is that of a change, the same for all outcomes: scripts read status
// first. It always has all its fields. Values that the role may not see are masked. Token is
// the client request token, null until there is a plan; From and To are the states of a
// transition, null for an action without one.
type Document struct {
	Action string  `json:"action"`
	Title  string  `json:"title"`
	Undo   bool    `json:"undo"`
	Status Status  `json:"status"`
	From   *string `json:"from"`
	To     *string `json:"to"`
	Reason string  `json:"reason"`
	// Writes are in the order of the transaction; the first one is that of the subject.
	Writes []change.Write `json:"writes"`
	Token  *string        `json:"token"`
	Notes  []string       `json:"notes"`
	// Capacity is in WCU: consumed when the change was committed, estimated otherwise; null
	// without a plan.
	Capacity *float64 `json:"capacity"`
	Journal  *string  `json:"journal"` // ID of the journal entries
	// Differences are the attributes that changed after the item was read, for a conflict.
	Differences []models.Change `json:"differences"`
	Error       *string         `json:"error"`
	Request     *string         `json:"request,omitempty"` // ID of the request that was filed
}

// DocumentOf describes a change as far as it came: the plan is nil until there is one. It must be masked for the user.
func DocumentOf(a *change.Action, status Status, reason string, plan *change.Plan, undo bool) Document {
	doc := Document{
		Action: a.ID, Title: a.Title, Undo: undo, Status: status, Reason: strings.TrimSpace(reason),
		Writes: []change.Write{}, Notes: []string{}, Differences: []models.Change{},
	}
	if plan == nil {
		return doc
	}
	doc.Reason, doc.Token = string(plan.Basis.Reason), &plan.Basis.Token
	doc.Writes, doc.Notes = append(doc.Writes, plan.Writes...), append(doc.Notes, plan.Notes...)
	if plan.To != "" {
		doc.From, doc.To = &plan.From, &plan.To
	}
	return doc
}

// Lines describes a plan for people: what it does, what it costs, and its writes. It must be masked for the user.
func Lines(p *change.Plan, undo bool) []string {
	title := p.Action.Title
	if undo {
		title = "Undo: " + title
	}
	if l := p.Action.Lifecycle; p.To != "" && l != nil {
		title += fmt.Sprintf(", %s %s → %s", l.Attribute, p.From, p.To)
	}
	cost := fmt.Sprintf("%s, %s, about %g WCU", p.Batch().Explain().Operation, english.Plural(len(p.Writes), "write", ""), p.Capacity())
	if p.Basis.Reason != "" {
		cost += "; reason: " + string(p.Basis.Reason)
	}
	return []string{title, cost, "", strings.TrimRight(p.Text(), "\n")}
}
