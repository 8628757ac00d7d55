package results

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A valueBox shows all values of the row under the cursor. Its arrow keys move the cursor in the grid.
type valueBox struct {
	*overlay.Sheet
	t          *Table
	open, copy func() tea.Cmd
	row        *Row // row that the sheet shows
}

// NewValueBox returns a box with the full values of the row under the cursor. openItem opens the item; copyValue opens
// the menu that copies values.
func (t *Table) NewValueBox(openItem, copyValue func() tea.Cmd) overlay.Overlay {
	x := &valueBox{t: t, open: openItem, copy: copyValue}
	x.Sheet = overlay.NewSheet(t.env.Styles, "", func(s *widget.Styles, w int) []string {
		if x.row == nil {
			return []string{s.Paint(widget.RoleMuted, "No row")}
		}
		return t.rowLines(s, x.row, w)
	})
	x.Key, x.Foot = "v", "↑ ↓ other row · enter open · y copy · esc close"
	return x
}

func (b *valueBox) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	press, _ := msg.(tea.KeyPressMsg)
	switch press.String() {
	case "enter":
		if _, _, ok := b.t.Selected(); !ok {
			return nil, false
		}
		return b.open(), true
	case "y":
		return b.copy(), true
	case "j", "down":
		b.t.Grid.SetCursor(b.t.Grid.Cursor() + 1)
	case "k", "up":
		b.t.Grid.SetCursor(max(b.t.Grid.Cursor()-1, 0))
	default:
		return b.Sheet.Update(msg)
	}
	return nil, false
}

func (b *valueBox) Over(s *widget.Styles, background string, w, h int) string {
	if _, row, _ := b.t.Selected(); row != b.row {
		b.row, b.Title = row, ""
		b.Reset()
	}
	if b.row != nil {
		b.Title = ItemTitle(b.row)
	}
	b.Note = b.t.Grid.Position()
	return b.Sheet.Over(s, background, w, h)
}

func (t *Table) rowLines(s *widget.Styles, r *Row, w int) []string {
	var lines []string
	paths := t.allPaths(r)
	listed, labelWidth := map[string]bool{}, t.labelWidth(r, paths)
	add := func(path string) {
		v, ok := r.Item.At(path)
		if !ok || listed[path] {
			return
		}
		listed[path] = true
		lines = append(lines, t.valueLines(s, r, path, v, labelWidth, w)...)
	}
	for _, path := range t.Layout.Paths {
		add(path)
	}
	n := len(lines)
	for _, path := range paths {
		if _, ok := r.Item.At(path); ok && !listed[path] && len(lines) == n && n > 0 {
			lines = append(lines, "", s.Paint(widget.RoleFaint, "other attributes"))
		}
		add(path)
	}
	if len(lines) == 0 {
		return []string{s.Paint(widget.RoleMuted, "This item has no attributes.")}
	}
	return lines
}

func (t *Table) labelWidth(r *Row, paths []string) int {
	p, w := present.NewPresenter(t.env), 0
	for _, path := range paths {
		n := ansi.StringWidth(p.Label(r.Entity, path))
		if _, ok := r.Item.At(path); ok && n <= nameWidth {
			w = max(w, n)
		}
	}
	return w
}

// allPaths omits the keys if the schema declares the other attributes and the role or the screen does not show keys.
func (t *Table) allPaths(r *Row) []string {
	var paths, keys []string
	if r.Entity != nil {
		paths = append(paths, columnsOf(r.Entity)...)
		for _, a := range r.Entity.Attributes {
			paths = append(paths, a.Name)
		}
		keys = r.Entity.KeyNames()
	}
	paths = slices.DeleteFunc(append(paths, r.Item.Names()...), func(path string) bool { return slices.Contains(keys, path) })
	if r.Entity != nil && r.Entity.ByName == nil && t.hidesKeys() {
		return paths
	}
	return append(paths, keys...)
}

func (t *Table) hidesKeys() bool { return t.HideKeys || t.env.Plain() }

const (
	// valueLimit is the maximum length of a value in bytes, because wrapping a longer value takes too long. The item's
	// screen shows the whole value.
	valueLimit = 20_000
	// nameWidth is the maximum width, in cells, of names beside short values.
	nameWidth = 22
)

func (t *Table) valueLines(s *widget.Styles, r *Row, path string, v types.AttributeValue, labelWidth, w int) []string {
	p := present.NewPresenter(t.env)
	shown, label := p.Show(r.Entity, path, v), p.Label(r.Entity, path)
	if t.env.Plain() {
		shown = p.Plain(r.Entity, path, v)
	}
	text, role, rest := shown.Text, shown.Role, ""
	switch models.ValueType(v) {
	case models.TypeM, models.TypeL, models.TypeSS, models.TypeNS, models.TypeBS, models.TypeB:
		text, role = present.PrettyJSON(models.AppendValueJSON(nil, v)), widget.RoleText
	default:
	}
	if len(text) > valueLimit {
		rest = fmt.Sprintf("… %s more bytes · enter open the item", present.Thousands(len(text)-valueLimit))
		text = strings.ToValidUTF8(text[:valueLimit], "")
	}
	note := func(room int) string {
		if shown.Note == "" || room < 4 {
			return ""
		}
		return s.Paint(widget.RoleMuted, "  "+models.PrintableCell(shown.Note, room))
	}
	if ansi.StringWidth(label) <= labelWidth && rest == "" {
		if lines := widget.Wrap(s, role, text, max(w-labelWidth-2, 1)); len(lines) == 1 {
			name := s.PaintCell(widget.RoleKey, widget.SurfacePlain, label, labelWidth, widget.AlignLeft)
			return []string{name + "  " + lines[0] + note(w-labelWidth-4-ansi.StringWidth(lines[0]))}
		}
	}
	label = models.PrintableCell(label, max(w, 8))
	lines := []string{s.Paint(widget.RoleKey, label) + note(w-ansi.StringWidth(label)-2)}
	for _, line := range widget.Wrap(s, role, text, max(w-1, 1)) {
		lines = append(lines, " "+line)
	}
	if rest != "" {
		lines = append(lines, " "+s.Paint(widget.RoleMuted, rest))
	}
	return lines
}

const (
	// pictureStep is the number of rows to count in one step, which takes a few milliseconds.
	pictureStep = 4_000
	// barsShown is the maximum number of values to draw for a column.
	barsShown = 12
)

// pictureWork is the state of a count. Each step returns a new copy.
type pictureWork struct {
	examined int
	tallies  []*rows.Tally // by path
}

// A pictureBox draws the distribution of the filtered rows by state, by day, and by a column that the user chooses.
type pictureBox struct {
	*overlay.Sheet
	r *Rows

	fixed    []string // paths of the state and the time, if the items have them
	columns  []string // paths that the user can choose from
	selected int

	work    pictureWork
	visible []int32 // numbers of the items to count; nil for all items
	total   int
	masker  *models.Masker
	task    *screen.Task // the running step
}

// NewPictureBox returns a box with a picture of the filtered rows, and the command that starts counting.
func (t *Table) NewPictureBox() (overlay.Overlay, tea.Cmd) {
	b := &pictureBox{r: t.Rows, columns: slices.Clone(t.Layout.Paths)}
	b.Sheet = overlay.NewSheet(t.env.Styles, t.Pattern.Title, b.lines)
	b.Key = "v"
	for _, e := range t.Pattern.Returns {
		if len(e.Lifecycles) > 0 && len(b.fixed) == 0 {
			b.fixed = append(b.fixed, e.Lifecycles[0].Attribute)
		}
	}
	if i := slices.IndexFunc(b.columns, func(path string) bool {
		a := t.Layout.attribute(path)
		return a != nil && a.Format.IsTime()
	}); i >= 0 {
		b.fixed = append(b.fixed, b.columns[i])
	}
	b.selected = max(slices.IndexFunc(b.columns, func(path string) bool { // Skip IDs, which differ in every row.
		a := t.Layout.attribute(path)
		return !slices.Contains(b.fixed, path) && (a == nil || !t.Layout.isInKey(a))
	}), 0)
	return b, b.count()
}

func (b *pictureBox) paths() []string {
	if len(b.columns) == 0 {
		return nil
	}
	return append(slices.Clone(b.fixed), b.columns[b.selected])
}

func (b *pictureBox) count() tea.Cmd {
	b.Close()
	b.visible, b.total, b.masker = slices.Clone(b.r.Visible), b.r.Len(), b.r.env.Session.Masker()
	b.work = pictureWork{}
	for range b.paths() {
		b.work.tallies = append(b.work.tallies, &rows.Tally{})
	}
	return b.step()
}

func (b *pictureBox) Close() { b.task.End() }

func (b *pictureBox) step() (cmd tea.Cmd) {
	b.Note = present.Plural(b.total, "row")
	if b.work.examined < b.total {
		b.Note = present.Thousands(b.work.examined) + " of " + b.Note + " counted"
	}
	if b.work.examined >= b.total {
		return nil
	}
	items, s, w, visible, paths := b.r.Items, b.r.snapshot(), b.work, b.visible, b.paths()
	to := min(w.examined+pictureStep, b.total)
	b.task, cmd = screen.Run(b.r.env.Context, func(ctx context.Context) func() tea.Cmd {
		reader := items.Reader()
		w.tallies = slices.Clone(w.tallies)
		for i, t := range w.tallies {
			w.tallies[i] = t.Clone()
		}
		for ; w.examined < to && ctx.Err() == nil; w.examined++ {
			at := w.examined
			if visible != nil {
				at = int(visible[at])
			}
			row := s.searchRow(reader.At(at))
			for i, path := range paths {
				w.tallies[i].Add(row, path)
			}
		}
		return func() tea.Cmd {
			b.work = w
			return b.step()
		}
	})
	return cmd
}

func (b *pictureBox) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	if msg, ok := msg.(tea.KeyPressMsg); ok {
		by := map[string]int{"right": 1, "l": 1, "tab": 1, "left": -1, "h": -1, "shift+tab": -1}[msg.String()]
		if n := len(b.columns); n > 0 && (by != 0 || msg.String() == "r") {
			b.selected = (b.selected + by + n) % n
			return b.count(), false
		}
	}
	if cmd, done = b.Sheet.Update(msg); done {
		b.Close()
	}
	return cmd, done
}

// Over rebuilds the lines for every frame, because the masking may have changed.
func (b *pictureBox) Over(s *widget.Styles, background string, w, h int) string {
	b.Redraw()
	return b.Sheet.Over(s, background, w, h)
}

func (b *pictureBox) lines(s *widget.Styles, w int) []string {
	mutedLine := func(text string) []string { return []string{s.Paint(widget.RoleMuted, text)} }
	switch {
	case b.masker != b.r.env.Session.Masker():
		return mutedLine("Masking changed. Press r to count again.")
	case b.total == 0:
		return mutedLine("No rows.")
	case b.work.examined == 0:
		return mutedLine("Counting …")
	}
	var lines []string
	for i, path := range b.paths() {
		title := b.r.Title(Column{Key: path})
		if i == len(b.fixed) {
			title += fmt.Sprintf("  %d/%d", b.selected+1, len(b.columns))
		}
		lines = append(append(lines, present.Heading(s, title, w)), b.draw(s, path, b.work.tallies[i], w)...)
		lines = append(lines, "")
	}
	return append(lines, s.Paint(widget.RoleFaint, "← → other column · r count again"))
}

func (b *pictureBox) draw(s *widget.Styles, path string, t *rows.Tally, w int) []string {
	var lines []string
	if h, ok := t.Histogram(min(w, 60)); ok {
		lines = histogramLines(s, h, w)
	}
	list, cellOf := t.Top(), func(text string) widget.Cell { return widget.Cell{Text: text, Role: widget.RoleText} }
	for _, e := range b.r.Pattern.Returns {
		if l := e.Lifecycle(path); l != nil {
			cellOf = func(text string) widget.Cell { return present.StateBadge(b.r.env.Plain(), l, text) }
			position := func(c rows.Count) int {
				i := slices.IndexFunc(l.States, func(st *models.State) bool { return st.Name == c.Text })
				return (i + len(l.States) + 1) % (len(l.States) + 1) // Unknown states come last.
			}
			slices.SortStableFunc(list, func(x, y rows.Count) int { return position(x) - position(y) })
			break
		}
	}
	if len(list) == t.Rows && t.Rows > 1 {
		return append(lines, s.Paint(widget.RoleMuted, "every row has a different value"))
	}
	labelWidth, largest, others := 8, 1, t.Others
	for i, c := range list {
		if i >= barsShown {
			others += c.N
			continue
		}
		labelWidth, largest = max(labelWidth, ansi.StringWidth(cellOf(c.Text).Text)), max(largest, c.N)
	}
	labelWidth = min(labelWidth, max(w/3, 8))
	for _, c := range list[:min(len(list), barsShown)] {
		share := fmt.Sprintf("%s  %d %%", present.Thousands(c.N), (200*c.N/max(t.Rows, 1)+1)/2)
		room := max(w-labelWidth-ansi.StringWidth(share)-4, 0)
		lines = append(lines, s.PaintCell(cellOf(c.Text).Role, widget.SurfacePlain, cellOf(c.Text).Text, labelWidth, widget.AlignLeft)+"  "+
			s.Paint(widget.RoleAccent, widget.BarOf(c.N, largest, room))+" "+s.Paint(widget.RoleMuted, share))
	}
	if others > 0 {
		lines = append(lines, s.Paint(widget.RoleMuted, "other values: "+present.Plural(others, "row")))
	}
	if t.Absent > 0 {
		lines = append(lines, s.Paint(widget.RoleMuted, "no value: "+present.Plural(t.Absent, "row")))
	}
	return lines
}

func histogramLines(s *widget.Styles, h rows.Histogram, w int) []string {
	formatValue := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	if h.Times {
		formatValue = func(v float64) string { return time.Unix(int64(v), 0).UTC().Format(time.DateOnly) }
	}
	maximum := "tallest bar: " + present.Plural(slices.Max(h.Bins), "row")
	return []string{s.Paint(widget.RoleAccent, widget.Sparkline(h.Bins)), present.Spread(
		s.Paint(widget.RoleMuted, formatValue(h.Low)+"   ")+s.Paint(widget.RoleFaint, maximum),
		s.Paint(widget.RoleMuted, formatValue(h.Top)),
		max(len(h.Bins), min(w, 2*len(formatValue(h.Low))+len(maximum)+6)),
	)}
}
