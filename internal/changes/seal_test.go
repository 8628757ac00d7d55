package changes_test

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/internal/testing/canary"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/testing/stored"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

// A sharedItems stores the items of the awkward schema, for sessions on separate machines.
type sharedItems struct {
	t    *testing.T
	g    *canary.MarkedData
	conn *store.Connection
}

func newSharedItems(t *testing.T) *sharedItems {
	t.Helper()
	p, err := canary.Open(canary.Awkward, false)
	if err != nil {
		t.Fatal(err)
	}
	s := &sharedItems{t: t}
	if s.g, err = canary.Plant(p, 3, fixture.Now); err != nil {
		t.Fatal(err)
	}
	db, err := embedded.Open(embedded.Options{NoSync: true, Clock: func() time.Time { return fixture.Now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if s.conn, err = store.Connect(t.Context(), store.Options{Embedded: db}); err != nil {
		t.Fatal(err)
	}
	if _, err := tables.Create(t.Context(), p, s.conn); err != nil {
		t.Fatal(err)
	}
	for table, items := range s.g.Tables() {
		if err := stored.Put(t.Context(), s.conn.Writer(), table.Name, items); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func (s *sharedItems) session(machine string) *workspace.Workspace {
	return workspace.New(session.Options{
		Profile: s.g.Profile, Store: s.conn.Reader(), Target: store.Target{Embedded: true}, Role: session.Developer, Actor: "ana",
		StateDir: machine, Clock: func() time.Time { return fixture.Now },
	})
}

// Two plans that differ only in masked values differ only in parts that this machine can decrypt.
func TestPlanFilesDifferOnlyInEncryptedParts(t *testing.T) {
	s := newSharedItems(t)
	machine := t.TempDir()
	e := s.g.Profile.Entity("Person")
	person := s.g.ItemsOf(e)[0].Clone()
	planner := s.session(machine)
	var requested []byte
	keep := func() (*changes.File, changes.Part) {
		values := e.Values(person)
		inputs := map[string]string{}
		for _, name := range []string{"phone", "born", "status"} {
			inputs[name], _ = values(name)
		}
		a, err := planner.Planner.Action("forget-contacts")
		if err != nil {
			t.Fatal(err)
		}
		p, err := planner.Planner.Plan(t.Context(), a, inputs, "asked for")
		if err != nil {
			t.Fatal(err)
		}
		text, err := planner.Planner.WritePlan(p, "awkward")
		if err != nil {
			t.Fatal(err)
		}
		if requested, err = planner.Planner.WriteRequested(p, "awkward"); err != nil {
			t.Fatal(err)
		}
		for _, seen := range s.g.Watch.Find(string(text)) {
			t.Errorf("the plan file contains %s", seen)
		}
		f, err := changes.ReadFile(text)
		if err != nil {
			t.Fatal(err)
		}
		part, err := f.Single()
		if err != nil {
			t.Fatal(err)
		}
		return f, part
	}
	first, old := keep()
	person["contacts"] = models.StringValue("+26770000001")
	if err := stored.Put(t.Context(), s.conn.Writer(), e.Table.Name, []models.Item{person}); err != nil {
		t.Fatal(err)
	}
	second, is := keep()
	// Generated IDs derive from the token; this action generates none.
	if old.Fingerprint != is.Fingerprint || string(old.Writes) != string(is.Writes) {
		t.Errorf("a hidden value changes the clear text of the file:\n%+v\n%+v", old, is)
	}
	if old.Sealed == is.Sealed || old.Sealed == "" {
		t.Errorf("the sealed part is empty or unchanged: %q", old.Sealed)
	}
	if _, err := planner.Planner.LoadPlan(t.Context(), second); err != nil {
		t.Errorf("on the machine that made the plan: %v", err)
	}
	if _, err := planner.Planner.LoadPlan(t.Context(), first); err == nil || !strings.HasSuffix(err.Error(), ": the plan would now write something else") {
		t.Errorf("after a hidden value changed: got %v", err)
	}
	other := s.session(t.TempDir()).Planner
	if _, err := other.LoadPlan(t.Context(), second); !errors.Is(err, session.ErrRefused) || !strings.Contains(err.Error(), "requests") {
		t.Errorf("on another machine: got %v, want a refusal", err)
	}
	f, err := changes.ReadFile(requested)
	if err == nil {
		_, err = other.LoadPlan(t.Context(), f)
	}
	if err != nil {
		t.Errorf("as a request on another machine: %v", err)
	}
}

// The token is encrypted, because a digest would let a reader try all telephone numbers.
func TestNextTokenWithPersonalDataIsEncrypted(t *testing.T) {
	s := newSharedItems(t)
	reader := s.session(t.TempDir())
	for pattern, args := range map[string]map[string]string{
		"list-visits": {"phone": "+26771234567"}, "find-by-email": {"email": "a@example.org"}, "list-imports": {"number": "1"},
	} {
		p, err := reader.Reading.Pattern(pattern)
		if err != nil {
			t.Fatal(err)
		}
		r, err := reader.Reading.Start(p, args, reading.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		token, err := r.Token()
		if err != nil {
			t.Fatal(err)
		}
		raw, err := base64.RawURLEncoding.DecodeString(token)
		if err != nil {
			t.Fatal(err)
		}
		if sealed := raw[0] == 's'; sealed != (pattern != "list-imports") {
			t.Errorf("%s: the token is sealed: %v, want %v", pattern, sealed, pattern != "list-imports")
		}
		if _, err := reader.Reading.Start(p, args, reading.RunOptions{Token: token}); err != nil {
			t.Errorf("%s: %v", pattern, err)
		}
		if raw[0] != 's' {
			continue
		}
		// A user who can write tokens could continue after any key, and the next rows would reveal the order of masked
		// keys.
		text, err := reader.Session.Sealer().Open(raw[1:], "")
		if err != nil {
			t.Fatal(err)
		}
		token = base64.RawURLEncoding.EncodeToString(append([]byte{'p'}, text...))
		if _, err := reader.Reading.Start(p, args, reading.RunOptions{Token: token}); !errors.Is(err, session.ErrInput) {
			t.Errorf("%s: a forged token: got %v, want an input error", pattern, err)
		}
	}
}
