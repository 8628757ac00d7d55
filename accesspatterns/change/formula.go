package change

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// A Formula computes a value. It is text with references such as {requestId}, a single reference, a sum such as
// {version} + 1, or a document or list of formulas. A single reference copies the value with its type. It is immutable,
// and the zero value is the empty text.
type Formula struct {
	source       string
	parts        []formulaPart
	minus        []bool // signs of a sum's parts; nil for text
	fields       []Setting
	list         []Formula
	value        types.AttributeValue // value of a literal
	pathFormulas []Formula            // formulas in the attribute's path; see WithPath
	kind         formulaKind
}

type formulaKind int

const (
	textFormula formulaKind = iota
	sumFormula
	mapFormula
	listFormula
	collectionFormula // a sum whose first part is a set or list
	literalFormula
)

// A formulaPart is a reference if it has a name, and otherwise literal text.
type formulaPart struct {
	literal string
	ref     Reference
}

// A Reference is {name}, {name:format} or {name|default} in a formula.
type Reference struct {
	// Name is an input, a name that the action defines, a path into the subject (item.status, or just status) or into a
	// reading (user.email), or a name that ddbdesk supplies: now, now+30d, today, actor, identity, reason, action,
	// uuid, uuid7, before and after.
	Name       string
	Default    string // the text if the name has no value
	HasDefault bool
	template   models.Template // the placeholder {value} in the given format, or zero
}

func (r Reference) isUnchanged() bool { return r.Name != "" && r.template.IsZero() }

var (
	referenceName = models.LazyRegexp(`^[A-Za-z_][A-Za-z0-9_.-]*$|^(now|today)[+-][0-9]+(ms|s|m|h|d|w)$`)
	sumText       = models.LazyRegexp(`^\s*(\{[^{}]*\}|[0-9.]+)(\s[+-]\s(\{[^{}]*\}|[0-9.]+))+\s*$`)
	sumTerm       = models.LazyRegexp(`(^|\s([+-])\s)\s*(\{[^{}]*\}|[0-9.]+)`)
)

// ParseFormula parses the text of a formula. A reference may use one of maps as its format. If number is set, text such
// as {limit} - {balance} is a sum. The error describes the problem in the text. The loader adds the position, and
// checks whether the names exist in the action.
func ParseFormula(text string, number bool, maps map[string]models.ValueMap) (Formula, error) {
	f := Formula{source: text}
	if number && sumText().MatchString(text) {
		f.kind = sumFormula
		for _, m := range sumTerm().FindAllStringSubmatch(text, -1) {
			part, err := parsePart(m[3], maps)
			if err != nil {
				return Formula{}, err
			}
			f.parts, f.minus = append(f.parts, part), append(f.minus, m[2] == "-")
		}
		return f, nil
	}
	for rest := text; rest != ""; {
		open := strings.IndexAny(rest, "{}")
		switch {
		case open < 0:
			f.parts, rest = append(f.parts, formulaPart{literal: rest}), ""
			continue
		case rest[open] == '}':
			return Formula{}, errors.New("} without {")
		case open > 0:
			f.parts, rest = append(f.parts, formulaPart{literal: rest[:open]}), rest[open:]
		}
		end := strings.IndexByte(rest, '}')
		if end < 0 {
			return Formula{}, errors.New("{ without }")
		}
		part, err := parsePart(rest[:end+1], maps)
		if err != nil {
			return Formula{}, err
		}
		f.parts, rest = append(f.parts, part), rest[end+1:]
	}
	return f, nil
}

// parsePart parses {name}, {name:format}, {name|default} or a literal.
func parsePart(text string, maps map[string]models.ValueMap) (formulaPart, error) {
	inner, ok := strings.CutPrefix(text, "{")
	if !ok {
		return formulaPart{literal: text}, nil
	}
	var r Reference
	inner = strings.TrimSuffix(inner, "}")
	inner, r.Default, r.HasDefault = strings.Cut(inner, "|")
	name, format, formatted := strings.Cut(inner, ":")
	if !referenceName().MatchString(name) {
		return formulaPart{}, fmt.Errorf("%q is not a reference; write {name}, {name:format} or {name|default}", models.Printable(name))
	}
	r.Name = name
	if formatted {
		t, err := models.ParseTemplate("{value:"+format+"}", maps)
		if err != nil {
			return formulaPart{}, err
		}
		r.template = t
	}
	return formulaPart{ref: r}, nil
}

// MapFormula returns the formula of a document.
func MapFormula(fields []Setting) Formula { return Formula{kind: mapFormula, fields: fields} }

// ListFormula returns the formula of a list.
func ListFormula(list []Formula) Formula { return Formula{kind: listFormula, list: list} }

// WithPath returns the formula for an attribute whose path contains formulas, as in approvals.{user}.
func (f Formula) WithPath(names []Formula) Formula {
	f.pathFormulas = names
	return f
}

// String returns the text of the formula, or "" for a document or list.
func (f Formula) String() string { return f.source }

// IsZero reports whether f is the zero Formula, the empty text.
func (f Formula) IsZero() bool { return f.kind == textFormula && len(f.parts) == 0 }

func (f Formula) isIncrementOf(name string) bool {
	return f.kind == sumFormula && len(f.parts) == 2 && f.parts[0].ref.Name == name && f.parts[1].ref.Name == "" &&
		models.CompareNumbers(f.parts[1].literal, "0") != 0
}

// References returns every reference of the formula in order. A name that the formula uses twice occurs twice.
func (f Formula) References() []Reference {
	var refs []Reference
	for _, p := range f.parts {
		if p.ref.Name != "" {
			refs = append(refs, p.ref)
		}
	}
	for _, s := range f.fields {
		refs = append(refs, s.Formula.References()...)
	}
	for _, inner := range f.list {
		refs = append(refs, inner.References()...)
	}
	return refs
}

// Text computes a formula of text or numbers outside a plan, from the values that value returns for names. It returns
// false if a name without a default has no value, or if a part of a sum is not a number.
func (f Formula) Text(value func(name string) (string, bool)) (string, bool) {
	total := ""
	for i, p := range f.parts {
		text := p.literal
		if r := p.ref; r.Name != "" {
			v, ok := value(r.Name)
			if text = v; !ok {
				text = r.Default
			}
			if !ok && !r.HasDefault {
				return "", false
			}
		}
		if f.kind != sumFormula {
			total += text
			continue
		}
		sum, err := models.AddNumbers(cmp.Or(total, "0"), text, f.minus[i])
		if err != nil {
			return "", false
		}
		total = sum
	}
	return total, true
}

// ReservedNames lists the names that ddbdesk supplies. No input may use one of them.
func ReservedNames() []string {
	return []string{"now", "today", "actor", "identity", "reason", "action", "uuid", "uuid7", "before", "after", Subject}
}
