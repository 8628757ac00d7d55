package workbench

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// valueBox shows the row under the cursor. Its keys move the cursor.
type valueBox struct {
	b     *Workbench
	j     *job
	pager *widget.Pager
	frame overlay.Rect
	row   *results.Row // whose lines the pager holds
	width int
}

// openValue opens the box.
func (ra *rowActions) openValue() tea.Cmd {
	ra.b.Box = &valueBox{b: ra.b, j: ra.b.job, pager: widget.NewPager(ra.b.env.Styles)}
	return nil
}

func (x *valueBox) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, false
	}
	switch key := press.String(); key {
	case "esc", "q", "v":
		return nil, true
	case "enter":
		return x.b.keys.enter(), true
	case "y":
		// The copy menu takes the place of this box.
		return x.b.out.openCopyMenu(), x.b.Box == overlay.Overlay(x)
	case "j", "down", "k", "up":
		by := map[string]int{"j": 1, "down": 1}[key]
		if by == 0 {
			by = -1
		}
		x.j.grid.SetCursor(max(x.j.grid.Cursor()+by, 0))
		x.b.draw.preview.Forget()
	case "space":
		x.pager.Update(tea.KeyPressMsg{Code: tea.KeyPgDown})
	default:
		x.pager.Update(msg)
	}
	return nil, false
}

func (x *valueBox) Over(s *widget.Styles, background string, w, h int) string {
	bw, bh := min(max(w-8, min(w, 60)), 110), max(h-2, min(h, 8))
	x.frame = overlay.Rect{X: (w - bw) / 2, Y: (h - bh) / 2, W: bw, H: bh}
	iw, ih := widget.PanelInner(bw, bh)
	_, shown, ok := x.j.selected()
	title := "no row"
	if ok {
		title = results.ItemTitle(shown)
		if shown != x.row || iw != x.width {
			x.row, x.width = shown, iw
			x.pager.SetLines(x.Lines(s, shown, iw-3))
			x.pager.ScrollTo(0)
		}
	}
	x.pager.SetSize(max(iw-1, 0), max(ih-1, 0))
	foot := s.PaintCell(
		widget.RoleFaint, widget.SurfacePlain, " ↑ ↓ other row · pgdn scrolls · enter opens · y copies · esc closes", iw,
		widget.AlignLeft,
	)
	content := widget.Rows(widget.Indent(x.pager.View(), iw, max(ih-1, 0)), foot)
	box := widget.Panel{Title: title, Note: x.j.grid.Position(), Focused: true}.Render(s, content, bw, bh)
	return widget.Overlay(widget.Dim(s, background), box, x.frame.X, x.frame.Y)
}

// lines are the values of the columns, then those of all other attributes.
func (x *valueBox) Lines(s *widget.Styles, r *results.Row, w int) []string {
	var lines []string
	seen := map[string]bool{}
	add := func(path string) {
		v, ok := r.Item.At(path)
		if !ok || seen[path] {
			return
		}
		seen[path] = true
		lines = append(lines, x.Value(s, r, path, v, w)...)
	}
	for _, path := range x.j.rows.Paths {
		add(path)
	}
	n := len(lines)
	for _, path := range results.RestOf(r) {
		if _, ok := r.Item.At(path); ok && !seen[path] && len(lines) == n && n > 0 {
			lines = append(lines, "", s.Paint(widget.RoleFaint, "not among the columns"))
		}
		add(path)
	}
	if len(lines) == 0 {
		return []string{s.Paint(widget.RoleMuted, "the item holds nothing")}
	}
	return lines
}

// value is one value: its name, the value as it is, and what it means. What does
// not fit beside the name stands under it.
func (x *valueBox) Value(s *widget.Styles, r *results.Row, path string, v types.AttributeValue, w int) []string {
	shown := present.Presenter{Now: x.b.env.Session.Now()}.Show(r.Entity, path, v)
	text, role, rest := shown.Text, shown.Role, ""
	switch models.ValueType(v) {
	case models.TypeM, models.TypeL, models.TypeSS, models.TypeNS, models.TypeBS, models.TypeB:
		text, role = present.PrettyJSON(models.AppendValueJSON(nil, v)), widget.RoleText
	default:
	}
	if len(text) > results.ValueLimit {
		rest = fmt.Sprintf("… %s more bytes: enter opens the item", present.Thousands(len(text)-results.ValueLimit))
		text = strings.ToValidUTF8(text[:results.ValueLimit], "")
	}
	note := ""
	if shown.Note != "" {
		note = s.Paint(widget.RoleMuted, "  "+models.PrintableCell(shown.Note, max(w/3, 8)))
	}
	if beside := w - results.ValueLabel - 2; len(path) <= results.ValueLabel && rest == "" {
		if lines := widget.Wrap(s, role, text, max(beside, 1)); len(lines) == 1 {
			return []string{s.PaintCell(
				widget.RoleKey, widget.SurfacePlain, path, results.ValueLabel, widget.AlignLeft,
			) + "  " + lines[0] + note}
		}
	}
	lines := []string{s.Paint(widget.RoleKey, models.PrintableCell(path, max(w/2, 8))) + note}
	for _, line := range widget.Wrap(s, role, text, max(w-2, 1)) {
		lines = append(lines, "  "+line)
	}
	if rest != "" {
		lines = append(lines, "  "+s.Paint(widget.RoleMuted, rest))
	}
	return lines
}

func (x *valueBox) Cursor() *tea.Cursor { return nil }

func (x *valueBox) SetStyles(s *widget.Styles) {
	x.pager.SetStyles(s)
	x.row = nil
}

func (x *valueBox) Wheel(up bool) { x.pager.Wheel(up) }

func (x *valueBox) Click(cx, cy int) (cmd tea.Cmd, done bool) { return nil, !x.frame.Has(cx, cy) }
