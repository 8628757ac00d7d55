package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// many returns a journal of committed changes in several small segments, and their number of entries.
func many(t *testing.T) (*Journal, int) {
	t.Helper()
	j, err := Open(filepath.Join(t.TempDir(), "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	j.full = 1500
	day := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for n := range 10 {
		j.now = func() time.Time { return day.AddDate(0, 0, n) }
		e, err := j.Append(t.Context(), intent("approve"))
		if err == nil {
			_, err = j.Append(t.Context(), e.Result("committed", Detail{}))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if list, err := segments(j.path); err != nil || len(list) < 4 {
		t.Fatalf("%d segments, %v", len(list), err)
	}
	return j, 20
}

// numbers returns the numbers of the entries in the archive and in the journal, "1 2 3 | 4 5".
func numbers(t *testing.T, path string) string {
	t.Helper()
	archived, err := ReadArchived(path)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, a := range archived {
		if _, err := os.Stat(segmentPath(path, a.Number)); err == nil {
			continue // still here
		}
		for e, err := range segmentEntries(segment{a.Path, a.Number}) {
			if err != nil {
				t.Error(err)
			}
			list = append(list, fmt.Sprint(e.Seq))
		}
	}
	list = append(list, "|")
	for e, err := range Read(path) {
		if err != nil {
			t.Error(err)
		}
		list = append(list, fmt.Sprint(e.Seq))
	}
	return strings.Join(list, " ")
}

func verifyOK(t *testing.T, path string, entries int) Report {
	t.Helper()
	for _, verify := range []func(string) (Report, error){VerifyChanged, Verify} {
		if r, err := verify(path); err != nil || !r.OK() || r.Entries != entries {
			t.Errorf("%d entries of %d, %v, %v", r.Entries, entries, r.Problems, err)
		}
	}
	r, _ := Verify(path)
	return r
}

func by() Entry { return Entry{Actor: "kagiso", User: "501 (kagiso)"} }

func TestArchiveMovesTheOldestSegments(t *testing.T) {
	j, n := many(t)
	list, _ := segments(j.path)
	to := filepath.Join(t.TempDir(), "2026")
	moved, err := j.Archive(t.Context(), Archiving{To: to, Keep: 2, By: by()})
	if err != nil || len(moved) != len(list)-2 {
		t.Fatalf("%d segments of %d were moved, %v", len(moved), len(list), err)
	}
	r := verifyOK(t, j.path, n+1)
	if len(r.Archived) != len(moved) || r.Archived[0].Missing || r.Archived[0].Path != filepath.Join(to, "journal.jsonl.000001") {
		t.Errorf("archived: %+v", r.Archived)
	}
	last := moved[len(moved)-1].Last()
	for i, text := range strings.Fields(strings.Replace(numbers(t, j.path), "| ", "", 1)) {
		if text != fmt.Sprint(i+1) {
			t.Fatalf("entry %d is number %s", i+1, text)
		}
	}
	var about Entry
	for e, err := range Backward(j.path) {
		if err != nil {
			t.Fatal(err)
		}
		about = e
		break
	}
	if about.Kind != Archive || about.Actor != "kagiso" || about.Detail.Notes != fmt.Sprintf("entries 1 to %d moved to %s", last, to) {
		t.Errorf("the entry about it is %+v", about)
	}
	if again, err := j.Archive(t.Context(), Archiving{To: to, Keep: 2, By: by()}); err != nil || len(again) != 0 {
		t.Errorf("archived again: %d, %v", len(again), err)
	}
	verifyOK(t, j.path, n+1)
}

// The journal goes on where it was although no segment and no line is left of what came before.
func TestJournalContinuesAfterAllIsArchived(t *testing.T) {
	j, n := many(t)
	list, _ := segments(j.path)
	j.full = 1 // The entry about the archive goes to a new file.
	moved, err := j.Archive(t.Context(), Archiving{To: filepath.Join(t.TempDir(), "a"), By: by()})
	if err != nil || len(moved) != len(list) {
		t.Fatalf("%d of %d, %v", len(moved), len(list), err)
	}
	second, err := j.Archive(t.Context(), Archiving{To: filepath.Join(t.TempDir(), "b"), By: by()})
	if err != nil || len(second) != 1 || second[0].Number != len(list)+1 {
		t.Fatalf("%+v, %v", second, err)
	}
	if e, err := j.Append(t.Context(), intent("reject")); err != nil || e.Seq != uint64(n+3) {
		t.Fatalf("entry %d, %v", e.Seq, err)
	}
	verifyOK(t, j.path, n+3)
	if list, _ := segments(j.path); len(list) != 2 || list[0].number != second[0].Number+1 {
		t.Errorf("segments: %v", list)
	}
}

// An active file that is empty, as after a power cut between sealing and the next entry, continues the archived one.
func TestEmptyFileContinuesTheArchive(t *testing.T) {
	j, n := many(t)
	if _, err := j.Archive(t.Context(), Archiving{To: filepath.Join(t.TempDir(), "a"), By: by()}); err != nil {
		t.Fatal(err)
	}
	next, err := nextSegment(j.path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(j.path, next); err != nil {
		t.Fatal(err)
	}
	moved, err := j.Archive(t.Context(), Archiving{To: filepath.Join(t.TempDir(), "b"), By: by()})
	if err != nil {
		t.Fatal(err)
	}
	verifyOK(t, j.path, n+2)
	end := moved[0].End
	if err := errors.Join(os.Truncate(j.path, 0), (head{Seq: end.Seq, Hash: end.Hash}).write(j.path)); err != nil {
		t.Fatal(err)
	}
	if e, err := j.Append(t.Context(), intent("approve")); err != nil || e.Seq != uint64(n+2) || e.Prev != end.Hash {
		t.Errorf("entry %d after %s, %v", e.Seq, e.Prev, err)
	}
}

func TestArchiveKeepsWhatIsAskedFor(t *testing.T) {
	day := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		o    Archiving
		want func(a Archived, all int) bool
	}{
		"before a day": {Archiving{Before: day.AddDate(0, 0, 4)}, func(a Archived, _ int) bool { return a.Until.Before(day.AddDate(0, 0, 4)) }},
		"keep more":    {Archiving{Keep: 99}, func(Archived, int) bool { return false }},
		"keep one":     {Archiving{Keep: 1}, func(a Archived, all int) bool { return a.Number < all }},
		"both":         {Archiving{Keep: 1, Before: day}, func(Archived, int) bool { return false }},
	} {
		t.Run(name, func(t *testing.T) {
			j, _ := many(t)
			files, _ := openFiles(j.path)
			_ = files.active.Close()
			all, err := j.archivable(Archiving{})
			if err != nil {
				t.Fatal(err)
			}
			c.o.To, c.o.By = filepath.Join(t.TempDir(), "a"), by()
			moved, err := j.Archive(t.Context(), c.o)
			if err != nil {
				t.Fatal(err)
			}
			want := 0
			for _, a := range all {
				if c.want(a, len(all)) {
					want++
				}
			}
			if len(moved) != want {
				t.Errorf("%d segments were moved, want %d of %d", len(moved), want, len(all))
			}
		})
	}
}

// Whichever step fails or is the last before a power cut, no entry is lost, the journal is valid and takes entries, and
// archiving again completes it.
func TestInterruptedArchiveLosesNothing(t *testing.T) {
	for _, step := range []string{"archive copy 1", "archive copy 2", "archive list 1", "write 1", "sync 1", "head 1", "archive remove 1", "archive remove 2"} {
		t.Run(step, func(t *testing.T) {
			j, n := many(t)
			to, count := filepath.Join(t.TempDir(), "a"), map[string]int{}
			failed := errors.New("disk full")
			j.fault = func(at string) error {
				count[at]++
				if fmt.Sprintf("%s %d", at, count[at]) == step {
					return failed
				}
				return nil
			}
			if _, err := j.Archive(t.Context(), Archiving{To: to, By: by()}); !errors.Is(err, failed) {
				t.Fatalf("got %v", err)
			}
			j.fault = func(string) error { return nil }
			if strings.HasPrefix(step, "archive remove") {
				n++
			}
			verifyOK(t, j.path, n)
			if list := strings.Fields(numbers(t, j.path)); len(list) != n+1 || list[n] != fmt.Sprint(n) {
				t.Errorf("the entries are %s", list)
			}
			if _, err := j.Append(t.Context(), Entry{Kind: Reveal, Subject: "x"}); err != nil {
				t.Errorf("the journal takes no entry: %v", err)
			}
			if _, err := j.Archive(t.Context(), Archiving{To: to, By: by()}); err != nil {
				t.Fatalf("archived again: %v", err)
			}
			verifyOK(t, j.path, n+2)
			if list, _ := segments(j.path); len(list) != 0 {
				t.Errorf("%d segments are left", len(list))
			}
		})
	}
}

func TestArchiveKeepsOpenChanges(t *testing.T) {
	j, _ := many(t)
	open, err := j.Append(t.Context(), intent("reject"))
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		if _, err := j.Append(t.Context(), Entry{Kind: Reveal, Subject: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := j.Archive(t.Context(), Archiving{To: filepath.Join(t.TempDir(), "a"), By: by()}); err != nil {
		t.Fatal(err)
	}
	if list, err := Pending(j.path); err != nil || len(list) != 1 || list[0].ID != open.ID {
		t.Errorf("open: %v, %v", list, err)
	}
	_, err = j.Archive(t.Context(), Archiving{To: filepath.Join(t.TempDir(), "b"), By: by()})
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("entry %d is a change without an outcome", open.Seq)) {
		t.Errorf("got %v", err)
	}
}

func TestArchiveRefusesOtherFolders(t *testing.T) {
	j, n := many(t)
	if _, err := j.Archive(t.Context(), Archiving{To: filepath.Dir(j.path), By: by()}); err == nil {
		t.Error("the journal was archived into its own folder")
	}
	to := t.TempDir()
	if err := os.WriteFile(filepath.Join(to, "journal.jsonl.000001"), []byte("of another machine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Archive(t.Context(), Archiving{To: to, By: by()}); err == nil || !strings.Contains(err.Error(), "is another file") {
		t.Errorf("got %v", err)
	}
	verifyOK(t, j.path, n)
}

func TestVerifyFindsDamageOfTheArchive(t *testing.T) {
	for name, c := range map[string]struct {
		damage func(j *Journal, moved []Archived) error
		want   string // a problem, "" for none
	}{
		"moved on":        {func(_ *Journal, m []Archived) error { return os.Rename(m[0].Path, m[0].Path+".gz") }, ""},
		"changed segment": {func(_ *Journal, m []Archived) error { return change(m[1].Path, "approve", "reject ") }, "was changed"},
		"changed list":    {func(j *Journal, _ []Archived) error { return change(archivePath(j.path), `"first": 1,`, `"first": 2,`) }, "list of archived segments was changed"},
		"no list":         {func(j *Journal, _ []Archived) error { return os.Remove(archivePath(j.path)) }, "entries 1 to"},
		"another archive": {func(j *Journal, m []Archived) error {
			_, err := j.Archive(t.Context(), Archiving{To: filepath.Join(filepath.Dir(m[0].Path), "b"), By: by()})
			if err != nil {
				return err
			}
			return change(j.path, `"kind":"archive"`, `"kind":"archivE"`)
		}, "entry 22 was changed"},
	} {
		t.Run(name, func(t *testing.T) {
			j, _ := many(t)
			moved, err := j.Archive(t.Context(), Archiving{To: filepath.Join(t.TempDir(), "a"), Keep: 1, By: by()})
			if err != nil {
				t.Fatal(err)
			}
			if err := c.damage(j, moved); err != nil {
				t.Fatal(err)
			}
			r, err := Verify(j.path)
			if err != nil {
				t.Fatal(err)
			}
			if c.want == "" {
				if !r.OK() || !r.Archived[0].Missing || r.Archived[1].Missing {
					t.Errorf("%+v", r)
				}
				return
			}
			if r.OK() || !strings.Contains(fmt.Sprint(r.Problems), c.want) {
				t.Errorf("the problems are %v", r.Problems)
			}
		})
	}
}

// A list of archived segments that the journal knows nothing of does not explain missing entries.
func TestVerifyNeedsTheEntryAboutTheArchive(t *testing.T) {
	j, _ := many(t)
	all, err := j.archivable(Archiving{Keep: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := j.remember(all); err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		if err := os.Remove(segmentPath(j.path, a.Number)); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Verify(j.path)
	if err != nil || !strings.Contains(fmt.Sprint(r.Problems), "no entry of the journal says that entries 1 to") {
		t.Errorf("%v, %v", r.Problems, err)
	}
}

// change replaces text in a file that may be read-only.
func change(path, from, to string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if !strings.Contains(string(text), from) {
		return fmt.Errorf("%s has no %s", path, from)
	}
	return errors.Join(os.Chmod(path, 0o600), os.WriteFile(path, []byte(strings.Replace(string(text), from, to, 1)), 0o600))
}
