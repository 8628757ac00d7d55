package workbench

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// While rows are sorted, the previous order stays visible, and esc keeps it. During a load, rows are sorted in batches;
// the end of the load sorts the rest.
func TestSortBatchesLateRows(t *testing.T) {
	b := newCaseWorkbench(t, screentest.Cases(0, 3000))
	b.SetSize(120, 40)
	r := b.job.rows
	settle(b, b.job.rows.Sort(results.SortBy{Key: "n", Order: widget.Ascending}))
	b.job.task, _, _ = screen.StartTask(b.ctx)
	r.Add(screentest.Cases(3000, 3100))
	if b.job.rows.ArrangeAdded(b.job.task.Running()) != nil || r.Len() != 3000 {
		t.Error("a few new rows were sorted immediately")
	}
	r.Add(screentest.Cases(3100, 3200))
	settle(b, b.job.rows.ArrangeAdded(b.job.task.Running()))
	if r.Len() != 3200 {
		t.Errorf("got %d sorted rows, want 3200", r.Len())
	}
	r.Add(screentest.Cases(3200, 3210))
	b.job.task.End()
	settle(b, b.job.rows.ArrangeAdded(b.job.task.Running()))
	if r.Len() != 3210 {
		t.Errorf("got %d sorted rows at the end, want 3210", r.Len())
	}
}

// Clearing a filter restores the order of the rows.
func TestFilterKeepsOrder(t *testing.T) {
	b := newCaseWorkbench(t, screentest.Cases(0, 3000))
	b.SetSize(120, 40)
	r := b.job.rows
	settle(b, b.job.rows.Sort(results.SortBy{Key: "n", Order: widget.Ascending}))
	before := ids(r, 3000)
	filter := func(text string) {
		if r.SetFilter(text) {
			settle(b, b.job.rows.Rearrange())
		}
	}
	filter("status:approved")
	filter("status:approved n>5000")
	if r.Len() == 3000 || r.Len() == 0 {
		t.Fatalf("the filter keeps %d rows", r.Len())
	}
	b.Cancel()
	if settle(b, b.After()); !slices.Equal(ids(r, 3000), before) {
		t.Error("clearing the filter did not restore the order")
	}
	filter("status:approved")
	b.job.rows.Add(screentest.Cases(3000, 3500))
	settle(b, b.job.rows.ArrangeAdded(b.job.task.Running()))
	if r.Len() != 3500/3 {
		t.Errorf("the filter keeps %d rows, want a third of 3500", r.Len())
	}
	b.Cancel()
	settle(b, b.After())
	if r.Len() != 3500 {
		t.Errorf("got %d rows without the filter, want 3500", r.Len())
	}
	last := -1
	for i := range r.Len() {
		text, _ := r.Items.At(r.At(i)).Text("n")
		n, _ := strconv.Atoi(text)
		if n < last {
			t.Fatalf("row %d contains %d after %d", i, n, last)
		}
		last = n
	}
	// If the user sorts while a filter is active, clearing the filter sorts all rows.
	filter("status:approved")
	settle(b, b.job.rows.Sort(results.SortBy{Key: "n", Order: widget.Descending}))
	b.Cancel()
	settle(b, b.After())
	if text, _ := r.Items.At(r.At(0)).Text("n"); r.Len() != 3500 || text != fmt.Sprint(last) {
		t.Errorf("got %d rows, the first contains %s, want %d", r.Len(), text, last)
	}
}

// The cost of a frame depends on its own rows and not on the number of all rows.
func TestFrameCostIsConstant(t *testing.T) {
	page := func(n int) float64 {
		b := newCaseWorkbench(t, nil)
		for from := 0; from < n; from += 1000 {
			b.job.rows.Add(screentest.Cases(from, from+1000))
		}
		b.SetSize(120, 40)
		settle(b, b.job.rows.Sort(results.SortBy{Key: "n", Order: widget.Ascending}))
		_ = b.View()
		return testing.AllocsPerRun(20, func() {
			b.Update(pressRow("pgdown"))
			_ = b.View()
		})
	}
	few, many := page(2000), page(20_000)
	if many > 1.2*few {
		t.Errorf("a page needs %.0f allocations with 20,000 rows, but %.0f with 2,000", many, few)
	}
}
