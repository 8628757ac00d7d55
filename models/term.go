package models

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Term names a part of a schema in a text, such as an action, a pattern or a state. Its text is the ID, which
// developers type and search for; role support reads the title.
type Term struct{ ID, Title string }

// String returns the ID.
func (t Term) String() string { return t.ID }

// Plain returns the title in quotes, or the ID if there is no other title.
func (t Term) Plain() string {
	if t.Title == "" || t.Title == t.ID {
		return t.ID
	}
	return strconv.Quote(Printable(t.Title))
}

// Terms are alternatives in a text.
type Terms []Term

// String joins the IDs.
func (list Terms) String() string { return strings.Join(MapSlice(list, Term.String), " or ") }

// Plain joins the titles.
func (list Terms) Plain() string { return strings.Join(MapSlice(list, Term.Plain), " or ") }

type plainer interface{ Plain() string }

// FormatWordings formats a text twice: text for developers, and plain for role support. For plain, it uses the Plain
// method of the arguments, and of errors that they wrap.
func FormatWordings(format string, args ...any) (text, plain string) {
	words := slices.Clone(args)
	for i, a := range words {
		switch a := a.(type) {
		case plainer:
			words[i] = a.Plain()
		case error:
			words[i] = PlainErrorText(a)
		}
	}
	return fmt.Sprintf(format, args...), fmt.Sprintf(format, words...)
}

// PlainErrorText returns the text of an error for role support. An error with another wording has a method Plain.
func PlainErrorText(err error) string {
	if p, ok := err.(plainer); ok {
		return p.Plain()
	}
	text := err.Error()
	inner := []error{errors.Unwrap(err)}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		inner = joined.Unwrap()
	}
	for _, e := range inner {
		if e != nil {
			text = strings.Replace(text, e.Error(), PlainErrorText(e), 1)
		}
	}
	return text
}
