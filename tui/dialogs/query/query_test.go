package query

import (
	"regexp"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// In an index with several sort keys, the value of each stands beside its name.
func TestEachSortKeyHasItsOwnLine(t *testing.T) {
	env, _ := screentest.Seeded(t, schemas.Open(t, "ebay-sniper"))
	index := &models.Index{Name: "scores", PartitionKeys: []models.Key{{Name: "game", Type: models.TypeS}}, SortKeys: []models.Key{
		{Name: "round", Type: models.TypeS}, {Name: "score", Type: models.TypeN}, {Name: "player", Type: models.TypeS},
	}}
	table := *env.Session.Profile().Tables[0]
	table.Indexes = []*models.Index{index}
	d, _ := New(env, screen.CustomQuery{Table: &table, Index: index}, nil)
	view := ansi.Strip(d.Over(env.Styles, widget.Place("", 130, 40), 130, 40))
	for _, k := range index.SortKeys {
		if !regexp.MustCompile(`│ +` + k.Name + ` .*value `).MatchString(view) {
			t.Errorf("%s and its value are not on one line in\n%s", k.Name, view)
		}
	}
}

// An estimate that arrives late belongs to its own table.
func TestLateEstimateBelongsToItsTable(t *testing.T) {
	env, _ := screentest.Seeded(t, schemas.Open(t, "ebay-sniper"))
	tables := env.Session.Profile().Tables
	if len(tables) < 2 {
		t.Fatal("the schema has only one table")
	}
	d, first := New(env, screen.CustomQuery{Table: tables[0]}, nil)
	values := d.Form.Values()
	values[tableField] = tables[1].ID
	d.Form.SetValues(values)
	second := d.rebuild()
	second().(screen.Answer)()
	want := d.cost()
	first().(screen.Answer)()
	if got := d.cost(); want == "" || got != want {
		t.Errorf("%s: cost = %q after the estimate of %s, want %q", d.table.Name, got, tables[0].Name, want)
	}
}
