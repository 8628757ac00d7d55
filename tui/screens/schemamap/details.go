package schemamap

import (
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

const (
	labelWidth = 11  // of the labels in the details, in cells
	textWidest = 110 // maximum width of the details, in cells; longer lines are hard to read
)

func (s *mapScreen) detailTitle() string {
	b, e, c := s.grid.spot()
	switch {
	case s.grid.lit != nil:
		return s.grid.lit.Title
	case c == nil && e == nil:
		return b.table.Name
	case c == nil:
		return present.TitleOf(e)
	case e == nil:
		return strings.TrimPrefix(c.source(), "⌕ ") + " · " + c.key.Name
	}
	return e.Name + " · " + c.key.Name
}

func (s *mapScreen) detailLines(w int) []string {
	t := &teller{Facts: present.Facts{Styles: s.env.Styles, Label: labelWidth, Width: w}, s: s}
	b, e, c := s.grid.spot()
	switch {
	case s.grid.lit != nil:
		t.pattern(s.grid.lit)
	case c == nil && e == nil:
		t.table(b)
	case c == nil:
		t.entity(b, e)
	case e == nil && c.index != nil:
		t.index(b, c.index)
	case e == nil:
		t.key(b, *c)
	default:
		t.cell(e, *c)
	}
	return t.Lines
}

// A teller writes the details of a part of the schema.
type teller struct {
	present.Facts
	s *mapScreen
}

func (t *teller) findings(list []*accesspatterns.Finding) {
	label := "issues"
	for _, f := range list {
		t.Text(label, present.FindingRole(f.Kind), f.ID+" "+present.FindingTitle(f))
		label = ""
	}
}

func (t *teller) pattern(p *accesspatterns.Pattern) {
	if !p.IsRead() {
		t.Lines = append(t.Lines, present.WriteLine(t.Styles, p))
		t.rewrites(p)
	} else {
		t.Request(p)
	}
	t.Text("parameters", widget.RoleText, parameterText(p))
	label := "returns"
	if !p.IsRead() {
		label = "entity"
	}
	t.Text(label, widget.RoleKey, present.EntityNames(p.Returns))
	t.findings(p.Findings)
	if len(p.Findings) == 0 && p.IsRead() {
		t.Text("", widget.RoleGood, "✓ works as documented")
	}
	t.Text("behavior", widget.RoleText, p.Safe)
}

func (t *teller) rewrites(p *accesspatterns.Pattern) {
	b := t.s.plan.blocks[t.s.plan.blockOf(p.Table)]
	for _, e := range p.Returns {
		var names []string
		for _, c := range b.columns {
			if b.rewrites(p, e, c) && c.part != partExpiry {
				names = append(names, c.key.Name)
			}
		}
		if len(names) > 0 {
			t.Text(
				"keys", widget.RoleWarn,
				strings.Join(names, ", ")+" of "+e.Name+" must be updated too, or the index keeps the old value",
			)
		}
	}
}

func parameterText(p *accesspatterns.Pattern) string {
	names := make([]string, len(p.Params))
	for i, q := range p.Params {
		names[i] = q.Name
		if q.Default != "" {
			names[i] += " (" + q.Default + ")"
		} else if !q.Required {
			names[i] = "[" + q.Name + "]"
		}
	}
	return strings.Join(names, ", ")
}

func (t *teller) table(b *mapBlock) {
	t.Text("", widget.RoleText, b.table.Description)
	t.Text("indexes", widget.RoleText, indexNames(b.table))
	t.Text("billing", widget.RoleText, b.table.Billing)
	t.Text("stream", widget.RoleText, b.table.Stream.Word())
	ttl := b.table.TTL
	if ttl == "" {
		ttl = "none: items are not deleted automatically"
	}
	t.Text("expiry", widget.RoleText, ttl)
	if d := b.table.TTLDocumented; d != "" && d != b.table.TTL {
		t.Text("", widget.RoleWarn, "the document sets "+d+", so nothing expires")
	}
	t.Text("patterns", widget.RoleText, countPatterns(t.s.plan.readersOf(b, nil, nil)))
}

func indexNames(t *models.Table) string {
	names := make([]string, len(t.Indexes))
	for i, x := range t.Indexes {
		names[i] = x.Name
		if x.Label != "" {
			names[i] += " (" + x.Label + ")"
		}
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

func countPatterns(list []*accesspatterns.Pattern) string {
	reads := 0
	for _, p := range list {
		if p.IsRead() {
			reads++
		}
	}
	switch writes := len(list) - reads; {
	case len(list) == 0:
		return "none"
	case writes == 0:
		return present.Plural(reads, "read")
	case reads == 0:
		return present.Plural(writes, "write")
	default:
		return present.Plural(reads, "read") + ", " + present.Plural(writes, "write")
	}
}

func (t *teller) entity(b *mapBlock, e *models.Entity) {
	for _, l := range e.Lifecycles {
		t.Styled(l.Attribute, strings.Join(present.LifecycleEnds(t.Styles, l), ""))
	}
	for _, o := range t.s.plan.overlap[e] {
		t.Text("≈", widget.RoleWarn, "can have the same key as "+o.Name+"; only their attributes distinguish them")
	}
	if e.Collides {
		t.Text("!", widget.RoleWarn, "two items can have the same key; the later one overwrites the earlier one")
	}
	t.Text("example", widget.RoleText, present.Join(t.example(e, b.table.PartitionKey.Name), t.example(e, b.table.SortKey.Name), " / "))
	t.Text("patterns", widget.RoleText, countPatterns(t.s.plan.readersOf(b, e, nil)))
	t.Text("changes", widget.RoleText, actionTitles(t.s.plan.profile.ActionsOf(e)))
	t.Text("audit", widget.RoleText, t.auditText(e))
	t.Text("not in", widget.RoleMuted, absentFrom(b, e))
	t.Text("owner", widget.RoleMuted, e.Owner)
	t.findings(t.s.plan.profile.FindingsOf(e))
}

func actionTitles(list []*change.Action) string {
	titles := make([]string, 0, len(list))
	for _, a := range list {
		if a.Off == "" {
			titles = append(titles, a.Title)
		}
	}
	if len(titles) == 0 {
		return "none"
	}
	return strings.Join(titles, " · ")
}

func (t *teller) auditText(e *models.Entity) string {
	var where []string
	for _, tr := range t.s.plan.profile.TrailsOf(e) {
		text := tr.Title
		if tr.Entity != nil {
			text += " (" + tr.Entity.Name + " in " + tr.Entity.Table.Name + ")"
		}
		if !tr.Documented {
			text += ", format proposed"
		}
		where = append(where, text)
	}
	if len(where) == 0 {
		return "not in a table; changes made with ddbdesk are in the local journal"
	}
	return strings.Join(where, "; ")
}

func absentFrom(b *mapBlock, e *models.Entity) string {
	var names []string
	for _, x := range b.table.Indexes {
		if !slices.Contains(b.carriers(x), e) {
			names = append(names, x.Name)
		}
	}
	return strings.Join(names, ", ")
}

func (t *teller) index(b *mapBlock, x *models.Index) {
	t.Text("index", widget.RoleStrong, present.Join(x.Name, x.Label, " · "))
	name := func(k models.Key) string { return k.Name }
	keys := append([]string{strings.Join(models.NamesOf(x.PartitionKeys, name), " + ")}, models.NamesOf(x.SortKeys, name)...)
	t.Text("keys", widget.RoleText, strings.Join(keys, ", then "))
	projection := string(x.Projection)
	if x.Projection == models.ProjectionUnknown {
		projection = "not documented: the live table decides"
	}
	t.Text("projection", widget.RoleText, projection)
	if x.Optional {
		t.Text("", widget.RoleMuted, "optional: a table may not have it")
	}
	t.Text("entities", widget.RoleKey, present.EntityNames(b.carriers(x)))
	if t.s.plan.unused(b, x) {
		t.Text("⚠", widget.RoleWarn, "no pattern uses this index, but every write pays for it")
		return
	}
	t.Text("patterns", widget.RoleText, countPatterns(t.s.plan.readersOf(t.s.grid.spot()))+"; enter lists them")
}

func (t *teller) key(b *mapBlock, c mapColumn) {
	if c.part == partExpiry {
		t.Text("", widget.RoleText, "DynamoDB deletes an item within days after the time in "+c.key.Name+".")
		return
	}
	t.Text("", widget.RoleText, "the "+c.part.word()+" of "+b.table.Name)
	t.Text("type", widget.RoleText, string(c.key.Type))
	t.Text("patterns", widget.RoleText, countPatterns(t.s.plan.readersOf(t.s.grid.spot()))+"; enter lists them")
}

func (t *teller) cell(e *models.Entity, c mapColumn) {
	if columnText(e, c) == "" {
		why := present.TitleOf(e) + " has no " + c.key.Name
		switch {
		case c.part == partExpiry:
			why += ": DynamoDB does not delete it"
		case c.index != nil:
			why += ": it is not in " + c.index.Name
		}
		t.Text("", widget.RoleMuted, why)
		return
	}
	if c.part == partExpiry {
		t.expiry(e, c)
		return
	}
	tpl, _ := e.KeyTemplate(c.key.Name)
	of := ""
	if c.index != nil {
		of = " of " + c.index.Name
	}
	t.Styled("template", t.s.plan.paintTemplate(t.Styles, tpl, 0, max(t.Width-labelWidth, 1), widget.SurfacePlain))
	t.Text("part", widget.RoleText, c.part.word()+of)
	t.Text("example", widget.RoleText, t.example(e, c.key.Name))
	for _, name := range tpl.Placeholders() {
		t.Styled("", t.Styles.Paint(t.s.plan.role(name), "{"+name+"}")+t.Styles.Paint(widget.RoleMuted, "  "+placeText(e, name)))
	}
	if c.index == nil {
		for _, o := range t.s.plan.overlap[e] {
			t.Text("≈", widget.RoleWarn, "can have the same key as "+o.Name)
		}
	}
	if n := t.s.list.Len(); t.s.narrow && n > 0 {
		t.Text("patterns", widget.RoleText, countPatterns(t.s.plan.readersOf(t.s.grid.spot()))+"; enter lists them")
	} else if t.s.narrow {
		t.Text("patterns", widget.RoleMuted, "none")
	}
}

func (t *teller) example(e *models.Entity, key string) string {
	if t.s.samples == nil {
		t.s.samples = present.Samples(t.s.env)
	}
	text, ok := t.s.samples[e].Text(key)
	if !ok {
		return ""
	}
	template, _ := e.KeyTemplate(key)
	return t.s.env.Session.Masker().Key(e, template, text)
}

func (t *teller) expiry(e *models.Entity, c mapColumn) {
	a := e.Attribute(c.key.Name)
	text := "DynamoDB deletes it within days after the time in " + c.key.Name
	if a.Equals != "" {
		text += ", which equals " + a.Equals
	}
	t.Text("", widget.RoleText, text+". Until then, reads still return the item.")
	t.Text("", widget.RoleMuted, a.Description)
}

func placeText(e *models.Entity, name string) string {
	a := e.Attribute(name)
	if a == nil {
		return ""
	}
	text := a.Description
	if len(a.Enum) > 0 {
		text = present.Join(text, present.ShortList(models.NamesOf(a.Enum, a.Labeled), 6), " · ")
	} else if a.Format != models.NoFormat {
		text = present.Join(text, string(a.Format), " · ")
	}
	if a.Prefix != "" {
		text = present.Join(text, "begins with "+a.Prefix, " · ")
	}
	if a.KeyOnly {
		text = present.Join(text, "in keys only", " · ")
	}
	return text
}
