package overlay

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A Picker is a box with a list that the user filters by typing, and a description of the entry under the cursor.
type Picker struct {
	Title     string
	Note      string
	List      *widget.List
	MaxWidth  int // maximum width of the box in cells
	MaxHeight int // maximum height of the list in lines
	Top       int // line of the top edge, 0 to center the box

	// Choose receives the entry under the cursor, or the typed text with found false if no entry matches.
	Choose func(id, typed string, found bool) (cmd tea.Cmd, done bool)
	// Key handles keys before the list does, and Paste handles pasted text; both may be nil. used is false for keys
	// that the list must handle.
	Key   func(press tea.KeyPressMsg) (cmd tea.Cmd, used bool)
	Paste func(text string) (cmd tea.Cmd, done bool)
	// Leave handles esc; may be nil.
	Leave func() tea.Cmd

	// Above returns lines to show until the user types; may be nil.
	Above      func(s *widget.Styles, w int) []string
	Below      func(s *widget.Styles, w int) []string // describes the entry under the cursor
	BelowLines int                                    // height of Below, 0 without Below

	box         Rect
	aboveHeight int // height of Above
}

// Update filters the list, moves the cursor, chooses an entry or closes the box.
func (p *Picker) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		if text := strings.TrimSpace(msg.Content); p.Paste != nil && text != "" {
			return p.Paste(text)
		}
	case tea.KeyPressMsg:
		if p.Key != nil {
			if cmd, used := p.Key(msg); used {
				return cmd, false
			}
		}
		switch msg.String() {
		case "enter":
			return p.choose()
		case "tab", "shift+tab":
			return nil, false
		case "esc":
			if p.List.Filter() == "" {
				return p.leaveCmd(), true
			}
		}
	}
	cmd, _ = p.List.Update(msg)
	return cmd, false
}

func (p *Picker) leaveCmd() tea.Cmd {
	if p.Leave == nil {
		return nil
	}
	return p.Leave()
}

func (p *Picker) choose() (cmd tea.Cmd, done bool) {
	it, found := p.List.Selected()
	return p.Choose(it.ID, strings.TrimSpace(p.List.Filter()), found)
}

// Over draws the box over a screen of w by h cells.
func (p *Picker) Over(s *widget.Styles, background string, w, h int) string {
	belowHeight := p.BelowLines
	if p.hasDescription() {
		belowHeight++ // rule above Below
	}
	p.box = widget.Centered(w, h, min(w-4, p.MaxWidth), min(max(p.MaxHeight, 2)+belowHeight+3, h-2))
	if p.Top > 0 {
		p.box.Y = min(p.Top, h-p.box.H)
	}
	iw, ih := widget.PanelInner(p.box.W, p.box.H)
	var above []string
	if p.Above != nil && p.List.Filter() == "" {
		above = p.Above(s, iw)
	}
	p.aboveHeight = min(len(above), max(ih-minListHeight, 0))
	p.List.SetSize(iw, max(ih-belowHeight-p.aboveHeight, 3))
	content := widget.Rows(widget.Place(strings.Join(above, "\n"), iw, p.aboveHeight), p.List.View())
	if p.hasDescription() {
		content = widget.Rows(content, widget.Rule(s, "", "", iw))
	}
	if belowHeight > 0 {
		content = widget.Rows(content, widget.Place(strings.Join(p.Below(s, iw-2), "\n"), iw, p.BelowLines))
	}
	box := widget.Panel{Title: p.Title, Note: p.Note, Focused: true}.Render(s, content, p.box.W, p.box.H)
	return widget.Overlay(widget.Dim(s, background), box, p.box.X, p.box.Y)
}

// minListHeight is the minimum number of lines for the list and the lines below it.
const minListHeight = 8

func (p *Picker) hasDescription() bool { return p.BelowLines > 1 }

// Typing returns true, because letters filter the list.
func (p *Picker) Typing() bool { return true }

// Cursor returns the terminal cursor in the filter.
func (p *Picker) Cursor() *tea.Cursor {
	return widget.MoveCursor(p.List.Cursor(), p.box.X+1, p.box.Y+1+p.aboveHeight)
}

// SetStyles sets the theme.
func (p *Picker) SetStyles(s *widget.Styles) { p.List.SetStyles(s) }

// Wheel scrolls the list.
func (p *Picker) Wheel(up bool) { p.List.Wheel(up) }

// Click chooses an entry, or first selects it if entries have descriptions. A click outside closes the box.
func (p *Picker) Click(x, y int) (cmd tea.Cmd, done bool) {
	if !p.box.Has(x, y) {
		return p.leaveCmd(), true
	}
	if second, ok := p.List.Click(x-p.box.X-1, y-p.box.Y-1-p.aboveHeight); second || ok && !p.hasDescription() {
		return p.choose()
	}
	return nil, false
}
