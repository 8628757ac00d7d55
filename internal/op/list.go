package op

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/ddbdesk/ddbdesk/internal/items"
)

// A List writes a JSON list, alone or inside a document, item by item.
type List struct {
	w       io.Writer
	head    string // beginning of the document, with its other members
	indent  string // indentation of an item if the document is the list
	written int
}

// NewList returns a list in a document that begins with head. With an empty head, the document is the list itself, with
// indented items. NewList writes nothing before the first item or the end.
func NewList(w io.Writer, head string) *List {
	l := &List{w: items.NewEscapingWriter(w), head: head + "["}
	if head == "" {
		l.indent = "  "
	}
	return l
}

// Empty reports whether the list has written nothing yet.
func (l *List) Empty() bool { return l.written == 0 }

// Add writes an item.
func (l *List) Add(item any) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent(l.indent, l.indent)
	if err := e.Encode(item); err != nil {
		return fmt.Errorf("encode an item: %w", err)
	}
	head := ","
	if l.written == 0 {
		head = l.head
	}
	l.written++
	_, err := fmt.Fprintf(l.w, "%s\n%s%s", head, l.indent, bytes.TrimSpace(text.Bytes()))
	return err
}

// End writes the rest of the document.
func (l *List) End(tail string) error {
	head := l.head + "]"
	if l.written > 0 {
		head = "\n]"
	}
	_, err := fmt.Fprintf(l.w, "%s%s\n", head, tail)
	return err
}
