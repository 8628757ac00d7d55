package results

import (
	"cmp"
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

// Preview draws details of the row under the cursor in w by h cells, or blank cells if there is no row.
func (t *Table) Preview(w, h int) string {
	if h <= 0 {
		return ""
	}
	raw, row, ok := t.Selected()
	if !ok {
		return widget.Place("", w, h)
	}
	if t.preview.row != row || t.preview.w != w || t.preview.h != h {
		lines := append([]string{widget.Rule(t.env.Styles, ItemTitle(row), "enter open", w)}, t.previewLines(raw, row, w, h-1)...)
		t.preview = preview{row, w, h, widget.Place(strings.Join(lines, "\n"), w, h)}
	}
	return t.preview.lines
}

// SideView draws the row under the cursor in w by h cells: its preview and all its values. title is the item's title.
func (t *Table) SideView(w, h int) (title, content string) {
	raw, row, ok := t.Selected()
	if !ok {
		return "No row", widget.Place("", w, h)
	}
	t.sidePager.Make(row, w, func(w int) []string { return t.Details(raw, row, w) })
	t.sidePager.SetSize(w, h)
	title = "Unknown item"
	if row.Entity != nil {
		title = present.EntityName(row.Entity) // The values begin with the ID.
	}
	return title, widget.Place(t.sidePager.View(), w, h)
}

// Details returns an item's state, all its values and its related patterns in lines of w cells. It accepts items
// outside of the rows.
func (t *Table) Details(raw models.Item, row *Row, w int) []string {
	s := t.env.Styles
	lines := t.stateLines(raw, row, w, false)
	for _, line := range t.rowLines(s, row, max(w-2, 1)) {
		lines = append(lines, " "+line)
	}
	titles := relatedTitles(t.env.Reading.Related(t.Pattern.Table, raw))
	if len(titles) == 0 {
		return lines
	}
	lines = append(lines, "", " "+s.Paint(widget.RoleFaint, "related"))
	for _, title := range titles {
		lines = append(lines, s.PaintCell(widget.RoleMuted, widget.SurfacePlain, " › "+title, w-1, widget.AlignLeft))
	}
	return lines
}

// ScrollSideView scrolls the text that SideView draws.
func (t *Table) ScrollSideView(up bool) { t.sidePager.Wheel(up) }

func (t *Table) previewLines(raw models.Item, row *Row, w, h int) []string {
	lines := t.stateLines(raw, row, w, !t.hidesKeys())
	if about := attributesLine(t.env, row, t.Layout.Paths, w); len(lines)+1 < h && about != "" {
		lines = slices.Insert(lines, 0, " "+about)
	}
	return append(lines, relatedLines(t.env.Styles, t.env.Reading.Related(t.Pattern.Table, raw), w-1, h-len(lines))...)
}

// stateLines returns an item's state, the states after it, its expiry, and its key if withKey is set, in lines of w
// cells.
func (t *Table) stateLines(raw models.Item, row *Row, w int, withKey bool) (lines []string) {
	s, table, plain := t.env.Styles, t.Pattern.Table, t.env.Plain()
	if l, state := lifecycleOf(row); l != nil {
		lines = transitionLines(s, present.StateBadge(plain, l, state), nextStates(t.env, l, state), w-2)
	}
	expiry := expiryLine(s, table, raw, t.env.Session.Now())
	switch n := len(lines) - 1; {
	case expiry == "":
	case n >= 0 && ansi.StringWidth(lines[n]+expiry)+3 < w:
		lines[n] += "   " + expiry
	default:
		lines = append(lines, " "+expiry)
	}
	if withKey {
		lines = append(lines, keyLine(s, table, row))
	}
	if names := t.env.Reading.StaleKeys(t.Request, raw); len(names) > 0 {
		text := "≠ listed under an outdated value"
		if !plain {
			text = "≠ " + strings.Join(names, ", ") + " does not match the attributes; open the item to repair it"
		}
		lines = append(lines, present.HangingIndent(s, widget.RoleWarn, " ", text, w-1)...)
	}
	return lines
}

// ForgetPreview discards the drawn preview after its row or the theme changed.
func (t *Table) ForgetPreview() {
	t.preview.row = nil
	t.sidePager.Invalidate()
}

// ItemTitle returns an item's entity and ID.
func ItemTitle(r *Row) string {
	if r.Entity == nil {
		return "unknown item"
	}
	title := cmp.Or(r.Entity.Title, r.Entity.Name)
	if r.Entity.ByName != nil {
		return title + " · " + models.PrintableCell(r.Entity.Table.KeyText(r.Item), 60)
	}
	for _, path := range columnsOf(r.Entity) {
		if id, ok := r.Item.Text(path); ok {
			return title + " · " + models.PrintableCell(id, 60)
		}
	}
	return title
}

func attributesLine(env *screen.Env, r *Row, columns []string, w int) string {
	if r.Entity == nil {
		return env.Styles.Paint(widget.RoleWarn, "the keys match no entity of this table; press enter for details")
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
		if _, isKey := r.Entity.Keys[path]; isKey || slices.Contains(columns, path) || path == r.Entity.Table.TTL {
			continue
		}
		c := p.Cell(r.Entity, path, r.Item)
		label := models.Printable(p.Label(r.Entity, path))
		width := ansi.StringWidth(label) + ansi.StringWidth(c.Text) + 4
		if c.Text == present.NoValue || room < width {
			continue
		}
		room -= width
		out = append(out, s.Paint(widget.RoleMuted, label+" ")+s.Paint(c.Role, c.Text))
	}
	return strings.Join(out, s.Paint(widget.RoleFaint, "   "))
}

// lifecycleOf returns the first lifecycle of an item and its state, or nil.
func lifecycleOf(r *Row) (l *models.Lifecycle, state string) {
	if r.Entity == nil || len(r.Entity.Lifecycles) == 0 {
		return nil, ""
	}
	state, ok := r.Item.Text(r.Entity.Lifecycles[0].Attribute)
	if !ok {
		return nil, ""
	}
	return r.Entity.Lifecycles[0], state
}

func nextStates(env *screen.Env, l *models.Lifecycle, state string) []string {
	var next []string
	for _, m := range l.TransitionsFrom(state) {
		if to := present.StateText(env, l, m.To); !slices.Contains(next, to) {
			next = append(next, to)
		}
	}
	return next
}

func transitionLines(s *widget.Styles, state widget.Cell, next []string, w int) []string {
	lead := " " + s.Paint(state.Role, state.Text)
	if len(next) == 0 {
		return []string{lead + s.Paint(widget.RoleFaint, " ─ final")}
	}
	lead += s.Paint(widget.RoleFaint, " ─▸ ")
	lines := widget.Wrap(s, widget.RoleMuted, strings.Join(next, " | "), max(w-ansi.StringWidth(lead), 8))
	for i := range lines {
		lines[i] = lead + lines[i]
		lead = widget.BlankLine(ansi.StringWidth(lead))
	}
	return lines
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

func expiryLine(s *widget.Styles, t *models.Table, it models.Item, now time.Time) string {
	expires, ok := t.Expires(it)
	switch left := expires.Sub(now); {
	case !ok:
		return ""
	case left <= 0: // DynamoDB deletes expired items within a few days.
		return s.Paint(widget.RoleWarn, "! item expired, waiting for deletion")
	default:
		return s.Paint(widget.RoleMuted, "expires in "+present.RoundDuration(max(left, time.Minute)))
	}
}

func relatedTitles(related []accesspatterns.Related) (titles []string) {
	for _, r := range related {
		titles = models.AppendOnce(titles, r.Pattern.Title)
	}
	return titles
}

func relatedLines(s *widget.Styles, related []accesspatterns.Related, w, h int) []string {
	if len(related) == 0 {
		return []string{s.Paint(widget.RoleFaint, " no related patterns")}
	}
	lead, titles := " "+strconv.Itoa(len(related))+" related › ", strings.Join(relatedTitles(related), " · ")
	if lines := present.HangingIndent(s, widget.RoleMuted, lead, titles, w); len(lines) <= h {
		return lines
	}
	return []string{s.Paint(widget.RoleMuted, lead+titles)}
}
