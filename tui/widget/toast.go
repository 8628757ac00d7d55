// This file shows short messages that go away by themselves.

package widget

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

// toastsShown is how many toasts are kept; older ones make room.
const toastsShown = 3

// ToastFor is how long a toast stays; one that reports a failure stays twice as
// long.
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
	if r == RoleBad {
		stay *= 2
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
// the same width; "" when there are none.
func (t *Toasts) Render(s *Styles, w int) string {
	if len(t.shown) == 0 || w <= 0 {
		return ""
	}
	widest := 0
	for _, o := range t.shown {
		widest = max(widest, textWidth(o.text, w))
	}
	lines := make([]string, 0, len(t.shown))
	width := min(widest+5, w)
	for _, o := range t.shown {
		var b strings.Builder
		s.writeCell(&b, o.role, SurfaceBar, "▌"+sign(o.role), min(3, width), AlignLeft)
		s.writeCell(&b, RoleText, SurfaceBar, o.text, width-4, AlignLeft)
		s.writeCell(&b, RoleText, SurfaceBar, "", min(1, width-3), AlignLeft)
		lines = append(lines, b.String())
	}
	return strings.Join(lines, "\n")
}

// Over draws the toasts over the lower right corner of a background, above its
// last line.
func (t *Toasts) Over(s *Styles, background string) string {
	w, h := blockSize(background)
	box := t.Render(s, min(w, 60))
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
