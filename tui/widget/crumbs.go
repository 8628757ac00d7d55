// This file tells which crumb of the top line stands at a cell.

package widget

import "strings"

// CrumbAt returns the index of the crumb at cell x of the bar in w cells. The
// program's name, and the sign for crumbs that have no room, are -1: the way out.
// ok is false beside the path.
func (t TopBar) CrumbAt(x, w int) (index int, ok bool) {
	left := max(w-partsWidth(t.fit(w), w), 0)
	at := min(textWidth(t.App, w)+2, left)
	if x < 0 || x >= left {
		return 0, false
	}
	if x < at {
		return -1, true
	}
	first := 0
	if path := t.crumbs(left - at); strings.HasPrefix(path, "…"+crumbSign) {
		first = len(t.Crumbs) - strings.Count(path, crumbSign)
		at += textWidth("…"+crumbSign, w)
		if x < at {
			return -1, true
		}
	}
	for i := max(first, 0); i < len(t.Crumbs); i++ {
		at += textWidth(t.Crumbs[i], w)
		if x < min(at, left) {
			return i, true
		}
		at += textWidth(crumbSign, w)
	}
	return 0, false
}
