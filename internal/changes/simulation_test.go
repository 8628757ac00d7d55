package changes_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/testing/faults"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

// Flags of TestSimulation: the number of runs, the time to look for failures in new runs, and a run to repeat.
var (
	simulateRuns = flag.Int("simulate.runs", 1, "runs of TestSimulation, the same ones every time; more begin with the seeds that failed once")
	simulateFor  = flag.Duration("simulate.for", 0, "how long TestSimulation looks for failures in new runs")
	simulateSeed = flag.Uint64("simulate.seed", 0, "repeat one run of TestSimulation")
)

const (
	simulatedCases  = 5
	simulatedActors = 4
	simulatedSteps  = 160 // less than a day, which begins at midnight in a bubble
	// simulatedPause is longer than the SDK waits before a retry, so that its random waits do not change the order of
	// events.
	simulatedPause = 25 * time.Second
	// simulatedCanary is personal data of every case. No file and no error of ddbdesk may contain it.
	simulatedCanary = "canary.mochudi@example.com"
)

// TestSimulation lets several users decide, undo, repair and resolve through separate consoles, on one database and one
// journal. A seed determines the order of their requests, the time, the users' clocks, the faults of the network and of
// the journal's disk, kills of consoles with torn journal lines, and restarts of the database. After each step:
//
//   - the journal is intact and matches the audit trail: each committed change has one entry, others have none,
//   - the audit trail of each case leads from its first state to its current state,
//   - no file of the consoles and no error contains personal data.
//
// Repeat a failed run with -simulate.seed. testdata/simulation.seeds lists the seeds that once failed.
func TestSimulation(t *testing.T) {
	if *simulateSeed != 0 {
		simulate(t, *simulateSeed)
		return
	}
	if *simulateRuns == 1 && *simulateFor == 0 {
		simulate(t, 1)
		return
	}
	text, err := os.ReadFile("testdata/simulation.seeds")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		seed, err := strconv.ParseUint(line, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		simulate(t, seed)
	}
	first, runs, start := uint64(1), 0, time.Now()
	if *simulateFor != 0 {
		first = uint64(start.UnixNano()) % 1_000_000_000
	}
	for ; !t.Failed() && (runs < *simulateRuns || time.Since(start) < *simulateFor); runs++ {
		simulate(t, first+uint64(runs))
	}
	t.Logf("%d runs from seed %d", runs, first)
}

// A seed always produces the same run, except for random IDs.
func TestSimulationIsDeterministic(t *testing.T) {
	if *simulateRuns == 1 {
		t.Skip("requires more than one run")
	}
	ids := regexp.MustCompile(`[0-9a-f]{32}|/TestSimulation[^/]*`)
	first, second := strings.Join(simulate(t, 4), "\n"), strings.Join(simulate(t, 4), "\n")
	if diff := cmp.Diff(ids.ReplaceAllString(first, "ID"), ids.ReplaceAllString(second, "ID")); diff != "" {
		t.Errorf("(-first +second):\n%s", diff)
	}
}

type simulation struct {
	t           *testing.T
	seed        uint64
	rng         *rand.Rand
	f           *fixture.Fixture // a console without faults, for the invariants
	db          *embedded.Store
	dbDir       string
	actors      []*simulatedActor
	trace       []string
	first       map[string]string // first state of each case
	journalDisk *simulatedDisk
	jumps       bool          // clocks jump by hours
	ended       chan struct{} // closed at the end, when no further request passes
}

// A simulatedActor is a user with a console. Each of its requests waits until the simulation lets it pass.
type simulatedActor struct {
	s         *simulation
	name      string
	line      *faults.Connection
	clock     simulatedSkew
	console   *workspace.Workspace
	pending   chan *http.Request // the waiting request
	pass      chan struct{}
	dead      bool // killed: no further request passes
	busy      bool
	done      chan error // the result of the current operation
	operation string
}

// Do implements store.Doer.
func (a *simulatedActor) Do(r *http.Request) (*http.Response, error) {
	select {
	case a.pending <- r:
	case <-a.s.ended:
		return nil, errRefused
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	select {
	case <-a.pass:
	case <-a.s.ended:
		return nil, errRefused
	case <-r.Context().Done():
		<-a.pending
		return nil, r.Context().Err()
	}
	return a.line.Do(r)
}

// Do forwards a request of the console without faults.
func (s *simulation) Do(r *http.Request) (*http.Response, error) { return s.db.Do(r) }

func simulate(t *testing.T, seed uint64) (trace []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &simulation{t: t, seed: seed, rng: rand.New(rand.NewPCG(seed, 13)), dbDir: t.TempDir(), first: map[string]string{}, ended: make(chan struct{})}
		s.journalDisk, s.jumps = new(simulatedDisk), s.rng.IntN(4) == 0
		time.Sleep(2 * time.Hour) // so that a clock that is behind does not have yesterday's date
		s.open()
		defer func() {
			trace = s.trace
			close(s.ended)
			for _, a := range s.actors {
				if a.busy {
					<-a.done //nolint:errcheck // No one reads it.
				}
			}
			if err := s.db.Close(); err != nil {
				t.Error(err)
			}
		}()
		s.f = fixtureAs(t, "observer", schemas.Open(t, "authbridge"), fixture.Connect(t, s))
		for i := range simulatedCases {
			s.putCase(i, []string{"pending_review", "in_review"}[s.rng.IntN(2)])
		}
		for i := range simulatedActors {
			a := &simulatedActor{s: s, name: fmt.Sprint("actor", i), pending: make(chan *http.Request, 1), pass: make(chan struct{})}
			a.start()
			s.actors = append(s.actors, a)
		}
		for range simulatedSteps {
			if s.step(); t.Failed() {
				return
			}
		}
		s.finish()
	})
	return trace
}

func (s *simulation) open() {
	s.t.Helper()
	var err error
	if s.db, err = embedded.Open(embedded.Options{Path: s.dbDir, NoSync: true, Clock: time.Now}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *simulation) id(i int) string { return fmt.Sprint("ver_sim", i) }

func (s *simulation) putCase(i int, status string) {
	it := s.f.PutCase(s.t, s.id(i))
	e := s.f.Profile.Entity("Verification")
	it["status"] = models.StringValue(status)
	it["customerMetadata"] = &types.AttributeValueMemberM{Value: models.Item{"email": models.StringValue(simulatedCanary)}}
	built, err := e.Build(it, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	s.f.Put(s.t, e.Table, built)
	s.first[s.id(i)] = status
}

// start opens a new console for the actor.
func (a *simulatedActor) start() {
	conn := fixture.Connect(a.s.t, a)
	o := a.s.f.Options()
	o.Actor, o.Person.User, o.Store, o.Clock = a.name, a.name, conn.Reader(), a.clock.now
	o.JournalFault = a.s.journalDisk.fail
	a.line, a.dead, a.console = faults.New(a.s), false, workspace.NewWriting(o, conn.Writer())
}

// step performs one event, waits until every actor waits, and checks the invariants.
func (s *simulation) step() {
	s.t.Helper()
	a := s.actors[s.rng.IntN(len(s.actors))]
	s.toggleDisk()
	switch n := s.rng.IntN(100); {
	case !a.busy:
		a.begin()
	case n < 6:
		s.kill(a)
	case n < 9:
		s.restart()
	case n < 12:
		s.drift(s.rng.IntN(simulatedCases))
	case n < 18:
		s.wait()
	case n < 22:
		s.skew(a)
	default:
		s.passRequest(a)
	}
	s.settle()
	time.Sleep(time.Microsecond) // No request is answered at the moment at which it was sent.
	s.check()
}

func (s *simulation) logf(format string, args ...any) {
	s.trace = append(s.trace, fmt.Sprintf(format, args...))
}

// fail ends the run with its trace.
func (s *simulation) fail(format string, args ...any) {
	s.t.Helper()
	s.t.Fatalf("-simulate.seed=%d: %s after\n%s", s.seed, fmt.Sprintf(format, args...), strings.Join(s.trace, "\n"))
}

// settle waits for the actors, and records the operations that ended.
func (s *simulation) settle() {
	synctest.Wait()
	for _, a := range s.actors {
		if !a.busy {
			continue
		}
		select {
		case err := <-a.done:
			a.busy = false
			s.logf("%s %s: %v", a.name, a.operation, err)
			if err != nil && strings.Contains(err.Error(), simulatedCanary) {
				s.fail("an error holds personal data: %v", err)
			}
		default:
		}
	}
}

func (s *simulation) wait() {
	s.logf("%s pass", simulatedPause)
	time.Sleep(simulatedPause)
}

// passRequest sends the actor's waiting request, sometimes with a fault.
func (s *simulation) passRequest(a *simulatedActor) {
	select {
	case r := <-a.pending:
		_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
		var f *faults.Fault
		if s.rng.IntN(100) < 25 {
			list := faults.OfKinds(faults.Broken, faults.Failing, faults.Throttling, faults.Denied, faults.Hangs)
			f = list[s.rng.IntN(len(list))]
			a.line.Set(faults.Always(f))
		}
		s.logf("%s: %s %v", a.name, operation, f)
		a.pass <- struct{}{}
		synctest.Wait()
		a.line.Set(nil)
	default:
		s.wait()
	}
}
