package results

import (
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// queryCell returns the cell of a jq result.
func queryCell(value string) widget.Cell {
	if value == "" {
		return widget.Cell{Text: present.NoValue, Role: widget.RoleFaint}
	}
	role := widget.RoleStrong
	if value == "null" {
		role = widget.RoleFaint
	}
	return widget.Cell{Text: models.PrintableCell(value, present.CellRunes), Role: role}
}
