package home

import (
	"cmp"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/dashboard"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// attentionColumns contains the widths, in cells, of a row and of its name columns.
type attentionColumns struct{ w, schema, label, oldest, figures, gap int }

// An attentionRow is a row of the attention list before drawing.
type attentionRow struct {
	id, title string
	about     string // description for a tall screen
	open      func() tea.Cmd
	verb      string // what open does, "" for open
	p         *profiles.Profile
	schema    string         // name of the schema, or number of schemas
	parts     []attentionRow // rows of several schemas that are folded into this one
	role      widget.Role    // role of the sign
	sign      string
	known     bool // the row has a number
	count     dashboard.Count
	note      string // text beside the count, or in its place
	since     []time.Time
	now       func() time.Time // session clock; home may discard the board before it draws the row
}

// These are the titles of the row for change requests. A role that cannot decide requests sees those that the user
// made.
const (
	reviewTitle = "Change requests to review"
	madeTitle   = "Change requests you made"
)

// These are the column widths in cells.
const (
	countWidth    = 6
	oldestWidth   = 16
	sparkCells    = 8
	minSparkWidth = 80 // minimum row width for the chart of ages
)

// attentionRows lists pending decisions in all databases: queues, change requests, unclear changes and defects.
func (h *Home) attentionRows() []row {
	columns, age := attentionColumns{w: h.attention.width(), oldest: oldestWidth, gap: 2}, 0
	var list, reviews []attentionRow
	for _, p := range h.profiles {
		list = append(list, h.profileAttention(p)...)
		if x, ok := h.reviewRow(p); ok {
			reviews = append(reviews, x)
		}
	}
	position := func(x attentionRow) int {
		return slices.IndexFunc(h.attention.rows, func(r row) bool { return r.id == x.id })
	}
	keeps := h.focused == h.attention // Rows must not move under the cursor while counts arrive.
	isEmpty := func(x attentionRow) bool {
		return x.known && x.count.N == 0 && (!keeps || h.counter.running == nil && len(x.parts) == 0 || position(x) < 0)
	}
	reviews = h.foldReviews(reviews)
	isMade := func(x attentionRow) bool { return x.title == madeTitle } // They need no decision by this user.
	list = append(list, models.Filter(reviews, isMade)...)
	list = slices.DeleteFunc(append(slices.DeleteFunc(reviews, isMade), list...), isEmpty)
	slices.SortStableFunc(list, func(a, b attentionRow) int {
		if keeps {
			return cmp.Compare(uint(position(a)), uint(position(b))) // New rows come last.
		}
		return compareBool(!a.known && len(a.parts) == 0, !b.known && len(b.parts) == 0) // The row for requests stays first.
	})
	if h.reviewsUnfolded {
		for i, l := range slices.Backward(list) {
			if len(l.parts) > 1 {
				list = slices.Insert(list, i+1, l.parts...)
			}
		}
	}
	for _, x := range list {
		columns.schema = max(columns.schema, models.Width(x.schema))
		columns.label = max(columns.label, models.Width(x.title))
		if age = max(age, models.Width(x.noteText())+2); !x.known {
			age = oldestWidth // Reserve the space.
		}
	}
	if columns.schema = min(columns.schema, 16); len(h.profiles) == 1 {
		columns.schema = 0
	}
	if columns.figures = countWidth + oldestWidth; columns.w >= minSparkWidth {
		columns.figures += sparkCells + 2
	}
	room := columns.w - columns.schema - columns.figures - 2
	if blanks := oldestWidth - age; columns.label > room && blanks > 0 { // Titles get the blanks around the ages.
		columns.oldest, columns.gap, columns.figures, room = age, 1, columns.figures-blanks, room+blanks
	}
	columns.label = min(columns.label, 40, max(room, 10))
	rows := h.connectionRows()
	for _, x := range list {
		rows = append(rows, row{
			id: x.id, p: x.p, title: x.title, verb: x.verb, open: x.open, draw: func(t *widget.Strip) { columns.draw(t, x) },
		})
		if h.isTall() && x.about != "" {
			rows = append(rows, h.aboutRow(x.about, columns.w))
		}
	}
	if len(rows) == 0 {
		h.attention.empty = h.emptyAttention()
	}
	return rows
}

func (h *Home) aboutRow(text string, w int) row {
	text, _, _ = strings.Cut(strings.Join(strings.Fields(text), " "), ". ")
	return row{line: h.styles.Paint(widget.RoleFaint, "  "+models.PrintableCell(strings.TrimSuffix(text, "."), w-2))}
}

func (h *Home) connectionRows() []row {
	d := &h.db
	if h.source.Missing != "" {
		return append(textRows(widget.Wrap(h.styles, widget.RoleText, h.source.Missing, h.attention.width())), h.chooserRows()...)
	}
	if d.err == nil {
		return nil
	}
	text := d.problem()
	id, button, open := "connection", "[ Try again ]", func() tea.Cmd { return d.connect(true) }
	if d.cannotSignIn() == "" {
		text, id, button, open = present.Join(h.source.Place, "not signed in", " · "), "sign in", "[ Sign in ]", d.signIn
	}
	verb := strings.ToLower(strings.Trim(button, "[ ]"))
	rows := []row{{id: id, title: "not connected", verb: verb, open: open, draw: func(t *widget.Strip) {
		t.Put(widget.RoleWarn, "▲ ")
		room := max(t.Room()-len(button)-3, 1)
		if i := strings.LastIndex(text, ": "); i > 0 && models.Width(text) > room { // The list of tables shows the whole error.
			text = text[:i]
		}
		t.Put(widget.RoleText, models.PrintableCell(text, room))
		t.Put(widget.RoleAccent, "   "+button)
	}}}
	return append(rows, h.chooserRows()...)
}

func (h *Home) chooserRows() []row {
	open := h.connectionChooser()
	if open == nil {
		return nil
	}
	return []row{{id: "contexts", title: "another connection", verb: "choose", open: open, draw: func(t *widget.Strip) {
		t.Put(widget.RoleAccent, "  [ Another connection ]")
	}}}
}

// foldReviews replaces the rows of several schemas with a row that has their sum. The row exists before the first
// count, so that it has its place. Enter lists them below it.
func (h *Home) foldReviews(list []attentionRow) []attentionRow {
	hasCount := func(x attentionRow) bool { return x.count.N > 0 || !x.known && h.counter.running == nil }
	var folded []attentionRow
	for _, x := range list {
		part := x
		part.id, part.sign = x.id+" part", "  "+x.sign
		x.parts = []attentionRow{part}
		i := slices.IndexFunc(folded, func(sum attentionRow) bool {
			// A listed row stays during a count.
			return sum.title == x.title && (sum.known && x.known || h.reviewsUnfolded || !hasCount(sum) || !hasCount(x))
		})
		switch {
		case i < 0:
			if !slices.ContainsFunc(folded, func(sum attentionRow) bool { return sum.title == x.title }) {
				x.id = x.title
			}
			folded = append(folded, x)
			continue
		case !hasCount(x):
			continue
		case !hasCount(folded[i]):
			x.id = folded[i].id
			folded[i] = x
			continue
		}
		sum := &folded[i]
		sum.parts = append(sum.parts, part)
		sum.known, sum.schema = sum.known || x.known, present.Plural(len(sum.parts), "schema")
		if sum.sign, sum.verb = "▸", "list them"; h.reviewsUnfolded {
			sum.sign, sum.verb = "▾", "fold them"
		}
		sum.count = dashboard.Count{N: sum.count.N + x.count.N, More: sum.count.More || x.count.More}
		sum.since = slices.SortedFunc(slices.Values(slices.Concat(sum.since, x.since)), time.Time.Compare)
		sum.open = func() tea.Cmd {
			h.reviewsUnfolded = !h.reviewsUnfolded
			h.arrange()
			return h.handleMove()
		}
	}
	return folded
}

// connectionChooser returns the function that opens the dialog for connections, or nil if there is no choice.
func (h *Home) connectionChooser() func() tea.Cmd {
	if a, ok := h.Global.Named("contexts"); ok && a.Why() == "" {
		return a.Run
	}
	return nil
}

// maxAttentionRows reserves rows, so that the section keeps its height while home counts the queues.
func (h *Home) maxAttentionRows() int {
	n := 1 // change requests
	for _, p := range h.profiles {
		if !h.db.isListed || h.db.covers(p) {
			n += len(p.Queues)
		}
	}
	if h.reviewsUnfolded {
		n += len(h.profiles)
	}
	if h.isTall() {
		n *= 2
	}
	return n
}

func (h *Home) emptyAttention() string {
	switch {
	case !h.loaded || h.counter.running != nil:
		return "counting…"
	case h.db.isListed && len(h.db.list) == 0:
		return "No tables yet; ddbdesk seed SCHEMA creates them with sample data."
	case len(h.counter.boards) > 0:
		return "✓ Nothing needs attention."
	}
	return "Queues of the schemas that you open are listed here."
}

func (h *Home) profileAttention(p *profiles.Profile) []attentionRow {
	b := h.counter.boardOf(p)
	if h.db.isListed && !h.db.covers(p) || b == nil && (h.db.err != nil || h.source.Missing != "") {
		return nil
	}
	if p != h.Selected() && (b == nil || b.sum.Unread) {
		return nil
	}
	var list []attentionRow
	if b != nil && b.workspace != nil {
		list = h.riskRows(p, b)
	}
	for _, q := range p.Queues {
		if len(q.Params) > 0 { // The count would differ for each value of the parameters.
			continue
		}
		x := attentionRow{
			id: p.Name + " queue " + q.ID, title: q.Title, about: q.Description, p: p, schema: p.Name, role: widget.RoleInfo, sign: "●",
			note: h.counter.uncountedReason(p, nil),
		}
		x.open = h.counter.openFunc(p, func(*screen.Env) screen.Target { return screen.Queue{ID: q.ID} })
		if b != nil {
			for _, queue := range b.sum.Queues {
				if queue.Queue == q {
					h.setCount(&x, b, queue.Progress, queue.Count, queue.Since)
				}
			}
		}
		if x.note != noTable {
			list = append(list, x)
		}
	}
	return list
}

func (h *Home) reviewRow(p *profiles.Profile) (attentionRow, bool) {
	b := h.counter.boardOf(p)
	if b == nil && (p.Requests == "" && !h.source.HasRequests || p != h.Selected()) ||
		b != nil && p.Requests == "" && b.sum.Review.Table == "" {
		return attentionRow{}, false
	}
	x := attentionRow{id: p.Name + " requests", title: reviewTitle, p: p, schema: p.Name, role: widget.RoleInfo, sign: "●"}
	x.note = h.counter.uncountedReason(p, nil)
	x.open = h.counter.openFunc(p, func(*screen.Env) screen.Target { return screen.Requests{} })
	if b != nil && b.sum.Review.OwnRequests || b == nil && h.Access().Role == string(session.Support) {
		x.title = madeTitle
	}
	if b != nil {
		h.setCount(&x, b, b.sum.Review.Progress, b.sum.Review.Count, b.sum.Review.Since)
	}
	return x, x.note != noTable
}

func (h *Home) setCount(x *attentionRow, b *board, p dashboard.Progress, count dashboard.Count, since []time.Time) {
	if x.known, x.note = p.Known(), ""; !x.known {
		x.note = h.counter.uncountedReason(x.p, &p)
	}
	x.count = count
	if b.workspace != nil {
		x.since, x.now = since, b.workspace.Session.Now
	}
}

func (h *Home) riskRows(p *profiles.Profile, b *board) []attentionRow {
	now, unresolved := b.workspace.Session.Now(), 0
	for _, c := range b.sum.Changes {
		if c.Open() {
			unresolved++
		}
	}
	var list []attentionRow
	add := func(id, title string, role widget.Role, count int, note string, to screen.Target) {
		list = append(list, attentionRow{
			id: p.Name + id, title: title, p: p, schema: p.Name, role: role, sign: "▲", known: true,
			count: dashboard.Count{N: count}, note: note,
			open: h.counter.openFunc(p, func(*screen.Env) screen.Target { return to }),
		})
	}
	if unresolved > 0 {
		add(" open", "Changes with unknown outcome", widget.RoleBad, unresolved, "", screen.Journal{})
	}
	if d := b.sum.Drift; d != nil && d.Items > 0 {
		add(" drift", "Items with problems", widget.RoleWarn, d.Items, "checked "+present.Age(d.At, now), screen.Drift{})
	}
	return list
}

func (c attentionColumns) draw(t *widget.Strip, x attentionRow) {
	t.Put(x.role, x.sign+" ")
	label := c.label + 1 - models.Width(x.sign)
	if x.known { // A long title gets the blanks in front of the number.
		label += countWidth - 1 - models.Width(x.count.String())
	}
	t.Cell(widget.RoleText, models.PrintableCell(x.title, label), label, widget.AlignLeft)
	if !x.known { // Reserve the space, so that the row stays in place when the count arrives.
		figures := c.figures
		if models.Width(x.note)+2 > figures {
			figures = max(figures, t.Room()-c.schema-1)
		}
		t.Cell(widget.RoleFaint, "  "+models.PrintableCell(x.note, max(figures-2, 1)), figures, widget.AlignLeft)
		t.Put(widget.RoleMuted, models.PrintableCell(x.schema, min(c.schema, t.Room())))
		return
	}
	t.Put(widget.RoleStrong, " "+x.count.String()+strings.Repeat(" ", c.gap))
	t.Cell(widget.RoleMuted, x.noteText(), c.oldest-c.gap, widget.AlignLeft)
	if c.w >= minSparkWidth {
		t.Cell(widget.RoleInfo, widget.Sparkline(histogram(x.since, sparkCells)), sparkCells+2, widget.AlignLeft)
	}
	if t.Room() >= c.schema {
		t.Cell(widget.RoleMuted, models.PrintableCell(x.schema, c.schema), c.schema, widget.AlignLeft)
	}
}

func (x attentionRow) noteText() string {
	if len(x.since) == 0 {
		return x.note
	}
	age, isPast := strings.CutSuffix(present.Age(x.since[0], x.now()), " ago")
	return map[bool]string{true: "oldest "}[isPast] + age
}

func compareBool(a, b bool) int { return map[bool]int{true: 1}[a] - map[bool]int{true: 1}[b] }

func histogram(times []time.Time, bins int) []int {
	counts := make([]int, bins)
	if len(times) == 0 {
		return counts
	}
	duration := times[len(times)-1].Sub(times[0])
	for _, t := range times {
		bin := 0
		if duration > 0 {
			bin = min(int(t.Sub(times[0])*time.Duration(bins)/duration), bins-1)
		}
		counts[bin]++
	}
	return counts
}
