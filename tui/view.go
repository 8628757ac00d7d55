package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// frame draws the visible screen between the top bar and the status bar.
type frame struct {
	m *Model
}

// The minimum size of the terminal, in cells.
const (
	leastWidth  = 60
	leastHeight = 16
)

const app = "ddbdesk"

func (fr *frame) hintsShown() int {
	switch {
	case fr.m.w < 66:
		return 2
	case fr.m.w < 76:
		return 3
	}
	return 4
}

func (fr *frame) tooSmall() bool { return fr.m.w < leastWidth || fr.m.h < leastHeight }

// View implements tea.Model.
func (m *Model) View() tea.View {
	v := tea.NewView("")
	v.AltScreen = true
	if m.hold.quitting {
		return v // The program leaves the alternate screen when it ends.
	}
	v.WindowTitle = m.o.Signs.Draw(models.Printable(m.title()))
	_, v.ReportFocus = m.screens.top().screen.(screen.Watcher)
	if !m.mouseOff {
		v.MouseMode = tea.MouseModeCellMotion
	}
	switch {
	case m.w <= 0 || m.h <= 0:
	case m.frame.tooSmall():
		v.SetContent(m.signs(m.frame.viewSmall()))
	default:
		v.SetContent(m.signs(m.frame.viewAll()))
		v.Cursor = m.layers.cursor()
	}
	m.o.Record.Frame(v.Content, m.w, m.h, m.env != nil && !m.env.Session.Masker().Hides(models.PII))
	return v
}

func (m *Model) title() string {
	if m.detached() {
		return app
	}
	return app + " · " + m.env.Session.Profile().Name
}

// viewAll removes control characters, the last check before the terminal, a file or a picture.
func (fr *frame) viewAll() string { return models.SafeFrame(fr.compose()) }

func (fr *frame) compose() string {
	w, h := fr.m.body()
	view := func() string { return widget.Place(fr.m.screens.top().screen.View(), w, h) }
	body := fr.m.layers.draw(view, w, h)
	if !fr.covered() {
		above := &fr.m.toasts
		if _, _, ok := fr.notice(); ok {
			above = above.Older()
		}
		body = above.Over(fr.m.styles, body)
	}
	parts := []string{fr.topBar().Render(fr.m.styles, w), body}
	if fr.m.tour.on {
		parts = append(parts, fr.m.tour.view(w))
	}
	return widget.Rows(append(parts, fr.statusBar().Render(fr.m.styles, w))...)
}

func (fr *frame) topBar() widget.TopBar {
	bar := widget.TopBar{App: app}
	if fr.m.detached() {
		bar.Crumbs = []string{fr.m.screens.top().screen.Title()}
		bar.Detached = true
		bar.Context, bar.Mark = fr.m.dialogs.context, fr.m.look.contextColor(fr.m.dialogs.context)
		bar.Production = fr.m.dialogs.productionAhead()
		return bar
	}
	s := fr.m.env.Workspace
	bar.Crumbs = append(bar.Crumbs, s.Session.Profile().Name)
	for _, p := range fr.crumbs() {
		bar.Crumbs = append(bar.Crumbs, p.screen.Title())
	}
	target := s.Session.Target()
	bar.Context, bar.Region, bar.Who, bar.Role = s.Session.Context(), target.Region, fr.m.who(), string(s.Session.Role())
	if !s.Session.Masker().Hides(models.PII) {
		bar.Role += " · REVEALED"
	}
	if target.Embedded || target.Custom {
		bar.Endpoint = target.Endpoint
	}
	if target.Embedded {
		bar.Endpoint = "embedded"
	}
	purpose := s.Session.Purpose()
	bar.BreakGlass, purpose.BreakGlass = purpose.BreakGlass, false
	bar.Purpose = purpose.String()
	bar.Mark = fr.m.look.contextColor(s.Session.Context())
	bar.ReadOnly, bar.Production = s.Session.ReadOnly(), s.Session.Production()
	bar.Unclassified = s.Session.Stage() == session.Unclassified
	return bar
}

func (fr *frame) notice() (r widget.Role, text string, ok bool) {
	r, text, ok = fr.m.toasts.Last()
	return r, text, ok && (fr.covered() || models.Width(text) <= fr.m.w-2)
}

func (fr *frame) statusBar() widget.StatusBar {
	status := fr.m.screens.top().screen.Status()
	bar := widget.StatusBar{Facts: strings.Split(status, " · "), Role: widget.RoleText}
	if strings.HasPrefix(status, "✗") {
		bar.Role = widget.RoleBad
	}
	if role, text, ok := fr.notice(); ok {
		return widget.StatusBar{Facts: []string{text}, Role: role}
	}
	if fr.covered() {
		return bar
	}
	hints := fr.m.screens.top().screen.Actions()
	if h, ok := fr.m.screens.top().screen.(overlay.Hinter); ok {
		hints = h.Hints()
	}
	for _, a := range hints {
		if len(bar.Hints) < fr.hintsShown() && a.Desc != "" && a.Why() == "" {
			bar.Hints = append(bar.Hints, a)
		}
	}
	always := "help"
	if typing(fr.m.screens.top().screen) {
		always = "palette"
	}
	if a, ok := fr.m.actions.Named(always); ok && len(hints) > 0 {
		if always == "palette" {
			a.Binding = bind(whileTyping(a), whileTyping(a))
		}
		bar.Hints = append(bar.Hints, a)
	}
	if quit, ok := fr.m.actions.Named("quit"); ok && fr.m.screens.atHome() && always == "help" {
		bar.Hints = append(bar.Hints, quit)
	}
	if contexts, ok := fr.m.actions.Named("contexts"); ok && fr.m.screens.atHome() && always == "help" && contexts.Why() == "" {
		bar.Hints = append(bar.Hints, contexts)
	}
	return bar
}

func (fr *frame) covered() bool {
	b, ok := fr.m.screens.top().screen.(interface{ Boxed() bool })
	return fr.m.layers.top() != nil || ok && b.Boxed()
}

func whileTyping(a widget.Action) string {
	for _, k := range a.Binding.Keys() {
		if !isText(k) {
			return k
		}
	}
	return ""
}

func (fr *frame) viewSmall() string {
	text := fmt.Sprintf("ddbdesk needs at least %d×%d cells; this terminal has %d×%d", leastWidth, leastHeight, fr.m.w, fr.m.h)
	lines := widget.Wrap(fr.m.styles, widget.RoleText, text, fr.m.w)
	lines = append(lines, widget.Wrap(fr.m.styles, widget.RoleMuted, "Enlarge the window, or press q to quit", fr.m.w)...)
	return widget.Place(strings.Join(lines, "\n"), fr.m.w, fr.m.h)
}

func (fr *frame) clickCrumb(x int) tea.Cmd {
	i, ok := fr.topBar().CrumbAt(x, fr.m.w)
	switch {
	case !ok && fr.m.dialogs.noContexts() == "":
		return fr.m.dialogs.openContexts() // The click is on the connection.
	case !ok || fr.m.screens.atHome():
		return nil
	}
	if cmd, held := fr.m.hold.stay(); held {
		return cmd
	}
	if fr.m.detached() {
		return fr.m.screens.goHome()
	}
	if i < 1 {
		return fr.m.screens.goTo(fr.m.screens.stack[0])
	}
	list := fr.crumbs()
	return fr.m.screens.goTo(list[min(i-1, len(list)-1)])
}

func (fr *frame) crumbs() []*place {
	var list []*place
	for _, p := range fr.m.screens.stack[1:] {
		if n := len(list); n > 0 && list[n-1].screen.Title() == p.screen.Title() {
			list[n-1] = p
			continue
		}
		list = append(list, p)
	}
	return list
}
