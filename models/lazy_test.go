package models_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/models"
)

func TestLazyItemsEqualMaskedItems(t *testing.T) {
	table := &models.Table{Name: "t", PartitionKey: models.Key{Name: "PK", Type: models.TypeS}}
	pk, err := models.ParseTemplate("U#{id}", nil)
	if err != nil {
		t.Fatal(err)
	}
	e := &models.Entity{Name: "User", Table: table, Keys: map[string]models.Template{"PK": pk}, Attributes: []*models.Attribute{
		{Name: "id", Path: "id", Type: models.TypeS},
		{Name: "email", Path: "email", Type: models.TypeS, Sensitive: models.PII, Format: models.Email},
		{Name: "token", Path: "token", Type: models.TypeS, Sensitive: models.Secret},
		{Name: "doc", Path: "doc", Type: models.TypeM, Attributes: []*models.Attribute{
			{Name: "open", Path: "doc.open", Type: models.TypeS},
			{Name: "phone", Path: "doc.phone", Type: models.TypeS, Sensitive: models.PII},
		}},
	}}
	e.Seal()
	items := []models.Item{
		{
			"PK": models.StringValue("U#1"), "id": models.StringValue("1"), "email": models.StringValue("kagiso@example.com"),
			"token": models.StringValue("hunter2"), "stray": models.StringValue("x"), "a.b": models.StringValue("dotted"),
			"doc": &types.AttributeValueMemberM{Value: models.Item{
				"open": models.StringValue("o"), "phone": models.StringValue("+26771234567"), "other": models.StringValue("?"),
			}},
		},
		{"PK": models.StringValue("X#1"), "email": models.StringValue("kagiso@example.com"), "what": models.StringValue("?")},
		{},
	}
	paths := []string{
		"PK", "id", "email", "token", "stray", "a.b", "doc", "doc.open", "doc.phone", "doc.other", "doc.none", "what",
		"none", "none.x", "id.x",
	}
	for _, reveal := range []bool{false, true} {
		m := models.NewMasker([]*models.Entity{e}, reveal)
		for _, it := range items {
			whole := m.Item(table, it)
			part := m.Lazy(table, it)
			for range 2 { // Before and after all of it was asked for.
				for _, path := range paths {
					want, wanted := whole.At(path)
					got, ok := part.At(path)
					if ok != wanted || ok && !models.EqualValues(got, want) {
						t.Errorf("reveal %v, %s: %v, want %v", reveal, path, got, want)
					}
				}
				if diff := cmp.Diff(string(whole.AppendJSON(nil)), string(part.Item().AppendJSON(nil))); diff != "" {
					t.Errorf("reveal %v: -want +got\n%s", reveal, diff)
				}
			}
		}
	}
}
