package tui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// onItem opens a case on a screen that is wide enough for two tabs, and runs a test on it.
func onItem(t *testing.T, run func(t *testing.T, tt *tuitest.Terminal)) {
	withCases(t, 2, func(t *testing.T, w *queueFixture) {
		tt := w.enter(wideSize, ":decode", "paste a key")
		openPasted(tt, "CASE#"+w.id(1)+" / META\n")
		run(t, tt)
	})
}

// openPasted pastes a key and opens its item.
func openPasted(tt *tuitest.Terminal, key string) {
	tt.Paste(key)
	tt.WaitFor("Verification by ID")
	tt.Reach("1 item", "enter")
	tt.Reach("read at", "enter")
}

func TestOtherTabsFilterReceivesNoKeys(t *testing.T) {
	onItem(t, func(t *testing.T, tt *tuitest.Terminal) {
		tt.Press("3", "/")
		tt.Type("all")
		tt.ClickText("1 Overview")
		tt.Reach("Help ·", "?")
		tt.Reach("2 History", "esc", "3", "2")
		if tt.Has("filter related patterns") {
			t.Errorf("the filter of another tab received the screen's keys:\n%s", tt.Screen())
		}
		tt.Press("esc")
		tt.WaitForRemoval("2 History")
	})
}

func TestOtherTabsSearchReceivesNoKeys(t *testing.T) {
	onItem(t, func(_ *testing.T, tt *tuitest.Terminal) {
		tt.Press("/")
		tt.Type("stat")
		tt.ClickText("2 History")
		tt.Reach("filter related patterns", "3")
		tt.Press("esc")
		tt.WaitForRemoval("2 History")
	})
}

func TestClickOnFieldBlursRowFilter(t *testing.T) {
	withCases(t, 3, func(t *testing.T, w *queueFixture) {
		tt := w.enter(wideSize, "/", "filter")
		tt.Type("All verifications of a client")
		tt.Press("enter", "enter")
		tt.Enter("client_xyz789")
		tt.WaitFor("3 items")
		tt.Press("/")
		tt.Type("omang")
		tt.ClickText("clientId")
		tt.Type("Z")
		if !tt.Has("client_xyz789Z") {
			t.Errorf("the letter is missing in the field:\n%s", tt.Screen())
		}
	})
}

func TestWheelKeepsPattern(t *testing.T) {
	d := newOpenerFixture(t, "authbridge")
	synctest.Test(t, func(t *testing.T) {
		tt, _ := open(t, d, tuitest.Size{W: 120, H: 18})
		before, listed := tt.Screen(), tt.Line(5)[:30]
		for range 4 {
			tt.Wheel(5, 8, false)
		}
		if tt.Line(5)[:30] == listed {
			t.Fatalf("the wheel did not scroll the list:\n%s", tt.Screen())
		}
		if got, want := rightOf(tt.Screen(), 48), rightOf(before, 48); got != want {
			t.Errorf("the wheel selected another pattern:\n%s\nwant:\n%s", got, want)
		}
		tt.Press("down")
		tt.Press("up")
		if got := tt.Line(5)[:30]; got != listed {
			t.Errorf("the key did not scroll back to the cursor: %q, want %q", got, listed)
		}
	})
}

// rightOf returns the part of the screen to the right of column x.
func rightOf(screen string, x int) string {
	lines := strings.Split(screen, "\n")
	for i, line := range lines {
		r := []rune(line)
		lines[i] = string(r[min(x, len(r)):])
	}
	return strings.Join(lines, "\n")
}

func TestShiftedKeysEditText(t *testing.T) {
	onHome(t, "authbridge", func(_ *testing.T, tt *tuitest.Terminal) {
		tt.Press("/")
		tt.Type("ABC")
		tt.Type("\x1b[127;2u") // shift+backspace in the kitty protocol
		tt.WaitFor("/ AB ")
		tt.Type("\x1b[13;2u") // shift+enter
		tt.Press("esc")
		tt.Reach("Help ·", "?")
	})
}

// Text after a slash filters the list, even if its letters are keys of the screen, such as undo.
func TestTypedTextDoesNotUndo(t *testing.T) {
	withCases(t, 2, func(t *testing.T, w *queueFixture) {
		if err := w.change(1, "reject", "forged"); err != nil {
			t.Fatal(err)
		}
		tt := w.enter(wideSize, "a", "committed")
		tt.Press("/")
		tt.Type("user_v")
		tt.WaitFor("No entry matches")
		if tt.Has("Undo Reject") || !tt.Has("/ user_v") {
			t.Errorf("the typed text ran an action:\n%s", tt.Screen())
		}
	})
}

func TestClickFocusesIssueText(t *testing.T) {
	d := newOpenerFixture(t, "authbridge")
	synctest.Test(t, func(t *testing.T) {
		tt, _ := open(t, d, tuitest.Size{W: 120, H: 24})
		tt.Reach("Problem", ":issues")
		listText := func() string {
			_, chosen, _ := strings.Cut(tt.Screen(), "│▌ ")
			return chosen[:12]
		}
		before := listText()
		tt.ClickText("Problem")
		tt.Press("down")
		if got := listText(); got != before {
			t.Errorf("the key moved the cursor in the list: %q, want %q", got, before)
		}
		tt.Press("esc", "down")
		if got := listText(); got == before {
			t.Errorf("after esc, the list lacks the focus:\n%s", tt.Screen())
		}
	})
}

// slowOpener lists its schemas after a delay.
type slowOpener struct {
	*openerFixture
	after time.Duration
}

func (o slowOpener) Profiles() ([]*profiles.Profile, error) {
	time.Sleep(o.after)
	return o.openerFixture.Profiles()
}

func TestKeysBeforeFirstListingAreKept(t *testing.T) {
	for _, keys := range [][]string{{"enter"}, {"tab", "enter"}, {"down", "/", "x", "esc", "esc", "enter"}} {
		t.Run(fmt.Sprint(keys), func(t *testing.T) {
			d := newOpenerFixture(t, "authbridge")
			synctest.Test(t, func(t *testing.T) {
				tt := tuitest.New(t, New(Options{Opener: slowOpener{d, 10 * time.Second}}), wideSize)
				tt.WaitFor("loading the schemas")
				if tt.Has("no profile has this name") {
					t.Errorf("the console reports a result before the list arrived:\n%s", tt.Screen())
				}
				tt.Reach("Patterns ─", keys...)
			})
		})
	}
}

func TestBookmarkMovesOncePerKeyPress(t *testing.T) {
	d := newOpenerFixture(t, "authbridge")
	synctest.Test(t, func(t *testing.T) {
		tt := openBookmarks(t, d)
		tt.Press("g")
		tt.Press("alt+down", "alt+down")
		tt.WaitFor("Bookmarks and named queries")
		tt.Settle()
		if got := bookmarkOrder(tt); got != "two three one" {
			t.Errorf("after two moves, the order is %q:\n%s", got, tt.Screen())
		}
		tt.Press("pgup")
		tt.Reach("removed two", "o", "d")
	})
}

// openBookmarks opens the list of three bookmarks: one, two, three.
func openBookmarks(t *testing.T, d *openerFixture) *tuitest.Terminal {
	tt, _ := open(t, d, wideSize)
	toFirstRow(tt)
	for _, name := range []string{"one", "two", "three"} {
		tt.Reach("read at", "enter")
		tt.Reach("contains the key", "o", "B")
		tt.Advance(time.Second)
		tt.Press("ctrl+u")
		tt.Enter(name)
		tt.WaitFor("bookmarked as " + name)
		tt.Press("esc", "down")
	}
	tt.Reach("three", ":bookmarks")
	return tt
}

// bookmarkOrder returns the order of the bookmarks on the screen.
func bookmarkOrder(tt *tuitest.Terminal) string {
	var names []string
	for y := range tt.Size().H {
		line := []rune(tt.Line(y))
		for _, name := range []string{"one", "two", "three"} {
			if strings.Contains(string(line[:min(len(line), 40)]), " "+name+" ") {
				names = append(names, name)
			}
		}
	}
	return strings.Join(names, " ")
}

// Digits select the panes of a screen, and are text in a text field.
func TestDigitsFocusPanes(t *testing.T) {
	d := newOpenerFixture(t, "authbridge")
	synctest.Test(t, func(t *testing.T) {
		d.store = pages(d.store, 90, nil)
		tt, _ := open(t, d, wideSize)
		tt.ClickText("Verifications by date")
		tt.Reach("enter open  /", "enter")
		tt.Reach("enter go to rows", "1")
		tt.Reach("enter open  /", "3")
		tt.Reach("enter run", "2")
		tt.Advance(maxWordPause) // Without a pause, the digits would form a number.
		tt.Press("3")
		if tt.Has("enter open  /") {
			t.Errorf("a digit for the form moved the focus to the rows:\n%s", tt.Screen())
		}
		tt.Reach("enter open  /", "esc", "3")
	})
}

// On a wide screen, the wheel over the item scrolls the item and does not move the cursor in the rows.
func TestWheelScrollsItemBesideRows(t *testing.T) {
	d := newOpenerFixture(t, "authbridge")
	synctest.Test(t, func(t *testing.T) {
		tt, _ := open(t, d, tuitest.Size{W: 180, H: 20})
		toFirstRow(tt)
		tt.WaitFor("other attributes")
		row := cursorLine(tt)
		for range 20 {
			tt.Wheel(170, 8, false)
		}
		tt.WaitFor("GSI2SK")
		if !strings.Contains(row, "ver_") || !strings.Contains(cursorLine(tt), row[:40]) {
			t.Errorf("the wheel moved the cursor from\n%s\n%s", row, tt.Screen())
		}
	})
}

// cursorLine returns the line under the cursor. If several lists have a cursor, it returns the line of the rows.
func cursorLine(tt *tuitest.Terminal) string {
	line := ""
	for y := range tt.Size().H {
		if strings.Contains(tt.Line(y), "▌") {
			line = tt.Line(y)
		}
	}
	return line
}
