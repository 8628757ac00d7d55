package item

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/dustin/go-humanize"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// itemWide is the width from which the keys stand beside the overview.
const itemWide = 110

// SetSize lays the screen out.
func (s *itemScreen) SetSize(w, h int) {
	s.w, s.h = max(w, 0), max(h, 0)
	s.checkMasker()
	s.layout()
}

// side reports whether the keys stand beside the overview, and from which
// column on.
func (s *itemScreen) side() (at int, on bool) {
	if s.tabs.Active != tabOverview || s.w < itemWide || len(s.facts.keys) == 0 {
		return s.w, false
	}
	return s.w - s.w*44/100, true
}

func (s *itemScreen) layout() {
	at, side := s.side()
	h := s.h - s.head()
	iw, ih := widget.PanelInner(at, h)
	s.attributes.fields.SetSize(iw, ih-s.attributes.detailHeight())
	if s.attributes.rowsFor != iw {
		s.attributes.rowsFor = iw
		s.attributes.fillFields()
	}
	s.relations.list.SetSize(iw, ih-s.relations.height())
	s.past.setSize(iw, ih)
	s.raw.setSize(iw, ih, s.tabs.Active == tabRaw)
	if s.search.active() && s.search.tab == tabRaw {
		s.raw.show(s.search.at)
	}
	for i, p := range s.pagers {
		w := iw - 2
		if i == tabKeys && side {
			w, _ = widget.PanelInner(s.w-at, h)
			w -= 2
		}
		ph := ih
		if i == tabLifecycle {
			ph -= s.moves.movesHeight(ih)
		}
		p.SetSize(w, ph)
		if i == s.tabs.Active || i == tabKeys && side {
			s.makeLines(i, w)
		}
	}
}

// makeLines makes the lines of a tab when it is seen for the first time at
// this width.
func (s *itemScreen) makeLines(tab, w int) {
	if s.made[tab] == w || w <= 1 {
		return
	}
	s.made[tab] = w
	w-- // the scroll bar
	switch tab {
	case tabKeys:
		s.pagers[tab].SetLines(s.keyLines(w))
	case tabLifecycle:
		lines, here := s.lifecycleLines(w)
		s.pagers[tab].SetLines(lines)
		s.pagers[tab].ScrollTo(0)
		if _, ih := widget.PanelInner(w, s.h-s.head()); here >= ih-s.moves.movesHeight(ih) {
			s.pagers[tab].ScrollTo(here - (ih-s.moves.movesHeight(ih))/2)
		}
	case tabFindings:
		s.pagers[tab].SetLines(s.findingLines(w))
	}
}

// View draws the screen.
func (s *itemScreen) View() string {
	s.checkMasker()
	if s.w <= 0 || s.h <= 0 {
		return ""
	}
	st := s.env.Styles
	at, side := s.side()
	h := s.h - s.head()
	view := widget.Rows(s.nameLine(), s.keyLineTop(), s.noticeLines(), s.tabs.Render(st, s.w))
	if h > 0 {
		body := s.panel(s.tabs.Active, at, h)
		if side {
			body = widget.Columns(body, s.panel(tabKeys, s.w-at, h))
		}
		view = widget.Rows(view, body)
	}
	view = widget.Place(view, s.w, s.h)
	return s.DrawBox(st, view, s.w, s.h)
}

// panel draws one tab in its frame.
func (s *itemScreen) panel(tab, w, h int) string {
	st := s.env.Styles
	iw, ih := widget.PanelInner(w, h)
	p := widget.Panel{Focused: tab == s.tabs.Active}
	if !p.Focused {
		p.Title = s.tabs.Titles[tab] // The tab above names the active one.
	}
	var content string
	switch tab {
	case tabOverview:
		p.Note = present.CountOf(len(s.item), "attribute") + " · " + humanize.Bytes(uint64(s.facts.size))
		content = s.attributes.fields.View()
		if d := s.attributes.detail(iw, s.attributes.detailHeight()); d != "" {
			content = widget.Rows(content, d)
		}
	case tabLifecycle:
		moves := s.moves.movesHeight(ih)
		content = widget.Rows(widget.Indent(s.pagers[tab].View(), iw, ih-moves), s.moves.movesView(iw, ih))
	case tabTimeline:
		content = s.past.view(iw, ih)
	case tabRelated:
		p.Note = "enter runs"
		content = s.relations.list.View()
		if d := s.relations.detail(iw, s.relations.height()); d != "" {
			content = widget.Rows(content, d)
		}
	case tabRaw:
		p.Note = s.raw.kind() + " · enter shows the other"
		content = s.raw.scroll.View()
	default:
		p.Note = s.note(tab)
		content = widget.Indent(s.pagers[tab].View(), iw, ih)
	}
	if p.Focused && s.search.active() && s.search.tab == tab {
		p.Title, p.Note, _ = s.search.searchTitle(w)
	}
	return p.Render(st, content, w, h)
}

func (s *itemScreen) note(tab int) string {
	if tab != tabKeys || s.read.state != readDone && s.read.state != readGone {
		return ""
	}
	switch n := s.facts.drifted(); {
	case n > 0:
		return "✗ " + present.CountOf(n, "key") + " drifted"
	case s.facts.entity != nil:
		return "✓ all agree"
	}
	return ""
}

// nameLine is what the item is, and its states at the right.
func (s *itemScreen) nameLine() string {
	st := s.env.Styles
	var right strings.Builder
	rw := 0
	for _, b := range s.facts.badges() {
		text := models.PrintableCell(b.Text, 40)
		w := ansi.StringWidth(text)
		if rw+w+3 > s.w-16 {
			break
		}
		right.WriteString("   " + st.Paint(b.Role, text))
		rw += w + 3
	}
	room := max(s.w-rw-2, 0)
	name := models.PrintableCell(s.facts.name, room)
	left := " " + st.Paint(widget.RoleTitle, name)
	if rest := room - ansi.StringWidth(name) - 2; rest > 3 && s.facts.id != "" {
		left += "  " + st.Paint(widget.RoleStrong, models.PrintableCell(s.facts.id, rest))
	}
	return present.Spread(left, right.String()+" ", s.w)
}

// keyLineTop is the item's key, and how fresh it is at the right.
func (s *itemScreen) keyLineTop() string {
	st := s.env.Styles
	role, text := s.read.freshness()
	right := st.Paint(role, models.PrintableCell(text, max(s.w-2, 0)))
	room := max(s.w-ansi.StringWidth(right)-5, 0)
	key := ""
	if room > 8 {
		key = models.PrintableCell(s.facts.keyText, room)
	}
	return present.Spread(" "+st.Paint(widget.RoleMuted, key), right+" ", s.w)
}

// noticeLines are the notice and the strip, or, where there is room for one
// line, the notice if there is one.
func (s *itemScreen) noticeLines() string {
	notice := s.noticeLine()
	if s.head() > 4 {
		return widget.Rows(notice, s.relations.stripLine())
	}
	if blank(notice) {
		return s.relations.stripLine()
	}
	s.relations.strip = nil
	return notice
}

// noticeLine is what must not be overlooked: a failure, a spinner, an unknown
// entity, a ghost. It is blank otherwise, so that nothing moves when it comes.
func (s *itemScreen) noticeLine() string {
	st := s.env.Styles
	line := func(role widget.Role, text string) string {
		return " " + st.PaintCell(role, widget.SurfacePlain, text, max(s.w-1, 0), widget.AlignLeft)
	}
	switch {
	case s.read.state == readRunning:
		busy := widget.Busy{
			What: "reading the item again", Detail: s.read.progress.Retrying(), Cancel: "esc stops",
			Elapsed: s.read.elapsed, Fraction: -1,
		}
		if busy.Visible() {
			return " " + busy.Render(st, max(s.w-1, 0))
		}
	case s.read.state == readFailed && s.read.err != nil:
		return line(widget.RoleBad, s.read.err.Error())
	}
	switch f := &s.facts; {
	case f.entity == nil:
		return line(widget.RoleWarn, f.why)
	case len(f.missing) > 0 && (s.read.state == readDone || s.read.state == readGone):
		text := "! " + present.CountOf(len(f.missing), "required attribute") + " missing: " + strings.Join(f.missing, ", ")
		if len(f.missing) > 1 {
			text += ". An update of a key that did not exist makes such a ghost."
		}
		return line(widget.RoleWarn, text)
	case f.drifted() > 0 && s.read.state == readDone:
		return line(widget.RoleBad, "✗ "+present.CountOf(f.drifted(), "key")+" disagree with the attributes: lists may show this item in the wrong place (2 Keys)"+s.moves.repairHint())
	}
	return line(widget.RoleText, "")
}

// Hints are the keys of the bottom line. A box names its own.
func (s *itemScreen) Hints() widget.Actions {
	switch {
	case s.Box != nil:
		return nil
	case s.search.find.Typing():
		return searchHints()
	}
	return s.Actions()
}

// Cursor is the terminal's cursor while something is typed.
func (s *itemScreen) Cursor() *tea.Cursor {
	switch {
	case s.Box != nil:
		return s.Box.Cursor()
	case s.search.find.Typing():
		return s.search.searchCursor()
	case s.tabs.Active == tabRelated:
		return widget.MoveCursor(s.relations.list.Cursor(), 1, s.head()+1)
	}
	return nil
}

// Click chooses a tab or a row; a second click on a row opens it.
func (s *itemScreen) Click(x, y int) tea.Cmd {
	if s.Box != nil {
		return s.ClickBox(x, y)
	}
	at, _ := s.side()
	switch {
	case y == s.head()-2 && s.relations.strip != nil:
		return s.relations.clickStrip(x)
	case y == s.head()-1:
		if s.tabs.Click(x) {
			s.layout()
			return s.openedTab()
		}
	case y > s.head() && x < at && s.tabs.Active == tabOverview:
		before, i, _ := s.attributes.fields.Selected()
		if s.attributes.fields.Click(x-1, y-s.head()-1) {
			if after, j, _ := s.attributes.fields.Selected(); i == j && before.ID == after.ID && s.enterDisabled() == "" {
				return s.enter()
			}
		}
	case y > s.head() && s.tabs.Active == tabLifecycle:
		_, ih := widget.PanelInner(s.w, s.h-s.head())
		if again, ok := s.moves.clickMove(y-s.head()-1, ih); ok && again {
			return s.entered()
		}
	case y > s.head() && s.tabs.Active == tabTimeline:
		before := s.past.grid.Cursor()
		if row, ok := s.past.grid.Click(x-1, y-s.head()-1); ok && row == before {
			return s.entered()
		}
	case y > s.head() && s.tabs.Active == tabRelated:
		before, _ := s.relations.list.Selected()
		if s.relations.list.Click(x-1, y-s.head()-1) {
			if after, _ := s.relations.list.Selected(); after.ID == before.ID {
				return s.relations.run()
			}
		}
	}
	return nil
}

// entered does what enter does, or says why it cannot.
func (s *itemScreen) entered() tea.Cmd {
	if why := s.enterDisabled(); why != "" {
		return screen.Send(screen.NoticeMsg{Text: why})
	}
	return s.enter()
}

// Wheel scrolls what is under the pointer.
func (s *itemScreen) Wheel(x, _ int, up bool) tea.Cmd {
	at, side := s.side()
	switch {
	case s.Box != nil:
		s.WheelBox(up)
	case s.tabs.Active == tabTimeline:
		s.past.grid.Wheel(up)
	case side && x >= at:
		s.pagers[tabKeys].Wheel(up)
	case s.tabs.Active == tabOverview:
		s.attributes.fields.Wheel(up)
	case s.tabs.Active == tabRelated:
		s.relations.list.Wheel(up)
	case s.tabs.Active == tabRaw:
		s.raw.scroll.Wheel(up)
	default:
		s.pagers[s.tabs.Active].Wheel(up)
	}
	return nil
}
