// This file draws the root: the bars, the screen in view, and what lies over
// it.

package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// The smallest terminal in which a screen can be read.
const (
	leastWidth  = 60
	leastHeight = 16
)

const app = "ddbdesk"

// hintsShown is how many of a screen's keys the bottom line names, so that the
// key of the help is always among them.
func (m *Model) hintsShown() int {
	switch {
	case m.w < 66:
		return 2
	case m.w < 76:
		return 3
	}
	return 4
}

func (m *Model) tooSmall() bool { return m.w < leastWidth || m.h < leastHeight }

// View draws the whole terminal.
func (m *Model) View() tea.View {
	v := tea.NewView("")
	v.AltScreen = true
	if m.quitting {
		return v // The program leaves the alternate screen when it ends.
	}
	v.WindowTitle = m.o.Signs.Draw(models.Printable(m.title()))
	_, v.ReportFocus = m.top().screen.(screen.Watcher)
	if !m.mouseOff {
		v.MouseMode = tea.MouseModeCellMotion
	}
	switch {
	case m.w <= 0 || m.h <= 0:
	case m.tooSmall():
		v.SetContent(m.signs(m.viewSmall()))
	default:
		v.SetContent(m.signs(m.viewAll()))
		v.Cursor = m.cursor()
	}
	return v
}

// title is the window's.
func (m *Model) title() string {
	if m.detached() {
		return app
	}
	return app + " · " + m.env.Session.Profile().Name
}

// viewAll is the frame behind its fence: the last place before the terminal, a
// file or a picture.
func (m *Model) viewAll() string { return models.FenceFrame(m.compose()) }

// compose draws bars, screen and what lies over it.
func (m *Model) compose() string {
	w, h := m.body()
	screen := func() string { return m.overTour(widget.Place(m.top().screen.View(), w, h), w, h) }
	var body string
	switch {
	case m.palette != nil:
		body = m.palette.OverLive(screen, w, h)
	case m.help != nil:
		body = m.help.Over(m.styles, screen(), w, h)
	default:
		body = screen()
	}
	if m.dialog != nil {
		body = m.dialog.Over(m.styles, body, w, h)
	}
	body = m.toasts.Over(m.styles, body)
	return widget.Rows(m.topBar().Render(m.styles, w), body, m.statusBar().Render(m.styles, w))
}

func (m *Model) topBar() widget.TopBar {
	bar := widget.TopBar{App: app}
	if m.detached() {
		bar.Crumbs = []string{m.top().screen.Title()}
		bar.Detached = true
		bar.Context, bar.Mark = m.context, m.colour(m.context)
		bar.Production = m.productionAhead()
		return bar
	}
	s := m.env.Session
	bar.Crumbs = append(bar.Crumbs, s.Profile().Name)
	for _, p := range m.stack[1:] {
		bar.Crumbs = append(bar.Crumbs, p.screen.Title())
	}
	target := s.Target()
	bar.Context, bar.Region, bar.Who, bar.Role = s.Context(), target.Region, m.who(), string(s.Role())
	if !s.Masker().Hides(models.PII) {
		bar.Role += " · REVEALED"
	}
	if target.Embedded || target.Custom {
		bar.Endpoint = target.Endpoint
	}
	if target.Embedded {
		bar.Endpoint = "embedded"
	}
	bar.Mark = m.colour(s.Context())
	bar.ReadOnly, bar.Production = s.ReadOnly(), s.Production()
	return bar
}

func (m *Model) statusBar() widget.StatusBar {
	status := m.top().screen.Status()
	bar := widget.StatusBar{Facts: strings.Split(status, " · "), Role: widget.RoleText}
	if strings.HasPrefix(status, "✗") {
		bar.Role = widget.RoleBad
	}
	if m.dialog != nil || m.palette != nil || m.help != nil {
		return bar
	}
	hints := m.top().screen.Actions()
	if h, ok := m.top().screen.(overlay.Hinter); ok {
		hints = h.Hints()
	}
	for _, a := range hints {
		if len(bar.Hints) < m.hintsShown() && a.Desc != "" && a.Why() == "" {
			bar.Hints = append(bar.Hints, a)
		}
	}
	always := "help"
	if typing(m.top().screen) {
		always = "palette"
	}
	if a, ok := m.actions.Named(always); ok && len(hints) > 0 {
		if always == "palette" {
			a.Binding = bind(whileTyping(a))
		}
		bar.Hints = append(bar.Hints, a)
	}
	if quit, ok := m.actions.Named("quit"); ok && m.atHome() {
		bar.Hints = append(bar.Hints, quit)
	}
	if contexts, ok := m.actions.Named("contexts"); ok && m.atHome() && contexts.Why() == "" {
		bar.Hints = append(bar.Hints, contexts)
	}
	return bar
}

// whileTyping is the key of an action that works where text is typed, "" for
// none.
func whileTyping(a widget.Action) string {
	for _, k := range a.Binding.Keys() {
		if !isText(k) {
			return k
		}
	}
	return ""
}

// viewSmall says that there is not enough room.
func (m *Model) viewSmall() string {
	text := fmt.Sprintf("ddbdesk needs %d×%d cells, here are %d×%d", leastWidth, leastHeight, m.w, m.h)
	lines := widget.Wrap(m.styles, widget.RoleText, text, m.w)
	lines = append(lines, widget.Wrap(m.styles, widget.RoleMuted, "make the window larger, or press q to quit", m.w)...)
	return widget.Place(strings.Join(lines, "\n"), m.w, m.h)
}

// cursor is the terminal's cursor where text is typed.
func (m *Model) cursor() *tea.Cursor {
	var c *tea.Cursor
	switch {
	case m.dialog != nil:
		c = m.dialog.Cursor()
	case m.palette != nil:
		c = m.palette.Cursor()
	case m.help != nil:
	default:
		if p, ok := m.top().screen.(screen.Pointer); ok {
			c = p.Cursor()
		}
	}
	if c == nil {
		return nil
	}
	at := *c
	at.Y++
	return &at
}
