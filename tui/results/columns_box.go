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

// NewSortMenu returns a menu that sorts the rows by a visible column.
func (t *Table) NewSortMenu() *overlay.Menu {
	titles, by := make([]string, len(t.Layout.Shown)), -1
	for i, c := range t.Layout.Shown {
		titles[i] = t.Title(c)
		if c.Key == t.SortOrder.Key && t.SortOrder.Order != widget.Unsorted {
			by = i
		}
	}
	m := overlay.NewSort("order of the result", titles, by, t.SortOrder.Order, func(col int) tea.Cmd {
		if col < 0 {
			return t.Sort(SortBy{})
		}
		sorted := SortBy{Key: t.Layout.Shown[col].Key, Order: widget.Ascending}
		if t.SortOrder == sorted {
			sorted.Order = widget.Descending
		}
		return t.Sort(sorted)
	})
	if by < 0 {
		m.At = min(1, len(m.Entries)-1)
	}
	return m
}

// A columnsBox is a box in which the user edits the columns' layout. It draws its own lines.
type columnsBox struct {
	t     *Table
	lines *widget.Lines
	frame widget.Rect
}

// NewColumnsBox returns a box in which the user edits the columns' layout.
func (t *Table) NewColumnsBox() overlay.Overlay {
	b := &columnsBox{t: t, lines: widget.NewLines(t.env.Styles)}
	b.lines.SetSource(b)
	return b
}

// columnsHelp contains the box's key hints.
var columnsHelp = []string{"space show · J K move · - + width", "p pin · s sort · d default"}

func (b *columnsBox) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, false
	}
	return b.press(press)
}

func (b *columnsBox) press(press tea.KeyPressMsg) (cmd tea.Cmd, done bool) {
	t := b.t
	cols := slices.Clone(t.Layout.All)
	at, _ := b.lines.At()
	switch press.String() {
	case "esc", "enter":
		t.SaveLayout()
		return nil, true
	case "space":
		toggleColumn(cols, at)
	case "J", "shift+down":
		at = moveColumn(cols, at, 1)
	case "K", "shift+up":
		at = moveColumn(cols, at, -1)
	case "+", "=", "right", "l":
		t.resize(&cols[at], 2)
	case "-", "left", "h":
		t.resize(&cols[at], -2)
	case "0":
		cols[at].Width = 0
	case "p":
		at = pinColumn(cols, at)
	case "s":
		return t.SortOn(cols[at].Key), false
	case "d":
		cols = t.defaultColumns()
	default:
		b.lines.Update(press)
		return nil, false
	}
	t.SetColumns(cols)
	b.lines.Go(at)
	return nil, false
}

// columnsMaxWidth is the maximum width of the box in cells.
const columnsMaxWidth = 44

func (b *columnsBox) Over(s *widget.Styles, background string, w, h int) string {
	high := max(min(b.Len(), h-len(columnsHelp)-3), 1)
	b.frame = widget.Rect{X: w - min(columnsMaxWidth, w), W: min(columnsMaxWidth, w), H: min(high+len(columnsHelp)+3, h)}
	iw, _ := widget.PanelInner(b.frame.W, b.frame.H)
	b.lines.SetSize(iw, high)
	at, _ := b.lines.At()
	help := "\n " + s.Paint(widget.RoleFaint, columnsHelp[0]) + "\n " + s.Paint(widget.RoleFaint, columnsHelp[1])
	note := "esc close"
	if b.Len() > high {
		note = strconv.Itoa(at+1) + "/" + strconv.Itoa(b.Len())
	}
	panel := widget.Panel{Title: "Columns", Note: note, Focused: true}
	return widget.Overlay(background, panel.Render(s, b.lines.View()+"\n"+help, b.frame.W, b.frame.H), b.frame.X, b.frame.Y)
}

func (b *columnsBox) Click(x, y int) (cmd tea.Cmd, done bool) {
	if !b.frame.Has(x, y) {
		b.t.SaveLayout()
		return nil, true
	}
	if second, _ := b.lines.Click(x-b.frame.X-1, y-b.frame.Y-1); second {
		return b.press(tea.KeyPressMsg{Code: tea.KeySpace, Text: " "})
	}
	return nil, false
}

func (b *columnsBox) Wheel(up bool) { b.lines.Wheel(up) }

func (b *columnsBox) Cursor() *tea.Cursor { return nil }

func (b *columnsBox) SetStyles(s *widget.Styles) { b.lines.SetStyles(s) }

func (b *columnsBox) Len() int { return len(b.t.Layout.All) }

func (b *columnsBox) Skip(int) bool { return false }

func (b *columnsBox) Line(i int, on widget.Surface, w int) string {
	t, c := b.t, b.t.Layout.All[i]
	line := widget.NewStrip(t.env.Styles, on, w)
	bar, sign, role, signRole := "  ", "✓ ", widget.RoleText, widget.RoleGood
	if on != widget.SurfacePlain {
		bar = "▌ "
	}
	if c.Hidden {
		sign, role, signRole = "  ", widget.RoleMuted, widget.RoleMuted
	}
	var notes []string
	if t.SortOrder.Key == c.Key && t.SortOrder.Order != widget.Unsorted {
		notes = append(notes, t.SortOrder.Order.Arrow())
	}
	if c.Width > 0 {
		notes = append(notes, strconv.Itoa(c.Width))
	}
	if c.Pinned {
		notes = append(notes, "pinned")
	}
	note := strings.Join(notes, " ")
	line.Put(widget.RoleAccent, bar)
	line.Put(signRole, sign)
	line.Cell(role, t.Title(c), line.Room()-len(note)-1, widget.AlignLeft)
	line.Put(widget.RoleMuted, note)
	return line.String()
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
	rank := func(c Column) int { return map[bool]int{true: 0, false: 1}[c.Pinned] }
	slices.SortStableFunc(cols, func(a, b Column) int { return cmp.Compare(rank(a), rank(b)) })
	return slices.IndexFunc(cols, func(c Column) bool { return c.Key == key })
}

func (t *Table) resize(c *Column, by int) {
	width := c.Width
	if i := slices.IndexFunc(t.Layout.Shown, func(s Column) bool { return s.Key == c.Key }); i >= 0 && width == 0 {
		width = t.Grid.ColumnWidth(i)
	}
	if width > 0 {
		c.Width = min(max(width+by, MinColumnWidth), MaxColumnWidth)
	}
}
