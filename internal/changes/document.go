package changes

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// Status is the result of a change. Scripts compare the values, so they must not change.
type Status string

// These are the statuses. Every status except Unknown settles whether DynamoDB wrote the item.
const (
	Planned   Status = "planned"
	Committed Status = "committed"
	Earlier   Status = "earlier"  // committed before, according to the journal or the item
	Conflict  Status = "conflict" // the item's state does not allow the change, or the item changed
	Refused   Status = "refused"
	Failed    Status = "failed"  // nothing was written
	Unknown   Status = "unknown" // the response was lost, and the items do not show the outcome
	Skipped   Status = "skipped" // not tried
)

// Statuses lists every status that an item's outcome can have.
func Statuses() []Status {
	return []Status{Committed, Earlier, Conflict, Refused, Failed, Unknown, Skipped}
}

// StatusOf returns the status of a change that ended with err, or Committed for nil.
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

// A Document describes a change in JSON. It has the same fields for all outcomes, because scripts read status first. It
// masks values that the role may not see. Token is the client request token, or null without a plan. From and To are
// the states of a transition, or null if the action has none.
type Document struct {
	Action string  `json:"action"`
	Title  string  `json:"title"`
	Undo   bool    `json:"undo"`
	Status Status  `json:"status"`
	From   *string `json:"from"`
	To     *string `json:"to"`
	Reason string  `json:"reason"`
	// Writes are in the order of the transaction; the first write changes the subject.
	Writes []change.Write `json:"writes"`
	Token  *string        `json:"token"`
	Notes  []string       `json:"notes"`
	// Capacity is in WCU: consumed by a committed change, or estimated otherwise. It is null without a plan.
	Capacity *float64 `json:"capacity"`
	Journal  *string  `json:"journal"` // ID of the journal entries
	// Differences contains the attributes that changed after ddbdesk read the item. Only a conflict has them.
	Differences []models.Change `json:"differences"`
	Error       *string         `json:"error"`
	Request     *string         `json:"request,omitempty"` // ID of the filed request
}

// DocumentOf describes a change. plan is nil if planning failed, and must otherwise be masked for the user.
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

// Lines describes a plan for people: its action, cost and writes. The plan must be masked for the user. Plain is the
// wording for role support. Drawn lines are for a terminal; see WriteLines.
func Lines(p *change.Plan, undo, plain, drawn bool) []string {
	title := p.Action.Title
	if undo {
		title = "Undo: " + title
	}
	if l := p.Action.Lifecycle; p.To != "" && l != nil {
		name, from, to := l.Attribute, p.From, p.To
		if plain {
			name, _ = p.Action.Entity.PlainName(name)
			from, to = l.Title(from), l.Title(to)
		}
		title += fmt.Sprintf(", %s %s → %s", name, from, to)
	}
	cost := english.Plural(len(p.Writes), "write", "")
	if !plain {
		cost = fmt.Sprintf("%s, %s, about %g WCU", p.Batch().Explain().Operation, cost, p.Capacity())
	}
	if p.Basis.Reason != "" {
		cost += "; reason: " + models.Printable(string(p.Basis.Reason))
	}
	return append([]string{title, cost, ""}, WriteLines(p, plain, drawn)...)
}

// WriteLines describes the writes of a masked plan. For role support, plain lines contain titles and IDs. Drawn lines
// describe index keys after the other changes, and each new audit entry in one line.
func WriteLines(p *change.Plan, plain, drawn bool) []string {
	isEntry := func(w change.Write) bool {
		isOf := func(e change.Entry) bool { return e.Trail.Entity == w.Entity }
		return w.Operation == change.Put && slices.ContainsFunc(p.Action.Audits, isOf)
	}
	entries, shown := models.Filter(p.Writes, isEntry), *p
	if plain || !drawn || len(entries) == 0 || len(entries) == len(p.Writes) {
		return []string{p.Text(plain)}
	}
	shown.Notes, shown.Writes = nil, slices.DeleteFunc(slices.Clone(p.Writes), isEntry)
	subject := &shown.Writes[0]
	derived := func(c models.Change) bool { return c.Derived }
	subject.Changes = slices.Concat(slices.DeleteFunc(slices.Clone(subject.Changes), derived), models.Filter(subject.Changes, derived))
	lines, attributes := []string{shown.Text(false)}, 0
	for _, w := range entries {
		attributes += len(w.Changes)
		lines = append(lines, w.Verb()+" "+w.Entity.Title+"  "+models.PrintableCell(w.Table.KeyText(w.Key), maxKey))
	}
	for _, note := range p.Notes {
		lines = append(lines, "note: "+note)
	}
	return append(lines, fmt.Sprintf("not shown: %s of %s; -o json prints the whole plan", english.Plural(attributes, "attribute", ""),
		english.Plural(len(entries), "audit entry", "audit entries")))
}

// maxKey is the maximum width, in cells, of the key of an audit entry.
const maxKey = 50
