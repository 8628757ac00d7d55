package rows

import (
	"bytes"
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// compile returns the test for a condition, with a note if the interpretation of the value is not obvious. A value that
// is invalid in one form matches no row of that form; one that is invalid in all is an error. != uses the test for =.
func (f *field) compile(op, value string, now time.Time) (match func(Row) bool, note string, err error) {
	if len(f.otherForms) == 0 {
		return f.compileForm(op, value, now)
	}
	tests := map[*models.Entity]func(Row) bool{}
	var all []func(Row) bool
	var notes []string
	for _, form := range f.forms() {
		test, n, fault := form.compileForm(op, value, now)
		if fault != nil {
			err = cmp.Or(err, fault)
			test = func(Row) bool { return false }
		} else {
			all = append(all, test)
		}
		for _, e := range form.entities {
			tests[e] = test
		}
		if n != "" {
			notes = append(notes, n+" in "+entityNames(form.entities))
		}
	}
	if len(all) == 0 {
		return nil, "", err
	}
	return func(r Row) bool {
		if test, ok := tests[r.Kind()]; ok {
			return test(r)
		}
		return slices.ContainsFunc(all, func(test func(Row) bool) bool { return test(r) })
	}, strings.Join(notes, "; "), nil
}

func entityNames(list []*models.Entity) string {
	return strings.Join(models.MapSlice(list, func(e *models.Entity) string { return e.Name }), ", ")
}

func (f *field) compileForm(op, value string, now time.Time) (match func(Row) bool, note string, err error) {
	if f.path == entityField {
		return f.entityTest(value)
	}
	if value == "?" && op == ":" {
		return func(r Row) bool { return isPresent(r, f.path) }, "", nil
	}
	if op == "!=" {
		op = "="
	}
	var tests []func(Row) bool
	values := []string{unquote(value)}
	grouped := f.kind == numberField && isOneNumber(value)
	if (op == ":" || op == "=") && !grouped {
		values = splitAlternatives(value)
	}
	if len(values) == 0 || values[0] == "" {
		return nil, "", incompleteError(f.path + ": value missing" + f.valueHint())
	}
	for _, v := range values {
		test, n, err := f.valueTest(op, v, now)
		if err != nil {
			return nil, "", err
		}
		tests, note = append(tests, test), n
	}
	if f.kind == numberField && note == "" && strings.Contains(value, ",") {
		note = f.path + ": " + models.Printable(value) + " is " + strings.ReplaceAll(strings.Join(values, " or "), ",", "")
	}
	return func(r Row) bool {
		return slices.ContainsFunc(tests, func(test func(Row) bool) bool { return test(r) })
	}, note, nil
}

func (f *field) valueTest(op, value string, now time.Time) (match func(Row) bool, note string, err error) {
	switch f.kind {
	case timeField:
		match, err = f.timeTest(op, value, now)
	case numberField:
		return f.storedNumberTest(op, value)
	case boolField:
		match, err = f.boolTest(op, value)
	case textField:
		match, err = f.textTest(op, value)
	}
	return match, "", err
}

func (f *field) entityTest(value string) (func(Row) bool, string, error) {
	wanted := strings.ToLower(unquote(value))
	known := wanted == "?" || strings.Contains("unknown", wanted)
	for _, v := range f.values {
		known = known || strings.Contains(strings.ToLower(v), wanted)
	}
	if !known {
		return nil, "", fmt.Errorf("%s: unknown entity %q%s", f.path, models.Printable(value), models.DidYouMean(value, f.values))
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

func isPresent(r Row, path string) bool {
	v, ok := r.At(path)
	return ok && models.ValueType(v) != models.TypeNULL
}

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

func satisfies(op string, order int) bool {
	switch op {
	case ">":
		return order > 0
	case ">=":
		return order >= 0
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	default:
		return order == 0
	}
}

// textTest accepts a substring for ":", unless the value is documented.
func (f *field) textTest(op, value string) (func(Row) bool, error) {
	wanted := strings.ToLower(value)
	exact := op == "="
	if op == ":" && len(f.values) > 0 {
		known := false
		for _, v := range f.values {
			exact = exact || strings.EqualFold(v, value)
			known = known || strings.Contains(strings.ToLower(v), wanted)
		}
		if f.closed && !known {
			return nil, fmt.Errorf("%s: no such value %q%s", f.path, models.Printable(value), nearestOf(value, f.values))
		}
	}
	switch {
	case exact:
		return f.onText(func(text string) bool { return strings.EqualFold(text, value) }), nil
	case op == ":":
		return f.onText(func(text string) bool { return strings.Contains(strings.ToLower(text), wanted) }), nil
	}
	if test, ok := numberTest(op, value); ok {
		return f.onText(test), nil
	}
	inOrder := f.onText(func(text string) bool { return satisfies(op, strings.Compare(strings.ToLower(text), wanted)) })
	return func(r Row) bool {
		// A masked value has no order.
		v, ok := r.At(f.path)
		return ok && !models.IsMasked(v) && inOrder(r)
	}, nil
}

func nearestOf(value string, values []string) string {
	if hint := models.DidYouMean(value, values); hint != "" {
		return hint
	}
	return "; use one of " + strings.Join(values, ", ")
}

func (f *field) onText(test func(string) bool) func(Row) bool {
	return func(r Row) bool {
		text, ok := textAt(r, f.path)
		return ok && test(text)
	}
}

func (f *field) boolTest(op, value string) (func(Row) bool, error) {
	isTrue, ok := models.ReadBool(value)
	if !ok {
		return nil, fmt.Errorf("%s: %q is neither true nor false", f.path, models.Printable(value))
	}
	wanted := strconv.FormatBool(isTrue)
	if op != ":" && op != "=" {
		return nil, fmt.Errorf("%s: true and false have no order; write %s:%s", f.path, f.path, wanted)
	}
	return f.onText(func(text string) bool { return text == wanted }), nil
}

// timeTest compares instants. A date matches the whole day.
func (f *field) timeTest(op, value string, now time.Time) (func(Row) bool, error) {
	t, err := models.ParseTime(value, now)
	equal := op == ":" || op == "="
	if err != nil {
		if equal { // part of the stored date, such as 2026-01
			return f.onText(func(text string) bool { return strings.Contains(text, value) }), nil
		}
		return nil, fmt.Errorf("%s: %w", f.path, err)
	}
	if equal && !t.Day && strings.ContainsAny(value[:1], "+-n") {
		return nil, fmt.Errorf("%s: %q is a single instant; write %s>=%s for since then", f.path, models.Printable(value), f.path,
			models.Printable(value))
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

func (f *field) readTime(r Row) (time.Time, bool) {
	v, ok := r.At(f.path)
	if !ok {
		return time.Time{}, false
	}
	text, ok := models.ValueText(v)
	if !ok {
		return time.Time{}, false
	}
	format := formatOf(r.Kind(), f.path)
	if format == models.NoFormat {
		format = f.format
	}
	return format.ReadTime(text)
}

func (f *field) storedNumberTest(op, value string) (match func(Row) bool, note string, err error) {
	text, note, err := f.toStored(value)
	if err != nil {
		return nil, "", err
	}
	test, _ := numberTest(op, text)
	return func(r Row) bool {
		v, ok := r.At(f.path)
		if !ok {
			return false
		}
		switch v := v.(type) {
		case *types.AttributeValueMemberN:
			return test(v.Value)
		case *types.AttributeValueMemberNS:
			return slices.ContainsFunc(v.Value, test)
		}
		return false
	}, note, nil
}

func numberTest(op, limit string) (test func(text string) bool, ok bool) {
	right, ok := models.AppendNumberKey(nil, limit)
	return func(text string) bool {
		var b [64]byte // DynamoDB's numbers have at most 38 digits
		key, ok := models.AppendNumberKey(b[:0], text)
		return ok && satisfies(op, bytes.Compare(key, right))
	}, ok
}

var withUnit = models.LazyRegexp(`^([+-]?[0-9.eE+-]+?)\s*([A-Za-z]+)$`)

var byteUnits = map[string]int64{
	"b": 1, "kb": 1 << 10, "kib": 1 << 10, "k": 1 << 10, "mb": 1 << 20, "mib": 1 << 20, "m": 1 << 20,
	"gb": 1 << 30, "gib": 1 << 30, "g": 1 << 30,
}

var secondUnits = map[string]int64{"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400}

var (
	thousands = models.LazyRegexp(`^[+-]?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?\s*[A-Za-z]*$`)
	zeroGroup = models.LazyRegexp(`,0[0-9]{2}`)
)

// isOneNumber treats 1,000 as one number with a separator, because nobody writes the alternatives 1 and 000.
func isOneNumber(value string) bool {
	value = unquote(value)
	return thousands().MatchString(value) && zeroGroup().MatchString(value)
}

func (f *field) toStored(value string) (text, note string, err error) {
	plain := value
	if thousands().MatchString(value) {
		plain = strings.ReplaceAll(value, ",", "")
	}
	var units map[string]int64
	canonical := ""
	switch f.format {
	case models.Cents:
		text, err := multiply(plain, 100)
		if err != nil {
			return "", "", fmt.Errorf("%s: %w", f.path, err)
		}
		return text, f.path + ": " + models.Printable(value) + " is " + text + " cents", nil
	case models.Bytes:
		units, canonical = byteUnits, "B, KB, MB or GB"
	case models.Seconds:
		units, canonical = secondUnits, "s, min, h or d"
	default:
	}
	if m := withUnit().FindStringSubmatch(plain); m != nil && units != nil {
		factor, ok := units[strings.ToLower(m[2])]
		if !ok {
			return "", "", fmt.Errorf("%s: unknown unit %q; use %s", f.path, m[2], canonical)
		}
		text, err := multiply(m[1], factor)
		if err != nil {
			return "", "", fmt.Errorf("%s: %w", f.path, err)
		}
		return text, "", nil
	}
	if err := models.CheckNumber(plain); err != nil {
		return "", "", fmt.Errorf("%s: %w", f.path, err)
	}
	return plain, "", nil
}

func multiply(text string, factor int64) (string, error) {
	if err := models.CheckNumber(text); err != nil {
		return "", err
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return "", fmt.Errorf("%q is not a number", models.Printable(text))
	}
	r.Mul(r, new(big.Rat).SetInt64(factor))
	if r.IsInt() {
		return r.Num().String(), nil
	}
	return strings.TrimRight(r.FloatString(40), "0"), nil
}
