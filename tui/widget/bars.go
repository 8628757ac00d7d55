// This file is what is always on the screen: at the top where and as whom one
// works, at the bottom what just happened and what can be done.

package widget

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// TopBar says where am I, against what, as whom, and may I write.
type TopBar struct {
	App        string   // the program's name
	Crumbs     []string // from the outermost screen to this one
	Context    string   // the named context of the configuration
	Region     string
	Endpoint   string // only when it is not AWS's own
	Actor      string // role or identity
	ReadOnly   bool
	Detached   bool // no database is open: there is nothing to read or write
	Production bool // colours the bar and writes the word
}

// barPart is a piece of a bar; those with the highest rank go first when there
// is no room.
type barPart struct {
	text string
	role Role
	rank int
}

const (
	crumbSign   = " › "
	crumbsLeast = 24 // cells of the path that the context may not take
)

// Render draws the bar in one line of exactly w cells.
func (t TopBar) Render(s *Styles, w int) string {
	if w <= 0 {
		return ""
	}
	on := SurfaceBar
	if t.Production {
		on = SurfaceAlert
	}
	right := t.right()
	app := t.App
	for rank := 4; rank > 0; rank-- {
		least := textWidth(strings.Join(t.Crumbs, crumbSign), w)
		if rank == 1 { // The context is worth more than the whole path.
			least = min(least, crumbsLeast)
		}
		if textWidth(app, w)+least+partsWidth(right, w)+4 <= w {
			break
		}
		kept := right[:0]
		for _, p := range right {
			if p.rank < rank {
				kept = append(kept, p)
			}
		}
		right = kept
	}
	rightWidth := partsWidth(right, w)
	var b strings.Builder
	leftWidth := max(w-rightWidth, 0)
	appWidth := min(textWidth(app, w)+2, leftWidth)
	s.writeCell(&b, RoleTitle, on, " "+app, appWidth, AlignLeft)
	s.writeCell(&b, RoleText, on, t.crumbs(leftWidth-appWidth), max(leftWidth-appWidth, 0), AlignLeft)
	for _, p := range right {
		b.WriteString(s.PaintOn(RoleText, on, " ") + s.PaintOn(p.role, on, p.text) + s.PaintOn(RoleText, on, " "))
	}
	return fitStyled(b.String(), w)
}

// crumbs is the path in w cells: the outer screens give way to this one.
func (t TopBar) crumbs(w int) string {
	path := strings.Join(t.Crumbs, crumbSign)
	for rest := t.Crumbs; len(rest) > 1 && textWidth(path, w+1) > w; {
		rest = rest[1:]
		path = "…" + crumbSign + strings.Join(rest, crumbSign)
	}
	return path
}

// right lists the parts at the right edge. What protects data has rank 0.
func (t TopBar) right() []barPart {
	var parts []barPart
	add := func(text string, role Role, rank int) {
		if text != "" {
			parts = append(parts, barPart{text, role, rank})
		}
	}
	if t.Production {
		add(" PRODUCTION ", RoleAlert, 0)
	}
	add(t.Context, RoleStrong, 1)
	add(t.Region, RoleMuted, 3)
	add(t.Endpoint, RoleMuted, 4)
	add(t.Actor, RoleMuted, 2)
	switch {
	case t.Detached:
	case t.ReadOnly:
		add("⊘ READ-ONLY", RoleGood, 0)
	default:
		add("✎ WRITES", RoleWarn, 0)
	}
	return parts
}

func partsWidth(parts []barPart, limit int) int {
	w := 0
	for _, p := range parts {
		w += textWidth(p.text, limit) + 2
	}
	return w
}

// StatusBar says what just happened, in figures, and the keys that matter.
type StatusBar struct {
	Facts []string // "50 items", "6.5 RCU", "12 ms": the most important first
	Role  Role     // colour of the first fact, RoleBad for an error
	Hints Actions  // the most important first
}

// Render draws the bar in one line of exactly w cells. Facts give way to hints
// from the end, but the first fact stays.
func (b StatusBar) Render(s *Styles, w int) string {
	if w <= 0 {
		return ""
	}
	first, rest := "", []string(nil)
	if len(b.Facts) > 0 {
		first, rest = b.Facts[0], b.Facts[1:]
	}
	firstWidth := textWidth(first, max(w-2, 0))
	hints := b.Hints.Hints(s, SurfaceBar, max(w-firstWidth-5, 0))
	hintsWidth := ansi.StringWidth(hints)
	tail := ""
	for len(rest) > 0 {
		tail = " · " + strings.Join(rest, " · ")
		if 1+firstWidth+textWidth(tail, w)+3+hintsWidth <= w {
			break
		}
		rest = rest[:len(rest)-1]
		tail = ""
	}
	var out strings.Builder
	out.WriteString(s.PaintOn(RoleText, SurfaceBar, " "))
	text, _ := cellText(first, max(w-2, 0))
	out.WriteString(s.PaintOn(b.Role, SurfaceBar, text) + s.PaintOn(RoleMuted, SurfaceBar, tail))
	gap := w - 1 - firstWidth - textWidth(tail, w) - hintsWidth - 1
	s.writeCell(&out, RoleText, SurfaceBar, "", gap, AlignLeft)
	out.WriteString(hints + s.PaintOn(RoleText, SurfaceBar, " "))
	return fitStyled(out.String(), w)
}
