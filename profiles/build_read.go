package profiles

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/placed"
	"github.com/ddbdesk/ddbdesk/models"
)

func (b *patternBuilder) fanOut(path string, d *fanOutDecl) *accesspatterns.FanOut {
	f := &accesspatterns.FanOut{Placeholder: d.Placeholder, Max: d.Max}
	b.checkPositive(path+".max", d.Max)
	if d.Placeholder == "" {
		b.Errorf(path, "", "fan-out needs placeholder:")
	}
	span, word := d.Days, "days"
	if d.Hours != nil {
		span, word = d.Hours, "hours"
	}
	switch {
	case span != nil && (d.Values.list != nil || d.Values.span != nil):
		b.Errorf(path, "", "fan-out has both %s: and values:; keep one", word)
	case d.Days != nil && d.Hours != nil:
		b.Errorf(path, "", "fan-out has both days: and hours:; keep one")
	case span != nil:
		f.Hours = d.Hours != nil
		f.From, f.To = b.dayEnd(path+"."+word+".from", span.From), b.dayEnd(path+"."+word+".to", span.To)
		f.Max = cmp.Or(f.Max, 400)
	case d.Values.span != nil:
		f.Values = b.numbers(path+".values", *d.Values.span)
	case d.usesShards():
	case len(d.Values.list) == 1 && d.Values.list[0] == "enum":
		for _, e := range b.p.Returns {
			if a := e.Attribute(d.Placeholder); a != nil {
				f.Values = a.Enum
			}
		}
	default:
		for i, v := range d.Values.list {
			f.Values = append(f.Values, b.resolveVariables(fmt.Sprintf("%s.values.%d", path, i), v))
		}
	}
	if span == nil && len(f.Values) == 0 && d.Values.span == nil && !d.usesShards() {
		b.Errorf(path, "", "fan-out needs days:, hours: or values:")
	}
	for i, v := range f.Values {
		if slices.Contains(f.Values[:i], v) {
			b.Errorf(path+".values", "", "duplicate value %q", models.Printable(v))
		}
	}
	return f
}

func (d *fanOutDecl) usesShards() bool {
	return len(d.Values.list) == 1 && d.Values.list[0] == "shards"
}

// shards rejects fan-out values that are not shards of the key, because those partitions do not exist.
func (b *patternBuilder) shards(path string, d *fanOutDecl, r *accesspatterns.Read) {
	if r.FanOut == nil {
		return
	}
	var shard models.Segment
	for _, c := range r.Key {
		for _, s := range c.Template.Segments() {
			if s.Name == d.Placeholder && s.Format.Shards() != nil {
				shard = s
			}
		}
	}
	list := shard.Format.Shards()
	switch {
	case list == nil && d.usesShards():
		b.Errorf(path+".values", fmt.Sprintf("write {%s:crc32 mod 10} in the key, with the hash and the number of the schema",
			d.Placeholder),
			"the key has no shard of {%s}", models.Printable(d.Placeholder))
	case list == nil:
	case !d.usesShards():
		b.Errorf(path, "write values: shards", "the key has the shard {%s}; other values are not its partitions", shard.PartName())
	case len(list) > maxPartitions:
		b.Errorf(path, "", "{%s} has %d shards; at most %d are read", shard.PartName(), len(list), maxPartitions)
	default:
		r.FanOut.Part, r.FanOut.Values = shard.PartName(), list
	}
}

func (b *patternBuilder) resolveVariables(path, text string) string {
	return schemaBuilder{b.builder}.resolveVariables(path, text)
}

// maxPartitions is the maximum number of partitions of a fan-out over values.
const maxPartitions = 400

// numbers lists values with as many digits as the first one, as in 00, 01, 02.
func (b *patternBuilder) numbers(path string, d numbersDecl) []string {
	parseNumber := func(word, text string) (int, bool) {
		text = b.resolveVariables(path+"."+word, text)
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n > 1_000_000 {
			b.Errorf(path+"."+word, "", "%q is not a whole number from 0 to 1000000", models.Printable(text))
			return 0, false
		}
		return n, true
	}
	word, end := "to", d.To
	if d.Count != "" {
		word, end = "count", d.Count
	}
	if (d.To == "") == (d.Count == "") {
		b.Errorf(path, "", "range of values needs exactly one of to: and count:")
		return nil
	}
	d.From = cmp.Or(d.From, "0")
	from, ok := parseNumber("from", d.From)
	to, endOK := parseNumber(word, end)
	if word == "count" {
		to += from - 1
	}
	switch {
	case !ok || !endOK:
		return nil
	case to < from:
		b.Errorf(path, "", "range of values from %d to %d is empty", from, to)
		return nil
	case to-from >= maxPartitions:
		b.Errorf(path, "", "range of values has %d partitions; at most %d are read", to-from+1, maxPartitions)
		return nil
	}
	width := 0
	if first := b.resolveVariables(path+".from", d.From); strings.HasPrefix(first, "0") && len(first) > 1 {
		width = len(first)
	}
	var list []string
	for n := from; n <= to; n++ {
		list = append(list, fmt.Sprintf("%0*d", width, n))
	}
	return list
}

// period sets the format of a fan-out over times from the key condition, the attribute or the key templates.
func (b *patternBuilder) period(path string, d *fanOutDecl, r *accesspatterns.Read) {
	f := r.FanOut
	if f == nil || d.Days == nil && d.Hours == nil {
		return
	}
	_, a := b.paramAttribute("", d.Placeholder, paramDecl{}, b.p.Returns)
	for _, c := range r.Key {
		for i, s := range c.Template.Segments() {
			switch {
			case s.Name != d.Placeholder:
			case s.Format.IsPeriod():
				f.Format, f.Rendered = s.Format, true
			case a != nil && a.Format.IsPeriod():
				f.Format = a.Format
			default:
				f.Format = b.periodFormat(c, i)
			}
		}
	}
	switch {
	case f.Format == "" && f.Hours:
		b.Errorf(path+".hours", fmt.Sprintf("write {%s:hour} in the key, or declare the format of the attribute", d.Placeholder),
			"the format of the hours in the key is unknown")
	case f.Hours && f.Format.Period() != "hour":
		b.Errorf(path+".hours", "use days:", "the key contains a %s, not an hour", f.Format.Period())
	case !f.Hours && f.Format.Period() == "hour":
		b.Errorf(path+".days", "use hours:", "the key contains an hour, not a day")
	}
}

func (b *patternBuilder) periodFormat(c accesspatterns.KeyCondition, i int) models.Format {
	conditionSegments := c.Template.Segments()
	for _, e := range b.p.Returns {
		t, _ := e.KeyTemplate(c.Attribute.Name)
		segments := t.Segments()
		if i >= len(segments) || !segments[i].Format.IsPeriod() {
			continue
		}
		same := true
		for k, s := range segments[:i] {
			same = same && s.Literal == conditionSegments[k].Literal
		}
		if same {
			return segments[i].Format
		}
	}
	return ""
}

func (b *patternBuilder) dayEnd(path, text string) models.Template {
	if text == "" {
		b.Errorf(path, "write a {parameter} or a time such as 2026-01-14 or today-7d", "range of days has no end here")
		return models.Template{}
	}
	t := b.markUsed(b.template(path, text))
	if literal, ok := t.Literal(); ok {
		if _, err := models.ParseTime(literal, time.Unix(0, 0)); err != nil {
			b.Errorf(path, "", "%v", err)
		}
	} else if segments := t.Segments(); len(segments) > 1 {
		b.Errorf(path, "", "expected one {parameter} or a time, found %q", models.Printable(text))
	}
	return t
}

func (b *patternBuilder) isFannedOut(name string) bool {
	for _, r := range b.reads() {
		if (r.FanOut == nil || r.FanOut.Placeholder != name) && r.Has(name) {
			return false
		}
	}
	return slices.ContainsFunc(b.reads(), func(r accesspatterns.Read) bool { return r.FanOut != nil && r.FanOut.Placeholder == name })
}

func (b *patternBuilder) reads() []accesspatterns.Read {
	variants := models.MapSlice(b.p.Variants, func(v accesspatterns.Variant) accesspatterns.Read { return v.Read })
	return append([]accesspatterns.Read{b.p.Read}, variants...)
}

func (b *patternBuilder) isOnlyInTails(name string) bool {
	found := false
	for _, r := range b.reads() {
		for _, t := range r.Templates() {
			if t.Has(name) && !slices.Contains(t.Optional(), name) {
				return false
			}
			found = found || t.Has(name)
		}
	}
	return found
}

func (b *patternBuilder) checkReads() {
	for i, r := range b.reads() {
		path := b.path
		if i > 0 {
			path = fmt.Sprintf("%s.variants.%d", b.path, i-1)
		}
		b.checkSelection(path, r.Operation)
		if r.FanOut != nil {
			b.checkFanOut(path, r)
		}
		b.checkLists(path, r)
		for _, c := range r.Key {
			b.checkComparison(path+".key."+c.Attribute.Name, c)
		}
	}
}

// selectingWords lists, for each operation, words that select items but that the operation ignores, so that it would
// return others.
var selectingWords = map[accesspatterns.Operation][]string{
	accesspatterns.Get: {"filter"}, accesspatterns.Scan: {"key", "fan_out"}, accesspatterns.Write: {"filter", "fan_out"},
}

func (b *patternBuilder) checkSelection(path string, o accesspatterns.Operation) {
	for _, word := range selectingWords[o] {
		if b.Has(path + "." + word) {
			b.Errorf(path+"."+word, "remove it, or use another operation", "%s has no effect with operation %s", word, o)
		}
	}
}

func (b *patternBuilder) checkComparison(path string, c accesspatterns.KeyCondition) {
	if !c.Compare.IsOrdering() {
		return
	}
	for _, name := range append(c.Template.Placeholders(), c.Upper.Placeholders()...) {
		q := b.p.Param(name)
		inVariant := func(v accesspatterns.Variant) bool { return slices.Contains(v.When, name) }
		if q != nil && !q.Required && q.Default == "" && !slices.ContainsFunc(b.p.Variants, inVariant) {
			b.Errorf(path, "give it a default, or use range: with from: and to:, whose ends can be missing",
				"%s compares with {%s}, which is optional", c.Compare, name)
		}
	}
}

func (b *patternBuilder) checkFanOut(path string, r accesspatterns.Read) {
	f := r.FanOut
	inKey := slices.ContainsFunc(r.Key, func(c accesspatterns.KeyCondition) bool {
		return c.Template.Has(f.Placeholder) || c.KeyTemplate.Has(f.Placeholder) && c.On != f.Placeholder
	})
	if !inKey && f.Placeholder != "" {
		b.Errorf(path+".fan_out.placeholder", "", "no key condition uses {%s}, so every request would return the same rows",
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

func (b *patternBuilder) filter(path string, d filterDecl) accesspatterns.FilterCondition {
	forms := b.filterForms(path, d)
	switch len(forms) {
	case 0:
		b.filterType(path, d.Attribute)
		b.Errorf(path, "", "condition is empty")
		return accesspatterns.FilterCondition{}
	case 1:
	default:
		words := models.MapSlice(forms, func(f filterForm) string { return f.word })
		b.Errorf(path, "write one of them, or from: with to:", "expected one comparison, found %s", strings.Join(words, " and "))
		return accesspatterns.FilterCondition{}
	}
	f := forms[0].condition
	if f.Any != nil {
		if d.Attribute != "" {
			b.Errorf(path+".attribute", "write it in every condition under any:",
				"any: has conditions of its own, so it takes no attribute")
		}
		return f
	}
	f.Attribute, f.Type = d.Attribute, b.filterType(path, d.Attribute)
	if _, a := b.paramAttribute("", f.Attribute, paramDecl{}, b.p.Returns); a != nil && f.Compare.IsOrdering() && !f.Size {
		b.checkSortsByTime(path, a.Path, a.Format)
	}
	switch {
	case f.Size:
		f.Type = models.TypeN
	case f.Compare == accesspatterns.Contains:
		f.Type = elementType(b.p.Returns, d.Attribute, f.Type)
	}
	return f
}

// A filterForm is a filter comparison and its keyword.
type filterForm struct {
	word      string
	condition accesspatterns.FilterCondition
}

func (b *patternBuilder) filterForms(path string, d filterDecl) []filterForm {
	forms := b.comparisons(path, d.comparisonDecl)
	add := func(word string, f accesspatterns.FilterCondition) { forms = append(forms, filterForm{word, f}) }
	addOne := func(word string, o accesspatterns.Operator, text string) {
		if t := b.markUsed(b.template(placed.Join(path, word), text)); text != "" {
			add(word, accesspatterns.FilterCondition{Compare: o, Values: []models.Template{t}})
		}
	}
	addOne("begins_with", accesspatterns.BeginsWith, d.BeginsWith)
	addOne("contains", accesspatterns.Contains, d.Contains)
	if len(d.In) > 0 {
		f := accesspatterns.FilterCondition{Compare: accesspatterns.In}
		for i, text := range d.In {
			f.Values = append(f.Values, b.markUsed(b.template(fmt.Sprintf("%s.in.%d", path, i), text)))
		}
		add("in", f)
	}
	if d.Exists != nil {
		f := accesspatterns.FilterCondition{Compare: accesspatterns.NotExists}
		if *d.Exists {
			f.Compare = accesspatterns.Exists
		}
		add("exists", f)
	}
	if d.Size != nil {
		for _, f := range b.comparisons(path+".size", *d.Size) {
			f.condition.Size = true
			add("size", f.condition)
		}
	}
	if len(d.Any) > 0 {
		f := accesspatterns.FilterCondition{}
		for i, o := range d.Any {
			f.Any = append(f.Any, b.filter(fmt.Sprintf("%s.any.%d", path, i), o))
		}
		add("any", f)
	}
	return forms
}

func (b *patternBuilder) comparisons(path string, d comparisonDecl) []filterForm {
	var forms []filterForm
	add := func(word string, o accesspatterns.Operator, values ...models.Template) {
		forms = append(forms, filterForm{word, accesspatterns.FilterCondition{Compare: o, Values: values}})
	}
	for _, c := range comparisons[string](d) {
		add(c.word, c.compare, b.markUsed(b.template(placed.Join(path, c.word), c.value)))
	}
	from, to := b.markUsed(b.template(path+".from", d.From)), b.markUsed(b.template(path+".to", d.To))
	switch {
	case !from.IsZero() && !to.IsZero():
		add("from", accesspatterns.Between, from, to)
	case !from.IsZero():
		add("from", accesspatterns.GreaterOrEqual, from)
	case !to.IsZero():
		add("to", accesspatterns.LessOrEqual, to)
	}
	return forms
}

func (b *patternBuilder) filterType(path, attribute string) models.Type {
	for _, e := range b.p.Returns {
		if a := e.Attribute(attribute); a != nil {
			return a.Type
		}
	}
	for _, k := range b.p.Table.KeyAttributes() {
		if k.Name == attribute {
			return k.Type
		}
	}
	if len(b.p.Returns) > 0 {
		b.reportUnknownAttribute(path+".attribute", b.p.Returns[0], attribute)
	}
	return models.TypeS
}

func elementType(returns []*models.Entity, attribute string, t models.Type) models.Type {
	for _, e := range returns {
		if m := e.Attribute(attribute).Member(); m != nil {
			return m.Type
		}
	}
	if t == models.TypeL {
		return models.TypeS
	}
	return t
}
