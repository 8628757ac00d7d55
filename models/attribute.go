// This file describes attributes: what a schema document says of them.

package models

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// A Type is DynamoDB's type descriptor.
type Type string

// DynamoDB's data types.
const (
	TypeS    Type = "S"
	TypeN    Type = "N"
	TypeB    Type = "B"
	TypeBOOL Type = "BOOL"
	TypeNULL Type = "NULL"
	TypeM    Type = "M"
	TypeL    Type = "L"
	TypeSS   Type = "SS"
	TypeNS   Type = "NS"
	TypeBS   Type = "BS"
)

// Types lists every type descriptor.
func Types() []Type {
	return []Type{TypeS, TypeN, TypeB, TypeBOOL, TypeNULL, TypeM, TypeL, TypeSS, TypeNS, TypeBS}
}

// A Sensitivity says who may see an attribute's values.
type Sensitivity string

// The sensitivities, from open to closed.
const (
	Open   Sensitivity = ""
	PII    Sensitivity = "pii"    // masked until revealed with a reason
	Secret Sensitivity = "secret" // never shown, copied, exported or journalled
)

// stricter returns the sensitivity that hides more.
func stricter(a, b Sensitivity) Sensitivity {
	if a == Secret || b == Open {
		return a
	}
	return b
}

// An Attribute is one documented attribute of an entity, or a nested one.
type Attribute struct {
	Name        string
	Path        string // dotted from the item's root; Name at the top level
	Type        Type
	Items       Type // type of a list's elements, "" when not documented
	Required    bool
	Format      Format
	Prefix      string // prefixed ids: ver_
	Enum        []string
	OpenEnum    bool // other values than Enum's are possible
	Sensitive   Sensitivity
	Description string
	Documented  bool
	KeyOnly     bool   // has no attribute of its own; exists inside keys
	Refers      string // "Entity.attribute" whose values this one holds
	// Undocumented documents hold parts that nobody declares: those are masked,
	// the declared ones shown as each of them says.
	Undocumented bool
	// Volatile attributes change all the time, a counter of requests or the time
	// of the last one: a change by others is not told from them.
	Volatile   bool
	Equals     string // sibling whose moment this one repeats (ttl of expiresAt)
	Attributes []*Attribute
}

// Check says why value does not look like the attribute documents, or nil.
func (a *Attribute) Check(value string) error {
	if a.Prefix != "" && !strings.HasPrefix(value, a.Prefix) {
		return fmt.Errorf("%q does not start with %s", Printable(value), a.Prefix)
	}
	if len(a.Enum) > 0 && !a.OpenEnum && !slices.Contains(a.Enum, value) {
		return fmt.Errorf("%q is none of %s", Printable(value), strings.Join(a.Enum, ", "))
	}
	return a.Format.Check(strings.TrimPrefix(value, a.Prefix))
}

// Value makes the DynamoDB value of the attribute's type from its text. Only
// scalars have a text.
func (a *Attribute) Value(text string) (types.AttributeValue, error) {
	return ScalarValue(a.Type, text)
}

// ScalarValue makes a value of type t (S, N or BOOL) from its text.
func ScalarValue(t Type, text string) (types.AttributeValue, error) {
	switch t {
	case TypeS, "":
		return &types.AttributeValueMemberS{Value: text}, nil
	case TypeN:
		if err := CheckNumber(text); err != nil {
			return nil, err
		}
		return &types.AttributeValueMemberN{Value: text}, nil
	case TypeBOOL:
		switch text {
		case "true":
			return &types.AttributeValueMemberBOOL{Value: true}, nil
		case "false":
			return &types.AttributeValueMemberBOOL{Value: false}, nil
		}
		return nil, fmt.Errorf("%q is neither true nor false", Printable(text))
	default:
		return nil, fmt.Errorf("a value of type %s has no text", t)
	}
}

// The ends of the range of numbers: smallest is inside, tooLarge is not.
var smallest, tooLarge = magnitude("1e-130"), magnitude("1e126")

func magnitude(text string) *big.Float {
	f, _, err := big.ParseFloat(text, 10, 512, big.ToNearestEven)
	if err != nil {
		panic("models: " + err.Error()) // a constant
	}
	return f
}

// CheckNumber says why text is no DynamoDB number, or nil: at most 38
// significant digits, magnitudes between 1E-130 and 9.99E+125.
// Source: Amazon DynamoDB Developer Guide, "Supported data types", Number.
func CheckNumber(text string) error {
	if len(text) > 256 {
		return fmt.Errorf("a number of %d characters: DynamoDB keeps 38 digits", len(text))
	}
	mantissa, _, _ := strings.Cut(strings.ToLower(text), "e")
	digitsOnly := strings.NewReplacer("-", "", "+", "", ".", "").Replace(mantissa)
	f, _, err := big.ParseFloat(text, 10, 512, big.ToNearestEven)
	if !digits(digitsOnly) || strings.ContainsAny(text, "_xXpPiIn ") || err != nil {
		return fmt.Errorf("%q is not a number", Printable(text))
	}
	significant := len(strings.Trim(digitsOnly, "0"))
	if significant > 38 {
		return fmt.Errorf("%s has %d significant digits: DynamoDB keeps 38", text, significant)
	}
	// Not the sign of f: what is far too small has become zero.
	if abs := new(big.Float).Abs(f); significant > 0 && (abs.Cmp(tooLarge) >= 0 || abs.Cmp(smallest) < 0) {
		return fmt.Errorf("%s is outside DynamoDB's range of 1E-130 to 9.99E+125", text)
	}
	return nil
}

// CompareNumbers compares two DynamoDB numbers exactly. Text that is no number
// sorts before every number.
func CompareNumbers(a, b string) int {
	x, okx := new(big.Rat).SetString(a)
	y, oky := new(big.Rat).SetString(b)
	switch {
	case okx && oky:
		return x.Cmp(y)
	case okx:
		return 1
	case oky:
		return -1
	default:
		return strings.Compare(a, b)
	}
}
