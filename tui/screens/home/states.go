package home

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/dashboard"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// widestLabel are the cells of the name of a state, at most.
const widestLabel = 40

// stateRows makes the rows about the selected row: errors, and the items of a schema by state, or the keys of a table.
func (h *Home) stateRows() {
	w := h.states.width()
	h.states.title, h.states.note = "", ""
	var rows []row
	p := h.shown
	switch {
	case p != nil && !isBare(p):
		s := &states{h: h, p: p, w: w, b: h.counter.of(p)}
		h.states.title, h.states.note = models.Printable(p.Name), h.counter.status(p)
		rows = append(rows, s.rows()...)
	case h.has.current() != nil && h.has.current().table != "":
		table := h.has.current().table
		h.states.title = table
		if i := h.db.at(table); i >= 0 {
			rows = append(rows, textRows(h.tableLines(h.db.list[i], w))...)
		}
	}
	h.states.set(rows)
	if h.has == h.states && !h.states.chosen() {
		h.focus(h.tables)
	}
}

func (h *Home) problems(w int) []string {
	s := h.styles
	var lines []string
	if h.err != nil {
		what := "Cannot load the schemas"
		if h.failed != "" {
			what = models.Printable(h.failed) + " cannot be opened"
		}
		lines = append(lines, s.Paint(widget.RoleBad, "✗ "+what))
		lines = append(lines, widget.Wrap(s, widget.RoleText, h.err.Error(), w)...)
		lines = append(lines, widget.Wrap(s, widget.RoleMuted, "Press enter to retry, or ctrl+r to reload the schemas.", w)...)
		lines = append(lines, "")
	}
	if h.faults != nil {
		lines = append(lines, s.Paint(widget.RoleBad, "✗ Schemas with errors"))
		for line := range strings.Lines(h.faults.Error()) {
			lines = append(lines, widget.Wrap(s, widget.RoleText, strings.TrimSpace(line), w)...)
		}
		lines = append(lines, "")
	}
	if o := h.connect.opening; o != nil {
		lines = append(lines, widget.Busy{
			What: "opening " + o.profile.Name, Detail: "getting credentials and the caller identity", Cancel: "esc cancels",
			Elapsed: o.Elapsed, Fraction: -1,
		}.Render(s, w))
	}
	return lines
}

func (h *Home) tableLines(t tables.Listed, w int) []string {
	s := h.styles
	info := t.Info
	if info == nil {
		if t.Err != nil && !errors.Is(t.Err, errDescribing) {
			return widget.Wrap(s, widget.RoleWarn, t.Err.Error(), w)
		}
		return []string{s.Paint(widget.RoleFaint, "…")}
	}
	line := func(label, text string) string {
		return s.PaintCell(widget.RoleFaint, widget.SurfacePlain, label, 12, widget.AlignLeft) +
			s.Paint(widget.RoleText, models.PrintableCell(text, max(w-12, 1)))
	}
	lines := []string{
		line("items", shortCount(info.ApproximateItems)+", as DynamoDB counted within six hours"),
		line("key", tables.DescribeKeys(models.KeyList(info.PartitionKey), models.KeyList(info.SortKey))),
	}
	for _, x := range info.Indexes {
		lines = append(lines, line("⌕ "+models.PrintableCell(x.Name, 9), tables.DescribeKeys(x.PartitionKeys, x.SortKeys)))
	}
	lines = append(lines, "", s.Paint(widget.RoleText, "No schema describes this table."))
	return append(lines, widget.Wrap(s, widget.RoleMuted,
		"enter browse it · ctrl+o, b query it · ctrl+o, n draft a schema from its items: names, states, queues and changes", w)...)
}

// states makes the rows about the database of a schema.
type states struct {
	h *Home
	p *profiles.Profile
	w int    // cells of a row
	b *board // nil if nothing is known

	label int // cells of the column of names
}

func (s *states) rows() []row {
	longest := 0
	for _, l := range s.p.Lifecycles {
		for _, st := range l.States {
			longest = max(longest, models.Width(present.StateBadge(l, st.Name).Text))
		}
	}
	s.label = min(longest, widestLabel, s.w/2)
	rows := append(textRows(s.problems()), s.offers()...)
	for _, l := range s.p.Lifecycles {
		rows = append(rows, s.lifecycle(l)...)
	}
	return append(rows, textRows(s.about())...)
}

func (s *states) about() []string {
	parts := []string{
		present.Plural(len(s.p.Entities), "entity"), present.Plural(len(s.p.Patterns), "pattern"),
	}
	if n := len(s.p.Findings); n > 0 {
		parts = append(parts, present.Plural(n, "issue"))
	}
	lines := []string{
		s.h.styles.Paint(widget.RoleMuted, models.PrintableCell(s.p.Title, s.w)),
		s.h.styles.Paint(widget.RoleFaint, models.PrintableCell(strings.Join(parts, " · "), s.w)),
	}
	return append(lines, widget.Wrap(s.h.styles, widget.RoleFaint, s.p.Description, s.w)...)
}

func (s *states) problems() []string {
	st := s.h.styles
	var lines []string
	if live := s.h.live[s.p.Name]; live != nil {
		text, good := live.Summary()
		role, sign := widget.RoleGood, "✓ "
		if !good {
			role, sign = widget.RoleWarn, "✗ "
		}
		lines = append(widget.Wrap(st, role, sign+"live tables: "+text+" · "+live.At.Format("15:04"), s.w), "")
	}
	return append(lines, s.uncounted()...)
}

// uncounted says why there are no numbers.
func (s *states) uncounted() []string {
	st := s.h.styles
	bad := func(what string, err error) []string {
		return append([]string{st.Paint(widget.RoleBad, "✗ "+what)}, widget.Wrap(st, widget.RoleText, err.Error(), s.w)...)
	}
	var lines []string
	switch {
	case s.b == nil:
		missing := s.h.source.Missing
		if missing == "" {
			return nil
		}
		lines = widget.Wrap(st, widget.RoleText, missing, s.w)
	case s.b.err != nil:
		lines = bad(s.p.Name+" cannot be counted", s.b.err)
	case s.b.sum.Err != nil:
		lines = bad("Counts are incomplete", s.b.sum.Err)
	case len(s.b.sum.Missing) > 0:
		lines = widget.Wrap(st, widget.RoleWarn, "✗ The database has no table "+strings.Join(s.b.sum.Missing, ", ")+".", s.w)
		lines = append(lines, widget.Wrap(st, widget.RoleMuted,
			"Create it with "+s.b.workspace.Session.SchemaCommand("table", "create"), s.w)...)
	case s.b.sum.Unread:
		lines = widget.Wrap(st, widget.RoleText, "Production is not read automatically. Press ctrl+o, then c to count the items.", s.w)
	default:
		return nil
	}
	return append(lines, "")
}

func (s *states) offers() []row {
	if s.b == nil || len(s.b.sum.Offers) == 0 {
		return nil
	}
	e := s.b.sum.Offers[0].Estimate
	names := []string{s.b.sum.Offers[0].Table.Name}
	for _, o := range s.b.sum.Offers[1:] {
		e, names = e.Plus(o.Estimate), append(names, o.Table.Name)
	}
	text := fmt.Sprintf("⌕ Scan %s to count the rest: %s", strings.Join(names, ", "), price(e, s.b.workspace.Session.Role()))
	return []row{{id: "scan", p: s.p, title: "scan", open: s.h.counter.count, draw: func(t *widget.Strip) {
		t.Put(widget.RoleWarn, models.PrintableCell(text, t.Room()))
	}}, {}}
}

func (s *states) of(l *models.Lifecycle) *dashboard.States {
	if s.b != nil {
		for i := range s.b.sum.States {
			if s.b.sum.States[i].Lifecycle == l {
				return &s.b.sum.States[i]
			}
		}
	}
	return nil
}

func (s *states) total(got *dashboard.States) string {
	switch {
	case got == nil:
		return s.h.counter.unknown(s.p, nil)
	case len(got.Counts) == 0 || got.Err != nil:
		return s.h.counter.unknown(s.p, &got.Progress)
	}
	total := got.Total()
	if total == (dashboard.Count{N: 1}) {
		return "1 item"
	}
	return total.String() + " items"
}

func (s *states) lifecycle(l *models.Lifecycle) []row {
	got := s.of(l)
	title, note := present.EntityName(l.Entity)+" by "+l.Attribute, s.total(got)
	rows := []row{{draw: func(t *widget.Strip) {
		t.Put(widget.RoleStrong, models.PrintableCell(title, max(t.Room()-models.Width(note)-2, 1)))
		t.Cell(widget.RoleMuted, note, t.Room(), widget.AlignRight)
	}}}
	most := 1
	if got != nil {
		for _, c := range got.Counts {
			most = max(most, c.N)
		}
	}
	for _, st := range l.States {
		badge := present.StateBadge(l, st.Name)
		rows = append(rows, row{
			id: "state " + l.Name + " " + st.Name, p: s.p, title: present.EntityName(l.Entity) + " " + st.Name,
			open: s.h.counter.opens(s.p, func(env *screen.Env) screen.Target {
				q, args := env.Session.Profile().Listed(l, st.Name)
				return screen.Patterns{Pattern: q, Args: args, Run: true}
			}),
			draw: func(t *widget.Strip) {
				t.Cell(badge.Role, badge.Text, s.label, widget.AlignLeft)
				if got == nil {
					return
				}
				if c, known := got.Counts[st.Name]; known {
					role := widget.RoleStrong
					if c.N == 0 {
						role = widget.RoleFaint
					}
					t.Cell(role, c.String(), countWidth, widget.AlignRight)
					t.Put(widget.RoleText, "  ")
					t.Put(badge.Role, widget.BarOf(c.N, most, min(t.Room(), widestLabel)))
				}
			},
		})
	}
	return append(rows, row{})
}
