package overlay

import (
	"cmp"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A Hinter determines the key hints in the bottom line, for example while the user types text.
type Hinter interface {
	Hints() widget.Actions
}

// A Sheet is a box of text over a screen. Esc, enter and the key that opened it close it; y copies its text, if Copy is
// set.
type Sheet struct {
	NoInput
	Title, Note string
	Key         string // key that opened the sheet, and closes it
	Copy        string // plain text for the clipboard, or ""
	What        string // name of the copied text in the notice
	Foot        string // key hints; "" for the default hints

	lines  func(s *widget.Styles, w int) []string
	pager  *widget.Pager
	styles *widget.Styles
	box    Rect
}

// Rect is a rectangle of cells.
type Rect = widget.Rect

// NewSheet returns a sheet. lines returns its styled lines for a width; the sheet calls it only when the width or the
// theme changes.
func NewSheet(s *widget.Styles, title string, lines func(s *widget.Styles, w int) []string) *Sheet {
	return &Sheet{Title: title, lines: lines, pager: widget.NewPager(s), styles: s}
}

// Redraw makes the next frame call lines again.
func (h *Sheet) Redraw() { h.pager.Invalidate() }

// Reset makes the next frame call lines again, and scrolls to the top.
func (h *Sheet) Reset() {
	h.pager.Invalidate()
	h.pager.ScrollTo(0)
}

// SetStyles sets the theme.
func (h *Sheet) SetStyles(s *widget.Styles) {
	h.styles = s
	h.pager.SetStyles(s)
}

// Update scrolls, copies or closes. done reports whether the host must close the sheet.
func (h *Sheet) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		h.pager.Update(msg)
		return nil, false
	}
	switch key := press.String(); {
	case key == "esc" || key == "enter" || key == h.Key:
		return nil, true
	case key == "y" && h.Copy != "":
		return screen.Send(screen.CopyMsg{Text: h.Copy, What: h.What}), false
	default:
		h.pager.Update(msg)
		return nil, false
	}
}

// AcceptsKey reports whether the sheet uses a printable key.
func (h *Sheet) AcceptsKey(key string) bool {
	return key == h.Key || strings.Contains("yjkgG", key) || key == "space"
}

func (h *Sheet) footerLine(w int) string {
	footer := cmp.Or(h.Foot, "esc close")
	if h.Copy != "" {
		footer = "y copy · " + footer
	}
	if !h.pager.AtEnd() {
		footer = "↓ more · " + footer
	}
	return h.styles.PaintCell(widget.RoleFaint, widget.SurfacePlain, footer+" ", w, widget.AlignRight)
}

// Over draws the sheet over the middle of a screen of w by h cells.
func (h *Sheet) Over(_ *widget.Styles, background string, w, sh int) string {
	bw := min(w-4, 104)
	iw, _ := widget.PanelInner(bw, 3)
	h.pager.Make(nil, iw-2, func(w int) []string { return h.lines(h.styles, max(w-2, 1)) })
	bh := max(min(h.pager.Len()+4, sh-2), min(sh, 6))
	h.box = widget.Centered(w, sh, bw, bh)
	h.pager.SetSize(iw-2, bh-4)
	content := widget.Rows(widget.BlankLine(iw), widget.Indent(h.pager.View(), iw, bh-4), h.footerLine(iw))
	box := widget.Panel{Title: h.Title, Note: h.Note, Focused: true}.Render(h.styles, content, bw, bh)
	return widget.Overlay(widget.Dim(h.styles, background), box, h.box.X, h.box.Y)
}

// Wheel scrolls the text.
func (h *Sheet) Wheel(up bool) { h.pager.Wheel(up) }

// Click closes the sheet if x, y is outside of it.
func (h *Sheet) Click(x, y int) (cmd tea.Cmd, done bool) { return nil, !h.box.Has(x, y) }

// GuideLines returns a screen's introduction: its purpose and the first step.
func GuideLines(s *widget.Styles, guide screen.Guide, purpose widget.Role, w int) []string {
	return append(widget.Wrap(s, purpose, guide.Purpose, w), widget.Wrap(s, widget.RoleInfo, "First: "+guide.First, w)...)
}
