package snippet

import (
	"embed"
	"encoding/base64"
	"fmt"
	"go/format"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"
	"unicode"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// A Language is what a snippet is written in.
type Language string

// The languages of snippets.
const (
	CLI        Language = "cli"        // an AWS CLI command for a POSIX shell
	Go         Language = "go"         // aws-sdk-go-v2
	Python     Language = "python"     // boto3
	TypeScript Language = "typescript" // @aws-sdk/client-dynamodb, version 3
)

// Languages lists the languages of snippets.
func Languages() []Language { return []Language{CLI, Go, Python, TypeScript} }

// Title returns the name of the language, or of the tool, for menus.
func (l Language) Title() string {
	return map[Language]string{CLI: "AWS CLI", Go: "Go", Python: "Python", TypeScript: "TypeScript"}[l]
}

// Extension returns the extension of a file in the language, without the dot.
func (l Language) Extension() string {
	return map[Language]string{CLI: "sh", Go: "go", Python: "py", TypeScript: "mts"}[l]
}

func (s *program) in(lang Language) string {
	if lang == CLI {
		return s.shell()
	}
	return source{s, syntaxes[lang], templates().Lookup(string(lang) + ".tmpl")}.text()
}

// A syntax spells the input of an operation in one programming language. The
// strings are formats for package fmt.
type syntax struct {
	indent  string
	member  string // a member of an input: name, value
	element string // the same for an input that is an element of a list; "" is as member
	text    string // a string member
	truth   string // a boolean member
	count   string // the value of Select
	names   string // opens a map of names
	values  string // opens a map of attribute values
	value   string // an attribute value: type, literal
	bytes   string // binary: base64 in quotes
	quote   func(string) string
	boolean func(bool) string
	finish  func(string) string // the last step, nil for none
}

var syntaxes = map[Language]syntax{
	Go: {
		member: "%s: %s", text: "aws.String(%s)", truth: "aws.Bool(%s)", count: "types.SelectCount",
		names: "map[string]string{", values: "map[string]types.AttributeValue{", value: "&types.AttributeValueMember%s{Value: %s}",
		quote: strconv.Quote, boolean: strconv.FormatBool, finish: gofmt,
	},
	Python: {
		indent: "    ", member: "%s=%s", element: `"%s": %s`, text: "%s", truth: "%s", count: `"COUNT"`,
		names: "{", values: "{", value: `{"%s": %s}`, bytes: "base64.b64decode(%q)",
		quote: quotePython, boolean: func(b bool) string { return map[bool]string{true: "True", false: "False"}[b] },
	},
	TypeScript: {
		indent: "  ", member: "%s: %s", text: "%s", truth: "%s", count: `"COUNT"`,
		names: "{", values: "{", value: "{ %s: %s }", bytes: `Buffer.from(%q, "base64")`,
		quote: quoteScript, boolean: strconv.FormatBool,
	},
}

//go:embed templates
var templateFiles embed.FS

// templates parses the templates when the first snippet is written, not at every start.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"lower": strings.ToLower,
		"indent": func(by, text string) string {
			return by + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+by)
		},
	}).ParseFS(templateFiles, "templates/*.tmpl"))
})

// A source is a program in one language, as its templates see it.
type source struct {
	*program
	syntax
	template *template.Template
}

func (s source) text() string {
	out, err := s.Part(s.template.Name())
	if err != nil { // The templates are fixed, and every one is run by the tests.
		return err.Error()
	}
	if s.finish != nil {
		return s.finish(out)
	}
	return out
}

// Part renders one of the templates, for a part of the program that the caller indents.
func (s source) Part(name string) (string, error) {
	var b strings.Builder
	err := s.template.ExecuteTemplate(&b, name, s)
	return b.String(), err
}

// Operation returns the name of the operation.
func (s source) Operation() string { return s.calls[0].operation }

// Get reports whether the program reads one item.
func (s source) Get() bool { return s.Operation() == "GetItem" }

// Count reports whether the program prints only the number of matches.
func (s source) Count() bool { return s.calls[0].count }

// Many reports whether the program has a list of inputs.
func (s source) Many() bool { return len(s.calls) > 1 }

// Quote returns text as a string literal.
func (s source) Quote(text string) string { return s.quote(text) }

// Binary reports whether a value is binary.
func (s source) Binary() bool {
	return slices.ContainsFunc(s.calls, func(c call) bool {
		return slices.ContainsFunc(slices.Collect(maps.Values(c.values)), func(v types.AttributeValue) bool {
			return models.ValueType(v) == models.TypeB
		})
	})
}

// Loop returns the literals that the program loops over, "" without a loop.
func (s source) Loop() string {
	var list []string
	for _, v := range s.loopValues {
		list = append(list, s.literal(v))
	}
	return strings.Join(list, ", ")
}

// ClientOptions returns the options of a JavaScript client, "" for none.
func (s source) ClientOptions() string {
	var list []string
	for _, o := range [][2]string{{"region", s.Region}, {"endpoint", s.Endpoint}, {"profile", s.Profile}} {
		if o[1] != "" {
			list = append(list, o[0]+": "+s.quote(o[1]))
		}
	}
	return strings.Join(list, ", ")
}

// Inputs returns the members of each call's input, one on a line.
func (s source) Inputs() []string {
	var list []string
	for _, c := range s.calls {
		list = append(list, s.input(c))
	}
	return list
}

// Input returns the members of the first call's input, one on a line.
func (s source) Input() string { return s.input(s.calls[0]) }

func (s source) input(c call) string {
	style := s.member
	if s.Many() && s.element != "" {
		style = s.element
	}
	var b strings.Builder
	for _, m := range c.members {
		fmt.Fprintf(&b, "%s"+style+",\n", s.indent, m.name, s.memberValue(m.value))
	}
	return b.String()
}

func (s source) memberValue(value any) string {
	switch v := value.(type) {
	case string:
		return fmt.Sprintf(s.syntax.text, s.quote(v))
	case bool:
		return fmt.Sprintf(s.truth, s.boolean(v))
	case map[string]string:
		return s.object(s.names, slices.Sorted(maps.Keys(v)), func(name string) string { return s.quote(v[name]) })
	case models.Item:
		return s.object(s.values, v.Names(), func(name string) string {
			literal := s.literal(v[name])
			if name == s.loop {
				literal = loopVariable
			}
			return fmt.Sprintf(s.value, models.ValueType(v[name]), literal)
		})
	default:
		return s.count
	}
}

// object spells a map, one entry on a line.
func (s source) object(opening string, names []string, value func(name string) string) string {
	var b strings.Builder
	b.WriteString(opening + "\n")
	for _, name := range names {
		fmt.Fprintf(&b, "%s%s%s: %s,\n", s.indent, s.indent, s.quote(name), value(name))
	}
	return b.String() + s.indent + "}"
}

// literal spells a scalar. Keys and conditions contain nothing else.
func (s source) literal(v types.AttributeValue) string {
	switch v := v.(type) {
	case *types.AttributeValueMemberB:
		if s.bytes == "" { // Go's string literals hold any bytes.
			return "[]byte(" + s.quote(string(v.Value)) + ")"
		}
		return fmt.Sprintf(s.bytes, base64.StdEncoding.EncodeToString(v.Value))
	case *types.AttributeValueMemberBOOL:
		return s.boolean(v.Value)
	default:
		text, _ := models.ValueText(v)
		return s.quote(text)
	}
}

func gofmt(program string) string {
	out, err := format.Source([]byte(program))
	if err != nil { // Literals are quoted and everything else is fixed, so it always parses.
		return program
	}
	return string(out)
}

// quoteScript returns text as a JavaScript string: JSON with invisible
// characters escaped.
func quoteScript(text string) string {
	return string(models.PrintableJSON(models.AppendValueJSON(nil, models.StringValue(text))))
}

// quotePython returns text as a Python string. Invalid UTF-8 becomes U+FFFD, as
// in DynamoDB's responses.
func quotePython(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case unicode.IsPrint(r) || r == utf8.RuneError:
			b.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
