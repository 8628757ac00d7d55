package journal

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
)

// The path may lead to another file by mistake, or to garbage after a power loss. Append must not change it.
func TestAppendLeavesOtherFilesUnchanged(t *testing.T) {
	for name, content := range map[string]string{
		"text":                       "precious",
		"text with a newline":        "precious\n",
		"zeros":                      strings.Repeat("\x00", 4096),
		"object of another program":  `{"seq":"first`,
		"entry with another number":  `{"seq":2,"time":"2026-`,
		"beginning and zeros":        `{"seq":1,"time":"` + strings.Repeat("\x00", 100),
		"beginning and invalid JSON": `{"seq":1,"time":"2026-03-01T11:00:00.123Z","id":}`,
		"object without a hash":      `{"seq":1,"time":"2026-03-01T11:00:00.123Z"}`,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "journal.jsonl")
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			j, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			_, err = j.Append(t.Context(), intent("approve"))
			if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "move all files journal.jsonl* and token.key away") {
				t.Errorf("got %v, want ErrDamaged", err)
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != content {
				t.Errorf("the file contains %.40q, %v, want no change", got, err)
			}
			if report := verify(t, path); report.OK() || report.Torn != 0 {
				t.Errorf("Verify reports %+v, want damage", report)
			}
		})
	}
}

func TestSymbolicLinksAreRejected(t *testing.T) {
	dir := t.TempDir()
	target, path := filepath.Join(dir, "precious"), filepath.Join(dir, "journal.jsonl")
	if err := os.WriteFile(target, []byte(`{"seq":1,`), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, path); err != nil {
		t.Skip("requires symbolic links: ", err)
	}
	if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "is a symbolic link") {
		t.Errorf("Open of a link: got %v", err)
	}
	if _, err := Verify(path); err == nil || !strings.Contains(err.Error(), "is a symbolic link") {
		t.Errorf("Verify of a link: got %v", err)
	}
	info, err := os.Stat(target)
	if err != nil || info.Size() != 9 {
		t.Errorf("the file has %d bytes, %v, want 9", info.Size(), err)
	}
}

// Append removes the start of an entry whose write was interrupted, wherever it ends.
func TestEveryLinePrefixIsReportedAsIncomplete(t *testing.T) {
	_, text, err := encodeEntry(Entry{Seq: 12, Kind: Intent, Subject: "é\u2028 \"quoted\"", Prev: "00"})
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n < len(text); n++ {
		if !isTorn(text[:n], 12) || !isTorn(text[:n], 0) {
			t.Errorf("isTorn rejected %q", text[:n])
		}
		if n > len(`{"seq":1`) && isTorn(text[:n], 13) {
			t.Errorf("isTorn accepted %q as entry 13", text[:n])
		}
	}
}

// If the disk is full at any step, Append restores the journal, so that no change is pending that was never sent.
func TestFailedAppendIsRemoved(t *testing.T) {
	diskFull := errors.New("disk full")
	for _, entries := range []int{0, 2} {
		for _, step := range []string{"write", "sync", "head", "head folder"} {
			j := open(t)
			for range entries {
				e := appendEntry(t, j, intent("approve"))
				appendEntry(t, j, e.Result("committed", Detail{}))
			}
			before := content(t, j)
			j.fault = func(s string) error {
				if s == step {
					return diskFull
				}
				return nil
			}
			if e, err := j.Append(t.Context(), intent("reject")); !errors.Is(err, diskFull) || e.ID != "" {
				t.Errorf("%s: got %v, %v, want the disk error", step, e, err)
			}
			if after := content(t, j); after != before {
				t.Errorf("%s after %d entries: before\n%s\nafter\n%s", step, entries, before, after)
			}
			j.fault = func(string) error { return nil }
			appendEntry(t, j, intent("approve"))
			if report := verify(t, j.Path()); !report.OK() || report.Entries != 2*entries+1 {
				t.Errorf("%s: got report %+v", step, report)
			}
		}
	}
}

func content(t *testing.T, j *Journal) string {
	t.Helper()
	var all []byte
	for _, path := range []string{j.Path(), headPath(j.Path())} {
		text, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		all = append(append(all, text...), '|')
	}
	return string(all)
}

// If Append cannot remove a failed entry, it returns the entry, so that the caller can write its outcome.
func TestAppendReturnsEntryThatItCannotRemove(t *testing.T) {
	j := open(t)
	first := appendEntry(t, j, intent("approve"))
	j.fault = func(s string) error {
		if s == "head" || s == "remove" {
			return errors.New(s + " failed")
		}
		return nil
	}
	entry, err := j.Append(t.Context(), intent("reject"))
	if err == nil || !strings.Contains(err.Error(), "head failed; the entry could not be removed: remove failed") || entry.Seq != 2 {
		t.Errorf("got %+v, %v, want the entry and both errors", entry, err)
	}
	j.fault = func(string) error { return nil }
	appendEntry(t, j, entry.Result("refused", Detail{}))
	if report := verify(t, j.Path()); !report.OK() || report.Entries != 3 {
		t.Errorf("got report %+v, want 3 entries", report)
	}
	if pending, err := Pending(j.Path()); err != nil || len(pending) != 1 || pending[0].ID != first.ID {
		t.Errorf("Pending() = %+v, %v, want the first entry", pending, err)
	}
	if !bytes.Contains([]byte(content(t, j)), []byte(`"refused"`)) {
		t.Error("the journal lacks the outcome")
	}
}

// Append rejects a second entry until it can write the head; otherwise the journal would count as truncated.
func TestAppendWritesMissingHeadFirst(t *testing.T) {
	j := open(t)
	broken := true
	j.Intercept(func(step string) error {
		if broken && (step == "head" || step == "remove") {
			return errors.New(step + " failed")
		}
		return nil
	})
	entry, err := j.Append(t.Context(), intent("approve"))
	if err == nil || entry.Seq != 1 {
		t.Fatalf("got %+v, %v, want entry 1 and an error", entry, err)
	}
	if e, err := j.Append(t.Context(), entry.Result("refused", Detail{})); err == nil || e.Seq != 0 {
		t.Errorf("Append wrote a second entry: %+v, %v", e, err)
	}
	if report := verify(t, j.Path()); !report.OK() || report.Entries != 1 {
		t.Errorf("got report %+v, want 1 entry", report)
	}
	broken = false
	if e := appendEntry(t, j, entry.Result("refused", Detail{})); e.Seq != 2 {
		t.Errorf("got %+v, want entry 2", e)
	}
	if report := verify(t, j.Path()); !report.OK() || report.Entries != 2 {
		t.Errorf("got report %+v, want 2 entries", report)
	}
}

// If the key shows that a journal existed, Verify reports its removal, and Append does not start a new journal.
func TestVerifyReportsRemovedJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	if r := verify(t, path); !r.OK() {
		t.Fatal(r.Problems)
	}
	if err := os.WriteFile(keyPath(path), bytes.Repeat([]byte{7}, appdir.KeySize), 0o600); err != nil {
		t.Fatal(err)
	}
	j, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	appendEntry(t, j, intent("approve"))
	appendEntry(t, j, intent("approve"))
	for _, file := range []string{path, headPath(path), path + ".lock"} {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 { // second round: an empty file; third: only the key remains
		if i == 2 && errors.Join(os.Remove(begunPath(path)), os.Remove(path)) != nil {
			t.Fatal("the test cannot remove the journal")
		}
		if r := verify(t, path); r.OK() || !strings.Contains(r.Problems[0].String(), "the journal is missing: it had entries since 20") {
			t.Errorf("got %+v, want a problem about the missing journal", r)
		}
		if j, err = Open(path); err != nil {
			t.Fatal(err)
		}
		if _, err := j.Append(t.Context(), intent("approve")); !errors.Is(err, ErrDamaged) {
			t.Error(err)
		}
	}
	if err := os.Remove(keyPath(path)); err != nil {
		t.Fatal(err)
	}
	appendEntry(t, j, intent("approve"))
}
