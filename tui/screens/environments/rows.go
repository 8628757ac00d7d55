package environments

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/compare"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// The prefixes of the IDs of rows, before their numbers.
const (
	tableRow = "table "
	itemRow  = "item "
)

// makeRows lists what differs: the tables, then the items by entity.
func (s *environmentsScreen) makeRows() {
	var items []widget.ListItem
	for i, d := range s.result.tables {
		items = append(items, widget.ListItem{
			ID: tableRow + strconv.Itoa(i), Section: "Tables", Lead: "≠", Title: models.Printable(d.Table + " · " + d.Property),
			Badge: present.Join(side(d.Left), side(d.Right), " → "), BadgeRole: widget.RoleMuted,
		})
	}
	byEntity := map[string][]widget.ListItem{}
	var order []string
	for i, d := range s.result.found {
		name := "Items of no entity"
		if d.Entity != nil {
			name = present.EntityName(d.Entity)
		}
		if byEntity[name] == nil {
			order = append(order, name)
		}
		byEntity[name] = append(byEntity[name], s.itemRow(i, name, d))
	}
	for _, name := range order {
		items = append(items, byEntity[name]...)
	}
	s.list.SetItems(items)
}

// itemRow is the row of an item that differs.
func (s *environmentsScreen) itemRow(i int, section string, d compare.Difference) widget.ListItem {
	key, changes := s.result.comparison.Shown(d)
	row := widget.ListItem{ID: itemRow + strconv.Itoa(i), Section: section, Title: d.Table.KeyText(key), BadgeRole: widget.RoleMuted}
	switch d.Kind {
	case compare.OnlyLeft:
		row.Lead, row.Badge = "◂", "only in "+s.here()
	case compare.OnlyRight:
		row.Lead, row.Badge = "▸", "only in "+models.Printable(s.chosen)
	default:
		row.Lead, row.BadgeRole = "≠", widget.RoleWarn
		if row.Badge = "differs"; len(changes) > 0 {
			row.Badge = present.Plural(len(changes), "attribute")
		}
		for _, ch := range changes {
			row.Search += models.Printable(ch.Path) + " "
		}
	}
	row.Search += section + " " + row.Badge
	return row
}

func side(text string) string {
	if text == "" {
		return present.NoValue
	}
	return models.Printable(text)
}

// selected returns the item under the cursor, and false on a table.
func (s *environmentsScreen) selected() (compare.Difference, bool) {
	it, ok := s.list.Selected()
	number, isItem := strings.CutPrefix(it.ID, itemRow)
	i, err := strconv.Atoi(number)
	if !ok || !isItem || err != nil || i >= len(s.result.found) {
		return compare.Difference{}, false
	}
	return s.result.found[i], true
}

// A fact is a property or an attribute of both environments.
type fact struct {
	name, left, right string
	differs           bool
}

// facts describe the row under the cursor: of an item that was opened every attribute, of another one what differs.
func (s *environmentsScreen) facts() (list []fact) {
	it, _ := s.list.Selected()
	if number, ok := strings.CutPrefix(it.ID, tableRow); ok {
		if i, err := strconv.Atoi(number); err == nil && i < len(s.result.tables) {
			d := s.result.tables[i]
			return []fact{{models.Printable(d.Property), side(d.Left), side(d.Right), true}}
		}
		return nil
	}
	d, ok := s.selected()
	if !ok {
		return nil
	}
	if attributes, ok := s.beside[it.ID]; ok {
		for _, a := range attributes {
			list = append(list, fact{models.Printable(a.Name), s.value(d, a.Name, a.Left), s.value(d, a.Name, a.Right), a.Differs})
		}
		return list
	}
	_, changes := s.result.comparison.Shown(d)
	for _, ch := range changes {
		list = append(list, fact{models.Printable(ch.Path), s.value(d, ch.Path, ch.Before), s.value(d, ch.Path, ch.After), true})
	}
	return list
}

// value is a masked value on one line.
func (s *environmentsScreen) value(d compare.Difference, path string, v types.AttributeValue) string {
	if v == nil {
		return present.NoValue
	}
	return models.PrintableCell(present.Presenter{Now: s.env.Now()}.Show(d.Entity, path, v).Text, present.CellRunes)
}

// summary counts the differences.
func (s *environmentsScreen) summary() string {
	sum := s.result.sum
	return fmt.Sprintf("◂ %d · ▸ %d · ≠ %d · %d equal", sum.OnlyLeft, sum.OnlyRight, sum.Differs, sum.Equal) + s.tablesDiffer()
}

// tablesDiffer counts the properties of tables that differ, "" for none.
func (s *environmentsScreen) tablesDiffer() string {
	if n := len(s.result.tables); n > 0 {
		return " · " + present.Plural(n, "table property") + " ≠"
	}
	return ""
}

// View draws the list above the details.
func (s *environmentsScreen) View() string {
	if s.W <= 0 || s.H <= 0 {
		return ""
	}
	st := s.env.Styles
	panel := widget.Panel{Title: "Compare " + s.here() + " with", Focused: !s.OnDetails}
	if s.chosen != "" {
		panel.Title, panel.Note = s.here()+" ≠ "+models.Printable(s.chosen), s.note()
	}
	if !s.task.Running() && s.result.err != nil {
		panel.Role = widget.RoleBad
	}
	content := s.shown().View()
	if s.empty() {
		content = s.viewEmpty()
	}
	it, _ := s.shown().Selected()
	subject := struct {
		id, chosen string
		loads      int
		masker     *models.Masker
	}{it.ID, s.chosen, s.loads, s.masker}
	about := widget.Panel{Title: "Side by side", Focused: s.OnDetails}
	view := panel.Render(st, content, s.Rows.W, s.Rows.H)
	return s.DrawBox(st, widget.Rows(view, s.ViewDetails(about, guide, subject, s.detailLines)), s.W, s.H)
}

// note says how much of the list is missing.
func (s *environmentsScreen) note() string {
	sum := s.result.sum
	if n := sum.OnlyLeft + sum.OnlyRight + sum.Differs; n > len(s.result.found) {
		return fmt.Sprintf("the first %d of %d items", len(s.result.found), n)
	}
	return ""
}

// empty reports whether the list in view has no rows without a filter.
func (s *environmentsScreen) empty() bool {
	if s.chosen == "" {
		return s.shown().Filter() == "" && s.shown().Len() == 0
	}
	return len(s.result.tables)+len(s.result.found) == 0
}

func (s *environmentsScreen) viewEmpty() string {
	r := s.Rows.Inner()
	t := &present.Facts{Styles: s.env.Styles, Width: max(r.W-2, 8)}
	t.Blank()
	switch {
	case s.chosen == "":
		t.Paragraph(widget.RoleText, "No other context. Add contexts to the configuration; see ddbdesk doctor for its file.")
	case s.task.Running():
		t.Paragraph(widget.RoleMuted, "Comparing with "+models.Printable(s.chosen)+" …")
	case s.result.err != nil:
		t.Paragraph(widget.RoleBad, "The environments cannot be compared: "+models.Printable(s.result.err.Error()))
	case s.result.refusal != nil:
		t.Paragraph(widget.RoleText, "The tables are equal. Press a to compare the items: "+models.Printable(s.result.refusal.Why)+".")
	default:
		t.Paragraph(widget.RoleGood, "✓ No differences.")
	}
	return widget.Indent(t.String(), r.W, r.H)
}

// detailLines draws the row under the cursor in three columns: the name, and the values of both environments.
func (s *environmentsScreen) detailLines(w int) []string {
	facts := s.facts()
	if s.chosen == "" || len(facts) == 0 {
		if _, ok := s.selected(); ok && s.chosen != "" {
			return []string{s.env.Styles.Paint(widget.RoleMuted, "Press enter to read the item in both environments.")}
		}
		return nil
	}
	names := 4
	for _, f := range facts {
		names = max(names, ansi.StringWidth(f.name))
	}
	names = min(names, max(w/4, 4))
	column := max((w-names-4)/2, 4)
	line := func(sign string, f fact, role widget.Role) string {
		cell := func(text string, w int) string {
			return s.env.Styles.PaintCell(role, widget.SurfacePlain, ansi.Truncate(text, w, "…"), w, widget.AlignLeft)
		}
		return cell(sign, 2) + cell(f.name, names) + " " + cell(f.left, column) + " " + cell(f.right, column)
	}
	lines := []string{line(" ", fact{left: s.here(), right: models.Printable(s.chosen)}, widget.RoleMuted)}
	for _, f := range facts {
		switch {
		case f.differs:
			lines = append(lines, line("≠", f, widget.RoleWarn))
		default:
			lines = append(lines, line(" ", f, widget.RoleText))
		}
	}
	return lines
}
