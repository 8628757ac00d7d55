package item

import (
	tea "charm.land/bubbletea/v2"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/output"
)

// copyMenu offers the value under the cursor, the item, and programs that read
// it. Everything in it was masked.
func (s *itemScreen) copyMenu() *output.TakeMenu {
	var pieces []output.Piece
	if path, value, ok := s.selectedValue(); ok {
		pieces = append(pieces, output.ValuePiece(path, value))
	}
	pieces = append(pieces, output.ItemPieces(s.env, s.table, s.item, s.fileName())...)
	return output.NewTakeMenu(s.env, &s.Host, append(pieces, output.ReadingPieces(s.env, s.table, s.item)...))
}

// selectedValue is the value under the cursor, as it may be shown.
func (s *itemScreen) selectedValue() (path string, value types.AttributeValue, ok bool) {
	r := s.attributes.selectedRow()
	if s.tabs.Active != tabOverview || r == nil || r.value == nil {
		return "", nil, false
	}
	return r.path, r.value, true
}

// fileName is what a file with the item is called, without its ending.
func (s *itemScreen) fileName() string { return s.facts.name + "-" + s.facts.filed }

// openExport asks where the item is to be written.
func (s *itemScreen) openExport() tea.Cmd {
	s.Box = output.NewExport(s.env, output.Exporting{Title: "Export the item", Name: s.fileName(), What: session.Export{
		Table: s.table, Items: []models.Item{s.item}, Single: true,
	}})
	return nil
}
