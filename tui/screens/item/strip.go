package item

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

const (
	stripTall  = 28 // from this height the strip has a line of its own
	stripTitle = 34 // cells of a pattern's title
	stripMore  = 9  // cells that are kept for saying how many more there are
)

// stripEntry is a pattern in the strip, at the columns [from, to).
type stripEntry struct {
	from, to int
	relation present.Relation
}

// head is how many lines stand above the panels: name, key, notice, tabs, and
// the strip where there is room for it.
func (hd *itemHeader) head() int {
	if hd.s.h >= stripTall {
		return 5
	}
	return 4
}

// stripLine names what can be asked next. Room for the numbers is kept, so that
// nothing moves when they arrive.
func (rt *relatedTab) stripLine() string {
	t := widget.NewStrip(rt.s.env.Styles, widget.SurfacePlain, rt.s.w)
	t.Put(widget.RoleText, " ")
	rt.strip = rt.strip[:0]
	order := rt.s.counts.countOrder()
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
		from := rt.s.w - t.Room()
		count := rt.s.counts.countText(r)
		role, word := widget.RoleInfo, widget.RoleMuted
		if count == "0" || count == "–" || count == "…" {
			role, word = widget.RoleFaint, widget.RoleFaint
		}
		t.Put(word, title+" ")
		t.Cell(role, count, countWidth, widget.AlignRight)
		t.Put(widget.RoleFaint, " ›")
		rt.strip = append(rt.strip, stripEntry{from, rt.s.w - t.Room(), r})
		t.Put(widget.RoleText, "  ")
	}
	return t.String()
}

// clickStrip runs the pattern at a column of the strip.
func (rt *relatedTab) clickStrip(x int) tea.Cmd {
	for _, e := range rt.strip {
		if x >= e.from && x < e.to {
			return screen.Open(screen.Patterns{Pattern: e.relation.Pattern, Args: e.relation.Args, Run: true})
		}
	}
	return nil
}

// blank reports a line without any text.
func blank(line string) bool { return strings.TrimSpace(ansi.Strip(line)) == "" }
