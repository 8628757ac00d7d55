package tui

import (
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
)

func TestPaletteExplains(t *testing.T) {
	runFlow(t, "authbridge", func(t *testing.T, d *openerFixture, size tuitest.Size) {
		tt, _ := open(t, d, size)
		tt.Press("ctrl+p")
		tt.Enter("stay listed under")
		tt.WaitFor("authbridge A01 ·")
		tt.Press("ctrl+p")
		tt.Enter("AuditLog")
		tt.WaitFor("▌ AuditLog")
		tt.Reach("› Schema ", "esc")
		tt.Reach("Schema map", "S")
	})
}

// The schema map and the schema issues open at the pattern under the cursor. The map opens the patterns.
func TestExplanationDescribesVisiblePart(t *testing.T) {
	runFlow(t, "authbridge", func(t *testing.T, d *openerFixture, size tuitest.Size) {
		tt, _ := open(t, d, size)
		selectPattern(tt, "Audit entries of a day")
		tt.Reach("▌ AuditLog", "S")
		tt.Press("alt+left")
		tt.Reach("authbridge A07 ·", ":issues")
		tt.Press("alt+left")
		tt.Reach("▌ AuditLog", "S")
		tt.Press("G")
		tt.Reach("╭ Audit entries of a user", "enter")
	})
}
