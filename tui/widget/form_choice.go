package widget

import (
	"strconv"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
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

func (f *formField) updateEnum(key string, list *popup) bool {
	n := len(f.Options)
	if n == 0 {
		return false
	}
	at := f.option(f.value())
	switch key {
	case "right":
		f.enter(f.Options[(at+1)%n].Value)
	case "left":
		f.enter(f.Options[(max(at, 0)+n-1)%n].Value)
	case "space":
		*list = popup{open: true, at: max(at, 0)}
	case "backspace", "delete":
		f.in.set("")
		f.check()
	default:
		return false
	}
	return true
}

func (p *popup) update(field *formField, key string) bool {
	options := field.options()
	n := len(options)
	if n == 0 {
		p.open = false
		return false
	}
	p.at = min(p.at, n-1)
	switch key {
	case "up", "k", "shift+tab":
		p.at = (p.at + n - 1) % n
	case "down", "j", "tab":
		p.at = (p.at + 1) % n
	case "home", "g":
		p.at = 0
	case "end", "G":
		p.at = n - 1
	case "enter", "space":
		field.enter(options[p.at].Value)
		p.open = false
	case "esc":
		p.open = false
	case "ctrl+c":
		p.open = false
		return false
	default:
		p.jump(options, key)
	}
	return true
}

func (p *popup) jump(options []Option, letter string) {
	n := len(options)
	for i := 1; i <= n; i++ {
		at := (p.at + i) % n
		if strings.HasPrefix(strings.ToLower(options[at].label()), strings.ToLower(letter)) {
			p.at = at
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

func (f *formField) past() []string {
	if f.Past == nil || f.Kind == FieldSecret {
		return nil
	}
	return f.Past()
}

func (f *formField) options() []Option {
	if f.Kind == FieldEnum {
		return f.Options
	}
	return models.Each(f.past(), func(v string) Option { return Option{Value: v} })
}

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

func (f *formField) prefixed() string {
	typed := f.in.value()
	if f.Prefix == "" || typed == "" || !f.in.atEnd() || f.Kind == FieldSecret ||
		strings.HasPrefix(typed, f.Prefix) || strings.HasPrefix(f.Prefix, typed) {
		return ""
	}
	return f.Prefix + typed
}

func (f *formField) recall(key string, list *popup) bool {
	switch key {
	case "space":
		if f.in.value() != "" || len(f.past()) == 0 {
			return false
		}
		*list = popup{open: true}
		return true
	case "right":
		text := f.prefixed()
		if rest := f.rest(); rest != "" {
			text = f.in.value() + rest
		}
		if text == "" {
			return false
		}
		f.enter(text)
		return true
	}
	return false
}

func (f *formField) offers() string {
	switch n := len(f.past()); {
	case f.Kind == FieldEnum:
		return ""
	case f.rest() != "":
		return "→ completes"
	case f.prefixed() != "":
		return "press → to add " + f.Prefix
	case f.in.value() == "" && n > 0:
		return "space: suggestions"
	}
	return ""
}
