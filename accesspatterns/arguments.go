package accesspatterns

import (
	"slices"
	"time"

	"github.com/ddbdesk/ddbdesk/models"
)

// Arguments are the values of the parameters of one read, and how they fill templates.
type arguments struct {
	pattern *Pattern
	values  map[string]Value
	used    map[string]bool // collects the parameters that the legs contain; nil: nothing does
}

func (a *arguments) value(name string) (Value, bool) {
	v, ok := a.values[name]
	if a.used != nil {
		a.used[name] = true
	}
	return v, ok
}

func (a *arguments) text(name string) (string, bool) {
	v, ok := a.value(name)
	return v.Text, ok
}

func (a *arguments) without(names []string) models.Values {
	return func(name string) (string, bool) {
		if slices.Contains(names, name) {
			return "", false
		}
		v, ok := a.values[name]
		return v.Text, ok
	}
}

func (a *arguments) hasEnd(end models.Template) bool {
	if end.IsZero() {
		return false
	}
	_, complete, err := end.Prefix(a.without(nil))
	return complete || err != nil
}

// fill returns the text of a template. complete is false when a placeholder outside of its optional tail has no
// value; the text then ends before it. A tail with values for some of its placeholders is an error.
func (a *arguments) fill(t models.Template) (text string, complete bool, err error) {
	return a.fillWith(t, a.text)
}

func (a *arguments) fillEnd(t models.Template, upper bool) (text string, complete bool, err error) {
	return a.fillWith(t, a.ends(upper))
}

func (a *arguments) fillWith(t models.Template, values models.Values) (text string, complete bool, err error) {
	given, missing := 0, ""
	for _, name := range t.Tail() {
		if _, ok := a.values[name]; ok {
			given++
		} else if missing == "" {
			missing = name
		}
	}
	text, complete, err = t.Prefix(values)
	if complete || err != nil || len(t.Tail()) == 0 {
		return text, complete, err
	}
	whole, err := t.Format(a.without(t.Tail()))
	switch {
	case err != nil:
		return text, false, nil //nolint:nilerr // A placeholder before the tail has no value.
	case given > 0:
		return text, false, &models.ValueError{Name: missing, Err: models.ErrMissing}
	}
	return whole, true, nil
}

func (a *arguments) ends(upper bool) models.Values {
	return func(name string) (string, bool) {
		text, ok := a.text(name)
		if ok {
			text = a.timeEnd(name, text, upper)
		}
		return text, ok
	}
}

// timeEnd takes a day as the upper end for its last moment. Where stored times may or may not have milliseconds, the
// range includes both formats of a moment: "." sorts before "Z".
func (a *arguments) timeEnd(name, text string, upper bool) string {
	q, v := a.pattern.Param(name), a.values[name]
	if q == nil || !v.IsTime {
		return text
	}
	format, at := q.Format, v.Time.Time
	if !format.IsTime() {
		format = models.ISO8601
	}
	if upper {
		at = v.Time.End()
		if format == models.ISO8601Any && at.Equal(at.Truncate(time.Second)) {
			format = models.ISO8601
		}
	}
	text, _ = format.FormatTime(at)
	return text
}

func (a *arguments) checkOrder(from, to models.Template) error {
	start, end := from.Placeholders(), to.Placeholders()
	if len(start) != 1 || len(end) != 1 {
		return nil
	}
	x, okx := a.values[start[0]]
	y, oky := a.values[end[0]]
	if okx && oky && x.IsTime && y.IsTime && x.Time.After(y.Time.End()) {
		return paramErrorf(start[0], "later than %s", end[0])
	}
	return nil
}

// blame returns the parameter to name in an error about a key value: the one with the longest value.
func (a *arguments) blame(templates ...models.Template) string {
	name, length := "", -1
	for _, t := range templates {
		for _, n := range t.Placeholders() {
			if v, ok := a.values[n]; ok && len(v.Text) > length {
				name, length = n, len(v.Text)
			}
		}
	}
	if name == "" {
		return templates[0].String()
	}
	return name
}

func (a *arguments) faultOf(name string, err error) error {
	if q := a.pattern.Param(name); q != nil {
		return q.faultOf(err)
	}
	return paramErrorf(name, "%v", err)
}
