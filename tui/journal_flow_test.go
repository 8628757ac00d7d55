package tui

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
)

// change applies an action to a case, as another program would.
func (f *queueFixture) change(n int, action, reason string) error {
	f.t.Helper()
	s := f.session()
	a, err := s.Planner.Action(action)
	if err != nil {
		f.t.Fatal(err)
	}
	p, err := s.Planner.Plan(context.Background(), a, map[string]string{"verificationId": f.id(n)}, reason)
	if err != nil {
		return err
	}
	_, err = s.Committer.Commit(context.Background(), p)
	return err
}

// A change whose answer was lost comes first, until the console reads its items. The user can undo an applied change.
func TestJournalResolvesAndUndoes(t *testing.T) {
	withCases(t, 3, func(t *testing.T, w *queueFixture) {
		w.transport.loseNext = true
		if err := w.change(1, "approve", "face matches"); !errors.Is(err, changes.ErrUnknown) {
			t.Fatalf("a change without a response returned %v, want an unknown outcome", err)
		}
		w.transport.failAll = false
		if err := w.change(2, "reject", "forged"); err != nil {
			t.Fatal(err)
		}
		tt := w.enter(wideSize, "a", "1 with unknown outcome")
		if _, y, _ := tt.Find("? unknown"); !strings.Contains(tt.Line(y), "▌") {
			t.Errorf("the unresolved change is not first:\n%s", tt.Screen())
		}
		tt.Reach("resolve it with o v first", "o", "u")
		tt.Reach("the change was applied: the items have the values that it wrote", "esc", "o", "v")
		tt.WaitForRemoval("with unknown outcome")
		if got := w.statuses(2); got != "approved rejected" {
			t.Errorf("statuses = %s, want approved rejected", got)
		}
		tt.Reach("│ what        Reject", "g")
		tt.Reach("Undo Reject", "o", "u")
		tt.Enter("the wrong one")
		tt.WaitFor("only if")
		tt.Advance(queueGrace)
		tt.Reach("✓ Done", "tab", "enter")
		tt.Advance(queueGrace)
		tt.Reach("Undo: Reject", "enter")
		tt.WaitFor("↶ undone")
		if got := w.statuses(2); got != "approved in_review" {
			t.Errorf("statuses = %s, want approved in_review", got)
		}
		tt.Reach("copied the entry", "y")
		if got := w.clip.read(); !strings.Contains(got, "what  ") || strings.Contains(got, "record") {
			t.Errorf("got copied text %q", got)
		}
		tt.Reach("1 Overview", "enter")
	})
}

// writeEarlierEntries writes journal entries of an earlier day.
func (f *queueFixture) writeEarlierEntries() {
	f.t.Helper()
	j, err := journal.Open(f.journal)
	if err != nil {
		f.t.Fatal(err)
	}
	add := func(e journal.Entry) journal.Entry {
		f.t.Helper()
		time.Sleep(time.Minute)
		e, err := j.Append(context.Background(), e)
		if err != nil {
			f.t.Fatal(err)
		}
		return e
	}
	entry := func(kind journal.Kind, id, action string, detail journal.Detail) journal.Entry {
		if detail.Entity != "" {
			detail.Table, detail.Key = "AuthBridgeTable", "CASE#"+f.id(1)+" / META"
			detail.Token, detail.Writes = strings.Repeat(id, 8), "2"
		}
		return journal.Entry{
			ID: strings.Repeat(id, 32), Kind: kind, Actor: "kagiso", Role: "admin", Endpoint: "embedded", Region: "af-south-1",
			Profile: "authbridge", Subject: "authbridge." + action, Detail: detail,
		}
	}
	moved := func(from, to, reason string) journal.Detail {
		return journal.Detail{Entity: "Verification", From: from, To: to, Reason: change.Reason(reason)}
	}
	add(entry(journal.Intent, "a", "claim-review", moved("pending_review", "in_review", "")))
	e := add(entry(journal.Intent, "b", "approve", moved("in_review", "approved", "documents match, face score 0.97")))
	add(e.Result("committed", journal.Detail{Capacity: "12"}))
	e = add(entry(journal.Intent, "c", "reject", moved("in_review", "rejected", "forged")))
	add(e.Result("conflict: nothing was written", journal.Detail{}))
	add(entry(journal.Refusal, "d", "approve", journal.Detail{Why: "role support cannot change items"}))
	add(entry(journal.Reveal, "e", "get-verification", journal.Detail{Reason: "the customer called"}))
}

func TestJournalShowsEntriesWithDetails(t *testing.T) {
	inQueueFixture(t, 1, func(_ *testing.T, w *queueFixture, size tuitest.Size) {
		w.writeEarlierEntries()
		tt := w.enter(size, "a", "journal verified: 7 entries of all schemas")
		tt.Golden("changes")
		tt.Reach("revealed", "v")
		tt.Reach("the entry is not a change", "down", "down", "o", "u")
		tt.Press("G", "tab")
		tt.Golden("details")
	})
}

func TestJournalReportsDamage(t *testing.T) {
	withCases(t, 1, func(t *testing.T, w *queueFixture) {
		w.writeEarlierEntries()
		text, err := os.ReadFile(w.journal)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(w.journal, []byte(strings.Replace(string(text), "0.97", "0.27", 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		tt := w.enter(wideSize, "a", "modified or is damaged")
		tt.Golden("tampered")
	})
}

// The verification covers all schemas. If the list is empty, the screen names the schemas with entries.
func TestJournalNamesOtherSchemasEntries(t *testing.T) {
	w := newQueueFixture(t, 1)
	j, err := journal.Open(w.journal)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.Append(t.Context(), journal.Entry{Kind: journal.Intent, Actor: "kagiso", Role: "admin", Profile: "tazco"}); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		w.t = t
		tt := w.enter(wideSize, "a", "No changes to authbridge yet")
		if tt.Has("/ filter") || tt.Has("v view") || tt.Has("tab details") {
			t.Errorf("an empty list offers keys for rows:\n%s", tt.Screen())
		}
		tt.WaitFor("Press 2 for sessions, including those of other schemas and databases")
		tt.Reach("1 session", ":audit")
	})
}

// The details contain the complete reason why an outcome is unknown.
func TestJournalExplainsUnresolvedOutcome(t *testing.T) {
	inQueueFixture(t, 1, func(_ *testing.T, w *queueFixture, size tuitest.Size) {
		w.writeEarlierEntries()
		tt := w.enter(size, "a", "journal verified: 7 entries of all schemas")
		tt.Reach("│ outcome still unknown:", "o", "v")
		tt.WaitFor("no record of")
	})
}
