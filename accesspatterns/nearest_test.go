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
	mail := &models.Attribute{Name: "m", Path: "m", Type: models.TypeS, Format: models.Email}
	entities = append(entities,
		inKey("Short", "PK", "U#{x}"), inKey("Half", "PK", "ZYXW{x}"), inKey("Even", "PK", "QWER#{x}#{m}", mail))
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
		{"one common character of two", "Ux", "", nil},
		{"half of the literal text", "ZYxx", "", []string{`Half PK: ZYXW{x}: differs from "ZYXW" at character 3`}},
		{"less than half", "Zxxx", "", nil},
		{"a later part", "QWER#1#m", "", []string{`Even PK: QWER#{x}#{m}: m: "m" is not an email address at character 8`}},
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

func TestNearestNamesTheKeyOfAPairThatAWarningIsAbout(t *testing.T) {
	mail := &models.Attribute{Name: "m", Path: "m", Type: models.TypeS, Format: models.Email}
	pair := &models.Entity{Name: "Pair", Table: eventTable, Attributes: []*models.Attribute{mail}, Keys: map[string]models.Template{
		"PK": models.MustTemplate("PAIR#{x}"), "SK": models.MustTemplate("PART#{m}"),
	}}
	pair.Seal()
	near := accesspatterns.Nearest([]*models.Entity{pair}, "PAIR#1", "PART#m")
	if want := `Pair SK: PART#{m}: m: "m" is not an email address at character 6`; len(near) != 1 || near[0].String() != want {
		t.Errorf("%v, want %s", near, want)
	}
	// A secret with the text of the name masks the name in the warning.
	pair.Attributes = append(pair.Attributes, &models.Attribute{Name: "x", Path: "x", Type: models.TypeS, Sensitive: models.Secret})
	pair.Seal()
	if near := accesspatterns.Nearest([]*models.Entity{pair}, "PAIR#m", "PART#no"); len(near) != 1 || near[0].Attribute != "PK" {
		t.Errorf("with a masked name: %v", near)
	}
}
