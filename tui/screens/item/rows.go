package item

import (
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/charmbracelet/x/ansi"
	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/timeline"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// An attributeRow is a row of the overview.
type attributeRow struct {
	path        string // dotted path from the root, which is also the key in open
	top         string // top-level attribute that contains the path
	section     string
	depth       int
	label       string
	value       types.AttributeValue // nil if missing
	hasChildren bool                 // the row has children
	count       int                  // number of elements in a chunk of a list; at is the first one
	at          int
	meaning     string
}

// itemRows builds rows when they become visible.
type itemRows struct {
	o    *overviewTab
	show present.Presenter
	room int // width of the value and the note in cells
}

func (r itemRows) Len() int { return len(r.o.rows) }

func (r itemRows) Section(i int) string { return r.o.rows[i].section }

func (r itemRows) Row(i int) widget.FieldRow {
	return r.o.fieldRow(r.show, &r.o.rows[i], r.room)
}

// A rowMaker collects the rows in the schema's order.
type rowMaker struct {
	s         *itemData
	open      map[string]bool // expanded documents
	rows      []attributeRow
	isListed  map[string]bool
	expandAll bool // treat everything as expanded
}

func (o *overviewTab) fillRows() {
	o.needle = widget.Fold(o.filter.Text())
	o.rows = o.makeRows(o.needle != "")
	if o.total = len(o.rows); o.needle != "" {
		show := present.Presenter{Now: o.s.env.Now()}
		o.rows = slices.DeleteFunc(o.rows, func(r attributeRow) bool { return !o.matches(show, &r) })
	}
	o.fillFields()
}

func (o *overviewTab) makeRows(expandAll bool) []attributeRow {
	if o.expanded == nil {
		o.expanded = map[string]bool{}
		if t := o.s.facts.trail; t != nil { // The values are the content of an audit entry.
			o.expanded[t.Before], o.expanded[t.After] = true, true
		}
	}
	m := rowMaker{s: o.s, open: o.expanded, isListed: map[string]bool{}, expandAll: expandAll}
	e := o.s.facts.entity
	if e == nil {
		m.addSection(present.SectionUnknown, o.s.facts.masked.Names())
	} else {
		m.addGroups(e)
	}
	m.addRemoved()
	return m.rows
}

func (o *overviewTab) fillFields() {
	labelWidth := 0
	for _, r := range o.rows[:min(len(o.rows), 200)] {
		labelWidth = max(labelWidth, min(ansi.StringWidth(models.PrintableCell(r.label, 28))+2+2*min(r.depth, present.MaxIndent), 28))
	}
	room := o.builtWidth - min(labelWidth, max(o.builtWidth/3, 8)) - 5
	o.fields.SetSource(itemRows{o, present.Presenter{Now: o.s.env.Now()}, room})
}

func (m *rowMaker) addGroups(e *models.Entity) {
	for _, name := range e.KeyNames() {
		t, _ := e.KeyTemplate(name)
		a := e.Attribute(name)
		if a == nil || m.s.plain && a.Title == "" && t.String() != "" && t.String() != "{"+name+"}" {
			m.isListed[name] = true // The key is computed, and the keys tab explains it.
		}
	}
	for _, g := range present.GroupsOf(e) {
		if e.ByName != nil {
			g.Title = "Key"
		}
		m.addSection(g.Title, g.Attributes)
	}
	extra := models.Filter(m.s.facts.masked.Names(), func(n string) bool { return !m.isListed[n] })
	title := present.SectionUndocumented
	if e.ByName != nil {
		title = "Attributes" // There is no document.
		if slices.ContainsFunc(extra, func(n string) bool { return models.IsMasked(m.s.facts.masked[n]) }) {
			title += ": " + maskingReason(e, m.s.plain)
		}
	} else if m.s.env.Session.CanReveal() != nil {
		if n := len(m.s.env.Session.Masker().Undeclared(m.s.table, m.s.item)); n > 0 {
			title = english.Plural(n, "undeclared attribute", "") + ", masked; visible to roles developer and admin"
		}
	}
	m.addSection(title, extra)
	for _, n := range m.s.facts.missing {
		m.rows = append(m.rows, attributeRow{
			path: n, top: n, label: m.s.label(n), section: present.SectionMissing,
			meaning: present.MeaningOf(e, n),
		})
	}
}

// maskingReason returns the reason why values are masked in a table without a schema.
func maskingReason(e *models.Entity, forSupport bool) string {
	if e.Undocumented && forSupport {
		return "support sees only the keys of a table without a schema, on production and while a schema has errors"
	}
	return "masked because of their names, until a schema declares them"
}

func (m *rowMaker) addRemoved() {
	removed := models.Item{}
	for n, difference := range m.s.differences {
		if v, existed := m.s.listedItem[n]; existed && difference == "gone" {
			removed[n] = v
		}
	}
	if len(removed) == 0 {
		return
	}
	// A removed attribute may have determined the entity, so mask the whole row.
	masked := m.s.masker.Item(m.s.table, m.s.listedItem)
	for _, n := range removed.Names() {
		m.addRow(attributeRow{path: n, top: n, section: present.SectionRemoved, label: m.s.label(n), value: masked[n]})
	}
}

func (m *rowMaker) addSection(title string, paths []string) {
	for _, path := range paths {
		v, ok := m.s.facts.masked.At(path)
		if m.isListed[path] || !ok {
			continue
		}
		m.isListed[path] = true
		top, _, _ := strings.Cut(path, ".")
		if _, isTopLevel := m.s.facts.masked[path]; isTopLevel {
			top = path
		}
		m.addRow(attributeRow{path: path, top: top, section: title, label: m.s.label(path), value: v})
	}
}

func (m *rowMaker) addRow(r attributeRow) {
	r.hasChildren = isFoldable(r.value)
	if r.meaning == "" {
		r.meaning = present.MeaningOf(m.s.facts.entity, r.path)
	}
	m.rows = append(m.rows, r)
	if r.hasChildren && (m.expandAll || m.open[r.path]) {
		m.addChildren(r)
	}
}

func (m *rowMaker) addChildren(r attributeRow) {
	doc, ok := r.value.(*types.AttributeValueMemberM)
	if !ok {
		n, element := present.Elements(r.value)
		m.addElements(r, n, element)
		return
	}
	for _, name := range models.Item(doc.Value).Names() {
		path := r.path + "." + name
		label := strings.TrimPrefix(m.s.label(path), r.path+".")
		m.addRow(attributeRow{path: path, top: r.top, section: r.section, depth: r.depth + 1, label: label, value: doc.Value[name]})
	}
}

func (m *rowMaker) addElements(r attributeRow, n int, element func(int) types.AttributeValue) {
	if n > present.ListChunk && r.count == 0 {
		for at := 0; at < n; at += present.ListChunk {
			size := min(present.ListChunk, n-at)
			c := r
			c.path, c.depth, c.at, c.count = r.path+"["+strconv.Itoa(at)+"…]", r.depth+1, at, size
			c.label = strconv.Itoa(at) + "…" + strconv.Itoa(at+size-1)
			m.addRow(c)
		}
		return
	}
	from, to, base := 0, n, r.path
	if r.count > 0 { // The path of a chunk is the list's path with a range.
		from, to, base = r.at, r.at+r.count, r.path[:strings.LastIndexByte(r.path, '[')]
	}
	for i := from; i < to; i++ {
		m.addRow(attributeRow{
			path: base + "[" + strconv.Itoa(i) + "]", top: r.top, section: r.section,
			depth: r.depth + 1, label: strconv.Itoa(i), value: element(i),
		})
	}
}

func isFoldable(v types.AttributeValue) bool {
	if doc, ok := v.(*types.AttributeValueMemberM); ok {
		return len(doc.Value) > 0
	}
	_, list := v.(*types.AttributeValueMemberL)
	n, _ := present.Elements(v)
	return n > 1 || list && n == 1
}

func (o *overviewTab) fieldRow(p present.Presenter, r *attributeRow, room int) widget.FieldRow {
	sign := "  "
	switch {
	case r.hasChildren && (o.expanded[r.path] || o.needle != ""):
		sign = "▾ "
	case r.hasChildren:
		sign = "▸ "
	}
	f := widget.FieldRow{
		ID: r.path, Section: r.section, Highlight: o.needle,
		Label: strings.Repeat("  ", min(r.depth, present.MaxIndent)) + sign + models.PrintableCell(r.label, fieldCells),
	}
	if r.section == present.SectionMissing {
		f.Value, f.Role, f.Note = "missing", widget.RoleWarn, r.meaning
		return f
	}
	shown := o.shown(p, r)
	f.Value, f.Role = models.PrintableCell(o.excerpt(shown.Text), fieldCells), shown.Role
	notes := o.notes(r, shown.Note)
	f.Note = models.PrintableCell(strings.Join(notes, " · "), fieldCells)
	if r.meaning != "" && (!o.s.plain || strings.HasSuffix(r.path, r.label)) {
		fullNote := strings.Join(append(notes, models.Printable(r.meaning)), " · ")
		if ansi.StringWidth(f.Value)+2+ansi.StringWidth(fullNote) <= room {
			f.Note = fullNote
		}
	}
	return f
}

// shown formats a value for the role: in everyday form with local times, or as stored.
func (o *overviewTab) shown(p present.Presenter, r *attributeRow) present.FormattedValue {
	switch {
	case r.count > 0:
		return present.FormattedValue{Text: present.Plural(r.count, "element"), Role: widget.RoleMuted}
	case o.s.plain && o.s.facts.trail != nil:
		return o.shownEntry(p, r)
	case o.s.plain:
		return p.Plain(o.s.facts.entity, r.path, r.value)
	}
	return p.Show(o.s.facts.entity, r.path, r.value)
}

func (o *overviewTab) shownEntry(p present.Presenter, r *attributeRow) present.FormattedValue {
	t := o.s.facts.trail
	subject := t.SubjectOf(o.s.item).Entity
	actions := o.s.env.Session.Profile().ActionsOf(subject)
	text, _ := models.ValueText(r.value)
	isAction := func(a *change.Action) bool { return a.ID == strings.TrimPrefix(text, "undo-") }
	if r.path == t.What && slices.ContainsFunc(actions, isAction) {
		return present.FormattedValue{Text: timeline.Entry{What: text}.Sentence(subject, actions)}
	}
	for _, values := range []string{t.Before, t.After} {
		if path, ok := strings.CutPrefix(r.path+".", values+"."); ok && values != "" {
			return p.Plain(subject, strings.TrimSuffix(path, "."), r.value)
		}
	}
	return p.Plain(o.s.facts.entity, r.path, r.value)
}

func (o *overviewTab) notes(r *attributeRow, notes ...string) []string {
	if i := slices.IndexFunc(o.s.facts.defects, func(d change.Defect) bool { return d.Attribute == r.path }); i >= 0 && o.s.isChecked() {
		notes = append(notes, "✗ "+o.s.facts.defects[i].Text)
	}
	if target := o.related.targetTitle(r); target != "" {
		notes = append(notes, "› "+target)
	}
	if difference := o.s.differences[r.top]; difference != "" && r.depth == 0 {
		notes = append(notes, "≠ "+difference)
	}
	if e := o.s.facts.entity; e != nil && !o.s.plain && r.section != present.SectionUndocumented && isDescribed(e) {
		if a := e.Attribute(r.path); a != nil && !a.Documented {
			notes = append(notes, "not documented")
		}
	}
	return slices.DeleteFunc(notes, func(text string) bool { return text == "" })
}

func isDescribed(e *models.Entity) bool {
	return slices.ContainsFunc(e.Attributes, func(a *models.Attribute) bool { return a.Documented })
}

// fieldCells is the maximum width of a value on one line.
const fieldCells = 300
