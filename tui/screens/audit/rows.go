package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/audit"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

type listItem = widget.ListItem

const breakGlass = "BREAK GLASS"

// sessionItem is a session as a line: when, who, for what and why, and what was done.
func sessionItem(s *audit.Session) listItem {
	ticket, role := s.Ticket, widget.RoleMuted
	if s.BreakGlass {
		ticket, role = breakGlass, widget.RoleBad
	}
	var done []string
	if n := len(s.Reviews); n > 0 {
		done = append(done, "✓ "+s.Reviews[n-1].By)
		role = widget.RoleGood
	}
	for _, c := range []struct {
		n    int
		what string
	}{{s.Changes, "change"}, {s.Reveals, "◉ reveal"}, {s.Reads, "read"}, {s.Copies, "copy"}, {s.Refusals, "refusal"}} {
		if c.n > 0 {
			done = append(done, count(c.n, c.what))
		}
	}
	return listItem{
		ID: s.ID, Section: s.Begun.UTC().Format(time.DateOnly), Lead: s.Begun.UTC().Format("15:04"),
		Title: strings.Join(texts(s.Person, ticket, s.Reason), " · "), Badge: strings.Join(done, " · "), BadgeRole: role,
		Search: strings.Join(append([]string{s.Identity, s.Context, s.ID}, append(s.Schemas, s.Subjects...)...), " "),
	}
}

// count returns a number with a noun, whose sign is before the number.
func count(n int, what string) string {
	if noun, ok := strings.CutPrefix(what, "◉ "); ok {
		return "◉ " + present.Plural(n, noun)
	}
	return present.Plural(n, what)
}

// texts returns those that are not empty.
func texts(list ...string) []string {
	return slices.DeleteFunc(list, func(text string) bool { return text == "" })
}

// entryItem is an entry as a line.
func entryItem(e journal.Entry) listItem {
	badge, role := cmp.Or(e.Outcome, e.Detail.Why), widget.RoleMuted
	switch e.Kind {
	case journal.Refusal:
		role = widget.RoleWarn
	case journal.Reveal:
		badge, role = "◉ "+e.Detail.Reason, widget.RoleInfo
	case journal.Lookup, journal.Copy, journal.Export:
		badge = strings.Join(texts(items(e), e.Detail.Shown), " · ")
	default:
	}
	return listItem{
		ID: e.Hash, Section: e.Time.UTC().Format(time.DateOnly), Lead: e.Time.UTC().Format("15:04:05"),
		Title: fmt.Sprintf("%-7s  %s", e.Kind, strings.Join(texts(e.Subject, e.Detail.Key, change(e)), " · ")),
		Badge: badge, BadgeRole: role, Search: e.Detail.Reason + " " + e.Detail.Client,
	}
}

// items returns how many items an entry is about, "" if it does not say.
func items(e journal.Entry) string {
	n, err := strconv.Atoi(e.Detail.Items)
	if err != nil {
		return e.Detail.Items
	}
	return present.Plural(n, "item")
}

// change returns the states before and after a change.
func change(e journal.Entry) string {
	if e.Detail.To == "" {
		return ""
	}
	return e.Detail.From + " → " + e.Detail.To
}

// fact is a line of the details.
type fact struct {
	label, text string
	role        widget.Role
}

// facts returns what is recorded about the selected entry or session.
func (s *auditScreen) facts() []fact {
	var list []fact
	if e := s.entry(); e != nil {
		list = entryFacts(e)
	} else if of := s.selected(); of != nil {
		list = sessionFacts(of)
	}
	return slices.DeleteFunc(list, func(f fact) bool { return f.text == "" })
}

func sessionFacts(s *audit.Session) []fact {
	glass := ""
	if s.BreakGlass {
		glass = breakGlass + ": an emergency, without a ticket"
	}
	list := []fact{
		{"emergency", glass, widget.RoleBad},
		{"user", strings.Join(slices.Compact(texts(s.Person, s.Identity)), " · "), widget.RoleText},
		{"reason", cmp.Or(s.Reason, present.NoValue), widget.RoleText},
		{"ticket", s.Ticket, widget.RoleInfo},
		{"time", strings.Join(slices.Compact(texts(stamp(s.Begun), stamp(s.Ended))), " to ") + " UTC", widget.RoleText},
		{"context", s.Context, widget.RoleText},
		{"schemas", strings.Join(s.Schemas, ", "), widget.RoleText},
		{"programs", strings.Join(s.Clients, ", "), widget.RoleText},
		{"read", numbers(s.Reads, "read", s.Items, "item"), widget.RoleText},
		{"changed", numbers(s.Changes, "change", s.Refusals, "refusal"), widget.RoleText},
		{"shown", numbers(s.Reveals, "reveal", s.Copies, "copy"), widget.RoleText},
	}
	for _, r := range s.Reviews {
		list = append(list, fact{"reviewed", "✓ " + strings.Join(texts(r.By, stamp(r.At)+" UTC", r.Note), " · "), widget.RoleGood})
	}
	return append(list,
		fact{"what", strings.Join(s.Subjects, "\n"), widget.RoleMuted},
		fact{"session", s.ID, widget.RoleMuted},
	)
}

// numbers returns two numbers with their nouns, without those that are 0.
func numbers(n int, one string, m int, other string) string {
	var list []string
	if n > 0 {
		list = append(list, present.Plural(n, one))
	}
	if m > 0 {
		list = append(list, present.Plural(m, other))
	}
	return strings.Join(list, " · ")
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") }

// entryFacts returns all that an entry has, except the sealed record of what was written.
func entryFacts(e *journal.Entry) []fact {
	d := e.Detail
	return []fact{
		{"entry", string(e.Kind) + " " + e.Subject, widget.RoleText},
		{"outcome", e.Outcome, widget.RoleInfo},
		{"why", d.Why, widget.RoleWarn},
		{"reason", d.Reason, widget.RoleText},
		{"change", change(*e), widget.RoleInfo},
		{"item", strings.TrimSpace(d.Entity + " " + d.Key), widget.RoleText},
		{"items", strings.Join(texts(items(*e), d.Entities), " · "), widget.RoleText},
		{"shown", d.Shown, widget.RoleText},
		{"format", d.Format, widget.RoleText},
		{"arguments", d.Arguments, widget.RoleMuted},
		{"capacity", d.Capacity, widget.RoleText},
		{"duration", d.Duration, widget.RoleText},
		{"user", strings.TrimSpace(strings.Join(texts(e.Actor, e.Identity, e.User), " · ") + " as " + e.Role), widget.RoleText},
		{"program", d.Client, widget.RoleText},
		{"time", stamp(e.Time) + " UTC", widget.RoleText},
		{"schema", strings.Join(texts(e.Profile, d.Table), " · "), widget.RoleText},
		{"where", strings.Join(texts(e.Context, e.Account, e.Region, e.Endpoint), " · "), widget.RoleText},
		{"planned by", strings.Join(texts(d.PlannedBy, d.Planner), " · "), widget.RoleText},
		{"notes", d.Notes, widget.RoleWarn},
		{"token", d.Token, widget.RoleMuted},
		{"undoes", d.Undoes, widget.RoleMuted},
		{"resolved", strings.Join(texts(d.Resolved, d.ResolvedBy), " · "), widget.RoleText},
		{"number", fmt.Sprintf("%d · %s", e.Seq, models.Truncate(e.Hash, 17)), widget.RoleMuted},
	}
}

// detailLines draws the facts about what is selected, after what is wrong with the entries.
func (s *auditScreen) detailLines(w int) []string {
	t := &present.Facts{Styles: s.env.Styles, Label: 12, Width: w}
	for _, p := range s.report.Problems {
		t.Text("✗ problem", widget.RoleBad, p)
	}
	for _, f := range s.facts() {
		t.Text(f.label, f.role, f.text)
	}
	return t.Lines
}
