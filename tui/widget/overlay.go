package widget

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
)

// Overlay draws box over background with its top left corner at x, y, cut at the
// edges of the background. Both blocks are styled. The result has the size of the background.
func Overlay(background, box string, x, y int) string {
	lines := strings.Split(background, "\n")
	for i, over := range strings.Split(box, "\n") {
		if at := y + i; at >= 0 && at < len(lines) {
			lines[at] = overlayLine(lines[at], over, x)
		}
	}
	return strings.Join(lines, "\n")
}

// OverlayInside is Overlay for a box that must be completely visible: it moves the
// box left and up as far as necessary.
func OverlayInside(background, box string, x, y int) string {
	bw, bh := blockSize(background)
	w, h := blockSize(box)
	return Overlay(background, box, max(min(x, bw-w), 0), max(min(y, bh-h), 0))
}

// overlayLine makes a blank of a wide character that is half covered.
func overlayLine(line, over string, x int) string {
	w := models.Width(line)
	if x < 0 {
		over, x = ansi.TruncateLeft(over, -x, ""), 0
	}
	over = ansi.Truncate(over, max(w-x, 0), "")
	size := models.Width(over)
	if size == 0 {
		return line
	}
	var b strings.Builder
	left := ansi.Truncate(line, x, "")
	b.WriteString(left)
	writeReset(&b, left)
	writeBlanks(&b, x-models.Width(left))
	b.WriteString(over)
	writeReset(&b, over)
	right := ansi.TruncateLeft(line, x+size, "")
	used := x + size + models.Width(right)
	if used > w { // TruncateLeft keeps a wide character that is cut in its middle.
		right = ansi.TruncateLeft(line, x+size+1, "")
		used = x + size + models.Width(right)
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

// Dim removes the colors of a background, so that a box over it stands out. What was a sign
// only by its color is lost, so the box must say what matters.
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
