package results

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// pictureStep is the number of rows that one step counts: a few thousandths of a second.
const pictureStep = 4_000

// A PictureMsg is the result of a step of a picture.
type PictureMsg struct {
	box  *pictureBox
	work pictureWork
}

// pictureWork is the counting of a picture. Each step makes a new one.
type pictureWork struct {
	id                    int
	examined              int
	states, times, column *rows.Tally
}

// A pictureBox draws the filtered rows as a picture: their states, when they were, and the distribution of a column that
// the user chooses.
type pictureBox struct {
	r    *Rows
	cost func(w int) []string // what the read consumed and why

	columns []string // paths to choose from
	at      int
	state   string // path of the lifecycle's attribute, "" for none
	when    string // path of a time, "" for none
	l       *models.Lifecycle

	work   pictureWork
	show   []int32 // numbers of the counted items; nil for all
	total  int
	masker *models.Masker
	ctx    context.Context
	stop   context.CancelFunc
	frame  widget.Rect
	pager  *widget.Pager
}

// NewPictureBox returns a box with a picture of the filtered rows, and the command that begins to count them. cost says
// in lines of a width what the read consumed.
func (t *Table) NewPictureBox(cost func(w int) []string) (overlay.Overlay, tea.Cmd) {
	b := &pictureBox{r: t.Rows, cost: cost, pager: widget.NewPager(t.env.Styles)}
	for _, c := range t.Layout.Shown {
		if path := c.path(); path != "" && !slices.Contains(b.columns, path) {
			b.columns = append(b.columns, path)
		}
	}
	for _, path := range t.Layout.Paths {
		if !slices.Contains(b.columns, path) {
			b.columns = append(b.columns, path)
		}
	}
	for _, e := range t.Pattern.Returns {
		b.choose(e)
	}
	b.at = max(slices.IndexFunc(b.columns, b.worthDrawing), 0)
	return b, b.count()
}

func (b *pictureBox) choose(e *models.Entity) {
	if len(e.Lifecycles) > 0 && b.l == nil {
		b.l, b.state = e.Lifecycles[0], e.Lifecycles[0].Attribute
	}
	for _, path := range b.columns {
		if a := e.Attribute(path); a != nil && a.Format.IsTime() && b.when == "" {
			b.when = path
		}
	}
}

// worthDrawing rejects IDs, which differ in every row.
func (b *pictureBox) worthDrawing(path string) bool {
	a := b.r.Layout.attribute(path)
	return path != b.state && path != b.when && (a == nil || !b.r.Layout.inKey(a))
}

func (b *pictureBox) count() tea.Cmd {
	b.end()
	b.ctx, b.stop = context.WithCancel(b.r.env.Context)
	b.show, b.total, b.masker = slices.Clone(b.r.Show), b.r.Len(), b.r.env.Session.Masker()
	b.work = pictureWork{id: b.work.id + 1, states: &rows.Tally{}, times: &rows.Tally{}, column: &rows.Tally{}}
	return b.step()
}

func (b *pictureBox) end() {
	if b.stop != nil {
		b.stop()
	}
}

// Close stops the counting.
func (b *pictureBox) Close() { b.end() }

func (b *pictureBox) path() string {
	if b.at < len(b.columns) {
		return b.columns[b.at]
	}
	return ""
}

// step counts outside of Update.
func (b *pictureBox) step() tea.Cmd {
	if b.work.examined >= b.total {
		return nil
	}
	items, s, w, ctx := b.r.Items, b.r.snapshot(), b.work, b.ctx
	from, to := w.examined, min(w.examined+pictureStep, b.total)
	show, state, when, path := b.show, b.state, b.when, b.path()
	return func() tea.Msg {
		reader := items.Reader()
		w.states, w.times, w.column = w.states.Clone(), w.times.Clone(), w.column.Clone()
		for i := from; i < to && ctx.Err() == nil; i++ {
			at := i
			if show != nil {
				at = int(show[i])
			}
			row := s.searchRow(reader.At(at))
			if state != "" {
				w.states.Add(row, state)
			}
			if when != "" {
				w.times.Add(row, when)
			}
			if path != "" {
				w.column.Add(row, path)
			}
		}
		w.examined = to
		return PictureMsg{b, w}
	}
}

// Update chooses another column, scrolls or closes.
func (b *pictureBox) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	switch msg := msg.(type) {
	case PictureMsg:
		if msg.box != b || msg.work.id != b.work.id {
			return nil, false
		}
		b.work = msg.work
		return b.step(), false
	case tea.KeyPressMsg:
		switch msg.String() {
		case "esc", "q", "v":
			b.end()
			return nil, true
		case "right", "l", "tab":
			return b.turn(1), false
		case "left", "h", "shift+tab":
			return b.turn(-1), false
		case "r":
			return b.count(), false
		}
		b.pager.Update(msg)
	}
	return nil, false
}

func (b *pictureBox) turn(by int) tea.Cmd {
	if len(b.columns) == 0 {
		return nil
	}
	b.at = (b.at + by + len(b.columns)) % len(b.columns)
	return b.count()
}

// Over draws the box over the middle of the screen.
func (b *pictureBox) Over(s *widget.Styles, background string, w, h int) string {
	bw, bh := min(max(w-8, min(w, 60)), 130), max(h-2, min(h, 8))
	b.frame = widget.Rect{X: (w - bw) / 2, Y: (h - bh) / 2, W: bw, H: bh}
	iw, ih := widget.PanelInner(bw, bh)
	b.pager.SetLines(b.lines(s, iw-3))
	b.pager.SetSize(max(iw-1, 0), max(ih-1, 0))
	foot := s.PaintCell(widget.RoleFaint, widget.SurfacePlain,
		" ← → other column · r counts again · esc closes", iw, widget.AlignLeft)
	note := present.Plural(b.total, "row")
	if b.work.examined < b.total {
		note = present.Thousands(b.work.examined) + " of " + note + " counted"
	}
	content := widget.Rows(widget.Indent(b.pager.View(), iw, max(ih-1, 0)), foot)
	box := widget.Panel{Title: b.r.Pattern.Title, Note: note, Focused: true}.Render(s, content, bw, bh)
	return widget.Overlay(widget.Dim(s, background), box, b.frame.X, b.frame.Y)
}

func (b *pictureBox) lines(s *widget.Styles, w int) []string {
	if b.masker != b.r.env.Session.Masker() {
		return []string{s.Paint(widget.RoleMuted, "Masking changed. Press r to count again.")}
	}
	if b.total == 0 {
		return []string{s.Paint(widget.RoleMuted, "No rows.")}
	}
	if b.work.examined == 0 {
		return []string{s.Paint(widget.RoleMuted, "Counting …")}
	}
	var lines []string
	if b.state != "" {
		lines = append(append(lines, present.Heading(s, b.state, w)), b.stateLines(s, w)...)
		lines = append(lines, "")
	}
	if b.when != "" {
		lines = append(append(lines, present.Heading(s, b.when, w)), b.timeLines(s, b.work.times, w)...)
		lines = append(lines, "")
	}
	if path := b.path(); path != "" {
		title := path + "  " + strconv.Itoa(b.at+1) + "/" + strconv.Itoa(len(b.columns))
		lines = append(append(lines, present.Heading(s, title, w)), b.columnLines(s, w)...)
		lines = append(lines, "")
	}
	if b.cost != nil {
		if cost := b.cost(w); len(cost) > 0 {
			lines = append(append(lines, present.Heading(s, "capacity", w)), cost...)
		}
	}
	return lines
}

func barLine(s *widget.Styles, label widget.Cell, n, largest, total, labels, w int) string {
	share := fmt.Sprintf("%s  %d %%", present.Thousands(n), (200*n/max(total, 1)+1)/2)
	room := max(w-labels-ansi.StringWidth(share)-4, 0)
	return s.PaintCell(label.Role, widget.SurfacePlain, label.Text, labels, widget.AlignLeft) + "  " +
		s.Paint(widget.RoleAccent, widget.BarOf(n, largest, room)) + " " + s.Paint(widget.RoleMuted, share)
}

func (b *pictureBox) stateLines(s *widget.Styles, w int) []string {
	t := b.work.states
	var list []rows.Count
	for _, st := range b.l.States {
		if n := t.N(st.Name); n > 0 {
			list = append(list, rows.Count{Text: st.Name, N: n})
		}
	}
	for _, c := range t.Top(t.Distinct()) {
		if b.l.State(c.Text) == nil {
			list = append(list, c)
		}
	}
	return b.bars(s, t, list, func(text string) widget.Cell { return present.StateBadge(b.l, text) }, w)
}

// barsShown is the number of values that are drawn of a column.
const barsShown = 12

func (b *pictureBox) bars(s *widget.Styles, t *rows.Tally, list []rows.Count, look func(string) widget.Cell, w int) []string {
	labels, largest, rest := 8, 1, t.Others
	if len(list) > barsShown {
		for _, c := range list[barsShown:] {
			rest += c.N
		}
		list = list[:barsShown]
	}
	for _, c := range list {
		labels, largest = max(labels, ansi.StringWidth(look(c.Text).Text)), max(largest, c.N)
	}
	labels = min(labels, max(w/3, 8))
	var lines []string
	for _, c := range list {
		lines = append(lines, barLine(s, look(c.Text), c.N, largest, t.Rows, labels, w))
	}
	if rest > 0 {
		lines = append(lines, s.Paint(widget.RoleMuted, "other values: "+present.Plural(rest, "row")))
	}
	if t.Absent > 0 {
		lines = append(lines, s.Paint(widget.RoleMuted, "no value: "+present.Plural(t.Absent, "row")))
	}
	return lines
}

func (b *pictureBox) timeLines(s *widget.Styles, t *rows.Tally, w int) []string {
	h, ok := t.Times(max(w, 1))
	if !ok {
		return []string{s.Paint(widget.RoleMuted, "no times: "+present.Plural(t.Rows, "row"))}
	}
	day := func(at float64) string { return time.Unix(int64(at), 0).UTC().Format("2006-01-02 15:04") }
	return b.histogram(s, h, day(h.Low), day(h.Top), "tallest bar: "+present.Plural(h.Largest(), "row"), w)
}

func (b *pictureBox) histogram(s *widget.Styles, h rows.Histogram, low, top, middle string, w int) []string {
	spread := present.Spread(s.Paint(widget.RoleMuted, low+"   ")+s.Paint(widget.RoleFaint, middle), s.Paint(widget.RoleMuted, top),
		max(len(h.Bins), min(w, 2*len(low)+len(middle)+6)))
	return []string{s.Paint(widget.RoleAccent, widget.Sparkline(h.Bins)), spread}
}

func (b *pictureBox) columnLines(s *widget.Styles, w int) []string {
	t := b.work.column
	if _, ok := t.Times(1); ok {
		return b.timeLines(s, t, w)
	}
	if h, ok := t.Numbers(min(w, 60)); ok {
		number := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
		return b.histogram(s, h, number(h.Low), number(h.Top), "median "+number(t.Middle()), w)
	}
	if t.Distinct() == 0 {
		return []string{s.Paint(widget.RoleMuted, "no value: "+present.Plural(t.Rows, "row"))}
	}
	if t.Distinct() == t.Rows && t.Rows > 1 {
		return []string{s.Paint(widget.RoleMuted, "every row has a different value")}
	}
	look := func(text string) widget.Cell { return widget.Cell{Text: text, Role: widget.RoleText} }
	for _, e := range b.r.Pattern.Returns {
		if l := e.Lifecycle(b.path()); l != nil {
			look = func(text string) widget.Cell { return present.StateBadge(l, text) }
		}
	}
	return b.bars(s, t, t.Top(t.Distinct()), look, w)
}

// SetStyles changes the theme.
func (b *pictureBox) SetStyles(s *widget.Styles) { b.pager.SetStyles(s) }

// Wheel scrolls the picture.
func (b *pictureBox) Wheel(up bool) { b.pager.Wheel(up) }

// Click closes the box when it is outside.
func (b *pictureBox) Click(x, y int) (cmd tea.Cmd, done bool) { return nil, !b.frame.Has(x, y) }

// Cursor is nil: nothing is typed.
func (b *pictureBox) Cursor() *tea.Cursor { return nil }
