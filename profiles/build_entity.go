package profiles

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/placed"
	"github.com/ddbdesk/ddbdesk/models"
)

func undeclaredWords() []string { return []string{"mask", "show"} }

func (b schemaBuilder) entities() {
	b.checkWord("undeclared", b.decl.Undeclared, undeclaredWords())
	for _, e := range b.decl.Entities {
		path, d := "entities."+e.Key, b.withMixins("entities."+e.Key, e.Value)
		entity := &models.Entity{
			Name: e.Key, Title: cmp.Or(d.Title, e.Key), Has: d.When.Has, Lacks: d.When.Lacks, Owner: d.Owner,
			Undocumented: d.Undocumented, ShowUndeclared: cmp.Or(d.Undeclared, b.decl.Undeclared) == "show",
			Parent: d.Parent, Collides: d.Unique != nil && !*d.Unique,
			Version: d.Version, Updated: d.Updated, Source: d.Source, Columns: d.Columns, Keys: map[string]models.Template{},
			KeyWhen: map[string][]models.Equality{},
		}
		b.checkWord(path+".undeclared", d.Undeclared, undeclaredWords())
		entity.Attributes = b.attributes(path+".attributes", "", d.Attributes)
		for _, g := range d.Groups {
			entity.Groups = append(entity.Groups, models.Group{Title: g.Key, Attributes: g.Value})
		}
		b.checkWord(path+".table", d.Table, b.decl.Tables.Keys())
		if entity.Table = b.p.Table(d.Table); entity.Table == nil {
			if d.Table == "" {
				b.Errorf(path, "", "entity has no table")
			}
			continue // everything else depends on the table
		}
		b.entityKeys(path, d, entity)
		b.entityLists(path, d, entity)
		b.changeMarkers(path, entity)
		b.itemTitle(path+".item_title", d.ItemTitle, entity)
		entity.Seal()
		b.p.Entities = append(b.p.Entities, entity)
	}
	names := b.decl.Entities.Keys()
	for _, e := range b.p.Entities {
		b.checkReferences("entities."+e.Name+".attributes", e.Attributes)
		d, _ := b.decl.Entities.Get(e.Name)
		b.checkWord("entities."+e.Name+".parent", d.Parent, names)
	}
}

// entityKeys requires a template for the primary key. An index key needs one only if the entity is in the index.
func (b schemaBuilder) entityKeys(path string, d entityDecl, e *models.Entity) {
	known := models.MapSlice(e.Table.KeyAttributes(), func(k models.Key) string { return k.Name })
	for _, k := range d.Keys {
		p := path + ".keys." + k.Key
		if !slices.Contains(known, k.Key) {
			b.Errorf(p, nearestHint(k.Key, known), "%s is not a key attribute of %s or its indexes", k.Key, e.Table.Name)
			continue
		}
		t := b.template(p, k.Value.Template)
		if t.IsZero() {
			continue
		}
		for _, name := range t.Placeholders() {
			if e.Attribute(name) == nil {
				b.Errorf(p, nearestHint(name, paths(e.Attributes)), "{%s} is not an attribute of %s", name, e.Name)
			}
		}
		t = t.Bind(e.Attribute)
		b.checkComputedParts(p, t, e)
		if len(t.Segments()) > 0 && !slices.ContainsFunc(t.Segments(), func(s models.Segment) bool { return !s.Optional }) {
			b.Errorf(p, "write a part that every key has", "template %q is optional as a whole; a key cannot be empty",
				models.Printable(k.Value.Template))
		}
		if t = b.withDigest(p, t, k.Value.Digest); t.IsOneWay() {
			b.checkOneWay(p, t, e)
		} else if first, second := t.AmbiguousPair(); first != "" {
			b.Errorf(p, "write text between them, or a width such as {"+first+":26}",
				"template %q: {%s} follows {%s} with no text between; a key could not be split into its parts",
				models.Printable(k.Value.Template), second, first)
		}
		e.Keys[k.Key] = t
		if primary := k.Key == e.Table.PartitionKey.Name || k.Key == e.Table.SortKey.Name; primary && len(k.Value.When) > 0 {
			b.Errorf(p+".when", "remove it, or describe the items as another entity", "every item has %s, a key of the table", k.Key)
		}
		if q := b.keyConditions(p+".when", k.Value.When, e); len(q) > 0 {
			e.KeyWhen[k.Key] = q
		}
	}
	for _, k := range e.Table.PrimaryKeys() {
		_, isSet := d.Keys.Get(k.Name) // the code above reports invalid templates
		if _, ok := e.KeyTemplate(k.Name); !ok && !isSet {
			b.Errorf(path+".keys", "", "%s has no template for key attribute %s", e.Name, k.Name)
		}
	}
}

func (b schemaBuilder) entityLists(path string, d entityDecl, e *models.Entity) {
	checkAttribute := func(field, name string) {
		if e.Attribute(name) == nil && e.Keys[name].IsZero() {
			b.reportUnknownAttribute(path+"."+field, e, name)
		}
	}
	checkAll := func(field string, names []string) {
		for i, name := range names {
			checkAttribute(fmt.Sprintf("%s.%d", field, i), name)
		}
	}
	checkAll("columns", d.Columns)
	for _, g := range d.Groups {
		checkAll("groups."+g.Key, g.Value)
	}
	e.Is = b.equalities(path+".when.equals", d.When.Equals, e)
}

// keyConditions reads {has: [paidAt], lacks: [deletedAt], status: [open]}.
func (b schemaBuilder) keyConditions(path string, list placed.Ordered[[]string], e *models.Entity) []models.Equality {
	var out []models.Equality
	var values placed.Ordered[[]string]
	for _, d := range list {
		if d.Key != "has" && d.Key != "lacks" {
			values = append(values, d)
			continue
		}
		for _, name := range d.Value {
			out = append(out, models.Equality{Path: name, Lacks: d.Key == "lacks"})
		}
	}
	return append(out, b.equalities(path, values, e)...)
}

func (b schemaBuilder) equalities(path string, list placed.Ordered[[]string], e *models.Entity) []models.Equality {
	var out []models.Equality
	for _, d := range list {
		a := e.Attribute(d.Key)
		switch {
		case a == nil && e.Keys[d.Key].IsZero():
			b.reportUnknownAttribute(path+"."+d.Key, e, d.Key)
			continue
		case a != nil && a.KeyOnly:
			b.Errorf(path+"."+d.Key, "", "%s exists only in the keys of %s", d.Key, e.Name)
			continue
		case len(d.Value) == 0:
			b.Errorf(path+"."+d.Key, "", "expected a value or a list of values")
			continue
		}
		for i, v := range d.Value {
			p := fmt.Sprintf("%s.%s.%d", path, d.Key, i)
			if a != nil && len(a.Enum) > 0 && !a.OpenEnum && !slices.Contains(a.Enum, v) {
				b.Errorf(p, hintOr(v, a.Enum, "known: "+strings.Join(a.Enum, ", ")), "%q is not a value of %s", models.Printable(v), d.Key)
			} else if a != nil {
				if _, err := a.Value(v); err != nil {
					b.Errorf(p, "", "%s has type %s: %v", d.Key, a.Type, err)
				}
			}
		}
		out = append(out, models.Equality{Path: d.Key, Values: d.Value})
	}
	return out
}

func (b schemaBuilder) changeMarkers(path string, e *models.Entity) {
	topAttribute := func(word, name string) *models.Attribute {
		for _, a := range e.Attributes {
			if a.Name == name {
				return a
			}
		}
		if name != "" {
			b.reportUnknownAttribute(path+"."+word, e, name)
		}
		return nil
	}
	if a := topAttribute("version", e.Version); a != nil && a.Type != models.TypeN {
		b.Errorf(path+".version", "", "%s is incremented by every change, so it must have type N, not %s", a.Name, a.Type)
	}
	if a := topAttribute("updated", e.Updated); a != nil && (!a.Format.IsTime() || a.Format.IsLossy()) {
		b.Errorf(path+".updated", "set a format such as iso8601", "%s must be a time, because it holds the time of the last change", a.Name)
	}
}

func (b schemaBuilder) attributes(path, parent string, list placed.Ordered[attributeDecl]) []*models.Attribute {
	var out []*models.Attribute
	for _, e := range list {
		p, d := path+"."+e.Key, e.Value
		a := &models.Attribute{
			Name: e.Key, Title: d.Title, Path: placed.Join(parent, e.Key), Type: models.Type(d.Type),
			Items: models.Type(d.Items), Required: d.Required,
			Format: models.Format(d.Format), Prefix: d.Prefix, Enum: d.Enum, OpenEnum: d.Open, Sensitive: models.Sensitivity(d.Sensitive),
			Description: d.Description, Documented: isDocumented(d.Documented), KeyOnly: d.KeyOnly, Refers: d.Refers, Equals: d.Equals,
			Undocumented: d.Undocumented, Volatile: d.Volatile,
		}
		b.labels(p+".labels", a, d.Labels)
		if d.Type == "" {
			b.Errorf(p, "use one of "+strings.Replace(strings.Join(typeWords(), " "), "NULL", `"NULL"`, 1), "attribute has no type")
		}
		b.checkWord(p+".type", d.Type, typeWords())
		b.checkWord(p+".items", d.Items, typeWords())
		b.checkFormat(p+".format", d.Format)
		b.checkTimeType(p+".format", a)
		b.checkWord(p+".sensitive", d.Sensitive, sensitivities())
		if len(d.Attributes) > 0 && a.Type != models.TypeM && a.Type != models.TypeL {
			b.Errorf(p+".attributes", "", "only types M and L can have nested attributes")
		}
		if d.Equals != "" {
			b.checkWord(p+".equals", d.Equals, list.Keys())
		}
		if d.Undocumented && a.Type != models.TypeM {
			b.Errorf(p+".undocumented", "", "only type M can have undocumented attributes")
		}
		a.Attributes = b.attributes(p+".attributes", a.Path, d.Attributes)
		out = append(out, a)
	}
	return out
}

func (b schemaBuilder) checkReferences(path string, list []*models.Attribute) {
	for _, a := range list {
		if a.Refers != "" {
			b.attributeRef(path+"."+a.Name+".refers", a.Refers)
		}
		b.checkReferences(path+"."+a.Name+".attributes", a.Attributes)
	}
}

func (b *builder) checkFormat(path, text string) {
	if models.Format(text).IsReversed() {
		return
	}
	if !models.Format(text).IsLayout() {
		b.checkWord(path, text, formatWords())
	} else if err := models.Format(text).CheckLayout(); err != nil {
		b.Errorf(path, "", "%v", err)
	}
}

func (b *builder) checkTimeType(path string, a *models.Attribute) {
	switch {
	case !a.Format.IsTime() || a.Type == models.TypeS:
	case a.Type != models.TypeN:
		b.Errorf(path, "use type S", "%s has type %s, which cannot hold a time as text", a.Path, a.Type)
	case !a.Format.IsNumber():
		b.Errorf(path, "use type S", "%s has type N, but times in the format %s are not numbers", a.Path, a.Format)
	}
}

// checkSortsByTime reports a comparison of times whose format does not sort by time: it would find the wrong items.
func (b *builder) checkSortsByTime(path, kind string, f models.Format) {
	if !f.SortsByTime() {
		b.Errorf(path, "compare another attribute, or store times in a format such as iso8601",
			"%s has times in the format %s, which do not sort by time", kind, f)
	}
}

func (b *builder) checkKeysSortByTime(path string, c accesspatterns.KeyCondition) {
	for _, s := range c.Template.Segments() {
		if c.Compare.IsOrdering() {
			b.checkSortsByTime(path, "{"+s.Name+"}", s.TimeFormat())
		}
	}
}

func (b *builder) checkComputedParts(path string, t models.Template, e *models.Entity) {
	for _, s := range t.Segments() {
		a := e.Attribute(s.Name)
		if a == nil || !s.IsComputed() {
			continue
		}
		switch {
		case a.Type != models.TypeS && a.Type != models.TypeN:
			b.Errorf(path, "use an attribute of type S or N", "{%s}: %s has type %s", s.PartName(), a.Path, a.Type)
		case s.Format.NeedsNumber() && !mayBeWhole(a):
			b.Errorf(path, fmt.Sprintf("name the hash of the schema, such as {%s:crc32 %s}", s.Name, s.Format),
				"{%s}: values of %s are not whole numbers", s.PartName(), a.Path)
		}
	}
}

func mayBeWhole(a *models.Attribute) bool {
	number := a.Format == models.NoFormat || a.Format.IsTime() && a.Format.IsNumber()
	return a.Type == models.TypeN || a.Prefix == "" && number
}

func (b *builder) withDigest(path string, t models.Template, digest string) models.Template {
	if digest == "" || t.IsZero() || !b.checkWord(path+".digest", digest, models.Digests()) {
		return t
	}
	return t.WithDigest(models.Format(digest))
}

// checkOneWay reports parts of a one-way key whose values could only come from the key.
func (b *builder) checkOneWay(path string, t models.Template, e *models.Entity) {
	for _, name := range t.Placeholders() {
		if a := e.Attribute(name); a != nil && a.KeyOnly {
			b.Errorf(path, "store "+name+" as an attribute", "%s exists only in keys, and a one-way key cannot be read", name)
		}
	}
}

// SampleHints describes the sample data of an entity. Its maps contain no entry or a nil entry for an attribute without
// hints.
type SampleHints struct {
	Count    int                 // number of items, 0 if not given
	Per      string              // the entity of which each item has Count items; "" if Count is the total
	During   string              // state of the Per item when its items begin; "" for any
	Weights  map[string][]Weight // values of attributes, by path
	Examples map[string][]string // values of attributes without weights, by path
	Together []Combination       // values that occur together
	Computed []Computed          // values computed from others
}

// A Weight is a value and its frequency relative to the other values. A value with Times 0 does not occur.
type Weight struct {
	Value string
	Times int
}

// A Combination is a set of values that occur together, by attribute path. Generated items use one value from each
// list. Times is 1 if the schema does not define a weight.
type Combination struct {
	Times  int
	Values map[string][]string
}

// A Computed attribute has the value of a formula, if the formula has a value.
type Computed struct {
	Path string
	From change.Formula
}

// SampleHintsOf returns the hints for the entity's sample data. Each call returns new maps, so the caller may change
// them.
func (p *Profile) SampleHintsOf(e *models.Entity) SampleHints {
	d, _ := p.decl.Entities.Get(e.Name)
	h := SampleHints{
		Count: d.Sample.Count, Per: d.Sample.Per, During: d.Sample.During,
		Weights: map[string][]Weight{}, Examples: map[string][]string{},
	}
	for _, weights := range d.Sample.Of {
		for _, v := range weights.Value {
			h.Weights[weights.Key] = append(h.Weights[weights.Key], Weight{v.Key, v.Value})
		}
	}
	for _, line := range d.Sample.Together {
		c := Combination{Times: cmp.Or(line.Weight, 1), Values: map[string][]string{}}
		for _, v := range line.Values {
			c.Values[v.Key] = v.Value
		}
		h.Together = append(h.Together, c)
	}
	for _, computed := range d.Sample.Computed {
		f, _ := p.sampleFormula(e, computed.Key, computed.Value) // the loader has reported invalid formulas
		h.Computed = append(h.Computed, Computed{Path: computed.Key, From: f})
	}
	h.addExamples("", d.Attributes)
	return h
}

func (h *SampleHints) addExamples(parent string, list placed.Ordered[attributeDecl]) {
	for _, a := range list {
		path := placed.Join(parent, a.Key)
		h.Examples[path] = a.Value.Examples
		h.addExamples(path, a.Value.Attributes)
	}
}

func (p *Profile) sampleFormula(e *models.Entity, path, text string) (change.Formula, error) {
	a := e.Attribute(path)
	return change.ParseFormula(text, a != nil && a.Type == models.TypeN, p.ValueMaps)
}

func (b schemaBuilder) checkSampleData(path string, d sampleDecl, e *models.Entity) {
	checkAttribute := func(field, name string) bool {
		known := e.Attribute(name) != nil || !e.Keys[name].IsZero()
		if !known {
			b.reportUnknownAttribute(path+field, e, name)
		}
		return known
	}
	if d.Per != "" {
		b.checkWord(path+".per", d.Per, b.decl.Entities.Keys())
	}
	for _, weights := range d.Of {
		checkAttribute(".of", weights.Key)
	}
	for _, line := range d.Together {
		for _, v := range line.Values {
			checkAttribute(".together", v.Key)
		}
	}
	for _, computed := range d.Computed {
		if !checkAttribute(".computed."+computed.Key, computed.Key) {
			continue
		}
		for _, k := range e.KeyNames() {
			if t, ok := e.KeyTemplate(k); ok && k != computed.Key && t.Has(computed.Key) {
				b.Errorf(path+".computed."+computed.Key, "",
					"%s is a part of key %s, which is made before values are computed", computed.Key, k)
			}
		}
		place := path + ".computed." + computed.Key
		f, err := b.p.sampleFormula(e, computed.Key, computed.Value)
		if err != nil {
			b.Errorf(place, "", "formula %q: %v", models.Printable(computed.Value), err)
			continue
		}
		for _, r := range f.References() {
			b.checkSampleReference(place, r.Name, e)
		}
	}
}

// checkSampleReference allows {attribute}, {Entity.attribute}, {sum.Entity.attribute}, {count.Entity},
// {count.Entity.state}.
func (b schemaBuilder) checkSampleReference(path, name string, e *models.Entity) {
	head, rest, _ := strings.Cut(name, ".")
	if head == "sum" || head == "count" {
		name = rest
	}
	entity, attribute, _ := strings.Cut(name, ".")
	other := b.p.Entity(entity)
	switch {
	case other == nil && head != "sum" && head != "count":
		if e.Attribute(name) == nil {
			b.reportUnknownAttribute(path, e, name)
		}
	case other == nil:
		b.Errorf(path, nearestHint(entity, b.decl.Entities.Keys()), "unknown entity %q", models.Printable(entity))
	case head == "count" && attribute != "":
		if !slices.ContainsFunc(other.Lifecycles, func(l *models.Lifecycle) bool { return l.State(attribute) != nil }) {
			b.Errorf(path, "", "%s has no state %q", entity, models.Printable(attribute))
		}
	case head != "count" && other.Attribute(attribute) == nil:
		b.reportUnknownAttribute(path, other, attribute)
	}
}
