package lint

import (
	"maps"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// An Overlap is two entities of one table that can have the same primary key.
// Only its attributes can identify an item with such a key.
type Overlap struct {
	A, B *models.Entity
}

// Overlaps returns the pairs of entities whose primary keys overlap, in the order
// of the profile. Each pair is listed once, the entity that comes first as A.
func Overlaps(p *profiles.Profile) []Overlap {
	l := &linter{Profile: p}
	var list []Overlap
	for i, a := range p.Entities {
		for _, b := range p.Entities[i+1:] {
			if a.Table == b.Table && l.overlap(a, b) {
				list = append(list, Overlap{a, b})
			}
		}
	}
	return list
}

// A token is one byte of a key, or a placeholder: one byte or more.
type token struct {
	lit    byte
	wild   bool
	number bool // starts with a digit: a number or a time
	ends   byte // the placeholder cannot hold this byte; 0: it holds any
}

// A shape holds every form of a template's keys. A placeholder with few known
// values is expanded to them.
type shape [][]token

// maxForms bounds the forms of one template.
const maxForms = 64

// A part is a segment of a template with its known values.
type part struct {
	models.Segment
	values []string // all of them, nil when unknown
	number bool
}

// shapeOf expands a template into one form for each combination of known values, and for each place where an optional
// tail may end the key.
func shapeOf(parts []part) shape {
	forms := shape{nil}
	var done shape // forms that end before an optional tail
	for i, p := range parts {
		if p.Optional && (i == 0 || !parts[i-1].Optional) {
			done = append(done, forms...)
		}
		var options shape
		switch {
		case p.Name == "":
			options = shape{literal(p.Literal)}
		case len(p.values) > 0 && len(p.values)*len(forms) <= maxForms:
			for _, v := range p.values {
				options = append(options, literal(v))
			}
		default:
			t := token{wild: true, number: p.number}
			// Before the last literal, a value may hold it: the end of the key settles where it ends.
			if i+2 < len(parts) && len(parts[i+1].Literal) == 1 {
				t.ends = parts[i+1].Literal[0]
			}
			options = shape{{t}}
		}
		var next shape
		for _, f := range forms {
			for _, o := range options {
				next = append(next, append(append([]token{}, f...), o...))
			}
		}
		forms = next
	}
	return append(done, forms...)
}

func literal(text string) []token {
	tokens := make([]token, len(text))
	for i := range len(text) {
		tokens[i] = token{lit: text[i]}
	}
	return tokens
}

// overlaps reports whether a key of a is also a key of b; with prefix, whether a key of b starts with a key of a.
func (a shape) overlaps(b shape, prefix bool) bool {
	for _, x := range a {
		for _, y := range b {
			m := matcher{a: x, b: y, prefix: prefix, seen: map[[2]int]bool{}}
			if m.from(0, 0, false, false) {
				return true
			}
		}
	}
	return false
}

// A matcher walks two forms at once, one byte of the common key at a time.
type matcher struct {
	a, b   []token
	prefix bool
	seen   map[[2]int]bool
}

// from reports whether the rest of both forms can match. inA and inB: the placeholders at i and j already hold a
// byte.
func (m *matcher) from(i, j int, inA, inB bool) bool {
	at := [2]int{i << 1, j << 1}
	if inA {
		at[0]++
	}
	if inB {
		at[1]++
	}
	if m.seen[at] {
		return false
	}
	m.seen[at] = true
	if i == len(m.a) && (m.prefix || j == len(m.b)) {
		return true
	}
	if inA && m.from(i+1, j, false, inB) || inB && m.from(i, j+1, inA, false) {
		return true
	}
	if i == len(m.a) || j == len(m.b) || !agree(m.a[i], inA, m.b[j], inB) {
		return false
	}
	ni, nj := i, j
	if !m.a[i].wild {
		ni++
	}
	if !m.b[j].wild {
		nj++
	}
	return m.from(ni, nj, m.a[i].wild, m.b[j].wild)
}

func agree(a token, inA bool, b token, inB bool) bool {
	switch {
	case !a.wild && !b.wild:
		return a.lit == b.lit
	case !a.wild:
		return b.holds(a.lit, inB)
	case !b.wild:
		return a.holds(b.lit, inA)
	default:
		return true
	}
}

func (t token) holds(c byte, inside bool) bool {
	if inside && t.ends != 0 && c == t.ends { // Its first byte can be any: a value is not empty.
		return false
	}
	return !t.number || inside || c >= '0' && c <= '9'
}

func (l *linter) entityShape(e *models.Entity, t models.Template) shape {
	var parts []part
	for _, s := range t.Segments() {
		p := part{Segment: s}
		if a := e.Attribute(s.Name); a != nil {
			p.number = a.Format.IsTime() || a.Type == models.TypeN
			if len(a.Enum) > 0 && !a.OpenEnum && s.Format == models.NoFormat {
				p.values = a.Enum
			}
		}
		l.expandFormat(&p)
		parts = append(parts, p)
	}
	return shapeOf(parts)
}

func (l *linter) expandFormat(p *part) {
	if p.Format == models.NoFormat {
		return
	}
	if m, ok := l.ValueMaps[string(p.Format)]; ok {
		p.values = slices.Sorted(maps.Values(m))
		return
	}
	p.number = p.Format != "lower" && p.Format != "upper" && (!p.Computed() || p.Format.Shards() != nil)
}

// requestedKeys returns the shape of the keys that match a key condition, with prefix also longer ones. When ok is
// false, any key can match.
func (l *linter) requestedKeys(r request, c accesspatterns.KeyCondition) (s shape, prefix, ok bool) {
	segments := c.Template.Segments()
	switch c.Compare {
	case accesspatterns.Matches, accesspatterns.Equal:
	case accesspatterns.BeginsWith:
		prefix = true
	case accesspatterns.Range:
		segments, prefix = before(c.KeyTemplate, c.On), true
	case accesspatterns.Between:
		if c.Template.LiteralPrefix() != c.Upper.LiteralPrefix() {
			return nil, false, false
		}
		segments, prefix = segments[:1], true
	default:
		return nil, false, false
	}
	var parts []part
	for _, s := range segments {
		q := r.pattern.Param(s.Name)
		if q != nil && !q.Required && q.Default == "" && c.Compare != accesspatterns.Equal {
			prefix = true // without a value the key is compared only up to here
			break
		}
		p := part{Segment: s}
		p.number = q != nil && (q.Format.IsTime() || q.Type == accesspatterns.Number || q.Type == accesspatterns.Integer)
		l.expandFormat(&p)
		parts = append(parts, p)
	}
	if prefix && (len(parts) == 0 || c.Compare == accesspatterns.Between && parts[0].Name != "") {
		return nil, false, false
	}
	return shapeOf(parts), prefix, true
}

func before(t models.Template, name string) []models.Segment {
	for i, s := range t.Segments() {
		if s.Name == name {
			return t.Segments()[:i]
		}
	}
	return nil
}

// mayWrite is writes for values that do not contain the separator before their placeholder: the literals of USER#{id}
// and USER#{id}#ORDERS then separate the two.
func (l *linter) mayWrite(e *models.Entity, r request, c accesspatterns.KeyCondition) bool {
	t, ok := e.KeyTemplate(c.Attribute.Name)
	if !ok {
		return false
	}
	requested, prefix, ok := l.requestedKeys(r, c)
	return !ok || requested.separated().overlaps(l.entityShape(e, t).separated(), prefix)
}

// separated changes the shape and returns it.
func (a shape) separated() shape {
	for _, form := range a {
		for i := range form {
			if i > 0 && form[i].wild && form[i].ends == 0 && !form[i-1].wild && strings.IndexByte(separators, form[i-1].lit) >= 0 {
				form[i].ends = form[i-1].lit
			}
		}
	}
	return a
}

// separators are the characters that separate the parts of a key.
const separators = "#|:/_-.~$@"

func (l *linter) writes(e *models.Entity, r request, c accesspatterns.KeyCondition) bool {
	t, ok := e.KeyTemplate(c.Attribute.Name)
	if !ok {
		return false
	}
	requested, prefix, ok := l.requestedKeys(r, c)
	return !ok || requested.overlaps(l.entityShape(e, t), prefix)
}
