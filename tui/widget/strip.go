package widget

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ddbdesk/ddbdesk/models"
)

// A Strip is a line of fixed width on one surface that is filled from the left.
// Text that does not fit is cut; the remainder is blank.
type Strip struct {
	styles *Styles
	on     Surface
	room   int
	b      strings.Builder
}

// NewStrip returns an empty line of w cells. It is used for one line and is not safe for
// concurrent use.
func NewStrip(s *Styles, on Surface, w int) *Strip { return &Strip{styles: s, on: on, room: max(w, 0)} }

// Room returns how many cells are left.
func (t *Strip) Room() int { return t.room }

// Put appends text in as many cells as it needs.
func (t *Strip) Put(r Role, text string) { t.Cell(r, text, textWidth(text, t.room), AlignLeft) }

// Cell appends text in exactly w cells, as far as there is room. Text that is longer is cut
// with "…".
func (t *Strip) Cell(r Role, text string, w int, align Align) {
	w = min(max(w, 0), t.room)
	t.styles.writeCell(&t.b, r, t.on, text, w, align)
	t.room -= w
}

// Highlight appends text in at most w cells and highlights every occurrence of needle,
// which Fold must have folded. An empty needle highlights nothing.
func (t *Strip) Highlight(r Role, text, needle string, w int) {
	end := t.room - min(w, t.room)
	text = models.PrintableCell(text, t.room-end)
	for _, span := range Occurrences(text, needle) {
		role := r
		if span.Match {
			role = RoleMatch
		}
		part := text[span.Start:span.End]
		t.Cell(role, part, textWidth(part, t.room-end), AlignLeft)
	}
}

// String returns the line, padded to its width.
func (t *Strip) String() string {
	t.Cell(RoleText, "", t.room, AlignLeft)
	return t.b.String()
}

// A Span is a part of a text from byte Start to byte End. Match marks an occurrence of
// the search text.
type Span struct {
	Start, End int
	Match      bool
}

// Occurrences divides text into the occurrences of needle and the rest, in order and
// without gaps, ignoring case. Fold must have folded needle. Occurrences do not overlap. It
// works on bytes, which is correct because Fold keeps the positions.
func Occurrences(text, needle string) []Span {
	if text == "" {
		return nil
	}
	if needle == "" {
		return []Span{{0, len(text), false}}
	}
	folded := Fold(text)
	var spans []Span
	at := 0
	for at < len(folded) {
		i := strings.Index(folded[at:], needle)
		if i < 0 {
			break
		}
		if i > 0 {
			spans = append(spans, Span{at, at + i, false})
		}
		spans = append(spans, Span{at + i, at + i + len(needle), true})
		at += i + len(needle)
	}
	if at < len(text) {
		spans = append(spans, Span{at, len(text), false})
	}
	return spans
}

// Fold returns text in a form that can be compared without regard to case. Every
// character keeps its position and its length in bytes. Characters whose lower case has another
// length, such as İ, are kept, so they match themselves only. Text that is not valid UTF-8 is
// not folded.
func Fold(text string) string {
	if !utf8.ValidString(text) {
		return text // Mapping would change the length of invalid bytes.
	}
	if strings.IndexFunc(text, func(r rune) bool { return lower(r) != r }) < 0 {
		return text
	}
	return strings.Map(lower, text)
}

// lower keeps a character whose lower case has another length in bytes.
func lower(r rune) rune {
	l := unicode.ToLower(r)
	if utf8.RuneLen(l) != utf8.RuneLen(r) {
		return r
	}
	return l
}
