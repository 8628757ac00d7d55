// This file is the command palette: everything that can be opened or done, by
// fuzzy name.

package screens

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A Command is an entry of the palette.
type Command struct {
	Kind  string // "pattern", "screen", "action": what it is, before its title
	Title string
	Note  string // at the right edge: a key, an operation
	Words string // further words that find it
	Run   func() tea.Cmd
}

// A Palette is a box to find commands in.
type Palette struct {
	styles   *widget.Styles
	list     *widget.List
	commands []Command
	box      rect
}

// NewPalette returns a palette of commands, ready to type.
func NewPalette(s *widget.Styles, commands []Command) *Palette {
	p := &Palette{styles: s, list: widget.NewList(s), commands: commands}
	items := make([]widget.ListItem, len(commands))
	for i, c := range commands {
		items[i] = widget.ListItem{
			ID: itoa(i), Lead: c.Kind, Title: c.Title, Badge: c.Note, BadgeRole: widget.RoleFaint, Search: c.Words,
		}
	}
	p.list.SetRanked(true)
	p.list.SetPlaceholder("a pattern, a screen, an action")
	p.list.SetEmpty("nothing is called that")
	p.list.SetItems(items)
	p.list.StartTyping()
	return p
}

// SetStyles changes the theme.
func (p *Palette) SetStyles(s *widget.Styles) {
	p.styles = s
	p.list.SetStyles(s)
}

// Update types, moves, chooses or closes; done reports that the palette is to
// be taken away.
func (p *Palette) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	if press, ok := msg.(tea.KeyPressMsg); ok {
		switch press.String() {
		case "esc", "ctrl+p", "ctrl+c":
			return nil, true
		case "enter":
			return p.choose()
		case "ctrl+n":
			msg = tea.KeyPressMsg{Code: tea.KeyDown}
		case "tab", "shift+tab":
			return nil, false
		}
	}
	cmd, _ = p.list.Update(msg)
	return cmd, false
}

func (p *Palette) choose() (cmd tea.Cmd, done bool) {
	it, ok := p.list.Selected()
	if !ok {
		return nil, false
	}
	for i, c := range p.commands {
		if itoa(i) == it.ID {
			return c.Run(), true
		}
	}
	return nil, true
}

// Over draws the palette over a screen of w by h cells.
func (p *Palette) Over(background string, w, h int) string {
	bw, bh := min(w-4, 84), min(h-2, 24)
	p.box = rect{(w - bw) / 2, min(2, h-bh), bw, bh}
	iw, ih := widget.PanelInner(bw, bh)
	p.list.SetSize(iw, ih)
	box := widget.Panel{Title: "Go to", Note: "enter opens · esc closes", Focused: true}.Render(p.styles, p.list.View(), bw, bh)
	return widget.Overlay(widget.Dim(p.styles, background), box, p.box.x, p.box.y)
}

// Cursor is the terminal's cursor on the screen that Over drew.
func (p *Palette) Cursor() *tea.Cursor { return moved(p.list.Cursor(), p.box.x+1, p.box.y+1) }

// Wheel scrolls the list.
func (p *Palette) Wheel(up bool) { p.list.Wheel(up) }

// Click chooses the entry at x, y; outside it closes the palette.
func (p *Palette) Click(x, y int) (cmd tea.Cmd, done bool) {
	if !p.box.has(x, y) {
		return nil, true
	}
	if p.list.Click(x-p.box.x-1, y-p.box.y-1) {
		return p.choose()
	}
	return nil, false
}
