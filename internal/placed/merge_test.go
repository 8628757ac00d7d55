package placed_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/placed"
)

// A merge key adds the pairs that the mapping does not have. The first of several merged mappings takes precedence.
func TestMergeKeysAddMissingPairs(t *testing.T) {
	const anchors = "a: &a {title: A, words: [x]}\nb: &b {title: B}\n"
	for in, want := range map[string]string{
		"c: {<<: *a}":                           "A [x]",
		"c: {<<: *a, title: C}":                 "C [x]",
		"c: {title: C, <<: *a}":                 "C [x]",
		"c: {<<: [*b, *a]}":                     "B [x]",
		"c: {<<: {title: D}}":                   "D []",
		"d: &d {<<: *a, title: D}\nc: {<<: *d}": "D [x]",
	} {
		var decl placed.Ordered[text]
		if list := faults(anchors+in+"\n", &decl); len(list) > 0 {
			t.Errorf("%s: got faults %q", in, list)
		}
		if c, _ := decl.Get("c"); fmt.Sprint(c.Title, " ", c.Words) != want {
			t.Errorf("%s: got %v, want %s", in, c, want)
		}
	}
}

func TestMergeErrorsHavePositions(t *testing.T) {
	exponential := "b0: &b0 {title: x}\n"
	for i := range 12 {
		exponential += fmt.Sprintf("b%d: &b%[1]d {<<: [*b%d, *b%[2]d, *b%[2]d]}\n", i+1, i)
	}
	for in, want := range map[string]string{
		"c: {<<: x}\n":                        `1:5: c.<<: expected a mapping (key: value), found "x"; refer to a mapping with an alias`,
		"c: &c\n  <<: *c\n":                   "2:3: c.<<: alias refers to a mapping that contains it; write the value instead",
		"a: &a {titel: x}\nc: {<<: *a}\n":     `1:8: c.titel: unknown key "titel"; did you mean "title"?`,
		"c: {title: x, title: y, <<: {}}\n":   `1:15: c.title: duplicate key "title"; `,
		exponential:                           "the text has more than 1000 parts; use fewer aliases",
		"a: &a {x-y: 1}\nb: {<<: *a, z: 1}\n": `2:13: b.z: unknown key "z"; use title or words`,
	} {
		var decl placed.Ordered[text]
		list := faults(in, &decl)
		if !slices.ContainsFunc(list, func(f string) bool { return strings.HasSuffix(f, want) }) {
			t.Errorf("%.60q: got %q, want %q", in, list, want)
		}
	}
}
