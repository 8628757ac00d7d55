package rows_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/models"
)

// mixedEntities returns fields and rows of two entities, which store attributes with the same names in other units and
// types.
func mixedEntities() (*rows.Fields, map[string]rows.Row) {
	t := &models.Table{Name: "t", PartitionKey: models.Key{Name: "PK", Type: models.TypeS}}
	invoice := &models.Entity{Name: "Invoice", Table: t, Attributes: []*models.Attribute{
		{Name: "amount", Path: "amount", Type: models.TypeN, Format: models.Cents},
		{Name: "Mark", Path: "Mark", Type: models.TypeS},
		{Name: "mark", Path: "mark", Type: models.TypeS},
		{Name: "v", Path: "v", Type: models.TypeN},
		{Name: "2fa", Path: "2fa", Type: models.TypeBOOL},
		{Name: "first name", Path: "first name", Type: models.TypeS},
	}}
	part := &models.Entity{Name: "Part", Table: t, Attributes: []*models.Attribute{
		{Name: "amount", Path: "amount", Type: models.TypeN}, {Name: "v", Path: "v", Type: models.TypeS},
	}}
	invoice.Seal()
	part.Seal()
	yes := models.Item{"Mark": models.StringValue("up"), "mark": models.StringValue("low"), "amount": number("500"), "v": number("3")}
	yes["2fa"], _ = models.ScalarValue(models.TypeBOOL, "true")
	yes["first name"] = models.StringValue("Kagiso")
	return rows.NewFields(t, []*models.Entity{invoice, part}), map[string]rows.Row{
		"i": tableRow{item: yes, kind: invoice},
		"p": tableRow{item: models.Item{"amount": number("5"), "v": models.StringValue("3")}, kind: part},
		"q": tableRow{item: models.Item{"amount": number("500"), "v": models.StringValue("x")}, kind: part},
		"r": tableRow{item: models.Item{"amount": number("1000"), "v": models.StringValue("y")}, kind: part},
	}
}

func TestFilterReadsEachRowInFormOfItsEntity(t *testing.T) {
	fields, all := mixedEntities()
	for _, c := range []struct{ text, want, note string }{
		{"amount=5", "ip", "amount: 5 is 500 cents in Invoice"},
		{"amount=500", "q", ""},
		{"amount>5", "qr", ""},
		{"-amount=5", "qr", ""},
		{"v=3", "ip", ""},
		{"v:x", "q", ""}, // an invoice has a number here
		{"Mark:up", "i", ""},
		{"mark:low", "i", ""},
		{"mark:up", "", ""},
		{"MARK:up", "i", ""},
		{"2fa:true", "i", ""},
		{`"first name":kagiso`, "i", ""},
		{`-"first name":kagiso`, "pqr", ""},
		{"amount>=1,000", "r", ""},
		{"amount=1,000", "r", "amount: 1,000 is 1000 in Part"},
		{"amount=5,500", "ipq", "amount: 5,500 is 5 or 500 in Part"},
	} {
		f, err := rows.Parse(c.text, fields, now)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		got := ""
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if _, keep := f.Match(all[name]); keep {
				got += name
			}
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.text, got, c.want)
		}
		if notes := strings.Join(f.Notes(), "; "); !strings.Contains(notes, c.note) {
			t.Errorf("%s: got notes %q, want %q", c.text, notes, c.note)
		}
	}
	for text, want := range map[string]string{
		"amount>=1,0":   "amount: \"1,0\" is not a number",
		"amount>a":      "amount: \"a\" is not a number",
		"10:30":         "",
		`"two words":x`: "",
	} {
		if _, err := rows.Parse(text, fields, now); (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}
