package models

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// A Sensitivity defines who may see an attribute's values.
type Sensitivity string

// These are the sensitivities, from least to most strict.
const (
	NotSensitive Sensitivity = ""
	PII          Sensitivity = "pii"    // masked until revealed with a reason
	Secret       Sensitivity = "secret" // never shown, copied, exported or written to the journal
)

// Stricter returns the stricter of two sensitivities.
func Stricter(a, b Sensitivity) Sensitivity {
	if a == Secret || b == NotSensitive {
		return a
	}
	return b
}

// An Attribute is one documented attribute of an entity, or a nested one. The schema loader creates it and Entity.Seal
// completes it; after that every screen shares it and it must not change. Methods whose comments allow it also accept
// nil, which represents an attribute that the schema does not document. The yaml tags name the fields in a drafted
// schema, and the json tags name them in the output of schema show.
type Attribute struct {
	// Name is the last part of Path. It may contain a dot, because DynamoDB allows dots in names; see Entity.PathNames.
	Name      string      `json:"name"`
	Title     string      `json:"title,omitempty" yaml:"title"` // display name, "" for none
	Path      string      `json:"-"`                            // dotted path from the item's root; equals Name at the top level
	Type      Type        `json:"type" yaml:"type"`
	Items     Type        `json:"-" yaml:"items"` // type of a list's elements, "" when not documented
	Required  bool        `json:"required" yaml:"required"`
	Format    Format      `json:"format,omitempty" yaml:"format"`
	Prefix    string      `json:"prefix,omitempty" yaml:"prefix"` // prefix of an ID, such as ver_
	Enum      []string    `json:"enum,omitempty" yaml:"enum"`
	Labels    Labels      `json:"labels,omitempty"`           // labels of the values
	OpenEnum  bool        `json:"open,omitempty" yaml:"open"` // values outside Enum are allowed
	Sensitive Sensitivity `json:"sensitive,omitempty" yaml:"sensitive"`
	// Copied describes the sensitive source of the value, an action's input or a referenced attribute, if only that
	// makes this attribute Sensitive. Otherwise it is "".
	Copied  string `json:"-"`
	KeyOnly bool   `json:"keyOnly,omitempty" yaml:"key_only"` // exists only inside keys, not as a separate attribute
	Refers  string `json:"-" yaml:"refers"`                   // "Entity.attribute" that this attribute references
	Equals  string `json:"-" yaml:"equals"`                   // sibling with the same time (ttl and expiresAt)
	// Undocumented marks a document with undeclared parts, which ddbdesk masks. The sensitivity of each declared part
	// determines whether ddbdesk shows it.
	Undocumented bool   `json:"-" yaml:"undocumented"`
	Documented   bool   `json:"documented" yaml:"documented,false"`
	Description  string `json:"description,omitempty" yaml:"description"`
	// Volatile attributes, such as a request counter, change all the time, so ddbdesk ignores them when it detects
	// changes by another user.
	Volatile   bool         `json:"-"`
	Attributes []*Attribute `json:"attributes,omitempty"`
}

// Labeled returns a value with its label, as in "Open (0)", or only the value if it has no label. a may be nil.
func (a *Attribute) Labeled(value string) string {
	if a == nil {
		return value
	}
	return a.Labels.Of(value)
}

// Labels maps values to display labels. The map may be nil. Labels are for screens only: requests, exports and keys use
// the value.
type Labels map[string]string

// Of returns a value with its label, as in "Open (0)", or only the value if it has no label.
func (l Labels) Of(value string) string {
	if l[value] == "" {
		return value
	}
	return l[value] + " (" + value + ")"
}

// Check returns an error if value differs from the documented form. The error quotes the value, so show it only to the
// user who typed the value; use Differs for journals and other users. Callers should warn instead of rejecting the
// value, because schema documents are incomplete and stored items may differ from them.
func (a *Attribute) Check(value string) error {
	if reason := a.undocumentedReason(value); reason != "" {
		return fmt.Errorf("%q %s", Printable(value), reason)
	}
	return a.Format.Check(strings.TrimPrefix(value, a.Prefix))
}

// Differs describes how a stored value differs from the documented form, as in "is not a UUID", or returns "" if it
// conforms. The text never quotes the value. Unlike Check, it rejects a time that the format would write in another
// way, because such a time sorts differently.
func (a *Attribute) Differs(value string) string {
	if reason := a.undocumentedReason(value); reason != "" {
		return reason
	}
	return a.Format.storedDifference(strings.TrimPrefix(value, a.Prefix))
}

func (a *Attribute) undocumentedReason(value string) string {
	if a.Prefix != "" && !strings.HasPrefix(value, a.Prefix) {
		return "does not start with " + a.Prefix
	}
	if len(a.Enum) > 0 && !a.OpenEnum && !slices.Contains(a.Enum, value) {
		return "is not one of " + strings.Join(a.Enum, ", ")
	}
	return ""
}

// Element returns an attribute that describes the elements of a list: their type and, if they are maps, their
// attributes. It returns nil if the type is not documented or a is nil. Each call returns a new value. The element has
// no sensitivity; the list's sensitivity applies.
func (a *Attribute) Element() *Attribute {
	if a == nil {
		return nil
	}
	t := a.Items
	if t == "" && len(a.Attributes) > 0 {
		t = TypeM
	}
	if t == "" {
		return nil
	}
	return &Attribute{Name: a.Name, Path: a.Path, Type: t, Attributes: a.Attributes}
}

// Member returns an attribute that describes a single member of a's value: an element of a list or set, or a part of a
// text. A part of a text has a's type. It returns nil if a is nil.
func (a *Attribute) Member() *Attribute {
	switch {
	case a == nil:
		return nil
	case a.Type == TypeSS || a.Type == TypeNS || a.Type == TypeBS:
		return &Attribute{Name: a.Name, Path: a.Path, Type: a.Type[:1], Enum: a.Enum, OpenEnum: a.OpenEnum}
	case a.Type == TypeL:
		return a.Element()
	default:
		return &Attribute{Name: a.Name, Path: a.Path, Type: a.Type}
	}
}

// Value returns the attribute value for text; see ScalarValue. It reports syntax errors only; use Check to compare the
// value with the documentation. Documents, sets and NULL have no text form.
func (a *Attribute) Value(text string) (types.AttributeValue, error) {
	return ScalarValue(a.Type, text)
}
