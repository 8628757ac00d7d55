package change

import (
	"maps"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Copy is an attribute whose value an action computes from a sensitive one.
type Copy struct {
	Attribute *models.Attribute
	From      string // the reference in the formula
	Sensitive models.Sensitivity
}

// Copies returns written values that derive from sensitive ones, even if their attributes are declared sensitive.
func (a *Action) Copies() []Copy { return a.analyzeCopies().list }

// RevealingNames returns the names whose masked values affect the visible part of a plan: which items it writes,
// whether a value is in an attribute's enum, or whether it removes the last element of a set. It treats inputs as
// values that the user entered.
func (a *Action) RevealingNames() []string {
	return slices.Compact(slices.Sorted(slices.Values(a.analyzeCopies().revealing)))
}

// DefaultSensitivity returns the sensitivity of an input's default value.
func (a *Action) DefaultSensitivity(p *accesspatterns.Param) models.Sensitivity {
	return a.analyzeCopies().attributeSensitivity(p.Name, len(a.Let), true)
}

type copySensitivity struct {
	a         *Action
	lets      []Setting
	reads     []Reading
	known     map[letKey]models.Sensitivity // caches results, because names refer to earlier ones
	list      []Copy
	revealing []string
}

type letKey struct {
	index   int
	isGiven bool
}

func (a *Action) analyzeCopies() *copySensitivity {
	c := &copySensitivity{a: a, lets: a.Let, reads: a.Reads}
	c.addSettings(a.Entity, "", a.Set)
	for _, state := range slices.Sorted(maps.Keys(a.OnEnter)) {
		c.addSettings(a.Entity, "", a.OnEnter[state])
	}
	for _, companion := range a.Companions {
		c.addSettings(companion.Entity, "", companion.Set)
		for _, name := range []string{companion.If, companion.Unless} {
			c.addRevealed(name, name != "" && c.attributeSensitivity(name, len(c.lets), true) != models.NotSensitive)
		}
	}
	for _, e := range a.Audits {
		c.lets, c.reads = slices.Concat(a.Let, e.Trail.Let), slices.Concat(a.Reads, e.Trail.Reads)
		c.addSettings(e.Trail.Entity, "", e.Set)
		c.addSettings(e.Trail.Entity, "", a.UndoEntry)
	}
	for _, r := range c.reads {
		if r.Pattern == nil {
			c.addSettings(r.Entity, "", r.Key)
		}
	}
	return c
}

func (c *copySensitivity) addRevealed(name string, revealed bool) {
	if revealed {
		c.revealing = append(c.revealing, name)
	}
}

func (c *copySensitivity) addSettings(e *models.Entity, prefix string, set []Setting) {
	for _, s := range set {
		to, f := e.Attribute(prefix+s.Name), s.Formula
		if len(f.fields) > 0 {
			c.addSettings(e, prefix+s.Name+".", f.fields)
			continue
		}
		for _, r := range f.References() {
			sensitivity := c.attributeSensitivity(r.Name, len(c.lets), false)
			if sensitivity != models.NotSensitive && to != nil && !c.isSameAttribute(e, to, r.Name) {
				c.list = append(c.list, Copy{to, r.Name, sensitivity})
				c.addRevealed(s.Name, len(to.Enum) > 0 && !to.OpenEnum &&
					c.attributeSensitivity(r.Name, len(c.lets), true) != models.NotSensitive)
			}
		}
		c.addRevealed(s.Name, to != nil && f.kind == collectionFormula && to.Type != models.TypeL && slices.Contains(f.minus, true) &&
			e.Stricter(models.NotSensitive, strings.Split(to.Path, ".")) != models.NotSensitive)
		above, _, _ := strings.Cut(prefix+s.Name, "{")
		holder := e.Attribute(strings.TrimSuffix(above, ".")) // The names inside this document are values.
		for _, part := range f.pathFormulas {
			for _, r := range part.References() {
				if sensitivity := c.attributeSensitivity(r.Name, len(c.lets), false); sensitivity != models.NotSensitive && holder != nil {
					c.list = append(c.list, Copy{holder, r.Name, sensitivity})
					c.addRevealed(s.Name, c.attributeSensitivity(r.Name, len(c.lets), true) != models.NotSensitive)
				}
			}
		}
	}
}

func (c *copySensitivity) isSameAttribute(e *models.Entity, to *models.Attribute, name string) bool {
	return e == c.a.Entity && strings.TrimPrefix(name, Subject+".") == to.Path && c.a.Input(name) == nil
}

func (c *copySensitivity) formulaSensitivity(f Formula, before int, isSet bool) models.Sensitivity {
	strictest := models.NotSensitive
	for _, r := range f.References() {
		strictest = models.Stricter(strictest, c.attributeSensitivity(r.Name, before, isSet))
	}
	return strictest
}

// With isSet, attributeSensitivity counts inputs as values that the user entered. name may be one of lets[:before].
func (c *copySensitivity) attributeSensitivity(name string, before int, isSet bool) models.Sensitivity {
	for i, l := range c.lets[:before] {
		if l.Name != name {
			continue
		}
		key := letKey{i, isSet}
		if s, known := c.known[key]; known {
			return s
		}
		s := c.formulaSensitivity(l.Formula, i, isSet)
		if c.known == nil {
			c.known = map[letKey]models.Sensitivity{}
		}
		c.known[key] = s
		return s
	}
	if p := c.a.Input(name); p != nil {
		strictest := models.NotSensitive
		if f, ok := c.a.Defaults[name]; ok {
			inner := *c.a
			inner.Defaults = maps.Clone(inner.Defaults)
			delete(inner.Defaults, name) // A default that refers to itself has no value.
			strictest = (&copySensitivity{a: &inner, lets: c.lets, reads: c.reads}).formulaSensitivity(f, before, isSet)
		}
		if isSet {
			return strictest
		}
		return models.Stricter(strictest, inputSensitivity(p))
	}
	e, path := c.a.Entity, strings.TrimPrefix(name, Subject+".")
	head, rest, _ := strings.Cut(name, ".")
	for _, r := range c.reads {
		if r.Alias == head {
			e, path = r.Entity, rest
		}
	}
	if slices.Contains(ReservedNames(), name) || path == "" {
		return models.NotSensitive
	}
	return e.Stricter(models.NotSensitive, strings.Split(path, "."))
}

func inputSensitivity(p *accesspatterns.Param) models.Sensitivity {
	if p.Attribute == nil {
		return p.Sensitive
	}
	return models.Stricter(p.Sensitive, p.Attribute.Strictest())
}
