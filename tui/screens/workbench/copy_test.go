package workbench

import (
	"slices"
	"testing"
)

// TestRowsAreTakenOnce: what is marked and on the screen comes in the order of the
// screen, then what a filter hides; nothing comes twice.
func TestRowsAreTakenOnce(t *testing.T) {
	r := verifications(t, 5)
	r.Show = []int32{2, 0}
	if got := slices.Collect(r.OnScreen().Numbers()); !slices.Equal(got, []int{2, 0}) || r.OnScreen().Len() != 2 {
		t.Errorf("taken are %v", got)
	}
	for _, at := range []int{4, 2, 1, 0} {
		r.Marks.Set(at, true)
	}
	r.Marks.Set(1, false)
	r.Marks.Set(3, false)
	marked := r.Marked()
	r.Marks.Set(3, true) // What is picked stays as it was.
	if got := slices.Collect(marked.Numbers()); !slices.Equal(got, []int{2, 0, 4}) || marked.Len() != 3 {
		t.Errorf("marked are %v", got)
	}
	if got := marked.First(2); got.Len() != 2 || len(got.Items()) != 2 {
		t.Errorf("the first two are %d", got.Len())
	}
	if got := slices.Collect(r.Loaded().Numbers()); len(got) != 5 || r.Loaded().Len() != 5 {
		t.Errorf("read are %v", got)
	}
}

// TestMarkAll: all rows that the filter lets through, and none of them again.
func TestMarkAll(t *testing.T) {
	b := benchOf(t, cases(0, 130))
	b.SetSize(120, 40)
	r := b.job.rows
	for _, filter := range []string{"", "status:approved"} {
		filterBy(t, r, filter)
		r.Marks.Set(2, true)
		b.rowKeys.markAll()
		if n := r.Len(); r.Marks.Len() != n || len(slices.Collect(r.Marks.All())) != n || r.Marks.Has(130) {
			t.Errorf("%d marks of %d rows with %q", r.Marks.Len(), n, filter)
		}
		if b.rowKeys.markAll(); r.Marks.Len() != 0 || r.Marks.Has(2) {
			t.Errorf("%d marks are left with %q", r.Marks.Len(), filter)
		}
	}
}
