package screens

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// preview keeps the lines of the row that was drawn last.
type preview struct {
	row   *row
	size  rect
	lines string
}

func (p *preview) forget() { p.row = nil }

func (b *Workbench) viewPreview() string {
	l := b.lay.preview
	if l.h <= 0 || !b.job.gridded() {
		return ""
	}
	raw, shown, ok := b.job.selected()
	if !ok {
		return widget.Place("", l.w, l.h)
	}
	if b.preview.row != shown || b.preview.size != l {
		b.preview = preview{row: shown, size: l, lines: b.previewLines(shown, raw, l.w, l.h)}
	}
	return b.preview.lines
}

func (b *Workbench) previewLines(r *row, raw models.Item, w, h int) string {
	env, t, columns := b.env, b.job.pattern.Table, b.job.rows.paths
	related := env.Session.Related(t, raw)
	s := env.Styles
	lines := []string{widget.Rule(s, itemTitle(r), "enter opens", w)}
	var about []string
	if strip := lifecycleOf(s, r); strip != "" {
		about = append(about, " "+strip)
	}
	about = append(about, keyLine(s, t, r), " "+relatedLine(s, related))
	if line := dueLine(s, t, raw, env.Session.Now()); line != "" {
		about[0] += s.Paint(widget.RoleFaint, "   ") + line
	}
	if len(about) < h-1 {
		about = append(about, "")
		copy(about[1:], about)
		about[0] = " " + figuresOf(env, r, columns, w)
	}
	return widget.Place(strings.Join(append(lines, about...), "\n"), w, h)
}

// itemTitle names an item: its entity and its id.
func itemTitle(r *row) string {
	if r.entity == nil {
		return "unknown item"
	}
	title := r.entity.Title
	if title == "" {
		title = r.entity.Name
	}
	for _, path := range columnsOf(r.entity) {
		if id, ok := r.item.Text(path); ok {
			return title + " · " + models.PrintableCell(id, 60)
		}
	}
	return title
}

// figuresOf lists what the item holds beside its columns, as far as there is
// room.
func figuresOf(env *Env, r *row, columns []string, w int) string {
	if r.entity == nil {
		return env.Styles.Paint(widget.RoleWarn, "no entity of this table has such keys: enter shows why")
	}
	s, p := env.Styles, Presenter{Now: env.Session.Now()}
	var out []string
	room := w - 2
	for _, a := range r.entity.Attributes {
		if _, key := r.entity.Keys[a.Name]; key || a.KeyOnly || slices.Contains(columns, a.Path) || a.Path == r.entity.Table.TTL {
			continue
		}
		c := p.Cell(r.entity, a.Path, r.item)
		need := ansi.StringWidth(a.Path) + ansi.StringWidth(c.Text) + 4
		if c.Text == noValue || room < need {
			continue
		}
		room -= need
		out = append(out, s.Paint(widget.RoleMuted, a.Path+" ")+s.Paint(c.Role, c.Text))
	}
	return strings.Join(out, s.Paint(widget.RoleFaint, "   "))
}

// lifecycleOf shows where the item stands: … ◐ pending_review ─▸ in_review.
func lifecycleOf(s *widget.Styles, r *row) string {
	if r.entity == nil || len(r.entity.Lifecycles) == 0 {
		return ""
	}
	l := r.entity.Lifecycles[0]
	current, ok := r.item.Text(l.Attribute)
	if !ok {
		return ""
	}
	faint := func(text string) string { return s.Paint(widget.RoleFaint, text) }
	var b strings.Builder
	for _, st := range l.States {
		if st.Initial && st.Name != current {
			b.WriteString(faint(st.Name + " ─ … ─ "))
		}
	}
	badge := StateBadge(l, current)
	b.WriteString(s.Paint(badge.Role, badge.Text))
	var next []string
	seen := map[string]bool{}
	for _, m := range l.Moves(current) {
		if !seen[m.To] {
			seen[m.To] = true
			next = append(next, s.Paint(widget.RoleMuted, m.To))
		}
	}
	if len(next) == 0 {
		return b.String() + faint(" ─ final")
	}
	return b.String() + faint(" ─▸ ") + strings.Join(next, faint(" | "))
}

func keyLine(s *widget.Styles, t *models.Table, r *row) string {
	var b strings.Builder
	for _, k := range []models.Key{t.PartitionKey, t.SortKey} {
		if text, ok := r.item.Text(k.Name); ok && k.Name != "" {
			b.WriteString(s.Paint(widget.RoleMuted, " "+k.Name+" ") + s.Paint(widget.RoleText, models.PrintableCell(text, 80)) + " ")
		}
	}
	return b.String()
}

// dueLine says when the item expires.
func dueLine(s *widget.Styles, t *models.Table, it models.Item, now time.Time) string {
	text, ok := it.Text(t.TTL)
	if t.TTL == "" || !ok {
		return ""
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return ""
	}
	left := time.Unix(seconds, 0).Sub(now)
	if left <= 0 {
		return s.Paint(widget.RoleWarn, "! expired, waiting for deletion")
	}
	return s.Paint(widget.RoleMuted, "expires in "+span(left))
}

func span(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d d", int(d.Hours()/24))
	case d >= time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	default:
		return fmt.Sprintf("%d min", max(int(d.Minutes()), 1))
	}
}

// relatedLine names what can be asked from the item.
func relatedLine(s *widget.Styles, related []accesspatterns.Related) string {
	if len(related) == 0 {
		return s.Paint(widget.RoleFaint, "nothing can be asked from here")
	}
	var names []string
	seen := map[string]bool{}
	for _, r := range related {
		if !seen[r.Pattern.Title] {
			seen[r.Pattern.Title] = true
			names = append(names, r.Pattern.Title)
		}
	}
	return s.Paint(widget.RoleInfo, strconv.Itoa(len(related))) + s.Paint(widget.RoleMuted, " related ") +
		s.Paint(widget.RoleFaint, "› ") + s.Paint(widget.RoleMuted, strings.Join(names, " · "))
}
