// This file says which changes have no outcome: after the journal was shown, and
// after a console that was left while one was under way and lost its line.

package main

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/models"
)

// noteOpen says how many changes of each profile have no outcome.
func (a *app) noteOpen(open map[string]int) {
	for _, name := range slices.Sorted(maps.Keys(open)) {
		a.note(fmt.Sprintf("%s without an outcome: ddbdesk journal resolve %s reads the items and tells what became of them",
			count(open[name], "change"), models.Printable(name)))
	}
}

// leftOpen says the same of the changes since a time. What cannot be read of
// the journal says nothing here: whoever changes something next is told.
func (a *app) leftOpen(since time.Time) {
	if !a.mayChange() {
		return
	}
	pending, _ := journal.Pending(journal.Read(journal.DefaultPath()))
	open, seen := map[string]int{}, map[string]bool{}
	for _, e := range pending {
		if !seen[e.ID] && !e.Time.Before(since.Truncate(time.Millisecond)) {
			seen[e.ID] = true
			open[e.Profile]++
		}
	}
	a.noteOpen(open)
}
