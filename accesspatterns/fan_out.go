package accesspatterns

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/ddbdesk/ddbdesk/models"
)

func (b *binding) fanOutValues(f *FanOut) (name string, values []Value, err error) {
	if v, ok := b.values[f.Placeholder]; ok {
		return f.Placeholder, []Value{v}, nil
	}
	if len(f.Values) > 0 {
		for _, v := range f.Values {
			values = append(values, Value{Text: v})
		}
		return cmp.Or(f.Part, f.Placeholder), values, nil
	}
	values, err = b.fanOutPeriods(f)
	return f.Placeholder, values, err
}

func (b *binding) fanOutPeriods(f *FanOut) ([]Value, error) {
	var values []Value
	from, to, fromName, err := b.timeRange(f.From, f.To)
	if err != nil {
		return nil, err
	}
	step, format := 24*time.Hour, cmp.Or(f.Format, models.Date)
	if f.Hours {
		step = time.Hour
	}
	for at := from.UTC().Truncate(step); !at.After(to); at = at.Add(step) {
		label, _ := format.FormatTime(at)
		if n := len(values); n > 0 && values[n-1].label == label {
			continue // A day of the same month.
		}
		if len(values) == f.Max {
			return nil, paramErrorf(fromName, "the range spans more than %d %ss, and every %[2]s is a partition; use a shorter range",
				f.Max, format.Period())
		}
		text := label
		if f.Rendered {
			text, _ = models.ISO8601.FormatTime(at)
		}
		values = append(values, Value{Text: text, Time: models.Time{Time: at, Day: !f.Hours}, IsTime: true, label: label})
	}
	if b.read.Descending {
		slices.Reverse(values)
	}
	return values, nil
}

func (b *binding) timeRange(from, to models.Template) (lo, hi time.Time, name string, err error) {
	first, fromName, err := b.dayEnd(from)
	if err != nil {
		return lo, hi, "", err
	}
	last, toName, err := b.dayEnd(to)
	if err != nil {
		return lo, hi, "", err
	}
	lo, hi = first.Time, last.End()
	if !lo.After(hi) {
		return lo, hi, cmp.Or(fromName, toName), nil
	}
	if fromName == "" {
		return lo, hi, "", paramErrorf(toName, "earlier than %s", from)
	}
	return lo, hi, "", paramErrorf(fromName, "later than %s", cmp.Or(toName, to.String()))
}

func (b *binding) dayEnd(end models.Template) (t models.Time, name string, err error) {
	if text, ok := end.Literal(); ok {
		if t, err = models.ParseTime(text, b.now); err != nil {
			err = fmt.Errorf("%s: fan-out: %w", b.pattern.FullID(), err)
		}
		return t, "", err
	}
	names := end.Placeholders()
	if len(names) != 1 {
		return t, "", fmt.Errorf("%s: fan-out over days has an end %q that is not one parameter", b.pattern.FullID(), end)
	}
	v, ok := b.value(names[0])
	switch {
	case !ok:
		return t, "", paramErrorf(names[0], "missing; it selects the days to read")
	case !v.IsTime:
		return t, "", paramErrorf(names[0], "not a time, so it cannot select days; set type: timestamp in the profile")
	}
	return v.Time, names[0], nil
}

// inOrder reports whether the rows of each leg follow those of the leg before it. Other legs must be merged.
func (b *binding) inOrder() bool {
	f := b.read.FanOut
	switch {
	case b.read.Operation == Get || len(b.sort) == 0:
		return true
	case b.list() != nil:
		return false
	case f == nil:
		return true
	}
	if _, given := b.values[f.Placeholder]; given {
		return true
	}
	return len(f.Values) == 0 && len(b.pattern.Returns) > 0 && b.sortedByDay()
}

// sortedByDay reports whether the sort keys of all returned entities begin, after the same text, with the time of
// which the partition key has the day.
func (b *binding) sortedByDay() bool {
	start := b.pattern.Returns[0]
	first, _ := start.KeyTemplate(b.sort[0].Name)
	for _, e := range b.pattern.Returns {
		sort, ok := e.KeyTemplate(b.sort[0].Name)
		names := sort.Placeholders()
		if !ok || len(names) == 0 || sort.LiteralPrefix() != first.LiteralPrefix() {
			return false
		}
		if !slices.ContainsFunc(b.partition, func(k models.Key) bool {
			partition, _ := e.KeyTemplate(k.Name)
			return sharesDay(e, partition, names[0])
		}) {
			return false
		}
	}
	return true
}

func sharesDay(e *models.Entity, partition models.Template, name string) bool {
	return slices.ContainsFunc(partition.Segments(), func(s models.Segment) bool {
		if s.Name != name {
			return false
		}
		a := e.Attribute(name)
		return s.Format.IsPeriod() || a != nil && a.Format.IsPeriod()
	})
}
