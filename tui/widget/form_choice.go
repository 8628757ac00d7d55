package widget

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
)

const (
	popupRows     = 10 // maximum number of visible options in the list
	popupMaxWidth = 84 // maximum width of the list in cells
	noteMaxWidth  = 40 // maximum width of the list's notes in cells
)

// Choosing reports whether a list of options is open.
func (f *Form) Choosing() bool { return f.popup != nil }

func (f *Form) updateEnum(field *formField, key string) bool {
	n := len(field.Options)
	if n == 0 {
		return false
	}
	at := field.option(field.value())
	switch key {
	case "right":
		field.enter(field.Options[(at+1)%n].Value)
	case "left":
		field.enter(field.Options[(max(at, 0)+n-1)%n].Value)
	case "space":
		f.openPopup(field)
	case "backspace", "delete":
		field.in.set("")
		field.check()
	default:
		return false
	}
	return true
}

func (f *Form) openPopup(field *formField) {
	f.popup = NewList(f.styles)
	f.popup.HideFilter()
	noteWidth := 0
	for _, o := range field.options() {
		noteWidth = max(noteWidth, textWidth(o.Note, noteMaxWidth))
	}
	f.popup.SetItems(models.MapSlice(field.options(), func(o Option) ListItem {
		note := o.Note + BlankLine(noteWidth-textWidth(o.Note, noteMaxWidth)) // Align the notes in a column.
		return ListItem{ID: o.Value, Title: o.label(), Badge: note, BadgeRole: RoleMuted}
	}))
	f.popup.Select(field.value())
}

func (f *Form) updatePopup(field *formField, msg tea.KeyPressMsg) bool {
	switch key := msg.String(); key {
	case "enter", "space", "esc", "ctrl+c":
		if it, ok := f.popup.Selected(); ok && (key == "enter" || key == "space") {
			field.enter(it.ID)
		}
		f.popup = nil
		return key != "ctrl+c"
	case "tab":
		msg = tea.KeyPressMsg{Code: tea.KeyDown}
	case "shift+tab":
		msg = tea.KeyPressMsg{Code: tea.KeyUp}
	}
	f.popup.Update(msg)
	return true
}

// Popup returns the open list of options as a styled box and its position relative to the form. The box may extend
// beyond the form.
func (f *Form) Popup() (box string, x, y int, open bool) {
	if f.popup == nil || f.focus >= len(f.places) {
		return "", 0, 0, false
	}
	title, count := f.fields[f.focus].label(), ""
	if f.fields[f.focus].Kind != FieldEnum {
		title = "suggestions"
	}
	n := f.popup.Len()
	if n > popupRows {
		count = strconv.Itoa(f.popup.win.cursor+1) + "/" + strconv.Itoa(n)
	}
	w := max(min(f.popup.NaturalWidth(), popupMaxWidth), textWidth(title, 40)+len(count)+5)
	f.popup.SetSize(w, min(n, popupRows))
	at := f.places[f.focus]
	box = Panel{Focused: true, Title: title, Note: count}.Render(f.styles, f.popup.View(), w+2, f.popup.height+2)
	return box, max(at.x+at.label-2, 0), at.y + 1, true
}

// OverPopup draws the open list of options, if there is one, over a view with the form at x, y. It moves the list left
// and up as far as necessary to make all of it visible.
func (f *Form) OverPopup(view string, x, y int) string {
	box, dx, dy, open := f.Popup()
	if !open {
		return view
	}
	vw, vh := blockSize(view)
	w, h := blockSize(box)
	at := Rect{X: max(min(x+dx, vw-w), 0), Y: max(min(y+dy, vh-h), 0), W: w, H: h}
	f.popupAt = Rect{X: at.X - x, Y: at.Y - y, W: w, H: h}
	return Overlay(view, box, at.X, at.Y)
}

func (f *Form) clickPopup(x, y int) {
	in := f.popupAt.Inner()
	if in.Has(x, y) {
		if _, ok := f.popup.Click(x-in.X, y-in.Y); ok {
			it, _ := f.popup.Selected()
			f.fields[f.focus].enter(it.ID)
		}
	}
	f.popup = nil
}

func (f *formField) recentValues() []string {
	if f.PastValues == nil || f.Kind == FieldSecret {
		return nil
	}
	return f.PastValues()
}

func (f *formField) options() []Option {
	if f.Kind == FieldEnum {
		return f.Options
	}
	return models.MapSlice(f.recentValues(), func(v string) Option { return Option{Value: v} })
}

func (f *formField) completion() string {
	typed := f.in.value()
	if typed == "" || !f.in.atEnd() {
		return ""
	}
	for _, v := range f.recentValues() {
		if len(v) > len(typed) && strings.HasPrefix(v, typed) {
			return v[len(typed):]
		}
	}
	if strings.HasPrefix(f.Prefix, typed) {
		return f.Prefix[len(typed):]
	}
	return ""
}

func (f *formField) prefixed() string {
	typed := f.in.value()
	if f.Prefix == "" || typed == "" || !f.in.atEnd() || f.Kind == FieldSecret ||
		strings.HasPrefix(typed, f.Prefix) || strings.HasPrefix(f.Prefix, typed) {
		return ""
	}
	return f.Prefix + typed
}

func (f *Form) recallValue(field *formField, key string) bool {
	switch key {
	case "space":
		if field.in.value() != "" || len(field.recentValues()) == 0 {
			return false
		}
		f.openPopup(field)
		return true
	case "right":
		text := field.prefixed()
		if rest := field.completion(); rest != "" {
			text = field.in.value() + rest
		}
		if text == "" {
			return false
		}
		field.enter(text)
		return true
	}
	return false
}

func (f *formField) suggestion() string {
	switch n := len(f.recentValues()); {
	case f.Kind == FieldEnum:
		return ""
	case f.completion() != "":
		return "→ completes"
	case f.prefixed() != "":
		return "press → to add " + f.Prefix
	case f.in.value() == "" && n > 0:
		return "space list suggestions"
	}
	return ""
}
