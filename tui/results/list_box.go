package results

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A listBox is a box of lines with a cursor beside the rows that it is about.
type listBox struct {
	title string
	foot  []string // the keys
	// left returns the width of the pane that the box covers, at the left; 0 puts the
	// box at the right.
	left func() int

	count func() int
	line  func(i int, on widget.Surface, w int) string
	// press handles the keys that do not move the cursor.
	press  func(key string) (cmd tea.Cmd, done bool)
	click  func() (cmd tea.Cmd, done bool) // a click on the line under the cursor
	jumps  bool                            // a click on another line is one on the line under the cursor
	closed func()                          // called when a click closes the box; may be nil

	at, top, height int
	frame           widget.Rect
}

func (b *listBox) move(by int) { b.at = min(max(b.at+by, 0), max(b.count()-1, 0)) }

// Update moves the cursor or does what the key means for the line under it.
func (b *listBox) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, false
	}
	b.move(0) // The number of lines may have changed.
	switch key := press.String(); key {
	case "up", "k":
		b.move(-1)
	case "down", "j":
		b.move(1)
	case "home", "g":
		b.move(-b.count())
	case "end", "G":
		b.move(b.count())
	case "pgup", "ctrl+u":
		b.move(-max(b.height, 1))
	case "pgdown", "ctrl+d":
		b.move(max(b.height, 1))
	default:
		return b.press(key)
	}
	return nil, false
}

// Over draws the box. The rows stay visible beside it.
func (b *listBox) Over(s *widget.Styles, background string, w, h int) string {
	n := b.count()
	b.frame = widget.Rect{W: b.left()}
	if b.frame.W == 0 {
		b.frame.W = min(44, w)
		b.frame.X = w - b.frame.W
	}
	b.height = max(min(n, h-len(b.foot)-3), 1)
	b.frame.H = min(b.height+len(b.foot)+3, h)
	b.top = min(max(b.top, b.at-b.height+1), b.at, max(n-b.height, 0))
	iw, _ := widget.PanelInner(b.frame.W, b.frame.H)
	var lines []string
	for i := b.top; i < min(b.top+b.height, n); i++ {
		on, bar := widget.SurfacePlain, "  "
		if i == b.at {
			on, bar = widget.SurfaceCursor, "▌ "
		}
		lines = append(lines, s.PaintOn(widget.RoleAccent, on, bar)+b.line(i, on, max(iw-3, 0))+s.PaintOn(widget.RoleText, on, " "))
	}
	lines = append(lines, "")
	for _, text := range b.foot {
		lines = append(lines, s.Paint(widget.RoleFaint, " "+text))
	}
	note := "esc closes"
	if n > b.height {
		note = strconv.Itoa(b.at+1) + "/" + strconv.Itoa(n)
	}
	box := widget.Panel{Title: b.title, Note: note, Focused: true}.Render(s, strings.Join(lines, "\n"), b.frame.W, b.frame.H)
	return widget.Overlay(background, box, b.frame.X, b.frame.Y)
}

// Click goes to a line, or closes the box when it is outside.
func (b *listBox) Click(x, y int) (cmd tea.Cmd, done bool) {
	if !b.frame.Has(x, y) {
		if b.closed != nil {
			b.closed()
		}
		return nil, true
	}
	line := b.top + y - b.frame.Y - 1
	if y == b.frame.Y || y > b.frame.Y+b.height || line >= b.count() {
		return nil, false
	}
	again := line == b.at
	b.at = line
	if again || b.jumps {
		return b.click()
	}
	return nil, false
}

// Wheel moves the cursor.
func (b *listBox) Wheel(up bool) { b.move(map[bool]int{true: -1, false: 1}[up]) }

// Cursor is nil: nothing is typed.
func (b *listBox) Cursor() *tea.Cursor { return nil }

// SetStyles does nothing: Over receives the styles.
func (b *listBox) SetStyles(*widget.Styles) {}

// NewSortBox returns a box that sorts the rows by one of the visible columns. left
// returns the width of the pane that the box covers, 0 for none.
func (t *Table) NewSortBox(left func() int) overlay.Overlay {
	b := &listBox{title: "Sort by", left: left, jumps: true}
	b.foot = []string{"enter sorts, again reverses", "← ascending · → descending"}
	// The first line is the order of the result.
	keys := func() []string {
		list := []string{""}
		for _, c := range t.Layout.Shown {
			list = append(list, c.Key)
		}
		return list
	}
	b.at = max(slices.Index(keys(), t.By.Key), 0)
	if t.By.Key == "" {
		b.at = 1
	}
	b.count = func() int { return len(keys()) }
	sortBy := func(order widget.Order) tea.Cmd {
		key := keys()[b.at]
		if key == "" {
			return t.Sort(SortBy{})
		}
		return t.Sort(SortBy{Key: key, Order: order})
	}
	b.click = func() (tea.Cmd, bool) {
		if t.By == (SortBy{Key: keys()[b.at], Order: widget.Ascending}) {
			return sortBy(widget.Descending), true
		}
		return sortBy(widget.Ascending), true
	}
	b.press = func(name string) (tea.Cmd, bool) {
		switch key := keys()[b.at]; name {
		case "esc":
			return nil, true
		case "enter", "s":
			return b.click()
		case "space":
			if key == "" {
				return t.Sort(SortBy{}), false
			}
			return t.SortOn(key), false
		case "left", "h", "+":
			return sortBy(widget.Ascending), false
		case "right", "l", "-":
			return sortBy(widget.Descending), false
		}
		return nil, false
	}
	b.line = func(i int, on widget.Surface, w int) string {
		s, key := t.env.Styles, keys()[i]
		title, note := Column{Key: key}.Title(), ""
		switch key {
		case "":
			title = "order of the result"
			if t.By.Order == widget.Unsorted {
				note = "✓"
			}
		case t.By.Key:
			note = t.By.Order.Arrow()
		}
		return s.PaintCell(widget.RoleText, on, title, max(w-2, 0), widget.AlignLeft) +
			s.PaintCell(widget.RoleAccent, on, note, min(2, w), widget.AlignLeft)
	}
	return b
}

// NewColumnsBox returns a box that lays out the columns. left returns the width of
// the pane that the box covers, 0 for none.
func (t *Table) NewColumnsBox(left func() int) overlay.Overlay {
	b := &listBox{
		title: "Columns", foot: []string{"space show · J K move · - + width", "p pin · s sort · d default"}, left: left,
		closed: t.SaveLayout,
	}
	b.count = func() int { return len(t.Layout.All) }
	b.click = func() (tea.Cmd, bool) { return b.press("space") }
	b.press = func(key string) (tea.Cmd, bool) {
		cols := slices.Clone(t.Layout.All)
		switch key {
		case "esc", "enter":
			t.SaveLayout()
			return nil, true
		case "space":
			toggleColumn(cols, b.at)
		case "J", "shift+down":
			b.at = moveColumn(cols, b.at, 1)
		case "K", "shift+up":
			b.at = moveColumn(cols, b.at, -1)
		case "+", "=", "right", "l":
			t.resize(&cols[b.at], 2)
		case "-", "left", "h":
			t.resize(&cols[b.at], -2)
		case "0":
			cols[b.at].Width = 0
		case "p":
			b.at = pinColumn(cols, b.at)
		case "s":
			return t.SortOn(cols[b.at].Key), false
		case "d":
			cols = DefaultColumns(t.Pattern)
		default:
			return nil, false
		}
		t.SetColumns(cols)
		b.move(0)
		return nil, false
	}
	b.line = func(i int, on widget.Surface, w int) string { return t.columnLine(t.Layout.All[i], on, w) }
	return b
}

func (t *Table) columnLine(c Column, on widget.Surface, w int) string {
	s := t.env.Styles
	sign, role, signRole := "✓ ", widget.RoleText, widget.RoleGood
	if c.Hidden {
		sign, role, signRole = "  ", widget.RoleMuted, widget.RoleMuted
	}
	var notes []string
	if t.By.Key == c.Key && t.By.Order != widget.Unsorted {
		notes = append(notes, t.By.Order.Arrow())
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

func toggleColumn(cols []Column, at int) {
	visible := 0
	for _, c := range cols {
		if !c.Hidden {
			visible++
		}
	}
	if cols[at].Hidden || visible > 1 {
		cols[at].Hidden = !cols[at].Hidden
	}
}

func moveColumn(cols []Column, at, by int) int {
	to := at + by
	if to < 0 || to >= len(cols) || cols[to].Pinned != cols[at].Pinned {
		return at
	}
	cols[at], cols[to] = cols[to], cols[at]
	return to
}

func pinColumn(cols []Column, at int) int {
	cols[at].Pinned = !cols[at].Pinned
	key := cols[at].Key
	if cols[at].Pinned {
		cols[at].Hidden = false
	}
	place := func(c Column) int { return map[bool]int{true: 0, false: 1}[c.Pinned] }
	slices.SortStableFunc(cols, func(a, b Column) int { return cmp.Compare(place(a), place(b)) })
	return slices.IndexFunc(cols, func(c Column) bool { return c.Key == key })
}

func (t *Table) resize(c *Column, by int) {
	width := c.Width
	if i := slices.IndexFunc(t.Layout.Shown, func(s Column) bool { return s.Key == c.Key }); i >= 0 && width == 0 {
		width = t.Grid.ColumnWidth(i)
	}
	if width > 0 {
		c.Width = min(max(width+by, NarrowestColumn), WidestColumn)
	}
}
