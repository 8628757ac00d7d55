package screentest

import (
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// BenchEnv is an environment of a developer on a built-in profile, without a store.
func BenchEnv(t testing.TB, name string) *screen.Env {
	t.Helper()
	p, err := profiles.Open(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	noon := func() time.Time { return time.Date(2026, 1, 20, 12, 0, 0, 0, time.UTC) }
	s := workspace.New(session.Options{Profile: p, Role: session.Developer, Clock: noon})
	return &screen.Env{Context: t.Context(), Workspace: s, Styles: widget.NewStyles(true, true), Now: noon}
}
