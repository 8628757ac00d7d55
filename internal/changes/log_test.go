package changes_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
)

// The newest entries are read without the rest of the journal; a change without an outcome is shown however old it is.
func TestLogReadsTheEndOfTheJournal(t *testing.T) {
	w := actingAs(t, "kagiso", schemas.Open(t, "authbridge"), fixture.Connect(t, fixture.Database(t)))
	j, err := journal.Open(w.Workspace.Session.JournalPath())
	if err != nil {
		t.Fatal(err)
	}
	write := func(e journal.Entry) journal.Entry {
		t.Helper()
		e, err := j.Append(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	change := func(n int) journal.Entry {
		return w.Workspace.Session.Entry(journal.Intent, "authbridge.approve", journal.Detail{Key: fmt.Sprint(n)})
	}
	lost := write(change(0))
	for n := 1; n <= 20; n++ {
		write(write(change(n)).Result("committed", journal.Detail{}))
	}
	log, err := w.Workspace.Journal.Log(5)
	if err != nil || !log.More || len(log.Changes) != 6 {
		t.Fatalf("%d changes, more: %t, %v", len(log.Changes), log.More, err)
	}
	for i, want := range []string{"20", "19", "18", "17", "16", "0"} {
		if c := log.Changes[i]; c.Intent.Detail.Key != want || c.Open() != (want == "0") {
			t.Errorf("change %d is %s, open: %t", i, c.Intent.Detail.Key, c.Open())
		}
	}
	if log, err := w.Workspace.Journal.Log(1000); err != nil || log.More || len(log.Changes) != 21 {
		t.Errorf("%d changes of 21, more: %t, %v", len(log.Changes), log.More, err)
	}
	if open, err := w.Workspace.Journal.Open(); err != nil || len(open) != 1 || open[0].Intent.ID != lost.ID {
		t.Errorf("open: %+v, %v", open, err)
	}
}

// Segments that nothing asks for are not read: garbage in them is not noticed.
func TestLogLeavesOldSegmentsAlone(t *testing.T) {
	w := actingAs(t, "kagiso", schemas.Open(t, "authbridge"), fixture.Connect(t, fixture.Database(t)))
	w.PutCase(t, "ver_1")
	if err := approve(t, w.Workspace, "ver_1"); err != nil {
		t.Fatal(err)
	}
	path := w.Workspace.Session.JournalPath()
	segment := filepath.Join(filepath.Dir(path), filepath.Base(path)+".000001")
	if err := os.WriteFile(segment, []byte("garbage\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if log, err := w.Workspace.Journal.Log(1); len(log.Changes) != 1 || !log.More || err == nil {
		t.Errorf("with a segment that is not remembered: %d changes, more: %t, %v", len(log.Changes), log.More, err)
	}
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	if err := os.Chtimes(segment, old, old); err != nil {
		t.Fatal(err)
	}
	known := fmt.Sprintf(`[{"number":1,"size":8,"modified":%d,"after":"","end":{"seq":1,"hash":""},"balance":{"open":[],"closed":[]}}]`, old.UnixNano())
	if err := os.WriteFile(path+".verified", []byte(known), 0o600); err != nil {
		t.Fatal(err)
	}
	log, err := w.Workspace.Journal.Log(1)
	if err != nil || len(log.Changes) != 1 || !log.More || !log.Changes[0].Committed() {
		t.Errorf("%+v, %v", log, err)
	}
}
