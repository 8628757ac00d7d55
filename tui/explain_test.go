package tui

import (
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
)

func TestPaletteExplains(t *testing.T) {
	flow(t, "authbridge", func(t *testing.T, d *desk, size tuitest.Size) {
		tt, _ := open(t, d, size)
		tt.Press("ctrl+p")
		tt.Enter("stay listed under")
		tt.WaitFor("authbridge A01 ·")
		tt.Press("ctrl+p")
		tt.Enter("AuditLog")
		tt.WaitFor("▌ AuditLog")
		tt.WaitFor("Audit entry (AuditLog)")
		tt.Reach("› Schema issues", "esc", "esc")
		tt.Reach("Schema map", "S")
	})
}

// Map and findings begin with what was in view.
func TestExplainsWhatIsInView(t *testing.T) {
	flow(t, "authbridge", func(t *testing.T, d *desk, size tuitest.Size) {
		tt, _ := open(t, d, size)
		pick(tt, "Audit entries of a day")
		tt.Reach("╭ Audit entries of a day", "S")
		tt.WaitFor("▸ AuditLog")
		tt.Press("alt+left")
		tt.Reach("authbridge A07 ·", ":issues")
	})
}
