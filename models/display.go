package models

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// These texts replace hidden values, and legends explain them. Data can contain the same texts, so use Display.Masked
// or IsMasked to find out whether a value is hidden.
const (
	MaskedText = "•••"      // personal data, or data that the schema does not declare
	SecretText = "[secret]" // a secret
)

// A Display is a text to show to people. Its flags report whether data is hidden.
type Display struct {
	Text   string
	Masked bool // Text replaces some or all of the data
	Secret bool // Data is a secret, which ddbdesk never reveals
}

// A Masked value replaces a hidden value in an item. ddbdesk displays and exports it as a string. The SDK cannot encode
// it, so a change that contains one fails before ddbdesk sends it.
type Masked struct {
	types.AttributeValueMemberS
	Secret bool // see Display.Secret
}

// Value returns d as an attribute value: a *Masked if d is masked, otherwise an ordinary string. Use IsMasked to
// distinguish the two, because their texts can be equal.
func (d Display) Value() types.AttributeValue {
	if !d.Masked {
		return StringValue(d.Text)
	}
	return &Masked{types.AttributeValueMemberS{Value: d.Text}, d.Secret}
}

// Stricter returns the display that hides more, or d when both hide the same.
func (d Display) Stricter(other Display) Display {
	if other.Secret && !d.Secret || other.Masked && !d.Masked {
		return other
	}
	return d
}

// HiddenValue returns the value shown for personal data of unknown format. Masker.Display masks documented values.
func HiddenValue() types.AttributeValue { return hidden(PII, NoFormat, "").Value() }

func hidden(s Sensitivity, f Format, text string) Display {
	switch {
	case s == Secret:
		return Display{SecretText, true, true}
	case f == Email:
		return Display{maskEmail(text), true, false}
	default:
		return Display{MaskedText, true, false}
	}
}

const maskedAddress = MaskedText + "@" + MaskedText + "."

// maskEmail shows the top-level domain only if it has 1 to 6 bytes, because longer text may be data.
func maskEmail(text string) string {
	local, domain, ok := strings.Cut(text, "@")
	dot := strings.LastIndexByte(domain, '.')
	if !ok || local == "" || dot < 0 || len(domain)-dot < 2 || len(domain)-dot > 7 {
		return MaskedText
	}
	_, first := utf8.DecodeRuneInString(local)
	return local[:first] + maskedAddress + domain[dot+1:]
}

// IsMasked reports whether a value, or a part of it, is hidden.
func IsMasked(v types.AttributeValue) bool {
	switch v := v.(type) {
	case *Masked:
		return true
	case *types.AttributeValueMemberM:
		return Item(v.Value).Masked()
	case *types.AttributeValueMemberL:
		return slices.ContainsFunc(v.Value, IsMasked)
	}
	return false
}

// Masked reports whether any part of the item is hidden.
func (it Item) Masked() bool {
	for _, v := range it {
		if IsMasked(v) {
			return true
		}
	}
	return false
}

// ContainsMask reports whether text contains a Masker's replacement for a hidden value, as a key with masked parts
// does.
func ContainsMask(text string) bool {
	return strings.Contains(text, MaskedText) || strings.Contains(text, SecretText)
}

// LooksMasked reports whether text equals a Masker's replacement for a hidden value. Use it for pasted text, which
// contains no other sign of masking. The result can be wrong in both directions, so use it to warn and never to decide
// whether to show data.
func LooksMasked(text string) bool {
	_, first := utf8.DecodeRuneInString(text)
	return text == MaskedText || text == SecretText || strings.HasPrefix(text[first:], maskedAddress)
}

// MaskedAttribute returns the first attribute of an item from a file or an editor whose name or value looks masked, or
// "". See LooksMasked. Keys may be masked in part.
func (t *Table) MaskedAttribute(it Item) string {
	for _, name := range it.Names() {
		if ContainsMask(name) || looksMasked(it[name]) {
			return name
		}
	}
	for _, k := range t.KeyAttributes() {
		if text, ok := it.Text(k.Name); ok && ContainsMask(text) {
			return k.Name
		}
	}
	return ""
}

func looksMasked(v types.AttributeValue) bool {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return LooksMasked(v.Value)
	case *types.AttributeValueMemberSS:
		return slices.ContainsFunc(v.Value, LooksMasked)
	case *types.AttributeValueMemberL:
		return slices.ContainsFunc(v.Value, looksMasked)
	case *types.AttributeValueMemberM:
		for name, inner := range v.Value {
			if ContainsMask(name) || looksMasked(inner) {
				return true
			}
		}
	}
	return false
}
