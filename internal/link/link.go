// Package link spells what the console shows as text that another person can open: schema/Entity?name=value#section is an
// item, schema/pattern?parameter=value a query. It decides what a link may contain, which is no personal data.
package link

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// A Link is the spelling of a place in the console. Its names are checked by In. Values are in
// the order in which they are written, each name once.
type Link struct {
	Schema  string
	Name    string // of an entity or a pattern
	Values  []Value
	Section string // of the item's screen, "" for the first
}

// A Value is a key placeholder, a key attribute, or a parameter of a pattern.
type Value struct{ Name, Text string }

// A Place is what a link leads to: an item or a query.
type Place struct {
	Entity  *models.Entity // nil for a query
	Key     models.Item    // the primary key of the item
	Section string
	Pattern *accesspatterns.Pattern
	Args    map[string]string
}

// Sections returns the sections of an item, in the order of the console.
func Sections() []string {
	return []string{"overview", "keys", "lifecycle", "timeline", "related", "issues", "raw"}
}

// String returns the link.
func (l Link) String() string {
	text := l.Schema + "/" + l.Name
	for i, v := range l.Values {
		sign := "&"
		if i == 0 {
			sign = "?"
		}
		text += sign + url.QueryEscape(v.Name) + "=" + url.QueryEscape(v.Text)
	}
	if l.Section != "" {
		text += "#" + l.Section
	}
	return text
}

// Command returns the command that opens the link, for a shell. It is for a POSIX shell and has
// no flags: the other person has connections of their own.
func (l Link) Command() string {
	return "ddbdesk open '" + strings.ReplaceAll(l.String(), "'", `'\''`) + "'"
}

// Parse reads a link. The error wraps session.ErrInput. It knows no schema; In checks the
// names. An unknown section is found by In as well.
func Parse(text string) (Link, error) {
	rest, section, _ := strings.Cut(text, "#")
	rest, query, _ := strings.Cut(rest, "?")
	at := strings.LastIndex(rest, "/")
	if at <= 0 || at == len(rest)-1 {
		return Link{}, session.InputErrorf("%q is not a link; a link is SCHEMA/ENTITY?name=value or SCHEMA/PATTERN?name=value",
			models.Truncate(models.Printable(text), 60))
	}
	l := Link{Schema: rest[:at], Name: rest[at+1:], Section: section}
	for _, part := range strings.Split(query, "&") {
		if part == "" {
			continue
		}
		name, value, ok := strings.Cut(part, "=")
		name, err := url.QueryUnescape(name)
		value, bad := url.QueryUnescape(value)
		if !ok || name == "" || err != nil || bad != nil {
			return Link{}, session.InputErrorf("link: %q is not name=value", models.Truncate(models.Printable(part), 60))
		}
		if slices.ContainsFunc(l.Values, func(v Value) bool { return v.Name == name }) {
			return Link{}, session.InputErrorf("link: %s is given twice", models.Truncate(models.Printable(name), 60))
		}
		l.Values = append(l.Values, Value{name, value})
	}
	return l, nil
}

// In finds the place of the link in its schema. The error wraps session.ErrInput.
func (l Link) In(p *profiles.Profile) (Place, error) {
	place, err := Find(p, l.Name, l.Values)
	switch {
	case err != nil:
		return Place{}, session.InputErrorf("link: %v", err)
	case l.Section == "":
	case place.Pattern != nil:
		return Place{}, session.InputErrorf("link: a query has no section %q", models.Printable(l.Section))
	case !slices.Contains(Sections(), l.Section):
		return Place{}, session.InputErrorf("link: an item has no section %q%s", models.Printable(l.Section),
			models.DidYouMean(l.Section, Sections()))
	}
	place.Section = l.Section
	return place, nil
}

// Find returns the item of an entity whose key has these parts, or the query of a pattern with these arguments. The error wraps
// session.ErrInput. Nothing is read: whether the item exists is not known.
func Find(p *profiles.Profile, name string, values []Value) (Place, error) {
	if e := p.Entity(name); e != nil {
		return item(e, values)
	}
	q := p.Pattern(name)
	if q == nil {
		return Place{}, session.InputErrorf("%s has no entity or pattern %q%s", p.Name, models.Printable(name),
			models.DidYouMean(name, append(models.NamesOf(p.Entities, func(e *models.Entity) string { return e.Name }),
				models.NamesOf(p.Patterns, func(q *accesspatterns.Pattern) string { return q.ID })...)))
	}
	place := Place{Pattern: q, Args: map[string]string{}}
	for _, v := range values {
		if q.Param(v.Name) == nil {
			return Place{}, session.InputErrorf("%s has no parameter %q%s", q.ID, models.Printable(v.Name),
				models.DidYouMean(v.Name, models.NamesOf(q.Params, func(q *accesspatterns.Param) string { return q.Name })))
		}
		place.Args[v.Name] = v.Text
	}
	return place, nil
}

// item finds an item by the parts of its key.
func item(e *models.Entity, values []Value) (Place, error) {
	names := keyNames(e)
	for _, v := range values {
		if !slices.Contains(names, v.Name) && models.KeyNamed(e.Table.PrimaryKeys(), v.Name) < 0 {
			return Place{}, session.InputErrorf("%q is no part of the key of %s, which consists of %s", models.Printable(v.Name),
				e.Name, strings.Join(names, ", "))
		}
	}
	key, err := keyOf(e, values)
	if err != nil {
		return Place{}, session.InputErrorf("%s: %v", e.Name, err)
	}
	return Place{Entity: e, Key: key}, nil
}

// keyNames returns the placeholders of the primary key of e, each once.
func keyNames(e *models.Entity) []string {
	var names []string
	for _, k := range e.Table.PrimaryKeys() {
		t, _ := e.KeyTemplate(k.Name)
		for _, name := range t.Placeholders() {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// keyOf returns the primary key of an item of e from the placeholders of its templates, or from the key attributes themselves.
func keyOf(e *models.Entity, list []Value) (models.Item, error) {
	values := func(name string) (string, bool) {
		at := slices.IndexFunc(list, func(v Value) bool { return v.Name == name })
		if at < 0 {
			return "", false
		}
		return list[at].Text, true
	}
	key := models.Item{}
	for _, k := range e.Table.PrimaryKeys() {
		text, ok := values(k.Name)
		if !ok {
			t, known := e.KeyTemplate(k.Name)
			var err error
			if text, err = t.Format(values); err != nil || !known {
				return nil, fmt.Errorf("%s is incomplete: %w", k.Name, err)
			}
		}
		v, err := models.ScalarValue(k.Type, text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.Name, err)
		}
		key[k.Name] = v
	}
	return key, nil
}
