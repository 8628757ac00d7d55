// Package lookup finds the cheap reads of a schema that a pasted text can fill: a GetItem for an item, and a Query for
// a partition of a table or index. It sends no requests.
package lookup

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Schema is the schema in which a text is looked up. It is read-only, so goroutines may share it. Package lookup may
// call Examples many times for one text.
type Schema struct {
	Patterns []*accesspatterns.Pattern
	Entities []*models.Entity
	// Examples returns the declared examples of an attribute, or nil if there are none.
	Examples func(e *models.Entity, path string) []string
}

// A Quality describes how distinctively a text matches an attribute or a key template. A lower number is better.
type Quality int

// The qualities are in order, best first.
const (
	Literal Quality = iota // the text starts with literal text of a template, or with the prefix of an attribute
	Example                // the text begins like a declared example
	Exact                  // the text has the format of the attribute, or is one of its values
	Bare                   // the template is one placeholder that accepts any text
)

// A Read is one request that may find the text. It reads at most one partition. Its leg has neither a limit nor a
// start; the caller sets both.
type Read struct {
	Entity      *models.Entity // entity of the read's items; a partition may contain others
	Index       *models.Index  // nil to read the table
	Leg         accesspatterns.Leg
	Quality     Quality
	IsItem      bool // GetItem: the text identifies the item
	HasKey      bool // the text contains the item's key, not only values for it
	Guessed     bool // the text lacks part of the key, so the read tries an enum value
	Distinctive bool // few unrelated texts match the key: a prefix, a name, a format of IDs or addresses

	IsReference bool // the read's items refer to the item whose ID the text may be
	// Keys contains the texts of the key attributes. The template replaces a secret text, and … follows a prefix.
	Keys map[string]string
	From string // position of the ID or key in the text: the path in an object, or the line; "" for the whole text

	names []string // placeholders that the text fills
	parts int      // number of these placeholders in the key
	order int
}

// A Target is an attribute that may contain the text or a part of it.
type Target struct {
	Entity    *models.Entity
	Attribute string // path of the attribute
	Text      string // the possible value, in the spelling of the attribute
	From      string // position in the text; see Read
	Quality   Quality
	// IsEntityID is set if the attribute identifies the entity's items: it is in the primary key and is not a
	// reference.
	IsEntityID  bool
	Distinctive bool // few unrelated texts match it
	// FoundByRead is set if one of the reads finds the entity's items by this attribute.
	FoundByRead bool
}

// A Missing is a pattern that the text fills only in part, because other parts of its partition key are unknown.
type Missing struct {
	Pattern    *accesspatterns.Pattern
	Text       string   // value of the parameter
	Param      string   // parameter that the text fills
	Parameters []string // required parameters without a value
	Quality    Quality
}

// A Result contains the possible reads for a text in one schema.
type Result struct {
	Reads        []Read   // best first
	Targets      []Target // best first; only for values
	Missing      []Missing
	HasOtherText bool // the text contains more than the matched part, as a log line does
	Truncated    bool // the text exceeds the limits of the lookup

	LacksCountryCode bool // the text is a phone number without its country

	mixed bool // the text is an object that contains more than an item
}

// Best returns the quality of the best target or read, or Bare if there is none. Texts that match nothing therefore
// have the same quality as texts that match everything.
func (r Result) Best() Quality {
	best := Bare
	for _, t := range r.Targets {
		best = min(best, t.Quality)
	}
	for _, read := range r.Reads {
		best = min(best, read.Quality)
	}
	return best
}

func findExact(s Schema, text string) (Result, error) {
	key, sort, item, err := accesspatterns.SplitPasted(s.Entities, text)
	if err != nil {
		return Result{}, err
	}
	f := &finder{schema: s, seen: map[string]bool{}}
	switch {
	case item != nil:
		f.addItemReads(item)
		f.sortResult()
		return f.result, nil
	case sort != "":
		if err := accesspatterns.CheckKey(sort); err != nil {
			return Result{}, err
		}
	}
	if err := accesspatterns.CheckKey(key); err != nil {
		return Result{}, err
	}
	isKey := f.addKeyReads(key, sort)
	switch {
	case sort != "":
		if len(f.result.Reads) == 0 && accesspatterns.CheckKey(strings.TrimSpace(text)) == nil {
			f.addKeyReads(strings.TrimSpace(text), "") // a value in the key may contain the separator
		}
	case !isKey:
		f.addValueReads(key)
		f.result.Missing = f.missingPatterns(key)
	case len(f.result.Reads) == 0:
		f.addKeyTargets(key)
		f.result.Missing = f.missingPatterns(key)
	}
	f.sortResult()
	return f.result, nil
}

// A finder collects the result for one text.
type finder struct {
	schema Schema
	result Result
	seen   map[string]bool // requests already added
}

func (f *finder) sortResult() {
	r := &f.result
	slices.SortStableFunc(r.Reads, func(a, b Read) int {
		return cmp.Or(
			cmp.Compare(a.Quality, b.Quality), cmp.Compare(trueFirst[a.IsItem], trueFirst[b.IsItem]),
			cmp.Compare(trueFirst[b.Guessed], trueFirst[a.Guessed]),
			cmp.Compare(b.parts, a.parts), cmp.Compare(a.order, b.order),
		)
	})
	slices.SortStableFunc(r.Targets, func(a, b Target) int {
		return cmp.Or(cmp.Compare(a.Quality, b.Quality), cmp.Compare(trueFirst[a.IsEntityID], trueFirst[b.IsEntityID]))
	})
	slices.SortStableFunc(r.Missing, func(a, b Missing) int { return cmp.Compare(a.Quality, b.Quality) })
}

// trueFirst sorts true before false.
var trueFirst = map[bool]int{true: -1}

// addKeyReads reports whether the text has the form of a key. A template without literal text matches every key, so
// addKeyReads tries its placeholders as values instead.
func (f *finder) addKeyReads(key, sort string) (isKey bool) {
	d := accesspatterns.Decode(nil, f.schema.Entities, key, sort)
	for i := range d.Candidates {
		c := &d.Candidates[i]
		q := Literal
		if !c.HasLiteral() {
			if q = Exact; sort != "" {
				q = f.schema.worstQuality(c)
			} else if len(c.Values) < 2 || len(c.Warnings) > 0 {
				continue
			}
		}
		isKey = isKey || q == Literal && len(c.Warnings) == 0
		keys := map[string]string{}
		for _, m := range c.Matches {
			if sort != "" { // a sort key alone may be the beginning of a longer one
				keys[m.Attribute] = m.Key
			}
		}
		f.addReads(keyValues{
			entity: c.Entity, values: c.Values, keys: keys, distinctive: q == Literal || sort != "" && q < Bare, quality: q,
			partial: partialOf(c), whole: true, hasBothKeys: sort != "",
		})
	}
	return isKey
}

func (s Schema) worstQuality(c *accesspatterns.Candidate) Quality {
	worst := Literal
	for name, text := range c.Values {
		q, ok := s.matchQuality(c.Entity, name, text)
		if worst = max(worst, q); !ok {
			return Bare
		}
	}
	return worst
}

func (f *finder) addKeyTargets(key string) {
	for _, c := range accesspatterns.Decode(nil, f.schema.Entities, key, "").Candidates {
		if c.HasLiteral() && len(c.Values) > 0 { // many items have a key without values, such as META
			f.result.Targets = append(f.result.Targets, Target{
				Entity: c.Entity, Attribute: c.Attribute, Text: key, Quality: Literal, Distinctive: true,
				IsEntityID: c.Attribute == c.Entity.Table.SortKey.Name,
			})
		}
	}
}

func partialOf(c *accesspatterns.Candidate) map[string]models.Format {
	partial := map[string]models.Format{}
	for name := range c.Values {
		if f, ok := c.Partial(name); ok {
			partial[name] = f
		}
	}
	return partial
}

func (f *finder) addValueReads(text string) {
	for _, e := range f.schema.Entities {
		f.addValueTargets(e, e.Attributes, text)
		for _, name := range placeholdersOf(e) {
			if q, ok := f.schema.matchQuality(e, name, text); ok {
				f.addReads(keyValues{entity: e, values: map[string]string{name: text}, quality: q, distinctive: isDistinctive(e, name, q)})
			} else if period, q, ok := periodOf(e, name, text); ok {
				f.addReads(keyValues{
					entity: e, values: map[string]string{name: text}, quality: q, partial: map[string]models.Format{name: period},
				})
			}
		}
	}
	for i := range f.result.Targets {
		t := &f.result.Targets[i]
		t.FoundByRead = slices.ContainsFunc(f.result.Reads, func(r Read) bool {
			return r.Entity == t.Entity && slices.Contains(r.names, t.Attribute)
		})
	}
}

func (f *finder) addValueTargets(e *models.Entity, list []*models.Attribute, text string) {
	for _, a := range list {
		if q, ok := f.schema.matchQuality(e, a.Path, text); ok {
			f.result.Targets = append(f.result.Targets, Target{
				Entity: e, Attribute: a.Path, Text: text, Quality: q, Distinctive: isDistinctive(e, a.Path, q),
				IsEntityID: a.Refers == "" && isInPrimaryKey(e, a.Path),
			})
		}
		if a.Type == models.TypeM {
			f.addValueTargets(e, a.Attributes, text)
		}
	}
}

func (f *finder) addItemReads(it models.Item) {
	hasItem := false
	recognized := map[*models.Table]*models.Entity{}
	for _, e := range f.schema.Entities {
		if _, tried := recognized[e.Table]; !tried {
			r, _ := models.Recognize(f.schema.Entities, e.Table, it)
			recognized[e.Table] = r.Entity
		}
	}
	for _, e := range f.schema.Entities {
		if known := recognized[e.Table]; known != nil && known != e {
			continue
		}
		values, keys := map[string]string{}, map[string]string{}
		for _, k := range e.KeyNames() {
			keys[k], _ = it.Text(k)
		}
		itemValues := e.Values(it)
		for _, name := range placeholdersOf(e) {
			if text, ok := itemValues(name); ok {
				values[name] = text
			}
		}
		unrelated := isUnrelated(e, it)
		whole, quality := (recognized[e.Table] == e || hasKeyOf(e, it)) && !unrelated, Exact
		if whole {
			quality = Literal
		}
		n := len(f.result.Reads)
		g := keyValues{entity: e, values: values, keys: keys, quality: quality, distinctive: true, whole: whole, hasItem: !unrelated}
		if unrelated || !f.addStoredKey(g, it) || !whole {
			f.addReads(g)
		}
		hasItem = hasItem || !unrelated && len(f.result.Reads) > n
	}
	f.result.mixed = !hasItem
}

// addStoredKey reads the item's own key, which may differ from its attributes or match no entity.
func (f *finder) addStoredKey(g keyValues, it models.Item) bool {
	key, ok := g.entity.Table.PrimaryKey(it)
	r, isValid := newRead(g, nil, models.MapSlice(g.entity.Table.PrimaryKeys(), func(k models.Key) keyCondition {
		text, _ := key.Text(k.Name)
		return keyCondition{k, accesspatterns.Equal, text}
	})...)
	if ok = ok && isValid; ok {
		f.add(r)
	}
	return ok
}

// hasKeyOf accepts a key without other attributes, because an entity with a condition can have this key.
func hasKeyOf(e *models.Entity, it models.Item) bool {
	hasLiteral := false
	for _, k := range e.Table.PrimaryKeys() {
		text, ok := it.Text(k.Name)
		t, _ := e.KeyTemplate(k.Name)
		if _, err := t.Parse(text); !ok || err != nil {
			return false
		}
		hasLiteral = hasLiteral || t.LiteralPrefix() != ""
	}
	return hasLiteral
}

// isUnrelated reports whether an object shares little with an entity except an ID. Keys with literal text identify it.
func isUnrelated[V any](e *models.Entity, object map[string]V) bool {
	for _, k := range e.Table.PrimaryKeys() {
		t, _ := e.KeyTemplate(k.Name)
		if _, has := object[k.Name]; has && t.LiteralPrefix() != "" {
			return false
		}
	}
	declared := 0
	for name := range object {
		if e.ByName != nil || slices.Contains(e.KeyNames(), name) || slices.ContainsFunc(e.Attributes, func(a *models.Attribute) bool {
			return a.Path == name || strings.HasPrefix(a.Path, name+".")
		}) {
			declared++
		}
	}
	return 2*declared <= len(object)
}

func placeholdersOf(e *models.Entity) []string {
	var names []string
	for _, k := range e.KeyNames() {
		t, _ := e.KeyTemplate(k)
		for _, name := range t.Placeholders() {
			names = models.AppendOnce(names, name)
		}
	}
	return names
}

func isInPrimaryKey(e *models.Entity, path string) bool {
	return slices.ContainsFunc(e.Table.PrimaryKeys(), func(k models.Key) bool {
		t, ok := e.KeyTemplate(k.Name)
		return ok && t.Has(path)
	})
}
