package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"golang.org/x/sys/unix"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/tui"
)

// testMarker represents item data in a panic.
const testMarker = "MARKER-omang-448211907"

func init() { programs["ddbdesk-breaks"] = runPanicking }

// runPanicking is the program with a console that panics after a key. DDBDESK_TEST_BREAK determines where.
func runPanicking() {
	testConsoleOptions = func(o *tui.Options) {
		o.Now = func() time.Time { // The console calls Now after ctrl+c.
			switch os.Getenv("DDBDESK_TEST_BREAK") {
			case "update":
				panic(errors.New(testMarker))
			case "goroutine":
				crash.Go("a test", func() { panic(testMarker) })
				<-crash.Crashed()
			}
			return time.Now()
		}
	}
	main()
}

// A terminalRun is the program on a pseudo-terminal.
type terminalRun struct {
	t       *testing.T
	pty     *os.File
	before  unix.Termios
	process *exec.Cmd
	state   string
	began   time.Time

	mu     sync.Mutex
	drawn  bytes.Buffer
	screen *vt.Emulator
	read   chan struct{}
}

// startOnTerminal starts a test program on a terminal of 100 by 30 cells.
func startOnTerminal(t *testing.T, env []string, program string, args ...string) *terminalRun {
	t.Helper()
	pty, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("requires pseudo-terminals: %v", err)
	}
	// SyscallConn keeps the file non-blocking, so that the test can close it during a read. Fd would not.
	raw, err := pty.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var number int
	var tty *os.File
	c := &terminalRun{t: t, pty: pty, state: t.TempDir(), read: make(chan struct{}), screen: vt.NewEmulator(100, 30)}
	if err := raw.Control(func(fd uintptr) {
		err = errors.Join(unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0),
			unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: 30, Col: 100}))
		number, _ = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
	}); err != nil {
		t.Fatal(err)
	}
	if tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	defer tty.Close() //nolint:errcheck // The program has its own handle.
	c.before = c.modes()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Fatal(err)
	}
	c.process = exec.Command(path, args...) //nolint:noctx // The test ends the process itself.
	c.process.Stdin, c.process.Stdout, c.process.Stderr = tty, tty, tty
	c.process.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	c.process.Env = append([]string{
		"TERM=xterm-256color", "HOME=" + c.state, "USER=tester", "PATH=" + os.Getenv("PATH"),
		"DDBDESK_STATE_DIR=" + c.state, "DDBDESK_CONFIG_DIR=" + c.state,
	}, env...)
	c.began = time.Now()
	if err := c.process.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, c.screen) }() // Closing it would race with reading.
	go func() {
		defer close(c.read)
		_, _ = io.Copy(c, pty) // It fails when the other side closes its last handle.
	}()
	t.Cleanup(func() {
		_ = c.process.Process.Kill()
		_ = pty.Close()
		<-c.read
	})
	return c
}

// Write receives the output of the program.
func (r *terminalRun) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, _ = r.screen.Write(p)
	return r.drawn.Write(p)
}

// shown returns the text on the screen.
func (r *terminalRun) shown() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.screen.String()
}

func (r *terminalRun) output() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.drawn.String()
}

// modes returns the termios modes.
func (r *terminalRun) modes() (modes unix.Termios) {
	r.t.Helper()
	raw, err := r.pty.SyscallConn()
	if err != nil {
		r.t.Fatal(err)
	}
	if cerr := raw.Control(func(fd uintptr) {
		var now *unix.Termios
		if now, err = unix.IoctlGetTermios(int(fd), unix.TCGETS); err == nil {
			modes = *now
		}
	}); cerr != nil || err != nil {
		r.t.Fatal(cerr, err)
	}
	return modes
}

// within waits until the condition is true, and fails the test after the limit.
func (r *terminalRun) within(limit time.Duration, subject string, condition func() bool) {
	r.t.Helper()
	for end := time.Now().Add(limit); !condition(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			r.t.Fatalf("%s did not appear within %v:\n%s\n%s", subject, limit, r.shown(), r.message())
		}
	}
}

func (r *terminalRun) until(text string) {
	r.t.Helper()
	r.within(20*time.Second, text, func() bool { return strings.Contains(r.shown(), text) })
}

func (r *terminalRun) press(keys string) {
	r.t.Helper()
	if _, err := r.pty.WriteString(keys); err != nil {
		r.t.Fatal(err)
	}
}

// end waits for the program and returns its exit code, or -1 after a signal.
func (r *terminalRun) end(limit time.Duration) int {
	r.t.Helper()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = r.process.Wait() // The state contains the result.
	}()
	select {
	case <-ended:
	case <-time.After(limit):
		r.t.Fatalf("the program did not end within %v:\n%s\n%s", limit, r.shown(), r.message())
	}
	return r.process.ProcessState.ExitCode()
}

// requireRestored fails unless the program restored the terminal.
func (r *terminalRun) requireRestored() {
	r.t.Helper()
	r.within(10*time.Second, "the restored terminal modes", func() bool { return r.modes() == r.before })
	pairs := []struct{ set, reset string }{
		{"\x1b[?1049h", "\x1b[?1049l"},
		{"\x1b[?25l", "\x1b[?25h"},
		{"\x1b[?1002h", "\x1b[?1002l"},
		{"\x1b[?1006h", "\x1b[?1006l"},
		{"\x1b[?2004h", "\x1b[?2004l"},
		{"\x1b[?1004h", "\x1b[?1004l"},
		{"\x1b[?2026h", "\x1b[?2026l"},
	}
	r.within(10*time.Second, "the reset of all private modes", func() bool {
		out := r.output()
		return !slices.ContainsFunc(pairs, func(p struct{ set, reset string }) bool {
			return strings.LastIndex(out, p.set) > strings.LastIndex(out, p.reset)
		})
	})
}

// message returns the output after the program left the alternate screen.
func (r *terminalRun) message() string {
	_, text, _ := cutLast(r.output(), "\x1b[?1049l")
	return text
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// crashReports returns the texts of the crash reports.
func (r *terminalRun) crashReports() []string {
	r.t.Helper()
	paths, err := filepath.Glob(filepath.Join(r.state, "crashes", "*"))
	if err != nil {
		r.t.Fatal(err)
	}
	var texts []string
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			r.t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	return texts
}

func TestConsolePanicRestoresTerminal(t *testing.T) {
	t.Parallel()
	for place, kind := range map[string]string{
		"update": "panic with a *errors.errorString", "goroutine": "panic with a string",
	} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			c := startOnTerminal(t, []string{"DDBDESK_TEST_BREAK=" + place}, "ddbdesk-breaks", "authbridge", "--embedded="+t.TempDir())
			c.until("authbridge")
			c.press("\x03")
			if code := c.end(10 * time.Second); code != cli.ExitOther {
				t.Errorf("exit %d, want %d", code, cli.ExitOther)
			}
			c.requireRestored()
			c.within(5*time.Second, "message about the crash", func() bool { return strings.Contains(c.message(), "journal resolve") })
			if message := c.message(); strings.Contains(message, testMarker) || !strings.Contains(message, "internal error ("+kind) {
				t.Errorf("got message %q, want an internal error without the marker", message)
			}
			files := c.crashReports()
			if len(files) != 1 || !strings.Contains(files[0], kind) || strings.Contains(files[0], testMarker) ||
				!strings.Contains(files[0], "goroutine ") || !strings.Contains(files[0], "xterm-256color, 100x30") {
				t.Errorf("want a crash report with a stack and the terminal, got %s", files)
			}
		})
	}
}

func TestSignalRestoresTerminal(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ready  string // text to wait for first, or ""
		keys   string
		then   string
		signal syscall.Signal
	}{
		"SIGTERM":                {"AuthBridge", "", "", syscall.SIGTERM},
		"SIGHUP":                 {"AuthBridge", "", "", syscall.SIGHUP},
		"SIGINT":                 {"AuthBridge", "", "", syscall.SIGINT},
		"SIGQUIT":                {"AuthBridge", "", "", syscall.SIGQUIT},
		"SIGTERM in a dialog":    {"needs Verification", "C", "", syscall.SIGTERM},
		"SIGTERM in the palette": {"needs Verification", ":", "Go to", syscall.SIGTERM},
		"SIGTERM at once":        {"", "", "", syscall.SIGTERM},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			con := startOnTerminal(t, nil, "ddbdesk", "authbridge", "--embedded="+t.TempDir())
			if c.ready != "" {
				con.until(c.ready)
			} else {
				con.within(20*time.Second, "a first byte", func() bool { return con.output() != "" })
			}
			con.press(c.keys)
			if c.then != "" {
				con.until(c.then)
			}
			if err := con.process.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			if code := con.end(5 * time.Second); code != cli.ExitInterrupted {
				t.Errorf("exit %d, want %d\n%q", code, cli.ExitInterrupted, con.message())
			}
			con.requireRestored()
			if files := con.crashReports(); len(files) > 0 {
				t.Errorf("got crash reports: %s", files)
			}
		})
	}
}

func TestHangupEndsConsole(t *testing.T) {
	t.Parallel()
	c := startOnTerminal(t, nil, "ddbdesk", "authbridge", "--embedded="+t.TempDir())
	c.until("AuthBridge")
	if err := c.pty.Close(); err != nil {
		t.Fatal(err)
	}
	c.end(5 * time.Second)
	if files := c.crashReports(); len(files) != 0 {
		t.Errorf("got crash reports: %s", files)
	}
}

// Only the owner can read the copy of an item in an editor. The console removes it however it ends, unless it is
// killed.
func TestSignalDuringEditRemovesCopy(t *testing.T) {
	t.Parallel()
	for _, end := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(end.String(), func(t *testing.T) {
			t.Parallel()
			signalWhileEditing(t, end)
		})
	}
}

func signalWhileEditing(t *testing.T, end syscall.Signal) {
	t.Helper()
	temp := t.TempDir()
	editor := filepath.Join(t.TempDir(), "editor")
	//nolint:gosec // The file must be executable.
	if err := os.WriteFile(editor, []byte("#!/bin/sh\necho editing\nexec sleep 60\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	c := startOnTerminal(t, []string{"EDITOR=" + editor, "TMPDIR=" + temp}, "ddbdesk", "demo", "--tour=false")
	c.until("AuthBridge")
	c.press("\r")
	c.until("needs verificationId")
	c.press("i")
	c.until("in_review")
	c.press("\r")
	c.until("read at")
	c.press("y")
	c.until("Copy")
	c.press("\x1b[C")
	c.until("editor")
	c.press("\x1b[B")
	c.press("\x1b[B")
	c.press("\r")
	c.until("editing")
	files, err := filepath.Glob(filepath.Join(temp, "ddbdesk-[0-9]*", "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the editor opened %q, want 1 file: %v", files, err)
	}
	for path, mode := range map[string]os.FileMode{files[0]: 0o600, filepath.Dir(files[0]): 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s has mode %v, want %v: %v", path, info.Mode(), mode, err)
		}
	}
	// An interrupt during editing is for the editor, so it does not end the console.
	if err := c.process.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond)
	if err := c.process.Process.Signal(syscall.Signal(0)); err != nil {
		t.Fatalf("ctrl+c in the editor ended the console: %v", err)
	}
	if err := c.process.Process.Signal(end); err != nil {
		t.Fatal(err)
	}
	c.end(5 * time.Second)
	c.requireRestored()
	if list, err := os.ReadDir(temp); err != nil || len(list) > 0 {
		t.Errorf("the temporary files %v are left, error %v", list, err)
	}
}

func TestSignalEndsConsoleWhileNetworkHangs(t *testing.T) {
	t.Parallel()
	silent, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close() //nolint:errcheck // The listener has no data to lose.
	c := startOnTerminal(t, []string{"AWS_ACCESS_KEY_ID=x", "AWS_SECRET_ACCESS_KEY=y", "AWS_REGION=us-east-1"},
		"ddbdesk", "authbridge", "--endpoint-url=http://"+silent.Addr().String())
	c.until("AuthBridge")
	c.press("\r")
	time.Sleep(200 * time.Millisecond)
	start := time.Now()
	if err := c.process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	c.end(5 * time.Second)
	if d := time.Since(start); d > 2*time.Second {
		t.Errorf("the console took %v to end, want at most 2s", d)
	}
	c.requireRestored()
}
