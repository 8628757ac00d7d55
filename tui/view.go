package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/palette"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// These are the minimum dimensions of the terminal in cells.
const (
	minWidth  = 60
	minHeight = 16
)

const app = "ddbdesk"

func (m *Model) maxHints() int {
	switch {
	case m.w < 66:
		return 2
	case m.w < 76:
		return 3
	}
	return 4
}

func (m *Model) isTooSmall() bool { return m.w < minWidth || m.h < minHeight }

// View implements tea.Model.
func (m *Model) View() tea.View {
	v := tea.NewView("")
	v.AltScreen = true
	if m.exit.quitting {
		return v // The program leaves the alternate screen when it exits.
	}
	v.WindowTitle = m.o.Signs.Draw(models.Printable(m.title()))
	_, v.ReportFocus = m.top().screen.(screen.Watcher)
	if !m.mouseOff {
		v.MouseMode = tea.MouseModeCellMotion
	}
	switch {
	case m.w <= 0 || m.h <= 0:
	case m.isTooSmall():
		v.SetContent(m.replaceSigns(m.viewSmall()))
	default:
		v.SetContent(m.replaceSigns(m.viewSafe()))
		v.Cursor = m.cursor()
	}
	return v
}

func (m *Model) title() string {
	if m.isDetached() {
		return app
	}
	return app + " · " + m.env.Session.Profile().Name
}

// viewSafe removes control characters, as the last check before a terminal, a file or a picture.
func (m *Model) viewSafe() string { return models.SafeFrame(m.compose()) }

func (m *Model) compose() string {
	w, h := m.body()
	body := widget.Place(m.top().screen.View(), w, max(h-m.top().tabRows(), 0))
	if m.top().tabs != nil {
		body = widget.Rows(m.viewTabs(w), body)
	}
	for _, box := range slices.Backward(m.openBoxes()) {
		body = box.Over(m.styles, body, w, h)
	}
	bar, hasNotice := m.statusBar()
	switch {
	case m.isCovered():
	case hasNotice:
		body = m.toasts.Older().Over(m.styles, body)
	default:
		body = m.toasts.Over(m.styles, body)
	}
	parts := []string{m.topBar().Render(m.styles, w), body}
	if m.tour.active {
		parts = append(parts, m.view(w))
	}
	return widget.Rows(append(parts, bar.Render(m.styles, w))...)
}

func (m *Model) topBar() widget.TopBar {
	bar := widget.TopBar{App: app}
	if m.isDetached() {
		bar.Crumbs = []string{m.top().screen.Title()}
		access := m.home.Access()
		bar.Context, bar.ContextColor = m.contextName(), m.contextNamed(m.dialogs.context).Color
		bar.Who, bar.Role, bar.Region, bar.Endpoint, bar.ReadOnly = access.Who, access.Role, access.Region, access.Place, access.ReadOnly
		bar.Detached = access.Role == ""
		stage := m.upcomingStage()
		bar.Production, bar.Unclassified = stage == session.Production, stage == session.Unclassified
		return bar
	}
	s := m.env.Workspace
	bar.Crumbs = append(bar.Crumbs, s.Session.Profile().Name)
	if r := m.env.Review(); r != nil && r.Name() == bar.Crumbs[0] {
		bar.Crumbs[0] += " (draft)"
	}
	for _, p := range m.crumbs() {
		bar.Crumbs = append(bar.Crumbs, p.title())
	}
	target := s.Session.Target()
	bar.Context, bar.Region, bar.Who, bar.Role = s.Session.Context(), target.Region,
		cmp.Or(m.identity, s.Session.ActorName()), string(s.Session.Role())
	bar.Revealed = !s.Session.Masker().Hides(models.PII)
	if target.Embedded || target.Custom {
		bar.Endpoint = target.Endpoint
	}
	if target.Embedded { // Its region is a placeholder.
		bar.Region, bar.Endpoint = "", cmp.Or(m.home.Access().Place, "embedded")
	}
	purpose := s.Session.Purpose()
	bar.BreakGlass, purpose.BreakGlass = purpose.BreakGlass, false
	bar.Purpose = purpose.String()
	bar.ContextColor = m.contextNamed(s.Session.Context()).Color
	bar.ReadOnly, bar.Production = s.Session.ReadOnly(), s.Session.Production()
	bar.Unclassified = s.Session.Stage() == session.Unclassified
	return bar
}

func (m *Model) statusBar() (bar widget.StatusBar, hasNotice bool) {
	bar = m.screenBar()
	role, text, ok := m.toasts.Last()
	if !ok {
		return bar, false
	}
	notice := widget.StatusBar{Facts: []string{text}, Role: role, Hints: bar.Hints}
	if m.isCovered() || notice.Fits(m.w) {
		return notice, true
	}
	return bar, false
}

func (m *Model) screenBar() widget.StatusBar {
	status := m.top().screen.Status()
	bar := widget.StatusBar{Facts: strings.Split(status, " · "), Role: widget.RoleText}
	if strings.HasPrefix(status, "✗") {
		bar.Role = widget.RoleBad
	}
	if m.isCovered() {
		return bar
	}
	hints := m.top().screen.Actions()
	if h, ok := m.top().screen.(overlay.Hinter); ok {
		hints = h.Hints()
	}
	hasMenu := false
	for _, a := range hints {
		if len(bar.Hints) >= m.maxHints() || a.Desc == "" || a.Why() != "" {
			continue
		}
		if _, in := a.InMenu(); in {
			if hasMenu {
				continue
			}
			a, _ = m.actions.Named("actions")
			hasMenu = true
		}
		bar.Hints = append(bar.Hints, a)
	}
	hint := "help"
	if isTyping(m.top().screen) {
		hint = "palette"
	}
	if a, ok := m.actions.Named(hint); ok && len(hints) > 0 {
		if hint == "palette" {
			a.Binding = bind(nonTextKey(a), nonTextKey(a))
		}
		bar.Hints = append(bar.Hints, a)
	}
	return bar
}

func (m *Model) isCovered() bool {
	b, ok := m.top().screen.(interface{ Boxed() bool })
	return m.topBox() != nil || ok && b.Boxed()
}

func nonTextKey(a widget.Action) string {
	for _, k := range a.Binding.Keys() {
		if !widget.IsText(k) {
			return k
		}
	}
	return ""
}

func (m *Model) viewSmall() string {
	text := fmt.Sprintf("ddbdesk needs at least %d×%d cells; this terminal has %d×%d", minWidth, minHeight, m.w, m.h)
	lines := widget.Wrap(m.styles, widget.RoleText, text, m.w)
	lines = append(lines, widget.Wrap(m.styles, widget.RoleMuted, "Enlarge the window, or press ctrl+c twice to quit", m.w)...)
	return widget.Place(strings.Join(lines, "\n"), m.w, m.h)
}

func (m *Model) clickCrumb(x int) tea.Cmd {
	i, ok := m.topBar().CrumbAt(x, m.w)
	switch {
	case !ok && m.cannotSwitchContext() == "":
		return m.openContexts() // The user clicked on the connection.
	case !ok || m.isAtHome():
		return nil
	}
	if cmd, blocked := m.blockIfPending(); blocked {
		return cmd
	}
	if m.isDetached() {
		return m.goHome()
	}
	if i < 1 {
		return m.goTo(m.screens.stack[0])
	}
	list := m.crumbs()
	return m.goTo(list[min(i-1, len(list)-1)])
}

// crumbs omits screens with tabs directly below another screen with tabs, such as the inbox below the schema.
func (m *Model) crumbs() []*place {
	var list []*place
	for _, p := range m.screens.stack[1:] {
		n := len(list)
		if n > 0 && (list[n-1].title() == p.title() || list[n-1].tabs != nil && p.tabs != nil) {
			list[n-1] = p
			continue
		}
		list = append(list, p)
	}
	return list
}

// layers contains the boxes above the visible screen, lowest first. A closed box is nil. The topmost open box receives
// all input.
type layers struct {
	palette   *palette.Palette
	dialog    overlay.Overlay // dialog of the console itself, such as for a one-time code
	earlyMenu *overlay.Menu   // action menu, if the user opened it before the screen had rows
	offer     overlay.Overlay // offer to find a text that the user typed outside of fields
}

func (m *Model) openBoxes() []overlay.Overlay {
	list := models.Filter([]overlay.Overlay{m.layers.offer, m.layers.dialog}, func(box overlay.Overlay) bool { return box != nil })
	if m.layers.palette != nil {
		list = append(list, m.layers.palette)
	}
	return list
}

func (m *Model) topBox() overlay.Overlay {
	if list := m.openBoxes(); len(list) > 0 {
		return list[0]
	}
	return nil
}

func (m *Model) removeBox(box overlay.Overlay) {
	switch box {
	case m.layers.offer:
		m.layers.offer = nil
	case m.layers.dialog:
		m.layers.dialog = nil
	case overlay.Overlay(m.layers.palette):
		m.layers.palette = nil
	}
}

func (m *Model) sendToTopBox(msg tea.Msg) tea.Cmd {
	box := m.topBox()
	cmd, done := box.Update(msg)
	m.closeIfDone(box, done)
	return cmd
}

func (m *Model) closeIfDone(box overlay.Overlay, done bool) {
	if done {
		m.removeBox(box)
		m.showNextPrompt()
	}
}

func (m *Model) cursor() *tea.Cursor {
	var c *tea.Cursor
	if box := m.topBox(); box != nil {
		c = box.Cursor()
	} else if p, ok := m.top().screen.(screen.CursorProvider); ok {
		c = widget.MoveCursor(p.Cursor(), 0, m.top().tabRows())
	}
	return widget.MoveCursor(c, 0, 1)
}
