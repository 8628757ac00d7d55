package session_test

import (
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/session"
)

// The name of a schema in a file does not locate the file, so the command contains the placeholder FILE.
func TestResolveCommandContainsFilePlaceholder(t *testing.T) {
	for schema, want := range map[string]string{
		"authbridge": "ddbdesk journal resolve authbridge", "library": "ddbdesk journal resolve FILE, where FILE is the schema of library",
	} {
		if got := session.ResolveCommand(schema); got != want {
			t.Errorf("%s: got %q, want %q", schema, got, want)
		}
	}
}
