package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// sortCondition looks at any key attribute of the table, because a document can omit the index.
func (r request) sortCondition() (accesspatterns.KeyCondition, *models.Entity, models.Template, bool) {
	for _, c := range r.read.Key {
		for _, e := range r.pattern.Returns {
			t, ok := e.KeyTemplate(c.Attribute.Name)
			if ok && c.Compare != accesspatterns.Equal {
				if partition, _ := r.keys(); models.KeyNamed(partition, c.Attribute.Name) < 0 {
					return c, e, t, true
				}
			}
		}
	}
	return accesspatterns.KeyCondition{}, nil, models.Template{}, false
}

func endsAt(requested, key models.Template) (int, bool) {
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
	at, ok := endsAt(c.Template, key)
	if !ok {
		return
	}
	requested, segment := c.Template.Segments()[at], key.Segments()[at]
	rest := segment.Literal[len(requested.Literal):]
	if requested.Name != "" {
		rest = key.After(at)
	}
	if rest == "" {
		return
	}
	if requested.Name == "" && sharedPrefix(r.pattern.Returns, c) {
		return // It selects several entities on purpose.
	}
	report("key."+c.Attribute.Name, fmt.Sprintf("write %s%s", c.Template, rest),
		"prefix %s lacks the separator %q of %s, so it also matches longer values%s",
		c.Template, rest, key, collision(e.Attribute(segment.Name)))
}

func sharedPrefix(entities []*models.Entity, c accesspatterns.KeyCondition) bool {
	return len(entities) > 1 && !slices.ContainsFunc(entities, func(e *models.Entity) bool {
		t, _ := e.KeyTemplate(c.Attribute.Name)
		return !strings.HasPrefix(t.LiteralPrefix(), c.Template.LiteralPrefix())
	})
}

func collision(a *models.Attribute) string {
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

// boundOnComposedKey finds range ends that compare a value with a key that continues after it: T sorts before T#id.
func boundOnComposedKey(_ *linter, r request, report reporter) {
	c, _, key, ok := r.sortCondition()
	if !ok {
		return
	}
	bound, sign, misses := c.Template, "<=", "misses"
	switch c.Compare {
	case accesspatterns.LessOrEqual:
	case accesspatterns.Between:
		bound, sign = c.Upper, "between .. and"
	case accesspatterns.Greater:
		sign, misses = ">", "includes"
	default:
		return
	}
	at, ok := endsAt(bound, key)
	if !ok || key.After(at) == "" {
		return
	}
	name := key.Segments()[at].Name
	report("key."+c.Attribute.Name, fmt.Sprintf("use {range: %s, ..}, which takes the separator into account", name),
		"the condition %s %s on sort key %s, which continues after %s, %s items at exactly that value", sign, bound, key, name, misses)
}

func strictBound(_ *linter, r request, report reporter) {
	c, _, key, ok := r.sortCondition()
	if !ok || c.Compare != accesspatterns.Greater {
		return
	}
	at, ok := endsAt(c.Template, key)
	if ok && key.After(at) == "" && key.Segments()[at].Name != "" {
		report("key."+c.Attribute.Name, "use {range: "+key.Segments()[at].Name+", from: ..}, which includes its ends",
			"the condition on %s is greater than %s; it excludes an item at exactly that value", c.Attribute.Name, c.Template)
	}
}

// textPrecision finds ranges on times of unknown precision. Text is compared byte by byte, and "." sorts before "Z".
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
			if q != nil && isoText(a.Format) && isoText(q.Format) && q.Format != a.Format {
				report(x.part, "read {"+end+"} as "+string(a.Format),
					"the range on %s compares %s with %s; texts of different precision do not sort by time", a.Name, a.Format, q.Format)
				break
			}
		}
	}
}

func isoText(f models.Format) bool {
	return f == models.ISO8601 || f == models.ISO8601Millis || f == models.ISO8601Any
}

// A span is a range in a request.
type span struct {
	attribute *models.Attribute
	part      string
	ends      []string // the parameters
}

func (r request) ranges() []span {
	var list []span
	if c, e, key, ok := r.sortCondition(); ok {
		var name string
		ends := append(c.From.Placeholders(), c.To.Placeholders()...)
		if c.Compare == accesspatterns.Range {
			name = c.On
		} else if c.Compare.Ordered() {
			if at, ok := endsAt(c.Template, key); ok {
				name = key.Segments()[at].Name
			}
			ends = append(c.Template.Placeholders(), c.Upper.Placeholders()...)
		}
		if a := e.Attribute(name); a != nil && plainSegment(key, name) {
			list = append(list, span{a, "key." + c.Attribute.Name, ends})
		}
	}
	for part, f := range r.filters() {
		if !f.Compare.Ordered() {
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

func plainSegment(key models.Template, name string) bool {
	for _, s := range key.Segments() {
		if s.Name == name {
			return s.Format == models.NoFormat
		}
	}
	return false
}

func partitionByDay(_ *linter, r request, report reporter) {
	if partition, _ := r.keys(); r.read.FanOut == nil && r.queries() {
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
	inTime := func(s models.Segment) bool { return s.TimeFormat() != models.NoFormat }
	if !ok || c.Compare == accesspatterns.Matches || c.Compare == accesspatterns.BeginsWith || !slices.ContainsFunc(sort.Segments(), inTime) {
		return
	}
	template, period := "", ""
	for _, e := range r.pattern.Returns {
		t, _ := e.KeyTemplate(partition.Name)
		for _, s := range t.Segments() {
			if s.Format.IsPeriod() {
				template, period = t.String(), s.Format.Period()
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
	report("key."+partition.Name, "add fan_out: {placeholder: "+strings.Join(p.Template.Placeholders(), "")+", "+span+": {from: .., to: ..}}",
		"partition %s holds one %s (%s), but the request asks for a time range; items of the previous or next %s are missing",
		partition.Name, period, template, period)
}
