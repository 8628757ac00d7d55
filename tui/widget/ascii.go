package widget

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Signs selects the characters that a terminal can show.
type Signs uint8

// The character sets.
const (
	SignsAll   Signs = iota // everything as drawn
	SignsFew                // frames and symbols in ASCII, data unchanged
	SignsASCII              // ASCII only: the terminal does not support UTF-8
)

// signsByASCII lists the symbols that the console draws by their ASCII replacement.
// Both are one cell wide, so no line changes its width.
var signsByASCII = map[byte]string{
	'-':  "─╌╸╺┄╶╴·–—−▔⠹⠦",
	'|':  "│┆╎┃╽╿‖╷╵↕▏▎▍▕⠋⠼⠇",
	'+':  "╭╮╰╯├┤┬┴┼┌┐└┘✓┏┓┗┛┣┫┳┻╋╆╅╄╃╂┿┽┾╀╁╇╈╉╊┍┎┑┒┕┖┙┚┝┞┟┠┡┢┥┦┧┨┩┪┭┮┯┰┱┲┵┶┷┸┹┺",
	'=':  "━╼╾═↔⇄≡≔▅▆",
	'*':  "•●◆★☆✎∙",
	'~':  "…≈⋯±",
	'x':  "×✗✘",
	'!':  "≠⚠⊘¬",
	'>':  "≥→↷↳⇒⇥▸▶▹›»⟩▌",
	'<':  "≤←↶↵◂◀‹«⟨⏎",
	'0':  "∅",
	'e':  "∈",
	'8':  "∞",
	'^':  "↑▴▲⌘∧⇡",
	'v':  "↓▾▼∨⇣",
	'o':  "↻□◐◌○◇°",
	'#':  "■▪█▐▋▊▉▓▇",
	'@':  "◉",
	'?':  "⌕",
	':':  "⋮▒",
	'P':  "¶",
	'S':  "§",
	'"':  "″“”„▀",
	'\'': "′’‘▝▘",
	'/':  "÷⠙⠴⠏",
	'_':  "▄▁▂▃",
	'.':  "▗▖░",
	'\\': "⠸⠧",
}

// plainSigns is the replacement of each symbol.
var plainSigns = func() map[rune]byte {
	m := map[rune]byte{}
	for plain, signs := range signsByASCII {
		for _, sign := range signs {
			m[sign] = plain
		}
	}
	return m
}()

// Draw returns a styled block in the selected characters. No line changes its
// width. A character of data that has no replacement is kept with SignsFew, and becomes one
// question mark for each of its cells with SignsASCII.
func (k Signs) Draw(block string) string {
	at := strings.IndexFunc(block, func(r rune) bool { return r >= utf8.RuneSelf })
	if k == SignsAll || at < 0 {
		return block
	}
	var b strings.Builder
	b.Grow(len(block))
	for at >= 0 {
		b.WriteString(block[:at])
		block = block[at:]
		block = block[k.sign(&b, block):]
		at = strings.IndexFunc(block, func(r rune) bool { return r >= utf8.RuneSelf })
	}
	b.WriteString(block)
	return b.String()
}

func (k Signs) sign(b *strings.Builder, text string) int {
	r, size := utf8.DecodeRuneInString(text)
	if plain, ok := plainSigns[r]; ok && alone(text[size:]) {
		b.WriteByte(plain)
		return size
	}
	character, w := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
	if k == SignsFew {
		b.WriteString(character)
	} else {
		b.WriteString(strings.Repeat("?", w))
	}
	return max(len(character), 1)
}

// alone excludes a variation selector, which makes an emoji of the symbol.
func alone(rest string) bool {
	if rest == "" || rest[0] < utf8.RuneSelf {
		return true
	}
	r, _ := utf8.DecodeRuneInString(rest)
	_, sign := plainSigns[r]
	return sign
}
