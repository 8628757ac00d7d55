package profiles

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/placed"
	"github.com/ddbdesk/ddbdesk/models"
)

// mixed gives precedence to what the entity or an earlier mixin declares.
func (b schemaBuilder) mixed(path string, d entityDecl) entityDecl {
	for i, name := range d.Mixins {
		m, ok := b.decl.Mixins.Get(name)
		if !ok {
			b.word(fmt.Sprintf("%s.mixins.%d", path, i), name, b.decl.Mixins.Keys())
			continue
		}
		b.mixins[name] = true
		d.Keys = addMissing(b.source, d.Keys, m.Keys, path+".keys", "mixins."+name+".keys")
		d.Attributes = addMissing(b.source, d.Attributes, m.Attributes, path+".attributes", "mixins."+name+".attributes")
	}
	return d
}

// addMissing reports faults in the entries where the mixin is.
func addMissing[T any](s *source, own, more placed.Ordered[T], path, from string) placed.Ordered[T] {
	own = slices.Clip(own)
	for _, e := range more {
		if _, ok := own.Get(e.Key); !ok {
			own = append(own, e)
			s.Repeat(placed.Join(from, e.Key), placed.Join(path, e.Key))
		}
	}
	return own
}

func (b schemaBuilder) unusedMixins() {
	for _, name := range b.decl.Mixins.Keys() {
		if !b.mixins[name] {
			b.Errorf("mixins."+name, "name it in mixins: of an entity, or remove it", "mixin is not used by any entity")
		}
	}
}

func (b schemaBuilder) labels(path string, a *models.Attribute, list placed.Ordered[string]) {
	if len(list) == 0 {
		return
	}
	if len(a.Enum) == 0 {
		a.Enum = list.Keys()
	}
	a.Labels = b.labelsOf(path, a.Path, list, a.Enum, a.OpenEnum)
}

func (b *builder) labelsOf(path, of string, list placed.Ordered[string], enum []string, open bool) models.Labels {
	labels := models.Labels{}
	for _, l := range list {
		if !open && !slices.Contains(enum, l.Key) {
			b.Errorf(path+"."+l.Key, nearOr(l.Key, enum, "known: "+strings.Join(enum, ", ")), "%q is not a value of %s",
				models.Printable(l.Key), of)
		}
		labels[l.Key] = l.Value
	}
	return labels
}

func (b schemaBuilder) itemTitle(path, text string, e *models.Entity) {
	t := b.template(path, text)
	for _, name := range t.Placeholders() {
		if a := e.Attribute(name); a == nil || a.KeyOnly {
			b.noAttribute(path, e, name)
		}
	}
	e.ItemTitle = t
}
