package change_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
)

// visits returns a table with a TTL that repeats a time in milliseconds.
func visits() (*models.Table, []*models.Entity) {
	table := &models.Table{ID: "v", Name: "v", PartitionKey: models.Key{Name: "PK", Type: models.TypeS}, TTL: "ttl"}
	visit := &models.Entity{
		Name: "Visit", Table: table, Keys: map[string]models.Template{"PK": models.MustTemplate("V#{id}")},
		Attributes: []*models.Attribute{
			{Name: "id", Path: "id", Type: models.TypeS},
			{Name: "end", Path: "end", Type: models.TypeN, Format: models.EpochMillis},
			{Name: "ttl", Path: "ttl", Type: models.TypeN, Format: models.EpochSeconds, Equals: "end"},
			{Name: "note", Path: "note", Type: models.TypeM, Attributes: []*models.Attribute{
				{Name: "at", Path: "note.at", Type: models.TypeS, Format: models.ISO8601},
				{Name: "phone", Path: "note.phone", Type: models.TypeS, Format: models.E164, Sensitive: models.PII},
			}},
			{Name: "state", Path: "state", Type: models.TypeS, Enum: []string{"open", "done"}},
			{Name: "kind", Path: "kind", Type: models.TypeS, Enum: []string{"short"}, OpenEnum: true},
			{Name: "owner", Path: "owner", Type: models.TypeS, Prefix: "usr_", Format: models.UUID},
			{Name: "price", Path: "price", Type: models.TypeN, Format: models.Cents},
			{Name: "paid", Path: "paid", Type: models.TypeBOOL},
			{Name: "tags", Path: "tags", Type: models.TypeSS, Enum: []string{"a", "b"}},
			{Name: "steps", Path: "steps", Type: models.TypeL, Items: models.TypeN},
			{Name: "guests", Path: "guests", Type: models.TypeL, Attributes: []*models.Attribute{
				{Name: "mail", Path: "guests.mail", Type: models.TypeS, Format: models.Email, Sensitive: models.PII},
			}},
		},
	}
	visit.Seal()
	return table, []*models.Entity{visit}
}

func TestDriftFindsWrongValues(t *testing.T) {
	table, entities := visits()
	number := func(n string) types.AttributeValue { return &types.AttributeValueMemberN{Value: n} }
	for _, c := range []struct {
		name string
		set  models.Item
		want []string
	}{
		{"right types", models.Item{"end": number("1893456000000"), "ttl": number("1893456000")}, nil},
		{
			"a TTL of text",
			models.Item{"end": number("1893456000000"), "ttl": models.StringValue("1893456000")},
			[]string{"ttl ttl: is of type S, not N; DynamoDB never expires the item"},
		},
		{
			"a nested time",
			models.Item{"note": &types.AttributeValueMemberM{Value: models.Item{"at": number("1")}}},
			[]string{"ttl note.at: is of type N, not S"},
		},
		{"a value of an open enum", models.Item{"kind": models.StringValue("long")}, nil},
		{"a value outside a closed enum", models.Item{"state": models.StringValue("lost")}, []string{"value state: is not one of open, done"}},
		{"another prefix", models.Item{"owner": models.StringValue("org_1")}, []string{"value owner: does not start with usr_"}},
		{"another format after the prefix", models.Item{"owner": models.StringValue("usr_1")}, []string{"value owner: is not a UUID"}},
		{"a fraction of a cent", models.Item{"price": number("1.5")}, []string{"value price: is not a whole number"}},
		{"a number as text", models.Item{"price": models.StringValue("15")}, []string{"value price: is of type S, not N"}},
		{"a boolean as text", models.Item{"paid": models.StringValue("true")}, []string{"value paid: is of type S, not BOOL"}},
		{"a member of a set", models.Item{"tags": &types.AttributeValueMemberSS{Value: []string{"a", "c"}}}, []string{"value tags: a member is not one of a, b"}},
		{"a list in place of a set", models.Item{"tags": &types.AttributeValueMemberL{}}, []string{"value tags: is of type L, not SS"}},
		{
			"elements of a list",
			models.Item{"steps": &types.AttributeValueMemberL{Value: []types.AttributeValue{number("1"), models.StringValue("2"), models.StringValue("3")}}},
			[]string{"value steps: element 2 is of type S, not N; 2 elements are wrong"},
		},
		{
			"a document in a list",
			models.Item{"guests": &types.AttributeValueMemberL{Value: []types.AttributeValue{
				&types.AttributeValueMemberM{Value: models.Item{"mail": models.StringValue("nobody")}},
			}}},
			[]string{"value guests.mail: element 1 is not an email address"},
		},
		{
			"a time without a zone",
			models.Item{"note": &types.AttributeValueMemberM{Value: models.Item{"at": models.StringValue("2020-06-21T19:20:00")}}},
			[]string{"ttl note.at: is not a time in the format iso8601"},
		},
		{
			"a time of another precision",
			models.Item{"note": &types.AttributeValueMemberM{Value: models.Item{"at": models.StringValue("2020-06-21T19:20:00.000Z")}}},
			[]string{"ttl note.at: is not a time in the format iso8601"},
		},
		{"NULL", models.Item{"note": &types.AttributeValueMemberNULL{Value: true}}, nil},
		{"milliseconds before 1973", models.Item{"end": number("86400000"), "ttl": number("86400")}, nil},
		{
			"seconds in place of milliseconds before 1973",
			models.Item{"end": number("86400000"), "ttl": number("86400000")},
			[]string{"ttl ttl: differs from end, which it must equal"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			it := models.Item{"PK": models.StringValue("V#1"), "id": models.StringValue("1")}
			maps.Copy(it, c.set)
			_, defects := change.Drift{Entities: entities, Now: time.Unix(0, 0)}.Defects(table, it)
			var got []string
			for _, d := range defects {
				got = append(got, string(d.Kind)+" "+d.Attribute+": "+d.Text)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The description of a wrong value masks it like the value itself, and never shows a document.
func TestWrongValuesAreMasked(t *testing.T) {
	table, entities := visits()
	it := models.Item{
		"PK": models.StringValue("V#1"), "id": models.StringValue("1"),
		"note":   &types.AttributeValueMemberM{Value: models.Item{"phone": models.StringValue("071234567")}},
		"guests": models.StringValue("anna@example.com"),
	}
	r, defects := change.Drift{Entities: entities, Now: time.Unix(0, 0)}.Defects(table, it)
	if len(defects) != 2 {
		t.Fatalf("got defects %+v, want 2", defects)
	}
	for _, d := range defects {
		shown := d.Shown(models.NewMasker(entities, false), r.Entity)
		if strings.Contains(shown.Stored+shown.Text, "0712") || strings.Contains(shown.Stored+shown.Text, "anna") {
			t.Errorf("the defect of %s shows personal data: %q: %s", d.Attribute, shown.Stored, shown.Text)
		}
	}
}
