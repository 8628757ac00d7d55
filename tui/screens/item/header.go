package item

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// tallScreen is the height from which the related patterns have a line of their own.
const tallScreen = 28

func (s *itemScreen) head() int {
	if s.h >= tallScreen {
		return 5
	}
	return 4
}

// SetSize lays the screen out.
func (s *itemScreen) SetSize(w, h int) {
	s.w, s.h = max(w, 0), max(h, 0)
	s.checkMasker()
	s.layout()
}

// A placedTab is a tab where it is drawn, with its frame.
type placedTab struct {
	tab
	widget.Rect
}

func (s *itemScreen) placed() []placedTab {
	body := widget.Rect{Y: s.head(), W: s.w, H: s.h - s.head()}
	right := s.tab().beside()
	if right == nil {
		return []placedTab{{s.tab(), body}}
	}
	width := s.w * 44 / 100
	left := body
	left.W -= width
	return []placedTab{{s.tab(), left}, {right, widget.Rect{X: left.W, Y: body.Y, W: width, H: body.H}}}
}

func (s *itemScreen) layout() {
	for _, p := range s.placed() {
		in := p.Inner()
		p.setSize(in.W, in.H)
	}
}

func (s *itemScreen) turned() tea.Cmd {
	for _, t := range s.tabs {
		if t != s.tab() {
			t.stopTyping()
		}
	}
	s.search.leave()
	s.layout()
	return s.tab().opened()
}

func (s *itemScreen) framePanes() widget.Panes {
	list := widget.Panes{{Rect: widget.Rect{Y: s.head() - 1, W: s.w, H: 1}, Other: func(x, _ int) tea.Cmd {
		if s.bar.Click(x) {
			return s.turned()
		}
		return nil
	}}}
	if s.strip.drawn {
		list = append(list, widget.Pane{Rect: widget.Rect{Y: s.head() - 2, W: s.w, H: 1}, Other: s.strip.click})
	}
	for _, p := range s.placed() {
		pane := widget.Pane{Rect: p.Rect, Framed: true, Content: p.mouse()}
		if p.tab == s.tab() {
			pane.Open = s.entered
		}
		list = append(list, pane)
	}
	return list
}

func (s *itemScreen) entered() tea.Cmd {
	enter := s.tab().enter()
	if enter.why != "" {
		return screen.Send(screen.NoticeMsg{Text: enter.why})
	}
	return enter.run()
}

// View draws the screen.
func (s *itemScreen) View() string {
	s.checkMasker()
	if s.w <= 0 || s.h <= 0 {
		return ""
	}
	top := header{s}
	view := widget.Rows(top.nameLine(), top.keyLine(), top.noticeLines(), s.bar.Render(s.env.Styles, s.w))
	var panels []string
	for _, p := range s.placed() {
		if p.H > 0 {
			panels = append(panels, s.panel(p))
		}
	}
	view = widget.Place(widget.Rows(view, widget.Columns(panels...)), s.w, s.h)
	return s.DrawBox(s.env.Styles, view, s.w, s.h)
}

func (s *itemScreen) panel(p placedTab) string {
	frame := widget.Panel{Note: p.note(), Focused: p.tab == s.tab()}
	if !frame.Focused {
		frame.Title = p.title()
	} else if s.search.of(p.tab) {
		frame.Title, frame.Note, _ = s.search.frame(p.W)
	}
	return frame.Render(s.env.Styles, p.view(), p.W, p.H)
}

// Cursor is the terminal's cursor where text is typed.
func (s *itemScreen) Cursor() *tea.Cursor {
	if s.Box == nil && s.search.typing() {
		return s.search.cursor(s.placed()[0].W, s.head())
	}
	return s.Host.Cursor()
}

// Hints are the keys of the bottom line.
func (s *itemScreen) Hints() widget.Actions {
	if s.search.typing() {
		return searchHints()
	}
	return s.Actions()
}

// header draws the lines above the tabs.
type header struct{ *itemScreen }

func (s header) line(role widget.Role, text string) string {
	return " " + s.env.Styles.PaintCell(role, widget.SurfacePlain, text, max(s.w-1, 0), widget.AlignLeft)
}

func (s header) nameLine() string {
	st := s.env.Styles
	var right strings.Builder
	used := 0
	for i, b := range s.facts.badges() {
		b.Text = models.PrintableCell(b.Text, 40)
		text := st.Paint(b.Role, b.Text)
		if i < s.facts.states {
			text = st.Fill(b)
		}
		w := ansi.StringWidth(text)
		if used+w+3 > s.w-16 {
			break
		}
		right.WriteString("   " + text)
		used += w + 3
	}
	room := max(s.w-used-2, 0)
	name := models.PrintableCell(s.facts.name, room)
	left := " " + st.Paint(widget.RoleTitle, name)
	if rest := room - ansi.StringWidth(name) - 2; rest > 3 && s.facts.id != "" {
		left += "  " + st.Paint(widget.RoleStrong, models.PrintableCell(s.facts.id, rest))
	}
	return present.Spread(left, right.String()+" ", s.w)
}

func (s header) keyLine() string {
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

func (s header) noticeLines() string {
	notice := s.noticeLine()
	roomy := s.head() > 4
	s.strip.drawn = roomy || strings.TrimSpace(ansi.Strip(notice)) == ""
	switch {
	case roomy:
		return widget.Rows(notice, s.strip.line())
	case s.strip.drawn:
		return s.strip.line()
	}
	return notice
}

// noticeLine is blank without a notice, so that nothing moves when one appears.
func (s header) noticeLine() string {
	switch {
	case s.read.state == readRunning:
		if busy := s.read.busy(); busy.Visible() {
			return " " + busy.Render(s.env.Styles, max(s.w-1, 0))
		}
	case s.read.state == readFailed && s.read.err != nil:
		return s.line(widget.RoleBad, s.read.err.Error())
	}
	switch f := &s.facts; {
	case f.entity == nil:
		return s.line(widget.RoleWarn, f.why)
	case len(f.missing) > 0 && (s.read.state == readDone || s.read.state == readGone):
		text := "! " + present.Plural(len(f.missing), "required attribute") + " missing: " + strings.Join(f.missing, ", ")
		if len(f.missing) > 1 {
			text += ". An update of a missing key creates such an incomplete item."
		}
		return s.line(widget.RoleWarn, text)
	case f.drifted() > 0 && s.read.state == readDone:
		return s.line(widget.RoleBad, "✗ "+present.Plural(f.drifted(), "key")+
			" disagree with the attributes: lists may show this item in the wrong place (2 Keys)"+s.offers.repairHint())
	case len(f.defects) > 0 && s.read.state == readDone:
		d := f.defects[0]
		return s.line(widget.RoleBad, "✗ "+present.Join(d.Attribute, d.Text, ": ")+" (6 Issues)"+s.offers.repairHint())
	}
	return s.line(widget.RoleText, "")
}
