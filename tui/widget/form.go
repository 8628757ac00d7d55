package widget

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// A FieldKind determines the input that a field accepts.
type FieldKind uint8

// These are the kinds of fields.
const (
	FieldText   FieldKind = iota // any text on one line
	FieldEnum                    // one of the options
	FieldDate                    // date or time, absolute or relative; Validate checks it
	FieldNumber                  // number; Validate checks it
	FieldSecret                  // text that stays masked while the user types
)

// An Option is a value of an enum field.
type Option struct {
	Value string
	Label string // text to show instead of the value
	Note  string // explanation in the popup list
}

func (o Option) label() string { return cmp.Or(o.Label, o.Value) }

// A FormField describes a field.
type FormField struct {
	Name        string // key of the field in Values
	Label       string // label on the screen; "" uses Name
	Kind        FieldKind
	Options     []Option // options of an enum; the user can leave an optional enum empty
	Default     string   // value of an empty field, shown dimmed
	Placeholder string   // dimmed text if there is neither a value nor a default
	Help        string   // text under the form while the field has the focus
	Required    bool
	Width       int    // cells for the value; 0 uses a width for the kind
	NewLine     bool   // the field starts a line
	Prefix      string // usual start of values, as in ver_8f2c; suggested, but not required
	// Multiline allows several lines. It also allows the empty text, which the user enters as two double quotes.
	Multiline bool

	// Validate returns the error in a value. The form calls it for every entered value and for defaults, but not for
	// "". A nil Validate accepts every value.
	Validate func(string) error
	// Warn returns a warning about a valid value, or ""; may be nil.
	Warn func(string) string
	// Note explains a valid value, such as the date for -7d; may be nil.
	Note func(string) string
	// PastValues returns suggestions from previous values, likeliest first. The form calls it for every frame, so it
	// must not block.
	PastValues func() []string
}

func (f FormField) label() string { return cmp.Or(f.Label, f.Name) }

// A Form is a set of fields that wrap over several lines. A line below the fields explains the focused field or shows
// its error.
type Form struct {
	styles  *Styles
	fields  []formField
	focus   int
	focused bool
	w, h    int
	places  []fieldPlace
	popup   *List // options of the focused field; nil while closed
	popupAt Rect  // position of the popup in the last drawing, relative to the form
}

// A formField is a field with its input.
type formField struct {
	FormField
	in      input
	touched bool  // the field has received a value, so the form shows its error
	err     error // error in the value, or nil
}

// NewForm returns a form with the focus on its first field.
func NewForm(s *Styles, fields ...FormField) *Form {
	f := &Form{styles: s, focused: true}
	for _, spec := range fields {
		field := formField{FormField: spec, in: newInput()}
		field.in.masked, field.in.multiline = spec.Kind == FieldSecret, spec.Multiline
		field.check()
		f.fields = append(f.fields, field)
	}
	f.focusInput()
	return f
}

// SetStyles sets the theme.
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

// isEmptyText reports whether the user entered the empty text, which overrides the default.
func (f *formField) isEmptyText() bool { return f.Multiline && f.in.value() == `""` }

func (f *formField) value() string {
	if f.isEmptyText() {
		return ""
	}
	return cmp.Or(f.in.value(), f.Default)
}

func (f *formField) check() {
	f.err = nil
	v := f.value()
	switch {
	case f.isEmptyText():
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

// EmptyTexts returns the names of the fields for which the user entered the empty text.
func (f *Form) EmptyTexts() []string {
	var names []string
	for i := range f.fields {
		if f.fields[i].isEmptyText() {
			names = append(names, f.fields[i].Name)
		}
	}
	return names
}

// Values returns each field's value by name: the entered value, or else the default, or else "". It includes invalid
// values, so call Validate first.
func (f *Form) Values() map[string]string {
	values := make(map[string]string, len(f.fields))
	for i := range f.fields {
		values[f.fields[i].Name] = f.fields[i].value()
	}
	return values
}

// SetValues enters values by name and ignores unknown names. An empty value clears the field, so that its default
// applies.
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

// SetField replaces the description of the field with the same name. The field keeps its value and its position, but
// its width may change the layout, so set the size again. SetField ignores unknown names.
func (f *Form) SetField(spec FormField) {
	if i := f.indexOf(spec.Name); i >= 0 {
		field := &f.fields[i]
		field.FormField, field.in.masked = spec, spec.Kind == FieldSecret
		field.check()
		if i == f.focus {
			f.popup = nil
		}
	}
}

func (f *Form) indexOf(name string) int {
	return slices.IndexFunc(f.fields, func(field formField) bool { return field.Name == name })
}

// SetError shows an error that only the caller can detect, until the user edits the field.
func (f *Form) SetError(name string, err error) {
	if i := f.indexOf(name); i >= 0 {
		f.fields[i].err, f.fields[i].touched = err, true
	}
}

// Validate checks every field and shows the errors. It moves the focus to the first invalid field and returns its
// error. It does not repeat the caller's checks; see SetError.
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

// Valid reports whether all fields are valid, without showing errors. It is fast, because each field keeps the result
// of its last check.
func (f *Form) Valid() bool { return f.Err() == nil }

// Err returns the error of the first invalid field, or nil, without showing it.
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

// Focused returns the name of the focused field.
func (f *Form) Focused() string {
	if len(f.fields) == 0 {
		return ""
	}
	return f.fields[f.focus].Name
}

// FocusField moves the focus to the field with a name. It ignores unknown names.
func (f *Form) FocusField(name string) {
	if i := f.indexOf(name); i >= 0 {
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

// Typing reports whether the form handles printable keys: a text field has the focus, or a list of options is open.
func (f *Form) Typing() bool {
	if !f.focused || len(f.fields) == 0 {
		return false
	}
	return f.popup != nil || f.fields[f.focus].Kind != FieldEnum
}

// Update edits the focused field. It reports whether it used the message. While no list is open, it leaves enter and
// esc to the screen, as well as tab on the last field and shift+tab on the first.
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
		if isFormExitKey(msg.String()) {
			return nil, false
		}
		return field.edit(msg), true
	case tea.PasteMsg:
		if field.Kind == FieldEnum {
			return nil, false
		}
		return field.edit(msg), true
	}
	// The message comes from a command of the input, such as ctrl+v.
	return field.edit(msg), false
}

func isFormExitKey(key string) bool {
	keys := []string{"enter", "esc", "tab", "shift+tab", "up", "down", "pgup", "pgdown", "ctrl+c", "ctrl+p", "ctrl+r"}
	return slices.Contains(keys, key) || len(key) > 1 && key[0] == 'f' && key[1] >= '1' && key[1] <= '9'
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

// Problem returns the error in the focused field, or "". An empty field does not have an error yet.
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

// A FieldRow is a row of Fields.
type FieldRow struct {
	ID        string // identifies the row to the caller; invisible
	Section   string // starts a new group if it differs from the previous row's Section
	Label     string
	Value     string
	Note      string // meaning or age, after the value
	Role      Role   // role of the value
	Highlight string // text to highlight in the row, from Fold; or ""
}

// A FieldSource supplies rows on demand.
type FieldSource interface {
	Len() int
	Section(i int) string
	Row(i int) FieldRow
}

// fieldRows is a FieldSource for a slice of rows.
type fieldRows []FieldRow

func (f fieldRows) Len() int             { return len(f) }
func (f fieldRows) Section(i int) string { return f[i].Section }
func (f fieldRows) Row(i int) FieldRow   { return f[i] }

const (
	fieldsLabelMax = 28
	fieldsSample   = 200 // number of rows that determine the width of the labels
)

// Fields shows labels and values in two columns, in groups, with a cursor.
type Fields struct {
	scroller
	rows       FieldSource
	lines      []fieldsLine
	rowLine    []int // line number of each row
	labelWidth int
}

// A fieldsLine is a row, a heading, or the blank line before a heading.
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

// SetRows replaces the rows. The cursor stays on its line if that still exists.
func (f *Fields) SetRows(rows []FieldRow) { f.SetSource(fieldRows(rows)) }

// SetSource replaces the rows with a source. It calls Row only for visible rows and for the sample that determines the
// label width. It calls Len and Section for all rows, so these must be fast. The cursor stays on its line if that still
// exists.
func (f *Fields) SetSource(source FieldSource) {
	f.rows = source
	f.lines, f.rowLine, f.labelWidth = f.lines[:0], f.rowLine[:0], 0
	section := ""
	for i := range source.Len() {
		if current := source.Section(i); current != section {
			section = current
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
	f.syncCursor(1)
}

// Selected returns the row under the cursor with its index, or false if there are no rows.
func (f *Fields) Selected() (FieldRow, int, bool) {
	line, ok := f.current()
	if !ok {
		return FieldRow{}, -1, false
	}
	i := f.lines[line].index
	return f.rows.Row(i), i, true
}

// Select moves the cursor to the row with an index. It ignores an index that is out of range.
func (f *Fields) Select(index int) {
	if index >= 0 && index < len(f.rowLine) {
		f.moveTo(f.rowLine[index])
	}
}

// fieldLines adapts Fields to LineSource.
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
