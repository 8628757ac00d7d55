package change

import (
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Copy is an attribute whose value an action computes from a sensitive one.
type Copy struct {
	Entity    *models.Entity
	Attribute *models.Attribute
	From      string // the reference in the formula
	Sensitive models.Sensitivity
}

// Copies returns the written attributes that are computed from sensitive values, whether or not they are declared as
// sensitive.
func (a *Action) Copies() []Copy {
	c := &copying{a, a.Let, a.Reads, nil}
	c.settings(a.Entity, "", a.Set)
	for _, set := range a.OnEnter {
		c.settings(a.Entity, "", set)
	}
	for _, also := range a.Also {
		c.settings(also.Entity, "", also.Set)
	}
	for _, e := range a.Audits {
		c.lets, c.reads = slices.Concat(a.Let, e.Trail.Let), slices.Concat(a.Reads, e.Trail.Reads)
		c.settings(e.Trail.Entity, "", e.Set)
		c.settings(e.Trail.Entity, "", a.UndoEntry)
	}
	return c.list
}

// MaskedConditions returns the names of masked values that determine whether the action writes another item. Inputs are
// not included, because the user enters them.
func (a *Action) MaskedConditions() (names []string) {
	c := &copying{a, a.Let, a.Reads, nil}
	for _, also := range a.Also {
		for _, name := range []string{also.If, also.Unless} {
			if name != "" && a.Input(name) == nil && c.of(name, len(c.lets)) != models.Open {
				names = append(names, name)
			}
		}
	}
	return names
}

type copying struct {
	a     *Action
	lets  []Setting
	reads []Reading
	list  []Copy
}

func (c *copying) settings(e *models.Entity, within string, set []Setting) {
	for _, s := range set {
		to := e.Attribute(within + s.Name)
		if len(s.Formula.fields) > 0 {
			c.settings(e, within+s.Name+".", s.Formula.fields)
			continue
		}
		for _, r := range s.Formula.References() {
			if how := c.of(r.Name, len(c.lets)); how != models.Open && to != nil && !c.is(e, to, r.Name) {
				c.list = append(c.list, Copy{e, to, r.Name, how})
			}
		}
	}
}

func (c *copying) is(e *models.Entity, to *models.Attribute, name string) bool {
	return e == c.a.Entity && strings.TrimPrefix(name, Subject+".") == to.Path && c.a.Input(name) == nil
}

// of returns the sensitivity of a reference. A name can depend on the names before it.
func (c *copying) of(name string, before int) models.Sensitivity {
	for i, l := range c.lets[:before] {
		if l.Name != name {
			continue
		}
		worst := models.Open
		for _, r := range l.Formula.References() {
			worst = models.Stricter(worst, c.of(r.Name, i))
		}
		return worst
	}
	if p := c.a.Input(name); p != nil {
		return inputSensitivity(p)
	}
	e, path := c.a.Entity, strings.TrimPrefix(name, Subject+".")
	head, rest, _ := strings.Cut(name, ".")
	for _, r := range c.reads {
		if r.Alias == head {
			e, path = r.Entity, rest
		}
	}
	if slices.Contains(Reserved(), name) || path == "" {
		return models.Open
	}
	return e.Stricter(models.Open, strings.Split(path, "."))
}

func inputSensitivity(p *accesspatterns.Param) models.Sensitivity {
	if p.Attribute == nil {
		return p.Sensitive
	}
	return models.Stricter(p.Sensitive, p.Attribute.Strictest())
}
