package widget

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
)

// A Button is a button of a dialog.
type Button struct {
	Name   string // identifies the button in a Choice
	Label  string
	Danger bool
	// Disabled returns the reason why the button is unavailable, or ""; nil means always available.
	Disabled func() string
	Run      func() (cmd tea.Cmd, done bool) // optional: what the button does, for the owner of the dialog
}

// A Dialog is a box with a styled body and a row of buttons. The first button initially has the focus, so put the safe
// one first.
type Dialog struct {
	Title   string
	Note    string
	Body    string // styled lines
	Buttons []Button
	Danger  bool // red frame

	focus       int
	buttonSpans []span // index and width of each drawn button
}

// A Choice is the result of passing a message to a dialog.
type Choice struct {
	Name   string // name of the chosen button, or ""
	Closed bool   // the user pressed esc
	Why    string // reason why the chosen button is unavailable, or ""
	Used   bool   // the dialog handled the message
	Run    func() (cmd tea.Cmd, done bool)
}

// Update moves between the buttons and returns the chosen one. For an unavailable button, Name is empty and Why
// contains the reason, which the caller should show. Letters do not move between the buttons, so that stray typing
// cannot select the confirming button.
func (d *Dialog) Update(msg tea.Msg) Choice {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return Choice{}
	}
	n := len(d.Buttons)
	switch name := press.String(); {
	case name == "esc":
		return Choice{Closed: true, Used: true}
	case n == 0:
		return Choice{}
	case name == "tab" || name == "right":
		d.focus = (d.focus + 1) % n
	case name == "shift+tab" || name == "left":
		d.focus = (d.focus + n - 1) % n
	case name == "enter":
		return d.choose(d.focus)
	default:
		return Choice{}
	}
	return Choice{Used: true}
}

// Focus moves the focus to the button with a name. It ignores unknown names.
func (d *Dialog) Focus(name string) {
	if i := slices.IndexFunc(d.Buttons, func(b Button) bool { return b.Name == name }); i >= 0 {
		d.focus = i
	}
}

// Focused returns the name of the focused button.
func (d *Dialog) Focused() string {
	if d.focus >= len(d.Buttons) {
		return ""
	}
	return d.Buttons[d.focus].Name
}

// Click chooses the button at x, y of the box. Call it after a Render with the same size. It ignores clicks outside of
// the row of buttons; for the body, see BodyAt.
func (d *Dialog) Click(x, y, w, h int) Choice {
	if y != h-2 {
		return Choice{}
	}
	at := d.buttonsX(w)
	for _, b := range d.buttonSpans {
		if x >= at && x < at+b.w {
			d.focus = b.col
			return d.choose(b.col)
		}
		at += b.w + 1
	}
	return Choice{}
}

func (d *Dialog) choose(i int) Choice {
	b := d.Buttons[i]
	if b.Disabled != nil {
		if reason := b.Disabled(); reason != "" {
			return Choice{Why: reason, Used: true}
		}
	}
	return Choice{Name: b.Name, Used: true, Run: b.Run}
}

// Size returns the size that the dialog needs, at most w by h cells.
func (d *Dialog) Size(w, h int) (int, int) {
	bw, bh := 0, 0
	if d.Body != "" {
		bw, bh = blockSize(d.Body)
	}
	width := max(bw+4, textWidth(d.Title, w)+textWidth(d.Note, w)+9, 32)
	buttonsWidth := 4
	for _, b := range d.Buttons {
		buttonsWidth += textWidth(b.Label, w) + 5
	}
	bh++ // One blank line above the body and, with buttons, one below.
	if len(d.Buttons) > 0 {
		bh += 2
	}
	return min(max(width, buttonsWidth), max(w, 0)), min(bh+2, max(h, 0))
}

// BodyAt returns the position of the body within the box, for a cursor or a click.
func (d *Dialog) BodyAt() (x, y int) { return 2, 2 }

// Render draws the dialog in exactly w by h cells. It cuts a body that is too high, but never the buttons.
func (d *Dialog) Render(s *Styles, w, h int) string {
	iw, ih := PanelInner(w, h)
	var lines []string
	bodyHeight := ih
	if len(d.Buttons) > 0 {
		bodyHeight = ih - 2
	}
	if bodyHeight > 1 {
		lines = append(lines, "")
		bodyHeight--
	}
	if bodyHeight > 0 {
		for _, line := range fitBlock(d.Body, max(iw-2, 0), bodyHeight) {
			lines = append(lines, " "+line)
		}
	}
	if len(d.Buttons) > 0 {
		if ih >= 2 {
			lines = append(lines, "")
		}
		lines = append(lines, d.buttons(s, w))
	}
	p := Panel{Title: d.Title, Note: d.Note, Focused: true}
	if d.Danger {
		p.Role = RoleBad
	}
	return p.Render(s, strings.Join(lines, "\n"), w, h)
}

func (d *Dialog) buttonsX(w int) int {
	total := 0
	for _, b := range d.buttonSpans {
		total += b.w + 1
	}
	return max(w-1-total, 2)
}

func (d *Dialog) buttons(s *Styles, w int) string {
	d.buttonSpans = d.buttonSpans[:0]
	var row strings.Builder
	for i, b := range d.Buttons {
		label := "  " + b.Label + "  "
		role, on := RoleMuted, SurfacePlain
		if b.Danger {
			role = RoleBad
		}
		if b.Disabled != nil && b.Disabled() != "" {
			role = RoleFaint
		}
		if i == d.focus {
			label = "[ " + b.Label + " ]"
			on = SurfaceCursor
			if role == RoleMuted {
				role = RoleStrong
			}
		}
		width := textWidth(label, max(w, 0))
		d.buttonSpans = append(d.buttonSpans, span{i, width})
		s.writeCell(&row, role, on, label, width, AlignLeft)
		row.WriteByte(' ')
	}
	return strings.Repeat(" ", max(d.buttonsX(w)-1, 0)) + row.String()
}

// Overlay draws a box over a background with its top left corner at x, y, and cuts it at the edges. Both blocks are
// styled. The result has the size of the background.
func Overlay(background, box string, x, y int) string {
	lines := strings.Split(background, "\n")
	for i, boxLine := range strings.Split(box, "\n") {
		if at := y + i; at >= 0 && at < len(lines) {
			lines[at] = overlayLine(lines[at], boxLine, x)
		}
	}
	return strings.Join(lines, "\n")
}

// overlayLine replaces a wide character that the box half covers with a blank.
func overlayLine(line, boxLine string, x int) string {
	w := models.Width(line)
	if x < 0 {
		boxLine, x = ansi.TruncateLeft(boxLine, -x, ""), 0
	}
	boxLine = ansi.Truncate(boxLine, max(w-x, 0), "")
	boxWidth := models.Width(boxLine)
	if boxWidth == 0 {
		return line
	}
	var b strings.Builder
	leftPart := ansi.Truncate(line, x, "")
	b.WriteString(leftPart)
	writeReset(&b, leftPart)
	writeBlanks(&b, x-models.Width(leftPart))
	b.WriteString(boxLine)
	writeReset(&b, boxLine)
	right := ansi.TruncateLeft(line, x+boxWidth, "")
	used := x + boxWidth + models.Width(right)
	if used > w { // TruncateLeft keeps a wide character instead of cutting it in half.
		right = ansi.TruncateLeft(line, x+boxWidth+1, "")
		used = x + boxWidth + models.Width(right)
	}
	writeBlanks(&b, w-used)
	b.WriteString(right)
	return b.String()
}

func writeReset(b *strings.Builder, after string) {
	if strings.Contains(after, "\x1b") {
		b.WriteString(resetStyle)
	}
}

// Dim removes the colors of a background, so that a box over it stands out. This also removes signs that consist only
// of color, so the box must repeat important ones.
func Dim(s *Styles, background string) string {
	lines := strings.Split(ansi.Strip(background), "\n")
	for i, line := range lines {
		lines[i] = s.Paint(RoleFaint, models.Printable(line))
	}
	return strings.Join(lines, "\n")
}

func blockSize(block string) (w, h int) {
	for line := range strings.SplitSeq(block, "\n") {
		w = max(w, models.Width(line))
		h++
	}
	return w, h
}

// namedKeys contains the keys whose names are words.
var namedKeys = map[string]rune{
	"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "space": tea.KeySpace, "backspace": tea.KeyBackspace,
	"delete": tea.KeyDelete, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
	"home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "f1": tea.KeyF1,
}

// Press returns the message for a key, by its name in bindings: "a", "enter", "ctrl+p", "shift+tab". It returns false
// for an unknown name.
func Press(name string) (tea.KeyPressMsg, bool) {
	var mod tea.KeyMod
	rest := name
	for prefix, m := range map[string]tea.KeyMod{"ctrl+": tea.ModCtrl, "alt+": tea.ModAlt, "shift+": tea.ModShift} {
		if after, ok := strings.CutPrefix(rest, prefix); ok && after != "" {
			mod, rest = m, after
			break
		}
	}
	if code, ok := namedKeys[rest]; ok {
		msg := tea.KeyPressMsg{Code: code, Mod: mod}
		if code == tea.KeySpace && mod == 0 {
			msg.Text = " "
		}
		return msg, true
	}
	r := []rune(rest)
	if len(r) != 1 {
		return tea.KeyPressMsg{}, false
	}
	msg := tea.KeyPressMsg{Code: r[0], Mod: mod}
	if mod == 0 {
		msg.Text = rest
	}
	return msg, true
}
