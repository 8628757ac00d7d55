// This file lists every table of keys without a session: the documentation of
// the keys is made from it, and a person's own keys are checked against it.

package screens

import "github.com/ddbdesk/ddbdesk/tui/widget"

// A Scope is a screen's table of keys, under the name that a configuration uses.
type Scope struct {
	Name  string
	Title string
	Does  string // what the screen is for, a sentence
	// Actions are the screen's own; Pieces those of the lists and grids on it,
	// which come after them and cannot be given other keys.
	Actions, Pieces widget.Actions
	// Types says that letters are text here: keys everywhere without ctrl or alt
	// do not count.
	Types bool
}

// Scopes lists the screens in the order in which they are documented.
func Scopes() []Scope {
	moving := widget.Actions(widget.NavigationActions())
	grid := append(widget.NewGrid(&widget.Styles{}).Actions(), moving...)
	list := append(widget.Actions{{Name: "find", Binding: bind("/", "/"), Desc: "filter", Long: "filter the list"}}, moving...)
	tabbed := append(widget.Actions{{
		Name: "choose-tab", Binding: bind("1-9", "1", "2", "3", "4", "5", "6", "7", "8", "9"), Desc: "tab", Long: "go to the tab of this number",
	}}, grid...)
	return []Scope{
		{Name: "home", Title: "Profiles", Does: "The schemas to choose from, and what each is about.", Actions: (&Home{}).makeActions(), Pieces: moving},
		{Name: "workbench", Title: "Workbench", Does: "Patterns, the form of one, and what was read with it.", Actions: (&Workbench{}).makeActions(), Pieces: grid},
		{Name: "bookmarks", Title: "Bookmarks", Does: "Items and questions that were given a name.", Actions: (&bookmarksScreen{}).makeActions(), Pieces: moving},
		{Name: "item", Title: "Item", Does: "One item: its attributes, keys, lifecycle, past and relations.", Actions: (&itemScreen{}).makeActions(), Pieces: moving},
		{Name: "compare", Title: "Compare", Does: "An item beside another state of it, or another item.", Actions: (&compareScreen{}).makeActions(), Pieces: moving},
		{Name: "map", Title: "Schema map", Does: "What every key holds, and what a pattern reads.", Actions: (&mapScreen{}).makeActions(), Pieces: list},
		{Name: "decode", Title: "Decode", Does: "Paste anything and see what it is.", Actions: (&decodeScreen{}).makeActions(), Types: true},
		{Name: "queue", Title: "Queues", Does: "What waits for somebody. The letters of a queue's own actions come from their names, and pass over those that are taken.", Actions: (&queueScreen{}).makeActions(), Pieces: tabbed},
		{Name: "drift", Title: "Drift", Does: "Items whose keys and times no longer agree.", Actions: (&driftScreen{}).makeActions(), Pieces: tabbed},
		{Name: "journal", Title: "Journal", Does: "What this console did: find out, undo.", Actions: (&journalScreen{}).makeActions(), Pieces: grid},
		{Name: "findings", Title: "Findings", Does: "What the document gets wrong, and what ddbdesk does instead.", Actions: (&findingsScreen{}).makeActions(), Pieces: list},
	}
}
