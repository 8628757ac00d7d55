package journal

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// shippedCopies returns the sink's copies of a new journal with n entries.
func shippedCopies(t *testing.T, n int) []SinkEntry {
	t.Helper()
	m := &memorySink{}
	j, _ := newShippingJournal(t, m, false)
	add(t, j, Refusal, n)
	return m.stored
}

func checkerOf(list []SinkEntry) Checker {
	var c Checker
	for _, k := range list {
		c.Check(k)
	}
	return c
}

// The checker verifies copies in any order, with repetitions, and without their journal.
func TestCheckerFindsProblems(t *testing.T) {
	whole := shippedCopies(t, 9)
	other := shippedCopies(t, 9)
	for i := range other {
		other[i].Origin = whole[0].Origin // a user removed the journal and started a new one
	}
	forged := slices.Clone(whole)
	forged[3].Entry = []byte(strings.Replace(string(forged[3].Entry), "ana", "eve", 1))
	moved := slices.Clone(whole)
	moved[3].Seq = 40
	joined := slices.Concat(whole[:4], other[4:])
	for name, c := range map[string]struct {
		copies []SinkEntry
		want   []string
	}{
		"complete":               {whole, nil},
		"sent twice":             {slices.Concat(whole, whole[2:5]), nil},
		"two missing":            {slices.Delete(slices.Clone(whole), 3, 5), []string{"entries 4 to 5 are missing"}},
		"beginning missing":      {whole[2:], []string{"entries 1 to 2 are missing"}},
		"text modified":          {forged, []string{"modified after it was sent: entry 4"}},
		"number changed":         {moved, []string{"modified after it was sent: entry 40", "entry 4 is missing", "entries 10 to 39 are missing"}},
		"two journals":           {slices.Concat(whole, other), []string{"sent with different contents: entries 1 to 9"}},
		"end of another journal": {joined, []string{"not made after the entry before it: entry 5"}},
	} {
		t.Run(name, func(t *testing.T) {
			list := slices.Clone(c.copies)
			rand.New(rand.NewPCG(1, 2)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			checker := checkerOf(list)
			got := checker.Problems()
			for i, p := range got {
				if !strings.HasPrefix(p, "journal "+whole[0].Origin+": ") || i < len(c.want) && !strings.Contains(p, c.want[i]) {
					t.Errorf("got %q, want %q", p, c.want)
				}
			}
			if len(got) != len(c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// Each journal numbers its entries from 1.
func TestCheckerKeepsJournalsApart(t *testing.T) {
	c := checkerOf(slices.Concat(shippedCopies(t, 3), shippedCopies(t, 5)))
	if entries, journals := c.Entries(); entries != 8 || journals != 2 || len(c.Problems()) != 0 {
		t.Errorf("got %d entries of %d journals, %q, want 8 of 2", entries, journals, c.Problems())
	}
}

// The checker finds each removed or modified copy. It cannot detect missing copies at the end.
func TestEveryModifiedCopyIsFound(t *testing.T) {
	whole := shippedCopies(t, 20)
	r := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		list := slices.Clone(whole)
		at := r.IntN(len(list) - 1)
		switch r.IntN(3) {
		case 0:
			list = slices.Delete(list, at, at+1+r.IntN(len(list)-at-1))
		case 1:
			text := slices.Clone(list[at].Entry)
			text[r.IntN(len(text))] ^= 1 << r.IntN(7)
			list[at].Entry = text
		case 2:
			list[at].Seq++
		}
		if c := checkerOf(list); len(c.Problems()) == 0 {
			t.Fatalf("the change was not found: %+v", list)
		}
	}
}

func TestRangesAreShort(t *testing.T) {
	var numbers []uint64
	for i := range uint64(100) {
		numbers = append(numbers, 2*i)
	}
	for _, c := range []struct {
		list []uint64
		want string
	}{
		{[]uint64{3}, "entry 3"},
		{[]uint64{3, 4, 5, 9, 11, 12}, "entries 3 to 5, 9, 11 to 12"},
		{numbers[:20], "34, 36, 38"},
		{numbers, "36, 38, and others up to 198"},
	} {
		if got := formatRanges(c.list); !strings.HasSuffix(got, c.want) || len(got) > 120 {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// The checker reports a damaged copy as damaged, not as missing, and ignores it if another copy of the entry is intact.
func TestCheckerNamesDamagedCopies(t *testing.T) {
	whole := shippedCopies(t, 5)
	c := checkerOf(slices.Concat(whole[:2], whole[3:]))
	for _, seq := range []uint64{3, 4} {
		c.AddDamaged(&DamagedCopy{Location: "line 7", Partial: SinkEntry{Origin: whole[0].Origin, Seq: seq}})
	}
	c.AddDamaged(&DamagedCopy{Location: "line 9"})
	if got, want := c.Problems(), []string{"line 9 is damaged", "journal " + whole[0].Origin + ": damaged: entry 3"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPartSelectsCopies(t *testing.T) {
	k := SinkEntry{Origin: "here", Journal: "1", Seq: 5}
	for _, tt := range []struct {
		part Part
		has  bool
	}{
		{Part{}, true},
		{Part{Origin: "here"}, true},
		{Part{Origin: "there"}, false},
		{Part{Journal: "1"}, true},
		{Part{Journal: "2"}, false},
		{Part{First: 5, Last: 5}, true},
		{Part{First: 1, Last: 9}, true},
		{Part{First: 6, Last: 9}, false},
		{Part{First: 1, Last: 4}, false},
		{Part{Origin: "here", Journal: "1", First: 5, Last: 6}, true},
		{Part{Origin: "here", Journal: "2", First: 5, Last: 6}, false},
	} {
		if has := tt.part.Has(k); has != tt.has {
			t.Errorf("%+v: Has(entry 5) = %t", tt.part, has)
		}
	}
}
