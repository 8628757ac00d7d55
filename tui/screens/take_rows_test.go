package screens

import (
	"slices"
	"testing"
)

// TestRowsAreTakenOnce: what is marked and on the screen comes in the order of the
// screen, then what a filter hides; nothing comes twice.
func TestRowsAreTakenOnce(t *testing.T) {
	r := verifications(t, 5)
	r.show = []int32{2, 0}
	if got := slices.Collect(r.onScreen().places()); !slices.Equal(got, []int{2, 0}) || r.onScreen().size() != 2 {
		t.Errorf("taken are %v", got)
	}
	for _, at := range []int{4, 2, 1, 0} {
		r.marks.set(at, true)
	}
	r.marks.set(1, false)
	r.marks.set(3, false)
	marked := r.marked()
	r.marks.set(3, true) // What is picked stays as it was.
	if got := slices.Collect(marked.places()); !slices.Equal(got, []int{2, 0, 4}) || marked.size() != 3 {
		t.Errorf("marked are %v", got)
	}
	if got := marked.first(2); got.size() != 2 || len(got.items()) != 2 {
		t.Errorf("the first two are %d", got.size())
	}
	if got := slices.Collect(r.loaded().places()); len(got) != 5 || r.loaded().size() != 5 {
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
		r.marks.set(2, true)
		b.markAll()
		if n := r.Len(); r.marks.count != n || len(slices.Collect(r.marks.all())) != n || r.marks.has(130) {
			t.Errorf("%d marks of %d rows with %q", r.marks.count, n, filter)
		}
		if b.markAll(); r.marks.count != 0 || r.marks.has(2) {
			t.Errorf("%d marks are left with %q", r.marks.count, filter)
		}
	}
}
