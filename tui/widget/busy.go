package widget

import (
	"fmt"
	"strings"
	"time"
)

const (
	// BusyAfter is the delay before a running operation is shown.
	BusyAfter = 200 * time.Millisecond
	// ProgressAfter is the delay before a progress bar and details are shown.
	ProgressAfter = 2 * time.Second
	// BusyFrame is the interval between two frames of the spinner.
	BusyFrame = 100 * time.Millisecond
)

var spinner = [...]string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// Busy is the progress of a running operation. It has no clock and sends no messages: the
// screen ticks every BusyFrame while something runs.
type Busy struct {
	What     string        // "reading Verifications"
	Detail   string        // "12 pages · 480 items · 61 RCU", shown after ProgressAfter
	Cancel   string        // how to cancel it: "esc cancels"
	Elapsed  time.Duration // since it started; the caller measures it
	Fraction float64       // 0 to 1 if the total is known, negative otherwise
}

// Visible reports whether the operation has taken long enough to be shown. Most operations end
// before; a line for them would flicker.
func (y Busy) Visible() bool { return y.Elapsed >= BusyAfter }

// Render draws one line of exactly w cells, blank until Visible.
func (y Busy) Render(s *Styles, w int) string {
	if w <= 0 {
		return ""
	}
	if !y.Visible() {
		return strings.Repeat(" ", w)
	}
	frame := spinner[int(y.Elapsed/BusyFrame)%len(spinner)]
	line := s.Paint(RoleAccent, frame) + " " + s.Paint(RoleText, y.What)
	if y.Elapsed >= ProgressAfter {
		line += "  " + ProgressBar(s, y.Fraction, min(20, w/4), y.Elapsed) +
			s.Paint(RoleMuted, fmt.Sprintf("  %d s", int(y.Elapsed.Seconds())))
	}
	if y.Cancel != "" {
		line += s.Paint(RoleFaint, "  "+y.Cancel)
	}
	if y.Elapsed >= ProgressAfter { // Last, because the end of the line may be cut.
		line += s.Paint(RoleMuted, "  "+y.Detail)
	}
	return fitStyled(line, w)
}

// ProgressBar draws a bar of exactly w cells. For a negative fraction, an unknown
// total, a segment moves back and forth with the elapsed time.
func ProgressBar(s *Styles, fraction float64, w int, elapsed time.Duration) string {
	if w <= 0 {
		return ""
	}
	if fraction < 0 {
		piece := max(w/4, 1)
		period := max(2*(w-piece), 1)
		at := int(elapsed/BusyFrame) % period
		if at > w-piece {
			at = period - at
		}
		return s.Paint(RoleFaint, strings.Repeat("─", at)) + s.Paint(RoleAccent, strings.Repeat("━", piece)) +
			s.Paint(RoleFaint, strings.Repeat("─", w-piece-at))
	}
	done := int(min(fraction, 1)*float64(w) + 0.5)
	return s.Paint(RoleAccent, strings.Repeat("━", done)) + s.Paint(RoleFaint, strings.Repeat("─", w-done))
}
