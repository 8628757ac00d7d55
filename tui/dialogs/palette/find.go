package palette

import (
	"cmp"
	"slices"
	"strings"

	matching "github.com/sahilm/fuzzy"

	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// An entry is a command in the list.
type entry struct {
	screen.Command
	heading string
	matched []int // byte positions of the matches in the title
}

// index contains the commands with their search texts, which it builds once.
type index struct {
	commands []screen.Command
	titles   []string // lower case
	texts    []string // all searchable text, lower case
	recency  []int    // recency rank: 0 for the last used command, len(recent) for a command that was never used
	recent   int      // number of recent IDs
}

func newIndex(commands []screen.Command, recent []string) index {
	x := index{commands: commands, recent: len(recent)}
	rank := make(map[string]int, len(recent))
	for i, id := range slices.Backward(recent) {
		rank[id] = i
	}
	for _, c := range commands {
		title := strings.ToLower(c.Title)
		x.titles = append(x.titles, title)
		x.texts = append(x.texts, title+" "+strings.ToLower(c.Kind+" "+c.Section+" "+c.Words))
		recency, ok := rank[c.ID]
		if !ok || c.ID == "" {
			recency = len(recent)
		}
		x.recency = append(x.recency, recency)
	}
	return x
}

func (x *index) initialEntries(all bool) []entry {
	var recent []int
	for i, c := range x.commands {
		if x.recency[i] < x.recent && c.Why == "" {
			recent = append(recent, i)
		}
	}
	slices.SortStableFunc(recent, func(a, b int) int { return x.recency[a] - x.recency[b] })
	recent = recent[:min(len(recent), recentShown)]
	var list, rest []entry
	for _, i := range recent {
		list = append(list, entry{Command: x.commands[i], heading: "Recent"})
	}
	order := map[string]int{}
	for i, c := range x.commands {
		if c.Section == "" || c.Why != "" && !all || slices.Contains(recent, i) {
			continue
		}
		if _, ok := order[c.Section]; !ok {
			order[c.Section] = len(order)
		}
		rest = append(rest, entry{Command: c, heading: c.Section})
	}
	slices.SortStableFunc(rest, func(a, b entry) int {
		return cmp.Or(order[a.Section]-order[b.Section], min(len(a.Why), 1)-min(len(b.Why), 1)) // available first
	})
	return append(list, rest...)
}

// These are the qualities of a match, best first.
const (
	matchesName  = iota // the text is the title or the name of an action
	matchesStart        // the title or the name of an action begins with the text
	matchesWords        // words of the title begin with the words of the text
	matchesTitle        // the title contains the words
	matchesText         // the searchable text contains the words
	matchesFuzzy        // the searchable text contains the letters in this order
	matchesNothing
)

// hit is a match: the index of its command, its quality and its fuzzy score.
type hit struct{ command, quality, score int }

// find returns the matching commands. fuzzy is true if no command contains the words, only their letters in order.
func (x *index) find(text string) (enabled, disabled []entry, fuzzy bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	words := strings.Fields(text)
	var hits []hit
	for i := range x.commands {
		if quality := match(x.titles[i], strings.ToLower(x.commands[i].Name), x.texts[i], text, words); quality < matchesNothing {
			hits = append(hits, hit{command: i, quality: quality})
		}
	}
	if len(hits) == 0 {
		// Fuzzy matching is the last resort, because "user" also matches "stat(us) qu(er)y".
		fuzzy = true
		for _, m := range matching.Find(strings.Join(words, ""), x.texts) {
			if x.commands[m.Index].Spelled {
				continue
			}
			hits = append(hits, hit{m.Index, matchesFuzzy, m.Score})
		}
	}
	explains := map[bool]int{true: 1} // Enter must run the first command, so keys and signs come last.
	isSign := func(h hit) bool { return x.commands[h.command].Run == nil }
	slices.SortStableFunc(hits, func(a, b hit) int {
		return cmp.Or(explains[isSign(a)]-explains[isSign(b)], a.quality-b.quality, x.recency[a.command]-x.recency[b.command], b.score-a.score)
	})
	for _, h := range hits {
		e := entry{Command: x.commands[h.command]}
		if h.quality < matchesFuzzy {
			e.matched = matchedBytes(e.Title, x.titles[h.command], words)
		}
		if e.Why != "" {
			disabled = append(disabled, e)
		} else {
			enabled = append(enabled, e)
		}
	}
	return enabled, disabled, fuzzy
}

func match(title, name, allText, text string, words []string) int {
	if text != "" && (name == text || title == text) {
		return matchesName
	}
	if strings.HasPrefix(title, text) || strings.HasPrefix(name, text) {
		return matchesStart
	}
	quality := matchesWords
	for _, w := range words {
		switch {
		case beginsWord(title, w):
		case strings.Contains(title, w):
			quality = max(quality, matchesTitle)
		case beginsWord(allText, w):
			quality = matchesText
		default:
			return matchesNothing
		}
	}
	return quality
}

func beginsWord(text, w string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], w)
		if i < 0 {
			return false
		}
		at := from + i
		if at == 0 || !present.IsWord(rune(text[at-1])) {
			return true
		}
		from = at + 1
	}
}

func matchedBytes(title, lowerTitle string, words []string) []int {
	if len(title) != len(lowerTitle) {
		return nil
	}
	var positions []int
	for _, w := range words {
		if i := strings.Index(lowerTitle, w); i >= 0 {
			for b := range len(w) {
				positions = append(positions, i+b)
			}
		}
	}
	return positions
}
