package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// sortCondition checks every key attribute of the table, because a document can omit the index.
func (r request) sortCondition() (accesspatterns.KeyCondition, *models.Entity, models.Template, bool) {
	for _, c := range r.read.Key {
		for _, e := range r.pattern.Returns {
			t, ok := e.KeyTemplate(c.Attribute.Name)
			if ok && c.Compare != accesspatterns.Equal {
				if partition, _ := r.keys(); models.KeyPosition(partition, c.Attribute.Name) < 0 {
					return c, e, t, true
				}
			}
		}
	}
	return accesspatterns.KeyCondition{}, nil, models.Template{}, false
}

func endSegment(requested, key models.Template) (int, bool) {
	a, k := requested.Segments(), key.Segments()
	if len(a) == 0 || len(a) > len(k) {
		return 0, false
	}
	for i := range a {
		last := i == len(a)-1
		switch {
		case (a[i].Name == "") != (k[i].Name == ""):
			return 0, false
		case a[i].Name == "" && a[i].Literal != k[i].Literal && (!last || !strings.HasPrefix(k[i].Literal, a[i].Literal)):
			return 0, false
		}
	}
	return len(a) - 1, true
}

func prefixWithoutDelimiter(_ *linter, r request, report reporter) {
	c, e, key, ok := r.sortCondition()
	if !ok || c.Compare != accesspatterns.BeginsWith {
		return
	}
	at, ok := endSegment(c.Template, key)
	if !ok {
		return
	}
	requested, segment := c.Template.Segments()[at], key.Segments()[at]
	rest := segment.Literal[len(requested.Literal):]
	if requested.Name != "" {
		rest = strings.Join(key.After(at), " or ")
	}
	if rest == "" {
		return
	}
	if requested.Name == "" && isSharedPrefix(r.pattern.Returns, c) {
		return // it selects several entities on purpose
	}
	report("key."+c.Attribute.Name, fmt.Sprintf("write %s%s", c.Template, rest),
		"prefix %s lacks the separator %q of %s, so it also matches longer values%s",
		c.Template, rest, key, collisionNote(e.Attribute(segment.Name)))
}

func isSharedPrefix(entities []*models.Entity, c accesspatterns.KeyCondition) bool {
	return len(entities) > 1 && !slices.ContainsFunc(entities, func(e *models.Entity) bool {
		t, _ := e.KeyTemplate(c.Attribute.Name)
		return !strings.HasPrefix(t.LiteralPrefix(), c.Template.LiteralPrefix())
	})
}

func collisionNote(a *models.Attribute) string {
	if a == nil || len(a.Enum) == 0 {
		return ""
	}
	for _, v := range a.Enum {
		for _, w := range a.Enum {
			if v != w && strings.HasPrefix(w, v) {
				return fmt.Sprintf("; today %q is a prefix of %q", v, w)
			}
		}
	}
	return fmt.Sprintf("; today no value of %s is a prefix of another", a.Name)
}

// boundOnComposedKey finds range ends on a key that continues after the value, because T sorts before T#id.
func boundOnComposedKey(_ *linter, r request, report reporter) {
	c, _, key, ok := r.sortCondition()
	if !ok {
		return
	}
	bound, sign, verb := c.Template, "<=", "misses"
	switch c.Compare {
	case accesspatterns.LessOrEqual:
	case accesspatterns.Between:
		bound, sign = c.Upper, "between .. and"
	case accesspatterns.Greater:
		sign, verb = ">", "includes"
	default:
		return
	}
	at, ok := endSegment(bound, key)
	if !ok || len(key.After(at)) == 0 {
		return
	}
	name := key.Segments()[at].Name
	report("key."+c.Attribute.Name, fmt.Sprintf("use {range: %s, ..}, which includes the separator", name),
		"the condition %s %s on sort key %s, which continues after %s, %s items at exactly that value", sign, bound, key, name, verb)
}

func strictBound(_ *linter, r request, report reporter) {
	c, _, key, ok := r.sortCondition()
	if !ok || c.Compare != accesspatterns.Greater {
		return
	}
	at, ok := endSegment(c.Template, key)
	if ok && len(key.After(at)) == 0 && key.Segments()[at].Name != "" {
		report("key."+c.Attribute.Name, "use {range: "+key.Segments()[at].Name+", from: ..}, which includes its ends",
			"the condition on %s is greater than %s; it excludes an item at exactly that value", c.Attribute.Name, c.Template)
	}
}

// textPrecision finds ranges over times of unknown precision, because DynamoDB compares bytes and "." precedes "Z".
func textPrecision(_ *linter, r request, report reporter) {
	for _, x := range r.ranges() {
		a := x.attribute
		if a.Format == models.ISO8601Any {
			report(x.part, "give "+a.Name+" one precision: iso8601 or iso8601-ms",
				"the range on %s needs one precision; the number of digits is not documented, and 00Z sorts after 00.500Z", a.Name)
			continue
		}
		for _, end := range x.ends {
			q := r.pattern.Param(end)
			if q != nil && isISOText(a.Format) && isISOText(q.Format) && q.Format != a.Format {
				report(x.part, "read {"+end+"} as "+string(a.Format),
					"the range on %s compares %s with %s; texts of different precision do not sort by time", a.Name, a.Format, q.Format)
				break
			}
		}
	}
}

func isISOText(f models.Format) bool {
	return f == models.ISO8601 || f == models.ISO8601Millis || f == models.ISO8601Any
}

// A span is a range in a request.
type span struct {
	attribute *models.Attribute
	part      string
	ends      []string // parameters of both ends
}

func (r request) ranges() []span {
	var list []span
	if c, e, key, ok := r.sortCondition(); ok {
		var name string
		ends := append(c.From.Placeholders(), c.To.Placeholders()...)
		if c.Compare == accesspatterns.Range {
			name = c.On
		} else if c.Compare.IsOrdering() {
			if at, ok := endSegment(c.Template, key); ok {
				name = key.Segments()[at].Name
			}
			ends = append(c.Template.Placeholders(), c.Upper.Placeholders()...)
		}
		if a := e.Attribute(name); a != nil && isPlainSegment(key, name) {
			list = append(list, span{a, "key." + c.Attribute.Name, ends})
		}
	}
	for part, f := range r.filters() {
		if !f.Compare.IsOrdering() {
			continue
		}
		for _, e := range r.pattern.Returns {
			if a := e.Attribute(f.Attribute); a != nil {
				list = append(list, span{a, part, f.Placeholders()})
				break
			}
		}
	}
	return list
}

func isPlainSegment(key models.Template, name string) bool {
	for _, s := range key.Segments() {
		if s.Name == name {
			return s.Format == models.NoFormat
		}
	}
	return false
}

func partitionByDay(_ *linter, r request, report reporter) {
	if partition, _ := r.keys(); r.read.FanOut == nil && r.isQuery() {
		for _, k := range partition {
			r.periodOf(k, report)
		}
	}
}

func (r request) periodOf(partition models.Key, report reporter) {
	p, ok := r.condition(partition.Name)
	if !ok {
		return
	}
	c, _, sort, ok := r.sortCondition()
	isTime := func(s models.Segment) bool { return s.TimeFormat() != models.NoFormat }
	if !ok || c.Compare == accesspatterns.Matches || c.Compare == accesspatterns.BeginsWith ||
		!slices.ContainsFunc(sort.Segments(), isTime) {
		return
	}
	template, period, placeholder := "", "", ""
	for _, e := range r.pattern.Returns {
		t, _ := e.KeyTemplate(partition.Name)
		for i, s := range t.Segments() {
			if s.Format.IsPeriod() {
				template, period = t.String(), s.Format.Period()
				if segments := p.Template.Segments(); i < len(segments) {
					placeholder = segments[i].Name
				}
			}
		}
	}
	if template == "" {
		return
	}
	span := "days"
	if period == "hour" {
		span = "hours"
	}
	report("key."+partition.Name, "add fan_out: {placeholder: "+placeholder+", "+span+": {from: .., to: ..}}",
		"partition %s contains one %s (%s), but the request covers a time range; items of the previous or next %s are missing",
		partition.Name, period, template, period)
}

// A token is one byte of a key, or a placeholder: one byte or more.
type token struct {
	lit      byte
	wild     bool
	isNumber bool // the placeholder starts with a digit: a number or a time
	ends     byte // a byte that the placeholder cannot contain, 0 for none
}

// A shape contains every form of a template's keys. It has one for each value of a placeholder with few values.
type shape [][]token

// maxForms is the maximum number of forms of one template.
const maxForms = 64

// A part is a segment of a template with its known values.
type part struct {
	models.Segment
	values   []string // all values, nil if unknown
	isNumber bool
}

// shapeOf expands a template into one form for each combination of known values.
func shapeOf(parts []part) shape {
	forms := shape{nil}
	for i, p := range parts {
		var options shape
		switch {
		case p.Name == "":
			options = shape{literal(p.Literal)}
		case len(p.values) > 0 && len(p.values)*len(forms) <= maxForms:
			for _, v := range p.values {
				options = append(options, literal(v))
			}
		default:
			t := token{wild: true, isNumber: p.isNumber}
			// Before the last literal, a value may contain the literal, because the end of the key determines where the
			// value ends.
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
	return forms
}

func literal(text string) []token {
	tokens := make([]token, len(text))
	for i := range len(text) {
		tokens[i] = token{lit: text[i]}
	}
	return tokens
}

// overlaps reports whether a and b share a key or, with prefix, whether a key of b starts with a key of a.
func (a shape) overlaps(b shape, prefix bool) bool {
	for _, x := range a {
		for _, y := range b {
			m := matcher{a: x, b: y, prefix: prefix, seen: map[[2]int]bool{}}
			if m.matchFrom(0, 0, false, false) {
				return true
			}
		}
	}
	return false
}

// A matcher compares two forms, one byte of the common key at a time.
type matcher struct {
	a, b   []token
	prefix bool
	seen   map[[2]int]bool
}

// matchFrom matches the rest of both forms. inA and inB mean that the placeholders at i and j already contain a byte.
func (m *matcher) matchFrom(i, j int, inA, inB bool) bool {
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
	if inA && m.matchFrom(i+1, j, false, inB) || inB && m.matchFrom(i, j+1, inA, false) {
		return true
	}
	if i == len(m.a) || j == len(m.b) || !tokensMatch(m.a[i], inA, m.b[j], inB) {
		return false
	}
	ni, nj := i, j
	if !m.a[i].wild {
		ni++
	}
	if !m.b[j].wild {
		nj++
	}
	return m.matchFrom(ni, nj, m.a[i].wild, m.b[j].wild)
}

func tokensMatch(a token, inA bool, b token, inB bool) bool {
	switch {
	case !a.wild && !b.wild:
		return a.lit == b.lit
	case !a.wild:
		return b.canContain(a.lit, inB)
	case !b.wild:
		return a.canContain(b.lit, inA)
	default:
		return true
	}
}

func (t token) canContain(c byte, inside bool) bool {
	if inside && t.ends != 0 && c == t.ends { // the first byte can be any byte, because a value is not empty
		return false
	}
	return !t.isNumber || inside || c >= '0' && c <= '9'
}

func (l *linter) entityShape(e *models.Entity, t models.Template) shape {
	var all shape
	for _, form := range t.Forms() {
		all = append(all, l.formShape(e, form)...)
	}
	return all
}

func (l *linter) formShape(e *models.Entity, form []models.Segment) shape {
	var parts []part
	for _, s := range form {
		p := part{Segment: s}
		if a := e.Attribute(s.Name); a != nil {
			p.isNumber = a.Format.IsTime() || a.Type == models.TypeN
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
	p.isNumber = p.Format != "lower" && p.Format != "upper" && (!p.IsComputed() || p.Format.Shards() != nil)
}

// requestedKeys returns the shape of the keys that match a key condition. prefix means that longer keys also match. If
// ok is false, any key can match.
func (l *linter) requestedKeys(r request, c accesspatterns.KeyCondition) (s shape, prefix, ok bool) {
	forms := c.Template.Forms()
	switch c.Compare {
	case accesspatterns.Matches, accesspatterns.Equal:
	case accesspatterns.BeginsWith:
		prefix = true
	case accesspatterns.Range:
		forms, prefix = [][]models.Segment{before(c.KeyTemplate, c.On)}, true
	case accesspatterns.Between:
		if c.Template.LiteralPrefix() != c.Upper.LiteralPrefix() {
			return nil, false, false
		}
		forms, prefix = [][]models.Segment{c.Template.Segments()[:1]}, true
	default:
		return nil, false, false
	}
	for _, form := range forms {
		parts, open := l.requestedParts(r, c, form)
		prefix = prefix || open
		if prefix && (len(parts) == 0 || c.Compare == accesspatterns.Between && parts[0].Name != "") {
			return nil, false, false
		}
		s = append(s, shapeOf(parts)...)
	}
	return s, prefix, true
}

// requestedParts stops before the first part that may have no value; open reports whether there is one.
func (l *linter) requestedParts(r request, c accesspatterns.KeyCondition, form []models.Segment) (parts []part, open bool) {
	for _, s := range form {
		q := r.pattern.Param(s.Name)
		if q != nil && !q.Required && q.Default == "" && c.Compare != accesspatterns.Equal {
			return parts, true
		}
		p := part{Segment: s}
		p.isNumber = q != nil && (q.Format.IsTime() || q.Type == accesspatterns.Number || q.Type == accesspatterns.Integer)
		l.expandFormat(&p)
		parts = append(parts, p)
	}
	return parts, false
}

func before(t models.Template, name string) []models.Segment {
	for i, s := range t.Segments() {
		if s.Name == name {
			return t.Segments()[:i]
		}
	}
	return nil
}

// mayWrite assumes that values do not contain the preceding separator, so that USER#{id} and USER#{id}#ORDERS differ.
func (l *linter) mayWrite(e *models.Entity, r request, c accesspatterns.KeyCondition) bool {
	t, ok := e.KeyTemplate(c.Attribute.Name)
	if !ok {
		return false
	}
	if c.Attribute.Type == models.TypeS && isOutside(t.LiteralPrefix(), c) {
		return false
	}
	q := l.requestedShape(r, c, true)
	return !q.ok || l.shapesOverlap(q.keys, l.keyOf(e, c.Attribute.Name, t, true), q.prefix)
}

// isOutside reports whether a condition on a text key excludes all keys that begin with prefix.
func isOutside(prefix string, c accesspatterns.KeyCondition) bool {
	compare := func(bound models.Template) int {
		n := min(len(prefix), len(bound.LiteralPrefix()))
		return strings.Compare(prefix[:n], bound.LiteralPrefix()[:n])
	}
	switch c.Compare {
	case accesspatterns.Equal, accesspatterns.BeginsWith:
		return compare(c.Template) != 0
	case accesspatterns.Less, accesspatterns.LessOrEqual:
		return compare(c.Template) > 0
	case accesspatterns.Greater, accesspatterns.GreaterOrEqual, accesspatterns.Between:
		return compare(c.Template) < 0 || c.Compare == accesspatterns.Between && compare(c.Upper) > 0
	default:
		return false
	}
}

// separated changes the shape in place and returns it.
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
	q := l.requestedShape(r, c, false)
	return !q.ok || l.shapesOverlap(q.keys, l.keyOf(e, c.Attribute.Name, t, false), q.prefix)
}
