package query

import (
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

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
