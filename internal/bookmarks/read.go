package bookmarks

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"go.yaml.in/yaml/v4"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// The keys of the file.
const (
	bookmarksWord  = "bookmarks"
	nameWord       = "name"
	noteWord       = "note"
	patternWord    = "pattern"
	parametersWord = "parameters"
	tableWord      = "table"
	keyWord        = "key"
)

// A file is the text of a bookmark file with its content.
type file struct {
	list   *List
	name   string       // as messages call it
	lines  []string     // with their line breaks
	seq    *yaml.Node   // the sequence; nil when there is none
	word   *yaml.Node   // the key before it
	items  []*yaml.Node // of marks
	marks  []Bookmark
	faults profiles.Errors
	want   []Bookmark // the bookmarks that the edited text must have
}

func (f *file) fault(n *yaml.Node, suggestion, format string, args ...any) {
	f.faults = append(f.faults, profiles.Diagnostic{
		File: f.name, Line: max(n.Line, 1), Column: max(n.Column, 1), Severity: profiles.Error, Rule: "bookmark",
		Message: models.Printable(fmt.Sprintf(format, args...)), Suggestion: strings.TrimPrefix(suggestion, "; "),
	})
}

// parseBookmarks parses the text. Faults are in the result.
func (l *List) parseBookmarks(text []byte) *file {
	f := &file{list: l, name: l.bookmarkName(), lines: slices.Collect(strings.Lines(string(text)))}
	if blank(f.lines) {
		return f
	}
	var root yaml.Node
	if err := yaml.Load(text, &root); err != nil {
		f.syntax(err)
		return f
	}
	if root.Kind == yaml.DocumentNode && len(root.Content) > 0 {
		f.read(root.Content[0])
	}
	return f
}

// blank reports whether the lines are empty or comments.
func blank(lines []string) bool {
	return !slices.ContainsFunc(lines, func(line string) bool {
		line = strings.TrimSpace(line)
		return line != "" && line[0] != '#'
	})
}

func (f *file) syntax(err error) {
	at, text := &yaml.Node{}, err.Error()
	var l *yaml.LoadError
	if errors.As(err, &l) && l.Mark.Line > 0 {
		at.Line, at.Column = l.Mark.Line, l.Mark.Column
		text = strings.TrimSpace(l.Message + " " + l.ContextMsg)
	}
	f.fault(at, "", "invalid YAML: %s", text)
}

// read reads the document.
func (f *file) read(root *yaml.Node) {
	if root.Kind != yaml.MappingNode {
		f.fault(root, "", "expected bookmarks: and a list")
		return
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		word, value := root.Content[i], root.Content[i+1]
		switch {
		case word.Value != bookmarksWord:
			f.fault(word, models.DidYouMean(word.Value, []string{bookmarksWord}), "unknown key %q", word.Value)
		case f.word != nil:
			f.fault(word, "", "duplicate key %q", word.Value)
		default:
			f.word = word
			f.entries(value)
		}
	}
}

func (f *file) entries(list *yaml.Node) {
	defer func() {
		slices.SortStableFunc(f.faults, func(a, b profiles.Diagnostic) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
	}()
	if isNull(list) {
		return
	}
	if list.Kind != yaml.SequenceNode {
		f.fault(list, "", "expected a list; start each bookmark with a dash")
		return
	}
	f.seq = list
	for _, n := range list.Content {
		f.items = append(f.items, n)
		f.marks = append(f.marks, f.entry(n))
	}
	for i, b := range f.marks {
		if first := f.index(b.Name); b.Name != "" && first < i {
			f.fault(f.items[i], "rename one of them", "duplicate name %q, first used on line %d", b.Name, f.items[first].Line)
		}
	}
	for i := range f.marks {
		from, to := f.block(i)
		f.marks[i].text = strings.Join(f.lines[from:to], "")
	}
}

// entry reads one bookmark. A malformed bookmark is a fault of the file; a name that the schema does not have is a
// problem of the bookmark.
func (f *file) entry(n *yaml.Node) Bookmark {
	var b Bookmark
	if n.Kind != yaml.MappingNode {
		f.fault(n, "", "expected name: and pattern:, or name:, table: and key:")
		b.Problem = "not a bookmark"
		return b
	}
	before := len(f.faults)
	at := map[string]*yaml.Node{}
	words := []string{nameWord, noteWord, patternWord, parametersWord, tableWord, keyWord}
	for i := 0; i+1 < len(n.Content); i += 2 {
		word, value := n.Content[i], n.Content[i+1]
		switch {
		case !slices.Contains(words, word.Value):
			f.fault(word, models.DidYouMean(word.Value, words), "unknown key %q", word.Value)
		case at[word.Value] != nil:
			f.fault(word, "", "duplicate key %q", word.Value)
		default:
			at[word.Value] = resolved(value)
		}
	}
	b.Name, b.Note = f.text(at[nameWord]), f.text(at[noteWord])
	if err := CheckName(b.Name); err != nil {
		f.fault(cmp.Or(at[nameWord], n), "", "%v", err)
	}
	switch {
	case at[patternWord] != nil && (at[tableWord] != nil || at[keyWord] != nil):
		f.fault(n, "split it into two bookmarks", "a bookmark has either a pattern or an item, not both")
	case at[patternWord] != nil:
		f.query(&b, at[patternWord], at[parametersWord])
	case at[tableWord] != nil && at[keyWord] != nil:
		f.item(&b, at[tableWord], at[keyWord])
	case len(f.faults) == before: // Otherwise a misspelled key explains it.
		f.fault(n, "", "expected pattern:, or table: and key:")
	}
	if len(f.faults) > before && b.Problem == "" {
		b.Problem = f.faults[before].Message
	}
	return b
}

// query reads a named query.
func (f *file) query(b *Bookmark, pattern, parameters *yaml.Node) {
	p := f.list.s.Profile()
	id := f.text(pattern)
	if b.Pattern = p.Pattern(id); b.Pattern == nil {
		b.Problem = fmt.Sprintf("%s has no pattern %q%s", p.Name, models.Printable(id), models.DidYouMean(id, p.PatternIDs()))
		return
	}
	b.Args = map[string]string{}
	for name, value := range f.mapping(parameters) {
		q := b.Pattern.Param(name)
		if q == nil {
			var names []string
			for _, q := range b.Pattern.Params {
				names = append(names, q.Name)
			}
			b.Problem = fmt.Sprintf("%s has no parameter %q%s", id, models.Printable(name), models.DidYouMean(name, names))
			continue
		}
		b.Args[name] = value
	}
}

// item reads the bookmark of an item.
func (f *file) item(b *Bookmark, table, key *yaml.Node) {
	p := f.list.s.Profile()
	name := f.text(table)
	t := p.Table(name)
	if t == nil {
		var names []string
		for _, t := range p.Tables {
			names = append(names, t.ID)
		}
		b.Problem = fmt.Sprintf("%s has no table %q%s", p.Name, models.Printable(name), models.DidYouMean(name, names))
		return
	}
	given := f.mapping(key)
	b.Key = models.Item{}
	for _, k := range []models.Key{t.PartitionKey, t.SortKey} {
		if k.Name == "" {
			continue
		}
		v, err := keyOf(k.Type, given[k.Name])
		if given[k.Name] == "" || err != nil {
			b.Problem = fmt.Sprintf("key: needs %s of type %s", k.Name, k.Type)
			return
		}
		b.Key[k.Name] = v
		delete(given, k.Name)
	}
	for name := range given {
		b.Problem = fmt.Sprintf("key: %q is not a key attribute of %s", models.Printable(name), t.ID)
	}
	b.Table = t
}

// keyOf reads a key value. Binary values are base64.
func keyOf(t models.Type, text string) (types.AttributeValue, error) {
	if t != models.TypeB {
		return models.ScalarValue(t, text)
	}
	b, err := base64.StdEncoding.DecodeString(text)
	return &types.AttributeValueMemberB{Value: b}, err
}

// text returns the text of a scalar, "" for none.
func (f *file) text(n *yaml.Node) string {
	switch {
	case n == nil || isNull(n):
		return ""
	case n.Kind != yaml.ScalarNode:
		f.fault(n, "", "expected a string")
		return ""
	}
	return n.Value
}

// mapping returns the scalars of a mapping by name, empty for none.
func (f *file) mapping(n *yaml.Node) map[string]string {
	out := map[string]string{}
	if n == nil || isNull(n) {
		return out
	}
	if n.Kind != yaml.MappingNode {
		f.fault(n, "", "expected a mapping of names to values")
		return out
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if text := f.text(resolved(n.Content[i+1])); text != "" {
			out[n.Content[i].Value] = text
		}
	}
	return out
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// resolved returns the node that an alias refers to.
func resolved(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

// index returns the position of the bookmark of a name, ignoring case; -1 for none.
func (f *file) index(name string) int {
	return slices.IndexFunc(f.marks, func(b Bookmark) bool { return strings.EqualFold(b.Name, name) })
}
