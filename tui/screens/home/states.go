package home

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/dashboard"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// widestLabel is the maximum width of a state's label in cells.
const widestLabel = 40

func (h *Home) setStateRows() {
	w := h.states.width()
	h.states.title, h.states.note = "", ""
	var rows []row
	p := h.shownProfile
	switch {
	case p != nil && !p.IsSchemaless():
		h.states.title, h.states.note = models.Printable(h.schemaName(p)), h.counter.status(p)
		rows = h.schemaRows(p, h.counter.boardOf(p), w)
	case h.focused.current() != nil && h.focused.current().table != "":
		table := h.focused.current().table
		h.states.title = table
		if i := h.db.indexOf(table); i >= 0 {
			rows = append(rows, textRows(h.tableLines(h.db.list[i], w))...)
		}
	}
	h.states.setRows(rows)
	if h.focused == h.states && !h.states.hasRow() {
		h.focusSection(h.tables)
	}
}

func (h *Home) problems(w int) []string {
	s := h.styles
	var lines []string
	if h.err != nil {
		text := "Cannot load the schemas"
		if h.failedSchema != "" {
			text = models.Printable(h.failedSchema) + " cannot be opened"
		}
		lines = append(lines, s.Paint(widget.RoleBad, "✗ "+text))
		lines = append(lines, widget.Wrap(s, widget.RoleText, h.err.Error(), w)...)
		lines = append(lines, widget.Wrap(s, widget.RoleMuted, "Press enter to retry, or ctrl+r to reload the schemas.", w)...)
		lines = append(lines, "")
	}
	if h.schemaErrors != nil {
		lines = append(lines, s.Paint(widget.RoleBad, "✗ Schemas with errors"))
		for line := range strings.Lines(h.schemaErrors.Error()) {
			lines = append(lines, widget.Wrap(s, widget.RoleText, strings.TrimSpace(line), w)...)
		}
		lines = append(lines, "")
	}
	if o := h.opening; o != nil {
		lines = append(lines, widget.BusyIndicator{
			What: "opening " + o.profile.Name, Detail: "getting credentials and the caller identity", Cancel: "esc cancel",
			Elapsed: o.Elapsed, Fraction: -1,
		}.Render(s, w))
	}
	return lines
}

func (h *Home) tableLines(t tables.ListedTable, w int) []string {
	s := h.styles
	info := t.Info
	if info == nil {
		if t.Err != nil && !errors.Is(t.Err, errDescribing) {
			return widget.Wrap(s, widget.RoleWarn, t.Err.Error(), w)
		}
		return []string{s.Paint(widget.RoleFaint, "…")}
	}
	f := &present.Facts{Styles: s, Label: 12, Width: w}
	f.Text("items", widget.RoleText, shortCount(info.ApproximateItems)+" (DynamoDB updates the count about every six hours)")
	f.Text("key", widget.RoleText, tables.DescribeKeys(models.KeyList(info.PartitionKey), models.KeyList(info.SortKey)))
	for _, x := range info.Indexes {
		f.Text("⌕ "+models.PrintableCell(x.Name, 9), widget.RoleText, tables.DescribeKeys(x.PartitionKeys, x.SortKeys))
	}
	f.Blank()
	f.Paragraph(widget.RoleText, "No schema describes this table.")
	f.Text("enter", widget.RoleMuted, "browse it")
	f.Text("ctrl+o b", widget.RoleMuted, "query it")
	f.Text("ctrl+o n", widget.RoleMuted, "draft a schema from its items: names, states, queues and changes")
	return f.Lines
}

// schemaRows describes the database of a schema. If b is nil, the data is unknown.
func (h *Home) schemaRows(p *profiles.Profile, b *board, w int) []row {
	longest := 0
	for _, l := range p.Lifecycles {
		for _, st := range l.States {
			longest = max(longest, models.Width(present.StateBadge(h.plain(), l, st.Name).Text))
		}
	}
	var lines []string
	if live := h.live[p.Name]; live != nil {
		text, matches := live.Summary()
		role, sign := widget.RoleGood, "✓ "
		if !matches {
			role, sign = widget.RoleWarn, "✗ "
		}
		lines = append(widget.Wrap(h.styles, role, sign+"live tables "+text+" · "+live.At.Format("15:04"), w), "")
	}
	rows := append(textRows(append(lines, h.uncountedLines(p, b, w)...)), h.scanRows(p, b)...)
	for _, l := range p.Lifecycles {
		rows = append(rows, h.lifecycleRows(p, l, b, min(longest, widestLabel, w/2))...)
	}
	parts := []string{present.Plural(len(p.Entities), "entity"), present.Plural(len(p.Patterns), "pattern")}
	if n := len(p.Findings); n > 0 {
		parts = append(parts, present.Plural(n, "issue"))
	}
	lines = []string{h.styles.Paint(widget.RoleMuted, models.PrintableCell(p.Title, w))}
	if !h.plain() {
		lines = append(lines, h.styles.Paint(widget.RoleFaint, models.PrintableCell(strings.Join(parts, " · "), w)))
	}
	return append(rows, textRows(append(lines, widget.Wrap(h.styles, widget.RoleFaint, p.Description, w)...))...)
}

func (h *Home) uncountedLines(p *profiles.Profile, b *board, w int) []string {
	errorLines := func(text string, err error) []string {
		return append([]string{h.styles.Paint(widget.RoleBad, "✗ "+text)}, widget.Wrap(h.styles, widget.RoleText, err.Error(), w)...)
	}
	var lines []string
	switch {
	case b == nil:
		return nil
	case b.err != nil:
		lines = errorLines(p.Name+" cannot be counted", b.err)
	case b.sum.Err != nil:
		lines = errorLines("Counts are incomplete", b.sum.Err)
	case len(b.sum.Missing) > 0:
		lines = widget.Wrap(h.styles, widget.RoleWarn, "✗ The database has no table "+strings.Join(b.sum.Missing, ", ")+".", w)
		lines = append(lines, widget.Wrap(h.styles, widget.RoleMuted,
			"Create it with "+b.workspace.Session.SchemaCommand("table", "create"), w)...)
	case b.sum.Unread:
		lines = widget.Wrap(h.styles, widget.RoleText, "Production is not read automatically. Press ctrl+o, then c to count the items.", w)
	default:
		return nil
	}
	return append(lines, "")
}

func (h *Home) scanRows(p *profiles.Profile, b *board) []row {
	if b == nil || len(b.sum.Offers) == 0 {
		return nil
	}
	e := b.sum.Offers[0].Estimate
	names := []string{b.sum.Offers[0].Table.Name}
	for _, o := range b.sum.Offers[1:] {
		e, names = e.Plus(o.Estimate), append(names, o.Table.Name)
	}
	text := fmt.Sprintf("⌕ Scan %s to count the rest: %s", strings.Join(names, ", "), priceText(e, b.workspace.Session.Role()))
	return []row{{id: "scan", p: p, title: "scan", open: h.counter.count, draw: func(t *widget.Strip) {
		t.Put(widget.RoleWarn, models.PrintableCell(text, t.Room()))
	}}, {}}
}

func stateTarget(env *screen.Env, l *models.Lifecycle, state string) screen.Target {
	q, args := env.Session.Profile().StateQuery(l, state)
	return screen.Patterns{Pattern: q, Args: args, Run: true}
}

func (h *Home) lifecycleRows(p *profiles.Profile, l *models.Lifecycle, b *board, labelWidth int) []row {
	var states *dashboard.States
	if b != nil {
		if i := slices.IndexFunc(b.sum.States, func(s dashboard.States) bool { return s.Lifecycle == l }); i >= 0 {
			states = &b.sum.States[i]
		}
	}
	title, note := present.EntityName(l.Entity)+" by "+l.Attribute, ""
	switch {
	case states == nil:
		note = h.counter.uncountedReason(p, nil)
	case len(states.Counts) == 0 || states.Err != nil:
		note = h.counter.uncountedReason(p, &states.Progress)
	case states.Total() == (dashboard.Count{N: 1}):
		note = "1 item"
	default:
		note = states.Total().String() + " items"
	}
	rows := []row{{draw: func(t *widget.Strip) {
		t.Put(widget.RoleStrong, models.PrintableCell(title, max(t.Room()-models.Width(note)-2, 1)))
		t.Cell(widget.RoleMuted, note, t.Room(), widget.AlignRight)
	}}}
	maximum := 1
	if states != nil {
		for _, c := range states.Counts {
			maximum = max(maximum, c.N)
		}
	}
	for _, st := range l.States {
		badge := present.StateBadge(h.plain(), l, st.Name)
		rows = append(rows, row{
			id: "state " + l.Name + " " + st.Name, p: p, title: present.EntityName(l.Entity) + " " + st.Name,
			open: h.counter.openFunc(p, func(env *screen.Env) screen.Target { return stateTarget(env, l, st.Name) }),
			draw: func(t *widget.Strip) {
				t.Cell(badge.Role, badge.Text, labelWidth, widget.AlignLeft)
				if states == nil {
					return
				}
				if c, isCounted := states.Counts[st.Name]; isCounted {
					role := widget.RoleStrong
					if c.N == 0 {
						role = widget.RoleFaint
					}
					t.Cell(role, c.String(), countWidth, widget.AlignRight)
					t.Put(widget.RoleText, "  ")
					t.Put(badge.Role, widget.BarOf(c.N, maximum, min(t.Room(), widestLabel)))
				}
			},
		})
	}
	return append(rows, row{})
}
