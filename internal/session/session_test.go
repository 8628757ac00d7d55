package session_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// moment is when the sample data is as of, and what the sessions call now.
var moment = time.Date(2026, 1, 20, 12, 0, 0, 0, time.UTC)

// world is a profile with its sample data in an embedded store.
type world struct {
	profile *profiles.Profile
	conn    *store.Connection
	session *session.Session
	dir     string
}

func newWorld(t *testing.T, name string, role session.Role) world {
	t.Helper()
	p, err := profiles.Open(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	db, err := embedded.Open(embedded.Options{Path: t.TempDir(), NoSync: true, Clock: func() time.Time { return moment }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	conn, err := store.Connect(t.Context(), store.Options{Embedded: db})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := session.CreateTables(t.Context(), p, conn); err != nil {
		t.Fatal(err)
	}
	if _, err := session.Seed(t.Context(), p, conn, sample.Options{Seed: 1, At: moment}); err != nil {
		t.Fatal(err)
	}
	w := world{profile: p, conn: conn, dir: t.TempDir()}
	w.session = session.New(session.Options{
		Profile: p, Store: conn.Reader(), Target: conn.Describe(), Role: role, Actor: "tester",
		StateDir: w.dir, JournalPath: filepath.Join(w.dir, "journal.jsonl"), Clock: func() time.Time { return moment },
	})
	return w
}

// ask runs a pattern to its end and returns the keys of its rows.
func (w world) ask(t *testing.T, p *accesspatterns.Pattern, args map[string]string, limit int) []string {
	t.Helper()
	var keys []string
	token := ""
	for {
		r, err := start(w.session, p, args, session.RunOptions{Limit: limit, Token: token, AllowScan: true})
		if err != nil {
			t.Fatalf("%s %v: %v", p.FullID(), args, err)
		}
		page, err := r.Next(t.Context())
		if err != nil {
			t.Fatalf("%s %v: %v", p.FullID(), args, err)
		}
		if r.Request().IsCount() {
			return []string{fmt.Sprint(page.Count)}
		}
		for _, it := range page.Items {
			keys = append(keys, p.Table.KeyText(it))
		}
		if !page.More {
			return keys
		}
		if len(page.Items) != limit {
			t.Fatalf("%s %v: a page of %d rows promises more; %d were asked for", p.FullID(), args, len(page.Items), limit)
		}
		if token, err = r.Token(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestEveryPatternAnswers runs every read pattern of every built-in profile
// with parameters taken from its sample data: all of them answer, each finds
// something, and reading in pages of three, or all at once, gives the same rows
// in the same order.
func TestEveryPatternAnswers(t *testing.T) {
	t.Parallel()
	for _, name := range profiles.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, name, session.Support)
			samples, err := sample.Items(w.profile, sample.Options{Seed: 1, At: moment})
			if err != nil {
				t.Fatal(err)
			}
			tries := map[string][]map[string]string{}
			for _, s := range samples {
				for _, r := range w.session.Related(s.Table, s.Item) {
					tries[r.Pattern.ID] = append(tries[r.Pattern.ID], r.Args)
				}
			}
			for _, p := range w.profile.Patterns {
				if p.IsRead() {
					w.answers(t, p, append(tries[p.ID], fixedArgs(p)...))
				}
			}
		})
	}
}

// fixedArgs are parameters for patterns that no item fills: the choices of an
// enum, a wide range of time.
func fixedArgs(p *accesspatterns.Pattern) []map[string]string {
	list := []map[string]string{{}}
	for _, q := range p.Params {
		switch {
		case q.Type == accesspatterns.Enum && q.Required:
			var more []map[string]string
			for _, v := range q.Enum {
				more = append(more, map[string]string{q.Name: v})
			}
			list = more
		case q.Type == accesspatterns.Timestamp && (q.Name == "from" || q.Name == "start" || q.Name == "since"):
			for _, args := range list {
				args[q.Name] = "now-20d"
			}
		}
	}
	return list
}

// empty names patterns that answer with nothing on sample data made as the
// document makes it: its appearances are searchable by colour alone (Z04).
var empty = map[string]bool{"zentriqvision.find-people-by-emotion": true}

func (w world) answers(t *testing.T, p *accesspatterns.Pattern, tries []map[string]string) {
	t.Helper()
	found := false
	seen := 0
	for _, args := range tries {
		for _, q := range p.Params {
			if q.Type == accesspatterns.Timestamp && (q.Name == "since" || q.Name == "from" || q.Name == "start") && args[q.Name] == "" && q.Default != "" {
				args[q.Name] = "now-20d"
			}
		}
		if _, err := w.session.Bind(p, args); err != nil {
			if errors.Is(err, accesspatterns.ErrParam) {
				continue // an argument list that lacks a parameter
			}
			t.Fatalf("%s %v: %v", p.FullID(), args, err)
		}
		all := w.ask(t, p, args, 1000)
		if len(all) > 1 && seen < 3 {
			seen++
			if diff := cmp.Diff(all, w.ask(t, p, args, 3)); diff != "" {
				t.Errorf("%s %v: pages of three differ (-all +paged):\n%s", p.FullID(), args, diff)
			}
			if diff := cmp.Diff(all, w.all(t, p, args, 1)); diff != "" {
				t.Errorf("%s %v: what is read at once differs (-pages +at once):\n%s", p.FullID(), args, diff)
			}
		}
		if found = found || len(all) > 0 && all[0] != "0"; found && seen >= 3 {
			return
		}
	}
	if !found && !empty[p.FullID()] {
		t.Errorf("%s found nothing in the sample data, asked %d ways", p.FullID(), len(tries))
	}
}

func TestRevealNeedsARoleAReasonAndAJournal(t *testing.T) {
	w := newWorld(t, "authbridge", session.Support)
	if err := w.session.Reveal(t.Context(), "x", "because"); !errors.Is(err, session.ErrRefused) {
		t.Fatalf("support: %v, want a refusal", err)
	}
	w = newWorld(t, "authbridge", session.Developer)
	if err := w.session.Reveal(t.Context(), "x", ""); !errors.Is(err, session.ErrInput) {
		t.Fatalf("no reason: %v, want an input error", err)
	}
	p, err := w.session.Pattern("list-verifications-by-date")
	if err != nil {
		t.Fatal(err)
	}
	r, err := start(w.session, p, map[string]string{"date": "yesterday"}, session.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	page, err := r.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(page.Items, func(it models.Item) bool { _, ok := it.Text("customerMetadata.email"); return ok })
	if i < 0 {
		t.Fatal("no sample has an e-mail address")
	}
	email, _ := page.Items[i].Text("customerMetadata.email")
	show := func() string {
		return string(w.session.Masker().Item(p.Table, page.Items[i]).AppendJSON(nil))
	}
	if strings.Contains(show(), email) {
		t.Fatal("the address is shown before a reveal")
	}
	if err := w.session.Reveal(t.Context(), "x", "because"); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(show(), email) {
		t.Fatal("the address is hidden after a reveal")
	}
	text, err := os.ReadFile(filepath.Join(w.dir, "journal.jsonl"))
	if err != nil || !strings.Contains(string(text), "because") {
		t.Fatalf("the journal does not hold the reason: %v", err)
	}
	w.session.Hide()
	if strings.Contains(show(), email) {
		t.Fatal("the address is shown after hiding")
	}
}

func TestRevealRefusesWithoutJournal(t *testing.T) {
	w := newWorld(t, "authbridge", session.Developer)
	blocked := filepath.Join(w.dir, "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := session.New(session.Options{
		Profile: w.profile, Store: w.conn.Reader(), Role: session.Developer, JournalPath: filepath.Join(blocked, "journal.jsonl"),
	})
	if err := s.Reveal(t.Context(), "x", "because"); err == nil {
		t.Fatal("revealed although the journal cannot be written")
	}
	if !s.Masker().Hides(models.PII) {
		t.Fatal("personal data is shown without a journal entry")
	}
}

// TestTokenHidesPersonalData: keys of the index hold phone numbers, so the
// token of a page must not.
func TestTokenHidesPersonalData(t *testing.T) {
	w := newWorld(t, "tazco", session.Support)
	samples, err := sample.Items(w.profile, sample.Options{Seed: 1, At: moment})
	if err != nil {
		t.Fatal(err)
	}
	p, err := w.session.Pattern("list-inbound-by-sender")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range samples {
		phone, ok := s.Item.Text("senderPhone")
		if !ok {
			continue
		}
		r, err := start(w.session, p, map[string]string{"senderPhone": phone}, session.RunOptions{Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		token, err := r.Token()
		if err != nil {
			t.Fatal(err)
		}
		if plain := decodeToken(t, token); strings.Contains(plain, strings.TrimPrefix(phone, "+")) {
			t.Fatalf("the token holds %s", phone)
		}
		if _, err := start(w.session, p, map[string]string{"senderPhone": phone}, session.RunOptions{Token: token}); err != nil {
			t.Fatalf("the token does not open again: %v", err)
		}
		if _, err := start(w.session, p, map[string]string{"senderPhone": "+1"}, session.RunOptions{Token: token}); !errors.Is(err, session.ErrInput) {
			t.Fatalf("another question took the token: %v", err)
		}
		return
	}
	t.Fatal("the samples hold no phone number")
}

func TestMissingIndexSaysSo(t *testing.T) {
	w := newWorld(t, "tazco", session.Support)
	p, err := w.session.Pattern("list-cards-by-status")
	if err != nil {
		t.Fatal(err)
	}
	s := session.New(session.Options{Profile: w.profile, Store: withoutIndexes{w.conn.Reader()}, Clock: func() time.Time { return moment }})
	r, err := start(s, p, map[string]string{"ecosystemId": "e", "status": "active"}, session.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Next(t.Context())
	if store.ClassOf(err) != store.IndexMissing || !strings.Contains(err.Error(), p.Read.Index.Name) {
		t.Fatalf("%v, want an error that names the index", err)
	}
}

// withoutIndexes describes tables as if they had no index.
type withoutIndexes struct{ store.Reader }

func (w withoutIndexes) DescribeTable(ctx context.Context, name string) (store.TableInfo, error) {
	info, err := w.Reader.DescribeTable(ctx, name)
	info.Indexes = slices.Clip(info.Indexes[:0:0])
	return info, err
}
