package draft

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/ddbdesk/ddbdesk/internal/placed"
	"github.com/ddbdesk/ddbdesk/models"
)

// maxLine is the maximum length of a mapping on one line, in bytes.
const maxLine = 130

// Text returns the text of the schema. Equal schemas have equal texts. Each comment is one printable line, so text
// from a foreign file cannot become a key of the schema.
func (p *Profile) Text() []byte {
	var w writer
	w.comments(p.Notes, 0)
	for i, f := range p.tree() {
		parts, section := f.Value.(Map)
		if section && i > 0 {
			w.WriteByte('\n')
		}
		if f.Key != "entities" {
			w.field(f, 0)
			continue
		}
		w.WriteString("entities:\n")
		for n, e := range parts {
			if n > 0 {
				w.WriteByte('\n')
			}
			w.field(e, 2)
		}
	}
	return []byte(w.String())
}

// A writer writes YAML. It writes mappings that fit on one line in braces.
type writer struct{ strings.Builder }

func (w *writer) comments(lines []string, indent int) {
	for _, text := range lines {
		for line := range strings.SplitSeq(text, "\n") {
			w.WriteString(strings.TrimRight(pad(indent)+"# "+comment(line), " ") + "\n")
		}
	}
}

func comment(text string) string { return models.Printable(text) }

func pad(indent int) string { return strings.Repeat(" ", indent) }

func (w *writer) field(f Field, indent int) {
	w.comments(f.Above, indent)
	note := ""
	if f.Note != "" {
		note = " # " + comment(f.Note)
	}
	head := pad(indent) + scalar(f.Key) + ":"
	if line, ok := flow(f.Value, indent == 0); ok && len(head)+len(line) < maxLine {
		w.WriteString(head + " " + line + note + "\n")
		return
	}
	w.WriteString(head + note + "\n")
	switch v := f.Value.(type) {
	case Map:
		for _, child := range v {
			w.field(child, indent+2)
		}
	case []Map:
		for _, m := range v {
			line, _ := flow(m, false)
			w.WriteString(pad(indent+2) + "- " + line + "\n")
		}
	case []string:
		for _, s := range v {
			w.WriteString(pad(indent+2) + "- " + scalar(s) + "\n")
		}
	default:
		line, _ := flow(v, true)
		w.WriteString(pad(indent+2) + line + "\n")
	}
}

// flow returns value on one line, or false if comments need their own lines. block means that the value is not inside
// brackets, where each key of a mapping needs a line.
func flow(value any, block bool) (string, bool) {
	switch v := value.(type) {
	case string:
		if block {
			return scalar(v), true
		}
		return flowScalar(v), true
	case bool:
		return strconv.FormatBool(v), true
	case int:
		return strconv.Itoa(v), true
	case []string:
		return list(v, flowScalar), true
	case []Map:
		ok := len(v) <= 1
		return list(v, func(m Map) string {
			line, one := flow(m, false)
			ok = ok && one
			return line
		}), ok
	case Map:
		ok := !block
		parts := make([]string, len(v))
		for i, f := range v {
			line, isOneLine := flow(f.Value, false)
			_, isMap := f.Value.(Map)
			ok = ok && isOneLine && len(f.Above) == 0 && f.Note == "" && (!isMap || len(v) <= 3)
			parts[i] = flowScalar(f.Key) + ": " + line
		}
		return "{" + strings.Join(parts, ", ") + "}", ok
	}
	return "", false
}

func list[T any](values []T, text func(T) string) string {
	parts := models.MapSlice(values, text)
	return "[" + strings.Join(parts, ", ") + "]"
}

func scalar(text string) string {
	spelled := placed.InlineScalar(text)
	if strings.HasPrefix(spelled, "'") {
		return strconv.Quote(text)
	}
	return spelled
}

func flowScalar(text string) string {
	spelled := scalar(text)
	if spelled == text && strings.ContainsAny(text, ",[]{}") {
		return strconv.Quote(text)
	}
	return spelled
}

// Merge adds the parts of the draft that the existing schema lacks to its text: tables, indexes, entities, keys,
// attributes and patterns. It keeps every line, including comments. If they differ, the existing schema wins, because
// a user may have edited it. unmerged lists these differences and the parts that Merge could not add. The error means
// that the text is not a schema in YAML. The result may still be an invalid schema, for example if an added entity has
// the keys of another one, so the caller must load it before replacing a file.
func Merge(text []byte, p *Profile) (merged []byte, unmerged []string, err error) {
	var root yaml.Node
	if err := yaml.Load(text, &root); err != nil {
		return nil, nil, fmt.Errorf("not YAML: %w", err)
	}
	if len(root.Content) == 0 || root.Content[0].Kind != yaml.MappingNode {
		return nil, nil, errors.New("the file is not a schema, which starts with name")
	}
	m := merger{lines: slices.Collect(strings.Lines(string(text)))}
	if n := len(m.lines); n > 0 && !strings.HasSuffix(m.lines[n-1], "\n") {
		m.lines[n-1] += "\n"
	}
	sections := Map{}
	for _, f := range p.tree() {
		if slices.Contains([]string{"variables", "tables", "entities", "lifecycles", "patterns", "queues"}, f.Key) {
			sections = append(sections, f)
		}
	}
	m.mapping(root.Content[0], sections, nil)
	return []byte(m.text()), m.unmerged, nil
}

// RemoveUndocumented removes the entity without keys that stands for unknown items of a table, with its patterns. It
// reports whether the table still has an entity.
func (p *Profile) RemoveUndocumented(t *Table) bool {
	var removed []string
	p.Entities = slices.DeleteFunc(p.Entities, func(e *Entity) bool {
		unknown := e.Table == t.ID && e.Undocumented && len(e.Keys) == 0
		if unknown {
			removed = append(removed, e.Name)
		}
		return unknown
	})
	p.Patterns = slices.DeleteFunc(p.Patterns, func(q *Pattern) bool {
		return slices.ContainsFunc(q.Returns, func(name string) bool { return slices.Contains(removed, name) })
	})
	return slices.ContainsFunc(p.Entities, func(e *Entity) bool { return e.Table == t.ID })
}

// SetTableID changes the ID of a table everywhere in the draft.
func (p *Profile) SetTableID(t *Table, id string) {
	for _, e := range p.Entities {
		if e.Table == t.ID {
			e.Table = id
		}
	}
	for _, q := range p.Patterns {
		if q.Table == t.ID {
			q.Table = id
		}
	}
	t.ID = id
}

// A merger collects the lines to insert into a text.
type merger struct {
	lines    []string
	insert   []insertion
	unmerged []string
}

// An insertion is text to insert after a line.
type insertion struct {
	after int
	text  string
}

// mergeablePaths contains the paths of the mappings that receive new keys. * matches any key.
var mergeablePaths = []string{
	"", "variables", "tables", "entities", "lifecycles", "patterns", "queues", "tables.*", "tables.*.indexes", "entities.*",
	"entities.*.keys",
	"entities.*.attributes",
}

// acceptsKeys excludes parts that only the author may change: fields of tables and entities that are not mappings.
func acceptsKeys(path []string) bool {
	pattern := slices.Clone(path)
	if len(pattern) > 1 {
		pattern[1] = "*"
	}
	return slices.Contains(mergeablePaths, strings.Join(pattern, "."))
}

func (m *merger) mapping(n *yaml.Node, from Map, path []string) {
	for _, f := range from {
		at := append(slices.Clone(path), f.Key)
		value := child(n, f.Key)
		inner, isMap := f.Value.(Map)
		switch {
		case value == nil && len(path) == 2 && !isMap: // for example an entity's description
		case value == nil:
			m.addField(n, f, at)
		case isMap && value.Kind == yaml.MappingNode && acceptsKeys(at):
			m.mapping(value, inner, at)
		case differs(value, f.Value):
			line, _ := flow(f.Value, false)
			m.unmerged = append(m.unmerged, fmt.Sprintf("%s: unchanged; the import has %s", strings.Join(at, "."), models.Printable(line)))
		}
	}
}

func child(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// differs compares only texts, because a person can write the same mapping in many ways.
func differs(n *yaml.Node, value any) bool {
	text, ok := value.(string)
	return ok && n.Kind == yaml.ScalarNode && n.Value != text
}

func (m *merger) addField(n *yaml.Node, f Field, at []string) {
	var w writer
	switch {
	case n.Style&yaml.FlowStyle != 0:
		line, _ := flow(f.Value, false)
		m.unmerged = append(m.unmerged, fmt.Sprintf("%s: not added, because %s is written in braces; add %s: %s by hand",
			strings.Join(at, "."), strings.Join(at[:len(at)-1], "."), scalar(f.Key), models.Printable(line)))
		return
	case len(n.Content) == 0:
		m.unmerged = append(m.unmerged, strings.Join(at, ".")+": not added, because the mapping around it is empty")
		return
	}
	if len(at) == 1 {
		w.WriteByte('\n')
	}
	w.field(f, n.Content[0].Column-1)
	m.insert = append(m.insert, insertion{m.endLine(n), w.String()})
}

func (m *merger) endLine(n *yaml.Node) int {
	indent, last := n.Content[0].Column-1, lastLine(n)
	at := last
	for ; at < len(m.lines); at++ {
		line := strings.TrimRight(m.lines[at], "\r\n")
		text := strings.TrimLeft(line, " ")
		isOutside := len(line)-len(text) <= indent // A deeper line that begins with # can belong to a text of several lines.
		switch {
		case strings.TrimSpace(text) == "", isOutside && strings.HasPrefix(text, "#"):
			continue
		case isOutside && !strings.HasPrefix(text, "}") && !strings.HasPrefix(text, "]"):
			return last
		}
		last = at + 1
	}
	return last
}

func lastLine(n *yaml.Node) int {
	line := n.Line
	for _, c := range n.Content {
		line = max(line, lastLine(c))
	}
	return line
}

func (m *merger) text() string {
	slices.SortStableFunc(m.insert, func(a, b insertion) int { return a.after - b.after })
	var b strings.Builder
	next := 0
	for i, line := range append(m.lines, "") {
		for next < len(m.insert) && m.insert[next].after == i {
			b.WriteString(m.insert[next].text)
			next++
		}
		b.WriteString(line)
	}
	return b.String()
}
