package journal

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// grownJournal writes a journal of n entries as Append would, but without syncing each of them, and with old segments.
// If fill is set, it continues until the active file is almost full.
func grownJournal(t testing.TB, n int, fill bool) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	j, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour)
	record := strings.Repeat("c2VhbGVk", 75) // size of a small item's record
	var e Entry
	for e.Seq < uint64(n) {
		number := 1
		if list, err := sealedSegments(path); err != nil {
			t.Fatal(err)
		} else {
			number += len(list)
		}
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		w, size := bufio.NewWriterSize(f, 1<<20), 0
		for size < segmentSize && e.Seq < uint64(n) || fill && e.Seq >= uint64(n) && size < segmentSize*9/10 {
			next := intent("approve")
			next.Detail.Record = record
			if e.Seq%2 == 1 {
				next = e.Result("committed", Detail{Capacity: "4"})
			}
			if next, err = next.prepare(e.Seq+1, e.Hash, old); err != nil {
				t.Fatal(err)
			}
			var line []byte
			if e, line, err = encodeEntry(next); err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write(line); err != nil {
				t.Fatal(err)
			}
			size += len(line)
		}
		if err := errors.Join(w.Flush(), f.Close()); err != nil {
			t.Fatal(err)
		}
		if size >= segmentSize {
			if err := errors.Join(os.Rename(path, segmentPath(path, number)), os.Chtimes(segmentPath(path, number), old, old)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join((position{Seq: e.Seq, Hash: e.Hash}).write(path), j.lock.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// firstChange performs the journal operations of a session's first change.
func firstChange(t testing.TB, path string) {
	t.Helper()
	j, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := VerifyChanged(path); err != nil || !r.OK() {
		t.Fatalf("got report %+v, %v", r, err)
	}
	e, err := j.Append(t.Context(), intent("approve"))
	if err == nil {
		_, err = j.Append(t.Context(), e.Result("committed", Detail{}))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// firstChangeCost returns the shortest time and the maximum allocated bytes of several first changes.
func firstChangeCost(t testing.TB, path string) (minimum time.Duration, maximum uint64) {
	t.Helper()
	for i := range 10 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		firstChange(t, path)
		took := time.Since(start)
		runtime.ReadMemStats(&after)
		if i == 0 || took < minimum {
			minimum = took
		}
		maximum = max(maximum, after.TotalAlloc-before.TotalAlloc)
	}
	return minimum, maximum
}

// The cost of the first change does not grow with the journal. The test writes 0.7 GB.
func TestFirstChangeWithAMillionEntries(t *testing.T) {
	if os.Getenv("DDBDESK_TEST_SCALE") == "" {
		t.Skip("a million entries take a minute; set DDBDESK_TEST_SCALE=1, as .ci/run scale does")
	}
	small, large := grownJournal(t, 10, false), grownJournal(t, 1_000_000, true)
	start := time.Now()
	firstChange(t, large)
	t.Logf("verified once in %s", time.Since(start))
	fast, smallBytes := firstChangeCost(t, small)
	slow, largeBytes := firstChangeCost(t, large)
	t.Logf("ten entries: %s, %d bytes; a million: %s, %d bytes", fast, smallBytes, slow, largeBytes)
	if slow-fast > 50*time.Millisecond {
		t.Errorf("the first change takes %s longer", slow-fast)
	}
	if largeBytes > smallBytes+20<<20 {
		t.Errorf("the first change allocates %d MB more", (largeBytes-smallBytes)>>20)
	}
	t.Run("read", func(t *testing.T) { checkReadMemory(t, large, 1_000_000) })
}

// checkReadMemory reads all entries like `journal show`, and fails if the used memory grows with their number.
func checkReadMemory(t *testing.T, path string, n int) {
	live := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, maximum := live(), uint64(0)
	pending, err := Pending(path)
	if err != nil {
		t.Fatal(err)
	}
	entries := 0
	for e, err := range Read(path) {
		if err != nil {
			t.Fatalf("entry %d: %v", e.Seq, err)
		}
		if entries++; entries%(n/8) == 0 {
			maximum = max(maximum, live())
		}
	}
	if entries < n {
		t.Errorf("got %d entries, want at least %d", entries, n)
	}
	if maximum > before+4<<20 {
		t.Errorf("the reader keeps %d KB for %d entries", (maximum-before)>>10, entries)
	}
	runtime.KeepAlive(pending)
	newest := 0
	b := new(backwardReader)
	b.run(path, func(Entry, error) bool { newest++; return newest < 200 })
	if b.read > 8*blockSize {
		t.Errorf("read %d bytes for the newest 200 entries", b.read)
	}
}

// Some thousand entries are fast to write, and enough to detect memory that grows with their number.
func TestReadingUsesConstantMemory(t *testing.T) {
	checkReadMemory(t, grownJournal(t, 40_000, false), 40_000)
}

// The active file of the larger journal is almost full, which is the slowest case.
func BenchmarkFirstChange(b *testing.B) {
	for _, n := range []int{10, 20_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			path := grownJournal(b, n, n > 10)
			firstChange(b, path)
			b.ReportAllocs()
			for b.Loop() {
				firstChange(b, path)
			}
		})
	}
}
