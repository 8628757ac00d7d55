package tui

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/local"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/internal/testing/faults"
	"github.com/ddbdesk/ddbdesk/internal/testing/hostile"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/connection"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/screens/home"
)

// soakWorld is an opener and a switcher, too.
type soakWorld struct {
	t        testing.TB
	seed     uint64
	profiles []*profiles.Profile
	db       *embedded.Store
	line     *faults.Line
	conn     *store.Connection
	dir      string // of state, crash files and temporary files
	crashes  string
	temp     string

	mu      sync.Mutex
	context string

	tb     *soakTB
	m      *Model
	tt     *tuitest.Terminal
	memory *local.Store
	level  rest
	last   rest
	seen   map[string]int // how often each place was in view
}

// newSoakWorld fills the database outside of the bubble.
func newSoakWorld(t *testing.T, seed uint64) *soakWorld {
	t.Helper()
	w := &soakWorld{t: t, seed: seed, dir: t.TempDir(), context: "admin", seen: map[string]int{}}
	w.crashes, w.temp = filepath.Join(w.dir, "crashes"), filepath.Join(w.dir, "tmp")
	if err := os.Mkdir(w.temp, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", w.temp)
	t.Setenv("HOME", w.temp)
	t.Chdir(w.temp)
	names := profiles.Names()
	w.profiles = nil
	for _, name := range []string{"authbridge", names[seed%uint64(len(names))]} {
		p, err := profiles.Open(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(w.profiles) == 0 || w.profiles[0].Name != name {
			w.profiles = append(w.profiles, p)
		}
	}
	early := func() time.Time { return noon.AddDate(-1, 0, 0) }
	var err error
	if w.db, err = embedded.Open(embedded.Options{NoSync: true, Clock: early}); err != nil {
		t.Fatal(err)
	}
	w.line = faults.New(w.db)
	if w.conn, err = store.Connect(t.Context(), store.Options{Embedded: w.line}); err != nil {
		t.Fatal(err)
	}
	for _, p := range w.profiles {
		if _, err := tables.Create(t.Context(), p, w.conn); err != nil {
			t.Fatal(err)
		}
		if _, err := tables.Seed(t.Context(), p, w.conn, sample.Options{Seed: seed, At: noon}); err != nil {
			t.Fatal(err)
		}
	}
	cases := &queueFixture{t: t, p: w.profiles[0], conn: w.conn, line: &line{}}
	for i := range soakCases {
		cases.put(i+1, "in_review", nil)
	}
	for n := soakCases + 1; n < 60; n++ {
		cases.put(n, []string{"approved", "rejected", "pending_review"}[n%3], nil)
	}
	for i := range 3 {
		cases.put(
			i+1, "in_review",
			models.Item{"documentType": models.StringValue(hostile.Text), hostile.Text: models.StringValue(hostile.Text)},
		)
	}
	return w
}

func (w *soakWorld) close() {
	if err := w.db.Close(); err != nil {
		w.t.Error(err)
	}
}

// now passes with the time of the bubble.
func (w *soakWorld) now() time.Time {
	return noon.Add(time.Since(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)))
}

// Profile implements Opener.
func (w *soakWorld) Profile(name string) (*profiles.Profile, error) {
	return profileNamed(w.profiles, name)
}

// Profiles implements Opener.
func (w *soakWorld) Profiles() ([]*profiles.Profile, error) { return w.profiles, nil }

// Local implements home.Opener.
func (w *soakWorld) Source() home.Source { return home.Source{Local: true} }

// Open implements Opener.
func (w *soakWorld) Open(_ context.Context, p *profiles.Profile) (*workspace.Workspace, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	o := session.Options{
		Profile: p, Store: w.conn.Reader(), Target: store.Target{Region: "af-south-1", Endpoint: "embedded", Embedded: true},
		Role: session.Support, Context: w.context, Actor: "kagiso", JournalPath: filepath.Join(w.dir, "journal"),
		StateDir: w.dir, Clock: w.now,
		BookmarkPath: filepath.Join(w.dir, "bookmarks.yaml"),
	}
	if w.context != "support" {
		o.Role = session.Admin
	}
	if w.context == "live" {
		o.Environment = "prod"
	}
	return workspace.NewWriting(o, w.conn.Writer()).Remember(w.memory), nil
}

// Contexts implements screens.Switcher.
func (w *soakWorld) Contexts() (list []connection.Context, current string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return []connection.Context{
		{Name: "admin", Role: "admin"},
		{Name: "support", Role: "support", ReadOnly: true},
		{Name: "live", Role: "admin", Environment: "prod", Color: "red"},
	}, w.context
}

// Use implements screens.Switcher.
func (w *soakWorld) Use(name string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.context = name
	return nil
}

// start starts the console.
func (w *soakWorld) start(t *testing.T) {
	w.tb = &soakTB{TB: t}
	w.begin()
	w.tt.Resize(200, 60) // The buffers of the terminal and of the renderer keep their largest size.
	w.tt.Resize(100, 30)
	w.level = measure()
}

func (w *soakWorld) begin() {
	w.memory = local.Open(filepath.Join(w.dir, "local.db"))
	w.memory.SetClock(w.now)
	w.m = New(Options{Opener: w, Start: w.profiles[0].Name, Clipboard: func(string) error { return nil }})
	w.m.out.exec = func(_ *exec.Cmd, done tea.ExecCallback) tea.Cmd {
		return func() tea.Msg {
			time.Sleep(2 * time.Second)
			return done(nil)
		}
	}
	w.tt = tuitest.New(w.tb, watched{guarded{w.m}, w.m}, tuitest.Size{W: 100, H: 30})
}

// end leaves the console and waits until nothing of it is left.
func (w *soakWorld) end() {
	ends := w.tb.ends
	w.tb.ends = nil
	for i := len(ends) - 1; i >= 0; i-- {
		ends[i]()
	}
	if err := w.m.finish(); err != nil {
		w.tb.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := w.memory.Close(ctx); err != nil {
		w.tb.Fatalf("the memory: %v", err)
	}
}

// stop ends the run; what still goes wrong is its result.
func (w *soakWorld) stop() (fault string) {
	w.network("good")
	defer func() {
		if stopped, ok := recover().(soakStop); ok {
			fault = string(stopped)
		}
	}()
	w.end()
	return ""
}

// do does a act.
func (w *soakWorld) do(d act) {
	if _, ended := w.tt.Exited(); ended {
		w.restart()
	}
	size := w.tt.Size()
	x, y := d.x*size.W/1000, d.y*size.H/1000
	switch d.what {
	case "press":
		for _, k := range d.keys {
			if _, ended := w.tt.Exited(); ended {
				return
			}
			w.tt.Press(k)
			w.tt.Advance(d.wait)
		}
	case "rows":
		w.tt.Send(screen.OpenMsg{To: screen.Patterns{
			Pattern: w.profiles[0].Pattern("list-client-verifications"), Args: map[string]string{"clientId": "client_xyz789"},
			Run: true,
		}})
	case "item", "change":
		c := &queueFixture{}
		w.tt.Send(screen.OpenMsg{To: screen.Item{Table: w.profiles[0].Entity("Verification").Table, Item: models.Item{
			"PK": models.StringValue("CASE#" + c.id(d.x+1)), "SK": models.StringValue("META"),
		}}})
		w.tt.Advance(d.wait)
		if d.what == "change" {
			w.do(act{
				what: "press", wait: d.wait,
				keys: slices.Concat([]string{"3"}, d.keys, []string{"enter", "o", "k", "enter", "tab", "enter"}),
			})
		}
	case "type":
		w.tt.Type(d.text)
	case "paste":
		w.tt.Paste(d.text)
	case "click":
		w.tt.Click(x, y)
	case "wheel up", "wheel down":
		w.tt.Wheel(x, y, d.what == "wheel up")
	case "resize":
		w.tt.Resize(d.x, d.y)
	case "network":
		w.network(d.text)
	case "wait":
		w.tt.Advance(d.wait)
	case "focus":
		w.tt.Type("\x1b[I")
	case "blur":
		w.tt.Type("\x1b[O")
	case "restart":
		w.restart()
	}
}

// restart leaves the console, if nobody has, and starts it again.
func (w *soakWorld) restart() {
	w.whole()
	w.network("good") // A change that was sent is waited for, however long it takes.
	w.end()
	w.begin()
}

// network changes how the line is.
func (w *soakWorld) network(mood string) {
	all := faults.All()
	chance := map[string]float64{"bad": 0.2, "down": 1, "hangs": 0.5, "slow": 1}[mood]
	switch mood {
	case "good":
		w.line.Set(nil)
		return
	case "down":
		all = faults.Of(faults.Broken)
	case "hangs":
		all = faults.Of(faults.Hangs)
	case "slow":
		all = []*faults.Fault{faults.Delay(3 * time.Second)}
	}
	w.line.Set(func(r faults.Request) *faults.Fault {
		rng := rand.New(rand.NewPCG(w.seed, uint64(r.Number)))
		if rng.Float64() >= chance {
			return nil
		}
		return all[rng.IntN(len(all))]
	})
}

// changes counts what was changed.
func (w *soakWorld) changes() string {
	s, err := w.Open(context.Background(), w.profiles[0])
	if err != nil {
		return err.Error()
	}
	list, err := s.Journal.Changes()
	open := 0
	for _, c := range list {
		if c.Open() {
			open++
		}
	}
	return fmt.Sprintf("%d changes, %d of them open, %v", len(list), open, err)
}

// journalFaults says what is wrong between the journal and the tables.
func (w *soakWorld) journalFaults() error {
	for _, p := range w.profiles {
		s, err := w.Open(context.Background(), p)
		if err != nil {
			return err
		}
		if _, problems, err := s.Journal.Verify(true); err != nil && !errors.Is(err, os.ErrNotExist) || len(problems) > 0 {
			return fmt.Errorf("the journal of %s: %v, %w", p.Name, problems, err)
		}
		if err := halfChanges(s); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	return nil
}

// halfChanges looks for changes of which the table holds a part, or which the
// journal has as something else than they became. The newest change of an item is
// the one that can still be seen in it.
func halfChanges(s *workspace.Workspace) error {
	ctx := context.Background()
	list, err := s.Journal.Changes()
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, c := range list {
		if c.Open() {
			if _, err := s.Journal.Resolve(ctx, c); err != nil {
				return fmt.Errorf("resolving %s: %w", c.Intent.ID, err)
			}
		}
	}
	if list, err = s.Journal.Changes(); err != nil {
		return err
	}
	for _, c := range list {
		p, err := s.Journal.PlanOf(c)
		if err != nil {
			return err
		}
		for _, write := range p.Writes {
			it, err := s.Reading.Get(ctx, write.Table, write.Key)
			if err != nil {
				return err
			}
			key := write.Table.Name + write.Table.KeyText(write.Key)
			switch newest := !seen[key]; {
			case strings.HasPrefix(c.Outcome.Outcome, "unclear"):
			case write.Entry && c.Committed() != (it != nil):
				return fmt.Errorf(
					"%s %s has the outcome %q, and its audit entry is there: %v", p.Action.ID, c.Intent.ID,
					c.Outcome.Outcome, it != nil,
				)
			case !c.Committed() || write.Entry:
			case newest:
				seen[key] = true
				for _, change := range write.Changes {
					if got := it[change.Path]; !strings.Contains(change.Path, ".") && !models.EqualValues(got, change.After) {
						return fmt.Errorf("%s %s wrote %s, and the table holds something else", p.Action.ID, c.Intent.ID, change.Path)
					}
				}
			}
		}
	}
	return nil
}
