// This file knows which keys terminals can send, and how they are written.

package config

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ddbdesk/ddbdesk/models"
)

// named are the keys that have a name instead of a character.
var named = []string{
	"enter", "tab", "esc", "space", "backspace", "delete", "insert", "up", "down", "left", "right", "home", "end", "pgup", "pgdown",
	"f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12",
}

// same are control keys that terminals send as another key.
var same = map[string]string{
	"ctrl+i": "tab", "ctrl+m": "enter", "ctrl+[": "esc", "ctrl+h": "backspace, many of them", "ctrl+@": "ctrl+space",
}

// kept are keys that always mean the same.
var kept = map[string]string{
	"ctrl+c": "cancels, and pressed twice quits", "ctrl+z": "puts ddbdesk to sleep", "esc": "cancels and goes back",
}

// withShift are the named keys that terminals send apart when shift or ctrl is
// held.
var withShift = []string{"tab", "up", "down", "left", "right", "home", "end", "pgup", "pgdown", "delete", "insert"}

// CheckKey says why a key cannot be used, and what to write instead; "" when it
// can. Keys are written as ddbdesk shows them: x, X, ctrl+x, alt+x, f5, pgdown.
// What counts is that every terminal sends them, also one that knows nothing of
// newer keyboard protocols.
func CheckKey(key string) (why, instead string) {
	if means, ok := kept[key]; ok {
		return fmt.Sprintf("the key %q cannot be given away: it always %s", key, means), "choose another key"
	}
	seen, base, ok := parts(key)
	if !ok {
		return unknownKey(key)
	}
	if want := spell(seen, base); want != key && !seen["shift"] {
		return fmt.Sprintf("the key %q is written otherwise", models.Printable(key)), fmt.Sprintf("write %q", want)
	}
	if other, ok := same[strings.ToLower(key)]; ok {
		return fmt.Sprintf("the key %q cannot be told apart: terminals send it as %s", key, other), "choose another key"
	}
	return unsendable(key, seen, base)
}

// parts are the modifiers of a key and what they are held with; false when there
// is no such key.
func parts(key string) (held map[string]bool, base string, ok bool) {
	modifiers, base := split(key)
	held = map[string]bool{}
	for _, m := range modifiers {
		if !slices.Contains([]string{"ctrl", "alt", "shift"}, m) || held[m] {
			return nil, "", false
		}
		held[m] = true
	}
	if utf8.RuneCountInString(base) != 1 {
		return held, base, slices.Contains(named, base)
	}
	return held, base, base != " " && unicode.IsGraphic([]rune(base)[0])
}

// unsendable says why not every terminal sends a key, "" when every one does.
func unsendable(key string, seen map[string]bool, base string) (why, instead string) {
	one := utf8.RuneCountInString(base) == 1
	switch {
	case seen["shift"] && one && !seen["ctrl"]:
		return fmt.Sprintf("the key %q is written as the character it makes", key), fmt.Sprintf("write %q", spell(map[string]bool{"alt": seen["alt"]}, strings.ToUpper(base)))
	case seen["ctrl"] && one && !seen["shift"] && (base < "a" || base > "z"):
		return fmt.Sprintf("many terminals cannot send %q", key), "with ctrl use a to z"
	case seen["ctrl"] && seen["alt"], seen["shift"] && (seen["ctrl"] || seen["alt"]),
		(seen["shift"] || seen["ctrl"] && !one) && !slices.Contains(withShift, base), key == "ctrl+tab":
		return fmt.Sprintf("many terminals cannot send %q", key), "choose a key with fewer modifiers"
	case seen["alt"] && (base == "[" || base == "O"):
		return fmt.Sprintf("the key %q starts other keys in terminals", key), "choose another key"
	}
	return "", ""
}

// split takes modifiers from the front: "ctrl+alt++" is ctrl, alt and +.
func split(key string) (modifiers []string, base string) {
	for {
		at := strings.IndexByte(key, '+')
		if at <= 0 || at == len(key)-1 {
			return modifiers, key
		}
		modifiers, key = append(modifiers, key[:at]), key[at+1:]
	}
}

// spell writes a key as terminals' keys are named here.
func spell(held map[string]bool, base string) string {
	var b strings.Builder
	for _, m := range []string{"ctrl", "alt", "shift"} {
		if held[m] {
			b.WriteString(m + "+")
		}
	}
	return b.String() + base
}

func unknownKey(key string) (why, instead string) {
	instead = "such as x, X, ctrl+x, alt+x, f5 or pgdown"
	if lower := strings.ToLower(key); lower != key {
		if why, _ := CheckKey(lower); why == "" {
			return fmt.Sprintf("%q is no key", models.Printable(key)), fmt.Sprintf("write %q", lower)
		}
	}
	if near, ok := models.Nearest(key, named); ok && utf8.RuneCountInString(key) > 1 {
		instead = fmt.Sprintf("did you mean %q?", near)
	}
	return fmt.Sprintf("%q is no key", models.Printable(key)), instead
}
