package tuitest

import (
	"sync"

	"github.com/charmbracelet/x/vt"
)

// cursorState records whether the cursor is visible; the program's goroutine writes it.
type cursorState struct {
	mu     sync.Mutex
	hidden bool
}

func (c *cursorState) callbacks() vt.Callbacks {
	return vt.Callbacks{CursorVisibility: func(visible bool) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.hidden = !visible
	}}
}

// Cursor returns the position of the terminal's cursor and whether it is visible.
func (tt *Terminal) Cursor() (x, y int, visible bool) {
	tt.cursor.mu.Lock()
	defer tt.cursor.mu.Unlock()
	pos := tt.emu.CursorPosition()
	return pos.X, pos.Y, !tt.cursor.hidden
}
