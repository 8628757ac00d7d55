package journal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// segmentedJournal returns a journal of n entries, with three in each segment.
func segmentedJournal(t *testing.T, n int) (*Journal, []Entry) {
	t.Helper()
	j := open(t)
	j.maxFileSize = 1000
	var written []Entry
	for range n {
		written = append(written, appendEntry(t, j, intent("approve")))
	}
	return j, written
}

// ageSegments makes the segments old enough for the list of verified segments.
func ageSegments(t *testing.T, j *Journal) []segment {
	t.Helper()
	list, err := sealedSegments(j.Path())
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range list {
		at := time.Now().Add(-time.Hour + time.Duration(i)*time.Second)
		if err := os.Chtimes(s.path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// rewrite changes a segment but keeps its modification time.
func rewrite(t *testing.T, path string, edit func([]byte) []byte) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, edit(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
}

func TestFullFilesAreSealed(t *testing.T) {
	j, written := segmentedJournal(t, 10)
	list := ageSegments(t, j)
	if len(list) != 3 || list[2].path != j.Path()+".000003" {
		t.Fatalf("got segments %v, want 3", list)
	}
	for _, s := range list {
		if info, err := os.Stat(s.path); err != nil || info.Mode().Perm()&0o277 != 0 {
			t.Errorf("%s has mode %v, %v", s.path, info.Mode(), err)
		}
	}
	if diff := cmp.Diff(written, readAll(t, j.Path())); diff != "" {
		t.Errorf("entries (-appended +read):\n%s", diff)
	}
	for name, report := range map[string]func(string) (Report, error){"Verify": Verify, "VerifyChanged": VerifyChanged} {
		if r, err := report(j.Path()); err != nil || !r.OK() || r.Entries != 10 || r.Last != written[9].Hash {
			t.Errorf("%s: got %+v, %v, want 10 entries", name, r, err)
		}
	}
}

// Earlier versions wrote one file of any size.
func TestJournalsInOneFileAreContinued(t *testing.T) {
	j := open(t)
	var written []Entry
	for range 20 {
		written = append(written, appendEntry(t, j, intent("approve")))
	}
	j.maxFileSize = 1000
	written = append(written, appendEntry(t, j, intent("approve")))
	if list := ageSegments(t, j); len(list) != 1 {
		t.Errorf("got segments %v, want 1", list)
	}
	if diff := cmp.Diff(written, readAll(t, j.Path())); diff != "" {
		t.Errorf("entries (-appended +read):\n%s", diff)
	}
	if r := verify(t, j.Path()); !r.OK() || r.Entries != 21 {
		t.Errorf("got report %+v, want 21 entries", r)
	}
}

// A crash may happen after a file was sealed and before the next entry is written, even with a head one entry behind.
func TestAppendContinuesAfterCrashWhileSealing(t *testing.T) {
	for _, staleHead := range []bool{false, true} {
		j, written := segmentedJournal(t, 6)
		if staleHead {
			if err := (position{Seq: 5, Hash: written[4].Hash}).write(j.Path()); err != nil {
				t.Fatal(err)
			}
		}
		next, err := nextSegment(j.Path())
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(j.Path(), next); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if r := verify(t, j.Path()); !r.OK() || r.Entries != len(written) {
				t.Errorf("after the crash: got %+v", r)
			}
			written = append(written, appendEntry(t, j, intent("approve")))
		}
		if diff := cmp.Diff(written, readAll(t, j.Path())); diff != "" {
			t.Errorf("entries (-appended +read):\n%s", diff)
		}
	}
}

func TestVerifyNamesModifiedSegments(t *testing.T) {
	for name, test := range map[string]struct {
		tamper func(t *testing.T, j *Journal)
		want   string
	}{
		"line changed": {func(t *testing.T, j *Journal) {
			rewrite(t, segmentPath(j.Path(), 2), func(b []byte) []byte { return bytes.Replace(b, []byte("ana"), []byte("eve"), 1) })
		}, "journal.jsonl.000002 line 1: entry 4 was changed"},
		"line removed": {func(t *testing.T, j *Journal) {
			rewrite(t, segmentPath(j.Path(), 2), func(b []byte) []byte { return b[bytes.IndexByte(b, '\n')+1:] })
		}, "journal.jsonl.000002 line 1: entry 4 is missing before it"},
		"newline removed": {func(t *testing.T, j *Journal) {
			rewrite(t, segmentPath(j.Path(), 1), func(b []byte) []byte { return b[:len(b)-1] })
		}, "journal.jsonl.000001 line 3: line is not the beginning of an entry"},
		"segment removed": {func(t *testing.T, j *Journal) {
			if err := os.Remove(segmentPath(j.Path(), 2)); err != nil {
				t.Fatal(err)
			}
		}, "journal.jsonl.000003 line 1: entries 4 to 6 are missing before it"},
		"active file removed": {func(t *testing.T, j *Journal) {
			if err := os.Remove(j.Path()); err != nil {
				t.Fatal(err)
			}
		}, "the journal is missing; according to its head file it had 10 entries"},
		"segments swapped": {func(t *testing.T, j *Journal) {
			a, b := segmentPath(j.Path(), 1), segmentPath(j.Path(), 2)
			if err := errors.Join(os.Rename(a, a+"x"), os.Rename(b, a), os.Rename(a+"x", b)); err != nil {
				t.Fatal(err)
			}
		}, "entry 4 comes before entry 1: lines were moved"},
	} {
		t.Run(name, func(t *testing.T) {
			j, _ := segmentedJournal(t, 10)
			ageSegments(t, j)
			test.tamper(t, j)
			for check, report := range map[string]func(string) (Report, error){"Verify": Verify, "VerifyChanged": VerifyChanged} {
				r, err := report(j.Path())
				if err != nil || !slices.ContainsFunc(r.Problems, func(p Problem) bool { return strings.Contains(p.String(), test.want) }) {
					t.Errorf("%s: got %v, %v, want %s", check, r.Problems, err, test.want)
				}
			}
		})
	}
}

// VerifyChanged skips segments whose size and modification time are unchanged. Verify reads all of them.
func TestVerifyChangedSkipsVerifiedSegments(t *testing.T) {
	j, _ := segmentedJournal(t, 10)
	ageSegments(t, j)
	changed := func() Report {
		t.Helper()
		r, err := VerifyChanged(j.Path())
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := changed(); !r.OK() {
		t.Fatalf("got report %+v", r)
	}
	if known := readVerified(j.Path()); len(known) != 3 || known[2].End.Seq != 9 {
		t.Errorf("got verified segments %+v, want 3", known)
	}
	segment := segmentPath(j.Path(), 2)
	rewrite(t, segment, func(b []byte) []byte { return bytes.Replace(b, []byte("ana"), []byte("eve"), 1) })
	if r := changed(); !r.OK() || r.Entries != 10 {
		t.Errorf("VerifyChanged read a segment that looks unchanged: %+v", r)
	}
	if r := verify(t, j.Path()); r.OK() {
		t.Error("Verify skips a verified segment")
	}
	now := time.Now().Add(-time.Minute)
	if err := os.Chtimes(segment, now, now); err != nil {
		t.Fatal(err)
	}
	if r := changed(); r.OK() {
		t.Error("VerifyChanged skips a segment with another modification time")
	}
	for _, text := range []string{"", "null", "[{}]", "\x00"} {
		if err := os.WriteFile(verifiedPath(j.Path()), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if r := changed(); r.OK() {
			t.Errorf("with %q beside it, a changed segment has no problem", text)
		}
	}
}

// Pending skips verified segments without open changes. To prove it, the test replaces them with garbage of the same
// size and time.
func TestPendingReadsOnlySegmentsWithOpenChanges(t *testing.T) {
	path := grownJournal(t, 20_000, false)
	list, err := sealedSegments(path)
	if err != nil || len(list) < 3 {
		t.Fatalf("got %d segments, %v, want at least 3", len(list), err)
	}
	opened := dropOutcome(t, list[1].path)
	if pending, err := Pending(path); err != nil || len(pending) != 1 || pending[0].ID != opened {
		t.Fatalf("before verification: got %d open changes, %v, want 1", len(pending), err)
	}
	known := verifiedSegments{}
	for _, s := range list {
		info, err := os.Stat(s.path)
		if err != nil {
			t.Fatal(err)
		}
		b := balanceOf(s.entries(), new([]error))
		known = append(known, verifiedSegment{Number: s.number, Size: info.Size(), Modified: info.ModTime().UnixNano(), Balance: &b})
	}
	if err := known.save(path); err != nil {
		t.Fatal(err)
	}
	for i, s := range list {
		if i == 1 {
			continue
		}
		if err := errors.Join(os.WriteFile(s.path, make([]byte, known[i].Size), 0o600), os.Chtimes(s.path, time.Time{}, time.Unix(0, known[i].Modified))); err != nil {
			t.Fatal(err)
		}
	}
	if pending, err := Pending(path); err != nil || len(pending) != 1 || pending[0].ID != opened {
		t.Errorf("got %d open changes, %v, want 1", len(pending), err)
	}
}

// dropOutcome removes an outcome from a file and returns the ID of its change.
func dropOutcome(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	const after = 2 // The first outcome may belong to a change of the previous segment.
	i := after + slices.IndexFunc(lines[after:], func(l []byte) bool { return bytes.Contains(l, []byte(`"kind":"outcome"`)) })
	id, _, _ := idAndKind(lines[i])
	if err := os.WriteFile(path, bytes.Join(slices.Delete(lines, i, i+1), nil), 0o600); err != nil {
		t.Fatal(err)
	}
	return id
}

// The list of verified segments also contains their open changes.
func TestVerifiedSegmentsListOpenChanges(t *testing.T) {
	path := grownJournal(t, 13_000, false)
	if r, err := VerifyChanged(path); err != nil || !r.OK() {
		t.Fatalf("got report %+v, %v", r, err)
	}
	list, err := sealedSegments(path)
	if err != nil || len(list) < 2 {
		t.Fatalf("got %d segments, %v, want at least 2", len(list), err)
	}
	for _, s := range list {
		got, ok := readVerified(path).balance(s)
		want := balanceOf(s.entries(), new([]error))
		if !ok || !slices.Equal(got.Open, want.Open) || !slices.Equal(got.Closed, want.Closed) || len(got.Open)+len(got.Closed) > 2 {
			t.Errorf("%s: got %+v, %t, want %+v", s.path, got, ok, want)
		}
	}
}

// While other processes append and seal, readers get every entry once.
func TestReadersSeeEveryEntryWhileFilesAreSealed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	var writers, readers sync.WaitGroup
	for range 3 {
		j, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		j.maxFileSize = 1000
		writers.Go(func() {
			for range 40 {
				if _, err := j.Append(t.Context(), intent("approve")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	for _, look := range []func() error{
		func() error {
			next := uint64(1)
			for e, err := range Read(path) {
				torn, is := errors.AsType[*LineError](err)
				if is && torn.Torn {
					continue
				}
				if err != nil {
					return err
				}
				if e.Seq != next {
					return fmt.Errorf("got entry %d, want %d", e.Seq, next)
				}
				next++
			}
			return nil
		},
		func() error {
			r, err := VerifyChanged(path)
			if err == nil && !r.OK() {
				return fmt.Errorf("%v", r.Problems)
			}
			return err
		},
	} {
		readers.Go(func() {
			for {
				if err := look(); err != nil {
					t.Error(err)
					return
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	writers.Wait()
	close(done)
	readers.Wait()
	if r := verify(t, path); !r.OK() || r.Entries != 120 {
		t.Errorf("got report %+v, want 120 entries", r)
	}
}

// A reader must recognize that its open file was sealed; otherwise it would read the entries twice.
func TestSealedOpenFileIsSegment(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows cannot rename an open file; the test runs on Linux and macOS")
	}
	j, _ := segmentedJournal(t, 5)
	f, err := openFile(j.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // The file was only read.
	sealed := func() bool {
		list, err := sealedSegments(j.Path())
		if err != nil {
			t.Fatal(err)
		}
		return isSealed(f, list)
	}
	if sealed() {
		t.Error("sealed() is true for the active file")
	}
	next, err := nextSegment(j.Path())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(j.Path(), next); err != nil {
		t.Fatal(err)
	}
	if !sealed() {
		t.Error("sealed() is false for the sealed file")
	}
}

// manySegments returns a journal of committed changes in several small segments, and its number of entries.
func manySegments(t *testing.T) (*Journal, int) {
	t.Helper()
	j, err := Open(filepath.Join(t.TempDir(), "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	j.maxFileSize = 1500
	for range 10 {
		e, err := j.Append(t.Context(), intent("approve"))
		if err == nil {
			_, err = j.Append(t.Context(), e.Result("committed", Detail{}))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if list, err := sealedSegments(j.path); err != nil || len(list) < 4 {
		t.Fatalf("got %d segments, %v, want at least 4", len(list), err)
	}
	return j, 20
}
