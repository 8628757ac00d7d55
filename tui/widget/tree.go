// This file is a foldable tree, for JSON-like values of any size.

package widget

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// Node is a line of a tree. Its children are asked for when it is unfolded and
// not before, so that a value of 400 KB costs what is seen of it.
type Node struct {
	Label    string        // the attribute's name or the index; may be ""
	Value    string        // the value, or what stands for it: "{12}"
	Note     string        // type or meaning, after the value
	Role     Role          // of the value
	Open     bool          // unfolded at first
	Children func() []Node // nil for a leaf
}

// Tree shows nodes and folds them.
type Tree struct {
	styles     *Styles
	rows       []treeRow
	win        window
	w, h       int
	focused    bool
	fold, open key.Binding
	toggle     key.Binding
}

type treeRow struct {
	node  Node
	depth int
	open  bool
}

// NewTree returns an empty tree.
func NewTree(s *Styles) *Tree {
	return &Tree{
		styles: s, win: newWindow(), focused: true,
		fold:   key.NewBinding(key.WithKeys("left", "h"), key.WithHelp("←/h", "fold")),
		open:   key.NewBinding(key.WithKeys("right", "l"), key.WithHelp("→/l", "unfold")),
		toggle: key.NewBinding(key.WithKeys("space"), key.WithHelp("space", "fold or unfold")),
	}
}

// SetStyles changes the theme.
func (t *Tree) SetStyles(s *Styles) { t.styles = s }

// SetFocused tells whether keys go to the tree.
func (t *Tree) SetFocused(on bool) { t.focused = on }

// SetSize sets the rectangle.
func (t *Tree) SetSize(w, h int) {
	t.w, t.h = max(w, 0), max(h, 0)
	t.win.resize(len(t.rows), t.h)
}

// SetNodes replaces the tree. The cursor goes to the top.
func (t *Tree) SetNodes(nodes []Node) {
	t.rows = expand(nil, nodes, 0)
	t.win.top, t.win.cursor = 0, 0
	t.win.resize(len(t.rows), t.h)
}

// expand appends nodes and what is unfolded of them.
func expand(rows []treeRow, nodes []Node, depth int) []treeRow {
	for _, n := range nodes {
		rows = append(rows, treeRow{n, depth, n.Open && n.Children != nil})
		if n.Open && n.Children != nil {
			rows = expand(rows, n.Children(), depth+1)
		}
	}
	return rows
}

// Selected returns the node under the cursor.
func (t *Tree) Selected() (Node, bool) {
	if t.win.cursor >= len(t.rows) {
		return Node{}, false
	}
	return t.rows[t.win.cursor].node, true
}

// Path returns the labels from the outermost node to the one under the cursor.
func (t *Tree) Path() []string {
	if t.win.cursor >= len(t.rows) {
		return nil
	}
	var path []string
	depth := t.rows[t.win.cursor].depth + 1
	for i := t.win.cursor; i >= 0 && depth > 0; i-- {
		if r := t.rows[i]; r.depth < depth {
			path = append(path, r.node.Label)
			depth = r.depth
		}
	}
	slices.Reverse(path)
	return path
}

// Update handles moving and folding.
func (t *Tree) Update(msg tea.Msg) bool {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok || len(t.rows) == 0 {
		return t.win.update(msg)
	}
	row := t.rows[t.win.cursor]
	switch {
	case key.Matches(press, t.fold):
		if row.open {
			t.setOpen(t.win.cursor, false)
		} else {
			t.win.to(t.parent(t.win.cursor))
		}
	case key.Matches(press, t.open):
		if row.open {
			t.win.move(1)
		} else {
			t.setOpen(t.win.cursor, true)
		}
	case key.Matches(press, t.toggle):
		t.setOpen(t.win.cursor, !row.open)
	default:
		return t.win.update(msg)
	}
	return true
}

// Wheel scrolls by one notch of the wheel, as a MouseWheelMsg does.
func (t *Tree) Wheel(up bool) { t.Update(wheelMsg(up)) }

// Click moves the cursor to the line at y; a click on the line of the cursor
// folds or unfolds it.
func (t *Tree) Click(_, y int) bool {
	row := t.win.top + y
	if y < 0 || y >= t.h || row >= len(t.rows) {
		return false
	}
	if row == t.win.cursor {
		t.setOpen(row, !t.rows[row].open)
		return true
	}
	t.win.to(row)
	return true
}

func (t *Tree) parent(row int) int {
	for i := row - 1; i >= 0; i-- {
		if t.rows[i].depth < t.rows[row].depth {
			return i
		}
	}
	return row
}

func (t *Tree) setOpen(row int, open bool) {
	r := &t.rows[row]
	if r.node.Children == nil || r.open == open {
		return
	}
	r.open = open
	if open {
		t.rows = slices.Insert(t.rows, row+1, expand(nil, r.node.Children(), r.depth+1)...)
	} else {
		end := row + 1
		for end < len(t.rows) && t.rows[end].depth > r.depth {
			end++
		}
		t.rows = slices.Delete(t.rows, row+1, end)
	}
	t.win.resize(len(t.rows), t.h)
}

// Actions lists the keys of the tree beyond NavigationActions, for the help.
func (t *Tree) Actions() Actions {
	return Actions{
		{Name: "fold", Binding: t.fold, Desc: "fold"},
		{Name: "unfold", Binding: t.open, Desc: "unfold"},
		{Name: "toggle-fold", Binding: t.toggle, Desc: "fold", Long: "fold or unfold"},
	}
}

// View draws the lines on the screen and a scroll bar.
func (t *Tree) View() string {
	if t.w <= 0 || t.h <= 0 {
		return ""
	}
	from, to := t.win.thumb()
	var b strings.Builder
	for y := range t.h {
		if y > 0 {
			b.WriteByte('\n')
		}
		if row := t.win.top + y; row < len(t.rows) {
			t.writeRow(&b, row)
		} else {
			writeBlanks(&b, t.w-1)
		}
		writeThumb(&b, t.styles, y >= from && y < to)
	}
	return b.String()
}

func (t *Tree) writeRow(b *strings.Builder, row int) {
	r := t.rows[row]
	on := rowSurface(row == t.win.cursor, t.focused)
	room := t.w - 1
	put := func(role Role, text string) {
		w := textWidth(text, room)
		t.styles.writeCell(b, role, on, text, w, AlignLeft)
		room -= w
	}
	put(RoleText, strings.Repeat("  ", min(r.depth, max(room/4, 0)))+" ")
	switch {
	case r.open:
		put(RoleAccent, "▾ ")
	case r.node.Children != nil:
		put(RoleAccent, "▸ ")
	default:
		put(RoleText, "  ")
	}
	if r.node.Label != "" {
		put(RoleKey, r.node.Label)
		put(RoleFaint, ": ")
	}
	put(r.node.Role, r.node.Value)
	if r.node.Note != "" {
		put(RoleMuted, "  "+r.node.Note)
	}
	t.styles.writeCell(b, RoleText, on, "", room, AlignLeft)
}

// rowSurface is what a row is drawn on.
func rowSurface(cursor, focused bool) Surface {
	switch {
	case cursor && focused:
		return SurfaceCursor
	case cursor:
		return SurfaceDim
	}
	return SurfacePlain
}
