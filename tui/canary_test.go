package tui

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/canary"
)

// useConsole uses the whole console, and returns the user with the sightings in each channel.
func (f *canaryFixture) useConsole(role session.Role, w, h int, oneKind, quick bool) (x *canaryUser) {
	x = f.enter(role, w, h)
	x.oneKind, x.quick = oneKind, quick
	x.runPatterns()
	x.useItems()
	if role != session.Support {
		x.revealAndHide()
	}
	x.useQueues()
	x.runTypedPatterns()
	x.leave()
	return x
}

// guess types a value into the field that a key opens, and returns the screen without the lines that repeat the value.
func (u *canaryUser) guess(key, form, value string) string {
	text := fmt.Sprintf(form, value)
	u.typed = []string{text}
	u.press(key)
	u.text(text)
	u.press("enter")
	lines := slices.DeleteFunc(
		strings.Split(u.screen(), "\n"),
		func(line string) bool { return strings.Contains(line, value[:min(len(value), 3)]) },
	)
	u.press("esc", key, "ctrl+u", "esc")
	u.typed = nil
	return strings.Join(lines, "\n")
}

// If a filter or search matches only masked values, the screen looks as if it matched nothing.
func TestFilterDoesNotConfirmHiddenValues(t *testing.T) {
	m := newCanaryFixture(t, canary.Awkward, false)
	synctest.Test(t, func(t *testing.T) {
		m.t = t
		x := m.enter(session.Developer, 120, 40)
		x.quick = true
		x.ask("list-people", map[string]string{})
		if !strings.Contains(x.screen(), "active") {
			t.Fatalf("the workbench shows no rows:\n%s", x.screen())
		}
		right, wrong := x.g.ItemsOf(x.g.Profile.Entity("Person"))[0], map[string]string{}
		for _, name := range []string{"email", "salary", "phone", "status"} {
			text, _ := right.Text(name)
			// The wrong text matches nothing, but has the same length and first letter, which the mask shows.
			wrong[name] = text[:1] + strings.Map(func(r rune) rune {
				switch {
				case r >= '0' && r <= '9':
					return '9'
				case r >= 'a' && r <= 'z':
					return 'y'
				}
				return r
			}, text[1:])
			for _, form := range []string{"%s", name + "=%s", name + "!=%s"} {
				a, b := x.guess("/", form, text), x.guess("/", form, wrong[name])
				if (a != b) != (name == "status") {
					t.Errorf("%s with %s: the screen depends on the value: %v\n%s\n%s", name, form, a != b, a, b)
				}
			}
		}
		x.leave()
	})
}

// Leaving the schema ends the reveal, even if the user opens the schema again or returns with alt+right.
func TestRevealEndsWhenSchemaIsLeft(t *testing.T) {
	m := newCanaryFixture(t, canary.Awkward, false)
	synctest.Test(t, func(t *testing.T) {
		m.t = t
		x := m.enter(session.Developer, 120, 40)
		x.quick = true
		for _, key := range []string{"alt+right", "enter"} {
			x.openFullest()
			x.reveal("to look, and then " + key)
			if !strings.Contains(x.screen(), "REVEALED") {
				t.Fatalf("the top line does not show REVEALED:\n%s", x.screen())
			}
			x.wasRevealed, x.frames = false, map[uint64]bool{}
			x.where = "home, then " + key
			x.press("alt+home", key, "alt+right", ":visited", "esc", ":", "esc")
			if x.m.isAtHome() || strings.Contains(x.screen(), "REVEALED") {
				t.Errorf("after %s, data is still revealed:\n%s", key, x.screen())
			}
		}
		x.leave()
		for _, leak := range x.leaks {
			t.Error(leak)
		}
	})
}

// unmaskedChannels contains the channels in which a console without masking shows canaries. A channel without any would
// prove nothing.
var unmaskedChannels = []string{
	"frame", "clipboard", "terminal's clipboard", "pager's file", "arguments", "file bookmarks.yaml", "file local.db",
	"file journal",
}

// No screen shows a canary, although every screen would if nothing were masked. DDBDESK_TEST_CANARY=1 tests every
// schema, role and kind of item, and every key of an admin in the awkward schema.
func TestNoScreenShowsCanary(t *testing.T) { //nolint:tparallel // A full run has a folder of its own.
	if testing.Short() {
		t.Skip("-short skips tests that draw one frame after another")
	}
	full := os.Getenv("DDBDESK_TEST_CANARY") != ""
	names := []string{canary.Awkward}
	if !full {
		t.Parallel()
	} else {
		t.Chdir(t.TempDir()) // The test writes files to the working folder.
		names = canary.Names()
	}
	findLeaks := func(t *testing.T, name string, unmasked bool, role session.Role, w, h int) (x *canaryUser) {
		m := newCanaryFixture(t, name, unmasked)
		synctest.Test(t, func(t *testing.T) {
			m.t = t
			x = m.useConsole(role, w, h, !full, !full || name != canary.Awkward || role != session.Admin)
		})
		return x
	}
	for i, name := range names {
		for j, role := range session.Roles() {
			size := [][2]int{{80, 24}, {120, 40}, {200, 60}}[(i+j)%3]
			if role != session.Admin && (!full || name != canary.Awkward && i%2 != j) {
				continue
			}
			t.Run(name+"/"+string(role), func(t *testing.T) {
				t.Parallel()
				for _, leak := range findLeaks(t, name, false, role, size[0], size[1]).leaks {
					t.Error(leak)
				}
			})
		}
	}
	if !full {
		return
	}
	t.Run("unmasked", func(t *testing.T) {
		t.Parallel()
		count := findLeaks(t, canary.Awkward, true, session.Admin, 120, 40).seen
		for _, channel := range unmaskedChannels {
			if count[channel] == 0 {
				t.Errorf("%s: the check finds no canary without masking", channel)
			}
		}
	})
}
