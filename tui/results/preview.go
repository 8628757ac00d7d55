package results

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A preview is the drawn preview of a row, kept until the row or the size changes.
type preview struct {
	row   *Row
	w, h  int
	lines string
}

// Preview draws details of the row under the cursor in w by h cells, or blank cells if there is no row. note appears at
// the right of the title. related adds the related patterns.
func (t *Table) Preview(w, h int, note string, related bool) string {
	if h <= 0 {
		return ""
	}
	raw, row, ok := t.Selected()
	if !ok {
		return widget.Place("", w, h)
	}
	if t.preview.row != row || t.preview.w != w || t.preview.h != h {
		lines := append([]string{widget.Rule(t.env.Styles, ItemTitle(row), note, w)}, t.previewLines(raw, row, w, h-1, related)...)
		t.preview = preview{row, w, h, widget.Place(strings.Join(lines, "\n"), w, h)}
	}
	return t.preview.lines
}

// Beside draws the row under the cursor in w by h cells: its preview and all its values. title is the item's title.
func (t *Table) Beside(w, h int) (title, content string) {
	raw, row, ok := t.Selected()
	if !ok {
		return "No row", widget.Place("", w, h)
	}
	t.beside.Make(row, w, func(w int) []string { return t.Details(raw, row, w) })
	t.beside.SetSize(w, h)
	return ItemTitle(row), widget.Place(t.beside.View(), w, h)
}

// Details returns an item's preview and all its values in lines of w cells. It accepts items outside of the rows.
func (t *Table) Details(raw models.Item, row *Row, w int) []string {
	values := t.values(t.env.Styles, row, max(w-3, 1))
	return append(append(t.previewLines(raw, row, w, 0, true), ""), present.Indented(values)...)
}

// ScrollBeside scrolls the text that Beside draws.
func (t *Table) ScrollBeside(up bool) { t.beside.Wheel(up) }

func (t *Table) previewLines(raw models.Item, row *Row, w, h int, related bool) []string {
	s, table := t.env.Styles, t.Pattern.Table
	var lines []string
	if state := lifecycleLine(s, row, t.env.Plainly()); state != "" {
		lines = append(lines, " "+state)
	}
	if !t.env.Plainly() {
		lines = append(lines, keyLine(s, table, row))
	}
	if len(lines) == 0 {
		lines = append(lines, "")
	}
	if related {
		lines = append(lines, " "+relatedLine(s, t.env.Reading.Related(table, raw)))
	}
	if expiry := ExpiryLine(s, table, raw, t.env.Session.Now()); expiry != "" {
		lines[0] += s.Paint(widget.RoleFaint, "   ") + expiry
	}
	if len(lines) < h {
		lines = slices.Insert(lines, 0, " "+attributesLine(t.env, row, t.Layout.Paths, w))
	}
	return lines
}

// ForgetPreview discards the drawn preview after its row or the theme changed.
func (t *Table) ForgetPreview() {
	t.preview.row = nil
	t.beside.Again()
}

// ItemTitle returns an item's entity and ID.
func ItemTitle(r *Row) string {
	if r.Entity == nil {
		return "unknown item"
	}
	title := cmp.Or(r.Entity.Title, r.Entity.Name)
	for _, path := range columnsOf(r.Entity) {
		if id, ok := r.Item.Text(path); ok {
			return title + " · " + models.PrintableCell(id, 60)
		}
	}
	return title
}

func attributesLine(env *screen.Env, r *Row, columns []string, w int) string {
	if r.Entity == nil {
		return env.Styles.Paint(widget.RoleWarn, "no entity of this table has such keys; press enter for details")
	}
	s, p := env.Styles, present.NewPresenter(env)
	var out []string
	room := w - 2
	var paths []string
	for _, a := range r.Entity.Attributes {
		if !a.KeyOnly {
			paths = append(paths, a.Path)
		}
	}
	if r.Entity.ByName != nil {
		paths = r.Item.Names()
	}
	for _, path := range paths {
		if _, key := r.Entity.Keys[path]; key || slices.Contains(columns, path) || path == r.Entity.Table.TTL {
			continue
		}
		c := p.Cell(r.Entity, path, r.Item)
		label := models.Printable(p.Label(r.Entity, path))
		need := ansi.StringWidth(label) + ansi.StringWidth(c.Text) + 4
		if c.Text == present.NoValue || room < need {
			continue
		}
		room -= need
		out = append(out, s.Paint(widget.RoleMuted, label+" ")+s.Paint(c.Role, c.Text))
	}
	return strings.Join(out, s.Paint(widget.RoleFaint, "   "))
}

func stateTitle(plain bool, l *models.Lifecycle, state string) string {
	if plain {
		return l.Title(state)
	}
	return state
}

func lifecycleLine(s *widget.Styles, r *Row, plain bool) string {
	if r.Entity == nil || len(r.Entity.Lifecycles) == 0 {
		return ""
	}
	l := r.Entity.Lifecycles[0]
	current, ok := r.Item.Text(l.Attribute)
	if !ok {
		return ""
	}
	faint := func(text string) string { return s.Paint(widget.RoleFaint, text) }
	var b strings.Builder
	for _, st := range l.States {
		if st.Initial && st.Name != current {
			b.WriteString(faint(stateTitle(plain, l, st.Name) + " ─ … ─ "))
		}
	}
	badge := present.StateBadge(plain, l, current)
	b.WriteString(s.Paint(badge.Role, badge.Text))
	var next []string
	for _, m := range l.Moves(current) {
		if to := s.Paint(widget.RoleMuted, stateTitle(plain, l, m.To)); !slices.Contains(next, to) {
			next = append(next, to)
		}
	}
	if len(next) == 0 {
		return b.String() + faint(" ─ final")
	}
	return b.String() + faint(" ─▸ ") + strings.Join(next, faint(" | "))
}

func keyLine(s *widget.Styles, t *models.Table, r *Row) string {
	var b strings.Builder
	for _, name := range tableKeys(t) {
		if text, ok := r.Item.Text(name); ok {
			b.WriteString(s.Paint(widget.RoleMuted, " "+name+" ") + s.Paint(widget.RoleText, models.PrintableCell(text, 80)) + " ")
		}
	}
	return b.String()
}

// ExpiryLine describes when an item expires, from its table's TTL attribute in epoch seconds. It returns "" if the item
// does not expire.
func ExpiryLine(s *widget.Styles, t *models.Table, it models.Item, now time.Time) string {
	text, ok := it.Text(t.TTL)
	if t.TTL == "" || !ok {
		return ""
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return ""
	}
	switch left := time.Unix(seconds, 0).Sub(now); {
	case left <= 0: // DynamoDB deletes expired items within a few days.
		return s.Paint(widget.RoleWarn, "! expired, waiting for deletion")
	case left >= 48*time.Hour:
		return s.Paint(widget.RoleMuted, fmt.Sprintf("expires in %d d", int(left.Hours()/24)))
	case left >= time.Hour:
		return s.Paint(widget.RoleMuted, fmt.Sprintf("expires in %d h", int(left.Hours())))
	default:
		return s.Paint(widget.RoleMuted, fmt.Sprintf("expires in %d min", max(int(left.Minutes()), 1)))
	}
}

func relatedLine(s *widget.Styles, related []accesspatterns.Related) string {
	if len(related) == 0 {
		return s.Paint(widget.RoleFaint, "no related patterns")
	}
	var names []string
	for _, r := range related {
		if !slices.Contains(names, r.Pattern.Title) {
			names = append(names, r.Pattern.Title)
		}
	}
	return s.Paint(widget.RoleInfo, strconv.Itoa(len(related))) + s.Paint(widget.RoleMuted, " related ") +
		s.Paint(widget.RoleFaint, "› ") + s.Paint(widget.RoleMuted, strings.Join(names, " · "))
}
