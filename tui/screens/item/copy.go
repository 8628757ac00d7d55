package item

import (
	tea "charm.land/bubbletea/v2"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/internal/exporter"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/output"
)

// copyMenu offers the value under the cursor, the item, and programs that read
// it. Everything in it was masked.
func (ia *itemActions) copyMenu() *output.TakeMenu {
	var pieces []output.Piece
	if path, value, ok := ia.selectedValue(); ok {
		pieces = append(pieces, output.ValuePiece(path, value))
	}
	pieces = append(pieces, output.ItemPieces(ia.s.env, ia.s.table, ia.s.item, ia.fileName())...)
	return output.NewTakeMenu(ia.s.env, &ia.s.Host, append(pieces, output.ReadingPieces(ia.s.env, ia.s.table, ia.s.item)...))
}

// selectedValue is the value under the cursor, as it may be shown.
func (ia *itemActions) selectedValue() (path string, value types.AttributeValue, ok bool) {
	r := ia.s.attributes.selectedRow()
	if ia.s.tabs.Active != tabOverview || r == nil || r.value == nil {
		return "", nil, false
	}
	return r.path, r.value, true
}

// fileName is what a file with the item is called, without its ending.
func (ia *itemActions) fileName() string { return ia.s.facts.name + "-" + ia.s.facts.filed }

// openExport asks where the item is to be written.
func (ia *itemActions) openExport() tea.Cmd {
	ia.s.Box = output.NewExport(ia.s.env, output.Exporting{Title: "Export the item", Name: ia.fileName(), What: exporter.Export{
		Table: ia.s.table, Items: []models.Item{ia.s.item}, Single: true,
	}})
	return nil
}
