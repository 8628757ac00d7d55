package results

import (
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A Terminal is the output of a command. It draws tables like the console: within the terminal's width and in its
// colors, with right-aligned numbers, states and times. It writes other text unchanged.
type Terminal struct {
	io.Writer

	Screen io.Writer // receives control sequences
	Styles *widget.Styles
	Width  int
	Now    func() time.Time
	Plain  bool // times within a text are short too, as for role support
}

const (
	gap = 2
	// minCell is the minimum width of a text column in cells. A Terminal omits columns that would be narrower.
	minCell = 12
	// minID is the minimum width, in cells, of an ID or a key that distinguishes rows.
	minID = 20
	// minSentence is the minimum width, in cells, of a last column that wraps, and of an item's texts.
	minSentence = 24
	// maxWord is the maximum width of a word, in cells, that a last column does not break.
	maxWord = 40
	// maxFirst is the width below which the first column, which identifies the row, does not become narrower.
	maxFirst = 48
	// maxLines is the maximum number of lines of a cell that is not the last of its row.
	maxLines = 6
	// maxTitleWord is the maximum width of a word, in cells, that a title does not break.
	maxTitleWord = 17
	// maxWhole is the maximum number of items whose details wrap.
	maxWhole = 10
	// manyColumns is the number of columns from which a readable column is more useful than one more column.
	manyColumns = 5
	// maxOmitted is the maximum number of omitted columns to name.
	maxOmitted = 5
)

// minimumWidths contains minimum widths by title, in cells: for an ID, a state, two states, an action, one or two
// parameters, and titles that repeat or wrap.
var minimumWidths = map[string]int{
	"ID": maxFirst, "STATE": 18, "CHANGE": 24, "SUBJECT": 20, "PARAMETERS": 15, "INPUTS": 17, "ENTITY": 12, "OUTCOME": 12,
	"NOTES": minSentence,
}

// An ItemPrinter draws items on a terminal in the console's columns.
type ItemPrinter struct {
	to   *Terminal
	rows *Rows
}

// Items returns an ItemPrinter, which draws the items of a request once it has received all of them.
func (t *Terminal) Items(w *workspace.Workspace, r *accesspatterns.Request) *ItemPrinter {
	rows := NewRows(&screen.Env{Workspace: w, Styles: t.Styles, Now: w.Session.Now}, r.Pattern)
	rows.Request, rows.GivenKeys = r, r.GivenKeys(nil)
	return &ItemPrinter{t, rows}
}

// Write adds items.
func (p *ItemPrinter) Write(items []models.Item) error {
	p.rows.Add(items)
	return nil
}

// Omitted returns nil, because the omitted columns depend on the terminal's width.
func (*ItemPrinter) Omitted() []string { return nil }

// Changed returns 0, because no one reads drawn items back.
func (*ItemPrinter) Changed() int { return 0 }

// Close draws the columns that fit. It lists the values of a single item below each other if not all columns fit.
// Otherwise, it first omits the columns that only repeat a parameter, then the ages of times.
func (p *ItemPrinter) Close(items.Tail) error {
	if p.rows.Len() == 0 {
		return nil
	}
	p.rows.times, p.rows.showsExpiry = present.Dated, true
	repeated := p.leadWithOtherValues()
	isWide := func() bool { return widget.Total(naturalWidths(p.rows)) > p.to.Width }
	if p.rows.Len() == 1 && isWide() {
		return p.list()
	}
	var omitted []string
	if isWide() {
		omitted = models.MapSlice(repeated, p.rows.Title)
		p.rows.SetLayout(slices.DeleteFunc(p.rows.Layout.Shown, func(c Column) bool { return slices.Contains(repeated, c) }))
	}
	if isWide() {
		p.rows.times = present.Ageless
		p.rows.cache.clear()
	}
	widths, cols := p.to.fit(p.rows, false), p.rows.Columns()
	limits := slices.Repeat([]int{1}, len(widths))
	if p.rows.Len() <= maxWhole && cols[len(widths)-1].Min > 0 { // the details of a few items
		limits[len(widths)-1] = math.MaxInt
	}
	return p.to.write(p.rows, widths, omitted, limits)
}

// leadWithOtherValues moves columns of parameters to the front if a row has another value, as with a stale index key. It
// returns the other columns of parameters, which repeat one value.
func (p *ItemPrinter) leadWithOtherValues() (repeated []Column) {
	list, first, rest := p.rows.LoadedItems().Items(), p.rows.Layout.Shown[:1:1], []Column(nil)
	for _, c := range p.rows.Layout.Shown[1:] {
		want := p.rows.Request.Values[c.Key].Text
		switch {
		case !isRequiredParam(p.rows.Pattern, c.Key):
			rest = append(rest, c)
		case slices.ContainsFunc(list, func(it models.Item) bool {
			text, ok := it.Text(c.Key)
			return ok && text != want
		}):
			first = append(first, c)
		default:
			rest, repeated = append(rest, c), append(repeated, c)
		}
	}
	p.rows.SetLayout(append(first, rest...))
	return repeated
}

func (p *ItemPrinter) list() error {
	s, row := p.rows.snapshot(), p.rows.Row(0)
	var facts []fact
	for i, c := range s.shown {
		if c.Key == aboutColumn {
			facts = append(facts, details(s, row)...)
		} else if cell := row.cells[i]; cell.Text != present.NoValue {
			facts = append(facts, fact{p.rows.Title(c), cell})
		}
	}
	width := 0
	for _, f := range facts {
		width = max(width, ansi.StringWidth(f.label))
	}
	var b strings.Builder
	for _, f := range facts {
		cells := []widget.Cell{{Text: f.label, Role: widget.RoleHeader}, f.value}
		b.WriteString(p.to.row(cells, []int{width, p.to.Width - width - gap}, []int{1, math.MaxInt}))
	}
	var omitted []string
	for _, name := range row.Item.Names() {
		label := s.shows.Label(row.Entity, name)
		isListed := hasColumn(s.shown, name) || slices.ContainsFunc(facts, func(f fact) bool { return f.label == label })
		if !isListed && (label != name || !s.shows.Titles) { // Role support reads titles only.
			omitted = append(omitted, label)
		}
	}
	b.WriteString(p.to.omissionNote(omitted, "attributes"))
	_, err := io.WriteString(p.to.Screen, models.SafeFrame(b.String()))
	return err
}

// fit returns the widths of the columns that fit. IDs and keys become narrower after all other columns, and become
// short before fit omits a column. It omits columns rather than cut the ID of a row, because the next command needs it.
func (t *Terminal) fit(src source, whole bool) []int {
	rows, isItems := src.(*Rows)
	wanted, minimum := naturalWidths(src), minimums(src, whole)
	if isItems {
		readable := slices.Clone(minimum)
		for i := range readable {
			readable[i] = max(readable[i], min(wanted[i], minID))
		}
		complete, fitting := slices.Clone(readable), []int(nil)
		for i, c := range rows.Layout.Shown {
			isID := func(e *models.Entity) bool { return e.IDName() == c.Key }
			if c.Key == nameColumn || slices.ContainsFunc(rows.Pattern.Returns, isID) {
				complete[i] = wanted[i]
			}
		}
		for i, least := range [][]int{readable, complete} {
			if widths := widget.FitPage(t.Width, wanted, least); len(widths) >= manyColumns-i {
				fitting = widths
			}
		}
		if fitting != nil {
			return fitting
		}
	}
	for i, c := range src.Columns() {
		room := t.Width - widget.Total(minimum)
		switch more := wanted[i] - minimum[i]; {
		case i == 0 || c.Title == "ID" || !c.Middle && !c.Frozen:
		case room < 0 && c.Whole:
			minimum[i] = min(minimum[i], minID)
		case room < 0:
			minimum[i] = min(minimum[i], minCell)
		case room >= more && isItems: // The cells of other tables need the room too.
			minimum[i] += more
		}
	}
	last := len(minimum) - 1
	if isItems && len(minimum) > 1 && rows.Layout.Shown[1].Key == nameColumn {
		minimum[1] = min(wanted[1], maxFirst)
		minimum[last] = max(min(minimum[last], t.Width-widget.Total(minimum)+minimum[last]), min(minimum[last], minCell))
	}
	if whole { // Sentences are wide before they wrap.
		minimum[last] += max(min(t.Width-widget.Total(minimum), min(wanted[last], maxWord)-minimum[last]), 0)
	}
	if over := widget.Total(minimum) - t.Width; over > 0 && whole {
		minimum[last] = max(min(minimum[last], minSentence), minimum[last]-over)
	}
	return widget.FitPage(t.Width, wanted, minimum)
}

type source interface {
	widget.Source
	Columns() []widget.Column
}

// texts draws plain texts as a table of a widget. The form of each text determines its role.
type texts struct {
	columns []widget.Column
	rows    [][]widget.Cell
}

func (t *texts) Columns() []widget.Column      { return t.columns }
func (t *texts) Len() int                      { return len(t.rows) }
func (t *texts) Cell(row, col int) widget.Cell { return t.rows[row][col] }

// DrawRows implements items.Drawer. It narrows text columns before it omits any, but keeps the first, which identifies
// the row. Cells of several words wrap.
func (t *Terminal) DrawRows(p items.Part) error {
	src := t.texts(p)
	if len(p.Rows) == 0 {
		return t.write(src, naturalWidths(src), nil, slices.Repeat([]int{1}, len(src.columns)))
	}
	for i := len(src.columns) - 1; i > 0; i-- {
		if !slices.ContainsFunc(src.rows, func(r []widget.Cell) bool { return r[i].Text != "" }) {
			src.omit(i)
		}
	}
	var omitted []string
	for _, title := range p.Optional {
		at := src.column(title)
		natural, needed := naturalWidths(src), minimums(src, p.Whole)
		if i := src.column("TITLE"); i >= 0 {
			needed[i] = natural[i]
		}
		if i := src.column("KEY"); i > 0 && !src.columns[i].Whole {
			needed[i] = min(needed[i], minCell)
		}
		isPipe := t.Width > math.MaxInt16 // with CLICOLOR_FORCE
		if at >= 0 && (widget.Total(needed) > t.Width || !isPipe && src.isConstant(at)) {
			if src.isConstant(at) {
				title += " (" + src.rows[0][at].Text + ")"
			}
			src.omit(at)
			omitted = append(omitted, title)
		}
	}
	widths := t.fit(src, p.Whole)
	limits := slices.Repeat([]int{maxLines}, len(widths))
	if p.Whole && len(widths) == len(src.columns) {
		limits[len(widths)-1] = math.MaxInt
	}
	return t.write(src, widths, omitted, limits)
}

// minimums returns the widths below which no column may become narrower. The last column wraps if whole is true.
func minimums(src source, whole bool) []int {
	minimum := naturalWidths(src)
	for i, c := range src.Columns() {
		limit, ok := minimumWidths[c.Title]
		ok = ok && i > 0 // The first column does not wrap.
		switch {
		case i > 0 && c.Whole:
			continue
		case ok:
		case i == 0:
			limit = maxFirst
		case c.Middle || c.Frozen:
			limit = minID
		case whole && i == len(minimum)-1:
			limit = max(minSentence, min(longestWord(src, i), maxWord))
		case c.Min > 0:
			limit = minSentence
		case c.Title == "TITLE":
			limit = max(minCell, min(longestWord(src, i), maxTitleWord))
		default:
			limit = minCell
		}
		minimum[i] = min(minimum[i], limit)
	}
	return minimum
}

func longestWord(src source, column int) (width int) {
	for row := range src.Len() {
		width = max(width, wordWidth(src.Cell(row, column).Text))
	}
	return width
}

func wordWidth(text string) (width int) {
	for word := range strings.FieldsSeq(text) {
		width = max(width, ansi.StringWidth(word))
	}
	return width
}

func (t *texts) column(title string) int {
	return slices.IndexFunc(t.columns, func(c widget.Column) bool { return c.Title == title })
}

func (t *texts) isConstant(column int) bool {
	return len(t.rows) > 1 && !slices.ContainsFunc(t.rows, func(r []widget.Cell) bool { return r[column].Text != t.rows[0][column].Text })
}

func (t *texts) omit(column int) {
	t.columns = slices.Delete(t.columns, column, column+1)
	for row := range t.rows {
		t.rows[row] = slices.Delete(t.rows[row], column, column+1)
	}
}

func (t *Terminal) texts(p items.Part) *texts {
	src := &texts{columns: make([]widget.Column, len(p.Header))}
	for i, title := range p.Header {
		c := widget.Column{Title: title, Middle: title == "ID" || title == "KEY" || title == "ITEM"}
		if title == "SIZE" || isNumbers(p.Rows, i) {
			c.Align = widget.AlignRight
		}
		isIDs := c.Middle && allCells(p.Rows, i, func(text string) bool { return len(text) <= maxFirst && !strings.Contains(text, " ") })
		c.Whole = c.Align == widget.AlignRight || isIDs || isTimes(p.Rows, i)
		src.columns[i] = c
	}
	for _, r := range p.Rows {
		row := make([]widget.Cell, len(r))
		for i, text := range r {
			row[i] = t.cell(p.Header[i], text, p.Kinds)
			if i == 0 && p.Header[i] != "" && row[i].Role == widget.RoleText {
				row[i].Role = widget.RoleStrong
			}
		}
		for i := 1; i < len(r); i++ { // Times that differ in their seconds do not look equal.
			before, err := time.Parse(time.RFC3339, r[i-1])
			after, err2 := time.Parse(time.RFC3339, r[i])
			if err == nil && err2 == nil && row[i].Text == row[i-1].Text && !before.Equal(after) {
				row[i-1].Text, row[i].Text = row[i-1].Text+before.Format(":05"), row[i].Text+after.Format(":05")
			}
		}
		src.rows = append(src.rows, row)
	}
	return src
}

func naturalWidths(src source) []int {
	cols := src.Columns()
	widths := make([]int, len(cols))
	for i, c := range cols {
		widths[i] = ansi.StringWidth(c.Title)
		for row := range src.Len() {
			widths[i] = max(widths[i], ansi.StringWidth(src.Cell(row, i).Text))
		}
	}
	return widths
}

// write names the columns that have no width and those that the caller omitted.
func (t *Terminal) write(src source, widths []int, omitted []string, limits []int) error {
	var b strings.Builder
	cols := src.Columns()
	first := -1
	if len(cols) == 1 && cols[0].Title == "" {
		first = 0 // Sentences have no header.
	}
	for row := first; row < src.Len(); row++ {
		cells := make([]widget.Cell, len(widths))
		for i := range widths {
			cells[i] = widget.Cell{Text: cols[i].Title, Role: widget.RoleHeader}
			if row >= 0 {
				cells[i] = src.Cell(row, i)
				switch isLong := ansi.StringWidth(cells[i].Text) > widths[i]; {
				case isLong && cols[i].Middle && cols[i].Whole:
					cells[i].Text = breakWord(cells[i].Text, widths[i])
				case isLong && cols[i].Middle:
					cells[i].Text = widget.Shorten(cells[i].Text, widths[i])
				}
			}
			if cells[i].Align == widget.AlignDefault {
				cells[i].Align = cols[i].Align
			}
		}
		b.WriteString(t.row(cells, widths, limits))
	}
	for _, c := range cols[len(widths):] {
		omitted = append(omitted, c.Title)
	}
	b.WriteString(t.omissionNote(omitted, "columns"))
	_, err := io.WriteString(t.Screen, models.SafeFrame(b.String()))
	return err
}

func (t *Terminal) omissionNote(omitted []string, parts string) string {
	if len(omitted) == 0 {
		return ""
	}
	note := "not shown: " + models.Printable(strings.Join(models.Limited(omitted, maxOmitted), ", ")) + "; -o json prints all " + parts
	return strings.Join(widget.Wrap(t.Styles, widget.RoleFaint, note, t.Width), "\n") + "\n"
}

func (t *Terminal) row(cells []widget.Cell, widths, limits []int) string {
	columns, height := make([][]string, len(cells)), 1
	for i, c := range cells {
		columns[i] = t.lines(c, widths[i], limits[i])
		height = max(height, len(columns[i]))
	}
	var b strings.Builder
	for y := range height {
		line := ""
		for i, lines := range columns {
			if i > 0 {
				line += strings.Repeat(" ", gap)
			}
			text := ""
			if y < len(lines) {
				text = lines[y]
			}
			line += text
			if i < len(columns)-1 {
				line += strings.Repeat(" ", widths[i]-ansi.StringWidth(text))
			}
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

func (t *Terminal) lines(c widget.Cell, w, limit int) []string {
	switch {
	case limit == math.MaxInt && strings.Contains(c.Text, detailGap):
		return t.detailLines(c, w)
	case limit == math.MaxInt:
		return t.wrapIndented(c, w)
	case limit > 1 && c.Align == widget.AlignDefault && ansi.StringWidth(c.Text) > w:
		wrapped := c
		if wordWidth(c.Text) > w {
			cut := func(word string) string { return models.PrintableCell(word, w) }
			wrapped.Text = strings.Join(models.MapSlice(strings.Fields(c.Text), cut), " ")
		}
		if lines := t.wrapIndented(wrapped, w); len(lines) <= limit {
			return lines
		}
	}
	return []string{t.Styles.PaintCell(c.Role, widget.SurfacePlain, c.Text, w, c.Align)}
}

func breakWord(word string, w int) string {
	return strings.ReplaceAll(ansi.Hardwrap(word, w, false), "\n", " ")
}

// detailLines wraps details between attributes if possible, and breaks wider words, because an ID must stay complete.
func (t *Terminal) detailLines(c widget.Cell, w int) (lines []string) {
	line := ""
	add := func() {
		words := models.MapSlice(strings.Fields(line), func(word string) string { return breakWord(word, w) })
		lines = append(lines, widget.Wrap(t.Styles, c.Role, strings.Join(words, " "), w)...)
	}
	for detail := range strings.SplitSeq(c.Text, detailGap) {
		switch next := line + detailGap + detail; {
		case line == "":
			line = detail
		case ansi.StringWidth(next) <= w:
			line = next
		default:
			add()
			line = detail
		}
	}
	add()
	return lines
}

func isCommand(line string) bool {
	return strings.HasPrefix(line, " ") && strings.HasPrefix(strings.TrimLeft(line, " "), "ddbdesk ")
}

// leadingColumns matches the columns before the text of a line, or its sign.
var leadingColumns = models.LazyRegexp(`^(.{0,36}\S)? {2,}|^[~+◐✓✗■-] `)

// wrapIndented aligns the lines after the first with the text of the first, after its sign or its other columns. It does
// not wrap a command, so that users can copy it.
func (t *Terminal) wrapIndented(c widget.Cell, w int) []string {
	if isCommand(c.Text) {
		w = ansi.StringWidth(c.Text)
	}
	lead := leadingColumns().FindString(c.Text)
	if ansi.StringWidth(lead) > w*2/3 {
		lead = ""
	}
	lines := widget.Wrap(t.Styles, c.Role, c.Text[len(lead):], max(w-ansi.StringWidth(lead), 1))
	for i := range lines {
		lines[i] = lead + lines[i]
		lead = strings.Repeat(" ", ansi.StringWidth(lead))
	}
	return lines
}

// At implements items.Drawer.
func (t *Terminal) At(at time.Time) string { return present.At(at, t.Now()) }

func (t *Terminal) cell(title, text string, kinds map[string]models.StateKind) widget.Cell {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return widget.Cell{Text: t.At(at), Role: widget.RoleMuted}
	}
	if t.Plain && !isCommand(text) {
		text = t.shortTimes(text)
	}
	if value, ok := strings.CutSuffix(text, "   derived"); ok { // On a line of its own, the word would look like the value.
		text = value + " (derived)"
	}
	switch kind, ok := kinds[text]; {
	case ok && title == "STATE":
		return widget.Badge(widget.KindOf(string(kind)), text)
	case kinds == nil && (title == "STATE" || title == "OUTCOME"):
		if kind, ok := stateKinds[strings.ToLower(text)]; ok {
			return widget.Badge(kind, text)
		}
		if strings.HasPrefix(text, "OPEN") { // The text describes a change with an unknown outcome.
			return widget.Cell{Text: text, Role: widget.RoleWarn}
		}
	}
	return widget.Cell{Text: text, Role: widget.RoleText}
}

// storedTime matches a time that is a word of a text. A time in an argument of a command or in a key is not a word.
var storedTime = models.LazyRegexp(`(^|[ (])(\d{4}-\d\d-\d\dT[\d:.]+Z)([ ),;:]|$)`)

func (t *Terminal) shortTimes(text string) string {
	short, seconds := map[string]string{}, ""
	for _, m := range storedTime().FindAllStringSubmatch(text, -1) {
		if at, err := time.Parse(time.RFC3339, m[2]); err == nil {
			if other, ok := short[t.At(at)]; ok && other != m[2] { // Times that differ in their seconds do not look equal.
				seconds = ":05"
			}
			short[t.At(at)] = m[2]
		}
	}
	return storedTime().ReplaceAllStringFunc(text, func(word string) string {
		m := storedTime().FindStringSubmatch(word)
		at, err := time.Parse(time.RFC3339, m[2])
		if err != nil {
			return word
		}
		return m[1] + t.At(at) + at.Format(seconds) + m[3]
	})
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

func allCells(rows [][]string, col int, match func(string) bool) bool {
	filled := slices.DeleteFunc(slices.Clone(rows), func(r []string) bool { return r[col] == "" })
	return len(filled) > 0 && !slices.ContainsFunc(filled, func(r []string) bool { return !match(r[col]) })
}
