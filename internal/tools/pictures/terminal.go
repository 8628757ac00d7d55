//go:build linux

package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/charmbracelet/x/vt"

	"github.com/ddbdesk/ddbdesk/internal/tools/pty"
)

// quietTime is the time without output after which a screen is complete.
const quietTime = 250 * time.Millisecond

// A terminal is a program on a pseudo-terminal whose screen is emulated.
type terminal struct {
	w, h       int
	colors     colors
	screen     *vt.SafeEmulator
	pty        *os.File
	program    *exec.Cmd
	lastOutput atomic.Int64 // time of the last output, in Unix nanoseconds
}

// start runs a program on a new terminal.
func start(ctx context.Context, c command) (*terminal, error) {
	controller, program, err := pty.Start(ctx, c.w, c.h, append(os.Environ(), "TERM=xterm-256color", "COLORTERM=truecolor"), c.args)
	if err != nil {
		return nil, err
	}
	t := &terminal{w: c.w, h: c.h, colors: c.colors, screen: vt.NewSafeEmulator(c.w, c.h), pty: controller, program: program}
	t.screen.SetDefaultForegroundColor(c.colors.Ink)
	t.screen.SetDefaultBackgroundColor(c.colors.Paper)
	t.lastOutput.Store(time.Now().UnixNano())
	// Both copies end when the terminal is closed.
	go func() { _, _ = io.Copy(t, controller) }()
	go func() { _, _ = io.Copy(controller, t.screen) }()
	return t, nil
}

// Write gets the output of the program.
func (t *terminal) Write(p []byte) (int, error) {
	t.lastOutput.Store(time.Now().UnixNano())
	return t.screen.Write(p)
}

// send sends bytes and pauses, to separate a lone escape from the next key.
func (t *terminal) send(bytes string) error {
	_, err := io.WriteString(t.pty, bytes)
	time.Sleep(80 * time.Millisecond)
	return err
}

// settle waits until the program stops drawing, but no more than two seconds, because a spinner never stops.
func (t *terminal) settle() {
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); {
		rest := quietTime - time.Since(time.Unix(0, t.lastOutput.Load()))
		if rest <= 0 {
			return
		}
		time.Sleep(rest)
	}
}

func (t *terminal) svg() []byte { return svgOf(t.screen, t.w, t.h, t.colors) }

func (t *terminal) text() string {
	var b strings.Builder
	for y := range t.h {
		for x := 0; x < t.w; {
			text, width := cellText(t.screen.CellAt(x, y))
			b.WriteString(text)
			x += width
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// close ends the program, as when a user closes the window.
func (t *terminal) close() error {
	err := t.program.Process.Signal(syscall.SIGHUP)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = t.program.Wait() // the exit status after a hangup is irrelevant
	}()
	select {
	case <-ended:
	case <-time.After(3 * time.Second):
		err = errors.Join(err, t.program.Process.Kill())
		<-ended
	}
	if errors.Is(err, os.ErrProcessDone) {
		err = nil
	}
	// Emulator.Close races with Read, so end the Read by closing its pipe.
	if input, ok := t.screen.InputPipe().(io.Closer); ok {
		err = errors.Join(err, input.Close())
	}
	return errors.Join(err, t.pty.Close())
}
