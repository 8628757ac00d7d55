// This file makes programs of a request: what a developer takes along to run the
// same question elsewhere.

package accesspatterns

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// A Language is what a snippet is written in.
type Language string

// The languages of snippets.
const (
	CLI        Language = "cli"        // a command of the AWS CLI for a POSIX shell
	Go         Language = "go"         // aws-sdk-go-v2
	Python     Language = "python"     // boto3
	TypeScript Language = "typescript" // @aws-sdk/client-dynamodb, version 3
)

// Languages lists the languages of snippets.
func Languages() []Language { return []Language{CLI, Go, Python, TypeScript} }

// Title is what the language and its library are called.
func (l Language) Title() string {
	switch l {
	case CLI:
		return "AWS CLI"
	case Go:
		return "Go"
	case Python:
		return "Python"
	case TypeScript:
		return "TypeScript"
	default:
		return string(l)
	}
}

// SnippetOptions say where a snippet asks, and what of the values it may show.
type SnippetOptions struct {
	Region   string // "" leaves it to the configuration of who runs it
	Endpoint string // a URL, "" for AWS's own
	Profile  string // of the AWS configuration, "" for the default one

	// Hidden names the parameters whose values are not to be shown: a snippet has
	// placeholders like <clientId> in their place, and a remark about them. A key
	// that KeySnippet is given has its placeholders already.
	Hidden []string
}

// Snippet writes the request as a program, or a command, that reads it to its
// end. Every leg is asked; a fan-out over the values of one placeholder is a
// loop over them. The rows of a fan-out are not merged.
func (r *Request) Snippet(lang Language, o SnippetOptions) string {
	p := r.Pattern
	r = r.hiding(o.Hidden)
	s := newScript(strings.TrimSpace(p.Title)+" ("+p.FullID()+")", o)
	for _, l := range r.Legs {
		s.calls = append(s.calls, callOf(l))
	}
	s.findVarying()
	if len(r.Legs) > 1 && !r.Sequential {
		s.note("Each part comes in its own order; merge them when the order of the whole matters.")
	}
	if p.StopAfter > 0 {
		s.note(fmt.Sprintf("Only the first %d matches are meant: stop there.", p.StopAfter))
	}
	return s.in(lang)
}

// KeySnippet writes the reading of one item as a program or a command.
func KeySnippet(t *models.Table, key models.Item, lang Language, o SnippetOptions) string {
	s := newScript("One item of "+t.Name, o)
	s.calls = []call{callOf(GetLeg(t, key))}
	return s.in(lang)
}

// A script is what a snippet does, in no language yet.
type script struct {
	notes []string // remarks above it
	place SnippetOptions
	calls []call

	// vary is the alias whose value is all that tells the calls apart, with its
	// values. Without it there is one call, or calls that have less in common.
	vary   string
	values []types.AttributeValue
}

// A call is one operation.
type call struct {
	operation              string // GetItem, Query or Scan
	table, index           string
	key                    models.Item // of GetItem
	condition, filter      string
	names                  map[string]string
	values                 models.Item
	descending, counts, on bool // on: strongly consistent
}

func newScript(title string, o SnippetOptions) *script {
	s := &script{place: o}
	s.note(title)
	if len(o.Hidden) > 0 {
		s.note("Hidden here: put the value in the place of <" + strings.Join(o.Hidden, ">, <") + ">.")
	}
	return s
}

// note adds a remark. It becomes one line of a comment, whatever it holds.
func (s *script) note(text string) {
	s.notes = append(s.notes, models.Printable(strings.Join(strings.Fields(text), " ")))
}

// remarks are the notes as lines of comments.
func (s *script) remarks(mark string) string {
	var b strings.Builder
	for _, n := range s.notes {
		b.WriteString(mark + " " + n + "\n")
	}
	return b.String()
}

func (s *script) in(lang Language) string {
	switch lang {
	case Go:
		return s.golang()
	case Python:
		return s.python()
	case TypeScript:
		return s.typescript()
	default:
		return s.shell()
	}
}

func callOf(l Leg) call {
	switch {
	case l.Get != nil:
		g := l.Get
		return call{operation: "GetItem", table: *g.TableName, key: g.Key, on: g.ConsistentRead != nil && *g.ConsistentRead}
	case l.Query != nil:
		q := l.Query
		return call{
			operation: "Query", table: *q.TableName, index: given(q.IndexName), condition: given(q.KeyConditionExpression),
			filter: given(q.FilterExpression), names: q.ExpressionAttributeNames, values: q.ExpressionAttributeValues,
			descending: q.ScanIndexForward != nil && !*q.ScanIndexForward, counts: q.Select == types.SelectCount,
		}
	default:
		s := l.Scan
		return call{
			operation: "Scan", table: *s.TableName, index: given(s.IndexName), filter: given(s.FilterExpression),
			names: s.ExpressionAttributeNames, values: s.ExpressionAttributeValues, counts: s.Select == types.SelectCount,
		}
	}
}

// hiding returns the request with placeholders in the place of the parameters'
// values. Where a key or a filter takes no such text, a number's for instance,
// all of its value becomes one.
func (r *Request) hiding(names []string) *Request {
	out := *r
	out.Values = maps.Clone(r.Values)
	hidden := false
	for _, n := range names {
		if _, ok := out.Values[n]; ok {
			out.Values[n], hidden = Value{Text: "<" + n + ">"}, true
		}
	}
	if !hidden {
		return r
	}
	out.Legs, out.Labels = nil, nil
	if out.compile() == nil && len(out.Legs) == len(r.Legs) {
		out.useNames(r.renamed)
		return &out
	}
	out.Legs = nil
	for _, l := range r.Legs {
		out.Legs = append(out.Legs, l.hidden())
	}
	return &out
}

// hidden returns the leg without any of its values.
func (l Leg) hidden() Leg {
	hide := func(values map[string]types.AttributeValue) models.Item {
		out := make(models.Item, len(values))
		for name, v := range values {
			out[name] = models.StringValue("<hidden>")
			if models.ValueType(v) == models.TypeN {
				out[name] = &types.AttributeValueMemberN{Value: "<hidden>"}
			}
		}
		return out
	}
	switch {
	case l.Get != nil:
		in := *l.Get
		in.Key = hide(in.Key)
		return Leg{Get: &in}
	case l.Query != nil:
		in := *l.Query
		in.ExpressionAttributeValues = hide(in.ExpressionAttributeValues)
		return Leg{Query: &in}
	default:
		in := *l.Scan
		in.ExpressionAttributeValues = hide(in.ExpressionAttributeValues)
		return Leg{Scan: &in}
	}
}

func given(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// findVarying finds the one value in which the calls differ, and folds them into
// the first.
func (s *script) findVarying() {
	if len(s.calls) < 2 {
		return
	}
	first := s.calls[0]
	vary := ""
	for _, c := range s.calls[1:] {
		if c.condition != first.condition || c.filter != first.filter || !maps.Equal(c.names, first.names) || len(c.values) != len(first.values) {
			return
		}
		for alias, v := range c.values {
			if models.EqualValues(v, first.values[alias]) || alias == vary {
				continue
			}
			if vary != "" || models.ValueType(v) != models.ValueType(first.values[alias]) {
				return
			}
			vary = alias
		}
	}
	if t := models.ValueType(first.values[vary]); t != models.TypeS && t != models.TypeN {
		return
	}
	s.vary = vary
	for _, c := range s.calls {
		s.values = append(s.values, c.values[vary])
	}
	s.calls = s.calls[:1]
}

// eachValue is the name of the variable of a loop over the values that vary. It
// is a word of no language, and no other variable's name.
const eachValue = "partition"

// aliases are the keys of a map in byte order, so that a snippet is the same
// every time.
func aliases[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
