package session_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/models"
)

// caseStore returns a case of authbridge from every read. The name in it is personal data.
type caseStore struct{ answeringStore }

const secretName = "Boitumelo Kgosi"

func (*caseStore) Fetch(context.Context, accesspatterns.Leg, models.Item, int) (accesspatterns.Page, error) {
	return accesspatterns.Page{Items: []models.Item{{
		"PK": models.StringValue("CASE#ver_1"), "SK": models.StringValue("META"), "name": models.StringValue(secretName),
	}}}, nil
}

func newLookupSession(t *testing.T, journaled bool) *session.Session {
	t.Helper()
	dir := t.TempDir()
	return session.New(session.Options{
		Profile: schemas.Open(t, "authbridge"), Store: &caseStore{}, Role: session.Developer, JournalReads: &journaled,
		JournalPath: filepath.Join(dir, "journal.jsonl"), StateDir: dir,
	})
}

func entries(t *testing.T, s *session.Session) []journal.Entry {
	t.Helper()
	var list []journal.Entry
	for e, err := range journal.Read(s.JournalPath()) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	return list
}

func fetchCase(ctx context.Context, s *session.Session) error {
	table := s.Profile().Tables[0]
	_, err := s.Store().Fetch(ctx, accesspatterns.GetLeg(table, models.Item{"PK": models.StringValue("CASE#ver_1")}), nil, 0)
	return err
}

// A request outside of a lookup gets its own entry, so that no read bypasses the journal.
func TestReadOutsideLookupIsJournaled(t *testing.T) {
	s := newLookupSession(t, true)
	if err := fetchCase(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Store().Fetch(t.Context(), accesspatterns.BatchLeg(&models.Table{Name: "other"}, nil), nil, 0); err != nil {
		t.Fatal(err)
	}
	list := entries(t, s)
	if len(list) != 2 || list[0].Subject != "GetItem "+s.Profile().Tables[0].Name || list[1].Subject != "BatchGetItem other" {
		t.Fatalf("got entries %+v, want GetItem and BatchGetItem", list)
	}
	for i, want := range []string{"Verification 1", "other 1"} {
		if d := list[i].Detail; !strings.HasSuffix(d.Entities, want) || d.Items != "1" || d.Shown != "masked" || d.Duration == "" {
			t.Errorf("got %+v, want %s", d, want)
		}
	}
	text, err := os.ReadFile(s.JournalPath())
	if err != nil || strings.Contains(string(text), secretName) || strings.Contains(string(text), "ver_1") {
		t.Errorf("the journal contains a name or a value: %s, %v", text, err)
	}
}

func TestLookupWritesOneJournalEntry(t *testing.T) {
	s := newLookupSession(t, true)
	ctx, end := s.BeginLookup(t.Context(), &session.Lookup{Subject: "find", Arguments: map[string]string{"value": "ver_1"}})
	inner, endInner := s.BeginLookup(ctx, &session.Lookup{Subject: "inner"})
	for range 3 {
		if err := fetchCase(inner, s); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(endInner(nil), end(errSent)); !errors.Is(err, errSent) {
		t.Fatal(err)
	}
	list := entries(t, s)
	if len(list) != 1 || list[0].Subject != "find" || list[0].Detail.Items != "3" || list[0].Detail.Why != "failed" ||
		len(list[0].Detail.Arguments) != 32 {
		t.Errorf("got entries %+v, want one with hashed arguments", list)
	}
}

// During a long read, the journal gets an entry for every 10,000 items, before the read ends.
func TestLongReadHasSeveralEntries(t *testing.T) {
	s := newLookupSession(t, true)
	ctx, end := s.BeginLookup(t.Context(), &session.Lookup{Subject: "all"})
	for range 10_001 {
		if err := fetchCase(ctx, s); err != nil {
			t.Fatal(err)
		}
	}
	if list := entries(t, s); len(list) != 1 || list[0].Detail.Items != "10000" || list[0].Detail.Notes != "continues" {
		t.Errorf("got entries %+v, want one that continues", list)
	}
	if err := end(nil); err != nil {
		t.Fatal(err)
	}
	if list := entries(t, s); len(list) != 2 || list[1].Detail.Items != "1" {
		t.Errorf("got entries %+v, want 2", list)
	}
}

// A changingStore has a stream that returns every record once.
type changingStore struct {
	caseStore

	records []store.Record
}

func (s *changingStore) Follow(context.Context, string, time.Time) (store.Follower, error) {
	return s, nil
}

func (*changingStore) View() models.StreamView { return models.StreamBoth }

func (*changingStore) More() bool { return false }

func (s *changingStore) Next(context.Context) (records []store.Record, gap bool, err error) {
	records, s.records = s.records, nil
	return records, len(records) > 0, nil
}

// A stream does not return its records again, so a read after the journal works again must return them.
func TestUnjournaledChangesAreReturnedByNextRead(t *testing.T) {
	dir, journaled := t.TempDir(), true
	s := session.New(session.Options{
		Profile: schemas.Open(t, "authbridge"), Role: session.Developer, JournalReads: &journaled, StateDir: dir,
		Store:       &changingStore{records: []store.Record{{Sequence: "1"}, {Sequence: "2"}}},
		JournalPath: filepath.Join(dir, "journal.jsonl"),
	})
	f, err := s.Store().Follow(t.Context(), s.Profile().Tables[0].Name, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(s.JournalPath(), 0o700); err != nil {
		t.Fatal(err)
	}
	if records, gap, err := f.Next(t.Context()); err == nil || len(records) > 0 || gap {
		t.Fatalf("without a journal: got %v, %t, %v", records, gap, err)
	}
	if err := os.Remove(s.JournalPath()); err != nil {
		t.Fatal(err)
	}
	if records, gap, err := f.Next(t.Context()); err != nil || len(records) != 2 || !gap {
		t.Errorf("with a writable journal again: got %v, %t, %v, want 2 records and a gap", records, gap, err)
	}
	if list := entries(t, s); len(list) != 1 || list[0].Detail.Items != "2" {
		t.Errorf("got entries %+v, want one about 2 items", list)
	}
	if records, gap, err := f.Next(t.Context()); err != nil || len(records) > 0 || gap {
		t.Errorf("the next read: got %v, %t, %v, want no records", records, gap, err)
	}
}

func TestUnjournaledReadsShowNothing(t *testing.T) {
	s := newLookupSession(t, true)
	if err := os.MkdirAll(s.JournalPath(), 0o700); err != nil {
		t.Fatal(err)
	}
	table := s.Profile().Tables[0]
	page, err := s.Store().Fetch(t.Context(), accesspatterns.GetLeg(table, models.Item{}), nil, 0)
	if err == nil || len(page.Items) != 0 || !strings.Contains(err.Error(), "nothing is shown") {
		t.Errorf("got %v, %v, want no items", page.Items, err)
	}
	page, err = s.Store().Fetch(t.Context(), accesspatterns.BatchLeg(table, nil), nil, 0)
	if err == nil || len(page.Items) != 0 {
		t.Errorf("got %v, %v, want no items", page.Items, err)
	}
	if err := s.RecordExport(t.Context(), journal.Copy, "a row", journal.Detail{}); err == nil {
		t.Error("RecordExport succeeded without a journal")
	}
}

func TestReadsAreJournaledOnProduction(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		reads      *bool
		production *bool
		want       bool
	}{{nil, &yes, true}, {nil, &no, false}, {&yes, &no, true}, {&no, &yes, false}} {
		o := session.Options{Profile: schemas.Open(t, "authbridge"), JournalReads: c.reads, Declared: session.Declaration{Production: c.production}}
		if got := o.JournalsReads(); got != c.want {
			t.Errorf("%v, production %v: JournalsReads() = %v, want %v", c.reads, c.production, got, c.want)
		}
	}
	s := newLookupSession(t, false)
	if err := fetchCase(t.Context(), s); err != nil || len(entries(t, s)) != 0 {
		t.Error(err)
	}
}
