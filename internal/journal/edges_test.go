package journal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
)

// longestEntry returns an entry whose line has the maximum length.
func longestEntry(t *testing.T, j *Journal) Entry {
	t.Helper()
	appendEntry(t, j, intent("approve")) // The first entry is shorter, because it has no previous hash.
	probe := appendEntry(t, j, intent("approve"))
	_, line, err := encodeEntry(probe)
	if err != nil {
		t.Fatal(err)
	}
	e := intent("approve")
	e.Detail.Reason += change.Reason(strings.Repeat("x", maxLine-len(line)))
	return e
}

func TestLongestEntryRoundTrips(t *testing.T) {
	j := open(t)
	j.maxFileSize = 4 * maxLine // one file for all entries
	e := longestEntry(t, j)
	for range 3 {
		appendEntry(t, j, e)
	}
	info, err := os.Stat(j.Path())
	if err != nil {
		t.Fatal(err)
	}
	if longest := 3 * int64(maxLine); info.Size() < longest {
		t.Fatalf("the journal has %d bytes, too few for lines of %d bytes", info.Size(), maxLine)
	}
	var forward, backward []uint64
	for e, err := range Read(j.Path()) {
		if err != nil {
			t.Fatal(err)
		}
		forward = append(forward, e.Seq)
	}
	for e, err := range Backward(j.Path()) {
		if err != nil {
			t.Fatal(err)
		}
		backward = append(backward, e.Seq)
	}
	if slices.Reverse(backward); !slices.Equal(forward, []uint64{1, 2, 3, 4, 5}) || !slices.Equal(backward, forward) {
		t.Errorf("got entries %v forward and %v backward", forward, backward)
	}
	if r := verify(t, j.Path()); !r.OK() || r.Entries != 5 {
		t.Errorf("got report %+v, want 5 entries", r)
	}
	e.Detail.Reason += "x"
	if _, err := j.Append(t.Context(), e); err == nil || !strings.Contains(err.Error(), "the maximum is") {
		t.Errorf("an entry with one more byte: got %v", err)
	}
}

// A power loss may leave an incomplete entry, and a head that is one entry behind.
func TestAppendRemovesIncompleteEnd(t *testing.T) {
	j, written := segmentedJournal(t, 7)
	prepare(t, j, written[5], `{"seq":8,"ti`)
	e := appendEntry(t, j, intent("approve"))
	if e.Seq != 8 || e.Prev != written[6].Hash {
		t.Errorf("entry %d follows the hash %q", e.Seq, e.Prev)
	}
	if r := verify(t, j.Path()); !r.OK() || r.Entries != 8 {
		t.Errorf("got report %+v, want 8 entries", r)
	}
}

// prepare writes the head for an entry, and appends text to the journal.
func prepare(t *testing.T, j *Journal, at Entry, end string) {
	t.Helper()
	if err := (position{at.Seq, at.Hash}).write(j.Path()); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(j.Path(), os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		_, err = f.WriteString(end)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestInvalidHeadFilesAreReported(t *testing.T) {
	j := open(t)
	e := appendEntry(t, j, intent("approve"))
	for _, test := range []struct{ format, want string }{
		{"", "is not a head file"},
		{fmt.Sprintf(`"format":%d,`, formatVersion), ""},
		{fmt.Sprintf(`"format":%d,`, formatVersion+1), "newer"},
		{`"format":0,`, "is not a head file"},
		{`"else":1,`, "is not a head file"},
	} {
		text := fmt.Sprintf("{%s\"seq\":%d,\"hash\":%q}\n", test.format, e.Seq, e.Hash)
		if err := os.WriteFile(headPath(j.Path()), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		h, err := readHead(j.Path())
		if test.want == "" && (err != nil || h.Seq != 1 || h.Hash != e.Hash) {
			t.Errorf("%s: got %+v, %v", text, h, err)
		}
		if test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: got %v, want %q", text, err, test.want)
		}
	}
}

// An incomplete last line is an interrupted write, not damage, even as the first line of a new file.
func TestIncompleteFirstLineIsNotDamage(t *testing.T) {
	j, n := manySegments(t)
	j.maxFileSize = 1 // The next entry goes to a new file.
	if _, err := j.Append(t.Context(), intent("approve")); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(j.Path())
	if err != nil {
		t.Fatal(err)
	}
	for cut := 1; cut < min(len(text), 60); cut++ {
		if err := os.WriteFile(j.Path(), text[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		for e, err := range Read(j.Path()) {
			if err == nil && int(e.Seq) > n || err != nil && !strings.Contains(err.Error(), "its write was interrupted") {
				t.Fatalf("after %d bytes: got entry %d, %v", cut, e.Seq, err)
			}
		}
	}
}

// Verify counts a damaged line as the entry after the last valid one, so the first line is entry 1.
func TestVerifyNamesDamagedFirstLine(t *testing.T) {
	j, _ := manySegments(t)
	list, err := sealedSegments(j.Path())
	if err != nil || len(list) == 0 {
		t.Fatalf("got %d segments, %v, want at least 1", len(list), err)
	}
	rewrite(t, list[0].path, func(text []byte) []byte { return bytes.Replace(text, []byte("approve"), []byte("approvf"), 1) })
	r := verify(t, j.Path())
	if r.OK() || !strings.Contains(r.Problems[0].Description, "entry 1 ") {
		t.Errorf("got %+v, want damage in entry 1", r.Problems)
	}
}

func TestSegmentsAreReadByNumber(t *testing.T) {
	j, _ := segmentedJournal(t, 7)
	list, err := sealedSegments(j.Path())
	if err != nil || len(list) < 2 {
		t.Fatalf("got %d segments, %v, want at least 2", len(list), err)
	}
	wide := segmentPath(j.Path(), 1_000_000_000)
	narrow := segmentPath(j.Path(), 999_999_999)
	for _, path := range []string{wide, narrow} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if list, err = sealedSegments(j.Path()); err != nil || list[len(list)-1].path != wide {
		t.Errorf("got segments %v, %v", list, err)
	}
}

// An incomplete last line in a segment is damage, because a segment ends with a complete line. Append must not hide it.
func TestTruncatedSegmentIsDamage(t *testing.T) {
	j, _ := segmentedJournal(t, 6)
	list, err := sealedSegments(j.Path())
	if err != nil || len(list) == 0 {
		t.Fatalf("got %d segments, %v, want at least 1", len(list), err)
	}
	if err := os.Remove(j.Path()); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	last := list[len(list)-1]
	rewrite(t, last.path, func(text []byte) []byte { return text[:len(text)-10] })
	if _, err := j.Append(t.Context(), intent("approve")); !errors.Is(err, ErrDamaged) {
		t.Errorf("Append after the damage: got %v, want ErrDamaged", err)
	}
}

// An incomplete line is an interrupted write, even if it is the only line or follows a damaged one.
func TestUnfinishedLineIsReportedAsIncomplete(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		line int
	}{
		"alone":                {`{"seq":1,"ti`, 1},
		"after a damaged line": {"damaged\n" + `{"seq":7,"ti`, 2},
	} {
		path := filepath.Join(t.TempDir(), "journal.jsonl")
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		var last *LineError
		for _, err := range Read(path) {
			if !errors.As(err, &last) {
				t.Fatalf("%s: got %v", name, err)
			}
		}
		if last == nil || !last.Torn || last.Line != tt.line {
			t.Errorf("%s: got %+v", name, last)
		}
	}
	// If the first line is incomplete, the journal starts with entry 1.
	j := open(t)
	if err := os.WriteFile(j.Path(), []byte(`{"seq":1,"ti`), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := verify(t, j.Path()); !r.OK() || r.Torn != 1 || r.Entries != 0 {
		t.Errorf("got report %+v, want 1 torn line", r)
	}
	if e := appendEntry(t, j, intent("approve")); e.Seq != 1 {
		t.Errorf("the next entry is %d, want 1", e.Seq)
	}
}

// Nothing writes to a segment, so text after its entries is damage. Append must not hide it.
func TestExtendedSegmentIsDamage(t *testing.T) {
	j, _ := segmentedJournal(t, 6)
	list, err := sealedSegments(j.Path())
	if err != nil || len(list) == 0 {
		t.Fatalf("got %d segments, %v, want at least 1", len(list), err)
	}
	next, err := nextSegment(j.Path())
	if err == nil {
		err = os.Rename(j.Path(), next)
	}
	if err != nil {
		t.Fatal(err)
	}
	rewrite(t, next, func(text []byte) []byte { return append(text, `{"seq":7,`...) })
	if _, err := j.Append(t.Context(), intent("approve")); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "is incomplete") {
		t.Errorf("Append after the damage: got %v, want ErrDamaged", err)
	}
}

// If an intent is appended again with its ID, one outcome completes both.
func TestRepeatedIntentIsOneChange(t *testing.T) {
	j := open(t)
	e := appendEntry(t, j, intent("approve"))
	second := appendEntry(t, j, e)
	if pending, err := Pending(j.Path()); err != nil || len(pending) != 2 || pending[1].Seq != second.Seq {
		t.Errorf("before the outcome: got %+v, %v", pending, err)
	}
	appendEntry(t, j, second.Result("committed", Detail{}))
	if pending, err := Pending(j.Path()); err != nil || len(pending) != 0 {
		t.Errorf("after the outcome: got %+v, %v, want none", pending, err)
	}
}
