package tui

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/faults"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// guardedFixture is an admin's session on a store behind a policy.
type guardedFixture struct {
	p       *profiles.Profile
	guard   *faults.Guard
	session *workspace.Workspace
}

// withGuard runs a test with sample data behind a policy.
func withGuard(t *testing.T, name string, run func(t *testing.T, f *guardedFixture, tt *tuitest.Terminal)) {
	atSizes(t, func(t *testing.T, size tuitest.Size) {
		synctest.Test(t, func(t *testing.T) {
			f := newGuardedFixture(t, name)
			tt := tuitest.New(t, New(Options{Opener: singleOpener{&openerFixture{profile: f.p}, f.session}, Start: f.p.Name}), size)
			tt.WaitFor("Patterns")
			run(t, f, tt)
		})
	})
}

func newGuardedFixture(t *testing.T, name string) *guardedFixture {
	t.Helper()
	p := schemas.Shared(t, name)
	early := func() time.Time { return noon.AddDate(-1, 0, 0) } // so that nothing expires
	f := &guardedFixture{p: p, guard: faults.NewGuard(fixture.DatabaseAt(t, early), faults.AllowAll())}
	conn := fixture.Connect(t, f.guard)
	sampled := fixture.NewOn(t, p, conn)
	sampled.Create(t)
	sampled.Seed(t)
	dir := t.TempDir()
	f.session = workspace.NewWriting(session.Options{
		Profile: p, Store: conn.Reader(),
		Target: store.Target{Region: "af-south-1", Endpoint: "embedded", Embedded: true},
		Role:   session.Admin, Actor: "kagiso", JournalPath: filepath.Join(dir, "journal"), StateDir: dir,
		Clock: func() time.Time { return noon },
	}, conn.Writer())
	return f
}

// item returns the sample item of an entity in a state.
func (f *guardedFixture) item(t *testing.T, entity, attribute, state string) models.Item {
	t.Helper()
	for _, s := range schemas.Samples(t, f.p, sample.Options{Seed: 1, At: noon}) {
		if now, _ := s.Item.Text(attribute); s.Entity.Name == entity && now == state {
			return s.Item
		}
	}
	t.Fatalf("no %s is %s", entity, state)
	return nil
}

// After the first denial, the console marks the patterns of the index. The other patterns run. The marks disappear when
// the policy allows the index.
func TestUnusableIndexIsRefused(t *testing.T) {
	withGuard(t, "authbridge", func(t *testing.T, f *guardedFixture, tt *tuitest.Terminal) {
		f.guard.Set(faults.AllowAll().Except("dynamodb:Query", "/index/GSI3"))
		selectPattern(tt, "Audit entries of a user")
		tt.Press("enter")
		tt.Enter("usr_1")
		tt.WaitFor("access denied: dynamodb:Query")
		tt.WaitFor("no permission: dynamodb:Query on …/index/GSI3 · enter retry")
		tt.Golden("refused")
		tt.Press("esc")
		selectPattern(tt, "Verifications by date")
		tt.Reach(" page", "enter")
		if tt.Has("no permission") {
			t.Errorf("a pattern of another index is marked as refused:\n%s", tt.Screen())
		}
		f.guard.Set(faults.AllowAll())
		tt.Press("esc")
		selectPattern(tt, "Audit entries of a user")
		tt.Press("enter", "enter")
		tt.WaitForRemoval("no permission")
		if tt.Has("✗") {
			t.Errorf("an allowed pattern is marked as refused:\n%s", tt.Screen())
		}
	})
}

// The Related tab marks denied patterns, and does not count them again by itself.
func TestRelatedPatternsAreRefused(t *testing.T) {
	withGuard(t, "authbridge", func(t *testing.T, f *guardedFixture, tt *tuitest.Terminal) {
		f.guard.Set(faults.AllowAll().Except("dynamodb:Query", "/index/GSI1"))
		show := func() {
			tt.Send(screen.OpenMsg{To: screen.Item{Table: f.p.Tables[0], Item: f.item(t, "Verification", "status", "in_review")}})
			tt.WaitFor("read at")
			tt.Press("3")
			tt.Advance(3 * time.Second)
		}
		show()
		tt.WaitFor("✗ ")
		tt.Golden("related")
		calls := len(f.guard.Refused())
		tt.Press("esc")
		show()
		if n := len(f.guard.Refused()); n != calls {
			t.Errorf("sent %d requests for refused patterns", n-calls)
		}
	})
}

// An admin has credentials that can read but not write.
func TestWritesAreRefused(t *testing.T) {
	withGuard(t, "authbridge", func(t *testing.T, f *guardedFixture, tt *tuitest.Terminal) {
		f.guard.Set(faults.AllowAll().Except("dynamodb:UpdateItem"))
		tt.Send(screen.OpenMsg{To: screen.Item{Table: f.p.Tables[0], Item: f.item(t, "Verification", "status", "in_review")}})
		tt.WaitFor("read at")
		planApproval(tt, "seen in person")
		tt.Advance(planGrace)
		tt.Reach("access denied: dynamodb:UpdateItem", "G", "tab", "enter")
		tt.Advance(planGrace)
		tt.Press("esc")
		tt.WaitForRemoval("Nothing was written")
		tt.Reach("✗ no permission: dynamodb:UpdateItem on …/AuthBridgeTable", "o")
		tt.Reach("Retry to", "enter")
		tt.Golden("dialog")
		f.guard.Set(faults.AllowAll())
		tt.Enter("seen in person")
		tt.WaitFor("only if")
		tt.Advance(planGrace)
		tt.Reach("✓ Done", "G", "tab", "enter")
	})
}

// If the role cannot describe tables, the console reports no table as missing.
func TestDeniedTableDescriptionsAreNotMissing(t *testing.T) {
	runFlow(t, "authbridge", func(t *testing.T, d *openerFixture, size tuitest.Size) {
		d.store = undescribedTables{d.store}
		tt, _ := open(t, d, size)
		selectPattern(tt, "Verifications by date")
		tt.Reach(" page", "enter")
		if tt.Has("no permission") {
			t.Errorf("the screen reports a refusal:\n%s", tt.Screen())
		}
		tt.Reach("live tables not compared: no permission", "alt+home", "tab")
		if strings.Contains(tt.Screen(), "not there") {
			t.Errorf("tables are reported as missing:\n%s", tt.Screen())
		}
	})
}

// If a table does not exist, the console does not offer to scan it.
func TestMissingTableScan(t *testing.T) {
	runFlow(t, "ebay-sniper", func(t *testing.T, d *openerFixture, size tuitest.Size) {
		d.store = readerWithout{d.store, "", true}
		tt, _ := open(t, d, size)
		tt.WaitFor("✗")
		selectPattern(tt, "Bids that are due")
		tt.Reach("ddbdesk cannot read any table.", "enter")
		if tt.Has("Read it") {
			t.Errorf("the screen offers the scan of a missing table:\n%s", tt.Screen())
		}
		tt.Press("enter")
		tt.WaitForRemoval("ddbdesk cannot read any table.")
	})
}
