package lookup

import (
	"encoding/base64"
	"encoding/json"
	"html"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// These limits bound the search in one text.
const (
	maxPieces   = 32
	maxFreeText = 1    // maximum number of loose pieces
	maxDepth    = 8    // nesting depth of JSON in JSON
	maxTries    = 32   // braces that may begin an object
	maxValues   = 2000 // number of values in objects
	maxStarts   = 200  // places where a key may begin
	maxHosts    = 4    // domains
	maxKey      = 2048 // bytes; the limit of a DynamoDB partition key
	maxYAML     = 16 << 10
)

// A piece is a part of a text. Free-text attributes may match only a piece that stands alone, because otherwise every
// word of a sentence would match.
type piece struct {
	standsAlone  bool
	isWholeValue bool   // the piece is a whole value of an object
	from         string // position in the text, "" if the text has one line
	found        Result
}

// A pastedText splits a text into pieces that may identify an item: pairs of keys separated by a line break, items as
// JSON, keys, and IDs in their canonical spelling. The most specific piece comes first.
type pastedText struct {
	schema       Schema
	whole        string
	list         []piece
	seen         map[string]bool
	values       int      // number of examined values in objects
	freeText     int      // number of pieces that only free-text attributes match
	truncated    bool     // there may be more pieces
	path         []string // path of the current value in an object
	names        map[string][]string
	isWholeValue bool // the next piece is the whole value

	lacksCountryCode bool
}

// newPasted splits a normalized text into pieces. The whole text is not one of them.
func newPasted(s Schema, text, whole string) *pastedText {
	p := &pastedText{schema: s, whole: strings.TrimSpace(whole), seen: map[string]bool{}}
	if isLegible(text) {
		p.addPieces(strings.TrimSpace(text), 0)
	}
	return p
}

func isLegible(text string) bool {
	control := func(r rune) bool { return unicode.IsControl(r) && !unicode.IsSpace(r) }
	return len(text) <= accesspatterns.MaxPasted && utf8.ValidString(text) && !strings.ContainsFunc(text, control)
}

// add drops pieces that match nothing, and pieces that match only free-text attributes unless they stand alone.
func (p *pastedText) add(text string, standsAlone bool) {
	text = strings.TrimSpace(text)
	if text == "" || text == p.whole || p.seen[text] {
		return
	}
	p.seen[text] = true
	found, err := findExact(p.schema, text)
	if err != nil || found.Best() == Bare && (!standsAlone || p.freeText == maxFreeText) {
		return
	}
	if found.Best() == Bare {
		p.freeText++
	}
	found.Reads = slices.DeleteFunc(found.Reads, func(r Read) bool { return !standsAlone && r.Quality == Bare })
	switch {
	case len(found.Reads)+len(found.Targets)+len(found.Missing) == 0:
	case len(p.list) >= maxPieces:
		p.truncated = true
	default:
		p.list = append(p.list, piece{standsAlone, p.isWholeValue, p.positionOf(text), found})
	}
}

func (p *pastedText) positionOf(part string) string {
	if len(p.path) > 0 {
		return strings.Join(p.path, ".")
	}
	before, _, ok := strings.Cut(strings.ToLower(p.whole), strings.ToLower(part))
	if !ok || !strings.Contains(p.whole, "\n") {
		return ""
	}
	return "line " + strconv.Itoa(1+strings.Count(before, "\n"))
}

// addGuessedID adds an ID in a format that any system may use.
func (p *pastedText) addGuessedID(id string) {
	n := len(p.list)
	p.add(id, false)
	for _, one := range p.list[n:] {
		p.list[n].found = Result{Reads: one.found.Reads}
		for i := range one.found.Reads {
			one.found.Reads[i].Quality, one.found.Reads[i].Distinctive = Exact, false
		}
	}
}

func (p *pastedText) addPieces(text string, depth int) {
	if depth > maxDepth || len(p.list) >= maxPieces {
		return
	}
	if plain, err := url.PathUnescape(text); err == nil && plain != text && !strings.ContainsAny(text, " \n\t{") {
		p.addConsoleLinks(text)
		p.addPieces(plain, depth+1)
		if depth == 0 && len(tokens(plain)) == 1 {
			p.add(plain, true)
		}
		return
	}
	p.addConsoleLinks(text)
	if depth == 0 {
		for _, plain := range unescaped(text) {
			p.add(plain, len(tokens(plain)) == 1)
			p.addPieces(plain, depth+1)
		}
	}
	words := slices.DeleteFunc(strings.FieldsFunc(text, isSeparator), func(word string) bool { return word == "/" })
	for i := range min(len(words)-1, maxTries) { // columns of a row
		if len(words) == 2 || lowerLetters(words[i]) != strings.ToLower(words[i]) { // A word can be a constant key.
			p.add(strings.Trim(words[i], "\"'`,|")+"\n"+strings.Trim(words[i+1], "\"'`,|"), false)
		}
	}
	p.addObjects(text, depth)
	p.addJoinedLines(text)
	p.addDecodedBase64(text, depth)
	p.addKeys(text)
	p.addCanonical(text)
	p.addTokens(text)
	p.addLabeled(text)
}

// addLabeled reads labeled values such as userId=1003 and user_id: 1003 as objects, because a short ID alone could be
// any number. A repeated label begins another object.
func (p *pastedText) addLabeled(text string) {
	if strings.Contains(text, "{") {
		return // addObjects reads objects
	}
	object := map[string]any{}
	for _, m := range textPatterns().labeled.FindAllStringSubmatch(text, maxTries) {
		if names := p.namesOf(m[1]); len(names) > 0 && object[names[0]] != nil {
			p.addLabeledObject(object)
			object = map[string]any{}
		}
		for _, name := range p.namesOf(m[1]) {
			object[name] = strings.TrimRight(m[2], trailingChars)
		}
	}
	p.addLabeledObject(object)
}

// namesOf returns the keys and the parts of keys that a label such as tenant_id names.
func (p *pastedText) namesOf(label string) []string {
	if p.names == nil {
		p.names = map[string][]string{}
		for _, e := range p.schema.Entities {
			for _, name := range slices.Concat(e.KeyNames(), placeholdersOf(e)) {
				letters := lowerLetters(name)
				isLabel := letters != name || strings.HasSuffix(letters, "id") && len(letters) > 2
				if isLabel && !slices.Contains(p.names[letters], name) {
					p.names[letters] = append(p.names[letters], name)
				}
			}
		}
	}
	return p.names[lowerLetters(label)]
}

// addLabeledObject skips an object of UUIDs, which addCanonical finds without their labels.
func (p *pastedText) addLabeledObject(object map[string]any) {
	for _, v := range object {
		if text, ok := v.(string); !ok || !textPatterns().uuid.MatchString(text) {
			if b, err := json.Marshal(object); err == nil {
				p.add(string(b), false)
			}
			return
		}
	}
}

func (p *pastedText) addJoinedLines(text string) {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		lines[i] = strings.Trim(line, "> |\t\r")
	}
	if len(lines) < 2 || len(lines) > maxDepth || slices.ContainsFunc(lines,
		func(l string) bool { return l == "" || strings.Contains(l, " ") }) {
		return
	}
	joined := strings.Join(lines, "")
	p.addCanonical(joined)
	if !slices.ContainsFunc(lines[1:], p.schema.hasLiteralPrefix) { // otherwise it is a list of IDs
		p.addKeys(joined)
	}
}

func (s Schema) hasLiteralPrefix(text string) bool {
	return slices.ContainsFunc(s.literalPrefixes(), func(start string) bool {
		return len(text) > len(start) && strings.EqualFold(text[:len(start)], start)
	})
}

// minBase64Length is the minimum length of base64 that may be a key or an ID.
const minBase64Length = 16

func (p *pastedText) addDecodedBase64(text string, depth int) {
	for _, code := range tokens(text) {
		if len(code) < minBase64Length {
			continue
		}
		plain, err := base64.RawStdEncoding.DecodeString(code)
		if err != nil {
			plain, err = base64.RawURLEncoding.DecodeString(code)
		}
		if decoded := string(plain); err == nil && utf8.ValidString(decoded) && !strings.ContainsFunc(decoded, unicode.IsControl) {
			p.add(decoded, false)
			p.addPieces(decoded, depth+1)
		}
	}
}

// unescaped interprets a text as a string in JSON and most languages, as Markdown, as HTML and as quoted-printable.
func unescaped(text string) []string {
	l, r := textPatterns().escape, strings.NewReplacer("=\r\n", "", "=\n", "")
	code := func(digits string) string {
		n, err := strconv.ParseUint(digits, 16, 32)
		if err != nil {
			return digits
		}
		return string(rune(n))
	}
	list := []string{
		l.ReplaceAllStringFunc(text, func(s string) string {
			if len(s) == 2 {
				return s[1:]
			}
			return code(s[2:])
		}),
		normalizedText(html.UnescapeString(text)),
		textPatterns().quoted.ReplaceAllStringFunc(r.Replace(text), func(s string) string { return code(s[1:]) }),
	}
	return slices.DeleteFunc(list, func(plain string) bool { return plain == text })
}

// separatorChars are separators without blanks between the two keys of an item.
const separatorChars = ",;|"

func isSeparator(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(separatorChars, r) }

// normalizedText replaces invisible characters, non-breaking spaces and hyphens, and wide letters.
func normalizedText(text string) string {
	if !utf8.ValidString(text) {
		return text
	}
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Cf, r):
			return -1
		case r >= '\u2010' && r <= '\u2015' || r == '\u2212':
			return '-'
		case r >= '\uff01' && r <= '\uff5e':
			return r - '\uff01' + '!'
		case unicode.Is(unicode.Zs, r):
			return ' '
		}
		return r
	}, text)
}

// A ConsoleLink identifies an item in a link to the AWS console.
type ConsoleLink struct{ Table, Partition, Sort string } // key texts; Sort is "" for a key without a sort key

// ParseConsoleLink returns the item that an AWS console link opens, for any AWS partition.
func ParseConsoleLink(text string) (ConsoleLink, bool) {
	text = strings.Trim(strings.TrimSpace(text), "<>()[]\"'`.,;")
	_, query, ok := strings.Cut(text, "item?")
	if !ok || !strings.Contains(text, "dynamodb") || strings.ContainsFunc(text, unicode.IsSpace) {
		return ConsoleLink{}, false
	}
	q, err := url.ParseQuery(query)
	return ConsoleLink{q.Get("table"), q.Get("pk"), q.Get("sk")}, err == nil && q.Get("pk") != ""
}

func (l ConsoleLink) find(s Schema) (Result, error) {
	key := l.Partition
	if l.Sort != "" {
		key += "\n" + l.Sort
	}
	r, err := findExact(s, key)
	has := slices.ContainsFunc(s.Entities, func(e *models.Entity) bool { return e.Table.Name == l.Table })
	r.Reads = slices.DeleteFunc(r.Reads, func(read Read) bool { return !read.IsItem || has && read.Entity.Table.Name != l.Table })
	for i := range r.Reads {
		if r.Reads[i].HasKey = true; has {
			r.Reads[i].Quality, r.Reads[i].Distinctive = Literal, true
		}
	}
	return Result{Reads: r.Reads}, err
}

func (p *pastedText) addConsoleLinks(text string) {
	for word := range strings.FieldsSeq(text) {
		if l, ok := ParseConsoleLink(word); ok {
			p.add(strings.TrimSpace(l.Partition+"\n"+l.Sort), true)
		}
	}
}

// addObjects reads the objects of JSON and of Python and JavaScript literals, with or without surrounding text.
func (p *pastedText) addObjects(text string, depth int) {
	if !p.addParsedObjects(text, depth) && strings.Contains(text, `\"`) {
		p.addParsedObjects(strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, " ").Replace(text), depth)
	}
}

func (p *pastedText) addParsedObjects(text string, depth int) bool {
	found := false
	for rest, tries := text, 0; len(p.list) < maxPieces && tries < maxTries; tries++ {
		at := strings.IndexByte(rest, '{')
		if at < 0 {
			break
		}
		end := objectLength(rest[at:])
		if end < 0 {
			rest = rest[at+1:]
			continue
		}
		if v, ok := parseObject(rest[at : at+end]); ok {
			p.addObjectValue(v, depth)
			rest, found = rest[at+end:], true
			continue
		}
		rest = rest[at+1:]
	}
	return found
}

// objectLength returns the length of the object at the beginning of a text, or -1 if the object is incomplete.
func objectLength(text string) int {
	depth := 0
	quote := byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0:
			switch c {
			case '\\':
				i++
			case quote:
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// parseObject reads Python and JavaScript literals as YAML, for their single quotes, plain names and trailing commas.
func parseObject(text string) (map[string]any, bool) {
	var v map[string]any
	d := json.NewDecoder(strings.NewReader(text))
	if d.UseNumber(); d.Decode(&v) == nil {
		return v, true
	}
	if len(text) > maxYAML || yaml.Unmarshal(textPatterns().decimal.ReplaceAll([]byte(text), []byte("$1")), &v) != nil {
		return nil, false
	}
	return v, len(v) > 0
}

func (p *pastedText) addObjectValue(v any, depth int) {
	if p.values++; depth > maxDepth || len(p.list) >= maxPieces || p.values > maxValues {
		p.truncated = p.truncated || p.values > maxValues
		return
	}
	switch v := v.(type) {
	case map[string]any:
		if p.isItem(v) {
			if b, err := json.Marshal(v); err == nil {
				p.add(string(b), true)
				return
			}
		}
		object := map[string]any{}
		for _, name := range sortedKeys(v) {
			for _, known := range p.namesOf(name) {
				switch v[name].(type) {
				case string, json.Number, int, uint64:
					object[known] = v[name]
				}
			}
			parentPath := p.path
			if !slices.Contains(models.Types(), models.Type(name)) {
				p.path = append(slices.Clip(parentPath), name)
			}
			p.addObjectValue(v[name], depth+1)
			p.path = parentPath
		}
		p.addLabeledObject(object)
	case []any:
		for _, e := range v {
			p.addObjectValue(e, depth+1)
		}
	case string:
		p.isWholeValue = strings.HasPrefix(p.whole, "{") || strings.HasPrefix(p.whole, "[")
		p.add(v, false)
		p.isWholeValue = false
		p.addPieces(v, depth+1)
	}
}

func sortedKeys(m map[string]any) []string {
	names := slices.Sorted(maps.Keys(m))
	if i := slices.Index(names, "Keys"); i > 0 {
		names = append([]string{"Keys"}, slices.Delete(names, i, i+1)...)
	}
	return names
}

func (p *pastedText) isItem(m map[string]any) bool {
	return slices.ContainsFunc(p.schema.Entities, func(e *models.Entity) bool {
		for _, k := range e.Table.PrimaryKeys() {
			if _, ok := m[k.Name]; !ok {
				return false
			}
		}
		return !isUnrelated(e, m)
	})
}

// addKeys finds keys and IDs by their beginning, regardless of case, because logs and people change the case.
func (p *pastedText) addKeys(text string) {
	lower := strings.ToLower(text)
	if len(lower) != len(text) {
		lower = text // a letter changes its length in lower case, so positions would not match
	}
	for _, start := range p.schema.literalPrefixes() {
		for from, tries := 0, 0; tries < maxStarts && len(p.list) < maxPieces; tries++ {
			at := strings.Index(lower[from:], strings.ToLower(start))
			if at < 0 {
				break
			}
			at += from
			from = at + len(start)
			if at > 0 && isWord(rune(text[at-1])) {
				continue // in the middle of a word
			}
			value := text[from:min(len(text), from+maxKey)]
			if end := strings.IndexFunc(value, isEnd); end >= 0 {
				value = value[:end]
			}
			if value = strings.TrimRight(value, trailingChars); value != "" {
				if text[at:from] != start { // the whole text has another case
					p.add(start+strings.ToLower(value), false)
				}
				p.add(start+value, false)
				if file := strings.LastIndexByte(value, '.'); file > 0 {
					p.add(start+value[:file], false)
				}
				if id := textPatterns().uuid.FindStringIndex(value); id != nil && id[0] == 0 {
					p.add(start+value[:id[1]], false)
				}
				if end := strings.IndexAny(value, "/#"); end >= 0 { // a path, unless the key contains / or #
					p.add(start+strings.TrimRight(value[:end], trailingChars), false)
				}
				p.add(start+strings.TrimRight(value, trailingChars+"-"), false)
				p.add(start+strings.ToLower(value), false)
				p.addPaddedNumber(start, value)
			}
		}
	}
}

func (p *pastedText) addPaddedNumber(start, number string) {
	if strings.Trim(number, "0123456789") != "" {
		return
	}
	for _, e := range p.schema.Entities {
		for _, k := range e.KeyNames() {
			t, _ := e.KeyTemplate(k)
			segments := t.Segments()
			if t.LiteralPrefix() != start || len(segments) < 2 {
				continue
			}
			if text, err := segments[1].Render(number); err == nil && text != number {
				p.add(start+text, false)
			}
		}
	}
}

// trailingChars are characters after an ID that do not belong to it.
const trailingChars = ".:!*_~…="

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func isEnd(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune("\"'`<>,;&?(){}[]|\\“”„‟‘’‚«»‹›", r)
}

// literalPrefixes returns the beginnings of the schema's keys and IDs, longest first.
func (s Schema) literalPrefixes() []string {
	var list []string
	for _, e := range s.Entities {
		for _, k := range e.KeyNames() {
			t, _ := e.KeyTemplate(k)
			if _, whole := t.Literal(); !whole && len(t.LiteralPrefix()) > 1 {
				list = append(list, t.LiteralPrefix())
			}
		}
		for _, a := range e.Attributes {
			if len(a.Prefix) > 1 {
				list = append(list, a.Prefix)
			}
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	slices.SortStableFunc(list, func(a, b string) int { return len(b) - len(a) })
	return list
}

// addTokens adds words with a digit. A word alone, labeled ("order 4711") or in a link may be an ID of any spelling.
func (p *pastedText) addTokens(text string) {
	isLink := strings.Contains(text, "://") && len(strings.Fields(text)) == 1
	var list []string
	words := tokens(text)
	for i, w := range words {
		labeled := !strings.Contains(w, "#") && (i > 0 && p.schema.isEntityName(words[i-1]) || len(words) == 1)
		for _, part := range partsOf(w, isLink) {
			isID := isLink || labeled || isLong(part) || !textPatterns().time.MatchString(part)
			if isID && strings.ContainsFunc(part, unicode.IsDigit) {
				list = append(list, part)
			}
		}
	}
	hasEntityName := len(words) <= 3 && slices.ContainsFunc(words, p.schema.isEntityName)
	standsAlone := len(list) == 1 && hasEntityName || isLink && len(list) <= 3 || len(words) == 1 && !strings.HasPrefix(text, "arn:")
	for _, w := range list {
		p.add(w, standsAlone)
		p.add(strings.ToLower(w), false)
		if file := strings.LastIndexByte(w, '.'); file > 0 && !versionPattern.MatchString(w) && !strings.Contains(w, "@") {
			p.add(w[:file], false)
		}
		if _, value, ok := strings.Cut(w, ":"); ok && !standsAlone {
			p.add(value, false)
		}
	}
}

// partsOf returns the word, or its parts if it is a path or is joined like an index key.
func partsOf(word string, isPath bool) []string {
	parts := []string{word}
	if isPath || strings.Contains(word, "/") {
		parts = strings.Split(word, "/")
	}
	if keyParts := strings.Split(word, "#"); len(keyParts) > 1 {
		parts = append(parts, keyParts...)
	}
	return parts
}

func tokens(text string) []string {
	fields := strings.FieldsFunc(text, func(r rune) bool { return isEnd(r) || r == '=' })
	for i, f := range fields {
		fields[i] = strings.Trim(f, trailingChars+"#")
	}
	return slices.DeleteFunc(fields, func(f string) bool { return f == "" })
}
