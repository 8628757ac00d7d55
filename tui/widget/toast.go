// This file shows short messages that go away by themselves.

package widget

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
)

// toastsShown is how many toasts are kept; older ones make room.
const toastsShown = 3

// toastLines is how many lines a toast takes, toastFrame what is around its
// text.
const (
	toastLines = 4
	toastFrame = 5
)

// toastWidth is how wide toasts are at most: what lies beside them stays in
// view.
const toastWidth = 72

// ToastFor is how long a toast stays; one that reports a failure, or is longer
// than a line, stays twice as long.
const ToastFor = 4 * time.Second

// Toasts are the messages on the screen, the newest last.
type Toasts struct {
	next  int
	shown []toast
}

type toast struct {
	id   int
	role Role
	text string
}

type toastExpiredMsg struct{ id int }

// Push shows a message and returns the command that takes it away later. The
// role decides the sign before it: RoleGood ✓, RoleWarn !, RoleBad ✗, else ·.
func (t *Toasts) Push(r Role, text string) tea.Cmd {
	t.next++
	id := t.next
	t.shown = append(t.shown, toast{id, r, text})
	if len(t.shown) > toastsShown {
		t.shown = t.shown[len(t.shown)-toastsShown:]
	}
	stay := ToastFor
	if r == RoleBad || len(text) > toastWidth {
		stay *= 2 // It takes longer to read.
	}
	return tea.Tick(stay, func(time.Time) tea.Msg { return toastExpiredMsg{id} })
}

// Update takes toasts away whose time has come.
func (t *Toasts) Update(msg tea.Msg) bool {
	expired, ok := msg.(toastExpiredMsg)
	if ok {
		t.shown = slices.DeleteFunc(t.shown, func(o toast) bool { return o.id == expired.id })
	}
	return ok
}

// Clear takes all toasts away.
func (t *Toasts) Clear() { t.shown = nil }

// Render draws the toasts as a block of at most w cells, each line padded to
// the same width; "" when there are none. What does not fit a line goes on in
// the next, up to a few.
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

// lines are the message in lines of at most w cells; the last says with "…"
// that there was more.
func (o toast) lines(w int) []string {
	lines := wrapped(o.text, max(w, 1))
	if len(lines) > toastLines {
		lines = lines[:toastLines]
		lines[toastLines-1] = models.Truncate(lines[toastLines-1]+" …………", max(w, 1))
	}
	return lines
}

// Over draws the toasts over the lower right corner of a background, above its
// last line.
func (t *Toasts) Over(s *Styles, background string) string {
	w, h := blockSize(background)
	box := t.Render(s, min(w-2, toastWidth))
	if box == "" {
		return background
	}
	bw, bh := blockSize(box)
	return Overlay(background, box, max(w-bw-1, 0), max(h-bh-1, 0))
}

func sign(r Role) string {
	switch r {
	case RoleGood:
		return "✓"
	case RoleWarn:
		return "!"
	case RoleBad:
		return "✗"
	default:
		return "·"
	}
}
