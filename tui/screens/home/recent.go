package home

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// maxRecent is the maximum number of recent items and queries, and separately of bookmarks, to list.
const maxRecent = 12

// ageWidth is the width of the age column in cells.
const ageWidth = 11

// A recent is a recent item or query of a connected schema. At is zero for a bookmark.
type recent struct {
	*present.Recent
	w *workspace.Workspace
}

func (h *Home) recentRows(w int) []row {
	var visits, marks []recent
	for _, p := range h.profiles {
		s := h.sessions[p.Name]
		if s == nil {
			continue
		}
		for _, r := range present.Recents(&screen.Env{Workspace: s, Styles: h.styles, Now: s.Session.Now}) {
			visits = append(visits, recent{r, s})
		}
		for _, b := range s.Bookmarks.Cached() {
			if b.IsItem() {
				to := screen.Item{Table: b.Table, Item: b.Key}
				marks = append(marks, recent{&present.Recent{ID: b.Name, Kind: "bookmark", Title: "★ " + b.Name, To: to}, s})
			}
		}
	}
	slices.SortStableFunc(visits, func(a, b recent) int { return b.At.Compare(a.At) })
	list := append(visits[:min(len(visits), maxRecent)], marks[:min(len(marks), maxRecent)]...)
	kindWidth := 0
	for _, r := range list {
		kindWidth = max(kindWidth, models.Width(r.Kind))
	}
	kindWidth = min(kindWidth, w/3, 24)
	rows := make([]row, len(list))
	for i, r := range list {
		title := r.Title
		if p := r.w.Session.Profile(); p.IsSchemaless() {
			title += " · " + p.Name
		}
		rows[i] = row{
			id: r.w.Session.Profile().Name + " " + r.Kind + " " + r.ID, p: r.w.Session.Profile(), title: r.Kind + " " + r.Title,
			open: func() tea.Cmd { return h.openItem(r.w, r.To) },
			draw: func(t *widget.Strip) {
				t.Cell(widget.RoleMuted, models.PrintableCell(r.Kind, kindWidth), kindWidth, widget.AlignLeft)
				room := max(t.Room()-ageWidth-2, 1)
				t.Cell(widget.RoleText, "  "+models.PrintableCell(title, room), room+2, widget.AlignLeft)
				if !r.At.IsZero() {
					t.Cell(widget.RoleFaint, present.Age(r.At, r.w.Session.Now()), t.Room(), widget.AlignRight)
				}
			},
		}
	}
	return rows
}
