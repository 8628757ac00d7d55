package profiles_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// A profile whose audit entries have no place for the real identity of the user says why, where its readers look.
func TestAuditEntriesHaveTheIdentityOrAReason(t *testing.T) {
	for _, name := range profiles.Names() {
		p := schemas.Open(t, name)
		if len(p.Actions) == 0 {
			continue
		}
		writes := slices.ContainsFunc(p.Trails, func(t *change.Trail) bool {
			return slices.ContainsFunc(t.Set, func(s change.Setting) bool {
				return slices.ContainsFunc(s.Formula.References(), func(r change.Reference) bool { return r.Name == "identity" })
			})
		})
		says := slices.ContainsFunc(p.Guardrails.Notes, func(note string) bool {
			return strings.Contains(note, "AWS identity") && strings.Contains(note, "local journal")
		})
		if !writes && !says {
			t.Errorf("%s: the audit trail has no identity, and the notes do not say why", name)
		}
	}
}
