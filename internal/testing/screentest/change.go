// Package screentest has the helpers that the tests of screens share: environments with small stores, a program
// with one screen, hostile items, and the search for personal data on a screen.
package screentest

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// ChangeSizes are the sizes at which the dialog is drawn.
var ChangeSizes = []tuitest.Size{{W: 60, H: 14}, {W: 80, H: 22}, {W: 120, H: 38}, {W: 200, H: 58}}

// Seeded is an environment of an admin on a store with sample data.
func Seeded(t *testing.T, p *profiles.Profile) (*screen.Env, store.Reader) {
	t.Helper()
	s, err := embedded.Open(embedded.Options{NoSync: true, Clock: func() time.Time { return ItemNow }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	conn, err := store.Connect(t.Context(), store.Options{Embedded: s})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tables.Create(t.Context(), p, conn); err != nil {
		t.Fatal(err)
	}
	if _, err := tables.Seed(t.Context(), p, conn, sample.Options{Seed: 1, At: ItemNow}); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	from := workspace.NewWriting(session.Options{
		Profile: p, Store: conn.Reader(), Role: session.Admin, Actor: "thabo",
		Target: store.Target{Region: "af-south-1", Embedded: true}, JournalPath: filepath.Join(dir, "journal"), StateDir: dir,
		Clock: func() time.Time { return ItemNow },
	}, conn.Writer())
	return &screen.Env{
		Context: t.Context(), Workspace: from, Styles: widget.NewStyles(true, false),
		Now: func() time.Time { return ItemNow },
	}, conn.Reader()
}

// EveryItem calls f with the items of the profile's tables.
func EveryItem(t *testing.T, env *screen.Env, from store.Reader, f func(*models.Table, models.Item)) {
	t.Helper()
	for _, table := range env.Session.Profile().Tables {
		var start models.Item
		for {
			page, err := from.Fetch(t.Context(), accesspatterns.ScanLeg(table), start, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, it := range page.Items {
				f(table, it)
			}
			if start = page.LastKey; start == nil {
				break
			}
		}
	}
}
