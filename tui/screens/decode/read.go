package decode

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/lookup"
	"github.com/ddbdesk/ddbdesk/internal/find"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A decodeResult contains the possible meanings of a text.
type decodeResult struct {
	done        bool
	problem     string      // reason why the text cannot be decoded
	matches     []match     // best first
	nearMatches []nearMatch // templates that nearly match, if none matches
	empty       bool
}

// A match is one meaning of a text.
type match struct {
	entity    *models.Entity
	title     string
	keys      []decodedKey
	id        string // the text as an ID with a known prefix
	attribute string // attribute that contains the ID
	warnings  []string
	patterns  []accesspatterns.Related
	item      models.Item // item, if the text is an item; otherwise nil
	key       models.Item // primary key, if the text is one; otherwise nil
}

// A decodedKey is a key attribute, split into the parts of its template.
type decodedKey struct {
	attribute, uses string
	template        models.Template
	pieces          []present.KeyPiece
}

// A nearMatch is a template that nearly matches a text.
type nearMatch struct {
	accesspatterns.NearMatch
	text string
}

func (m *match) score() int {
	n := 0
	for _, k := range m.keys {
		for _, p := range k.pieces {
			if p.Name == "" {
				n += len(p.Text)
			}
		}
	}
	if a := m.entity.Attribute(m.attribute); a != nil {
		n += len(a.Prefix)
	}
	return n
}

func decode(env *screen.Env, text string) decodeResult {
	r := decodeResult{done: true}
	p := env.Session.Profile()
	key, sort, item, err := accesspatterns.SplitPasted(p.Entities, lookup.Clean(find.Schema(p), text))
	switch {
	case err != nil:
		r.problem = err.Error()
	case item != nil:
		r.items(env, item)
	case key == "" && sort == "":
		r.empty = true
	case len(key) > present.MaxKeyLength || len(sort) > present.MaxKeyLength:
		r.problem = fmt.Sprintf(
			"the text is too long: a DynamoDB key has at most %d bytes, and this one has %d", present.MaxKeyLength,
			max(len(key), len(sort)),
		)
	default:
		r.keys(env, key, sort)
	}
	return r
}

func (r *decodeResult) keys(env *screen.Env, key, sort string) {
	p := env.Session.Profile()
	d := accesspatterns.Decode(p.Patterns, p.Entities, key, sort)
	for _, c := range d.Candidates {
		result := newMatch(c, d)
		closestFirst(result.patterns, c.Entity)
		r.matches = append(r.matches, result)
	}
	if sort == "" {
		for _, c := range accesspatterns.DecodeID(p.Patterns, p.Entities, key) {
			r.matches = append(r.matches, match{
				entity: c.Entity, title: present.EntityName(c.Entity) + " " + c.Attribute, id: key, attribute: c.Attribute,
				warnings: c.Warnings, patterns: c.Patterns,
			})
		}
		// A template without literal text matches every text, so the prefix of an ID is better evidence.
		slices.SortStableFunc(r.matches, func(a, b match) int { return min(b.score(), 1) - min(a.score(), 1) })
	}
	if len(r.matches) > 0 {
		return
	}
	for _, n := range d.Near {
		r.nearMatches = append(r.nearMatches, nearMatch{n, nearMatchText(n, key, sort)})
	}
}

// closestFirst puts reads of exactly this item before reads of all items that share a part of its key.
func closestFirst(list []accesspatterns.Related, e *models.Entity) {
	closeness := func(r accesspatterns.Related) int {
		n := 2 * len(r.Args)
		if slices.Contains(r.Pattern.Returns, e) {
			n += 10
		}
		if r.Pattern.Read.Operation == accesspatterns.Get {
			n++
		}
		return n
	}
	slices.SortStableFunc(list, func(a, b accesspatterns.Related) int { return closeness(b) - closeness(a) })
}

func newMatch(c accesspatterns.Candidate, all accesspatterns.Decoded) match {
	title := present.EntityName(c.Entity) + " " + c.Attribute
	if c.Sort != "" {
		title += " / " + c.Sort
	}
	result := match{entity: c.Entity, title: title, warnings: c.Warnings, patterns: c.Patterns}
	typed := models.Item{}
	for _, m := range c.Matches {
		typed[m.Attribute] = models.StringValue(m.Key)
		k := decodedKey{attribute: m.Attribute, uses: present.KeyUses(c.Entity.Table, m.Attribute), template: m.Template}
		for _, span := range m.Spans {
			k.pieces = append(k.pieces, present.KeyPiece{Text: all.HideSecrets(m.Key[span.Start:span.End]), Name: span.Segment.PartName()})
		}
		result.keys = append(result.keys, k)
	}
	result.key, _ = c.Entity.Table.PrimaryKey(c.Entity.Table.TypeKeys(typed))
	return result
}

func nearMatchText(n accesspatterns.NearMatch, key, sort string) string {
	if sort == "" {
		return key
	}
	t := n.Entity.Table
	isPartitionKey := t.PartitionKey.Name == n.Attribute
	for _, x := range t.Indexes {
		isPartitionKey = isPartitionKey || models.KeyPosition(x.PartitionKeys, n.Attribute) >= 0
	}
	if isPartitionKey {
		return key
	}
	return sort
}

func (r *decodeResult) items(env *screen.Env, item models.Item) {
	masker := env.Session.Masker()
	reason := ""
	for _, t := range env.Session.Profile().Tables {
		if _, ok := t.PrimaryKey(item); !ok {
			continue
		}
		item := t.TypeKeys(item)
		found, ok := env.Session.Recognize(t, item)
		if !ok {
			reason = present.UnknownReason(env, masker, t, item)
			continue
		}
		e := found.Entity
		result := match{entity: e, title: "Item: " + present.EntityName(e), item: item}
		for _, k := range e.KeyStates(item) {
			if !k.Present {
				continue
			}
			result.keys = append(result.keys, decodedKey{
				attribute: k.Name, uses: present.KeyUses(t, k.Name), template: k.Template,
				pieces: present.KeyPieces(e, masker, k.Template, k.Stored),
			})
			if k.Problem != "" {
				reason := k.Problem
				if masker.Hides(e.TemplateSensitivity(k.Template)) {
					reason = "does not match the attributes"
				}
				result.warnings = append(result.warnings, k.Name+" "+reason)
			}
		}
		r.matches = append(r.matches, result)
	}
	switch {
	case len(r.matches) > 0:
	case reason != "":
		r.problem = "no entity of the schema matches this item; " + reason
	default:
		r.problem = "the keys of this item match no table of the schema; they are " + schemaKeys(env)
	}
}

func schemaKeys(env *screen.Env) string {
	return strings.Join(models.MapSlice(env.Session.Profile().Tables, func(t *models.Table) string {
		return present.Join(t.PartitionKey.Name, t.SortKey.Name, " and ") + " of " + t.Name
	}), ", ")
}

func (m *match) rows(env *screen.Env) []widget.FieldRow {
	rows := make([]widget.FieldRow, len(m.patterns))
	secrets := models.NewMasker(nil, true) // The user just pasted the text, so mask secrets only.
	for i, p := range m.patterns {
		title := p.Pattern.Title
		if p.Pattern.HasSeriousFinding() {
			title = "⚠ " + title
		}
		rows[i] = widget.FieldRow{
			ID: strconv.Itoa(i), Label: env.OperationWord(p.Pattern.Read.Operation), Value: title,
			Note: present.MaskedArgs(env, secrets, p, nil),
		}
	}
	return rows
}

func (r *decodeResult) status() string {
	switch {
	case r.problem != "":
		return "cannot be decoded"
	case r.empty:
		return "paste a key"
	case len(r.matches) == 0:
		return "No match"
	}
	return present.Plural(len(r.matches), "match")
}
