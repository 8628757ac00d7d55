package journal_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/profiles"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// A sink keeps copies in memory. If failed is set, Copies ends with it.
type sink struct {
	copies []journal.SinkEntry
	failed error
}

func (s *sink) Name() string { return "memory" }

func (s *sink) Send(_ context.Context, list []journal.SinkEntry) error {
	s.copies = append(s.copies, list...)
	return nil
}

func (s *sink) Copies(_ context.Context, part journal.Part) iter.Seq2[journal.SinkEntry, error] {
	return func(yield func(journal.SinkEntry, error) bool) {
		for _, k := range s.copies {
			if part.Has(k) && !yield(k, nil) {
				return
			}
		}
		if s.failed != nil {
			yield(journal.SinkEntry{}, s.failed)
		}
	}
}

// ship sends entries of a machine's journal, numbered from 1.
func (s *sink) ship(t *testing.T, machine string, list ...journal.Entry) {
	t.Helper()
	prev := ""
	for i, e := range list {
		e.Seq, e.Prev, e.ID = uint64(i+1), prev, machine+strconv.Itoa(i)
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(text)
		prev = hex.EncodeToString(sum[:])
		line := fmt.Sprintf(`%s,"hash":"%s"}`, text[:len(text)-1], prev)
		s.copies = append(s.copies, journal.SinkEntry{Origin: machine, Journal: "0123456789abcdef", Seq: e.Seq, Hash: prev, Entry: []byte(line)})
	}
}

// filledSink returns a sink with sessions of two users on two machines, with duplicates, and with entries of
// a version without sessions.
func filledSink(t *testing.T) *sink {
	at := func(m int) time.Time { return noon.Add(time.Duration(m) * time.Minute) }
	s := &sink{}
	s.ship(
		t, "desk 1 /journal",
		journal.Entry{Time: at(0), Kind: journal.Refusal, Actor: "old", Profile: "shop", Subject: "refund"},
		journal.Entry{
			Time: at(1), Kind: journal.Lookup, Actor: "ana", User: "1 (ana)", Session: "aa1", Purpose: "call", Ticket: "OPS-1",
			Context: "prod", Profile: "shop", Subject: "shop.get", Detail: journal.Detail{Items: "3", Client: "agent 1"},
		},
		journal.Entry{Time: at(2), Kind: journal.Intent, Actor: "ana", Session: "aa1", Profile: "shop", Subject: "refund"},
		journal.Entry{Time: at(3), Kind: journal.Outcome, Actor: "ana", Session: "aa1", Profile: "shop", Subject: "refund", Outcome: "committed"},
		journal.Entry{Time: at(9), Kind: journal.Review, Actor: "eve", Subject: "ab2", Detail: journal.Detail{Reason: "agreed by phone"}},
	)
	s.ship(
		t, "laptop 1 /journal",
		journal.Entry{Time: at(4), Kind: journal.Reveal, Actor: "ben", Identity: "arn:ben", Session: "ab2", Purpose: "down", BreakGlass: true, Profile: "shop"},
		journal.Entry{Time: at(5), Kind: journal.Export, Actor: "ben", Session: "ab2", Profile: "site", Subject: "x"},
	)
	s.copies = append(s.copies, s.copies[len(s.copies)-1])
	return s
}

func read(t *testing.T, s *sink, f journal.Filter) journal.Sessions {
	t.Helper()
	r, err := journal.SinkSource(s).Read(t.Context(), f, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestEntriesAreGroupedIntoSessions(t *testing.T) {
	r := read(t, filledSink(t), journal.Filter{})
	list := r.List
	if len(list) != 3 || r.Entries != 7 || r.Journals != 2 || len(r.Problems) != 0 {
		t.Fatalf("got %d sessions, %+v, want 3", len(list), r)
	}
	want := []*journal.Session{
		{
			ID: "ab2", Person: "ben", Identity: "arn:ben", Schemas: []string{"shop", "site"}, Clients: []string{}, Reason: "down", BreakGlass: true,
			Begun: noon.Add(4 * time.Minute), Ended: noon.Add(5 * time.Minute), Reveals: 1, Copies: 1,
			Subjects: []string{"export x", "reveal "}, Reviews: []journal.SessionReview{{noon.Add(9 * time.Minute), "eve", "agreed by phone"}},
		},
		{
			ID: "aa1", Person: "ana", Identity: "1 (ana)", Context: "prod", Schemas: []string{"shop"}, Clients: []string{"agent 1"}, Reason: "call",
			Ticket: "OPS-1", Begun: noon.Add(time.Minute), Ended: noon.Add(3 * time.Minute), Reads: 1, Items: 3, Changes: 1,
			Subjects: []string{"intent refund", "lookup shop.get"}, Reviews: []journal.SessionReview{},
		},
	}
	if diff := cmp.Diff(want, list[:2], cmpopts.IgnoreUnexported(journal.Session{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if s := list[2]; s.Person != "old" || s.Refusals != 1 || s.ID != "2026-11-23 old" {
		t.Errorf("got session %+v", s)
	}
}

func TestFilterSelectsSessions(t *testing.T) {
	for _, c := range []struct {
		filter journal.Filter
		want   []string
	}{
		{journal.Filter{Person: "ARN:"}, []string{"ab2"}},
		{journal.Filter{Person: "an"}, []string{"aa1"}},
		{journal.Filter{Ticket: "ops-1"}, []string{"aa1"}},
		{journal.Filter{Since: noon.Add(5 * time.Minute)}, []string{"ab2"}},
		{journal.Filter{BreakGlass: true}, []string{"ab2"}},
		{journal.Filter{Unreviewed: true}, []string{"aa1", "2026-11-23 old"}},
	} {
		list := read(t, filledSink(t), c.filter).List
		var got []string
		for _, s := range list {
			got = append(got, s.ID)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: got %v, want %v", c.filter, got, c.want)
		}
	}
	list := read(t, filledSink(t), journal.Filter{}).List
	for id, ok := range map[string]bool{"aa": true, "a": false, "ab2": true, "": false, "zz": false} {
		if _, found := journal.FindSession(list, id); found != ok {
			t.Errorf("FindSession(%q) found a session: %v", id, found)
		}
	}
}

// After an error, Read returns the sessions up to it, and reports no missing entries.
func TestReadErrorKeepsSessions(t *testing.T) {
	s := filledSink(t)
	s.failed, s.copies = errors.New("throttled"), s.copies[1:]
	r, err := journal.SinkSource(s).Read(t.Context(), journal.Filter{}, nil)
	if !errors.Is(err, s.failed) || len(r.List) != 2 || len(r.Problems) != 0 {
		t.Errorf("got %v, %+v, want the read error and 2 sessions", err, r)
	}
}

// Read ignores entries that were modified in the sink, and reports modified and missing ones.
func TestDamagedCopiesAreReported(t *testing.T) {
	s := filledSink(t)
	s.copies[1].Entry = []byte(strings.Replace(string(s.copies[1].Entry), "call", "none", 1))
	s.copies = slices.Delete(s.copies, 2, 3)
	r := read(t, s, journal.Filter{Person: "ana"})
	if len(r.Problems) != 2 || len(r.List) != 1 || r.List[0].Reason != "" || r.List[0].Reads != 0 {
		t.Errorf("got %+v with sessions %+v, want 2 problems", r, r.List)
	}
}

func TestSessionOpensToItsEntries(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	s := &sink{}
	o := session.Options{Profile: &profiles.Profile{Name: "shop"}, JournalPath: path, Shipper: &journal.Shipper{Sink: s}}
	record := func(id, subject string) {
		o.Purpose.Session, o.Actor = id, "ana"
		if err := session.NewViewer(o).Record(t.Context(), journal.Copy, subject, journal.Detail{}); err != nil {
			t.Fatal(err)
		}
	}
	record("a1", "first")
	record("b2", "other")
	record("a1", "second")
	record("b2", "last")
	o.Actor, o.Person.User = "eve", "2 (eve)"
	sources := session.NewViewer(o).Sources()
	if len(sources) != 2 || sources[0].Name() != "" || sources[1].Name() != "memory" {
		t.Fatalf("got sources %+v, want the journal and memory", sources)
	}
	for _, from := range sources {
		r, err := from.Read(t.Context(), journal.Filter{}, nil)
		if err != nil || len(r.Problems) > 0 || len(r.List) != 2 {
			t.Fatalf("got %v, %+v, want 2 sessions", err, r)
		}
		found, _ := journal.FindSession(r.List, "a1")
		list, err := from.Entries(t.Context(), found)
		if err != nil || len(list) != 2 || list[0].Subject != "first" || list[1].Subject != "second" {
			t.Errorf("got %v, %+v, want 2 entries", err, list)
		}
	}
}

// A review becomes an entry of its author. Users cannot review their own sessions, even under another name.
func TestReviewNeedsAnotherUser(t *testing.T) {
	s := filledSink(t)
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	s.ship(t, journal.Origin(path), journal.Entry{Kind: journal.Copy, Actor: "kim", User: "7 (kim)", Session: "cc3", Time: noon})
	review := func(actor, user, arn, id, note string) error {
		found, ok := journal.FindSession(read(t, s, journal.Filter{}).List, id)
		if !ok {
			t.Fatalf("session %s does not exist", id)
		}
		v := session.NewViewer(session.Options{
			Profile: &profiles.Profile{}, JournalPath: path, Actor: actor, Person: session.Person{User: user, ARN: arn},
			Shipper: &journal.Shipper{Sink: s},
		})
		return v.Review(t.Context(), found, note)
	}
	for _, c := range []struct{ actor, user, arn, id string }{
		{"ANA ", "9 (x)", "", "aa1"},       // the same name
		{"eve", "1 (ana)", "", "aa1"},      // the same account on another machine, if neither has an identity
		{"eve", "9 (x)", "ARN:ben", "ab2"}, // the same identity
		{"eve", "7 (kim)", "arn:e", "cc3"}, // the same account on this machine
	} {
		if err := review(c.actor, c.user, c.arn, c.id, "fine"); !errors.Is(err, session.ErrRefused) {
			t.Errorf("%+v: got %v, want a refusal", c, err)
		}
	}
	if err := review("eve", "2 (eve)", "", "aa1", " "); !errors.Is(err, session.ErrInput) {
		t.Errorf("without a note: got %v, want an input error", err)
	}
	if err := review("eve", "2 (eve)", "", "aa1", "agreed"); err != nil {
		t.Fatal(err)
	}
	list := read(t, s, journal.Filter{Person: "ana"}).List
	if len(list) != 1 || len(list[0].Reviews) != 1 || list[0].Reviews[0].Note != "agreed" || list[0].Reviews[0].By != "eve" {
		t.Errorf("got sessions %+v, want a review by eve", list)
	}
}
