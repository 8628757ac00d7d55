package screens

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A ranking is the sorted list of what was added, however the rows came, also where
// keys are the same further than they are kept.
func TestRankingIsSorting(t *testing.T) {
	type keyed struct {
		at  int
		key string
	}
	rapid.Check(t, func(t *rapid.T) {
		r := ranking{descending: rapid.Bool().Draw(t, "descending")}
		text := rapid.OneOf(rapid.StringMatching(`[ab]{0,3}`), rapid.SampledFrom([]string{
			"12345678", "12345678a", strings.Repeat("x", keyBytes), strings.Repeat("x", keyBytes) + "a", strings.Repeat("x", keyBytes) + "b", "\xff",
		}))
		var all []keyed
		whole := func(at int32) []byte { return []byte(all[at].key) }
		var seen [][]ranked
		for range rapid.IntRange(1, 4).Draw(t, "steps") {
			for range rapid.IntRange(1, 9).Draw(t, "rows") {
				k := keyed{len(all), "\x05" + text.Draw(t, "key")}
				if strings.HasSuffix(k.key, "\xff") {
					k.key = "\xff"
				}
				all = append(all, k)
				r.add(k.at, []byte(k.key))
			}
			r.order(whole)
			seen = append(seen, r.rows)
		}
		slices.SortStableFunc(all, func(a, b keyed) int {
			if r.descending && a.key != "\xff" && b.key != "\xff" {
				return cmp.Compare(b.key, a.key)
			}
			return cmp.Compare(a.key, b.key)
		})
		for i, at := range r.places() {
			if int(at) != all[i].at {
				t.Fatalf("place %d holds row %d, want %d", i, at, all[i].at)
			}
		}
		for _, rows := range seen {
			at := func(a, b ranked) int { return cmp.Compare(a.at, b.at) }
			if sorted := slices.SortedFunc(slices.Values(rows), at); int(sorted[len(sorted)-1].at) != len(rows)-1 {
				t.Fatal("what was seen of the order before changed")
			}
		}
	})
}

// The order in view stays until the other is there, and esc keeps it.
func TestSortingCanBeGivenUp(t *testing.T) {
	b := benchOf(t, cases(0, 3000))
	b.SetSize(120, 40)
	r := b.job.rows
	settle(b, b.sortRows(b.job, sortBy{"n", widget.Ascending}))
	before := ids(r, 5)
	b.job.grid.SetCursor(7)
	at := r.at(7)
	cmd := b.sortRows(b.job, sortBy{"status", widget.Descending})
	b.Update(cmd()) // The first step.
	if !r.sorting() || !slices.Equal(ids(r, 5), before) {
		t.Fatal("the rows are not as they were while they are sorted")
	}
	if !b.Cancel() || r.sorting() || r.by != (sortBy{"n", widget.Ascending}) || b.After() != nil {
		t.Errorf("sorting is not given up: by %v", r.by)
	}
	if !slices.Equal(ids(r, 5), before) || r.at(b.job.grid.Cursor()) != at {
		t.Error("giving up moved the rows or the cursor")
	}
	b.job.rows.add(cases(3000, 3010))
	settle(b, b.readOn(b.job))
	if r.Len() != 3010 {
		t.Errorf("%d rows after more came", r.Len())
	}
	settle(b, b.sortRows(b.job, sortBy{}))
	cmd = b.sortRows(b.job, sortBy{"status", widget.Ascending})
	if b.Cancel(); r.by.order != widget.Unsorted || !r.asRead() || r.Len() != 3010 {
		t.Error("rows as they were read are not so again")
	}
	if next := b.Update(cmd()); next != nil || !r.asRead() {
		t.Error("a step comes in that was given up")
	}
}

// While rows come without a break, a few of them wait until it pays to put them in
// order, and the end of the load takes them in.
func TestFewRowsWait(t *testing.T) {
	b := benchOf(t, cases(0, 3000))
	b.SetSize(120, 40)
	r := b.job.rows
	settle(b, b.sortRows(b.job, sortBy{"n", widget.Ascending}))
	b.job.req = 7
	r.add(cases(3000, 3100))
	if b.readOn(b.job) != nil || r.Len() != 3000 {
		t.Error("a few rows do not wait")
	}
	r.add(cases(3100, 3200))
	settle(b, b.readOn(b.job))
	if r.Len() != 3200 {
		t.Errorf("%d rows are in order", r.Len())
	}
	r.add(cases(3200, 3210))
	b.job.req = 0
	settle(b, b.readOn(b.job))
	if r.Len() != 3210 {
		t.Errorf("%d rows are in order at the end", r.Len())
	}
}

// Leaving a filter over sorted rows sorts nothing again.
func TestFilterKeepsTheOrder(t *testing.T) {
	b := benchOf(t, cases(0, 3000))
	b.SetSize(120, 40)
	r := b.job.rows
	settle(b, b.sortRows(b.job, sortBy{"n", widget.Ascending}))
	before := ids(r, 3000)
	filter := func(text string) {
		if r.setFilter(text) {
			settle(b, b.rearrange(b.job))
		}
	}
	filter("status:approved")
	filter("status:approved n>5000")
	if r.Len() == 3000 || r.Len() == 0 {
		t.Fatalf("%d rows pass", r.Len())
	}
	if !b.Cancel() || b.After() != nil || !slices.Equal(ids(r, 3000), before) {
		t.Error("the order did not come back at once")
	}
	filter("status:approved")
	b.job.rows.add(cases(3000, 3500))
	settle(b, b.readOn(b.job))
	if r.Len() != 3500/3 {
		t.Errorf("%d rows pass", r.Len())
	}
	b.Cancel()
	settle(b, b.After())
	if r.Len() != 3500 {
		t.Errorf("%d rows without the filter", r.Len())
	}
	last := -1
	for i := range r.Len() {
		text, _ := r.items.At(r.at(i)).Text("n")
		n, _ := strconv.Atoi(text)
		if n < last {
			t.Fatalf("row %d holds %d after %d", i, n, last)
		}
		last = n
	}
	// Sorted while a filter was on: the whole is sorted after it.
	filter("status:approved")
	settle(b, b.sortRows(b.job, sortBy{"n", widget.Descending}))
	b.Cancel()
	settle(b, b.After())
	if text, _ := r.items.At(r.at(0)).Text("n"); r.Len() != 3500 || text != fmt.Sprint(last) {
		t.Errorf("%d rows, the first holds %s, want %d", r.Len(), text, last)
	}
}

// A page costs the same however many rows there are, sorted or not: as much as its
// rows, each from another block.
func TestFramesCostTheSame(t *testing.T) {
	page := func(n int) float64 {
		b := benchOf(t, nil)
		for from := 0; from < n; from += 1000 {
			b.job.rows.add(cases(from, from+1000))
		}
		b.SetSize(120, 40)
		settle(b, b.sortRows(b.job, sortBy{"n", widget.Ascending}))
		_ = b.View()
		return testing.AllocsPerRun(20, func() {
			b.Update(pressRow("pgdown"))
			_ = b.View()
		})
	}
	few, many := page(2000), page(20_000)
	if many > 1.2*few {
		t.Errorf("a page takes %.0f allocations with 20,000 rows, %.0f with 2,000", many, few)
	}
}

// Values that jq made are kept beside the rows, cut where a cell ends.
func TestMadeValues(t *testing.T) {
	var m madeValues
	m.set(3, "three")
	early := m
	m.set(900, strings.Repeat("é", valueBytes))
	if early.at(900) != "" || m.at(3) != "three" || m.at(4) != "" || m.at(5000) != "" {
		t.Error("values are not where they were put")
	}
	if got := m.at(900); len(got) > valueBytes || !strings.HasSuffix(got, "é…") || models.Printable(got) != got {
		t.Errorf("a long value is kept as %q", got)
	}
}
