package journal

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// memorySink keeps entries in memory. If down is set, it fails.
type memorySink struct {
	name   string
	down   error
	stored []SinkEntry
	lost   []uint64 // numbers of damaged copies, 0 for an unknown one
	sent   int

	context context.Context // context of the last call of Send
}

func (m *memorySink) Name() string { return "memory" + m.name }

func (m *memorySink) Send(ctx context.Context, entries []SinkEntry) error {
	m.sent++
	m.context = ctx
	if m.down != nil {
		return m.down
	}
	m.stored = append(m.stored, entries...)
	return nil
}

func (m *memorySink) Copies(context.Context, Part) iter.Seq2[SinkEntry, error] {
	return func(yield func(SinkEntry, error) bool) {
		for _, k := range m.stored {
			if !yield(k, nil) {
				return
			}
		}
		for _, seq := range m.lost {
			if !yield(SinkEntry{}, &DamagedCopy{Location: fmt.Sprint("line ", seq), Partial: SinkEntry{Seq: seq}}) {
				return
			}
		}
	}
}

func (m *memorySink) numbers() (list []uint64) {
	for _, k := range m.stored {
		list = append(list, k.Seq)
	}
	return list
}

func newShippingJournal(t *testing.T, m *memorySink, required bool) (*Journal, *Shipper) {
	t.Helper()
	j, err := Open(filepath.Join(t.TempDir(), "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	s := &Shipper{Sink: m, Required: required}
	j.SetShipper(s)
	return j, s
}

func add(t *testing.T, j *Journal, kind Kind, n int) {
	t.Helper()
	for range n {
		if _, err := j.Append(t.Context(), Entry{Kind: kind, Actor: "ana", Subject: "x"}); err != nil {
			t.Fatal(err)
		}
	}
}

func compareWithSink(t *testing.T, path string, m *memorySink) SinkComparison {
	t.Helper()
	a, err := VerifyAgainst(t.Context(), path, m)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestEachEntryIsShipped(t *testing.T) {
	m := &memorySink{}
	j, _ := newShippingJournal(t, m, false)
	add(t, j, Refusal, 3)
	if got := m.numbers(); !slices.Equal(got, []uint64{1, 2, 3}) || m.sent != 3 {
		t.Errorf("shipped %v in %d parts", got, m.sent)
	}
	for _, k := range m.stored {
		if e, intact, err := parse(k.Entry); err != nil || !intact || e.Hash != k.Hash || k.Journal == "" || k.Origin != Origin(j.Path()) {
			t.Errorf("got %+v, %v, %v, want an intact entry", k, intact, err)
		}
	}
	if a := compareWithSink(t, j.Path(), m); !a.OK() || a.Matched != 3 || a.Waiting != 0 {
		t.Errorf("got %+v, want 3 matching entries", a)
	}
}

// If the sink fails, entries wait and are sent later in order. The shipper does not retry for each entry.
func TestEntriesWaitForSink(t *testing.T) {
	m := &memorySink{down: errors.New("no route")}
	j, s := newShippingJournal(t, m, false)
	add(t, j, Intent, 5)
	if len(m.stored) != 0 || m.sent != 1 {
		t.Errorf("got %d entries after %d attempts, want none after 1", len(m.stored), m.sent)
	}
	if a := compareWithSink(t, j.Path(), m); !a.OK() || a.Waiting != 5 {
		t.Errorf("got %+v, want 5 waiting entries", a)
	}
	m.down, s.retryAt = nil, s.retryAt.Add(-shipRetry)
	add(t, j, otherKind, 1)
	if got := m.numbers(); !slices.Equal(got, []uint64{1, 2, 3, 4, 5, 6}) {
		t.Errorf("shipped %v", got)
	}
}

// otherKind is a kind of entry that may wait for the sink.
const otherKind = Refusal

func TestRequiredSinkRefusesChangesAndReveals(t *testing.T) {
	m := &memorySink{down: errors.New("no route")}
	j, _ := newShippingJournal(t, m, true)
	for _, kind := range []Kind{Intent, Reveal, Setup} {
		e, err := j.Append(t.Context(), Entry{Kind: kind, Subject: "x"})
		if !errors.Is(err, ErrUnshipped) || !strings.Contains(err.Error(), "no route") || e.ID == "" {
			t.Errorf("%s: got %+v, %v, want ErrUnshipped", kind, e, err)
		}
	}
	for _, kind := range []Kind{Refusal, Lookup} {
		if _, err := j.Append(t.Context(), Entry{Kind: kind, Subject: "x"}); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
	m.down = nil
	add(t, j, Intent, 1)
	if got := m.numbers(); !slices.Equal(got, []uint64{1, 2, 3, 4, 5, 6}) {
		t.Errorf("shipped %v", got)
	}
}

// If the sink is new, or the record of sent entries is damaged, the shipper sends the whole journal with a new ID.
func TestAnotherSinkStartsAtFirstEntry(t *testing.T) {
	m := &memorySink{}
	j, _ := newShippingJournal(t, m, false)
	add(t, j, Refusal, 250)
	other := &memorySink{name: "other"}
	j.SetShipper(&Shipper{Sink: other})
	add(t, j, Refusal, 1)
	if n := other.numbers(); len(n) != 251 || !slices.IsSorted(n) || other.sent != 3 {
		t.Errorf("got %d entries in %d parts, want 251 in 3", len(n), other.sent)
	}
	if err := os.WriteFile(shippedPath(j.Path()), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	add(t, j, Refusal, 1)
	if n := len(other.stored); n != 251+252 || other.stored[0].Journal == other.stored[n-1].Journal {
		t.Errorf("got %d entries, want both journals", n)
	}
	if a := compareWithSink(t, j.Path(), other); !a.OK() || a.Matched != 252 {
		t.Errorf("got %+v, want 252 matching entries", a)
	}
}

// A user who can write the journal's files can shorten or rewrite the journal so that it is still valid. A comparison
// with the sink reveals it.
func TestEveryTruncationIsFound(t *testing.T) {
	m := &memorySink{}
	j, _ := newShippingJournal(t, m, false)
	j.maxFileSize = 4 << 10 // several files
	add(t, j, Refusal, 40)
	var whole []Entry
	for e, err := range Read(j.Path()) {
		if err != nil {
			t.Fatal(err)
		}
		whole = append(whole, e)
	}
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 1000 {
		from := r.IntN(len(whole)) // the first missing or different entry
		forged := slices.Clone(whole[:from])
		for range r.IntN(len(whole) - from + 3) {
			forged = append(forged, Entry{Kind: Refusal, Actor: fmt.Sprint(i), Subject: "forged"})
		}
		forgeJournal(t, path, forged)
		if report, err := Verify(path); err != nil || !report.OK() {
			t.Fatalf("cut %d: Verify rejects the forged journal: %+v, %v", i, report.Problems, err)
		}
		if a := compareWithSink(t, path, m); a.OK() {
			t.Fatalf("cut %d: %d of %d entries kept, %d forged: got %+v", i, from, len(whole), len(forged)-from, a)
		}
	}
	forgeJournal(t, path, whole)
	if a := compareWithSink(t, path, m); !a.OK() || a.Matched != len(whole) {
		t.Errorf("the whole journal: got %+v", a)
	}
}

// This machine records which entries the sink accepted. Therefore a check finds missing copies at the end, even if the
// journal was shortened too.
func TestRemovedCopiesAreFound(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(m *memorySink, path string)
		want string
	}{
		"newest":            {func(m *memorySink, _ string) { m.stored = m.stored[:7] }, "missing from the sink, which accepted them: entries 8 to 9"},
		"all":               {func(m *memorySink, _ string) { m.stored = nil }, "missing from the sink, which accepted them: entries 1 to 9"},
		"one in the middle": {func(m *memorySink, _ string) { m.stored = slices.Delete(m.stored, 2, 3) }, "missing from the sink, which accepted them: entry 3"},
		"damaged":           {func(m *memorySink, _ string) { m.lost = append(m.lost, 9); m.stored = m.stored[:8] }, "entry 9 is damaged (line 9)"},
		"unknown line":      {func(m *memorySink, _ string) { m.lost = append(m.lost, 0) }, "in the sink, line 0 is damaged"},
		"both truncated": {func(m *memorySink, path string) {
			m.stored = m.stored[:5]
			var list []Entry
			for e, err := range Read(path) {
				if err != nil {
					panic(err)
				}
				list = append(list, e)
			}
			forgeJournal(t, path, list[:5])
		}, "entries 6 to 9 are missing in the journal, which were sent"},
	} {
		t.Run(name, func(t *testing.T) {
			m := &memorySink{}
			j, _ := newShippingJournal(t, m, false)
			add(t, j, Refusal, 9)
			c.do(m, j.Path())
			a := compareWithSink(t, j.Path(), m)
			if len(a.Problems) != 1 || !strings.Contains(a.Problems[0], c.want) || a.Waiting != 0 {
				t.Errorf("got %+v, want %q", a, c.want)
			}
		})
	}
}

// forgeJournal writes a journal with correct hashes.
func forgeJournal(t *testing.T, path string, entries []Entry) {
	t.Helper()
	var text []byte
	h := position{}
	for _, e := range entries {
		if e.Hash == "" {
			var err error
			if e, err = e.prepare(h.Seq+1, h.Hash, e.Time); err != nil {
				t.Fatal(err)
			}
		}
		sealed, line, err := encodeEntry(e)
		if err != nil {
			t.Fatal(err)
		}
		text, h = append(text, line...), position{sealed.Seq, sealed.Hash}
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	_ = os.Remove(headPath(path))
	if h.Seq > 0 {
		if err := os.WriteFile(headPath(path), h.encode(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// Send needs its own context, because a request counter in the read's context holds a lock while it appends.
func TestSinkHasItsOwnContext(t *testing.T) {
	type key struct{}
	m := &memorySink{}
	j, _ := newShippingJournal(t, m, false)
	ctx, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "of the read"))
	defer cancel()
	if _, err := j.Append(ctx, Entry{Kind: Lookup, Subject: "x"}); err != nil {
		t.Fatal(err)
	}
	if _, limited := m.context.Deadline(); m.context.Value(key{}) != nil || !limited {
		t.Error("the sink's context has the caller's value or lacks a deadline")
	}
}

// A check distinguishes a shortened journal from one with other entries, even if only the last one differs.
func TestCheckDistinguishesShortenedFromRewritten(t *testing.T) {
	m := &memorySink{}
	j, _ := newShippingJournal(t, m, false)
	add(t, j, Refusal, 6)
	var whole []Entry
	for e, err := range Read(j.Path()) {
		if err != nil {
			t.Fatal(err)
		}
		whole = append(whole, e)
	}
	other := Entry{Kind: Refusal, Actor: "eve", Subject: "forged"}
	for name, tt := range map[string]struct {
		entries []Entry
		want    string
	}{
		"shortened":                      {whole[:4], "entries 5 to 6 are missing in the journal, but the sink has entries up to 6: the journal was truncated"},
		"another last entry":             {append(slices.Clone(whole[:5]), other), "1 of the entries 6 to 6 differ from the copies in the sink"},
		"different entries from the 4th": {append(slices.Clone(whole[:3]), other, other, other), "3 of the entries 4 to 6 differ from the copies in the sink"},
	} {
		forgeJournal(t, j.Path(), tt.entries)
		if a := compareWithSink(t, j.Path(), m); len(a.Problems) == 0 || a.Problems[0] != tt.want {
			t.Errorf("%s: got %q, want %q", name, a.Problems, tt.want)
		}
	}
}

// Damage in entries that the sink already has must not stop new entries.
func TestNewEntriesAreShippedAfterOldDamage(t *testing.T) {
	m := &memorySink{}
	j, _ := newShippingJournal(t, m, true)
	j.maxFileSize = 1000 // several files
	add(t, j, Intent, 9)
	list := ageSegments(t, j)
	if len(list) < 2 {
		t.Fatalf("got %d segments, want at least 2", len(list))
	}
	rewrite(t, list[0].path, func([]byte) []byte { return []byte("damaged\n") })
	add(t, j, Intent, 1)
	if got := m.numbers(); !slices.Equal(got, []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}) {
		t.Errorf("shipped %v", got)
	}
}

// If many entries wait, the shipper reads the journal from its start, but sends no entry again.
func TestManyPendingEntriesAreSentOnce(t *testing.T) {
	const sent = 101
	for _, waiting := range []int{shipRecent, shipRecent + 1} {
		m := &memorySink{}
		j, s := newShippingJournal(t, m, false)
		forgeJournal(t, j.Path(), slices.Repeat([]Entry{{Kind: Refusal, Actor: "ana", Subject: "x"}}, sent+waiting))
		if err := (shipmentState{Sink: m.Name(), Journal: "1", Seq: sent}).write(j.Path()); err != nil {
			t.Fatal(err)
		}
		if err := s.send(t.Context(), j.Path(), uint64(sent+waiting)); err != nil {
			t.Fatal(err)
		}
		got := m.numbers()
		if len(got) != waiting || got[0] != sent+1 || got[waiting-1] != uint64(sent+waiting) || !slices.IsSorted(got) {
			t.Errorf("shipped %d entries, want %d in order", len(got), waiting)
		}
	}
}

func TestOriginIncludesFullPath(t *testing.T) {
	origin := func(dir string) string {
		t.Chdir(dir)
		return Origin("journal.jsonl")
	}
	if a, b := origin(t.TempDir()), origin(t.TempDir()); a == b {
		t.Errorf("two journals have the origin %q", a)
	}
}
