package accesspatterns_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	var entities []*models.Entity
	for _, name := range profiles.Names() {
		p, err := profiles.Open(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		entities = append(entities, p.Entities...)
	}
	caseID := "ver_07ee38bc-672e-459f-89e4-664aa6659ecd"
	for _, tt := range []struct {
		name, key, sort string
		want            []string
	}{
		{"a part without its prefix", "CASE#abcx", "", []string{
			`Verification PK: CASE#{verificationId}: verificationId: "abcx" does not start with ver_ at character 6`,
		}},
		{"a literal with a typing error", "CASE:" + caseID, "", []string{
			`Verification PK: CASE#{verificationId}: differs from "CASE#" at character 5`,
		}},
		{"a key that fits", "CASE#" + caseID, "", nil},
		{"an ID is no key", caseID, "", nil},
		{"no literal beginning", "11111111-2222", "", nil},
		{"one common character", "Cxyz", "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, n := range accesspatterns.Nearest(entities, tt.key, tt.sort) {
				got = append(got, n.String())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
