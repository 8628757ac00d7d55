// This file tests that the tour is offered once.

package main

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/ddbdesk/ddbdesk/tui"
)

func TestTourIsOfferedOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "memory.json")
	var stderr bytes.Buffer
	a := &app{stderr: &stderr}
	run := func(always, seen bool) bool {
		var o tui.Options
		done := a.offerTour(&o, path, always)
		if seen {
			o.TourSeen()
		}
		done()
		return o.Tour
	}
	if !run(false, false) {
		t.Error("the tour is not offered")
	}
	if !run(false, true) {
		t.Error("the tour is not offered again, although it was not seen to its end")
	}
	if run(false, false) {
		t.Error("the tour is offered again after it was seen")
	}
	if !run(true, false) {
		t.Error("the tour cannot be had again")
	}
	if stderr.Len() > 0 {
		t.Errorf("said %q", stderr.String())
	}
}
