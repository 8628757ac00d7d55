package home

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/dashboard"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// needs makes the rows of what needs a decision in the databases of all profiles: queues with the age of their oldest
// item, requested changes, changes without an outcome, and defects.
type needs struct {
	h *Home
	w int // cells of a row

	profile, label int // cells of the columns of names
}

// A need is one of the rows before it is drawn.
type need struct {
	entry
	p     *profiles.Profile
	role  widget.Role // of its sign
	sign  string
	known bool // that it has a number
	count dashboard.Count
	note  string // beside or instead of the number
	since []time.Time
	now   func() time.Time // of the session that counted; the board may be forgotten before this is drawn
	where string           // instead of the name of the profile, "" for that
}

func (x need) place() string { return cmp.Or(x.where, x.p.Name) }

// reviewTitle is the title of the row of requested changes.
const reviewTitle = "Requests to review"

func (n *needs) rows() []row {
	var list, reviews []need
	for _, p := range n.h.profiles {
		list = append(list, n.of(p)...)
		if x, ok := n.review(p); ok {
			reviews = append(reviews, x)
		}
	}
	if len(reviews) > 0 {
		list = append(list, merged(reviews, n.h.Selected()))
	}
	slices.SortStableFunc(list, func(a, b need) int { return weight(a) - weight(b) })
	n.profile, n.label = 0, 0
	for _, x := range list {
		n.profile = max(n.profile, len([]rune(x.place())))
		n.label = max(n.label, len([]rune(x.title)))
	}
	if n.profile = min(n.profile, 16); len(n.h.profiles) == 1 {
		n.profile = 0
	}
	rest := n.profile + countWidth + oldestWidth + 4
	if n.w >= sparkFrom {
		rest += sparkCells + 2
	}
	n.label = min(n.label, widestLabel, max(n.w-rest, 10))
	rows := make([]row, 0, len(list))
	for _, x := range list {
		rows = append(rows, row{entry: x.entry, draw: func(t *widget.Strip) { n.draw(t, x) }})
	}
	return rows
}

func weight(x need) int {
	switch {
	case x.known && x.count.N == 0:
		return 2
	case !x.known && x.role == widget.RoleInfo:
		return 1
	}
	return 0
}

func (n *needs) of(p *profiles.Profile) []need {
	b := n.h.counter.of(p)
	if p != n.h.Selected() && (b == nil || b.sum.Unread) {
		return nil
	}
	var list []need
	if b != nil && b.workspace != nil {
		list = n.risks(p, b)
	}
	for _, q := range p.Queues {
		if len(q.Params) > 0 { // It differs for each item.
			continue
		}
		if x := n.queue(p, b, q); x.note != noTable || p == n.h.Selected() {
			list = append(list, x)
		}
	}
	return list
}

func (n *needs) review(p *profiles.Profile) (need, bool) {
	b := n.h.counter.of(p)
	if b == nil && (p.Requests == "" || p != n.h.Selected()) || b != nil && p.Requests == "" && b.sum.Review.Table == "" {
		return need{}, false
	}
	x := need{p: p, role: widget.RoleInfo, sign: "●", note: n.h.counter.unknown(p, nil)}
	x.entry = entry{id: "requests", title: reviewTitle, open: n.h.counter.opens(p, func(*screen.Env) screen.Target {
		return screen.Requests{}
	})}
	if b != nil {
		n.fill(&x, b, b.sum.Review.Progress, b.sum.Review.Count, b.sum.Review.Since)
	}
	return x, true
}

// merged opens the requests of the selected profile, if it has some, else of the first one that has.
func merged(list []need, selected *profiles.Profile) need {
	var with []need
	for _, x := range list {
		if x.known && x.count.N > 0 {
			with = append(with, x)
		}
	}
	if len(with) == 0 {
		all := list[max(slices.IndexFunc(list, func(x need) bool { return x.p == selected }), 0)]
		if len(list) > 1 {
			all.where = "all profiles"
		}
		return all
	}
	all := with[max(slices.IndexFunc(with, func(x need) bool { return x.p == selected }), 0)]
	if len(with) == 1 {
		return all
	}
	all.count, all.since, all.where = dashboard.Count{}, nil, fmt.Sprintf("%d profiles", len(with))
	for _, x := range with {
		all.count.N += x.count.N
		all.count.More = all.count.More || x.count.More
		all.since = append(all.since, x.since...)
		if all.now == nil {
			all.now = x.now
		}
	}
	slices.SortFunc(all.since, time.Time.Compare)
	return all
}

func (n *needs) queue(p *profiles.Profile, b *board, q *change.Queue) need {
	x := need{p: p, role: widget.RoleInfo, sign: "●", note: n.h.counter.unknown(p, nil)}
	x.entry = entry{id: p.Name + " queue " + q.ID, title: q.Title, open: n.h.counter.opens(p, func(*screen.Env) screen.Target {
		return screen.Queue{ID: q.ID}
	})}
	if b == nil {
		return x
	}
	i := slices.IndexFunc(b.sum.Queues, func(got dashboard.Queue) bool { return got.Queue == q })
	if i < 0 {
		return x
	}
	got := b.sum.Queues[i]
	n.fill(&x, b, got.Progress, got.Count, got.Since)
	if len(got.Items) > 0 {
		x.items = func(w int) []string { return b.cards(n.h.styles, q.Pattern.Table, got.Items, w) }
	}
	return x
}

func (n *needs) fill(x *need, b *board, p dashboard.Progress, count dashboard.Count, since []time.Time) {
	x.known = p.Done && !p.Offered && p.Err == nil
	if x.note = ""; !x.known {
		x.note = n.h.counter.unknown(x.p, &p)
	}
	x.count = count
	if b.workspace != nil {
		x.since, x.now = since, b.workspace.Session.Now
	}
}

func (n *needs) risks(p *profiles.Profile, b *board) []need {
	now, unknown := b.workspace.Session.Now(), 0
	for _, c := range b.sum.Changes {
		if c.Open() {
			unknown++
		}
	}
	var list []need
	add := func(id, title string, role widget.Role, count int, note string, to screen.Target) {
		list = append(list, need{
			p: p, role: role, sign: "▲", known: true, count: dashboard.Count{N: count}, note: note,
			entry: entry{id: p.Name + id, title: title, open: n.h.counter.opens(p, func(*screen.Env) screen.Target { return to })},
		})
	}
	if unknown > 0 {
		add(" open", "Changes without an outcome", widget.RoleBad, unknown, "", screen.Journal{})
	}
	if d := b.sum.Drift; d != nil && d.Items > 0 {
		add(" drift", "Items with defects", widget.RoleWarn, d.Items, "checked "+present.Age(d.At, now), screen.Drift{})
	}
	return list
}

func (n *needs) draw(t *widget.Strip, x need) {
	role, text := x.role, widget.RoleText
	if x.known && x.count.N == 0 {
		role, text = widget.RoleFaint, widget.RoleMuted
	}
	t.Put(role, x.sign+" ")
	t.Cell(text, models.PrintableCell(x.title, n.label), n.label, widget.AlignLeft)
	figures := countWidth + oldestWidth
	if n.w >= sparkFrom {
		figures += sparkCells + 2
	}
	switch {
	case x.known:
	case models.Width(x.note)+2 <= figures && t.Room() > figures+n.profile: // Nothing moves when the number is there.
		t.Cell(widget.RoleFaint, "  "+models.Printable(x.note), figures, widget.AlignLeft)
		t.Cell(widget.RoleMuted, x.place(), n.profile, widget.AlignLeft)
		return
	default:
		t.Put(widget.RoleFaint, "  "+models.PrintableCell(x.note, max(t.Room()-n.profile-3, 0))+"  ")
		t.Put(widget.RoleMuted, models.PrintableCell(x.place(), n.profile))
		return
	}
	t.Cell(widget.RoleStrong, x.count.String(), countWidth, widget.AlignRight)
	note := x.note
	if len(x.since) > 0 {
		note = "oldest " + strings.TrimSuffix(present.Age(x.since[0], x.now()), " ago")
	}
	t.Cell(widget.RoleMuted, "  "+note, oldestWidth, widget.AlignLeft)
	if n.w >= sparkFrom {
		t.Cell(widget.RoleInfo, widget.Sparkline(histogram(x.since, sparkCells)), sparkCells+2, widget.AlignLeft)
	}
	if t.Room() > n.profile {
		t.Cell(widget.RoleMuted, x.place(), n.profile, widget.AlignLeft)
	}
}

func histogram(times []time.Time, spans int) []int {
	counts := make([]int, spans)
	if len(times) == 0 {
		return counts
	}
	all := times[len(times)-1].Sub(times[0])
	for _, t := range times {
		at := 0
		if all > 0 {
			at = min(int(t.Sub(times[0])*time.Duration(spans)/all), spans-1)
		}
		counts[at]++
	}
	return counts
}

func (n *needs) first() []string {
	s := n.h.styles
	step := func(key, text string) string {
		return s.PaintCell(widget.RoleKey, widget.SurfacePlain, key, 8, widget.AlignLeft) +
			s.Paint(widget.RoleText, models.Truncate(text, max(n.w-8, 0)))
	}
	p := n.h.Selected()
	if p == nil || n.h.counter.expects(p) {
		return nil
	}
	if n.h.counter.of(p) != nil {
		return []string{s.Paint(widget.RoleMuted, "✓ Nothing needs attention.")}
	}
	where := "in " + p.Name
	if all := len(n.h.profiles); all > 1 {
		where = fmt.Sprintf("in all %d schemas", all)
	}
	return []string{
		step("paste", "an ID, a key or an email address to find it "+where), step("enter", "opens "+p.Name),
		step("tab, c", "counts its items and queues"),
	}
}

func (c *counter) opens(p *profiles.Profile, then func(*screen.Env) screen.Target) func() tea.Cmd {
	return func() tea.Cmd {
		if b := c.of(p); b != nil && b.workspace != nil {
			return screen.Send(screen.SessionMsg{Workspace: b.workspace, Then: then})
		}
		return c.h.Enter(p, then)
	}
}

func (c *counter) expects(p *profiles.Profile) bool {
	run := c.running
	return run != nil && run.profile == p.Name || c.counts(p)
}

const noTable = "table does not exist"

func (c *counter) unknown(p *profiles.Profile, progress *dashboard.Progress) string {
	switch {
	case progress != nil && progress.Missing:
		return noTable
	case progress != nil && progress.Err != nil:
		return "not read: " + models.PrintableCell(progress.Err.Error(), widestLabel)
	case progress != nil && progress.Offered:
		return "needs a scan"
	case c.expects(p):
		return "…"
	}
	return "not counted"
}
