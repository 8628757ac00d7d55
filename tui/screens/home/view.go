package home

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// SetSize sets the rectangle.
func (h *Home) SetSize(w, height int) {
	h.w, h.h = w, height
	h.list.SetSize(widget.PanelInner(h.draw.left(), height))
	iw, ih := widget.PanelInner(w-h.draw.left(), height)
	h.details.SetSize(iw-1, ih-1)
	h.refresh()
}

// left is the width of the list of profiles.
func (dr *homeDrawing) left() int { return min(max(dr.h.w*30/100, 26), 40, dr.h.w) }

// refresh makes the description of the chosen profile, if it is another one.
func (h *Home) refresh() {
	iw, _ := widget.PanelInner(h.w-h.draw.left(), h.h)
	wide := max(iw-4, 10)
	p := h.selected()
	if p == h.shown && wide == h.wide && h.err == nil {
		return
	}
	if p != h.shown {
		h.details.ScrollTo(0)
	}
	h.shown, h.wide = p, wide
	var lines []string
	if h.err != nil {
		lines = h.draw.errorLines(wide)
		h.wide = 0
	}
	if p != nil {
		lines = append(lines, describe(h.styles, p, h.waiting, h.live[p.Name], wide)...)
	}
	h.details.SetLines(lines)
}

func (dr *homeDrawing) errorLines(w int) []string {
	what := "The profiles could not be read"
	if dr.h.failed != "" {
		what = dr.h.failed + " could not be opened"
	}
	lines := []string{dr.h.styles.Paint(widget.RoleBad, "✗ "+what)}
	lines = append(lines, widget.Wrap(dr.h.styles, widget.RoleText, dr.h.err.Error(), w)...)
	return append(lines, dr.h.styles.Paint(widget.RoleMuted, "enter tries again · r reads the profiles again"), "")
}

// View draws the list and the description.
func (h *Home) View() string {
	if h.w <= 0 || h.h <= 0 {
		return ""
	}
	left := h.draw.left()
	list := widget.Panel{Title: "Profiles", Note: "patterns", Focused: !h.right}.Render(h.styles, h.list.View(), left, h.h)
	iw, ih := widget.PanelInner(h.w-left, h.h)
	title, note := "", ""
	if h.shown != nil {
		title, note = h.shown.Name, h.shown.File
	}
	top := widget.BlankLine(iw)
	if h.opens.opening != nil {
		top = " " + widget.Busy{
			What: "opening " + h.opens.opening.Name, Detail: "asking for credentials, and who you are", Cancel: "esc cancels",
			Elapsed: h.opens.elapsed, Fraction: -1,
		}.Render(h.styles, iw-1)
	}
	content := widget.Rows(top, widget.Indent(h.details.View(), iw, ih-1))
	if !h.loaded {
		content = widget.Rows(top, " "+h.styles.Paint(widget.RoleFaint, "reading the profiles…"))
	}
	return widget.Columns(list, widget.Panel{Title: title, Note: note, Focused: h.right}.Render(h.styles, content, h.w-left, h.h))
}

// Cursor is the filter's.
func (h *Home) Cursor() *tea.Cursor { return widget.MoveCursor(h.list.Cursor(), 1, 1) }

// Click chooses a profile; a second click opens it.
func (h *Home) Click(x, y int) tea.Cmd {
	if x >= h.draw.left() {
		h.focus(true)
		return nil
	}
	h.focus(false)
	again, ok := h.list.Click(x-1, y-1)
	if !ok {
		return nil
	}
	h.refresh()
	if again && h.opens.opening == nil {
		return h.opens.open()
	}
	return nil
}

// Wheel scrolls what the pointer is on.
func (h *Home) Wheel(x, _ int, up bool) tea.Cmd {
	if x < h.draw.left() {
		h.list.Wheel(up)
		h.refresh()
		return nil
	}
	h.details.Wheel(up)
	return nil
}

// describe tells what a profile is about in lines of w cells.
func describe(s *widget.Styles, p *profiles.Profile, waiting map[string]string, live *tables.Comparison, w int) []string {
	lines := []string{s.Paint(widget.RoleTitle, models.Truncate(models.Printable(p.Title), w))}
	lines = append(lines, widget.Wrap(s, widget.RoleText, p.Description, w)...)
	lines = append(lines, "", figures(s, p, w))
	lines = append(lines, liveLines(s, live, w)...)
	lines = append(lines, "")
	lines = append(lines, queueLines(s, p, waiting, w)...)
	lines = append(lines, tableLines(s, p, w)...)
	if len(p.Lifecycles) > 0 {
		lines = append(lines, "", present.Heading(s, "Lifecycles", w))
		for _, l := range p.Lifecycles {
			lines = append(lines, s.Paint(widget.RoleKey, l.Entity.Name)+s.Paint(widget.RoleMuted, "."+l.Attribute),
				"  "+strings.Join(present.LifecycleEnds(s, l), ""))
		}
	}
	lines = append(lines, guardrailLines(s, p, w)...)
	if len(p.Findings) > 0 {
		lines = append(lines, "", present.Heading(s, "Schema issues", w), findingCounts(s, p, w))
	}
	return lines
}

// liveLines say whether the live tables are what the profile describes. Home
// itself asks no database: it is known once the profile was opened.
func liveLines(s *widget.Styles, live *tables.Comparison, w int) []string {
	if live == nil {
		return []string{s.Paint(widget.RoleFaint, models.Truncate("live tables: compared when the profile is opened", w))}
	}
	text, good := live.Summary()
	role, sign := widget.RoleGood, "✓ "
	if !good {
		role, sign = widget.RoleWarn, "✗ "
	}
	return widget.Wrap(s, role, sign+"live tables: "+text+" · "+live.At.Format("15:04"), w)
}

func figures(s *widget.Styles, p *profiles.Profile, w int) string {
	parts := []struct {
		n   int
		one string
	}{{len(p.Tables), "table"}, {len(p.Entities), "entity"}, {len(p.Patterns), "pattern"}, {len(p.Findings), "finding"}}
	words := make([]string, len(parts))
	for i, f := range parts {
		n, word, _ := strings.Cut(present.Plural(f.n, f.one), " ")
		words[i] = s.Paint(widget.RoleInfo, n) + s.Paint(widget.RoleMuted, " "+word)
	}
	line := strings.Join(words, s.Paint(widget.RoleFaint, " · "))
	if more := "   M map  F findings"; ansi.StringWidth(line)+len(more) <= w {
		line += s.Paint(widget.RoleFaint, more)
	}
	return line
}

// tableLines lists the tables with the entities in each and their keys.
func tableLines(s *widget.Styles, p *profiles.Profile, w int) []string {
	var lines []string
	widest := 0
	for _, e := range p.Entities {
		widest = max(widest, len([]rune(e.Name)))
	}
	for i, t := range p.Tables {
		if i > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, present.Heading(s, models.Printable(t.Name), w))
		for _, e := range p.EntitiesOf(t) {
			keys := make([]string, 0, 2)
			for _, k := range []models.Key{t.PartitionKey, t.SortKey} {
				if tpl, ok := e.KeyTemplate(k.Name); ok {
					keys = append(keys, s.Paint(widget.RoleMuted, k.Name+" ")+present.Template(s, tpl))
				}
			}
			lines = append(lines, s.PaintCell(widget.RoleKey, widget.SurfacePlain, e.Name, min(widest, 20)+1, widget.AlignLeft)+" "+
				strings.Join(keys, s.Paint(widget.RoleFaint, "  ")))
		}
		for _, x := range t.Indexes {
			keys := s.Paint(widget.RoleMuted, x.PartitionKey.Name)
			if x.SortKey.Name != "" {
				keys += s.Paint(widget.RoleMuted, ", "+x.SortKey.Name)
			}
			if x.Label != "" {
				keys += s.Paint(widget.RoleFaint, "  "+x.Label)
			}
			lines = append(
				lines,
				s.PaintCell(widget.RoleFaint, widget.SurfacePlain, "⌕ "+x.Name, min(widest, 20)+1, widget.AlignLeft)+" "+keys,
			)
		}
	}
	return lines
}

// queueLines name what waits for somebody, and how much that was when it was
// last looked at.
func queueLines(s *widget.Styles, p *profiles.Profile, waiting map[string]string, w int) []string {
	if len(p.Queues) == 0 {
		return nil
	}
	lines := []string{present.Heading(s, "Queues", w)}
	for i, q := range p.Queues {
		names := make([]string, len(q.Actions))
		for i, a := range q.Actions {
			names[i] = a.ID
		}
		line := s.Paint(widget.RoleKey, q.Title)
		if text := waiting[p.Name+"."+q.ID]; text != "" {
			line += s.Paint(widget.RoleInfo, "  "+text)
		}
		if i == 0 {
			line += s.Paint(widget.RoleFaint, "  Q opens")
		}
		lines = append(lines, line)
		if len(names) > 0 {
			lines = append(lines, "  "+s.Paint(widget.RoleMuted, models.Truncate(strings.Join(names, " · "), max(w-2, 1))))
		}
	}
	return append(lines, "")
}

func guardrailLines(s *widget.Styles, p *profiles.Profile, w int) []string {
	g := p.Guardrails
	var lines []string
	add := func(label, text string) {
		if text == "" {
			return
		}
		for i, line := range widget.Wrap(s, widget.RoleText, text, w-12) {
			if i > 0 {
				label = ""
			}
			lines = append(lines, s.PaintCell(widget.RoleMuted, widget.SurfacePlain, label, 12, widget.AlignLeft)+line)
		}
	}
	add("regions", strings.Join(g.Regions, ", "))
	add("production", strings.Join(g.Production, ", "))
	add("retention", g.Retention)
	for i, n := range g.Notes {
		label := ""
		if i == 0 {
			label = "notes"
		}
		add(label, n)
	}
	if len(lines) == 0 {
		return nil
	}
	return append([]string{"", present.Heading(s, "Guardrails", w)}, lines...)
}

// findingCounts says how many findings of each kind there are.
func findingCounts(s *widget.Styles, p *profiles.Profile, w int) string {
	count := map[accesspatterns.FindingKind]int{}
	for _, f := range p.Findings {
		count[f.Kind]++
	}
	var parts []string
	for _, k := range accesspatterns.FindingKinds() {
		if n := count[k]; n > 0 {
			parts = append(
				parts,
				s.Paint(present.FindingRole(k), strconv.Itoa(n))+s.Paint(widget.RoleMuted, " "+strings.ToLower(string(k))),
			)
		}
	}
	return widget.Place(strings.Join(parts, s.Paint(widget.RoleFaint, "  ·  ")), w, 1)
}
