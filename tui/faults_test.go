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

// maxReaction is the maximum time until a key has a visible effect.
const maxReaction = 100 * time.Millisecond

// pendingRequests counts pending requests.
type pendingRequests struct {
	next store.Doer
	open atomic.Int32
}

// Do implements store.Doer.
func (p *pendingRequests) Do(r *http.Request) (*http.Response, error) {
	p.open.Add(1)
	resp, err := p.next.Do(r)
	if err != nil {
		p.open.Add(-1)
		return nil, err
	}
	resp.Body = &observedBody{ReadCloser: resp.Body, onClose: sync.OnceFunc(func() { p.open.Add(-1) })}
	return resp, nil
}

// An observedBody is the body of an answer. The request is pending until the body is closed.
type observedBody struct {
	io.ReadCloser
	onClose func()
}

// Close implements io.Closer.
func (b *observedBody) Close() error {
	defer b.onClose()
	return b.ReadCloser.Close()
}

// addFaults puts a connection that can inject faults between a queueFixture and its store.
func addFaults(t *testing.T, w *queueFixture) (*faults.Connection, *pendingRequests) {
	t.Helper()
	line := faults.New(w.transport)
	f := &pendingRequests{next: line}
	conn, err := store.Connect(t.Context(), store.Options{Embedded: f})
	if err != nil {
		t.Fatal(err)
	}
	w.conn = conn
	return line, f
}

// advance advances the fake time and delivers the messages of that time.
func (s *stage) advance(d time.Duration) {
	timeout := time.After(d)
	for {
		select {
		case msg := <-s.answers:
			s.send(msg)
		case <-timeout:
			return
		}
	}
}

// faultKeys contains keys that start requests or close the top box.
var faultKeys = []string{
	"r", "n", "enter", "down", "space", "tab", "4", "5", "3", "enter", "a", "esc", "E", "enter", "esc", "Q", "r", "D",
	"enter", "J", "[", "/", "x", "esc", "e",
}

// quickPlaces contains the places that read without a key; a quick run uses only these.
var quickPlaces = []string{
	"home", "workbench", "rows", "rows/export", "palette", "item/overview", "item/timeline", "item/related", "change/plan",
	"queue", "queue/sweep", "requests", "drift", "journal",
}

// typicalFaults contains faults that look different on screens.
var typicalFaults = []string{
	"late", "hang", "hang after", "stalled body", "refused", "reset after", "cut answer", "no such host", "internal error", "throttled",
	"expired token", "access denied", "wrong clock", "log-in page",
}

// TestEveryScreenSurvivesEveryFault presses keys at every place during a fault. By default, it uses
// one fault at each of quickPlaces: a hang and the other typical faults in turn. DDBDESK_TEST_FAULTS=1 uses every
// typical fault at every place.
func TestEveryScreenSurvivesEveryFault(t *testing.T) {
	all := slices.DeleteFunc(faults.All(), func(f *faults.Fault) bool { return !slices.Contains(typicalFaults, f.Name) })
	for i, sc := range scenes() {
		list := []*faults.Fault{[]*faults.Fault{faults.Named("hang"), all[i%len(all)]}[i%2]}
		switch {
		case os.Getenv("DDBDESK_TEST_FAULTS") != "":
			list = all
		case !slices.Contains(quickPlaces, sc.name):
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
					line, under := addFaults(t, w)
					s := newStage(t, w)
					sc.open(s)
					s.advance(time.Second)
					line.Set(faults.Always(f))
					for _, key := range faultKeys {
						s.press(key)
						s.advance(maxReaction)
						checkFrameSize(t, s.m, key)
					}
					s.advance(time.Minute)
					checkFrameSize(t, s.m, "a minute")
					leave(t, s, under)
				})
			})
		}
	}
}

// leave quits the console, which must not wait, and fails if a request is still pending.
func leave(t *testing.T, s *stage, under *pendingRequests) {
	t.Helper()
	s.advance(maxQuitPause)
	s.press("ctrl+c")
	s.advance(maxReaction / 2)
	s.press("ctrl+c")
	s.advance(maxReaction / 2)
	if !s.m.exit.quitting {
		t.Errorf("ctrl+c twice did not quit; pending: %q", s.m.pendingWork())
	}
	s.m.close()
	time.Sleep(maxReaction)
	synctest.Wait()
	if n := under.open.Load(); n != 0 {
		t.Errorf("%d requests are still pending", n)
	}
	time.Sleep(24 * time.Hour) // Timers end; a leftover goroutine makes the bubble fail.
}
