package draft

import (
	"strconv"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/placed"
	"github.com/ddbdesk/ddbdesk/models"
)

// maxLine is the number of characters after which a mapping is written on several lines.
const maxLine = 130

// Text returns the text of the profile. Equal profiles have equal texts. Comments are printable
// and on one line each, so text of a foreign file cannot become a key of the profile.
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

// A writer writes YAML. Mappings that fit are on one line, in braces.
type writer struct{ strings.Builder }

func (w *writer) comments(lines []string, indent int) {
	for _, text := range lines {
		for line := range strings.SplitSeq(text, "\n") {
			w.WriteString(strings.TrimRight(pad(indent)+"# "+comment(line), " ") + "\n")
		}
	}
}

// comment returns text that cannot end its comment.
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

// flow returns false when comments need lines of their own. block: the value is not inside brackets, where a mapping
// has a line for each key.
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
			line, one := flow(f.Value, false)
			_, deep := f.Value.(Map)
			ok = ok && one && len(f.Above) == 0 && f.Note == "" && (!deep || len(v) <= 3)
			parts[i] = flowScalar(f.Key) + ": " + line
		}
		return "{" + strings.Join(parts, ", ") + "}", ok
	}
	return "", false
}

func list[T any](values []T, text func(T) string) string {
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = text(v)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func scalar(text string) string {
	spelled := placed.Spell(text)
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
