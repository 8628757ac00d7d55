// This file is the root's Update: what it takes for itself, and what it gives
// to the screen in view.

package tui

import (
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// quitWithin is how soon ctrl+c has to be pressed again to quit.
const quitWithin = 2 * time.Second

// Update takes a message.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.finder.palette.Told(msg)
	cmd := m.hold.leaveWhenDone(m.update(msg))
	if next := m.tour.advance(); next != nil {
		cmd = tea.Batch(cmd, next)
	}
	return m, cmd
}

func (m *Model) update(msg tea.Msg) tea.Cmd {
	if m.toasts.Update(msg) || m.ofTerminal(msg) {
		return nil
	}
	if cmd, own := m.dialogs.ofConsole(msg); own {
		return cmd
	}
	switch msg := msg.(type) {
	case screen.LiveMsg:
		return m.compared(msg)
	case answeredMsg:
		return m.answered(msg)
	case outsideMsg:
		return msg.arrive(m)
	case leaveMsg:
		return m.hold.quit()
	case tea.KeyPressMsg:
		return m.press(msg)
	case tea.PasteMsg:
		if m.dialogs.dialog != nil {
			return m.dialogs.toDialog(msg)
		}
		if m.finder.palette != nil {
			return m.finder.toPalette(msg)
		}
		if m.help != nil {
			return nil
		}
		if cmd, taken := m.pasted(msg); taken {
			return cmd
		}
	case tea.MouseClickMsg:
		if msg.Button == tea.MouseLeft {
			return m.click(msg.X, msg.Y)
		}
		return nil
	case tea.MouseWheelMsg:
		return m.wheel(msg)
	case tea.MouseMsg, tea.KeyReleaseMsg:
		return nil
	case tea.FocusMsg, tea.BlurMsg: // It is about the terminal, whatever lies on top.
		return m.toScreen(msg)
	case screen.OpenMsg, screen.BackMsg, screen.SessionMsg, screen.EnterMsg, screen.NoticeMsg, screen.CopyMsg, screen.HandOverMsg:
		return m.asked(msg)
	}
	if m.dialogs.dialog != nil { // It is an answer: screens get theirs by their place.
		return m.dialogs.toDialog(msg)
	}
	if m.finder.palette != nil {
		return m.finder.toPalette(msg)
	}
	return m.toScreen(msg)
}

// ofTerminal takes what the terminal says about itself.
func (m *Model) ofTerminal(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.w, m.h = msg.Width, msg.Height
		m.arrange()
	case tea.BackgroundColorMsg:
		m.look.dark = msg.IsDark()
		m.look.restyle()
	case tea.EnvMsg:
		m.out.env = msg
		m.look.guessBackground(msg.Getenv("COLORFGBG"))
	case tea.ColorProfileMsg:
		m.look.profile = msg.Profile
		m.look.restyle()
	default:
		return false
	}
	return true
}

// guessBackground goes by what some terminals say in COLORFGBG ("0;15"): the
// last number is the background, 7 and 15 are light. The terminal's own answer
// counts more when it comes.
func (l *look) guessBackground(colours string) {
	at := strings.LastIndexByte(colours, ';')
	if at < 0 {
		return
	}
	l.dark = colours[at+1:] != "7" && colours[at+1:] != "15"
	l.restyle()
}

// toScreen gives a message to the screen in view.
func (m *Model) toScreen(msg tea.Msg) tea.Cmd {
	p := m.screens.top()
	return m.route(p, p.screen.Update(msg))
}

func (f *finder) toPalette(msg tea.Msg) tea.Cmd {
	cmd, done := f.palette.Update(msg)
	if done {
		f.palette = nil
	}
	return cmd
}

func (m *Model) press(msg tea.KeyPressMsg) tea.Cmd {
	name := msg.String()
	if name == "ctrl+c" {
		return m.interrupt()
	}
	if name == "ctrl+z" {
		return tea.Suspend
	}
	switch {
	case m.frame.tooSmall():
		if name == "q" {
			return m.hold.quit()
		}
		return nil
	case !isText(name) && m.dialogs.isShot(msg):
		return m.dialogs.openShot()
	case m.dialogs.dialog != nil:
		return m.dialogs.toDialog(msg)
	case m.finder.palette != nil:
		return m.finder.toPalette(msg)
	case m.help != nil:
		cmd, done := m.help.Update(msg)
		if done {
			m.help = nil
		}
		return cmd
	case !isText(name) && m.finder.asksPalette(msg):
		return m.finder.openPalette()
	case typing(m.screens.top().screen):
		return m.toScreen(msg)
	case name == "esc" && cancel(m.screens.top().screen):
		return m.after(m.screens.top())
	case m.tour.leavesTour(name):
		m.tour.endTour()
		return nil
	case name == "esc" && m.screens.atHome():
		return m.toScreen(msg)
	}
	if cmd, why, used := m.actions.Handle(msg); used {
		if why != "" {
			return m.say(widget.RoleInfo, why)
		}
		return cmd
	}
	if name == "esc" && !m.screens.atHome() {
		return m.screens.back() // Whatever keys the person gave to going back.
	}
	return m.toScreen(msg)
}

// asksPalette reports whether a key opens the palette, which works where text is
// typed too.
func (f *finder) asksPalette(msg tea.KeyPressMsg) bool {
	a, ok := f.m.actions.Named("palette")
	return ok && key.Matches(msg, a.Binding)
}

// interrupt cancels what runs; pressed twice it quits. A change that is being
// written is waited for.
func (m *Model) interrupt() tea.Cmd {
	now := m.o.Now()
	if !m.interrupted.IsZero() && now.Sub(m.interrupted) < quitWithin {
		return m.hold.quit()
	}
	m.interrupted = now
	switch {
	case m.dialogs.dialog != nil:
		m.dialogs.dialog.Leave()
		m.dialogs.closeDialog(true)
		return nil
	case m.finder.palette != nil || m.help != nil:
		m.finder.palette, m.help = nil, nil
		return nil
	case cancel(m.screens.top().screen):
		cmd, _ := m.hold.stay()
		return tea.Batch(cmd, m.after(m.screens.top()))
	}
	return m.say(widget.RoleInfo, "ctrl+c again quits")
}

func typing(s screen.Screen) bool {
	t, ok := s.(screen.Typer)
	return ok && t.Typing()
}

func cancel(s screen.Screen) bool {
	c, ok := s.(screen.Canceller)
	return ok && c.Cancel()
}

// after is what follows when the screen of a place was cancelled.
func (m *Model) after(p *place) tea.Cmd {
	if f, ok := p.screen.(screen.Follower); ok {
		return m.route(p, f.After())
	}
	return nil
}

// click gives a click to what lies on top. A click on the crumbs goes back.
func (m *Model) click(x, y int) tea.Cmd {
	switch {
	case m.frame.tooSmall():
		return nil
	case m.dialogs.dialog != nil:
		cmd, done := m.dialogs.dialog.Click(x, y-1)
		m.dialogs.closeDialog(done)
		return cmd
	case m.finder.palette != nil:
		cmd, done := m.finder.palette.Click(x, y-1)
		if done {
			m.finder.palette = nil
		}
		return cmd
	case m.help != nil:
		if _, done := m.help.Click(x, y-1); done {
			m.help = nil
		}
		return nil
	case y == 0:
		return m.frame.clickCrumb(x)
	case y == m.h-1:
		return nil
	}
	c, ok := m.screens.top().screen.(screen.Clicker)
	if !ok {
		return nil
	}
	return m.route(m.screens.top(), c.Click(x, y-1))
}

func (m *Model) wheel(msg tea.MouseWheelMsg) tea.Cmd {
	up := msg.Button == tea.MouseWheelUp
	if !up && msg.Button != tea.MouseWheelDown || m.frame.tooSmall() {
		return nil
	}
	switch {
	case m.dialogs.dialog != nil:
		m.dialogs.dialog.Wheel(up)
		return nil
	case m.finder.palette != nil:
		m.finder.palette.Wheel(up)
		return nil
	case m.help != nil:
		m.help.Wheel(up)
		return nil
	}
	c, ok := m.screens.top().screen.(screen.Clicker)
	if !ok {
		return nil
	}
	return m.route(m.screens.top(), c.Wheel(msg.X, msg.Y-1, up))
}
