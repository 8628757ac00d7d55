package widget

import (
	"cmp"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// formIndent is the space, in cells, between the frame and the first field of a line.
const formIndent = 1

// fieldGap is the space, in cells, between two fields on a line.
const fieldGap = 3

// wideValue is the width, in cells, of a text field that has its own line. It fits a UUID with a prefix.
const wideValue = 46

// A fieldPlace is the position of a field within the form.
type fieldPlace struct {
	x, y         int
	label, value int // widths in cells; the label includes the space after it
}

// SetSize sets the size and arranges the fields side by side on as many lines as needed; see Height.
func (f *Form) SetSize(w, h int) {
	f.w, f.h = max(w, 0), max(h, 0)
	f.places = f.layout(f.w)
}

// Height returns the number of lines that the form needs in w cells: its fields, and the line for help and errors below
// them. It does not change while the user types.
func (f *Form) Height(w int) int {
	places := f.layout(max(w, 0))
	if len(places) == 0 {
		return 0
	}
	return places[len(places)-1].y + 2
}

func (f *Form) layout(w int) []fieldPlace {
	first := 0
	for _, p := range f.arrange(w, 0) {
		if p.x == formIndent && p.label <= w/3 { // A long label would leave a gap in the other lines.
			first = max(first, p.label)
		}
	}
	return f.arrange(w, first)
}

// arrange makes the label at the start of a line at least first cells wide.
func (f *Form) arrange(w, first int) []fieldPlace {
	places := make([]fieldPlace, len(f.fields))
	x, y := formIndent, 0
	for i := range f.fields {
		field := &f.fields[i]
		p := fieldPlace{label: textWidth(field.label(), max(w/2, 0)) + 2}
		if field.Required {
			p.label++
		}
		if x > formIndent && (field.NewLine || x+p.label+field.valueWidth() > w) {
			x, y = formIndent, y+1
		}
		if x == formIndent {
			p.label = max(p.label, first)
		}
		p.value = min(field.valueWidth(), max(w-p.label-formIndent, 0))
		p.x, p.y = x, y
		x += p.label + p.value + fieldGap
		places[i] = p
	}
	for i := range places {
		isAlone := (i == 0 || places[i-1].y < places[i].y) && (i == len(places)-1 || places[i+1].y > places[i].y)
		if p := &places[i]; isAlone && f.fields[i].hasAnyWidth() {
			p.value = max(p.value, min(wideValue, w-p.x-p.label-formIndent))
		}
	}
	return places
}

func (f *formField) valueWidth() int {
	if f.Width > 0 {
		return f.Width
	}
	switch f.Kind {
	case FieldEnum:
		widest := 6
		for _, o := range f.Options {
			widest = max(widest, textWidth(o.label(), 32))
		}
		return widest + 4
	case FieldNumber:
		return 10
	case FieldDate:
		return 20
	default:
		return 26
	}
}

func (f *formField) hasAnyWidth() bool { return f.Kind == FieldText && f.Width == 0 }

// View draws the form in exactly the size that SetSize set.
func (f *Form) View() string {
	if f.w <= 0 || f.h <= 0 {
		return ""
	}
	var lines []string
	var b strings.Builder
	used := 0
	for i, p := range f.places {
		for len(lines) < p.y {
			writeBlanks(&b, f.w-used)
			lines = append(lines, b.String())
			b.Reset()
			used = 0
		}
		writeBlanks(&b, p.x-used)
		used = p.x + f.writeField(&b, i, p)
	}
	if len(f.places) > 0 {
		writeBlanks(&b, f.w-used)
		lines = append(lines, b.String(), f.helpLine())
	}
	for i := range lines {
		lines[i] = fitStyled(lines[i], f.w)
	}
	return joinLines(lines, f.w, f.h)
}

func (f *Form) writeField(b *strings.Builder, i int, p fieldPlace) int {
	field := &f.fields[i]
	focused := i == f.focus && f.focused
	showsError := field.err != nil && field.touched
	label := RoleMuted
	switch {
	case showsError:
		label = RoleBad
	case focused:
		label = RoleAccent
	}
	width := min(p.label, f.w)
	text := field.label()
	if field.Required {
		text += "*"
	}
	if showsError {
		text += "!"
	}
	f.styles.writeCell(b, label, SurfacePlain, text, width-1, AlignLeft)
	f.styles.writeCell(b, label, SurfacePlain, "", min(1, width), AlignLeft)
	if field.Kind == FieldEnum {
		field.writeEnum(b, f.styles, focused, p.value)
	} else {
		field.writeInput(b, f.styles, focused, p.value)
	}
	return width + p.value
}

func (f *formField) writeInput(b *strings.Builder, styles *Styles, focused bool, w int) {
	hint := cmp.Or(f.Default, f.Placeholder)
	if hint == "" && f.Prefix != "" {
		hint = f.Prefix + "…"
	}
	on := SurfaceDim
	if focused {
		on = SurfaceCursor
	}
	completion := ""
	if focused {
		completion = f.completion()
	}
	view, _ := f.in.render(styles, on, hint, completion, w)
	b.WriteString(view)
}

func (f *formField) writeEnum(b *strings.Builder, styles *Styles, focused bool, w int) {
	text, role := f.value(), RoleText
	if f.in.value() == "" {
		role = RoleFaint
	}
	if at := f.option(text); at >= 0 {
		text = f.Options[at].label()
	}
	if text == "" {
		text = cmp.Or(f.Placeholder, "any")
		if f.Required {
			text = "choose"
		}
	}
	if w < 5 {
		styles.writeCell(b, role, SurfaceDim, text, w, AlignLeft)
		return
	}
	if !focused {
		styles.writeCell(b, role, SurfaceDim, text, w-2, AlignLeft)
		styles.writeCell(b, RoleFaint, SurfaceDim, " ▾", 2, AlignLeft)
		return
	}
	styles.writeCell(b, RoleAccent, SurfaceCursor, "‹ ", 2, AlignLeft)
	styles.writeCell(b, role, SurfaceCursor, text, w-4, AlignLeft)
	styles.writeCell(b, RoleAccent, SurfaceCursor, " ›", 2, AlignLeft)
}

func (f *Form) helpLine() string {
	line := " "
	addText := func(role Role, text string) {
		if text != "" && line != " " {
			line += f.styles.Paint(RoleFaint, " · ")
		}
		line += f.styles.Paint(role, text)
	}
	problem := f.Problem()
	if problem != "" {
		addText(RoleBad, "✗ "+problem)
	}
	if !f.focused {
		return line
	}
	field := &f.fields[f.focus]
	if v := field.value(); v != "" && field.err == nil {
		if field.Warn != nil {
			addText(RoleWarn, field.Warn(v))
		}
		if field.Note != nil {
			addText(RoleInfo, field.Note(v))
		}
	}
	addText(RoleMuted, field.suggestion())
	if problem != "" {
		return line
	}
	help := field.Help
	if field.Kind == FieldEnum && help == "" {
		help = "←/→ change · space list"
	}
	addText(RoleFaint, help)
	return line
}

// Cursor returns the terminal cursor relative to the form, or nil if the user is not editing text.
func (f *Form) Cursor() *tea.Cursor {
	if !f.focused || f.focus >= len(f.places) || f.popup != nil || f.fields[f.focus].Kind == FieldEnum {
		return nil
	}
	p := f.places[f.focus]
	if p.value <= 0 || p.y >= f.h {
		return nil
	}
	_, x := f.fields[f.focus].in.render(f.styles, SurfacePlain, "", "", p.value)
	return Caret(p.x+p.label+x, p.y)
}

// Click moves the focus to the field at x, y, if there is one. A second click on an enum opens its list. While the list
// is open, a click chooses one of its options or closes it.
func (f *Form) Click(x, y int) bool {
	if f.popup != nil {
		f.clickPopup(x, y)
		return true
	}
	for i, p := range f.places {
		if y != p.y || x < p.x || x >= p.x+p.label+p.value {
			continue
		}
		wasFocused := f.focused && f.focus == i
		f.setFocus(i)
		if field := &f.fields[i]; wasFocused && field.Kind == FieldEnum && len(field.Options) > 0 {
			f.openPopup(field)
		}
		return true
	}
	return false
}
