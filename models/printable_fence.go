// This file is the last fence before a terminal. What is shown was made
// printable where it was made part of a line; a fence stands where bytes leave
// the program, so that a place which forgot it does no harm either.

package models

import (
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// A Fence is a writer of plain text in UTF-8. What a terminal would act on, or
// an eye would not see, it writes as Printable does; line breaks, tabs and
// joiners within emoji pass. Text that was made printable, or is JSON of
// PrintableJSON, passes as it is. It may be used by several goroutines.
type Fence struct {
	mu   sync.Mutex
	w    io.Writer
	rest []byte // the start of a character whose end has not come
}

// NewFence returns a fence around w.
func NewFence(w io.Writer) *Fence { return &Fence{w: w} }

// Unwrap returns the writer behind the fence.
func (f *Fence) Unwrap() io.Writer { return f.w }

// Write writes text. The start of a character at its end waits for the rest of
// it.
func (f *Fence) Write(text []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	whole := text
	if len(f.rest) > 0 {
		whole = append(f.rest, text...)
		f.rest = nil
	}
	if n := startedRune(whole); n > 0 {
		f.rest = append([]byte(nil), whole[len(whole)-n:]...)
		whole = whole[:len(whole)-n]
	}
	if err := f.pass(whole); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Close writes what waits for its end. It does not close the writer behind.
func (f *Fence) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	rest := f.rest
	f.rest = nil
	return f.pass(rest)
}

func (f *Fence) pass(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	if i := firstActing(text); i >= 0 {
		text = shownActing(text, i)
	}
	_, err := f.w.Write(text)
	return err
}

// startedRune returns how many bytes at the end of text start a character that
// is not whole.
func startedRune(text []byte) int {
	for n := 1; n <= min(utf8.UTFMax-1, len(text)); n++ {
		if c := text[len(text)-n]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(text[len(text)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}

// acts reports whether a terminal acts on a character of plain text, or nothing
// is seen of it.
func acts(r rune, size int) bool {
	switch {
	case r == utf8.RuneError:
		return size == 1
	case r >= 0x20 && r < 0x7f || r == '\n' || r == '\t':
		return false
	}
	return r != zeroWidthJoiner && Misleading(r)
}

// firstActing returns where the first character stands that acts, -1 for none.
func firstActing(text []byte) int {
	for i := 0; i < len(text); {
		if c := text[i]; c >= 0x20 && c < 0x7f {
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if acts(r, size) {
			return i
		}
		i += size
	}
	return -1
}

// shownActing is text with what acts, from byte at on, made visible.
func shownActing(text []byte, at int) []byte {
	out := append(make([]byte, 0, len(text)+16), text[:at]...)
	for at < len(text) {
		r, size := utf8.DecodeRune(text[at:])
		if acts(r, size) {
			out = append(out, Printable(string(text[at:at+size]))...)
		} else {
			out = append(out, text[at:at+size]...)
		}
		at += size
	}
	return out
}

// FenceText is what a Fence lets through of a text.
func FenceText(text string) string {
	raw := []byte(text)
	if i := firstActing(raw); i >= 0 {
		return string(shownActing(raw, i))
	}
	return text
}

// Pastable reports whether a text may be pasted wherever there is a cursor: it
// has no control characters but tabs and line breaks, and all of it is UTF-8. In a
// terminal others end the brackets around a paste, or are keys.
func Pastable(text string) bool {
	for i, r := range text {
		switch {
		case r == '\n' || r == '\t' || r >= 0x20 && r < 0x7f:
		case r == '\r' && strings.HasPrefix(text[i+1:], "\n"):
		case r < 0xa0:
			return false
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd"):
			return false
		}
	}
	return true
}

// FenceFrame returns a styled frame without anything that a terminal would act
// on but its styles (SGR) and line breaks. A frame that has nothing of the kind
// is returned as it is. What is dropped takes no cell: the frame was measured
// with it.
func FenceFrame(frame string) string {
	if frameIsSafe(frame) {
		return frame
	}
	var b strings.Builder
	b.Grow(len(frame))
	state := byte(0)
	for rest := frame; rest != ""; {
		piece, width, n, next := ansi.DecodeSequence(rest, state, nil)
		if keepsFrame(piece, width) {
			b.WriteString(piece)
		}
		rest, state = rest[n:], next
	}
	if out := b.String(); frameIsSafe(out) {
		return out
	}
	// Pieces that were harmless apart from each other are not together.
	return strings.Map(func(r rune) rune {
		if r != '\n' && acts(r, utf8.RuneLen(r)) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(ansi.Strip(frame), ""))
}

// keepsFrame reports whether a piece of a frame is a style, a line break or
// harmless characters.
func keepsFrame(piece string, width int) bool {
	if piece == "\n" || styleLen(piece) == len(piece) {
		return true
	}
	return width > 0 && piece[0] != '\x1b' && frameIsSafe(piece)
}

// frameIsSafe reports whether a frame has nothing but text, line breaks and
// styles.
func frameIsSafe(frame string) bool {
	for i := 0; i < len(frame); {
		c := frame[i]
		switch {
		case c >= 0x20 && c < 0x7f || c == '\n':
			i++
		case c == '\x1b':
			n := styleLen(frame[i:])
			if n == 0 {
				return false
			}
			i += n
		default:
			r, size := utf8.DecodeRuneInString(frame[i:])
			// Box drawing and blocks are most of what is beyond ASCII.
			if r == '\t' || (r < 0x2500 || r > 0x259f) && acts(r, size) {
				return false
			}
			i += size
		}
	}
	return true
}

// styleLen returns the length of the style that s starts with, 0 for none.
func styleLen(s string) int {
	if len(s) < 3 || s[0] != '\x1b' || s[1] != '[' {
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
