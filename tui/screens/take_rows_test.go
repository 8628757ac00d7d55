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
