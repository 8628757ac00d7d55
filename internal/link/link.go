// Package link represents places of the console as text that another person can open. schema/Entity?name=value#section
// is an item, and schema/pattern?parameter=value is a query. A link never contains personal data.
package link

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// A Link is the text form of a place in the console. Link.Resolve checks its names.
type Link struct {
	Schema  string
	Name    string            // name of an entity or a pattern
	Values  map[string]string // values of key placeholders, key attributes, or the parameters of a pattern
	Section string            // section of the item's screen, "" for the first one
}

// A Place is the destination of a link: an item or a query.
type Place struct {
	Entity  *models.Entity // nil for a query
	Key     models.Item    // primary key of the item
	Section string
	Pattern *accesspatterns.Pattern
	Args    map[string]string
}

// Sections returns the sections of an item, in the console's order.
func Sections() []string {
	return []string{"overview", "history", "related", "keys", "raw"}
}

// String returns the text form of the link.
func (l Link) String() string {
	text, query := l.Schema+"/"+l.Name, url.Values{}
	for name, value := range l.Values {
		query.Set(name, value)
	}
	if len(query) > 0 {
		text += "?" + query.Encode()
	}
	if l.Section != "" {
		text += "#" + l.Section
	}
	return text
}

// Command returns a command for a POSIX shell that opens the link. It contains no flags, because the other person uses
// their own connections.
func (l Link) Command() string {
	return "ddbdesk open '" + strings.ReplaceAll(l.String(), "'", `'\''`) + "'"
}

// Parse parses a link. The error wraps session.ErrInput. Parse does not need a schema, so it does not check the names
// and the section; Link.Resolve does.
func Parse(text string) (Link, error) {
	rest, section, _ := strings.Cut(text, "#")
	rest, query, _ := strings.Cut(rest, "?")
	at := strings.LastIndex(rest, "/")
	if at <= 0 || at == len(rest)-1 || strings.Contains(rest, "://") {
		return Link{}, session.InputErrorf("%q is not a ddbdesk link; use SCHEMA/ENTITY?name=value or SCHEMA/PATTERN?name=value",
			models.Truncate(models.Printable(text), 60))
	}
	l := Link{Schema: rest[:at], Name: rest[at+1:], Values: map[string]string{}, Section: section}
	for part := range strings.SplitSeq(query, "&") {
		if part == "" {
			continue
		}
		name, value, ok := strings.Cut(part, "=")
		name, err := url.QueryUnescape(name)
		value, valueErr := url.QueryUnescape(value)
		if !ok || name == "" || err != nil || valueErr != nil {
			return Link{}, session.InputErrorf("invalid link: expected name=value, found %q", models.Truncate(models.Printable(part), 60))
		}
		if _, isSet := l.Values[name]; isSet {
			return Link{}, session.InputErrorf("invalid link: it sets %s twice", models.Truncate(models.Printable(name), 60))
		}
		l.Values[name] = value
	}
	return l, nil
}

// ParsePasted parses a link, or a command that opens one, as the console copies it. It returns false for any other
// text.
func ParsePasted(text string) (Link, bool) {
	text = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(text), "ddbdesk open "))
	l, err := Parse(strings.ReplaceAll(strings.Trim(text, "'\"`"), `'\''`, "'"))
	return l, err == nil
}

// TryResolve returns the place of the link in a schema. It returns false if the link is for another schema or invalid.
func (l Link) TryResolve(p *profiles.Profile) (Place, bool) {
	if l.Schema != p.Name && l.Schema != session.SchemaName(p) {
		return Place{}, false
	}
	place, err := l.Resolve(p)
	return place, err == nil
}

// Resolve returns the place of the link in its schema. The error wraps session.ErrInput.
func (l Link) Resolve(p *profiles.Profile) (Place, error) {
	place, err := Find(p, l.Name, l.Values)
	switch {
	case err != nil:
		return Place{}, session.InputErrorf("invalid link: %v", err)
	case l.Section == "":
	case place.Pattern != nil:
		return Place{}, session.InputErrorf("invalid link: only links to items have a section; remove #%s", models.Printable(l.Section))
	case !slices.Contains(Sections(), l.Section):
		return Place{}, session.InputErrorf("invalid link: unknown section %q%s", models.Printable(l.Section),
			cmp.Or(models.DidYouMean(l.Section, Sections()), "; use "+english.OxfordWordSeries(Sections(), "or")))
	}
	place.Section = l.Section
	return place, nil
}

// Find returns the item of an entity with the given key values, or the query of a pattern with the given arguments. It
// does not read the item. The error wraps session.ErrInput.
func Find(p *profiles.Profile, name string, values map[string]string) (Place, error) {
	if e := p.Entity(name); e != nil {
		return item(e, values)
	}
	q := p.Pattern(name)
	if q == nil {
		return Place{}, session.InputErrorf("%s has no entity or pattern %q%s", p.Name, models.Printable(name),
			cmp.Or(models.DidYouMean(name, append(models.MapSlice(p.Entities, func(e *models.Entity) string { return e.Name }),
				models.MapSlice(p.Patterns, func(q *accesspatterns.Pattern) string { return q.ID })...)),
				"; list them with ddbdesk schema show "+session.SchemaName(p)))
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if q.Param(name) == nil {
			return Place{}, session.InputErrorf("%s has no parameter %q%s", q.ID, models.Printable(name),
				models.DidYouMean(name, models.MapSlice(q.Params, func(q *accesspatterns.Param) string { return q.Name })))
		}
	}
	return Place{Pattern: q, Args: values}, nil
}

func item(e *models.Entity, values map[string]string) (Place, error) {
	names := e.KeyPlaceholders()
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(names, name) && models.KeyPosition(e.Table.PrimaryKeys(), name) < 0 {
			return Place{}, session.InputErrorf("the key of %s has no value %q; use %s", e.Name,
				models.Printable(name), english.OxfordWordSeries(names, "and"))
		}
	}
	key, err := keyOf(e, values)
	if err != nil {
		return Place{}, session.InputErrorf("%s: %v", e.Name, err)
	}
	return Place{Entity: e, Key: key}, nil
}

// keyName is a key attribute in a text.
type keyName struct {
	entity *models.Entity
	name   string
}

func (k keyName) String() string { return k.name }

func (k keyName) Plain() string {
	name, _ := k.entity.PlainName(k.name)
	return name
}

func keyOf(e *models.Entity, values map[string]string) (models.Item, error) {
	key := models.Item{}
	for _, k := range e.Table.PrimaryKeys() {
		text, ok := values[k.Name]
		if !ok {
			t, known := e.KeyTemplate(k.Name)
			var err error
			if text, err = t.Format(models.MapValues(values)); err != nil || !known {
				for _, name := range t.Placeholders() {
					if _, ok := values[name]; !ok && known {
						return nil, session.InputErrorf("missing parameter %s; add %[1]s=VALUE", name)
					}
				}
				return nil, session.InputErrorf("%s is incomplete: %v", keyName{e, k.Name}, err)
			}
		}
		v, err := models.ScalarValue(k.Type, text)
		if err != nil {
			return nil, session.InputErrorf("%s: %v", keyName{e, k.Name}, err)
		}
		key[k.Name] = v
	}
	return key, nil
}
