package documents

import (
	"fmt"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/tables"
)

// CheckTable has a row for each table, and one for each further difference.
func CheckTable(checks []tables.Check) *items.TextTable {
	t := items.NewTextTable("TABLE", "STATE", "ITEMS (APPROX.)", "DETAILS")
	t.WholeLast = true
	for _, c := range checks {
		state, items := "ok", fmt.Sprint(c.ApproximateItems)
		switch {
		case c.Missing:
			state, items = "missing", ""
		case c.Status == "":
			state, items = "unknown", ""
		case len(c.Differences) > 0:
			state = "differs"
		}
		details := c.Differences
		if c.NotCompared != "" {
			details = append(details, c.NotCompared)
		}
		t.Add(c.Table, state, items, strings.Join(details[:min(1, len(details))], ""))
		for _, d := range details[min(1, len(details)):] {
			t.Add("", "", "", d)
		}
	}
	return t
}
