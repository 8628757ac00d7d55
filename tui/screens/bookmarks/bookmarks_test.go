package bookmarks

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"

	tea "charm.land/bubbletea/v2"
	"go.yaml.in/yaml/v4"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// openFile returns the screen with a file with this text.
func openFile(t testing.TB, path, text string) *bookmarksScreen {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	on := workspace.New(session.Options{Profile: schemas.Open(t, "authbridge"), StateDir: filepath.Dir(path), BookmarkPath: path})
	s := New(
		&screen.Env{Context: t.Context(), Workspace: on, Styles: widget.NewStyles(true, true), Now: on.Session.Now},
		screen.Bookmarks{},
	).(*bookmarksScreen)
	s.SetSize(100, 30)
	answer(s, s.Init())
	return s
}

// answer gives a screen what its command brings.
func answer(s screen.Screen, cmd tea.Cmd) {
	for cmd != nil {
		msg := cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for _, c := range batch {
				answer(s, c)
			}
			return
		}
		cmd = s.Update(msg)
	}
}

func TestBookmarksReportErrorsOfTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "b.yaml")
	text := "bookmarks:\n  - name: good\n    pattern: get-verification\n  - name: broken\n    patern: x\n  - name: old\n " +
		"   pattern: get-verificatio\n"
	s := openFile(t, path, text)
	view := s.View()
	for _, want := range []string{"good", "broken", "old", "line 5: unknown key", `unknown key "patern"`, "✗", "1 error in the file"} {
		if !strings.Contains(view+s.Status(), want) {
			t.Errorf("%q is missing:\n%s", want, view)
		}
	}
	answer(s, s.Update(screentest.Pressed("d")))
	if now, err := os.ReadFile(path); err != nil || string(now) != text {
		t.Errorf("a file with errors was changed: %v\n%s", err, now)
	}
	s.list.Select("old")

	if why := s.cannotOpen(); !strings.Contains(why, `did you mean "get-verification"?`) {
		t.Errorf("a pattern that does not exist: %q", why)
	}
}

// Removing a bookmark that is no longer in the file is an error, and the file is read again.
func TestRemovedBookmarkIsReported(t *testing.T) {
	path := filepath.Join(t.TempDir(), "b.yaml")
	s := openFile(t, path, "bookmarks:\n  - name: one\n    pattern: get-verification\n")
	if err := os.WriteFile(path, []byte("bookmarks:\n  - name: other\n    pattern: get-verification\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := s.Update(screentest.Pressed("d"))
	msg := cmd().(writtenMsg)
	if msg.err == nil || !strings.Contains(msg.err.Error(), `bookmark "one" no longer exists`) {
		t.Fatalf("%v", msg.err)
	}
	answer(s, s.Update(msg))
	if view := s.View(); !strings.Contains(view, "other") || strings.Contains(view, "one ") {
		t.Errorf("the file was not read again:\n%s", view)
	}
}

func TestBookmarksAnyText(t *testing.T) {
	path := filepath.Join(t.TempDir(), "b.yaml")
	rapid.Check(t, func(rt *rapid.T) {
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
		s := openFile(t, path, string(text))
		w, h := rapid.IntRange(0, 140).Draw(rt, "w"), rapid.IntRange(0, 45).Draw(rt, "h")
		s.SetSize(w, h)
		tuitest.Sound(rt, s.View(), w, h)
		s.Update(screentest.Pressed("e"))
		if w >= 60 && h >= 14 {
			tuitest.Sound(rt, s.View(), w, h)
		}
	})
}

func BenchmarkBookmarksView(b *testing.B) {
	var text strings.Builder
	text.WriteString("bookmarks:\n")
	for i := range 1000 {
		text.WriteString("  - name: bookmark " + strconv.Itoa(i) + "\n    pattern: get-verification\n    parameters: " +
			"{verificationId: ver_" + strconv.Itoa(i) + "}\n")
	}
	s := openFile(b, filepath.Join(b.TempDir(), "b.yaml"), text.String())
	s.SetSize(160, 48)
	for b.Loop() {
		s.View()
	}
}
