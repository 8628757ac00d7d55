package widget

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// popupRows is how many options the popup list shows at once.
const popupRows = 10

// popup is the list of options that opens over the form.
type popup struct {
	open bool
	at   int // option under the cursor
}

// Choosing reports whether a list of options is open.
func (f *Form) Choosing() bool { return f.popup.open }

// updateEnum handles keys on an enum field whose list is closed.
func (f *Form) updateEnum(msg tea.KeyPressMsg) bool {
	field := &f.fields[f.focus]
	n := len(field.Options)
	if n == 0 {
		return false
	}
	at := field.option(field.value())
	switch msg.String() {
	case "right":
		f.enter(field, field.Options[(at+1)%n].Value)
	case "left":
		f.enter(field, field.Options[(max(at, 0)+n-1)%n].Value)
	case "space":
		f.popup = popup{open: true, at: max(at, 0)}
	case "backspace", "delete":
		field.in.set("")
		field.check()
	default:
		return false
	}
	return true
}

// updatePopup handles keys while the list is open. It uses all of them.
func (f *Form) updatePopup(msg tea.KeyPressMsg) bool {
	field := &f.fields[f.focus]
	options := field.options()
	n := len(options)
	if n == 0 {
		f.popup.open = false
		return false
	}
	f.popup.at = min(f.popup.at, n-1)
	switch msg.String() {
	case "up", "k", "shift+tab":
		f.popup.at = (f.popup.at + n - 1) % n
	case "down", "j", "tab":
		f.popup.at = (f.popup.at + 1) % n
	case "home", "g":
		f.popup.at = 0
	case "end", "G":
		f.popup.at = n - 1
	case "enter", "space":
		f.enter(field, options[f.popup.at].Value)
		f.popup.open = false
	case "esc":
		f.popup.open = false
	case "ctrl+c":
		f.popup.open = false
		return false
	default:
		f.jump(options, msg.String())
	}
	return true
}

// jump moves to the next option that starts with a letter.
func (f *Form) jump(options []Option, letter string) {
	n := len(options)
	for i := 1; i <= n; i++ {
		at := (f.popup.at + i) % n
		if strings.HasPrefix(strings.ToLower(options[at].label()), strings.ToLower(letter)) {
			f.popup.at = at
			return
		}
	}
}

// Popup returns the open list of options as a styled box and its position relative
// to the form, for OverlayInside. It may extend beyond the form.
func (f *Form) Popup() (box string, x, y int, open bool) {
	if !f.popup.open || f.focus >= len(f.places) {
		return "", 0, 0, false
	}
	field := &f.fields[f.focus]
	options := field.options()
	if len(options) == 0 {
		return "", 0, 0, false
	}
	rows := min(len(options), popupRows)
	top := min(max(f.popup.at-rows/2, 0), len(options)-rows)
	title := field.label()
	if field.Kind != FieldEnum {
		title = "suggestions"
	}
	label, note := 0, 0
	for _, o := range options {
		label = max(label, textWidth(o.label(), 40))
		note = max(note, textWidth(o.Note, 40))
	}
	if note > 0 {
		note += 2
	}
	label = max(label, textWidth(title, 40)-note)
	var b strings.Builder
	for i := top; i < top+rows; i++ {
		if i > top {
			b.WriteByte('\n')
		}
		on, bar := SurfacePlain, "  "
		if i == f.popup.at {
			on, bar = SurfaceCursor, "▌ "
		}
		f.styles.writeCell(&b, RoleAccent, on, bar, 2, AlignLeft)
		f.styles.writeCell(&b, RoleText, on, options[i].label(), label, AlignLeft)
		if note > 0 {
			f.styles.writeCell(&b, RoleMuted, on, "  "+options[i].Note, note, AlignLeft)
		}
		f.styles.writeCell(&b, RoleText, on, "", 1, AlignLeft)
	}
	at := f.places[f.focus]
	count := ""
	if rows < len(options) {
		count = strconv.Itoa(f.popup.at+1) + "/" + strconv.Itoa(len(options))
		label = max(label, textWidth(title, 40)+len(count)+3-note)
	}
	box = Panel{Focused: true, Title: title, Note: count}.Render(f.styles, b.String(), label+note+5, rows+2)
	return box, max(at.x+at.label-2, 0), at.y + 1, true
}
