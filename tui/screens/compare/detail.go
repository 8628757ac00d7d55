package compare

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

func (c *compareLines) detail(r *compareRow, w, h int) string {
	st := c.env.Styles
	if r == nil {
		return widget.Place(widget.Rule(st, "", "", w), w, h)
	}
	lines := []string{widget.Rule(st, r.path, c.between(r), w)}
	left, right := detailText(r.left, w*h), detailText(r.right, w*h)
	from, back := sharedEnds(left, right)
	rows := max((h-1)/2, 1)
	if r.state == compareSame || r.state == compareOnlyRight {
		left = ""
	}
	if left != "" {
		lines = append(lines, c.detailLines("◂", left, from, back, w, rows)...)
	}
	if right != "" && r.state != compareOnlyLeft {
		lines = append(lines, c.detailLines("▸", right, from, back, w, rows)...)
	}
	if e := c.left.entity; e != nil && len(lines) < h {
		if a := e.Attribute(r.path); a != nil && a.Description != "" {
			lines = append(lines, " "+st.Paint(widget.RoleMuted, models.PrintableCell(a.Description, max(w-2, 1))))
		}
	}
	return widget.Place(strings.Join(lines[:min(len(lines), h)], "\n"), w, h)
}

func detailText(p comparePart, cells int) string {
	if p.stored == nil {
		return ""
	}
	if text, ok := models.ValueText(p.shown); ok {
		return models.PrintableCell(text, cells)
	}
	return models.PrintableCell(present.Summary(p.shown), cells)
}

func (c *compareLines) detailLines(glyph, text string, from, back, w, n int) []string {
	st := c.env.Styles
	var lines []string
	for at := 0; at < len(text) && len(lines) < n; {
		part, _ := present.CutCells(text[at:], max(w-5, 1))
		t := widget.NewStrip(st, widget.SurfacePlain, w)
		t.Cell(widget.RoleFaint, " "+glyph, 3, widget.AlignLeft)
		glyph = ""
		put := func(a, b int, role widget.Role) {
			a, b = max(a-at, 0), min(b-at, len(part))
			if a < b {
				t.Put(role, part[a:b])
			}
		}
		put(0, from, widget.RoleMuted)
		put(from, len(text)-back, widget.RoleStrong)
		put(len(text)-back, len(text), widget.RoleMuted)
		lines = append(lines, t.String())
		at += len(part)
	}
	return lines
}

func sharedEnds(a, b string) (from, back int) {
	for from < len(a) && from < len(b) && a[from] == b[from] {
		from++
	}
	for from > 0 && from < len(a) && !utf8.RuneStart(a[from]) {
		from--
	}
	for back < len(a)-from && back < len(b)-from && a[len(a)-1-back] == b[len(b)-1-back] {
		back++
	}
	for back > 0 && !utf8.RuneStart(a[len(a)-back]) {
		back--
	}
	return from, back
}

func (c *compareLines) between(r *compareRow) string {
	if r.left.stored == nil || r.right.stored == nil || r.hidden {
		_, words := r.state.words(r.hidden)
		return words
	}
	a, b := models.ValueType(r.left.stored), models.ValueType(r.right.stored)
	if a != b {
		return string(a) + " and " + string(b)
	}
	t, ok := timeOf(c.left.entity, r.path, r.left)
	u, also := timeOf(c.right.entity, r.path, r.right)
	if ok && also && !t.Equal(u) {
		side := "right is "
		if u.Before(t) {
			t, u, side = u, t, "left is "
		}
		if u.Sub(t) < time.Minute {
			return side + u.Sub(t).String() + " later"
		}
		return side + strings.TrimPrefix(present.Age(u, t), "in ") + " later"
	}
	return string(a)
}

func timeOf(e *models.Entity, path string, p comparePart) (time.Time, bool) {
	f := present.ValueOf(e, path).Format
	text, ok := models.ValueText(p.shown)
	if !ok || !f.IsTime() {
		return time.Time{}, false
	}
	return f.ReadTime(text)
}
