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
