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

// SetSize sets the size of the screen in cells.
func (h *Home) SetSize(w, height int) {
	h.w, h.h = w, height
	left, right := h.layout()
	h.list.SetSize(widget.PanelInner(left.W, left.H))
	inner := right.Inner()
	h.details.SetSize(inner.W-1, inner.H-1)
	h.refresh()
}

// layout returns the rectangles of the parts, with their frames:
//
//	╭ left ────────╮╭ right ──────────────────────────────╮
//	│ the profiles ││ progress of a connection            │
//	│              ││ description of the selected profile │
//	╰──────────────╯╰─────────────────────────────────────╯
func (h *Home) layout() (left, right widget.Rect) {
	left = widget.Rect{W: min(max(h.w*30/100, 26), 40, h.w), H: h.h}
	return left, widget.Rect{X: left.W, W: h.w - left.W, H: h.h}
}

// describeAgain makes the description again, because what it shows has changed.
func (h *Home) describeAgain() {
	h.width = 0
	h.refresh()
}

// refresh makes the description of the selected profile, if it is another one.
func (h *Home) refresh() {
	_, right := h.layout()
	width := max(right.Inner().W-4, 10)
	p := h.Selected()
	if p == h.shown && width == h.width && h.err == nil {
		return
	}
	if p != h.shown {
		h.details.ScrollTo(0)
	}
	h.shown, h.width = p, width
	var lines []string
	if h.err != nil {
		lines = h.errorLines(width)
		h.width = 0
	}
	if p != nil {
		lines = append(lines, describe(h.styles, p, h.waiting, h.live[p.Name], width)...)
	}
	h.details.SetLines(lines)
}

// errorLines says what failed, and how to try again.
func (h *Home) errorLines(w int) []string {
	what := "The profiles cannot be loaded"
	if h.failed != "" {
		what = h.failed + " cannot be opened"
	}
	lines := []string{h.styles.Paint(widget.RoleBad, "✗ "+what)}
	lines = append(lines, widget.Wrap(h.styles, widget.RoleText, h.err.Error(), w)...)
	return append(lines, h.styles.Paint(widget.RoleMuted, "enter tries again · r reloads the profiles"), "")
}

// View draws the list and the description.
func (h *Home) View() string {
	if h.w <= 0 || h.h <= 0 {
		return ""
	}
	left, right := h.layout()
	list := widget.Panel{Title: "Profiles", Note: "patterns", Focused: !h.right}.Render(h.styles, h.list.View(), left.W, left.H)
	inner := right.Inner()
	title, note := "", ""
	if h.shown != nil {
		title, note = h.shown.Name, h.shown.File
	}
	top := widget.BlankLine(inner.W)
	if o := h.opening; o != nil {
		top = " " + widget.Busy{
			What: "opening " + o.profile.Name, Detail: "getting credentials and the caller identity", Cancel: "esc cancels",
			Elapsed: o.Elapsed, Fraction: -1,
		}.Render(h.styles, inner.W-1)
	}
	content := widget.Rows(top, widget.Indent(h.details.View(), inner.W, inner.H-1))
	if !h.loaded {
		content = widget.Rows(top, " "+h.styles.Paint(widget.RoleFaint, "loading the profiles…"))
	}
	return widget.Columns(list, widget.Panel{Title: title, Note: note, Focused: h.right}.Render(h.styles, content, right.W, right.H))
}

// panes returns the parts of the screen that take the mouse.
func (h *Home) panes() widget.Panes {
	left, right := h.layout()
	open := func() tea.Cmd {
		h.refresh()
		if h.opening != nil {
			return nil
		}
		return h.open()
	}
	return widget.Panes{
		{
			Rect: left, Framed: true, Content: h.list, Focus: func() { h.focus(false) }, Open: open,
			Moved: func() tea.Cmd { h.refresh(); return nil },
		},
		{Rect: right, Focus: func() { h.focus(true) }, Scroll: h.details.Wheel},
	}
}

// Cursor returns the cursor in the filter.
func (h *Home) Cursor() *tea.Cursor { return h.panes().Cursor() }

// Click selects a profile; a second click opens it.
func (h *Home) Click(x, y int) tea.Cmd { return h.panes().Click(x, y) }

// Wheel scrolls the list or the description.
func (h *Home) Wheel(x, y int, up bool) tea.Cmd { return h.panes().Wheel(x, y, up) }

// describe describes a profile in lines of w cells.
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

// liveLines says whether the live tables match the profile, which is known once the
// profile was opened.
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

// figures counts the parts of a profile in one line.
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

// tableLines lists the tables with their entities, the keys of these, and their
// indexes.
func tableLines(s *widget.Styles, p *profiles.Profile, w int) []string {
	var lines []string
	nameWidth := 0
	for _, e := range p.Entities {
		nameWidth = max(nameWidth, len([]rune(e.Name)))
	}
	nameWidth = min(nameWidth, 20) + 1
	row := func(role widget.Role, name, keys string) {
		lines = append(lines, s.PaintCell(role, widget.SurfacePlain, name, nameWidth, widget.AlignLeft)+" "+keys)
	}
	for i, t := range p.Tables {
		if i > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, present.Heading(s, models.Printable(t.Name), w))
		for _, e := range p.EntitiesOf(t) {
			var keys []string
			for _, k := range []models.Key{t.PartitionKey, t.SortKey} {
				if tpl, ok := e.KeyTemplate(k.Name); ok {
					keys = append(keys, s.Paint(widget.RoleMuted, k.Name+" ")+present.Template(s, tpl))
				}
			}
			row(widget.RoleKey, e.Name, strings.Join(keys, s.Paint(widget.RoleFaint, "  ")))
		}
		for _, x := range t.Indexes {
			keys := s.Paint(widget.RoleMuted, x.PartitionKey.Name)
			if x.SortKey.Name != "" {
				keys += s.Paint(widget.RoleMuted, ", "+x.SortKey.Name)
			}
			if x.Label != "" {
				keys += s.Paint(widget.RoleFaint, "  "+x.Label)
			}
			row(widget.RoleFaint, "⌕ "+x.Name, keys)
		}
	}
	return lines
}

// queueLines lists the queues with their actions, and the number of items when the
// queue was last read.
func queueLines(s *widget.Styles, p *profiles.Profile, waiting map[string]string, w int) []string {
	if len(p.Queues) == 0 {
		return nil
	}
	lines := []string{present.Heading(s, "Queues", w)}
	for i, q := range p.Queues {
		line := s.Paint(widget.RoleKey, q.Title)
		if text := waiting[p.Name+"."+q.ID]; text != "" {
			line += s.Paint(widget.RoleInfo, "  "+text)
		}
		if i == 0 {
			line += s.Paint(widget.RoleFaint, "  Q opens")
		}
		lines = append(lines, line)
		var names []string
		for _, a := range q.Actions {
			names = append(names, a.ID)
		}
		if len(names) > 0 {
			lines = append(lines, "  "+s.Paint(widget.RoleMuted, models.Truncate(strings.Join(names, " · "), max(w-2, 1))))
		}
	}
	return append(lines, "")
}

// guardrailLines lists the limits of the profile.
func guardrailLines(s *widget.Styles, p *profiles.Profile, w int) []string {
	g := p.Guardrails
	var lines []string
	add := func(label, text string) {
		lines = append(lines, present.Labeled(s, widget.RoleText, label, text, w)...)
	}
	add("regions", strings.Join(g.Regions, ", "))
	add("production", strings.Join(g.Production, ", "))
	add("retention", g.Retention)
	label := "notes"
	for _, n := range g.Notes {
		add(label, n)
		label = ""
	}
	if len(lines) == 0 {
		return nil
	}
	return append([]string{"", present.Heading(s, "Guardrails", w)}, lines...)
}

// findingCounts counts the schema issues of each kind in one line.
func findingCounts(s *widget.Styles, p *profiles.Profile, w int) string {
	count := map[accesspatterns.FindingKind]int{}
	for _, f := range p.Findings {
		count[f.Kind]++
	}
	var parts []string
	for _, k := range accesspatterns.FindingKinds() {
		if n := count[k]; n > 0 {
			kind := s.Paint(widget.RoleMuted, " "+strings.ToLower(string(k)))
			parts = append(parts, s.Paint(present.FindingRole(k), strconv.Itoa(n))+kind)
		}
	}
	return widget.Place(strings.Join(parts, s.Paint(widget.RoleFaint, "  ·  ")), w, 1)
}
