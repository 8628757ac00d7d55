package widget

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// namedKeys are the keys whose names are words.
var namedKeys = map[string]rune{
	"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "space": tea.KeySpace, "backspace": tea.KeyBackspace,
	"delete": tea.KeyDelete, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
	"home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "f1": tea.KeyF1,
}

// Press returns the message of pressing a key, by the name that bindings use: "a", "enter", "ctrl+p", "shift+tab". It is false
// for a name that it does not know.
func Press(name string) (tea.KeyPressMsg, bool) {
	var mod tea.KeyMod
	rest := name
	for prefix, m := range map[string]tea.KeyMod{"ctrl+": tea.ModCtrl, "alt+": tea.ModAlt, "shift+": tea.ModShift} {
		if after, ok := strings.CutPrefix(rest, prefix); ok && after != "" {
			mod, rest = m, after
			break
		}
	}
	if code, ok := namedKeys[rest]; ok {
		msg := tea.KeyPressMsg{Code: code, Mod: mod}
		if code == tea.KeySpace && mod == 0 {
			msg.Text = " "
		}
		return msg, true
	}
	r := []rune(rest)
	if len(r) != 1 {
		return tea.KeyPressMsg{}, false
	}
	msg := tea.KeyPressMsg{Code: r[0], Mod: mod}
	if mod == 0 {
		msg.Text = rest
	}
	return msg, true
}
