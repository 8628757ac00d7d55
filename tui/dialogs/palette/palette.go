// Package palette contains the dialog in which the user finds screens, items, patterns and actions by name.
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
	Hint     string // placeholder of the input
	Empty    string // shown if nothing matches
	Commands []screen.Command
	Recent   []string // IDs of recently chosen commands, newest first
	// Offer returns commands for the typed text itself, such as a command that decodes it. A nil Offer returns none.
	Offer func(text string) Offers
	// Paste handles pasted text that is not a name, such as a whole item. A nil Paste inserts the text.
	Paste func(text string) tea.Cmd
	// Chosen receives the chosen command, for the list of recent commands; may be nil.
	Chosen func(screen.Command)
	// Intro returns lines of at most w cells to show above the list while the input is empty; may be nil.
	Intro func(s *widget.Styles, w int) []string
	All   bool // lists unavailable commands too while the input is empty
}

// Offers contains commands for a typed text.
type Offers struct {
	First    []screen.Command // listed before all matches
	Last     []screen.Command // listed after the available commands whose words match
	Fallback []screen.Command // listed if nothing matches
}

// A Palette lets the user choose a command.
type Palette struct {
	overlay.Picker
	o     Options
	index index
	shown []screen.Command // the index is the ID of the entry
}

// recentShown is the maximum number of recent commands at the top of the list while the input is empty.
const recentShown = 5

// New returns a palette with the keyboard focus on its filter.
func New(s *widget.Styles, o Options) *Palette {
	p := &Palette{o: o, index: newIndex(o.Commands, o.Recent)}
	p.Picker = overlay.Picker{
		Title: o.Title, Note: "type to filter · enter run · esc close", List: widget.NewList(s), MaxWidth: 110, MaxHeight: 20, Top: 2,
		Choose: func(string, string, bool) (tea.Cmd, bool) { return p.choose() }, Above: o.Intro, Below: p.reasonLines, BelowLines: 1,
	}
	p.List.SetPlaceholder(o.Hint)
	p.List.SetEmpty(o.Empty)
	p.List.SetItems(p.listItems(p.index.initialEntries(o.All)))
	p.List.SetFinder(func(text string) []widget.ListItem {
		p.shown = p.shown[:0]
		return p.listItems(p.matchingEntries(text))
	})
	p.List.StartTyping()
	return p
}

func (p *Palette) matchingEntries(text string) []entry {
	var offers Offers
	if p.o.Offer != nil {
		offers = p.o.Offer(text)
	}
	enabled, disabled, fuzzy := p.index.find(text)
	switch {
	case fuzzy || len(enabled)+len(disabled) == 0:
		offers.First, offers.Last = slices.Concat(offers.First, offers.Last, offers.Fallback), nil
	}
	list := make([]entry, 0, len(offers.First)+len(enabled)+len(offers.Last)+len(disabled))
	for _, c := range offers.First {
		list = append(list, entry{Command: c})
	}
	list = append(list, enabled...)
	for _, c := range offers.Last {
		list = append(list, entry{Command: c})
	}
	for i, e := range disabled {
		// The screen and the schema may both offer a change.
		if !slices.ContainsFunc(disabled[:i], func(other entry) bool { return other.Kind == e.Kind && other.Title == e.Title }) {
			e.heading = "Not available"
			list = append(list, e)
		}
	}
	return list
}

func (p *Palette) listItems(list []entry) []widget.ListItem {
	items := make([]widget.ListItem, len(list))
	for i, e := range list {
		items[i] = widget.ListItem{
			ID: strconv.Itoa(len(p.shown)), Section: e.heading, Lead: e.Kind, Title: e.Title, Badge: e.Note,
			BadgeRole: widget.RoleFaint, Matched: e.matched,
		}
		if e.Note == e.heading {
			items[i].Badge = "" // The heading shows the reason.
		}
		if e.Why != "" {
			items[i].Badge, items[i].BadgeRole, items[i].Faint = "⊘ "+e.Why, widget.RoleMuted, true
		}
		p.shown = append(p.shown, e.Command)
	}
	return items
}

// Update edits the input, moves the cursor, chooses a command or closes the palette. done reports whether it closed.
func (p *Palette) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		if text := strings.TrimSpace(msg.Content); p.o.Paste != nil && (len(text) > present.MaxKeyLength || strings.HasPrefix(text, "{")) {
			return p.o.Paste(text), true
		}
		p.List.StartTyping()
	case tea.KeyPressMsg:
		switch msg.String() {
		case "esc", "ctrl+p", "ctrl+c":
			return nil, true
		case "ctrl+n":
			return p.Picker.Update(tea.KeyPressMsg{Code: tea.KeyDown})
		}
	}
	return p.Picker.Update(msg)
}

func (p *Palette) choose() (cmd tea.Cmd, done bool) {
	c, ok := p.selected()
	switch {
	case !ok:
		return nil, false
	case c.Run == nil: // The entry explains a key or a sign.
		return nil, false
	case c.Why != "":
		return screen.Send(screen.NoticeMsg{Text: c.Title + ": " + c.Why}), false
	}
	if p.o.Chosen != nil && c.ID != "" {
		p.o.Chosen(c)
	}
	return c.Run(), true
}

func (p *Palette) reasonLines(s *widget.Styles, w int) []string {
	if c, ok := p.selected(); ok && c.Why != "" {
		return []string{s.PaintCell(widget.RoleWarn, widget.SurfacePlain, " ⊘ "+c.Why, w, widget.AlignLeft)}
	}
	return nil
}

// Theme returns the theme of the command under the cursor, or nil. It accepts a nil palette.
func (p *Palette) Theme() *widget.Theme {
	if p == nil {
		return nil
	}
	c, _ := p.selected()
	return c.Theme
}

func (p *Palette) selected() (screen.Command, bool) {
	it, ok := p.List.Selected()
	i, err := strconv.Atoi(cmp.Or(it.ID, "-1"))
	if !ok || err != nil || i < 0 || i >= len(p.shown) {
		return screen.Command{}, false
	}
	return p.shown[i], true
}

// RecentCommands returns commands for the recently opened items and queries, newest first.
func RecentCommands(env *screen.Env, section string) []screen.Command {
	return models.MapSlice(present.Recents(env), func(r *present.Recent) screen.Command {
		return screen.Command{
			Section: section, Kind: r.Kind, Title: r.Title, Note: present.Age(r.At, env.Now()), Words: "recent lately " + r.Words,
			Run: func() tea.Cmd { return screen.Open(r.To) },
		}
	})
}
