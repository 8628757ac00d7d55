// Package tui is the console's root: it lays the screens out, routes keys,
// mouse and answers to them, and draws what is always there. What a screen
// shows and does is in package screens, the pieces are in package widget.
package tui

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/atotto/clipboard"

	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/tui/paint"
	"github.com/ddbdesk/ddbdesk/tui/screens/home"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// An Opener lists the profiles and connects the session of one. Both may wait:
// they are called off the screen's time.
type Opener = home.Opener

// Options are what the console is made of.
type Options struct {
	Opener  Opener
	Start   string // profile that is opened at once, "" for the home screen
	NoColor bool

	// Output is where the console is drawn, and what it lends to other programs; nil
	// is standard output.
	Output io.Writer
	// Drawn, when not nil, is called once something is seen: what can wait until
	// then does not keep a person waiting.
	Drawn func()
	// Now is the time of notices; nil is time.Now. Screens go by their session.
	Now func() time.Time
	// Context ends the requests of all screens and the programs that have the
	// terminal. Run sets it to its own; nil never ends.
	Context context.Context
	// Clipboard puts text on the clipboard of this machine, beside the
	// terminal's own way. Nil is the system's.
	Clipboard func(text string) error
	// Theme is the look to start with; the zero Theme is the default one.
	Theme widget.Theme
	// Signs are the characters that the terminal can show.
	Signs widget.Signs
	// NoMouse leaves the mouse to the terminal, until it is asked for.
	NoMouse bool
	// Questions are asked in a dialog, one after the other: what a connection
	// needs while it waits, such as the code of an MFA device. Nil asks none.
	Questions <-chan Question
	// Keys are the person's own keys; nil for none.
	Keys *widget.Keymap
	// Tour begins with the tour; TourSeen, when not nil, is called when it ended.
	Tour     bool
	TourSeen func()
	// Lent, when not nil, is told when another program gets the terminal, an editor
	// for one, and when it has given it back: ctrl+c is meant for that one.
	Lent func(lent bool)
	// Light starts with the colours of a light terminal, until the terminal
	// says what it is.
	Light bool
}

// modesPerSecond is how often Bubble Tea looks whether a mode of the terminal or
// its title has changed. Frames do not wait for that: see package paint.
const modesPerSecond = 30

// Run shows the console until it is left, or ctx ends: then it returns an error
// that wraps ctx's, or a part of it breaks: then the error is a *crash.Failure. It
// restores the terminal in any case, and it does not return while a change has no
// outcome yet.
func Run(ctx context.Context, o Options, opts ...tea.ProgramOption) error {
	o.Context = ctx
	m := New(o)
	screen := paint.New(os.Stdin, m.o.Output)
	defer m.tellDrawn(screen.Drawn())()
	opts = append(
		[]tea.ProgramOption{
			tea.WithOutput(screen.Output()), tea.WithoutSignalHandler(), tea.WithoutCatchPanics(),
			tea.WithFPS(modesPerSecond),
		},
		opts...,
	)
	err := perform(ctx, tea.NewProgram(screen.Model(guarded{m}), opts...))
	err = errors.Join(err, screen.Close())
	m.finish()
	if broke := crash.Err(); broke != nil {
		return broke
	}
	if ctx.Err() != nil {
		return errors.Join(ctx.Err(), err)
	}
	return err
}

// tellDrawn calls Drawn when something is drawn. The returned function ends the
// waiting for that.
func (m *Model) tellDrawn(drawn <-chan struct{}) (end func()) {
	if m.o.Drawn == nil {
		return func() {}
	}
	ended := make(chan struct{})
	crash.Go("wait for the first frame", func() {
		select {
		case <-drawn:
			m.o.Drawn()
		case <-ended:
		}
	})
	return func() { close(ended) }
}

func systemClipboard(text string) error { return clipboard.WriteAll(text) }
