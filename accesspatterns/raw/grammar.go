// Package raw parses queries and edits that a user writes for any table, with or without a schema: keys, filters and
// values with their types. It turns a query into a pattern.
package raw

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Name is an attribute, or a path inside maps and lists, with the type that the user wrote after it, if any.
type Name struct {
	Path []string // path in the form of models.PathText
	Type models.Type
}

// An Assignment is a parsed NAME=VALUE.
type Assignment struct {
	Name

	Value string
}

// A Comparison is a parsed NAME OP VALUE.
type Comparison struct {
	Name

	Compare accesspatterns.Operator
	Values  []string // no value, one value, or two for Between
}

type operator struct {
	word    string
	compare accesspatterns.Operator
}

// operators lists the words for comparisons, in the order in which messages list them.
var operators = []operator{
	{"=", accesspatterns.Equal},
	{"!=", accesspatterns.NotEqual},
	{"<", accesspatterns.Less},
	{"<=", accesspatterns.LessOrEqual},
	{">", accesspatterns.Greater},
	{">=", accesspatterns.GreaterOrEqual},
	{"begins-with", accesspatterns.BeginsWith},
	{"contains", accesspatterns.Contains},
	{"exists", accesspatterns.Exists},
	{"missing", accesspatterns.NotExists},
	{"between", accesspatterns.Between},
}

// and separates the two values of between.
const and = " and "

// symbols contains the characters of the comparisons that need no spaces around them.
const symbols = "=!<>"

// ParseName reads the path to an attribute: names separated by dots, and list elements, as in a.b[0]. A name that
// contains a dot, a colon, a comparison sign, a quote, a bracket or a space must be in quotes, as a JSON string.
func ParseName(text string) (Name, error) {
	n, rest, err := parseName(text, "")
	if err == nil && rest != "" {
		err = syntaxErrorf(text, "unexpected %q after the name", models.Printable(rest))
	}
	return n, err
}

// ParseAssignment reads NAME=VALUE or NAME:TYPE=VALUE. The value is the unchanged text after the first equals sign.
func ParseAssignment(text string) (Assignment, error) {
	n, rest, err := parseName(text, "=")
	if err != nil {
		return Assignment{}, err
	}
	value, ok := strings.CutPrefix(rest, "=")
	if !ok {
		return Assignment{}, syntaxErrorf(text, "expected NAME=VALUE, such as id=42; put a name with a space, a quote or = in double quotes")
	}
	return Assignment{n, value}, nil
}

// ParseComparison reads NAME OP VALUE. A comparison sign needs no spaces around it. A value in quotes is a JSON string
// and may be empty.
func ParseComparison(text string) (Comparison, error) {
	n, rest, err := parseName(strings.TrimSpace(text), " \t"+symbols)
	if err != nil {
		return Comparison{}, err
	}
	rest = strings.TrimSpace(rest)
	word := rest[:len(rest)-len(strings.TrimLeft(rest, symbols))]
	if word == "" {
		word, _, _ = strings.Cut(rest, " ")
	}
	rest = rest[len(word):]
	o, ok := models.Find(operators, func(o operator) bool { return o.word == word })
	if !ok {
		words := strings.Join(models.MapSlice(operators, func(o operator) string { return o.word }), " ")
		return Comparison{}, syntaxErrorf(text, "expected a comparison such as status = paid; the operators are %s", words)
	}
	c := Comparison{Name: n, Compare: o.compare}
	rest = strings.TrimSpace(rest)
	switch c.Compare {
	case accesspatterns.Exists, accesspatterns.NotExists:
		if rest != "" {
			return c, syntaxErrorf(text, "%s does not accept a value", word)
		}
		return c, nil
	case accesspatterns.Between:
		low, high, err := parseOperand(rest, and)
		if err != nil || !strings.HasPrefix(high, and) {
			return c, syntaxErrorf(text, "expected NAME between A and B, such as 'total between 1 and 5'")
		}
		c.Values, rest = append(c.Values, low), strings.TrimSpace(high[len(and):])
	default:
	}
	value, rest, err := parseOperand(rest, "")
	if err != nil || rest != "" {
		return c, syntaxErrorf(text, "a value that starts with a double quote must be a JSON string, without text after it")
	}
	c.Values = append(c.Values, value)
	return c, nil
}

// parseOperand reads a value: a JSON string, or the text before end.
func parseOperand(text, end string) (value, rest string, err error) {
	if strings.HasPrefix(text, `"`) {
		return parseQuoted(text)
	}
	if i := strings.Index(text, end); end != "" && i >= 0 {
		return strings.TrimSpace(text[:i]), text[i:], nil
	}
	return text, "", nil
}

func parseQuoted(text string) (value, rest string, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	err = d.Decode(&value)
	return value, text[min(int(d.InputOffset()), len(text)):], err
}

func parseName(text, end string) (n Name, rest string, err error) {
	if !utf8.ValidString(text) {
		return n, "", syntaxErrorf(text, "not valid UTF-8")
	}
	rest = text
	for {
		part, inQuotes := "", strings.HasPrefix(rest, `"`)
		if inQuotes {
			if part, rest, err = parseQuoted(rest); err != nil {
				return n, "", syntaxErrorf(text, "a name in quotes must be a JSON string")
			}
		} else {
			i := strings.IndexFunc(rest, func(r rune) bool { return strings.ContainsRune(`.:"[]`, r) || strings.ContainsRune(end, r) })
			if i < 0 {
				i = len(rest)
			}
			part, rest = rest[:i], rest[i:]
		}
		if part == "" || !inQuotes && strings.ContainsFunc(part, unicode.IsSpace) {
			return n, "", syntaxErrorf(text, "expected the name of an attribute; put a name with a space in double quotes")
		}
		if _, element := models.ElementIndex(part); element && n.Path != nil {
			return n, "", syntaxErrorf(text, "a map key such as [0] cannot be part of a path; set the whole map")
		}
		n.Path = append(n.Path, part)
		for strings.HasPrefix(rest, "[") {
			inside, after, _ := strings.Cut(rest, "]")
			step := inside + "]"
			if _, element := models.ElementIndex(step); !element || len(step)+len(after) != len(rest) {
				return n, "", syntaxErrorf(text, "write a list element as [0], or put a name with [ in double quotes")
			}
			n.Path, rest = append(n.Path, step), after
		}
		if !strings.HasPrefix(rest, ".") {
			break
		}
		rest = rest[1:]
	}
	if word, ok := strings.CutPrefix(rest, ":"); ok {
		i := strings.IndexFunc(word, func(r rune) bool { return strings.ContainsRune(end, r) })
		if i < 0 {
			i = len(word)
		}
		n.Type, rest = models.Type(word[:i]), word[i:]
		if !slices.Contains([]models.Type{models.TypeS, models.TypeN, models.TypeB, models.TypeBOOL, models.TypeNULL}, n.Type) {
			return n, "", syntaxErrorf(text, "%q is not a type; use S, N, B, BOOL or NULL, or put a name with a colon in double quotes",
				models.Printable(word[:i]))
		}
	}
	return n, rest, nil
}

// String returns the name in the syntax of ParseName.
func (n Name) String() string {
	if n.Type == "" {
		return n.WithoutType()
	}
	return n.WithoutType() + ":" + string(n.Type)
}

// WithoutType returns the name without its type.
func (n Name) WithoutType() string {
	parts := slices.Clone(n.Path)
	for i, part := range n.Path {
		_, element := models.ElementIndex(part)
		if (i == 0 || !element) && strings.ContainsFunc(part, func(r rune) bool {
			return unicode.IsSpace(r) ||
				strings.ContainsRune(`.:"[]`+symbols, r)
		}) {
			parts[i] = quote(part)
		}
	}
	return models.PathText(parts)
}

// Dotted returns the path without quotes.
func (n Name) Dotted() string { return models.PathText(n.Path) }

// String returns the assignment in the syntax of ParseAssignment.
func (a Assignment) String() string { return a.Name.String() + "=" + a.Value }

// String returns the comparison in the syntax of ParseComparison.
func (c Comparison) String() string {
	text := c.Name.String()
	for _, o := range operators {
		if o.compare == c.Compare {
			text += " " + o.word
		}
	}
	for i, v := range c.Values {
		if v == "" || strings.TrimSpace(v) != v || strings.HasPrefix(v, `"`) || len(c.Values) > 1 && strings.Contains(v+" ", and) {
			v = quote(v)
		}
		if i > 0 {
			text += " and"
		}
		text += " " + v
	}
	return text
}

func quote(text string) string { return string(models.AppendValueJSON(nil, models.StringValue(text))) }

func syntaxErrorf(text, format string, args ...any) error {
	return &accesspatterns.ParamError{Param: models.Truncate(models.Printable(text), 48), Reason: fmt.Sprintf(format, args...)}
}
