package session_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/gofrs/flock"

	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/models"
)

func TestRevealNeedsRoleReasonAndJournal(t *testing.T) {
	w := fixture.New(t, "authbridge", session.Support)
	if err := w.Workspace.Session.Reveal(t.Context(), "x", "because"); !errors.Is(err, session.ErrRefused) {
		t.Fatalf("role support: got %v, want a refusal", err)
	}
	w = fixture.New(t, "authbridge", session.Developer)
	if err := w.Workspace.Session.Reveal(t.Context(), "x", ""); !errors.Is(err, session.ErrInput) {
		t.Fatalf("without a reason: got %v, want an input error", err)
	}
	p, err := w.Workspace.Reading.Pattern("list-verifications-by-date")
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.Workspace.Reading.Start(p, map[string]string{"date": "yesterday"}, reading.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	page, err := r.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(page.Items, func(it models.Item) bool { _, ok := it.Text("customerMetadata.email"); return ok })
	if i < 0 {
		t.Fatal("no sample item has an email address")
	}
	email, _ := page.Items[i].Text("customerMetadata.email")
	show := func() string {
		return string(w.Workspace.Session.Masker().Item(p.Table, page.Items[i]).AppendJSON(nil))
	}
	if strings.Contains(show(), email) {
		t.Fatal("the address is visible before the reveal")
	}
	if err := w.Workspace.Session.Reveal(t.Context(), "x", "because"); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(show(), email) {
		t.Fatal("the address is masked after the reveal")
	}
	text, err := os.ReadFile(filepath.Join(w.Dir, "journal.jsonl"))
	if err != nil || !strings.Contains(string(text), "because") {
		t.Fatalf("the journal lacks the reason: %v", err)
	}
	w.Workspace.Session.Hide()
	if strings.Contains(show(), email) {
		t.Fatal("the address is visible after hiding")
	}
}

func TestRevealRefusesWithoutJournal(t *testing.T) {
	w := fixture.New(t, "authbridge", session.Developer)
	blocked := filepath.Join(w.Dir, "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := session.New(session.Options{
		Profile: w.Profile, Store: w.Conn.Reader(), Role: session.Developer, JournalPath: filepath.Join(blocked, "journal.jsonl"),
	})
	if err := s.Reveal(t.Context(), "x", "because"); err == nil {
		t.Fatal("Reveal succeeded without a journal")
	}
	if !s.Masker().Hides(models.PII) {
		t.Fatal("personal data is visible without a journal entry")
	}
}

type brokenSink struct{ journal.Sink }

func (brokenSink) Name() string { return "broken" }

func (brokenSink) Send(context.Context, []journal.SinkEntry) error { return errors.New("no route") }

func TestJournalRefusesRevealWithoutRequiredSink(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	s := session.New(session.Options{
		Profile: schemas.Open(t, "authbridge"), Role: session.Developer, JournalPath: path,
		Shipper: &journal.Shipper{Sink: brokenSink{}, Required: true},
	})
	if err := s.Reveal(t.Context(), "x", "because"); !errors.Is(err, journal.ErrUnshipped) || !s.Masker().Hides(models.PII) {
		t.Errorf("got %v, want a refusal and masked data", err)
	}
	for e, err := range journal.Backward(path) {
		if err != nil || e.Kind != journal.Refusal || !strings.Contains(e.Detail.Why, "no route") {
			t.Errorf("the journal ends with %+v, %v, want the refusal", e, err)
		}
		break
	}
}

// Every frame uses the masker, so the masker must not wait while a reveal waits for the journal.
func TestMaskerDoesNotWaitForJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	s := session.New(session.Options{Profile: schemas.Open(t, "authbridge"), Role: session.Developer, JournalPath: path})
	other := flock.New(path + ".lock")
	if err := other.Lock(); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		revealed := make(chan error, 1)
		go func() { revealed <- s.Reveal(ctx, "x", "because") }()
		synctest.Wait()
		if !s.Masker().Hides(models.PII) {
			t.Error("personal data is visible before the journal entry")
		}
		cancel()
		if err := <-revealed; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context.Canceled", err)
		}
	})
	if err := other.Unlock(); err != nil {
		t.Fatal(err)
	}
}
