package journal

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
)

// Backward returns the entries and errors of Read in reverse, regardless of the ends of blocks and files.
func TestBackwardReversesJournal(t *testing.T) {
	path := grownJournal(t, 6_000, false) // two files
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	lines[3], lines[len(lines)-3] = "no entry\n", "no entry either\n"
	lines[5] = strings.Repeat("x", maxLine+3*blockSize) + "\n"
	damaged := strings.Join(lines, "") + `{"seq":60`
	if err := os.WriteFile(path, []byte(damaged), 0o600); err != nil {
		t.Fatal(err)
	}
	type step struct {
		seq uint64
		err string
	}
	read := func(list *[]step) func(Entry, error) bool {
		return func(e Entry, err error) bool {
			s := step{seq: e.Seq}
			if err != nil {
				s.err = err.Error()
			}
			*list = append(*list, s)
			return true
		}
	}
	var forward, backward []step
	Read(path)(read(&forward))
	Backward(path)(read(&backward))
	slices.Reverse(backward)
	if !slices.Equal(forward, backward) || len(backward) != 6_001 {
		for i := range min(len(forward), len(backward)) {
			if forward[i] != backward[i] {
				t.Fatalf("step %d: got %+v forward and %+v backward", i, forward[i], backward[i])
			}
		}
		t.Fatalf("got %d steps forward and %d backward", len(forward), len(backward))
	}
}

// Backward stops reading when the caller stops iterating.
func TestBackwardReadsOnlyEntriesConsumed(t *testing.T) {
	path := grownJournal(t, 20_000, false)
	var b backwardReader
	n := 0
	b.run(path, func(e Entry, err error) bool {
		if err != nil || e.Seq != uint64(20_000-n) {
			t.Fatalf("got entry %d, %v", e.Seq, err)
		}
		n++
		return n < 100
	})
	if b.read > 3*blockSize {
		t.Errorf("read %d bytes for 100 entries", b.read)
	}
}

func TestBackwardWithoutJournal(t *testing.T) {
	for e, err := range Backward(t.TempDir() + "/journal.jsonl") {
		t.Errorf("got %+v, %v without a journal", e, err)
	}
	dir := t.TempDir()
	for _, err := range Backward(dir) {
		if err == nil || errors.As(err, new(*LineError)) {
			t.Errorf("got %v, want a read error", err)
		}
		return
	}
	t.Error("Backward accepted a folder")
}
