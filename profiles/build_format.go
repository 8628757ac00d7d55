package profiles

import (
	"fmt"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

func (b *builder) format(path, text string) {
	if !models.Format(text).IsLayout() {
		b.word(path, text, formatWords())
	} else if err := models.Format(text).CheckLayout(); err != nil {
		b.Errorf(path, "", "%v", err)
	}
}

func (b *builder) timeType(path string, a *models.Attribute) {
	switch {
	case !a.Format.IsTime() || a.Type == models.TypeS:
	case a.Type != models.TypeN:
		b.Errorf(path, "use type S", "%s has type %s, which cannot hold a time as text", a.Path, a.Type)
	case !a.Format.IsNumber():
		b.Errorf(path, "use type S", "%s has type N, but times in the format %s are not numbers", a.Path, a.Format)
	}
}

// ordered reports a comparison of times whose format does not sort by time: it would find other items.
func (b *builder) ordered(path, what string, f models.Format) {
	if !f.Sorts() {
		b.Errorf(path, "compare another attribute, or store times in a format such as iso8601",
			"%s has times in the format %s, which do not sort by time", what, f)
	}
}

func (b *builder) orderedKeys(path string, c accesspatterns.KeyCondition) {
	for _, s := range c.Template.Segments() {
		if c.Compare.Ordered() {
			b.ordered(path, "{"+s.Name+"}", s.TimeFormat())
		}
	}
}

func (b *builder) computed(path string, t models.Template, e *models.Entity) {
	for _, s := range t.Segments() {
		a := e.Attribute(s.Name)
		if a == nil || !s.Computed() {
			continue
		}
		switch {
		case a.Type != models.TypeS && a.Type != models.TypeN:
			b.Errorf(path, "use an attribute of type S or N", "{%s}: %s has type %s", s.Part(), a.Path, a.Type)
		case s.Format.NeedsNumber() && !mayBeWhole(a):
			b.Errorf(path, fmt.Sprintf("name the hash of the schema, such as {%s:crc32 %s}", s.Name, s.Format),
				"{%s}: values of %s are not whole numbers", s.Part(), a.Path)
		}
	}
}

func mayBeWhole(a *models.Attribute) bool {
	number := a.Format == models.NoFormat || a.Format.IsTime() && a.Format.IsNumber()
	return a.Type == models.TypeN || a.Prefix == "" && number
}

func (b *builder) digested(path string, t models.Template, digest string) models.Template {
	if digest == "" || t.IsZero() || !b.word(path+".digest", digest, models.Digests()) {
		return t
	}
	return t.Digested(models.Format(digest))
}

// oneWay reports parts of a one-way key that only a key could give.
func (b *builder) oneWay(path string, t models.Template, e *models.Entity) {
	for _, name := range t.Placeholders() {
		if a := e.Attribute(name); a != nil && a.KeyOnly {
			b.Errorf(path, "store "+name+" as an attribute", "%s exists only in keys, and a one-way key cannot be read", name)
		}
	}
}
