package change_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
)

// visits is a table with a TTL that repeats a time in milliseconds.
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
			}},
		},
	}
	visit.Seal()
	return table, []*models.Entity{visit}
}

func TestDriftFindsTimesOfTheWrongType(t *testing.T) {
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
			for name, v := range c.set {
				it[name] = v
			}
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
