package home

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// The cursor skips rows without an ID.
type row struct {
	id    string
	draw  func(t *widget.Strip) // draws the row after the cursor mark
	line  string                // styled line to use if draw is nil
	open  func() tea.Cmd        // handles enter; may be nil
	p     *profiles.Profile     // schema of the row, or nil
	table string                // table of the connection, or ""
	title string                // title for the status bar
	verb  string                // what enter does, "" for open
}

func textRows(lines []string) []row {
	return models.MapSlice(lines, func(line string) row { return row{line: line} })
}

// A section is a titled list of rows. Exactly one section has the cursor.
type section struct {
	title, note string
	empty       string // text to show if there are no rows
	rect        widget.Rect
	rows        []row
	focused     bool

	styles *widget.Styles
	lines  *widget.Lines
}

func newSection(s *widget.Styles, title string) *section {
	c := &section{title: title, styles: s, lines: widget.NewLines(s)}
	c.lines.SetStill(true)
	c.lines.SetSource(c)
	return c
}

func (c *section) Len() int { return len(c.rows) }

func (c *section) Skip(i int) bool { return c.rows[i].id == "" }

func (c *section) Line(i int, on widget.Surface, w int) string {
	mark := "▌"
	if !c.focused || on == widget.SurfacePlain {
		on, mark = widget.SurfacePlain, " "
	}
	r := c.rows[i]
	if r.draw == nil {
		return widget.Place(c.styles.PaintOn(widget.RoleAccent, on, mark)+r.line, w, 1)
	}
	t := widget.NewStrip(c.styles, on, w)
	t.Put(widget.RoleAccent, mark)
	r.draw(t)
	return t.String()
}

// Click implements widget.Clickable. The first line is the title.
func (c *section) Click(x, y int) (second, ok bool) { return c.lines.Click(x, y-1) }

func (c *section) Wheel(up bool) { c.lines.Wheel(up) }

func (c *section) setRect(rect widget.Rect) {
	c.rect = rect
	c.lines.SetSize(rect.W, max(rect.H-1, 0))
}

// width returns the row width without the cursor mark and the scroll bar.
func (c *section) width() int { return max(c.rect.W-2, 10) }

// setRows replaces the rows. The cursor stays on its row, or moves to the first row of the same schema.
func (c *section) setRows(rows []row) {
	old := c.current()
	c.rows = rows
	c.lines.SetSource(c)
	if old == nil {
		return
	}
	at := slices.IndexFunc(rows, func(r row) bool { return r.id == old.id })
	if at < 0 && old.p != nil {
		at = slices.IndexFunc(rows, func(r row) bool { return r.id != "" && r.p != nil && r.p.Name == old.p.Name })
	}
	if at >= 0 {
		c.lines.Go(at)
	}
}

func (c *section) current() *row {
	if i, ok := c.lines.At(); ok && i < len(c.rows) {
		r := c.rows[i]
		return &r
	}
	return nil
}

func (c *section) selectRow(matches func(r row) bool) bool {
	at := slices.IndexFunc(c.rows, func(r row) bool { return r.id != "" && matches(r) })
	if at >= 0 {
		c.lines.Go(at)
	}
	return at >= 0
}

func (c *section) hasRow() bool { return c.current() != nil }

// isAtEdge reports whether the cursor is on the first row (up) or the last row that it can reach.
func (c *section) isAtEdge(up bool) bool {
	at, ok := c.lines.At()
	if !ok {
		return true
	}
	others := c.rows[:at]
	if !up {
		others = c.rows[at+1:]
	}
	return !slices.ContainsFunc(others, func(r row) bool { return r.id != "" })
}

func (c *section) moveToEnd(last bool) {
	at := 0
	if last {
		at = max(len(c.rows)-1, 0)
	}
	c.lines.Go(at)
}

func (c *section) setStyles(s *widget.Styles) {
	c.styles = s
	c.lines.SetStyles(s)
}

func (c *section) view() string {
	title := widget.NewStrip(c.styles, widget.SurfacePlain, c.rect.W)
	role := widget.RoleMuted
	if c.focused {
		role = widget.RoleTitle
	}
	title.Put(widget.RoleText, " ")
	title.Put(role, models.PrintableCell(c.title, max(c.rect.W-models.Width(c.note)-4, 1)))
	if c.note != "" {
		title.Cell(widget.RoleFaint, "  "+c.note, title.Room()-1, widget.AlignRight)
	}
	body := c.lines.View()
	if len(c.rows) == 0 {
		body = " " + strings.Join(widget.Wrap(c.styles, widget.RoleFaint, c.empty, max(c.rect.W-2, 1)), "\n ")
	}
	return widget.Place(widget.Rows(title.String(), body), c.rect.W, c.rect.H)
}
