package crash

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"time"
	"unicode"

	"github.com/ddbdesk/ddbdesk/internal/crash/watcher"
)

// endTimeout bounds the wait for the watcher.
const endTimeout = time.Second

// instructions are the first line that a watcher reads.
type instructions struct {
	Dir     string
	Setting Setting
	Modes   []byte // of the terminal before the console changed them
}

// WatchTerminal starts a watcher: a second process of the program that restores the
// terminal and reports the crash if this process ends without doing so. The output of
// the Go runtime goes to the watcher.
//
// The watcher starts in the background; setting is called then. Call end after the
// terminal is restored. If the watcher cannot be started, the program runs without it.
func WatchTerminal(terminal *os.File, dir string, setting func() Setting) (end func()) {
	modes, err := readModes(terminal)
	if err != nil {
		return func() {}
	}
	started := make(chan *process, 1)
	Go("start the watcher", func() {
		defer close(started)
		if w := startWatcher(terminal, instructions{dir, setting(), modes}); w != nil {
			started <- w
		}
	})
	return func() {
		if w := <-started; w != nil {
			w.end()
		}
	}
}

// A process is the watcher, and the pipe to it.
type process struct {
	cmd  *exec.Cmd
	pipe *os.File
}

// startWatcher returns nil if the process cannot be started.
func startWatcher(terminal *os.File, o instructions) *process {
	program, err := os.Executable()
	if err != nil {
		return nil
	}
	stdin, pipe, err := os.Pipe()
	if err != nil {
		return nil
	}
	defer stdin.Close() //nolint:errcheck // the watcher has its own handle
	w := &process{pipe: pipe, cmd: &exec.Cmd{
		Path: program, Args: []string{os.Args[0], watcher.Argument}, Stdin: stdin, Stdout: terminal, Stderr: os.Stderr,
		SysProcAttr: ownGroup(),
		Env:         append(os.Environ(), "GOMAXPROCS=1"),
	}}
	// What the watcher needs waits in the pipe before there is a watcher: this program can be killed at any time. The
	// buffer of a pipe holds it (at least 4 KB by POSIX, 64 KB on Linux).
	debug.SetTraceback("all")
	if json.NewEncoder(pipe).Encode(o) == nil && debug.SetCrashOutput(pipe, debug.CrashOptions{}) == nil && w.cmd.Start() == nil {
		return w
	}
	_ = debug.SetCrashOutput(nil, debug.CrashOptions{})
	_ = pipe.Close()
	return nil
}

// end tells the watcher that the program ends normally, and waits for it. Errors mean
// that the watcher is gone.
func (w *process) end() {
	_, _ = w.pipe.Write([]byte{watcher.EndByte})
	_ = debug.SetCrashOutput(nil, debug.CrashOptions{})
	_ = w.pipe.Close()
	late := time.AfterFunc(endTimeout, func() { _ = w.cmd.Process.Kill() })
	_ = w.cmd.Wait()
	late.Stop()
}

// RunWatcher is the main function of a watcher whose console did not end normally. It
// restores the terminal.
func RunWatcher() {
	first, text, _ := bytes.Cut(watcher.Received(), []byte("\n"))
	var o instructions
	if json.Unmarshal(first, &o) != nil {
		return
	}
	o.restore()
	fmt.Fprintln(os.Stderr, "ddbdesk: "+visible(o.report(string(text))))
}

// visible replaces control characters, which the path of the report may contain
// because the environment sets it.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, text)
}

// report writes the report of a crash from the output of the runtime, and returns the
// message for the user.
func (o instructions) report(text string) string {
	if text == "" {
		return "killed, or out of memory; " + changesNote
	}
	f := &Failure{Report: Report{At: time.Now().UTC()}}
	f.Report.Kind, f.Report.Stacks = parse(text)
	f.File, f.Err = Write(o.Dir, o.Setting, f.Report)
	return f.Error()
}

// restore restores the terminal. Its modes come first, so that it does not echo what
// follows. Errors mean that the terminal is gone.
func (o instructions) restore() {
	_ = writeModes(os.Stdout, o.Modes)
	_, _ = os.Stdout.WriteString(resetSequence)
}

// resetSequence resets everything that the console sets in a terminal. Resetting what
// is not set has no effect.
const resetSequence = "\x1b[?2026l" + // synchronized output
	"\x1b[>4m\x1b[<u" + // keyboard enhancements
	"\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l" + // mouse
	"\x1b[?2004l\x1b[?1004l" + // bracketed paste, focus
	"\x1b[0m\x1b[0 q" + // colors, cursor shape
	"\x1b[?1049l\x1b[?25h" + // main screen, visible cursor
	"\x1b[?2027l" + // grapheme widths
	"\x1b]2;\x07\r\n" // title
