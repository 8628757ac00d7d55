package results

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A valueBox shows all values of the row under the cursor. Its arrow keys move the
// cursor of the rows.
type valueBox struct {
	t          *Table
	open, copy func() tea.Cmd

	pager *widget.Pager
	frame widget.Rect
	row   *Row // whose lines the pager holds
	width int
}

// NewValueBox returns a box with the values of the row under the cursor in full.
// openItem opens the item; copyValue offers copies of it in a box of its own.
func (t *Table) NewValueBox(openItem, copyValue func() tea.Cmd) overlay.Overlay {
	return &valueBox{t: t, open: openItem, copy: copyValue, pager: widget.NewPager(t.env.Styles)}
}

// Update scrolls, goes to another row, opens, copies or closes.
func (x *valueBox) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, false
	}
	switch press.String() {
	case "esc", "q", "V":
		return nil, true
	case "enter":
		if _, _, ok := x.t.Selected(); !ok {
			return nil, false
		}
		return x.open(), true
	case "y":
		return x.copy(), true
	case "j", "down":
		x.t.Grid.SetCursor(x.t.Grid.Cursor() + 1)
	case "k", "up":
		x.t.Grid.SetCursor(max(x.t.Grid.Cursor()-1, 0))
	case "space":
		x.pager.Update(tea.KeyPressMsg{Code: tea.KeyPgDown})
	default:
		x.pager.Update(msg)
	}
	return nil, false
}

// Over draws the box over the middle of the screen.
func (x *valueBox) Over(s *widget.Styles, background string, w, h int) string {
	bw, bh := min(max(w-8, min(w, 60)), 110), max(h-2, min(h, 8))
	x.frame = widget.Rect{X: (w - bw) / 2, Y: (h - bh) / 2, W: bw, H: bh}
	iw, ih := widget.PanelInner(bw, bh)
	title := "No row"
	if _, row, ok := x.t.Selected(); ok {
		title = ItemTitle(row)
		if row != x.row || iw != x.width {
			x.row, x.width = row, iw
			x.pager.SetLines(x.lines(s, row, iw-3))
			x.pager.ScrollTo(0)
		}
	}
	x.pager.SetSize(max(iw-1, 0), max(ih-1, 0))
	foot := s.PaintCell(widget.RoleFaint, widget.SurfacePlain,
		" ↑ ↓ other row · pgdn scrolls · enter opens · y copies · esc closes", iw, widget.AlignLeft)
	content := widget.Rows(widget.Indent(x.pager.View(), iw, max(ih-1, 0)), foot)
	box := widget.Panel{Title: title, Note: x.t.Grid.Position(), Focused: true}.Render(s, content, bw, bh)
	return widget.Overlay(widget.Dim(s, background), box, x.frame.X, x.frame.Y)
}

func (x *valueBox) lines(s *widget.Styles, r *Row, w int) []string {
	var lines []string
	seen, names := map[string]bool{}, namesOf(r)
	add := func(path string) {
		v, ok := r.Item.At(path)
		if !ok || seen[path] {
			return
		}
		seen[path] = true
		lines = append(lines, x.value(s, r, path, v, names, w)...)
	}
	for _, path := range x.t.Layout.Paths {
		add(path)
	}
	n := len(lines)
	for _, path := range allPaths(r) {
		if _, ok := r.Item.At(path); ok && !seen[path] && len(lines) == n && n > 0 {
			lines = append(lines, "", s.Paint(widget.RoleFaint, "not among the columns"))
		}
		add(path)
	}
	if len(lines) == 0 {
		return []string{s.Paint(widget.RoleMuted, "This item has no attributes.")}
	}
	return lines
}

func namesOf(r *Row) int {
	w := 0
	for _, path := range allPaths(r) {
		if _, ok := r.Item.At(path); ok && len(path) <= nameWidth {
			w = max(w, len(path))
		}
	}
	return w
}

func allPaths(r *Row) []string {
	var paths, keys []string
	if r.Entity != nil {
		paths = append(paths, columnsOf(r.Entity)...)
		for _, a := range r.Entity.Attributes {
			paths = append(paths, a.Name)
		}
		keys = r.Entity.KeyNames()
	}
	paths = slices.DeleteFunc(append(paths, r.Item.Names()...), func(path string) bool { return slices.Contains(keys, path) })
	return append(paths, keys...)
}

const (
	// valueLimit is the maximum length of a value in bytes. Wrapping a longer one takes
	// too long; the item shows all of it.
	valueLimit = 20_000
	// nameWidth is the most cells that names take beside short values.
	nameWidth = 22
)

func (x *valueBox) value(s *widget.Styles, r *Row, path string, v types.AttributeValue, names, w int) []string {
	shown := present.Presenter{Now: x.t.env.Session.Now()}.Show(r.Entity, path, v)
	text, role, rest := shown.Text, shown.Role, ""
	switch models.ValueType(v) {
	case models.TypeM, models.TypeL, models.TypeSS, models.TypeNS, models.TypeBS, models.TypeB:
		text, role = present.PrettyJSON(models.AppendValueJSON(nil, v)), widget.RoleText
	default:
	}
	if len(text) > valueLimit {
		rest = fmt.Sprintf("… %s more bytes: enter opens the item", present.Thousands(len(text)-valueLimit))
		text = strings.ToValidUTF8(text[:valueLimit], "")
	}
	note := func(room int) string {
		if shown.Note == "" || room < 4 {
			return ""
		}
		return s.Paint(widget.RoleMuted, "  "+models.PrintableCell(shown.Note, room))
	}
	if len(path) <= names && rest == "" {
		if lines := widget.Wrap(s, role, text, max(w-names-2, 1)); len(lines) == 1 {
			name := s.PaintCell(widget.RoleKey, widget.SurfacePlain, path, names, widget.AlignLeft)
			return []string{name + "  " + lines[0] + note(w-names-4-ansi.StringWidth(lines[0]))}
		}
	}
	lines := []string{s.Paint(widget.RoleKey, models.PrintableCell(path, max(w/2, 8))) + note(max(w/3, 8))}
	for _, line := range widget.Wrap(s, role, text, max(w-2, 1)) {
		lines = append(lines, "  "+line)
	}
	if rest != "" {
		lines = append(lines, "  "+s.Paint(widget.RoleMuted, rest))
	}
	return lines
}

// SetStyles changes the theme.
func (x *valueBox) SetStyles(s *widget.Styles) {
	x.pager.SetStyles(s)
	x.row = nil
}

// Wheel scrolls the values.
func (x *valueBox) Wheel(up bool) { x.pager.Wheel(up) }

// Click closes the box when it is outside.
func (x *valueBox) Click(cx, cy int) (cmd tea.Cmd, done bool) { return nil, !x.frame.Has(cx, cy) }

// Cursor is nil: nothing is typed.
func (x *valueBox) Cursor() *tea.Cursor { return nil }

// Example returns the values of an item of an entity that the pattern would read, in lines of w cells. Keys are for those who
// know them.
func Example(env *screen.Env, p *accesspatterns.Pattern, e *models.Entity, it models.Item, w int) []string {
	t := NewTable(env, p)
	t.Add([]models.Item{it})
	row, x := *t.Row(0), p.Read.Index
	row.Item = maps.Clone(row.Item)
	maps.DeleteFunc(row.Item, func(name string, _ types.AttributeValue) bool {
		_, isKey := e.Keys[name]
		held := x == nil || x.Projection == models.ProjectionUnknown || x.Holds(p.Table, name)
		return !p.Reads(name) || !held || isKey && env.Plainly()
	})
	return (&valueBox{t: t}).lines(env.Styles, &row, w)
}
