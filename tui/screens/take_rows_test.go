package screens

import "testing"

// TestRowsAreTakenOnce: an expression may show an item in several rows.
func TestRowsAreTakenOnce(t *testing.T) {
	r := verifications(t, 3)
	r.show = []rowHit{{at: 2}, {at: 2}, {at: 0}}
	if got := r.onScreen(); got.size() != 2 || got.at[0] != 2 || got.at[1] != 0 {
		t.Errorf("taken are %v", got.at)
	}
	if got := r.loaded(); got.size() != 3 {
		t.Errorf("read are %v", got.at)
	}
}
