package item

import (
	"strconv"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// itemSearch is what is searched for in an item, and what was found.
type itemSearch struct {
	s *itemScreen

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
func (f *itemSearch) searchDisabled() string {
	switch f.s.tabs.Active {
	case tabOverview, tabRaw, tabRelated:
		return ""
	}
	return "the overview (1) and the raw item (7) can be searched"
}

// startSearch lets a text be typed. The list of related patterns has its own
// filter.
func (f *itemSearch) startSearch() tea.Cmd {
	if f.s.tabs.Active == tabRelated {
		f.s.relations.list.StartTyping()
		return nil
	}
	f.find.Start()
	f.tab = f.s.tabs.Active
	if f.base == nil {
		f.base = f.s.attributes.open
	}
	f.research()
	return nil
}

// endSearch lights nothing any more. What the cursor stands in stays unfolded.
func (f *itemSearch) endSearch() {
	f.find.Clear()
	if f.base != nil {
		keep := map[string]bool{}
		for path := range f.base {
			keep[path] = true
		}
		if r := f.s.attributes.selectedRow(); r != nil && f.tab == tabOverview {
			for i := range f.index {
				if f.index[i].path == r.path {
					f.unfold(keep, i)
					break
				}
			}
		}
		f.s.attributes.open = keep
	}
	path := f.s.attributes.selectedPath()
	f.base, f.hits, f.found, f.at = nil, nil, 0, 0
	f.s.attributes.fillRows()
	f.s.attributes.selectPath(path)
	f.s.raw.search("")
}

// updateSearch takes a key while the text is typed.
func (f *itemSearch) updateSearch(msg tea.Msg) tea.Cmd {
	if press, ok := msg.(tea.KeyPressMsg); ok {
		switch press.String() {
		case "esc":
			f.endSearch()
			return nil
		case "enter":
			if f.find.Stop(); f.find.Text() == "" {
				f.endSearch()
			}
			return nil
		case "up", "ctrl+p":
			return f.s.found(-1)
		case "down", "ctrl+n":
			return f.s.found(1)
		}
	}
	cmd, changed := f.find.Update(msg)
	if changed {
		f.research()
	}
	return cmd
}

// research looks for the text as it is now, and shows the first place.
func (f *itemSearch) research() {
	f.at, f.found = 0, 0
	if f.tab == tabRaw {
		f.found = f.s.raw.search(f.find.Needle())
		f.s.raw.show(0)
		return
	}
	f.searchRows()
	f.s.found(0)
}

// searchRows unfolds and notes the rows whose name or value holds the text.
func (f *itemSearch) searchRows() {
	needle := f.find.Needle()
	open := map[string]bool{}
	for path := range f.base {
		open[path] = true
	}
	f.hits = f.hits[:0]
	if needle != "" {
		f.indexItem()
		for i := range f.index {
			if strings.Contains(f.index[i].text, needle) {
				f.hits = append(f.hits, i)
				f.unfold(open, i)
			}
		}
	}
	f.s.attributes.open = open
	f.s.attributes.fillRows()
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
func (f *itemSearch) indexItem() {
	if f.index != nil {
		return
	}
	show := present.Presenter{Now: f.s.now()}
	rows := f.s.attributes.makeRows(true)
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
			if shown := show.Show(f.s.facts.entity, r.path, r.value); r.depth < present.DeepestIndent && shown.Text != text {
				index[i].text += "\x00" + widget.Fold(shown.Text)
			}
		}
	}
	f.index = index
}

func (at *attributesTab) selectedPath() string {
	if r := at.selectedRow(); r != nil {
		return r.path
	}
	return ""
}

func (at *attributesTab) selectPath(path string) {
	for i := range at.rows {
		if at.rows[i].path == path {
			at.fields.Select(i)
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
	if f.unfold(s.attributes.open, f.hits[f.at]) { // Somebody folded it since.
		s.attributes.fillRows()
	}
	s.attributes.selectPath(f.index[f.hits[f.at]].path)
	return nil
}

// nextDisabled says why n has nowhere to go.
func (f *itemSearch) nextDisabled() string {
	if f.s.tabs.Active == tabTimeline {
		return f.s.does.olderDisabled()
	}
	return f.previousDisabled()
}

func (f *itemSearch) previousDisabled() string {
	switch {
	case !f.active() || f.tab != f.s.tabs.Active:
		return "nothing is searched for; / does it"
	case f.found == 0:
		return "nothing matches " + models.PrintableCell(f.find.Text(), 40)
	}
	return ""
}

// goNext goes to the next match, or reads on in the timeline.
func (f *itemSearch) goNext() tea.Cmd {
	if f.s.tabs.Active == tabTimeline {
		return f.s.past.load()
	}
	return f.s.found(1)
}

func (f *itemSearch) goPrevious() tea.Cmd { return f.s.found(-1) }

// foldAll folds everything, or unfolds everything when nothing is unfolded. The
// cursor stays with its attribute.
func (at *attributesTab) foldAll() tea.Cmd {
	top := ""
	if r := at.selectedRow(); r != nil {
		top = r.top
	}
	folded := len(at.open) > 0
	at.open = map[string]bool{}
	if !folded {
		at.s.search.indexItem()
		for i := range at.s.search.index {
			if p := at.s.search.index[i].parent; p >= 0 {
				at.open[at.s.search.index[p].path] = true
			}
		}
	}
	if at.s.search.base != nil {
		at.s.search.base = at.open
	}
	at.fillRows()
	at.selectPath(top)
	return nil
}

// findActions are the keys that search and fold.
func (f *itemSearch) findActions() widget.Actions {
	return widget.Actions{
		{Name: "search", Binding: widget.Bind(
			"/", "/",
		), Desc: "search", Long: "search names and values; on Related, filter", Disabled: f.searchDisabled, Run: f.startSearch},
		{Name: "next", Binding: widget.Bind(
			"n", "n",
		), Long: "next match of the search; older entries of the timeline", Disabled: f.nextDisabled, Run: f.goNext},
		{
			Name: "previous", Binding: widget.Bind("N", "N"), Long: "previous match of the search",
			Disabled: f.previousDisabled, Run: f.goPrevious,
		},
		{
			Name: "fold-all", Binding: widget.Bind("z", "z"), Desc: "fold all", Long: "unfold or fold all documents",
			Disabled: f.s.does.notOverview, Run: f.s.attributes.foldAll,
		},
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
func (f *itemSearch) searchTitle(w int) (title, note string, cursor int) {
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
func (f *itemSearch) searchCursor() *tea.Cursor {
	at, _ := f.s.side()
	title, _, cursor := f.searchTitle(at)
	return widget.Caret(min(2+cursor, 2+ansi.StringWidth(title)), f.s.header.head())
}
