package workbench

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A sideList is a cursor in a few lines of a box, which scroll when they are
// more than fit.
type sideList struct {
	at, top, height int
	frame           overlay.Rect
}

// move moves the cursor among n lines.
func (l *sideList) move(by, n int) { l.at = min(max(l.at+by, 0), max(n-1, 0)) }

// steer moves the cursor as a key says.
func (l *sideList) steer(key string, n int) {
	switch key {
	case "up", "k":
		l.move(-1, n)
	case "down", "j":
		l.move(1, n)
	case "home", "g":
		l.move(-n, n)
	case "end", "G":
		l.move(n, n)
	case "pgup", "ctrl+u":
		l.move(-max(l.height, 1), n)
	case "pgdown", "ctrl+d":
		l.move(max(l.height, 1), n)
	}
}

// hitLine is the line at a place on the screen.
func (l *sideList) hitLine(x, y, n int) (line int, ok bool) {
	line = l.top + y - l.frame.Y - 1
	ok = l.frame.Has(x, y) && y > l.frame.Y && y <= l.frame.Y+l.height && line >= 0 && line < n
	return line, ok
}

// beside draws the lines of a box over the list of patterns, so that the rows
// stay in view; without such a list, at the right.
func (l *sideList) beside(
	b *Workbench, background, title string, n int, line func(i int, on widget.Surface, w int) string, foot []string, w,
	h int,
) string {
	s := b.env.Styles
	bw := min(44, w)
	l.frame = overlay.Rect{X: w - bw, Y: 0, W: bw, H: 0}
	if !b.lay.narrow {
		bw = b.lay.list.W
		l.frame = overlay.Rect{X: 0, Y: 0, W: bw, H: 0}
	}
	l.height = max(min(n, h-len(foot)-3), 1)
	l.frame.H = min(l.height+len(foot)+3, h)
	l.top = min(max(l.top, l.at-l.height+1), l.at)
	l.top = min(l.top, max(n-l.height, 0))
	iw, _ := widget.PanelInner(bw, l.frame.H)
	var lines []string
	for i := l.top; i < min(l.top+l.height, n); i++ {
		on, bar := widget.SurfacePlain, "  "
		if i == l.at {
			on, bar = widget.SurfaceCursor, "▌ "
		}
		lines = append(lines, s.PaintOn(widget.RoleAccent, on, bar)+line(i, on, max(iw-3, 0))+s.PaintOn(widget.RoleText, on, " "))
	}
	lines = append(lines, "")
	for _, text := range foot {
		lines = append(lines, s.Paint(widget.RoleFaint, " "+text))
	}
	note := "esc done"
	if n > l.height {
		note = strconv.Itoa(l.at+1) + "/" + strconv.Itoa(n)
	}
	box := widget.Panel{Title: title, Note: note, Focused: true}.Render(s, strings.Join(lines, "\n"), l.frame.W, l.frame.H)
	return widget.Overlay(background, box, l.frame.X, l.frame.Y)
}

// columnsBox lays out the columns of the rows in view.
type columnsBox struct {
	sideList
	b *Workbench
	j *job
}

// openColumns opens the box.
func (ra *rowActions) openColumns() tea.Cmd {
	ra.b.Box = &columnsBox{b: ra.b, j: ra.b.job}
	return nil
}

func (x *columnsBox) cols() []results.Column { return x.j.rows.Layout }

func (x *columnsBox) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, false
	}
	cols := slices.Clone(x.cols())
	key := press.String()
	if key == "shift+up" || key == "shift+down" {
		key = map[string]string{"shift+up": "K", "shift+down": "J"}[key]
	}
	switch key {
	case "esc", "enter", "c", "q":
		x.j.rows.SaveLayout()
		return nil, true
	case "space":
		toggleColumn(cols, x.at)
	case "J", "K":
		x.at = moveColumn(cols, x.at, map[string]int{"J": 1, "K": -1}[key])
	case "+", "=", "right", "l":
		x.resize(cols, 2)
	case "-", "left", "h":
		x.resize(cols, -2)
	case "0":
		cols[x.at].Width = 0
	case "p":
		x.at = pinColumn(cols, x.at)
	case "s":
		return x.b.runs.sortOn(x.j, cols[x.at].Key), false
	case "d":
		cols = results.DefaultColumns(x.j.rows.Pattern)
		x.move(0, len(cols))
	default:
		x.steer(key, len(cols))
		return nil, false
	}
	x.j.relaid(cols)
	x.b.draw.preview.Forget()
	return nil, false
}

// toggleColumn shows or hides a column; the last one that is seen stays.
func toggleColumn(cols []results.Column, at int) {
	seen := 0
	for _, c := range cols {
		if !c.Hidden {
			seen++
		}
	}
	if cols[at].Hidden || seen > 1 {
		cols[at].Hidden = !cols[at].Hidden
	}
}

// moveColumn moves a column by one place among those that are pinned as it is,
// and returns its new place.
func moveColumn(cols []results.Column, at, by int) int {
	to := at + by
	if to < 0 || to >= len(cols) || cols[to].Pinned != cols[at].Pinned {
		return at
	}
	cols[at], cols[to] = cols[to], cols[at]
	return to
}

// pinColumn pins a column behind the pinned ones, or lets it go in front of the
// others, and returns its new place.
func pinColumn(cols []results.Column, at int) int {
	cols[at].Pinned = !cols[at].Pinned
	key := cols[at].Key
	if cols[at].Pinned {
		cols[at].Hidden = false
	}
	slices.SortStableFunc(cols, func(a, b results.Column) int {
		switch {
		case a.Pinned == b.Pinned:
			return 0
		case a.Pinned:
			return -1
		}
		return 1
	})
	return slices.IndexFunc(cols, func(c results.Column) bool { return c.Key == key })
}

// resize makes a column wider or narrower than it is now.
func (x *columnsBox) resize(cols []results.Column, by int) {
	c := &cols[x.at]
	width := c.Width
	if i := slices.IndexFunc(x.j.rows.Shown, func(s results.Column) bool { return s.Key == c.Key }); i >= 0 && width == 0 {
		width = x.j.grid.ColumnWidth(i)
	}
	if width > 0 {
		c.Width = min(max(width+by, results.NarrowestColumn), results.WidestColumn)
	}
}

func (x *columnsBox) Over(_ *widget.Styles, background string, w, h int) string {
	foot := []string{"space show · J K move · - + width", "p pin · s sort · d default"}
	return x.beside(x.b, background, "Columns", len(x.cols()), x.line, foot, w, h)
}

// line is one column: whether it is seen, its name, and how it is laid out.
func (x *columnsBox) line(i int, on widget.Surface, w int) string {
	s, c := x.b.env.Styles, x.cols()[i]
	sign, role, signRole := "✓ ", widget.RoleText, widget.RoleGood
	if c.Hidden {
		sign, role, signRole = "  ", widget.RoleMuted, widget.RoleMuted
	}
	var notes []string
	if x.j.rows.By.Key == c.Key && x.j.rows.By.Order != widget.Unsorted {
		notes = append(notes, x.j.rows.By.Order.Arrow())
	}
	if c.Width > 0 {
		notes = append(notes, strconv.Itoa(c.Width))
	}
	if c.Pinned {
		notes = append(notes, "pinned")
	}
	note := strings.Join(notes, " ")
	room := max(w-2-len(note), 0)
	return s.PaintOn(signRole, on, sign) + s.PaintCell(role, on, c.Title(), room, widget.AlignLeft) +
		s.PaintCell(widget.RoleMuted, on, note, min(len(note), max(w-2, 0)), widget.AlignLeft)
}

func (x *columnsBox) Cursor() *tea.Cursor { return nil }

func (x *columnsBox) SetStyles(*widget.Styles) {}

func (x *columnsBox) Wheel(up bool) { x.move(map[bool]int{true: -1, false: 1}[up], len(x.cols())) }

// click goes to a column; a click on the one under the cursor shows or hides it,
// one outside of the box is the end.
func (x *columnsBox) Click(cx, cy int) (cmd tea.Cmd, done bool) {
	line, ok := x.hitLine(cx, cy, len(x.cols()))
	switch {
	case ok && line == x.at:
		return x.Update(tea.KeyPressMsg{Code: tea.KeySpace, Text: " "})
	case ok:
		x.at = line
	case !x.frame.Has(cx, cy):
		x.j.rows.SaveLayout()
		return nil, true
	}
	return nil, false
}
