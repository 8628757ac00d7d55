package changes_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
)

// The log reads the newest entries without the rest of the journal. It includes a change without an outcome of any age.
func TestLogReadsEndOfJournal(t *testing.T) {
	w := fixtureAs(t, "kagiso", schemas.Open(t, "authbridge"), fixture.Connect(t, fixture.Database(t)))
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
		t.Fatalf("Log() = %d changes, more: %t, %v, want 6 and more", len(log.Changes), log.More, err)
	}
	for i, want := range []string{"20", "19", "18", "17", "16", "0"} {
		if c := log.Changes[i]; c.Intent.Detail.Key != want || c.Open() != (want == "0") {
			t.Errorf("change %d has the key %s, open: %t", i, c.Intent.Detail.Key, c.Open())
		}
	}
	if log, err := w.Workspace.Journal.Log(1000); err != nil || log.More || len(log.Changes) != 21 {
		t.Errorf("Log(1000) = %d changes, more: %t, %v, want 21", len(log.Changes), log.More, err)
	}
	if open, err := w.Workspace.Journal.Open(); err != nil || len(open) != 1 || open[0].Intent.ID != lost.ID {
		t.Errorf("Open() = %+v, %v, want the lost change", open, err)
	}
}

// Changes and remarks both count towards the limit. The log skips at most twenty entries of other databases for each
// requested entry.
func TestLogIsBounded(t *testing.T) {
	w := fixtureAs(t, "kagiso", schemas.Open(t, "authbridge"), fixture.Connect(t, fixture.Database(t)))
	remote := w.Options()
	remote.Target = store.Target{Region: "eu-west-1"}
	j, err := journal.Open(w.Workspace.Session.JournalPath())
	if err != nil {
		t.Fatal(err)
	}
	write := func(console *workspace.Workspace, kind journal.Kind, n int) {
		t.Helper()
		for range n {
			if _, err := j.Append(t.Context(), console.Session.Entry(kind, "authbridge.approve", journal.Detail{})); err != nil {
				t.Fatal(err)
			}
		}
	}
	countRemarks := func(limit int) (n int, more bool) {
		t.Helper()
		log, err := w.Workspace.Journal.Log(limit)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range log.Changes {
			if !c.Open() {
				t.Errorf("%+v has an outcome", c)
			}
		}
		return len(log.Remarks), log.More
	}
	other := w.Open(remote)
	write(w.Workspace, journal.Refusal, 3)
	write(other, journal.Refusal, 19)
	if n, more := countRemarks(1); n != 1 || !more {
		t.Errorf("with 19 later remarks: got %d, more: %t, want 1 and more", n, more)
	}
	write(other, journal.Refusal, 1)
	if n, more := countRemarks(1); n != 0 || !more {
		t.Errorf("with 20 later remarks: got %d, more: %t, want 0 and more", n, more)
	}
	if n, more := countRemarks(2); n != 2 || !more {
		t.Errorf("with limit 2: got %d remarks, more: %t, want 2 and more", n, more)
	}
	write(w.Workspace, journal.Intent, 2)
	if log, err := w.Workspace.Journal.Log(4); err != nil || len(log.Changes) != 2 || len(log.Remarks) != 2 || !log.More {
		t.Errorf("with limit 4: got %+v, %v", log, err)
	}
	if log, err := w.Workspace.Journal.Log(6); err != nil || len(log.Changes) != 2 || len(log.Remarks) != 3 || log.More {
		t.Errorf("with limit 6: got %+v, %v", log, err)
	}
}

// The log includes the creation of sample data.
func TestLogRecordsSetups(t *testing.T) {
	w := fixtureAs(t, "kagiso", schemas.Open(t, "authbridge"), fixture.Connect(t, fixture.Database(t)))
	ended, err := w.Workspace.Session.Setup(t.Context(), "authbridge.seed")
	if err != nil {
		t.Fatal(err)
	}
	if err := ended("committed", nil); err != nil {
		t.Fatal(err)
	}
	if log, err := w.Workspace.Journal.Log(10); err != nil || len(log.Remarks) != 1 || log.Remarks[0].Kind != journal.Setup {
		t.Errorf("got %+v, %v, want one remark about the setup", log, err)
	}
}

// The log does not read old segments that it does not need, so it does not notice garbage in them.
func TestLogSkipsOldSegments(t *testing.T) {
	w := fixtureAs(t, "kagiso", schemas.Open(t, "authbridge"), fixture.Connect(t, fixture.Database(t)))
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
		t.Errorf("with an unverified segment: got %d changes, more: %t, %v", len(log.Changes), log.More, err)
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
		t.Errorf("got %+v, %v, want one committed change", log, err)
	}
}
