package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/testing/hostile"
	"github.com/ddbdesk/ddbdesk/models"
)

// onPage returns the rows of a page of thirty small cases, the first of which has
// further attributes.
func onPage(t testing.TB, further models.Item) *stage {
	w := newQueueFixture(t, 30)
	if further != nil {
		w.put(1, "in_review", further)
	}
	s := newStage(t, w)
	toRows(s)
	s.rest()
	return s
}

// A deed is something that a person does on a page of rows, beginning at its
// first row, and leaves again.
type deed struct {
	name    string
	do, end func(s *stage)
}

// presses presses keys one by one: none waits whether it is a part of a paste.
func presses(keys ...string) func(*stage) {
	return func(s *stage) {
		for _, k := range keys {
			s.m.guard.last = time.Time{}
			s.press(k)
			s.m.waited(guardMsg{s.m.guard.turn})
			_ = s.m.View()
		}
	}
}

func arrives(want string) func(*stage) { return func(s *stage) { s.until(want) } }

var deeds = []deed{
	{"cursor", presses("down", "up"), presses()},
	{"draw", presses("right", "left"), presses()},
	{"value", presses("v", "r"), presses("esc")},
	{"graph", presses("v", "g"), presses("esc")},
	{"sort", ways(presses("s"), arrives("order of the result")), presses("esc")},
	{"columns", presses("v", "c"), presses("esc")},
	{"filter", ways(presses("/", "~"), arrives(" with ~")), ways(presses("esc"), arrives("30 items"))},
	{"take", presses("y"), presses("esc")},
	{"item", ways(presses("enter"), arrives("read at")), func(s *stage) {
		s.backToRows() // The first esc only stops what is counted in passing.
	}},
}

// least is the shortest of a few times.
func least(s *stage, d deed) time.Duration {
	best := time.Hour
	for range 3 { // leaving an item waits for what is counted in passing, in real time
		began := time.Now()
		d.do(s)
		best = min(best, time.Since(began))
		d.end(s)
		if len(s.m.screens.stack) != 2 || s.m.boxed() {
			s.t.Fatalf("%s does not lead back:\n%s", d.name, ansi.Strip(s.m.View().Content))
		}
	}
	return best
}

// BenchmarkLargeItem says how many times longer each deed takes on a page whose
// first item is large than on a page of small ones.
func BenchmarkLargeItem(b *testing.B) {
	for name, it := range map[string]models.Item{
		"string":    hostile.Huge(350 << 10),
		"300":       hostile.Attributes(300),
		"documents": hostile.Documents(1500),
	} {
		small, large := onPage(b, nil), onPage(b, it) // each deed leaves them as it found them
		for _, d := range deeds {
			b.Run(name+"/"+strings.ReplaceAll(d.name, " ", "-"), func(b *testing.B) {
				for b.Loop() {
					a, z := least(small, d), least(large, d)
					b.ReportMetric(float64(z)/float64(a), "x-small")
					b.ReportMetric(z.Seconds()*1000, "ms")
				}
			})
		}
	}
}
