package item

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// minWideWidth is the minimum width for the last events beside the attributes, and for a summary of three lines.
const minWideWidth = 110

func (s *itemScreen) headerHeight() int { return len(s.head) + 1 }

// header returns the lines above the tabs. An item with states or a history reserves a line for each part, because the
// parts arrive late.
func (s *itemScreen) header() []string {
	lines := strings.Split(widget.Rows(s.nameLine(), s.locationLine(), s.nextLines()), "\n")
	if s.hasStateOrHistory() {
		return lines
	}
	return slices.DeleteFunc(lines, func(line string) bool { return strings.TrimSpace(ansi.Strip(line)) == "" })
}

func (s *itemScreen) hasStateOrHistory() bool {
	return len(s.summary.States) > 0 || s.history.title() != ""
}

func (s *itemScreen) SetSize(w, h int) {
	s.w, s.h = max(w, 0), max(h, 0)
	s.checkMasker()
	s.layout()
}

// tabRects returns the rectangles of the tab and of the events to its right. events is empty if they do not fit.
func (s *itemScreen) tabRects() (body, events widget.Rect) {
	body = widget.Rect{Y: s.headerHeight(), W: s.w, H: max(s.h-s.headerHeight(), 0)}
	if s.active != tab(s.overview) || s.w < minWideWidth || s.history.title() == "" {
		return body, widget.Rect{}
	}
	events = body
	events.W = s.w * 42 / 100
	body.W -= events.W
	events.X = body.W
	return body, events
}

func (s *itemScreen) layout() {
	body, _ := s.tabRects()
	in := body.Inner()
	s.active.setSize(in.W, in.H)
}

func (s *itemScreen) framePanes() widget.Panes {
	body, events := s.tabRects()
	list := widget.Panes{
		{Rect: widget.Rect{Y: s.headerHeight() - 1, W: s.w, H: 1}, Other: func(x, _ int) tea.Cmd {
			if s.bar.Click(x) {
				return s.switchTab(0)
			}
			return nil
		}},
		{Rect: body, Framed: true, Content: s.active.mouse(), Open: s.openSelected},
	}
	if events.W > 0 {
		list = append(list, widget.Pane{Rect: events, Framed: true, Other: func(_, y int) tea.Cmd {
			if y > s.relatedAt {
				return s.open(s.related)
			}
			return s.open(s.history)
		}})
	}
	return list
}

func (s *itemScreen) open(t tab) tea.Cmd {
	if i := slices.Index(s.visible, t); i >= 0 {
		s.bar.Active = i
	}
	return s.switchTab(0)
}

func (s *itemScreen) openSelected() tea.Cmd {
	enter := s.active.enter()
	if enter.reason != "" {
		return screen.Send(screen.NoticeMsg{Text: enter.reason})
	}
	return enter.run()
}

func (s *itemScreen) View() string {
	s.checkMasker()
	if s.w <= 0 || s.h <= 0 {
		return ""
	}
	lines := len(s.head)
	if s.head = s.header(); len(s.head) != lines {
		s.layout()
	}
	body, events := s.tabRects()
	frame := widget.Panel{Note: s.active.note(), Focused: true}
	if s.active == tab(s.overview) && s.overview.isFiltered() {
		frame.Title, frame.Note, _ = s.overview.frame(body.W)
	}
	st := s.env.Styles
	panels := frame.Render(st, s.active.view(), body.W, body.H)
	if in := events.Inner(); events.W > 0 {
		historyPanel := widget.Panel{Title: "Recent events", Note: s.history.note()}
		panels = widget.Columns(panels, historyPanel.Render(st, s.viewHistory(in.W, in.H), events.W, events.H))
	}
	view := widget.Rows(strings.Join(s.head, "\n"), s.bar.Render(st, s.w), panels)
	return s.DrawBox(st, widget.Place(view, s.w, s.h), s.w, s.h)
}

func (s *itemScreen) Cursor() *tea.Cursor {
	if s.Box == nil && s.isSearching() {
		body, _ := s.tabRects()
		return s.overview.cursor(body.W, s.headerHeight())
	}
	return s.Host.Cursor()
}

func (s *itemScreen) Hints() widget.Actions {
	if s.isSearching() {
		return filterHints()
	}
	return s.Actions()
}

// spread puts one text at the left edge and one at the right. If space is short, it cuts the left one first.
func (s *itemScreen) spread(leftRole widget.Role, left string, rightRole widget.Role, right string, shortLeft ...string) string {
	st, wholeRight := s.env.Styles, right
	if ansi.StringWidth(left+right)+4 > s.w {
		right, _, _ = strings.Cut(right, ";")
	}
	if at, age, ok := strings.Cut(right, ", "); ok && strings.HasPrefix(at, "expires ") && ansi.StringWidth(left+right)+4 > s.w {
		right = "expires " + age
	}
	if len(shortLeft) > 0 && shortLeft[0] != "" && ansi.StringWidth(left+right)+4 > s.w {
		return s.spread(leftRole, shortLeft[0], rightRole, wholeRight)
	}
	right = models.PrintableCell(right, max(s.w-2, 0))
	leftWidth := s.w - ansi.StringWidth(right) - 4
	if left != "" && leftWidth < min(ansi.StringWidth(left), 24) {
		right, leftWidth = "", s.w-2
	}
	return present.Spread(" "+st.Paint(leftRole, models.PrintableCell(left, max(leftWidth, 0))), st.Paint(rightRole, right)+" ", s.w)
}

func (s *itemScreen) nameLine() string {
	st := s.env.Styles
	right, used := "", 0
	for i, now := range s.summary.States {
		badge := widget.Cell{Text: "? " + now.Label, Role: widget.RoleWarn}
		if now.Kind != "" {
			badge = widget.Badge(widget.KindOf(string(now.Kind)), now.Label)
		}
		badge.Text = models.PrintableCell(badge.Text, 40)
		text := " " + st.Fill(badge)
		room := s.w - ansi.StringWidth(text) - ansi.StringWidth(s.summary.Name) - ansi.StringWidth(s.summary.ID) - 6
		if since := s.sinceText(now, i == 0, room); since != "" {
			text += st.Paint(widget.RoleText, " "+since)
		}
		if w := ansi.StringWidth(text); used+w <= s.w-16 {
			right, used = right+text, used+w
		}
	}
	room := max(s.w-used-2, 0)
	name := models.PrintableCell(s.summary.Name, room)
	left := " " + st.Paint(widget.RoleTitle, name)
	if rest := room - ansi.StringWidth(name) - 2; rest > 3 && s.summary.ID != "" {
		left += "  " + st.Paint(widget.RoleStrong, models.PrintableCell(widget.Shorten(s.summary.ID, rest), rest))
	}
	return present.Spread(left, right+" ", s.w)
}

// sinceText returns how long the item has been in a state. It adds the start time if there is room next to the ID.
func (s *itemScreen) sinceText(now CurrentState, withTime bool, room int) string {
	if now.Since.IsZero() {
		return ""
	}
	span := strings.TrimSuffix(present.Age(now.Since, s.summary.Now), " ago")
	if text := "since " + present.Stamp(now.Since, s.summary.Now) + ", " + span; withTime && ansi.StringWidth(text) <= room {
		return text
	}
	return strings.Replace("for "+span, "for just now", "just now", 1)
}

// locationLine describes the item's problem, queues or state, followed by how current the item is or when it expires.
func (s *itemScreen) locationLine() string {
	if s.state == readRunning && !s.hasStateOrHistory() {
		return "" // The line would disappear after the read, and the tabs would move.
	}
	if s.state == readRunning {
		busy := widget.BusyIndicator{
			What: "refreshing the item", Detail: s.read.task.Progress.Retrying(), Cancel: "esc stop",
			Elapsed: s.read.task.Elapsed, Fraction: -1,
		}
		if busy.Visible() {
			return " " + busy.Render(s.env.Styles, max(s.w-1, 0))
		}
	}
	if s.state == readFailed && s.read.err != nil {
		return s.spread(widget.RoleBad, s.read.err.Error(), widget.RoleBad, "✗ refresh failed")
	}
	role, right := s.freshness()
	if right == "" {
		role, right = widget.RoleMuted, s.summary.Expiry()
		if !s.summary.Deletion.IsZero() || !s.summary.Expires.IsZero() && !s.summary.Expires.After(s.summary.Now) {
			role = widget.RoleBad
		}
	}
	location := s.summary.QueueText()
	switch problem := s.problem(); {
	case problem != "":
		problemRole := widget.RoleBad
		if !strings.HasPrefix(problem, "✗") {
			problemRole = widget.RoleWarn
		}
		return s.spread(problemRole, problem, role, right)
	case location != "":
		return s.spread(widget.RoleWarn, "▲ "+location, role, right)
	case len(s.summary.States) > 0:
		now := s.summary.States[0]
		return s.spread(widget.RoleMuted, present.Join(now.Description, now.Reason, "; "), role, right, upperFirst(now.Reason))
	}
	return s.spread(widget.RoleMuted, "", role, right)
}

// nextLines describes the next actions, the roles that can take them, and the last event, on one line if they fit.
func (s *itemScreen) nextLines() string {
	st, lastEvent, actionHint := s.env.Styles, "", models.PrintableCell(s.summary.ActionHint, max(s.w-2, 0))
	if _, events := s.tabRects(); events.W == 0 && len(s.summary.Events) > 0 {
		lastEvent = s.summary.Events[0].Sentence(s.summary.Now)
	}
	narrow := s.w < minWideWidth
	room := s.w - 8
	if !narrow && actionHint != "" {
		room -= ansi.StringWidth(actionHint) + 3
	}
	left := ""
	if steps := s.summary.Steps(room); steps != "" {
		left = " " + st.Paint(widget.RoleMuted, "Next  ") + st.Paint(widget.RoleText, models.PrintableCell(steps, max(room, 12)))
	}
	if narrow {
		if lastEvent != "" && ansi.StringWidth(actionHint+lastEvent)+4 > s.w {
			actionHint, _, _ = strings.Cut(actionHint, " · ")
		}
		if rest := s.w - ansi.StringWidth(actionHint) - 4; rest < 20 {
			lastEvent = ""
		} else {
			lastEvent = models.PrintableCell(lastEvent, rest)
		}
		return widget.Rows(widget.Place(left, s.w, 1), present.Spread(" "+st.Paint(widget.RoleMuted, actionHint),
			st.Paint(widget.RoleMuted, lastEvent)+" ", s.w))
	}
	if left != "" && actionHint != "" {
		left += st.Paint(widget.RoleFaint, " · ")
	} else {
		left += " "
	}
	left += st.Paint(widget.RoleMuted, actionHint)
	if ansi.StringWidth(left)+ansi.StringWidth(lastEvent)+4 > s.w {
		lastEvent = ""
	}
	return present.Spread(left, st.Paint(widget.RoleMuted, models.PrintableCell(lastEvent, s.w))+" ", s.w)
}

func (s *itemScreen) viewHistory(w, h int) string {
	st := s.env.Styles
	var path []string
	for _, lifecycle := range s.history.paths {
		path = append(path, lifecycle.pathLines(st, w-1, s.summary.Now)...)
	}
	if reason := s.history.emptyReason(); reason != "" {
		path = append(path, present.IndentLines(widget.Wrap(st, widget.RoleMuted, reason, max(w-3, 1)), 2)...)
	}
	room := max(h-len(path)-1, 0)
	lines := make([]string, 0, h)
	events := s.summary.Events[:min(len(s.summary.Events), room)]
	free := room - len(events) - len(s.related.sideLines(w, room-len(events)))
	for _, e := range events {
		line, reason := s.history.eventLine(widget.SurfacePlain, e, w), models.PrintableCell(e.Reason, max(w-4, 1))
		if reason != "" && free > 0 && !strings.Contains(ansi.Strip(line), reason+"”") {
			e.Reason, free = "", free-1
			lines = append(lines, s.history.eventLine(widget.SurfacePlain, e, w))
			line = st.Paint(widget.RoleFaint, "  “"+reason+"”")
		}
		lines = append(lines, line)
	}
	if len(lines) > 0 {
		lines = append(lines, "")
	} else if s.history.loading.Running() {
		lines = append(lines, " "+s.history.busy().Render(st, max(w-1, 0)))
	}
	lines = append(lines, path...)
	s.relatedAt = len(lines)
	return strings.Join(append(lines, s.related.sideLines(w, h-len(lines))...), "\n")
}
