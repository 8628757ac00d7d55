package widget

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
)

// Tabs is a row of titles, one of which is active. The keys 1 to 9 select a title. A number at the end of a title is a
// count, which remains when Render shortens the title.
type Tabs struct {
	Titles []string
	Active int
	Plain  bool // omit the numbers of the titles

	ends []int // right edge of each drawn title
}

// Update handles the keys 1 to 9. It leaves numbers without a title to other key tables.
func (t *Tabs) Update(msg tea.Msg) bool {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok || len(press.String()) != 1 {
		return false
	}
	n := int(press.String()[0] - '1')
	if press.String()[0] < '1' || n >= min(len(t.Titles), 9) {
		return false
	}
	t.Active = n
	return true
}

// Click activates the tab at position x of the last drawn row. It returns false before the first Render.
func (t *Tabs) Click(x int) bool {
	for i, end := range t.ends {
		if x >= 0 && x < end {
			t.Active = i
			return true
		}
	}
	return false
}

// minTab is the minimum width, in cells, of a shortened title. With less space, Render shows only the number.
const minTab = 7

// readableTab is the width, in cells, at which shortened titles can still be distinguished.
const readableTab = 14

// Render draws the row as one line of exactly w cells. If the titles do not fit, it reduces the gaps or shortens the
// longest titles, and finally shows only the numbers. The active title stays complete unless it needs more than a
// quarter of the row while other titles are shorter than readableTab.
func (t *Tabs) Render(s *Styles, w int) string {
	if w <= 0 {
		return ""
	}
	t.ends = t.ends[:0]
	gap, active, limit := 2, w, t.labelLimit(w, 2, w)
	if limit < w && t.labelLimit(w, 1, w) == w {
		gap, limit = 1, w
	}
	if limit < readableTab {
		active = max(w/4, minTab)
		limit = t.labelLimit(w, gap, active)
		active = max(active, limit)
	}
	if limit < minTab {
		active = w
	}
	var b strings.Builder
	used := 0
	for i := range t.Titles {
		label := t.label(i)
		switch {
		case i == t.Active:
			label = shortTab(label, active)
		case limit < minTab:
			label = strconv.Itoa(i + 1)
		default:
			label = shortTab(label, limit)
		}
		width := min(textWidth(label, w)+gap, w-used)
		if i == t.Active {
			s.writeCell(&b, RoleTitle, SurfaceCursor, " "+label, width, AlignLeft)
		} else {
			title, count := splitCount(label)
			at := min(textWidth(" "+title, w), width)
			s.writeCell(&b, RoleMuted, SurfacePlain, " "+title, at, AlignLeft)
			s.writeCell(&b, RoleText, SurfacePlain, count, width-at, AlignLeft)
		}
		used += width
		t.ends = append(t.ends, used)
	}
	writeBlanks(&b, w-used)
	return b.String()
}

func shortTab(label string, w int) string {
	title, count := splitCount(label)
	if textWidth(label, w+1) <= w || w-len(count) < minTab {
		return models.PrintableCell(label, w)
	}
	return models.PrintableCell(title, w-len(count)) + count
}

func splitCount(label string) (title, count string) {
	at := strings.LastIndexByte(label, ' ')
	if at < 0 || strings.Trim(label[at+1:], "0123456789,+") != "" {
		return label, ""
	}
	return label[:at], label[at:]
}

func (t *Tabs) labelLimit(w, gap, active int) int {
	limit := w
	for ; limit >= minTab; limit-- {
		total := 0
		for i := range t.Titles {
			width := textWidth(t.label(i), w)
			if i == t.Active {
				width = min(width, max(active, limit))
			} else {
				width = min(width, limit)
			}
			total += width + gap
		}
		if total <= w {
			break
		}
	}
	return limit
}

func (t *Tabs) label(i int) string {
	if t.Plain {
		return t.Titles[i]
	}
	return strconv.Itoa(i+1) + " " + t.Titles[i]
}

// A Strip builds a line of fixed width on one surface from left to right. It cuts text that does not fit and pads the
// line with spaces.
type Strip struct {
	styles *Styles
	on     Surface
	room   int
	b      strings.Builder
}

// NewStrip returns an empty line of w cells. Use it for a single line. It is not safe for concurrent use.
func NewStrip(s *Styles, on Surface, w int) *Strip { return &Strip{styles: s, on: on, room: max(w, 0)} }

// Room returns the number of free cells.
func (s *Strip) Room() int { return s.room }

// Put appends text with as many cells as it needs.
func (s *Strip) Put(r Role, text string) { s.Cell(r, text, textWidth(text, s.room), AlignLeft) }

// Cell appends text with exactly w cells, or the free cells if there are fewer. It cuts longer text and adds "…".
func (s *Strip) Cell(r Role, text string, w int, align Align) {
	w = min(max(w, 0), s.room)
	s.styles.writeCell(&s.b, r, s.on, text, w, align)
	s.room -= w
}

// Highlight appends at most w cells of text and highlights every occurrence of needle, which must come from Fold. An
// empty needle highlights nothing.
func (s *Strip) Highlight(r Role, text, needle string, w int) {
	end := s.room - min(w, s.room)
	text = models.PrintableCell(text, s.room-end)
	for _, span := range Occurrences(text, needle) {
		role := r
		if span.Match {
			role = RoleMatch
		}
		part := text[span.Start:span.End]
		s.Cell(role, part, textWidth(part, s.room-end), AlignLeft)
	}
}

// String returns the line, padded to its width.
func (s *Strip) String() string {
	s.Cell(RoleText, "", s.room, AlignLeft)
	return s.b.String()
}

// A Span is a part of a text, from byte Start to byte End. Match marks an occurrence of the search text.
type Span struct {
	Start, End int
	Match      bool
}

// Occurrences splits text into the occurrences of needle and the parts between them, in order and ignoring case. needle
// must come from Fold. Occurrences do not overlap. Comparing bytes is correct, because Fold keeps the positions.
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

// Fold returns a form of text for comparisons that ignore case. Every character keeps its position and its length in
// bytes. A character whose lower case has a different length, such as İ, stays unchanged and only matches itself. Fold
// returns invalid UTF-8 unchanged.
func Fold(text string) string {
	if !utf8.ValidString(text) {
		return text // Mapping would change the length of invalid bytes.
	}
	if strings.IndexFunc(text, func(r rune) bool { return lower(r) != r }) < 0 {
		return text
	}
	return strings.Map(lower, text)
}

// lower keeps a character unchanged if its lower case has a different length in bytes.
func lower(r rune) rune {
	l := unicode.ToLower(r)
	if utf8.RuneLen(l) != utf8.RuneLen(r) {
		return r
	}
	return l
}
