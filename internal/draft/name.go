package draft

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// wordText matches the words of a name: orderId, ORDER_ID and order-id have two.
var wordText = lazy(`[A-Z]+(?:[a-z]*|$)|[a-z]+|[0-9]+`)

func words(name string) []string {
	list := wordText().FindAllString(name, -1)
	for i, w := range list {
		list[i] = strings.ToLower(w)
	}
	return list
}

// Camel returns a name as a placeholder: orderId. It is never empty, and a letter comes first.
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

// Pascal returns a name as that of an entity: OrderItem. It is never empty, and a letter comes
// first.
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

// Kebab returns a name as an ID: order-items. It is "schema" for a name without a letter or
// digit.
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
	ends := func(s string) bool { return strings.HasSuffix(lower, s) }
	switch {
	case ends("series"), ends("species"), ends("news"):
		return name // as many as one
	case ends("movies"), ends("cookies"):
		return name[:len(name)-1]
	case strings.HasSuffix(name, "ies") && len(name) > 4:
		return name[:len(name)-3] + "y"
	case strings.HasSuffix(name, "sses"), ends("statuses"), ends("bonuses"), strings.HasSuffix(name, "xes"), strings.HasSuffix(name, "ches"):
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
	}
	return name + "s"
}

func (a *analysis) freeName(name string) string {
	return free(name, func(n string) bool {
		return slices.ContainsFunc(a.profile.Entities, func(e *Entity) bool { return e.Name == n })
	})
}

func free(name string, taken func(string) bool) string {
	for n := 2; ; n++ {
		if !taken(name) {
			return name
		}
		name = strings.TrimRight(name, "0123456789") + strconv.Itoa(n)
	}
}

// genericText matches names of key attributes that say nothing about their content: PK, sk, GSI1PK, lsi2_sk.
var genericText = lazy(`(?i)^_?(pk|sk|hash|range|partition|sort)([_-]?key)?\d*$|^_*[gl]si|gs\d|ls\d|[_-](pk|sk)\d*$|\d(pk|sk)$|^(pk|sk)[_-]?\d+$`)

func generic(name string) bool { return genericText().MatchString(name) }
