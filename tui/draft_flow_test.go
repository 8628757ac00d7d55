package tui

import (
	"context"
	"errors"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
)

// drafter is an opener whose draft is a profile that it has.
type drafter struct {
	*desk
	name string
	err  error
}

func (d *drafter) Draft(context.Context) (string, error) { return d.name, d.err }

// A drafted profile opens at once; without one, the reason is shown and home stays.
func TestDraftedProfileOpens(t *testing.T) {
	flow(t, "authbridge", func(t *testing.T, desk *desk, size tuitest.Size) {
		d := &drafter{desk: desk, err: errors.New("no permission to list tables")}
		tt := tuitest.New(t, New(Options{Opener: d}), size)
		tt.WaitFor("Profiles ─")
		tt.Press("tab", "n")
		tt.WaitFor("no permission to list tables")
		d.err = nil
		tt.Press("n") // the user leaves the dialogs
		tt.WaitFor("Profiles ─")
		d.name = "authbridge"
		tt.Press("n")
		tt.WaitFor("Patterns ─")
	})
}
