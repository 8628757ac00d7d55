package lists

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"

	tea "charm.land/bubbletea/v2"
	"go.yaml.in/yaml/v4"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/tui/listing"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// openFile returns the screen for a bookmark file with the given text.
func openFile(t testing.TB, path, text string) *listing.Screen[savedBookmark] {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	on := workspace.New(session.Options{Profile: schemas.Open(t, "authbridge"), StateDir: filepath.Dir(path), BookmarkPath: path})
	s := Bookmarks.Open(
		&screen.Env{Context: t.Context(), Workspace: on, Styles: widget.NewStyles(true, true), Now: on.Session.Now},
		screen.Bookmarks{},
	).(*listing.Screen[savedBookmark])
	s.SetSize(100, 30)
	answer(s, s.Init())
	return s
}

// answer sends the results of a command to the screen.
func answer(s screen.Screen, cmd tea.Cmd) { answerWith(s, cmd, func(screen.NoticeMsg) {}) }

// answerWith works like answer, and passes notices to the function notice.
func answerWith(s screen.Screen, cmd tea.Cmd, notice func(screen.NoticeMsg)) {
	for cmd != nil {
		msg := cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for _, c := range batch {
				answerWith(s, c, notice)
			}
			return
		}
		if n, ok := msg.(screen.NoticeMsg); ok {
			notice(n)
			return
		}
		if _, ticks := msg.(screen.TickMsg); ticks {
			return
		}
		cmd = s.Update(msg)
	}
}

func TestBookmarksReportFileErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "b.yaml")
	text := "bookmarks:\n  - name: good\n    pattern: get-verification\n  - name: broken\n    patern: x\n  - name: old\n " +
		"   pattern: get-verificatio\n"
	s := openFile(t, path, text)
	view := s.View()
	for _, want := range []string{"good", "broken", "old", "line 5: unknown key", `unknown key "patern"`, "✗", "1 problem"} {
		if !strings.Contains(view+s.Status(), want) {
			t.Errorf("%q is missing:\n%s", want, view)
		}
	}
	answer(s, s.Update(screentest.Pressed("delete")))
	if now, err := os.ReadFile(path); err != nil || string(now) != text {
		t.Errorf("a file with errors was changed: %v\n%s", err, now)
	}
	s.Update(screentest.Pressed("G"))
	if open, _ := s.Actions().Named("enter"); !strings.Contains(open.Why(), `did you mean "get-verification"?`) {
		t.Errorf("a missing pattern: got %q", open.Why())
	}
}

// If the file no longer contains a bookmark, removing it is an error, and the screen reads the file again.
func TestRemovedBookmarkIsReported(t *testing.T) {
	path := filepath.Join(t.TempDir(), "b.yaml")
	s := openFile(t, path, "bookmarks:\n  - name: one\n    pattern: get-verification\n")
	if err := os.WriteFile(path, []byte("bookmarks:\n  - name: other\n    pattern: get-verification\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var notices []string
	answerWith(s, s.Update(screentest.Pressed("delete")), func(n screen.NoticeMsg) { notices = append(notices, n.Text) })
	if got := strings.Join(notices, " "); !strings.Contains(got, `bookmark "one" no longer exists`) {
		t.Fatalf("got notices %q", got)
	}
	if view := s.View(); !strings.Contains(view, "other") || strings.Contains(view, "one ") {
		t.Errorf("the screen did not read the file again:\n%s", view)
	}
}

func TestBookmarksFitHostileText(t *testing.T) {
	path := filepath.Join(t.TempDir(), "b.yaml")
	rapid.Check(t, func(rt *rapid.T) { anyBookmark(t, rt, path) })
}

func anyBookmark(t *testing.T, rt *rapid.T, path string) {
	texts := map[string]any{}
	word := func(name string) {
		texts[name] = rapid.OneOf(rapid.Just("get-verification"), screentest.HostileText).Draw(rt, name)
	}
	for _, name := range []string{"name", "note", "pattern", "table"} {
		if rapid.Bool().Draw(rt, "has "+name) {
			word(name)
		}
	}
	if rapid.Bool().Draw(rt, "has args") {
		texts["parameters"] = map[string]string{"verificationId": screentest.HostileText.Draw(rt, "id")}
		texts["key"] = map[string]string{"PK": screentest.HostileText.Draw(rt, "pk"), "SK": "META"}
	}
	text, err := yaml.Dump(map[string]any{"bookmarks": []any{texts}})
	if err != nil {
		rt.Skip(err)
	}
	var s *listing.Screen[savedBookmark]
	synctest.Test(t, func(t *testing.T) { s = openFile(t, path, string(text)) }) // no real time for the spinner
	w, h := rapid.IntRange(0, 140).Draw(rt, "w"), rapid.IntRange(0, 45).Draw(rt, "h")
	s.SetSize(w, h)
	tuitest.RendersExactly(rt, s.View(), w, h)
	s.Update(screentest.Pressed("e"))
	if w >= 60 && h >= 14 {
		tuitest.RendersExactly(rt, s.View(), w, h)
	}
}
