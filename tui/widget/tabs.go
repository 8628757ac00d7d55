package widget

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
)

// Tabs is a row of titles, one of which is active. The keys 1 to 9 select one.
type Tabs struct {
	Titles []string
	Active int

	ends []int // right edge of each title as drawn
}

// Update handles the keys 1 to 9. A number without a title is not used, so another table of
// keys may have it.
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

// Click activates the tab at column x of the row as last drawn. It reports false before the
// first Render.
func (t *Tabs) Click(x int) bool {
	for i, end := range t.ends {
		if x >= 0 && x < end {
			t.Active = i
			return true
		}
	}
	return false
}

// minTab is the minimum width of a shortened title. Below it, only the number is
// shown.
const minTab = 7

// Render draws the row in one line of exactly w cells. If the titles do not fit, it moves
// them closer together if that is enough, else shortens the longest ones, or shows only
// the numbers. The title of the active tab is always complete.
func (t *Tabs) Render(s *Styles, w int) string {
	if w <= 0 {
		return ""
	}
	t.ends = t.ends[:0]
	gap, limit := 2, t.limit(w, 2)
	if limit < w && t.limit(w, 1) == w {
		gap, limit = 1, w
	}
	var b strings.Builder
	used := 0
	for i := range t.Titles {
		label := t.label(i)
		switch {
		case i == t.Active:
		case limit < minTab:
			label = strconv.Itoa(i + 1)
		default:
			label = models.PrintableCell(label, limit)
		}
		width := min(textWidth(label, w)+gap, w-used)
		role, on := RoleMuted, SurfacePlain
		if i == t.Active {
			role, on = RoleTitle, SurfaceCursor
		}
		s.writeCell(&b, role, on, " "+label, width, AlignLeft)
		used += width
		t.ends = append(t.ends, used)
	}
	writeBlanks(&b, w-used)
	return b.String()
}

// limit returns the maximum width of the labels of inactive tabs, so that all tabs
// with their gaps fit w cells; w if none has to be shortened.
func (t *Tabs) limit(w, gap int) int {
	limit := w
	for ; limit >= minTab; limit-- {
		need := 0
		for i := range t.Titles {
			wide := textWidth(t.label(i), w)
			if i != t.Active {
				wide = min(wide, limit)
			}
			need += wide + gap
		}
		if need <= w {
			break
		}
	}
	return limit
}

func (t *Tabs) label(i int) string {
	return strconv.Itoa(i+1) + " " + t.Titles[i]
}
