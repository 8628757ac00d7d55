package item

import (
	"strconv"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

const (
	stripTitle = 34 // cells of a pattern's title
	stripMore  = 9  // cells that are kept for saying how many more there are
)

// stripEntry is a pattern in the strip, at the columns [from, to).
type stripEntry struct {
	from, to int
	relation present.Relation
}

// relatedStrip is the line above the tabs that names related patterns with their counts.
type relatedStrip struct {
	s       *itemScreen
	drawn   bool // the line is visible
	entries []stripEntry
}

func (sp *relatedStrip) line() string {
	t := widget.NewStrip(sp.s.env.Styles, widget.SurfacePlain, sp.s.w)
	t.Put(widget.RoleText, " ")
	sp.entries = sp.entries[:0]
	order := sp.s.counts.countOrder()
	for i, r := range order {
		title := models.PrintableCell(relationTitle(r), stripTitle)
		rest := len(order) - i
		need := ansi.StringWidth(title) + 1 + countWidth + 2
		if rest > 1 {
			need += stripMore
		}
		if need > t.Room() {
			t.Put(widget.RoleFaint, "+"+strconv.Itoa(rest)+" more")
			break
		}
		from := sp.s.w - t.Room()
		count := sp.s.counts.countText(r)
		role, word := widget.RoleInfo, widget.RoleMuted
		if count == "0" || count == "–" || count == "…" {
			role, word = widget.RoleFaint, widget.RoleFaint
		}
		t.Put(word, title+" ")
		t.Cell(role, count, countWidth, widget.AlignRight)
		t.Put(widget.RoleFaint, " ›")
		sp.entries = append(sp.entries, stripEntry{from, sp.s.w - t.Room(), r})
		t.Put(widget.RoleText, "  ")
	}
	return t.String()
}

func (sp *relatedStrip) click(x, _ int) tea.Cmd {
	for _, e := range sp.entries {
		if x >= e.from && x < e.to {
			return runRelation(e.relation)
		}
	}
	return nil
}
