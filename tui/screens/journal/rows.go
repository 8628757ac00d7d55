package journal

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// row is an entry of the journal: a change, or a remark, which is a refusal or a
// reveal. One of the fields is nil.
type row struct {
	change *changes.PastChange
	remark *changes.JournalEntry
}

// rows is the source of the grid.
type rows struct {
	env     *screen.Env
	past    []changes.PastChange
	remarks []changes.JournalEntry
	all     bool // include the remarks

	list          []*row
	changes, open int // numbers of changes, and of those with unknown outcome
}

var columns = []widget.Column{
	{Title: "when", Min: 12, Max: 12, Frozen: true},
	{Title: "outcome", Min: 17, Max: 17},
	{Title: "action", Max: 28},
	{Title: "item", Min: 16, Max: 64, Middle: true},
	{Title: "from → to", Max: 34},
	{Title: "who", Weight: 1, Max: 40},
}

// fill lists the rows: changes with unknown outcome first, then in the order of the journal, newest first. Its times are not
// in order if the clock was set.
func (r *rows) fill() {
	r.list, r.open, r.changes = nil, 0, len(r.past)
	for i := range r.past {
		r.list = append(r.list, &row{change: &r.past[i]})
		if r.past[i].Open() {
			r.open++
		}
	}
	if r.all {
		for i := range r.remarks {
			r.list = append(r.list, &row{remark: &r.remarks[i]})
		}
	}
	rank := func(r *row) int {
		if r.change != nil && r.change.Open() {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(r.list, func(a, b *row) int {
		return cmp.Or(rank(a)-rank(b), cmp.Compare(b.entry().Seq, a.entry().Seq))
	})
}

// entry returns the entry that began the change, or the remark.
func (r *row) entry() changes.JournalEntry {
	if r.change != nil {
		return r.change.Intent
	}
	return *r.remark
}

// Len returns the number of rows.
func (r *rows) Len() int { return len(r.list) }

// Cell returns a value of an entry.
func (r *rows) Cell(i, col int) widget.Cell {
	row := r.list[i]
	e := row.entry()
	switch col {
	case 0:
		return widget.Cell{Text: rowTime(e.Time.UTC(), r.env.Now().UTC()), Role: widget.RoleMuted}
	case 1:
		word, _, role := row.outcome()
		return widget.Cell{Text: word, Role: role}
	case 2:
		return widget.Cell{Text: row.what(), Role: widget.RoleKey}
	case 3:
		return widget.Cell{Text: cmp.Or(e.Detail.Key, present.NoValue)}
	case 4:
		if move := transition(e); move != "" {
			return widget.Cell{Text: move, Role: widget.RoleInfo}
		}
		return widget.Cell{Text: present.NoValue, Role: widget.RoleFaint}
	}
	return widget.Cell{Text: e.Actor, Role: widget.RoleMuted}
}

// transition returns the states of a change, "" if it changed none.
func transition(e changes.JournalEntry) string {
	if e.Detail.To == "" {
		return ""
	}
	return cmp.Or(e.Detail.From, present.NoValue) + " → " + e.Detail.To
}

// rowTime returns a time to the minute: "21 Nov 15:04"; in another year only the day.
func rowTime(t, now time.Time) string {
	if t.Year() != now.Year() {
		return t.Format(time.DateOnly)
	}
	return t.Format("02 Jan 15:04")
}

// what returns the action without the name of the profile, which all rows share.
func (r *row) what() string {
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

// outcome returns the result of an entry as a symbol with a word, as a sentence, and
// the role of both.
func (r *row) outcome() (word, sentence string, role widget.Role) {
	switch {
	case r.remark != nil && changes.IsReveal(*r.remark):
		return "◉ revealed", "personal data was shown", widget.RoleInfo
	case r.remark != nil && changes.IsSetup(*r.remark):
		return "✓ sample data", "sample data was written where no item existed", widget.RoleInfo
	case r.remark != nil:
		return "⊘ refused", "refused: " + cmp.Or(r.remark.Detail.Why, present.NoValue), widget.RoleWarn
	case r.change.Open():
		return "? outcome unknown", "outcome unknown; press v to read the items and determine it", widget.RoleBad
	case r.change.Undone:
		return "↶ undone", "committed and later undone", widget.RoleMuted
	}
	text := r.change.Outcome.Outcome
	word, _, _ = strings.Cut(text, ":")
	switch {
	case r.change.Committed():
		return "✓ committed", text, widget.RoleGood
	case word == "conflict":
		return "≠ conflict", text, widget.RoleWarn
	}
	return "✗ " + word, text, widget.RoleWarn
}

// fact is a line of the details.
type fact struct {
	label, text string
	role        widget.Role
}

// facts returns all that the journal contains about an entry, except the sealed record
// of what was written. The outcome is first.
func (r *row) facts(now time.Time) []fact {
	e := r.entry()
	d := e.Detail
	_, outcome, role := r.outcome()
	list := []fact{
		{"outcome", outcome, role},
		{"reason", cmp.Or(d.Reason, present.NoValue), widget.RoleText},
		{"change", transition(e), widget.RoleInfo},
		{"who", strings.TrimSpace(e.Actor + " as " + e.Role), widget.RoleText},
		{"when", e.Time.UTC().Format("2006-01-02 15:04:05.000") + " UTC · " + present.Age(e.Time, now), widget.RoleText},
		{"item", strings.TrimSpace(d.Entity + " " + d.Key), widget.RoleText},
		{"table", d.Table, widget.RoleText},
		{"where", present.Join(e.Context, present.Join(e.Region, e.Endpoint, " · "), " · "), widget.RoleText},
		{"writes", d.Writes, widget.RoleText},
		{"token", d.Token, widget.RoleMuted},
		{"undoes", d.Undoes, widget.RoleMuted},
		{"planned by", d.PlannedBy, widget.RoleText},
		{"planner", d.Planner, widget.RoleText},
	}
	if r.change != nil && r.change.Outcome != nil {
		o := r.change.Outcome.Detail
		capacity := ""
		if o.Capacity != "" {
			capacity = o.Capacity + " WCU"
		}
		list = append(
			list,
			fact{"notes", o.Notes, widget.RoleWarn},
			fact{"capacity", capacity, widget.RoleText},
			fact{"resolved", present.Join(o.Resolved, o.ResolvedBy, " · "), widget.RoleText},
		)
	}
	list = append(list, fact{"entry", e.ID, widget.RoleMuted})
	return slices.DeleteFunc(list, func(f fact) bool { return f.text == "" })
}
