package bookmarks

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/placed"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// maxParts is the maximum number of YAML nodes in a bookmark file after its aliases are expanded.
const maxParts = 100_000

// fileDecl is the content of a bookmark file.
type fileDecl struct {
	Format    int      `yaml:"format"`
	Bookmarks listDecl `yaml:"bookmarks"`
}

// listDecl is the list of bookmarks with its node, which contains the positions that edits need.
type listDecl struct {
	node  *yaml.Node // nil without a list
	marks []bookmarkDecl
}

// bookmarkDecl is a named query (pattern and parameters) or an item (table and key).
type bookmarkDecl struct {
	Name       string                 `yaml:"name"`
	Note       string                 `yaml:"note"`
	Pattern    string                 `yaml:"pattern"`
	Parameters placed.Ordered[string] `yaml:"parameters"`
	Query      *queryDecl             `yaml:"query"`
	Table      string                 `yaml:"table"`
	Key        placed.Ordered[string] `yaml:"key"`
}

// queryDecl is a custom query, with the options of ddbdesk table query.
type queryDecl struct {
	Table      string   `yaml:"table"`
	Index      string   `yaml:"index"`
	Key        []string `yaml:"key"`
	Where      []string `yaml:"where"`
	Descending bool     `yaml:"descending"`
	Limit      int      `yaml:"limit"`
}

// Decode implements [placed.FormDecoder].
func (l *listDecl) Decode(s *placed.Source, n *yaml.Node, path string) {
	switch {
	case n.Kind == yaml.ScalarNode && n.Tag == "!!null":
		return
	case n.Kind != yaml.SequenceNode:
		s.Errorf(path, "start each bookmark with a dash", "expected a list")
		return
	}
	l.node, l.marks = n, make([]bookmarkDecl, len(n.Content))
	for i, item := range n.Content {
		s.SetPosition(bookmarkPath(i), item)
		s.DecodeValue(item, &l.marks[i], bookmarkPath(i))
	}
}

func bookmarkPath(i int) string { return placed.Join(bookmarksWord, strconv.Itoa(i)) }

// A reader converts the declarations in a file to bookmarks of a schema.
type reader struct {
	placed.Source
	profile *profiles.Profile
	faults  []placed.Fault
}

func (l *List) parse(text []byte) *file {
	var d fileDecl
	r := &reader{profile: l.s.Profile()}
	r.Source = placed.Source{
		Report: func(f placed.Fault) { r.faults = append(r.faults, f) }, Subject: "file", MaxParts: maxParts, Invisible: true,
	}
	r.Load(text, &d)
	f := &file{list: l, name: cmp.Or(l.Path(), bookmarksWord), text: string(text), listed: r.Has(bookmarksWord)}
	for i, m := range d.Bookmarks.marks {
		f.bookmarks = append(f.bookmarks, r.bookmark(bookmarkPath(i), m))
		if first := f.index(m.Name); m.Name != "" && first < i {
			_, line, _ := r.At(bookmarkPath(first))
			r.Errorf(bookmarkPath(i), "rename one of them", "duplicate name %q, first used on line %d", m.Name, line)
		}
	}
	if err := appdir.CheckFormat(d.Format, formatVersion); err != nil {
		r.faults, f.bookmarks = nil, nil // unknown parts of a newer format may change the meaning of known parts
		r.Errorf(formatWord, "", "%v", err)
	}
	slices.SortStableFunc(r.faults, placed.Fault.Compare)
	for _, fault := range r.faults {
		f.faults = append(f.faults, profiles.Diagnostic{
			File: f.name, Line: fault.Line, Column: fault.Column, Path: fault.Path, Severity: profiles.Error, Rule: "bookmark",
			Message: fault.Message, Suggestion: fault.Suggestion,
		})
	}
	_, word, _ := r.At(bookmarksWord)
	f.split(d.Bookmarks.node, word)
	return f
}

// bookmark reports a malformed bookmark as a fault of the file, and an unknown name as a problem of the bookmark.
func (r *reader) bookmark(path string, d bookmarkDecl) Bookmark {
	b := Bookmark{Name: d.Name, Note: d.Note}
	if b.Problem = r.problem(path); b.Problem == "" {
		if err := CheckName(d.Name); err != nil {
			r.Errorf(path, "", "%v", err)
		}
	}
	switch {
	case d.Pattern != "" && (d.Table != "" || len(d.Key) > 0):
		r.Errorf(path, "split it into two bookmarks", "a bookmark has either a pattern or an item, not both")
	case d.Query != nil && (d.Pattern != "" || d.Table != "" || len(d.Key) > 0):
		r.Errorf(path, "split it into two bookmarks", "a bookmark with query: cannot have a pattern, a table or a key")
	case d.Pattern != "":
		r.query(&b, d)
	case d.Query != nil:
		r.customQuery(&b, *d.Query)
	case d.Table != "" && len(d.Key) > 0:
		r.item(&b, d)
	case b.Problem == "": // otherwise a misspelled key explains it
		r.Errorf(path, "", "expected pattern:, query:, or table: and key:")
	}
	if b.Problem == "" {
		b.Problem = r.problem(path)
	}
	return b
}

func (r *reader) problem(path string) string {
	return models.First(r.faults, func(f placed.Fault) bool {
		return f.Path == path || strings.HasPrefix(f.Path, path+".")
	}).Message
}

func (r *reader) query(b *Bookmark, d bookmarkDecl) {
	if b.Pattern = r.profile.Pattern(d.Pattern); b.Pattern == nil {
		b.Problem = unknown(r.profile.Name, "pattern", d.Pattern, r.profile.PatternIDs())
		return
	}
	b.Args = map[string]string{}
	for _, arg := range d.Parameters {
		if b.Pattern.Param(arg.Key) == nil {
			names := models.MapSlice(b.Pattern.Params, func(q *accesspatterns.Param) string { return q.Name })
			b.Problem = unknown(d.Pattern, "parameter", arg.Key, names)
		} else if arg.Value != "" {
			b.Args[arg.Key] = arg.Value
		}
	}
}

func (r *reader) table(id string) (t *models.Table, problem string) {
	if t = r.profile.Table(id); t == nil {
		names := models.MapSlice(r.profile.Tables, func(t *models.Table) string { return t.ID })
		problem = unknown(r.profile.Name, "table", id, names)
	}
	return t, problem
}

func (r *reader) customQuery(b *Bookmark, d queryDecl) {
	t, problem := r.table(d.Table)
	if b.Problem = problem; t == nil {
		return
	}
	x := t.Index(d.Index)
	if x == nil && d.Index != "" {
		b.Problem = unknown(t.ID, "index", d.Index, models.MapSlice(t.Indexes, func(x *models.Index) string { return x.Name }))
		return
	}
	operation := accesspatterns.Query
	if len(d.Key) == 0 {
		operation = accesspatterns.Scan
	}
	var err error
	b.Pattern, b.Args, err = r.profile.CustomPattern(t, x, operation, accesspatterns.CustomQuery{
		Key: d.Key, Where: d.Where, Descending: d.Descending, Limit: d.Limit,
	}, false)
	if err != nil {
		b.Problem = err.Error()
	}
}

func (r *reader) item(b *Bookmark, d bookmarkDecl) {
	t, problem := r.table(d.Table)
	if b.Problem = problem; t == nil {
		return
	}
	b.Key = models.Item{}
	for _, k := range t.PrimaryKeys() {
		text, _ := d.Key.Get(k.Name)
		v, err := models.ScalarValue(k.Type, text)
		if text == "" || err != nil {
			b.Problem = fmt.Sprintf("key: needs %s of type %s", k.Name, k.Type)
			return
		}
		b.Key[k.Name] = v
	}
	for _, name := range d.Key.Keys() {
		if b.Key[name] == nil {
			b.Problem = fmt.Sprintf("key: %q is not a key attribute of %s", models.Printable(name), t.ID)
		}
	}
	b.Table = t
}

func unknown(owner, kind, name string, known []string) string {
	return fmt.Sprintf("%s has no %s %q%s", models.Printable(owner), kind, models.Printable(name), models.DidYouMean(name, known))
}
