// Package table draws the tables of commands on a terminal as the console does: within its width, in its colors, with
// numbers at the right, and with its states and times.
package table

import (
	"io"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A Source is what a table shows.
type Source interface {
	Columns() []widget.Column
	Len() int
	Cell(row, col int) widget.Cell
}

// A Terminal is an output that draws tables. Other text passes its writer.
type Terminal struct {
	io.Writer

	Screen io.Writer // takes control sequences
	Styles *widget.Styles
	Width  int
	Now    func() time.Time
}

const gap = 2

// Draw writes the columns of a source that fit the width: the first as wide as its cells, the others within their limit.
func (t *Terminal) Draw(src Source) error {
	if src.Len() == 0 {
		return nil
	}
	widths := natural(src)
	used, shown := 0, 0
	for i, w := range widths {
		if i == 0 {
			w = min(w, t.Width)
			used = -gap
		}
		if i > 0 && used+gap+w > t.Width {
			break
		}
		widths[i], shown = w, i+1
		used += gap + w
	}
	return t.write(src, widths[:shown], false)
}

func natural(src Source) []int {
	cols := src.Columns()
	widths := make([]int, len(cols))
	for i, c := range cols {
		w := ansi.StringWidth(c.Title)
		for row := range src.Len() {
			w = max(w, ansi.StringWidth(src.Cell(row, i).Text))
		}
		if i > 0 && c.Max > 0 {
			w = min(w, c.Max)
		}
		widths[i] = w
	}
	return widths
}

func (t *Terminal) write(src Source, widths []int, wrap bool) error {
	var b strings.Builder
	cols := src.Columns()
	for row := -1; row < src.Len(); row++ {
		cells := make([]widget.Cell, len(widths))
		for i := range widths {
			cells[i] = widget.Cell{Text: cols[i].Title, Role: widget.RoleHeader}
			if row >= 0 {
				cells[i] = src.Cell(row, i)
			}
			if cells[i].Align == widget.AlignDefault {
				cells[i].Align = cols[i].Align
			}
		}
		b.WriteString(t.row(cells, widths, wrap))
	}
	if cut := len(cols) - len(widths); cut > 0 {
		note := present.Plural(cut, "more column") + "; -o json has every attribute"
		b.WriteString(t.Styles.Paint(widget.RoleFaint, note) + "\n")
	}
	_, err := io.WriteString(t.Screen, models.SafeFrame(b.String()))
	return err
}

func (t *Terminal) row(cells []widget.Cell, widths []int, wrap bool) string {
	line, used, last := "", 0, len(cells)-1
	for i, c := range cells {
		if i > 0 {
			line += strings.Repeat(" ", gap)
			used += gap
		}
		if wrap && i == last {
			lines := widget.Wrap(t.Styles, c.Role, c.Text, widths[i])
			return line + strings.Join(lines, "\n"+strings.Repeat(" ", used)) + "\n"
		}
		line += t.Styles.PaintCell(c.Role, widget.SurfacePlain, c.Text, widths[i], c.Align)
		used += widths[i]
	}
	return line + "\n"
}
