// Package snippet writes a bound request as source code: an AWS CLI command, or a complete Go, Python or TypeScript
// program that reads every page.
//
// It defines the languages and how they quote literals. Package accesspatterns determines the request, and the caller
// determines which of its values a snippet may show (Options.Hidden).
package snippet

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// Options contains the connection for a snippet, and the parameters whose values it must not contain.
type Options struct {
	Region   string // "" uses the region of the user who runs the snippet
	Endpoint string // a URL; "" is the AWS endpoint of the region
	Profile  string // AWS profile; "" for the default profile

	// Hidden names the parameters to replace with placeholders such as <clientId>. A comment in the snippet lists them.
	// Keys passed to ForKey must already contain their placeholders.
	Hidden []string
}

// ForRequest writes the request as a program or command that reads all its pages. A fan-out over the values of one
// placeholder becomes a loop, which does not merge its results. ForRequest does not change r, and omits limits and page
// starts. The text ends with a newline and does not contain values of parameters in Hidden. Running it costs the same
// RCU as the request.
func ForRequest(r *accesspatterns.Request, lang Language, o Options) string {
	p := r.Pattern
	r = r.WithPlaceholders(o.Hidden)
	s := newProgram(strings.TrimSpace(p.Title)+" ("+p.FullID()+")", o)
	if _, sort := p.Table.KeysOf(r.Read.Index); len(sort) > 0 {
		s.sort = sort[0].Name
	}
	for _, l := range r.Legs {
		s.calls = append(s.calls, callOf(l))
	}
	if r.Legs[0].Batch == nil {
		s.foldIntoLoop()
	}
	if len(r.Legs) > 1 && !r.Sequential {
		s.note("Each partition is read in its own order; merge the results if you need one overall order.")
	}
	if s.clientFilter = r.Legs[0].ClientFilter(); s.clientFilter != "" {
		s.note("Without the filter that ddbdesk applies itself: " + s.clientFilter)
	}
	if p.StopAfter > 0 {
		s.note(fmt.Sprintf("The pattern ends after the first %d matches.", p.StopAfter))
	}
	return s.write(lang)
}

// ForKey writes a GetItem for one key as a program or command. The key must be complete; mask it first if the user may
// not see it. The read has the same consistency as accesspatterns.GetLeg.
func ForKey(t *models.Table, key models.Item, lang Language, o Options) string {
	s := newProgram("One item of table "+t.Name, o)
	s.calls = []call{callOf(accesspatterns.GetLeg(t, key))}
	return s.write(lang)
}

// A program contains the content of a snippet independent of its language.
type program struct {
	Options
	notes        []string // comments at the top
	sort         string   // the sort key, or ""
	clientFilter string   // the condition that ddbdesk evaluates and the calls omit, "" for none
	calls        []call

	// loop is the alias of the only value that differs between the calls, or "" if there is no loop. loopValues
	// contains its values.
	loop       string
	loopValues []types.AttributeValue
}

// A call is one operation: its name, and the members of its input in the order of the API reference.
type call struct {
	operation string // GetItem, Query or Scan
	countOnly bool   // the call returns only the number of matches
	members   []member
	names     map[string]string
	values    models.Item // a copy of the values among the members
	table     string      // table of a BatchGetItem, whose members are those of the table's request
}

// A member is one field of an operation's input. The value is a string, a bool, a models.Item, a list of items, a
// map[string]string or types.SelectCount.
type member struct {
	name  string
	value any
}

func newProgram(title string, o Options) *program {
	s := &program{Options: o}
	s.note(title)
	if len(o.Hidden) > 0 {
		s.note("Masked values: replace <" + strings.Join(o.Hidden, ">, <") + "> before you run this.")
	}
	return s
}

// directiveBreaker splits comments that a compiler would interpret: Go excludes a file with the comment "+build", and
// Python reads a file in the encoding that its first two lines name. https://peps.python.org/pep-0263/
var directiveBreaker = strings.NewReplacer("+build", "+ build", "coding:", "coding :", "coding=", "coding =")

func (p *program) note(text string) {
	p.notes = append(p.notes, directiveBreaker.Replace(models.Printable(strings.Join(strings.Fields(text), " "))))
}

// callOf omits limits and does not request the consumed capacity.
func callOf(l accesspatterns.Leg) call {
	if g := l.Get; g != nil {
		c := call{operation: "GetItem", values: g.Key, names: g.ExpressionAttributeNames}
		c.add("TableName", aws.ToString(g.TableName))
		c.add("Key", c.values)
		c.add("ConsistentRead", aws.ToBool(g.ConsistentRead))
		c.addProjection(g.ProjectionExpression)
		return c
	}
	if l.Batch != nil {
		return batchOf(l)
	}
	operation, q := "Query", l.Query
	if q == nil { // A query has every member of a scan.
		operation, q = "Scan", &dynamodb.QueryInput{
			TableName: l.Scan.TableName, IndexName: l.Scan.IndexName, FilterExpression: l.Scan.FilterExpression, Select: l.Scan.Select,
			ConsistentRead: l.Scan.ConsistentRead, ProjectionExpression: l.Scan.ProjectionExpression,
			ExpressionAttributeNames: l.Scan.ExpressionAttributeNames, ExpressionAttributeValues: l.Scan.ExpressionAttributeValues,
		}
	}
	c := call{
		operation: operation, countOnly: q.Select == types.SelectCount,
		names: q.ExpressionAttributeNames, values: q.ExpressionAttributeValues,
	}
	c.add("TableName", aws.ToString(q.TableName))
	c.add("IndexName", aws.ToString(q.IndexName))
	if aws.ToBool(q.ConsistentRead) {
		c.add("ConsistentRead", true)
	}
	c.add("KeyConditionExpression", aws.ToString(q.KeyConditionExpression))
	c.add("FilterExpression", aws.ToString(q.FilterExpression))
	c.add("ProjectionExpression", aws.ToString(q.ProjectionExpression))
	if len(c.names) > 0 {
		c.add("ExpressionAttributeNames", c.names)
	}
	if len(c.values) > 0 {
		c.add("ExpressionAttributeValues", c.values)
	}
	if !aws.ToBool(cmp.Or(q.ScanIndexForward, aws.Bool(true))) {
		c.members = append(c.members, member{"ScanIndexForward", false})
	}
	if c.countOnly {
		c.add("Select", types.SelectCount)
	}
	return c
}

func batchOf(l accesspatterns.Leg) call {
	table, request := l.Keys()
	c := call{operation: "BatchGetItem", names: request.ExpressionAttributeNames, table: table}
	keys := models.MapSlice(request.Keys, func(key map[string]types.AttributeValue) models.Item { return key })
	c.add("Keys", keys)
	c.add("ConsistentRead", aws.ToBool(request.ConsistentRead))
	c.addProjection(request.ProjectionExpression)
	return c
}

func (c *call) addProjection(expression *string) {
	c.add("ProjectionExpression", aws.ToString(expression))
	if len(c.names) > 0 {
		c.add("ExpressionAttributeNames", c.names)
	}
}

func (p *program) operation() string { return p.calls[0].operation }

func (p *program) isCount() bool { return p.calls[0].countOnly }

func (c *call) add(name string, value any) {
	if v, ok := value.(bool); (!ok || v) && value != any("") {
		c.members = append(c.members, member{name, value})
	}
}

func (c call) withValue(alias string, v types.AttributeValue) call {
	c.values = maps.Clone(c.values)
	c.values[alias] = v
	c.members = slices.Clone(c.members)
	for i, m := range c.members {
		if m.name == "ExpressionAttributeValues" {
			c.members[i].value = c.values
		}
	}
	return c
}

func (p *program) foldIntoLoop() {
	if len(p.calls) < 2 {
		return
	}
	first := p.calls[0]
	loop := ""
	for _, c := range p.calls[1:] {
		if !haveSameExpressions(c, first) {
			return
		}
		for alias, v := range c.values {
			if models.EqualValues(v, first.values[alias]) || alias == loop {
				continue
			}
			if loop != "" || models.ValueType(v) != models.ValueType(first.values[alias]) {
				return
			}
			loop = alias
		}
	}
	if t := models.ValueType(first.values[loop]); t != models.TypeS && t != models.TypeN {
		return
	}
	p.loop = loop
	for _, c := range p.calls {
		p.loopValues = append(p.loopValues, c.values[loop])
	}
	p.calls = p.calls[:1]
}

func haveSameExpressions(a, b call) bool {
	return len(a.values) == len(b.values) && maps.Equal(a.names, b.names) && slices.EqualFunc(a.members, b.members, func(m, n member) bool {
		text, isText := m.value.(string)
		return m.name == n.name && (!isText || text == n.value)
	})
}

// loopVariable names the variable of a loop. It is neither a keyword of any language nor another variable of the
// programs.
const loopVariable = "partition"

// plainInShell contains the characters that need no quotes in any POSIX shell.
const plainInShell = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@%+,="

// ShellQuote returns text as one word of a POSIX shell. Text with control or invisible characters becomes a printf
// command, so that the result is safe to print and to paste: a shell completes words when a pasted text contains a tab.
// The result omits NUL, which no shell word can contain. Empty text becomes two quotes. Other shells, such as fish or
// PowerShell, have other rules.
func ShellQuote(text string) string {
	needsQuotes := func(r rune) bool { return !strings.ContainsRune(plainInShell, r) }
	switch {
	case models.SafeText(text) != text || strings.Contains(text, "\t"):
		return printfWord(text)
	case text != "" && text[0] != '=' && !strings.ContainsFunc(text, needsQuotes): // zsh expands =name to the path of a program.
		return text
	}
	return "'" + escapeQuotes(text) + "'"
}

// printfWord writes bytes beyond ASCII in octal for printf, and appends line breaks that command substitution strips.
func printfWord(text string) string {
	trimmed := strings.TrimRight(text, "\n")
	var b strings.Builder
	for i := range len(trimmed) {
		switch c := trimmed[i]; {
		case c == '%' || c == '\\':
			b.WriteByte(c)
			b.WriteByte(c)
		case c == '\'':
			b.WriteString(`'\''`)
		case c >= ' ' && c < 0x7f && c != '!' && (i > 0 || c != '-'): // ! recalls commands, and a leading dash would be an option.
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, `\%03o`, c)
		}
	}
	word := `"$(printf '` + b.String() + `')"`
	if lineBreaks := text[len(trimmed):]; lineBreaks != "" {
		word += "'" + lineBreaks + "'"
	}
	return word
}

func escapeQuotes(text string) string { return strings.ReplaceAll(text, "'", `'\''`) }

func (c call) requestJSON() string {
	parts := make([]string, len(c.members))
	for i, m := range c.members {
		switch v := m.value.(type) {
		case []models.Item:
			parts[i] = "[" + strings.Join(models.MapSlice(v, typedJSON), ",") + "]"
		case map[string]string:
			parts[i] = namesJSON(v)
		case string:
			parts[i] = quoteScript(v)
		default:
			parts[i] = fmt.Sprint(v)
		}
		parts[i] = quoteScript(m.name) + ":" + parts[i]
	}
	return "{" + quoteScript(c.table) + ":{" + strings.Join(parts, ",") + "}}"
}

func typedJSON(it models.Item) string {
	return string(models.PrintableJSON(it.AppendDynamoDBJSON(nil)))
}

func namesJSON(names map[string]string) string {
	it := models.Item{}
	for alias, n := range names {
		it[alias] = models.StringValue(n)
	}
	return string(models.PrintableJSON(it.AppendJSON(nil)))
}
