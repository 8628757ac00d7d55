package widget

import "strings"

// A crumb is a screen of the breadcrumb path, or an ellipsis for omitted ones.
type crumb struct {
	text  string
	index int // of the screen that a click opens, -1 for home
}

// crumbPath is the breadcrumb path, possibly shortened.
type crumbPath []crumb

func (p crumbPath) String() string {
	texts := make([]string, len(p))
	for i, c := range p {
		texts[i] = c.text
	}
	return strings.Join(texts, crumbSign)
}

// paths returns the longest candidate first. A path can have hundreds of screens; candidates that cannot fit are not
// built.
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
	without := func(first, last int) { // omits the screens between them
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

func (t TopBar) crumbs(w int) crumbPath {
	paths := t.paths(w)
	for _, p := range paths {
		if textWidth(p.String(), w+1) <= w {
			return p
		}
	}
	return paths[len(paths)-1]
}

// CrumbAt returns the screen whose name is at x in a bar of w cells: its index in
// Crumbs, or -1 for the program's name, which is home.
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
