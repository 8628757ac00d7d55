package widget

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
)

// testLines is a source of n lines. Every tenth line is a heading.
type testLines struct {
	n     int
	drawn *int
	text  string
}

func (l testLines) Len() int { return l.n }

func (l testLines) Skip(i int) bool { return i%10 == 0 }

func (l testLines) Line(_ int, on Surface, w int) string {
	*l.drawn++
	t := NewStrip(NewStyles(true, true), on, w)
	t.Highlight(RoleText, l.text, "ab", w)
	return t.String()
}

func TestLinesDrawOnlyVisibleLines(t *testing.T) {
	drawn := 0
	l := NewLines(NewStyles(true, true))
	l.SetSize(20, 8)
	l.SetSource(testLines{n: 100_000, drawn: &drawn, text: "x"})
	if at, ok := l.At(); at != 1 || !ok {
		t.Errorf("the cursor starts at %d, %v, want 1", at, ok)
	}
	l.Go(99_990)
	if at, ok := l.At(); at != 99_991 || !ok {
		t.Errorf("the cursor moved to %d, %v, want the line after the heading", at, ok)
	}
	l.View()
	if drawn != 8 {
		t.Errorf("drew %d lines, want 8", drawn)
	}
	if second, ok := l.Click(0, 0); second || !ok {
		t.Errorf("a click on another line: again: %v, ok: %v", second, ok)
	}
	l.SetSource(testLines{n: 1, drawn: &drawn})
	if _, ok := l.At(); ok {
		t.Error("the cursor is on a lone heading")
	}
}

func TestOccurrencesIgnoreCase(t *testing.T) {
	bracketMatches := func(text, needle string) string {
		var b strings.Builder
		for _, s := range Occurrences(text, Fold(needle)) {
			part := text[s.Start:s.End]
			if s.Match {
				part = "[" + part + "]"
			}
			b.WriteString(part)
		}
		return b.String()
	}
	for want, in := range map[string][2]string{
		"":                {"", "a"},
		"plain":           {"plain", ""},
		"[Ab]c[aB][AB]":   {"AbcaBAB", "ab"},
		"none":            {"none", "x"},
		"[ÄÖ]ü":           {"ÄÖü", "äö"},
		"İ[stanbul] \xff": {"İstanbul \xff", "stanbul"},
	} {
		if got := bracketMatches(in[0], in[1]); got != want {
			t.Errorf("%q in %q is highlighted as %q, want %q", in[1], in[0], got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text, needle := rapid.String().Draw(t, "text"), rapid.String().Draw(t, "needle")
		at := 0
		for _, s := range Occurrences(text, Fold(needle)) {
			if s.Start != at || s.End <= s.Start {
				t.Fatalf("span %v does not start at %d", s, at)
			}
			at = s.End
		}
		if at != len(text) {
			t.Fatalf("the spans end at %d, want %d", at, len(text))
		}
	})
}

func TestStripHasExactWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.IntRange(0, 30).Draw(t, "w")
		s := NewStrip(NewStyles(true, false), SurfaceCursor, w)
		s.Put(RoleKey, hostile().Draw(t, "put"))
		needle := rapid.SampledFrom([]string{"", "a", "日", "\u0301", "👩"}).Draw(t, "needle")
		s.Highlight(RoleText, hostile().Draw(t, "lit"), Fold(needle), rapid.IntRange(0, 12).Draw(t, "room"))
		s.Cell(RoleGood, hostile().Draw(t, "cell"), rapid.IntRange(-1, 12).Draw(t, "width"), AlignRight)
		if w > 0 {
			tuitest.RendersExactly(t, s.String(), w, 1)
		}
	})
}
