//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/tools/pty"
)

const (
	width, height = 120, 40
	// maxWait is the timeout for any response of a program.
	maxWait = 5 * time.Minute
	// quietTime is the time without output after which a frame is complete.
	quietTime = 40 * time.Millisecond
)

// A chunk is the output of one read from the terminal.
type chunk struct {
	at   time.Time
	text []byte
}

// A program runs on a terminal that does not reply to queries.
type program struct {
	controller *os.File
	cmd        *exec.Cmd
	started    time.Time
	chunks     chan chunk // closed when the terminal is closed
}

// environment returns the environment that all programs get, with a temporary home directory.
func environment(home string) []string {
	env := []string{
		"PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8", "HOME=" + home,
		"XDG_STATE_HOME=" + filepath.Join(home, "state"), "XDG_CONFIG_HOME=" + filepath.Join(home, "config"),
		"AWS_EC2_METADATA_DISABLED=true",
	}
	for _, name := range []string{"GODEBUG", "GOGC", "GOMEMLIMIT", "GOTRACEBACK"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

func start(ctx context.Context, home string, args []string) (*program, error) {
	p := &program{started: time.Now(), chunks: make(chan chunk, 4096)}
	var err error
	if p.controller, p.cmd, err = pty.Start(ctx, width, height, environment(home), args); err != nil {
		return nil, err
	}
	go p.read()
	return p, nil
}

func (p *program) read() {
	defer close(p.chunks)
	buf := make([]byte, 1<<16)
	for {
		n, err := p.controller.Read(buf)
		if n > 0 {
			p.chunks <- chunk{time.Now(), append([]byte(nil), buf[:n]...)}
		}
		if err != nil {
			return // the terminal is closed
		}
	}
}

// press sends keys and returns the current time.
func (p *program) press(keys string) (time.Time, error) {
	at := time.Now()
	_, err := p.controller.WriteString(keys)
	return at, err
}

// next waits at most for limit. It returns false in ok if there is no output.
func (p *program) next(limit time.Duration) (c chunk, ok bool, err error) {
	select {
	case c, ok = <-p.chunks:
		if !ok {
			return c, false, errors.New("the program has ended")
		}
		return c, true, nil
	case <-time.After(limit):
		return c, false, nil
	}
}

// await waits for text in new output, ignoring its colors, and returns the time when the text was complete.
func (p *program) await(text *regexp.Regexp) (time.Time, error) {
	var seen []byte
	for end := time.Now().Add(maxWait); time.Now().Before(end); {
		c, ok, err := p.next(time.Second)
		if err != nil {
			return c.at, fmt.Errorf("%w while waiting for %s: %q", err, text, tail(seen))
		}
		if !ok {
			continue
		}
		seen = append(seen, c.text...)
		if text.MatchString(ansi.Strip(string(seen))) {
			return c.at, nil
		}
		// Keep the last 128 KB: a text is complete within a few frames.
		seen = seen[max(0, len(seen)-1<<17):]
	}
	return time.Time{}, fmt.Errorf("no %[2]s within %[1]v: %[3]q", maxWait, text, tail(seen))
}

func tail(seen []byte) string {
	text := ansi.Strip(string(seen))
	return text[max(0, len(text)-500):]
}

// awaitQuiet reads output until it stops, and returns the number of bytes and the time of the last one.
func (p *program) awaitQuiet(quiet time.Duration) (bytes int, last time.Time, err error) {
	for {
		c, ok, err := p.next(quiet)
		if err != nil || !ok {
			return bytes, last, err
		}
		bytes, last = bytes+len(c.text), c.at
	}
}

// usage returns the program's processor time and memory.
func (p *program) usage() (cpu time.Duration, rss int64, err error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return 0, 0, err
	}
	// The name in parentheses may contain spaces. The third field follows it. In proc(5), fields 14 and 15 are clock
	// ticks of 10 ms, and field 24 is a number of pages.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	number := func(field int) int64 {
		n, parseErr := strconv.ParseInt(fields[field-3], 10, 64)
		err = errors.Join(err, parseErr)
		return n
	}
	cpu = time.Duration(number(14)+number(15)) * 10 * time.Millisecond
	return cpu, number(24) * int64(os.Getpagesize()), err
}

// end hangs up the terminal, like closing its window.
func (p *program) end() error {
	err := p.cmd.Process.Signal(syscall.SIGHUP)
	if errors.Is(err, os.ErrProcessDone) {
		err = nil
	}
	killTimer := time.AfterFunc(3*time.Second, func() { _ = p.cmd.Process.Kill() })
	defer killTimer.Stop()
	go func() {
		for range p.chunks { // unread output would block the program
			continue
		}
	}()
	_ = p.cmd.Wait() // the exit status after a hangup is irrelevant
	return errors.Join(err, p.controller.Close())
}
