package tui

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/crash"
)

// Flags of TestSoak: how many runs it makes, for how long it looks for what fails, or the one run to repeat.
var (
	soakRuns = flag.Int("soak.runs", 0, "runs of TestSoak, the same ones every time; 0 for a short one")
	soakFor  = flag.Duration("soak.for", 0, "how long TestSoak makes runs that nobody has seen")
	soakSeed = flag.Uint64("soak.seed", 0, "repeat one run of TestSoak")
)

// actionsARun are how many actions a run has.
const actionsARun = 400

func TestSoak(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out sequential drawing; go test without it runs this")
	}
	first, runs := uint64(1), 0
	switch {
	case *soakSeed != 0:
		soak(t, *soakSeed, actionsARun, time.Minute)
		return
	case *soakRuns == 0 && *soakFor == 0:
		soak(t, first, 120, 10*time.Second)
		return
	case *soakFor != 0:
		first = uint64(time.Now().UnixNano()) % 1_000_000
	}
	for began := time.Now(); !t.Failed() && (runs < *soakRuns || time.Since(began) < *soakFor); runs++ {
		seed := first + uint64(runs)
		fmt.Fprintf(os.Stderr, "soak: seed %d\n", seed) // What ends the process ends the log of the test as well.
		soak(t, seed, actionsARun, 2*time.Minute)
	}
	t.Logf("%d runs of %d actions", runs, actionsARun)
}

// soak makes one run. When it fails it is repeated with fewer and fewer actions,
// for as long as patience lasts.
func soak(t *testing.T, seed uint64, n int, patience time.Duration) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 6))
	list := make([]act, n)
	for i := range list {
		list[i] = randomAct(rng)
	}
	fault := soakOnce(t, seed, list)
	if fault == "" {
		return
	}
	kind, end := kindOfFault(fault), time.Now().Add(patience)
	for part := len(list) / 2; part > 0 && time.Now().Before(end); {
		shorter := false
		for from := 0; from+part <= len(list) && time.Now().Before(end); {
			fewer := slices.Concat(list[:from], list[from+part:])
			if again := soakOnce(t, seed, fewer); again != "" && kindOfFault(again) == kind {
				list, fault, shorter = fewer, again, true
			} else {
				from += part
			}
		}
		if part = min(part, len(list)); part == 1 && !shorter {
			break
		}
		part = max(part/2, 1)
		if part > len(list) {
			break
		}
	}
	words := make([]string, len(list))
	for i, d := range list {
		words[i] = d.String()
	}
	t.Errorf("-soak.seed=%d: these %d actions:\n%s\n%s", seed, len(list), strings.Join(words, "\n"), fault)
}

// kindOfFault tells one fault from another: its first words.
func kindOfFault(fault string) string { return fault[:min(len(fault), 24)] }

// soakOnce does the acts in a world of its own, and says what went wrong.
func soakOnce(t *testing.T, seed uint64, list []act) (fault string) {
	t.Helper()
	w := newSoakWorld(t, seed)
	defer w.close()
	crash.Install(crash.NewHandler(w.crashes, func() crash.Setting { return crash.Setting{} }))
	defer crash.Install(nil)
	synctest.Test(t, func(t *testing.T) {
		w.start(t)
		defer func() {
			if err := w.stop(); err != "" && fault == "" {
				fault = err
			}
		}()
		defer func() {
			if stopped, ok := recover().(soakStop); ok {
				fault = string(stopped)
			}
		}()
		for i, d := range list {
			w.do(d)
			w.check(d)
			if i%restEvery == restEvery-1 || i == len(list)-1 {
				w.rest()
			}
		}
	})
	if testing.Verbose() {
		t.Logf("seed %d: %v, %s; %d goroutines and %d KB at rest, %d and %d in the beginning", seed, w.seen, w.changes(),
			w.last.goroutines, w.last.heap>>10, w.level.goroutines, w.level.heap>>10)
	}
	return fault
}

// restEvery is after how many actions the console is left in peace.
const restEvery = 100

// soakStop ends a run.
type soakStop string

// soakTB is what a run gives to helpers of tests: what ends a test ends the run.
type soakTB struct {
	testing.TB
	ends []func()
}

func (s *soakTB) Helper()                           {}
func (s *soakTB) Cleanup(f func())                  { s.ends = append(s.ends, f) }
func (s *soakTB) Fatal(args ...any)                 { panic(soakStop(fmt.Sprint(args...))) }
func (s *soakTB) Fatalf(format string, args ...any) { panic(soakStop(fmt.Sprintf(format, args...))) }
func (s *soakTB) Errorf(format string, args ...any) { s.Fatalf(format, args...) }
func (s *soakTB) Error(args ...any)                 { s.Fatal(args...) }
