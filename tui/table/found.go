package table

import (
	"io"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/find"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Found writes the hits of a search: what each is, and its key. A terminal gets a table, other outputs get lines.
func Found(w io.Writer, hits []find.Hit) error {
	if t, ok := w.(*Terminal); ok {
		return t.Draw(foundRows{t, hits})
	}
	var b strings.Builder
	for _, h := range hits {
		card := h.Card()
		parts := []string{h.Workspace.Session.Profile().Name, card.Entity, card.Title}
		for _, s := range card.States {
			parts = append(parts, s.Name)
		}
		if !card.Changed.IsZero() {
			parts = append(parts, "changed "+card.Changed.UTC().Format("2006-01-02T15:04:05Z"))
		}
		if h.Way == find.Scanned {
			parts = append(parts, "found by a scan")
		}
		for i, p := range parts {
			parts[i] = models.Printable(p)
		}
		b.WriteString(strings.Join(parts, "   ") + "\n  " + models.Printable(h.Table.Name+"  "+keyOf(h)) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// keyOf returns the masked key of a hit.
func keyOf(h find.Hit) string {
	return h.Table.KeyText(h.Workspace.Session.Masker().Item(h.Table, h.Item))
}

// foundRows are the hits of a search as a source.
type foundRows struct {
	t    *Terminal
	hits []find.Hit
}

func (s foundRows) Len() int { return len(s.hits) }

func (foundRows) Columns() []widget.Column {
	return []widget.Column{
		{Title: "ID"}, {Title: "ENTITY"}, {Title: "SCHEMA"}, {Title: "STATE"}, {Title: "CHANGED"}, {Title: "FOUND"}, {Title: "KEY"},
	}
}

func (s foundRows) Cell(row, col int) widget.Cell {
	h := s.hits[row]
	card := h.Card()
	switch col {
	case 0:
		return widget.Cell{Text: models.PrintableCell(card.Title, present.CellRunes), Role: widget.RoleStrong}
	case 1:
		return widget.Cell{Text: models.Printable(card.Entity), Role: widget.RoleKey}
	case 3:
		if len(card.States) > 0 {
			return present.StateBadge(card.States[0].Lifecycle, card.States[0].Name)
		}
	case 4:
		if !card.Changed.IsZero() {
			return widget.Cell{Text: present.Age(card.Changed, s.t.Now()), Role: widget.RoleMuted}
		}
	case 2:
		return widget.Cell{Text: h.Workspace.Session.Profile().Name, Role: widget.RoleMuted}
	case 5:
		if h.Way == find.Scanned {
			return widget.Cell{Text: "by a scan", Role: widget.RoleMuted}
		}
	default:
		return widget.Cell{Text: models.Printable(h.Table.Name + "  " + keyOf(h)), Role: widget.RoleMuted}
	}
	return widget.Cell{}
}
