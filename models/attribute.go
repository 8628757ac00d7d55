package models

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// A Sensitivity defines who may see an attribute's values.
type Sensitivity string

// The sensitivities, from open to strict.
const (
	Open   Sensitivity = ""
	PII    Sensitivity = "pii"    // masked until revealed with a reason
	Secret Sensitivity = "secret" // never shown, copied, exported or written to the journal
)

// Stricter returns the stricter of two sensitivities.
func Stricter(a, b Sensitivity) Sensitivity {
	if a == Secret || b == Open {
		return a
	}
	return b
}

// An Attribute is one documented attribute of an entity, or a nested one. The loader of
// profiles makes it, and Entity.Seal completes it; after that it is shared by every screen and
// must not change. The methods that say so also accept nil, which stands for an attribute that
// the schema does not document. The yaml tags are the words that a drafted profile has for it, the json tags those of the
// document of schema show.
type Attribute struct {
	// Name is the last part of Path. It may contain a dot, because DynamoDB allows it; see
	// PathNames.
	Name      string      `json:"name"`
	Title     string      `json:"title,omitempty" yaml:"title"` // words for people who do not know the name, "" for none
	Path      string      `json:"-"`                            // dotted from the item's root; equals Name at the top level
	Type      Type        `json:"type" yaml:"type"`
	Items     Type        `json:"-" yaml:"items"` // type of a list's elements, "" when not documented
	Required  bool        `json:"required" yaml:"required"`
	Format    Format      `json:"format,omitempty" yaml:"format"`
	Prefix    string      `json:"prefix,omitempty" yaml:"prefix"` // of an ID, such as ver_
	Enum      []string    `json:"enum,omitempty" yaml:"enum"`
	Labels    Labels      `json:"labels,omitempty"`           // of the values
	OpenEnum  bool        `json:"open,omitempty" yaml:"open"` // values outside Enum are allowed
	Sensitive Sensitivity `json:"sensitive,omitempty" yaml:"sensitive"`
	// Copied identifies which action makes the value of a sensitive one, or that it refers to one, if only therefore it is Sensitive.
	Copied  string `json:"-"`
	KeyOnly bool   `json:"keyOnly,omitempty" yaml:"key_only"` // exists only inside keys, not as an attribute of its own
	Refers  string `json:"-" yaml:"refers"`                   // "Entity.attribute" that this one references
	Equals  string `json:"-" yaml:"equals"`                   // sibling that holds the same moment (ttl and expiresAt)
	// Undocumented marks a document with undeclared parts: those are masked, and
	// each declared part is shown or masked by its own sensitivity.
	Undocumented bool   `json:"-" yaml:"undocumented"`
	Documented   bool   `json:"documented" yaml:"documented,false"`
	Description  string `json:"description,omitempty" yaml:"description"`
	// Volatile attributes, such as a request counter, change all the time: they
	// do not count when a change by another user is detected.
	Volatile   bool         `json:"-"`
	Attributes []*Attribute `json:"attributes,omitempty"`
}

// Labeled returns a value with its word for people, "Open (0)"; the value itself without one.
// a may be nil.
func (a *Attribute) Labeled(value string) string {
	if a == nil {
		return value
	}
	return a.Labels.Of(value)
}

// Labels are words for people, by value. The map may be nil. A label is for screens only:
// requests, exports and keys have the value.
type Labels map[string]string

// Of returns a value with its word, "Open (0)"; the value itself without one.
func (l Labels) Of(value string) string {
	if l[value] == "" {
		return value
	}
	return l[value] + " (" + value + ")"
}

// Check returns how value differs from what the schema documents, or nil. The error describes what
// is wrong and quotes the value, so it is for the user who typed the value and must not reach a
// journal or another user; Differs is for those. Callers warn and do not refuse: documents are
// incomplete, and items that differ from them exist.
func (a *Attribute) Check(value string) error {
	if why := a.outside(value); why != "" {
		return fmt.Errorf("%q %s", Printable(value), why)
	}
	return a.Format.Check(strings.TrimPrefix(value, a.Prefix))
}

// Differs returns how a stored value differs from what the schema documents, without the value: "is not a UUID"; "" if it
// does not. Unlike Check, it rejects a time that the format would write in another way, because it sorts elsewhere.
func (a *Attribute) Differs(value string) string {
	if why := a.outside(value); why != "" {
		return why
	}
	return a.Format.differsAsStored(strings.TrimPrefix(value, a.Prefix))
}

func (a *Attribute) outside(value string) string {
	if a.Prefix != "" && !strings.HasPrefix(value, a.Prefix) {
		return "does not start with " + a.Prefix
	}
	if len(a.Enum) > 0 && !a.OpenEnum && !slices.Contains(a.Enum, value) {
		return "is not one of " + strings.Join(a.Enum, ", ")
	}
	return ""
}

// Element returns the attribute of the elements of a list: their type, and their
// attributes if they are maps. It is nil if their type is not documented, or a is nil. The
// result is new with each call. It has no sensitivity of its own: that of the list applies.
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

// Member returns the attribute of what the value of a can contain: the elements of a
// list or set, or parts of a text, which have the type of a. It is nil if a is nil.
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

// Value returns the attribute value that text stands for; see ScalarValue. The error is one of
// syntax only; whether the value is documented is the business of Check. Documents, sets and
// NULL have no text form.
func (a *Attribute) Value(text string) (types.AttributeValue, error) {
	return ScalarValue(a.Type, text)
}
