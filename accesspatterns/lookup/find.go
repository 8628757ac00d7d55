package lookup

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// A text with more than idWords words cannot be the value of a free-text attribute, and a text with more than
// proseWords words cannot be the words of a title.
const (
	idWords    = 3
	proseWords = 8
)

func (s Schema) isEntityName(word string) bool {
	return slices.ContainsFunc(s.Entities, func(e *models.Entity) bool { return strings.EqualFold(e.Name, word) })
}

// Clean returns the key or ID in a text: the whole text if it is a key or ID, and otherwise its most distinctive part.
func Clean(s Schema, text string) string {
	key, sort, item, err := accesspatterns.SplitPasted(s.Entities, text)
	words := tokens(text)
	single := len(words) == 1 && words[0] == strings.TrimSpace(text) && !strings.ContainsAny(text, "%/")
	isKey := func(c accesspatterns.Candidate) bool {
		// A pair is meant as keys, even if its ID does not have the documented format.
		return (c.HasLiteral() || single && len(c.Values) > 1) && (len(c.Warnings) == 0 || sort != "")
	}
	if r, _ := findExact(s, text); err == nil && item != nil && len(r.Reads) > 0 ||
		item == nil && slices.ContainsFunc(accesspatterns.Decode(nil, s.Entities, key, "").Candidates, isKey) {
		return text
	}
	r, err := Find(s, text)
	if err != nil {
		return text
	}
	found := ""
	for _, t := range r.Targets {
		if t.Distinctive && found == "" {
			found = t.Text
		}
	}
	for _, read := range r.Reads {
		if read.HasKey && read.Distinctive && (read.Quality == Literal || found == "") {
			partition, sort := read.Entity.Table.KeysOf(nil)
			found, _ = models.Item(read.Leg.Get.Key).Text(partition[0].Name)
			for _, k := range sort {
				value, _ := models.Item(read.Leg.Get.Key).Text(k.Name)
				found += "\n" + value
			}
			break
		}
	}
	if found == "" || single && strings.Contains(text, found) { // may be a key with an error in it
		return text
	}
	return found
}

// hasSurroundingText reports whether a key is part of a text: a path, punctuation, or characters outside its format.
func (s Schema) hasSurroundingText(text string) bool {
	text = strings.TrimSpace(text)
	if strings.TrimRight(text, trailingChars+",;?") != text || strings.HasPrefix(text, "/") {
		return true
	}
	if (strings.ContainsFunc(text, isEnd) || strings.ContainsAny(text, "/#.") || strings.HasSuffix(text, "-")) &&
		slices.ContainsFunc(s.Entities, func(e *models.Entity) bool {
			a := e.Attribute(e.IDName())
			return a != nil && a.Prefix != "" && a.Format == models.NoFormat && strings.HasPrefix(text, a.Prefix)
		}) {
		return true // any text fits after the prefix
	}
	key, sort, item, err := accesspatterns.SplitPasted(s.Entities, text)
	candidates := accesspatterns.Decode(nil, s.Entities, key, sort).Candidates
	if err != nil || item != nil || sort != "" {
		return err == nil && item == nil && len(candidates) == 0
	}
	if strings.ContainsAny(key, separatorChars) {
		return true
	}
	isUnusual := func(c accesspatterns.Candidate) bool {
		for name, value := range c.Values {
			if _, part := c.Partial(name); !part && c.Entity.Attribute(name) != nil && c.Entity.Attribute(name).Check(value) != nil {
				return true
			}
		}
		return len(c.Warnings) > 0
	}
	return slices.ContainsFunc(candidates, isUnusual) &&
		!slices.ContainsFunc(candidates, func(c accesspatterns.Candidate) bool { return c.HasLiteral() && !isUnusual(c) })
}

// Find looks up a text: an ID or another value, a key, a pair of keys, the JSON of an item or a part of one, as
// accesspatterns.SplitPasted accepts them, or a text that contains one of these, such as a link, a log line, a page of
// a query, an event, or an email address in any form. If the text contains none of these, Find returns the error of
// accesspatterns.SplitPasted or CheckKey. It orders reads by quality, then whole items before partitions, certain reads
// before guessed ones, and reads that use more of the text first. A result without reads is not an error.
func Find(s Schema, text string) (Result, error) {
	if l, ok := ParseConsoleLink(text); ok {
		return l.find(s)
	}
	typed := text
	if text = norm.NFC.String(typed); len(typed) > accesspatterns.MaxPasted {
		text = typed
	}
	r, err := findExact(s, text)
	hasTwoWords := len(strings.Fields(text)) == 2 && !strings.ContainsAny(strings.TrimSpace(text), "\n\t")
	normalized := text
	if len(typed) <= accesspatterns.MaxPasted {
		normalized = normalizedText(text)
	}
	if err == nil && !hasTwoWords && normalized == text && s.isKey(text, r) {
		return r, nil
	}
	isProse := len(strings.Fields(text)) > idWords || strings.HasPrefix(text, "arn:")
	if isProse && r.Best() == Bare {
		isKeyPair := strings.Count(text, " / ") == 1
		r = Result{Reads: slices.DeleteFunc(r.Reads, func(read Read) bool { return !isKeyPair || !read.HasKey })}
	}
	pasted := newPasted(s, normalized, text)
	pasted.add(typed, false) // a key can contain decomposed letters
	inside := pasted.result()
	if len(pasted.list) == 0 {
		if r.LacksCountryCode = inside.LacksCountryCode; isProse && isLegible(normalized) {
			err = nil // the lines are not a pair of keys
		}
		return r, err
	}
	f := &finder{schema: s, seen: map[string]bool{}, result: inside}
	f.result.Reads = nil
	if !slices.ContainsFunc(inside.Reads, func(read Read) bool { return read.HasKey && read.Quality == Literal }) {
		f.addCombinedKeys(inside.Targets)
	}
	switch best := inside.Best(); {
	case err != nil || isProse || r.Best() > best:
		r.Reads = slices.DeleteFunc(r.Reads, func(read Read) bool { return read.Quality == Bare && !read.IsItem })
	case r.Best() < best || best == Bare:
		f.result.Targets, f.result.Missing = r.Targets, r.Missing
	default: // a link may be a value, and may contain an ID
		f.result.Targets, f.result.Missing = slices.Concat(inside.Targets, r.Targets), slices.Concat(inside.Missing, r.Missing)
	}
	for _, read := range slices.Concat(r.Reads, inside.Reads) {
		f.add(read)
	}
	f.sortResult()
	return f.result, nil
}

func (f *finder) addCombinedKeys(targets []Target) {
	for _, e := range f.schema.Entities {
		values, texts := map[string]string{}, map[string]bool{}
		for _, t := range targets {
			if _, isSet := values[t.Attribute]; t.Entity == e && t.Quality < Bare && !isSet && !texts[t.Text] {
				values[t.Attribute], texts[t.Text] = t.Text, true
			}
		}
		var needed []string
		for _, k := range e.Table.PrimaryKeys() {
			t, _ := e.KeyTemplate(k.Name)
			needed = append(needed, t.Placeholders()...)
		}
		isMissing := func(name string) bool { return values[name] == "" }
		if len(needed) > 1 && !slices.ContainsFunc(needed, isMissing) {
			f.addKeyRead(keyValues{entity: e, values: values, quality: Example, distinctive: true, whole: true}, nil, "")
		}
	}
}

// isKey reports whether a text is a key, an item or an ID with a prefix, and nothing else.
func (s Schema) isKey(text string, r Result) bool {
	return (r.Best() == Literal || len(r.Targets) == 0 && len(r.Reads) > 0) && !r.mixed && !s.hasSurroundingText(text)
}

// identifiesOther reports whether a piece identifies an item, in any spelling, that another result does not identify.
func (p piece) identifiesOther(other Result) bool {
	plain := func(r Read) string { return strings.ToLower(strings.ReplaceAll(r.Fingerprint(), "-", "")) }
	return slices.ContainsFunc(p.found.Reads, func(r Read) bool {
		return r.IsItem && r.Distinctive && !slices.ContainsFunc(other.Reads, func(o Read) bool { return plain(o) == plain(r) })
	})
}

func (p *pastedText) result() Result {
	r := Result{Truncated: p.truncated, LacksCountryCode: p.lacksCountryCode}
	for i, one := range p.list {
		for j := range one.found.Reads {
			one.found.Reads[j].From = one.from
		}
		for j := range one.found.Targets {
			one.found.Targets[j].From = one.from
		}
		if i == 0 {
			isInObject := len(one.from) > 0 && strings.HasPrefix(p.whole, "{")
			r.HasOtherText = !one.standsAlone && !one.isWholeValue && (isInObject || len(strings.Fields(p.whole)) > 1)
		}
		r.HasOtherText = r.HasOtherText || i > 0 && one.identifiesOther(p.list[0].found)
		r.Reads, r.Targets = append(r.Reads, one.found.Reads...), append(r.Targets, one.found.Targets...)
		r.Missing = append(r.Missing, one.found.Missing...)
	}
	return r
}
