// This file fills the parameters of one pattern from a pasted key: nobody has to
// take CASE#ver_1 apart by hand.

package accesspatterns

import (
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
)

// Pasted returns the parameters of p that pasted text gives: a key, a pair of
// keys, or the JSON of an item, as SplitPasted takes them. Entity is what the
// text is the key of, nil when it is none, which includes a bare id: that is a
// value, not a key. There are no args when the pattern asks for nothing that the
// key holds; what it does not hold is not guessed.
func Pasted(p *Pattern, patterns []*Pattern, entities []*models.Entity, text string) (args map[string]string, entity *models.Entity) {
	key, sort, item, err := SplitPasted(text)
	if err != nil {
		return nil, nil
	}
	f := filler{canon: canonicals(entities)}
	take := func(v View) {
		f.view = v
		if found := f.some(p); entity == nil || len(found) > len(args) {
			args, entity = found, v.Entity
		}
	}
	if item != nil {
		tried := map[*models.Table]bool{}
		for _, e := range entities {
			if found, ok := models.Recognise(entities, e.Table, item); ok && !tried[e.Table] {
				take(ItemView(found.Entity, item))
			}
			tried[e.Table] = true
		}
		return args, entity
	}
	for _, c := range Decode(patterns, entities, key, sort).Candidates {
		if sort == "" && !c.spelled() {
			continue
		}
		take(c.view())
	}
	return args, entity
}

// spelled reports whether literal text of a template stands in the key: a
// template that is one placeholder takes any text.
func (c *Candidate) spelled() bool {
	for _, m := range c.Matches {
		for _, seg := range m.Template.Segments() {
			if seg.Name == "" && strings.Trim(seg.Literal, "#") != "" {
				return true
			}
		}
	}
	return false
}

// view is what the candidate's key says.
func (c *Candidate) view() View {
	keys := map[string]string{}
	for _, m := range c.Matches {
		keys[m.Attribute] = m.Key
	}
	return View{Entity: c.Entity, Values: models.MapValues(c.Values), Keys: keys}
}

// some returns the parameters of p that the view can fill, as many as there
// are. A range of times stays the person's to choose.
func (f *filler) some(p *Pattern) map[string]string {
	args := map[string]string{}
	for _, q := range p.Params {
		if q.Type == Token || q.Name == p.PageParam || q.Type == Timestamp && (!q.Required || q.Default != "") {
			continue
		}
		if options := f.options(p, q); len(options) > 0 {
			args[q.Name] = options[0].value
		}
	}
	return args
}
