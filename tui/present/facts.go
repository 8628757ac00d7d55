package present

import (
	"strings"

	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Facts are lines of text beside labels. Lines may be changed between calls. Label and Width
// must be set before the first text.
type Facts struct {
	Styles *widget.Styles
	Label  int // width of the labels in cells
	Width  int // width of the lines in cells
	Lines  []string
}

func (f *Facts) room() int { return max(f.Width-f.Label, 8) }

// Text adds a text beside a label, wrapped to as many lines as needed. An empty text
// adds nothing.
func (f *Facts) Text(label string, role widget.Role, text string) {
	if text == "" {
		return
	}
	for _, line := range widget.Wrap(f.Styles, role, text, f.room()) {
		f.Styled(label, line)
		label = ""
	}
}

// Styled adds a styled line beside a label. The line is not cut: make it fit Width less Label.
func (f *Facts) Styled(label, line string) {
	f.Lines = append(f.Lines, f.Styles.PaintCell(widget.RoleMuted, widget.SurfacePlain, label, f.Label, widget.AlignLeft)+line)
}

// Paragraph adds a text over the whole width, without a label.
func (f *Facts) Paragraph(role widget.Role, text string) {
	f.Lines = append(f.Lines, widget.Wrap(f.Styles, role, text, f.Width)...)
}

// Blank adds an empty line.
func (f *Facts) Blank() { f.Lines = append(f.Lines, "") }

// String returns the lines as a block.
func (f *Facts) String() string { return strings.Join(f.Lines, "\n") }
