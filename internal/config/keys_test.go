package config

import "testing"

func TestCheckKeyAcceptsKeysOfAllTerminals(t *testing.T) {
	for _, key := range []string{
		"x", "X", "?", ":", "+", "é", "ctrl+k", "alt+x", "alt+X", "alt++", "f5", "space", "enter", "tab", "shift+tab", "alt+left",
		"ctrl+right", "pgdown",
	} {
		if reason, _ := CheckKey(key); reason != "" {
			t.Errorf("CheckKey(%s) = %q, want none", key, reason)
		}
	}
}

func TestCheckKeyRejects(t *testing.T) {
	for key, want := range map[string]string{
		"ctrl+i":       `terminals send key "ctrl+i" as tab; use another key`,
		"ctrl+m":       `terminals send key "ctrl+m" as enter; use another key`,
		"ctrl+[":       `terminals send key "ctrl+[" as esc; use another key`,
		"ctrl+c":       `key "ctrl+c" is reserved for: cancel, and quit when pressed twice; use another key`,
		"esc":          `key "esc" is reserved for: cancel and go back; use another key`,
		"shift+g":      `key "shift+g" is written as the character that it types; use "G"`,
		"shift+enter":  `many terminals do not send "shift+enter"; use a key with fewer modifiers`,
		"ctrl+shift+r": `many terminals do not send "ctrl+shift+r"; use a key with fewer modifiers`,
		"ctrl+enter":   `many terminals do not send "ctrl+enter"; use a key with fewer modifiers`,
		"ctrl+1":       `many terminals do not send "ctrl+1"; use ctrl with a to z`,
		"ctrl+K":       `many terminals do not send "ctrl+K"; use ctrl with a to z`,
		"alt+ctrl+x":   `key "alt+ctrl+x" is not in canonical form; use "ctrl+alt+x"`,
		"alt+[":        `terminals send other keys with the prefix "alt+["; use another key`,
		"page-down":    `unknown key "page-down"; did you mean "pgdown"?`,
		"Ctrl+k":       `unknown key "Ctrl+k"; use "ctrl+k"`,
		"":             `unknown key ""; use a key such as x, X, ctrl+x, alt+x, f5 or pgdown`,
		" ":            `unknown key " "; use a key such as x, X, ctrl+x, alt+x, f5 or pgdown`,
		"super+x":      `unknown key "super+x"; use a key such as x, X, ctrl+x, alt+x, f5 or pgdown`,
		"\x1b":         `unknown key "␛"; use a key such as x, X, ctrl+x, alt+x, f5 or pgdown`,
		"alt+alt+x":    `unknown key "alt+alt+x"; use a key such as x, X, ctrl+x, alt+x, f5 or pgdown`,
	} {
		reason, instead := CheckKey(key)
		if got := reason + "; " + instead; got != want {
			t.Errorf("%q:\n got %s\nwant %s", key, got, want)
		}
	}
}
