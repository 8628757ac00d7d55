// This file tests that no file of bookmarks, whatever its spelling, is damaged by
// changing it.

package session

import (
	"slices"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/profiles"
)

// FuzzBookmarkFile changes any text in every way. A change either says what it
// should, and keeps the rest, or nothing is changed.
func FuzzBookmarkFile(f *testing.F) {
	for _, text := range []string{
		"", "bookmarks:\n", "bookmarks: []\n", "bookmarks: [{name: a, pattern: get-verification}]\n",
		"# head\nbookmarks:\n# one\n- name: one\n  pattern: get-verification\n\n# two\n- name: two\n  pattern: x\n# foot\n",
		"bookmarks:\n  -\n    name: 'it''s'\n    pattern: get-verification\n  - {name: \"b \\\" # c\", pattern: get-verification}\n",
		"bookmarks:\r\n  - name: crlf\r\n    pattern: get-verification\r\n", "bookmarks:\n  - name: |\n      text\n    pattern: x\n",
		"bookmarks:\n  - name: a\u2028b\n    pattern: get-verification\n  - name: c\n    pattern: get-verification\n",
		"bookmarks:\n  - &x\n    name: a\n    pattern: get-verification\n  - *x\n", "---\nbookmarks:\n  - name: a\n    pattern: x\n...\n",
		"bookmarks:\n\t- name: a\n", "{bookmarks: [name, a]}", "bookmarks:\n  - name: a # one\n    pattern: x\n", "bookmarks: # here\n  - pattern: x\n    name: >-\n      a\n      b\n",
	} {
		f.Add(text, "new: name", "other")
	}
	p, err := profiles.Open("authbridge", nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text, name, other string) {
		s := New(Options{Profile: p})
		if CheckBookmarkName(name) != nil || strings.TrimSpace(name) != name {
			t.Skip("no name that a bookmark may have")
		}
		mark, _ := s.QueryBookmark(name, p.Pattern("get-verification"), map[string]string{"verificationId": other})
		names := func(f *bookmarkFile) []string {
			var out []string
			for _, b := range f.marks {
				out = append(out, b.Name)
			}
			return out
		}
		before := s.parseBookmarks([]byte(text))
		for at := range before.marks {
			file := s.parseBookmarks([]byte(text))
			if file.remove(at) == nil {
				if want := slices.Delete(names(before), at, at+1); !slices.Equal(names(file), want) {
					t.Fatalf("removing %d leaves %q, want %q", at, names(file), want)
				}
			}
			if file = s.parseBookmarks([]byte(text)); before.index(name) < 0 && file.rename(at, name) == nil && names(file)[at] != name {
				t.Fatalf("renaming %d leaves %q", at, names(file))
			}
		}
		for at := -1; at <= len(before.marks); at++ {
			file := s.parseBookmarks([]byte(text))
			if before.index(name) < 0 && file.insert(mark, at) == nil && len(file.marks) != len(before.marks)+1 {
				t.Fatalf("inserting at %d leaves %q", at, names(file))
			}
		}
	})
}
