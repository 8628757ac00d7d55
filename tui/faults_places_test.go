package tui

import (
	"maps"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/testing/faults"
	"github.com/ddbdesk/ddbdesk/models"
)

// A readingPlace is a place that reads: the way to it, and the keys that start the read.
type readingPlace struct {
	name     string
	open     func(*stage)
	readKeys []string // keys that start the read
}

// readingPlaces returns the places that read. The timeline is read with its item; TestTimelineRetriesAfterErrorAndStop covers its failures.
func readingPlaces() []readingPlace {
	return []readingPlace{
		{name: "rows", open: toRows, readKeys: []string{"r"}},
		{name: "item", open: toItem, readKeys: []string{"ctrl+r"}},
		{name: "queue", open: inSequence(toWorkbench, pressing("in_review", "i")), readKeys: []string{"ctrl+r"}},
		{name: "drift", open: inSequence(toWorkbench, pressing("Search for", ":drift"), pressing("Search for drift?", "enter")), readKeys: []string{"tab", "enter"}},
		{name: "plan", open: inSequence(toItem, pressing("shows a plan first", "o"), pressing("enter show the plan", "enter")), readKeys: []string{"enter"}},
	}
}

// text returns the screen as one line, because boxes wrap their text.
func (s *stage) text() string {
	lines := strings.Split(ansi.Strip(s.m.View().Content), "\n")
	for i, line := range lines {
		lines[i] = strings.Join(strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" │┃╭╮╰╯─", r) }), " ")
	}
	return strings.Join(lines, " ")
}

// reopen closes the boxes over the place and opens the place again.
func (r readingPlace) reopen(s *stage) {
	s.press("esc")
	s.advance(queueGrace)
	s.press("esc")
	s.advance(queueGrace)
	s.feed(s.m.goHome())
	s.advance(queueGrace)
	r.open(s)
	s.advance(time.Second)
}

// atReadingPlaces runs a test at every place that reads, on a connection that can inject faults.
func atReadingPlaces(t *testing.T, run func(t *testing.T, r readingPlace, s *stage, line *faults.Connection, under *pendingRequests)) {
	for _, r := range readingPlaces() {
		t.Run(r.name, func(t *testing.T) {
			w := newQueueFixture(t, 8)
			w.put(8, "in_review", models.Item{"GSI1SK": models.StringValue("stale")})
			synctest.Test(t, func(t *testing.T) {
				w.t = t
				line, under := addFaults(t, w)
				s := newStage(t, w)
				r.open(s)
				s.advance(time.Second)
				run(t, r, s, line, under)
				leave(t, s, under)
			})
		})
	}
}

// Esc cancels a hanging request immediately and keeps the screen open.
func TestEscapeEndsHangingRequest(t *testing.T) {
	atReadingPlaces(t, func(t *testing.T, r readingPlace, s *stage, line *faults.Connection, under *pendingRequests) {
		for _, name := range []string{"hang", "hang after", "stalled body"} {
			line.Set(faults.Always(faults.Named(name)))
			s.press(r.readKeys...)
			s.advance(3 * time.Second)
			if under.open.Load() == 0 {
				t.Errorf("%s: no request arrived:\n%s", name, s.text())
			}
			if busy := s.text(); !strings.Contains(busy, "esc") {
				t.Errorf("%s: the screen lacks a hint for esc:\n%s", name, busy)
			}
			s.press("esc")
			s.advance(maxReaction)
			if n := under.open.Load(); n != 0 {
				t.Errorf("%s: %d requests are pending after esc:\n%s", name, n, s.text())
			}
			line.Set(nil)
			r.reopen(s)
		}
	})
}

// While a request is retried, the screen explains the wait.
func TestRetriesAreShown(t *testing.T) {
	atReadingPlaces(t, func(t *testing.T, r readingPlace, s *stage, line *faults.Connection, _ *pendingRequests) {
		for name, want := range map[string]string{"throttled": "throttled: attempt", "unavailable": "service: attempt"} {
			reported := false
			for range 4 { // The delays of retries are random, and may all be too short for a frame.
				line.Set(faults.Always(faults.Named(name)))
				s.press(r.readKeys...)
				for range 24 {
					s.advance(maxReaction)
					reported = reported || strings.Contains(s.text(), want)
				}
				text := s.text()
				line.Set(nil)
				r.reopen(s)
				if reported {
					break
				}
				t.Logf("%s: no report of the retry in:\n%s", name, text)
			}
			if !reported {
				t.Errorf("%s: no screen reports the retry", name)
			}
		}
	})
}

// The screen that sent the request describes its failure.
func TestFailuresAreShownWhereTheyHappen(t *testing.T) {
	atReadingPlaces(t, func(t *testing.T, r readingPlace, s *stage, line *faults.Connection, _ *pendingRequests) {
		failures := map[string]string{
			"refused": "connection refused", "stalled body": "the response stopped", "throttled": "throttled",
			"expired token": "credentials expired", "log-in page": "is not DynamoDB",
		}
		if os.Getenv("DDBDESK_TEST_FAULTS") != "" {
			maps.Copy(failures, map[string]string{
				"reset after": "the connection broke", "internal error": "unknown error", "access denied": "access denied",
				"no such host": "no such host",
			})
		}
		for name, want := range failures {
			line.Set(faults.Always(faults.Named(name)))
			s.press(r.readKeys...)
			s.advance(time.Minute)
			if got := s.text(); !strings.Contains(got, want) {
				t.Errorf("%s: the screen lacks the error:\n%s", name, ansi.Strip(s.m.View().Content))
			}
			line.Set(nil)
			r.reopen(s)
		}
	})
}
