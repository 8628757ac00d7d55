package workbench

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
)

// Before the first run, the pane says what would be sent, where values come from, and what the rows look like.
func TestPatternIsDescribedBeforeTheFirstRun(t *testing.T) {
	env := screentest.BenchEnv(t, "authbridge")
	b := NewWorkbench(env)
	defer b.Close()
	p := env.Session.Profile().Pattern("list-client-verifications-by-status")
	env.History.Remember(p, map[string]string{"clientId": "client_xyz789", "status": "created"})
	b.Show(p, nil, false)
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}} {
		b.SetSize(size[0], size[1])
		b.View()
		b.about.pager.ScrollTo(0)
		var all strings.Builder
		for last := ""; last != b.View(); b.about.pager.Wheel(false) {
			last = b.View()
			all.WriteString(ansi.Strip(last))
		}
		for _, want := range []string{
			"QUERY GSI1", "GSI1PK = CLIENT#{clientId}", "oldest case first", "Values for clientId", "client_xyz789", "Verifications by date",
			"Last runs", "status created", "Example of Verification case", "verificationId", "In the document",
		} {
			if !strings.Contains(all.String(), want) {
				t.Errorf("%dx%d: no %q in\n%s", size[0], size[1], want, ansi.Strip(b.View()))
			}
		}
	}
}

// Support sees an example without keys, and with its values as in rows: a state with its sign, a time with its age.
func TestExampleForSupportHasNoKeys(t *testing.T) {
	env := screentest.BenchEnv(t, "ebay-sniper")
	env.Workspace = workspace.New(session.Options{Profile: env.Session.Profile(), Role: session.Support, Clock: env.Now})
	b := NewWorkbench(env)
	defer b.Close()
	b.SetSize(200, 60)
	b.Show(env.Session.Profile().Pattern("list-user-bids"), nil, false)
	_, example, _ := strings.Cut(ansi.Strip(b.View()), "Example of Bid")
	if !strings.Contains(example, "■ CANCELLED") || !strings.Contains(example, " · in 4 d") || strings.Contains(example, "bidId") {
		t.Errorf("the example is\n%s", example)
	}
}
