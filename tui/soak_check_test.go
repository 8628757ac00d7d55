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

	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
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
	now := w.look()
	if late := time.Since(began); late > answerWithin {
		w.tb.Fatalf("after %s a key is answered after %v", d, late)
	}
	if w.whole(); now.view == "" && w.m.hold.quitting {
		return
	}
	w.seen[now.screen]++
	if now.held {
		w.seen["a change under way"]++
	}
	size := w.tt.Size()
	tuitest.Sound(w.tb, now.view, size.W, size.H)
	w.tt.Faithful()
	w.whole()
}

// A sight is what the console shows, and where it is.
type sight struct {
	view, screen string
	held         bool
}

// watched is the console with somebody who asks it for a sight, between two
// messages: nobody else may look into it while it runs.
type watched struct {
	tea.Model
	m *Model
}

type lookMsg struct{ at *sight }

// Update implements tea.Model.
func (w watched) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if look, ok := msg.(lookMsg); ok {
		*look.at = sight{w.Model.View().Content, fmt.Sprintf("%T", w.m.top().screen), w.m.heldBack() != ""}
		return w, nil
	}
	next, cmd := w.Model.Update(msg)
	return watched{next, w.m}, cmd
}

// look asks for a sight.
func (w *soakWorld) look() (now sight) {
	w.tt.Send(lookMsg{&now})
	return now
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
	moreGoroutines = 4
	moreHeap       = 32 << 20
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
	w.last = now
	if now.goroutines > w.level.goroutines+moreGoroutines {
		stacks := make([]byte, 1<<20)
		w.tb.Fatalf(
			"%d goroutines at rest, %d at the beginning:\n%s", now.goroutines, w.level.goroutines,
			stacks[:runtime.Stack(stacks, true)],
		)
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
