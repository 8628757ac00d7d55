package models

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

const (
	// maxMarks is the maximum number of combining marks on one character. Living languages need up to four; stacks of
	// them overlap other lines.
	maxMarks = 8
	// maxJoins is the maximum number of joiners in one emoji; the longest sequence that Unicode recommends (a couple
	// kissing) has three.
	maxJoins = 4
	// maxCellBytes is the maximum number of bytes that Printable keeps per terminal cell: a character of four bytes
	// with maxMarks marks of four bytes each.
	maxCellBytes = 4 * (1 + maxMarks)
)

// Printable returns s in a form that is safe to write within one terminal line. All table data passes through it before
// it is shown.
//
// Printable makes characters visible that a terminal would execute, hide or reorder, and drops none. It replaces C0
// controls and DEL with control pictures (␛ ␊), other such characters with their code point (⟨U+202E⟩), and bytes that
// are not UTF-8 with their value (⟨xFF⟩). This covers C1 controls and therefore every escape sequence, bidirectional
// overrides, zero-width characters, tags, line separators, private and unassigned characters, variation selectors and
// joiners outside an emoji, combining marks without a base character, and letters that combine with the one after them.
// Letters of every script and well-formed emoji do not change.
//
// Every character of the result is at least one cell wide. Printable is idempotent, and returns plain ASCII without
// allocating.
func Printable(s string) string {
	return printable(s, false)
}

// PrintableLines is like Printable, but for multi-line text: it keeps "\n". It replaces "\r", because a terminal would
// overwrite the line with the text that follows.
func PrintableLines(s string) string {
	return printable(s, true)
}

// IsShowable reports whether multi-line text contains only characters that a terminal shows as they are. It ignores
// tabs, half-width katakana sound marks and the vowel am, which Printable replaces for their width only.
func IsShowable(s string) bool {
	if firstSpecial(s, true) < 0 {
		return true
	}
	s = widthOnly.Replace(s)
	return PrintableLines(s) == s
}

var widthOnly = strings.NewReplacer(
	"\t", " ", "\uff9e", "\u309b", "\uff9f", "\u309c",
	"\u0e33", "\u0e4d\u0e32", "\u0eb3", "\u0ecd\u0eb2",
)

// PrintableCell returns s, printable and cut to cells terminal cells; "…" marks the cut. Its cost depends on cells and
// not on the length of s, so it is fast even for attributes of 400 KB.
func PrintableCell(s string, cells int) string {
	// The cut text is still wider than the cell, so Truncate adds the ellipsis and drops the character that was cut.
	s = s[:min(len(s), maxCellBytes*(max(cells, 0)+2))]
	return Truncate(Printable(s), cells)
}

// Truncate cuts printable text to at most cells terminal cells and marks the cut with "…". It never splits a wide
// character, so the result may be one cell short. It returns "" for zero or negative cells. The text must not contain a
// style that is open at the cut, because it would apply to the text that follows.
func Truncate(s string, cells int) string {
	if cells <= 0 {
		return ""
	}
	if len(s) <= cells || Width(s) <= cells {
		// No character has more cells than bytes.
		return s
	}
	cut := ansi.Truncate(s, cells, "…")
	// ansi.Truncate measures keycap emoji narrower than ansi.StringWidth does.
	for limit := cells - 1; limit >= 0 && Width(cut) > cells; limit-- {
		cut = ansi.Truncate(s, limit, "…")
	}
	return cut
}

// firstSpecial returns the offset of the first character that Printable may replace or combine, or -1 if there is none.
func firstSpecial(s string, lines bool) int {
	i := IndexNonPrintable(s, 0)
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

// printer is the state of one pass of Printable, which determines how the next character combines.
type printer struct {
	out     strings.Builder
	lines   bool
	changed bool
	prev    rune // last character kept, 0 after an escape or at the start
	base    bool // there is a base character for a combining mark
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

// writeFlagHalf keeps only pairs of regional indicators, because terminals disagree about the width of a single one.
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

// isStandalone reports whether r has a width and does not combine with the character before or after it. Unicode
// combines signs such as the Malayalam dot reph with the next character, but many terminals do not.
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

// isHalfWidthSound reports whether r is a mark that Unicode joins to the previous letter but terminals do not.
func isHalfWidthSound(r rune) bool { return r == 0xff9e || r == 0xff9f }

// isVowelAm reports whether r is the Thai or Lao vowel am, which Unicode joins to the letter but terminals do not.
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

// isPictograph approximates Unicode's Extended_Pictographic and skin tones, which a selector or a joiner may follow.
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

// CSVCell returns s as a CSV cell that no spreadsheet evaluates. CSVCell adds a leading apostrophe to text that looks
// like a formula: text that starts with a tab, a line break, or = + - @ or their full-width forms, with or without
// leading blanks and double quotes. It treats text after a semicolon, tab or line break the same way, because
// spreadsheets with decimal commas split cells there even within quotes. Plain numbers do not change. encoding/csv does
// the quoting. The apostrophe changes the data, so use it for files that people open and not for those that a program
// reads back.
func CSVCell(s string) string {
	if s == "" {
		return s
	}
	if startsFormula(s) || strings.ContainsRune(lineEnds, rune(s[0])) {
		s = "'" + s
	}
	at := strings.IndexAny(s, cellEnds)
	if at < 0 {
		return s
	}
	var out strings.Builder
	for at >= 0 {
		out.WriteString(s[:at+1])
		s = s[at+1:]
		if startsFormula(s) {
			out.WriteByte('\'')
		}
		at = strings.IndexAny(s, cellEnds)
	}
	out.WriteString(s)
	return out.String()
}

const (
	lineEnds = "\t\r\n"
	cellEnds = ";" + lineEnds
)

func startsFormula(s string) bool {
	s = strings.TrimLeft(s, " \u00a0\u3000\"")
	if s == "" || !strings.ContainsRune("=+-@", rune(s[0])) && !isWideSign(s) {
		return false
	}
	if end := strings.IndexAny(s, cellEnds); end >= 0 {
		s = s[:end]
	}
	_, isNumber := parseDecimal(strings.TrimRight(s, " "))
	return !isNumber
}

func isWideSign(s string) bool {
	return slices.ContainsFunc([]string{"＝", "＋", "－", "＠"}, func(sign string) bool { return strings.HasPrefix(s, sign) })
}

// PrintableJSON writes misleading characters in JSON text as \uXXXX. This does not change the meaning of the JSON,
// because such characters occur only in strings. The text must end with a complete character. The result may be the
// same slice, so the caller must not change text afterwards.
func PrintableJSON(text []byte) []byte {
	var out []byte
	done := 0
	for i := IndexNonPrintable(text, 0); i < len(text); i = IndexNonPrintable(text, i) {
		r, size := utf8.DecodeRune(text[i:])
		if r >= 0x7f && IsMisleading(r) {
			out = append(out, text[done:i]...)
			for _, u := range utf16.AppendRune(nil, r) {
				out = fmt.Appendf(out, `\u%04x`, u)
			}
			done = i + size
		}
		i += size
	}
	if done == 0 {
		return text
	}
	return append(out, text[done:]...)
}

// IsMisleading reports whether a terminal executes r or shows nothing for it: control and format characters, line and
// paragraph separators.
func IsMisleading(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}

// The functions below examine text eight bytes at a time. Most text is letters and digits, and ddbdesk examines many
// rows several times before it writes them to a file.

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// eightBytes returns the first eight bytes in little-endian order. The compiler turns it into one load.
func eightBytes[T string | []byte](s T) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// IndexJSONEscape returns the offset, at or after at, of the first quote, backslash or control character in text, or
// the length of text. A JSON string can contain the text before that offset without escapes. It does not check
// characters beyond ASCII; see needsNoEscape and IsMisleading.
func IndexJSONEscape(text string, at int) int {
	for ; at+8 <= len(text); at += 8 {
		w := eightBytes(text[at:])
		quote, slash := w^ones*'"', w^ones*'\\'
		// The lowest of the high bits marks the first such byte. Higher bits may be wrong.
		found := ((w-ones*' ')&^w | (quote-ones)&^quote | (slash-ones)&^slash) & highs
		if found != 0 {
			return at + bits.TrailingZeros64(found)/8
		}
	}
	for ; at < len(text); at++ {
		if c := text[at]; c < ' ' || c == '"' || c == '\\' {
			break
		}
	}
	return at
}

// IndexNonPrintable returns the offset, at or after at, of the first byte in text that is not a printable ASCII
// character, or the length of text.
func IndexNonPrintable[T string | []byte](text T, at int) int {
	for ; at+8 <= len(text); at += 8 {
		w := eightBytes(text[at:])
		if found := ((w-ones*' ')&^w | (w + ones) | w) & highs; found != 0 {
			return at + bits.TrailingZeros64(found)/8
		}
	}
	for ; at < len(text); at++ {
		if c := text[at]; c < ' ' || c > '~' {
			break
		}
	}
	return at
}

// Width returns the number of terminal cells that a line takes, ignoring its styles. Most lines consist of ASCII,
// frames and styles, where each code point is one cell, so Width avoids ansi.StringWidth, which would take a quarter of
// a frame's time.
func Width(line string) int {
	cells := 0
	for i := 0; i < len(line); {
		switch c := line[i]; {
		case c >= 0x20 && c < 0x7f:
			cells++
			i++
		case c == 0x1b:
			n := styleLength(line[i:])
			if n == 0 {
				return ansi.StringWidth(line)
			}
			i += n
		default:
			r, n := utf8.DecodeRuneInString(line[i:])
			if !isOneCell(r) {
				return ansi.StringWidth(line)
			}
			cells++
			i += n
		}
	}
	return cells
}

// styleLength returns the length of the style ("\x1b[…m") at the start of s, or 0 if s starts with anything else.
func styleLength(s string) int {
	if !strings.HasPrefix(s, "\x1b[") {
		return 0
	}
	for i := 2; i < len(s); i++ {
		switch c := s[i]; {
		case c == 'm':
			return i + 1
		case (c < '0' || c > '9') && c != ';' && c != ':':
			return 0
		}
	}
	return 0
}

// isOneCell reports whether r takes one cell and does not combine with others. It covers frames and most texts.
func isOneCell(r rune) bool {
	switch {
	case r < 0x2010:
		return r >= 0xc0 && r <= 0x24f || r == 0xb7
	case r < 0x2190:
		return r <= 0x2027
	case r <= 0x2193, r >= 0x2500 && r <= 0x259f:
		return true
	}
	return r == 0x2315 || r == 0x25b8 || r == 0x25be || r == 0x25cf || r == 0x25cb
}
