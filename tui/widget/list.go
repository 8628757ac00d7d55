// This file is a list to choose from: grouped, and narrowed by typing.

package widget

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"
)

// ListItem is an entry of a list.
type ListItem struct {
	ID        string // what the caller knows it by; not shown
	Section   string // heading it stands under; entries of one section follow each other
	Lead      string // a short word before the title, in a column of its own: "query"
	Count     string // before the title, in a column of its own, kept at the right: "12", "50+"
	Title     string
	Badge     string // at the right edge
	BadgeRole Role
	Search    string // further words that the filter finds it by; not shown
	Faint     bool   // it cannot be chosen now: the badge says why
	Matched   []int  // bytes of the title that a finder matched
}

// List is a column of entries under headings, with a cursor and a filter.
type List struct {
	styles  *Styles
	items   []ListItem // that can be shown; with a finder, what it found
	all     []ListItem
	finder  func(text string) []ListItem
	lines   []listLine
	win     window
	w, h    int
	focused bool
	ranked  bool
	typing  bool
	filter  input
	origin  string // what the cursor was on when the typing began
	hint    string // of the empty filter
	empty   string
	lead    int // width of the leads
	count   int // width of the counts
	find    key.Binding
	cancel  key.Binding
}

// listLine is an entry with the bytes of its title that matched, or a heading.
type listLine struct {
	item    int // -1 for a heading
	heading string
	matched []int
}

// NewList returns an empty list.
func NewList(s *Styles) *List {
	l := &List{
		styles: s, win: newWindow(), focused: true, filter: newInput(),
		empty: "nothing matches", hint: "type to filter",
		find:   key.NewBinding(key.WithKeys("/"), key.WithHelp("/", "filter")),
		cancel: key.NewBinding(key.WithKeys("esc"), key.WithHelp("esc", "clear filter")),
	}
	return l
}

// SetStyles changes the theme.
func (l *List) SetStyles(s *Styles) { l.styles = s }

// SetFocused tells whether keys go to the list.
func (l *List) SetFocused(on bool) {
	l.focused = on
	if !on {
		l.stopTyping()
	}
}

// SetRanked orders what the filter finds by how well it matches and leaves the
// headings out, as a palette does. Otherwise entries keep their places.
func (l *List) SetRanked(on bool) {
	l.ranked = on
	l.apply()
}

// SetFinder replaces the list's own matching: find returns what is shown for a
// text that was typed, best first and under its headings. The cursor goes to the
// first entry.
func (l *List) SetFinder(find func(text string) []ListItem) {
	l.finder = find
	l.apply()
}

// SetEmpty sets what is shown when there is nothing to choose from.
func (l *List) SetEmpty(text string) { l.empty = text }

// SetPlaceholder sets the text of the empty filter line.
func (l *List) SetPlaceholder(text string) { l.hint = text }

// SetSize sets the rectangle; its first line is the filter.
func (l *List) SetSize(w, h int) {
	l.w, l.h = max(w, 0), max(h, 0)
	l.sync(1)
}

// SetItems replaces the entries. The cursor stays on the entry with the same
// ID if there is one.
func (l *List) SetItems(items []ListItem) {
	old, had := l.Selected()
	l.all = items
	l.lead, l.count = 0, 0
	for _, it := range items {
		l.lead = max(l.lead, textWidth(it.Lead, 8))
		l.count = max(l.count, textWidth(it.Count, 8))
	}
	l.apply()
	if had {
		l.Select(old.ID)
	}
}

// Selected returns the entry under the cursor.
func (l *List) Selected() (ListItem, bool) {
	if l.win.cursor >= len(l.lines) || l.lines[l.win.cursor].item < 0 {
		return ListItem{}, false
	}
	return l.items[l.lines[l.win.cursor].item], true
}

// Select moves the cursor to an entry by ID.
func (l *List) Select(id string) bool {
	for i, line := range l.lines {
		if line.item >= 0 && l.items[line.item].ID == id {
			l.win.to(i)
			l.sync(1)
			return true
		}
	}
	return false
}

// Len returns the number of entries that the filter lets through.
func (l *List) Len() int {
	n := 0
	for _, line := range l.lines {
		if line.item >= 0 {
			n++
		}
	}
	return n
}

// Filter returns the text of the filter.
func (l *List) Filter() string { return l.filter.value() }

// SetFilter narrows the list to what matches text.
func (l *List) SetFilter(text string) {
	l.filter.set(text)
	l.narrow()
}

// narrow applies the filter. One that is taken away leaves the cursor on what was
// found with it, or if that was nothing, where it was before.
func (l *List) narrow() {
	at, found := l.Selected()
	l.apply()
	switch {
	case l.ranked, l.finder != nil, l.filter.value() != "":
	case found:
		l.Select(at.ID)
	default:
		l.Select(l.origin)
	}
}

// Typing reports whether printable keys go to the filter.
func (l *List) Typing() bool { return l.typing }

// StartTyping lets keys go to the filter, as "/" does. It starts anew: what was
// looked for before is rarely what is looked for next.
func (l *List) StartTyping() {
	l.SetFilter("")
	if at, ok := l.Selected(); ok {
		l.origin = at.ID
	}
	l.typing = true
	l.filter.focus()
	l.filter.edit.CursorEnd()
}

func (l *List) stopTyping() {
	l.typing = false
	l.filter.blur()
}

// apply makes the lines from the entries and the filter. What was found with a
// filter is still under the cursor without it, but in a palette, which begins anew.
func (l *List) apply() {
	found, ok := l.Selected()
	l.lines = l.lines[:0]
	l.items = l.all
	switch pattern := strings.TrimSpace(l.filter.value()); {
	case pattern == "":
		l.group(nil)
		if ok && !l.ranked && l.finder == nil {
			l.sync(1)
			l.Select(found.ID)
		}
	case l.finder != nil:
		l.items = l.finder(pattern)
		l.group(nil)
		l.win.cursor, l.win.top = 0, 0
	default:
		l.match(pattern)
	}
	l.sync(1)
}

// match narrows to what the pattern finds; the cursor goes to the best match.
func (l *List) match(pattern string) {
	texts := make([]string, len(l.items))
	for i, it := range l.items {
		texts[i] = it.Title + " " + it.Lead + " " + it.Section + " " + it.Search
	}
	found := literal(fuzzy.Find(pattern, texts), pattern)
	if l.ranked {
		for _, m := range found {
			l.lines = append(l.lines, listLine{item: m.Index, matched: m.MatchedIndexes})
		}
		l.win.cursor = 0
		return
	}
	matched := make(map[int][]int, len(found))
	for _, m := range found {
		matched[m.Index] = m.MatchedIndexes
	}
	l.group(matched)
	if len(found) > 0 {
		l.win.cursor = slices.IndexFunc(l.lines, func(line listLine) bool { return line.item == found[0].Index })
	}
}

// literal keeps only what holds the pattern as it was typed, when anything does:
// "user" should not find "stat(us) qu(er)y".
func literal(found fuzzy.Matches, pattern string) fuzzy.Matches {
	pattern = strings.ToLower(pattern)
	var exact fuzzy.Matches
	for _, m := range found {
		at := strings.Index(strings.ToLower(m.Str), pattern)
		if at < 0 {
			continue
		}
		m.MatchedIndexes = m.MatchedIndexes[:0]
		for i := range len(pattern) {
			m.MatchedIndexes = append(m.MatchedIndexes, at+i)
		}
		exact = append(exact, m)
	}
	if len(exact) > 0 {
		return exact
	}
	return found
}

// group lists entries under their headings: all, or those in matched.
func (l *List) group(matched map[int][]int) {
	section := ""
	for i, it := range l.items {
		at, ok := matched[i]
		if matched != nil && !ok {
			continue
		}
		if it.Section != section {
			section = it.Section
			if section != "" {
				l.lines = append(l.lines, listLine{item: -1, heading: section})
			}
		}
		if matched == nil {
			at = it.Matched
		}
		l.lines = append(l.lines, listLine{item: i, matched: at})
	}
}

// sync keeps the cursor on an entry.
func (l *List) sync(direction int) {
	l.win.resize(len(l.lines), l.h-1)
	l.win.cursor = skipHeadings(l.win.cursor, direction, len(l.lines), func(i int) bool { return l.lines[i].item < 0 })
	l.win.resize(len(l.lines), l.h-1)
	if l.win.cursor == 1 && l.win.top == 1 && l.win.height > 1 {
		l.win.top = 0 // The first heading comes back with its first entry.
	}
}

// Update handles moving and the filter. The returned command is the filter's.
// Enter is left to the caller unless it ends the typing; esc clears a filter
// first.
func (l *List) Update(msg tea.Msg) (tea.Cmd, bool) {
	before := l.win.cursor
	if l.typing {
		if cmd, used := l.updateFilter(msg); used || cmd != nil {
			return cmd, used
		}
	} else if press, ok := msg.(tea.KeyPressMsg); ok {
		switch {
		case key.Matches(press, l.find):
			l.StartTyping()
			return nil, true
		case key.Matches(press, l.cancel) && l.filter.value() != "":
			l.SetFilter("")
			return nil, true
		}
	}
	used := l.win.update(msg)
	if used {
		l.sync(direction(before, l.win.cursor))
	}
	return nil, used
}

// updateFilter handles keys while typing; it leaves moving to the list.
func (l *List) updateFilter(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		switch msg.String() {
		case "up", "down", "pgup", "pgdown":
			return nil, false
		case "enter":
			l.stopTyping()
			return nil, !l.ranked // In a palette enter chooses at once.
		case "esc":
			l.stopTyping()
			l.SetFilter("")
			return nil, !l.ranked // A palette is closed by its owner.
		case "tab", "shift+tab", "ctrl+c":
			l.stopTyping()
			return nil, false
		}
	case tea.PasteMsg:
	default:
		// The answer to the input's own commands, such as ctrl+v.
		return l.feed(msg), false
	}
	return l.feed(msg), true
}

// feed gives a message to the filter's input.
func (l *List) feed(msg tea.Msg) tea.Cmd {
	cmd, changed := l.filter.update(msg)
	if changed {
		l.narrow()
	}
	return cmd
}

// Wheel scrolls by one notch of the wheel, as a MouseWheelMsg does.
func (l *List) Wheel(up bool) { l.Update(wheelMsg(up)) }

// Click moves the cursor to the entry at y; the first line starts the filter.
// It reports whether an entry was hit.
func (l *List) Click(_, y int) bool {
	if y == 0 {
		l.StartTyping()
		return false
	}
	line := l.win.top + y - 1
	if y < 0 || y > l.win.height || line >= len(l.lines) || l.lines[line].item < 0 {
		return false
	}
	l.stopTyping()
	l.win.to(line)
	return true
}

// Cursor is the terminal's cursor relative to the list, nil when not typing.
func (l *List) Cursor() *tea.Cursor {
	if !l.typing || !l.focused || l.w <= 4 || l.h <= 0 {
		return nil
	}
	_, x := l.filter.render(l.styles, SurfacePlain, "", "", l.w-4)
	return caret(x+3, 0)
}
