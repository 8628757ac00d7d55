package workbench

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/results"
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
		r := results.Ranking{Descending: rapid.Bool().Draw(t, "descending")}
		text := rapid.OneOf(rapid.StringMatching(`[ab]{0,3}`), rapid.SampledFrom([]string{
			"12345678", "12345678a", strings.Repeat("x", results.KeyBytes), strings.Repeat("x", results.KeyBytes) + "a", strings.Repeat("x", results.KeyBytes) + "b", "\xff",
		}))
		var all []keyed
		whole := func(at int32) []byte { return []byte(all[at].key) }
		var seen [][]results.Ranked
		for range rapid.IntRange(1, 4).Draw(t, "steps") {
			for range rapid.IntRange(1, 9).Draw(t, "rows") {
				k := keyed{len(all), "\x05" + text.Draw(t, "key")}
				if strings.HasSuffix(k.key, "\xff") {
					k.key = "\xff"
				}
				all = append(all, k)
				r.Add(k.at, []byte(k.key))
			}
			r.Order(whole)
			seen = append(seen, r.Rows)
		}
		slices.SortStableFunc(all, func(a, b keyed) int {
			if r.Descending && a.key != "\xff" && b.key != "\xff" {
				return cmp.Compare(b.key, a.key)
			}
			return cmp.Compare(a.key, b.key)
		})
		for i, at := range r.Places() {
			if int(at) != all[i].at {
				t.Fatalf("place %d holds row %d, want %d", i, at, all[i].at)
			}
		}
		for _, rows := range seen {
			at := func(a, b results.Ranked) int { return cmp.Compare(a.At, b.At) }
			if sorted := slices.SortedFunc(slices.Values(rows), at); int(sorted[len(sorted)-1].At) != len(rows)-1 {
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
	settle(b, b.runs.sortRows(b.job, results.SortBy{Key: "n", Order: widget.Ascending}))
	before := ids(r, 5)
	b.job.grid.SetCursor(7)
	at := r.At(7)
	cmd := b.runs.sortRows(b.job, results.SortBy{Key: "status", Order: widget.Descending})
	b.Update(cmd()) // The first step.
	if !r.Sorting() || !slices.Equal(ids(r, 5), before) {
		t.Fatal("the rows are not as they were while they are sorted")
	}
	if !b.Cancel() || r.Sorting() || r.By != (results.SortBy{Key: "n", Order: widget.Ascending}) || b.After() != nil {
		t.Errorf("sorting is not given up: by %v", r.By)
	}
	if !slices.Equal(ids(r, 5), before) || r.At(b.job.grid.Cursor()) != at {
		t.Error("giving up moved the rows or the cursor")
	}
	b.job.rows.Add(cases(3000, 3010))
	settle(b, b.runs.readOn(b.job))
	if r.Len() != 3010 {
		t.Errorf("%d rows after more came", r.Len())
	}
	settle(b, b.runs.sortRows(b.job, results.SortBy{}))
	cmd = b.runs.sortRows(b.job, results.SortBy{Key: "status", Order: widget.Ascending})
	if b.Cancel(); r.By.Order != widget.Unsorted || !r.AsRead() || r.Len() != 3010 {
		t.Error("rows as they were read are not so again")
	}
	if next := b.Update(cmd()); next != nil || !r.AsRead() {
		t.Error("a step comes in that was given up")
	}
}

// While rows come without a break, a few of them wait until it pays to put them in
// order, and the end of the load takes them in.
func TestFewRowsWait(t *testing.T) {
	b := benchOf(t, cases(0, 3000))
	b.SetSize(120, 40)
	r := b.job.rows
	settle(b, b.runs.sortRows(b.job, results.SortBy{Key: "n", Order: widget.Ascending}))
	b.job.req = 7
	r.Add(cases(3000, 3100))
	if b.runs.readOn(b.job) != nil || r.Len() != 3000 {
		t.Error("a few rows do not wait")
	}
	r.Add(cases(3100, 3200))
	settle(b, b.runs.readOn(b.job))
	if r.Len() != 3200 {
		t.Errorf("%d rows are in order", r.Len())
	}
	r.Add(cases(3200, 3210))
	b.job.req = 0
	settle(b, b.runs.readOn(b.job))
	if r.Len() != 3210 {
		t.Errorf("%d rows are in order at the end", r.Len())
	}
}

// Leaving a filter over sorted rows sorts nothing again.
func TestFilterKeepsTheOrder(t *testing.T) {
	b := benchOf(t, cases(0, 3000))
	b.SetSize(120, 40)
	r := b.job.rows
	settle(b, b.runs.sortRows(b.job, results.SortBy{Key: "n", Order: widget.Ascending}))
	before := ids(r, 3000)
	filter := func(text string) {
		if r.SetFilter(text) {
			settle(b, b.runs.rearrange(b.job))
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
	b.job.rows.Add(cases(3000, 3500))
	settle(b, b.runs.readOn(b.job))
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
		text, _ := r.Items.At(r.At(i)).Text("n")
		n, _ := strconv.Atoi(text)
		if n < last {
			t.Fatalf("row %d holds %d after %d", i, n, last)
		}
		last = n
	}
	// Sorted while a filter was on: the whole is sorted after it.
	filter("status:approved")
	settle(b, b.runs.sortRows(b.job, results.SortBy{Key: "n", Order: widget.Descending}))
	b.Cancel()
	settle(b, b.After())
	if text, _ := r.Items.At(r.At(0)).Text("n"); r.Len() != 3500 || text != fmt.Sprint(last) {
		t.Errorf("%d rows, the first holds %s, want %d", r.Len(), text, last)
	}
}

// A page costs the same however many rows there are, sorted or not: as much as its
// rows, each from another block.
func TestFramesCostTheSame(t *testing.T) {
	page := func(n int) float64 {
		b := benchOf(t, nil)
		for from := 0; from < n; from += 1000 {
			b.job.rows.Add(cases(from, from+1000))
		}
		b.SetSize(120, 40)
		settle(b, b.runs.sortRows(b.job, results.SortBy{Key: "n", Order: widget.Ascending}))
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
	var m results.MadeValues
	m.Set(3, "three")
	early := m
	m.Set(900, strings.Repeat("é", results.ValueBytes))
	if early.At(900) != "" || m.At(3) != "three" || m.At(4) != "" || m.At(5000) != "" {
		t.Error("values are not where they were put")
	}
	if got := m.At(900); len(got) > results.ValueBytes || !strings.HasSuffix(got, "é…") || models.Printable(got) != got {
		t.Errorf("a long value is kept as %q", got)
	}
}
