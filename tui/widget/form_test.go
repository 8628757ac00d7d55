package widget

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

func testForm() *Form {
	f := NewForm(NewStyles(true, false),
		FormField{Name: "clientId", Required: true, Help: "as in the console", Width: 12},
		FormField{Name: "status", Kind: FieldEnum, Default: "open", Options: []Option{
			{Value: "open"}, {Value: "done", Label: "finished"}, {Value: "dropped"},
		}},
		FormField{Name: "limit", Kind: FieldNumber, Default: "50", Validate: func(v string) error {
			if _, err := strconv.Atoi(v); err != nil {
				return errors.New("limit is a number, not " + v)
			}
			return nil
		}},
		FormField{Name: "token", Kind: FieldSecret},
	)
	f.SetSize(60, f.Height(60))
	return f
}

// typeText presses the keys in a form.
func typeText(f *Form, keys ...string) {
	for _, k := range keys {
		f.Update(press(k))
	}
}

func TestFormFlowsAndShowsDefaults(t *testing.T) {
	f := testForm()
	if f.Height(60) != 3 || f.Height(200) != 2 || f.Height(20) != 5 {
		t.Errorf("got heights %d, %d, %d, want 3, 2, 5", f.Height(60), f.Height(200), f.Height(20))
	}
	typeText(f, "c", "_", "1")
	wantPlain(t, f.View(), " clientId*  c_1            status  open       ▾\n limit      50           token\n as in the console")
	if c := f.Cursor(); c == nil || c.X != 15 || c.Y != 0 {
		t.Errorf("the cursor is at %+v, want 15, 0", c)
	}
}

func TestFormShowsIDPrefixWithoutFocus(t *testing.T) {
	const id = "ver_63ed38b4-9efe-4186-aa38-dbc9b7b4ddf1"
	one := NewForm(NewStyles(true, false), FormField{Name: "id"})
	two := NewForm(NewStyles(true, false), FormField{Name: "id"}, FormField{Name: "n", Kind: FieldNumber})
	for _, f := range []*Form{one, two} {
		f.SetFocused(true)
		f.SetSize(60, f.Height(60))
		f.Update(tea.PasteMsg{Content: id})
	}
	wantPlain(t, one.View(), " id  "+id+"\n")
	wantPlain(t, two.View(), " id  …e-4186-aa38-dbc9b7b4ddf1    n\n")
	two.SetFocused(false)
	wantPlain(t, two.View(), " id  ver_63ed38b4-9efe-4186-aa…   n\n")
}

func TestFormPopupShowsPosition(t *testing.T) {
	f := NewForm(NewStyles(true, false), FormField{Name: "status", Kind: FieldEnum, Options: make([]Option, popupRows+1)})
	for i := range f.fields[0].Options {
		f.fields[0].Options[i].Value = "state " + strconv.Itoa(i)
	}
	f.SetFocused(true)
	f.SetSize(60, f.Height(60))
	typeText(f, "space", "down")
	if box, _, _, open := f.Popup(); !open || !f.Choosing() || !strings.Contains(ansi.Strip(box), "2/11 ─╮") {
		t.Errorf("the popup is open: %v, or lacks its position:\n%s", open, ansi.Strip(box))
	}
}

func TestFormEnumKeys(t *testing.T) {
	f := testForm()
	f.FocusField("status")
	if f.Typing() {
		t.Error("an enum field consumes printable keys")
	}
	typeText(f, "right")
	if got := f.Values()["status"]; got != "done" {
		t.Errorf("right selects %q, want done", got)
	}
	typeText(f, "left", "left")
	if got := f.Values()["status"]; got != "dropped" {
		t.Errorf("left selects %q, want dropped", got)
	}
	typeText(f, "space")
	box, _, y, open := f.Popup()
	if !open || !f.Typing() || y != 1 || !strings.Contains(plain(box), "▌ dropped") {
		t.Errorf("popup open: %v at line %d:\n%s", open, y, plain(box))
	}
	typeText(f, "f", "enter")
	if got := f.Values()["status"]; got != "done" {
		t.Errorf("f selects %q, want done", got)
	}
	if _, used := f.Update(press("enter")); used {
		t.Error("the form consumes enter")
	}
}

func TestFormShowsErrors(t *testing.T) {
	f := testForm()
	if f.Problem() != "" {
		t.Errorf("an unused form has the problem %q", f.Problem())
	}
	if err := f.Validate(); err == nil || err.Error() != "clientId is required" || f.Focused() != "clientId" {
		t.Errorf("Validate() = %v with the focus on %s", err, f.Focused())
	}
	typeText(f, "x")
	f.FocusField("limit")
	typeText(f, "7", "q")
	if got := f.Problem(); got != "limit is a number, not 7q" || !strings.Contains(plain(f.View()), "✗ "+got) {
		t.Errorf("Problem() = %q in:\n%s", got, plain(f.View()))
	}
	typeText(f, "backspace")
	if !f.Valid() || f.Validate() != nil {
		t.Error("Validate rejected a valid form")
	}
	f.SetError("clientId", errors.New("no such client"))
	f.FocusField("clientId")
	if f.Problem() != "no such client" {
		t.Errorf("Problem() = %q, want no such client", f.Problem())
	}
}

func TestFormAcceptsPastesAndMasksSecrets(t *testing.T) {
	f := testForm()
	f.Update(tea.PasteMsg{Content: "client\n_9\n"})
	if got := f.Values()["clientId"]; got != "client _9" {
		t.Errorf("pasting gives %q", got)
	}
	f.FocusField("token")
	f.Update(tea.PasteMsg{Content: "hunter2"})
	if view := plain(f.View()); strings.Contains(view, "hunter2") || !strings.Contains(view, "•••••••") {
		t.Errorf("the form shows a secret:\n%s", view)
	}
	f.FocusField("clientId")
	f.Update(tea.PasteMsg{Content: strings.Repeat("日本", 5000)})
	if c := f.Cursor(); c == nil || c.X > 24 {
		t.Errorf("after a long paste, the cursor is at %+v", c)
	}
}

func TestFormIgnoresKeysOfScreen(t *testing.T) {
	f := testForm()
	for _, k := range []string{"enter", "esc", "shift+tab", "ctrl+c"} {
		if _, used := f.Update(press(k)); used {
			t.Errorf("the first field consumes %s", k)
		}
	}
	f.FocusField("token")
	if _, used := f.Update(press("tab")); used {
		t.Error("the last field consumes tab")
	}
	f.SetValues(map[string]string{"clientId": "c", "nobody": "x"})
	if got := f.Values(); got["clientId"] != "c" || got["limit"] != "50" || len(got) != 4 {
		t.Errorf("got values %v", got)
	}
}

// A required list without a value asks the user to choose one, because "any" is not a value.
func TestEmptyListReportsMissingValue(t *testing.T) {
	for required, want := range map[bool]string{true: "choose", false: "any"} {
		f := NewForm(NewStyles(true, false), FormField{
			Name: "status", Kind: FieldEnum, Required: required, Options: []Option{{Value: "open"}},
		})
		f.SetSize(40, 4)
		if view := ansi.Strip(f.View()); !strings.Contains(view, want) {
			t.Errorf("required %t: %q is missing in\n%s", required, want, view)
		}
	}
}

// A multiline text keeps its line breaks, and two double quotes mean the empty text.
func TestMultilineText(t *testing.T) {
	f := NewForm(NewStyles(true, false), FormField{Name: "note", Required: true, Multiline: true, Width: 30}, FormField{Name: "id", Width: 30})
	f.Update(tea.PasteMsg{Content: "one\r\ntwo"})
	if got := f.Values()["note"]; got != "one\ntwo" || len(f.EmptyTexts()) > 0 {
		t.Errorf("pasting gives %q", got)
	}
	f.SetValues(map[string]string{"note": `""`})
	if err := f.Validate(); err != nil || f.Values()["note"] != "" || len(f.EmptyTexts()) != 1 {
		t.Errorf("clearing gives %v, %q, %v", f.EmptyTexts(), f.Values()["note"], err)
	}
	f.SetValues(map[string]string{"note": "a\nb"})
	f.Update(tea.KeyPressMsg{Code: tea.KeyEnter, Mod: tea.ModAlt})
	if got := f.Values()["note"]; got != "a\nb\n" {
		t.Errorf("Set gives %q", got)
	}
	f.Update(tea.KeyPressMsg{Code: tea.KeyTab})
	f.Update(tea.PasteMsg{Content: "one\ntwo"})
	if got := f.Values()["id"]; got != "one two" {
		t.Errorf("the ID contains a line break: %q", got)
	}
}

// A click on the open list chooses an option, wherever the list is. A click beside it closes the list.
func TestClickChoosesOption(t *testing.T) {
	for _, at := range []struct{ x, y, h int }{{3, 2, 30}, {3, 2, 8}} {
		f := NewForm(NewStyles(true, false), FormField{Name: "status", Kind: FieldEnum, Default: "one", Options: []Option{
			{Value: "one"}, {Value: "two"}, {Value: "three"}, {Value: "four"},
		}}, FormField{Name: "id"})
		f.SetFocused(true)
		f.SetSize(60, f.Height(60))
		typeText(f, "space")
		lines := strings.Split(ansi.Strip(f.OverPopup(Place(f.View(), 80, at.h), at.x, at.y)), "\n")
		y := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, "three") })
		x := ansi.StringWidth(lines[y][:strings.Index(lines[y], "three")])
		if !f.Click(x-at.x, y-at.y) || f.Choosing() || f.Values()["status"] != "three" {
			t.Errorf("open: %v, value %q, want three", f.Choosing(), f.Values()["status"])
		}
		typeText(f, "space")
		f.OverPopup(Place(f.View(), 80, at.h), at.x, at.y)
		if f.Click(70, 0); f.Choosing() || f.Values()["status"] != "three" {
			t.Errorf("after a click outside: open %v, value %q, want three", f.Choosing(), f.Values()["status"])
		}
	}
}
