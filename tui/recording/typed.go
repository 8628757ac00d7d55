package recording

import (
	"slices"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

const (
	// gram is the number of letters and digits from which a part of a typed text is hidden, wherever it is shown: cut off, wrapped,
	// in other case or with other separators.
	gram = 5
	// word is the number from which a whole word is hidden that the user typed.
	word = 3
	// blank takes the place of each hidden cell.
	blank = "•"
)

// typed is what the user typed and pasted: letters and digits in lower case. The zero value is empty.
type typed struct {
	parts  map[string]bool // of gram letters
	words  map[string]bool // shorter than that
	text   []rune          // being typed
	cursor int
}

// press notices a key. Keys that are commands are typed text as well: it is not known here where they go.
func (t *typed) press(key, text string) {
	switch {
	case text != "":
		t.insert(text)
	case key == "backspace" && t.cursor > 0:
		t.cursor--
		t.text = slices.Delete(t.text, t.cursor, t.cursor+1)
	case key == "delete" && t.cursor < len(t.text):
		t.text = slices.Delete(t.text, t.cursor, t.cursor+1)
	case key == "left":
		t.cursor = max(t.cursor-1, 0)
	case key == "right":
		t.cursor = min(t.cursor+1, len(t.text))
	case key == "home":
		t.cursor = 0
	case key == "end":
		t.cursor = len(t.text)
	default: // The field lost the focus, or was changed in another way.
		t.text, t.cursor = nil, 0
	}
	t.learn(string(t.text[max(t.cursor-4*gram, 0):min(t.cursor+4*gram, len(t.text))]))
}

// paste notices a pasted text.
func (t *typed) paste(text string) {
	t.insert(text)
	t.learn(string(t.text))
}

func (t *typed) insert(text string) {
	letters := []rune(text)
	t.text = slices.Insert(t.text, t.cursor, letters...)
	t.cursor += len(letters)
}

// learn remembers the parts and the short words of a text.
func (t *typed) learn(text string) {
	if t.parts == nil {
		t.parts, t.words = map[string]bool{}, map[string]bool{}
	}
	letters := []rune(strings.Map(plain, text))
	for i := 0; i+gram <= len(letters); i++ {
		t.parts[string(letters[i:i+gram])] = true
	}
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return plain(r) < 0 }) {
		if n := len([]rune(w)); n >= word && n < gram {
			t.words[strings.Map(plain, w)] = true
		}
	}
}

// plain returns a letter or digit in lower case, and -1 for what separates them.
func plain(r rune) rune {
	if unicode.IsLetter(r) || unicode.IsDigit(r) {
		return unicode.ToLower(r)
	}
	return -1
}

// A cell is a letter or digit of a line.
type cell struct {
	letter   rune
	from, to int // of the grapheme in the line
	width    int
	joined   bool // it follows the letter before without a separator
	hidden   bool
}

// hide returns a line of a frame with blanks in place of what was typed.
func (t *typed) hide(line string) string {
	if len(t.parts)+len(t.words) == 0 {
		return line
	}
	cells := cellsOf(line)
	letters := make([]rune, len(cells))
	for i, c := range cells {
		letters[i] = c.letter
	}
	for i := 0; i+gram <= len(cells); i++ {
		if t.parts[string(letters[i:i+gram])] {
			for k := i; k < i+gram; k++ {
				cells[k].hidden = true
			}
		}
	}
	for i := 0; i < len(cells); {
		end := i + 1
		for end < len(cells) && cells[end].joined {
			end++
		}
		if t.words[string(letters[i:end])] {
			for k := i; k < end; k++ {
				cells[k].hidden = true
			}
		}
		i = end
	}
	var b strings.Builder
	at := 0
	for _, c := range cells {
		if c.hidden {
			b.WriteString(line[at:c.from] + strings.Repeat(blank, c.width))
			at = c.to
		}
	}
	return b.String() + line[at:]
}

// cellsOf returns the letters and digits of a line, without its escape sequences.
func cellsOf(line string) []cell {
	var out []cell
	var state byte
	joined := false
	for at := 0; at < len(line); {
		_, width, n, next := ansi.DecodeSequence(line[at:], state, nil)
		if n <= 0 {
			break
		}
		if width > 0 {
			r := plain([]rune(line[at : at+n])[0])
			if r >= 0 {
				out = append(out, cell{letter: r, from: at, to: at + n, width: width, joined: joined})
			}
			joined = r >= 0
		}
		at, state = at+n, next
	}
	return out
}
