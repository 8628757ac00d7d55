// This file looks at every byte that the console hands out while everything it
// is given is hostile: items, the names of the connection, what servers say.

package tui

import (
	"reflect"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/hostile"
	"github.com/ddbdesk/ddbdesk/internal/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
)

// untainted fails unless a frame is safe without its fence, fits, and is shown by
// a terminal as it was meant.
func untainted(t *testing.T, m *Model, where string) {
	t.Helper()
	frame := m.compose()
	if acts := hostile.Acts(ansi.Strip(frame), ""); acts != "" {
		t.Errorf("%s at %dx%d draws %s", where, m.w, m.h, acts)
	}
	if models.FenceFrame(frame) != frame {
		t.Errorf("%s at %dx%d is held up by the fence", where, m.w, m.h)
	}
	if title := m.View().WindowTitle; hostile.Acts(title, "") != "" || strings.Contains(title, "\n") {
		t.Errorf("%s gives the window the title %+q", where, title)
	}
	tuitest.Sound(t, frame, m.w, m.h)
}

// What a server says against a request is text of others as well.
func TestRefusalsAreHostile(t *testing.T) {
	t.Parallel()
	lie := func(s *stage) { s.w.line.lies.Store(true) }
	for name, sc := range map[string]func(*stage){
		"rows":   ways(toRows, lie, keys("denied", "r")),
		"item":   ways(toItem, lie, keys("denied", "r")),
		"change": ways(toItem, keys("Moves from here", "3"), lie, keys("denied", "enter")),
		"queue":  ways(bench, lie, keys("denied", "Q")),
		"drift":  ways(bench, keys("Look for", "D"), keys("Read it", "enter"), lie, keys("denied", "tab", "enter")),
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, newHostileWard(t))
			sc(s)
			for _, size := range [][2]int{{160, 50}, {80, 24}, {61, 17}} {
				s.m.update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
				untainted(t, s.m, name)
			}
		})
	}
}

// proseFields are what a profile says in sentences, which may have several lines.
var proseFields = map[string]bool{"Title": true, "Label": true, "Description": true, "Text": true, "Behaviour": true, "Safe": true, "Off": true, "Note": true, "NoUndo": true}

// inLines gives every sentence that v leads to more lines, and tabs: they are no
// harm to the file that has them, and must be none to a line of the screen. It
// returns how many there are.
func inLines(v reflect.Value, seen map[uintptr]bool) (n int) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && !seen[v.Pointer()] {
			seen[v.Pointer()] = true
			n += inLines(v.Elem(), seen)
		}
	case reflect.Slice:
		for i := range v.Len() {
			n += inLines(v.Index(i), seen)
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			n += inLines(v.MapIndex(k), seen)
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
				n += inLines(f, seen)
			}
		}
	default:
	}
	return n
}
