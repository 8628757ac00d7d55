package op

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Param is an input of an operation. It defines the values, like a pattern's parameter, and the place on the command
// line. The description of a flag contains the name of its value in backquotes, as shown in the help.
type Param struct {
	accesspatterns.Param

	Argument bool   // positional, in the order of declaration; otherwise a flag
	Hidden   bool   // a flag that help does not list
	Kind     string // name of the value type, for help and messages
	// Complete returns the values for completion; nil offers the values of Enum. It may use the preceding inputs.
	Complete func(h Host, word string) []string
	Files    bool // the shell offers files as well; for a FILE or DIR it always does

	to      any // pointer to a Value
	check   func() error
	isGiven bool
}

// A Value is the type of an input. A list accepts several texts. A map accepts texts such as name=value.
type Value interface {
	~string | bool | int | uint64 | float64 | time.Duration | []string | map[string]string
}

// Flag declares a flag that sets *to. The initial value of *to is the default.
func Flag[T Value](to *T, name, help string) *Param {
	p := &Param{Param: accesspatterns.Param{Name: name, Description: help, Type: accesspatterns.String}, to: to, Kind: "string"}
	switch any(to).(type) {
	case *bool:
		p.Type, p.Kind = accesspatterns.Boolean, "bool"
	case *int:
		p.Type, p.Kind = accesspatterns.Integer, "int"
	case *uint64:
		p.Type, p.Kind = accesspatterns.Integer, "uint64"
	case *float64:
		p.Type, p.Kind = accesspatterns.Number, "float64"
	case *time.Duration:
		p.Kind = "duration"
	case *[]string:
		p.List, p.Kind = true, "stringArray"
	case *map[string]string:
		p.List, p.Kind = true, "name=value"
	}
	p.Default = p.String()
	return p
}

// Reason declares the flag --reason for an operation with its own reason. help describes the purpose of the reason.
func Reason(to *string, help string) *Param {
	return Flag(to, "reason", help).WithCheck(func() error {
		err := session.CheckReason(*to)
		if err == nil {
			return nil
		}
		return errors.New(strings.TrimPrefix(err.Error(), "reason: "))
	})
}

// Arg declares a required positional argument that sets *to.
func Arg[T Value](to *T, name, help string) *Param {
	p := Flag(to, name, help)
	p.Argument, p.Required = true, true
	return p
}

// MapFlag declares a flag for a parameter of a pattern or an action. The flag sets the parameter's value in the map.
func MapFlag(to map[string]string, q *accesspatterns.Param) *Param {
	return &Param{Param: *q, to: member{to, q.Name}, Kind: "string"}
}

// A member is a named value.
type member struct {
	values map[string]string
	name   string
}

// SchemaArg declares the argument SCHEMA.
func SchemaArg(to *string) *Param {
	p := Arg(to, "schema", "a built-in schema, one of your schemas, or a file")
	p.Files, p.Complete = true, func(h Host, _ string) []string { return h.SchemaNames() }
	return p
}

// TableArg declares the argument TABLE.
func TableArg(to *string) *Param {
	p := Arg(to, "table", "a table of the connection")
	p.Complete = CompleteTables
	return p
}

// CompleteTables lists the tables of the connection. Use it as Param.Complete.
func CompleteTables(h Host, _ string) []string {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	conn, _, err := h.Database(ctx, nil)
	if err != nil {
		return nil
	}
	names, _ := conn.Reader().Tables(ctx) // A failed request adds no completions.
	return names
}

// Optional makes an argument optional.
func (p *Param) Optional() *Param {
	p.Required = false
	return p
}

// Must makes a flag required.
func (p *Param) Must() *Param {
	p.Required = true
	return p
}

// OneOf restricts the parameter to the given values.
func (p *Param) OneOf(values ...string) *Param {
	p.Type, p.Enum = accesspatterns.Enum, values
	return p
}

// WithCheck adds a validation of the user's value. The error must not name the parameter.
func (p *Param) WithCheck(check func() error) *Param {
	p.check = check
	return p
}

// Within restricts an int to the values from least to most. A negative most means that there is no maximum.
func (p *Param) Within(least, most int) *Param {
	return p.WithCheck(func() error {
		switch n := *p.to.(*int); {
		case n >= least && (n <= most || most < 0):
			return nil
		case most < 0:
			return fmt.Errorf("%d is out of range; use %d or more", n, least)
		default:
			return fmt.Errorf("%d is out of range; use %d to %d", n, least, most)
		}
	})
}

// Given reports whether the user set the parameter.
func (p *Param) Given() bool { return p.isGiven }

// Placeholder returns the word that stands for the value in usage lines, such as SCHEMA.
func (p *Param) Placeholder() string {
	if parts := strings.Split(p.Description, "`"); len(parts) > 1 {
		return parts[1]
	}
	return strings.ToUpper(strings.ReplaceAll(p.Name, "_", ""))
}

// String returns the value as text, or "".
func (p *Param) String() string {
	if m, ok := p.to.(member); ok {
		return m.values[m.name]
	}
	v := reflect.ValueOf(p.to).Elem()
	if v.IsZero() {
		return ""
	}
	return fmt.Sprint(v.Interface())
}

// Set parses text and sets the value. For a list, it appends the value.
func (p *Param) Set(text string) (err error) {
	p.isGiven = true
	switch to := p.to.(type) {
	case *bool:
		*to, err = strconv.ParseBool(text)
	case *int:
		*to, err = strconv.Atoi(text)
	case *uint64:
		*to, err = strconv.ParseUint(text, 10, 64)
	case *float64:
		*to, err = strconv.ParseFloat(text, 64)
		if err == nil && (math.IsNaN(*to) || math.IsInf(*to, 0)) { // a limit that limits nothing
			err = &strconv.NumError{Func: "ParseFloat", Num: text, Err: strconv.ErrSyntax}
		}
	case *time.Duration:
		*to, err = time.ParseDuration(text)
	case *[]string:
		*to = append(*to, text)
	case *map[string]string:
		if *to == nil {
			*to = map[string]string{}
		}
		return addValue(*to, text)
	case member:
		to.values[to.name] = text
	default:
		reflect.ValueOf(to).Elem().SetString(text)
	}
	return err
}

// A ValueError is the error for an argument that does not have the form name=value.
type ValueError string

func (e ValueError) Error() string { return string(e) }

// Is reports whether target is the error for invalid input.
func (ValueError) Is(target error) bool { return target == session.ErrInput }

func addValue(values map[string]string, text string) error {
	name, value, ok := strings.Cut(text, "=")
	if !ok || name == "" {
		return ValueError(fmt.Sprintf("expected name=value, found %q", Short(text)))
	}
	if _, duplicate := values[name]; duplicate {
		return ValueError(fmt.Sprintf("parameter %s: set twice; omit one of the values", Short(name)))
	}
	values[name] = value
	return nil
}

// Fault describes the problem with the value, without the parameter's name. It returns "" if the value is valid.
func (p *Param) Fault() string {
	text := p.String()
	switch {
	case p.Required && text == "" && !p.Argument:
		return "missing"
	case !p.isGiven:
		return ""
	case p.Enum != nil && !p.OpenEnum && !p.List && !slices.Contains(p.Enum, text):
		return InvalidChoice(strings.ReplaceAll(p.Name, "-", " "), text, p.Enum)
	case p.check != nil:
		if err := p.check(); err != nil {
			return err.Error()
		}
	}
	return ""
}

// InvalidChoice describes a value that is not in valid. It suggests the closest valid value and lists all of them.
func InvalidChoice(subject, value string, valid []string) string {
	all := english.OxfordWordSeries(valid, "or")
	hint := "; use " + all
	if nearest := models.DidYouMean(value, valid); nearest != "" {
		hint = nearest + " Use " + all
	}
	return fmt.Sprintf("invalid %s %q%s", subject, Short(value), hint)
}

// Short returns a value for quoting in messages: printable, and at most 48 cells wide.
func Short(text string) string { return models.Truncate(models.Printable(text), 48) }

// Schema returns the JSON Schema of the value.
func (p *Param) Schema() map[string]any {
	s, text := p.Param.Schema(), map[string]any{"type": "string"}
	switch p.to.(type) {
	case *map[string]string:
		s = map[string]any{"type": "object", "additionalProperties": text, "description": p.Description}
	case *[]string:
		s = map[string]any{"type": "array", "items": text, "description": p.Description}
	case *bool, *int, *uint64, *float64:
		s["type"] = string(p.Type)
	}
	if text, _ := s["description"].(string); text != "" {
		s["description"] = strings.ReplaceAll(text, "`", "")
	} else {
		delete(s, "description")
	}
	return s
}

// SetJSON sets the value from a JSON value that matches Schema. The members of an object are named values.
func (p *Param) SetJSON(v any) error {
	if _, isObject := v.(map[string]any); p.Kind == "name=value" && !isObject {
		return errors.New("expected an object with names and values")
	}
	switch v := v.(type) {
	case string:
		return p.Set(v)
	case []any:
		if _, isMember := p.to.(member); isMember && p.List {
			break
		}
		if !p.List && len(v) > 1 {
			return errors.New("expected a single value")
		}
		for _, x := range v {
			if err := p.SetJSON(x); err != nil {
				return err
			}
		}
		return nil
	case map[string]any:
		to, isMap := p.to.(*map[string]string)
		if !isMap {
			break
		}
		p.isGiven, *to = true, make(map[string]string, len(v))
		for name, x := range v {
			text, ok := scalarText(x)
			if !ok {
				return fmt.Errorf("%s is not a string, a number or a boolean", Short(name))
			}
			(*to)[name] = text
		}
		return nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return p.Set(string(text))
}

// scalarText returns the text of a JSON scalar, or of DynamoDB JSON such as {"S": "text"}; otherwise false.
func scalarText(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case json.Number, bool:
		return fmt.Sprint(v), true
	case map[string]any:
		for _, kind := range []string{"S", "N", "B", "BOOL"} {
			if x, ok := v[kind]; ok && len(v) == 1 {
				if _, nested := x.(map[string]any); !nested {
					return scalarText(x)
				}
			}
		}
	}
	return "", false
}
