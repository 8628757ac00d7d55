package screens

import (
	"charm.land/bubbletea/v2"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// copyMenu offers the value under the cursor, the item, and programs that read
// it. Everything in it was masked.
func (s *itemScreen) copyMenu() *takeMenu {
	var pieces []piece
	if path, value, ok := s.selectedValue(); ok {
		pieces = append(pieces, valuePiece(path, value))
	}
	pieces = append(pieces, itemPieces(s.env, s.table, s.item, s.fileName())...)
	return newTakeMenu(s.env, &s.cover, append(pieces, readingPieces(s.env, s.table, s.item)...))
}

// selectedValue is the value under the cursor, as it may be shown.
func (s *itemScreen) selectedValue() (path string, value types.AttributeValue, ok bool) {
	r := s.selectedRow()
	if s.tabs.Active != tabOverview || r == nil || r.value == nil {
		return "", nil, false
	}
	return r.path, r.value, true
}

// fileName is what a file with the item is called, without its ending.
func (s *itemScreen) fileName() string { return s.facts.name + "-" + s.facts.filed }

// openExport asks where the item is to be written.
func (s *itemScreen) openExport() tea.Cmd {
	s.box = newExport(s.env, exporting{title: "Export the item", name: s.fileName(), what: session.Export{
		Table: s.table, Items: []models.Item{s.item}, Single: true,
	}})
	return nil
}
