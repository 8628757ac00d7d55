package lists

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/listing"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

type entry = journal.Entry

// AuditEntries lists the entries of a session.
var AuditEntries = listing.Open(func(_ *screen.Env, to screen.AuditEntries) *listing.Spec[entry] {
	spec := &listing.Spec[entry]{
		Name: "audit-entries", Title: "Entries", Noun: "entry", Costly: true,
		Does: "The entries of a session: each read, change, reveal, copy and refusal.",
		Guide: screen.Guide{
			Purpose: "The entries of a session, oldest first: what was read, changed, revealed, copied and refused.",
			First:   "select an entry to read all that is recorded about it. Press esc to go back to the sessions.",
			Signs:   []screen.Sign{{Glyph: "◉", Means: "personal data was revealed, with the reason"}},
		},
		ID:    func(e entry) string { return e.Hash },
		Empty: listing.None("No entries", ""),
		Load: func(ctx context.Context, _ *screen.Env, _ *listing.Reading[entry]) (listing.Rows[entry], error) {
			list, err := to.From.Entries(ctx, to.Of)
			return listing.Rows[entry]{List: list}, err
		},
		Search: func(e entry) string { return e.Detail.Reason + " " + e.Detail.Client },
		Columns: []listing.Column[entry]{
			listing.Text("time", func(e entry) string { return stamp(e.Time) }),
			listing.Text("kind", func(e entry) string { return string(e.Kind) }),
			listing.Text("subject", func(e entry) string { return e.Subject }),
			{Column: widget.Column{Title: "outcome", Max: 40}, Cell: entryOutcome},
			{
				Column: widget.Column{Title: "item", Max: 64, Middle: true, Weight: 1},
				Cell: func(_ *screen.Env, e entry) widget.Cell {
					return widget.Cell{Text: joined(e.Detail.Key, transition(e))}
				},
			},
		},
		Facts: entryFacts,
	}
	if to.Of != nil {
		spec.Heading = "Entries of " + models.Printable(joined(to.Of.Person, to.Of.Ticket))
	}
	return spec
})

func entryOutcome(_ *screen.Env, e entry) widget.Cell {
	switch e.Kind {
	case journal.Refusal:
		return widget.Cell{Text: e.Detail.Why, Role: widget.RoleWarn}
	case journal.Reveal:
		return widget.Cell{Text: "◉ " + e.Detail.Reason, Role: widget.RoleInfo}
	case journal.Lookup, journal.Copy, journal.Export:
		return widget.Cell{Text: joined(entryItems(e), e.Detail.Shown), Role: widget.RoleMuted}
	default:
		return widget.Cell{Text: cmp.Or(e.Outcome, e.Detail.Why), Role: widget.RoleMuted}
	}
}

func entryItems(e entry) string {
	n, err := strconv.Atoi(e.Detail.Items)
	if err != nil {
		return e.Detail.Items
	}
	return present.Plural(n, "item")
}

// entryFacts omits the sealed record of what was written.
func entryFacts(_ *screen.Env, e entry) []listing.Fact {
	d := e.Detail
	return []listing.Fact{
		{Label: "entry", Text: string(e.Kind) + " " + e.Subject},
		{Label: "outcome", Text: e.Outcome, Role: widget.RoleInfo},
		{Label: "why", Text: d.Why, Role: widget.RoleWarn},
		{Label: "reason", Text: d.Reason},
		{Label: "change", Text: transition(e), Role: widget.RoleInfo},
		{Label: "item", Text: strings.TrimSpace(d.Entity + " " + d.Key)},
		{Label: "items", Text: joined(entryItems(e), d.Entities)},
		{Label: "shown", Text: d.Shown},
		{Label: "format", Text: d.Format},
		{Label: "arguments", Text: d.Arguments, Role: widget.RoleMuted},
		{Label: "capacity", Text: d.Capacity},
		{Label: "duration", Text: d.Duration},
		{Label: "user", Text: joined(e.Actor, e.Identity, e.User) + " as " + e.Role},
		{Label: "program", Text: d.Client},
		{Label: "time", Text: stamp(e.Time) + " UTC"},
		{Label: "schema", Text: joined(e.Profile, d.Table)},
		{Label: "where", Text: joined(e.Context, e.Account, e.Region, e.Endpoint)},
		{Label: "planned by", Text: joined(d.PlannedBy, d.Planner)},
		{Label: "notes", Text: d.Notes, Role: widget.RoleWarn},
		{Label: "token", Text: d.Token, Role: widget.RoleMuted},
		{Label: "undoes", Text: d.Undoes, Role: widget.RoleMuted},
		{Label: "resolved", Text: joined(d.Resolved, d.ResolvedBy)},
		{Label: "number", Text: fmt.Sprintf("%d · %s", e.Seq, models.Truncate(e.Hash, 17)), Role: widget.RoleMuted},
	}
}
