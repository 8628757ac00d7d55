package casefile

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
)

// A Report says what became of the attributes of a case. It has no values. Collect returns none
// with an error.
type Report struct {
	Replaced  map[string]int // values with a pseudonym, by Entity.attribute
	Dropped   map[string]int // attributes that were left out
	Kept      map[string]int // attributes that the profile does not know and the user named
	Unnamed   int            // attributes that were left out, whose names may be data themselves
	Strangers int            // items that match no entity, which were left out
	Gone      int            // items that were deleted after they were found
}

// count adds one to a counter.
func count(to *map[string]int, name string) {
	if *to == nil {
		*to = map[string]int{}
	}
	(*to)[name]++
}

// Total adds the counts of attributes.
func Total(counts map[string]int) int {
	n := 0
	for _, c := range counts {
		n += c
	}
	return n
}

// Names returns the counted attributes in byte order.
func Names(counts map[string]int) []string { return slices.Sorted(maps.Keys(counts)) }

// Lines returns the report for people.
func (r *Report) Lines() []string {
	var lines []string
	add := func(what string, counts map[string]int) {
		for _, name := range Names(counts) {
			lines = append(lines, fmt.Sprintf("%-9s %s × %s", what, name, humanize.Comma(int64(counts[name]))))
		}
	}
	add("replaced", r.Replaced)
	add("dropped", r.Dropped)
	add("kept", r.Kept)
	note := func(n int, what string) {
		if n > 0 {
			lines = append(lines, "dropped   "+english.Plural(n, what, ""))
		}
	}
	note(r.Unnamed, "attribute whose name is not a plain identifier")
	note(r.Strangers, "item that matches no entity")
	if r.Gone > 0 {
		lines = append(lines, fmt.Sprintf("missing   %s deleted since the search", english.Plural(r.Gone, "item", "")))
	}
	return lines
}
