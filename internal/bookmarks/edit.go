package bookmarks

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"go.yaml.in/yaml/v4"

	"github.com/ddbdesk/ddbdesk/models"
)

// indentOf is the indentation of dashes in a new file.
const indentOf = 2

// block returns the lines of a bookmark, from inclusive to exclusive. The comments directly above it and the blank
// lines after it belong to it.
func (f *file) block(i int) (from, to int) {
	from = f.head(i)
	if i+1 < len(f.items) {
		return from, f.head(i + 1)
	}
	to = f.dash(i) + 1
	for to < len(f.lines) && (strings.TrimSpace(f.lines[to]) == "" || indent(f.lines[to]) >= f.seq.Column) {
		to++
	}
	for to > from+1 && strings.TrimSpace(f.lines[to-1]) == "" {
		to--
	}
	return from, to
}

// head returns the first line of a bookmark, including the comments directly above it.
func (f *file) head(i int) int {
	at := f.dash(i)
	least := f.word.Line
	if i > 0 {
		least = f.dash(i-1) + 1
	}
	for at > least && strings.HasPrefix(strings.TrimSpace(f.lines[at-1]), "#") {
		at--
	}
	return at
}

// dash returns the line with the dash of a bookmark.
func (f *file) dash(i int) int {
	at := min(max(f.items[i].Line-1, 0), len(f.lines)-1)
	for at > 0 && !f.hasDash(f.lines[at]) {
		at--
	}
	return at
}

func (f *file) hasDash(line string) bool {
	return strings.HasPrefix(strings.TrimLeft(line, " "), "-") && indent(line) == f.seq.Column-1
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// editable returns why the file cannot be edited line by line.
func (f *file) editable() error {
	if len(f.faults) > 0 {
		more := ""
		if n := len(f.faults) - 1; n > 0 {
			more = fmt.Sprintf(" (and %d more)", n)
		}
		return bookmarkErrorf("bookmarks unchanged; fix the file first: %v%s", f.faults[0], more)
	}
	if f.seq != nil && f.seq.Style&yaml.FlowStyle != 0 && len(f.items) > 0 {
		return bookmarkErrorf("bookmarks unchanged: %s:%d: the list is in brackets; write each bookmark on its own line after a dash",
			f.name, f.seq.Line)
	}
	return nil
}

// insert writes a bookmark at a position, -1 to append it.
func (f *file) insert(b Bookmark, at int) error {
	if err := f.editable(); err != nil {
		return err
	}
	if at < 0 || at > len(f.items) {
		at = len(f.items)
	}
	f.want = slices.Insert(slices.Clone(f.marks), at, b)
	in := -1 // any indentation
	if len(f.items) > 0 {
		in = f.seq.Column - 1
	}
	text, err := bookmarkLines(b, in)
	if err != nil {
		return err
	}
	switch {
	case f.word == nil:
		f.endLastLine()
		if len(f.lines) == 0 {
			f.lines = append(f.lines, "# Bookmarks and named queries for "+f.list.s.Profile().Name+". Do not put personal data here.\n")
		}
		f.lines = append(f.lines, bookmarksWord+":\n")
		return f.put(len(f.lines), text)
	case len(f.items) == 0:
		f.lines[f.word.Line-1] = strings.Replace(f.line(f.word.Line-1), "[]", "", 1)
		return f.put(f.word.Line, text)
	}
	if at == len(f.items) {
		_, line := f.block(at - 1)
		return f.put(line, strings.TrimRight(text, "\n")+"\n")
	}
	return f.put(f.head(at), text)
}

// bookmarkLines returns a bookmark as it was written in the file, or else rendered with its dash indented by in
// blanks; -1 accepts any indentation.
func bookmarkLines(b Bookmark, in int) (string, error) {
	if b.text != "" && (in < 0 || indent(lineOfDash(b.text)) == in) {
		return b.text, nil
	}
	if b.Pattern == nil && b.Table == nil {
		return "", bookmarkErrorf("bookmarks unchanged: %q has no pattern and no table; edit the file by hand", models.Printable(b.Name))
	}
	if in < 0 {
		in = indentOf
	}
	return renderBookmark(b, in), nil
}

// lineOfDash returns the line of a block that has its dash.
func lineOfDash(text string) string {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimLeft(line, " "), "-") {
			return line
		}
	}
	return ""
}

// remove removes a bookmark.
func (f *file) remove(at int) error {
	if err := f.editable(); err != nil {
		return err
	}
	from, to := f.block(at)
	f.want = slices.Delete(slices.Clone(f.marks), at, at+1)
	f.lines = slices.Delete(f.lines, from, to)
	return f.again()
}

// rename replaces the name in its place.
func (f *file) rename(at int, to string) error {
	if err := f.editable(); err != nil {
		return err
	}
	n := f.items[at]
	f.want = slices.Clone(f.marks)
	f.want[at].Name = to
	for i := 0; i+1 < len(n.Content); i += 2 {
		if value := n.Content[i+1]; n.Content[i].Value == nameWord && value.Kind == yaml.ScalarNode {
			if value.Line > len(f.lines) {
				break
			}
			line := []rune(f.line(value.Line - 1))
			if value.Column > len(line) {
				break
			}
			head, rest := string(line[:value.Column-1]), string(line[value.Column-1:])
			f.lines[value.Line-1] = head + scalar(to) + behind(rest, value.Style)
			return f.again()
		}
	}
	return bookmarkErrorf("bookmarks unchanged: %s:%d: the name is in another place; edit the file by hand", f.name, n.Line)
}

// behind returns what follows a scalar on its line: a comment, or the line break.
func behind(rest string, style yaml.Style) string {
	from := 0
	switch {
	case style&yaml.DoubleQuotedStyle != 0:
		for from = 1; from < len(rest) && rest[from] != '"'; from++ {
			if rest[from] == '\\' {
				from++
			}
		}
	case style&yaml.SingleQuotedStyle != 0:
		for from = 1; from < len(rest) && (rest[from] != '\'' || strings.HasPrefix(rest[from:], "''")); from++ {
			if rest[from] == '\'' {
				from++
			}
		}
	}
	if i := strings.Index(rest[min(from, len(rest)):], " #"); i >= 0 {
		return rest[from+i:]
	}
	return "\n"
}

// put inserts lines and parses the text again.
func (f *file) put(at int, text string) error {
	if at == len(f.lines) {
		f.endLastLine()
	}
	f.lines = slices.Insert(f.lines, at, slices.Collect(strings.Lines(text))...)
	return f.again()
}

// endLastLine adds a missing line break at the end.
func (f *file) endLastLine() {
	if n := len(f.lines); n > 0 && !strings.HasSuffix(f.lines[n-1], "\n") {
		f.lines[n-1] += "\n"
	}
}

// line returns a line with its line break.
func (f *file) line(i int) string { return strings.TrimRight(f.lines[i], "\r\n") + "\n" }

// again parses the edited text and rejects it unless it has exactly the wanted bookmarks.
func (f *file) again() error {
	next := f.list.parseBookmarks([]byte(strings.Join(f.lines, "")))
	if len(next.faults) > 0 || !slices.EqualFunc(next.marks, f.want, sameBookmark) {
		return bookmarkErrorf("bookmarks unchanged: ddbdesk cannot edit the layout of %s; edit the file by hand", f.name)
	}
	*f = *next
	return nil
}

// sameBookmark reports whether two bookmarks have the same name and content.
func sameBookmark(a, b Bookmark) bool {
	return a.Name == b.Name && a.Note == b.Note && a.Pattern == b.Pattern && maps.Equal(a.Args, b.Args) && a.Table == b.Table &&
		bytes.Equal(a.Key.AppendDynamoDBJSON(nil), b.Key.AppendDynamoDBJSON(nil)) && a.Problem == b.Problem
}

// renderBookmark writes a bookmark with its dash indented by in blanks.
func renderBookmark(b Bookmark, in int) string {
	pad := strings.Repeat(" ", in)
	var out strings.Builder
	line := func(depth int, word, text string) {
		fmt.Fprintf(&out, "%s%s%s: %s\n", pad, strings.Repeat(" ", depth), word, text)
	}
	fmt.Fprintf(&out, "%s- %s: %s\n", pad, nameWord, scalar(b.Name))
	if b.Note != "" {
		line(2, noteWord, scalar(b.Note))
	}
	if b.IsQuery() {
		line(2, patternWord, scalar(b.Pattern.ID))
		open := false
		for _, q := range b.Pattern.Params {
			if text, ok := b.Args[q.Name]; ok {
				if !open {
					fmt.Fprintf(&out, "%s  %s:\n", pad, parametersWord)
					open = true
				}
				line(4, scalar(q.Name), scalar(text))
			}
		}
		return out.String()
	}
	line(2, tableWord, scalar(b.Table.ID))
	fmt.Fprintf(&out, "%s  %s:\n", pad, keyWord)
	for _, k := range []models.Key{b.Table.PartitionKey, b.Table.SortKey} {
		if v, ok := b.Key[k.Name]; ok && k.Name != "" {
			line(4, scalar(k.Name), scalar(keyText(v)))
		}
	}
	return out.String()
}

// keyText spells a key value as keyOf reads it.
func keyText(v types.AttributeValue) string {
	if b, ok := v.(*types.AttributeValueMemberB); ok {
		return base64.StdEncoding.EncodeToString(b.Value)
	}
	text, _ := models.ValueText(v)
	return text
}

// scalar spells a text on one line of YAML, quoted where necessary.
func scalar(text string) string {
	plain, err := yaml.Dump(&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text})
	// YAML allows characters that reorder the text around them.
	if line := strings.TrimSuffix(string(plain), "\n"); err == nil && !strings.Contains(line, "\n") && models.Showable(line) {
		return line
	}
	return fmt.Sprintf("%q", text)
}
