package item

import (
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// rawView shows an item as JSON.
type rawView struct {
	styles *widget.Styles
	scroll *widget.Lines
	item   models.Item // as it may be shown
	plain  bool        // plain JSON, not DynamoDB's
	w      int         // cells that the lines were made for, 0 for none
	lines  []rawLine
	needle string
	hits   []rawHit
	at     int // the match that is shown
}

// rawHit is a match, or the part of one that stands on a line.
type rawHit struct {
	line, from, to int  // bytes of the line's text
	more           bool // it began on the line before
}

func newRawView(s *widget.Styles) *rawView {
	return &rawView{styles: s, scroll: widget.NewScroll(s)}
}

func (v *rawView) SetStyles(s *widget.Styles) {
	v.styles = s
	v.scroll.SetStyles(s)
}

// setItem replaces the item; lines are made when it is seen.
func (v *rawView) setItem(masked models.Item) { v.item, v.w = masked, 0 }

// setSize makes the lines, if they are to be seen.
func (v *rawView) setSize(w, h int, seen bool) {
	if seen && w != v.w && w > 1 {
		v.w = w
		v.lines = rawLines(v.item, v.plain, w-2)
		v.search(v.needle)
		v.scroll.SetSource(v)
	}
	v.scroll.SetSize(w, h)
}

// toggle shows the other kind of JSON, from its beginning.
func (v *rawView) toggle() {
	w := v.w
	v.plain, v.w = !v.plain, 0
	v.setSize(w, 0, true)
	v.at = 0
}

// kind names what is shown.
func (v *rawView) kind() string {
	if v.plain {
		return "plain JSON"
	}
	return "DynamoDB JSON"
}

// search notes where the folded text occurs, in texts that were broken into
// lines as well, and returns how often.
func (v *rawView) search(needle string) int {
	v.needle, v.hits, v.at = needle, v.hits[:0], 0
	if needle == "" {
		return 0
	}
	n := 0
	for i := 0; i < len(v.lines); {
		end := i + 1
		for end < len(v.lines) && v.lines[end].joins {
			end++
		}
		n += v.searchGroup(i, end, needle)
		i = end
	}
	return n
}

// searchGroup searches a text that stands on the lines [from, to).
func (v *rawView) searchGroup(from, to int, needle string) int {
	var b strings.Builder
	starts := make([]int, 0, to-from+1)
	for i := from; i < to; i++ {
		starts = append(starts, b.Len())
		for _, p := range v.lines[i].parts {
			b.WriteString(p.text)
		}
	}
	starts = append(starts, b.Len())
	n := 0
	for _, s := range widget.Occurrences(b.String(), needle) {
		if !s.Lit {
			continue
		}
		n++
		for i := 0; i+1 < len(starts); i++ {
			a, z := max(s.Start, starts[i]), min(s.End, starts[i+1])
			if a < z {
				v.hits = append(v.hits, rawHit{from + i, a - starts[i], z - starts[i], a > s.Start})
			}
		}
	}
	return n
}

// show scrolls to the n-th match.
func (v *rawView) show(n int) {
	for _, h := range v.hits {
		if h.more {
			continue
		}
		if n == 0 {
			v.at = h.line
			v.scroll.Go(h.line)
			return
		}
		n--
	}
}

// Len is how many lines there are.
func (v *rawView) Len() int { return len(v.lines) }

// Skip has nothing to pass over: the text has no cursor.
func (v *rawView) Skip(int) bool { return false }

// Line draws a line; that of the match that was gone to is drawn as a cursor's.
func (v *rawView) Line(i int, on widget.Surface, w int) string {
	if v.needle != "" && len(v.hits) > 0 && i == v.at {
		on = widget.SurfaceCursor
	}
	t := widget.NewStrip(v.styles, on, w)
	t.Cell(widget.RoleText, "", v.lines[i].indent+1, widget.AlignLeft)
	first, _ := slices.BinarySearchFunc(v.hits, i, func(h rawHit, line int) int { return h.line - line })
	hits := v.hits[first:]
	at := 0
	for _, p := range v.lines[i].parts {
		v.part(t, p, at, i, hits)
		at += len(p.text)
	}
	return t.String()
}

// part draws a part that begins at byte at of line i, with the matches in it
// lit.
func (v *rawView) part(t *widget.Strip, p rawPart, at, i int, hits []rawHit) {
	done := 0
	for _, h := range hits {
		if h.line != i {
			break
		}
		from, to := max(h.from-at, done), min(h.to-at, len(p.text))
		if from >= to {
			continue
		}
		t.Put(p.role, p.text[done:from])
		t.Put(widget.RoleMatch, p.text[from:to])
		done = to
	}
	t.Put(p.role, p.text[done:])
}
