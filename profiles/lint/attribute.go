package lint

import (
	_ "embed"
	"sort"
	"strings"
	"sync"

	"github.com/ddbdesk/ddbdesk/models"
)

// reservedText is the list "Reserved words in DynamoDB" of the AWS developer
// guide.
//
//go:embed reserved.txt
var reservedText string

var reservedWords = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for w := range strings.FieldsSeq(reservedText) {
		words[w] = true
	}
	return words
})

// A use is an attribute of an entity.
type use struct {
	entity    *models.Entity
	attribute *models.Attribute
}

func (l *linter) sameName(t *models.Table) (names []string, uses map[string][]use) {
	uses = map[string][]use{}
	for _, e := range l.EntitiesOf(t) {
		for _, a := range e.Attributes {
			if uses[a.Name] == nil {
				names = append(names, a.Name)
			}
			uses[a.Name] = append(uses[a.Name], use{e, a})
		}
	}
	return names, uses
}

func (l *linter) differs(t *models.Table, text func(*models.Entity, *models.Attribute) string, report func(name, how string, d defect)) {
	names, uses := l.sameName(t)
	for _, name := range names {
		var found []string
		by := map[string][]string{}
		for _, u := range uses[name] {
			if s := text(u.entity, u.attribute); s != "" {
				found = appendOnce(found, s)
				by[s] = append(by[s], u.entity.Name)
			}
		}
		if len(found) < 2 {
			continue
		}
		d := defect{path: "entities." + by[found[1]][0], tables: []string{t.ID}}
		parts := make([]string, 0, len(found))
		for _, s := range found {
			d.entities = append(d.entities, by[s]...)
			parts = append(parts, s+" in "+strings.Join(by[s], ", "))
		}
		report(name, strings.Join(parts, "; "), d)
	}
}

// enumDiffers finds enums of one name that differ within a table. Code that compares such a value without looking at
// the entity first is wrong for one of them.
func enumDiffers(l *linter, t *models.Table, found func(defect)) {
	values := func(e *models.Entity, a *models.Attribute) string {
		if e.Distinguishes(a.Path) || a.Required && len(a.Enum) == 1 && !a.OpenEnum {
			return "" // It names the entity: it differs on purpose.
		}
		list := append([]string{}, a.Enum...)
		sort.Strings(list)
		return strings.Join(list, ", ")
	}
	l.differs(t, values, func(name, how string, d defect) {
		d.reporter(found)("attributes."+name, "check the entity of the item before you compare values, or use two names",
			"attribute %s has different values within one table: %s", name, how)
	})
}

// formatDiffers finds attributes of one name that differ within a table. An index on such an attribute holds values
// that cannot be compared.
func formatDiffers(l *linter, t *models.Table, found func(defect)) {
	format := func(_ *models.Entity, a *models.Attribute) string {
		f := a.Format
		if own := l.referred(a); f == models.NoFormat {
			f = own.Format
		}
		return strings.TrimSpace(string(a.Type) + " " + string(f))
	}
	l.differs(t, format, func(name, how string, d defect) {
		d.reporter(found)("attributes."+name, "use one format, or two attribute names",
			"attribute %s has different types or formats within one table: %s", name, how)
	})
}

func twoSpellings(_ *linter, e *models.Entity, report reporter) {
	for _, a := range e.Attributes {
		var keys []string
		var format models.Format
		for _, k := range e.KeyNames() {
			t, _ := e.KeyTemplate(k)
			for _, s := range t.Segments() {
				if s.Name == a.Name && s.Format.IsTime() && !s.Format.IsPeriod() && s.Format != a.Format {
					keys, format = appendOnce(keys, k), s.Format
				}
			}
		}
		if len(keys) > 0 {
			report("attributes."+a.Name, "use one format",
				"%s has format %s in key %s but format %s in its attribute; the two texts cannot be compared", a.Name, format,
				strings.Join(keys, ", "), a.Format)
		}
	}
}

// reservedNames lists reserved words. ddbdesk sends every name as an alias, but other programs may not.
func reservedNames(l *linter, found func(defect)) {
	var names []string
	var walk func([]*models.Attribute)
	walk = func(list []*models.Attribute) {
		for _, a := range list {
			if !a.KeyOnly && reservedWords()[strings.ToUpper(a.Name)] {
				names = appendOnce(names, a.Name)
			}
			walk(a.Attributes)
		}
	}
	for _, e := range l.Entities {
		walk(e.Attributes)
	}
	if len(names) > 0 {
		sort.Strings(names)
		defect{path: "entities"}.reporter(found)("", "use a #name from ExpressionAttributeNames",
			"DynamoDB refuses these reserved words in expressions unless they are aliased: %s", strings.Join(names, ", "))
	}
}

func inEachTable(check func(*linter, *models.Table, func(defect))) func(*linter, func(defect)) {
	return func(l *linter, found func(defect)) {
		for _, t := range l.Tables {
			check(l, t, found)
		}
	}
}
