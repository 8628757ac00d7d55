package tuitest_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/internal/testing/hostile"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
)

// cellsAgree fails if a terminal draws a text wider or narrower than it is measured, which
// would move what follows it.
func cellsAgree(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string,
) {
	t.Helper()
	for _, cells := range []int{1, 2, 7, 40} {
		cell := models.PrintableCell(text, cells)
		line := cell + strings.Repeat(" ", max(cells-ansi.StringWidth(cell), 0)) + "│"
		tuitest.Sound(t, line, cells+1, 1)
	}
}

// clearly returns a text without spacing marks, whose width differs between terminals.
func clearly(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mc, r) {
			return -1
		}
		return r
	}, text)
}

func TestEveryTextTakesItsCells(t *testing.T) {
	for _, s := range hostile.Texts() {
		t.Run(s.Name, func(t *testing.T) { cellsAgree(t, clearly(s.Text)) })
	}
}

func TestAnyTextTakesItsCells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { cellsAgree(t, clearly(hostile.Drawn().Draw(t, "text"))) })
}

// TestDrawLeavesNothingBehind draws any text after any other: what the one before did to its terminal must not show.
func TestDrawLeavesNothingBehind(t *testing.T) {
	parts := []string{
		"a", "B", " ", "日", "é", "\n", "\n\n", "\x1b[1m", "\x1b[38;2;1;2;3m", "\x1b[m", "\x1b[4:3m", "\x1b", "\x1b[", "\x1b[5", "\x1b[?7l", "\x1b[4h",
		"\x1b[2;3r", "\x1b[?1049h", "\x1b(0", "\x1b]0;x", "\x1bP", "\x0e", "\r", "\t", "\u009b", "\xff", "abcdefgh",
		"\x1b[?6h", "\x1b[20h", "\x1b[2;2H", "\x1b7", "\x1b[?1047h", "\x1bH", "\x1b[3g",
	}
	check := func(t interface{ Fatalf(string, ...any) }, before string, w, h int) {
		tuitest.Draw(before, w, h)
		got := tuitest.Draw("A\x1b[1mB日\n1\n2", 5, 3)
		if got[0] != "AB日 " || got[1] != "1    " || got[2] != "2    " {
			t.Fatalf("after %q: %q", before, got)
		}
	}
	for _, part := range parts {
		check(t, part, 5, 4)
	}
	rapid.Check(t, func(t *rapid.T) {
		before := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 8).Draw(t, "before"), "")
		check(t, before, rapid.IntRange(4, 9).Draw(t, "width"), rapid.IntRange(4, 6).Draw(t, "height"))
	})
}
