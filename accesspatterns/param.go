package accesspatterns

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ddbdesk/ddbdesk/models"
)

// A ParamType is the type of a parameter's values.
type ParamType string

// These are the types of parameters.
const (
	String    ParamType = "string"
	Enum      ParamType = "enum"
	Number    ParamType = "number"
	Integer   ParamType = "integer"
	Boolean   ParamType = "boolean"
	Timestamp ParamType = "timestamp"
	Day       ParamType = "date"
	Token     ParamType = "token" // a page token: the same as --next
)

// ParamTypes lists every parameter type.
func ParamTypes() []ParamType {
	return []ParamType{String, Enum, Number, Integer, Boolean, Timestamp, Day, Token}
}

// A Param is one parameter of a pattern. The loader derives most of it from the attribute of the same name. After that,
// it must not change.
type Param struct {
	Name        string
	Type        ParamType
	Required    bool
	Default     string // a literal, or a time such as now, now-7d or today
	DefaultWhen []DefaultWhen
	Enum        []string
	OpenEnum    bool
	Labels      models.Labels // labels of the values
	Format      models.Format // format of stored times
	Prefix      string
	// Minimum and Maximum are the inclusive bounds of a number or a time, or "". Bounds of a time may be relative, such
	// as today or now+30d.
	Minimum, Maximum string
	Sensitive        models.Sensitivity
	Description      string
	Attribute        *models.Attribute // attribute whose values it accepts, nil if unknown
	Entity           *models.Entity    // entity of Attribute
	From             []string          // other attributes whose values it accepts
	List             bool              // it accepts several values; see Value.List
	AllowsEmpty      bool              // "" is a valid value, because text follows it in the key
}

// DefaultWhen is a default that applies only to certain values of another parameter.
type DefaultWhen struct {
	Param  string
	Values []string
	Value  string
}

// ErrParam matches every error about a parameter. ddbdesk sends no request after such an error. Commands end with the
// exit code for bad arguments, and screens mark the field of the parameter.
var ErrParam = errors.New("invalid parameter")

// A ParamError names the invalid parameter and the reason. Reason is a sentence fragment in lower case without a
// period.
type ParamError struct {
	Param  string
	Reason string

	plain string // Reason for role support
}

func (e *ParamError) Error() string { return e.withName(e.Reason) }

// Is makes errors.Is(err, ErrParam) return true.
func (e *ParamError) Is(target error) bool { return target == ErrParam }

// Plain returns the error for role support.
func (e *ParamError) Plain() string { return e.withName(cmp.Or(e.plain, e.Reason)) }

// withName adds the parameter's name to a reason: "parameter id: too long", or "missing parameters id and n; …".
func (e *ParamError) withName(reason string) string {
	rest, missing := strings.CutPrefix(reason, "missing")
	plural := map[bool]string{false: "s"}[strings.HasPrefix(rest, ";")]
	return map[bool]string{true: "missing parameter" + plural + " " + e.Param, false: "parameter " + e.Param + ": "}[missing] + rest
}

// ParamErrorf formats the reason of a ParamError.
func ParamErrorf(name, format string, args ...any) error {
	e := &ParamError{Param: name}
	e.Reason, e.plain = models.FormatWordings(format, args...)
	return e
}

// A Value is the value of a parameter. If it is a list, Text contains the first value, for code that shows only one.
type Value struct {
	Text   string      // in the form that ddbdesk sends
	Time   models.Time // time of a timestamp or date
	IsTime bool        // whether Time is set
	label  string      // label of the partition in a fan-out, "" for Text
	List   []Value     // the values of a list parameter; the other fields describe the first one
}

// maxQuoted is the maximum length, in terminal cells, of a value that a message quotes. It is also the maximum length,
// in bytes, of a text that ddbdesk parses as a time.
const maxQuoted = 80

// Read checks text and returns the value to send. It resolves relative times at now. The error is a *ParamError. It
// checks types, bounds and closed enums, but not the documented prefix and format of an attribute; see Warn.
func (p *Param) Read(text string, now time.Time) (Value, error) {
	if p.List {
		return p.readList(text, now)
	}
	return p.readOne(text, now)
}

func (p *Param) readOne(text string, now time.Time) (Value, error) {
	if text == "" && p.AllowsEmpty {
		return Value{}, nil
	}
	quoted := p.quoted(text)
	if err := checkText(text); err != nil {
		return Value{}, ParamErrorf(p.Name, "%v", err)
	}
	text = p.canonical(text)
	switch p.Type {
	case Timestamp, Day:
		return p.readTime(text, now)
	case Number, Integer:
		switch err := models.CheckNumber(text); {
		case err != nil && p.Sensitive == models.NotSensitive && len(text) <= maxQuoted:
			return Value{}, ParamErrorf(p.Name, "%v", err)
		case err != nil:
			return Value{}, ParamErrorf(p.Name, "%s is not a number", quoted)
		}
		if p.Type == Integer && strings.Contains(text, ".") {
			return Value{}, ParamErrorf(p.Name, "%s is not a whole number", quoted)
		}
		if reason := p.OutOfBounds(text); reason != "" {
			return Value{}, ParamErrorf(p.Name, "%s is %s", quoted, reason)
		}
	case Boolean:
		value, ok := models.ReadBool(text)
		if !ok {
			return Value{}, ParamErrorf(p.Name, "%s is neither true nor false", quoted)
		}
		text = strconv.FormatBool(value)
	case Enum:
		if !p.OpenEnum && !slices.Contains(p.Enum, text) {
			return Value{}, ParamErrorf(
				p.Name, "%s is not one of %s%s", quoted, p.Choices(), models.DidYouMean(text, p.Enum),
			)
		}
	case String, Token:
	}
	return Value{Text: text}, nil
}

// Choices lists the documented values with their labels.
func (p *Param) Choices() string { return strings.Join(models.MapSlice(p.Enum, p.Labels.Of), ", ") }

// NeedsValue reports whether the user must supply a value: the parameter is not a time and lacks a default and choices.
func (p *Param) NeedsValue() bool {
	return p.Required && p.Default == "" && len(p.Enum) == 0 && p.Type != Boolean && p.Type != Day && p.Type != Timestamp
}

// Schema returns the JSON Schema of the parameter's text, for agents.
func (p *Param) Schema() map[string]any {
	out := map[string]any{"type": "string"}
	if p.Type == Number || p.Type == Integer {
		out["type"] = []string{"number", "string"}
	}
	text := strings.TrimSpace(p.Description)
	if p.List {
		text = strings.TrimSpace(text + " Several values are possible, separated by commas.")
	}
	if len(p.Labels) > 0 {
		text = strings.TrimSpace(text + " Values: " + p.Choices() + ".")
	}
	if text != "" {
		out["description"] = text
	}
	if len(p.Enum) > 0 && !p.OpenEnum && !p.List {
		out["enum"] = p.Enum
	}
	if p.Default != "" {
		out["default"] = p.Default
	}
	return out
}

// OutOfBounds describes why a number is outside the parameter's bounds, or returns "". The number must be one that
// models.CheckNumber accepts.
func (p *Param) OutOfBounds(number string) string {
	switch {
	case p.Minimum != "" && models.CompareNumbers(number, p.Minimum) < 0:
		return "below the minimum of " + p.Minimum
	case p.Maximum != "" && models.CompareNumbers(number, p.Maximum) > 0:
		return "above the maximum of " + p.Maximum
	default:
		return ""
	}
}

// TimeOutOfBounds describes why a time is outside the parameter's bounds, or returns "". It resolves relative bounds at
// now, and ignores bounds that are not times, which the loader rejects.
func (p *Param) TimeOutOfBounds(at, now time.Time) string {
	bound := func(text string) (time.Time, bool) { // Text that is not a time does not limit anything.
		t, err := models.ParseTime(text, now)
		return t.Time, err == nil
	}
	if t, ok := bound(p.Minimum); ok && at.Before(t) {
		return "before " + p.Minimum + ", the earliest time"
	}
	if t, ok := bound(p.Maximum); ok && at.After(t) {
		return "after " + p.Maximum + ", the latest time"
	}
	return ""
}

// canonical returns a number in the text form in which DynamoDB stores it, because keys contain this form.
func (p *Param) canonical(text string) string {
	number := p.Type == Number || p.Type == Integer
	if stored := p.Attribute != nil && p.Attribute.Type == models.TypeN; !number && (!stored || p.Format.IsTime()) {
		return text
	}
	if canonical, err := models.CanonicalNumber(strings.TrimSpace(text)); err == nil {
		return canonical
	}
	return text
}

// quoted omits the text of a sensitive parameter.
func (p *Param) quoted(text string) string {
	if p.Sensitive != models.NotSensitive {
		return "the value"
	}
	return fmt.Sprintf("%q", models.Truncate(models.Printable(text), maxQuoted))
}

// valueError omits the value of a sensitive parameter.
func (p *Param) valueError(err error) error {
	switch {
	case p.Sensitive == models.NotSensitive:
		return ParamErrorf(p.Name, "%v", err)
	case p.Type == Timestamp || p.Type == Day:
		return ParamErrorf(p.Name, "the value is not a time; use 2026-01-14, 2026-01-14T10:00:00Z, today or now-7d")
	}
	return ParamErrorf(p.Name, "the value does not have the type of the attribute")
}

func (p *Param) readTime(text string, now time.Time) (Value, error) {
	if len(text) > maxQuoted {
		return Value{}, ParamErrorf(
			p.Name, "%d bytes is too long for a time; use 2026-01-14, 2026-01-14T10:00:00Z, today or now-7d", len(text),
		)
	}
	t, err := p.parseTime(text, now)
	if err != nil {
		return Value{}, p.valueError(err)
	}
	if reason := p.TimeOutOfBounds(t.Time, now); reason != "" {
		return Value{}, ParamErrorf(p.Name, "%s is %s", p.quoted(text), reason)
	}
	format := p.Format
	if !format.IsTime() {
		format = models.ISO8601
		if p.Type == Day {
			format = models.Date
		}
	}
	stored, _ := format.FormatTime(t.Time)
	return Value{Text: stored, Time: t, IsTime: true}, nil
}

// parseTime tries the parameter's format first, which may accept 2026-01, 03/04/2026 or numbers in a reversed format.
func (p *Param) parseTime(text string, now time.Time) (models.Time, error) {
	if t, ok := p.Format.ReadTime(text); ok && (p.Format.IsPeriod() || p.Format.IsLayout() || p.Format.IsReversed()) {
		return models.Time{Time: t, Day: p.Format.IsDay()}, nil
	}
	return models.ParseTime(text, now)
}

// CheckKey returns an error if text cannot be a key value because it is empty, is not valid UTF-8, contains control
// characters, or has more bytes than DynamoDB allows in a partition key. Bind rejects a sort key of more than
// MaxSortKey bytes. The error is not a *ParamError and has no subject.
func CheckKey(text string) error {
	if len(text) > MaxPartitionKey {
		return fmt.Errorf("the value has %d bytes; DynamoDB allows %d in a key", len(text), MaxPartitionKey)
	}
	return checkText(text)
}

func checkText(text string) error {
	if text == "" {
		return errors.New("the value is empty")
	}
	return checkCharacters(text, "")
}

// ReadText reads a text for an attribute that is not in a key. The text may have several lines, and may be empty if
// empty is set.
func (p *Param) ReadText(text string, empty bool) (Value, error) {
	if text == "" && !empty {
		return Value{}, ParamErrorf(p.Name, "empty")
	}
	if err := checkCharacters(text, "\t\r\n"); err != nil {
		return Value{}, ParamErrorf(p.Name, "%v", err)
	}
	return Value{Text: text}, nil
}

func checkCharacters(text, allowed string) error {
	if !utf8.ValidString(text) {
		return errors.New("not valid UTF-8")
	}
	for i, r := range text {
		if unicode.IsControl(r) && !strings.ContainsRune(allowed, r) {
			return fmt.Errorf("contains a control character (U+%04X) at character %d", r, utf8.RuneCountInString(text[:i])+1)
		}
	}
	return nil
}

// Warn describes how a value differs from its documented format, or returns "". A difference is only a warning, because
// schema documents contain examples that break their own formats.
func (p *Param) Warn(value string) string {
	if p.Attribute == nil || p.Type == Timestamp || p.Type == Day {
		return ""
	}
	if err := p.Attribute.Check(value); err != nil {
		if p.Sensitive != models.NotSensitive {
			return p.Name + ": the value does not match its documented format"
		}
		return p.Name + ": " + err.Error()
	}
	return ""
}
