package bookmarks_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/internal/bookmarks"
	"github.com/ddbdesk/ddbdesk/internal/local"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// bookmarkSession is a session with its bookmarks.
type bookmarkSession struct {
	*session.Viewer
	*bookmarks.List
}

// openFile returns a session with a bookmarks file that contains text. If text is "", the file does not exist.
func openFile(t *testing.T, text string) (bookmarkSession, string) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "team.bookmarks.yaml")
	if text != "" {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p, err := profiles.Open("authbridge", nil)
	if err != nil {
		t.Fatal(err)
	}
	s := session.NewViewer(session.Options{Profile: p, StateDir: t.TempDir(), BookmarkPath: path})
	return bookmarkSession{s, bookmarks.New(s, local.New())}, path
}

func contentOf(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// bookmarkLines returns a line for each bookmark.
func bookmarkLines(t *testing.T, s bookmarkSession) []string {
	t.Helper()
	list, err := s.Read()
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, b := range list {
		switch {
		case b.Problem != "":
			out = append(out, b.Name+" ! "+b.Problem)
		case b.IsQuery():
			out = append(out, fmt.Sprint(b.Name, " ? ", b.Pattern.ID, " ", b.Args))
		default:
			out = append(out, b.Name+" = "+b.Table.KeyText(b.Key))
		}
	}
	return out
}

func query(t *testing.T, s bookmarkSession, name, status string) bookmarks.Bookmark {
	t.Helper()
	b, omitted := s.NewQuery(
		name, s.Profile().Pattern("list-client-verifications-by-status"),
		map[string]string{"clientId": "client_1", "status": status},
	)
	if len(omitted) > 0 {
		t.Fatalf("the bookmark omits %v", omitted)
	}
	return b
}

const byHand = `# Bookmarks of the review team.

bookmarks:
    # Every Monday.
    - name: weekly review   # ask Neo
      pattern: list-verifications-by-date
      parameters: {date: -7d}

    - pattern: get-verification
      name: 'the broken case'
      parameters:
        verificationId: "0042"

    # Kept for the audit.
    - name: case 7
      note: do not approve
      table: verifications
      key: {PK: "CASE#ver_7", SK: META}

# The end.
`

func TestEditsKeepCommentsAndSpelling(t *testing.T) {
	s, path := openFile(t, byHand)
	table := s.Profile().Tables[0].ID
	text := strings.Replace(byHand, "table: verifications", "table: "+table, 1)
	if err := errors.Join(os.WriteFile(path, []byte(text), 0o640), os.Chmod(path, 0o640)); err != nil {
		t.Fatal(err)
	}
	weekly := "weekly review ? list-verifications-by-date map[date:-7d]"
	broken := "the broken case ? get-verification map[verificationId:0042]"
	if diff := cmp.Diff([]string{weekly, broken, "case 7 = CASE#ver_7 / META"}, bookmarkLines(t, s)); diff != "" {
		t.Fatal(diff)
	}
	step := func(subject string, err error, want string) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", subject, err)
		}
		if diff := cmp.Diff(want, contentOf(t, path)); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", subject, diff)
		}
	}
	renamed := strings.Replace(text, "weekly review   #", "'Monday: review'   #", 1)
	step("rename", s.Rename(t.Context(), "Weekly Review", "Monday: review"), renamed)
	step("rename back", s.Rename(t.Context(), "monday: review", "weekly review"), text)
	added := "    - name: new one\n      pattern: list-client-verifications-by-status\n      parameters:\n        " +
		"clientId: client_1\n        status: created\n"
	step("add", s.Add(t.Context(), query(t, s, "new one", "created")), strings.Replace(text, "SK: META}\n", "SK: META}\n"+added, 1))
	if _, _, err := s.Remove(t.Context(), "new one"); err != nil {
		t.Fatal(err)
	}
	step("remove again", nil, text)
	first, at, err := s.Remove(t.Context(), "weekly review")
	if err != nil || at != 0 {
		t.Fatalf("removed the bookmark at %d, %v, want 0", at, err)
	}
	if got := contentOf(t, path); strings.Contains(got, "Monday") || !strings.Contains(got, "# Kept for the audit.") {
		t.Errorf("want the list without Monday and with its comment, got:\n%s", got)
	}
	step("undo", s.Insert(t.Context(), first, at), text)
	if err := s.Move(t.Context(), "case 7", -1); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{weekly, "case 7 = CASE#ver_7 / META", broken}, bookmarkLines(t, s)); diff != "" {
		t.Errorf("after the move (-want +got):\n%s", diff)
	}
	moved := contentOf(t, path)
	for _, words := range []string{
		"# Every Monday.\n    - name: weekly", "# Kept for the audit.\n    - name: case 7", "# The end.\n",
		"# Bookmarks of the review team.",
	} {
		if !strings.Contains(moved, words) {
			t.Errorf("%q is missing in:\n%s", words, moved)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the file has mode %v, %v, want 0640", info.Mode(), err)
	}
	if names := files(t, filepath.Dir(path)); len(names) != 1 {
		t.Errorf("the repository contains %v, want 1 file", names)
	}
}

// The link can point into another repository.
func TestEditsKeepSymbolicLinks(t *testing.T) {
	s, path := openFile(t, "")
	target := filepath.Join(t.TempDir(), "shared.yaml")
	if err := errors.Join(os.WriteFile(target, []byte(byHand), 0o644), os.Symlink(target, path)); err != nil {
		t.Skip("requires symbolic links: ", err)
	}
	if err := s.Rename(t.Context(), "case 7", "case 8"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link has mode %v, %v, want a symbolic link", info.Mode(), err)
	}
	if !strings.Contains(contentOf(t, target), "case 8") {
		t.Errorf("case 8 is missing in the link's target:\n%s", contentOf(t, target))
	}
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestAddCreatesList(t *testing.T) {
	for name, text := range map[string]string{
		"no file": "", "empty list": "bookmarks: []\n", "no value": "# soon\nbookmarks:\n", "comment": "# soon", "null": "bookmarks: ~",
	} {
		t.Run(name, func(t *testing.T) {
			s, path := openFile(t, text)
			if name == "null" { // The list cannot follow ~ on the next line.
				if err := s.Add(t.Context(), query(t, s, "one", "created")); err == nil || contentOf(t, path) != text {
					t.Errorf("want an error and an unchanged file, got %v\n%s", err, contentOf(t, path))
				}
				return
			}
			for _, n := range []string{"one", "two"} {
				if err := s.Add(t.Context(), query(t, s, n, "created")); err != nil {
					t.Fatal(err)
				}
			}
			got := contentOf(t, path)
			if len(bookmarkLines(t, s)) != 2 || strings.Contains(text, "# soon") && !strings.Contains(got, "# soon") {
				t.Errorf("want 2 bookmarks and the comment, got:\n%s", got)
			}
			for _, n := range []string{"one", "two"} {
				if _, _, err := s.Remove(t.Context(), n); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Add(t.Context(), query(t, s, "three", "approved")); err != nil || len(bookmarkLines(t, s)) != 1 {
				t.Errorf("adding to the emptied list: %v\n%s", err, contentOf(t, path))
			}
		})
	}
}

func TestReadReportsErrorsWithPositions(t *testing.T) {
	for text, want := range map[string]string{
		"bookmarks:\n  - name: a\n    patern: x\n": "3:5: error: " +
			"bookmarks.0.patern: unknown key \"patern\"; did you mean \"pattern\"?",
		"bookmarks:\n  - pattern: get-verification\n": "2:5: error: " +
			"bookmarks.0: bookmark name is empty",
		"bookmarks:\n  - name: a\n    pattern: get-verification\n  - name: A\n    pattern: get-verification": "4:5: error: " +
			"bookmarks.1: duplicate name \"A\", first used on line 2",
		"bookmarks:\n  - name: [a\n": "error: not YAML",
		"bookmark:\n": "1:1: error: " +
			"bookmark: unknown key \"bookmark\"; did you mean \"bookmarks\"?",
		"bookmarks: 7":      "1:1: error: bookmarks: expected a list",
		"- a":               "1:1: error: expected a mapping",
		"bookmarks:\n  - 7": "2:5: error: bookmarks.0: expected a mapping",
		"bookmarks:\n  - name: a\n    pattern: get-verification\n    table: x": "either a pattern or an item",
	} {
		s, path := openFile(t, text)
		_, err := s.Read()
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s\ngot %v, want %s", text, err, want)
		}
		if err := s.Add(t.Context(), query(t, s, "new", "created")); !errors.Is(err, bookmarks.ErrBookmark) || contentOf(t, path) != text {
			t.Errorf("want an error and an unchanged file, got %v\n%s", err, contentOf(t, path))
		}
	}
	t.Run("unknown pattern is a problem of the bookmark", func(t *testing.T) {
		s, _ := openFile(t, "bookmarks:\n  - {name: a, pattern: get-verificatio}\n")
		list := bookmarkLines(t, s)
		if len(list) != 1 || !strings.Contains(list[0], `did you mean "get-verification"?`) {
			t.Errorf("got %v, want 1 fault with a suggestion", list)
		}
	})
}

// Insert restores the original text, even if the bookmark's pattern or table does not exist.
func TestInsertRestoresTheOnlyBookmark(t *testing.T) {
	for _, text := range []string{
		"bookmarks:\n    # Why.\n    - name: old   # x\n      pattern: gone\n", "bookmarks:\n- {name: old, table: gone, key: {PK: a}}\n",
	} {
		s, path := openFile(t, text)
		b, at, err := s.Remove(t.Context(), "old")
		if err != nil || b.Problem == "" {
			t.Fatalf("got %v, %+v, want a bookmark with a problem", err, b)
		}
		if err := s.Insert(t.Context(), b, at); err != nil || contentOf(t, path) != text {
			t.Errorf("restoring the bookmark: %v\n%s\nwant\n%s", err, contentOf(t, path), text)
		}
		if err := os.WriteFile(path, []byte("bookmarks:\n        - {name: a, pattern: get-verification}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := s.Insert(t.Context(), b, at); !errors.Is(err, bookmarks.ErrBookmark) {
			t.Errorf("got %v, want an error because the indentation differs", err)
		}
	}
}

func TestEditsRejectInvalidNames(t *testing.T) {
	s, path := openFile(t, byHand)
	before := contentOf(t, path)
	for subject, err := range map[string]error{
		"taken name":                   s.Add(t.Context(), query(t, s, "Weekly review", "created")),
		"no name":                      s.Add(t.Context(), query(t, s, " \t", "created")),
		"control":                      s.Add(t.Context(), query(t, s, "a\x1bb", "created")),
		"long":                         s.Add(t.Context(), query(t, s, strings.Repeat("x", 81), "created")),
		"rename to a taken name":       s.Rename(t.Context(), "case 7", "weekly REVIEW"),
		"rename of a missing bookmark": s.Rename(t.Context(), "missing", "x"),
		"move of a missing bookmark":   s.Move(t.Context(), "missing", 1),
	} {
		if !errors.Is(err, bookmarks.ErrBookmark) {
			t.Errorf("%s: got %v", subject, err)
		}
	}
	if contentOf(t, path) != before {
		t.Error("the rejected edit changed the file")
	}
}

func TestConcurrentEditsLoseNothing(t *testing.T) {
	s, path := openFile(t, byHand)
	other := bookmarks.New(session.NewViewer(session.Options{Profile: s.Profile(), StateDir: t.TempDir(), BookmarkPath: path}), local.New())
	state := t.TempDir()
	same := bookmarks.New(session.NewViewer(session.Options{Profile: s.Profile(), StateDir: state, BookmarkPath: path}), local.New())
	third := bookmarks.New(session.NewViewer(session.Options{Profile: s.Profile(), StateDir: state, BookmarkPath: path}), local.New())
	var all sync.WaitGroup
	for n, console := range []*bookmarks.List{same, third} {
		all.Go(func() {
			for i := range 10 {
				if err := console.Add(t.Context(), query(t, bookmarkSession{s.Viewer, console}, fmt.Sprintf("%d.%d", n, i), "created")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if n := len(bookmarkLines(t, bookmarkSession{s.Viewer, other})); n != 23 {
		t.Errorf("got %d of 23 bookmarks:\n%s", n, contentOf(t, path))
	}
	if _, err := other.Find("1.9"); err != nil {
		t.Error(err)
	}
}

func TestBookmarksContainNoPersonalData(t *testing.T) {
	for _, name := range profiles.Names() {
		p, err := profiles.Open(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "b.yaml")
		viewer := session.NewViewer(session.Options{Profile: p, StateDir: t.TempDir(), BookmarkPath: path})
		s, rd := bookmarks.New(viewer, local.New()), reading.New(viewer, tables.New(viewer))
		written, calls := 0, map[string]int{}
		for n, sample := range fixture.Samples(t, p) {
			it := fixture.WithCanaries(t, sample, n)
			b, err := s.NewItem(fmt.Sprint("item ", n), sample.Table, it)
			if err == nil {
				err = s.Add(t.Context(), b)
				written++
			}
			if err != nil && !errors.Is(err, session.ErrRefused) {
				t.Fatal(err)
			}
			for i, r := range rd.Related(sample.Table, it) {
				if calls[r.Pattern.ID] > 1 {
					continue
				}
				calls[r.Pattern.ID]++
				b, _ := s.NewQuery(fmt.Sprint("query ", n, " ", i), r.Pattern, r.Args)
				if err := s.Add(t.Context(), b); err != nil {
					t.Fatal(err)
				}
			}
		}
		if text := contentOf(t, path); strings.Contains(text, "canary") {
			at := strings.Index(text, "canary")
			t.Errorf("%s: the file contains personal data: …%s…", name, text[max(at-200, 0):min(at+40, len(text))])
		}
		if written == 0 {
			t.Errorf("%s: no item got a bookmark", name)
		}
		if list, err := s.Read(); err != nil || slices.ContainsFunc(list, func(b bookmarks.Bookmark) bool { return b.Problem != "" }) {
			t.Errorf("%s: cannot read the written bookmarks: %v", name, err)
		}
	}
}

func TestDefaultPath(t *testing.T) {
	t.Setenv("DDBDESK_CONFIG_DIR", "/cfg")
	p, err := profiles.Open("tazco", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := bookmarks.DefaultPath(p); got != filepath.FromSlash("/cfg/bookmarks/tazco.yaml") {
		t.Error(got)
	}
	p.File = "schemas/shop.v2.yaml"
	if got := bookmarks.DefaultPath(p); got != "schemas/shop.v2.bookmarks.yaml" {
		t.Error(got)
	}
}

// Random edits leave the same names in the same order as the same edits of a slice.
func TestEditsMatchPlainList(t *testing.T) {
	s, path := openFile(t, byHand)
	rapid.Check(t, func(rt *rapid.T) {
		if err := os.WriteFile(path, []byte(byHand), 0o644); err != nil {
			rt.Fatal(err)
		}
		want := []string{"weekly review", "the broken case", "case 7"}
		name := rapid.SampledFrom([]string{
			"weekly review", "the broken case", "case 7", "- dash", "a: b", "# c", "null", "'q'", `"dq"`, "é 漢 🙂", "7", "-7d",
		})
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			n, m := name.Draw(rt, "name"), name.Draw(rt, "other")
			at := slices.Index(want, n)
			switch rapid.SampledFrom([]string{"add", "remove", "rename", "move", "undo"}).Draw(rt, "what") {
			case "add":
				if (s.Add(t.Context(), query(t, s, n, "created")) == nil) != (at < 0) {
					rt.Fatalf("Add(%q) succeeded or failed unexpectedly", n)
				}
				if at < 0 {
					want = append(want, n)
				}
			case "remove":
				if _, _, err := s.Remove(t.Context(), n); (err == nil) != (at >= 0) {
					rt.Fatalf("Remove(%q): %v", n, err)
				}
				if at >= 0 {
					want = slices.Delete(want, at, at+1)
				}
			case "rename":
				err := s.Rename(t.Context(), n, m)
				if fine := at >= 0 && (n == m || !slices.Contains(want, m)); fine != (err == nil) {
					rt.Fatalf("Rename(%q, %q): %v", n, m, err)
				} else if fine {
					want[at] = m
				}
			case "move":
				offset := rapid.IntRange(-3, 3).Draw(rt, "by")
				if err := s.Move(t.Context(), n, offset); (err == nil) != (at >= 0) {
					rt.Fatalf("Move(%q): %v", n, err)
				}
				if at >= 0 {
					to := min(max(at+offset, 0), len(want)-1)
					want = slices.Insert(slices.Delete(want, at, at+1), to, n)
				}
			case "undo":
				before := contentOf(t, path)
				b, place, err := s.Remove(t.Context(), n)
				if err == nil {
					err = s.Insert(t.Context(), b, place)
				}
				if at >= 0 && (err != nil || len(bookmarkLines(t, s)) != len(want)) {
					rt.Fatalf("undoing the removal of %q: %v\n%s\nbefore\n%s", n, err, contentOf(t, path), before)
				}
			}
			list, err := s.Read()
			if err != nil {
				rt.Fatalf("%v\n%s", err, contentOf(t, path))
			}
			got := make([]string, len(list))
			for i, b := range list {
				got[i] = b.Name
			}
			if diff := cmp.Diff(want, got); diff != "" {
				rt.Fatalf("(-want +got):\n%s\n%s", diff, contentOf(t, path))
			}
		}
	})
}
