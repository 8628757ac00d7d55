package widget

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

// press returns the message for a named key.
func press(name string) tea.KeyPressMsg {
	codes := map[string]rune{
		"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight, "enter": tea.KeyEnter,
		"esc": tea.KeyEscape, "tab": tea.KeyTab, "home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp,
		"pgdown": tea.KeyPgDown, "space": tea.KeySpace, "backspace": tea.KeyBackspace,
	}
	if code, ok := codes[name]; ok {
		text := ""
		if name == "space" {
			text = " "
		}
		return tea.KeyPressMsg{Code: code, Text: text}
	}
	if c, ok := strings.CutPrefix(name, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: rune(c[0]), Mod: tea.ModCtrl}
	}
	if c, ok := strings.CutPrefix(name, "shift+"); ok {
		msg := press(c)
		msg.Mod = tea.ModShift
		return msg
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}

// hostile generates text from pieces that break careless layouts.
func hostile() *rapid.Generator[string] {
	pieces := []string{
		"a", "verification", " ", "42", "\x1b[2J\x1b[H", "\x1b]0;t\a", "\x9b31m", "\r", "\n", "\t", "\x00", "\xff", "\u202e", "\u200b",
		"\u200d", "\u0301", "👍🏽", "❤️", "👨‍👩‍👧", "🇧🇼", "🇧", "日本語", "한국", "क्षि", "ﷺ", "e\u0301", strings.Repeat("x", 300), "…", "‹›",
	}
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 5).Draw(t, "pieces"), "")
	})
}

// size generates a width or height, more often a small one.
func size(limit int) *rapid.Generator[int] {
	return rapid.OneOf(rapid.IntRange(-2, 6), rapid.IntRange(0, limit))
}

// plain removes the styles and trailing spaces from a view.
func plain(view string) string {
	lines := strings.Split(ansi.Strip(view), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

func testStyles(t *rapid.T) *Styles {
	return NewStyles(rapid.Bool().Draw(t, "dark"), rapid.Bool().Draw(t, "noColor"))
}

func wantPlain(t *testing.T, view, want string) {
	t.Helper()
	if got := plain(view); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
