package accesspatterns

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/models"
)

// These are DynamoDB's limits for key values, in bytes. Bind rejects longer values, because DynamoDB's own message does
// not name the parameter. Source: Amazon DynamoDB Developer Guide, "Quotas in Amazon DynamoDB".
const (
	MaxPartitionKey = 2048
	MaxSortKey      = 1024
)

// Bind checks the parameters args by name and returns the request. It resolves relative times and defaults at now. A
// parameter that is not in the map gets its default, but an empty value is an error, because a key cannot be empty.
// Every error about a parameter is a *ParamError. Other errors occur for write patterns and for schemas that the
// loader should have rejected. Bind copies the map, so the caller may change it afterwards.
func (p *Pattern) Bind(args map[string]string, now time.Time) (*Request, error) {
	if !p.IsRead() {
		return nil, fmt.Errorf("%s is a write pattern; run accepts only read patterns", p.FullID())
	}
	if err := p.checkNames(args); err != nil {
		return nil, err
	}
	values, err := p.read(args, now)
	if err != nil {
		return nil, err
	}
	b := binding{arguments: arguments{pattern: p, values: values}, read: p.Read, now: now}
	used := map[string]bool{p.PageParam: true}
	for _, v := range p.Variants {
		if haveAllValues(values, v.When) {
			b.read = v.Read
			for _, name := range v.When {
				used[name] = true
			}
			break
		}
	}
	b.partition, b.sort = p.Table.KeysOf(b.read.Index)
	r := &Request{
		Pattern: p, Read: b.read, Given: maps.Clone(args), Values: values, Now: now,
		binding: b, partition: b.partition, sort: b.sort,
	}
	if err := r.bindPages(); err != nil {
		return nil, err
	}
	b.used = used
	if r.Legs, r.Labels, err = b.legs(); err != nil {
		return nil, err
	}
	r.Sequential = len(r.Legs) > 1 && b.isInOrder()
	return r, b.checkUsed(args)
}

// An unusedError is the error for a parameter that the request does not contain. It has its own type so that navigation
// can drop such values if they come from a view, while a user who typed one sees the error.
type unusedError struct{ ParamError }

// As makes errors.As find the *ParamError.
func (e *unusedError) As(target any) bool {
	p, ok := target.(**ParamError)
	if ok {
		*p = &e.ParamError
	}
	return ok
}

// dropUnused deletes values that no key contains, such as a value in an optional part that lacks another value.
func (p *Pattern) dropUnused(args map[string]string) {
	for _, t := range p.Read.Templates() {
		for _, name := t.SkippedPlaceholder(models.MapValues(args)); name != ""; _, name = t.SkippedPlaceholder(models.MapValues(args)) {
			delete(args, name)
		}
	}
	var unused *unusedError
	for _, err := p.Bind(args, noTime); errors.As(err, &unused); _, err = p.Bind(args, noTime) {
		delete(args, unused.Param)
	}
}

// checkUsed rejects parameters that the request ignores. A variant may ignore a required parameter.
func (b *binding) checkUsed(args map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(args)) {
		q := b.pattern.Param(name)
		if b.used[name] || q.Type == Token || q.Required && !b.read.Has(name) {
			continue
		}
		reason := "has no effect with the other parameters; omit it"
		if before := b.firstUnset(name); before != "" {
			reason = fmt.Sprintf("the key requires {%s} first; add %s=VALUE", before, before)
		}
		return &unusedError{ParamError{Param: name, Reason: reason}}
	}
	return nil
}

func (b *binding) firstUnset(name string) string {
	for _, t := range b.read.Templates() {
		names := t.Placeholders()
		for _, before := range names[:max(slices.Index(names, name), 0)] {
			if _, ok := b.values[before]; !ok {
				return before
			}
		}
	}
	return ""
}

func (r *Request) bindPages() error {
	for _, q := range r.Pattern.Params {
		v, ok := r.Values[q.Name]
		if !ok {
			continue
		}
		for _, element := range append(slices.Clip(v.List), v)[min(len(v.List), 1):] {
			if w := r.warning(q, element.Text); w != "" {
				r.Warnings = append(r.Warnings, w)
			}
		}
		switch {
		case q.Type == Token:
			r.PageToken, r.TokenParam = v.Text, q.Name
			delete(r.Given, q.Name)
		case q.Name == r.Pattern.PageParam:
			n, err := strconv.Atoi(v.Text)
			if err != nil || n < 1 || n > 1_000_000 {
				return ParamErrorf(q.Name, "invalid page size %s; use 1 to 1000000", models.Printable(v.Text))
			}
			r.PageSize = n
		}
	}
	return nil
}

func (r *Request) warning(q *Param, value string) string {
	for _, t := range r.Read.Templates() {
		if literal := t.RepeatedLiteral(q.Name, value); literal != "" {
			return fmt.Sprintf("%s: the value starts with %s, which the key %s adds; omit %s", q.Name, literal, t, literal)
		}
	}
	return q.Warn(value)
}

func (p *Pattern) checkNames(args map[string]string) error {
	names := models.MapSlice(p.Params, func(q *Param) string { return q.Name })
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if slices.Contains(names, name) {
			continue
		}
		hint := models.DidYouMean(name, names)
		switch {
		case len(names) == 0:
			hint = "; it has no parameters"
		case hint == "":
			hint = "; use " + english.OxfordWordSeries(names, "or")
		}
		return ParamErrorf(models.Printable(name), "%s has no such parameter%s", p.Term(), hint)
	}
	return nil
}

func (p *Pattern) read(args map[string]string, now time.Time) (map[string]Value, error) {
	values := map[string]Value{}
	for _, q := range p.Params {
		text, ok := args[q.Name]
		if !ok {
			if text = q.defaultFor(args, p); text == "" {
				continue
			}
		}
		v, err := q.Read(text, now)
		if err != nil {
			return nil, err
		}
		values[q.Name] = v
	}
	var missing []*Param
	for _, q := range p.Params {
		if _, ok := values[q.Name]; !ok && q.Required {
			missing = append(missing, q)
		}
	}
	return values, MissingError(p.Term(), missing)
}

// MissingError names the missing required parameters, and the possible values of a single one. It is nil for none.
func MissingError(requiredBy models.Term, missing []*Param) error {
	if len(missing) == 0 {
		return nil
	}
	q, requirement := missing[0], "it"
	switch {
	case len(missing) > 1:
		requirement = "them"
	case q.Type == Enum:
		requirement = "one of " + q.Choices()
	case q.Prefix != "":
		requirement = "a value that starts with " + q.Prefix
	case q.Type == Timestamp:
		requirement = "a time, such as 2026-01-14T10:00:00Z"
	}
	names := english.OxfordWordSeries(models.MapSlice(missing, func(q *Param) string { return q.Name }), "and")
	return ParamErrorf(q.Name, "missing%s; %s requires %s", names[len(q.Name):], requiredBy, requirement)
}

// defaultFor returns the first conditional default that applies. If a condition refers to a missing parameter, it uses
// that parameter's plain default, so that the order of parameters does not matter.
func (q *Param) defaultFor(args map[string]string, p *Pattern) string {
	for _, d := range q.DefaultWhen {
		other, ok := args[d.Param]
		if !ok {
			if o := p.Param(d.Param); o != nil {
				other = o.Default
			}
		}
		if slices.Contains(d.Values, other) {
			return d.Value
		}
	}
	return q.Default
}

func haveAllValues(values map[string]Value, names []string) bool {
	for _, n := range names {
		if _, ok := values[n]; !ok {
			return false
		}
	}
	return true
}

// arguments contains the parameter values of one read, which fill templates.
type arguments struct {
	pattern *Pattern
	values  map[string]Value
	used    map[string]bool // collects the parameters that the legs contain; nil to skip this
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

func (a *arguments) valuesWithout(names []string) models.Values {
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
	_, complete, err := end.Prefix(a.valuesWithout(nil))
	return complete || err != nil
}

// fill ends the text before the first placeholder that has no value and is not in an optional tail. complete is then
// false. It rejects a tail with values for only some placeholders.
func (a *arguments) fill(t models.Template) (text string, complete bool, err error) {
	return a.fillWith(t, a.text)
}

func (a *arguments) fillEnd(t models.Template, upper bool) (text string, complete bool, err error) {
	return a.fillWith(t, a.endValues(upper))
}

func (a *arguments) fillWith(t models.Template, values models.Values) (text string, complete bool, err error) {
	text, err = t.Format(values)
	if errors.Is(err, models.ErrMissing) {
		text, _, err = t.Prefix(values)
		return text, false, err
	}
	if missing := t.MissingInOption(values); err == nil && missing != "" {
		return text, false, &models.ValueError{Name: missing, Err: models.ErrMissing}
	}
	return text, err == nil, err
}

func (a *arguments) endValues(upper bool) models.Values {
	return func(name string) (string, bool) {
		text, ok := a.text(name)
		if ok {
			text = a.timeEnd(name, text, upper)
		}
		return text, ok
	}
}

// timeEnd extends a day to its last moment. If times with and without milliseconds may be stored, it includes both.
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
		if format == models.ISO8601Any && (v.Time.Day || at.Equal(at.Truncate(time.Second))) { // 59Z sorts after 59.999Z
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
		return ParamErrorf(start[0], "later than %s", end[0])
	}
	return nil
}

// longestParam returns the parameter to name in an error about a key value: the one with the longest value.
func (a *arguments) longestParam(templates ...models.Template) string {
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

func (a *arguments) paramError(name string, err error) error {
	if q := a.pattern.Param(name); q != nil {
		return q.valueError(err)
	}
	return ParamErrorf(name, "%v", err)
}
