package item

import (
	"strconv"
	"strings"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// itemSearch is what is searched for in an item, and what was found.
type itemSearch struct {
	find  *widget.Find
	tab   int             // that was searched
	index []searchEntry   // everything in the item; nil until something is searched
	found int             // how many places match
	at    int             // which of them is shown
	hits  []int           // those in the overview, by their place in index
	base  map[string]bool // what was unfolded before the search; nil without one
}

// searchEntry is a row of the overview as if everything were unfolded.
type searchEntry struct {
	path   string
	parent int    // index of the row that holds it, -1 at the top
	text   string // name and value, folded
}

// active reports whether something is searched for.
func (f *itemSearch) active() bool { return f.find.Typing() || f.find.Text() != "" }

// litIn is what is lit on a tab.
func (f *itemSearch) litIn(tab int) string {
	if f.tab != tab {
		return ""
	}
	return f.find.Needle()
}

// searchLead is how much of a long value stands before what was found in it.
const searchLead = 24

// around is a value from a little before the first match on, when that would
// not be seen otherwise.
func (f *itemSearch) around(text string) string {
	needle := f.litIn(tabOverview)
	if needle == "" || len(text) < 2*searchLead {
		return text
	}
	at := strings.Index(widget.Fold(text), needle)
	if at < 2*searchLead {
		return text
	}
	from := at - searchLead
	for from < at && text[from]&0xC0 == 0x80 { // Not inside a character.
		from++
	}
	return "…" + text[from:]
}

// searchDisabled says where a search is possible.
func (s *itemScreen) searchDisabled() string {
	switch s.tabs.Active {
	case tabOverview, tabRaw, tabRelated:
		return ""
	}
	return "the overview (1) and the raw item (7) can be searched"
}

// startSearch lets a text be typed. The list of related patterns has its own
// filter.
func (s *itemScreen) startSearch() tea.Cmd {
	if s.tabs.Active == tabRelated {
		s.related.StartTyping()
		return nil
	}
	s.search.find.Start()
	s.search.tab = s.tabs.Active
	if s.search.base == nil {
		s.search.base = s.open
	}
	s.research()
	return nil
}

// endSearch lights nothing any more. What the cursor stands in stays unfolded.
func (s *itemScreen) endSearch() {
	f := &s.search
	f.find.Clear()
	if f.base != nil {
		keep := map[string]bool{}
		for path := range f.base {
			keep[path] = true
		}
		if r := s.selectedRow(); r != nil && f.tab == tabOverview {
			for i := range f.index {
				if f.index[i].path == r.path {
					f.unfold(keep, i)
					break
				}
			}
		}
		s.open = keep
	}
	path := s.selectedPath()
	f.base, f.hits, f.found, f.at = nil, nil, 0, 0
	s.fillRows()
	s.selectPath(path)
	s.raw.search("")
}

// updateSearch takes a key while the text is typed.
func (s *itemScreen) updateSearch(msg tea.Msg) tea.Cmd {
	if press, ok := msg.(tea.KeyPressMsg); ok {
		switch press.String() {
		case "esc":
			s.endSearch()
			return nil
		case "enter":
			if s.search.find.Stop(); s.search.find.Text() == "" {
				s.endSearch()
			}
			return nil
		case "up", "ctrl+p":
			return s.found(-1)
		case "down", "ctrl+n":
			return s.found(1)
		}
	}
	cmd, changed := s.search.find.Update(msg)
	if changed {
		s.research()
	}
	return cmd
}

// research looks for the text as it is now, and shows the first place.
func (s *itemScreen) research() {
	f := &s.search
	f.at, f.found = 0, 0
	if f.tab == tabRaw {
		f.found = s.raw.search(f.find.Needle())
		s.raw.show(0)
		return
	}
	s.searchRows()
	s.found(0)
}

// searchRows unfolds and notes the rows whose name or value holds the text.
func (s *itemScreen) searchRows() {
	f := &s.search
	needle := f.find.Needle()
	open := map[string]bool{}
	for path := range f.base {
		open[path] = true
	}
	f.hits = f.hits[:0]
	if needle != "" {
		s.indexItem()
		for i := range f.index {
			if strings.Contains(f.index[i].text, needle) {
				f.hits = append(f.hits, i)
				f.unfold(open, i)
			}
		}
	}
	s.open = open
	s.fillRows()
	f.found = len(f.hits)
	f.at = min(f.at, max(f.found-1, 0))
}

// unfold opens what holds an entry of the index; it reports whether anything was
// folded.
func (f *itemSearch) unfold(open map[string]bool, i int) (folded bool) {
	for p := f.index[i].parent; p >= 0; p = f.index[p].parent {
		if path := f.index[p].path; !open[path] {
			open[path], folded = true, true
		}
	}
	return folded
}

// indexItem notes everything in the item, once.
func (s *itemScreen) indexItem() {
	if s.search.index != nil {
		return
	}
	show := present.Presenter{Now: s.now()}
	rows := s.makeRows(true)
	index := make([]searchEntry, len(rows))
	var above []int // the row that holds each depth
	for i := range rows {
		r := &rows[i]
		above = append(above[:min(r.depth, len(above))], i)
		index[i] = searchEntry{path: r.path, parent: -1, text: widget.Fold(r.label)}
		if len(above) > 1 {
			index[i].parent = above[len(above)-2]
		}
		if text, ok := models.ValueText(r.value); ok {
			index[i].text += "\x00" + widget.Fold(text)
			if shown := show.Show(s.facts.entity, r.path, r.value); r.depth < present.DeepestIndent && shown.Text != text {
				index[i].text += "\x00" + widget.Fold(shown.Text)
			}
		}
	}
	s.search.index = index
}

func (s *itemScreen) selectedPath() string {
	if r := s.selectedRow(); r != nil {
		return r.path
	}
	return ""
}

func (s *itemScreen) selectPath(path string) {
	for i := range s.rows {
		if s.rows[i].path == path {
			s.fields.Select(i)
			return
		}
	}
}

// found goes to another place, around the ends.
func (s *itemScreen) found(by int) tea.Cmd {
	f := &s.search
	if f.found == 0 {
		return nil
	}
	f.at = (f.at + by + f.found) % f.found
	if f.tab == tabRaw {
		s.raw.show(f.at)
		return nil
	}
	if f.unfold(s.open, f.hits[f.at]) { // Somebody folded it since.
		s.fillRows()
	}
	s.selectPath(f.index[f.hits[f.at]].path)
	return nil
}

// nextDisabled says why n has nowhere to go.
func (s *itemScreen) nextDisabled() string {
	if s.tabs.Active == tabTimeline {
		return s.olderDisabled()
	}
	return s.previousDisabled()
}

func (s *itemScreen) previousDisabled() string {
	switch f := &s.search; {
	case !f.active() || f.tab != s.tabs.Active:
		return "nothing is searched for; / does it"
	case f.found == 0:
		return "nothing matches " + models.PrintableCell(f.find.Text(), 40)
	}
	return ""
}

// goNext goes to the next match, or reads on in the timeline.
func (s *itemScreen) goNext() tea.Cmd {
	if s.tabs.Active == tabTimeline {
		return s.past.load()
	}
	return s.found(1)
}

func (s *itemScreen) goPrevious() tea.Cmd { return s.found(-1) }

// foldAll folds everything, or unfolds everything when nothing is unfolded. The
// cursor stays with its attribute.
func (s *itemScreen) foldAll() tea.Cmd {
	top := ""
	if r := s.selectedRow(); r != nil {
		top = r.top
	}
	folded := len(s.open) > 0
	s.open = map[string]bool{}
	if !folded {
		s.indexItem()
		for i := range s.search.index {
			if p := s.search.index[i].parent; p >= 0 {
				s.open[s.search.index[p].path] = true
			}
		}
	}
	if s.search.base != nil {
		s.search.base = s.open
	}
	s.fillRows()
	s.selectPath(top)
	return nil
}

// findActions are the keys that search and fold.
func (s *itemScreen) findActions() widget.Actions {
	return widget.Actions{
		{Name: "search", Binding: widget.Bind("/", "/"), Desc: "search", Long: "search names and values; on Related, filter", Disabled: s.searchDisabled, Run: s.startSearch},
		{Name: "next", Binding: widget.Bind("n", "n"), Long: "next match of the search; older entries of the timeline", Disabled: s.nextDisabled, Run: s.goNext},
		{Name: "previous", Binding: widget.Bind("N", "N"), Long: "match before of the search", Disabled: s.previousDisabled, Run: s.goPrevious},
		{Name: "fold-all", Binding: widget.Bind("z", "z"), Desc: "fold all", Long: "unfold all documents, or fold them all", Disabled: s.notOverview, Run: s.foldAll},
	}
}

// searchHints are the keys while the text is typed.
func searchHints() widget.Actions {
	hint := func(keys, desc string) widget.Action {
		return widget.Action{Binding: key.NewBinding(key.WithKeys(keys), key.WithHelp(keys, "")), Desc: desc}
	}
	return widget.Actions{hint("enter", "keep"), hint("↑↓", "matches"), hint("esc", "leave")}
}

// searchTitle is what stands in the frame of a tab that is searched: the text,
// how much was found, and the cell of the cursor.
func (s *itemScreen) searchTitle(w int) (title, note string, cursor int) {
	f := &s.search
	text, at := f.find.Shown(max(w-42, 12))
	title, cursor = "/ "+text, 2+at
	switch {
	case f.find.Text() == "":
		return "/ search names and values", "esc leaves", 2
	case f.found == 0:
		return title, "nothing found · esc leaves", cursor
	case f.find.Typing():
		return title, strconv.Itoa(f.at+1) + " of " + present.Thousands(f.found) + " · enter keeps, esc leaves", cursor
	}
	return title, strconv.Itoa(f.at+1) + " of " + present.Thousands(f.found) + " · n next, N before, esc leaves", cursor
}

// searchCursor is the terminal's cursor in the frame.
func (s *itemScreen) searchCursor() *tea.Cursor {
	at, _ := s.side()
	title, _, cursor := s.searchTitle(at)
	return widget.Caret(min(2+cursor, 2+ansi.StringWidth(title)), s.head())
}
