package results

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A valueBox shows all values of the row under the cursor. Its arrow keys move the
// cursor of the rows.
type valueBox struct {
	*overlay.Sheet
	t          *Table
	open, copy func() tea.Cmd
	row        *Row // whose lines the sheet holds
}

// NewValueBox returns a box with the values of the row under the cursor in full.
// openItem opens the item; copyValue offers copies of it in a box of its own.
func (t *Table) NewValueBox(openItem, copyValue func() tea.Cmd) overlay.Overlay {
	x := &valueBox{t: t, open: openItem, copy: copyValue}
	x.Sheet = overlay.NewSheet(t.env.Styles, "", func(s *widget.Styles, w int) []string {
		if x.row == nil {
			return []string{s.Paint(widget.RoleMuted, "No row")}
		}
		return t.values(s, x.row, w)
	})
	x.Key, x.Foot = "v", "↑ ↓ other row · enter opens · y copies · esc closes"
	return x
}

// Update goes to another row, opens or copies; the sheet scrolls and closes.
func (x *valueBox) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	press, _ := msg.(tea.KeyPressMsg)
	switch press.String() {
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
	default:
		return x.Sheet.Update(msg)
	}
	return nil, false
}

// Over draws the box over the middle of the screen.
func (x *valueBox) Over(s *widget.Styles, background string, w, h int) string {
	if _, row, _ := x.t.Selected(); row != x.row {
		x.row, x.Title = row, ""
		x.Again()
	}
	if x.row != nil {
		x.Title = ItemTitle(x.row)
	}
	x.Note = x.t.Grid.Position()
	return x.Sheet.Over(s, background, w, h)
}

func (t *Table) values(s *widget.Styles, r *Row, w int) []string {
	var lines []string
	seen, names := map[string]bool{}, namesOf(r)
	add := func(path string) {
		v, ok := r.Item.At(path)
		if !ok || seen[path] {
			return
		}
		seen[path] = true
		lines = append(lines, t.value(s, r, path, v, names, w)...)
	}
	for _, path := range t.Layout.Paths {
		add(path)
	}
	n := len(lines)
	for _, path := range allPaths(r) {
		if _, ok := r.Item.At(path); ok && !seen[path] && len(lines) == n && n > 0 {
			lines = append(lines, "", s.Paint(widget.RoleFaint, "other attributes"))
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

func (t *Table) value(s *widget.Styles, r *Row, path string, v types.AttributeValue, names, w int) []string {
	shown := present.Presenter{Now: t.env.Session.Now()}.Show(r.Entity, path, v)
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
