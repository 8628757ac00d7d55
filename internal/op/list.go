package op

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/ddbdesk/ddbdesk/internal/items"
)

// A List writes a JSON document with a list of items, each as it is found.
type List struct {
	w       io.Writer
	head    string // the beginning of the document, with other members
	written int
}

// NewList returns the list that is a member of a document that begins with head. It writes nothing before the first item or
// the end.
func NewList(w io.Writer, head, member string) *List {
	return &List{w: items.Visible(w), head: head + `"` + member + `":[`}
}

// Add writes an item.
func (l *List) Add(item any) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(item); err != nil {
		return fmt.Errorf("encode an item: %w", err)
	}
	head := ","
	if l.written == 0 {
		head = l.head
	}
	l.written++
	_, err := fmt.Fprintf(l.w, "%s\n%s", head, bytes.TrimSpace(text.Bytes()))
	return err
}

// End writes the members that follow the items.
func (l *List) End(members string) error {
	head := l.head + "]"
	if l.written > 0 {
		head = "\n]"
	}
	_, err := fmt.Fprintf(l.w, "%s,%s}\n", head, members)
	return err
}
