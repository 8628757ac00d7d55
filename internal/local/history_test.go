package local_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/local"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// historySession is a session with its history.
type historySession struct {
	*session.Session
	*local.History
}

// newHistorySession returns a session without a database, whose history is in m.
func newHistorySession(t *testing.T, profile string, m *local.Store, region string) historySession {
	t.Helper()
	p, err := profiles.Open(profile, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := session.New(session.Options{Profile: p, Role: session.Developer, Target: store.Target{Region: region}})
	return historySession{s, local.NewHistory(s.Viewer, m)}
}

func TestHistoryIsRestoredInNextRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "local.db")
	first := local.Open(path)
	s := newHistorySession(t, "authbridge", first, "af-south-1")
	p := s.Profile().Pattern("list-client-verifications-by-status")
	if p == nil {
		t.Fatal("the profile lacks the pattern")
	}
	s.RecordRun(p, map[string]string{"clientId": "client_1", "status": "created"})
	s.RecordRun(p, map[string]string{"clientId": "client_2", "status": "created"})
	s.RecordRun(p, map[string]string{"clientId": "client_1", "status": "approved"})
	pattern := s.Profile().Pattern("list-verifications-by-date")
	s.RecordRun(pattern, map[string]string{"date": "-7d"})
	sample := fixture.Samples(t, s.Profile())[0]
	s.RecordVisit(sample.Table, sample.Item)
	s.Use("pattern get-verification")
	s.SetLayout("grid", []byte(`{"a":[1]}`))
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	second := local.Open(path)
	later := newHistorySession(t, "authbridge", second, "af-south-1")
	p, pattern = later.Profile().Pattern(p.ID), later.Profile().Pattern(pattern.ID)
	if diff := cmp.Diff([]string{"client_1", "client_2"}, later.Values(p, "clientId")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"-7d"}, later.Values(pattern, "date")); diff != "" {
		t.Errorf("the relative time changed (-want +got):\n%s", diff)
	}
	queries := later.Queries()
	if len(queries) != 4 || queries[0].Pattern != pattern || queries[1].Args["status"] != "approved" {
		t.Errorf("got queries %v", queries)
	}
	visits := later.Visits()
	if len(visits) != 1 || visits[0].Entity.Name != sample.Entity.Name ||
		visits[0].Table.KeyText(visits[0].Key) != sample.Table.KeyText(sample.Item) {
		t.Errorf("got visits %v", visits)
	}
	if got := string(later.Layout("grid")); got != `{"a":[1]}` || len(later.Commands()) != 1 {
		t.Errorf("got layout %s and commands %v", got, later.Commands())
	}
	// A history must not appear in another region.
	other := newHistorySession(t, "authbridge", local.Open(path), "eu-west-1")
	if other.Visits() != nil || other.Queries() != nil || other.Values(other.Profile().Pattern(p.ID), "clientId") != nil {
		t.Error("the history of one region appears in another")
	}
	later.SetLayout("grid", nil)
	if later.Layout("grid") != nil {
		t.Error("the removed layout is still in the history")
	}
	if err := second.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestHistoryWorksWithoutFile(t *testing.T) {
	s := newHistorySession(t, "tazco", local.New(), "af-south-1")
	s.SetLayout("grid", []byte(`[1]`))
	if string(s.Layout("grid")) != "[1]" || s.Notice() != "" {
		t.Error("a session without a file loses its layout")
	}
}

// The file contains no personal data, even if the user runs patterns and opens items with it.
func TestHistoryWritesNoSensitiveValue(t *testing.T) {
	path := filepath.Join(t.TempDir(), "local.db")
	m := local.Open(path)
	written, hidden := 0, 0
	for _, name := range profiles.Names() {
		s := newHistorySession(t, name, m, "af-south-1")
		for n, sample := range fixture.Samples(t, s.Profile()) {
			it := fixture.WithCanaries(t, sample, n)
			s.RecordVisit(sample.Table, it)
			for _, r := range reading.New(s.Session.Viewer, tables.New(s.Session.Viewer)).Related(sample.Table, it) {
				s.RecordRun(r.Pattern, r.Args)
				written++
				if strings.Contains(fmt.Sprint(r.Args), "canary") {
					hidden++
				}
			}
		}
		for _, p := range s.Profile().Patterns {
			args := map[string]string{}
			for _, q := range p.Params {
				if q.Sensitive != models.NotSensitive {
					args[q.Name] = "canary-typed"
				} else {
					args[q.Name] = "canary@example.com" // pasted into the wrong field
				}
			}
			s.RecordRun(p, args)
			for _, q := range p.Params {
				if q.Sensitive != models.NotSensitive && s.Values(p, q.Name) != nil {
					t.Errorf("%s suggests a masked value", p.FullID())
				}
			}
		}
	}
	if err := m.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if at := strings.Index(string(text), "canary"); at >= 0 {
		t.Errorf("the file contains personal data: …%s…", text[max(at-300, 0):min(at+60, len(text))])
	}
	if written < 100 || hidden < 10 {
		t.Errorf("ran only %d patterns, %d with personal data", written, hidden)
	}
}

// The history keeps no secrets, not even in memory.
func TestHistoryKeepsNoSecrets(t *testing.T) {
	m := local.New()
	s := newHistorySession(t, "form-bridge", m, "af-south-1")
	p := s.Profile().Pattern("find-registration-by-temp-key")
	s.RecordRun(p, map[string]string{"temp_key": "canary"})
	if s.Queries() != nil {
		t.Error("the history contains a query by a secret")
	}
}

func TestHistorySkipsEntriesOfChangedSchema(t *testing.T) {
	m := local.New()
	s := newHistorySession(t, "tazco", m, "af-south-1")
	s.RecordRun(&accesspatterns.Pattern{ID: "gone"}, nil)
	if s.Queries() != nil {
		t.Error("the history contains a query of a removed pattern")
	}
}

func TestLastDriftCheckIsStored(t *testing.T) {
	m := local.New()
	s := newHistorySession(t, "tazco", m, "af-south-1")
	if d, ok := s.Drift(); ok {
		t.Errorf("got drift %v before the first check", d)
	}
	want := local.DriftCheck{At: time.Date(2026, 1, 20, 12, 0, 0, 0, time.UTC), Items: 3, Scanned: 120}
	s.SetDrift(want)
	if d, ok := newHistorySession(t, "tazco", m, "af-south-1").Drift(); !ok || d != want {
		t.Errorf("got %v, want %v", d, want)
	}
	if d, ok := newHistorySession(t, "tazco", m, "eu-west-1").Drift(); ok {
		t.Errorf("another region has the drift check %v", d)
	}
}
