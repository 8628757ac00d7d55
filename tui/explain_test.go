package tui

import (
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
)

func TestPaletteExplains(t *testing.T) {
	flow(t, "authbridge", func(t *testing.T, d *desk, size tuitest.Size) {
		tt, _ := open(t, d, size)
		tt.Press("ctrl+p")
		tt.Type("stay listed under")
		tt.Press("enter")
		tt.WaitFor("authbridge A01 ·")
		tt.Press("ctrl+p")
		tt.Type("AuditLog")
		tt.Press("enter")
		tt.WaitFor("▌ AuditLog")
		tt.WaitFor("Audit entry (AuditLog)")
		tt.Press("esc", "esc")
		tt.WaitFor("› Schema issues")
		tt.Press("F")
		tt.WaitFor("already open")
		tt.Press("M")
		tt.WaitFor("Schema map")
	})
}

// Map and findings begin with what was in view.
func TestExplainsWhatIsInView(t *testing.T) {
	flow(t, "authbridge", func(t *testing.T, d *desk, size tuitest.Size) {
		tt, _ := open(t, d, size)
		pick(tt, "Audit entries of a day")
		tt.Press("M")
		tt.WaitFor("╭ Audit entries of a day")
		tt.WaitFor("▸ AuditLog")
		tt.Press("alt+left")
		tt.Press("F")
		tt.WaitFor("authbridge A07 ·")
	})
}
