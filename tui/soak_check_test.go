// This file says what must hold after everything that is done to the console.

package tui

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/internal/tuitest"
)

// answerWithin is how soon the console must have taken what it was sent.
const answerWithin = time.Second

// check looks at the console after a act.
func (w *soakWorld) check(d act) {
	w.whole()
	if _, ended := w.tt.Exited(); ended {
		return
	}
	began := time.Now()
	w.tt.Send(tea.KeyReleaseMsg{})
	if late := time.Since(began); late > answerWithin {
		w.tb.Fatalf("after %s a key is answered after %v", d, late)
	}
	w.seen[fmt.Sprintf("%T", w.m.top().screen)]++
	if w.m.held() != "" {
		w.seen["a change under way"]++
	}
	size := w.tt.Size()
	view := w.m.View().Content
	tuitest.Sound(w.tb, view, size.W, size.H)
	w.whole()
	for range 3 { // What moves by itself may move between the two looks.
		if y := w.differs(view); y < 0 {
			return
		}
		w.tt.Settle()
		view = w.m.View().Content
	}
	if y := w.differs(view); y >= 0 {
		w.tb.Fatalf("line %d of the terminal is %q, drawn was\n%s", y, w.tt.Line(y), ansi.Strip(view))
	}
}

// differs returns a line of the terminal that is not what the console drew, -1
// for none.
func (w *soakWorld) differs(view string) int {
	size := w.tt.Size()
	for y, want := range tuitest.Draw(view, size.W, size.H) {
		if w.tt.Line(y) != strings.TrimRight(want, " ") {
			return y
		}
	}
	return -1
}

// whole fails the run when anything broke.
func (w *soakWorld) whole() {
	var broke *crash.Failure
	if errors.As(crash.Err(), &broke) {
		text, err := os.ReadFile(broke.File)
		w.tb.Fatalf("%v\n%s", err, text)
	}
}

// rest is what the console needs when nothing is going on.
type rest struct {
	goroutines int
	heap       uint64
}

// How much more than at the beginning there may be: screens that can be gone
// forward to, and what they hold.
const (
	moreGoroutines = 12
	moreHeap       = 48 << 20
)

func measure() rest {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return rest{runtime.NumGoroutine(), m.HeapAlloc}
}

// rest leaves the console in peace and looks at what is left of its work.
func (w *soakWorld) rest() {
	w.network("good")
	if _, ended := w.tt.Exited(); ended {
		w.restart()
	}
	w.tt.Resize(100, 30)
	for range 12 {
		if _, ended := w.tt.Exited(); ended {
			w.restart()
		}
		w.tt.Press("esc")
	}
	w.tt.Advance(10 * time.Minute)
	w.check(act{what: "a rest"})
	now := measure()
	if now.goroutines > w.level.goroutines+moreGoroutines {
		stacks := make([]byte, 1<<20)
		w.tb.Fatalf("%d goroutines at rest, %d at the beginning:\n%s", now.goroutines, w.level.goroutines, stacks[:runtime.Stack(stacks, true)])
	}
	if now.heap > w.level.heap+moreHeap {
		w.tb.Fatalf("%d MB at rest, %d MB at the beginning", now.heap>>20, w.level.heap>>20)
	}
	if err := w.journalFaults(); err != nil {
		w.tb.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(w.temp, "*"))
	for _, f := range left {
		if base := filepath.Base(f); strings.HasPrefix(base, "ddbdesk-") && !strings.Contains(base, ".") || strings.Contains(base, ".tmp") {
			w.tb.Fatalf("a temporary file is left: %s", f)
		}
	}
	if err != nil {
		w.tb.Fatal(err)
	}
}
