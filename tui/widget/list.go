package widget

import (
	"slices"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/sahilm/fuzzy"

	"github.com/ddbdesk/ddbdesk/models"
)

// A ListItem is an entry of a list.
type ListItem struct {
	ID        string // identifies the entry to the caller; invisible
	Section   string // heading above the entry; the entries of a section must be consecutive
	Lead      string // short word in a column before the title: "query"
	Count     string // right-aligned text in a column before the title: "12", "50+"
	Title     string
	Badge     string // text at the right edge, or in a column
	BadgeRole Role
	Search    string // additional text to filter by; invisible
	Faint     bool   // the entry is unavailable, and the badge explains why
	Matched   []int  // byte positions in the title that a finder matched
}

// A List is a column of entries under headings, with a cursor and a filter.
type List struct {
	BadgeColumn bool // the badges are in a column after the longest title, as far as they fit

	scroller
	height       int        // includes the filter line
	items        []ListItem // available entries, or the results of the finder
	all          []ListItem
	finder       func(text string) []ListItem
	lines        []listLine
	filterHidden bool // the list has no filter
	filter       *SearchInput
	origin       string // ID under the cursor before the user started typing
	hint         string // placeholder of the filter
	empty        string
	leadWidth    int // width of the column of leads of the shown entries in cells
	countWidth   int // width of the column of counts in cells
	titleWidth   int // width of the longest title in cells
	allLines     int // number of lines without a filter text
}

// maxLead is the maximum width, in cells, of the column of leads. It fits the title of an entity.
const maxLead = 18

// A listLine is a heading, or an entry with the matched bytes of its title.
type listLine struct {
	item    int // -1 for a heading
	heading string
	matched []int
}

// NewList returns an empty list.
func NewList(s *Styles) *List {
	l := &List{scroller: newScroller(s), filter: NewSearchInput(), empty: "No matches", hint: "type to filter"}
	l.source = listLines{l}
	return l
}

// SetFocused sets whether the list has the keyboard focus.
func (l *List) SetFocused(on bool) {
	l.focused = on
	if !on {
		l.StopTyping()
	}
}

// SetStill lets the wheel scroll without moving the cursor. It suits a list beside the details of the selected entry:
// the details stay while the user looks around. The next navigation key starts from the cursor.
func (l *List) SetStill(on bool) { l.win.keepsCursor = on }

// SetFinder replaces the list's own matching. find returns the entries for a text, best first within each heading; the
// cursor moves to the first one. The list calls find whenever the text or the entries change, so it must not block.
func (l *List) SetFinder(find func(text string) []ListItem) {
	l.finder = find
	l.applyFilter()
}

// SetEmpty sets the text to show if there are no entries.
func (l *List) SetEmpty(text string) { l.empty = text }

// SetPlaceholder sets the placeholder of the filter line.
func (l *List) SetPlaceholder(text string) { l.hint = text }

// NaturalHeight returns the height at which every entry is visible without a filter text.
func (l *List) NaturalHeight() int { return l.filterHeight() + max(l.allLines, 1) }

// SetSize sets the size, including the filter on the first line.
func (l *List) SetSize(w, h int) {
	l.height = max(h, 0)
	l.scroller.SetSize(w, h-l.filterHeight())
}

// HideFilter removes the filter; letters then select the next entry that begins with them. Call it before SetSize,
// because the filter occupies a line.
func (l *List) HideFilter() { l.filterHidden = true }

func (l *List) filterHeight() int {
	if l.filterHidden {
		return 0
	}
	return 1
}

// SetItems replaces the entries and applies the filter. The cursor stays on the entry with the same ID if there is one.
// The list retains the slice, so the caller must not change it.
func (l *List) SetItems(items []ListItem) {
	old, existed := l.Selected()
	l.all = items
	l.countWidth, l.titleWidth = 0, 0
	for _, it := range items {
		l.countWidth, l.titleWidth = max(l.countWidth, textWidth(it.Count, 8)), max(l.titleWidth, ansi.StringWidth(it.Title))
	}
	l.applyFilter()
	if existed {
		l.Select(old.ID)
	}
}

// Selected returns the entry under the cursor, or false if there are no entries.
func (l *List) Selected() (ListItem, bool) {
	line, ok := l.current()
	if !ok {
		return ListItem{}, false
	}
	return l.items[l.lines[line].item], true
}

// Select moves the cursor to the entry with an ID. If the entry does not exist or the filter hides it, Select returns
// false and the cursor stays.
func (l *List) Select(id string) bool {
	at := slices.IndexFunc(l.lines, func(line listLine) bool { return line.item >= 0 && l.items[line.item].ID == id })
	if at >= 0 {
		l.moveTo(at)
	}
	return at >= 0
}

// Len returns the number of entries that match the filter.
func (l *List) Len() int {
	n := 0
	for _, line := range l.lines {
		if line.item >= 0 {
			n++
		}
	}
	return n
}

// Filter returns the text of the filter, including surrounding spaces, which the filter ignores.
func (l *List) Filter() string { return l.filter.Text() }

// SetFilter sets the text of the filter.
func (l *List) SetFilter(text string) {
	l.filter.Set(text)
	l.refilter()
}

// refilter applies the filter. After the user clears it, the cursor stays on the match, or returns to its old place.
func (l *List) refilter() {
	at, found := l.Selected()
	l.applyFilter()
	switch {
	case l.finder != nil, l.Filter() != "":
	case found:
		l.Select(at.ID)
	default:
		l.Select(l.origin)
	}
}

// Typing reports whether the filter handles printable keys.
func (l *List) Typing() bool { return l.filter.Typing() }

// StartTyping clears the filter and lets the user type, like the key "/".
func (l *List) StartTyping() {
	l.SetFilter("")
	if at, ok := l.Selected(); ok {
		l.origin = at.ID
	}
	l.filter.Start()
}

// StopTyping ends typing and keeps the filter.
func (l *List) StopTyping() { l.filter.Stop() }

func (l *List) applyFilter() {
	selected, ok := l.Selected()
	l.win.wheelScrolled = false
	l.lines = l.lines[:0]
	l.items = l.all
	switch pattern := strings.TrimSpace(l.Filter()); {
	case pattern == "":
		l.addLines(nil)
		l.allLines = len(l.lines)
		if ok && l.finder == nil {
			l.syncCursor(1)
			l.Select(selected.ID)
		}
	case l.finder != nil:
		l.items = l.finder(pattern)
		l.addLines(nil)
		l.win.cursor, l.win.top = 0, 0
	default:
		l.applyFuzzyFilter(pattern)
	}
	l.syncCursor(1)
}

func (l *List) applyFuzzyFilter(pattern string) {
	texts := models.MapSlice(l.items, func(it ListItem) string { return it.Title + " " + it.Lead + " " + it.Section + " " + it.Search })
	found := preferLiteral(fuzzy.Find(pattern, texts), pattern)
	matched := make(map[int][]int, len(found))
	for _, m := range found {
		matched[m.Index] = m.MatchedIndexes
	}
	l.addLines(matched)
	if len(found) > 0 {
		l.win.cursor = slices.IndexFunc(l.lines, func(line listLine) bool { return line.item == found[0].Index })
	}
}

// preferLiteral prefers matches that contain the exact pattern: "user" must not find "stat(us) qu(er)y".
func preferLiteral(found fuzzy.Matches, pattern string) fuzzy.Matches {
	pattern = strings.ToLower(pattern)
	var literal fuzzy.Matches
	for _, m := range found {
		at := strings.Index(strings.ToLower(m.Str), pattern)
		if at < 0 {
			continue
		}
		m.MatchedIndexes = m.MatchedIndexes[:0]
		for i := range len(pattern) {
			m.MatchedIndexes = append(m.MatchedIndexes, at+i)
		}
		literal = append(literal, m)
	}
	if len(literal) > 0 {
		return literal
	}
	return found
}

func (l *List) addLines(matched map[int][]int) {
	section := ""
	l.leadWidth = 0
	for i, it := range l.items {
		at, ok := matched[i]
		if matched != nil && !ok {
			continue
		}
		l.leadWidth = max(l.leadWidth, textWidth(it.Lead, maxLead))
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

// Update handles navigation and the filter, whose command it returns. It leaves enter to the caller unless enter ends
// typing. The first esc clears a filter.
func (l *List) Update(msg tea.Msg) (tea.Cmd, bool) {
	if l.Typing() {
		if cmd, used := l.updateFilter(msg); used || cmd != nil {
			return cmd, used
		}
	} else if press, ok := msg.(tea.KeyPressMsg); ok && !l.filterHidden {
		switch name := press.String(); {
		case name == "/":
			l.StartTyping()
			return nil, true
		case name == "esc" && l.Filter() != "":
			l.SetFilter("")
			return nil, true
		}
	}
	return nil, l.scroller.Update(msg) || l.filterHidden && l.jumpToTitle(msg)
}

func (l *List) jumpToTitle(msg tea.Msg) bool {
	press, _ := msg.(tea.KeyPressMsg)
	n := len(l.lines)
	for i := 1; press.Text != "" && i <= n; i++ {
		at := (l.win.cursor + i) % n
		if it := l.lines[at].item; it >= 0 && strings.HasPrefix(Fold(l.items[it].Title), Fold(press.Text)) {
			l.moveTo(at)
			return true
		}
	}
	return false
}

func (l *List) updateFilter(msg tea.Msg) (tea.Cmd, bool) {
	press, pressed := msg.(tea.KeyPressMsg)
	switch press.String() {
	case "up", "down", "pgup", "pgdown":
		return nil, false
	case "enter", "tab", "shift+tab", "ctrl+c": // Enter also activates the selected entry.
		l.StopTyping()
		return nil, false
	case "esc":
		l.StopTyping()
		l.SetFilter("")
		return nil, l.finder == nil // The palette closes itself.
	}
	cmd, changed := l.filter.Update(msg)
	if changed {
		l.refilter()
	}
	_, pasted := msg.(tea.PasteMsg)
	return cmd, pressed || pasted // Otherwise the message comes from a command of the input, such as ctrl+v.
}

// Click moves the cursor to the entry at y. ok reports whether there is one, and second whether the cursor was already
// on it. A click on the first line starts the filter.
func (l *List) Click(x, y int) (second, ok bool) {
	if y < l.filterHeight() {
		l.StartTyping()
		return false, false
	}
	second, ok = l.scroller.Click(x, y-l.filterHeight())
	if ok {
		l.StopTyping()
	}
	return second, ok
}

// Cursor returns the terminal cursor relative to the list, or nil if the user is not typing.
func (l *List) Cursor() *tea.Cursor {
	if !l.Typing() || !l.focused || l.w <= 4 || l.height <= 0 {
		return nil
	}
	_, x := l.filter.in.render(l.styles, SurfacePlain, "", "", l.w-4)
	return Caret(x+3, 0)
}

// View draws the filter line and the visible entries.
func (l *List) View() string {
	if l.w <= 0 || l.height <= 0 {
		return ""
	}
	var lines []string
	if !l.filterHidden {
		lines = append(lines, l.filterLine())
	}
	switch {
	case l.h == 0:
	case len(l.lines) == 0:
		lines = append(lines, emptyLines(l.styles, l.empty, "", l.w, l.h)...)
	default:
		lines = append(lines, l.scroller.View())
	}
	return strings.Join(lines, "\n")
}

func (l *List) filterLine() string {
	sign := RoleFaint
	if l.Typing() {
		sign = RoleAccent
	}
	text, _ := l.filter.in.render(l.styles, SurfacePlain, l.hint, "", l.w-4)
	return fitStyled(l.styles.Paint(sign, " / ")+text, l.w)
}

// listLines adapts the headings and entries of a List to LineSource.
type listLines struct{ l *List }

func (s listLines) Len() int        { return len(s.l.lines) }
func (s listLines) Skip(i int) bool { return s.l.lines[i].item < 0 }

func (s listLines) Line(i int, on Surface, w int) string {
	l, line := s.l, s.l.lines[i]
	t := NewStrip(l.styles, on, w)
	if line.item < 0 {
		t.Cell(RoleStrong, " "+line.heading, w, AlignLeft)
		return t.String()
	}
	it := l.items[line.item]
	t.Cell(RoleAccent, cursorBar(on), 2, AlignLeft)
	if l.leadWidth > 0 {
		t.Cell(RoleMuted, it.Lead, l.leadWidth, AlignLeft)
		t.Cell(RoleMuted, "", 1, AlignLeft)
	}
	if l.countWidth > 0 {
		t.Cell(RoleInfo, it.Count, l.countWidth, AlignRight)
		t.Cell(RoleText, "", 2, AlignLeft)
	}
	badge := textWidth(it.Badge, max(t.Room()/2, t.Room()-ansi.StringWidth(it.Title)-2))
	if badge > 0 {
		badge++
	}
	title := t.Room() - badge
	if badge > 0 && l.BadgeColumn {
		title = min(title, l.titleWidth+1)
	}
	if it.Faint {
		t.Cell(RoleFaint, it.Title, title, AlignLeft)
	} else {
		writeMatched(t, it.Title, line.matched, title)
	}
	if badge > 0 {
		t.Cell(RoleText, "", 1, AlignLeft)
		t.Cell(it.BadgeRole, it.Badge, badge-1, AlignLeft)
	}
	return t.String()
}

// NaturalWidth returns the width at which every entry is fully visible.
func (l *List) NaturalWidth() int {
	w, lead := 0, 0 // The width does not depend on the filter.
	for _, it := range l.all {
		lead = max(lead, textWidth(it.Lead, maxLead))
		width := ansi.StringWidth(it.Title)
		if it.Badge != "" {
			width += 1 + ansi.StringWidth(it.Badge)
		}
		w = max(w, width)
	}
	if lead > 0 {
		w += lead + 1
	}
	if l.countWidth > 0 {
		w += l.countWidth + 2
	}
	return w + 4 // for the cursor and the scroll bar
}

// writeMatched ignores positions beyond the title, because they belong to invisible words.
func writeMatched(t *Strip, title string, matched []int, w int) {
	if len(matched) == 0 || !isPlain(title) {
		t.Cell(RoleText, title, w, AlignLeft)
		return
	}
	title, used := cellText(title, w)
	for i, r := range title {
		role := RoleText
		if r < utf8.RuneSelf && slices.Contains(matched, i) {
			role = RoleMatch
		}
		t.Put(role, string(r))
	}
	t.Cell(RoleText, "", w-used, AlignLeft)
}
