package results

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Preview keeps the lines of the row that was drawn last.
type Preview struct {
	Row   *Row
	Size  overlay.Rect
	Lines string
}

// Forget drops what was drawn.
func (p *Preview) Forget() { p.Row = nil }

// ItemTitle names an item: its entity and its id.
func ItemTitle(r *Row) string {
	if r.Entity == nil {
		return "unknown item"
	}
	title := r.Entity.Title
	if title == "" {
		title = r.Entity.Name
	}
	for _, path := range columnsOf(r.Entity) {
		if id, ok := r.Item.Text(path); ok {
			return title + " · " + models.PrintableCell(id, 60)
		}
	}
	return title
}

// FiguresOf lists what the item holds beside its columns, as far as there is
// room.
func FiguresOf(env *screen.Env, r *Row, columns []string, w int) string {
	if r.Entity == nil {
		return env.Styles.Paint(widget.RoleWarn, "no entity of this table has such keys: enter shows why")
	}
	s, p := env.Styles, present.Presenter{Now: env.Session.Now()}
	var out []string
	room := w - 2
	for _, a := range r.Entity.Attributes {
		if _, key := r.Entity.Keys[a.Name]; key || a.KeyOnly || slices.Contains(columns, a.Path) || a.Path == r.Entity.Table.TTL {
			continue
		}
		c := p.Cell(r.Entity, a.Path, r.Item)
		need := ansi.StringWidth(a.Path) + ansi.StringWidth(c.Text) + 4
		if c.Text == present.NoValue || room < need {
			continue
		}
		room -= need
		out = append(out, s.Paint(widget.RoleMuted, a.Path+" ")+s.Paint(c.Role, c.Text))
	}
	return strings.Join(out, s.Paint(widget.RoleFaint, "   "))
}

// LifecycleOf shows where the item stands: … ◐ pending_review ─▸ in_review.
func LifecycleOf(s *widget.Styles, r *Row) string {
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
			b.WriteString(faint(st.Name + " ─ … ─ "))
		}
	}
	badge := present.StateBadge(l, current)
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

// KeyLine is the primary key of a row in one line.
func KeyLine(s *widget.Styles, t *models.Table, r *Row) string {
	var b strings.Builder
	for _, k := range []models.Key{t.PartitionKey, t.SortKey} {
		if text, ok := r.Item.Text(k.Name); ok && k.Name != "" {
			b.WriteString(s.Paint(widget.RoleMuted, " "+k.Name+" ") + s.Paint(widget.RoleText, models.PrintableCell(text, 80)) + " ")
		}
	}
	return b.String()
}

// DueLine says when the item expires.
func DueLine(s *widget.Styles, t *models.Table, it models.Item, now time.Time) string {
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

// RelatedLine names what can be asked from the item.
func RelatedLine(s *widget.Styles, related []accesspatterns.Related) string {
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
