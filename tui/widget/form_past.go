// This file helps to enter what was entered before: the rest of the value is
// shown while it is typed, and the space bar lists the last values.

package widget

import (
	"strings"
)

// past is what may be meant in the field.
func (f *formField) past() []string {
	if f.Past == nil || f.Kind == FieldSecret {
		return nil
	}
	return f.Past()
}

// options are what the list of the field offers: the values of an enum, what
// was entered before in any other.
func (f *formField) options() []Option {
	if f.Kind == FieldEnum {
		return f.Options
	}
	var list []Option
	for _, v := range f.past() {
		list = append(list, Option{Value: v})
	}
	return list
}

// rest is what follows the typed text in the value that it may become, "" when
// nothing is known to.
func (f *formField) rest() string {
	typed := f.in.value()
	if typed == "" || !f.in.atEnd() {
		return ""
	}
	for _, v := range f.past() {
		if len(v) > len(typed) && strings.HasPrefix(v, typed) {
			return v[len(typed):]
		}
	}
	if strings.HasPrefix(f.Prefix, typed) {
		return f.Prefix[len(typed):]
	}
	return ""
}

// prefixed is the typed text with the prefix that it lacks, "" when it lacks
// none.
func (f *formField) prefixed() string {
	typed := f.in.value()
	if f.Prefix == "" || typed == "" || !f.in.atEnd() || f.Kind == FieldSecret ||
		strings.HasPrefix(typed, f.Prefix) || strings.HasPrefix(f.Prefix, typed) {
		return ""
	}
	return f.Prefix + typed
}

// recall handles the keys of a text field that bring values back: space lists
// the last ones while nothing is typed, right takes what is offered.
func (f *Form) recall(key string) bool {
	field := &f.fields[f.focus]
	switch key {
	case "space":
		if field.in.value() != "" || len(field.past()) == 0 {
			return false
		}
		f.popup = popup{open: true}
		return true
	case "right":
		text := field.prefixed()
		if rest := field.rest(); rest != "" {
			text = field.in.value() + rest
		}
		if text == "" {
			return false
		}
		f.enter(field, text)
		return true
	}
	return false
}

// offers says which keys bring a value back here.
func (f *formField) offers() string {
	switch n := len(f.past()); {
	case f.Kind == FieldEnum:
		return ""
	case f.rest() != "":
		return "→ completes"
	case f.prefixed() != "":
		return "→ puts " + f.Prefix + " in front"
	case f.in.value() == "" && n == 1:
		return "space: the last value"
	case f.in.value() == "" && n > 1:
		return "space: the last values"
	}
	return ""
}
