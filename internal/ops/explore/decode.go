// Package explore contains the operations that read a database or decode a key.
package explore

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/lookup"
	"github.com/ddbdesk/ddbdesk/internal/find"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// Operations lists the package's operations in help order.
var Operations = []*op.Op{findValue, runPattern, decodeKey, compareContexts, followChanges, getFromTable, queryTable, scanTable}

type decodeInput struct{ schema, key, sort string }

var decodeKey = op.New(op.Op{
	Path: "decode", Title: "Decode a key into its entity and placeholders",
	Help: "Lists the entities whose key templates match KEY, with the values of their placeholders and the patterns that\n" +
		"can run with them. If none matches, decode explains why the closest templates do not. KEY can also be a pair\n" +
		"such as 'PK / SK', an item as JSON, or an ID; for an ID, decode lists the possible keys. Without SCHEMA, decode tries\n" +
		"the built-in schemas and yours, and skips templates that match any text. In this case, pass a pair as one\n" +
		"argument. To decode a negative sort key, write it after two dashes: ddbdesk decode SCHEMA KEY -- -12.5",
	Needs: op.Offline, Formats: op.TextJSON,
}, func(in *decodeInput) []*op.Param {
	return []*op.Param{
		op.SchemaArg(&in.schema).Optional(), op.Arg(&in.key, "key", "a key, a pair of keys, or the JSON of an item"),
		op.Arg(&in.sort, "sort_key", "the sort key that belongs to the key").Optional().
			WithCheck(func() error { return accesspatterns.CheckKey(in.sort) }),
	}
}, func(_ context.Context, c *op.Call, in *decodeInput) (op.Result, error) {
	list, err := profilesOf(c, c.Host, in.schema)
	if err != nil {
		return nil, err
	}
	all := Decoded{Candidates: []Candidate{}, Reasons: []string{}}
	var keyErr error
	best := lookup.Bare
	for _, p := range list {
		if in.schema == "" && in.key == p.Name {
			return nil, op.MissingArgument{Param: op.Arg(&in.key, "key", "")}
		}
		d, err := Decode(p, in.key, in.sort)
		viewer := session.NewViewer(c.Access(p))
		for i := range d.Candidates {
			d.Candidates[i].command = viewer.Command
		}
		if len(list) > 1 && d.best == lookup.Bare {
			d.near = accesspatterns.NearestTemplates(p.Entities, in.key, in.sort)
			d.Candidates, d.Reasons = []Candidate{}, mismatchReasons(d.near) // Any text fits the others.
		}
		switch {
		case err != nil:
			keyErr = session.InputErrorf("KEY: %v", err)
			continue
		case d.best < best: // Templates that any text fits are not useful then.
			all, best = d, d.best
		case d.best == best:
			all.Candidates, all.BuiltKeys = append(all.Candidates, d.Candidates...), append(all.BuiltKeys, d.BuiltKeys...)
			all.Reasons, all.near = append(all.Reasons, d.Reasons...), append(all.near, d.near...)
		}
	}
	switch {
	case len(all.Candidates)+len(all.BuiltKeys) > 0:
		all.Reasons = []string{}
	case keyErr != nil:
		return nil, keyErr
	}
	return all, nil
})

// A Candidate is an entity whose key template matches. Patterns contains the full IDs of the patterns that the
// placeholders can fill. Warnings names parts that lack their documented format.
type Candidate struct {
	Schema       string            `json:"schema"`
	Entity       string            `json:"entity"`
	Attribute    string            `json:"attribute"`
	Template     string            `json:"template"`
	Sort         string            `json:"sort,omitempty"`         // sort key attribute, for a pair of keys
	SortTemplate string            `json:"sortTemplate,omitempty"` // the template of Sort
	Placeholders map[string]string `json:"placeholders"`
	Patterns     []string          `json:"patterns"`
	Warnings     []string          `json:"warnings,omitempty"`

	title   string       // title of the entity
	isBare  bool         // any text fits the template, which is one placeholder
	runs    []patternRun // for each pattern in Patterns
	command func(words ...string) string
}

// A patternRun is a pattern's title and the words of the command that runs it.
type patternRun struct {
	title string
	words []string
}

// Decoded is the document of decode. If there is no candidate, Reasons explains the closest templates.
type Decoded struct {
	Candidates []Candidate `json:"candidates"`
	BuiltKeys  []BuiltKey  `json:"makes,omitempty"`
	Reasons    []string    `json:"why"`

	best lookup.Quality
	near []accesspatterns.NearMatch // the templates that Reasons explains
}

// BuiltKey is the key for an ID of an entity. An incomplete sort key ends with "…".
type BuiltKey struct {
	Schema string            `json:"schema"`
	Entity string            `json:"entity"`
	Index  string            `json:"index,omitempty"`
	Keys   map[string]string `json:"keys"`

	title, key string // title of the entity; Keys as readable text
}

// Decode returns the document for a key or a pair of keys. If sort is empty, key may also be pasted text: a pair in one
// text, the JSON of an item with its key, or text that contains one of these; see lookup.Clean. An error describes the
// problem with key, but does not name the argument.
func Decode(p *profiles.Profile, key, sort string) (Decoded, error) {
	if sort != "" {
		return newDecoded(p, accesspatterns.Decode(p.Patterns, p.Entities, key, sort)), accesspatterns.CheckKey(key)
	}
	found, _ := lookup.Find(find.Schema(p), key) // SplitPasted returns the same error.
	first, second, item, err := accesspatterns.SplitPasted(p.Entities, lookup.Clean(find.Schema(p), key))
	if err != nil {
		return Decoded{}, err
	}
	var d Decoded
	if item == nil {
		if err := accesspatterns.CheckKey(first); err != nil {
			return Decoded{}, err
		}
		decoded := accesspatterns.Decode(p.Patterns, p.Entities, first, second)
		d = newDecoded(p, decoded)
		if second == "" && !slices.ContainsFunc(decoded.Near, accesspatterns.NearMatch.MatchesLiteral) {
			d.addBuiltKeys(p, first)
		}
	} else {
		d = newDecoded(p, decodeItem(p, item))
	}
	for _, read := range found.Reads {
		if read.HasKey && read.Distinctive {
			d.best = min(d.best, read.Quality)
		}
	}
	for _, t := range found.Targets {
		if t.Distinctive {
			d.best = min(d.best, t.Quality)
		}
	}
	return d, nil
}

// PlainItem returns the ID in a masked key, for role support. The text may begin with the title of an entity. If ddbdesk
// does not know the key, id is the text.
func PlainItem(p *profiles.Profile, text string) (title, id string) {
	for _, e := range p.Entities {
		if key, ok := strings.CutPrefix(text, e.Title+" "); ok {
			if id := idInKey(p, key); id != "" {
				return e.Title, id
			}
		}
	}
	return "", cmp.Or(idInKey(p, text), text)
}

func idInKey(p *profiles.Profile, key string) string {
	partition, sort, _ := strings.Cut(key, " / ")
	for _, c := range accesspatterns.Decode(nil, p.Entities, partition, sort).Candidates {
		if c.Attribute == c.Entity.Table.PartitionKey.Name {
			return models.Printable(c.Values[c.Entity.IDName()])
		}
	}
	return ""
}

// ItemText returns the whole key of an item, or its title and ID for role support.
func ItemText(c *op.Call, p *profiles.Profile, title, key string) string {
	if c.Plain() {
		_, id := PlainItem(p, key)
		return title + "  " + id
	}
	return key
}

func decodeItem(p *profiles.Profile, item models.Item) accesspatterns.Decoded {
	var d accesspatterns.Decoded
	for _, t := range p.Tables {
		pk, ok := item.Text(t.PartitionKey.Name)
		sk, _ := item.Text(t.SortKey.Name)
		if !ok || pk == "" || sk == "" && t.SortKey.Name != "" {
			continue
		}
		entities := slices.DeleteFunc(p.EntitiesOf(t), func(e *models.Entity) bool { return e.Explain(t.TypeKeys(item)) != nil })
		if len(entities) == 0 { // the item may lack attributes
			entities = p.EntitiesOf(t)
		}
		part := accesspatterns.Decode(p.Patterns, entities, pk, sk)
		part.Candidates = slices.DeleteFunc(part.Candidates, func(c accesspatterns.Candidate) bool {
			return c.Attribute != t.PartitionKey.Name
		})
		d.Candidates, d.Near = append(d.Candidates, part.Candidates...), append(d.Near, part.Near...)
	}
	return d
}

func (d *Decoded) addBuiltKeys(p *profiles.Profile, id string) {
	r, err := lookup.Find(find.Schema(p), id)
	if err != nil {
		return
	}
	isTarget := false
	for _, t := range r.Targets {
		isTarget = isTarget || t.Text == id
		if t.Text != id || !t.Distinctive || t.FoundByRead || !t.IsEntityID || len(d.Candidates) > 0 {
			continue
		}
		m := BuiltKey{Schema: p.Name, Entity: t.Entity.Name, Keys: map[string]string{}}
		for _, k := range t.Entity.Table.PrimaryKeys() {
			template, _ := t.Entity.KeyTemplate(k.Name)
			text, err := template.Format(models.MapValues(map[string]string{t.Attribute: id}))
			if m.Keys[k.Name] = text; err != nil {
				m.Keys[k.Name] = template.String()
			}
		}
		d.addBuilt(m, t.Entity)
	}
	for _, read := range r.Reads {
		if !read.Distinctive || !isTarget {
			continue
		}
		m := BuiltKey{Schema: p.Name, Entity: read.Entity.Name, Keys: read.Keys}
		if read.Index != nil {
			m.Index = read.Index.Name
		}
		d.addBuilt(m, read.Entity)
	}
}

func (d *Decoded) addBuilt(m BuiltKey, e *models.Entity) {
	m.title = e.Title
	m.key = strings.Join(models.MapSlice(e.Table.PrimaryKeys(), func(k models.Key) string { return m.Keys[k.Name] }), " / ")
	d.BuiltKeys = append(d.BuiltKeys, m)
}

func mismatchReasons(matches []accesspatterns.NearMatch) []string {
	return models.MapSlice(matches, func(n accesspatterns.NearMatch) string { return models.Printable(n.String()) })
}

// newDecoded masks secrets. It does not mask personal data, because the user typed the key that contains the data.
func newDecoded(p *profiles.Profile, d accesspatterns.Decoded) Decoded {
	masker := models.NewMasker(p.Entities, true)
	out := Decoded{Candidates: []Candidate{}, Reasons: mismatchReasons(d.Near), best: lookup.Bare, near: d.Near}
	for _, c := range d.Candidates {
		if c.HasLiteral() {
			out.best = lookup.Literal
		}
		j := Candidate{
			Schema: p.Name, Entity: c.Entity.Name, Attribute: c.Attribute, Template: c.Matches[0].Template.String(),
			Placeholders: map[string]string{}, Patterns: []string{}, Warnings: c.Warnings, title: c.Entity.Title,
		}
		j.isBare = len(c.Matches) == 1 && strings.IndexByte(j.Template, '}') == len(j.Template)-1 && j.Template[0] == '{'
		if len(c.Matches) > 1 {
			j.Sort, j.SortTemplate = c.Sort, c.Matches[1].Template.String()
		}
		for name, v := range c.Values {
			if at := c.Entity.Attribute(name); at != nil {
				v = masker.MaskText(v, at.Sensitive, at.Format)
			}
			j.Placeholders[name] = d.HideSecrets(v)
		}
		for _, r := range c.Patterns {
			if id := r.Pattern.FullID(); !slices.Contains(j.Patterns, id) {
				words := []string{"run", session.SchemaName(p), r.Pattern.ID}
				for _, name := range slices.Sorted(maps.Keys(r.Args)) {
					words = append(words, name+"="+d.HideSecrets(r.Args[name]))
				}
				j.Patterns, j.runs = append(j.Patterns, id), append(j.runs, patternRun{r.Pattern.Title, words})
			}
		}
		out.Candidates = append(out.Candidates, j)
	}
	if len(out.Candidates) == 0 && len(out.Reasons) == 0 {
		out.Reasons = append(out.Reasons, "no key template of "+p.Name+" starts like this")
	}
	return out
}

// JSON returns the document.
func (d Decoded) JSON() any { return d }

// Text writes the decoded key as text.
func (d Decoded) Text(to op.Output) error {
	var more []string
	if to.Draws() {
		d, more = d.short()
	}
	if to.Plain {
		return to.Sentences(append(d.plain(), more...)...)
	}
	var lines []string
	for _, c := range d.Candidates {
		line := fmt.Sprintf("%s   %s   %s = %s", c.Schema, c.Entity, c.Attribute, c.Template)
		if c.Sort != "" {
			line += fmt.Sprintf("   %s = %s", c.Sort, c.SortTemplate)
		}
		lines = slices.Concat(lines, []string{line}, c.parts())
		for _, id := range c.Patterns {
			lines = append(lines, "  pattern "+id)
		}
	}
	for _, m := range d.BuiltKeys {
		line := m.Schema + "   " + m.Entity
		for _, name := range slices.Sorted(maps.Keys(m.Keys)) {
			line += "   " + name + " = " + models.Printable(m.Keys[name])
		}
		lines = append(lines, line)
	}
	if len(d.Candidates)+len(d.BuiltKeys) == 0 {
		lines = append(lines, "no key template matches")
	}
	for _, w := range d.Reasons {
		lines = append(lines, "  "+strings.TrimSpace(w))
	}
	return to.Sentences(append(lines, more...)...)
}

// short lists each command once. It omits the key templates that accept any text if another template matches, and
// returns a line about them, or the next step if nothing matches.
func (d Decoded) short() (short Decoded, more []string) {
	listed, all := map[string]bool{}, len(d.Candidates)
	if distinctive := models.Filter(d.Candidates, func(c Candidate) bool { return !c.isBare }); len(distinctive) > 0 {
		d.Candidates = distinctive
	}
	switch omitted := all - len(d.Candidates); {
	case omitted > 0:
		more = []string{english.Plural(omitted, "more key template accepts", "more key templates accept") + " any text; -o json lists them"}
	case all+len(d.BuiltKeys)+len(d.Reasons) == 0:
		more = []string{"for the closest key templates of a schema, run ddbdesk decode SCHEMA KEY"}
	}
	d.Candidates = models.MapSlice(d.Candidates, func(c Candidate) Candidate {
		c.runs = models.Filter(c.runs, func(r patternRun) bool {
			command := c.command(r.words...)
			isNew := !listed[command]
			listed[command] = true
			return isNew
		})
		return c
	})
	return d, more
}

func (c Candidate) parts() (lines []string) {
	for _, n := range slices.Sorted(maps.Keys(c.Placeholders)) {
		lines = append(lines, fmt.Sprintf("  %-20s %s", n, models.Printable(c.Placeholders[n])))
	}
	for _, w := range c.Warnings {
		lines = append(lines, "  warning: "+models.Printable(w))
	}
	return lines
}

// plain describes the key for role support: without the names of keys, and with the commands of the patterns.
func (d Decoded) plain() (lines []string) {
	for _, c := range d.Candidates {
		lines = slices.Concat(lines, []string{c.Schema + "   " + c.title}, c.parts())
		for _, r := range c.runs {
			lines = append(lines, "  "+r.title+":", "    "+c.command(r.words...))
		}
	}
	for _, m := range d.BuiltKeys {
		if m.Index == "" {
			lines = append(lines, m.Schema+"   "+m.title+"   "+models.Printable(m.key))
		}
	}
	if len(d.Candidates)+len(d.BuiltKeys) > 0 {
		return lines
	}
	lines = append(lines, "no key template matches")
	explained := map[*models.Entity]bool{} // Only the closest key of an entity helps.
	for _, n := range d.near {
		if !explained[n.Entity] {
			lines = append(lines, "  "+n.Entity.Title+": "+models.Printable(n.Explanation()))
		}
		explained[n.Entity] = true
	}
	return lines
}
