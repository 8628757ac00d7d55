package tui

import (
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/faults"
)

// atOnce is the maximum time until a key has a visible effect.
const atOnce = 100 * time.Millisecond

// flights counts pending requests.
type flights struct {
	next store.Doer
	open atomic.Int32
}

// Do implements store.Doer.
func (f *flights) Do(r *http.Request) (*http.Response, error) {
	f.open.Add(1)
	resp, err := f.next.Do(r)
	if err != nil {
		f.open.Add(-1)
		return nil, err
	}
	resp.Body = &observedBody{ReadCloser: resp.Body, landed: sync.OnceFunc(func() { f.open.Add(-1) })}
	return resp, nil
}

// An observedBody is the body of an answer. The request is pending until the body is closed.
type observedBody struct {
	io.ReadCloser
	landed func()
}

// Close implements io.Closer.
func (l *observedBody) Close() error {
	defer l.landed()
	return l.ReadCloser.Close()
}

// badLine puts a line that can inject faults between a queueFixture and its store.
func badLine(t *testing.T, w *queueFixture) (*faults.Line, *flights) {
	t.Helper()
	line := faults.New(w.line)
	f := &flights{next: line}
	conn, err := store.Connect(t.Context(), store.Options{Embedded: f})
	if err != nil {
		t.Fatal(err)
	}
	w.conn = conn
	return line, f
}

// pass advances the fake time and delivers the messages of that time.
func (s *stage) pass(d time.Duration) {
	over := time.After(d)
	for {
		select {
		case msg := <-s.answers:
			s.send(msg)
		case <-over:
			return
		}
	}
}

// pokes contains keys that start requests or close the top box.
var pokes = []string{
	"r", "n", "enter", "down", "space", "tab", "4", "5", "3", "enter", "a", "esc", "E", "enter", "esc", "Q", "r", "D",
	"enter", "J", "[", "/", "x", "esc", "e",
}

// asking contains the places that read without a key; a quick run uses only these.
var asking = []string{
	"home", "workbench", "rows", "rows/export", "palette", "item/overview", "item/timeline", "item/related", "change/plan",
	"queue", "queue/sweep", "requests", "drift", "journal",
}

// typical contains faults that look different on screens.
var typical = []string{
	"late", "hang", "hang after", "stalled body", "refused", "reset after", "cut answer", "no such host", "internal error", "throttled",
	"expired token", "access denied", "wrong clock", "log-in page",
}

// TestEveryScreenSurvivesEveryFault presses keys at every place during a fault. By default, it uses a hang and one
// other fault at the places in asking. DDBDESK_TEST_FAULTS=1 combines all faults and places.
func TestEveryScreenSurvivesEveryFault(t *testing.T) {
	all := slices.DeleteFunc(faults.All(), func(f *faults.Fault) bool { return !slices.Contains(typical, f.Name) })
	for i, sc := range scenes() {
		list := []*faults.Fault{[]*faults.Fault{faults.Named("hang"), all[i%len(all)]}[i%2]}
		switch {
		case os.Getenv("DDBDESK_TEST_FAULTS") != "":
			list = all
		case !slices.Contains(asking, sc.name):
			continue
		}
		for _, f := range list {
			t.Run(sc.name+"/"+f.Name, func(t *testing.T) {
				t.Chdir(t.TempDir()) // Exports go to the working directory.
				w := newHostileFixture(t)
				if strings.HasPrefix(sc.name, "requests") {
					w.putHostileRequests(t)
				}
				synctest.Test(t, func(t *testing.T) {
					w.t = t
					line, under := badLine(t, w)
					s := newStage(t, w)
					sc.way(s)
					s.pass(time.Second)
					line.Set(faults.Always(f))
					for _, key := range pokes {
						s.press(key)
						s.pass(atOnce)
						check(t, s.m, key)
					}
					s.pass(time.Minute)
					check(t, s.m, "a minute")
					leave(t, s, under)
				})
			})
		}
	}
}

// leave quits the console, which must not wait, and fails if a request is still pending.
func leave(t *testing.T, s *stage, under *flights) {
	t.Helper()
	s.pass(quitWithin)
	s.press("ctrl+c")
	s.pass(atOnce / 2)
	s.press("ctrl+c")
	s.pass(atOnce / 2)
	if !s.m.hold.quitting {
		t.Errorf("ctrl+c twice did not quit; held: %q", s.m.heldBack())
	}
	s.m.close()
	time.Sleep(atOnce)
	synctest.Wait()
	if n := under.open.Load(); n != 0 {
		t.Errorf("%d requests are still under way", n)
	}
	time.Sleep(24 * time.Hour) // Timers end; a leftover goroutine makes the bubble fail.
}
