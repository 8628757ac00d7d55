package models

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

// TestWidthOfEveryCharacter compares each code point with the library, alone and between others that it could
// combine with.
func TestWidthOfEveryCharacter(t *testing.T) {
	for r := rune(0); r < 0x3000; r++ {
		for _, text := range []string{string(r), "│" + string(r), string(r) + "─", "é" + string(r) + "\u0301", string(r) + "\ufe0f", "a\x1b[1m" + string(r) + "\u200d"} {
			if got, want := Width(text), ansi.StringWidth(text); got != want {
				t.Fatalf("%+q: %d cells, want %d", text, got, want)
			}
		}
	}
}

func TestWidthOfAnyLine(t *testing.T) {
	parts := rapid.SampledFrom([]string{
		"a", "B~", " ", "│", "─╮", "…", "é", "ß", "\u0301", "\ufe0f", "\u200d", "👩", "🇩🇪", "1\u20e3", "日本", "ﾞ", "ำ", "ก", "·", "▌",
		"\x1b[1;38;2;1;2;3m", "\x1b[m", "\x1b[4:3m", "\x1b", "\x1b[", "\x1b[2K", "\x1b]8;;http://x\x1b\\", "\x1b[1", "\x9b1m", "\xff", "\t", "\n", "\x00", "\x7f", "⟨",
	})
	rapid.Check(t, func(t *rapid.T) {
		line := strings.Join(rapid.SliceOfN(parts, 0, 12).Draw(t, "parts"), "")
		if got, want := Width(line), ansi.StringWidth(line); got != want {
			t.Fatalf("%q: %d cells, want %d", line, got, want)
		}
	})
}

func TestWidthOfAFrameAllocatesNothing(t *testing.T) {
	line := "\x1b[38;5;1m│\x1b[m " + strings.Repeat("CASE#1 · ", 10) + "│"
	if n := testing.AllocsPerRun(10, func() { Width(line) }); n != 0 {
		t.Fatalf("%v allocations", n)
	}
}

func BenchmarkWidth(b *testing.B) {
	line := "\x1b[38;5;1m│\x1b[m " + strings.Repeat("CASE#1 · ", 10) + "│"
	for b.Loop() {
		Width(line)
	}
}

func BenchmarkWidthOfTheLibrary(b *testing.B) {
	line := "\x1b[38;5;1m│\x1b[m " + strings.Repeat("CASE#1 · ", 10) + "│"
	for b.Loop() {
		ansi.StringWidth(line)
	}
}
