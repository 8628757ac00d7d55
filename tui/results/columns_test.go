package results

import (
	"slices"
	"testing"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// A key attribute without a template is an attribute and a key: it has one column. An item is named by its title, which
// needs all of its parts.
func TestDefaultColumnsNameEachAttributeOnce(t *testing.T) {
	table := &models.Table{Name: "t", PartitionKey: models.Key{Name: "id", Type: models.TypeS}, SortKey: models.Key{Name: "SK", Type: models.TypeS}}
	e := &models.Entity{
		Name: "Thing", Table: table, Keys: map[string]models.Template{"SK": models.MustTemplate("META")},
		Attributes: []*models.Attribute{{Name: "id", Path: "id", Type: models.TypeS}, {Name: "name", Path: "name", Type: models.TypeS}},
		ItemTitle:  models.MustTemplate("{name} ({id})"),
	}
	e.Seal()
	var keys []string
	for _, c := range DefaultColumns(&accesspatterns.Pattern{Table: table, Returns: []*models.Entity{e}}) {
		keys = append(keys, c.Key)
	}
	if !slices.Equal(keys, []string{"id", "name", "SK"}) {
		t.Errorf("columns %q", keys)
	}
	it := models.Item{"id": models.StringValue("7"), "name": models.StringValue("Pen")}
	if title, ok := itemTitle(e, it); !ok || title != "Pen (7)" {
		t.Errorf("title %q", title)
	}
	it["name"] = models.HiddenValue()
	if title, ok := itemTitle(e, it); ok {
		t.Errorf("title %q with a masked part", title)
	}
}
