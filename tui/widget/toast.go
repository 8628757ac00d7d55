package widget

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
)

// toastsShown is the maximum number of visible toasts. A new one replaces the oldest.
const toastsShown = 3

// toastLines is the maximum number of lines in a toast, and toastFrame the number of cells around its text.
const (
	toastLines = 4
	toastFrame = 5
)

// shortToast is the maximum length of a toast that a user reads within ToastDuration.
const shortToast = 72

// ToastDuration is how long a toast stays visible. An error, or a toast with several lines, stays twice as long.
const ToastDuration = 4 * time.Second

// Toasts contains short messages that disappear by themselves, newest last. The zero Toasts is ready to use.
type Toasts struct {
	next  int
	shown []toast
}

type toast struct {
	id         int
	role       Role
	text       string
	persistent bool // unrelated to the visible screen
}

type toastExpiredMsg struct{ id int }

// Push shows a message and returns the command that removes it later. The role determines the symbol before it: ✓ for
// RoleGood, ! for RoleWarn, ✗ for RoleBad, otherwise ·. If the caller drops the command, the message stays until three
// newer ones follow or Clear removes it. Push does not repeat a visible message.
func (t *Toasts) Push(r Role, text string) tea.Cmd {
	t.next++
	id := t.next
	t.shown = slices.DeleteFunc(t.shown, func(o toast) bool { return o.role == r && o.text == text })
	t.shown = append(t.shown, toast{id: id, role: r, text: text})
	if len(t.shown) > toastsShown {
		t.shown = t.shown[len(t.shown)-toastsShown:]
	}
	duration := ToastDuration
	if r == RoleBad || len(text) > shortToast {
		duration *= 2 // Longer messages take more time to read.
	}
	return tea.Tick(duration, func(time.Time) tea.Msg { return toastExpiredMsg{id} })
}

// Update removes expired toasts. It reports whether it used the message.
func (t *Toasts) Update(msg tea.Msg) bool {
	expired, ok := msg.(toastExpiredMsg)
	if ok {
		t.shown = slices.DeleteFunc(t.shown, func(o toast) bool { return o.id == expired.id })
	}
	return ok
}

// Last returns the newest toast as one line with its symbol. ok is false if there are no toasts.
func (t *Toasts) Last() (r Role, text string, ok bool) {
	if len(t.shown) == 0 {
		return RoleText, "", false
	}
	o := t.shown[len(t.shown)-1]
	return o.role, sign(o.role) + " " + strings.Join(strings.Fields(o.text), " "), true
}

// Older returns all toasts except the newest.
func (t *Toasts) Older() *Toasts { return &Toasts{shown: t.shown[:max(len(t.shown)-1, 0)]} }

// Keep protects the newest toast from Clear, because it is unrelated to the visible screen.
func (t *Toasts) Keep() {
	if n := len(t.shown); n > 0 {
		t.shown[n-1].persistent = true
	}
}

// Clear removes the toasts about the visible screen, but not those passed to Keep. The command of a removed toast has
// no effect.
func (t *Toasts) Clear() {
	t.shown = slices.DeleteFunc(t.shown, func(o toast) bool { return !o.persistent })
}

// ClearInfo removes the toasts that only explain the last key, and reports whether there were any.
func (t *Toasts) ClearInfo() bool {
	n := len(t.shown)
	t.shown = slices.DeleteFunc(t.shown, func(o toast) bool { return o.role == RoleInfo && !o.persistent })
	return len(t.shown) < n
}

// Remove removes the toasts with a text.
func (t *Toasts) Remove(text string) {
	t.shown = slices.DeleteFunc(t.shown, func(o toast) bool { return o.text == text })
}

// Render draws the toasts as a block of at most w cells, with lines of equal width. It returns "" if there are none.
// Long messages wrap to a few lines.
func (t *Toasts) Render(s *Styles, w int) string {
	if len(t.shown) == 0 || w <= 0 {
		return ""
	}
	texts, width := make([][]string, len(t.shown)), 0
	for i, o := range t.shown {
		texts[i] = o.lines(w - toastFrame)
		for _, line := range texts[i] {
			width = max(width, textWidth(line, w)+toastFrame)
		}
	}
	width = min(width, w)
	var lines []string
	for i, o := range t.shown {
		for j, text := range texts[i] {
			mark := "▌" + sign(o.role)
			if j > 0 {
				mark = "▌"
			}
			var b strings.Builder
			s.writeCell(&b, o.role, SurfaceBar, mark, min(3, width), AlignLeft)
			s.writeCell(&b, RoleText, SurfaceBar, text, width-toastFrame+1, AlignLeft)
			s.writeCell(&b, RoleText, SurfaceBar, "", min(1, width-3), AlignLeft)
			lines = append(lines, b.String())
		}
	}
	return strings.Join(lines, "\n")
}

func (t toast) lines(w int) []string {
	lines := wrapLines(t.text, max(w, 1))
	if len(lines) > toastLines {
		lines = lines[:toastLines]
		lines[toastLines-1] = models.Truncate(lines[toastLines-1]+" …………", max(w, 1))
	}
	return lines
}

// Over draws the toasts over the bottom right corner of a background. A single line covers only the frame of a panel.
func (t *Toasts) Over(s *Styles, background string) string {
	w, h := blockSize(background)
	box := t.Render(s, w-2)
	if box == "" {
		return background
	}
	bw, bh := blockSize(box)
	return Overlay(background, box, max(w-bw-1, 0), max(h-bh, 0))
}

func sign(r Role) string {
	return cmp.Or(map[Role]string{RoleGood: "✓", RoleWarn: "!", RoleBad: "✗"}[r], "·")
}

const (
	// BusyAfter is the delay before a running operation appears on the screen.
	BusyAfter = 200 * time.Millisecond
	// ProgressAfter is the delay before a progress bar and details appear.
	ProgressAfter = 2 * time.Second
	// BusyFrame is the interval between two frames of the spinner.
	BusyFrame = 100 * time.Millisecond
)

var spinner = [...]string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// A BusyIndicator is the progress of a running operation. It has no clock and sends no messages, so the screen must
// tick every BusyFrame while an operation runs.
type BusyIndicator struct {
	What     string        // "reading Verifications"
	Detail   string        // "12 pages · 480 items · 61 RCU"; appears after ProgressAfter
	Cancel   string        // cancel hint: "esc cancel"
	Elapsed  time.Duration // time since the start, which the caller measures
	Fraction float64       // 0 to 1 if the total is known; otherwise negative
}

// Visible reports whether the operation has run long enough to appear. Most operations end earlier, and a line for them
// would flicker.
func (b BusyIndicator) Visible() bool { return b.Elapsed >= BusyAfter }

// Render draws one line of exactly w cells, which is blank until Visible returns true.
func (b BusyIndicator) Render(s *Styles, w int) string {
	if w <= 0 {
		return ""
	}
	if !b.Visible() {
		return strings.Repeat(" ", w)
	}
	frame := spinner[int(b.Elapsed/BusyFrame)%len(spinner)]
	line := s.Paint(RoleAccent, frame) + " " + s.Paint(RoleText, b.What)
	if b.Elapsed >= ProgressAfter {
		line += "  " + ProgressBar(s, b.Fraction, min(20, w/4), b.Elapsed) +
			s.Paint(RoleMuted, fmt.Sprintf("  %d s", int(b.Elapsed.Seconds())))
	}
	if b.Cancel != "" {
		line += s.Paint(RoleFaint, "  "+b.Cancel)
	}
	if b.Elapsed >= ProgressAfter { // The bar comes last, because the end of the line may be cut.
		line += s.Paint(RoleMuted, "  "+b.Detail)
	}
	return fitStyled(line, w)
}

// ProgressBar draws a bar of exactly w cells. A negative fraction means that the total is unknown; a segment then moves
// back and forth with the elapsed time.
func ProgressBar(s *Styles, fraction float64, w int, elapsed time.Duration) string {
	if w <= 0 {
		return ""
	}
	if fraction < 0 {
		piece := max(w/4, 1)
		period := max(2*(w-piece), 1)
		offset := int(elapsed/BusyFrame) % period
		if offset > w-piece {
			offset = period - offset
		}
		return s.Paint(RoleFaint, strings.Repeat("─", offset)) + s.Paint(RoleAccent, strings.Repeat("━", piece)) +
			s.Paint(RoleFaint, strings.Repeat("─", w-piece-offset))
	}
	done := int(min(fraction, 1)*float64(w) + 0.5)
	return s.Paint(RoleAccent, strings.Repeat("━", done)) + s.Paint(RoleFaint, strings.Repeat("─", w-done))
}
