// Package palette is the list that finds every screen, pattern and action by name.
package palette

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Options are what a palette is made of.
type Options struct {
	Title, Hint, Empty string
	Commands           []screen.Command
	// Lately are the IDs of what was chosen before, newest first.
	Lately []string
	// Offer makes commands of the text itself, such as to decode it: those that
	// are shown before everything that is found, and those for a text that finds
	// nothing.
	Offer func(text string) (first, last []screen.Command)
	// Paste takes text that is no name of anything, such as a whole item. Nil
	// takes it as typed.
	Paste func(text string) tea.Cmd
	// Chosen is told what was chosen.
	Chosen func(screen.Command)
	// Still leaves letters to moving until "/" is pressed.
	Still bool
	Large bool // nearly the whole screen
	At    int  // the command under the cursor at first
}

// A Palette is a box to find commands in.
type Palette struct {
	o      Options
	styles *widget.Styles
	list   *widget.List
	index  paletteIndex
	shown  []screen.Command // by the ID of their entries
	box    overlay.Rect
	behind behind
}

// behind is the dimmed screen behind a palette. It is drawn again when the screen
// may have changed, and not at every key: those are the palette's.
type behind struct {
	fresh  bool
	w, h   int
	styles *widget.Styles
	view   string
}

// latelyShown is how many commands that were used lately stand first while
// nothing is typed.
const latelyShown = 5

// New returns a palette, ready to type unless it is still.
func New(s *widget.Styles, o Options) *Palette {
	p := &Palette{o: o, styles: s, list: widget.NewList(s), index: newPaletteIndex(o.Commands, o.Lately)}
	p.list.SetRanked(true)
	p.list.SetPlaceholder(o.Hint)
	p.list.SetEmpty(o.Empty)
	p.list.SetItems(p.entries(p.index.Start()))
	p.list.SetFinder(func(text string) []widget.ListItem {
		p.shown = p.shown[:0]
		return p.entries(p.found(text))
	})
	p.list.Select(strconv.Itoa(o.At))
	if !o.Still {
		p.list.StartTyping()
	}
	return p
}

// found is what a text finds: its own offers, what can be done, what cannot.
func (p *Palette) found(text string) []entry {
	var first, last []screen.Command
	if p.o.Offer != nil {
		first, last = p.o.Offer(text)
	}
	list := make([]entry, 0, len(first)+len(last))
	for _, c := range first {
		list = append(list, entry{Command: c})
	}
	able, unable := p.index.Find(text)
	list = append(list, able...)
	if len(list)+len(unable) == 0 {
		for _, c := range last {
			list = append(list, entry{Command: c})
		}
	}
	for _, e := range unable {
		e.heading = "Not now"
		list = append(list, e)
	}
	return list
}

// entries are commands as the list shows them.
func (p *Palette) entries(list []entry) []widget.ListItem {
	items := make([]widget.ListItem, len(list))
	for i, e := range list {
		items[i] = widget.ListItem{
			ID: strconv.Itoa(len(p.shown)), Section: e.heading, Lead: e.Kind, Title: e.Title, Badge: e.Note,
			BadgeRole: widget.RoleFaint, Matched: e.matched,
		}
		if e.Note == e.heading {
			items[i].Badge = "" // The heading says it.
		}
		if e.Why != "" {
			items[i].Badge, items[i].BadgeRole, items[i].Faint = "⊘ "+e.Why, widget.RoleMuted, true
		}
		p.shown = append(p.shown, e.Command)
	}
	return items
}

// SetStyles changes the theme.
func (p *Palette) SetStyles(s *widget.Styles) {
	p.styles = s
	p.list.SetStyles(s)
}

// Update types, moves, chooses or closes; done reports that the palette is to
// be taken away.
func (p *Palette) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		if text := strings.TrimSpace(msg.Content); p.o.Paste != nil && (len(text) > longestName || strings.HasPrefix(text, "{")) {
			return p.o.Paste(text), true
		}
		p.list.StartTyping()
	case tea.KeyPressMsg:
		return p.press(msg)
	}
	cmd, _ = p.list.Update(msg)
	return cmd, false
}

// longestName is the longest text in bytes that may be the name of something, or
// a key.
const longestName = present.LongestKey

func (p *Palette) press(msg tea.KeyPressMsg) (cmd tea.Cmd, done bool) {
	switch msg.String() {
	case "esc":
		if p.o.Still && p.list.Filter() != "" {
			p.list.SetFilter("")
			return nil, false
		}
		return nil, true
	case "ctrl+p", "ctrl+c":
		return nil, true
	case "enter":
		return p.choose()
	case "ctrl+n":
		msg = tea.KeyPressMsg{Code: tea.KeyDown}
	case "q":
		if !p.list.Typing() {
			return nil, true
		}
	case "tab", "shift+tab":
		return nil, false
	}
	cmd, _ = p.list.Update(msg)
	return cmd, false
}

func (p *Palette) choose() (cmd tea.Cmd, done bool) {
	c, ok := p.selected()
	switch {
	case !ok:
		return nil, false
	case c.Why != "":
		return screen.Send(screen.NoticeMsg{Text: c.Title + ": " + c.Why}), false
	}
	if p.o.Chosen != nil && c.ID != "" {
		p.o.Chosen(c)
	}
	return c.Run(), true
}

// Told notes a message to the program: one that is not for the palette may change
// what is behind it. A nil palette takes no notice.
func (p *Palette) Told(msg tea.Msg) {
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg, tea.MouseMsg:
	default:
		if p != nil {
			p.behind.fresh = false
		}
	}
}

// OverLive draws the palette over a screen of w by h cells, which is asked for
// its view only when that may have changed.
func (p *Palette) OverLive(screen func() string, w, h int) string {
	b := &p.behind
	if !b.fresh || b.w != w || b.h != h || b.styles != p.styles {
		*b = behind{true, w, h, p.styles, widget.Dim(p.styles, screen())}
	}
	return p.draw(b.view, w, h)
}

// Over draws the palette over a screen of w by h cells.
func (p *Palette) Over(background string, w, h int) string {
	return p.draw(widget.Dim(p.styles, background), w, h)
}

func (p *Palette) draw(dimmed string, w, h int) string {
	bw, bh := min(w-4, 84), min(h-2, 24)
	if p.o.Large {
		bw, bh = min(w-4, 120), min(h-2, 36)
	}
	p.box = overlay.Rect{X: (w - bw) / 2, Y: min(2, h-bh), W: bw, H: bh}
	iw, ih := widget.PanelInner(bw, bh)
	p.list.SetSize(iw, ih-1)
	content := widget.Rows(p.list.View(), p.footer(iw))
	box := widget.Panel{Title: p.o.Title, Note: "enter opens · esc closes", Focused: true}.Render(p.styles, content, bw, bh)
	return widget.Overlay(dimmed, box, p.box.X, p.box.Y)
}

// footer says in full why the command under the cursor cannot be done. Its line is
// always there.
func (p *Palette) footer(w int) string {
	why := ""
	if c, ok := p.selected(); ok && c.Why != "" {
		why = " ⊘ " + c.Why
	}
	return p.styles.PaintCell(widget.RoleWarn, widget.SurfacePlain, why, w, widget.AlignLeft)
}

// selected is the command under the cursor.
func (p *Palette) selected() (screen.Command, bool) {
	it, ok := p.list.Selected()
	if !ok {
		return screen.Command{}, false
	}
	for i, c := range p.shown {
		if strconv.Itoa(i) == it.ID {
			return c, true
		}
	}
	return screen.Command{}, false
}

// Cursor is the terminal's cursor on the screen that Over drew.
func (p *Palette) Cursor() *tea.Cursor {
	return widget.MoveCursor(p.list.Cursor(), p.box.X+1, p.box.Y+1)
}

// Wheel scrolls the list.
func (p *Palette) Wheel(up bool) { p.list.Wheel(up) }

// Click chooses the entry at x, y; outside it closes the palette.
func (p *Palette) Click(x, y int) (cmd tea.Cmd, done bool) {
	if !p.box.Has(x, y) {
		return nil, true
	}
	if _, ok := p.list.Click(x-p.box.X-1, y-p.box.Y-1); ok {
		return p.choose()
	}
	return nil, false
}
