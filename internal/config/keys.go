package config

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ddbdesk/ddbdesk/models"
)

// namedKeys lists the keys that have a name instead of a character.
var namedKeys = []string{
	"enter", "tab", "esc", "space", "backspace", "delete", "insert", "up", "down", "left", "right", "home", "end", "pgup", "pgdown",
	"f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12",
}

// sentAs maps control keys to the key that terminals send for them.
var sentAs = map[string]string{
	"ctrl+i": "tab", "ctrl+m": "enter", "ctrl+[": "esc", "ctrl+h": "backspace on some terminals", "ctrl+@": "ctrl+space",
}

// reservedKeys maps the keys with a fixed meaning to this meaning.
var reservedKeys = map[string]string{
	"ctrl+c": "cancel, and quit when pressed twice", "ctrl+z": "suspend", "esc": "cancel and go back",
}

// modifiableKeys lists the named keys that terminals send differently with shift or ctrl.
var modifiableKeys = []string{"tab", "up", "down", "left", "right", "home", "end", "pgup", "pgdown", "delete", "insert"}

// CheckKey returns the reason that users cannot bind a key, or "", and the key to use instead. Write keys as ddbdesk
// shows them: x, X, ctrl+x, alt+x, f5, pgdown. CheckKey accepts only keys that all terminals send, including terminals
// without the newer keyboard protocols.
func CheckKey(key string) (reason, instead string) {
	if action, ok := reservedKeys[key]; ok {
		return fmt.Sprintf("key %q is reserved for: %s", key, action), "use another key"
	}
	pressed, base, ok := splitKey(key)
	if !ok {
		return unknownKey(key)
	}
	if canonical := joinKey(pressed, base); canonical != key && !pressed["shift"] {
		return fmt.Sprintf("key %q is not in canonical form", models.Printable(key)), fmt.Sprintf("use %q", canonical)
	}
	if other, ok := sentAs[strings.ToLower(key)]; ok {
		return fmt.Sprintf("terminals send key %q as %s", key, other), "use another key"
	}
	return unsupportedKey(key, pressed, base)
}

// modifiers lists the modifiers in the order in which ddbdesk writes them.
var modifiers = []string{"ctrl", "alt", "shift"}

// splitKey splits "ctrl+alt++" into ctrl, alt and the base "+". ok is false for an unknown key.
func splitKey(key string) (pressed map[string]bool, base string, ok bool) {
	pressed = map[string]bool{}
	for base = key; ; {
		at := strings.IndexByte(base, '+')
		if at <= 0 || at == len(base)-1 {
			break
		}
		m := base[:at]
		if !slices.Contains(modifiers, m) || pressed[m] {
			return nil, "", false
		}
		pressed[m], base = true, base[at+1:]
	}
	if utf8.RuneCountInString(base) != 1 {
		return pressed, base, slices.Contains(namedKeys, base)
	}
	return pressed, base, base != " " && unicode.IsGraphic([]rune(base)[0])
}

func joinKey(pressed map[string]bool, base string) string {
	var b strings.Builder
	for _, m := range modifiers {
		if pressed[m] {
			b.WriteString(m + "+")
		}
	}
	return b.String() + base
}

func unsupportedKey(key string, pressed map[string]bool, base string) (reason, instead string) {
	isCharacter := utf8.RuneCountInString(base) == 1
	switch {
	case pressed["shift"] && isCharacter && !pressed["ctrl"]:
		typed := joinKey(map[string]bool{"alt": pressed["alt"]}, strings.ToUpper(base))
		return fmt.Sprintf("key %q is written as the character that it types", key), fmt.Sprintf("use %q", typed)
	case pressed["ctrl"] && isCharacter && !pressed["shift"] && (base < "a" || base > "z"):
		return fmt.Sprintf("many terminals do not send %q", key), "use ctrl with a to z"
	case pressed["ctrl"] && pressed["alt"], pressed["shift"] && (pressed["ctrl"] || pressed["alt"]),
		(pressed["shift"] || pressed["ctrl"] && !isCharacter) && !slices.Contains(modifiableKeys, base), key == "ctrl+tab":
		return fmt.Sprintf("many terminals do not send %q", key), "use a key with fewer modifiers"
	case pressed["alt"] && (base == "[" || base == "O"):
		return fmt.Sprintf("terminals send other keys with the prefix %q", key), "use another key"
	}
	return "", ""
}

func unknownKey(key string) (reason, instead string) {
	instead = "use a key such as x, X, ctrl+x, alt+x, f5 or pgdown"
	if lower := strings.ToLower(key); lower != key {
		if reason, _ := CheckKey(lower); reason == "" {
			instead = fmt.Sprintf("use %q", lower)
		}
	} else if nearest, ok := models.Nearest(key, namedKeys); ok && utf8.RuneCountInString(key) > 1 {
		instead = fmt.Sprintf("did you mean %q?", nearest)
	}
	return fmt.Sprintf("unknown key %q", models.Printable(key)), instead
}
