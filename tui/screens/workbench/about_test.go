package workbench

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
)

// Before the first run, the pane describes the request, where values for its parameters come from, and its rows.
func TestPatternIsDescribedBeforeFirstRun(t *testing.T) {
	env := screentest.BenchEnv(t, "authbridge")
	b := NewWorkbench(env)
	defer b.Close()
	p := env.Session.Profile().Pattern("list-client-verifications-by-status")
	env.History.RecordRun(p, map[string]string{"clientId": "client_xyz789", "status": "created"})
	b.Show(p, nil, false)
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}} {
		b.SetSize(size[0], size[1])
		b.View()
		b.description.ScrollTo(0)
		var all strings.Builder
		for last := ""; last != b.View(); b.description.Wheel(false) {
			last = b.View()
			all.WriteString(ansi.Strip(last))
		}
		for _, want := range []string{
			"QUERY GSI1", "GSI1PK = CLIENT#{clientId}", "oldest case first", "Values for clientId", "client_xyz789", "Verifications by date",
			"Last runs", "status created",
		} {
			if !strings.Contains(all.String(), want) {
				t.Errorf("%dx%d: %q is missing in\n%s", size[0], size[1], want, ansi.Strip(b.View()))
			}
		}
	}
}
