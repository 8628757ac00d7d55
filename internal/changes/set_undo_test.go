package changes_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/changes"

	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
)

// sweptJournal applies a sweep to one item, and then writes a journal of n entries as if the sweep had changed n/2 items.
func sweptJournal(t *testing.T, n int) (w *fixture.Fixture, id string) {
	t.Helper()
	w, _ = onLine(t)
	m := manifest(t, w.Workspace, cases(t, w, "ver_1"))
	if _, err := applied(t, w.Workspace, m, changes.Limits{}); err != nil {
		t.Fatal(err)
	}
	path := w.Workspace.Session.JournalPath()
	var intent, outcome journal.Entry
	for e, err := range journal.Backward(path) {
		switch {
		case err != nil:
			t.Fatal(err)
		case e.Kind == journal.Intent:
			intent = e
		case e.Kind == journal.Outcome:
			outcome = e
		}
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	out := bufio.NewWriter(f)
	for i := range n / 2 {
		for _, e := range []journal.Entry{intent, outcome} {
			e.ID, e.Seq, e.Hash = fmt.Sprintf("%032x", i+1), uint64(2*i+1), strings.Repeat("0", 64)
			if e.Kind == journal.Intent {
				e.Detail.Token, e.Detail.Part = fmt.Sprintf("00000000-0000-4000-8000-%012x", i+1), fmt.Sprint(i+1)
			}
			line, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := out.Write(append(line, '\n')); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join(out.Flush(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return w, m.Sweep
}

// undoMemory returns the most bytes that are live in addition while a journal of n entries is read and its changes are visited.
func undoMemory(t *testing.T, n int) uint64 {
	t.Helper()
	w, id := sweptJournal(t, n)
	live := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // Nothing is sent: every change is visited and skipped.
	before, most, visited := live(), uint64(0), 0
	u, err := w.Workspace.Journal.Undo(id, "")
	if err != nil || u.Changes != n/2 {
		t.Fatalf("%d changes of %d, %v", u.Changes, n/2, err)
	}
	most = live()
	sum, err := w.Workspace.Committer.Run(ctx, u.Set(), u.Items(w.Workspace.Journal), func(changes.Outcome) {
		if visited++; visited%(n/20) == 0 {
			most = max(most, live())
		}
	})
	if err != nil || sum.Total() != n/2 || sum.Counts[changes.Skipped] != n/2 {
		t.Fatalf("%+v, %v", sum, err)
	}
	runtime.KeepAlive(u)
	return max(most, before) - before
}

// A sweep of any size is undone in the same memory: ten times the entries may not take twice as much.
func TestUndoOfALongSweepTakesBoundedMemory(t *testing.T) {
	few, many := undoMemory(t, 5_000), undoMemory(t, 50_000)
	t.Logf("%d KB for 5,000 entries, %d KB for 50,000", few>>10, many>>10)
	const noise = 256 << 10 // of the runtime and other goroutines
	if many > 2*few+noise {
		t.Errorf("%d KB for 50,000 entries, and %d KB for 5,000", many>>10, few>>10)
	}
}
