package bookmarks

import (
	"slices"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/local"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// FuzzBookmarkFile edits any text in every way. An edit either has the expected result or is rejected.
func FuzzBookmarkFile(f *testing.F) {
	for _, text := range []string{
		"", "bookmarks:\n", "bookmarks: []\n", "bookmarks: [{name: a, pattern: get-verification}]\n",
		"# head\nbookmarks:\n# one\n- name: one\n  pattern: get-verification\n\n# two\n- name: two\n  pattern: x\n# foot\n",
		"bookmarks:\n  -\n    name: 'it''s'\n    pattern: get-verification\n  - {name: \"b \\\" # c\", pattern: get-verification}\n",
		"bookmarks:\r\n  - name: crlf\r\n    pattern: get-verification\r\n", "bookmarks:\n  - name: |\n      text\n    pattern: x\n",
		"bookmarks:\n  - name: a\u2028b\n    pattern: get-verification\n  - name: c\n    pattern: get-verification\n",
		"bookmarks:\n  - &x\n    name: a\n    pattern: get-verification\n  - *x\n", "---\nbookmarks:\n  - name: a\n    pattern: x\n...\n",
		"bookmarks:\n\t- name: a\n", "{bookmarks: [name, a]}", "bookmarks:\n  - name: a # one\n    pattern: x\n",
		"bookmarks: # here\n  - pattern: x\n    name: >-\n      a\n      b\n",
	} {
		f.Add(text, "new: name", "other")
	}
	p, err := profiles.Open("authbridge", nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text, name, other string) {
		s := New(session.NewViewer(session.Options{Profile: p}), local.New())
		if CheckName(name) != nil || strings.TrimSpace(name) != name {
			t.Skip("the name is not valid for a bookmark")
		}
		mark, _ := s.NewQuery(name, p.Pattern("get-verification"), map[string]string{"verificationId": other})
		names := func(f *file) []string {
			var out []string
			for _, b := range f.bookmarks {
				out = append(out, b.Name)
			}
			return out
		}
		before := s.parse([]byte(text))
		for at := range before.bookmarks {
			if edited, err := before.remove(at); err == nil {
				if want := slices.Delete(names(before), at, at+1); !slices.Equal(names(edited), want) {
					t.Fatalf("after removing %d: got %q, want %q", at, names(edited), want)
				}
			}
			if before.index(name) < 0 {
				if edited, err := before.rename(at, name); err == nil && names(edited)[at] != name {
					t.Fatalf("after renaming %d: got %q", at, names(edited))
				}
			}
		}
		for at := -1; at <= len(before.bookmarks) && before.index(name) < 0; at++ {
			if edited, err := before.insert(mark, at); err == nil && len(edited.bookmarks) != len(before.bookmarks)+1 {
				t.Fatalf("after inserting at %d: got %q", at, names(edited))
			}
		}
	})
}
