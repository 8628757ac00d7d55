package widget

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
)

// Tabs is a row of titles, one of which is active. The keys 1 to 9 select one.
// A number at the end of a title is its count, which stays when the title is shortened.
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

// readableTab is the width at which a shortened title can still be told from others.
const readableTab = 14

// Render draws the row in one line of exactly w cells. If the titles do not fit, it moves
// them closer together if that is enough, else shortens the longest ones, or shows only
// the numbers. The title of the active tab is complete unless it takes more than a
// quarter of the row from titles that are shortened below readableTab.
func (t *Tabs) Render(s *Styles, w int) string {
	if w <= 0 {
		return ""
	}
	t.ends = t.ends[:0]
	gap, active, limit := 2, w, t.limit(w, 2, w)
	if limit < w {
		gap, limit = 1, t.limit(w, 1, w)
	}
	if limit < readableTab {
		active = max(w/4, minTab)
		limit = t.limit(w, gap, active)
		active = max(active, limit)
	}
	if limit < minTab {
		gap, active = 2, w
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

func shortTab(label string, w int) string {
	at := strings.LastIndexByte(label, ' ')
	if textWidth(label, w+1) <= w || at < 0 || strings.Trim(label[at+1:], "0123456789,+") != "" || w-len(label[at:]) < minTab {
		return models.PrintableCell(label, w)
	}
	return models.PrintableCell(label[:at], w-len(label[at:])) + label[at:]
}

func (t *Tabs) limit(w, gap, active int) int {
	limit := w
	for ; limit >= minTab; limit-- {
		need := 0
		for i := range t.Titles {
			wide := textWidth(t.label(i), w)
			if i == t.Active {
				wide = min(wide, max(active, limit))
			} else {
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
