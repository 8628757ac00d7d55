package tui

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
)

// record writes the sessions of two other users to a journal. One of them is an emergency.
func (f *queueFixture) record(path string, to *journal.Shipper) {
	f.t.Helper()
	j, err := journal.Open(path)
	if err != nil {
		f.t.Fatal(err)
	}
	j.SetShipper(to)
	add := func(e journal.Entry) journal.Entry {
		f.t.Helper()
		time.Sleep(time.Minute)
		e.Profile, e.Role = "authbridge", "developer"
		e, err := j.Append(context.Background(), e)
		if err != nil {
			f.t.Fatal(err)
		}
		return e
	}
	thato := journal.Entry{Actor: "thato", User: "77 (thato)", Session: "aaaa0000aaaa0000", Purpose: "customer cannot sign in", Ticket: "OPS-7", Context: "prod"}
	naledi := journal.Entry{Actor: "naledi", User: "78 (naledi)", Session: "bbbb1111bbbb1111", Purpose: "database is down", BreakGlass: true, Context: "prod"}
	as := func(of journal.Entry, kind journal.Kind, id, subject string, detail journal.Detail) journal.Entry {
		of.Kind, of.ID, of.Subject, of.Detail = kind, strings.Repeat(id, 32), subject, detail
		return of
	}
	add(as(thato, journal.Lookup, "a", "authbridge.get-verification", journal.Detail{
		Items: "1", Entities: "Verification 1", Capacity: "0.5", Duration: "4 ms", Arguments: strings.Repeat("5e", 16), Shown: "masked",
	}))
	add(as(thato, journal.Reveal, "b", "authbridge.get-verification", journal.Detail{Reason: "the customer called"}))
	approve := add(as(thato, journal.Intent, "c", "authbridge.approve", journal.Detail{
		Entity: "Verification", From: "in_review", To: "approved", Key: "CASE#" + f.id(1) + " / META", Table: "AuthBridgeTable",
		Record: "c2VhbGVk",
	}))
	add(approve.Result("committed", journal.Detail{Capacity: "12"}))
	add(as(naledi, journal.Export, "d", "authbridge.list-client-verifications", journal.Detail{Items: "30", Format: "csv", Shown: "masked"}))
}

func TestAuditListsSessionsAndTheirEntries(t *testing.T) {
	inQueueFixture(t, 1, func(t *testing.T, w *queueFixture, size tuitest.Size) {
		w.record(w.journal, nil)
		tt := w.enter(size, ":audit", "2 sessions")
		tt.Golden("sessions")
		tt.Press("/")
		tt.Type("OPS-7")
		tt.Reach("Entries of thato · OPS-7", "enter", "enter")
		tt.Press("G")
		tt.Golden("entries")
		if tt.Has("c2VhbGVk") {
			t.Error("the screen shows the encrypted record")
		}
		tt.Reach("╭ Sessions", "esc")
		tt.WaitFor("/ OPS-7")
	})
}

// A review with a note becomes a journal entry, and the session counts as reviewed. Users cannot review their own
// sessions.
func TestAuditRecordsReview(t *testing.T) {
	withCases(t, 1, func(t *testing.T, w *queueFixture) {
		w.record(w.journal, nil)
		if err := w.change(1, "reject", "forged"); err != nil {
			t.Fatal(err)
		}
		tt := w.enter(wideSize, ":audit", "3 sessions")
		tt.Reach("you are the user of session", "g", "o", "m")
		tt.Press("esc")
		tt.Press("/")
		tt.Type("naledi")
		tt.Reach("Mark reviewed · session naledi", "tab", "o", "m")
		tt.Reach("Note: missing", "enter")
		tt.Enter("agreed by phone")
		tt.WaitFor("recorded the review of the session of naledi")
		tt.WaitFor("✓ kagiso")
		tt.Reach("Without a review 2", "esc", "v")
		tt.Press("G")
		tt.WaitForRemoval("naledi")
		text, err := os.ReadFile(w.journal)
		if err != nil || !strings.Contains(string(text), `"kind":"review","actor":"kagiso"`) {
			t.Errorf("the journal lacks the review: %v\n%s", err, text)
		}
	})
}

// The sink also has the sessions of other machines. The screen reports modified entries above them.
func TestAuditReadsSink(t *testing.T) {
	withCases(t, 1, func(t *testing.T, w *queueFixture) {
		sink := journal.FileSink{Path: filepath.Join(t.TempDir(), "kept.jsonl")}
		w.record(filepath.Join(t.TempDir(), "elsewhere"), &journal.Shipper{Sink: sink})
		w.changeOptions = func(o *session.Options) { o.Shipper = &journal.Shipper{Sink: sink} }
		tt := w.enter(wideSize, ":audit", "No sessions ")
		tt.Reach("2 sessions · ✓ 5 entries verified", "o", "s")
		tt.WaitFor("file " + sink.Path[:12])
		tt.Reach("Entries of naledi", "enter")
		tt.WaitFor("All verifications of a client")
		tt.Press("esc")
		text, err := os.ReadFile(sink.Path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(sink.Path, []byte(strings.Replace(string(text), "OPS-7", "OPS-8", 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		tt.Reach("✗ 1 problem", "r")
		tt.WaitFor("modified after it was sent: entry 1")
		tt.Reach("No sessions ", "o", "s")
	})
}
