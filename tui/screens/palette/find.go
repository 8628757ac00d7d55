package palette

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sahilm/fuzzy"

	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// entry is a command as it stands in the list.
type entry struct {
	screen.Command
	heading string
	matched []int // bytes of the title
}

// paletteIndex is what is searched. The texts are made once.
type paletteIndex struct {
	commands []screen.Command
	titles   []string // lower case
	texts    []string // everything that finds a command, lower case
	used     []int    // how lately, 0 for the last one; len(lately) for never
	lately   int
}

func newPaletteIndex(commands []screen.Command, lately []string) paletteIndex {
	x := paletteIndex{commands: commands, lately: len(lately)}
	rank := make(map[string]int, len(lately))
	for i, id := range slices.Backward(lately) {
		rank[id] = i
	}
	for _, c := range commands {
		title := strings.ToLower(c.Title)
		x.titles = append(x.titles, title)
		x.texts = append(x.texts, title+" "+strings.ToLower(c.Kind+" "+c.Section+" "+c.Words))
		used, ok := rank[c.ID]
		if !ok || c.ID == "" {
			used = len(lately)
		}
		x.used = append(x.used, used)
	}
	return x
}

// start is what is shown while nothing is typed: what was used lately, then
// everything that can be done, by section.
func (x *paletteIndex) Start() []entry {
	var list []entry
	first := map[int]bool{}
	var recent []int
	for i, c := range x.commands {
		if x.used[i] < x.lately && c.Why == "" {
			recent = append(recent, i)
		}
	}
	slices.SortStableFunc(recent, func(a, b int) int { return x.used[a] - x.used[b] })
	for _, i := range recent[:min(len(recent), latelyShown)] {
		first[i] = true
		list = append(list, entry{Command: x.commands[i], heading: "Lately"})
	}
	var sections []string
	bySection := map[string][]entry{}
	for i, c := range x.commands {
		if c.Section == "" || c.Why != "" || first[i] {
			continue
		}
		if bySection[c.Section] == nil {
			sections = append(sections, c.Section)
		}
		bySection[c.Section] = append(bySection[c.Section], entry{Command: c, heading: c.Section})
	}
	for _, s := range sections {
		list = append(list, bySection[s]...)
	}
	return list
}

// How well a text matches, best first.
const (
	matchesStart = iota // the title begins with it
	matchesWords        // words of the title begin with its words
	matchesTitle        // its words stand in the title
	matchesText         // its words stand somewhere
	matchesFuzzy        // its letters stand in this order
	matchesNothing
)

// hit is a command that was found.
type hit struct{ at, how, score int }

// find returns the commands that a text finds, best first: those that can be
// done now, and those that cannot.
func (x *paletteIndex) Find(text string) (able, unable []entry) {
	text = strings.ToLower(strings.TrimSpace(text))
	words := strings.Fields(text)
	var hits []hit
	for i := range x.commands {
		if how := match(x.titles[i], x.texts[i], text, words); how < matchesNothing {
			hits = append(hits, hit{at: i, how: how})
		}
	}
	if len(hits) == 0 {
		// Letters in their order say little: "user" stands in "stat(us) qu(er)y".
		for _, m := range fuzzy.Find(strings.Join(words, ""), x.texts) {
			hits = append(hits, hit{m.Index, matchesFuzzy, m.Score})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int {
		return cmp.Or(a.how-b.how, x.used[a.at]-x.used[b.at], b.score-a.score)
	})
	for _, h := range hits {
		e := entry{Command: x.commands[h.at]}
		if h.how < matchesFuzzy {
			e.matched = lit(e.Title, x.titles[h.at], words)
		}
		if e.Why != "" {
			unable = append(unable, e)
		} else {
			able = append(able, e)
		}
	}
	return able, unable
}

// match says how well a text, and its words, match.
func match(title, all, text string, words []string) int {
	if strings.HasPrefix(title, text) {
		return matchesStart
	}
	how := matchesWords
	for _, w := range words {
		switch {
		case beginsWord(title, w):
		case strings.Contains(title, w):
			how = max(how, matchesTitle)
		case strings.Contains(all, w):
			how = matchesText
		default:
			return matchesNothing
		}
	}
	return how
}

// beginsWord reports whether a word of the text begins with w.
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

// lit returns the bytes of the title that the words match, none when lower case
// has other bytes.
func lit(title, lower string, words []string) []int {
	if len(title) != len(lower) {
		return nil
	}
	var at []int
	for _, w := range words {
		if i := strings.Index(lower, w); i >= 0 {
			for b := range len(w) {
				at = append(at, i+b)
			}
		}
	}
	return at
}
