package profiles

import (
	"fmt"
	"slices"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// fanOut builds the values of the partition key that a request is repeated for.
func (b *patternBuilder) fanOut(path string, d *fanOutDecl) *accesspatterns.FanOut {
	f := &accesspatterns.FanOut{Placeholder: d.Placeholder, Max: d.Max}
	if d.Placeholder == "" {
		b.Errorf(path, "", "fan-out needs placeholder:")
	}
	span, word := d.Days, "days"
	if d.Hours != nil {
		span, word = d.Hours, "hours"
	}
	switch {
	case span != nil && len(d.Values) > 0:
		b.Errorf(path, "", "fan-out has both %s: and values:; keep one", word)
	case d.Days != nil && d.Hours != nil:
		b.Errorf(path, "", "fan-out has both days: and hours:; keep one")
	case span != nil:
		f.Hours = d.Hours != nil
		f.From, f.To = b.dayEnd(path+"."+word+".from", span.From), b.dayEnd(path+"."+word+".to", span.To)
		if _, a := b.paramAttribute("", d.Placeholder, paramDecl{}, b.p.Returns); a != nil && a.Format.IsPeriod() {
			f.Format = a.Format
		}
		if f.Max == 0 {
			f.Max = 400
		}
	case len(d.Values) == 1 && d.Values[0] == "enum":
		for _, e := range b.p.Returns {
			if a := e.Attribute(d.Placeholder); a != nil {
				f.Values = a.Enum
			}
		}
	default:
		f.Values = d.Values
	}
	if span == nil && len(f.Values) == 0 {
		b.Errorf(path, "", "fan-out needs days: or values:")
	}
	for i, v := range f.Values {
		if slices.Contains(f.Values[:i], v) {
			b.Errorf(path+".values", "", "duplicate value %q", models.Printable(v))
		}
	}
	return f
}

// dayEnd builds one end of a range of days: a parameter or a literal time.
func (b *patternBuilder) dayEnd(path, text string) models.Template {
	if text == "" {
		b.Errorf(path, "write a {parameter} or a time such as 2026-01-14 or today-7d", "range of days has no end here")
		return models.Template{}
	}
	t := b.use(b.template(path, text))
	if literal, ok := t.Literal(); ok {
		if _, err := models.ParseTime(literal, time.Unix(0, 0)); err != nil {
			b.Errorf(path, "", "%v", err)
		}
	} else if segments := t.Segments(); len(segments) > 1 {
		b.Errorf(path, "", "expected one {parameter} or a time, found %q", models.Printable(text))
	}
	return t
}

// fannedOut reports whether the placeholder is the one of every fan-out, so that it
// needs no parameter.
func (b *patternBuilder) fannedOut(name string) bool {
	for _, r := range b.reads() {
		if (r.FanOut == nil || r.FanOut.Placeholder != name) && r.Has(name) {
			return false
		}
	}
	return slices.ContainsFunc(b.reads(), func(r accesspatterns.Read) bool { return r.FanOut != nil && r.FanOut.Placeholder == name })
}

// reads lists the requests that ddbdesk sends for the pattern.
func (b *patternBuilder) reads() []accesspatterns.Read {
	list := []accesspatterns.Read{b.p.Read}
	for _, v := range b.p.Variants {
		list = append(list, v.Read)
	}
	return list
}

// onlyInTails reports whether the placeholder occurs in optional tails only, which
// are left out without its value.
func (b *patternBuilder) onlyInTails(name string) bool {
	found := false
	for _, r := range b.reads() {
		for _, t := range r.Templates() {
			if t.Has(name) && !slices.Contains(t.Tail(), name) {
				return false
			}
			found = found || t.Has(name)
		}
	}
	return found
}

// checkReads reports requests that would be accepted and ask for something else than
// they say.
func (b *patternBuilder) checkReads() {
	for i, r := range b.reads() {
		path := b.path
		if i > 0 {
			path = fmt.Sprintf("%s.variants.%d", b.path, i-1)
		}
		if r.FanOut != nil {
			b.checkFanOut(path, r)
		}
		b.checkLists(path, r)
		for _, c := range r.Key {
			b.checkComparison(path+".key."+c.Attribute.Name, c)
		}
	}
}

// checkComparison reports a comparison of a whole key whose value can be missing.
func (b *patternBuilder) checkComparison(path string, c accesspatterns.KeyCondition) {
	switch c.Compare {
	case accesspatterns.Less, accesspatterns.LessOrEqual, accesspatterns.Greater, accesspatterns.GreaterOrEqual, accesspatterns.Between:
	default:
		return
	}
	for _, name := range append(c.Template.Placeholders(), c.Upper.Placeholders()...) {
		if q := b.p.Param(name); q != nil && !q.Required && q.Default == "" && !b.selects(name) {
			b.Errorf(path, "give it a default, or use range: with from: and to:, whose ends can be missing",
				"%s compares with {%s}, which is optional", c.Compare, name)
		}
	}
}

// selects reports whether a variant applies only when the parameter has a value.
func (b *patternBuilder) selects(name string) bool {
	return slices.ContainsFunc(b.p.Variants, func(v accesspatterns.Variant) bool { return slices.Contains(v.When, name) })
}

func (b *patternBuilder) checkFanOut(path string, r accesspatterns.Read) {
	f := r.FanOut
	inKey := slices.ContainsFunc(r.Key, func(c accesspatterns.KeyCondition) bool {
		return c.Template.Has(f.Placeholder) || c.KeyTemplate.Has(f.Placeholder) && c.On != f.Placeholder
	})
	if !inKey && f.Placeholder != "" {
		b.Errorf(path+".fan_out.placeholder", "", "no key condition contains {%s}, so every request would return the same rows",
			models.Printable(f.Placeholder))
	}
	for i, t := range []models.Template{f.From, f.To} {
		word := [...]string{"from", "to"}[i]
		for _, name := range t.Placeholders() {
			if q := b.p.Param(name); q != nil && q.Type != accesspatterns.Timestamp && q.Type != accesspatterns.Day {
				b.Errorf(path+".fan_out.days."+word, "set type: timestamp", "parameter %s is of type %s, not a time", name, q.Type)
			}
		}
	}
}
