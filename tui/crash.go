package tui

import (
	"context"
	"fmt"
	"reflect"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// crashTimeout is the maximum time between an internal error and the end of the program.
const crashTimeout = 2 * time.Second

// guardedModel wraps a model. If the model panics, guardedModel ends the program cleanly instead of crashing the
// process.
type guardedModel struct {
	tea.Model
}

// hasCrashed reports whether the model panicked. Its state is then unknown, so guardedModel no longer calls it.
func hasCrashed() bool {
	select {
	case <-crash.Crashed():
		return true
	default:
		return false
	}
}

func (g guardedModel) Init() (cmd tea.Cmd) {
	defer crash.CatchAs(g.activity("starts", nil))
	return guardCmd(g.Model.Init())
}

func (g guardedModel) Update(msg tea.Msg) (model tea.Model, cmd tea.Cmd) {
	if hasCrashed() {
		return g, tea.Quit
	}
	model, cmd = g, tea.Quit // result if the model panics
	defer crash.CatchAs(g.activity("takes", msg))
	next, nextCmd := g.Model.Update(msg)
	return guardedModel{next}, guardCmd(nextCmd)
}

func (g guardedModel) View() (v tea.View) {
	v.AltScreen = true // The program leaves the alternate screen when it exits.
	if hasCrashed() {
		return v
	}
	defer crash.CatchAs(g.activity("draws", nil))
	return g.Model.View()
}

// activity describes the step by type names only, so that a crash report contains no data.
func (g guardedModel) activity(method string, msg tea.Msg) func() string {
	return func() string {
		work := fmt.Sprintf("%T", g.Model)
		if m, ok := g.Model.(*Model); ok {
			work = fmt.Sprintf("%T", m.top().screen)
		}
		if result, ok := msg.(placeMsg); ok {
			msg = result.msg
		}
		if msg != nil {
			return fmt.Sprintf("%s %s %T", work, method, msg)
		}
		return work + " " + method
	}
}

func guardCmd(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer crash.Catch("a command of the console")
		msg = cmd()
		guardAll(msg)
		return msg
	}
}

// guardAll uses reflection because Bubble Tea does not export its sequence type.
func guardAll(msg tea.Msg) {
	list := reflect.ValueOf(msg)
	if list.Kind() != reflect.Slice || list.Type().Elem() != reflect.TypeFor[tea.Cmd]() {
		return
	}
	for i := range list.Len() {
		if cmd, ok := reflect.TypeAssert[tea.Cmd](list.Index(i)); ok {
			list.Index(i).Set(reflect.ValueOf(guardCmd(cmd)))
		}
	}
}

// runProgram runs the program and restores the terminal. After a panic it returns a *crash.Failure.
func runProgram(ctx context.Context, p *tea.Program) (err error) {
	ended := make(chan struct{})
	crash.Go("wait for a signal", func() { endWithContext(ctx, p, ended) })
	crash.Go("wait for a break", func() { quitAfterCrash(p, ended) })
	defer func() {
		if crash.Err() != nil {
			p.Kill() // Kill does nothing if the program has already ended.
			err = crash.Err()
		}
		close(ended)
	}()
	defer crash.Catch("the console's event loop")
	_, err = p.Run()
	return err
}

func quitAfterCrash(p *tea.Program, ended <-chan struct{}) {
	select {
	case <-ended:
		return
	case <-crash.Crashed():
	}
	crash.Go("end the console", p.Quit)
	select {
	case <-ended:
	case <-time.After(crashTimeout):
		p.Kill()
	}
}

// finish waits for the pending write and closes the screens. Both may panic if a screen already panicked.
func (m *Model) finish() (err error) {
	if err = m.external.files.remove(true); err != nil {
		err = fmt.Errorf("cannot remove the temporary copy: %w", err)
	}
	func() {
		defer crash.Catch("wait for a change")
		m.waitForWrites()
	}()
	defer crash.Catch("leave the screens")
	m.close()
	return err
}

// exitGuard keeps the program running while a write is pending.
type exitGuard struct {
	quitRequested bool // quit as soon as no write is pending
	quitting      bool
}

// exitTimeout is the maximum time between a signal and the end of the console. A session stops waiting for a commit
// much earlier.
const exitTimeout = 5 * time.Minute

// exitMsg asks the program to exit after a signal.
type exitMsg struct{}

func (m *Model) holders() []screen.Holder {
	var list []screen.Holder
	m.eachPlace(func(p *place) {
		if h, ok := p.screen.(screen.Holder); ok {
			list = append(list, h)
		}
	})
	return list
}

func (m *Model) pendingWork() string {
	for _, h := range m.holders() {
		if work := h.Holds(); work != "" {
			return work
		}
	}
	return ""
}

func (m *Model) blockIfPending() (cmd tea.Cmd, blocked bool) {
	work := m.pendingWork()
	if work == "" {
		return nil, false
	}
	return m.notify(widget.RoleWarn, work), true
}

func (m *Model) quit() tea.Cmd {
	if work := m.pendingWork(); work != "" {
		m.exit.quitRequested = true
		cancel(m.top().screen)
		return m.notify(widget.RoleWarn, "quitting after this: "+work)
	}
	m.exit.quitting = true
	return tea.Quit
}

func (m *Model) quitWhenDone(cmd tea.Cmd) tea.Cmd {
	if !m.exit.quitRequested || m.exit.quitting || m.pendingWork() != "" {
		return cmd
	}
	return tea.Batch(cmd, m.quit())
}

// waitForWrites runs after the program has ended.
func (m *Model) waitForWrites() {
	for _, h := range m.holders() {
		h.Wait()
	}
}

func endWithContext(ctx context.Context, p *tea.Program, ended <-chan struct{}) {
	select {
	case <-ended:
		return
	case <-ctx.Done():
	}
	crash.Go("ask the console to end", func() { p.Send(exitMsg{}) })
	select {
	case <-ended:
	case <-time.After(exitTimeout):
		p.Kill()
	}
}
