package listing

import (
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A row that left the list is masked again like the others.
func TestRemovedRowIsRemasked(t *testing.T) {
	d, revealed := &listSource{}, true
	onList(t, d, func(tt *tuitest.Terminal, m *root) {
		tt.WaitFor("books of p1")
		d.set(func(d *listSource) { d.parcels = d.parcels[1:] })
		tt.Advance(61 * time.Second)
		tt.WaitFor("No longer in the list")
		wantCursor(t, tt, "Maun")
		revealed = false
		m.s.Remask()
		tt.Press("tab") // draws the rows again
		wantCursor(t, tt, "•••")
	}, func(s *Spec[parcel]) {
		s.Columns[0] = Styled(widget.Column{Title: "to"}, widget.RoleText, func(_ *screen.Env, p parcel) string {
			if revealed {
				return p.to
			}
			return "•••"
		})
	})
}
