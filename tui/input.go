package tui

import (
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// input is the state for sending keys, clicks and pastes to the top overlay or screen.
type input struct {
	startedAt     time.Time // start of the program
	interruptedAt time.Time // time of the last ctrl+c
}

// startupWindow is the time after the start in which keys may arrive that the user pressed before the program read
// them.
const startupWindow = 2 * time.Second

// restoreEnter restores enter, which the terminal converted to a line feed before it entered raw mode.
func (m *Model) restoreEnter(msg tea.KeyPressMsg) tea.KeyPressMsg {
	if msg.String() == "ctrl+j" && time.Since(m.input.startedAt) < startupWindow {
		return tea.KeyPressMsg{Code: tea.KeyEnter}
	}
	return msg
}

// maxQuitPause is the maximum time between two presses of ctrl+c that quit the program.
const maxQuitPause = 2 * time.Second

// Update implements tea.Model.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	update := m.update
	if press, ok := msg.(tea.KeyPressMsg); ok {
		update = func(tea.Msg) tea.Cmd { return m.guardKey(press) }
	}
	cmd := m.quitWhenDone(update(msg))
	m.rebuildMenu()
	m.previewTheme(m.layers.palette.Theme())
	if next := m.offerUndo(); next != nil {
		cmd = tea.Batch(cmd, next)
	}
	if next := m.advanceTour(); next != nil {
		cmd = tea.Batch(cmd, next)
	}
	return m, cmd
}

func (m *Model) update(msg tea.Msg) tea.Cmd {
	if m.toasts.Update(msg) || m.handleTerminalMsg(msg) {
		return nil
	}
	if cmd, handled := m.handleRequest(m.top(), msg); handled {
		return cmd
	}
	switch msg := msg.(type) {
	case screen.ComparisonMsg:
		return m.setComparison(msg)
	case placeMsg:
		return m.handleAnswer(msg)
	case screen.Answer:
		return msg()
	case exitMsg:
		return m.quit()
	case tea.KeyPressMsg:
		return m.press(msg)
	case tea.PasteMsg:
		if m.topBox() != nil {
			return m.sendToTopBox(msg)
		}
		if cmd, handled := m.handlePaste(msg); handled {
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
	case tea.FocusMsg, tea.BlurMsg: // The screen receives terminal messages even below an overlay.
		return m.sendToScreen(msg)
	}
	if m.topBox() != nil { // Answers for screens arrive as placeMsg instead.
		return m.sendToTopBox(msg)
	}
	return m.sendToScreen(msg)
}

func (m *Model) handleTerminalMsg(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.w, m.h = msg.Width, msg.Height
		m.arrange()
	case tea.BackgroundColorMsg:
		m.appearance.dark = msg.IsDark()
		m.restyle()
	case tea.EnvMsg:
		m.external.env = msg
		m.guessBackground(msg.Getenv("COLORFGBG"))
	case tea.ColorProfileMsg:
		m.appearance.profile = msg.Profile
		m.restyle()
	default:
		return false
	}
	return true
}

// guessBackground reads COLORFGBG ("0;15"): a last 7 or 15 means light. The terminal's own answer overrides the guess.
func (m *Model) guessBackground(colors string) {
	at := strings.LastIndexByte(colors, ';')
	if at < 0 {
		return
	}
	m.appearance.dark = colors[at+1:] != "7" && colors[at+1:] != "15"
	m.restyle()
}

func (m *Model) sendToScreen(msg tea.Msg) tea.Cmd {
	p := m.top()
	return m.route(p, p.screen.Update(msg))
}

func (m *Model) press(msg tea.KeyPressMsg) tea.Cmd {
	msg = m.restoreEnter(withoutShift(msg))
	m.undo.onEntry = false // The user continues without undoing.
	if m.toasts.ClearInfo() {
		m.lastNotice = ""
	}
	name := msg.String()
	if name == "ctrl+c" {
		return m.interrupt()
	}
	if name == "ctrl+z" {
		return tea.Suspend
	}
	switch {
	case m.isTooSmall():
		return nil
	case m.topBox() != nil:
		return m.sendToTopBox(msg)
	case !widget.IsText(name) && m.opensPalette(msg):
		return m.openPalette()
	case readsKeyAsText(m.top().screen, name):
		return m.sendToScreen(msg)
	case name == "esc" && cancel(m.top().screen):
		return m.afterCancel(m.top())
	case name == "esc" && m.tour.active && !tourSteps[m.tour.step].usesEsc:
		m.endTour()
		return nil
	case name == "esc" && m.isAtHome():
		return m.sendToScreen(msg)
	}
	if i, ok := m.tabOf(name); ok {
		return m.switchToTab(i)
	}
	hasMenu := false // the screen has its own menu
	if a, ok := m.actions.Match(msg); ok && a.Name == "actions" {
		_, hasMenu = m.top().screen.Actions().Match(msg)
	}
	if hasMenu {
		return m.sendToScreen(msg)
	}
	if cmd, reason, used := m.actions.Handle(msg); used {
		if reason != "" {
			return m.notify(widget.RoleInfo, reason)
		}
		return cmd
	}
	if name == "esc" && !m.isAtHome() {
		return m.back() // esc goes back even if the user configured other keys for back.
	}
	return m.sendToScreen(msg)
}

// withoutShift ignores shift, which only the kitty protocol reports:
// https://sw.kovidgoyal.net/kitty/keyboard-protocol/.
func withoutShift(msg tea.KeyPressMsg) tea.KeyPressMsg {
	switch msg.Code {
	case tea.KeyBackspace, tea.KeyDelete, tea.KeyEnter, tea.KeyEscape, tea.KeySpace:
		msg.Mod &^= tea.ModShift
	}
	return msg
}

func (m *Model) opensPalette(msg tea.KeyPressMsg) bool {
	a, ok := m.actions.Named("palette")
	return ok && key.Matches(msg, a.Binding)
}

// interrupt cancels the running operation. A second ctrl+c quits the program after any pending write completes.
func (m *Model) interrupt() tea.Cmd {
	now := m.o.Now()
	if !m.input.interruptedAt.IsZero() && now.Sub(m.input.interruptedAt) < maxQuitPause {
		return m.quit()
	}
	m.input.interruptedAt = now
	switch box := m.topBox(); {
	case m.layers.offer == nil && m.layers.dialog != nil:
		overlay.Leave(box)
		m.closeIfDone(box, true)
		return nil
	case box != nil:
		m.removeBox(box)
		return nil
	case cancel(m.top().screen):
		cmd, _ := m.blockIfPending()
		return tea.Batch(cmd, m.afterCancel(m.top()))
	}
	return m.notify(widget.RoleInfo, "press ctrl+c again to quit")
}

func isTyping(s screen.Screen) bool {
	t, ok := s.(screen.Typer)
	return ok && t.Typing()
}

func readsKeyAsText(s screen.Screen, key string) bool {
	p, ok := s.(interface{ Passes(key string) bool })
	return isTyping(s) && (!ok || !p.Passes(key))
}

func cancel(s screen.Screen) bool {
	c, ok := s.(screen.Canceler)
	return ok && c.Cancel()
}

func (m *Model) afterCancel(p *place) tea.Cmd {
	if f, ok := p.screen.(screen.Follower); ok {
		return m.route(p, f.After())
	}
	return nil
}

func (m *Model) click(x, y int) tea.Cmd {
	switch box := m.topBox(); {
	case m.isTooSmall():
		return nil
	case box != nil:
		cmd, done := box.Click(x, y-1)
		m.closeIfDone(box, done)
		return cmd
	case y == 0:
		return m.clickCrumb(x)
	case y == m.h-1:
		return m.clickHint(x)
	}
	if s := m.top().tabs; s != nil && y == 1 {
		before := s.bar.Active
		if s.bar.Click(x) {
			clicked := s.bar.Active
			s.bar.Active = before
			return m.switchToTab(clicked)
		}
		return nil
	}
	c, ok := m.top().screen.(screen.Clicker)
	if !ok {
		return nil
	}
	return m.route(m.top(), c.Click(x, y-1-m.top().tabRows()))
}

func (m *Model) clickHint(x int) tea.Cmd {
	bar, _ := m.statusBar()
	a, ok := bar.Hit(m.w, x)
	if !ok || len(a.Binding.Keys()) == 0 {
		return nil
	}
	var cmds []tea.Cmd
	for key := range strings.FieldsSeq(a.Binding.Keys()[0]) {
		if msg, ok := widget.Press(key); ok {
			cmds = append(cmds, m.press(msg))
		}
	}
	return tea.Batch(cmds...)
}

func (m *Model) wheel(msg tea.MouseWheelMsg) tea.Cmd {
	up := msg.Button == tea.MouseWheelUp
	if !up && msg.Button != tea.MouseWheelDown || m.isTooSmall() {
		return nil
	}
	if box := m.topBox(); box != nil {
		overlay.Wheel(box, up)
		return nil
	}
	c, ok := m.top().screen.(screen.Clicker)
	if !ok {
		return nil
	}
	return m.route(m.top(), c.Wheel(msg.X, msg.Y-1-m.top().tabRows(), up))
}
