//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/charmbracelet/x/vt"
	"golang.org/x/sys/unix"

	"github.com/ddbdesk/ddbdesk/tui/picture"
)

// quiet is how long a program must not draw for its screen to count as standing still.
const quiet = 250 * time.Millisecond

// terminal is a program on a pseudo-terminal, with an emulator that keeps its screen.
type terminal struct {
	w, h    int
	screen  *vt.SafeEmulator
	pty     *os.File
	program *exec.Cmd
	drawn   atomic.Int64 // When the program last wrote, in Unix nanoseconds.
}

// start runs a program on a terminal of w by h cells.
func start(ctx context.Context, w, h int, args []string) (*terminal, error) {
	pty, tty, err := openPTY(w, h)
	if err != nil {
		return nil, fmt.Errorf("open a pseudo-terminal: %w", err)
	}
	defer tty.Close() //nolint:errcheck // The program has its own handle.

	program := exec.CommandContext(ctx, args[0], args[1:]...)
	program.Stdin, program.Stdout, program.Stderr = tty, tty, tty
	program.Env = append(os.Environ(), "TERM=xterm-256color", "COLORTERM=truecolor")
	program.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := program.Start(); err != nil {
		return nil, errors.Join(err, pty.Close())
	}
	t := &terminal{w: w, h: h, screen: vt.NewSafeEmulator(w, h), pty: pty, program: program}
	t.screen.SetDefaultForegroundColor(picture.Dark.Ink)
	t.screen.SetDefaultBackgroundColor(picture.Dark.Paper)
	t.drawn.Store(time.Now().UnixNano())
	// Both copies end when the terminal is closed; what they return then says nothing else.
	go func() { _, _ = io.Copy(t, pty) }()
	go func() { _, _ = io.Copy(pty, t.screen) }()
	return t, nil
}

// openPTY returns both ends of a new pseudo-terminal.
func openPTY(w, h int) (pty, tty *os.File, err error) {
	pty, err = os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, pty.Close())
		}
	}()
	fd := int(pty.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		return nil, nil, err
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		return nil, nil, err
	}
	size := unix.Winsize{Row: uint16(h), Col: uint16(w)}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &size); err != nil {
		return nil, nil, err
	}
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	return pty, tty, err
}

// Write takes what the program draws.
func (t *terminal) Write(p []byte) (int, error) {
	t.drawn.Store(time.Now().UnixNano())
	return t.screen.Write(p)
}

// send types bytes. A pause after them keeps a lone escape from joining the next key.
func (t *terminal) send(bytes string) error {
	_, err := io.WriteString(t.pty, bytes)
	time.Sleep(80 * time.Millisecond)
	return err
}

// settle waits until the program has stopped drawing, at most two seconds: a spinner never stops.
func (t *terminal) settle() {
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); {
		rest := quiet - time.Since(time.Unix(0, t.drawn.Load()))
		if rest <= 0 {
			return
		}
		time.Sleep(rest)
	}
}

// svg draws the screen.
func (t *terminal) svg() []byte { return picture.SVG(t.screen, t.w, t.h, picture.Dark) }

// text returns the screen's lines.
func (t *terminal) text() string {
	var b strings.Builder
	for y := range t.h {
		for x := 0; x < t.w; {
			content, width := picture.Content(t.screen.CellAt(x, y))
			b.WriteString(content)
			x += width
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// close ends the program as a closed terminal window would.
func (t *terminal) close() error {
	err := t.program.Process.Signal(syscall.SIGHUP)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = t.program.Wait() // How it ends when it is ended does not matter.
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
	// Emulator.Close races with a Read; closing the pipe that Read waits on ends it as well.
	if answers, ok := t.screen.InputPipe().(io.Closer); ok {
		err = errors.Join(err, answers.Close())
	}
	return errors.Join(err, t.pty.Close())
}
