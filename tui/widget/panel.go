package widget

import "strings"

// Panel is a frame with a title at the left and a note at the right of its upper
// edge. The zero Panel is a frame without a title.
type Panel struct {
	Title   string
	Note    string // figures or an operation
	Role    Role   // of the frame; RoleText depends on the focus
	Focused bool   // the content has the keyboard focus
}

// PanelInner returns the size of the content of a panel of w by h cells.
func PanelInner(w, h int) (int, int) { return max(w-2, 0), max(h-2, 0) }

// Render draws the panel in exactly w by h cells around styled content, which is
// cut and padded.
func (p Panel) Render(s *Styles, content string, w, h int) string {
	if w <= 0 || h <= 0 {
		return ""
	}
	if w < 2 || h < 2 {
		return strings.Join(fitBlock(content, w, h), "\n")
	}
	frame, title := p.roles()
	edge := s.Paint(frame, "│")
	lines := make([]string, 0, h)
	lines = append(lines, p.top(s, frame, title, w))
	for _, line := range fitBlock(content, w-2, h-2) {
		lines = append(lines, edge+line+edge)
	}
	for len(lines) < h-1 { // Two cells wide: no room for content.
		lines = append(lines, edge+edge)
	}
	lines = append(lines, s.Paint(frame, "╰"+strings.Repeat("─", w-2)+"╯"))
	return strings.Join(lines, "\n")
}

func (p Panel) roles() (frame, title Role) {
	switch {
	case p.Role != RoleText:
		return p.Role, p.Role
	case p.Focused:
		return RoleAccent, RoleTitle
	}
	return RoleBorder, RoleMuted
}

func (p Panel) top(s *Styles, frame, title Role, w int) string {
	return titledRule(s, "╭", "╮", p.Title, p.Note, frame, title, w)
}

func titledRule(s *Styles, from, to, title, note string, frame, titleRole Role, w int) string {
	room := w - 2
	title, titleWidth := cellText(title, max(room-2, 0))
	noteWidth := 0
	if note != "" {
		note, noteWidth = cellText(note, max(room-2, 0))
		if need := titleWidth + noteWidth + 5; need > room {
			note, noteWidth = "", 0
		}
	}
	var b strings.Builder
	b.WriteString(s.opening(frame, SurfacePlain) + from)
	if titleWidth > 0 {
		b.WriteString(closing(s, frame) + " " + s.Paint(titleRole, title) + " " + s.opening(frame, SurfacePlain))
		room -= titleWidth + 2
	}
	if noteWidth > 0 {
		room -= noteWidth + 3
	}
	b.WriteString(strings.Repeat("─", max(room, 0)))
	if noteWidth > 0 {
		b.WriteString(closing(s, frame) + " " + s.Paint(RoleMuted, note) + " " + s.opening(frame, SurfacePlain) + "─")
	}
	b.WriteString(to + closing(s, frame))
	return b.String()
}

func closing(s *Styles, r Role) string {
	if s.opening(r, SurfacePlain) == "" {
		return ""
	}
	return resetStyle
}

// Rule draws a horizontal line of w cells with a title, to divide a panel.
func Rule(s *Styles, title, note string, w int) string {
	if w < 2 {
		return strings.Repeat("─", max(w, 0))
	}
	return titledRule(s, "─", "─", title, note, RoleBorder, RoleMuted, w)
}

// Columns joins styled blocks of the same height side by side. The lines of each
// block must have one width, as the views of widgets do. A block with fewer lines than the
// first leaves a gap, so place blocks before.
func Columns(blocks ...string) string {
	var parts [][]string
	for _, block := range blocks {
		if block != "" {
			parts = append(parts, strings.Split(block, "\n"))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	lines := make([]string, len(parts[0]))
	for i := range lines {
		for _, part := range parts {
			if i < len(part) {
				lines[i] += part[i]
			}
		}
	}
	return strings.Join(lines, "\n")
}

// Rows stacks styled blocks and omits empty ones.
func Rows(blocks ...string) string {
	var parts []string
	for _, block := range blocks {
		if block != "" {
			parts = append(parts, block)
		}
	}
	return strings.Join(parts, "\n")
}

// Place cuts and pads a styled block to exactly w by h cells.
func Place(block string, w, h int) string { return strings.Join(fitBlock(block, w, h), "\n") }
