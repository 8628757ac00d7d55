package models

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

func TestPrintable(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"empty", "", ""},
		{"ascii", "CASE#ver_1 {ok}~", "CASE#ver_1 {ok}~"},
		{"escape sequence", "a\x1b[31mred", "a␛[31mred"},
		{"window title", "\x1b]0;owned\a", "␛]0;owned␇"},
		{"line breaks and tab", "a\r\n\tb", "a␍␊␉b"},
		{"delete", "a\x7f", "a␡"},
		{"raw C1", "\x9b31m", "⟨x9B⟩31m"},
		{"C1 as text", "\u009b31m", "⟨U+009B⟩31m"},
		{"next line", "a\u0085b", "a⟨U+0085⟩b"},
		{"invalid bytes", "a\xff\xc3", "a⟨xFF⟩⟨xC3⟩"},
		{"surrogate half", "\xed\xa0\x80", "⟨xED⟩⟨xA0⟩⟨x80⟩"},
		{"override", "exe\u202egpj", "exe⟨U+202E⟩gpj"},
		{"isolate", "\u2066a\u2069", "⟨U+2066⟩a⟨U+2069⟩"},
		{"marks of direction", "\u200e\u200f\u061c", "⟨U+200E⟩⟨U+200F⟩⟨U+061C⟩"},
		{"zero width", "a\u200bb\u200dc\ufeffd\u00ade", "a⟨U+200B⟩b⟨U+200D⟩c⟨U+FEFF⟩d⟨U+00AD⟩e"},
		{"separators", "a\u2028b\u2029", "a⟨U+2028⟩b⟨U+2029⟩"},
		{"tags", "a\U000e0041", "a⟨U+E0041⟩"},
		{"filler letters", "\u3164\u115f\u2800", "⟨U+3164⟩⟨U+115F⟩⟨U+2800⟩"},
		{"selector on a letter", "a\ufe0f\ufe01", "a⟨U+FE0F⟩⟨U+FE01⟩"},
		{"private use", "\ue0b0", "⟨U+E0B0⟩"},
		{"mark without base", "\u0301a", "⟨U+0301⟩a"},
		{"mark after control", "\n\u0301", "␊⟨U+0301⟩"},
		{"accents", "e\u0301 é ñ", "e\u0301 é ñ"},
		{"scripts", "motswana 한국어 日本語 العربية ไทย हिन्दी", "motswana 한국어 日本語 العربية ไทย हिन्दी"},
		{"half-width sound marks", "ｶﾞ_ﾟ", "ｶ゛_゜"},
		{"vowel am", "น้ำ ກຳ", "น้\u0e4d\u0e32 ກ\u0ecd\u0eb2"},
		{"vowel am without a letter", "\u0e33a", "⟨U+0E33⟩a"},
		{"emoji", "👍🏽 ❤️ 1️⃣ 👨‍👩‍👧 🏳️‍🌈 🇧🇼", "👍🏽 ❤️ 1️⃣ 👨‍👩‍👧 🏳️‍🌈 🇧🇼"},
		{"letter that joins the next", "\u0d4eA\u0d4e\u0d15", "⟨U+0D4E⟩A⟨U+0D4E⟩\u0d15"},
		{"skin tone alone", "🏻 🏻", "⟨U+1F3FB⟩ ⟨U+1F3FB⟩"},
		{"two skin tones", "👍🏽🏻", "👍🏽⟨U+1F3FB⟩"},
		{"skin tone after a letter", "a🏻", "a⟨U+1F3FB⟩"},
		{"joiner after emoji", "👍\u200dx", "👍⟨U+200D⟩x"},
		{"joiner at the end", "👍\u200d", "👍⟨U+200D⟩"},
		{"half a flag", "🇧🇼🇧", "🇧🇼⟨U+1F1E7⟩"},
		{"stacked marks", "a" + strings.Repeat("\u0301", 9), "a" + strings.Repeat("\u0301", 8) + "⟨U+0301⟩"},
		{"space of another width", "a\u00a0b\u3000c", "a\u00a0b\u3000c"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Printable(tt.in); got != tt.want {
				t.Errorf("Printable(%+q) = %+q, want %+q", tt.in, got, tt.want)
			}
		})
	}
}

// Printing the characters one at a time takes as many cells as Width counts for the whole text.
func TestPrintableCharactersDoNotCombine(t *testing.T) {
	for r := range rune(unicode.MaxRune + 1) {
		shown := Printable(string(r))
		if got, want := Width(shown+"a"), Width(shown)+1; got != want {
			t.Errorf("%U before a letter: got %d cells, want %d", r, got, want)
		}
	}
}

func TestPrintableLinesKeepsLineBreaks(t *testing.T) {
	if got, want := PrintableLines("a\r\n\x1bb\n\u0301"), "a␍\n␛b\n⟨U+0301⟩"; got != want {
		t.Errorf("PrintableLines = %q, want %q", got, want)
	}
}

func TestPrintableASCIIDoesNotAllocate(t *testing.T) {
	s := strings.Repeat("CASE#ver_8f2c91 ", 100)
	if n := testing.AllocsPerRun(10, func() { _ = Printable(s) }); n != 0 {
		t.Errorf("Printable of plain ASCII allocates %v times, want 0", n)
	}
}

func TestTruncate(t *testing.T) {
	tests := []struct {
		in    string
		cells int
		want  string
	}{
		{"abc", 3, "abc"},
		{"abcd", 3, "ab…"},
		{"日本語", 6, "日本語"},
		{"日本語", 5, "日本…"},
		{"日本語", 4, "日…"},
		{"abc", 1, "…"},
		{"abc", 0, ""},
		{"abc", -4, ""},
		{"👨‍👩‍👧x", 2, "…"},
		{"", 1, ""},
		{"é", 1, "é"},
	}
	for _, tt := range tests {
		if got := Truncate(tt.in, tt.cells); got != tt.want {
			t.Errorf("Truncate(%q, %d) = %q, want %q", tt.in, tt.cells, got, tt.want)
		}
	}
}

// The cost of a cell does not depend on the length of its value. A cut never shows a part of a character.
func TestPrintableCellOfHugeValue(t *testing.T) {
	for _, piece := range []string{"a", "é", "e\u0301\u0302", "日", "👩", "👨‍👩‍👧", "\x1b", "\xff"} {
		for shift := range 4 {
			huge := strings.Repeat("x", shift) + strings.Repeat(piece, 100_000)
			got := PrintableCell(huge, 20)
			if want := Truncate(Printable(huge[:4000]), 20); got != want {
				t.Errorf("%d characters and %q: got %q, want %q", shift, piece, got, want)
			}
		}
	}
	if got := PrintableCell("a", 0); got != "" {
		t.Errorf("PrintableCell(\"a\", 0) = %q, want none", got)
	}
}

// Printable escapes an emoji selector unless it follows a pictograph, because terminals disagree about its width. The
// test tries the ends of each range of pictographs and the characters beyond them.
func TestSelectorsFollowPictographsOnly(t *testing.T) {
	for _, span := range [][2]rune{
		{0xa9, 0xa9},
		{0xae, 0xae},
		{0x203c, 0x203c},
		{0x2049, 0x2049},
		{0x2122, 0x2122},
		{0x2139, 0x2139},
		{0x2194, 0x21aa},
		{0x231a, 0x23ff},
		{0x24c2, 0x24c2},
		{0x25aa, 0x27bf},
		{0x2934, 0x2935},
		{0x2b05, 0x2b55},
		{0x3030, 0x3030},
		{0x303d, 0x303d},
		{0x3297, 0x3297},
		{0x3299, 0x3299},
		{0x1f004, 0x1f1e5},
		{0x1f200, 0x1f3fa},
		{0x1f400, 0x1fa7c},
	} {
		for r, pictograph := range map[rune]bool{span[0] - 1: false, span[0]: true, span[1]: true, span[1] + 1: false} {
			if isFlagHalf(r) || isSkinTone(r) || unicode.IsMark(r) || !unicode.IsPrint(r) || r >= 0x1f000 && !pictograph {
				continue
			}
			want := string(r) + "⟨U+FE0F⟩"
			if pictograph {
				want = string(r) + "\ufe0f"
			}
			if got := Printable(string(r) + "\ufe0f"); got != want {
				t.Errorf("U+%04X with a selector: got %q, want %q", r, got, want)
			}
		}
	}
	for in, want := range map[string]string{
		"\U0001f1e6\U0001f1ff": "\U0001f1e6\U0001f1ff", "\U0001f1e5": "⟨U+1F1E5⟩", "\U0001f1ff": "⟨U+1F1FF⟩",
		"👍\U0001f3fb": "👍\U0001f3fb", "👍\U0001f3ff": "👍\U0001f3ff", "a\U0001f3ff": "a⟨U+1F3FF⟩",
	} {
		if got := Printable(in); got != want {
			t.Errorf("%+q: got %q, want %q", in, got, want)
		}
	}
}

// Printable limits the members of an emoji family. A terminal would need a long time for an endless one.
func TestJoinersAreBounded(t *testing.T) {
	joined := func(n int) string { return strings.Repeat("👩\u200d", n) + "👩" }
	if got := Printable(joined(maxJoins) + joined(maxJoins)); got != joined(maxJoins)+joined(maxJoins) {
		t.Errorf("two families of the maximum size: got %+q", got)
	}
	if got := Printable(joined(maxJoins + 1)); got != joined(maxJoins)+"⟨U+200D⟩👩" {
		t.Errorf("a family that is too large: got %+q", got)
	}
}

func TestCSVCell(t *testing.T) {
	for in, want := range map[string]string{
		"":            "",
		"abc":         "abc",
		"=1+1":        "'=1+1",
		"@SUM(A1)":    "'@SUM(A1)",
		"\t=1":        "'\t'=1",
		"\r=1":        "'\r'=1",
		"＝1":          "'＝1",
		"-5":          "-5",
		"+5.25":       "+5.25",
		"-1.5E-10":    "-1.5E-10",
		"-":           "'-",
		"+27 82 1":    "'+27 82 1",
		"-1-cmd|'x'!": "'-1-cmd|'x'!",
		"1e5":         "1e5",
		"-1e":         "'-1e",
	} {
		if got := CSVCell(in); got != want {
			t.Errorf("CSVCell(%q) = %q, want %q", in, got, want)
		}
		if got := CSVCell(CSVCell(in)); got != want {
			t.Errorf("CSVCell is not idempotent for %q: %q", in, got)
		}
	}
}

// hostile generates text from the worst characters that tables contain.
func hostile() *rapid.Generator[string] {
	pieces := []string{
		"a", "Z", " ", "9", "\x1b[2J", "\x1b]52;c;eA==\a", "\x9b", "\u009b", "\r", "\n", "\t", "\x00", "\x7f", "\xff", "\xe2\x80",
		"\u202e", "\u2066", "\u200b", "\u200d", "\ufeff", "\u00ad", "\ufe0f", "\u20e3", "\u0301", "\u0e49", "\u0903",
		"👍", "🏽", "❤", "🇧", "日", "한", "ᄀ", "ﷺ", "क", "्", "ि", "\U000e0041", "\u2028", "\u3164", "…", "⟨", "⟩", "␛",
	}
	return rapid.Custom(func(t *rapid.T) string {
		parts := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(pieces), rapid.String()), 0, 12).Draw(t, "parts")
		return strings.Join(parts, "")
	})
}

func TestPrintableProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkPrintable(t, hostile().Draw(t, "s")) })
}

func FuzzPrintable(f *testing.F) {
	for _, s := range []string{"", "abc", "\x1b[31m", "👨‍👩‍👧", "e\u0301", "\u202e", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkPrintable(t, s) })
}

// checkPrintable fails if the result controls a terminal, loses text, or changes when Printable processes it again.
func checkPrintable(t interface {
	Helper()
	Fatalf(string, ...any)
}, s string,
) {
	t.Helper()
	got := Printable(s)
	if !utf8.ValidString(got) {
		t.Fatalf("Printable(%+q) is not UTF-8: %+q", s, got)
	}
	for _, r := range got {
		if r < 0x20 || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200b || r == 0xfeff {
			t.Fatalf("Printable(%+q) keeps %U", s, r)
		}
	}
	if second := Printable(got); second != got {
		t.Fatalf("Printable(%+q) is not idempotent:\n%+q\n%+q", s, got, second)
	}
	if ansi.Strip(got) != got {
		t.Fatalf("Printable(%+q) keeps an escape sequence: %+q", s, got)
	}
	if (s == "") != (ansi.StringWidth(got) == 0) {
		t.Fatalf("Printable(%+q) = %+q is %d cells wide", s, got, ansi.StringWidth(got))
	}
	for cells := range 6 {
		if w := ansi.StringWidth(PrintableCell(s, cells)); w > cells {
			t.Fatalf("PrintableCell(%+q, %d) is %d cells wide", s, cells, w)
		}
	}
}

// Truncate measures a keycap as the terminal shows it.
func TestTruncateKeycap(t *testing.T) {
	for cells := range 12 {
		for _, s := range []string{"9\ufe0f\u20e3a", strings.Repeat("1\ufe0f\u20e3", 9), "a9\ufe0f\u20e3b8\ufe0f\u20e3c"} {
			if got := Truncate(s, cells); ansi.StringWidth(got) > cells || cells > 0 && got == "" {
				t.Errorf("%q for %d cells is %d cells wide", got, cells, ansi.StringWidth(got))
			}
		}
	}
}

func BenchmarkPrintable(b *testing.B) {
	for name, s := range map[string]string{
		"ascii": strings.Repeat("CASE#ver_1 ", 10), "mixed": strings.Repeat("é日👍\n", 20),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = Printable(s)
			}
		})
	}
}

func TestFirstAndLastPictographMayHaveSelector(t *testing.T) {
	for _, text := range []string{"\U0001f000\ufe0f", "\u203c\ufe0f", "\u2b55\ufe0f"} {
		if got := Printable(text); got != text {
			t.Errorf("%q is shown as %q", text, got)
		}
	}
}

// The searches find every byte at every position.
func TestByteSearchesFindEveryByte(t *testing.T) {
	for _, around := range []byte{'x', 0xff, '"'} {
		for c := range 256 {
			for _, length := range []int{1, 8, 11} {
				for at := range length {
					text := []byte(strings.Repeat(string([]byte{around}), length))
					text[at] = byte(c)
					checkByteSearches(t, string(text))
				}
			}
		}
	}
}

func checkByteSearches(t *testing.T, text string) {
	t.Helper()
	for from := range len(text) + 1 {
		want := from
		for want < len(text) && text[want] >= ' ' && text[want] != '"' && text[want] != '\\' {
			want++
		}
		if got := IndexJSONEscape(text, from); got != want {
			t.Fatalf("IndexJSONEscape(%q, %d) = %d, want %d", text, from, got, want)
		}
		want = from
		for want < len(text) && text[want] >= ' ' && text[want] <= '~' {
			want++
		}
		if got := IndexNonPrintable(text, from); got != want {
			t.Fatalf("IndexNonPrintable(%q, %d) = %d, want %d", text, from, got, want)
		}
		if got := IndexNonPrintable([]byte(text), from); got != want {
			t.Fatalf("IndexNonPrintable(%q, %d) of bytes = %d, want %d", text, from, got, want)
		}
	}
}

// TestWidthMatchesLibraryForEveryCharacter compares the width of each code point with the library's, alone and between
// characters that it could combine with.
func TestWidthMatchesLibraryForEveryCharacter(t *testing.T) {
	for r := range rune(0x3000) {
		for _, text := range []string{string(r), "│" + string(r), string(r) + "─", "é" + string(r) + "\u0301", string(r) + "\ufe0f", "a\x1b[1m" + string(r) + "\u200d"} {
			if got, want := Width(text), ansi.StringWidth(text); got != want {
				t.Fatalf("%+q: got %d cells, want %d", text, got, want)
			}
		}
	}
}

func TestWidthMatchesLibraryForAnyLine(t *testing.T) {
	parts := rapid.SampledFrom([]string{
		"a", "B~", " ", "│", "─╮", "…", "é", "ß", "\u0301", "\ufe0f", "\u200d", "👩", "🇩🇪", "1\u20e3", "日本", "ﾞ", "ำ", "ก", "·", "▌",
		"\x1b[1;38;2;1;2;3m", "\x1b[m", "\x1b[4:3m", "\x1b", "\x1b[", "\x1b[2K", "\x1b]8;;http://x\x1b\\", "\x1b[1", "\x9b1m", "\xff", "\t", "\n", "\x00", "\x7f", "⟨",
	})
	rapid.Check(t, func(t *rapid.T) {
		line := strings.Join(rapid.SliceOfN(parts, 0, 12).Draw(t, "parts"), "")
		if got, want := Width(line), ansi.StringWidth(line); got != want {
			t.Fatalf("%q: got %d cells, want %d", line, got, want)
		}
	})
}

func TestWidthOfFrameDoesNotAllocate(t *testing.T) {
	line := "\x1b[38;5;1m│\x1b[m " + strings.Repeat("CASE#1 · ", 10) + "│"
	if n := testing.AllocsPerRun(10, func() { Width(line) }); n != 0 {
		t.Fatalf("got %v allocations, want 0", n)
	}
}

func BenchmarkWidth(b *testing.B) {
	line := "\x1b[38;5;1m│\x1b[m " + strings.Repeat("CASE#1 · ", 10) + "│"
	for b.Loop() {
		Width(line)
	}
}

func BenchmarkWidthOfLibrary(b *testing.B) {
	line := "\x1b[38;5;1m│\x1b[m " + strings.Repeat("CASE#1 · ", 10) + "│"
	for b.Loop() {
		ansi.StringWidth(line)
	}
}
