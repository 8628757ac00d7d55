package snippet

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// A Language is the language of a snippet.
type Language string

// These are the languages of snippets.
const (
	CLI        Language = "cli"        // an AWS CLI command for a POSIX shell
	Go         Language = "go"         // aws-sdk-go-v2
	Python     Language = "python"     // boto3
	TypeScript Language = "typescript" // @aws-sdk/client-dynamodb, version 3
	PartiQL    Language = "partiql"    // a statement for execute-statement or the AWS console
)

// Languages lists the languages of snippets in menu order. The caller may change the slice.
func Languages() []Language { return []Language{CLI, Go, Python, TypeScript, PartiQL} }

// Title returns the name of the language, or of the tool, for menus. It is "" for an unknown language.
func (l Language) Title() string {
	return map[Language]string{CLI: "AWS CLI", Go: "Go", Python: "Python", TypeScript: "TypeScript", PartiQL: "PartiQL"}[l]
}

// Extension returns the extension of a file in the language, without the dot. It is "" for an unknown language.
// TypeScript has mts, because the programs await at the top level, which needs a module.
func (l Language) Extension() string {
	return map[Language]string{CLI: "sh", Go: "go", Python: "py", TypeScript: "mts", PartiQL: "sql"}[l]
}

func (p *program) write(lang Language) string {
	switch lang {
	case Go:
		return gofmt(source{p, golang}.text())
	case Python:
		return source{p, python}.text()
	case TypeScript:
		return source{p, typescript}.text()
	case PartiQL:
		return p.partiql()
	case CLI:
	}
	return p.shell()
}

// A syntax contains the differences between the programming languages. The function fill replaces words such as $input
// in its texts.
type syntax struct {
	comment string              // starts a comment of one line
	header  func(source) string // everything before the statements that read
	margin  string              // the indent of the reading statements
	footer  func(source) string // everything after them

	// These fields are statements. In a loop over several inputs, $input is the variable; otherwise, it is the literal.
	get       string // reads one item: $members
	batch     string // reads items by their keys: $requests, $table of the literal of the only table
	request   string // one of these requests: $table, $members
	list      string // opens a list of maps of attribute values
	listEnd   string // closes this list
	mapOf     string // opens such a map in the list
	literal   string // an input: $Operation, $members
	variable  string
	read      string // reads every page: $Operation, $operation, $input, $page
	sum, show string // the statement for each page: adds its count, or prints its items
	declare   string // declares the sum
	print     string // prints the sum
	eachValue string // a loop over values: $list, $statements
	eachInput string // a loop over inputs: $Operation, $list, $statements

	// These fields are values. Strings with verbs are formats for package fmt.
	indent  string // indentation of one level
	member  string // a member of the input: name, value
	element string // a member of one of several inputs: name, value
	text    string // a string member: literal
	truth   string // a boolean member: literal
	count   string // the value of Select
	names   string // opens a map of names
	values  string // opens a map of attribute values
	value   string // an attribute value: type, literal
	bytes   func([]byte) string
	quote   func(string) string
	boolean func(bool) string
}

// fill replaces marks, given as pairs of mark and replacement. It does not change marks within a replacement.
func fill(text string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(text) }

func indentText(indent, text string) string {
	return indent + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+indent) + "\n"
}

// A source is a program in a programming language.
type source struct {
	*program
	lang syntax
}

func (s source) text() string {
	var b strings.Builder
	for _, n := range s.notes {
		b.WriteString(s.lang.comment + n + "\n")
	}
	b.WriteString(s.lang.header(s))
	statements := s.statements()
	if s.isCount() {
		statements = s.lang.declare + statements + s.lang.print
	}
	b.WriteString(indentText(s.lang.margin, statements))
	b.WriteString(s.lang.footer(s))
	return b.String()
}

func (s source) statements() string {
	lang, operation, page := s.lang, s.operation(), s.lang.show
	if s.isCount() {
		page = lang.sum
	}
	if operation == "GetItem" {
		return fill(lang.get, "$members", s.members(s.calls[0], lang.member))
	}
	if operation == "BatchGetItem" {
		var requests strings.Builder
		for _, c := range s.calls {
			requests.WriteString(fill(lang.request, "$table", lang.quote(c.table), "$members", s.members(c, lang.element)))
		}
		return fill(lang.batch, "$requests", requests.String(), "$table", lang.quote(s.calls[0].table))
	}
	read := func(input string) string {
		return fill(lang.read, "$Operation", operation, "$operation", strings.ToLower(operation), "$input", input, "$page", page)
	}
	if len(s.calls) > 1 {
		var list strings.Builder
		for _, c := range s.calls {
			list.WriteString(indentText(lang.indent, "{\n"+s.members(c, lang.element)+"},"))
		}
		return fill(lang.eachInput, "$Operation", operation, "$list", list.String(), "$statements",
			indentText(lang.indent, read(lang.variable)))
	}
	all := read(fill(lang.literal, "$Operation", operation, "$members", s.members(s.calls[0], lang.member)))
	if s.loop == "" {
		return all
	}
	literals := models.MapSlice(s.loopValues, s.scalar)
	return fill(lang.eachValue, "$list", strings.Join(literals, ", "), "$statements", indentText(lang.indent, all))
}

// options writes the region, the endpoint and the AWS profile, if set, each in the format at the same position.
func (s source) options(formats ...string) []string {
	var list []string
	for i, value := range []string{s.Region, s.Endpoint, s.Profile} {
		if value != "" && formats[i] != "" {
			list = append(list, fmt.Sprintf(formats[i], s.lang.quote(value)))
		}
	}
	return list
}

func (s source) members(c call, format string) string {
	var b strings.Builder
	for _, m := range c.members {
		fmt.Fprintf(&b, s.lang.indent+format+",\n", m.name, s.memberValue(m.value))
	}
	return b.String()
}

func (s source) memberValue(value any) string {
	lang := s.lang
	switch v := value.(type) {
	case string:
		return fmt.Sprintf(lang.text, lang.quote(v))
	case bool:
		return fmt.Sprintf(lang.truth, lang.boolean(v))
	case map[string]string:
		return s.object(lang.names, slices.Sorted(maps.Keys(v)), func(name string) string { return lang.quote(v[name]) })
	case models.Item:
		return s.object(lang.values, v.Names(), func(name string) string {
			literal := loopVariable
			if name != s.loop {
				literal = s.scalar(v[name])
			}
			return fmt.Sprintf(lang.value, models.ValueType(v[name]), literal)
		})
	case []models.Item:
		var b strings.Builder
		for _, key := range v {
			entries := s.object(lang.mapOf, key.Names(), func(name string) string {
				return fmt.Sprintf(lang.value, models.ValueType(key[name]), s.scalar(key[name]))
			})
			b.WriteString(indentText(lang.indent, lang.indent+entries+","))
		}
		return lang.list + "\n" + b.String() + lang.indent + lang.listEnd
	default:
		return lang.count
	}
}

func (s source) object(opening string, names []string, value func(name string) string) string {
	var b strings.Builder
	b.WriteString(opening + "\n")
	for _, name := range names {
		fmt.Fprintf(&b, "%s%s%s: %s,\n", s.lang.indent, s.lang.indent, s.lang.quote(name), value(name))
	}
	return b.String() + s.lang.indent + "}"
}

func (s source) scalar(v types.AttributeValue) string {
	switch v := v.(type) {
	case *types.AttributeValueMemberB:
		return s.lang.bytes(v.Value)
	case *types.AttributeValueMemberBOOL:
		return s.lang.boolean(v.Value)
	default:
		text, _ := models.ValueText(v)
		return s.lang.quote(text)
	}
}
