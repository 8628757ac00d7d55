// This file tells about what is chosen on the schema map: a pattern, an entity,
// a key, an index or a table.

package screens

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// tell makes the details of what is chosen, if that is something else.
func (s *mapScreen) tell() {
	if s.focus == mapText && s.told != nil {
		s.retell()
		return
	}
	var about any = s.at
	if s.lit != nil {
		about = s.lit
	}
	if about != s.told {
		s.details.ScrollTo(0)
	}
	s.told = about
	s.retell()
}

func (s *mapScreen) retell() {
	iw, _ := widget.PanelInner(s.lay.details.w, s.lay.details.h)
	w := max(min(iw-4, 110), 10)
	t := &teller{st: s.env.Styles, w: w}
	b, e, c := s.spot()
	switch {
	case s.lit != nil:
		s.tellPattern(t, s.lit)
	case c == nil && e == nil:
		s.tellTable(t, b)
	case c == nil:
		s.tellEntity(t, b, e)
	case e == nil && c.index != nil:
		s.tellIndex(t, b, c.index)
	case e == nil:
		s.tellKey(t, b, *c)
	default:
		s.tellCell(t, b, e, *c)
	}
	s.details.SetLines(t.lines)
}

func (s *mapScreen) detailTitle() string {
	b, e, c := s.spot()
	switch {
	case s.lit != nil:
		return s.lit.Title
	case c == nil && e == nil:
		return b.table.Name
	case c == nil:
		return titleOf(e)
	case e == nil:
		return strings.TrimPrefix(c.way(), "⌕ ") + " · " + c.key.Name
	}
	return e.Name + " · " + c.key.Name
}

// titleOf names an entity for people.
func titleOf(e *models.Entity) string {
	if e.Title != "" && e.Title != e.Name {
		return e.Title + " (" + e.Name + ")"
	}
	return e.Name
}

// A teller writes lines with labels.
type teller struct {
	st    *widget.Styles
	w     int
	lines []string
}

const tellerLabel = 11

func (t *teller) label(text string) string {
	return t.st.PaintCell(widget.RoleMuted, widget.SurfacePlain, text, tellerLabel, widget.AlignLeft)
}

// text wraps plain text beside a label; nothing is written when it is empty.
func (t *teller) text(label string, role widget.Role, text string) {
	if text == "" {
		return
	}
	for i, line := range widget.Wrap(t.st, role, text, max(t.w-tellerLabel, 1)) {
		if i > 0 {
			label = ""
		}
		t.lines = append(t.lines, t.label(label)+line)
	}
}

// styled puts a styled line beside a label.
func (t *teller) styled(label, line string) { t.lines = append(t.lines, t.label(label)+line) }

// read spells a request, in a line for each key where one line is too short.
func (t *teller) read(label string, r accesspatterns.Read) {
	if line := readLine(t.st, r); ansi.StringWidth(line) <= t.w-tellerLabel || len(r.Key) == 0 {
		t.styled(label, line)
		return
	}
	bare := r
	bare.Key = nil
	t.styled(label, readLine(t.st, bare))
	for _, k := range r.Key {
		one := accesspatterns.Read{Key: []accesspatterns.KeyCondition{k}}
		t.styled("", readLine(t.st, one))
	}
}

func (s *mapScreen) tellPattern(t *teller, p *accesspatterns.Pattern) {
	if !p.IsRead() {
		t.lines = append(t.lines, writeLine(t.st, p))
		s.tellRewrites(t, p)
	} else {
		t.read("asks", p.Read)
		for _, v := range p.Variants {
			t.text("or", widget.RoleMuted, "when "+strings.Join(v.When, " and ")+" is given:")
			t.read("", v.Read)
		}
	}
	t.text("given", widget.RoleText, givenText(p))
	label := "finds"
	if !p.IsRead() {
		label = "of"
	}
	t.text(label, widget.RoleKey, entityNames(p.Returns))
	t.text("order", widget.RoleText, p.OrderNote)
	t.text("keeps", widget.RoleText, filterTexts(p.Read.Filter))
	t.text("from", widget.RoleText, fanOutText(p.Read.FanOut))
	for i, f := range p.Findings {
		label := ""
		if i == 0 {
			label = "findings"
		}
		t.text(label, findingRole(f.Kind), f.ID+" "+FindingTitle(f))
	}
	if len(p.Findings) == 0 && p.IsRead() {
		t.text("", widget.RoleGood, "✓ works as the document has it")
	}
	t.text("ddbdesk", widget.RoleText, p.Safe)
}

// tellRewrites names the keys that a write has to make anew.
func (s *mapScreen) tellRewrites(t *teller, p *accesspatterns.Pattern) {
	b := s.plan.blocks[s.plan.blockOf(p.Table)]
	for _, e := range p.Returns {
		var names []string
		for _, c := range b.columns {
			if b.rewrites(p, e, c) && c.part != partExpiry {
				names = append(names, c.key.Name)
			}
		}
		if len(names) > 0 {
			t.text("keys", widget.RoleWarn, strings.Join(names, ", ")+" of "+e.Name+" must be written anew with it, or the index keeps the old place")
		}
	}
}

// givenText names the parameters, those that may be left out in brackets.
func givenText(p *accesspatterns.Pattern) string {
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

// filterTexts says what is dropped after reading.
func filterTexts(list []accesspatterns.FilterCondition) string {
	texts := make([]string, len(list))
	for i, f := range list {
		texts[i] = filterText(f)
	}
	if len(texts) == 0 {
		return ""
	}
	return "after reading, only where " + strings.Join(texts, " and ")
}

func filterText(f accesspatterns.FilterCondition) string {
	switch {
	case !f.Equals.IsZero():
		return f.Attribute + " = " + f.Equals.String()
	case !f.Begins.IsZero():
		return f.Attribute + " begins with " + f.Begins.String()
	case len(f.In) > 0:
		return f.Attribute + " is one of " + strings.Join(f.In, ", ")
	case f.Exists != nil && *f.Exists:
		return f.Attribute + " is there"
	case f.Exists != nil:
		return f.Attribute + " is not there"
	case f.From.IsZero():
		return f.Attribute + " ≤ " + f.To.String()
	case f.To.IsZero():
		return f.Attribute + " ≥ " + f.From.String()
	}
	return f.Attribute + " from " + f.From.String() + " to " + f.To.String()
}

func fanOutText(f *accesspatterns.FanOut) string {
	switch {
	case f == nil:
		return ""
	case len(f.Values) > 0:
		return "one partition for each " + f.Placeholder + ": " + shortList(f.Values, 6)
	}
	return "one partition for each UTC day from " + f.From.String() + " to " + f.To.String() + ", " + plural(f.Max, "day") + " at most"
}

func (s *mapScreen) tellTable(t *teller, b *mapBlock) {
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
	t.text("patterns", widget.RoleText, countPatterns(s.plan.readersOf(b, nil, nil)))
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
		return plural(reads, "read")
	case reads == 0:
		return plural(writes, "write")
	default:
		return plural(reads, "read") + ", " + plural(writes, "write")
	}
}

func (s *mapScreen) tellEntity(t *teller, b *mapBlock, e *models.Entity) {
	p := s.plan.profile
	for _, l := range e.Lifecycles {
		t.styled(l.Attribute, strings.Join(lifecycleEnds(t.st, l), ""))
	}
	for _, o := range s.plan.overlap[e] {
		t.text("≈", widget.RoleWarn, "an item of "+o.Name+" can have the same key: the two are told apart by their attributes alone")
	}
	if e.Collides {
		t.text("!", widget.RoleWarn, "two of them can have the same key, and the later one then overwrites the earlier")
	}
	t.text("patterns", widget.RoleText, countPatterns(s.plan.readersOf(b, e, nil)))
	t.text("changes", widget.RoleText, actionTitles(p.ActionsOf(e)))
	t.text("audit", widget.RoleText, s.auditText(e))
	t.text("not in", widget.RoleMuted, absentFrom(b, e))
	t.text("owner", widget.RoleMuted, e.Owner)
	for i, f := range p.FindingsOf(e) {
		label := ""
		if i == 0 {
			label = "findings"
		}
		t.text(label, findingRole(f.Kind), f.ID+" "+FindingTitle(f))
	}
}

func actionTitles(list []*accesspatterns.Action) string {
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
func (s *mapScreen) auditText(e *models.Entity) string {
	var where []string
	for _, tr := range s.plan.profile.TrailsOf(e) {
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

func (s *mapScreen) tellIndex(t *teller, b *mapBlock, x *models.Index) {
	t.text("index", widget.RoleStrong, join(x.Name, x.Label, " · "))
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
	t.text("of", widget.RoleKey, entityNames(b.carriers(x)))
	if s.plan.unread(b, x) {
		t.text("⚠", widget.RoleWarn, "no pattern asks this index: it is paid for with every write and answers nothing")
		return
	}
	t.text("patterns", widget.RoleText, countPatterns(s.readers())+"; enter goes to them")
}

// tellKey is about a key attribute of the table itself.
func (s *mapScreen) tellKey(t *teller, b *mapBlock, c mapColumn) {
	if c.part == partExpiry {
		t.text("", widget.RoleText, "DynamoDB deletes an item some time after the moment in "+c.key.Name+", which may take days.")
		return
	}
	t.text("", widget.RoleText, "the "+c.part.word()+" of "+b.table.Name)
	t.text("type", widget.RoleText, string(c.key.Type))
	t.text("patterns", widget.RoleText, countPatterns(s.readers())+"; enter goes to them")
}

func (s *mapScreen) tellCell(t *teller, b *mapBlock, e *models.Entity, c mapColumn) {
	if columnText(e, c) == "" {
		why := titleOf(e) + " has no " + c.key.Name
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
		s.tellExpiry(t, e, c)
		return
	}
	tpl, _ := e.KeyTemplate(c.key.Name)
	of := ""
	if c.index != nil {
		of = " of " + c.index.Name
	}
	t.styled("template", s.paintTemplateCell(tpl, 0, max(t.w-tellerLabel, 1), widget.SurfacePlain))
	t.text("is the", widget.RoleText, c.part.word()+of)
	for _, name := range tpl.Placeholders() {
		t.styled("", t.st.Paint(s.plan.role(name), "{"+name+"}")+t.st.Paint(widget.RoleMuted, "  "+placeText(e, name)))
	}
	if c.index == nil {
		for _, o := range s.plan.overlap[e] {
			t.text("≈", widget.RoleWarn, "an item of "+o.Name+" can have the same key")
		}
	}
	if n := s.list.Len(); s.narrow && n > 0 {
		t.text("patterns", widget.RoleText, countPatterns(s.readers())+"; enter goes to them")
	} else if s.narrow {
		t.text("patterns", widget.RoleMuted, "none reads it")
	}
}

func (s *mapScreen) tellExpiry(t *teller, e *models.Entity, c mapColumn) {
	a := e.Attribute(c.key.Name)
	text := "DynamoDB deletes " + titleOf(e) + " after the moment in " + c.key.Name
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
		text = join(text, shortList(a.Enum, 6), " · ")
	} else if a.Format != models.NoFormat {
		text = join(text, string(a.Format), " · ")
	}
	if a.Prefix != "" {
		text = join(text, "begins with "+a.Prefix, " · ")
	}
	if a.KeyOnly {
		text = join(text, "stands in the key alone", " · ")
	}
	return text
}
