package home

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/dashboard"
	"github.com/ddbdesk/ddbdesk/internal/find"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// numbers makes the rows about the database of a profile: its queues, the states of its items, drift and changes.
type numbers struct {
	h *Home
	p *profiles.Profile
	w int    // cells of a row
	b *board // nil if nothing is known

	label int // cells of the column of names
}

// The widths of the columns.
const (
	widestLabel = 40
	widestBar   = 40
	countWidth  = 8
	sparkCells  = 8
	pastWidth   = 12
)

// rows makes all rows.
func (n *numbers) rows() []row {
	n.label = n.labelWidth()
	rows := n.welcome()
	for _, q := range n.p.Queues {
		if len(q.Params) > 0 {
			continue // It differs for each item.
		}
		if len(rows) == 0 || rows[len(rows)-1].id == "" {
			rows = append(rows, n.heading("Queues", ""))
		}
		rows = append(rows, n.queue(q))
	}
	if n.requests() {
		if len(rows) == 0 || rows[len(rows)-1].id == "" {
			rows = append(rows, n.heading("Queues", ""))
		}
		rows = append(rows, n.review())
	}
	rows = append(rows, n.offers()...)
	for _, l := range n.p.Lifecycles {
		rows = append(rows, n.lifecycle(l)...)
	}
	if n.connected() {
		rows = append(rows, n.past()...)
	}
	if len(rows) > 0 && rows[0].text == "" && rows[0].draw == nil {
		rows = rows[1:]
	}
	return rows
}

func (n *numbers) connected() bool { return n.b != nil && n.b.workspace != nil }

// labelWidth returns the cells of the longest name of a queue or state, within bounds.
func (n *numbers) labelWidth() int {
	longest := 0
	if n.requests() {
		longest = len(reviewTitle) + 2
	}
	for _, q := range n.p.Queues {
		longest = max(longest, len([]rune(q.Title))+2)
	}
	for _, l := range n.p.Lifecycles {
		for _, s := range l.States {
			longest = max(longest, len([]rune(s.Name))+2)
		}
	}
	return min(longest, widestLabel, n.w/2)
}

// heading returns a title with a note and a rule, below a blank line.
func (n *numbers) heading(title, note string) row {
	return row{draw: func(t *widget.Strip) {
		t.Put(widget.RoleStrong, title+" ")
		if note != "" {
			note = models.Truncate(note, max(t.Room()-4, 0))
		}
		t.Put(widget.RoleBorder, strings.Repeat("─", max(t.Room()-len([]rune(note))-3, 0)))
		if note != "" {
			t.Put(widget.RoleMuted, " "+note)
		}
	}}
}

// welcome says how to begin, as long as nothing of the profile was read.
func (n *numbers) welcome() []row {
	s := n.h.styles
	var lines []string
	switch {
	case n.b != nil && n.b.err != nil:
		lines = append([]string{s.Paint(widget.RoleBad, "✗ "+n.p.Name+" cannot be counted")},
			widget.Wrap(s, widget.RoleText, n.b.err.Error(), n.w)...)
	case n.b != nil && n.b.sum.Err != nil:
		lines = append([]string{s.Paint(widget.RoleBad, "✗ Counts are incomplete")},
			widget.Wrap(s, widget.RoleText, n.b.sum.Err.Error(), n.w)...)
	case n.b != nil && len(n.b.sum.Missing) > 0:
		lines = widget.Wrap(s, widget.RoleWarn, "✗ The database has no table "+strings.Join(n.b.sum.Missing, ", ")+".", n.w)
		lines = append(lines, widget.Wrap(s, widget.RoleMuted, "Create it with "+n.b.workspace.Session.SchemaCommand("table", "create"), n.w)...)
	case n.b != nil && n.b.sum.Unread:
		lines = widget.Wrap(s, widget.RoleText,
			"Production is not read automatically. Press tab, then c to count the items.", n.w)
	case n.b == nil && !n.soon():
		lines = n.firstSteps()
	default:
		return nil
	}
	return textRows(append(lines, ""))
}

// soon reports whether the numbers are being read, or will be without a request of the user.
func (n *numbers) soon() bool {
	run := n.h.counter.running
	return run != nil && run.profile == n.p.Name || n.b == nil && n.h.opener.Local()
}

// firstSteps is the wordmark, and what to do first.
func (n *numbers) firstSteps() []string {
	s := n.h.styles
	step := func(key, text string) string {
		return s.PaintCell(widget.RoleKey, widget.SurfacePlain, key, 8, widget.AlignLeft) +
			s.Paint(widget.RoleText, models.Truncate(text, max(n.w-8, 0)))
	}
	var lines []string
	if lay := n.h.frame.layout(); lay.about.H >= 20 && n.w >= 40 {
		for _, line := range widget.Wordmark() {
			lines = append(lines, s.Paint(widget.RoleAccent, line))
		}
		lines = append(lines, "")
	}
	where := "in " + n.p.Name
	if all := len(n.h.profiles); all > 1 {
		where = fmt.Sprintf("in all %d schemas", all)
	}
	return append(lines,
		step("paste", "an ID, a key or an email address to find it "+where),
		step("enter", "opens "+n.p.Name),
		step("tab, c", "counts its items and queues"))
}

// queue returns the row of a queue: its length, its oldest item, and the ages of its items.
func (n *numbers) queue(q *change.Queue) row {
	var got *dashboard.Queue
	if n.b != nil {
		for i := range n.b.sum.Queues {
			if n.b.sum.Queues[i].Queue == q {
				got = &n.b.sum.Queues[i]
			}
		}
	}
	r := row{id: "queue " + q.ID, title: q.Title}
	r.open = n.opens(func(*screen.Env) screen.Target { return screen.Queue{ID: q.ID} })
	r.draw = func(t *widget.Strip) {
		if got == nil {
			n.waiting(t, q.Title, nil, dashboard.Count{}, nil)
			return
		}
		n.waiting(t, q.Title, &got.Progress, got.Count, got.Since)
	}
	if got != nil && len(got.Items) > 0 {
		r.items = func(w int) []string { return n.cards(q.Pattern.Table, got.Items, w) }
	}
	return r
}

// unknown says why there is no number.
func (n *numbers) unknown(p *dashboard.Progress) string {
	switch {
	case p != nil && p.Err != nil:
		return "not read: " + models.PrintableCell(p.Err.Error(), n.w)
	case p != nil && p.Offered:
		return "needs a scan"
	case n.soon():
		return "…"
	}
	return "not counted"
}

// offers returns a row for the scans that need consent.
func (n *numbers) offers() []row {
	if n.b == nil || len(n.b.sum.Offers) == 0 {
		return nil
	}
	e := n.b.sum.Offers[0].Estimate
	names := []string{n.b.sum.Offers[0].Table.Name}
	for _, o := range n.b.sum.Offers[1:] {
		e, names = e.Plus(o.Estimate), append(names, o.Table.Name)
	}
	text := fmt.Sprintf("⌕ Scan %s to count the rest: about %s, %g RCU",
		strings.Join(names, ", "), present.Plural(int(e.Items), "item"), e.ReadUnits)
	if d := e.Duration(); d > 0 {
		text += ", " + present.Short(d.Round(time.Second))
	}
	return []row{{}, {id: "scan", open: n.h.counter.count, draw: func(t *widget.Strip) {
		t.Put(widget.RoleWarn, models.PrintableCell(text, t.Room()))
	}}}
}

// lifecycle returns the rows of the states of a lifecycle, with a bar for each number.
func (n *numbers) lifecycle(l *models.Lifecycle) []row {
	var got *dashboard.States
	if n.b != nil {
		for i := range n.b.sum.States {
			if n.b.sum.States[i].Lifecycle == l {
				got = &n.b.sum.States[i]
			}
		}
	}
	note := n.unknown(nil)
	if got != nil {
		if note = n.unknown(&got.Progress); len(got.Counts) > 0 && got.Err == nil {
			total := got.Total()
			if note = total.String() + " items"; total == (dashboard.Count{N: 1}) {
				note = "1 item"
			}
		}
	}
	rows := []row{{}, n.heading(present.EntityName(l.Entity)+" by "+l.Attribute, note)}
	most := 1
	if got != nil {
		for _, c := range got.Counts {
			most = max(most, c.N)
		}
	}
	for _, s := range l.States {
		rows = append(rows, n.state(l, s, got, most))
	}
	return rows
}

// state returns the row of a state.
func (n *numbers) state(l *models.Lifecycle, s *models.State, got *dashboard.States, most int) row {
	badge := present.StateBadge(l, s.Name)
	r := row{id: "state " + l.Name + " " + s.Name, title: present.EntityName(l.Entity) + " " + s.Name}
	r.open = n.opens(func(env *screen.Env) screen.Target {
		q, args := env.Session.Profile().Listed(l, s.Name)
		return screen.Patterns{Pattern: q, Args: args, Run: true}
	})
	r.draw = func(t *widget.Strip) {
		t.Cell(badge.Role, badge.Text, n.label, widget.AlignLeft)
		if got == nil {
			return
		}
		c, known := got.Counts[s.Name]
		if !known {
			return
		}
		role := widget.RoleStrong
		if c.N == 0 {
			role = widget.RoleFaint
		}
		t.Cell(role, c.String(), countWidth, widget.AlignRight)
		t.Put(widget.RoleText, "  ")
		t.Put(badge.Role, widget.BarOf(c.N, most, min(t.Room(), widestBar)))
	}
	if got != nil && len(got.Items[s.Name]) > 0 {
		r.items = func(w int) []string { return n.cards(l.Entity.Table, got.Items[s.Name], w) }
	}
	return r
}

// cards describes items in lines of w cells.
func (n *numbers) cards(t *models.Table, items []models.Item, w int) []string {
	var lines []string
	session := n.b.workspace.Session
	for _, it := range items {
		h := find.Hit{Workspace: n.b.workspace, Table: t, Item: it}
		if r, ok := session.Recognize(t, it); ok {
			h.Entity = r.Entity
		}
		card := h.Card()
		line := widget.NewStrip(n.h.styles, widget.SurfacePlain, w)
		line.Cell(widget.RoleStrong, models.PrintableCell(card.Title, 200), min(max(w-32, 12), 44), widget.AlignLeft)
		badge := widget.Cell{}
		if len(card.States) > 0 {
			badge = present.StateBadge(card.States[0].Lifecycle, card.States[0].Name)
		}
		line.Put(widget.RoleText, "  ")
		line.Cell(badge.Role, badge.Text, 16, widget.AlignLeft)
		line.Put(widget.RoleText, "  ")
		if !card.Changed.IsZero() {
			line.Put(widget.RoleMuted, present.Age(card.Changed, session.Now()))
		}
		lines = append(lines, line.String())
	}
	return append(lines, "", n.h.styles.Paint(widget.RoleFaint, "enter lists them"))
}

// opens returns the command that opens a screen on the connection that was counted, or connects first.
func (n *numbers) opens(then func(*screen.Env) screen.Target) func() tea.Cmd {
	return func() tea.Cmd {
		if n.connected() {
			return screen.Send(screen.SessionMsg{Workspace: n.b.workspace, Then: then})
		}
		return n.h.OpenThen(then)
	}
}

// past returns the rows about drift and the last changes.
func (n *numbers) past() []row {
	now := n.b.workspace.Session.Now()
	sum := n.b.sum
	role, text := widget.RoleMuted, "not checked yet"
	switch d := sum.Drift; {
	case d != nil && d.Items > 0:
		role, text = widget.RoleWarn, fmt.Sprintf("%s of %s with defects", present.Thousands(d.Items), present.Plural(d.Scanned, "item"))
	case d != nil:
		role, text = widget.RoleGood, "✓ no defects in "+present.Plural(d.Scanned, "item")
	}
	rows := []row{{}, n.heading("Drift and changes", ""), {
		id: "drift", open: n.opens(func(*screen.Env) screen.Target { return screen.Drift{} }),
		draw: func(t *widget.Strip) {
			t.Cell(widget.RoleText, "Drift", pastWidth, widget.AlignLeft)
			t.Put(role, text)
			if sum.Drift != nil {
				t.Put(widget.RoleFaint, " · "+present.Age(sum.Drift.At, now))
			}
		},
	}}
	for i, c := range sum.Changes {
		rows = append(rows, row{
			id: fmt.Sprintf("change %d", i), open: n.opens(func(*screen.Env) screen.Target { return screen.Journal{} }),
			draw: func(t *widget.Strip) { n.change(t, c, now) },
		})
	}
	switch {
	case sum.Journal != nil:
		text := models.Truncate("journal: "+models.Printable(sum.Journal.Error()), n.w)
		rows = append(rows, row{text: n.h.styles.Paint(widget.RoleWarn, text)})
	case len(sum.Changes) == 0:
		rows = append(rows, row{draw: func(t *widget.Strip) {
			t.Cell(widget.RoleText, "Changes", pastWidth, widget.AlignLeft)
			t.Put(widget.RoleMuted, "no changes in the journal of this machine")
		}})
	}
	return rows
}

// change draws a past change: when, what, on which item, and its outcome.
func (n *numbers) change(t *widget.Strip, c changes.PastChange, now time.Time) {
	e := c.Intent
	what := strings.TrimPrefix(e.Subject, e.Profile+".")
	if c.IsUndo() {
		what = "undo " + what
	}
	role, sign := widget.RoleGood, "✓ "
	switch {
	case c.Open():
		role, sign = widget.RoleBad, "? "
	case c.Undone:
		role, sign = widget.RoleMuted, "↶ "
	case !c.Committed():
		role, sign = widget.RoleWarn, "✗ "
	}
	t.Cell(widget.RoleMuted, present.Age(e.Time, now), pastWidth, widget.AlignLeft)
	t.Put(role, sign)
	t.Put(widget.RoleKey, models.PrintableCell(what, t.Room())+"  ")
	t.Put(widget.RoleText, models.PrintableCell(e.Detail.Key, max(t.Room(), 1)))
}
