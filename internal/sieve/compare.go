// This file compares the value of an attribute with what a term asks for.

package sieve

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// compile makes the test of a term; note says how the value was read where that
// is not plain. The test of != is that of =: the term turns it round.
func (f *Field) compile(op, value string, now time.Time) (match func(Row) bool, note string, err error) {
	if f.Path == isField {
		return f.compileIs(value)
	}
	if value == "?" && op == ":" {
		return func(r Row) bool { return present(r, f.Path) }, "", nil
	}
	if op == "!=" {
		op = "="
	}
	var tests []func(Row) bool
	values := []string{unquote(value)}
	if op == ":" || op == "=" {
		values = alternatives(value)
	}
	if len(values) == 0 || values[0] == "" {
		return nil, "", unfinished(f.Path + op + " needs a value" + f.examples())
	}
	for _, v := range values {
		test, n, err := f.test(op, v, now)
		if err != nil {
			return nil, "", err
		}
		tests, note = append(tests, test), n
	}
	return func(r Row) bool {
		for _, t := range tests {
			if t(r) {
				return true
			}
		}
		return false
	}, note, nil
}

// test is the test of one value.
func (f *Field) test(op, value string, now time.Time) (match func(Row) bool, note string, err error) {
	switch f.Kind {
	case Moment:
		match, err = f.moment(op, value, now)
	case Number:
		return f.number(op, value)
	case Boolean:
		match, err = f.boolean(op, value)
	case Text:
		match, err = f.words(op, value)
	}
	return match, "", err
}

func (f *Field) compileIs(value string) (func(Row) bool, string, error) {
	wanted := strings.ToLower(unquote(value))
	known := wanted == "?" || strings.Contains("unknown", wanted)
	for _, v := range f.Values {
		known = known || strings.Contains(strings.ToLower(v), wanted)
	}
	if !known {
		return nil, "", fmt.Errorf("no row can be %s%s", models.Printable(value), models.DidYouMean(value, f.Values))
	}
	return func(r Row) bool {
		switch {
		case wanted == "?":
			return r.Kind() != nil
		case r.Kind() == nil:
			return strings.Contains("unknown", wanted)
		}
		return strings.Contains(strings.ToLower(r.Kind().Name), wanted)
	}, "", nil
}

// present reports whether there is a value; NULL is none.
func present(r Row, path string) bool {
	v, ok := r.At(path)
	return ok && models.ValueType(v) != models.TypeNULL
}

// textAt is the text at a path: that of a scalar, the JSON of a document.
func textAt(r Row, path string) (string, bool) {
	v, ok := r.At(path)
	if !ok {
		return "", false
	}
	if text, ok := models.ValueText(v); ok {
		return text, true
	}
	return string(models.AppendValueJSON(nil, v)), true
}

// holds reports by the outcome of a comparison whether an operator is content.
func holds(op string, cmp int) bool {
	switch op {
	case ">":
		return cmp > 0
	case ">=":
		return cmp >= 0
	case "<":
		return cmp < 0
	case "<=":
		return cmp <= 0
	default:
		return cmp == 0
	}
}

// words compares text: : is content with a part of it, unless all values are
// documented and one of them is meant.
func (f *Field) words(op, value string) (func(Row) bool, error) {
	wanted := strings.ToLower(value)
	exact := op == "="
	if op == ":" && len(f.Values) > 0 {
		part := false
		for _, v := range f.Values {
			exact = exact || strings.EqualFold(v, value)
			part = part || strings.Contains(strings.ToLower(v), wanted)
		}
		if f.Closed && !part {
			return nil, fmt.Errorf("%s is never %s%s", f.Path, models.Printable(value), nearestOf(value, f.Values))
		}
	}
	switch {
	case exact:
		return f.onText(func(text string) bool { return strings.EqualFold(text, value) }), nil
	case op == ":":
		return f.onText(func(text string) bool { return strings.Contains(strings.ToLower(text), wanted) }), nil
	}
	if models.CheckNumber(value) == nil {
		limit := numberKey(value)
		return f.onText(func(text string) bool {
			return models.CheckNumber(text) == nil && holds(op, numberKey(text).compare(limit))
		}), nil
	}
	inOrder := f.onText(func(text string) bool { return holds(op, strings.Compare(strings.ToLower(text), wanted)) })
	return func(r Row) bool {
		// A masked value has no order.
		v, ok := r.At(f.Path)
		return ok && !models.IsMasked(v) && inOrder(r)
	}, nil
}

func nearestOf(value string, values []string) string {
	if hint := models.DidYouMean(value, values); hint != "" {
		return hint
	}
	return ": it is one of " + strings.Join(values, ", ")
}

func (f *Field) onText(test func(string) bool) func(Row) bool {
	return func(r Row) bool {
		text, ok := textAt(r, f.Path)
		return ok && test(text)
	}
}

func (f *Field) boolean(op, value string) (func(Row) bool, error) {
	var wanted string
	switch strings.ToLower(value) {
	case "true", "yes", "t", "y":
		wanted = "true"
	case "false", "no", "f", "n":
		wanted = "false"
	default:
		return nil, fmt.Errorf("%s is true or false, never %s", f.Path, models.Printable(value))
	}
	if op != ":" && op != "=" {
		return nil, fmt.Errorf("%s is true or false: write %s:%s", f.Path, f.Path, wanted)
	}
	return f.onText(func(text string) bool { return text == wanted }), nil
}

// moment compares instants. A day stands for all of it.
func (f *Field) moment(op, value string, now time.Time) (func(Row) bool, error) {
	t, err := models.ParseTime(value, now)
	equal := op == ":" || op == "="
	if err != nil {
		if equal { // A part of a date, as it is stored: 2026-01.
			return f.onText(func(text string) bool { return strings.Contains(text, value) }), nil
		}
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	if equal && !t.Day && strings.ContainsAny(value[:1], "+-n") {
		return nil, fmt.Errorf("%s is one moment: write %s>=%s for since then", models.Printable(value), f.Path, models.Printable(value))
	}
	from, to := t.Time, t.Time
	if t.Day {
		to = t.AddDate(0, 0, 1).Add(-time.Nanosecond)
	}
	return func(r Row) bool {
		at, ok := f.readTime(r)
		switch {
		case !ok:
			return false
		case equal:
			return !at.Before(from) && !at.After(to)
		case op == ">":
			return at.After(to)
		case op == ">=":
			return !at.Before(from)
		case op == "<":
			return at.Before(from)
		default:
			return !at.After(to)
		}
	}, nil
}

// readTime reads the row's moment as its entity spells it.
func (f *Field) readTime(r Row) (time.Time, bool) {
	v, ok := r.At(f.Path)
	if !ok {
		return time.Time{}, false
	}
	text, ok := models.ValueText(v)
	if !ok {
		return time.Time{}, false
	}
	format := formatOf(r.Kind(), f.Path)
	if format == models.NoFormat {
		format = f.Format
	}
	return format.ReadTime(text)
}

// number compares numbers exactly, in the unit in which they are shown.
func (f *Field) number(op, value string) (match func(Row) bool, note string, err error) {
	text, note, err := f.stored(value)
	if err != nil {
		return nil, "", err
	}
	limit := numberKey(text)
	return func(r Row) bool {
		v, ok := r.At(f.Path)
		if !ok {
			return false
		}
		switch v := v.(type) {
		case *types.AttributeValueMemberN:
			return holds(op, numberKey(v.Value).compare(limit))
		case *types.AttributeValueMemberNS:
			for _, n := range v.Value {
				if holds(op, numberKey(n).compare(limit)) {
					return true
				}
			}
		}
		return false
	}, note, nil
}

var withUnit = regexp.MustCompile(`^([+-]?[0-9.eE+-]+?)\s*([A-Za-z]+)$`)

var byteUnits = map[string]int64{
	"b": 1, "kb": 1 << 10, "kib": 1 << 10, "k": 1 << 10, "mb": 1 << 20, "mib": 1 << 20, "m": 1 << 20,
	"gb": 1 << 30, "gib": 1 << 30, "g": 1 << 30,
}

var secondUnits = map[string]int64{"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400}

// stored is the number as it is stored: amounts of money are shown in units of
// 100 cents, sizes and durations take units.
func (f *Field) stored(value string) (text, note string, err error) {
	plain := strings.ReplaceAll(value, ",", "")
	var units map[string]int64
	switch f.Format {
	case models.Cents:
		text, err := times(plain, 100)
		if err != nil {
			return "", "", fmt.Errorf("%s: %w", f.Path, err)
		}
		return text, f.Path + " is money: " + models.Printable(value) + " is " + text + " cents", nil
	case models.Bytes:
		units = byteUnits
	case models.Seconds:
		units = secondUnits
	default:
	}
	if m := withUnit.FindStringSubmatch(plain); m != nil && units != nil {
		by, ok := units[strings.ToLower(m[2])]
		if !ok {
			return "", "", fmt.Errorf("%s: %s is no unit of it", f.Path, m[2])
		}
		text, err := times(m[1], by)
		if err != nil {
			return "", "", fmt.Errorf("%s: %w", f.Path, err)
		}
		return text, "", nil
	}
	if err := models.CheckNumber(plain); err != nil {
		return "", "", fmt.Errorf("%s: %w", f.Path, err)
	}
	return plain, "", nil
}

// times multiplies a decimal exactly.
func times(text string, by int64) (string, error) {
	if err := models.CheckNumber(text); err != nil {
		return "", err
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return "", fmt.Errorf("%q is not a number", models.Printable(text))
	}
	r.Mul(r, new(big.Rat).SetInt64(by))
	if r.IsInt() {
		return r.Num().String(), nil
	}
	return strings.TrimRight(r.FloatString(40), "0"), nil
}
