package profiles

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/placed"
	"github.com/ddbdesk/ddbdesk/models"
)

// SampleHints describes the sample data of an entity. Maps have no entry, or a nil one, for an
// attribute without hints.
type SampleHints struct {
	Count    int                 // items; 0: not given
	Per      string              // the entity that Count is for each item of, "" for all
	During   string              // the state of the item of Per in which its items are created, "" for any
	Weights  map[string][]Weight // values of attributes, by path
	Examples map[string][]string // values of attributes, by path, when they have no weights
	Together []Combination       // values that occur together
	Computed []Computed          // values that follow from others
}

// A Weight is a value and how often it occurs relative to the others. A value with Times 0 does
// not occur.
type Weight struct {
	Value string
	Times int
}

// A Combination is a line of values that occur together, by path of their attributes. One of
// each list is selected. Times is 1 if the profile gives no weight.
type Combination struct {
	Times  int
	Values map[string][]string
}

// A Computed attribute has the value of the first formula that has one.
type Computed struct {
	Path string
	From []change.Formula
}

// SampleHintsOf returns the description of the entity's sample data. Each call returns new
// maps, so the caller may change them.
func (p *Profile) SampleHintsOf(e *models.Entity) SampleHints {
	d, _ := p.decl.Entities.Get(e.Name)
	h := SampleHints{
		Count: d.Sample.Count, Per: d.Sample.Per, During: d.Sample.During,
		Weights: map[string][]Weight{}, Examples: map[string][]string{},
	}
	for _, of := range d.Sample.Of {
		for _, v := range of.Value {
			h.Weights[of.Key] = append(h.Weights[of.Key], Weight{v.Key, v.Value})
		}
	}
	for _, line := range d.Sample.Together {
		c := Combination{Times: cmp.Or(line.Weight, 1), Values: map[string][]string{}}
		for _, v := range line.Values {
			c.Values[v.Key] = v.Value
		}
		h.Together = append(h.Together, c)
	}
	for _, of := range d.Sample.Computed {
		c := Computed{Path: of.Key}
		for _, text := range of.Value {
			f, _ := p.sampleFormula(e, of.Key, text) // an invalid one was reported when the profile was loaded
			c.From = append(c.From, f)
		}
		h.Computed = append(h.Computed, c)
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

func (b schemaBuilder) sampleData(path string, d sampleDecl, e *models.Entity) {
	check := func(field, name string) bool {
		known := e.Attribute(name) != nil || !e.Keys[name].IsZero()
		if !known {
			b.noAttribute(path+field, e, name)
		}
		return known
	}
	b.word(path+".per", d.Per, b.decl.Entities.Keys())
	for _, of := range d.Of {
		check(".of", of.Key)
	}
	for _, line := range d.Together {
		for _, v := range line.Values {
			check(".together", v.Key)
		}
	}
	for _, of := range d.Computed {
		if !check(".computed."+of.Key, of.Key) {
			continue
		}
		for _, k := range e.KeyNames() {
			if t, ok := e.KeyTemplate(k); ok && k != of.Key && t.Has(of.Key) {
				b.Errorf(path+".computed."+of.Key, "", "%s is a part of key %s, which is made before values are computed", of.Key, k)
			}
		}
		for i, text := range of.Value {
			place := path + ".computed." + of.Key
			if len(of.Value) > 1 {
				place += "." + strconv.Itoa(i)
			}
			f, err := b.p.sampleFormula(e, of.Key, text)
			if err != nil {
				b.Errorf(place, "", "formula %q: %v", models.Printable(text), err)
				continue
			}
			for _, r := range f.References() {
				b.sampleReference(place, r.Name, e)
			}
		}
	}
}

// sampleReference checks a reference in a formula of sample data: {attribute}, {Entity.attribute}, {previous.attribute},
// {previous.Entity.attribute}, the same with next, {sum.Entity.attribute}, {count.Entity} or {count.Entity.state}.
func (b schemaBuilder) sampleReference(path, name string, e *models.Entity) {
	head, rest, _ := strings.Cut(name, ".")
	switch head {
	case "next", "previous":
		b.sampleReference(path, rest, e)
		return
	case "sum", "count":
		name = rest
	}
	of, attribute, _ := strings.Cut(name, ".")
	other := b.p.Entity(of)
	switch {
	case other == nil && head != "sum" && head != "count":
		if e.Attribute(name) == nil {
			b.noAttribute(path, e, name)
		}
	case other == nil:
		b.Errorf(path, near(of, b.decl.Entities.Keys()), "unknown entity %q", models.Printable(of))
	case head == "count" && attribute != "":
		if !slices.ContainsFunc(other.Lifecycles, func(l *models.Lifecycle) bool { return l.State(attribute) != nil }) {
			b.Errorf(path, "", "%s has no state %q", of, models.Printable(attribute))
		}
	case head != "count" && other.Attribute(attribute) == nil:
		b.noAttribute(path, other, attribute)
	}
}
