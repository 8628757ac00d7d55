package rows

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A ranking sorts rows added in any order, even if the stored parts of their keys are equal.
func TestRankingSorts(t *testing.T) {
	type keyed struct {
		at  int
		key string
	}
	rapid.Check(t, func(t *rapid.T) {
		r := ranking{descending: rapid.Bool().Draw(t, "descending")}
		text := rapid.OneOf(rapid.StringMatching(`[ab]{0,3}`), rapid.SampledFrom([]string{
			"12345678", "12345678a", strings.Repeat("x", keyBytes), strings.Repeat("x", keyBytes) + "a",
			strings.Repeat("x", keyBytes) + "b", "\xff",
		}))
		var all []keyed
		whole := func(at int32) []byte { return []byte(all[at].key) }
		var seen [][]rankedRow
		for range rapid.IntRange(1, 4).Draw(t, "steps") {
			for range rapid.IntRange(1, 9).Draw(t, "rows") {
				k := keyed{len(all), "\x05" + text.Draw(t, "key")}
				if strings.HasSuffix(k.key, "\xff") {
					k.key = "\xff"
				}
				all = append(all, k)
				r.add(k.at, []byte(k.key))
			}
			r.merge(func() func(int32) []byte { return whole })
			seen = append(seen, r.rows)
		}
		slices.SortStableFunc(all, func(a, b keyed) int {
			if r.descending && a.key != "\xff" && b.key != "\xff" {
				return cmp.Compare(b.key, a.key)
			}
			return cmp.Compare(a.key, b.key)
		})
		for i, at := range r.numbers() {
			if int(at) != all[i].at {
				t.Fatalf("position %d: got row %d, want %d", i, at, all[i].at)
			}
		}
		for _, rows := range seen {
			at := func(a, b rankedRow) int { return cmp.Compare(a.at, b.at) }
			if sorted := slices.SortedFunc(slices.Values(rows), at); int(sorted[len(sorted)-1].at) != len(rows)-1 {
				t.Fatal("adding rows changed an earlier copy of the order")
			}
		}
	})
}

// Two goroutines sort many rows at the same time, each with its own reader.
func TestRankingSortsManyRows(t *testing.T) {
	var r ranking
	keys := make([]string, 3*parallelSortRows)
	for i := range keys {
		keys[i] = fmt.Sprintf("\x05%s%03d", strings.Repeat("long ", i%2*keyBytes), i*7919%1000)
	}
	readers := 0
	whole := func() func(int32) []byte {
		readers++
		return func(at int32) []byte { return []byte(keys[at]) }
	}
	for i, key := range keys {
		if r.add(i, []byte(key)); i == len(keys)/3 || i == len(keys)-1 {
			r.merge(whole)
		}
	}
	want := make([]int32, len(keys))
	for i := range want {
		want[i] = int32(i)
	}
	slices.SortStableFunc(want, func(a, b int32) int { return cmp.Compare(keys[a], keys[b]) })
	if !slices.Equal(r.numbers(), want) || readers != 4 {
		t.Errorf("%d rows are out of order, or got %d readers, want 4", len(keys), readers)
	}
}
