package tui

import (
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// input sends keys, clicks and pastes to the topmost overlay or screen.
type input struct {
	m *Model

	began       time.Time // when the program did
	interrupted time.Time // when ctrl+c was last pressed
}

// startsWithin is how long keys can arrive that were pressed before the program read the terminal.
const startsWithin = 2 * time.Second

// early corrects a key that was pressed before the program began: the terminal, which was not in raw mode yet, made a
// line feed of enter.
func (in *input) early(msg tea.KeyPressMsg) tea.KeyPressMsg {
	if msg.String() == "ctrl+j" && time.Since(in.began) < startsWithin {
		return tea.KeyPressMsg{Code: tea.KeyEnter}
	}
	return msg
}

// quitWithin is the time within which a second ctrl+c quits.
const quitWithin = 2 * time.Second

// Update implements tea.Model.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.o.Record.Observe(msg)
	m.layers.palette.Observe(msg)
	cmd := m.hold.leaveWhenDone(m.update(msg))
	m.look.try(m.layers.palette.Theme())
	if next := m.tour.advance(); next != nil {
		cmd = tea.Batch(cmd, next)
	}
	return m, cmd
}

func (m *Model) update(msg tea.Msg) tea.Cmd {
	if m.toasts.Update(msg) || m.input.ofTerminal(msg) {
		return nil
	}
	if cmd, own := m.dialogs.ofConsole(msg); own {
		return cmd
	}
	switch msg := msg.(type) {
	case screen.LiveMsg:
		return m.compared(msg)
	case answeredMsg:
		return m.router.answered(msg)
	case undoFoundMsg:
		return m.undo.found(msg)
	case outsideMsg:
		return msg.arrive(m)
	case leaveMsg:
		return m.hold.quit()
	case tea.KeyPressMsg:
		return m.input.press(msg)
	case tea.PasteMsg:
		if m.layers.top() != nil {
			return m.layers.take(msg)
		}
		if cmd, taken := m.input.pasted(msg); taken {
			return cmd
		}
	case tea.MouseClickMsg:
		if msg.Button == tea.MouseLeft {
			return m.input.click(msg.X, msg.Y)
		}
		return nil
	case tea.MouseWheelMsg:
		return m.input.wheel(msg)
	case tea.MouseMsg, tea.KeyReleaseMsg:
		return nil
	case tea.FocusMsg, tea.BlurMsg: // These concern the terminal, so the screen gets them even below an overlay.
		return m.input.toScreen(msg)
	case screen.OpenMsg, screen.BackMsg, screen.SessionMsg, screen.EnterMsg, screen.NoticeMsg, screen.CopyMsg, screen.HandOverMsg:
		return m.router.asked(msg)
	}
	if m.layers.dialog != nil || m.layers.palette != nil { // Answers for screens arrive as answeredMsg.
		return m.layers.take(msg)
	}
	return m.input.toScreen(msg)
}

func (in *input) ofTerminal(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		in.m.w, in.m.h = msg.Width, msg.Height
		in.m.arrange()
	case tea.BackgroundColorMsg:
		in.m.look.dark = msg.IsDark()
		in.m.look.restyle()
	case tea.EnvMsg:
		in.m.out.env = msg
		in.m.look.guessBackground(msg.Getenv("COLORFGBG"))
	case tea.ColorProfileMsg:
		in.m.look.profile = msg.Profile
		in.m.look.restyle()
	default:
		return false
	}
	return true
}

// guessBackground reads COLORFGBG ("0;15"): the last number is the background, 7 and 15 are light. The terminal's
// answer to a query replaces the guess.
func (l *look) guessBackground(colors string) {
	at := strings.LastIndexByte(colors, ';')
	if at < 0 {
		return
	}
	l.dark = colors[at+1:] != "7" && colors[at+1:] != "15"
	l.restyle()
}

func (in *input) toScreen(msg tea.Msg) tea.Cmd {
	p := in.m.screens.top()
	return in.m.router.route(p, p.screen.Update(msg))
}

func (in *input) press(msg tea.KeyPressMsg) tea.Cmd {
	msg = in.early(unshifted(msg))
	in.m.undo.entered = false // The user goes on.
	name := msg.String()
	if name == "ctrl+c" {
		return in.interrupt()
	}
	if name == "ctrl+z" {
		return tea.Suspend
	}
	switch {
	case in.m.frame.tooSmall():
		if name == "q" {
			return in.m.hold.quit()
		}
		return nil
	case !isText(name) && in.m.dialogs.isShot(msg):
		return in.m.dialogs.openShot()
	case in.m.layers.top() != nil:
		return in.m.layers.take(msg)
	case !isText(name) && in.m.finder.opensPalette(msg):
		return in.m.finder.openPalette()
	case takesText(in.m.screens.top().screen, name):
		return in.toScreen(msg)
	case name == "esc" && cancel(in.m.screens.top().screen):
		return in.after(in.m.screens.top())
	case in.m.tour.leavesTour(name):
		in.m.tour.endTour()
		return nil
	case name == "esc" && in.m.screens.atHome():
		return in.toScreen(msg)
	}
	if cmd, why, used := in.m.actions.Handle(msg); used {
		switch {
		case why != "" && in.m.screens.atHome() && in.m.home.Listing():
			in.m.home.Keep(msg)
			return nil
		case why != "":
			return in.m.say(widget.RoleInfo, why)
		}
		return cmd
	}
	if name == "esc" && !in.m.screens.atHome() {
		return in.m.screens.back() // esc goes back even if the user assigned other keys to back.
	}
	return in.toScreen(msg)
}

// unshifted drops shift from the keys that mean the same with it: only terminals with the protocol of kitty report it
// (https://sw.kovidgoyal.net/kitty/keyboard-protocol/).
func unshifted(msg tea.KeyPressMsg) tea.KeyPressMsg {
	switch msg.Code {
	case tea.KeyBackspace, tea.KeyDelete, tea.KeyEnter, tea.KeyEscape, tea.KeySpace:
		msg.Mod &^= tea.ModShift
	}
	return msg
}

func (f *finder) opensPalette(msg tea.KeyPressMsg) bool {
	a, ok := f.m.actions.Named("palette")
	return ok && key.Matches(msg, a.Binding)
}

// interrupt cancels the running operation, or quits when ctrl+c is pressed twice. A pending write is completed first.
func (in *input) interrupt() tea.Cmd {
	now := in.m.o.Now()
	if !in.interrupted.IsZero() && now.Sub(in.interrupted) < quitWithin {
		return in.m.hold.quit()
	}
	in.interrupted = now
	switch box := in.m.layers.top(); {
	case in.m.layers.dialog != nil:
		in.m.layers.dialog.Leave()
		in.m.layers.finished(box, true)
		return nil
	case box != nil:
		in.m.layers.closeAll()
		return nil
	case cancel(in.m.screens.top().screen):
		cmd, _ := in.m.hold.stay()
		return tea.Batch(cmd, in.after(in.m.screens.top()))
	}
	return in.m.say(widget.RoleInfo, "press ctrl+c again to quit")
}

func typing(s screen.Screen) bool {
	t, ok := s.(screen.Typer)
	return ok && t.Typing()
}

func takesText(s screen.Screen, key string) bool {
	p, ok := s.(interface{ Passes(key string) bool })
	return typing(s) && (!ok || !p.Passes(key))
}

func cancel(s screen.Screen) bool {
	c, ok := s.(screen.Canceller)
	return ok && c.Cancel()
}

func (in *input) after(p *place) tea.Cmd {
	if f, ok := p.screen.(screen.Follower); ok {
		return in.m.router.route(p, f.After())
	}
	return nil
}

func (in *input) click(x, y int) tea.Cmd {
	switch box := in.m.layers.top(); {
	case in.m.frame.tooSmall():
		return nil
	case box != nil:
		cmd, done := box.Click(x, y-1)
		in.m.layers.finished(box, done)
		return cmd
	case y == 0:
		return in.m.frame.clickCrumb(x)
	case y == in.m.h-1:
		return in.clickHint(x)
	}
	c, ok := in.m.screens.top().screen.(screen.Clicker)
	if !ok {
		return nil
	}
	return in.m.router.route(in.m.screens.top(), c.Click(x, y-1))
}

func (in *input) clickHint(x int) tea.Cmd {
	a, ok := in.m.frame.statusBar().Hit(in.m.w, x)
	if !ok || len(a.Binding.Keys()) == 0 {
		return nil
	}
	msg, ok := widget.Press(a.Binding.Keys()[0])
	if !ok {
		return nil
	}
	return in.press(msg)
}

func (in *input) wheel(msg tea.MouseWheelMsg) tea.Cmd {
	up := msg.Button == tea.MouseWheelUp
	if !up && msg.Button != tea.MouseWheelDown || in.m.frame.tooSmall() {
		return nil
	}
	if box := in.m.layers.top(); box != nil {
		box.Wheel(up)
		return nil
	}
	c, ok := in.m.screens.top().screen.(screen.Clicker)
	if !ok {
		return nil
	}
	return in.m.router.route(in.m.screens.top(), c.Wheel(msg.X, msg.Y-1, up))
}
