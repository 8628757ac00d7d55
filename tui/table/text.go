package table

import (
	"slices"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

const (
	// leastCell is how narrow a column of text becomes before columns are left out.
	leastCell = 12
	// leastSentence is the least width of a last column that wraps.
	leastSentence = 24
)

// texts is a table of plain cells as a source: their form says what they are.
type texts struct {
	columns []widget.Column
	rows    [][]widget.Cell
}

func (s *texts) Columns() []widget.Column      { return s.columns }
func (s *texts) Len() int                      { return len(s.rows) }
func (s *texts) Cell(row, col int) widget.Cell { return s.rows[row][col] }

// DrawRows implements items.Drawer. Columns of text become narrower before any is left out, except the first: it
// identifies the row.
func (t *Terminal) DrawRows(p items.Part) error {
	src := t.texts(p)
	if len(p.Rows) == 0 {
		return t.write(src, natural(src), false)
	}
	src.omitEmpty(t.Width)
	widths := natural(src)
	numbers := func(i int) bool { return src.columns[i].Align == widget.AlignRight }
	least := func(i int) int {
		switch {
		case i == 0 || numbers(i) || src.columns[i].Whole:
			return widths[i]
		case p.Whole && i == len(widths)-1: // It wraps.
			return min(widths[i], leastSentence)
		}
		return min(widths[i], leastCell)
	}
	shown, used := 1, widths[0]
	for shown < len(widths) && used+gap+least(shown) <= t.Width {
		used += gap + least(shown)
		shown++
	}
	over := -gap - t.Width
	for _, w := range widths[:shown] {
		over += w + gap
	}
	for ; over > 0; over-- {
		widest := -1
		for i := range widths[:shown] {
			if widths[i] > least(i) && (widest < 0 || widths[i] >= widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		widths[widest]--
	}
	widths[0] = min(widths[0], t.Width)
	return t.write(src, widths[:shown], p.Whole && shown == len(widths))
}

func (s *texts) omitEmpty(width int) {
	for i := 1; i < len(s.columns); {
		used := -gap
		for _, w := range natural(s) {
			used += w + gap
		}
		switch {
		case used <= width:
			return
		case slices.ContainsFunc(s.rows, func(r []widget.Cell) bool { return r[i].Text != "" }):
			i++
		default:
			s.columns = slices.Delete(s.columns, i, i+1)
			for row := range s.rows {
				s.rows[row] = slices.Delete(s.rows[row], i, i+1)
			}
		}
	}
}

func (t *Terminal) texts(p items.Part) *texts {
	src := &texts{columns: make([]widget.Column, len(p.Header))}
	for i, title := range p.Header {
		c := widget.Column{Title: title}
		if isNumbers(p.Rows, i) {
			c.Align = widget.AlignRight
		}
		c.Whole = isTimes(p.Rows, i)
		src.columns[i] = c
	}
	for _, r := range p.Rows {
		row := make([]widget.Cell, len(r))
		for i, text := range r {
			row[i] = t.cell(p.Header[i], text)
			if i == 0 && row[i].Role == widget.RoleText {
				row[i].Role = widget.RoleStrong
			}
		}
		src.rows = append(src.rows, row)
	}
	return src
}

func (t *Terminal) cell(title, text string) widget.Cell {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return widget.Cell{Text: present.ExactMoment(at, t.Now()), Role: widget.RoleMuted}
	}
	if title == "STATE" || title == "OUTCOME" {
		if kind, ok := stateKinds[strings.ToLower(text)]; ok {
			return widget.Badge(kind, text)
		}
		if strings.HasPrefix(text, "OPEN") { // A change whose outcome is unknown.
			return widget.Cell{Text: text, Role: widget.RoleWarn}
		}
	}
	return widget.Cell{Text: text, Role: widget.RoleText}
}

var stateKinds = map[string]widget.Kind{
	"ok": widget.KindGood, "committed": widget.KindGood, "applied": widget.KindGood, "approved": widget.KindGood,
	"missing": widget.KindBad, "differs": widget.KindBad, "rejected": widget.KindBad, "failed": widget.KindBad,
	"refused": widget.KindBad, "conflict": widget.KindBad,
	"open": widget.KindOpen, "unknown": widget.KindOpen,
	"withdrawn": widget.KindFinal, "expired": widget.KindFinal,
}

func isNumbers(rows [][]string, col int) bool {
	return allCells(rows, col, func(text string) bool { return models.CheckNumber(text) == nil })
}

func isTimes(rows [][]string, col int) bool {
	return allCells(rows, col, func(text string) bool {
		_, err := time.Parse(time.RFC3339, text)
		return err == nil
	})
}

func allCells(rows [][]string, col int, is func(string) bool) bool {
	filled := slices.DeleteFunc(slices.Clone(rows), func(r []string) bool { return r[col] == "" })
	return len(filled) > 0 && !slices.ContainsFunc(filled, func(r []string) bool { return !is(r[col]) })
}
