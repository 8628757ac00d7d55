// This file throws broken profiles at the loader: it must explain them, never
// panic.

package profiles_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/profiles"
)

// survives loads text and lints what loads.
func survives(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string,
) {
	t.Helper()
	p, err := profiles.Load("fuzz.yaml", []byte(text), nil)
	if err == nil {
		p.Lint()
		return
	}
	var list profiles.Errors
	if !errors.As(err, &list) || len(list) == 0 {
		t.Fatalf("not a list of faults: %v", err)
	}
	for _, d := range list {
		if d.Severity != profiles.Error || d.Message == "" {
			t.Fatalf("incomplete: %+v", d)
		}
	}
}

func FuzzLoad(f *testing.F) {
	for _, name := range profiles.Names() {
		_, text, err := profiles.ReadSource(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	for _, text := range []string{"", sound, user, "a: &a [*a]\n", "tables: {x: {partition_key: '{'}}\n", "\xff\xfe"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { survives(t, text) })
}

// mutate breaks a profile as an editing hand does: lines vanish, double and
// move, words change places.
func mutate(t *rapid.T, lines []string) string {
	lines = append([]string{}, lines...)
	for range rapid.IntRange(1, 4).Draw(t, "edits") {
		i := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
		j := rapid.IntRange(0, len(lines)-1).Draw(t, "other")
		switch rapid.IntRange(0, 5).Draw(t, "edit") {
		case 0:
			lines = append(lines[:i], lines[i+1:]...)
		case 1:
			lines[i], lines[j] = lines[j], lines[i]
		case 2:
			lines[i] = indent(lines[i]) + strings.TrimSpace(lines[j])
		case 3:
			lines[i] = lines[i][:len(lines[i])/2]
		case 4:
			lines[i] = "  " + lines[i]
		case 5:
			word := rapid.SampledFrom([]string{"{", "}", "[]", "{}", "~", "&x *x", "''", "{a:b}", "begins_with", "on"}).Draw(t, "word")
			if k := strings.LastIndexAny(lines[i], " :"); k >= 0 {
				lines[i] = lines[i][:k+1] + word
			}
		}
	}
	return strings.Join(lines, "\n")
}

func indent(line string) string {
	return line[:len(line)-len(strings.TrimLeft(line, " "))]
}

func TestMutatedProfilesNeverPanic(t *testing.T) {
	texts := map[string][]string{"sound": strings.Split(sound, "\n")}
	for _, name := range profiles.Names() {
		_, text, err := profiles.ReadSource(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = strings.Split(string(text), "\n")
	}
	names := append(profiles.Names(), "sound")
	rapid.Check(t, func(t *rapid.T) {
		survives(t, mutate(t, texts[rapid.SampledFrom(names).Draw(t, "profile")]))
	})
}
