package profiles_test

import (
	"maps"
	"slices"
	"strings"
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

// Items of hierarchical keys begin like those above them. A listing has only its own.
func TestListingsOfHierarchicalKeysHaveOnlyTheirItems(t *testing.T) {
	p, err := profiles.Load("chat.yaml", []byte(`
name: chat
tables: {chat: {partition_key: PK, sort_key: SK}}
mixins: {ids: {attributes: {room: {type: S}, thread: {type: S}, message: {type: S}, part: {type: S}, emoji: {type: S}}}}
entities:
  Room: {table: chat, mixins: [ids], keys: {PK: "ROOM#{room}", SK: "ROOM#{room}"}}
  Thread: {table: chat, mixins: [ids], keys: {PK: "ROOM#{room}", SK: "THREAD#{thread}"}}
  Message: {table: chat, mixins: [ids], keys: {PK: "ROOM#{room}", SK: "THREAD#{thread}#MSG#{message}[#{part}]"}}
  Reaction: {table: chat, mixins: [ids], keys: {PK: "ROOM#{room}#THREAD#{thread}", SK: "REACT#{emoji}"}}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	for entity, want := range map[string]string{
		"Room":     "begins_with(PK, ROOM#) begins_with(SK, ROOM#)",
		"Thread":   "begins_with(PK, ROOM#) begins_with(SK, THREAD#) NOT contains(SK, #MSG#)",
		"Message":  "begins_with(PK, ROOM#) begins_with(SK, THREAD#) contains(SK, #MSG#)",
		"Reaction": "begins_with(PK, ROOM#) begins_with(SK, REACT#)",
	} {
		var got []string
		for _, f := range p.Listing(p.Entity(entity)).Read.Filter {
			got = append(got, f.Compare.Expression(f.Attribute, f.Values[0].String()))
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s: %s, want %s", entity, text, want)
		}
	}
}
