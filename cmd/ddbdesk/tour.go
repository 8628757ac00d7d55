// This file offers the tour at the beginning of the demo, once.

package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/ddbdesk/ddbdesk/internal/memory"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui"
)

// tourFact is what remembers that the tour was seen.
const tourFact = "tour"

// offerTour begins the console with the tour when it was not seen before, or
// when always is set. The demo forgets what was done in it; that the tour was
// seen is kept in the memory at path. done waits until it is written.
func (a *app) offerTour(o *tui.Options, path string, always bool) (done func()) {
	m := memory.Open(path)
	o.Tour = always || m.Fact(tourFact) == nil
	o.TourSeen = func() { m.SetFact(tourFact, json.RawMessage(`"seen"`)) }
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), rememberWithin)
		defer cancel()
		if err := m.Close(ctx); err != nil {
			fmt.Fprintln(a.stderr, "ddbdesk: "+models.Printable(err.Error()))
		}
	}
}
