package draft

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/models"
)

// A row is the value of a key attribute in one item.
type row struct {
	key   string
	item  models.Item
	index int // index of the item within its entity
}

// A piece is a part of a template: a literal or a placeholder.
type piece struct {
	literal   string
	name      string // name of the placeholder
	format    models.Format
	of        models.Format // format of the time in the attribute, or ""
	isKeyOnly bool          // no attribute contains the value
	values    []string      // values of a placeholder that only the key contains
}

func (p piece) attributeFormat() models.Format { return formatOf(p.values) }

// A layout is a template with the notes made while finding it.
type layout struct {
	pieces  []piece
	note    string
	isLabel bool // the whole key is a word that many partitions contain
}

func (l layout) text() string {
	var b strings.Builder
	for _, p := range l.pieces {
		switch {
		case p.name == "":
			b.WriteString(p.literal)
		case p.format != "":
			b.WriteString("{" + p.name + ":" + string(p.format) + "}")
		default:
			b.WriteString("{" + p.name + "}")
		}
	}
	return b.String()
}

func (l layout) keyOnly() []piece {
	return slices.DeleteFunc(slices.Clone(l.pieces), func(p piece) bool { return !p.isKeyOnly })
}

// isWorthwhile keeps a key with a descriptive name, such as customerId, plain if it copies an attribute or if only its
// own values suggest parts, because addresses and IDs also have parts.
func (l layout) isWorthwhile(key string, heads []string) bool {
	var literals, placeholders, keyOnly int
	for _, p := range l.pieces {
		literals += boolToInt(p.name == "")
		keyOnly += boolToInt(p.isKeyOnly)
		placeholders += boolToInt(p.name != "" && !p.isKeyOnly)
	}
	switch {
	case len(l.pieces) == 0, keyOnly == 1 && len(l.pieces) == 1:
		return false
	case isGeneric(key), placeholders == 0 && keyOnly == 0:
		return isGeneric(key) || l.isLabel
	case placeholders == 0:
		head := l.pieces[0].literal
		return strings.ContainsAny(l.text(), "#|") || labelOf(head, heads) != "" || isUpper(head) && strings.ToLower(head) != head
	}
	return literals+placeholders > 1
}

// A keyMatcher finds the layout of a key attribute from the attributes of the items.
type keyMatcher struct {
	table         *Table
	attribute     string // key attribute
	discriminator string
	hint          string // names of the parts from the source, or ""
	// parts maps the name of a value that occurs only in keys to its text by item index.
	parts map[string]map[int]string
	// sparse means that some items of the entity lack the index key.
	sparse   bool
	labels   []string // prefixes of the key; see labels
	composed []string // keys with their own template, which cannot be a part of another key
}

// boundaries contains the characters that can follow a placeholder.
const boundaries = "#|:/_.@-~+!$ "

// findLayout reads all values from the left and prefers an attribute, then a literal, then a value that only the key
// contains. It stops after 40 pieces, more than any real key has. rows must not be empty.
func (l keyMatcher) findLayout(rows []row) layout {
	out := layout{}
	at := make([]int, len(rows))
	for steps := 0; steps < 40 && !slices.ContainsFunc(indexes(rows), func(i int) bool { return at[i] >= len(rows[i].key) }); steps++ {
		rest := make([]string, len(rows))
		for i, r := range rows {
			rest[i] = r.key[at[i]:]
		}
		p, lengths := l.nextPiece(rows, rest, out.pieces)
		for i := range at {
			at[i] += lengths[i]
		}
		n := len(out.pieces)
		if p.name == "" && n > 0 && out.pieces[n-1].name == "" {
			out.pieces[n-1].literal += p.literal
		} else {
			out.pieces = append(out.pieces, p)
		}
	}
	out.isLabel = l.areInPartitions(rows)
	out.note = l.checkKeys(out, rows)
	for _, p := range out.pieces {
		if out.note == "" && p.format.IsComputed() {
			out.note = CheckNote("computed from %s in all %d keys", p.name, len(rows))
		}
	}
	return out
}

func indexes(rows []row) []int {
	list := make([]int, len(rows))
	for i := range list {
		list[i] = i
	}
	return list
}

func (l keyMatcher) nextPiece(rows []row, rest []string, before []piece) (piece, []int) {
	if sep := commonSeparator(rest); sep > 0 {
		return piece{literal: rest[0][:sep]}, repeat(sep, len(rows))
	}
	word := commonWord(rest)
	if p, lengths, ok := l.attributePiece(rows, rest, before, word); ok {
		return p, lengths
	}
	if p, lengths, ok := l.computedPiece(rows, rest); ok {
		return p, lengths
	}
	if l.isLiteral(rows, rest, before, word) {
		return piece{literal: word}, repeat(len(word), len(rows))
	}
	if label := l.label(rows, rest, before); label != "" {
		return piece{literal: label}, repeat(len(label), len(rows))
	}
	return l.keyPiece(rows, rest, before)
}

func repeat(n, times int) []int { return slices.Repeat([]int{n}, times) }

func commonSeparator(rest []string) int {
	n := 0
	for n < len(rest[0]) && strings.IndexByte(boundaries, rest[0][n]) >= 0 {
		n++
	}
	for _, r := range rest[1:] {
		k := 0
		for k < n && k < len(r) && r[k] == rest[0][k] {
			k++
		}
		n = k
	}
	return n
}

func commonWord(rest []string) string {
	word := firstWord(rest[0])
	for _, r := range rest[1:] {
		if firstWord(r) != word {
			return ""
		}
	}
	return word
}

// firstWord keeps words such as API_KEY and org_1 whole.
func firstWord(text string) string {
	if i := strings.IndexAny(text, "#|:/"); i >= 0 {
		return text[:i]
	}
	return text
}

// label returns a common prefix up to a divider: a prefix from labels, or a word before an attribute, as in team_blue.
func (l keyMatcher) label(rows []row, rest []string, before []piece) string {
	i := strings.IndexAny(firstWord(rest[0]), "_-.") + 1
	if i == 0 || !haveSameStart(rest, i) || slices.ContainsFunc(rest, func(r string) bool { return len(r) == i }) {
		return ""
	}
	if len(before) == 0 && slices.Contains(l.labels, rest[0][:i]) {
		return rest[0][:i]
	}
	suffixes := models.MapSlice(rest, func(r string) string { return r[i:] })
	_, _, ok := l.attributePiece(rows, suffixes, before, "")
	if !ok {
		_, _, ok = l.computedPiece(rows, suffixes)
	}
	if ok {
		return rest[0][:i]
	}
	return ""
}

// isLiteral rejects a word that may be a value: after a label, as in USER#ann, or as a whole key in lower case.
func (l keyMatcher) isLiteral(rows []row, rest []string, before []piece, word string) bool {
	if !literalWord().MatchString(word) {
		return false
	}
	digits := strings.ContainsAny(versionText().ReplaceAllString(word, ""), "0123456789") && len(rows) < 3
	known := isFiller(word) || rows[0].key[0] == '$' || l.isKind(rows, word)
	if l.countPrecedingValues(rows, rest) >= proofHeads || l.namesNextValue(rows, rest, word) {
		return true
	}
	for i, b := range slices.Backward(before) {
		text := strings.Trim(b.literal, boundaries)
		if b.name == "" && text != "" {
			sameCase := isUpper(text) == isUpper(word) || isFiller(word)
			return sameCase && !digits && (known || i < len(before)-1 && l.followsSeveralValues(rows, rest, word))
		}
	}
	whole := len(word) == len(rest[0])
	isFirst := !slices.ContainsFunc(before, func(p piece) bool { return p.name != "" })
	if !known && (!isFirst && !l.followsSeveralValues(rows, rest, word) ||
		isFirst && whole && !isUpper(word) && !l.areInPartitions(rows)) {
		return false
	}
	return !digits || len(word) == 2
}

// namesNextValue reports whether the word is the name of an attribute whose value follows, as in STATUS#PENDING.
func (l keyMatcher) namesNextValue(rows []row, rest []string, word string) bool {
	return slices.ContainsFunc(l.attributesOf(rows), func(name string) bool {
		if !endsWithName(word, name) {
			return false
		}
		for i, r := range rows {
			text, _ := r.item.Text(name)
			next := rest[i][len(word):]
			if text == "" || next == "" || !strings.HasPrefix(next[1:], text) {
				return false
			}
		}
		return true
	})
}

func endsWithName(literal, name string) bool {
	list, last := words(literal), words(name)
	return len(last) > 0 && len(list) >= len(last) && slices.Equal(list[len(list)-len(last):], last)
}

// proofHeads is the number of different preceding values that proves that a word is not part of a value.
const proofHeads = 4

func (l keyMatcher) countPrecedingValues(rows []row, rest []string) int {
	heads := map[string]bool{}
	for i, r := range rows {
		heads[strings.TrimSuffix(r.key, rest[i])] = true
	}
	return len(heads)
}

// followsSeveralValues rejects a word that always follows the same value, because the word may be part of that value.
func (l keyMatcher) followsSeveralValues(rows []row, rest []string, word string) bool {
	last := slices.ContainsFunc(rest, func(r string) bool { return len(r) == len(word) })
	return l.countPrecedingValues(rows, rest) > 1 || isUpper(word) && !last
}

func (l keyMatcher) isKind(rows []row, word string) bool {
	for name := range rows[0].item {
		if name == l.discriminator || slices.Contains(discriminators, name) || stateWords().MatchString(name) {
			if !slices.ContainsFunc(rows, func(r row) bool {
				text, _ := r.item.Text(name)
				return !strings.EqualFold(text, word)
			}) {
				return true
			}
		}
	}
	return false
}

// areInPartitions reports whether the rows are sort keys of several partitions. A word in all of them is then a label.
func (l keyMatcher) areInPartitions(rows []row) bool {
	previous := map[string]bool{}
	for _, r := range rows {
		pk, _ := r.item.Text(l.table.PartitionKey.Name)
		previous[pk] = true
	}
	return l.attribute == l.table.SortKey.Name && len(previous) > 1
}

// versionText matches the version that ElectroDB writes at the end of a word: member_1.
var versionText = models.LazyRegexp(`[a-z]_\d$`)

// A candidate is an attribute whose value occurs at the same position in all rows.
type candidate struct {
	piece
	lengths []int
	score   int
}

// partFormats lists the forms in which a key can contain an attribute's value. "" means unchanged.
var partFormats = []models.Format{
	"", "lower", "upper", "pad", models.ISO8601, models.ISO8601Millis, models.EpochSeconds, models.EpochMillis, models.EpochMicros,
	models.EpochNanos, models.Date, models.Day, models.Compact, models.Hour, models.Month, models.Week,
	models.Year, "%Y%m", "%Y%m%d%H", "%Y/%m/%d",
}

// storedTimeFormats lists the formats of times in attributes that a key can write in another format.
var storedTimeFormats = []models.Format{
	models.ISO8601, models.ISO8601Millis, models.ISOLocal, models.ISOLocalMilli, models.Date, models.Day, "%Y%m%d%H", models.EpochSeconds,
	models.EpochMillis, models.EpochMicros, models.EpochNanos, "%Y-%m-%dT%H:%M:%S.%fZ", "%Y-%m-%dT%H:%M:%S.%NZ",
	"%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S+00:00", models.ISO8601Any,
}

// timeFormat returns the format from stored that fits a value, or "" if the value is not a time.
func timeFormat(text string) models.Format {
	if len(text) < len("20260114") || text[0] < '0' || text[0] > '9' {
		return ""
	}
	for _, f := range storedTimeFormats {
		if t, ok := readTime(f, text); ok && t.Year() > 1972 && t.Year() < 2200 {
			return f
		}
	}
	return ""
}

func readTime(f models.Format, text string) (time.Time, bool) {
	t, ok := f.ReadTime(text)
	return t, ok && (f == models.ISO8601Any || f.Reproduces(text))
}

func (l keyMatcher) attributePiece(rows []row, rest []string, before []piece, word string) (piece, []int, bool) {
	best := candidate{}
	for _, name := range l.attributesOf(rows) {
		text, _ := rows[0].item.Text(name)
		storedFormat := timeFormat(text)
		for _, format := range partFormats {
			if format.IsTime() && storedFormat == "" {
				break // Times come last.
			}
			c, ok := matchAttribute(rows, rest, name, format, storedFormat)
			if !ok {
				continue
			}
			digit := strings.IndexAny(rest[0][c.lengths[0]:], "0123456789") == 0
			if format.IsTime() && (digit || slices.ContainsFunc(separatorPatterns(),
				func(form *regexp.Regexp) bool { return len(form.FindString(rest[0])) > c.lengths[0] })) {
				continue // the beginning of another time
			}
			label := slices.Contains(discriminators, name) && format != "" && haveSameStart(rest, c.lengths[0])
			if label || word != "" && c.lengths[0] == len(word) && l.namesKind(rows, rest, name, word, before) {
				continue
			}
			c.score = slices.Max(c.lengths)*10 + l.similarity(name, before)
			if format != "" {
				c.score -= 5
			}
			if c.score > best.score {
				best = c
			}
		}
	}
	return best.piece, best.lengths, best.score > 0
}

func haveSameStart(rest []string, n int) bool {
	return !slices.ContainsFunc(rest, func(r string) bool { return !strings.HasPrefix(r, rest[0][:n]) })
}

func (l keyMatcher) attributesOf(rows []row) []string {
	var list []string
	for name, v := range rows[0].item {
		if name == l.attribute || name == l.discriminator || isGeneric(name) || slices.Contains(l.composed, name) ||
			!placeholderText().MatchString(name) {
			continue
		}
		list = append(list, name)
		for inner := range mapFields(v) {
			if placeholderText().MatchString(inner) {
				list = append(list, name+"."+inner)
			}
		}
	}
	slices.Sort(list)
	return list
}

// placeholderText matches names that a template can contain.
var placeholderText = models.LazyRegexp(`^[A-Za-z_][A-Za-z0-9_-]*$`)

func (l keyMatcher) namesKind(rows []row, rest []string, name, word string, before []piece) bool {
	if name == l.discriminator || slices.Contains(discriminators, name) {
		return true
	}
	if !literalWord().MatchString(word) || strings.ContainsAny(word, "0123456789") {
		return false
	}
	if l.sparse {
		return true // items with other values are not in the index
	}
	if n := len(before); n > 0 && endsWithName(before[n-1].literal, name) {
		return false // the label of the attribute precedes the value
	}
	if !isGeneric(l.attribute) {
		return false // an attribute with a descriptive name is composed of others
	}
	isFirstWord := len(before) == 0 && len(word) < len(rest[0]) // the first word of a key with several parts
	return isFirstWord || len(rows) >= 20
}

func (l keyMatcher) similarity(name string, before []piece) int {
	score := 0
	for _, b := range slices.Backward(before) {
		if list := words(b.literal); b.name == "" && len(list) > 0 {
			for _, w := range words(name) {
				if w == list[len(list)-1] || w == singular(list[len(list)-1]) {
					score += 4
				}
			}
			break
		}
	}
	if slices.Contains(words(l.attribute), strings.ToLower(name)) {
		score++
	}
	if !strings.Contains(name, ".") {
		score += 2
	}
	if slices.ContainsFunc(before, func(p piece) bool { return p.name == name }) {
		score -= 3
	}
	return score - len(name)/16
}

// matchAttribute requires a separator, or long or different values, because a 1 would match nearly every key.
func matchAttribute(rows []row, rest []string, name string, format, valueFormat models.Format) (candidate, bool) {
	c := candidate{piece: piece{name: name, format: format}, lengths: make([]int, len(rows))}
	if format.IsTime() {
		c.of = valueFormat
	}
	next, distinguished, short, values := "", true, false, map[string]bool{}
	for i, r := range rows {
		text, ok := r.item.Text(name)
		formatted, f := formatPart(text, format, c.of, rest[i])
		if !ok || formatted == "" && (text != "" || format != "") || !strings.HasPrefix(rest[i], formatted) {
			return c, false
		}
		after := firstCharacter(rest[i][len(formatted):])
		if i == 0 {
			c.format, next = f, after
		}
		if f != c.format {
			return c, false
		}
		distinguished = distinguished && after == next && strings.Contains(boundaries, after) &&
			(after == "" || !strings.Contains(formatted, after))
		short = short || len(formatted) < 4
		values[formatted] = true
		c.lengths[i] = len(formatted)
	}
	if distinguished || values[""] {
		return c, distinguished && (!values[""] || next != "" && len(values) > 2)
	}
	if width := c.lengths[0]; c.format == "" && len(values) > 2 && !strings.Contains(boundaries, next) && !slices.ContainsFunc(
		c.lengths, func(n int) bool { return n != width },
	) {
		c.format = models.Format(strconv.Itoa(width))
	}
	return c, !short || len(values) > 2
}

func firstCharacter(text string) string { return text[:min(1, len(text))] }

// formatPart writes a value in the form of a key. valueFormat is the format of a time.
func formatPart(text string, format, valueFormat models.Format, rest string) (string, models.Format) {
	switch format {
	case "":
		return text, format
	case "lower":
		return strings.ToLower(text), format
	case "upper":
		return strings.ToUpper(text), format
	case "pad":
		width := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		if _, err := strconv.ParseUint(text, 10, 64); err != nil || width < len(text) {
			return "", format
		}
		return strings.Repeat("0", width-len(text)) + text, models.Format(fmt.Sprintf("0%dd", width))
	default:
	}
	formatted := ""
	if t, ok := readTime(valueFormat, text); ok {
		formatted, _ = format.FormatTime(t)
	}
	return formatted, format
}

// maxShards is the largest number that may be a shard.
const maxShards = 1000
