package lookup

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// MinPrefixLength is the minimum number of characters of an ID or a word for a prefix search.
const MinPrefixLength = 4

// A PrefixMatch is an entity's ID that may begin with a text.
type PrefixMatch struct {
	Entity    *models.Entity
	Attribute string
	Text      string // beginning of the ID, in its own spelling
	Quality   Quality
	Reads     []Read // queries that list matching items; empty if only a table scan finds them
}

// FindByPrefix returns the IDs that may begin with a text, best first. The text is the beginning of an ID, or a
// truncated key or pair of keys. The result includes only unmasked IDs, so that users cannot guess a hidden ID letter
// by letter.
func FindByPrefix(s Schema, text string) []PrefixMatch {
	text = strings.TrimSpace(norm.NFC.String(text))
	if before, _, cut := strings.Cut(strings.ReplaceAll(text, "...", "…"), "…"); cut {
		text = before
	}
	if key, sort, _, err := accesspatterns.SplitPasted(s.Entities, text); err == nil && sort != "" {
		return s.prefixMatchesOfPair(key, sort)
	}
	if utf8.RuneCountInString(text) < MinPrefixLength || len(text) > maxKey || strings.ContainsFunc(text, isEnd) || s.IsOnlyPrefix(text) {
		return nil
	}
	f := &finder{schema: s, seen: map[string]bool{}}
	var list []PrefixMatch
	for _, e := range s.Entities {
		name := e.IDName()
		a := e.Attribute(name)
		if name == "" || a == nil || a.Sensitive != models.NotSensitive || a.Type != models.TypeS {
			continue
		}
		if start, q, ok := s.idStart(e, a, text); ok {
			list = append(list, PrefixMatch{e, name, start, q, f.prefixReads(e, name, start)})
		}
	}
	slices.SortStableFunc(list, func(a, b PrefixMatch) int { return int(a.Quality - b.Quality) })
	return list
}

func (s Schema) prefixMatchesOfPair(key, sort string) []PrefixMatch {
	var list []PrefixMatch
	for _, c := range accesspatterns.Decode(nil, s.Entities, key, "").Candidates {
		e := c.Entity
		t, ok := e.KeyTemplate(e.Table.SortKey.Name)
		if !ok || !c.HasLiteral() || c.Attribute != e.Table.PartitionKey.Name || e.Table.SortKey.Type != models.TypeS ||
			!strings.HasPrefix(sort, t.LiteralPrefix()) || s.masksPart(e, t) {
			continue
		}
		if r, ok := newRead(keyValues{entity: e, values: c.Values, quality: Literal}, nil,
			keyCondition{e.Table.PartitionKey, accesspatterns.Equal, key},
			keyCondition{e.Table.SortKey, accesspatterns.BeginsWith, sort}); ok {
			list = append(list, PrefixMatch{e, e.Table.SortKey.Name, sort, Literal, []Read{r}})
		}
	}
	return list
}

func (s Schema) masksPart(e *models.Entity, t models.Template) bool {
	return slices.ContainsFunc(t.Placeholders(), func(name string) bool {
		a := e.Attribute(name)
		return a != nil && a.Sensitive != models.NotSensitive
	})
}

func (s Schema) idStart(e *models.Entity, a *models.Attribute, text string) (start string, q Quality, ok bool) {
	for _, k := range e.Table.PrimaryKeys() {
		t, _ := e.KeyTemplate(k.Name)
		names := t.Placeholders()
		if rest, found := strings.CutPrefix(text, t.LiteralPrefix()); found && rest != text && rest != "" &&
			len(names) > 0 && names[0] == a.Path {
			if start, ok := canonicalStart(a, rest); ok {
				return start, Literal, true
			}
		}
	}
	start, ok = canonicalStart(a, text)
	if !ok && a.Prefix != "" && isUUIDPrefix(text) {
		start, ok = canonicalStart(a, a.Prefix+strings.ToLower(text))
		return start, Exact, ok
	}
	switch {
	case !ok:
	case a.Prefix != "":
		q = Literal
	case a.Format != models.NoFormat && strings.ContainsFunc(text, unicode.IsDigit) &&
		(a.Format == models.UUID || strings.ContainsFunc(text, unicode.IsLetter)): // otherwise it is a number
		q = Exact
	case s.isLikeExample(e, a.Path, text):
		q = Example
	default:
		q = Bare
	}
	return start, q, ok
}

// isUUIDPrefix reports whether a text may be the beginning of an ID without its prefix.
func isUUIDPrefix(text string) bool {
	example := formatExamples[models.UUID]
	return len(text) < len(example) && strings.ContainsFunc(text, unicode.IsDigit) &&
		models.UUID.Check(strings.ToLower(text)+example[len(text):]) == nil
}

// formatExamples contains a valid value for each format of a fixed length. The end of this value completes the
// beginning of an ID for validation.
var formatExamples = map[models.Format]string{
	models.UUID: "00000000-0000-4000-8000-000000000000", models.UUID7: "00000000-0000-7000-8000-000000000000",
	models.ULID: strings.Repeat("0", 26), models.KSUID: strings.Repeat("0", 27), models.SHA256: strings.Repeat("0", 64),
}

func canonicalStart(a *models.Attribute, text string) (string, bool) {
	switch example, ok := formatExamples[a.Format]; {
	case a.Prefix != "" && isComplete(strings.TrimPrefix(text, a.Prefix)):
		return "", false
	case !strings.HasPrefix(text, a.Prefix) || len(text) == len(a.Prefix) || len(a.Enum) > 0:
		return "", false
	case ok:
		withoutPrefix := strings.TrimPrefix(text, a.Prefix)
		if a.Format == models.ULID {
			withoutPrefix = strings.ToUpper(withoutPrefix)
		} else if a.Format != models.KSUID { // only KSUID uses both cases
			withoutPrefix = strings.ToLower(withoutPrefix)
		}
		return a.Prefix + withoutPrefix, len(withoutPrefix) < len(example) &&
			a.Format.Check(withoutPrefix+example[len(withoutPrefix):]) == nil
	}
	return text, a.Format == models.NoFormat
}

func isComplete(text string) bool {
	for f := range formatExamples {
		if f.Check(text) == nil {
			return true
		}
	}
	return false
}

// prefixReads returns queries with begins_with on the ID in a sort key. Their partition keys may vary only by enums.
func (f *finder) prefixReads(e *models.Entity, name, start string) []Read {
	var list []Read
	for _, x := range append([]*models.Index{nil}, e.Table.Indexes...) {
		partition, sort := e.Table.KeysOf(x)
		if len(sort) == 0 || sort[0].Type != models.TypeS {
			continue
		}
		t, _ := e.KeyTemplate(sort[0].Name)
		at := slices.IndexFunc(t.Segments(), func(s models.Segment) bool { return s.Name != "" })
		if at < 0 || t.IsOneWay() || t.Segments()[at].Name != name || t.Segments()[at].Format != models.NoFormat {
			continue
		}
		for _, values := range f.partitions(e, partition) {
			g := keyValues{entity: e, values: values, quality: Literal}
			var conditions []keyCondition
			for _, k := range partition {
				pk, _ := e.KeyTemplate(k.Name)
				text, err := pk.Format(g.templateValues(pk))
				if err != nil {
					break
				}
				conditions = append(conditions, keyCondition{k, accesspatterns.Equal, text})
			}
			conditions = append(conditions, keyCondition{sort[0], accesspatterns.BeginsWith, t.LiteralPrefix() + start})
			if r, ok := newRead(g, x, conditions...); ok && len(conditions) == len(partition)+1 {
				list = append(list, r)
			}
		}
		if len(list) > 0 {
			return list // other indexes contain the same items
		}
	}
	return nil
}

// partitions returns values for the partition key: a nil map for a literal, or one map for each value of an enum.
func (f *finder) partitions(e *models.Entity, partition []models.Key) []map[string]string {
	var placeholders []string
	for _, k := range partition {
		t, ok := e.KeyTemplate(k.Name)
		if !ok {
			return nil
		}
		placeholders = append(placeholders, t.Placeholders()...)
	}
	if len(placeholders) == 0 {
		return []map[string]string{nil}
	}
	a := e.Attribute(placeholders[0])
	if slices.ContainsFunc(placeholders, func(name string) bool { return name != placeholders[0] }) || a == nil ||
		a.OpenEnum || len(a.Enum) > maxGuesses {
		return nil
	}
	return models.MapSlice(a.Enum, func(v string) map[string]string { return map[string]string{placeholders[0]: v} })
}

// MayBeTitle reports whether a text may consist of words from a title.
func MayBeTitle(text string) bool {
	n := len(strings.Fields(text))
	if n == 1 && strings.ContainsFunc(text, func(r rune) bool { return unicode.IsDigit(r) || strings.ContainsRune("_@:/#", r) }) {
		return false // an ID, an address or a key
	}
	return utf8.RuneCountInString(strings.TrimSpace(text)) >= MinPrefixLength && n > 0 && n <= proseWords &&
		!strings.ContainsAny(text, "\n{}<>") && strings.ContainsFunc(text, unicode.IsLetter)
}
