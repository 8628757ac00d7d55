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

// paths are the spellings of the path, the longest first: all of it, with ever
// fewer screens between the first and the last, and the last alone.
func (t TopBar) paths() []crumbPath {
	n := len(t.Crumbs)
	all := make(crumbPath, n)
	for i, text := range t.Crumbs {
		all[i] = crumb{text, i}
	}
	list := []crumbPath{all}
	without := func(first, last int) { // leaves out what is between
		p := append(crumbPath{}, all[:first]...)
		list = append(list, append(append(p, crumb{"…", n - last - 1}), all[n-last:]...))
	}
	for last := n - 2; last >= 1; last-- {
		without(1, last)
	}
	if n > 1 {
		without(0, 1)
	}
	return list
}

// crumbs is the path in w cells: the screens between give way to the first and
// the last.
func (t TopBar) crumbs(w int) crumbPath {
	paths := t.paths()
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
