package results

import (
	"testing"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// Without a schema, rows show their attributes right after the primary key, except masked ones.
func TestTableRowsWithoutSchemaShowTheirAttributes(t *testing.T) {
	t.Parallel()
	key := func(name string) models.Key { return models.Key{Name: name, Type: models.TypeS} }
	table := &models.Table{Name: "t", PartitionKey: key("pk"), SortKey: key("sk"), Indexes: []*models.Index{{
		Name: "x", PartitionKeys: []models.Key{key("a")},
	}}}
	e := &models.Entity{Name: "Item", Table: table, ByName: func(string) models.Sensitivity { return models.NotSensitive }}
	for _, name := range []string{"pk", "sk", "a"} {
		e.Attributes = append(e.Attributes, &models.Attribute{Name: name, Path: name, Type: models.TypeS})
	}
	p := &accesspatterns.Pattern{Table: table, Returns: []*models.Entity{e}}
	if cols := DefaultColumns(p); len(cols) != 4 || cols[2].Key != aboutColumn || cols[3].Key != "a" {
		t.Errorf("got columns %+v", cols)
	}
	row := &Row{Entity: e, Item: models.Item{
		"pk": models.StringValue("1"), "a": models.StringValue("2"), "note": models.StringValue("hello"), "mail": models.HiddenValue(),
		"total": models.PlainValue(true),
	}}
	if got := aboutCell(snapshot{pattern: p}, row).Text; got != "note hello · total true" {
		t.Errorf("got details %q", got)
	}
	shown := snapshot{pattern: p, shown: []Column{{Key: "note"}}}
	if got := aboutCell(shown, row).Text; got != "total true" {
		t.Errorf("details beside the attribute's own column: got %q", got)
	}
	found := &Rows{Pattern: p, undeclaredPaths: []string{"note", "total"}}
	if cols := found.defaultColumns(); len(cols) != 6 || cols[2].Key != "note" || cols[3].Key != "total" || !cols[5].Hidden {
		t.Errorf("columns of undeclared attributes: got %+v", cols)
	}
	found.undeclaredPaths = []string{"1", "2", "3", "4", "5", "6", "7"}
	if cols := found.defaultColumns(); len(cols) != 10 || cols[9] != (Column{Key: aboutColumn}) {
		t.Errorf("columns of many attributes: got %+v", cols)
	}
}
