package models

import (
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// A SafeWriter writes plain UTF-8 text and replaces characters that a terminal would execute or hide, as Printable
// does. Line breaks, tabs and joiners within emoji pass, and so does text from Printable and PrintableJSON.
//
// Callers make text printable when they build a line. A SafeWriter checks the bytes again before they leave the
// program, in case a caller omitted the first check. It is safe for concurrent use.
type SafeWriter struct {
	mu   sync.Mutex
	w    io.Writer
	rest []byte // the start of an incomplete character
	err  error  // the first error of w
}

// NewSafeWriter returns a SafeWriter that writes to w.
func NewSafeWriter(w io.Writer) *SafeWriter { return &SafeWriter{w: w} }

// Unwrap returns the writer that f writes to.
func (w *SafeWriter) Unwrap() io.Writer { return w.w }

// Write writes text. It keeps an incomplete character at the end for the next call. It returns the number of bytes in
// text, not the number written, as io.Writer requires. After an error of the underlying writer, further calls write
// again and may succeed; see Err.
func (w *SafeWriter) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	whole := text
	if len(w.rest) > 0 {
		whole = append(w.rest, text...)
	}
	end := len(whole) - incompleteLength(whole)
	w.rest = append([]byte(nil), whole[end:]...)
	whole = whole[:end]
	if err := w.writeOut(whole); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Close writes a remaining incomplete character. It does not close the underlying writer.
func (w *SafeWriter) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	rest := w.rest
	w.rest = nil
	return w.writeOut(rest)
}

func (w *SafeWriter) writeOut(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	if i := firstUnsafe(text); i >= 0 {
		text = replaceUnsafe(text, i)
	}
	_, err := w.w.Write(text)
	if w.err == nil {
		w.err = err
	}
	return err
}

// Err returns the first write error, or nil. After an error, the output is incomplete.
func (w *SafeWriter) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// incompleteLength returns the number of bytes at the end of text that start an incomplete character.
func incompleteLength(text []byte) int {
	for n := 1; n <= min(utf8.UTFMax-1, len(text)); n++ {
		if c := text[len(text)-n]; utf8.RuneStart(c) {
			if !utf8.FullRune(text[len(text)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}

func isUnsafe(r rune, size int) bool {
	switch {
	case r == utf8.RuneError:
		return size == 1
	case r >= 0x20 && r < 0x7f || r == '\n' || r == '\t':
		return false
	}
	return r != zeroWidthJoiner && IsMisleading(r)
}

func firstUnsafe(text []byte) int {
	for i := IndexNonPrintable(text, 0); i < len(text); i = IndexNonPrintable(text, i) {
		r, size := utf8.DecodeRune(text[i:])
		if isUnsafe(r, size) {
			return i
		}
		i += size
	}
	return -1
}

func replaceUnsafe(text []byte, at int) []byte {
	out := append(make([]byte, 0, len(text)+16), text[:at]...)
	for at < len(text) {
		r, size := utf8.DecodeRune(text[at:])
		if isUnsafe(r, size) {
			out = append(out, Printable(string(text[at:at+size]))...)
		} else {
			out = append(out, text[at:at+size]...)
		}
		at += size
	}
	return out
}

// SafeText returns the output of a SafeWriter for text. Unlike Printable, it keeps line breaks and tabs and does not
// limit combining marks.
func SafeText(text string) string {
	raw := []byte(text)
	if i := firstUnsafe(raw); i >= 0 {
		return string(replaceUnsafe(raw, i))
	}
	return text
}

// IsPastable reports whether text is safe to paste into any program: it is valid UTF-8 without control characters other
// than tabs and line breaks. In a terminal, other control characters act as keys or end a bracketed paste. Copy
// commands reject other text instead of changing it, so that pasted text always equals the original.
func IsPastable(text string) bool {
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

// SafeFrame removes everything from a styled frame that a terminal would execute, except styles (SGR) and line breaks.
// The removed characters take no cell, so the layout does not change. SafeFrame returns a safe frame unchanged.
func SafeFrame(frame string) string {
	if isSafeFrame(frame) {
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
	if out := b.String(); isSafeFrame(out) {
		return out
	}
	// Safe pieces may combine into an unsafe sequence.
	return strings.Map(func(r rune) rune {
		if r != '\n' && isUnsafe(r, utf8.RuneLen(r)) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(ansi.Strip(frame), ""))
}

func keepsFrame(piece string, width int) bool {
	if piece == "\n" || styleLength(piece) == len(piece) {
		return true
	}
	return width > 0 && piece[0] != '\x1b' && isSafeFrame(piece)
}

func isSafeFrame(frame string) bool {
	for i := 0; i < len(frame); {
		c := frame[i]
		switch {
		case c >= 0x20 && c < 0x7f || c == '\n':
			i++
		case c == '\x1b':
			n := styleLength(frame[i:])
			if n == 0 {
				return false
			}
			i += n
		default:
			r, size := utf8.DecodeRuneInString(frame[i:])
			// Most characters beyond ASCII are box drawing and blocks, which are safe.
			if r == '\t' || (r < 0x2500 || r > 0x259f) && isUnsafe(r, size) {
				return false
			}
			i += size
		}
	}
	return true
}
