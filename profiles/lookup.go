package profiles

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/accesspatterns/raw"
	"github.com/ddbdesk/ddbdesk/models"
)

func (p *Profile) localID(id string) string { return strings.TrimPrefix(id, p.Name+".") }

// Table returns the table with this ID or real name, or nil.
func (p *Profile) Table(name string) *models.Table {
	return models.First(p.Tables, func(t *models.Table) bool { return t.ID == name || t.Name == name })
}

// TableSource returns the name of a table as written in the file, with its variables. Use it to find the name in the
// file for an edit.
func (p *Profile) TableSource(t *models.Table) string {
	d, _ := p.decl.Tables.Get(t.ID)
	return cmp.Or(d.Name, t.ID)
}

// IsSchemaless reports whether p was derived from a table without a schema.
func (p *Profile) IsSchemaless() bool {
	return slices.ContainsFunc(p.Entities, func(e *models.Entity) bool { return e.ByName != nil })
}

// Entity returns the entity with this name, or nil.
func (p *Profile) Entity(name string) *models.Entity {
	return models.First(p.Entities, func(e *models.Entity) bool { return e.Name == name })
}

// Pattern returns the pattern or listing with this ID, or nil. The ID can start with the schema's name.
func (p *Profile) Pattern(id string) *accesspatterns.Pattern {
	id = p.localID(id)
	has := func(q *accesspatterns.Pattern) bool { return q.ID == id }
	return cmp.Or(models.First(p.Patterns, has), models.First(p.listings, has))
}

// CustomPattern returns the pattern for a custom query, with the values of its parameters. ddbdesk, not DynamoDB,
// compares values that may be masked. Set reveal if the user may see them.
func (p *Profile) CustomPattern(
	t *models.Table, x *models.Index, o accesspatterns.Operation, q accesspatterns.CustomQuery, reveal bool,
) (*accesspatterns.Pattern, map[string]string, error) {
	return raw.Query{
		Masker: models.NewMasker(p.Entities, reveal), Schema: p.Name, Table: t, Entities: p.EntitiesOf(t), Index: x,
		Operation: o, CustomQuery: q,
	}.Pattern()
}

// Action returns the action with this ID or alias, or nil. The ID can start with the schema's name, or identify a
// table's raw change; see change.Source. An ID takes precedence over an alias of another action.
func (p *Profile) Action(id string) *change.Action {
	id = p.localID(id)
	if a := models.First(p.Actions, func(a *change.Action) bool { return a.ID == id }); a != nil {
		return a
	}
	if a := models.First(p.Actions, func(a *change.Action) bool { return slices.Contains(a.Aliases, id) }); a != nil {
		return a
	}
	return change.Source{Profile: p.Name, Tables: p.Tables, Entities: p.Entities, Actions: p.Actions, Repair: p.RepairOf}.Raw(id)
}

// Queue returns the queue with this ID, or nil. The ID can start with the schema's name.
func (p *Profile) Queue(id string) *change.Queue {
	id = p.localID(id)
	return models.First(p.Queues, func(q *change.Queue) bool { return q.ID == id })
}

// PatternIDs returns the IDs of the patterns without the schema's name.
func (p *Profile) PatternIDs() []string {
	return models.MapSlice(p.Patterns, func(q *accesspatterns.Pattern) string { return q.ID })
}

// ActionIDs returns the IDs of the actions without the schema's name.
func (p *Profile) ActionIDs() []string {
	return models.MapSlice(p.Actions, func(a *change.Action) string { return a.ID })
}

// EntitiesOf returns the entities of the table. It compares tables by identity, so the table must be from this schema.
// If two entities match an item equally well, models.Recognize selects the first one.
func (p *Profile) EntitiesOf(t *models.Table) []*models.Entity {
	return models.Filter(p.Entities, func(e *models.Entity) bool { return e.Table == t })
}

// FindingsOf returns the findings that concern the entity.
func (p *Profile) FindingsOf(e *models.Entity) []*accesspatterns.Finding {
	return models.Filter(p.Findings, func(f *accesspatterns.Finding) bool { return slices.Contains(f.Entities, e.Name) })
}

// ActionsOf returns the actions that change items of the entity. It omits repairs that the schema does not declare;
// see RepairOf.
func (p *Profile) ActionsOf(e *models.Entity) []*change.Action {
	return models.Filter(p.Actions, func(a *change.Action) bool { return a.Entity == e })
}

// TrailsOf returns the audit trails that cover the entity. A trail covers the entities of its About.
func (p *Profile) TrailsOf(e *models.Entity) []*change.Trail {
	return models.Filter(p.Trails, func(t *change.Trail) bool {
		_, ok := t.Subject(e)
		return ok
	})
}

// RepairOf returns the action that recomputes the derived attributes of an item: the declared one or the default one.
// It returns nil if another service owns the entity.
func (p *Profile) RepairOf(e *models.Entity) *change.Action {
	return models.First(slices.Concat(p.Actions, p.repairs), func(a *change.Action) bool {
		return a.Entity == e && a.Kind == change.KindRepair
	})
}

// AuditDisabled reports whether the schema declares that the action writes no audit entry. It returns false for an
// action without a trail, although such an action does not write an entry either.
func (p *Profile) AuditDisabled(a *change.Action) bool {
	d, _ := p.decl.Actions.Get(a.ID)
	return d.Audit.text == noAudit
}

// Position returns the file, line and column of the part of the schema at path, or of its closest enclosing part.
// Lines and columns start at 1. All results are zero if there is no such part.
func (p *Profile) Position(path string) (file string, line, column int) {
	file, line, column = p.src.At(path)
	return cmp.Or(file, p.File), line, column
}

// Listing returns the pattern that lists all items of an entity: a scan of its table, with the entity's states as
// parameters. Patterns omits it, because the document does not contain it.
func (p *Profile) Listing(e *models.Entity) *accesspatterns.Pattern {
	return models.First(p.listings, func(q *accesspatterns.Pattern) bool { return q.Returns[0] == e })
}

// Listings returns the listings that provide parameter values for patterns whose values no other pattern can list.
func (p *Profile) Listings() []*accesspatterns.Pattern { return p.neededListings }

// StateQuery returns the pattern and the arguments that list the items of an entity in a state of a lifecycle: a
// documented query that needs only the state, or otherwise the entity's listing.
func (p *Profile) StateQuery(l *models.Lifecycle, state string) (*accesspatterns.Pattern, map[string]string) {
	for _, q := range p.Patterns {
		if q.Read.Operation != accesspatterns.Query || q.Read.FanOut != nil || q.StopAfter > 0 || q.ExpectOne ||
			len(q.Returns) != 1 || q.Returns[0] != l.Entity {
			continue
		}
		if args := stateArgs(q, l, state); args != nil {
			return q, args
		}
	}
	return p.Listing(l.Entity), map[string]string{l.Attribute: state}
}

// listingStart is the earliest time of a listing, because some patterns read only recent items by default.
const listingStart = "2000-01-01"

// stateArgs returns the arguments for items of any age in a state, or nil if the query needs more than the state.
func stateArgs(q *accesspatterns.Pattern, l *models.Lifecycle, state string) map[string]string {
	args := map[string]string{}
	found := false
	for _, param := range q.Params {
		isStart := func(c accesspatterns.KeyCondition) bool { return c.From.Has(param.Name) }
		switch {
		case param.Entity == l.Entity && param.Attribute != nil && param.Attribute.Path == l.Attribute:
			args[param.Name], found = state, true
		case param.Default == "" && len(param.DefaultWhen) == 0 && !param.Required:
		case param.Type == accesspatterns.Timestamp && slices.ContainsFunc(q.Read.Key, isStart):
			args[param.Name] = listingStart
		default:
			return nil
		}
	}
	if !found {
		return nil
	}
	return args
}

func (b *builder) listings() {
	shapes := b.shapes()
	for _, e := range b.p.Entities {
		if e.Table != nil {
			b.p.listings = append(b.p.listings, b.listing(e, shapes[e.Table]))
		}
	}
	r := reachability{
		listed: map[*models.Entity]bool{}, missingParams: map[*accesspatterns.Pattern]int{},
		waiting: map[string][]*accesspatterns.Pattern{},
	}
	r.patterns(b.p.Patterns)
	for _, q := range b.p.listings {
		if !r.listed[q.Returns[0]] {
			b.p.neededListings = append(b.p.neededListings, q)
			r.list(q.Returns)
		}
	}
}

func (b *builder) listing(e *models.Entity, shapes []keyShape) *accesspatterns.Pattern {
	title := cmp.Or(e.Title, e.Name)
	q := &accesspatterns.Pattern{
		ID: b.listingID(e), Profile: b.p.Name, Title: "All " + title + " items", Group: title, Table: e.Table,
		Returns: []*models.Entity{e}, OrderNote: "in no particular order",
		Safe: "Scans the whole table, because no documented pattern lists all items of this entity.",
		Read: accesspatterns.Read{Operation: accesspatterns.Scan},
	}
	returnsEntity := func(q *accesspatterns.Pattern) bool { return len(q.Returns) == 1 && q.Returns[0] == e }
	if group := models.First(b.p.Patterns, returnsEntity); group != nil {
		q.Group = group.Group
	}
	addFilter := func(path string, t models.Type, o accesspatterns.Operator, values ...string) {
		f := accesspatterns.FilterCondition{Attribute: path, Type: t, Compare: o}
		for _, v := range values {
			tpl, err := models.ParseTemplate(v, nil)
			if err != nil {
				return // ddbdesk recognizes rows of other entities when it shows them.
			}
			f.Values = append(f.Values, tpl)
		}
		q.Read.Filter = append(q.Read.Filter, f)
	}
	for _, k := range e.Table.PrimaryKeys() {
		t, _ := e.KeyTemplate(k.Name)
		if text, whole := t.Literal(); whole {
			addFilter(k.Name, k.Type, accesspatterns.Equal, text)
		} else if text := t.LiteralPrefix(); text != "" {
			addFilter(k.Name, k.Type, accesspatterns.BeginsWith, text)
		}
	}
	shape := shapeOf(e)
	for _, o := range shapes {
		if i, literal, own := distinguishingText(shape, o); literal != "" {
			compare := accesspatterns.NotContains
			if own {
				compare = accesspatterns.Contains
			}
			addFilter(e.Table.PrimaryKeys()[i].Name, models.TypeS, compare, literal)
		}
	}
	for _, same := range e.Is {
		addFilter(same.Path, typeOf(e, same.Path), accesspatterns.In, same.Values...)
	}
	for _, path := range e.Has {
		addFilter(path, typeOf(e, path), accesspatterns.Exists)
	}
	for _, path := range e.Lacks {
		addFilter(path, typeOf(e, path), accesspatterns.NotExists)
	}
	for _, l := range e.Lifecycles {
		required := false
		q.Params = append(q.Params, b.param("", l.Attribute, paramDecl{Required: &required}, q.Returns))
		addFilter(l.Attribute, typeOf(e, l.Attribute), accesspatterns.Equal, "{"+l.Attribute+"}")
	}
	return q
}

// A keyShape describes the primary key of one or several entities of a table. Each field has one element for each key
// attribute.
type keyShape struct {
	templates []models.Template
	starts    []string // text that begins each value
	whole     []bool   // the text is the entire value
}

func shapeOf(e *models.Entity) (s keyShape) {
	for _, k := range e.Table.PrimaryKeys() {
		t, _ := e.KeyTemplate(k.Name)
		start, whole := t.Literal()
		if !whole {
			start = t.LiteralPrefix()
		}
		s.templates, s.starts, s.whole = append(s.templates, t), append(s.starts, start), append(s.whole, whole)
	}
	return s
}

// shapes returns each shape once, so that a schema with thousands of equal entities loads in linear time.
func (b *builder) shapes() map[*models.Table][]keyShape {
	out, seen := map[*models.Table][]keyShape{}, map[string]bool{}
	for _, e := range b.p.Entities {
		if e.Table == nil {
			continue
		}
		s := shapeOf(e)
		id := e.Table.ID
		for _, t := range s.templates {
			id += "\x00" + t.String()
		}
		if !seen[id] {
			seen[id] = true
			out[e.Table] = append(out[e.Table], s)
		}
	}
	return out
}

// distinguishingText returns the text in the keys of s, or of o if own is false, that the other keys lack: #MSG# in
// THREAD#{thread}#MSG#{message} beside THREAD#{thread}. It returns "" if no text is needed or possible. i is
// the index of the key that contains the text.
func distinguishingText(s, o keyShape) (i int, literal string, own bool) {
	for i, start := range o.starts {
		if s.whole[i] && s.starts[i] != start || !strings.HasPrefix(start, s.templates[i].LiteralPrefix()) {
			return 0, "", false
		}
	}
	for i := range s.templates {
		if text := innerLiteral(s.templates[i], o.templates[i]); text != "" {
			return i, text, true
		}
		if text := innerLiteral(o.templates[i], s.templates[i]); text != "" {
			return i, text, false
		}
	}
	return 0, "", false
}

func innerLiteral(own, other models.Template) string {
	for i, s := range own.Segments() {
		isInnerText := i > 0 && s.Name == "" && !s.Optional && strings.ContainsFunc(s.Literal, unicode.IsLetter)
		if isInnerText && !strings.Contains(other.String(), s.Literal) {
			return s.Literal
		}
	}
	return ""
}

func typeOf(e *models.Entity, path string) models.Type {
	if a := e.Attribute(path); a != nil {
		return a.Type
	}
	return models.TypeS
}

// listingID returns an ID, such as scan-card-request, that is not the ID of a documented pattern.
func (b *builder) listingID(e *models.Entity) string {
	var id strings.Builder
	for i, r := range e.Name {
		if unicode.IsUpper(r) && i > 0 && !unicode.IsUpper(rune(e.Name[i-1])) {
			id.WriteByte('-')
		}
		id.WriteRune(unicode.ToLower(r))
	}
	name := "scan-" + id.String()
	for b.p.Pattern(name) != nil {
		name = "all-" + name
	}
	return name
}

// A reachability contains the entities that patterns can list without further input: each required parameter has
// choices or a default, or a listed item contains its value.
type reachability struct {
	listed        map[*models.Entity]bool
	missingParams map[*accesspatterns.Pattern]int      // parameters without a value
	waiting       map[string][]*accesspatterns.Pattern // patterns by the attribute that would contain the value
}

func (r *reachability) patterns(list []*accesspatterns.Pattern) {
	for _, q := range list {
		for _, p := range q.Params {
			if q.IsRead() && p.NeedsValue() {
				name := p.Name
				if value, format, _ := strings.Cut(name, ":"); models.Format(format).IsComputed() {
					name = value // The attribute of a computed part is that of its value.
				}
				r.missingParams[q]++
				r.waiting[name] = append(r.waiting[name], q)
			}
		}
	}
	for _, q := range list {
		if q.IsRead() && r.missingParams[q] == 0 {
			r.list(q.Returns)
		}
	}
}

func (r *reachability) list(entities []*models.Entity) {
	for _, e := range entities {
		if !r.listed[e] {
			r.listed[e] = true
			r.values(e.Attributes)
		}
	}
}

func (r *reachability) values(attributes []*models.Attribute) {
	for _, a := range attributes {
		r.values(a.Attributes)
		if waiting := r.waiting[a.Path]; a.Sensitive != models.Secret {
			delete(r.waiting, a.Path)
			for _, q := range waiting {
				if r.missingParams[q]--; r.missingParams[q] == 0 {
					r.list(q.Returns)
				}
			}
		}
	}
}
