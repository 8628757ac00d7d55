package widget

import (
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
)

// A TopBar is the top line: the path of screens, the database, the user, and whether writes are possible. It omits
// empty parts. It never omits production, revealed data, read-only and break glass, no matter how narrow the terminal is.
type TopBar struct {
	App        string   // name of the program
	Crumbs     []string // from the outermost screen to the current one
	Who        string   // user's name in AWS or on this machine
	Role       string   // role of the session
	Purpose    string   // purpose of the session
	BreakGlass bool     // emergency access: shows these words in the alert color
	Context    string   // name of the configured context
	Region     string
	Endpoint   string // set only for a custom endpoint
	ReadOnly   bool
	Revealed   bool // the screens show personal data
	Detached   bool // no database is open
	Production bool // shows the word in the alert color
	// Unclassified replaces that word if no one has declared whether the database is production.
	Unclassified bool
	ContextColor string // color of the context, one of ContextColors; production has its own
}

// A barPart is a part of the bar.
type barPart struct {
	text string
	role Role
	kind barKind
}

type barKind uint8

const (
	barFixed barKind = iota // protects data, so it is never omitted
	barWho
	barPurpose
	barRole
	barContext
	barRegion
	barEndpoint
)

const (
	crumbSign   = " › "
	minCrumbs   = 24 // cells reserved for the path
	crumbsTight = 12 // cells reserved for the path on a narrow terminal
	maxUser     = 28 // maximum width of the user's name in cells
	shortUser   = 12
	minUser     = 6
	maxPurpose  = 32 // maximum width of the purpose in cells

	minPurpose = 12
)

// Render draws the bar as one line of exactly w cells.
func (t TopBar) Render(s *Styles, w int) string {
	if w <= 0 {
		return ""
	}
	on := ContextSurface(t.ContextColor)
	if t.Production || t.BreakGlass {
		on = SurfaceAlert
	}
	right := t.fitParts(w)
	leftWidth := max(w-partsWidth(right, w), 0)
	appWidth := min(textWidth(t.App, w)+2, leftWidth)
	var b strings.Builder
	s.writeCell(&b, RoleTitle, on, " "+t.App, appWidth, AlignLeft)
	s.writeCell(&b, RoleText, on, t.crumbs(leftWidth-appWidth).String(), max(leftWidth-appWidth, 0), AlignLeft)
	for _, p := range right {
		b.WriteString(s.PaintOn(RoleText, on, " ") + s.PaintOn(p.role, on, p.text) + s.PaintOn(RoleText, on, " "))
	}
	return fitStyled(b.String(), w)
}

// fitParts shortens the path first. It omits the URL of an endpoint before the role, but no shorter name of the
// database.
func (t TopBar) fitParts(w int) []barPart {
	right := t.rightParts()
	user, _ := cellText(t.Who, maxUser)
	purpose, _ := cellText(t.Purpose, maxPurpose)
	_, host, isURL := strings.Cut(t.Endpoint, "://")
	if !isURL {
		host = t.Endpoint
	}
	paths := t.paths(w)
	path := textWidth(paths[0].String(), w)
	shortenPath := func(n int) { path = min(path, textWidth(paths[max(n, 0)].String(), w)) }
	fits := func(path int) bool { return textWidth(t.App, w)+path+partsWidth(right, w)+4 <= w }
	drop := func(kind barKind) { right = slices.DeleteFunc(right, func(p barPart) bool { return p.kind == kind }) }
	shortenPart := func(kind barKind, text string, to int) {
		for i, p := range right {
			if p.kind == kind {
				right[i].text, _ = cellText(text, to)
			}
		}
	}
	shortenUser := func(to int) { shortenPart(barWho, user, to) }
	for _, shortenNext := range []func(){
		func() {},
		func() { shortenPath(len(paths) - 2) },
		func() { shortenPath(len(paths) - 1) },
		func() { path = min(path, minCrumbs) },
		func() {
			if t.Endpoint != "" || t.Context != "" {
				drop(barRegion)
			}
		},
		func() { shortenUser(shortUser) },
		func() { shortenPart(barPurpose, purpose, minPurpose) },
		func() { shortenUser(minUser) },
		func() { shortenPart(barEndpoint, host, w) },
		func() {
			if isURL || t.Context != "" {
				drop(barEndpoint)
			}
		},
		func() { drop(barRole) },
		func() { path = min(path, crumbsTight) }, func() { drop(barRegion) }, func() { drop(barContext) },
		func() { drop(barPurpose) },
	} {
		if shortenNext(); fits(path) {
			break
		}
	}
	grow := func(kind barKind, text string) {
		free := w - textWidth(t.App, w) - path - partsWidth(right, w) - 4
		for i, p := range right {
			if p.kind == kind && free > 0 {
				right[i].text, _ = cellText(text, textWidth(p.text, w)+free)
			}
		}
	}
	grow(barPurpose, purpose)
	grow(barWho, user)
	return right
}

// rightParts puts the user's name first. The name may arrive late, and must not move the other parts.
func (t TopBar) rightParts() []barPart {
	var parts []barPart
	add := func(text string, role Role, kind barKind) {
		if text != "" {
			parts = append(parts, barPart{text, role, kind})
		}
	}
	user, _ := cellText(t.Who, maxUser)
	add(user, RoleText, barWho)
	add(t.Role, RoleMuted, barRole)
	purpose, _ := cellText(t.Purpose, maxPurpose)
	add(purpose, RoleMuted, barPurpose)
	if t.BreakGlass {
		add(" BREAK GLASS ", RoleAlert, barFixed)
	}
	if t.Revealed {
		add(" REVEALED ", RoleAlert, barFixed)
	}
	switch {
	case t.Unclassified:
		add(" UNCLASSIFIED ", RoleAlert, barFixed)
	case t.Production:
		add(" PRODUCTION ", RoleAlert, barFixed)
	}
	add(t.Context, RoleStrong, barContext)
	add(t.Region, RoleMuted, barRegion)
	add(t.Endpoint, RoleMuted, barEndpoint)
	switch {
	case t.Detached:
	case t.ReadOnly:
		add("⊘ READ-ONLY", RoleGood, barFixed)
	default:
		add("✎ WRITES", RoleAccent, barFixed)
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

// A crumb is a screen in the breadcrumb path, or an ellipsis for omitted screens.
type crumb struct {
	text  string
	index int // index of the screen that a click opens, or -1 for home
}

// A crumbPath is the breadcrumb path, possibly shortened.
type crumbPath []crumb

func (p crumbPath) String() string {
	return strings.Join(models.MapSlice(p, func(c crumb) string { return c.text }), crumbSign)
}

// paths returns the candidates, longest first. It skips those that cannot fit: a path can have hundreds of screens.
func (t TopBar) paths(w int) []crumbPath {
	n, maximum := len(t.Crumbs), w/(textWidth(crumbSign, w)+1)+2
	all := make(crumbPath, n)
	for i, text := range t.Crumbs {
		all[i] = crumb{text, i}
	}
	var list []crumbPath
	if n <= maximum {
		list = append(list, all)
	}
	addWithout := func(first, last int) { // omits the screens in between
		p := append(crumbPath{}, all[:first]...)
		list = append(list, append(append(p, crumb{"…", n - last - 1}), all[n-last:]...))
	}
	for last := min(n-2, maximum); last >= 1; last-- {
		addWithout(1, last)
	}
	if n > 1 {
		addWithout(0, 1)
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

// CrumbAt returns the screen whose name is at position x in a bar of w cells: its index in Crumbs, or -1 for the
// program's name, which opens home. ok is false if there is none.
func (t TopBar) CrumbAt(x, w int) (index int, ok bool) {
	left := max(w-partsWidth(t.fitParts(w), w), 0)
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
