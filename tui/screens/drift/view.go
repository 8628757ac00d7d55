package drift

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/planner"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// driftLayout is where things are: the list while something is to be chosen,
// the others once it is searched.
type driftLayout struct {
	narrow                    bool
	list, about               overlay.Rect
	line, tabs, grid, details overlay.Rect
}

// SetSize sets the rectangle.
func (s *driftScreen) SetSize(w, h int) {
	s.w, s.h = max(w, 0), max(h, 0)
	s.Arrange()
}

func (s *driftScreen) Arrange() {
	var l driftLayout
	l.narrow = s.w < present.NarrowBelow
	left := min(max(s.w*36/100, 34), 56, s.w)
	lw, lh := widget.PanelInner(left, s.h)
	l.list = overlay.Rect{X: 1, Y: 1, W: lw, H: lh}
	aw, ah := widget.PanelInner(s.w-left, s.h)
	l.about = overlay.Rect{X: left + 1, Y: 1, W: aw, H: ah}
	iw, ih := widget.PanelInner(s.w, s.h)
	y, end := 1, 1+ih
	place := func(h int) overlay.Rect {
		r := overlay.Rect{X: 1, Y: y, W: iw, H: max(min(h, end-y), 0)}
		y += r.H
		return r
	}
	details := 0
	switch {
	case ih >= 26:
		details = 8
	case ih >= 15:
		details = 5
	}
	l.line, l.tabs = place(1), place(1)
	l.grid = place(end - y - details)
	l.details = place(details)
	s.choice.scopes.SetSize(l.list.W, l.list.H)
	s.grid.SetSize(l.grid.W, l.grid.H-s.draw.errorHeight())
	s.lay = l
}

// errorHeight is the room for an error below the findings.
func (dr *driftDrawing) errorHeight() int {
	if dr.failed() && dr.s.rows.total() > 0 {
		return 3
	}
	return 0
}

// failed reports whether the search ended with an error that nobody wanted.
func (dr *driftDrawing) failed() bool {
	return dr.s.search != nil && !dr.s.search.running && dr.s.search.err != nil && !dr.s.search.stopped
}

// View draws the screen and the box over it.
func (s *driftScreen) View() string {
	if s.w <= 0 || s.h <= 0 {
		return ""
	}
	s.Arrange()
	screen := ""
	if s.started {
		screen = s.draw.viewFindings()
	} else {
		screen = s.choice.viewScopes()
	}
	return s.DrawBox(s.env.Styles, screen, s.w, s.h)
}

// viewScopes draws what can be searched, and what that means.
func (ch *driftScopes) viewScopes() string {
	st, l := ch.s.env.Styles, ch.s.lay
	left := widget.Panel{Title: "Look for drift in", Focused: true}.Render(st, ch.scopes.View(), l.list.W+2, ch.s.h)
	lines := ch.scopeLines(max(l.about.W-2, 1))
	right := widget.Panel{Title: "The search", Note: "SCAN"}.Render(
		st, widget.Indent(strings.Join(lines, "\n"), l.about.W, l.about.H), ch.s.w-l.list.W-2, ch.s.h,
	)
	return widget.Columns(left, right)
}

// scopeLines say what a search reads and finds.
func (ch *driftScopes) scopeLines(w int) []string {
	st := ch.s.env.Styles
	scope, ok := ch.chosen()
	if !ok {
		return nil
	}
	lines := []string{present.Heading(st, "It reads", w)}
	for _, t := range ch.tables(scope) {
		lines = append(lines, st.Paint(widget.RoleKey, t.Name))
		if known := ch.s.env.Tables.ObstacleToDrift(t); known != nil {
			lines = append(lines, present.AsksAgain(st, known, w)...)
		}
	}
	cost := ch.costs[scope]
	if cost == "" {
		cost = "asking how large that is …"
	}
	lines = append(lines, widget.Wrap(st, widget.RoleWarn, cost, w)...)
	lines = append(lines, widget.Wrap(st, widget.RoleMuted, "Nothing is read before you agree, and the search writes nothing.", w)...)
	lines = append(lines, "", present.Heading(st, "It finds", w))
	for _, k := range change.DefectKinds() {
		badge := defectBadge(k)
		for i, line := range widget.Wrap(st, widget.RoleMuted, defectMeaning(k), max(w-14, 10)) {
			lead := widget.BlankLine(14)
			if i == 0 {
				lead = st.PaintCell(badge.Role, widget.SurfacePlain, badge.Text, 14, widget.AlignLeft)
			}
			lines = append(lines, lead+line)
		}
	}
	lines = append(lines, "")
	return append(lines, widget.Wrap(st, widget.RoleMuted,
		"Such items stay unseen until a question misses them, or finds them in the wrong place.", w)...)
}

func defectMeaning(k change.DefectKind) string {
	switch k {
	case change.Unknown:
		return "no entity of the table has such a key"
	case change.Ghost:
		return "required attributes are missing: what an update without a condition leaves"
	case change.StaleKey:
		return "an index key does not follow from its attributes: the item is listed where it should not be, or nowhere"
	case change.StaleTTL:
		return "a time that repeats another one, as a ttl, says another moment"
	}
	return ""
}

// viewFindings draws what was found.
func (dr *driftDrawing) viewFindings() string {
	st, l := dr.s.env.Styles, dr.s.lay
	dr.s.tabs.Titles = dr.kindTitles()
	scope := dr.s.scope
	if scope == "" {
		scope = "everything"
	}
	content := widget.Rows(
		widget.Place(" "+dr.searchLine(), l.line.W, l.line.H),
		widget.Place(dr.s.tabs.Render(st, l.tabs.W), l.tabs.W, l.tabs.H),
		dr.viewRows(),
		dr.viewDetails(),
	)
	return widget.Panel{Title: "Drift in " + scope, Note: dr.s.grid.Position(), Focused: true}.Render(st, content, dr.s.w, dr.s.h)
}

func (dr *driftDrawing) kindTitles() []string {
	titles := []string{"All " + present.Thousands(dr.s.rows.total())}
	for _, k := range change.DefectKinds() {
		titles = append(titles, defectWords(k)+" "+present.Thousands(len(dr.s.rows.byKind[k])))
	}
	return titles
}

// searchLine is the wait for the search, or how it ended.
func (dr *driftDrawing) searchLine() string {
	st, d := dr.s.env.Styles, dr.s.search
	switch {
	case d == nil:
		return ""
	case d.running:
		requests, capacity := d.progress.Requests()
		return widget.Busy{
			What: strings.TrimSpace("searching " + d.table), Cancel: "esc stops", Elapsed: d.elapsed, Fraction: -1,
			Detail: present.Join(
				d.progress.Retrying(),
				fmt.Sprintf("%s · %s · %g RCU", present.Plural(d.scanned, "item"), present.Plural(requests, "page"), capacity),
				" · ",
			),
		}.Render(st, dr.s.lay.line.W-1)
	case d.stopped:
		return st.Paint(widget.RoleWarn, "! stopped: there may be more") + st.Paint(widget.RoleMuted, " · ctrl+r searches again")
	case dr.failed():
		return st.Paint(widget.RoleBad, "✗ the search did not come to its end")
	case dr.s.rows.total() == 0:
		return st.Paint(widget.RoleGood, "✓ nothing is wrong")
	}
	return st.Paint(widget.RoleMuted, "f repairs what is marked, else the row; ctrl+r searches again, c elsewhere")
}

func (dr *driftDrawing) viewRows() string {
	st, l, d := dr.s.env.Styles, dr.s.lay.grid, dr.s.search
	if l.H <= 0 {
		return ""
	}
	next := "ctrl+r searches again"
	if dr.failed() && dr.s.rows.total() == 0 {
		return widget.Place("\n"+strings.Join(present.ErrorLines(st, d.err, l.W-4, next), "\n"), l.W, l.H)
	}
	switch {
	case d != nil && d.running:
		dr.s.grid.SetEmpty("nothing found so far", "")
	case dr.s.rows.total() > 0:
		dr.s.grid.SetEmpty("nothing of this kind", "1 shows every kind")
	default:
		dr.s.grid.SetEmpty("nothing is wrong", present.Plural(d.sum.Scanned, "item")+" read")
	}
	if n := dr.errorHeight(); n > 0 {
		return widget.Rows(dr.s.grid.View(), widget.Place(strings.Join(present.ErrorLines(st, d.err, l.W-4, next), "\n"), l.W, n))
	}
	return dr.s.grid.View()
}

// viewDetails tells everything that is wrong with the item under the cursor.
func (dr *driftDrawing) viewDetails() string {
	st, l := dr.s.env.Styles, dr.s.lay.details
	if l.H <= 0 {
		return ""
	}
	row := dr.s.selected()
	if row == nil {
		return widget.Place("", l.W, l.H)
	}
	dr.s.rows.words(row)
	what := "unknown item"
	if row.Entity != nil {
		what = row.Entity.Title
	}
	lines := []string{widget.Rule(st, what+" · "+row.key, "enter opens", l.W)}
	for _, d := range row.shown {
		name := d.Attribute
		if name == "" {
			name = defectWords(d.Kind)
		}
		text := widget.Wrap(st, widget.RoleText, d.Text, max(l.W-3-ansi.StringWidth(name), 8))
		lines = append(lines, " "+st.Paint(widget.RoleKey, name)+" "+text[0])
		lines = append(lines, planner.Shifted(text[1:], 3)...)
		if d.Stored != "" || d.Expected != "" {
			stored, expected, _ := strings.Cut(driftChange(d), " → ")
			lines = append(
				lines,
				"   "+st.Paint(widget.RoleBad, stored)+st.Paint(widget.RoleFaint, " → ")+st.Paint(widget.RoleGood, expected),
			)
		}
	}
	switch {
	case row.state != "":
		lines = append(lines, " "+st.Paint(widget.RoleGood, row.state))
	case row.Why != "":
		for _, line := range widget.Wrap(st, widget.RoleMuted, "not to be repaired from here: "+row.Why, max(l.W-2, 1)) {
			lines = append(lines, " "+line)
		}
	}
	if len(lines) > l.H {
		lines = append(lines[:l.H-1], " "+st.Paint(widget.RoleFaint, fmt.Sprintf("… %d more: enter opens the item", len(lines)-l.H+1)))
	}
	return widget.Place(strings.Join(lines, "\n"), l.W, l.H)
}
