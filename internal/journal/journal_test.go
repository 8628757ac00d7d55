package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/internal/testing/memory"
)

// appendersEnv names a journal. With this variable, the test binary appends to the journal instead of running tests.
const appendersEnv = "DDBDESK_JOURNAL_TEST_APPEND"

func TestMain(m *testing.M) {
	if path := os.Getenv(appendersEnv); path != "" {
		if err := appendMany(path, 25); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(memory.Run(m))
}

func appendMany(path string, n int) error {
	j, err := Open(path)
	if err != nil {
		return err
	}
	for range n {
		if _, err := j.Append(context.Background(), intent("approve")); err != nil {
			return err
		}
	}
	return nil
}

func intent(subject string) Entry {
	return Entry{
		Kind: Intent, Actor: "ana", Role: "admin", Context: "dev", Region: "eu-central-1", Profile: "shop",
		Subject: subject, Detail: Detail{Key: "ORDER#1", Reason: "a < b & c"},
	}
}

// open returns a journal with a fixed clock.
func open(t *testing.T) *Journal {
	t.Helper()
	j, err := Open(filepath.Join(t.TempDir(), "state", "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	j.now = func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.FixedZone("", 3600)) }
	return j
}

func appendEntry(t *testing.T, j *Journal, e Entry) Entry {
	t.Helper()
	written, err := j.Append(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return written
}

func readAll(t *testing.T, path string) []Entry {
	t.Helper()
	var entries []Entry
	for e, err := range Read(path) {
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, e)
	}
	return entries
}

func verify(t *testing.T, path string) Report {
	t.Helper()
	report, err := Verify(path)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestAppendedEntriesAreReadBack(t *testing.T) {
	j := open(t)
	first := appendEntry(t, j, intent("approve"))
	outcome := appendEntry(t, j, first.Result("committed", Detail{Capacity: "4"}))
	odd := appendEntry(t, j, Entry{Kind: Reveal, Actor: "b\xffd", Subject: "get", Detail: Detail{Reason: "line\nbreak \"quoted\"\u202e"}})

	if diff := cmp.Diff([]Entry{first, outcome, odd}, readAll(t, j.Path())); diff != "" {
		t.Errorf("entries read back differ (-appended +read):\n%s", diff)
	}
	if first.Seq != 1 || outcome.Seq != 2 || outcome.Prev != first.Hash || outcome.ID != first.ID {
		t.Errorf("the chain is broken: %+v then %+v", first, outcome)
	}
	if len(first.ID) != 32 || odd.ID == first.ID {
		t.Errorf("the IDs %s and %s do not have 128 random bits", first.ID, odd.ID)
	}
	data, err := os.ReadFile(j.Path())
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"seq":1,"time":"2026-03-01T11:00:00.123Z","id":"`; !bytes.HasPrefix(data, []byte(want)) {
		t.Errorf("the journal starts with %.80s, want %s", data, want)
	}
	if report := verify(t, j.Path()); !report.OK() || report.Entries != 3 || report.Last != odd.Hash {
		t.Errorf("got report %+v, want 3 entries", report)
	}
}

func TestOnlyOwnerCanReadFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not keep file modes")
	}
	dir := filepath.Join(t.TempDir(), "state")
	path := filepath.Join(dir, "journal.jsonl")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	j, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	appendEntry(t, j, intent("approve"))
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 4 {
		t.Fatalf("got files %v, %v, want 4", files, err)
	}
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %o, want 0600", file, info.Mode().Perm())
		}
	}
}

func TestDefaultPathContainsWordJournal(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("DDBDESK_STATE_DIR", dir)
	if got, want := DefaultPath(), filepath.Join(dir, "journal.jsonl"); got != want {
		t.Errorf("DefaultPath() = %s, want %s", got, want)
	}
}

func TestPendingListsIntentsWithoutOutcome(t *testing.T) {
	j := open(t)
	done := appendEntry(t, j, intent("approve"))
	lost := appendEntry(t, j, intent("reject"))
	appendEntry(t, j, done.Result("conflict", Detail{}))
	appendEntry(t, j, Entry{Kind: Refusal, Subject: "approve"})

	pending, err := Pending(j.Path())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Entry{lost}, pending); diff != "" {
		t.Errorf("pending (-want +got):\n%s", diff)
	}
}

func TestAppendRejectsInvalidEntries(t *testing.T) {
	for name, test := range map[string]struct {
		entry Entry
		want  string
	}{
		"no kind":                  {Entry{Subject: "approve"}, `unknown kind ""`},
		"outcome without an ID":    {Entry{Kind: Outcome, Outcome: "committed"}, "ID of its intent"},
		"outcome without a result": {Entry{Kind: Outcome, ID: "1"}, "a result"},
		"longer than maxLine":      {Entry{Kind: Intent, Detail: Detail{Notes: strings.Repeat("x", maxLine)}}, "the maximum is 4194304"},
	} {
		t.Run(name, func(t *testing.T) {
			j := open(t)
			_, err := j.Append(t.Context(), test.entry)
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), j.Path()) {
				t.Errorf("got %v, want the path and %q", err, test.want)
			}
			if entries := readAll(t, j.Path()); len(entries) != 0 {
				t.Errorf("Append wrote a rejected entry: %+v", entries)
			}
		})
	}
}

func TestOpenAndAppendReportUnwritableFiles(t *testing.T) {
	t.Run("folder is a file", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(filepath.Join(file, "journal.jsonl")); err == nil || !strings.Contains(err.Error(), "open journal") {
			t.Errorf("got %v, want an open error", err)
		}
	})
	t.Run("journal is a folder", func(t *testing.T) {
		if _, err := Open(t.TempDir()); err == nil {
			t.Error("Open accepted a folder")
		}
	})
	t.Run("canceled while another writer has the lock", func(t *testing.T) {
		j := open(t)
		other, err := Open(j.Path())
		if err != nil {
			t.Fatal(err)
		}
		if err := other.lock.Lock(); err != nil {
			t.Fatal(err)
		}
		defer other.lock.Unlock() //nolint:errcheck // The test removes the file.
		ctx, cancel := context.WithTimeout(t.Context(), 3*lockRetry)
		defer cancel()
		if _, err := j.Append(ctx, intent("approve")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want a deadline error", err)
		}
	})
}

// After a crash in a write, or between a line and its head, the journal still has every reported entry.
func TestAppendContinuesAfterCrash(t *testing.T) {
	j := open(t)
	first := appendEntry(t, j, intent("approve"))
	headOfFirst, err := os.ReadFile(headPath(j.Path()))
	if err != nil {
		t.Fatal(err)
	}
	second := appendEntry(t, j, intent("reject"))
	if err := os.WriteFile(headPath(j.Path()), headOfFirst, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(j.Path(), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"seq":3,"ti`); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if report := verify(t, j.Path()); !report.OK() || report.Torn != 3 {
		t.Errorf("after a crash: got %+v", report)
	}
	var torn *LineError
	for _, err := range Read(j.Path()) {
		if err != nil && (!errors.As(err, &torn) || !torn.Torn || torn.Line != 3) {
			t.Errorf("unexpected error %v", err)
		}
	}
	if torn == nil {
		t.Error("Read does not report the unfinished line")
	}

	third := appendEntry(t, j, intent("approve"))
	if diff := cmp.Diff([]Entry{first, second, third}, readAll(t, j.Path())); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	if report := verify(t, j.Path()); !report.OK() || report.Torn != 0 {
		t.Errorf("after the next entry: got %+v", report)
	}
}

func TestGoroutinesAndProcessesAppendToOneChain(t *testing.T) {
	j := open(t)
	var processes []*exec.Cmd
	for range 2 {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), appendersEnv+"="+j.Path())
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		processes = append(processes, cmd)
	}
	var group sync.WaitGroup
	for range 10 {
		group.Go(func() {
			for range 5 {
				if _, err := j.Append(t.Context(), intent("approve")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Go(func() { // A second handle in the same process needs its own lock.
		if err := appendMany(j.Path(), 10); err != nil {
			t.Error(err)
		}
	})
	group.Wait()
	for _, cmd := range processes {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	report := verify(t, j.Path())
	if !report.OK() || report.Entries != 110 {
		t.Errorf("got %+v, want 110 intact entries", report)
	}
}

func BenchmarkAppend(b *testing.B) {
	j, err := Open(filepath.Join(b.TempDir(), "journal.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := j.Append(b.Context(), intent("approve")); err != nil {
			b.Fatal(err)
		}
	}
}
