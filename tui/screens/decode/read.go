package decode

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// decodeResult is all that is known about a text.
type decodeResult struct {
	done     bool
	problem  string // why it cannot be decoded at all
	readings []match
	near     []nearKey
	empty    bool
}

// reading is one thing that the text can be.
type match struct {
	env      *screen.Env // of its schema
	schema   string      // its name, where there are several
	entity   *models.Entity
	title    string
	keys     []readKey
	id       string // an id by its prefix, of the attribute
	of       string
	warnings []string
	patterns []accesspatterns.Related
	item     models.Item
}

// readKey is a key attribute taken apart.
type readKey struct {
	attribute, uses string
	template        models.Template
	pieces          []present.KeyPiece
}

// nearKey is a template that almost fits, with the text that it was held
// against.
type nearKey struct {
	accesspatterns.Near
	text string
}

// decodeIn reads a text against each schema and puts the surest reading first.
func decodeIn(in []*screen.Env, text string) decodeResult {
	if len(in) == 1 {
		return decode(in[0], text)
	}
	all := decodeResult{done: true}
	var unknown []string
	for _, env := range in {
		r := decode(env, text)
		name := env.Session.Profile().Name
		for _, reading := range r.readings {
			reading.title = name + " · " + reading.title
			reading.schema = name
			all.readings = append(all.readings, reading)
		}
		all.near = append(all.near, r.near...)
		if all.empty = r.empty; r.problem != "" {
			unknown = append(unknown, r.problem)
		}
	}
	slices.SortStableFunc(all.readings, func(a, b match) int {
		return cmp.Or(len(a.warnings)-len(b.warnings), b.sureness()-a.sureness())
	})
	// A key without literal text fits nearly everything, and one with a separator
	// much: what shares more with a template that almost fits was meant for that.
	least := 0
	if len(all.readings) > 0 && all.readings[0].sureness() > 0 {
		least = 1
	}
	for _, n := range all.near {
		if shared := n.Literal(); shared >= literalMeant && !slices.ContainsFunc(
			all.readings, func(r match) bool { return r.item != nil || r.sureness() >= shared },
		) {
			least = max(least, shared)
		}
	}
	all.readings = slices.DeleteFunc(all.readings, func(r match) bool { return r.item == nil && r.sureness() < least })
	slices.SortStableFunc(all.near, func(a, b nearKey) int {
		return cmp.Or(b.Literal()-a.Literal(), b.Mismatch.Pos-a.Mismatch.Pos)
	})
	all.near = all.near[:min(len(all.near), nearShown)]
	switch {
	case len(all.readings) > 0:
	case len(unknown) == len(in) && allSame(unknown):
		all.problem = unknown[0]
	case len(unknown) == len(in):
		all.problem = "this is an item, but of no entity of the schemas here"
	}
	return all
}

// nearShown is how many templates that almost fit are shown.
const nearShown = 5

// literalMeant is how many bytes of a template's own text a key has when it was
// meant for that template: a separator alone says nothing.
const literalMeant = 3

func allSame(list []string) bool {
	return !slices.ContainsFunc(list, func(s string) bool { return s != list[0] })
}

// sureness is how much of the text only this schema's keys have: their literal
// text, or the prefix of an id.
func (r *match) sureness() int {
	n := 0
	for _, k := range r.keys {
		for _, p := range k.pieces {
			if p.Name == "" {
				n += len(p.Text)
			}
		}
	}
	if a := r.entity.Attribute(r.of); a != nil {
		n += len(a.Prefix)
	}
	return n
}

func decode(env *screen.Env, text string) decodeResult {
	r := decodeResult{done: true}
	key, sort, item, err := accesspatterns.SplitPasted(text)
	switch {
	case err != nil:
		r.problem = err.Error()
	case item != nil:
		r.Items(env, item)
	case key == "" && sort == "":
		r.empty = true
	case len(key) > present.LongestKey || len(sort) > present.LongestKey:
		r.problem = fmt.Sprintf(
			"this is no key: DynamoDB keys have %d bytes at most, this has %d", present.LongestKey,
			max(len(key), len(sort)),
		)
	default:
		r.keys(env, key, sort)
	}
	for i := range r.readings {
		r.readings[i].env = env
	}
	return r
}

// keys reads a key, a pair of keys, or an id.
func (r *decodeResult) keys(env *screen.Env, key, sort string) {
	p := env.Session.Profile()
	d := accesspatterns.Decode(p.Patterns, p.Entities, key, sort)
	for _, c := range d.Candidates {
		out := candidateReading(c, d)
		closestFirst(out.patterns, c.Entity)
		r.readings = append(r.readings, out)
	}
	if sort == "" {
		for _, c := range accesspatterns.DecodeID(p.Patterns, p.Entities, key) {
			r.readings = append(r.readings, match{
				entity: c.Entity, title: present.EntityName(c.Entity) + " " + c.Attribute, id: key, of: c.Attribute,
				warnings: c.Warnings, patterns: c.Patterns,
			})
		}
	}
	if len(r.readings) > 0 {
		return
	}
	for _, n := range d.Near {
		r.near = append(r.near, nearKey{n, nearText(n, key, sort)})
	}
}

// closestFirst orders patterns by how much of the key they use: what reads just
// this item comes before what only shares a part of its key.
func closestFirst(list []accesspatterns.Related, e *models.Entity) {
	closeness := func(r accesspatterns.Related) int {
		n := 2 * len(r.Args)
		for _, returned := range r.Pattern.Returns {
			if returned == e {
				n += 10
				break
			}
		}
		if r.Pattern.Read.Operation == accesspatterns.Get {
			n++
		}
		return n
	}
	slices.SortStableFunc(list, func(a, b accesspatterns.Related) int { return closeness(b) - closeness(a) })
}

func candidateReading(c accesspatterns.Candidate, all accesspatterns.Decoded) match {
	title := present.EntityName(c.Entity) + " " + c.Attribute
	if c.Sort != "" {
		title += " / " + c.Sort
	}
	out := match{entity: c.Entity, title: title, warnings: c.Warnings, patterns: c.Patterns}
	for _, m := range c.Matches {
		k := readKey{attribute: m.Attribute, uses: present.KeyUses(c.Entity.Table, m.Attribute), template: m.Template}
		for _, span := range m.Spans {
			k.pieces = append(k.pieces, present.KeyPiece{Text: all.HideSecrets(m.Key[span.Start:span.End]), Name: span.Segment.Name})
		}
		out.keys = append(out.keys, k)
	}
	return out
}

// nearText is the one of the two texts that the template disagreed with: the
// sort key where the attribute is one and no partition key.
func nearText(n accesspatterns.Near, key, sort string) string {
	if sort == "" {
		return key
	}
	t := n.Entity.Table
	partition := t.PartitionKey.Name == n.Attribute
	for _, x := range t.Indexes {
		partition = partition || x.PartitionKey.Name == n.Attribute
	}
	if partition {
		return key
	}
	return sort
}

// items reads an item: every table whose key it has may be its own.
func (r *decodeResult) Items(env *screen.Env, item models.Item) {
	masker := env.Session.Masker()
	why := ""
	for _, t := range env.Session.Profile().Tables {
		if _, ok := t.PrimaryKey(item); !ok {
			continue
		}
		found, ok := env.Session.Recognize(t, item)
		if !ok {
			why = present.WhyUnknown(env, masker, t, item)
			continue
		}
		e := found.Entity
		out := match{entity: e, title: "Item: " + present.EntityName(e), item: item}
		for _, k := range e.KeyStates(item) {
			if !k.Present {
				continue
			}
			out.keys = append(out.keys, readKey{
				attribute: k.Name, uses: present.KeyUses(t, k.Name), template: k.Template,
				pieces: present.KeyPieces(e, masker, k.Template, k.Stored),
			})
			if k.Problem != "" {
				out.warnings = append(out.warnings, k.Name+" "+driftWords(e, masker, k))
			}
		}
		r.readings = append(r.readings, out)
	}
	switch {
	case len(r.readings) > 0:
	case why != "":
		r.problem = "this item is of no entity of the schema; " + why
	default:
		r.problem = "this is an item, but it has the key of no table of this schema: " + schemaKeys(env)
	}
}

// driftWords say how a key disagrees, without what the masker hides.
func driftWords(e *models.Entity, masker *models.Masker, k models.KeyState) string {
	if masker.Hides(e.TemplateSensitivity(k.Template)) {
		return "does not match the attributes"
	}
	return k.Problem
}

func schemaKeys(env *screen.Env) string {
	text := ""
	for i, t := range env.Session.Profile().Tables {
		if i > 0 {
			text += ", "
		}
		text += t.PartitionKey.Name
		if t.SortKey.Name != "" {
			text += " and " + t.SortKey.Name
		}
		text += " of " + t.Name
	}
	return text
}

// rows are the patterns that the reading opens.
func (r *match) rows(env *screen.Env) []widget.FieldRow {
	rows := make([]widget.FieldRow, len(r.patterns))
	secrets := models.NewMasker(nil, true) // the rest was just pasted
	for i, p := range r.patterns {
		args := ""
		for _, q := range p.Pattern.Params {
			if v, ok := p.Args[q.Name]; ok {
				if args != "" {
					args += " · "
				}
				args += q.Name + " " + models.PrintableCell(present.ShownArg(secrets, q, v, nil), 48)
			}
		}
		title := p.Pattern.Title
		if p.Pattern.Defect() != nil {
			title = "⚠ " + title
		}
		rows[i] = widget.FieldRow{ID: strconv.Itoa(i), Label: env.OperationWord(p.Pattern.Read.Operation), Value: title, Note: args}
	}
	return rows
}

func (r *decodeResult) status() string {
	switch n := len(r.readings); {
	case r.problem != "":
		return "cannot be decoded"
	case r.empty:
		return "paste a key"
	case n == 0:
		return "No match"
	case n == 1:
		return "1 match"
	default:
		return strconv.Itoa(n) + " matches"
	}
}

func (r *decodeResult) enterWord(at int) string {
	if at < len(r.readings) && r.readings[at].item != nil {
		return "open the item"
	}
	if at < len(r.readings) && r.readings[at].schema != "" {
		return "open " + r.readings[at].schema
	}
	return "run"
}
