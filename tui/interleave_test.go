package tui

import (
	"flag"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/testing/hostile"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
)

// These flags select the runs of TestInterleavings, or the one run to repeat.
var (
	interleaveRuns = flag.Int("interleave.runs", 20, "the last run of TestInterleavings")
	interleaveFrom = flag.Uint64("interleave.from", 1, "the first run of TestInterleavings, to continue after others")
	interleaveSeed = flag.Uint64("interleave.seed", 0, "repeat one run of TestInterleavings")
)

// interleaveSteps is the number of steps in a run.
const interleaveSteps = 60

// TestInterleavings performs the actions of a user of each role and of the environment in any order: keys, clicks, the
// wheel, timers, late answers, and changes by others. Regardless of the order:
//
//   - the confirmed dialog names every write, and only an admin writes,
//   - the journal is valid, and contains each write,
//   - nothing panics, and every frame has the size of the terminal,
//   - one pane has the focus, and the active text input is visible,
//   - pressing esc five times closes everything that is open,
//   - lists never show an item's state from before a change that was shown as done.
//
// Repeat a failing run with -interleave.seed.
func TestInterleavings(t *testing.T) { //nolint:tparallel // The working folder belongs to the process.
	t.Chdir(t.TempDir()) // Exports go there.
	if *interleaveSeed != 0 {
		interleave(t, *interleaveSeed, new(atomic.Int64))
		return
	}
	runs := *interleaveRuns
	if testing.Short() {
		runs = min(runs, 10)
	}
	// The runs are divided among the processors. Each run has its own subtest, which closes its store.
	var next atomic.Uint64
	next.Store(*interleaveFrom - 1)
	var queued atomic.Int64
	t.Cleanup(func() {
		if runs >= 20 && queued.Load() == 0 {
			t.Error("no run checked a queue after a change")
		}
	})
	for worker := range runtime.GOMAXPROCS(0) {
		t.Run(strconv.Itoa(worker), func(t *testing.T) {
			t.Parallel()
			for seed := next.Add(1); seed <= uint64(runs) && !t.Failed(); seed = next.Add(1) {
				t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) { interleave(t, seed, &queued) })
			}
		})
	}
}

// interleave performs one run. It counts in queued the states that it checks on queues.
func interleave(t *testing.T, seed uint64, queued *atomic.Int64) {
	t.Helper()
	d := newInterleaving(t, seed)
	d.queued = queued
	synctest.Test(t, func(t *testing.T) {
		d.w.t = t
		defer func() {
			if p := recover(); p != nil {
				t.Errorf("seed %d: %v after\n%s\n%s", seed, p, strings.Join(d.trace, "\n"), d.frame)
			}
			d.end()
		}()
		d.start()
		for range interleaveSteps {
			if d.m.exit.quitting {
				break
			}
			d.step()
			d.check()
		}
		d.leave()
		d.checkJournal()
	})
}

// startKeys contains the initial keys of runs.
var startKeys = [][]string{
	{"i"},
	{"i", "down"},
	{"i", "space", "space"},
	{"i", "enter"},
	{"i", "enter", "3"},
	{"i", "enter", "5"},
	{"i", "down", "o", "a"},
	{"i", "esc", "a"},
	{"S"},
	{":", "d", "r", "i", "f", "t", "enter"},
	{"i", "enter", "="},
	{"/", "a", "l", "l", "enter", "enter", "c", "enter"},
}

// interleaveKeys contains the keys to press, important ones several times.
var interleaveKeys = []string{
	"enter", "enter", "enter", "enter", "esc", "esc", "esc", "tab", "tab", "shift+tab", "up", "down", "down", "space", "space",
	"a", "a", "o", "o", "o", "x", "r", "ctrl+r", "ctrl+r", "/", "/", ":", "n", "s", "c", "v", "y", "u", "e", "E", "t", "z",
	"1", "2", "3", "4", "5", "i", "i", "S", "M", "B", "U", "P", "p", "?", "=", "R", "|",
	"backspace", "left", "right", "pgdown", "pgup", "g", "G", "ctrl+p", "alt+home",
}

// interleaveChanges contains the keys of whole changes, of a row, of several rows and of an item, and of undo.
var interleaveChanges = [][]string{
	{"o", "a", "tab", "enter"},
	{"o", "c", "tab", "enter"},
	{"enter", "tab", "enter"},
	{"esc", "esc", "i", "o", "a", "enter", "tab", "enter"},
	{"esc", "esc", "i", "down", "o", "c", "enter", "tab", "enter"},
	{"esc", "esc", "i", "space", "down", "space", "o", "a", "enter", "tab", "enter"},
	{"esc", "esc", "i", "down", "enter", "o", "a", "enter", "tab", "enter"},
	{"esc", "esc", "i", "o", "u", "enter", "tab", "enter"},
}

// interleaveWords contains words to type without pauses.
var interleaveWords = []string{"all", "stat", "approve", "omang", "client_xyz789", "ok", "because"}

// interleavePastes contains texts to paste: keys of cases, control sequences, and text that no field can hold.
var interleavePastes = []string{
	"CASE#ver_00000001-77aa-4c02-9d11-0a1b2c3d4e5f / META", hostile.Text, "two\nlines", strings.Repeat("日本 ", 400), "\x00\x1b[A",
}

// interleaveSizes contains terminal sizes. The first two are too small for a screen.
var interleaveSizes = []tuitest.Size{{W: 1, H: 1}, {W: 59, H: 15}, {W: 60, H: 16}, {W: 80, H: 24}, {W: 200, H: 60}, {W: 120, H: 40}}

// step performs one random action.
func (d *interleaving) step() {
	switch n := d.rng.IntN(100); {
	case n < 24:
		d.press(interleaveKeys[d.rng.IntN(len(interleaveKeys))])
	case n < 27:
		word := interleaveWords[d.rng.IntN(len(interleaveWords))]
		for _, r := range word {
			d.press(string(r))
		}
	case n < 29:
		d.do("paste", tea.PasteMsg{Content: interleavePastes[d.rng.IntN(len(interleavePastes))]})
	case n < 31:
		d.resize(interleaveSizes[d.rng.IntN(len(interleaveSizes))])
	case n < 47:
		for _, k := range interleaveChanges[d.rng.IntN(len(interleaveChanges))] {
			d.press(k)
			d.advance(700 * time.Millisecond) // Without a pause, the letters would be a text.
			if d.rng.IntN(8) > 0 {
				d.settle()
			}
		}
	case n < 52:
		x, y := d.visibleCell()
		d.do(fmt.Sprintf("click %d,%d", x, y), tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	case n < 55:
		button := map[bool]tea.MouseButton{true: tea.MouseWheelUp, false: tea.MouseWheelDown}[d.rng.IntN(2) == 0]
		d.do("wheel", tea.MouseWheelMsg{X: d.rng.IntN(d.width), Y: d.rng.IntN(d.height), Button: button})
	case n < 60:
		d.changeElsewhere()
	case n < 68:
		d.advance([]time.Duration{20, 200, 600, 3000, 16_000}[d.rng.IntN(5)] * time.Millisecond)
	default:
		for range 1 + d.rng.IntN(4) {
			d.answer()
		}
	}
}

// changeElsewhere changes a case, as another program would.
func (d *interleaving) changeElsewhere() {
	n := 1 + d.rng.IntN(interleaveCases)
	status := []string{"approved", "rejected", "pending_review", "in_review"}[d.rng.IntN(4)]
	d.trace = append(d.trace, fmt.Sprintf("another program makes case %d %s", n, status))
	d.w.put(n, status, models.Item{"updatedAt": models.StringValue(queueTime().UTC().Format(time.RFC3339))})
	if d.allowed[n] != nil {
		d.allowed[n][status] = true
	}
	d.possible[n] = append(d.possible[n], status)
}
