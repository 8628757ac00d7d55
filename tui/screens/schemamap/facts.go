package schemamap

import (
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

func (d *mapDetails) tellTable(t *teller, b *mapBlock) {
	t.text("", widget.RoleText, b.table.Description)
	t.text("indexes", widget.RoleText, indexNames(b.table))
	t.text("billing", widget.RoleText, b.table.Billing)
	ttl := b.table.TTL
	if ttl == "" {
		ttl = "none: items stay until somebody deletes them"
	}
	t.text("expiry", widget.RoleText, ttl)
	if d := b.table.TTLDocumented; d != "" && d != b.table.TTL {
		t.text("", widget.RoleWarn, "the document's settings say "+d+": set up like that, nothing expires")
	}
	t.text("patterns", widget.RoleText, countPatterns(d.s.plan.readersOf(b, nil, nil)))
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

// countPatterns counts reads and writes.
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

func (d *mapDetails) tellEntity(t *teller, b *mapBlock, e *models.Entity) {
	p := d.s.plan.profile
	for _, l := range e.Lifecycles {
		t.styled(l.Attribute, strings.Join(present.LifecycleEnds(t.st, l), ""))
	}
	for _, o := range d.s.plan.overlap[e] {
		t.text("≈", widget.RoleWarn, "an item of "+o.Name+" can have the same key: the two are told apart by their attributes alone")
	}
	if e.Collides {
		t.text("!", widget.RoleWarn, "two of them can have the same key, and the later one then overwrites the earlier")
	}
	t.text("made up", widget.RoleText, present.Join(d.example(e, b.table.PartitionKey.Name), d.example(e, b.table.SortKey.Name), " / "))
	t.text("patterns", widget.RoleText, countPatterns(d.s.plan.readersOf(b, e, nil)))
	t.text("changes", widget.RoleText, actionTitles(p.ActionsOf(e)))
	t.text("audit", widget.RoleText, d.auditText(e))
	t.text("not in", widget.RoleMuted, absentFrom(b, e))
	t.text("owner", widget.RoleMuted, e.Owner)
	for i, f := range p.FindingsOf(e) {
		label := ""
		if i == 0 {
			label = "findings"
		}
		t.text(label, present.FindingRole(f.Kind), f.ID+" "+present.FindingTitle(f))
	}
}

func actionTitles(list []*change.Action) string {
	titles := make([]string, 0, len(list))
	for _, a := range list {
		if a.Off == "" {
			titles = append(titles, a.Title)
		}
	}
	if len(titles) == 0 {
		return "none from here"
	}
	return strings.Join(titles, " · ")
}

// auditText says where it stands what happened to items of an entity.
func (d *mapDetails) auditText(e *models.Entity) string {
	var where []string
	for _, tr := range d.s.plan.profile.TrailsOf(e) {
		text := tr.Title
		if tr.Entity != nil {
			text += " (" + tr.Entity.Name + " in " + tr.Entity.Table.Name + ")"
		}
		if !tr.Documented {
			text += ", its shape is proposed"
		}
		where = append(where, text)
	}
	if len(where) == 0 {
		return "nothing in the tables; changes from here stand in the local journal"
	}
	return strings.Join(where, "; ")
}

// absentFrom names the indexes that an entity is not in.
func absentFrom(b *mapBlock, e *models.Entity) string {
	var names []string
	for _, x := range b.table.Indexes {
		if _, ok := e.KeyTemplate(x.PartitionKey.Name); !ok {
			names = append(names, x.Name)
		}
	}
	return strings.Join(names, ", ")
}

func (d *mapDetails) tellIndex(t *teller, b *mapBlock, x *models.Index) {
	t.text("index", widget.RoleStrong, present.Join(x.Name, x.Label, " · "))
	keys := x.PartitionKey.Name
	if x.SortKey.Name != "" {
		keys += ", then " + x.SortKey.Name
	}
	t.text("keys", widget.RoleText, keys)
	projection := string(x.Projection)
	if x.Projection == models.ProjectionUnknown {
		projection = "not documented: the live table is asked"
	}
	t.text("holds", widget.RoleText, projection)
	if x.Optional {
		t.text("", widget.RoleMuted, "optional: a live table may lack it")
	}
	t.text("of", widget.RoleKey, present.EntityNames(b.carriers(x)))
	if d.s.plan.unread(b, x) {
		t.text("⚠", widget.RoleWarn, "no pattern asks this index: it is paid for with every write and answers nothing")
		return
	}
	t.text("patterns", widget.RoleText, countPatterns(d.s.patterns.readers())+"; enter goes to them")
}

// tellKey is about a key attribute of the table itself.
func (d *mapDetails) tellKey(t *teller, b *mapBlock, c mapColumn) {
	if c.part == partExpiry {
		t.text("", widget.RoleText, "DynamoDB deletes an item some time after the moment in "+c.key.Name+", which may take days.")
		return
	}
	t.text("", widget.RoleText, "the "+c.part.word()+" of "+b.table.Name)
	t.text("type", widget.RoleText, string(c.key.Type))
	t.text("patterns", widget.RoleText, countPatterns(d.s.patterns.readers())+"; enter goes to them")
}

func (d *mapDetails) tellCell(t *teller, e *models.Entity, c mapColumn) {
	if columnText(e, c) == "" {
		why := present.TitleOf(e) + " has no " + c.key.Name
		switch {
		case c.part == partExpiry:
			why += ": DynamoDB never deletes it by itself"
		case c.index != nil:
			why += ": it is not in " + c.index.Name + ", and no pattern finds it there"
		}
		t.text("", widget.RoleMuted, why)
		return
	}
	if c.part == partExpiry {
		d.tellExpiry(t, e, c)
		return
	}
	tpl, _ := e.KeyTemplate(c.key.Name)
	of := ""
	if c.index != nil {
		of = " of " + c.index.Name
	}
	t.styled("template", d.s.drawing.paintTemplateCell(tpl, 0, max(t.w-tellerLabel, 1), widget.SurfacePlain))
	t.text("is the", widget.RoleText, c.part.word()+of)
	t.text("made up", widget.RoleText, d.example(e, c.key.Name))
	for _, name := range tpl.Placeholders() {
		t.styled("", t.st.Paint(d.s.plan.Role(name), "{"+name+"}")+t.st.Paint(widget.RoleMuted, "  "+placeText(e, name)))
	}
	if c.index == nil {
		for _, o := range d.s.plan.overlap[e] {
			t.text("≈", widget.RoleWarn, "an item of "+o.Name+" can have the same key")
		}
	}
	if n := d.s.list.Len(); d.s.patterns.narrow && n > 0 {
		t.text("patterns", widget.RoleText, countPatterns(d.s.patterns.readers())+"; enter goes to them")
	} else if d.s.patterns.narrow {
		t.text("patterns", widget.RoleMuted, "none reads it")
	}
}

// example is a key that an item of the entity could have. It is made up, and
// hidden where a real one would be.
func (d *mapDetails) example(e *models.Entity, key string) string {
	if d.samples == nil {
		d.samples = map[*models.Entity]models.Item{}
		list, err := sample.Items(d.s.plan.profile, sample.Options{Items: 1, Seed: 1, At: d.s.env.Now()})
		if err != nil {
			return "" // An example is no reason to fail.
		}
		for _, one := range list {
			d.samples[one.Entity] = one.Item
		}
	}
	text, ok := d.samples[e].Text(key)
	if !ok {
		return ""
	}
	t, _ := e.KeyTemplate(key)
	return d.s.env.Session.Masker().Key(e, t, text)
}

func (d *mapDetails) tellExpiry(t *teller, e *models.Entity, c mapColumn) {
	a := e.Attribute(c.key.Name)
	text := "DynamoDB deletes " + present.TitleOf(e) + " after the moment in " + c.key.Name
	if a.Equals != "" {
		text += ", which is that of " + a.Equals
	}
	t.text("", widget.RoleText, text+". It may take days, and until then the item is still read.")
	t.text("", widget.RoleMuted, a.Description)
}

// placeText says what a placeholder stands for.
func placeText(e *models.Entity, name string) string {
	a := e.Attribute(name)
	if a == nil {
		return ""
	}
	text := a.Description
	if len(a.Enum) > 0 {
		text = present.Join(text, present.ShortList(a.Enum, 6), " · ")
	} else if a.Format != models.NoFormat {
		text = present.Join(text, string(a.Format), " · ")
	}
	if a.Prefix != "" {
		text = present.Join(text, "begins with "+a.Prefix, " · ")
	}
	if a.KeyOnly {
		text = present.Join(text, "stands in the key alone", " · ")
	}
	return text
}
