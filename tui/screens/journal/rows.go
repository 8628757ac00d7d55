package journal

import (
	"slices"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// journalRow is a change, or else an entry that is none.
type journalRow struct {
	change *changes.PastChange
	remark *changes.JournalEntry
}

// journalRows is the source of the grid.
type journalRows struct {
	env       *screen.Env
	changesOf []changes.PastChange
	remarks   []changes.JournalEntry
	all       bool // refusals and reveals too

	list          []*journalRow
	changes, open int
}

func journalColumns() []widget.Column {
	return []widget.Column{
		{Title: "when", Min: 12, Max: 12, Frozen: true},
		{Title: "outcome", Min: 17, Max: 17},
		{Title: "action", Max: 28},
		{Title: "item", Min: 16, Max: 44},
		{Title: "from → to", Max: 34},
		{Title: "who", Weight: 1, Max: 40},
	}
}

// fill makes the rows: what is open first, the rest by time, newest first.
func (r *journalRows) fill() {
	r.list, r.open, r.changes = nil, 0, len(r.changesOf)
	for i := range r.changesOf {
		r.list = append(r.list, &journalRow{change: &r.changesOf[i]})
		if r.changesOf[i].Open() {
			r.open++
		}
	}
	if r.all {
		for i := range r.remarks {
			r.list = append(r.list, &journalRow{remark: &r.remarks[i]})
		}
	}
	slices.SortStableFunc(r.list, func(a, b *journalRow) int {
		if a.isOpen() != b.isOpen() {
			if a.isOpen() {
				return -1
			}
			return 1
		}
		return b.entry().Time.Compare(a.entry().Time)
	})
}

func (r *journalRow) isOpen() bool { return r.change != nil && r.change.Open() }

// entry is the line that began it.
func (r *journalRow) entry() changes.JournalEntry {
	if r.change != nil {
		return r.change.Intent
	}
	return *r.remark
}

func (r *journalRow) id() string { return r.entry().ID }

// Len is the number of rows.
func (r *journalRows) Len() int { return len(r.list) }

// Cell presents an entry.
func (r *journalRows) Cell(i, col int) widget.Cell {
	row := r.list[i]
	e := row.entry()
	switch col {
	case 0:
		return widget.Cell{Text: journalTime(e.Time.UTC(), r.env.Now().UTC()), Role: widget.RoleMuted}
	case 1:
		return row.outcome()
	case 2:
		return widget.Cell{Text: row.what(), Role: widget.RoleKey}
	case 3:
		return widget.Cell{Text: orNone(e.Detail.Key)}
	case 4:
		if e.Detail.To == "" {
			return widget.Cell{Text: present.NoValue, Role: widget.RoleFaint}
		}
		return widget.Cell{Text: orNone(e.Detail.From) + " → " + e.Detail.To, Role: widget.RoleInfo}
	}
	return widget.Cell{Text: e.Actor, Role: widget.RoleMuted}
}

func orNone(text string) string {
	if text == "" {
		return present.NoValue
	}
	return text
}

// journalTime is a time to the minute: "21 Nov 15:04"; of another year the day.
func journalTime(t, now time.Time) string {
	if t.Year() != now.Year() {
		return t.Format(time.DateOnly)
	}
	return t.Format("02 Jan 15:04")
}

// what names the change without the profile, which is always this one.
func (r *journalRow) what() string {
	e := r.entry()
	name := strings.TrimPrefix(e.Subject, e.Profile+".")
	switch {
	case r.change != nil && r.change.IsUndo():
		return "undo " + name
	case r.remark != nil && changes.IsReveal(*r.remark):
		return "reveal " + name
	}
	return name
}

// outcome is what came of it, as a sign and a word.
func (r *journalRow) outcome() widget.Cell {
	switch {
	case r.remark != nil && changes.IsReveal(*r.remark):
		return widget.Cell{Text: "◉ revealed", Role: widget.RoleInfo}
	case r.remark != nil:
		return widget.Cell{Text: "⊘ refused", Role: widget.RoleWarn}
	case r.change.Open():
		return widget.Cell{Text: "? outcome unknown", Role: widget.RoleBad}
	case r.change.Undone:
		return widget.Cell{Text: "↶ taken back", Role: widget.RoleMuted}
	case r.change.Committed():
		return widget.Cell{Text: "✓ committed", Role: widget.RoleGood}
	}
	word, _, _ := strings.Cut(r.change.Outcome.Outcome, ":")
	if word == "conflict" {
		return widget.Cell{Text: "≠ conflict", Role: widget.RoleWarn}
	}
	return widget.Cell{Text: "✗ " + word, Role: widget.RoleWarn}
}

// journalFact is a line of the details.
type journalFact struct {
	label, text string
	role        widget.Role
}

// facts are everything that the journal says about an entry, but the sealed
// record of what was written.
func (r *journalRow) facts(now time.Time) []journalFact {
	e := r.entry()
	d := e.Detail
	moved := ""
	if d.To != "" {
		moved = orNone(d.From) + " → " + d.To
	}
	list := []journalFact{
		{"outcome", r.outcomeText(), r.outcome().Role},
		{"reason", orNone(d.Reason), widget.RoleText},
		{"change", moved, widget.RoleInfo},
		{"who", strings.TrimSpace(e.Actor + " as " + e.Role), widget.RoleText},
		{"when", e.Time.UTC().Format("2006-01-02 15:04:05.000") + " UTC · " + present.Age(e.Time, now), widget.RoleText},
		{"item", strings.TrimSpace(d.Entity + " " + d.Key), widget.RoleText},
		{"table", d.Table, widget.RoleText},
		{"where", present.Join(e.Context, present.Join(e.Region, e.Endpoint, " · "), " · "), widget.RoleText},
		{"writes", d.Writes, widget.RoleText},
		{"token", d.Token, widget.RoleMuted},
		{"undoes", d.Undoes, widget.RoleMuted},
		{"planned by", d.PlannedBy, widget.RoleText},
	}
	if r.change != nil && r.change.Outcome != nil {
		o := r.change.Outcome.Detail
		list = append(
			list,
			journalFact{"notes", o.Notes, widget.RoleWarn},
			journalFact{"capacity", units(o.Capacity), widget.RoleText},
			journalFact{"resolved", present.Join(o.Resolved, o.ResolvedBy, " · "), widget.RoleText},
		)
	}
	list = append(list, journalFact{"entry", e.ID, widget.RoleMuted})
	return slices.DeleteFunc(list, func(f journalFact) bool { return f.text == "" })
}

// units says what a change was charged, as its dialog does.
func units(capacity string) string {
	if capacity == "" {
		return ""
	}
	return capacity + " WCU"
}

// outcomeText says the outcome in full.
func (r *journalRow) outcomeText() string {
	switch {
	case r.remark != nil && changes.IsReveal(*r.remark):
		return "personal data was shown"
	case r.remark != nil:
		return "refused: " + orNone(r.remark.Detail.Why)
	case r.change.Open():
		return "outcome unknown: v reads the items and finds out"
	case r.change.Undone:
		return "committed and later undone"
	}
	return r.change.Outcome.Outcome
}
