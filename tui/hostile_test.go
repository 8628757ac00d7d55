package tui

import (
	"encoding/json"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/testing/hostile"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// wantSafeFrame fails unless a frame fits, appears on a terminal as intended, and contains no control characters, even
// before the final check that removes them.
func wantSafeFrame(t *testing.T, m *Model, place string) {
	t.Helper()
	frame := m.compose()
	if unsafeText := hostile.FirstUnsafe(ansi.Strip(frame), ""); unsafeText != "" {
		t.Errorf("%s at %dx%d contains %s", place, m.w, m.h, unsafeText)
	}
	if models.SafeFrame(frame) != frame {
		t.Errorf("%s at %dx%d contains characters that only SafeFrame removes", place, m.w, m.h)
	}
	if title := m.View().WindowTitle; hostile.FirstUnsafe(title, "") != "" || strings.Contains(title, "\n") {
		t.Errorf("%s gives the window the title %+q", place, title)
	}
	tuitest.RendersExactly(t, frame, m.w, m.h)
}

// The error texts of a server are also untrusted.
func TestHostileErrorMessagesAreSafe(t *testing.T) {
	t.Parallel()
	rejectAll := func(s *stage) { s.w.transport.hostileErrors.Store(true) }
	for name, sc := range map[string]func(*stage){
		"rows":   inSequence(toRows, rejectAll, pressing("denied", "r")),
		"item":   inSequence(toItem, rejectAll, pressing("denied", "ctrl+r")),
		"change": inSequence(toItem, pressing("shows a plan first", "o"), rejectAll, pressing("denied", "enter", "enter")),
		"queue":  inSequence(toWorkbench, rejectAll, pressing("denied", "i")),
		"drift":  inSequence(toWorkbench, pressing("Search for", ":drift"), pressing("Search for drift?", "enter"), rejectAll, pressing("denied", "tab", "enter")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, newHostileDatabase(t))
			sc(s)
			for _, size := range [][2]int{{160, 50}, {80, 24}, {61, 17}} {
				s.m.update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
				wantSafeFrame(t, s.m, name)
			}
		})
	}
}

// proseFields contains the fields of a schema that contain sentences and may have several lines.
var proseFields = map[string]bool{
	"Title": true, "Label": true, "Description": true, "Text": true, "Workaround": true, "Safe": true, "Off": true,
	"Note": true, "NoUndo": true,
}

// addLineBreaks adds line breaks and tabs to every sentence in v, which a schema may contain but a frame may not. It
// returns the number of sentences.
func addLineBreaks(v reflect.Value, count map[uintptr]bool) (n int) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && !count[v.Pointer()] {
			count[v.Pointer()] = true
			n += addLineBreaks(v.Elem(), count)
		}
	case reflect.Slice:
		for i := range v.Len() {
			n += addLineBreaks(v.Index(i), count)
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			n += addLineBreaks(v.MapIndex(k), count)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Field(i)
			switch field := v.Type().Field(i); {
			case !field.IsExported():
			case proseFields[field.Name] && f.Kind() == reflect.String && f.CanSet() && f.String() != "":
				f.SetString(f.String() + "\n\tmore\n日本")
				n++
			default:
				n += addLineBreaks(f, count)
			}
		}
	default:
	}
	return n
}

// copyWith presses a key in the copy menu and returns the copied text.
func (s *stage) copyWith(key string) string {
	s.w.clip.write("nothing") //nolint:errcheck // It never fails.
	s.pressKeys("y", key)
	return s.w.clip.read()
}

// A copy contains the exact text, but no terminal control sequences that a paste would execute.
func TestCopiesAreExactAndSafe(t *testing.T) {
	t.Parallel()
	w := newQueueFixture(t, 0)
	const lines = "one\ntwo\ttabs \u202e日本"
	w.put(
		1, "in_review",
		models.Item{
			"documentType": models.StringValue(hostile.Text), "notes": models.StringValue(lines),
			"\x1b[2J": models.StringValue("x"),
		},
	)
	inBubble(t, w, func(t *testing.T, s *stage) {
		toRows(s)
		s.pressKeys("enter")
		for _, key := range []string{"j", "d", "k", "c", "g", "p", "t"} {
			if got := s.copyWith(key); got == "nothing" || !models.IsPastable(got) {
				t.Errorf("key %s copied %+q", key, got)
			}
		}
		var copied models.Item
		for range 40 {
			s.pressKeys("down")
			text := s.copyWith("v")
			if !models.IsPastable(text) {
				t.Errorf("the console copied the value as %+q", text)
			}
			var exact string
			if json.Unmarshal([]byte(text), &exact) == nil && exact == hostile.Text {
				copied = models.Item{"exact": models.StringValue(exact)}
			}
			if text == lines {
				lines := models.StringValue(text)
				if copied != nil {
					copied["lines"] = lines
				}
			}
		}
		if len(copied) != 2 {
			t.Errorf("got copied texts %v, want 2 exact values", copied)
		}
	})
}

// A pager may execute escape sequences, so it gets none. An editor shows them, so it gets the exact text.
func TestPagersGetNoEscapes(t *testing.T) {
	program := "cat"
	if _, err := exec.LookPath(program); err != nil {
		t.Skip("requires cat")
	}
	env := tea.EnvMsg{"PAGER=" + program, "VISUAL=" + program}
	for name, c := range map[string]struct {
		msg  screen.RunExternalMsg
		want string
	}{
		"pager":  {screen.RunExternalMsg{To: screen.Pager, Text: hostile.Text}, models.SafeText(hostile.Text)},
		"editor": {screen.RunExternalMsg{To: screen.Editor, Text: hostile.Text}, hostile.Text},
	} {
		c.msg.File = "x.txt"
		var files tempFolder
		r := prepareFile(env, c.msg, &files)
		if r.err != nil {
			t.Fatal(r.err)
		}
		text, err := os.ReadFile(r.path)
		if err != nil || string(text) != c.want || r.msg.Text != c.want {
			t.Errorf("%s receives %+q, %v", name, text, err)
		}
		if r.stdin != nil {
			r.stdin.Close() //nolint:errcheck // It was only read.
		}
		if err := files.remove(true); err != nil {
			t.Error(err)
		}
	}
}
