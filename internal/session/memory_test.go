// This file tests what the console remembers: that it comes back, where it
// belongs, and that nothing sensitive is ever written down.

package session_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/memory"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// remembering returns a session without a database that remembers in m.
func remembering(t *testing.T, profile string, m *memory.Memory, region string) *session.Session {
	t.Helper()
	p, err := profiles.Open(profile, nil)
	if err != nil {
		t.Fatal(err)
	}
	return session.New(session.Options{Profile: p, Role: session.Developer, Memory: m, Target: store.Target{Region: region}})
}

func samplesOf(t *testing.T, p *profiles.Profile) []sample.Item {
	t.Helper()
	samples, err := sample.Items(p, sample.Options{Items: 3, Seed: 1, At: moment})
	if err != nil {
		t.Fatal(err)
	}
	return samples
}

func TestMemoryComesBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.json")
	first := memory.Open(path)
	s := remembering(t, "authbridge", first, "af-south-1")
	p := s.Profile().Pattern("list-client-verifications-by-status")
	if p == nil {
		t.Fatal("the pattern is gone")
	}
	s.RememberArgs(p, map[string]string{"clientId": "client_1", "status": "created"})
	s.RememberArgs(p, map[string]string{"clientId": "client_2", "status": "created"})
	s.RememberArgs(p, map[string]string{"clientId": "client_1", "status": "approved"})
	by := s.Profile().Pattern("list-verifications-by-date")
	s.RememberArgs(by, map[string]string{"date": "-7d"})
	sample := samplesOf(t, s.Profile())[0]
	s.Visit(sample.Table, sample.Item)
	s.Use("pattern get-verification")
	s.SetLayout("grid", []byte(`{"a":[1]}`))
	s.SetNote("tour", "seen")
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	again := memory.Open(path)
	later := remembering(t, "authbridge", again, "af-south-1")
	p, by = later.Profile().Pattern(p.ID), later.Profile().Pattern(by.ID)
	if diff := cmp.Diff([]string{"client_1", "client_2"}, later.Values(p, "clientId")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"-7d"}, later.Values(by, "date")); diff != "" {
		t.Errorf("relative times are to stay relative: %s", diff)
	}
	queries := later.Queries()
	if len(queries) != 4 || queries[0].Pattern != by || queries[1].Args["status"] != "approved" {
		t.Errorf("the queries are %v", queries)
	}
	visits := later.Visited()
	if len(visits) != 1 || visits[0].Entity.Name != sample.Entity.Name || visits[0].Table.KeyText(visits[0].Key) != sample.Table.KeyText(sample.Item) {
		t.Errorf("the visits are %v", visits)
	}
	if got := string(later.Layout("grid")); got != `{"a":[1]}` || later.Note("tour") != "seen" || len(later.Uses()) != 1 {
		t.Errorf("layout %s, note %q, uses %v", got, later.Note("tour"), later.Uses())
	}
	// What was seen in one place says nothing about another.
	elsewhere := remembering(t, "authbridge", memory.Open(path), "eu-west-1")
	if elsewhere.Visited() != nil || elsewhere.Queries() != nil || elsewhere.Values(elsewhere.Profile().Pattern(p.ID), "clientId") != nil {
		t.Error("items of one region are remembered in another")
	}
	later.SetNote("tour", "")
	if later.Note("tour") != "" {
		t.Error("a note is not forgotten")
	}
	if err := again.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestMemoryWithoutAFile(t *testing.T) {
	s := remembering(t, "tazco", nil, "af-south-1")
	s.SetNote("tour", "seen")
	if s.Note("tour") != "seen" || s.MemoryNotice() != "" {
		t.Error("a session without a memory does not remember until it ends")
	}
}

// tainted puts text of its own into every sensitive attribute of a sample and
// makes its keys again.
func tainted(t *testing.T, s sample.Item, n int) models.Item {
	t.Helper()
	canary := func(a *models.Attribute) string {
		text := fmt.Sprintf("canary%dx", n)
		if a.Format == models.Email {
			text += "@example.com"
		}
		return text
	}
	it, extra := models.Item{}, map[string]string{}
	values := s.Entity.Values(s.Item)
	for name, v := range s.Item {
		if _, key := s.Entity.Keys[name]; !key || s.Entity.Attribute(name) != nil {
			it[name] = v
		}
	}
	var taint func(list []*models.Attribute)
	taint = func(list []*models.Attribute) {
		for _, a := range list {
			text, has := values(a.Path)
			switch {
			case has && a.Sensitive != models.Open && a.KeyOnly:
				extra[a.Name] = canary(a)
			case has && a.Sensitive != models.Open:
				it.With(a.Path, models.StringValue(canary(a)))
			case has && a.KeyOnly:
				extra[a.Name] = text
			}
			taint(a.Attributes)
		}
	}
	taint(s.Entity.Attributes)
	for name, template := range s.Entity.Keys {
		if !template.Has(name) {
			delete(it, name)
		}
	}
	built, err := s.Entity.Build(it, extra)
	if err != nil {
		t.Fatalf("%s: %v", s.Entity.Name, err)
	}
	return built
}

// Whatever is run from items full of personal data, and whichever of them are
// opened: none of it is in the file.
func TestMemoryWritesNothingSensitive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.json")
	m := memory.Open(path)
	written, hidden := 0, 0
	for _, name := range profiles.Names() {
		s := remembering(t, name, m, "af-south-1")
		for n, sample := range samplesOf(t, s.Profile()) {
			it := tainted(t, sample, n)
			s.Visit(sample.Table, it)
			for _, r := range s.Related(sample.Table, it) {
				s.RememberArgs(r.Pattern, r.Args)
				written++
				if strings.Contains(fmt.Sprint(r.Args), "canary") {
					hidden++
				}
			}
		}
		for _, p := range s.Profile().Patterns {
			args := map[string]string{}
			for _, q := range p.Params {
				if q.Sensitive != models.Open {
					args[q.Name] = "canary-typed"
				} else {
					args[q.Name] = "canary@example.com" // Pasted into the wrong field.
				}
			}
			s.RememberArgs(p, args)
			for _, q := range p.Params {
				if q.Sensitive != models.Open && s.Values(p, q.Name) != nil {
					t.Errorf("%s offers what it masks", p.FullID())
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
		t.Errorf("the file holds …%s…", text[max(at-300, 0):min(at+60, len(text))])
	}
	if written < 100 || hidden < 10 {
		t.Errorf("only %d patterns were run, %d with personal data: the test proves nothing", written, hidden)
	}
}

// A secret is kept nowhere, not even until the program ends.
func TestMemoryKeepsNoSecret(t *testing.T) {
	m := memory.New()
	s := remembering(t, "form-bridge", m, "af-south-1")
	p := s.Profile().Pattern("find-registration-by-temp-key")
	s.RememberArgs(p, map[string]string{"temp_key": "canary"})
	if s.Queries() != nil {
		t.Error("a query by a secret is remembered")
	}
}

func TestMemoryOfAProfileThatChanged(t *testing.T) {
	m := memory.New()
	s := remembering(t, "tazco", m, "af-south-1")
	s.RememberArgs(&accesspatterns.Pattern{ID: "gone"}, nil)
	if s.Queries() != nil {
		t.Error("a pattern that is gone is offered")
	}
}
