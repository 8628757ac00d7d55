package profiles_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

func openProfile(t *testing.T, name string) *profiles.Profile {
	t.Helper()
	p, err := profiles.Open(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Without a listing, every pattern of zentriqvision needs an organization that no pattern lists.
func TestListingsComplementTheDocumentedPatterns(t *testing.T) {
	for name, want := range map[string][]string{
		"authbridge":    {"scan-session", "scan-apikey"},
		"ebay-sniper":   nil,
		"form-bridge":   nil,
		"tazco":         {"scan-outbox-sequence", "scan-audit-log"},
		"zentriqvision": {"scan-organization"},
	} {
		p := openProfile(t, name)
		got := models.NamesOf(p.Listings(), func(q *accesspatterns.Pattern) string { return q.ID })
		if !slices.Equal(got, want) {
			t.Errorf("%s lists %v, want %v", name, got, want)
		}
		for _, q := range p.Listings() {
			if p.Pattern(q.FullID()) != q || slices.Contains(p.PatternIDs(), q.ID) {
				t.Errorf("%s is not found by its ID, or is documented", q.ID)
			}
		}
	}
}

func TestStatesAreListedByTheBestPattern(t *testing.T) {
	for _, c := range []struct {
		schema, entity, attribute, state, pattern string
		args                                      map[string]string
	}{
		{"authbridge", "Verification", "status", "approved", "scan-verification", map[string]string{"status": "approved"}},
		{"tazco", "CardRequest", "status", "approved", "list-card-requests-by-status", map[string]string{
			"status": "approved", "from": "2000-01-01", // By default the pattern reads 30 days.
		}},
		{"tazco", "PendingApproval", "approvalStatus", "pending", "list-approvals-by-status", map[string]string{"approvalStatus": "pending"}},
	} {
		p := openProfile(t, c.schema)
		q, args := p.Listed(p.Entity(c.entity).Lifecycle(c.attribute), c.state)
		if q.ID != c.pattern || !maps.Equal(args, c.args) {
			t.Errorf("%s.%s %s is listed by %s %v, want %s %v", c.schema, c.entity, c.state, q.ID, args, c.pattern, c.args)
		}
	}
}

// Every state of every lifecycle can be listed: the request is complete.
func TestEveryStateHasARequest(t *testing.T) {
	for _, name := range profiles.Names() {
		p := openProfile(t, name)
		for _, l := range p.Lifecycles {
			for _, s := range l.States {
				q, args := p.Listed(l, s.Name)
				r, err := q.Bind(args, time.Date(2026, 1, 20, 12, 0, 0, 0, time.UTC))
				if err != nil || len(r.Legs) != 1 {
					t.Errorf("%s in state %s of %s: %v", q.FullID(), s.Name, l.Attribute, err)
				}
			}
		}
	}
}
