package home

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/local"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// mostRecent is how many recent items and queries, and how many bookmarks are listed.
const mostRecent = 12

// ageWidth are the cells of an age.
const ageWidth = 11

// A recent item or query, of a schema that is connected.
type recent struct {
	w     *workspace.Workspace
	kind  string
	title string
	to    screen.Target
	at    time.Time // zero for a bookmark
}

// recentRows lists what was opened and queried last, and the bookmarks.
func (h *Home) recentRows(w int) []row {
	var visits, marks []recent
	for _, p := range h.profiles {
		s := h.known[p.Name]
		if s == nil {
			continue
		}
		env := &screen.Env{Workspace: s, Styles: h.styles, Now: s.Session.Now}
		for _, v := range s.History.Visits() {
			kind, title := present.VisitTitle(env, v)
			if id, ok := strings.CutPrefix(title, kind+" "); ok {
				title = id
			}
			visits = append(visits, recent{s, kind, title, screen.Item{Table: v.Table, Item: v.Key}, v.At})
		}
		for _, q := range s.History.Queries() {
			to := screen.Patterns{Pattern: q.Pattern, Args: q.Args, Run: true}
			visits = append(visits, recent{
				s, env.OperationWord(q.Pattern.Read.Operation),
				present.QueryTitle(env, q.Pattern, q.Args), to, q.At,
			})
		}
		for _, b := range s.Bookmarks.Cached() {
			if b.IsItem() {
				marks = append(marks, recent{w: s, kind: "bookmark", title: "★ " + b.Name, to: screen.Item{Table: b.Table, Item: b.Key}})
			}
		}
	}
	slices.SortStableFunc(visits, func(a, b recent) int { return b.at.Compare(a.at) })
	list := append(visits[:min(len(visits), mostRecent)], marks[:min(len(marks), mostRecent)]...)
	kind := 0
	for _, r := range list {
		kind = max(kind, models.Width(r.kind))
	}
	kind = min(kind, w/3, 24)
	rows := make([]row, len(list))
	for i, r := range list {
		rows[i] = row{
			id: r.w.Session.Profile().Name + " " + r.kind + " " + r.title, p: r.w.Session.Profile(), title: r.kind + " " + r.title,
			open: func() tea.Cmd { return h.connect.openItem(r.w, r.to) },
			draw: func(t *widget.Strip) {
				t.Cell(widget.RoleMuted, models.PrintableCell(r.kind, kind), kind, widget.AlignLeft)
				room := max(t.Room()-ageWidth-2, 1)
				t.Cell(widget.RoleText, "  "+models.PrintableCell(r.title, room), room+2, widget.AlignLeft)
				if !r.at.IsZero() {
					t.Cell(widget.RoleFaint, strings.TrimSuffix(present.Age(r.at, r.w.Session.Now()), " ago"), t.Room(), widget.AlignRight)
				}
			},
		}
	}
	return rows
}

// knownIDs are the IDs of recent items, which a text with a typing error may mean; none that are masked.
func (h *Home) knownIDs() []string {
	var list []string
	for _, s := range h.known {
		for _, v := range s.History.Visits() {
			list = append(list, idOf(v))
		}
	}
	return list
}

// idOf returns "" for an ID that is masked.
func idOf(v local.Visit) string {
	if v.Entity == nil {
		return ""
	}
	name := v.Entity.IDName()
	if a := v.Entity.Attribute(name); a != nil && a.Sensitive != models.Open {
		return ""
	}
	id, _ := v.Entity.Values(v.Key)(name)
	return id
}
