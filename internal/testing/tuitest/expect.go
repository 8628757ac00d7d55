package tuitest

import (
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/charmbracelet/x/vt"

	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest/emulator"
)

// Find returns the position of the first occurrence of text on the screen.
func (tt *Terminal) Find(text string) (x, y int, ok bool) {
	for y := range tt.size.H {
		line := tt.Line(y)
		if before, _, ok := strings.Cut(line, text); ok {
			return ansi.StringWidth(before), y, true
		}
	}
	return 0, 0, false
}

// Has reports whether a line of the screen contains text.
func (tt *Terminal) Has(text string) bool {
	_, _, ok := tt.Find(text)
	return ok
}

// WaitFor waits until the screen shows text. After 30 s of fake time, the test fails and prints the screen.
func (tt *Terminal) WaitFor(text string) {
	tt.t.Helper()
	tt.wait(text, true)
}

// WaitForRemoval waits until the screen no longer shows text.
func (tt *Terminal) WaitForRemoval(text string) {
	tt.t.Helper()
	tt.wait(text, false)
}

func (tt *Terminal) wait(text string, want bool) {
	tt.t.Helper()
	for waited := time.Duration(0); tt.Has(text) != want; waited += settleTime {
		if _, ended := tt.Exited(); ended {
			tt.t.Fatalf("the program ended before %q appeared:\n%s", text, tt.Screen())
		}
		if waited > maxWait {
			tt.t.Fatalf("after %v, %q on the screen is not %v:\n%s", maxWait, text, want, tt.Screen())
		}
		tt.Settle()
	}
}

// Golden compares the screen with testdata/TEST/name.golden; -update writes the file.
func (tt *Terminal) Golden(name string) {
	tt.t.Helper()
	Golden(tt.t, name, tt.Screen()+"\n")
}

// sizeWithoutGolden matches the subtests at sizes without golden files.
var sizeWithoutGolden = regexp.MustCompile(`/(120x40|200x60)(/|$)`)

// Golden compares text with testdata/TEST/name.golden; -update writes the file. A test with a subtest for each size has
// golden files only for 80x24, because the content is the same at all sizes, and other tests check that every frame
// fits.
func Golden(t testing.TB, name, text string) {
	t.Helper()
	if sizeWithoutGolden.MatchString(t.Name()) {
		return
	}
	golden.RequireEqual(namedTest{t, t.Name() + "/" + name}, text)
}

// namedTest is a test with the name of its golden file.
type namedTest struct {
	testing.TB
	name string
}

func (n namedTest) Name() string { return n.name }

// failer contains the methods that testing.TB and rapid.T have in common.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// Fits fails unless view has exactly h lines of at most w cells. A view without cells must be empty.
func Fits(t failer, view string, w, h int) {
	t.Helper()
	if w <= 0 || h <= 0 {
		if strings.Trim(view, "\n") != "" {
			t.Fatalf("a view of %dx%d is not empty: %q", w, h, view)
		}
		return
	}
	lines := strings.Split(view, "\n")
	if len(lines) != h {
		t.Fatalf("got %d lines, want %d:\n%s", len(lines), h, ansi.Strip(view))
	}
	for i, line := range lines {
		if got := ansi.StringWidth(line); got > w {
			t.Fatalf("line %d is %d cells wide, want at most %d: %q", i, got, w, line)
		}
	}
}

// RendersExactly fails unless view has exactly h lines of exactly w cells, and a terminal shows them as intended. Its
// text must not move the cursor, change the colors after it, or be wider than measured.
func RendersExactly(t failer, view string, w, h int) {
	t.Helper()
	Fits(t, view, w, h)
	if w <= 0 || h <= 0 {
		return
	}
	want := strings.Split(ansi.Strip(view), "\n")
	for y, got := range Draw(view, w, h) {
		if n := ansi.StringWidth(want[y]); n != w {
			t.Fatalf("line %d is %d cells wide, want %d: %q", y, n, w, want[y])
		}
		if want := emulator.Text(want[y]); got != want {
			t.Fatalf("line %d: the terminal shows %q, want %q", y, got, want)
		}
	}
}

// Draw prints a view on an empty terminal of w by h cells and returns its lines as the terminal shows them, including
// blanks.
func Draw(view string, w, h int) []string {
	if w <= 0 || h <= 0 {
		return nil
	}
	emu, release := acquireTerminal(w, h)
	defer release(view)
	_, _ = emu.WriteString(strings.ReplaceAll(emulator.Text(view), "\n", "\r\n"))
	lines := make([]string, h)
	for y := range lines {
		lines[y] = rowText(w, func(x int) *uv.Cell { return emu.CellAt(x, y) })
	}
	return lines
}

// terminalPool keeps terminals for the next call of Draw. A new terminal allocates four megabytes for sequences that no
// view contains, which doubled the time of tests that draw many views.
var terminalPool sync.Pool // of *vt.Emulator

// acquireTerminal returns an empty terminal, and a function that returns it to terminalPool. The function discards the
// terminal if the view contained more than styled text, because a reset would not undo everything.
func acquireTerminal(w, h int) (emu *vt.Emulator, release func(view string)) {
	emu, _ = terminalPool.Get().(*vt.Emulator)
	if emu == nil {
		emu = vt.NewEmulator(w, h)
		emu.SetScrollbackSize(1) // a view can scroll by its last line break, but no test reads the scrollback
	} else {
		emu.Resize(w, h)
		_, _ = emu.WriteString("\x1bc") // reset to the initial state
	}
	return emu, func(view string) {
		if isOnlyStyled(view) {
			terminalPool.Put(emu)
		}
	}
}

// isOnlyStyled reports whether a view contains no control characters except line breaks, and no escape sequences except
// styles.
func isOnlyStyled(view string) bool {
	plain, styled := "", true
	for styled && view != "" {
		plain, view, styled = strings.Cut(view, "\x1b[")
		if strings.ContainsFunc(plain, func(r rune) bool { return unicode.IsControl(r) && r != '\n' || r == utf8.RuneError }) {
			return false
		}
		if styled {
			view = strings.TrimLeft(view, "0123456789;:")
			view, styled = strings.CutPrefix(view, "m")
			if !styled {
				return false
			}
		}
	}
	return true
}
