// This file reads what a person gives for a parameter into the value that is
// sent.

package accesspatterns

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ddbdesk/ddbdesk/models"
)

// A ParamType is the type of a parameter.
type ParamType string

// The types of a parameter.
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

// ParamTypes lists every type.
func ParamTypes() []ParamType {
	return []ParamType{String, Enum, Number, Integer, Boolean, Timestamp, Day, Token}
}

// A Param is one parameter of a pattern.
type Param struct {
	Name        string
	Type        ParamType
	Required    bool
	Default     string // a literal, now, now-7d, today; "" without
	DefaultWhen []DefaultWhen
	Enum        []string
	OpenEnum    bool
	Format      models.Format // how a time is stored
	Prefix      string
	Sensitive   models.Sensitivity
	Description string
	Attribute   *models.Attribute // what its values are values of, nil when unknown
	Entity      *models.Entity    // of Attribute
	From        []string          // other attributes whose values fit
}

// DefaultWhen is a default that holds only for some values of another
// parameter.
type DefaultWhen struct {
	Param  string
	Values []string
	Value  string
}

// ErrParam is wrapped by every error about a parameter: nothing was sent.
var ErrParam = errors.New("bad parameter")

// A ParamError says which parameter cannot be used and why.
type ParamError struct {
	Param  string
	Reason string
}

func (e *ParamError) Error() string { return "parameter " + e.Param + ": " + e.Reason }

// Is makes errors.Is(err, ErrParam) true.
func (e *ParamError) Is(target error) bool { return target == ErrParam }

func paramErrorf(name, format string, args ...any) error {
	return &ParamError{Param: name, Reason: fmt.Sprintf(format, args...)}
}

// A Value is a parameter's value: its text as it is sent, and the moment it
// stands for when it is a time.
type Value struct {
	Text string
	Time models.Time
	// IsTime is set for timestamps and dates.
	IsTime bool
}

// maxQuoted is how many terminal cells of a value a message repeats, and the
// longest text that is read as a time.
const maxQuoted = 80

// Read checks text and returns the value that is sent. Relative times are
// taken from now. The error is a *ParamError.
func (p *Param) Read(text string, now time.Time) (Value, error) {
	quoted := fmt.Sprintf("%q", models.Truncate(models.Printable(text), maxQuoted))
	if p.Sensitive != models.Open {
		quoted = "the value"
	}
	if err := checkText(text); err != nil {
		return Value{}, paramErrorf(p.Name, "%v", err)
	}
	switch p.Type {
	case Timestamp, Day:
		return p.readTime(text, now)
	case Number, Integer:
		text = strings.TrimSpace(text)
		if err := models.CheckNumber(text); err != nil {
			return Value{}, paramErrorf(p.Name, "%s is not a number", quoted)
		}
		if p.Type == Integer && strings.ContainsAny(text, ".eE") {
			return Value{}, paramErrorf(p.Name, "%s is not a whole number", quoted)
		}
	case Boolean:
		if text != "true" && text != "false" {
			return Value{}, paramErrorf(p.Name, "%s is neither true nor false", quoted)
		}
	case Enum:
		if !p.OpenEnum && !slices.Contains(p.Enum, text) {
			return Value{}, paramErrorf(p.Name, "%s is none of %s%s", quoted, strings.Join(p.Enum, ", "), models.DidYouMean(text, p.Enum))
		}
	case String, Token:
	}
	return Value{Text: text}, nil
}

func (p *Param) readTime(text string, now time.Time) (Value, error) {
	if len(text) > maxQuoted {
		return Value{}, paramErrorf(p.Name, "%d bytes are no time: write 2026-01-14, 2026-01-14T10:00:00Z, today, or now-7d", len(text))
	}
	t, err := models.ParseTime(text, now)
	if err != nil {
		return Value{}, paramErrorf(p.Name, "%v", err)
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

// CheckKey refuses text that is no key value: empty, not UTF-8, with control
// characters, or longer than any key of DynamoDB may be.
func CheckKey(text string) error {
	if len(text) > maxPartitionKey {
		return fmt.Errorf("%d bytes; DynamoDB allows %d in a key", len(text), maxPartitionKey)
	}
	return checkText(text)
}

// checkText refuses what cannot stand in a key.
func checkText(text string) error {
	switch {
	case text == "":
		return errors.New("empty: DynamoDB refuses an empty key value")
	case !utf8.ValidString(text):
		return errors.New("not valid UTF-8")
	}
	for i, r := range text {
		if unicode.IsControl(r) {
			return fmt.Errorf("holds a control character (U+%04X) at character %d", r, utf8.RuneCountInString(text[:i])+1)
		}
	}
	return nil
}

// Warn says why a value does not look as documented, "" when it does. A
// document's own examples break its formats, so this is never a refusal.
func (p *Param) Warn(value string) string {
	if p.Attribute == nil || p.Type == Timestamp || p.Type == Day {
		return ""
	}
	if err := p.Attribute.Check(value); err != nil {
		if p.Sensitive != models.Open {
			return p.Name + " does not look as documented"
		}
		return p.Name + ": " + err.Error()
	}
	return ""
}
