package config

import "testing"

func TestKeysThatTerminalsCanSend(t *testing.T) {
	for _, key := range []string{
		"x", "X", "?", ":", "+", "é", "ctrl+k", "alt+x", "alt+X", "alt++", "f5", "space", "enter", "tab", "shift+tab", "alt+left", "ctrl+right", "pgdown",
	} {
		if why, _ := CheckKey(key); why != "" {
			t.Errorf("%s: %s", key, why)
		}
	}
}

func TestKeysThatTerminalsCannotSend(t *testing.T) {
	for key, want := range map[string]string{
		"ctrl+i":       `the key "ctrl+i" cannot be told apart: terminals send it as tab; choose another key`,
		"ctrl+m":       `the key "ctrl+m" cannot be told apart: terminals send it as enter; choose another key`,
		"ctrl+[":       `the key "ctrl+[" cannot be told apart: terminals send it as esc; choose another key`,
		"ctrl+c":       `the key "ctrl+c" cannot be given away: it always cancels, and pressed twice quits; choose another key`,
		"esc":          `the key "esc" cannot be given away: it always cancels and goes back; choose another key`,
		"shift+g":      `the key "shift+g" is written as the character it makes; write "G"`,
		"shift+enter":  `many terminals cannot send "shift+enter"; choose a key with fewer modifiers`,
		"ctrl+shift+r": `many terminals cannot send "ctrl+shift+r"; choose a key with fewer modifiers`,
		"ctrl+enter":   `many terminals cannot send "ctrl+enter"; choose a key with fewer modifiers`,
		"ctrl+1":       `many terminals cannot send "ctrl+1"; with ctrl use a to z`,
		"ctrl+K":       `many terminals cannot send "ctrl+K"; with ctrl use a to z`,
		"alt+ctrl+x":   `the key "alt+ctrl+x" is written otherwise; write "ctrl+alt+x"`,
		"alt+[":        `the key "alt+[" starts other keys in terminals; choose another key`,
		"page-down":    `"page-down" is no key; did you mean "pgdown"?`,
		"Ctrl+k":       `"Ctrl+k" is no key; write "ctrl+k"`,
		"":             `"" is no key; such as x, X, ctrl+x, alt+x, f5 or pgdown`,
		" ":            `" " is no key; such as x, X, ctrl+x, alt+x, f5 or pgdown`,
		"super+x":      `"super+x" is no key; such as x, X, ctrl+x, alt+x, f5 or pgdown`,
		"\x1b":         `"␛" is no key; such as x, X, ctrl+x, alt+x, f5 or pgdown`,
		"alt+alt+x":    `"alt+alt+x" is no key; such as x, X, ctrl+x, alt+x, f5 or pgdown`,
	} {
		why, instead := CheckKey(key)
		if got := why + "; " + instead; got != want {
			t.Errorf("%q:\n got %s\nwant %s", key, got, want)
		}
	}
}
