package sample_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// planted lists the defects of the demo, by profile.
var planted = map[string][]string{
	"authbridge":  {"Verification ghost ", "Verification stale-key GSI1SK", "Verification ttl ttl"},
	"ebay-sniper": {"Bid ttl ttl", "User ghost "}, // no index key is computed
	// An item of an update alone lacks the index keys that its key and state give.
	"form-bridge": {
		"Agency ghost ", "Agency stale-key GSI1PK", "Agency stale-key GSI1SK", "Agency stale-key GSI1SK", "Registration ttl ttl",
	},
	"tazco":         {"Card stale-key statusCardId", "IdempotencyRecord ttl expiresAtEpochSeconds", "User ghost "},
	"zentriqvision": {"Appearance stale-key GSI1SK", "Organization ghost "}, // no table has a TTL
}

func TestDriftFindsThePlantedDefects(t *testing.T) {
	schemas.Each(t, func(t *testing.T, p *profiles.Profile) {
		for _, with := range []bool{true, false} {
			var found []string
			d := change.Drift{Entities: p.Entities, Now: schemas.Now}
			for _, s := range schemas.Samples(t, p, sample.Options{Seed: 1, Defects: with}) {
				r, defects := d.Defects(s.Table, s.Item)
				for _, defect := range defects {
					found = append(found, fmt.Sprintf("%s %s %s", r.Entity.Name, defect.Kind, defect.Attribute))
				}
			}
			slices.Sort(found)
			want := planted[p.Name]
			if !with {
				want = nil
			}
			if diff := cmp.Diff(want, found); diff != "" {
				t.Errorf("with defects: %v (-want +found):\n%s", with, diff)
			}
		}
	})
}
