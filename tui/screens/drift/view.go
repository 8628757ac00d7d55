package drift

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/planner"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// layout is the rectangles of the parts: list and about, which include their frames,
// before a search, and the others after it:
//
//	╭ list ──────────╮╭ about ─────────────────────────╮
//	│ what to search ││ what it reads, costs and finds │
//	╰────────────────╯╰────────────────────────────────╯
//
//	╭ Drift in … ──────────────────────────────────────╮
//	│ line        progress, or how the search ended    │
//	│ tabs        the kinds of defects                 │
//	│ grid        the findings                         │
//	│ details     all defects of the item              │
//	╰──────────────────────────────────────────────────╯
type layout struct {
	list, about               widget.Rect
	line, tabs, grid, details widget.Rect
}

// SetSize sets the size of the screen in cells.
func (s *driftScreen) SetSize(w, h int) {
	s.w, s.h = max(w, 0), max(h, 0)
	s.arrange()
}

// arrange computes the layout. Low screens have no details.
func (s *driftScreen) arrange() {
	var l layout
	left := min(max(s.w*36/100, 34), 56, s.w)
	l.list = widget.Rect{W: left, H: s.h}
	l.about = widget.Rect{X: left, W: s.w - left, H: s.h}
	rest := widget.Rect{W: s.w, H: s.h}.Inner()
	place := func(h int) widget.Rect {
		r := rest
		r.H = max(min(h, rest.H), 0)
		rest.Y, rest.H = rest.Y+r.H, rest.H-r.H
		return r
	}
	details := 0
	switch {
	case rest.H >= 26:
		details = 8
	case rest.H >= 15:
		details = 5
	}
	l.line, l.tabs = place(1), place(1)
	l.grid = place(rest.H - details)
	l.details = place(details)
	inner := l.list.Inner()
	s.choice.scopes.SetSize(inner.W, inner.H)
	s.grid.SetSize(l.grid.W, results.RowsHeight(l.grid.H, len(s.rows.list), s.search.failure()))
	s.lay = l
}

// View draws the screen and the box over it.
func (s *driftScreen) View() string {
	if s.w <= 0 || s.h <= 0 {
		return ""
	}
	s.arrange()
	screen := ""
	if s.started {
		screen = s.found.viewFindings()
	} else {
		screen = s.choice.viewScopes()
	}
	return s.DrawBox(s.env.Styles, screen, s.w, s.h)
}

// viewScopes draws what can be searched, and what the search reads and finds.
func (p *picker) viewScopes() string {
	st, l := p.s.env.Styles, p.s.lay
	left := widget.Panel{Title: "Search for drift in", Focused: true}.Render(st, p.scopes.View(), l.list.W, l.list.H)
	about := l.about.Inner()
	lines := strings.Join(p.scopeLines(max(about.W-2, 1)), "\n")
	right := widget.Panel{Title: "Search", Note: "SCAN"}.Render(st, widget.Indent(lines, about.W, about.H), l.about.W, l.about.H)
	return widget.Columns(left, right)
}

// scopeLines describes the selected search in lines of w cells.
func (p *picker) scopeLines(w int) []string {
	st := p.s.env.Styles
	scope, ok := p.selectedScope()
	if !ok {
		return nil
	}
	lines := []string{present.Heading(st, "Reads", w)}
	for _, t := range tablesOf(p.s.env.Session.Profile(), scope) {
		lines = append(lines, st.Paint(widget.RoleKey, t.Name))
		if known := p.s.env.Tables.ObstacleToDrift(t); known != nil {
			lines = append(lines, present.AsksAgain(st, known, w)...)
		}
	}
	add := func(role widget.Role, text string) { lines = append(lines, widget.Wrap(st, role, text, w)...) }
	add(widget.RoleWarn, cmp.Or(p.costs[scope], estimating))
	add(widget.RoleMuted, "The search asks before it reads, and writes nothing.")
	lines = append(lines, "", present.Heading(st, "Finds", w))
	for _, k := range change.DefectKinds() {
		const badgeWidth = 14
		badge := present.DefectBadge(k)
		lead := st.PaintCell(badge.Role, widget.SurfacePlain, badge.Text, badgeWidth, widget.AlignLeft)
		for _, line := range widget.Wrap(st, widget.RoleMuted, present.WordsOf(k).Means, max(w-badgeWidth, 10)) {
			lines = append(lines, lead+line)
			lead = widget.BlankLine(badgeWidth)
		}
	}
	lines = append(lines, "")
	add(widget.RoleMuted, "Queries miss such items or return them in the wrong place.")
	return lines
}

// viewFindings draws the findings.
func (fd *findings) viewFindings() string {
	st, l := fd.s.env.Styles, fd.s.lay
	fd.s.tabs.Titles = []string{"All " + present.Thousands(len(fd.s.rows.list))}
	for _, k := range change.DefectKinds() {
		fd.s.tabs.Titles = append(fd.s.tabs.Titles, present.WordsOf(k).Word+" "+present.Thousands(len(fd.s.rows.byKind[k])))
	}
	content := widget.Rows(
		widget.Place(" "+fd.searchLine(), l.line.W, l.line.H),
		widget.Place(fd.s.tabs.Render(st, l.tabs.W), l.tabs.W, l.tabs.H),
		fd.viewRows(),
		fd.viewDetails(),
	)
	title := "Drift in " + cmp.Or(fd.s.scope, "everything")
	return widget.Panel{Title: title, Note: fd.s.grid.Position(), Focused: true}.Render(st, content, fd.s.w, fd.s.h)
}

// searchLine shows the progress of the search, or how it ended.
func (fd *findings) searchLine() string {
	st, d := fd.s.env.Styles, fd.s.search
	switch {
	case d == nil:
		return ""
	case d.task.Running():
		return widget.Busy{
			What: strings.TrimSpace("searching " + d.table), Cancel: "esc stops", Elapsed: d.task.Elapsed, Fraction: -1,
			Detail: present.Join(d.task.Progress.Retrying(), d.progress(), " · "),
		}.Render(st, fd.s.lay.line.W-1)
	case d.task.Stopped:
		return st.Paint(widget.RoleWarn, "! stopped: there may be more") + st.Paint(widget.RoleMuted, " · ctrl+r searches again")
	case d.failure() != nil:
		return st.Paint(widget.RoleBad, "✗ the search is incomplete")
	case len(fd.s.rows.list) == 0:
		return st.Paint(widget.RoleGood, "✓ all items are consistent")
	}
	return st.Paint(widget.RoleMuted, "f repairs marked rows or this one · ctrl+r searches again · c changes scope")
}

// viewRows draws the findings, or says why there are none.
func (fd *findings) viewRows() string {
	l, d := fd.s.lay.grid, fd.s.search
	switch {
	case d.running():
		fd.s.grid.SetEmpty("No defects so far", "")
	case len(fd.s.rows.list) > 0:
		fd.s.grid.SetEmpty("No defects of this kind", "1 shows all kinds")
	case d != nil && d.task.Stopped:
		fd.s.grid.SetEmpty("No defects before the search was stopped", "ctrl+r searches again")
	case d != nil:
		fd.s.grid.SetEmpty("All items are consistent", present.Plural(d.sum.Scanned, "item")+" read")
	}
	return results.ViewGrid(fd.s.env.Styles, fd.s.grid, l.W, l.H, len(fd.s.rows.list), fd.s.search.failure(), "ctrl+r searches again")
}

// viewDetails shows all defects of the item under the cursor.
func (fd *findings) viewDetails() string {
	st, l := fd.s.env.Styles, fd.s.lay.details
	if l.H <= 0 {
		return ""
	}
	row := fd.s.selected()
	if row == nil {
		return widget.Place("", l.W, l.H)
	}
	fd.s.rows.masked(row)
	what := "unknown item"
	if row.Entity != nil {
		what = row.Entity.Title
	}
	lines := []string{widget.Rule(st, what+" · "+row.key, "enter opens", l.W)}
	for _, d := range row.shown {
		lines = append(lines, planner.Shifted(present.DefectLines(st, d, max(l.W-2, 1)), 1)...)
	}
	switch {
	case row.state != "":
		lines = append(lines, " "+st.Paint(widget.RoleGood, row.state))
	case row.Why != "":
		text := widget.Wrap(st, widget.RoleMuted, "This item cannot be repaired: "+row.Why, max(l.W-2, 1))
		lines = append(lines, planner.Shifted(text, 1)...)
	}
	if len(lines) > l.H {
		lines = append(lines[:l.H-1], " "+st.Paint(widget.RoleFaint, fmt.Sprintf("… %d more: enter opens the item", len(lines)-l.H+1)))
	}
	return widget.Place(strings.Join(lines, "\n"), l.W, l.H)
}
