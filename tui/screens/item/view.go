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
	h := s.h - s.header.head()
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
	for i, p := range s.texts.pagers {
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
			s.texts.makeLines(i, w)
		}
	}
}

// makeLines makes the lines of a tab when it is seen for the first time at
// this width.
func (tx *itemTexts) makeLines(tab, w int) {
	if tx.made[tab] == w || w <= 1 {
		return
	}
	tx.made[tab] = w
	w-- // the scroll bar
	switch tab {
	case tabKeys:
		tx.pagers[tab].SetLines(tx.keyLines(w))
	case tabLifecycle:
		lines, here := tx.lifecycleLines(w)
		tx.pagers[tab].SetLines(lines)
		tx.pagers[tab].ScrollTo(0)
		if _, ih := widget.PanelInner(w, tx.s.h-tx.s.header.head()); here >= ih-tx.s.moves.movesHeight(ih) {
			tx.pagers[tab].ScrollTo(here - (ih-tx.s.moves.movesHeight(ih))/2)
		}
	case tabFindings:
		tx.pagers[tab].SetLines(tx.findingLines(w))
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
	h := s.h - s.header.head()
	view := widget.Rows(s.header.nameLine(), s.header.keyLineTop(), s.header.noticeLines(), s.tabs.Render(st, s.w))
	if h > 0 {
		body := s.texts.panel(s.tabs.Active, at, h)
		if side {
			body = widget.Columns(body, s.texts.panel(tabKeys, s.w-at, h))
		}
		view = widget.Rows(view, body)
	}
	view = widget.Place(view, s.w, s.h)
	return s.DrawBox(st, view, s.w, s.h)
}

// panel draws one tab in its frame.
func (tx *itemTexts) panel(tab, w, h int) string {
	st := tx.s.env.Styles
	iw, ih := widget.PanelInner(w, h)
	p := widget.Panel{Focused: tab == tx.s.tabs.Active}
	if !p.Focused {
		p.Title = tx.s.tabs.Titles[tab] // The tab above names the active one.
	}
	var content string
	switch tab {
	case tabOverview:
		p.Note = present.Plural(len(tx.s.item), "attribute") + " · " + humanize.Bytes(uint64(tx.s.facts.size))
		content = tx.s.attributes.fields.View()
		if d := tx.s.attributes.detail(iw, tx.s.attributes.detailHeight()); d != "" {
			content = widget.Rows(content, d)
		}
	case tabLifecycle:
		moves := tx.s.moves.movesHeight(ih)
		content = widget.Rows(widget.Indent(tx.pagers[tab].View(), iw, ih-moves), tx.s.moves.movesView(iw, ih))
	case tabTimeline:
		content = tx.s.past.view(iw, ih)
	case tabRelated:
		p.Note = "enter runs"
		content = tx.s.relations.list.View()
		if d := tx.s.relations.detail(iw, tx.s.relations.height()); d != "" {
			content = widget.Rows(content, d)
		}
	case tabRaw:
		p.Note = tx.s.raw.kind() + " · enter shows the other"
		content = tx.s.raw.scroll.View()
	default:
		p.Note = tx.note(tab)
		content = widget.Indent(tx.pagers[tab].View(), iw, ih)
	}
	if p.Focused && tx.s.search.active() && tx.s.search.tab == tab {
		p.Title, p.Note, _ = tx.s.search.searchTitle(w)
	}
	return p.Render(st, content, w, h)
}

func (tx *itemTexts) note(tab int) string {
	if tab != tabKeys || tx.s.read.state != readDone && tx.s.read.state != readGone {
		return ""
	}
	switch n := tx.s.facts.drifted(); {
	case n > 0:
		return "✗ " + present.Plural(n, "key") + " drifted"
	case tx.s.facts.entity != nil:
		return "✓ all agree"
	}
	return ""
}

// nameLine is what the item is, and its states at the right.
func (hd *itemHeader) nameLine() string {
	st := hd.s.env.Styles
	var right strings.Builder
	rw := 0
	for _, b := range hd.s.facts.badges() {
		text := models.PrintableCell(b.Text, 40)
		w := ansi.StringWidth(text)
		if rw+w+3 > hd.s.w-16 {
			break
		}
		right.WriteString("   " + st.Paint(b.Role, text))
		rw += w + 3
	}
	room := max(hd.s.w-rw-2, 0)
	name := models.PrintableCell(hd.s.facts.name, room)
	left := " " + st.Paint(widget.RoleTitle, name)
	if rest := room - ansi.StringWidth(name) - 2; rest > 3 && hd.s.facts.id != "" {
		left += "  " + st.Paint(widget.RoleStrong, models.PrintableCell(hd.s.facts.id, rest))
	}
	return present.Spread(left, right.String()+" ", hd.s.w)
}

// keyLineTop is the item's key, and how fresh it is at the right.
func (hd *itemHeader) keyLineTop() string {
	st := hd.s.env.Styles
	role, text := hd.s.read.freshness()
	right := st.Paint(role, models.PrintableCell(text, max(hd.s.w-2, 0)))
	room := max(hd.s.w-ansi.StringWidth(right)-5, 0)
	key := ""
	if room > 8 {
		key = models.PrintableCell(hd.s.facts.keyText, room)
	}
	return present.Spread(" "+st.Paint(widget.RoleMuted, key), right+" ", hd.s.w)
}

// noticeLines are the notice and the strip, or, where there is room for one
// line, the notice if there is one.
func (hd *itemHeader) noticeLines() string {
	notice := hd.noticeLine()
	if hd.head() > 4 {
		return widget.Rows(notice, hd.s.relations.stripLine())
	}
	if blank(notice) {
		return hd.s.relations.stripLine()
	}
	hd.s.relations.strip = nil
	return notice
}

// noticeLine is what must not be overlooked: a failure, a spinner, an unknown
// entity, a ghost. It is blank otherwise, so that nothing moves when it comes.
func (hd *itemHeader) noticeLine() string {
	st := hd.s.env.Styles
	line := func(role widget.Role, text string) string {
		return " " + st.PaintCell(role, widget.SurfacePlain, text, max(hd.s.w-1, 0), widget.AlignLeft)
	}
	switch {
	case hd.s.read.state == readRunning:
		busy := widget.Busy{
			What: "reading the item again", Detail: hd.s.read.progress.Retrying(), Cancel: "esc stops",
			Elapsed: hd.s.read.elapsed, Fraction: -1,
		}
		if busy.Visible() {
			return " " + busy.Render(st, max(hd.s.w-1, 0))
		}
	case hd.s.read.state == readFailed && hd.s.read.err != nil:
		return line(widget.RoleBad, hd.s.read.err.Error())
	}
	switch f := &hd.s.facts; {
	case f.entity == nil:
		return line(widget.RoleWarn, f.why)
	case len(f.missing) > 0 && (hd.s.read.state == readDone || hd.s.read.state == readGone):
		text := "! " + present.Plural(len(f.missing), "required attribute") + " missing: " + strings.Join(f.missing, ", ")
		if len(f.missing) > 1 {
			text += ". An update of a key that did not exist makes such a ghost."
		}
		return line(widget.RoleWarn, text)
	case f.drifted() > 0 && hd.s.read.state == readDone:
		return line(widget.RoleBad, "✗ "+present.Plural(
			f.drifted(), "key",
		)+" disagree with the attributes: lists may show this item in the wrong place (2 Keys)"+hd.s.moves.repairHint())
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
		return widget.MoveCursor(s.relations.list.Cursor(), 1, s.header.head()+1)
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
	case y == s.header.head()-2 && s.relations.strip != nil:
		return s.relations.clickStrip(x)
	case y == s.header.head()-1:
		if s.tabs.Click(x) {
			s.layout()
			return s.does.openedTab()
		}
	case y > s.header.head() && x < at && s.tabs.Active == tabOverview:
		if again, _ := s.attributes.fields.Click(x-1, y-s.header.head()-1); again && s.does.enterDisabled() == "" {
			return s.does.enter()
		}
	case y > s.header.head() && s.tabs.Active == tabLifecycle:
		_, ih := widget.PanelInner(s.w, s.h-s.header.head())
		if again, ok := s.moves.clickMove(y-s.header.head()-1, ih); ok && again {
			return s.entered()
		}
	case y > s.header.head() && s.tabs.Active == tabTimeline:
		if again, _ := s.past.grid.Click(x-1, y-s.header.head()-1); again {
			return s.entered()
		}
	case y > s.header.head() && s.tabs.Active == tabRelated:
		if again, _ := s.relations.list.Click(x-1, y-s.header.head()-1); again {
			return s.relations.run()
		}
	}
	return nil
}

// entered does what enter does, or says why it cannot.
func (s *itemScreen) entered() tea.Cmd {
	if why := s.does.enterDisabled(); why != "" {
		return screen.Send(screen.NoticeMsg{Text: why})
	}
	return s.does.enter()
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
		s.texts.pagers[tabKeys].Wheel(up)
	case s.tabs.Active == tabOverview:
		s.attributes.fields.Wheel(up)
	case s.tabs.Active == tabRelated:
		s.relations.list.Wheel(up)
	case s.tabs.Active == tabRaw:
		s.raw.scroll.Wheel(up)
	default:
		s.texts.pagers[s.tabs.Active].Wheel(up)
	}
	return nil
}
