package reading_test

import (
	"context"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// Every read pattern of every built-in schema finds something for arguments from its sample data. Pages of three rows
// and a read of all pages return the same rows in the same order.
func TestEveryPatternReturnsItems(t *testing.T) {
	t.Parallel()
	fixture.EachSchema(t, session.Support, func(t *testing.T, w *fixture.Fixture, samples []sample.Item) {
		tries := map[string][]map[string]string{}
		for _, s := range samples {
			for _, r := range w.Workspace.Reading.Related(s.Table, s.Item) {
				tries[r.Pattern.ID] = append(tries[r.Pattern.ID], r.Args)
			}
		}
		for _, p := range w.Profile.Patterns {
			if p.IsRead() {
				checkResults(t, w, p, append(tries[p.ID], fixture.FixedArgs(p)...))
			}
		}
	})
}

// patternsWithoutResults contains the patterns that find no items, because the sample data indexes appearances only by
// color.
var patternsWithoutResults = map[string]bool{"zentriqvision.find-people-by-emotion": true}

func checkResults(t *testing.T, w *fixture.Fixture, p *accesspatterns.Pattern, tries []map[string]string) {
	t.Helper()
	found := false
	count := 0
	for _, args := range tries {
		for _, q := range p.Params {
			if q.Type == accesspatterns.Timestamp && (q.Name == "since" || q.Name == "from" ||
				q.Name == "start") && args[q.Name] == "" && q.Default != "" {
				args[q.Name] = "now-20d"
			}
		}
		if _, err := w.Workspace.Reading.Bind(p, args); err != nil {
			if errors.Is(err, accesspatterns.ErrParam) {
				continue // a required argument is missing
			}
			t.Fatalf("%s %v: %v", p.FullID(), args, err)
		}
		rows := w.Ask(t, p, args, 1000)
		if len(rows) > 1 && count < 3 {
			count++
			if diff := cmp.Diff(rows, w.Ask(t, p, args, 3)); diff != "" {
				t.Errorf("%s %v: pages of three return different rows (-all +paged):\n%s", p.FullID(), args, diff)
			}
			if diff := cmp.Diff(rows, readAll(t, w, p, args, 1)); diff != "" {
				t.Errorf("%s %v: a single read returns different rows (-paged +single):\n%s", p.FullID(), args, diff)
			}
		}
		if found = found || len(rows) > 0 && rows[0] != "0"; found && count >= 3 {
			return
		}
	}
	if !found && !patternsWithoutResults[p.FullID()] {
		t.Errorf("%s found nothing in the sample data with %d sets of arguments", p.FullID(), len(tries))
	}
}

// The index keys contain phone numbers, which a page token must not contain.
func TestTokenHidesPersonalData(t *testing.T) {
	w := fixture.New(t, "tazco", session.Support)
	samples := w.Samples(t)
	p, err := w.Workspace.Reading.Pattern("list-inbound-by-sender")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range samples {
		phone, ok := s.Item.Text("senderPhone")
		if !ok {
			continue
		}
		r, err := w.Workspace.Reading.Start(p, map[string]string{"senderPhone": phone}, reading.RunOptions{Limit: 1})
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
			t.Fatalf("the token contains the phone number %s", phone)
		}
		if _, err := w.Workspace.Reading.Start(p, map[string]string{"senderPhone": phone}, reading.RunOptions{Token: token}); err != nil {
			t.Fatalf("Start rejected the token: %v", err)
		}
		if _, err := w.Workspace.Reading.Start(
			p, map[string]string{"senderPhone": "+1"}, reading.RunOptions{Token: token},
		); !errors.Is(err, session.ErrInput) {
			t.Fatalf("another query: got %v, want an input error", err)
		}
		return
	}
	t.Fatal("no sample item has a phone number")
}

func TestMissingIndexIsReported(t *testing.T) {
	w := fixture.New(t, "tazco", session.Support)
	p, err := w.Workspace.Reading.Pattern("list-cards-by-status")
	if err != nil {
		t.Fatal(err)
	}
	s := workspace.New(session.Options{
		Profile: w.Profile, Store: withoutIndexes{w.Conn.Reader()}, Clock: func() time.Time { return fixture.Now },
	})
	r, err := s.Reading.Start(p, map[string]string{"ecosystemId": "e", "status": "active"}, reading.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Next(t.Context())
	if store.ClassOf(err) != store.IndexMissing || !strings.Contains(err.Error(), p.Read.Index.Name) {
		t.Fatalf("%v, want an error that names the index", err)
	}
}

// withoutIndexes describes tables without their indexes.
type withoutIndexes struct{ store.Reader }

func (w withoutIndexes) DescribeTable(ctx context.Context, name string) (store.TableInfo, error) {
	info, err := w.Reader.DescribeTable(ctx, name)
	info.Indexes = slices.Clip(info.Indexes[:0:0])
	return info, err
}

// decodeToken returns the decoded bytes of a page token.
func decodeToken(t *testing.T, token string) string {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
