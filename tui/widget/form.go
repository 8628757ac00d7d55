package widget

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// FieldKind is the kind of input that a field accepts.
type FieldKind uint8

// The kinds of fields.
const (
	FieldText   FieldKind = iota // any text on one line
	FieldEnum                    // one of the options
	FieldDate                    // a date or time, absolute or relative, checked by Validate
	FieldNumber                  // a number, checked by Validate
	FieldSecret                  // text that is masked during input
)

// Option is a value of an enum field.
type Option struct {
	Value string
	Label string // shown instead of the value
	Note  string // explanation in the popup list
}

func (o Option) label() string { return cmp.Or(o.Label, o.Value) }

// FormField describes a field.
type FormField struct {
	Name        string // key of the field in Values
	Label       string // shown label; Name if empty
	Kind        FieldKind
	Options     []Option // options of an enum; an optional enum can also be empty
	Default     string   // value of an empty field, shown dimmed
	Placeholder string   // shown dimmed if there is neither a value nor a default
	Help        string   // shown under the form while the field has the focus
	Required    bool
	Width       int    // cells for the value; 0 selects a width for the kind
	Prefix      string // usual start of values, as in ver_8f2c; offered, never required
	// Lines allows several lines, and the empty text, which the user enters as two double quotes.
	Lines bool

	// Validate returns the error in a value. It is called for every entered value and for defaults, not for "".
	// A nil Validate accepts every value.
	Validate func(string) error
	// Warn returns a warning about a valid value, or "". A nil Warn never warns.
	Warn func(string) string
	// Note explains a valid value, for example the date for -7d.
	Note func(string) string
	// Past returns suggestions from previous values, the likeliest first. It is called for every frame and must not
	// block.
	Past func() []string
}

func (f FormField) label() string { return cmp.Or(f.Label, f.Name) }

// Form is a set of fields that wrap over several lines. A line below them explains the field with the focus or shows
// its error.
type Form struct {
	styles  *Styles
	fields  []formField
	focus   int
	focused bool
	w, h    int
	places  []place
	popup   *List // options of the field with the focus; nil while closed
}

// formField is a field and its input.
type formField struct {
	FormField
	in      input
	touched bool  // a value was entered or set, so errors are shown
	err     error // error in the value, or nil
}

// NewForm returns a form with the focus on its first field.
func NewForm(s *Styles, fields ...FormField) *Form {
	f := &Form{styles: s, focused: true}
	for _, spec := range fields {
		field := formField{FormField: spec, in: newInput()}
		field.in.masked, field.in.lines = spec.Kind == FieldSecret, spec.Lines
		field.check()
		f.fields = append(f.fields, field)
	}
	f.focusInput()
	return f
}

// SetStyles changes the theme.
func (f *Form) SetStyles(s *Styles) {
	f.styles = s
	if f.popup != nil {
		f.popup.SetStyles(s)
	}
}

// SetFocused sets whether the form has the keyboard focus.
func (f *Form) SetFocused(on bool) {
	if on == f.focused {
		return
	}
	f.focused = on
	f.popup = nil
	f.focusInput()
}

// isEmptied reports whether the user cleared the text to avoid the default.
func (f *formField) isEmptied() bool { return f.Lines && f.in.value() == `""` }

func (f *formField) value() string {
	if f.isEmptied() {
		return ""
	}
	return cmp.Or(f.in.value(), f.Default)
}

func (f *formField) check() {
	f.err = nil
	v := f.value()
	switch {
	case f.isEmptied():
	case v == "" && f.Required:
		f.err = errors.New(f.label() + " is required")
	case v == "":
	case f.Kind == FieldEnum && f.option(v) < 0:
		f.err = errors.New(f.label() + " cannot be " + v)
	case f.Validate != nil:
		f.err = f.Validate(v)
	}
}

func (f *formField) option(value string) int {
	return slices.IndexFunc(f.Options, func(o Option) bool { return o.Value == value })
}

// Emptied returns the names of the fields in which the user entered the empty text.
func (f *Form) Emptied() []string {
	var names []string
	for i := range f.fields {
		if f.fields[i].isEmptied() {
			names = append(names, f.fields[i].Name)
		}
	}
	return names
}

// Values returns every field's value by name: the entered value, otherwise the default, otherwise "". It includes
// invalid values; call Validate first.
func (f *Form) Values() map[string]string {
	values := make(map[string]string, len(f.fields))
	for i := range f.fields {
		values[f.fields[i].Name] = f.fields[i].value()
	}
	return values
}

// SetValues enters values by name and ignores names without a field. An empty value removes the entered value, so that
// the default applies.
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

// SetField replaces the description of the field with that name. The field keeps its value and its place, but its width
// may change the layout, so set the size again. An unknown name changes nothing.
func (f *Form) SetField(spec FormField) {
	if i := f.at(spec.Name); i >= 0 {
		field := &f.fields[i]
		field.FormField, field.in.masked = spec, spec.Kind == FieldSecret
		field.check()
		if i == f.focus {
			f.popup = nil
		}
	}
}

func (f *Form) at(name string) int {
	return slices.IndexFunc(f.fields, func(field formField) bool { return field.Name == name })
}

// SetError shows an error that only the caller can detect at a field, until the user edits the field.
func (f *Form) SetError(name string, err error) {
	if i := f.at(name); i >= 0 {
		f.fields[i].err, f.fields[i].touched = err, true
	}
}

// Validate checks every field, shows the errors, moves the focus to the first invalid field and returns its error. It
// does not repeat checks of the caller; see SetError.
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

// Valid reports whether all fields are valid, without showing errors. It is cheap, because each field keeps the result
// of its last check.
func (f *Form) Valid() bool { return f.Err() == nil }

// Err returns the error of the first invalid field, without showing it.
func (f *Form) Err() error {
	for _, field := range f.fields {
		if field.err != nil {
			return field.err
		}
	}
	return nil
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

// FocusField moves the focus to a field by name. An unknown name changes nothing.
func (f *Form) FocusField(name string) {
	if i := f.at(name); i >= 0 {
		f.setFocus(i)
	}
}

func (f *Form) setFocus(i int) {
	f.focus = min(max(i, 0), max(len(f.fields)-1, 0))
	f.popup = nil
	f.focusInput()
}

func (f *Form) focusInput() {
	for i := range f.fields {
		if i == f.focus && f.focused {
			f.fields[i].in.focus()
		} else {
			f.fields[i].in.blur()
		}
	}
}

// Typing reports whether the form handles printable keys: a text field has the focus, or the list of an enum is open.
func (f *Form) Typing() bool {
	if !f.focused || len(f.fields) == 0 {
		return false
	}
	return f.popup != nil || f.fields[f.focus].Kind != FieldEnum
}

// Update edits the field with the focus. It does not use keys that a screen may handle: enter and esc while no list is
// open, tab on the last field and shift+tab on the first.
func (f *Form) Update(msg tea.Msg) (tea.Cmd, bool) {
	if !f.focused || len(f.fields) == 0 {
		return nil, false
	}
	field := &f.fields[f.focus]
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if f.popup != nil {
			return nil, f.updatePopup(field, msg)
		}
		if f.move(msg.String()) {
			return nil, true
		}
		if field.Kind == FieldEnum {
			return nil, f.updateEnum(field, msg.String())
		}
		if f.recallValue(field, msg.String()) {
			return nil, true
		}
		if leavesForm(msg.String()) {
			return nil, false
		}
		return field.edit(msg), true
	case tea.PasteMsg:
		if field.Kind == FieldEnum {
			return nil, false
		}
		return field.edit(msg), true
	}
	// The message is the result of a command of the input, such as ctrl+v.
	return field.edit(msg), false
}

func leavesForm(key string) bool {
	leaves := []string{"enter", "esc", "tab", "shift+tab", "up", "down", "pgup", "pgdown", "ctrl+c", "ctrl+p", "ctrl+r"}
	return slices.Contains(leaves, key) || len(key) > 1 && key[0] == 'f' && key[1] >= '1' && key[1] <= '9'
}

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

func (f *formField) edit(msg tea.Msg) tea.Cmd {
	cmd, changed := f.in.update(msg)
	if changed {
		f.touched = true
		f.check()
	}
	return cmd
}

func (f *formField) enter(value string) {
	f.in.set(value)
	f.touched = true
	f.check()
}

// Problem returns the error in the field with the focus, or "". An empty field has no error yet.
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

// FieldRow is a row of Fields.
type FieldRow struct {
	ID        string // identifies the row to the caller; not shown
	Section   string // starts a new group if it differs from the previous row's
	Label     string
	Value     string
	Note      string // meaning or age, shown after the value
	Role      Role   // role of the value
	Highlight string // text to highlight in all of them, folded by Fold; or ""
}

// FieldSource supplies rows on demand.
type FieldSource interface {
	Len() int
	Section(i int) string
	Row(i int) FieldRow
}

// fieldRows is a FieldSource of existing rows.
type fieldRows []FieldRow

func (f fieldRows) Len() int             { return len(f) }
func (f fieldRows) Section(i int) string { return f[i].Section }
func (f fieldRows) Row(i int) FieldRow   { return f[i] }

const (
	fieldsLabelMax = 28
	fieldsSample   = 200 // number of rows measured for the width of the labels
)

// Fields shows labels and values in two columns, in groups, with a cursor.
type Fields struct {
	scroller
	rows       FieldSource
	lines      []fieldsLine
	rowLine    []int // line number of each row
	labelWidth int
}

// fieldsLine is a row, a heading, or a blank line before a heading.
type fieldsLine struct {
	index   int // -1 for a heading or a blank line
	heading string
}

// NewFields returns an empty list.
func NewFields(s *Styles) *Fields {
	f := &Fields{scroller: newScroller(s)}
	f.source = fieldLines{f}
	return f
}

// SetRows replaces the rows. The cursor stays on its line if the line still exists.
func (f *Fields) SetRows(rows []FieldRow) { f.SetSource(fieldRows(rows)) }

// SetSource replaces the rows by a source. It calls Row only for visible rows and for a sample that determines the
// width of the labels, but Len and Section for all rows, so these must be cheap. The cursor stays on its line if the
// line still exists.
func (f *Fields) SetSource(source FieldSource) {
	f.rows = source
	f.lines, f.rowLine, f.labelWidth = f.lines[:0], f.rowLine[:0], 0
	section := ""
	for i := range source.Len() {
		if own := source.Section(i); own != section {
			section = own
			if len(f.lines) > 0 {
				f.lines = append(f.lines, fieldsLine{index: -1})
			}
			if section != "" {
				f.lines = append(f.lines, fieldsLine{index: -1, heading: section})
			}
		}
		if i < fieldsSample {
			f.labelWidth = max(f.labelWidth, textWidth(source.Row(i).Label, fieldsLabelMax))
		}
		f.rowLine = append(f.rowLine, len(f.lines))
		f.lines = append(f.lines, fieldsLine{index: i})
	}
	f.sync(1)
}

// Selected returns the row under the cursor and its index. ok is false if there are no rows.
func (f *Fields) Selected() (FieldRow, int, bool) {
	line, ok := f.current()
	if !ok {
		return FieldRow{}, -1, false
	}
	i := f.lines[line].index
	return f.rows.Row(i), i, true
}

// Select moves the cursor to a row by index. An index out of range changes nothing.
func (f *Fields) Select(index int) {
	if index >= 0 && index < len(f.rowLine) {
		f.moveTo(f.rowLine[index])
	}
}

// fieldLines are the lines of Fields.
type fieldLines struct{ f *Fields }

func (l fieldLines) Len() int        { return len(l.f.lines) }
func (l fieldLines) Skip(i int) bool { return l.f.lines[i].index < 0 }

func (l fieldLines) Line(i int, on Surface, w int) string {
	f, line := l.f, l.f.lines[i]
	t := NewStrip(f.styles, on, w)
	if line.index < 0 {
		t.Cell(RoleTitle, " "+line.heading, w, AlignLeft)
		return t.String()
	}
	row := f.rows.Row(line.index)
	t.Cell(RoleAccent, cursorBar(on), 2, AlignLeft)
	label := min(f.labelWidth, max(f.w/3, 8))
	end := t.Room() - label
	t.Highlight(RoleMuted, row.Label, row.Highlight, label)
	t.Cell(RoleText, "", t.Room()-end+2, AlignLeft)
	t.Highlight(row.Role, row.Value, row.Highlight, t.Room())
	if row.Note != "" {
		t.Highlight(RoleFaint, "  "+row.Note, row.Highlight, t.Room())
	}
	return t.String()
}
