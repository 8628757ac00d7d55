package tui

import (
	"context"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
	"github.com/ddbdesk/ddbdesk/tui/screens/home"
)

// noon is the current time in these tests.
var noon = time.Date(2026, 1, 20, 12, 0, 0, 0, time.UTC)

// shared contains one store for all tests, because they only read it.
var shared struct {
	sync.Mutex
	store  *embedded.Store
	conn   *store.Connection
	seeded map[string]bool
}

// gcPercent is the GOGC of these tests. They draw hundreds of thousands of frames, and the default would spend a fifth
// of the time on garbage collection.
const gcPercent = 300

func TestMain(m *testing.M) {
	debug.SetGCPercent(gcPercent)
	code := m.Run()
	if shared.store != nil && shared.store.Close() != nil && code == 0 {
		code = 1
	}
	os.Exit(code)
}

// reader returns a reader of a store with the schema's sample data. Call it outside of bubbles, because the store
// outlives them.
func reader(t testing.TB, name string) (*profiles.Profile, store.Reader) {
	t.Helper()
	p := schemas.Shared(t, name)
	shared.Lock()
	defer shared.Unlock()
	if shared.store == nil {
		var err error
		// The store's clock is a year early, so that sample items do not expire during a slow run.
		early := func() time.Time { return noon.AddDate(-1, 0, 0) }
		if shared.store, err = embedded.Open(embedded.Options{NoSync: true, Clock: early}); err != nil {
			t.Fatal(err)
		}
		if shared.conn, err = store.Connect(context.Background(), store.Options{Embedded: shared.store}); err != nil {
			t.Fatal(err)
		}
		shared.seeded = map[string]bool{}
	}
	if !shared.seeded[name] {
		if _, err := tables.Create(context.Background(), p, shared.conn); err != nil {
			t.Fatal(err)
		}
		if _, err := tables.Seed(context.Background(), p, shared.conn, sample.Options{Seed: 1, At: noon}); err != nil {
			t.Fatal(err)
		}
		shared.seeded[name] = true
	}
	return p, shared.conn.Reader()
}

// An openerFixture is an opener of one schema. Its fields determine how it opens.
type openerFixture struct {
	profile *profiles.Profile
	store   store.Reader
	role    session.Role
	context string
	journal string

	bookmarks string // the bookmark file; "" keeps bookmarks in memory

	environment string // environment in the context's configuration
	identity    func(ctx context.Context) (string, error)

	local bool // home reads numbers before a schema is opened
	delay time.Duration
	err   error
}

func newOpenerFixture(t testing.TB, name string) *openerFixture {
	p, r := reader(t, name)
	return &openerFixture{profile: p, store: r, role: session.Developer, journal: filepath.Join(t.TempDir(), "journal")}
}

// profileNamed returns the schema with the given name.
func profileNamed(list []*profiles.Profile, name string) (*profiles.Profile, error) {
	for _, p := range list {
		if p.Name == name {
			return p, nil
		}
	}
	return nil, &profiles.UnknownError{Name: name}
}

// Source returns a remote connection unless local is set, so that home sends no requests.
func (f *openerFixture) Source() home.Source { return home.Source{Local: f.local} }

func (f *openerFixture) Profile(string) (*profiles.Profile, error) { return f.profile, nil }

func (f *openerFixture) Profiles() ([]*profiles.Profile, error) {
	return []*profiles.Profile{f.profile}, nil
}

func (f *openerFixture) Open(ctx context.Context, p *profiles.Profile) (*workspace.Workspace, error) {
	if f.delay > 0 {
		select {
		case <-time.After(f.delay):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if f.err != nil {
		return nil, f.err
	}
	return workspace.New(session.Options{
		Profile: p, Store: f.store, Target: store.Target{Region: "af-south-1", Endpoint: "embedded", Embedded: true},
		Role: f.role, Context: f.context, Environment: f.environment, Identity: f.identity, Actor: "kagiso", JournalPath: f.journal,
		StateDir: filepath.Dir(f.journal), BookmarkPath: f.bookmarks, Clock: func() time.Time { return noon },
	}), nil
}

// open starts the console on the fixture's schema.
func open(t *testing.T, d *openerFixture, size tuitest.Size) (*tuitest.Terminal, *clip) {
	t.Helper()
	c := &clip{}
	tt := tuitest.New(t, New(Options{Opener: d, Start: d.profile.Name, Clipboard: c.write}), size)
	tt.WaitFor("Patterns")
	return tt, c
}

// onHome opens the workbench of a schema, and runs a test on it.
func onHome(t *testing.T, profile string, run func(t *testing.T, tt *tuitest.Terminal)) {
	t.Helper()
	d := newOpenerFixture(t, profile)
	synctest.Test(t, func(t *testing.T) {
		tt, _ := open(t, d, wideSize)
		run(t, tt)
	})
}

// A clip is a clipboard.
type clip struct {
	mu   sync.Mutex
	text string
}

func (c *clip) write(text string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.text = text
	return nil
}

func (c *clip) read() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text
}

// A stub is a reader with another fetch function.
type stub struct {
	store.Reader
	fetch func(ctx context.Context, leg accesspatterns.Leg, start models.Item, limit int) (accesspatterns.Page, error)
}

func (s stub) Fetch(ctx context.Context, leg accesspatterns.Leg, start models.Item, limit int) (accesspatterns.Page, error) {
	return s.fetch(ctx, leg, start, limit)
}

// hang blocks until the caller cancels.
func hang(ctx context.Context, _ accesspatterns.Leg, _ models.Item, _ int) (accesspatterns.Page, error) {
	<-ctx.Done()
	return accesspatterns.Page{}, &store.Error{Class: store.Canceled, Problem: "canceled", Err: ctx.Err()}
}
