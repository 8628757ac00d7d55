// This file is the watcher: a second process of the same program that waits beside
// a console until it ends. A program that the runtime or the system ends cannot put
// its terminal right any more; the watcher can.

package crash

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"time"
	"unicode"
)

// watchWord is the argument that makes the program the watcher. Nobody types it,
// and it says to who looks at the list of processes what this one is for.
const watchWord = "(puts the terminal right when ddbdesk breaks)"

// bye is the last that a program writes which ends in good order. The runtime
// writes no such byte.
const bye = 0

// byeWithin is how long the watcher is waited for.
const byeWithin = time.Second

// maxRead is the most of the runtime's text that is read.
const maxRead = 4 << 20

// Watches reports whether this process was started as a watcher.
func Watches(args []string) bool { return len(args) == 2 && args[1] == watchWord }

// order is the first line that a watcher reads.
type order struct {
	Dir     string
	Setting Setting
	Modes   []byte // of the terminal, before the console changed them
}

// Guard starts a watcher for the console that is about to take the terminal, and
// has the runtime write there what it writes when it ends the program. It is
// started when from is closed, so that it does not take processor time from the
// first frame, and the start is not waited for. The setting is asked for then. The
// returned function, called once the terminal is back to what it was, ends the
// watcher. Where none can be started there is none: it is a second net, not the
// first.
func Guard(terminal *os.File, dir string, setting func() Setting, from <-chan struct{}) (end func()) {
	modes, err := readModes(terminal)
	if err != nil {
		return func() {}
	}
	started, ended := make(chan *watcher, 1), make(chan struct{})
	Go("start the watcher", func() {
		defer close(started)
		select {
		case <-from:
		case <-ended:
			return
		}
		if w := startWatcher(terminal, order{dir, setting(), modes}); w != nil {
			started <- w
		}
	})
	return func() {
		close(ended)
		if w := <-started; w != nil {
			w.end()
		}
	}
}

// A watcher is the other process, and the way to it.
type watcher struct {
	process *exec.Cmd
	way     *os.File
}

// startWatcher returns nil when it cannot be started.
func startWatcher(terminal *os.File, o order) *watcher {
	program, err := os.Executable()
	if err != nil {
		return nil
	}
	pipe, way, err := os.Pipe()
	if err != nil {
		return nil
	}
	defer pipe.Close() //nolint:errcheck // The watcher has its own handle.
	w := &watcher{way: way, process: &exec.Cmd{
		Path: program, Args: []string{os.Args[0], watchWord}, Stdin: pipe, Stdout: terminal, Stderr: os.Stderr, SysProcAttr: apart(),
		Env: append(os.Environ(), "GOMAXPROCS=1"),
	}}
	if w.process.Start() != nil {
		_ = way.Close()
		return nil
	}
	debug.SetTraceback("all")
	if json.NewEncoder(way).Encode(o) != nil || debug.SetCrashOutput(way, debug.CrashOptions{}) != nil {
		w.end()
		return nil
	}
	return w
}

// end tells the watcher that all is well. One that is gone cannot be told, and
// needs not be.
func (w *watcher) end() {
	_, _ = w.way.Write([]byte{bye})
	_ = debug.SetCrashOutput(nil, debug.CrashOptions{})
	_ = w.way.Close()
	late := time.AfterFunc(byeWithin, func() { _ = w.process.Process.Kill() })
	_ = w.process.Wait()
	late.Stop()
}

// Watch is what a watcher does. It returns when the console has ended, and puts
// the terminal right when that was not in good order.
func Watch() {
	ignoreSignals()
	from := json.NewDecoder(os.Stdin)
	var o order
	if from.Decode(&o) != nil {
		return
	}
	text, err := io.ReadAll(io.LimitReader(io.MultiReader(from.Buffered(), os.Stdin), maxRead))
	text = bytes.TrimPrefix(text, []byte("\n")) // The end of the order's line.
	if err != nil || bytes.HasSuffix(text, []byte{bye}) {
		return
	}
	o.restore()
	fmt.Fprintln(os.Stderr, "ddbdesk: "+seen(o.said(string(text))))
}

// seen is a text without what a terminal would obey: the path of the crash file
// comes from the environment.
func seen(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, text)
}

// said is what became of a program that left such a text.
func (o order) said(text string) string {
	if text == "" {
		return "it was ended by force, or the system had no memory left. " + settled
	}
	f := &Failure{Report: Report{At: time.Now().UTC()}}
	f.Report.Kind, f.Report.Stacks = parse(text)
	f.File, f.Err = Write(o.Dir, o.Setting, f.Report)
	return f.Error()
}

// restore puts the terminal right: its modes first, so that what follows is not
// taken for input. A terminal that is gone takes neither.
func (o order) restore() {
	_ = writeModes(os.Stdout, o.Modes)
	_, _ = os.Stdout.WriteString(restored)
}

// restored takes back everything that the console asks of a terminal. What was not
// asked for does no harm.
const restored = "\x1b[?2026l" + // synchronized output
	"\x1b[>4m\x1b[<u" + // keys with modifiers
	"\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l" + // mouse
	"\x1b[?2004l\x1b[?1004l" + // pastes, focus
	"\x1b[0m\x1b[0 q" + // colours, shape of the cursor
	"\x1b[?1049l\x1b[?25h" + // the screen that was there before, and its cursor
	"\x1b[?2027l" + // widths by grapheme
	"\x1b]2;\x07\r\n" // title
