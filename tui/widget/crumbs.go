// This file is the path at the left of the top line: which screens it names in
// little room, and which of them was clicked.

package widget

import "strings"

// A crumb is a screen of the path by its number, or the sign for those that are
// left out.
type crumb struct {
	text  string
	index int // of the screen that a click goes to, -1 for home
}

// crumbPath is a spelling of the path.
type crumbPath []crumb

func (p crumbPath) String() string {
	texts := make([]string, len(p))
	for i, c := range p {
		texts[i] = c.text
	}
	return strings.Join(texts, crumbSign)
}

// paths are the spellings of the path that may fit w cells, the longest first: all
// of it, with ever fewer screens between the first and the last, and the last
// alone. Who follows links for an hour has hundreds of screens behind: those that
// cannot fit whatever they are called are not spelled out.
func (t TopBar) paths(w int) []crumbPath {
	n, most := len(t.Crumbs), w/(textWidth(crumbSign, w)+1)+2
	all := make(crumbPath, n)
	for i, text := range t.Crumbs {
		all[i] = crumb{text, i}
	}
	var list []crumbPath
	if n <= most {
		list = append(list, all)
	}
	without := func(first, last int) { // leaves out what is between
		p := append(crumbPath{}, all[:first]...)
		list = append(list, append(append(p, crumb{"…", n - last - 1}), all[n-last:]...))
	}
	for last := min(n-2, most); last >= 1; last-- {
		without(1, last)
	}
	if n > 1 {
		without(0, 1)
	}
	if len(list) == 0 {
		list = append(list, all)
	}
	return list
}

// crumbs is the path in w cells: the screens between give way to the first and
// the last.
func (t TopBar) crumbs(w int) crumbPath {
	paths := t.paths(w)
	for _, p := range paths {
		if textWidth(p.String(), w+1) <= w {
			return p
		}
	}
	return paths[len(paths)-1]
}

// CrumbAt returns the screen whose name is at x in a bar of w cells: its number
// among the crumbs, or -1 for the program's name, which is home.
func (t TopBar) CrumbAt(x, w int) (index int, ok bool) {
	left := max(w-partsWidth(t.fit(w), w), 0)
	at := min(textWidth(t.App, w)+2, left)
	if x < 0 || x >= left {
		return 0, false
	}
	if x < at {
		return -1, true
	}
	for _, c := range t.crumbs(left - at) {
		at += textWidth(c.text, w)
		if x < min(at, left) {
			return c.index, true
		}
		at += textWidth(crumbSign, w)
	}
	return 0, false
}
