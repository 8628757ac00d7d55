package lists

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/lint"
	"github.com/ddbdesk/ddbdesk/tui/listing"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A schemaLine describes how a pattern reads an entity's items by the key of the table or of an index.
type schemaLine struct {
	table      *models.Table
	entity     *models.Entity            // nil for the table itself
	index      *models.Index             // nil for the table's key
	patterns   []*accesspatterns.Pattern // patterns that read by this key
	reader     *accesspatterns.Pattern   // the line's pattern, or nil if no pattern reads by this key
	isRepeated bool                      // the line above has the same key
	unused     []*models.Index           // indexes that no pattern reads; set only for the table itself
	overlaps   []string                  // entities whose items may have the same primary key
}

type keyRow = *schemaLine

// Map lists the keys of all entities, and the patterns that use them.
var Map = listing.Open(func(env *screen.Env, to screen.Map) *listing.Spec[keyRow] {
	spec := &listing.Spec[keyRow]{
		Name: "map", Title: "Schema map", Does: "Shows the keys of each entity, and the patterns that use them.", Noun: "key",
		Costly: true, InitialID: keyRowID(to),
		Guide: screen.Guide{
			Purpose: "The whole schema: the keys of each entity, in its table and in the indexes, with a line for each pattern that uses them.",
			First:   "select a line, or filter with /. Press enter to open its pattern.",
			Signs: []screen.Sign{
				{Glyph: "{name}", Meaning: "a placeholder: the value of this attribute"},
				{Glyph: "⚠", Meaning: "a pattern that does not run as documented, with its issue; or indexes that no pattern reads"},
				{Glyph: "≈", Meaning: "can have the same key as another entity"},
			},
		},
		ID:    keyRow.id,
		Empty: listing.None("The schema has no tables", ""),
		Load:  loadMap,
		Search: func(w keyRow) string {
			text := w.id() + " " + strings.Join(models.MapSlice(w.patterns,
				func(p *accesspatterns.Pattern) string { return p.ID }), " ")
			if w.entity != nil {
				text += " " + w.entity.Title
			}
			return text
		},
		Columns: []listing.Column[keyRow]{
			{Column: widget.Column{Title: "Entity", Max: 22, Whole: true}, Cell: func(_ *screen.Env, w keyRow) widget.Cell {
				switch {
				case w.isRepeated:
					return widget.Cell{}
				case w.entity == nil:
					return widget.Cell{Text: w.table.Name, Role: widget.RoleTitle}
				case w.index != nil:
					return widget.Cell{Text: w.entity.Name, Role: widget.RoleFaint}
				case len(w.overlaps) > 0:
					return widget.Cell{Text: w.entity.Name + " ≈", Role: widget.RoleKey}
				}
				return widget.Cell{Text: w.entity.Name, Role: widget.RoleKey}
			}},
			listing.Styled(widget.Column{Title: "Key", Max: 16}, widget.RoleMuted, func(_ *screen.Env, w keyRow) string {
				if w.index == nil {
					return w.unlessRepeated("table")
				}
				return w.unlessRepeated(w.index.Name)
			}),
			{Column: widget.Column{Title: "Read by", Max: 60}, Cell: readersCell},
			keyColumn("Partition", func(w keyRow) string { return w.templates(false) }),
			keyColumn("Sort", func(w keyRow) string { return w.templates(true) }),
		},
		Facts: keyFacts,
		Actions: []listing.Action[keyRow]{
			{
				Name: "enter", Keys: "enter", Desc: "open", Long: "open the pattern that uses the key",
				Can:  listing.Require(func(w keyRow) bool { return w.reader != nil }, "no pattern uses this key"),
				Open: func(w keyRow) screen.Target { return screen.Patterns{Pattern: w.reader} },
			},
			{
				Name: "copy", Keys: "y", Desc: "copy", Long: "copy the templates of the key",
				Run: func(_ *listing.Screen[keyRow], w keyRow) tea.Cmd {
					return screen.Send(screen.CopyMsg{Text: w.keyText(), What: "the key"})
				},
			},
		},
	}
	if env.Plain() {
		to.Pattern, spec.Noun, spec.InitialID, spec.Columns, spec.Actions = nil, "list", keyRowID(to), plainColumns, spec.Actions[:1]
		spec.Guide.Purpose = "The contents of the schema: each entity with the lists that show it, and its related entities."
		spec.Guide.Signs = spec.Guide.Signs[1:2]
	}
	return spec
})

// plainColumns contains no keys, which role support cannot use.
var plainColumns = []listing.Column[keyRow]{
	listing.Styled(widget.Column{Title: "Entity", Max: 30, Whole: true}, widget.RoleKey, func(_ *screen.Env, w keyRow) string {
		return w.unlessRepeated(present.EntityName(w.entity))
	}),
	listing.Styled(widget.Column{Title: "Related to", Max: 60}, widget.RoleText, func(e *screen.Env, w keyRow) string {
		return w.unlessRepeated(orNoValue(joinDistinct(w.linkedEntities(e.Session.Profile())...)))
	}),
	{Column: widget.Column{Title: "Found by", Max: 200, Weight: 1}, Cell: readersCell},
}

// linkedEntities returns the titles of the other entities that a pattern finds with the values of this entity.
func (r keyRow) linkedEntities(p *profiles.Profile) (titles []string) {
	for _, entity := range p.Entities {
		if entity != r.entity && slices.ContainsFunc(p.Patterns, func(q *accesspatterns.Pattern) bool {
			needed := slices.DeleteFunc(slices.Clone(q.Params), func(x *accesspatterns.Param) bool { return !x.Required })
			return q.IsRead() && len(needed) > 0 && slices.Contains(q.Returns, entity) && !slices.ContainsFunc(needed,
				func(x *accesspatterns.Param) bool { return !accesspatterns.CanFill(q, x, p.Entities, r.entity) })
		}) {
			titles = append(titles, present.EntityName(entity))
		}
	}
	return titles
}

func keyColumn(title string, text func(w keyRow) string) listing.Column[keyRow] {
	c := widget.Column{Title: title, Max: 34}
	textOnce := func(w keyRow) string { return w.unlessRepeated(text(w)) }
	return listing.Tinted(c, widget.RoleMuted, textOnce, func(w keyRow) bool { return w.entity == nil })
}

func keyRowID(to screen.Map) string {
	w := schemaLine{table: to.Table, entity: to.Entity}
	if p := to.Pattern; p != nil {
		w.table, w.index = p.Table, p.Read.Index
		if len(p.Returns) > 0 {
			w.entity = p.Returns[0]
		}
	}
	switch {
	case w.entity != nil:
		w.table = w.entity.Table
	case w.table == nil:
		return ""
	default:
		w.index = nil
	}
	return w.id()
}

func (r keyRow) id() string {
	id := r.table.Name
	if r.entity != nil {
		id += " " + r.entity.Name
	}
	if r.index != nil {
		id += " " + r.index.Name
	}
	if r.isRepeated {
		id += " " + r.reader.ID
	}
	return id
}

// unlessRepeated returns the text of a cell unless the line above has it.
func (r keyRow) unlessRepeated(text string) string {
	if r.isRepeated {
		return ""
	}
	return text
}

func (r keyRow) keys(sort bool) []models.Key {
	partition, sorted := r.table.KeysOf(r.index)
	if sort {
		return sorted
	}
	return partition
}

// template returns the template of a key, or the key's name for the table itself.
func (r keyRow) template(k models.Key) string {
	if r.entity == nil {
		return k.Name
	}
	t, _ := r.entity.KeyTemplate(k.Name)
	return t.String()
}

func (r keyRow) templates(sort bool) string {
	return strings.Join(models.MapSlice(r.keys(sort), r.template), " + ")
}

func (r keyRow) keyText() string {
	var lines []string
	for _, k := range slices.Concat(r.keys(false), r.keys(true)) {
		if r.entity == nil {
			lines = append(lines, k.Name)
		} else {
			lines = append(lines, k.Name+" = "+r.template(k))
		}
	}
	return strings.Join(lines, "\n")
}

func readersCell(e *screen.Env, w keyRow) widget.Cell {
	switch {
	case w.entity == nil && len(w.unused) > 0 && !w.isRepeated:
		return widget.Cell{Text: "⚠ no pattern: " + strings.Join(models.MapSlice(w.unused,
			func(x *models.Index) string { return x.Name }), ", "), Role: widget.RoleWarn}
	case w.reader == nil:
		return widget.Cell{}
	}
	return widget.Cell{Text: readerTitle(e, w.reader)}
}

// readerTitle puts the sign first, so that it stays visible when the title is cut, and the ID last.
func readerTitle(e *screen.Env, p *accesspatterns.Pattern) string {
	sign, id, _ := strings.Cut(readerSign(e, p), " ")
	return strings.Join(strings.Fields(sign+" "+p.Title+" "+id), " ")
}

func readerSign(e *screen.Env, p *accesspatterns.Pattern) string {
	f := p.Defect()
	switch {
	case f == nil:
		return ""
	case e.Plain():
		return "⚠"
	}
	return "⚠ " + f.ID
}

func loadMap(_ context.Context, e *screen.Env, _ *listing.Reading[keyRow]) (listing.Rows[keyRow], error) {
	p := e.Session.Profile()
	if e.Plain() {
		count := present.Plural(len(p.Entities), "entity") // An entity can have several rows.
		return listing.Rows[keyRow]{Status: count, List: linesByReader(models.MapSlice(p.Entities, func(entity *models.Entity) keyRow {
			return &schemaLine{table: entity.Table, entity: entity, patterns: slices.DeleteFunc(slices.Clone(p.Patterns),
				func(q *accesspatterns.Pattern) bool { return !q.IsRead() || !slices.Contains(q.Returns, entity) })}
		}))}, nil
	}
	overlaps := map[*models.Entity][]string{}
	for _, o := range lint.Overlaps(p) {
		overlaps[o.A] = append(overlaps[o.A], o.B.Name)
		overlaps[o.B] = append(overlaps[o.B], o.A.Name)
	}
	var rows listing.Rows[keyRow]
	unused, indexes := 0, 0
	for _, t := range p.Tables {
		tableLine := &schemaLine{table: t}
		rows.List = append(rows.List, tableLine)
		tableLine.patterns = slices.DeleteFunc(readersOf(p, t, nil), func(q *accesspatterns.Pattern) bool { return len(q.Returns) > 0 })
		for _, x := range t.Indexes {
			if len(readersOf(p, t, x)) == 0 {
				tableLine.unused = append(tableLine.unused, x)
			}
		}
		indexes, unused = indexes+len(t.Indexes), unused+len(tableLine.unused)
		for _, entity := range p.EntitiesOf(t) {
			for _, x := range append([]*models.Index{nil}, t.Indexes...) {
				w := &schemaLine{table: t, entity: entity, index: x, overlaps: overlaps[entity]}
				if x != nil && slices.ContainsFunc(w.keys(false),
					func(k models.Key) bool { _, ok := entity.KeyTemplate(k.Name); return !ok }) {
					continue // The index does not contain the entity's items.
				}
				w.patterns = slices.DeleteFunc(readersOf(p, t, x),
					func(q *accesspatterns.Pattern) bool { return !slices.Contains(q.Returns, entity) })
				rows.List = append(rows.List, w)
			}
		}
	}
	rows.List = linesByReader(rows.List)
	rows.Status = fmt.Sprintf("%s · %s · %s", present.Plural(len(p.Tables), "table"), present.Plural(len(p.Entities), "entity"),
		present.Plural(len(p.Patterns), "pattern"))
	if unused > 0 {
		rows.Status += fmt.Sprintf(" · ⚠ %d of %d indexes without a pattern", unused, indexes)
	}
	return rows, nil
}

// linesByReader returns a line for each pattern, so that no title is cut. Only the first line contains the key.
func linesByReader(keys []keyRow) (lines []keyRow) {
	for _, w := range keys {
		lines = append(lines, w)
		for i, p := range w.patterns {
			if i > 0 {
				line := *w
				line.isRepeated, line.unused, w = true, nil, &line
				lines = append(lines, w)
			}
			w.reader = p
		}
	}
	return lines
}

// readersOf returns the patterns that can read a table by its key or by an index.
func readersOf(p *profiles.Profile, t *models.Table, x *models.Index) (list []*accesspatterns.Pattern) {
	for _, q := range p.Patterns {
		reads := q.Read.Index == x || slices.ContainsFunc(q.Variants, func(v accesspatterns.Variant) bool { return v.Read.Index == x })
		if q.Table == t && q.IsRead() && reads {
			list = append(list, q)
		}
	}
	return list
}

func keyFacts(e *screen.Env, w keyRow) []listing.Fact {
	var list []listing.Fact
	for _, p := range w.patterns {
		f := listing.Fact{Label: e.OperationWord(p.Read.Operation), Text: readerTitle(e, p)}
		if p.HasSeriousFinding() {
			f.Role = widget.RoleWarn
		}
		list = append(list, f)
	}
	if w.entity == nil {
		return append(list, tableFacts(w)...)
	}
	if len(w.patterns) == 0 {
		list = append(list, listing.Fact{Label: "read by", Text: "no pattern", Role: widget.RoleMuted})
	}
	if e.Plain() {
		return append(list, entityFacts(e, w)...)
	}
	for _, k := range slices.Concat(w.keys(false), w.keys(true)) {
		if t, ok := w.entity.KeyTemplate(k.Name); ok {
			list = append(list, listing.Fact{Label: k.Name, Text: t.String(), Role: widget.RoleKey})
		}
	}
	if writes := w.keyUpdates(e.Session.Profile()); len(writes) > 0 {
		list = append(list, listing.Fact{Label: "changed by", Text: strings.Join(writes, " · "), Role: widget.RoleWarn})
	}
	if w.index != nil {
		list = append(list, listing.Fact{Label: w.index.Name, Text: indexText(w.index)})
	}
	return append(list, entityFacts(e, w)...)
}

// keyUpdates returns the writes that change an attribute of an index key, and therefore must update the key.
func (r keyRow) keyUpdates(p *profiles.Profile) (titles []string) {
	if r.index == nil {
		return nil
	}
	keys := slices.Concat(r.keys(false), r.keys(true))
	for _, q := range p.Patterns {
		if q.DocumentedWrite == nil || q.Table != r.table || !slices.Contains(q.Returns, r.entity) {
			continue
		}
		if slices.ContainsFunc(keys, func(k models.Key) bool {
			t, _ := r.entity.KeyTemplate(k.Name)
			return slices.ContainsFunc(q.DocumentedWrite.Sets, func(a string) bool { return a == k.Name || t.Has(a) })
		}) {
			titles = append(titles, q.Title)
		}
	}
	return titles
}

func indexText(x *models.Index) string {
	text := present.Join(x.Label, "projection "+cmp.Or(string(x.Projection), "not documented"), " · ")
	if x.Optional {
		text += " · optional: some tables lack it"
	}
	return text
}

func tableFacts(w keyRow) []listing.Fact {
	t := w.table
	list := []listing.Fact{{Text: t.Description}}
	for _, x := range t.Indexes {
		f, line := listing.Fact{Label: x.Name, Text: indexText(x)}, schemaLine{table: t, index: x}
		f.Text += " · keys " + present.Join(line.templates(false), line.templates(true), ", ")
		if slices.Contains(w.unused, x) {
			f.Text, f.Role = f.Text+" · no pattern reads it, but each write to it costs WCU", widget.RoleWarn
		}
		list = append(list, f)
	}
	return append(list,
		listing.Fact{Label: "billing", Text: t.Billing}, listing.Fact{Label: "stream", Text: t.Stream.Word()},
		listing.Fact{Label: "expiry", Text: cmp.Or(t.TTL, "none: items are not deleted automatically")})
}

func entityFacts(e *screen.Env, w keyRow) []listing.Fact {
	p, entity := e.Session.Profile(), w.entity
	list := []listing.Fact{listing.Heading(present.EntityName(entity)), {Text: entity.Owner, Role: widget.RoleMuted}}
	for _, l := range entity.Lifecycles {
		list = append(list, listing.Fact{
			Label: attributeLabel(e, entity.Attribute(l.Attribute)),
			Text:  ansi.Strip(strings.Join(present.LifecycleEnds(e, l), "")),
		})
	}
	if len(w.overlaps) > 0 {
		text := "can have the same key as " + strings.Join(w.overlaps, ", ") + "; only their attributes distinguish them"
		list = append(list, listing.Fact{Label: "≈", Text: text, Role: widget.RoleWarn})
	}
	if entity.Collides {
		text := "two items can have the same key; the later one overwrites the earlier one"
		list = append(list, listing.Fact{Label: "!", Text: text, Role: widget.RoleWarn})
	}
	var changes []string
	for _, a := range p.ActionsOf(entity) {
		if a.Disabled == "" {
			changes = append(changes, a.Title)
		}
	}
	if len(changes) > 0 {
		list = append(list, listing.Fact{Label: "changes", Text: strings.Join(changes, " · ")})
	}
	list = append(list, listing.Heading("Attributes"))
	for _, a := range entity.Attributes {
		if e.Plain() && (a.Name == entity.Table.TTL || entity.Lifecycle(a.Path) != nil) {
			continue // The lifecycle is above, and DynamoDB's expiry is for developers.
		}
		list = append(list, listing.Fact{Label: attributeLabel(e, a), Text: attributeText(e, a)})
	}
	if found := p.FindingsOf(entity); len(found) > 0 {
		list = append(list, listing.Heading("Issues"))
		for _, f := range found {
			label := f.ID
			if e.Plain() {
				label, _, _ = present.DescribeFinding(f.Kind)
			}
			list = append(list, listing.Fact{Label: label, Text: present.FindingTitle(f), Role: present.FindingRole(f.Kind)})
		}
	}
	return list
}

func attributeLabel(e *screen.Env, a *models.Attribute) string {
	if e.Plain() {
		return cmp.Or(a.Title, a.Name)
	}
	return a.Name
}

func attributeText(e *screen.Env, a *models.Attribute) string {
	var parts []string
	if !e.Plain() {
		parts = append(parts, string(a.Type), string(a.Format), map[bool]string{true: "required"}[a.Required],
			map[bool]string{true: "in keys only"}[a.KeyOnly])
	}
	if len(a.Enum) > 0 {
		parts = append(parts, present.ShortList(models.MapSlice(a.Enum, a.Labeled), 6))
	}
	return joinDistinct(append(parts, a.Description)...)
}
