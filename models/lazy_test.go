package models_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

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

// An encoder that names entities does so in every item that has attributes, unless one of them has that name.
func TestEncodersNameTheEntity(t *testing.T) {
	table, entities := people()
	enc := models.NewMasker(entities, true).Encoder(table, false).Named()
	known := person(models.Item{"status": s("x")})
	for _, c := range []struct {
		item   models.Item
		begins string
	}{
		{known, `{"_entity":"` + entities[0].Name + `","`},
		{models.Item{"PK": s("?")}, `{"_entity":null,"`},
		{models.Item{}, `{}`},
		{models.Item{"_entity": s("own")}, `{"_entity":"own"}`},
	} {
		if got := string(enc.Append(nil, c.item)); !strings.HasPrefix(got, c.begins) || !json.Valid([]byte(got)) {
			t.Errorf("%s does not begin with %s", got, c.begins)
		}
	}
}

func TestEncodersWriteMaskedItems(t *testing.T) {
	table, entities := people()
	entities[0].Attributes = append(entities[0].Attributes, &models.Attribute{Name: "naïve", Path: "naïve"})
	values := rapid.SampledFrom([]types.AttributeValue{
		s("x"), s(""), s("kago@mail.bw"), s("\x1b[2J\u202e\""), n("1.50"), n("no number"), null(), l(m("phone", s("1")), s("k3y")), m("key", s("k3y")),
		m("+26771234567", s("x")), &types.AttributeValueMemberB{Value: []byte{1}}, &types.AttributeValueMemberSS{Value: []string{"LEAK"}},
	})
	names := rapid.SampledFrom([]string{
		"id", "email", "name", "token", "owner", "contact", "files", "note", "serial", "status", "GSI1PK", "GSI1SK", "stray", "naïve",
		"+26771234567", "kago@mail.bw", "日本", "a.b", "",
	})
	keys := rapid.SampledFrom([][2]string{{"PERSON#7", "PROFILE"}, {"DEVICE#7", "7"}, {"IMPORT#7", "RAW"}, {"PERSON#7", "7"}, {"?", "?"}})
	rapid.Check(t, func(t *rapid.T) {
		m := models.NewMasker(entities, rapid.Bool().Draw(t, "reveal"))
		plain, typed, open := m.Encoder(table, false), m.Encoder(table, true), (*models.Masker)(nil).Encoder(table, false)
		for range rapid.IntRange(1, 6).Draw(t, "items") {
			it := models.Item{}
			for _, name := range rapid.SliceOfDistinct(names, rapid.ID).Draw(t, "names") {
				it[name] = values.Draw(t, name)
			}
			for i := range rapid.IntRange(0, 60).Draw(t, "more") {
				it[fmt.Sprint("attribute", i, rapid.IntRange(0, 9).Draw(t, "number"))] = s("x")
			}
			if rapid.IntRange(0, 4).Draw(t, "keys") > 0 {
				key := keys.Draw(t, "key")
				it["PK"], it["SK"] = s(key[0]), s(key[1])
			}
			shown := m.Item(table, it)
			for _, c := range []struct {
				what      string
				got, want []byte
			}{
				{"plain", plain.Append([]byte("["), it), shown.AppendJSON([]byte("["))},
				{"typed", typed.Append(nil, it), shown.AppendDynamoDBJSON(nil)},
				{"not masked", open.Append(nil, it), it.AppendJSON(nil)},
			} {
				if diff := cmp.Diff(string(c.want), string(c.got)); diff != "" {
					t.Fatalf("%s: -want +got\n%s", c.what, diff)
				}
			}
		}
	})
}
