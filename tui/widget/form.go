// This file is the form: typed fields that are filled in from the keyboard.

package widget

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// FieldKind is how a field is filled in.
type FieldKind uint8

// The kinds of fields.
const (
	FieldText   FieldKind = iota // any text on one line
	FieldEnum                    // one of the options
	FieldDate                    // a date or time, absolute or relative: Validate decides
	FieldNumber                  // a number: Validate decides
	FieldSecret                  // text that is not echoed
)

// Option is a value that an enum field can have.
type Option struct {
	Value string
	Label string // shown instead of the value
	Note  string // explains it in the popup list
}

func (o Option) label() string {
	if o.Label != "" {
		return o.Label
	}
	return o.Value
}

// FormField describes a field.
type FormField struct {
	Name        string // key in Values
	Label       string // shown; Name when empty
	Kind        FieldKind
	Options     []Option // of an enum; an optional enum can also be empty
	Default     string   // value while nothing is entered, shown dimmed
	Placeholder string   // shown dimmed while there is no value and no default
	Help        string   // shown under the form while the field has the focus
	Required    bool
	Width       int    // cells for the value; 0 takes what suits the kind
	Prefix      string // what values begin with, as in ver_8f2c; offered, never forced

	// Validate says what is wrong with a value. It is asked for every value that
	// is entered and for defaults, not for an empty value; nil accepts all.
	Validate func(string) error
	// Warn says what is odd about a right value, "" when nothing is; nil never
	// warns.
	Warn func(string) string
	// Note says what a right value stands for, as the day that -7d is.
	Note func(string) string
	// Past lists what may be meant, the likeliest first: values that were
	// entered before. It is asked often and must not wait.
	Past func() []string
}

func (f FormField) label() string {
	if f.Label != "" {
		return f.Label
	}
	return f.Name
}

// Form is a set of fields that flow over the width, and a line under them that
// explains the one with the focus or says what is wrong with it.
type Form struct {
	styles  *Styles
	fields  []formField
	focus   int
	focused bool
	w, h    int
	places  []place
	popup   popup
}

// formField is a field with what was entered.
type formField struct {
	FormField
	in      input
	touched bool  // something was entered or set: errors are shown
	err     error // what is wrong, nil when nothing
}

// NewForm returns a form with the focus on its first field.
func NewForm(s *Styles, fields ...FormField) *Form {
	f := &Form{styles: s, focused: true}
	for _, spec := range fields {
		field := formField{FormField: spec, in: newInput()}
		field.in.masked = spec.Kind == FieldSecret
		field.check()
		f.fields = append(f.fields, field)
	}
	f.focusInput()
	return f
}

// SetStyles changes the theme.
func (f *Form) SetStyles(s *Styles) { f.styles = s }

// SetFocused tells whether keys go to the form.
func (f *Form) SetFocused(on bool) {
	if on == f.focused {
		return
	}
	f.focused = on
	f.popup.open = false
	f.focusInput()
}

// Value is what the field counts as: what was entered, else the default.
func (f *formField) value() string {
	if v := f.in.value(); v != "" {
		return v
	}
	return f.Default
}

// check finds out what is wrong with the field.
func (f *formField) check() {
	f.err = nil
	v := f.value()
	switch {
	case v == "" && f.Required:
		f.err = errRequired{f.label()}
	case v == "":
	case f.Kind == FieldEnum && f.option(v) < 0:
		f.err = errNoOption{f.label(), v}
	case f.Validate != nil:
		f.err = f.Validate(v)
	}
}

// option is the index of a value among the options, -1 when it is none.
func (f *formField) option(value string) int {
	return slices.IndexFunc(f.Options, func(o Option) bool { return o.Value == value })
}

type errRequired struct{ field string }

func (e errRequired) Error() string { return e.field + " is required" }

type errNoOption struct{ field, value string }

func (e errNoOption) Error() string { return e.field + " cannot be " + e.value }

// Values returns every field's value by name: what was entered, else the
// default, else "".
func (f *Form) Values() map[string]string {
	values := make(map[string]string, len(f.fields))
	for i := range f.fields {
		values[f.fields[i].Name] = f.fields[i].value()
	}
	return values
}

// SetValues enters values by name; names without a field are ignored.
func (f *Form) SetValues(values map[string]string) {
	for i := range f.fields {
		field := &f.fields[i]
		if v, ok := values[field.Name]; ok {
			field.in.set(v)
			field.touched = v != ""
			field.check()
		}
	}
}

// SetField changes how the field of that name is entered and shown. What was
// entered stays.
func (f *Form) SetField(spec FormField) {
	for i := range f.fields {
		if field := &f.fields[i]; field.Name == spec.Name {
			field.FormField, field.in.masked = spec, spec.Kind == FieldSecret
			field.check()
			f.popup.open = f.popup.open && i != f.focus
		}
	}
}

// SetError shows an error at a field, for what only the caller can know. It
// stays until the field is edited.
func (f *Form) SetError(name string, err error) {
	for i := range f.fields {
		if f.fields[i].Name == name {
			f.fields[i].err, f.fields[i].touched = err, true
		}
	}
}

// Validate checks every field, shows what is wrong and returns the first
// error; the focus goes to its field.
func (f *Form) Validate() error {
	var first error
	for i := range f.fields {
		f.fields[i].check()
		f.fields[i].touched = true
		if f.fields[i].err != nil && first == nil {
			first = f.fields[i].err
			f.setFocus(i)
		}
	}
	return first
}

// Valid reports whether all fields are right, without showing anything.
func (f *Form) Valid() bool {
	return !slices.ContainsFunc(f.fields, func(field formField) bool { return field.err != nil })
}

// Len returns the number of fields.
func (f *Form) Len() int { return len(f.fields) }

// Focused returns the name of the field with the focus.
func (f *Form) Focused() string {
	if len(f.fields) == 0 {
		return ""
	}
	return f.fields[f.focus].Name
}

// FocusField gives the focus to a field by name.
func (f *Form) FocusField(name string) {
	for i := range f.fields {
		if f.fields[i].Name == name {
			f.setFocus(i)
		}
	}
}

func (f *Form) setFocus(i int) {
	f.focus = min(max(i, 0), max(len(f.fields)-1, 0))
	f.popup.open = false
	f.focusInput()
}

// focusInput lets the input with the focus take keys.
func (f *Form) focusInput() {
	for i := range f.fields {
		if i == f.focus && f.focused {
			f.fields[i].in.focus()
		} else {
			f.fields[i].in.blur()
		}
	}
}

// Typing reports whether printable keys go to the form: a field with text has
// the focus, or the list of an enum is open.
func (f *Form) Typing() bool {
	if !f.focused || len(f.fields) == 0 {
		return false
	}
	return f.popup.open || f.fields[f.focus].Kind != FieldEnum
}

// Update edits the field with the focus. It leaves alone what a screen may want
// for itself: enter and esc while no list is open, tab on the last field and
// shift+tab on the first.
func (f *Form) Update(msg tea.Msg) (tea.Cmd, bool) {
	if !f.focused || len(f.fields) == 0 {
		return nil, false
	}
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if f.popup.open {
			return nil, f.updatePopup(msg)
		}
		if f.move(msg.String()) {
			return nil, true
		}
		if f.fields[f.focus].Kind == FieldEnum {
			return nil, f.updateEnum(msg)
		}
		if f.recall(msg.String()) {
			return nil, true
		}
		if leavesForm(msg.String()) {
			return nil, false
		}
		return f.edit(msg), true
	case tea.PasteMsg:
		if f.fields[f.focus].Kind == FieldEnum {
			return nil, false
		}
		return f.edit(msg), true
	}
	// The answer to the input's own commands, such as ctrl+v.
	return f.edit(msg), false
}

// leavesForm reports keys that are no text and that no input edits with.
func leavesForm(key string) bool {
	switch key {
	case "enter", "esc", "tab", "shift+tab", "up", "down", "pgup", "pgdown", "ctrl+c", "ctrl+p", "ctrl+r":
		return true
	}
	return len(key) > 1 && key[0] == 'f' && key[1] >= '1' && key[1] <= '9'
}

// move moves between fields and reports whether key does that here.
func (f *Form) move(key string) bool {
	to := f.focus
	switch key {
	case "tab", "down":
		to++
	case "shift+tab", "up":
		to--
	default:
		return false
	}
	if to < 0 || to >= len(f.fields) {
		return false
	}
	f.setFocus(to)
	return true
}

// edit gives a message to the input with the focus.
func (f *Form) edit(msg tea.Msg) tea.Cmd {
	field := &f.fields[f.focus]
	cmd, changed := field.in.update(msg)
	if changed {
		field.touched = true
		field.check()
	}
	return cmd
}

// choose enters an option into an enum field.
func (f *Form) choose(field *formField, index int) {
	if index < 0 || index >= len(field.Options) {
		return
	}
	f.enter(field, field.Options[index].Value)
}

// enter enters a value into a field.
func (f *Form) enter(field *formField, value string) {
	field.in.set(value)
	field.touched = true
	field.check()
}

// Problem is what is wrong with the field that has the focus, "" when nothing
// is or nothing was entered yet.
func (f *Form) Problem() string {
	if len(f.fields) == 0 {
		return ""
	}
	field := f.fields[f.focus]
	if field.err == nil || !field.touched {
		return ""
	}
	return strings.TrimSpace(field.err.Error())
}
