// This file draws with ASCII what is drawn with frames and signs elsewhere.

package widget

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Signs says which characters a terminal is given.
type Signs uint8

// The choices.
const (
	SignsAll   Signs = iota // as they are
	SignsFew                // frames and signs in ASCII; data as it is
	SignsASCII              // nothing but ASCII: the terminal knows no UTF-8
)

// plainSigns is the ASCII character for each sign of the console. Each is one
// cell wide, as the sign is: no line changes its width.
var plainSigns = map[rune]byte{
	'─': '-', '│': '|', '╭': '+', '╮': '+', '╰': '+', '╯': '+', '├': '+', '┤': '+', '┬': '+', '┴': '+', '┼': '+', '┌': '+', '┐': '+',
	'└': '+', '┘': '+', '━': '=', '═': '=', '╌': '-', '┄': '-', '┆': '|', '╎': '|', '┃': '|', '‖': '|', '╶': '-', '╴': '-', '╷': '|', '╵': '|',
	'·': '-', '•': '*', '…': '~', '–': '-', '—': '-', '−': '-', '×': 'x', '≠': '!', '≥': '>', '≤': '<', '≈': '~', '∅': '0', '∈': 'e', '∞': '8',
	'→': '>', '←': '<', '↑': '^', '↓': 'v', '↻': 'o', '↶': '<', '↷': '>', '↔': '=', '↕': '|', '⇄': '=', '↳': '>', '↵': '<', '⇒': '>', '⇥': '>',
	'▸': '>', '▶': '>', '▹': '>', '◂': '<', '◀': '<', '▾': 'v', '▼': 'v', '▴': '^', '▲': '^', '›': '>', '‹': '<', '»': '>', '«': '<', '⟩': '>', '⟨': '<',
	'✓': '+', '✗': 'x', '✘': 'x', '■': '#', '□': 'o', '▪': '#', '◐': 'o', '◌': 'o', '○': 'o', '●': '*', '◉': '@', '◆': '*', '◇': 'o', '★': '*', '☆': '*',
	'⚠': '!', '⊘': '!', '✎': '*', '⌕': '?', '⌘': '^', '⏎': '<', '⋯': '~', '⋮': ':', '¶': 'P', '§': 'S', '″': '"', '′': '\'', '’': '\'', '‘': '\'',
	'“': '"', '”': '"', '„': '"', '°': 'o', '±': '~', '÷': '/', '∙': '*', '≡': '=', '≔': '=', '∧': '^', '∨': 'v', '¬': '!', '⇡': '^', '⇣': 'v',
	'█': '#', '▀': '"', '▄': '_', '▌': '>', '▐': '#', '▏': '|', '▎': '|', '▍': '|', '▋': '#', '▊': '#', '▉': '#', '▗': '.', '▖': '.', '▝': '\'', '▘': '\'',
	'░': '.', '▒': ':', '▓': '#', '▁': '_', '▂': '_', '▃': '_', '▅': '=', '▆': '=', '▇': '#', '▔': '-', '▕': '|',
	'⠋': '|', '⠙': '/', '⠹': '-', '⠸': '\\', '⠼': '|', '⠴': '/', '⠦': '-', '⠧': '\\', '⠇': '|', '⠏': '/',
}

// Draw returns a styled block with the signs that the terminal is given, each
// line as wide as before.
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

// sign writes what stands for the first character of text, which is not ASCII,
// and returns how long it was.
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

// alone reports whether what follows a sign is no part of it, as the marks are
// that make an emoji of one.
func alone(rest string) bool {
	if rest == "" || rest[0] < utf8.RuneSelf {
		return true
	}
	r, _ := utf8.DecodeRuneInString(rest)
	_, sign := plainSigns[r]
	return sign
}
