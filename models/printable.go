package models

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

const (
	// maxMarks is how many combining marks one character may have. Living
	// languages need up to four; stacks of them overlap other lines.
	maxMarks = 8
	// maxJoins is how many joiners one emoji may have; the longest sequence that
	// Unicode recommends (a couple kissing) has three.
	maxJoins = 4
	// maxCellBytes bounds the bytes that Printable keeps per terminal cell: a
	// character of four bytes with maxMarks marks of four bytes each.
	maxCellBytes = 4 * (1 + maxMarks)
)

// Printable returns s in a form that is safe to write within one line of a
// terminal. All data from a table passes it before it is shown.
//
// Whatever a terminal would execute, hide or reorder becomes visible; nothing is
// dropped. C0 controls and DEL become control pictures (␛ ␊), other characters
// their code point (⟨U+202E⟩), bytes that are not UTF-8 their value (⟨xFF⟩). This
// covers C1 controls and therefore every escape sequence, bidirectional
// overrides, zero-width characters, tags, line separators, private and
// unassigned characters, variation selectors and joiners outside an emoji,
// combining marks without a base character, and letters that combine with the one
// after them. Letters of every script and
// well-formed emoji do not change.
//
// Every character of the result is at least one cell wide. Printable is
// idempotent, and returns plain ASCII without allocating.
func Printable(s string) string {
	return printable(s, false)
}

// PrintableLines is Printable for multi-line text: it keeps "\n". A "\r" is replaced, because a
// terminal would overwrite the line with what follows it.
func PrintableLines(s string) string {
	return printable(s, true)
}

// Showable reports whether multi-line text contains nothing that a terminal would
// execute or hide. It ignores tabs, half-width katakana sound marks and the vowel
// am, which Printable replaces for their width only.
func Showable(s string) bool {
	if firstSpecial(s, true) < 0 {
		return true
	}
	s = harmless.Replace(s)
	return PrintableLines(s) == s
}

var harmless = strings.NewReplacer(
	"\t", " ", "\uff9e", "\u309b", "\uff9f", "\u309c",
	"\u0e33", "\u0e4d\u0e32", "\u0eb3", "\u0ecd\u0eb2",
)

// PrintableCell returns s, printable and cut to cells terminal cells; "…" marks
// the cut. Its cost depends on cells, not on the length of s, so it is fit for
// 400 KB attributes.
func PrintableCell(s string, cells int) string {
	// The cut text is still wider than the cell, so Truncate adds the ellipsis, and a character that was cut is not shown.
	s = s[:min(len(s), maxCellBytes*(max(cells, 0)+2))]
	return Truncate(Printable(s), cells)
}

// Truncate cuts printable text to at most cells terminal cells and marks the cut
// with "…". It never splits a wide character, so the result may be one cell
// short. It returns "" for zero or negative cells. The text must not contain styles that are
// open at the cut: they would apply to what follows.
func Truncate(s string, cells int) string {
	if cells <= 0 {
		return ""
	}
	if len(s) <= cells || Width(s) <= cells {
		// No character has more cells than bytes.
		return s
	}
	cut := ansi.Truncate(s, cells, "…")
	// ansi.Truncate takes keycap emoji to be narrower than ansi.StringWidth does.
	for less := cells - 1; less >= 0 && Width(cut) > cells; less-- {
		cut = ansi.Truncate(s, less, "…")
	}
	return cut
}

// firstSpecial returns the offset of the first character that may need a replacement, or of the character
// before it if the two may combine; -1 if s is printable already.
func firstSpecial(s string, lines bool) int {
	i := PrintableASCII(s, 0)
	before := max(i-1, 0)
	for i < len(s) {
		c := s[i]
		switch {
		case c >= 0x20 && c < 0x7f || c == '\n' && lines:
			before = i
			i++
		case c < utf8.RuneSelf:
			return i
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 || !isStandalone(r) || isFlagHalf(r) {
				return before
			}
			before = i
			i += n
		}
	}
	return -1
}

func printable(s string, lines bool) string {
	i := firstSpecial(s, lines)
	if i < 0 {
		return s
	}
	p := printer{lines: lines}
	p.out.Grow(len(s) + 16)
	p.out.WriteString(s[:i])
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			p.escape("⟨x%02X⟩", rune(s[i]))
		} else {
			p.write(r, s[i+n:])
		}
		i += n
	}
	if p.changed {
		return p.out.String()
	}
	return s
}

// printer is the state of one pass of Printable: what the next character may
// combine with.
type printer struct {
	out     strings.Builder
	lines   bool
	changed bool
	prev    rune // last character kept, 0 after an escape or at the start
	base    bool // a combining mark has a base character
	marks   int  // marks on the current character
	joins   int  // joiners in the current emoji
	flag    bool // prev is the first half of a flag
}

func (p *printer) escape(format string, r rune) {
	fmt.Fprintf(&p.out, format, r)
	p.changed = true
	p.prev, p.base, p.flag, p.marks, p.joins = 0, false, false, 0, 0
}

func (p *printer) keep(r rune) {
	p.out.WriteRune(r)
	p.prev, p.base, p.flag, p.marks = r, true, false, 0
}

func (p *printer) attach(r rune) {
	p.out.WriteRune(r)
	p.prev = r
	p.marks++
}

func (p *printer) write(r rune, rest string) {
	switch {
	case r == '\n' && p.lines:
		p.keep(r)
		p.base = false
	case r < 0x20:
		p.out.WriteRune(0x2400 + r)
		p.changed, p.prev, p.base, p.flag = true, 0, false, false
	case r == 0x7f:
		p.out.WriteRune(0x2421)
		p.changed, p.prev, p.base, p.flag = true, 0, false, false
	case r < 0x7f:
		p.keep(r)
		p.joins = 0
	case isHalfWidthSound(r):
		p.keep(r - 0xff9e + 0x309b)
		p.changed, p.joins = true, 0
	case isVowelAm(r) && p.base && !p.flag && p.marks < maxMarks:
		p.attach(r + 0x1a) // nikhahit, or niggahita
		p.keep(r - 1)      // the vowel aa
		p.changed, p.joins = true, 0
	case p.attaches(r, rest):
		if r == zeroWidthJoiner {
			p.joins++
		}
		p.attach(r)
	case !isStandalone(r):
		p.escape("⟨U+%04X⟩", r)
	case isFlagHalf(r):
		p.writeFlagHalf(r, rest)
	default:
		if p.prev != zeroWidthJoiner {
			p.joins = 0
		}
		p.keep(r)
	}
}

// writeFlagHalf keeps pairs of regional indicators. Terminals disagree about the width of a single one.
func (p *printer) writeFlagHalf(r rune, rest string) {
	if p.flag {
		p.out.WriteRune(r)
		p.flag, p.prev = false, r
		return
	}
	if next, _ := utf8.DecodeRuneInString(rest); !isFlagHalf(next) {
		p.escape("⟨U+%04X⟩", r)
		return
	}
	p.keep(r)
	p.flag = true
}

const (
	zeroWidthJoiner = 0x200d
	emojiSelector   = 0xfe0f
	keycap          = 0x20e3
)

func (p *printer) attaches(r rune, rest string) bool {
	if !p.base || p.flag || p.marks >= maxMarks {
		return false
	}
	next, _ := utf8.DecodeRuneInString(rest)
	switch {
	case r == emojiSelector:
		return isPictograph(p.prev) || strings.ContainsRune("0123456789#*", p.prev) && next == keycap
	case r == zeroWidthJoiner:
		joinable := isPictograph(p.prev) || p.prev == emojiSelector
		return joinable && isPictograph(next) && isStandalone(next) && p.joins < maxJoins
	case isSkinTone(r):
		return isPictograph(p.prev) && !isSkinTone(p.prev)
	case isHidden(r):
		return false
	}
	return unicode.IsMark(r)
}

// isStandalone reports whether r has a width and does not combine with the character before or after it.
// Unicode combines signs such as the Malayalam dot reph with the next character, many terminals do not.
func isStandalone(r rune) bool {
	if unicode.IsMark(r) || isHidden(r) || isSkinTone(r) || isHalfWidthSound(r) || isVowelAm(r) {
		return false
	}
	if !unicode.IsPrint(r) && !unicode.Is(unicode.Zs, r) {
		return false
	}
	if r < 0x300 || r >= 0x2010 && r < 0x2800 {
		return true // Latin, punctuation and symbols all have a width.
	}
	return Width(string(r)+"a") > 1
}

// isHalfWidthSound reports the sound marks of half-width katakana. Unicode combines them with the letter
// before, but terminals give them a cell. The marks ゛ and ゜, which replace them, have the same width
// everywhere.
func isHalfWidthSound(r rune) bool { return r == 0xff9e || r == 0xff9f }

// isVowelAm reports the vowel am of Thai and Lao. Unicode combines it with the letter before, but terminals
// give it a cell. Its two parts, which replace it, have the same width everywhere.
func isVowelAm(r rune) bool { return r == 0x0e33 || r == 0x0eb3 }

func isHidden(r rune) bool {
	switch r {
	case 0x00ad, 0x034f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x3164, 0xffa0, 0x2800:
		return true
	}
	return unicode.Is(unicode.Variation_Selector, r) || unicode.Is(unicode.Cf, r)
}

func isFlagHalf(r rune) bool {
	return r >= 0x1f1e6 && r <= 0x1f1ff
}

func isSkinTone(r rune) bool { return r >= 0x1f3fb && r <= 0x1f3ff }

// isPictograph approximates Unicode's Extended_Pictographic and skin tones: the characters that an emoji
// selector or a joiner may follow.
func isPictograph(r rune) bool {
	switch {
	case r < 0x203c:
		return r == 0xa9 || r == 0xae
	case r <= 0x2bff:
		return r == 0x203c || r == 0x2049 || r == 0x2122 || r == 0x2139 ||
			r >= 0x2194 && r <= 0x21aa || r >= 0x231a && r <= 0x23ff || r == 0x24c2 ||
			r >= 0x25aa && r <= 0x27bf || r >= 0x2934 && r <= 0x2935 || r >= 0x2b05 && r <= 0x2b55
	case r < 0x1f000:
		return r == 0x3030 || r == 0x303d || r == 0x3297 || r == 0x3299
	}
	return r <= 0x1faff && !isFlagHalf(r)
}
