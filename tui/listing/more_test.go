package listing

import (
	"errors"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
)

// After a failed read of more rows, n reads them again.
func TestMoreIsOfferedAgainAfterError(t *testing.T) {
	d := &listSource{more: true}
	onList(t, d, func(tt *tuitest.Terminal, _ *root) {
		tt.WaitFor("Maun")
		d.set(func(d *listSource) { d.err = errors.New("depot closed") })
		tt.Reach("✗ not refreshed", "n")
		d.set(func(d *listSource) { d.err = nil })
		tt.Press("n")
		tt.Settle()
		if tt.Has("no more rows") || tt.Has("not refreshed") || d.times != 1 {
			t.Errorf("after an error, the list loaded %d pages:\n%s", d.times, tt.Screen())
		}
	}, func(s *Spec[parcel]) { s.Pages = true })
}

// A click in a dialog does not read more rows.
func TestClickInDialogReadsNothing(t *testing.T) {
	d := &listSource{more: true}
	onList(t, d, func(tt *tuitest.Terminal, m *root) {
		tt.WaitFor("Maun")
		tt.Press("s")
		m.s.rows.grid.SetCursor(len(m.s.rows.list) - 1)
		calls := d.calls
		tt.Click(50, 12)
		tt.Settle()
		if d.calls != calls {
			t.Errorf("the click loaded %d pages, want none", d.calls-calls)
		}
	}, func(s *Spec[parcel]) { s.Pages, s.Every = true, 0 })
}
