// Package palette is the box that finds screens, items, patterns and actions by name.
package palette

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Options configure a palette.
type Options struct {
	Title    string
	Hint     string // placeholder of the filter
	Empty    string // shown when nothing matches
	Commands []screen.Command
	Recent   []string // IDs of the commands that were chosen before, newest first
	// Offer makes commands of the typed text itself, such as decoding it. Nil offers none.
	Offer func(text string) Offers
	// Paste handles pasted text that is not a name, such as a whole item. Nil treats
	// every paste as typed text.
	Paste func(text string) tea.Cmd
	// Chosen is called with the command that was chosen, for the list of recent
	// ones. It may be nil.
	Chosen func(screen.Command)
	// Intro, if not nil, are lines of at most w cells above the list while nothing is typed.
	Intro func(w int) []string
	All   bool // also lists what is unavailable while nothing is typed
}

// Offers are commands of a typed text.
type Offers struct {
	First   []screen.Command // listed before all matches
	Last    []screen.Command // listed after those that match in words and are available
	Instead []screen.Command // listed when nothing matches
}

// A Palette is a box with a filter over a list of commands.
type Palette struct {
	o      Options
	styles *widget.Styles
	list   *widget.List
	index  index
	shown  []screen.Command // an entry's ID is its index here
	box    overlay.Rect
	intro  int // lines above the list
	behind background
}

// background is the dimmed screen behind the palette. Keys go to the palette, so it
// is drawn again only after other messages.
type background struct {
	fresh  bool
	w, h   int
	styles *widget.Styles
	view   string
}

// recentShown is the number of recent commands that are listed first while nothing
// is typed.
const recentShown = 5

// New returns a palette with the keyboard focus on its filter.
func New(s *widget.Styles, o Options) *Palette {
	p := &Palette{o: o, styles: s, list: widget.NewList(s), index: newIndex(o.Commands, o.Recent)}
	p.list.SetPlaceholder(o.Hint)
	p.list.SetEmpty(o.Empty)
	p.list.SetItems(p.entries(p.index.start(o.All)))
	p.list.SetFinder(func(text string) []widget.ListItem {
		p.shown = p.shown[:0]
		return p.entries(p.found(text))
	})
	p.list.StartTyping()
	return p
}

// Text returns what was typed.
func (p *Palette) Text() string { return p.list.Filter() }

// Typing reports whether keys are text of the filter.
func (p *Palette) Typing() bool { return p.list.Typing() }

func (p *Palette) found(text string) []entry {
	var offers Offers
	if p.o.Offer != nil {
		offers = p.o.Offer(text)
	}
	able, unable, fuzzy := p.index.find(text)
	switch {
	case fuzzy || len(able)+len(unable) == 0:
		offers.First, offers.Last = slices.Concat(offers.First, offers.Last, offers.Instead), nil
	}
	list := make([]entry, 0, len(offers.First)+len(able)+len(offers.Last)+len(unable))
	for _, c := range offers.First {
		list = append(list, entry{Command: c})
	}
	list = append(list, able...)
	for _, c := range offers.Last {
		list = append(list, entry{Command: c})
	}
	for _, e := range unable {
		e.heading = "Not available"
		list = append(list, e)
	}
	return list
}

func (p *Palette) entries(list []entry) []widget.ListItem {
	items := make([]widget.ListItem, len(list))
	for i, e := range list {
		items[i] = widget.ListItem{
			ID: strconv.Itoa(len(p.shown)), Section: e.heading, Lead: e.Kind, Title: e.Title, Badge: e.Note,
			BadgeRole: widget.RoleFaint, Matched: e.matched,
		}
		if e.Note == e.heading {
			items[i].Badge = "" // The heading shows it.
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

// Update types, moves, chooses or closes; done reports that the palette is closed.
func (p *Palette) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		if text := strings.TrimSpace(msg.Content); p.o.Paste != nil && (len(text) > present.LongestKey || strings.HasPrefix(text, "{")) {
			return p.o.Paste(text), true
		}
		p.list.StartTyping()
	case tea.KeyPressMsg:
		return p.press(msg)
	}
	cmd, _ = p.list.Update(msg)
	return cmd, false
}

func (p *Palette) press(msg tea.KeyPressMsg) (cmd tea.Cmd, done bool) {
	switch msg.String() {
	case "esc":
		return nil, true
	case "ctrl+p", "ctrl+c":
		return nil, true
	case "enter":
		return p.choose()
	case "ctrl+n":
		msg = tea.KeyPressMsg{Code: tea.KeyDown}
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
	case c.Run == nil: // It is about a key or a sign.
		return nil, false
	case c.Why != "":
		return screen.Send(screen.NoticeMsg{Text: c.Title + ": " + c.Why}), false
	}
	if p.o.Chosen != nil && c.ID != "" {
		p.o.Chosen(c)
	}
	return c.Run(), true
}

// Observe is called with every message of the program. After one that is not input,
// the screen behind the palette is drawn again. A nil palette ignores it.
func (p *Palette) Observe(msg tea.Msg) {
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg, tea.MouseMsg:
	default:
		if p != nil {
			p.behind.fresh = false
		}
	}
}

// Over draws the palette over a screen of w by h cells. It calls screen only if the
// view of the screen may have changed; see Observe.
func (p *Palette) Over(screen func() string, w, h int) string {
	if b := &p.behind; !b.fresh || b.w != w || b.h != h || b.styles != p.styles {
		*b = background{true, w, h, p.styles, widget.Dim(p.styles, screen())}
	}
	bw, bh := min(w-4, 110), min(h-2, 24)
	p.box = overlay.Rect{X: (w - bw) / 2, Y: min(2, h-bh), W: bw, H: bh}
	iw, ih := widget.PanelInner(bw, bh)
	var intro []string
	if p.o.Intro != nil && p.list.Filter() == "" {
		intro = p.o.Intro(iw)
	}
	intro = intro[:min(len(intro), max(ih-8, 0))]
	p.intro = len(intro)
	p.list.SetSize(iw, ih-1-p.intro)
	content := widget.Rows(p.list.View(), p.footer(iw))
	if p.intro > 0 {
		content = widget.Rows(widget.Place(strings.Join(intro, "\n"), iw, p.intro), content)
	}
	box := widget.Panel{Title: p.o.Title, Note: "type to filter · enter run · esc close", Focused: true}.Render(p.styles, content, bw, bh)
	return widget.Overlay(p.behind.view, box, p.box.X, p.box.Y)
}

func (p *Palette) footer(w int) string {
	why := ""
	if c, ok := p.selected(); ok && c.Why != "" {
		why = " ⊘ " + c.Why
	}
	return p.styles.PaintCell(widget.RoleWarn, widget.SurfacePlain, why, w, widget.AlignLeft)
}

// Theme returns the theme of the command under the cursor, nil if it has none. A nil palette has none.
func (p *Palette) Theme() *widget.Theme {
	if p == nil {
		return nil
	}
	c, _ := p.selected()
	return c.Theme
}

func (p *Palette) selected() (screen.Command, bool) {
	it, ok := p.list.Selected()
	i, err := strconv.Atoi(cmp.Or(it.ID, "-1"))
	if !ok || err != nil || i < 0 || i >= len(p.shown) {
		return screen.Command{}, false
	}
	return p.shown[i], true
}

// Cursor returns the terminal's cursor on the screen that Over drew.
func (p *Palette) Cursor() *tea.Cursor {
	return widget.MoveCursor(p.list.Cursor(), p.box.X+1, p.box.Y+1+p.intro)
}

// Wheel scrolls the list.
func (p *Palette) Wheel(up bool) { p.list.Wheel(up) }

// Click chooses the entry at x, y; a click outside closes the palette.
func (p *Palette) Click(x, y int) (cmd tea.Cmd, done bool) {
	if !p.box.Has(x, y) {
		return nil, true
	}
	if _, ok := p.list.Click(x-p.box.X-1, y-p.box.Y-1-p.intro); ok {
		return p.choose()
	}
	return nil, false
}

// RecentCommands returns the items that were opened and the queries that were run recently, newest first.
func RecentCommands(env *screen.Env, section string) []screen.Command {
	return models.Each(present.Recents(env), func(r *present.Recent) screen.Command {
		return screen.Command{
			Section: section, Kind: r.Kind, Title: r.Title, Note: present.Age(r.At, env.Now()), Words: "recent lately " + r.Words,
			Run: func() tea.Cmd { return screen.Open(r.To) },
		}
	})
}
