package widget

import (
	"testing"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"
)

func TestInputEditsWholeCharacters(t *testing.T) {
	const family, accent, flag = "👩‍👩‍👧", "e\u0301", "🇧🇼"
	left, right := tea.KeyPressMsg{Code: tea.KeyLeft}, tea.KeyPressMsg{Code: tea.KeyRight}
	backspace, del := tea.KeyPressMsg{Code: tea.KeyBackspace}, tea.KeyPressMsg{Code: tea.KeyDelete}
	x := tea.KeyPressMsg{Code: 'x', Text: "x"}
	wordForward := tea.KeyPressMsg{Code: 'd', Mod: tea.ModAlt}
	for _, tt := range []struct {
		text string
		keys []tea.KeyPressMsg
		want string
	}{
		{"a" + family, []tea.KeyPressMsg{backspace}, "a"},
		{"a" + family + "b", []tea.KeyPressMsg{left, backspace}, "ab"},
		{"a" + family, []tea.KeyPressMsg{left, x}, "ax" + family},
		{"a" + family + "b", []tea.KeyPressMsg{left, left, right, x}, "a" + family + "xb"},
		{accent + flag, []tea.KeyPressMsg{left, left, del}, flag},
		{accent + flag, []tea.KeyPressMsg{backspace, backspace, backspace}, ""},
		{accent + flag, []tea.KeyPressMsg{left, left, left, right, x}, accent + "x" + flag},
		{"", []tea.KeyPressMsg{backspace, del, left, right}, ""},
		{"ab", []tea.KeyPressMsg{del, right, x}, "abx"},
		{"a b", []tea.KeyPressMsg{left, wordForward}, "a "},
	} {
		in := newInput()
		in.focus()
		in.set(tt.text)
		for _, k := range tt.keys {
			if _, changed := in.update(k); changed && k == left {
				t.Errorf("%q: a movement key changed the text", tt.text)
			}
		}
		if got := in.value(); got != tt.want {
			t.Errorf("%q after %v: got %q, want %q", tt.text, tt.keys, got, tt.want)
		}
	}
}

// Any key leaves an input in a state that can be edited and drawn.
func TestInputHandlesAnyKey(t *testing.T) {
	press := rapid.SampledFrom([]tea.KeyPressMsg{
		{Code: tea.KeyLeft},
		{Code: tea.KeyRight},
		{Code: tea.KeyLeft, Mod: tea.ModAlt},
		{Code: tea.KeyRight, Mod: tea.ModAlt},
		{Code: tea.KeyHome},
		{Code: tea.KeyEnd},
		{Code: tea.KeyBackspace},
		{Code: tea.KeyDelete},
		{Code: tea.KeyBackspace, Mod: tea.ModAlt},
		{Code: tea.KeyDelete, Mod: tea.ModAlt},
		{Code: 'd', Mod: tea.ModAlt},
		{Code: 'w', Mod: tea.ModCtrl},
		{Code: 'k', Mod: tea.ModCtrl},
		{Code: 'u', Mod: tea.ModCtrl},
		{Code: tea.KeySpace, Text: " "},
		{Code: 'x', Text: "x"},
	})
	rapid.Check(t, func(t *rapid.T) {
		in := newInput()
		in.focus()
		in.set(rapid.StringMatching("[a ]{0,6}|[a é👩🇧]{0,6}").Draw(t, "text"))
		for _, k := range rapid.SliceOfN(press, 1, 12).Draw(t, "keys") {
			in.update(k)
			in.shownText()
		}
		if n := len([]rune(in.value())); in.edit.Position() > n {
			t.Fatalf("the cursor is at %d, after the end at %d", in.edit.Position(), n)
		}
	})
}

// A scrolled field marks its hidden beginning, and a field without focus begins with its beginning.
func TestScrolledInputMarksHiddenBeginning(t *testing.T) {
	in := newInput()
	in.focus()
	in.set("an ERROR in worker ver_1")
	if part, at := in.visiblePart(10); part != "…er ver_1" || at != 9 {
		t.Errorf("got %q with the cursor at %d", part, at)
	}
	for range 12 {
		in.update(tea.KeyPressMsg{Code: tea.KeyLeft})
	}
	if part, at := in.visiblePart(10); part != "…worker ve" || at != 1 {
		t.Errorf("after left, got %q with the cursor at %d", part, at)
	}
	in.update(tea.KeyPressMsg{Code: tea.KeyHome})
	if part, at := in.visiblePart(10); part != "an ERROR i" || at != 0 {
		t.Errorf("after home, got %q with the cursor at %d", part, at)
	}
	in.update(tea.KeyPressMsg{Code: tea.KeyEnd})
	in.blur()
	if part, _ := in.visiblePart(10); part != "an ERROR …" {
		t.Errorf("without focus, got %q", part)
	}
}
