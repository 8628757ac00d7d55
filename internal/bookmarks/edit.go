package bookmarks

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/placed"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// newIndent is the indentation of dashes in a new file.
const newIndent = 2

// A file is the text of a bookmark file, divided into head, bookmarks and tail. An edit rearranges these parts, so that
// the rest of the file stays the same.
type file struct {
	list      *List
	name      string // name of the file in messages
	text      string
	head      string
	bookmarks []Bookmark
	tail      string
	listed    bool // the file contains the key bookmarks
	indent    int  // indentation of the dashes; -1 without dashes
	inline    bool // the list is in brackets
	faults    profiles.Errors
}

func (f *file) split(list *yaml.Node, word int) {
	f.indent = -1
	lines := slices.Collect(strings.Lines(f.text))
	if list == nil || len(list.Content) == 0 {
		f.head = f.text
		if f.listed {
			word = min(word, len(lines))
			f.head = strings.Replace(strings.Join(lines[:word], ""), "[]", "", 1)
			f.tail = strings.Join(lines[word:], "")
		}
		return
	}
	f.indent, f.inline = list.Column-1, list.Style&yaml.FlowStyle != 0
	starts := make([]int, len(list.Content), len(list.Content)+1)
	minimum := word
	for i, n := range list.Content {
		at := min(max(n.Line-1, 0), len(lines)-1)
		for at > 0 && !f.hasDash(lines[at]) {
			at--
		}
		starts[i], minimum = at, at+1
		minimumStart := word // the first line that can belong to the bookmark
		if i > 0 {
			minimumStart = starts[i-1] + 1
		}
		for starts[i] > minimumStart && strings.HasPrefix(strings.TrimSpace(lines[starts[i]-1]), "#") {
			starts[i]--
		}
	}
	end := minimum
	for end < len(lines) && (strings.TrimSpace(lines[end]) == "" || indentation(lines[end]) > f.indent) {
		end++
	}
	for end > minimum && strings.TrimSpace(lines[end-1]) == "" {
		end--
	}
	starts = append(starts, end)
	for i := range f.bookmarks {
		f.bookmarks[i].text = strings.Join(lines[starts[i]:max(starts[i], starts[i+1])], "")
	}
	f.head, f.tail = strings.Join(lines[:starts[0]], ""), strings.Join(lines[end:], "")
}

func (f *file) hasDash(line string) bool {
	return strings.HasPrefix(strings.TrimLeft(line, " "), "-") && indentation(line) == f.indent
}

func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

func (f *file) index(name string) int {
	return slices.IndexFunc(f.bookmarks, func(b Bookmark) bool { return strings.EqualFold(b.Name, name) })
}

// insert appends the bookmark if at is -1 or after the last position.
func (f *file) insert(b Bookmark, at int) (*file, error) {
	if at < 0 || at > len(f.bookmarks) {
		at = len(f.bookmarks)
	}
	if b.text == "" || f.indent >= 0 && dashIndent(b.text) != f.indent {
		if b.Pattern == nil && b.Table == nil {
			return nil, bookmarkErrorf("bookmarks unchanged: %q has no pattern and no table; edit the file by hand",
				models.Printable(b.Name))
		}
		b.text = renderBookmark(b, f.indent)
	}
	if at == len(f.bookmarks) && at > 0 {
		b.text = strings.TrimRight(b.text, "\n")
	}
	return f.withBookmarks(slices.Insert(slices.Clone(f.bookmarks), at, b))
}

func dashIndent(text string) int {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimLeft(line, " "), "-") {
			return indentation(line)
		}
	}
	return 0
}

func (f *file) remove(at int) (*file, error) {
	return f.withBookmarks(slices.Delete(slices.Clone(f.bookmarks), at, at+1))
}

func (f *file) move(at, to int) (*file, error) {
	next, err := f.remove(at)
	if err != nil {
		return nil, err
	}
	return next.insert(f.bookmarks[at], to)
}

// nameKey matches the key "name:" and the blanks after it.
var nameKey = models.LazyRegexp(`(^|[\s{,-])name:[ \t]+`)

func (f *file) rename(at int, to string) (*file, error) {
	b := f.bookmarks[at]
	lines := slices.Collect(strings.Lines(b.text))
	quotedNames := []string{
		"'" + strings.ReplaceAll(b.Name, "'", "''") + "'", fmt.Sprintf("%q", b.Name), placed.InlineScalar(b.Name), b.Name,
	}
	for i, line := range lines {
		place := nameKey().FindStringIndex(line)
		if place == nil || strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		for _, quotedName := range quotedNames {
			if rest, ok := strings.CutPrefix(line[place[1]:], quotedName); ok {
				lines[i] = line[:place[1]] + placed.InlineScalar(to) + rest
				b.Name, b.text = to, strings.Join(lines, "")
				marks := slices.Clone(f.bookmarks)
				marks[at] = b
				return f.withBookmarks(marks)
			}
		}
	}
	return nil, bookmarkErrorf("bookmarks unchanged: %s: the name of %q is not on one line; edit the file by hand", f.name,
		models.Printable(b.Name))
}

// withBookmarks parses the new text and rejects it unless it contains exactly these bookmarks.
func (f *file) withBookmarks(marks []Bookmark) (*file, error) {
	if err := f.checkEditable(); err != nil {
		return nil, err
	}
	next := f.list.parse([]byte(f.join(marks)))
	if len(next.faults) > 0 || !slices.EqualFunc(next.bookmarks, marks, isSameBookmark) {
		return nil, bookmarkErrorf("bookmarks unchanged: ddbdesk cannot edit the layout of %s; edit the file by hand", f.name)
	}
	return next, nil
}

func (f *file) checkEditable() error {
	if len(f.faults) > 0 {
		more := ""
		if n := len(f.faults) - 1; n > 0 {
			more = fmt.Sprintf(" (and %d more)", n)
		}
		return bookmarkErrorf("bookmarks unchanged; fix the file first: %v%s", f.faults[0], more)
	}
	if f.inline {
		return bookmarkErrorf("bookmarks unchanged: %s: the list is in brackets; write each bookmark on its own line after a dash", f.name)
	}
	return nil
}

func (f *file) join(marks []Bookmark) string {
	var text strings.Builder
	add := func(part string) {
		if s := text.String(); part != "" && s != "" && !strings.HasSuffix(s, "\n") {
			text.WriteByte('\n')
		}
		text.WriteString(part)
	}
	add(f.head)
	if !f.listed && len(marks) > 0 {
		if f.head == "" {
			add("# Bookmarks and named queries for " + f.list.s.Profile().Name + ". Do not put personal data here.\n" +
				fmt.Sprintf("%s: %d\n", formatWord, formatVersion))
		}
		add(bookmarksWord + ":\n")
	}
	for _, b := range marks {
		add(b.text)
	}
	add(f.tail)
	return strings.TrimSuffix(text.String(), "\n") + "\n"
}

func isSameBookmark(a, b Bookmark) bool {
	return a.Name == b.Name && a.Note == b.Note && (a.Pattern == b.Pattern || isSameCustomQuery(a.Pattern, b.Pattern)) &&
		maps.Equal(a.Args, b.Args) && a.Table == b.Table &&
		bytes.Equal(a.Key.AppendDynamoDBJSON(nil), b.Key.AppendDynamoDBJSON(nil)) && a.Problem == b.Problem
}

func isSameCustomQuery(a, b *accesspatterns.Pattern) bool {
	return a != nil && b != nil && a.HasSameCustomQuery(b)
}

func renderCustomQuery(out *strings.Builder, pad string, p *accesspatterns.Pattern) {
	fmt.Fprintf(out, "%s  query:\n%s    table: %s\n", pad, pad, placed.InlineScalar(p.Table.ID))
	if p.Read.Index != nil {
		fmt.Fprintf(out, "%s    index: %s\n", pad, placed.InlineScalar(p.Read.Index.Name))
	}
	list := func(word string, texts []string) {
		for i, text := range texts {
			if i == 0 {
				fmt.Fprintf(out, "%s    %s:\n", pad, word)
			}
			fmt.Fprintf(out, "%s      - %s\n", pad, placed.InlineScalar(text))
		}
	}
	list("key", p.CustomQuery.Key)
	list("where", p.CustomQuery.Where)
	if p.CustomQuery.Descending {
		fmt.Fprintf(out, "%s    descending: true\n", pad)
	}
	if p.CustomQuery.Limit > 0 {
		fmt.Fprintf(out, "%s    limit: %d\n", pad, p.CustomQuery.Limit)
	}
}

func renderBookmark(b Bookmark, indent int) string {
	if indent < 0 {
		indent = newIndent
	}
	pad := strings.Repeat(" ", indent)
	var out strings.Builder
	fmt.Fprintf(&out, "%s- name: %s\n", pad, placed.InlineScalar(b.Name))
	line := func(word, text string) { fmt.Fprintf(&out, "%s  %s: %s\n", pad, word, placed.InlineScalar(text)) }
	if b.Note != "" {
		line("note", b.Note)
	}
	if b.IsQuery() && b.Pattern.CustomQuery != nil {
		renderCustomQuery(&out, pad, b.Pattern)
		return out.String()
	}
	if b.IsQuery() {
		line("pattern", b.Pattern.ID)
		if len(b.Args) > 0 {
			fmt.Fprintf(&out, "%s  parameters:\n", pad)
		}
		for _, q := range b.Pattern.Params {
			if text, ok := b.Args[q.Name]; ok {
				line("  "+placed.InlineScalar(q.Name), text)
			}
		}
		return out.String()
	}
	line("table", b.Table.ID)
	fmt.Fprintf(&out, "%s  key:\n", pad)
	for _, k := range b.Table.PrimaryKeys() {
		if text, ok := models.ValueText(b.Key[k.Name]); ok {
			line("  "+placed.InlineScalar(k.Name), text)
		}
	}
	return out.String()
}
