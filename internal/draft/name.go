package draft

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/ddbdesk/ddbdesk/models"
)

// wordText matches the words of a name: orderId, ORDER_ID and order-id have two.
var wordText = models.LazyRegexp(`[A-Z]+(?:[a-z]*|$)|[a-z]+|[0-9]+`)

func words(name string) []string {
	list := wordText().FindAllString(name, -1)
	for i, w := range list {
		list[i] = strings.ToLower(w)
	}
	return list
}

// Camel returns a name in the form of a placeholder: orderId. The result is never empty and starts with a letter.
func Camel(name string) string {
	list := words(name)
	for i, w := range list {
		if i > 0 {
			list[i] = title(w)
		}
	}
	text := strings.Join(list, "")
	if r, _ := utf8.DecodeRuneInString(text); !unicode.IsLetter(r) {
		text = "part" + text
	}
	return text
}

// Pascal returns a name in the form of an entity name: OrderItem. The result is never empty and starts with a letter.
func Pascal(name string) string {
	list := words(name)
	for i, w := range list {
		list[i] = title(w)
	}
	text := strings.Join(list, "")
	if r, _ := utf8.DecodeRuneInString(text); !unicode.IsLetter(r) {
		text = "Entity" + text
	}
	return text
}

// Kebab returns a name in the form of an ID: order-items. It returns "schema" for a name without letters and digits.
func Kebab(name string) string {
	list := words(name)
	if len(list) == 0 {
		return "schema"
	}
	if text := strings.Join(list, "-"); text[0] >= 'a' {
		return text
	}
	return "schema-" + strings.Join(list, "-")
}

func title(word string) string {
	r, n := utf8.DecodeRuneInString(word)
	return string(unicode.ToUpper(r)) + word[n:]
}

func entityName(table string) string {
	list := words(table)
	for len(list) > 1 && slices.Contains([]string{"table", "dev", "prod", "test", "staging", "data"}, list[len(list)-1]) {
		list = list[:len(list)-1]
	}
	name := Pascal(strings.Join(list, " "))
	return singular(name)
}

func singular(name string) string {
	lower := strings.ToLower(name)
	hasSuffix := func(s string) bool { return strings.HasSuffix(lower, s) }
	switch {
	case hasSuffix("series"), hasSuffix("species"), hasSuffix("news"):
		return name // singular and plural are equal
	case hasSuffix("movies"), hasSuffix("cookies"):
		return name[:len(name)-1]
	case strings.HasSuffix(name, "ies") && len(name) > 4:
		return name[:len(name)-3] + "y"
	case strings.HasSuffix(name, "sses"), hasSuffix("statuses"), hasSuffix("bonuses"), strings.HasSuffix(name, "xes"),
		strings.HasSuffix(name, "ches"):
		return name[:len(name)-2]
	case strings.HasSuffix(name, "ss"), strings.HasSuffix(name, "us"), strings.HasSuffix(name, "is"), !strings.HasSuffix(name, "s"):
		return name
	}
	return name[:len(name)-1]
}

func plural(name string) string {
	switch {
	case strings.HasSuffix(name, "s"), name[len(name)-1] <= '9':
		return name
	case strings.HasSuffix(name, "y") && len(name) > 1 && !strings.ContainsRune("aeiou", rune(name[len(name)-2])):
		return name[:len(name)-1] + "ies"
	case strings.HasSuffix(name, "ch"), strings.HasSuffix(name, "sh"), strings.HasSuffix(name, "x"):
		return name + "es"
	}
	return name + "s"
}

func (a *analysis) freeName(name string) string {
	return uniqueName(name, func(n string) bool {
		return slices.ContainsFunc(a.profile.Entities, func(e *Entity) bool { return e.Name == n })
	})
}

func uniqueName(name string, taken func(string) bool) string {
	for n := 2; ; n++ {
		if !taken(name) {
			return name
		}
		name = strings.TrimRight(name, "0123456789") + strconv.Itoa(n)
	}
}

// genericText matches names of key attributes that do not describe their content: PK, sk, GSI1PK, lsi2_sk.
var genericText = models.LazyRegexp(`(?i)^_?(pk|sk|hash|range|partition|sort)([_-]?key)?\d*$|^_*[gl]si|gs\d|ls\d|[_-](pk|sk)\d*$|` +
	`\d(pk|sk)$|^(pk|sk)[_-]?\d+$|(?-i:[a-z](PK|SK|Pk|Sk)\d?$)`)

func isGeneric(name string) bool { return genericText().MatchString(name) }

// separatorPatterns returns patterns for values that contain separators.
var separatorPatterns = sync.OnceValue(func() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile(`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:?\d{2})?`),
		regexp.MustCompile(`^(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`),
		regexp.MustCompile(`^\d{4}-\d{2}-\d{2}`),
		regexp.MustCompile(`^[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+`),
	}
})

func (l keyMatcher) keyPiece(rows []row, rest []string, before []piece) (piece, []int) {
	p := piece{isKeyOnly: true}
	lengths := l.partLengths(rest)
	for i, n := range lengths {
		p.values = append(p.values, rest[i][:n])
	}
	p.name = l.partName(before, formatOf(p.values))
	p.name = uniqueName(p.name, func(s string) bool { return l.isTaken(s, rows, before, p.values) })
	return p, lengths
}

func (l keyMatcher) partLengths(rest []string) []int {
	lengths := make([]int, len(rest))
	usable := func(typed bool) bool {
		next := ""
		for i, r := range rest {
			after := firstCharacter(r[lengths[i]:])
			if lengths[i] == 0 || i > 0 && after != next || after != "" && !typed && strings.Contains(r[:lengths[i]], after) {
				return false
			}
			next = after
		}
		return next == "" || strings.Contains(boundaries, next)
	}
	for _, form := range separatorPatterns() {
		for i, r := range rest {
			lengths[i] = len(form.FindString(r))
		}
		if usable(true) {
			return lengths
		}
	}
	for _, sep := range separators {
		for i, r := range rest {
			lengths[i] = max(strings.Index(r, sep), 0)
		}
		if usable(false) {
			return lengths
		}
	}
	for i, r := range rest {
		lengths[i] = len(r)
	}
	return lengths
}

func (l keyMatcher) partName(before []piece, format models.Format) string {
	n := 0
	for _, p := range before {
		if p.name != "" {
			n++
		}
	}
	name, hint := "", l.hint
	if hint == "" && strings.ContainsAny(l.attribute, "#|") {
		hint = l.attribute // a name such as State#Date
	}
	isLiteral := func(text string) bool {
		return slices.ContainsFunc(before, func(p piece) bool {
			return p.name == "" && slices.Contains(strings.FieldsFunc(p.literal, isHintSeparator), text)
		})
	}
	if parts := slices.DeleteFunc(hintParts(hint), isLiteral); n < len(parts) {
		name = parts[n]
	}
	if len(before) > 0 && name == "" {
		if list := words(before[len(before)-1].literal); len(list) > 0 {
			name = singular(Camel(strings.Join(list, "-")))
			switch {
			case format.IsDay():
				name += "Date"
			case format.IsTime():
				name += "At"
			case list[len(list)-1] != "id":
				name += "Id"
			}
		}
	}
	if name == "" {
		name = Camel(l.attribute)
		if len(before) > 0 || isGeneric(l.attribute) {
			name = Camel(l.attribute + " part")
		}
	}
	return name
}

func (l keyMatcher) isTaken(name string, rows []row, before []piece, values []string) bool {
	if slices.ContainsFunc(before, func(p piece) bool { return p.name == name }) {
		return true
	}
	for i, r := range rows {
		if _, ok := r.item[name]; ok {
			return true
		}
		if other, ok := l.parts[name][r.index]; ok && other != values[i] {
			return true
		}
	}
	return false
}

func isHintSeparator(r rune) bool { return strings.ContainsRune("#|:/<>{}[] ", r) }

func hintParts(hint string) []string {
	var list []string
	if isGeneric(hint) {
		return nil
	}
	for _, text := range strings.FieldsFunc(hint, isHintSeparator) {
		if !isUpper(text) && placeholderText().MatchString(text) {
			list = append(list, text)
		}
	}
	return list
}

// mismatchNote starts the note of a template that does not produce all keys.
const mismatchNote = "does not fit "

// checkKeys returns a note with the number of keys that the template does not reproduce. The draft still contains the
// template, because it is more useful than none.
func (l keyMatcher) checkKeys(out layout, rows []row) string {
	t, err := models.ParseTemplate(out.text(), nil)
	if err != nil {
		return CheckNote("%v", err)
	}
	keyOnly := map[string]*models.Attribute{}
	attributes := map[string]*models.Attribute{}
	for _, p := range out.pieces {
		if p.isKeyOnly {
			keyOnly[p.name] = &models.Attribute{Name: p.name, Path: p.name, Type: models.TypeS, Format: p.attributeFormat(), KeyOnly: true}
			attributes[p.name] = keyOnly[p.name]
		} else if p.of != "" {
			attributes[p.name] = &models.Attribute{Name: p.name, Path: p.name, Format: p.of}
		}
	}
	t = t.Bind(func(name string) *models.Attribute { return attributes[name] })
	mismatches := 0
	for _, r := range rows {
		m, err := t.ParseItem(r.key, r.item.Text)
		if err != nil {
			mismatches++
			continue
		}
		key, err := t.Format(func(name string) (string, bool) {
			if keyOnly[name] != nil {
				v, ok := m.Values[name]
				return v, ok
			}
			return r.item.Text(name)
		})
		if err != nil || key != r.key {
			mismatches++
		}
	}
	if mismatches > 0 {
		return CheckNote(mismatchNote+"%d of %d keys", mismatches, len(rows))
	}
	return ""
}
