package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/export"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A rowOutput is a document of items, in any format.
type rowOutput interface {
	Write(items []models.Item) error
	Close(tail export.Tail) error
	// LeftOut names the attributes without a column.
	LeftOut() []string
}

// A screenTable shows rows on a terminal as the console does: in its columns and colors, and within the width.
type screenTable struct {
	to     io.Writer
	width  int
	styles *widget.Styles
	rows   *results.Rows
	cut    int // columns that do not fit
}

// newScreenTable returns the table of a pattern for a terminal, nil if stdout is none.
func newScreenTable(a *app, s *workspace.Workspace, p *accesspatterns.Pattern) *screenTable {
	f, ok := fileOf(a.stdout)
	if !ok || !isTerminal(a.stdout) {
		return nil
	}
	width, _, err := term.GetSize(f.Fd())
	if err != nil || width <= 0 {
		return nil
	}
	theme := widget.Theme{}
	if c, err := a.configuration(); err == nil {
		theme, _ = chooseTheme(c.Theme, "") // A wrong theme is reported by the console.
	}
	styles := theme.Styles(true, colorprofile.Detect(f, os.Environ()), a.flags.noColor || a.plain())
	env := &screen.Env{Workspace: s, Styles: styles, Now: s.Session.Now}
	return &screenTable{to: f, width: width, styles: styles, rows: results.NewRows(env, p)}
}

// Write adds rows.
func (t *screenTable) Write(items []models.Item) error {
	t.rows.Add(items)
	return nil
}

// LeftOut names nothing: which columns there are depends on the width.
func (*screenTable) LeftOut() []string { return nil }

// Close writes the table.
func (t *screenTable) Close(export.Tail) error {
	if t.rows.Len() == 0 {
		return nil
	}
	cols, widths := t.fit()
	var b strings.Builder
	for row := -1; row < t.rows.Len(); row++ {
		line := ""
		for i, c := range cols {
			cell := widget.Cell{Text: c.Title, Role: widget.RoleHeader}
			if row >= 0 {
				cell = t.rows.Cell(row, i)
			}
			if cell.Align == widget.AlignDefault {
				cell.Align = c.Align
			}
			if i > 0 {
				line += "  "
			}
			line += t.styles.PaintCell(cell.Role, widget.SurfacePlain, cell.Text, widths[i], cell.Align)
		}
		b.WriteString(line + "\n")
	}
	if t.cut > 0 {
		b.WriteString(t.styles.Paint(widget.RoleFaint, fmt.Sprintf("%d more columns; -o json has every attribute", t.cut)) + "\n")
	}
	_, err := io.WriteString(t.to, models.SafeFrame(b.String()))
	return err
}

// fit returns the columns that fit the width, and how wide they are: the first as wide as its cells, the others within
// their limit.
func (t *screenTable) fit() (cols []widget.Column, widths []int) {
	used := 0
	for i, c := range t.rows.Columns() {
		w := ansi.StringWidth(c.Title)
		for row := range t.rows.Len() {
			w = max(w, ansi.StringWidth(t.rows.Cell(row, i).Text))
		}
		if i > 0 && c.Max > 0 {
			w = min(w, c.Max)
		}
		if i == 0 {
			w = min(w, t.width)
		} else if used+2+w > t.width {
			t.cut = len(t.rows.Columns()) - i
			return cols, widths
		}
		if i > 0 {
			used += 2
		}
		used += w
		cols, widths = append(cols, c), append(widths, w)
	}
	return cols, widths
}
