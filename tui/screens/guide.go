package screens

import (
	"slices"
)

// Signs that several screens share.
var (
	stateSigns = []Sign{
		{"◐", "a state in which something still has to happen"},
		{"✓", "a state that ended well, or something that is in order"},
		{"✗", "a state that ended badly, or something that failed"},
		{"■", "a state that ended, neither well nor badly"},
	}
	maskSigns = []Sign{
		{"•••", "personal data, hidden; an item shows it to those who may see it and give a reason"},
		{"[secret]", "a secret: shown to nobody, copied and exported by nobody"},
	}
	gridSigns = []Sign{
		{"↑ ↓", "the column that the rows are sorted by, upwards or downwards"},
		{"‹ ›", "columns that do not fit: h and l, or the arrows, scroll sideways"},
		{"●", "a row that is marked"},
		{"…", "text that does not fit"},
	}
	findingSign = Sign{"⚠", "not run as the document has it; the finding says why, and what runs instead"}
)

func signs(lists ...[]Sign) []Sign { return slices.Concat(lists...) }

// Guide introduces the profiles.
func (h *Home) Guide() Guide {
	return Guide{
		Purpose: "Here are the schemas that ddbdesk knows. Each is read from a document that says which items there are, how they are found, and what may change.",
		First:   "choose one with the arrows and press enter. Nothing is asked of a database before that.",
		Signs: signs([]Sign{
			{"{name}", "a part of a key that differs from item to item"},
			{"⌕", "an index: another way to find the same items"},
		}, stateSigns),
	}
}

// Guide introduces the workbench.
func (b *Workbench) Guide() Guide {
	return Guide{
		Purpose: "Here are the questions of the document, its patterns. Choose one, fill in what it asks for, and see the items that it finds.",
		First:   "choose a pattern at the left and press enter; tab goes on to the form and the rows. A key pasted into any field fills in all that it holds.",
		Signs: signs([]Sign{
			findingSign,
			{"name*", "a value that must be given"},
			{"▾", "a value to choose: space opens the list"},
			{"→", "the request as DynamoDB gets it, while one types"},
		}, gridSigns, filterSigns, stateSigns, maskSigns),
	}
}

// Guide introduces an item.
func (s *itemScreen) Guide() Guide {
	return Guide{
		Purpose: "Here is one item: what it is, what it says, how its keys came about, what happened to it, where one can go from it, and what may be changed.",
		First:   "press 1 to 7 to go through the tabs; a lists the changes that its state allows, and why the others are not possible.",
		Signs: signs([]Sign{
			{"≠", "differs from the list that it was opened from, or from what the attributes make of it"},
			{"▸ ▾", "a part that is folded, or open: enter turns it"},
			{"›", "leads to other items: enter goes there"},
			{"▶ ◂", "the state that the item is in, among all that there are"},
			findingSign,
		}, stateSigns, maskSigns),
	}
}

// Guide introduces the queues.
func (s *queueScreen) Guide() Guide {
	return Guide{
		Purpose: "Here is what waits for somebody, the oldest first. It looks again by itself and marks what is new.",
		First:   "press enter to read an item, or the letter of a change to decide it; space marks several for one decision.",
		Signs: signs([]Sign{
			{"↻", "it is looked at again by itself; t stops that"},
			{"‖", "it is not looked at again before t"},
			{"new", "came since it was looked at before; what is grey has left the queue"},
		}, gridSigns, stateSigns, maskSigns),
	}
}

// Guide introduces drift.
func (s *driftScreen) Guide() Guide {
	return Guide{
		Purpose: "Here are items whose keys or times no longer agree with what they say, as when a status was changed and the index was forgotten. Lists leave such items out, or show them in the wrong place.",
		First:   "choose where to look and press enter. Every item is read once, which costs money on a large table; esc stops it.",
		Signs: signs([]Sign{
			{"→", "what is stored, and what it should be"},
			{"✓", "in order, or repaired"},
			{"✗", "not repaired, with the reason"},
		}, gridSigns),
	}
}

// Guide introduces the journal.
func (s *journalScreen) Guide() Guide {
	return Guide{
		Purpose: "Here is what this console changed, refused and revealed, the newest first. A line that somebody changes or takes out is noticed.",
		First:   "choose a change; u takes it back as a change of its own, enter opens its item.",
		Signs: []Sign{
			{"✓", "committed: the change was made"},
			{"?", "the outcome is not known: v reads the items and finds out"},
			{"≠", "conflict: somebody else was faster, nothing was written"},
			{"↶", "committed, and taken back later"},
			{"⊘", "refused, with the reason"},
			{"◉", "personal data was shown, with the reason"},
			{"✗", "failed: nothing was written"},
		},
	}
}

// Guide introduces the decoder.
func (s *decodeScreen) Guide() Guide {
	return Guide{
		Purpose: "Here one finds out what a key is, or an id, or an item as JSON: what it belongs to, what its parts mean, and which questions it answers.",
		First:   "paste it. Enter on a pattern below asks that question.",
		Signs: []Sign{
			{"▸", "the part of the key that the line beside it explains"},
			{"{name}", "a part of a key that differs from item to item"},
			{"•••", "personal data inside the key, hidden"},
		},
	}
}

// Guide introduces the schema map.
func (s *mapScreen) Guide() Guide {
	return Guide{
		Purpose: "Here is the whole schema: entities down, their keys and indexes across. It shows what an index can find, and what a change has to keep up.",
		First:   "go through the patterns and see what each reads. tab goes onto the map, where a cell lists the patterns that read it.",
		Signs: []Sign{
			{"{name}", "a part that differs from item to item; it has one colour in the whole map"},
			{"▸", "the pattern finds these"},
			{"=  …", "what the pattern asks of a key: this value, or a beginning; underlined below is what it fixes"},
			{"↑ ↓", "the order in which it reads"},
			{"✎ new", "a key that has to be written anew with this change"},
			{"·", "has no such key: is not in that index"},
			{"≈", "can have the same key as another entity"},
			{"⌕", "an index: another way to find the same items"},
			{"⚠", "an index that no pattern asks"},
			{"made up", "an example: no item has this key"},
		},
	}
}

// Guide introduces the findings.
func (s *findingsScreen) Guide() Guide {
	return Guide{
		Purpose: "Here is everything that the schema document gets wrong or leaves open, in plain words, and what ddbdesk does instead.",
		First:   "go through the list, or search with /. Enter goes to the patterns, changes and entities that a finding touches.",
		Signs: []Sign{
			{"✗", "impossible or wrong: asked as the document has it, there is no answer or one not to be trusted"},
			{"!", "integrity or security: data can disagree with itself, or be seen by the wrong people"},
			{"$", "cost: slow and dear"},
			{"·", "latent: works today, and breaks with a small change"},
			{"≠", "contradiction: the document says two things"},
			{"?", "gap: the document leaves something out"},
			{"⚠", "a pattern that is not run as the document has it because of this"},
		},
	}
}

// Guide introduces the bookmarks.
func (s *bookmarksScreen) Guide() Guide {
	return Guide{
		Purpose: "Here are the items and questions that were given a name. They stand in a file that can be shared with colleagues.",
		First:   "press enter to open one. b on an item, or on a question that was asked, adds it here.",
		Signs:   maskSigns,
	}
}

// Guide introduces the comparison.
func (s *compareScreen) Guide() Guide {
	return Guide{
		Purpose: "Here are two items side by side, or two states of one: what is equal, what differs, and what only one of them has.",
		First:   "choose what to compare with, or paste another key or item.",
		Signs: signs([]Sign{
			{"≠", "different on both sides"},
			{"◂", "only at the left"},
			{"▸", "only at the right, or a part that is folded"},
			{"▾", "a part that is open"},
		}, stateSigns, maskSigns),
	}
}
