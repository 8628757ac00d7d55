package models_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/models"
)

func typed(t models.Type) option { return func(a *models.Attribute) { a.Type = t } }
func items(t models.Type) option { return func(a *models.Attribute) { a.Items = t } }

// A list and a set are edited element by element, with the type that the schema gives their elements.
func TestElementsHaveTheirOwnType(t *testing.T) {
	inner := attr("city")
	list := attr("homes", typed(models.TypeL))
	documents := attr("homes", typed(models.TypeL), func(a *models.Attribute) { a.Attributes = []*models.Attribute{inner} })
	for name, tt := range map[string]struct {
		of              *models.Attribute
		element, member *models.Attribute
	}{
		"nothing":           {nil, nil, nil},
		"a text":            {attr("name", pii), nil, &models.Attribute{Name: "name", Path: "name", Type: models.TypeS}},
		"a list":            {list, nil, nil},
		"a list of numbers": {attr("ns", typed(models.TypeL), items(models.TypeN)), &models.Attribute{Name: "ns", Path: "ns", Type: models.TypeN}, &models.Attribute{Name: "ns", Path: "ns", Type: models.TypeN}},
		"a list of documents": {
			documents,
			&models.Attribute{Name: "homes", Path: "homes", Type: models.TypeM, Attributes: documents.Attributes},
			&models.Attribute{Name: "homes", Path: "homes", Type: models.TypeM, Attributes: documents.Attributes},
		},
		"a set of texts": {
			attr("tags", typed(models.TypeSS), enum("a", "b")), nil, &models.Attribute{Name: "tags", Path: "tags", Type: models.TypeS, Enum: []string{"a", "b"}},
		},
		"a set of numbers": {attr("ids", typed(models.TypeNS)), nil, &models.Attribute{Name: "ids", Path: "ids", Type: models.TypeN}},
		"a set of bytes":   {attr("keys", typed(models.TypeBS)), nil, &models.Attribute{Name: "keys", Path: "keys", Type: models.TypeB}},
	} {
		if diff := cmp.Diff(tt.element, tt.of.Element()); diff != "" {
			t.Errorf("element of %s (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(tt.member, tt.of.Member()); diff != "" {
			t.Errorf("member of %s (-want +got):\n%s", name, diff)
		}
	}
}

// A label is for people and comes with its value; a value without one stands alone.
func TestLabelsComeWithTheirValue(t *testing.T) {
	a := attr("status")
	a.Labels = models.Labels{"0": "Open", "1": ""}
	for of, want := range map[string]string{"0": "Open (0)", "1": "1", "2": "2"} {
		if got := a.Labeled(of); got != want {
			t.Errorf("%s: %q, want %q", of, got, want)
		}
	}
	if got := (*models.Attribute)(nil).Labeled("0"); got != "0" {
		t.Errorf("without an attribute: %q", got)
	}
}

// A stored value is compared with prefix, values and format of its attribute, in this order.
func TestDiffersNamesWhatIsWrong(t *testing.T) {
	id := attr("id", prefix("ver_"), format(models.UUID))
	const uuid = "4f0c8d8d-fd64-42ff-8322-b8281a5de183"
	for value, want := range map[string]string{"ver_" + uuid: "", uuid: "does not start with ver_", "ver_7": "is not a UUID"} {
		if got := id.Differs(value); got != want {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
	if got := attr("status", enum("open", "closed")).Differs("gone"); got != "is not one of open, closed" {
		t.Errorf("got %q", got)
	}
}
