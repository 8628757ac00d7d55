package widget

import (
	"testing"

	tea "charm.land/bubbletea/v2"
)

func TestInputEditsWholeCharacters(t *testing.T) {
	const family, accent, flag = "👩‍👩‍👧", "e\u0301", "🇧🇼"
	left, right := tea.KeyPressMsg{Code: tea.KeyLeft}, tea.KeyPressMsg{Code: tea.KeyRight}
	back, del := tea.KeyPressMsg{Code: tea.KeyBackspace}, tea.KeyPressMsg{Code: tea.KeyDelete}
	x := tea.KeyPressMsg{Code: 'x', Text: "x"}
	for _, tt := range []struct {
		text string
		keys []tea.KeyPressMsg
		want string
	}{
		{"a" + family, []tea.KeyPressMsg{back}, "a"},
		{"a" + family + "b", []tea.KeyPressMsg{left, back}, "ab"},
		{"a" + family, []tea.KeyPressMsg{left, x}, "ax" + family},
		{"a" + family + "b", []tea.KeyPressMsg{left, left, right, x}, "a" + family + "xb"},
		{accent + flag, []tea.KeyPressMsg{left, left, del}, flag},
		{accent + flag, []tea.KeyPressMsg{back, back, back}, ""},
		{accent + flag, []tea.KeyPressMsg{left, left, left, right, x}, accent + "x" + flag},
		{"", []tea.KeyPressMsg{back, del, left, right}, ""},
		{"ab", []tea.KeyPressMsg{del, right, x}, "abx"},
	} {
		in := newInput()
		in.focus()
		in.set(tt.text)
		for _, k := range tt.keys {
			if _, changed := in.update(k); changed && k == left {
				t.Errorf("%q: moving changed the text", tt.text)
			}
		}
		if got := in.value(); got != tt.want {
			t.Errorf("%q after %v is %q, want %q", tt.text, tt.keys, got, tt.want)
		}
	}
}
