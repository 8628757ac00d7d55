// This file hides personal data and secrets: in attributes, nested ones, and
// inside the keys that repeat them.

package models

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// What stands in the place of a hidden value.
const (
	maskedText = "•••"
	secretText = "[secret]"
)

// A Masker hides the sensitive values of one profile's items. The zero value
// hides nothing; see NewMasker.
type Masker struct {
	entities []*Entity
	reveal   bool
	byName   map[*Table]map[string]Sensitivity
}

// NewMasker returns the masker of items of these entities. With reveal,
// personal data is shown; secrets never are.
func NewMasker(entities []*Entity, reveal bool) *Masker {
	m := &Masker{entities: entities, reveal: reveal, byName: map[*Table]map[string]Sensitivity{}}
	for _, e := range entities {
		names := m.byName[e.Table]
		if names == nil {
			names = map[string]Sensitivity{}
			m.byName[e.Table] = names
		}
		for _, a := range e.Attributes {
			if s := a.deepest(); s != Open && names[a.Name] != Secret {
				names[a.Name] = s
			}
		}
	}
	return m
}

// deepest is the closest sensitivity of the attribute and all inside it.
func (a *Attribute) deepest() Sensitivity {
	s := a.Sensitive
	for _, n := range a.Attributes {
		if d := n.deepest(); d == Secret || s == Open {
			s = d
		}
	}
	return s
}

// Hides reports whether values of sensitivity s are hidden.
func (m *Masker) Hides(s Sensitivity) bool {
	return s == Secret || s == PII && !m.reveal
}

// MaskText returns what is shown of text, a value of sensitivity s and format
// f. An e-mail address keeps its first letter and its top-level domain.
func (m *Masker) MaskText(text string, s Sensitivity, f Format) string {
	switch {
	case text == "" || !m.Hides(s):
		return text
	case s == Secret:
		return secretText
	case f == Email:
		return maskEmail(text)
	default:
		return maskedText
	}
}

func maskEmail(text string) string {
	local, domain, ok := strings.Cut(text, "@")
	dot := strings.LastIndexByte(domain, '.')
	if !ok || local == "" || dot < 0 || len(domain)-dot > 7 {
		return maskedText
	}
	first := []rune(local)[:1]
	return string(first) + "•••@•••" + domain[dot:]
}

// Item returns the item as it may be shown. The item itself is not changed.
func (m *Masker) Item(table *Table, it Item) Item {
	if it == nil {
		return nil
	}
	r, known := Recognise(m.entities, table, it)
	out := make(Item, len(it))
	for name, v := range it {
		if !known {
			out[name] = m.unknown(table, name, v)
			continue
		}
		out[name] = m.attribute(r.Entity, name, v)
	}
	return out
}

func (m *Masker) attribute(e *Entity, name string, v types.AttributeValue) types.AttributeValue {
	if t, ok := e.Keys[name]; ok {
		if text, isText := ValueText(v); isText {
			masked := m.Key(e, t, text)
			if masked == text {
				return v
			}
			return StringValue(masked)
		}
	}
	a := e.Attribute(name)
	if a == nil {
		if e.Undocumented && !m.reveal {
			return StringValue(maskedText)
		}
		// What strayed here from another kind of item is as sensitive as there.
		return m.stray(e.Table, name, v)
	}
	return m.value(a, v)
}

func (m *Masker) value(a *Attribute, v types.AttributeValue) types.AttributeValue {
	if m.Hides(a.Sensitive) {
		if _, null := v.(*types.AttributeValueMemberNULL); null {
			return v
		}
		text, ok := ValueText(v)
		if !ok {
			text = "document"
		}
		return StringValue(m.MaskText(text, a.Sensitive, a.Format))
	}
	doc, ok := v.(*types.AttributeValueMemberM)
	if !ok || len(a.Attributes) == 0 {
		if a.deepest() == Open || a.Type == TypeM && ok {
			return v
		}
		return m.wrongShape(a, v)
	}
	out := make(map[string]types.AttributeValue, len(doc.Value))
	for name, inner := range doc.Value {
		out[name] = inner
		for _, n := range a.Attributes {
			if n.Name == name {
				out[name] = m.value(n, inner)
			}
		}
	}
	return &types.AttributeValueMemberM{Value: out}
}

// wrongShape hides a value whose attribute documents sensitive parts but which
// is no map: the parts cannot be told, so all of it is hidden.
func (m *Masker) wrongShape(a *Attribute, v types.AttributeValue) types.AttributeValue {
	s := a.deepest()
	if !m.Hides(s) {
		return v
	}
	return StringValue(m.MaskText("document", s, NoFormat))
}

// unknown hides an attribute of an item that no entity matches. What no entity
// of the table declares may be anything: it is shown only when revealed.
func (m *Masker) unknown(table *Table, name string, v types.AttributeValue) types.AttributeValue {
	if !m.reveal && !m.declares(table, name) {
		return StringValue(maskedText)
	}
	return m.stray(table, name, v)
}

// declares reports whether the name is a key attribute of the table, or an
// attribute of one of its entities.
func (m *Masker) declares(table *Table, name string) bool {
	for _, k := range table.KeyAttributes() {
		if k.Name == name {
			return true
		}
	}
	for _, e := range m.entities {
		if e.Table == table && e.Attribute(name) != nil {
			return true
		}
	}
	return false
}

// stray hides an attribute that the item's own entity, if it has one, does not
// declare: whatever is sensitive in any entity of the table, and the keys
// behind their documented beginning.
func (m *Masker) stray(table *Table, name string, v types.AttributeValue) types.AttributeValue {
	s := m.byName[table][name]
	for _, k := range table.KeyAttributes() {
		if k.Name == name && s == Open {
			s = m.keySensitivity(table, name)
			text, _ := ValueText(v)
			if head := m.keyHead(table, name, text); head != "" && m.Hides(s) {
				return StringValue(head + maskedText)
			}
		}
	}
	if !m.Hides(s) {
		return v
	}
	return StringValue(m.MaskText("hidden", s, NoFormat))
}

// keyHead returns the longest literal that starts a template of the key
// attribute and the text: it tells the kind of key and nothing more.
func (m *Masker) keyHead(table *Table, name, text string) string {
	head := ""
	for _, e := range m.entities {
		t, ok := e.Keys[name]
		if !ok || e.Table != table {
			continue
		}
		if p := t.LiteralPrefix(); len(p) > len(head) && strings.HasPrefix(text, p) {
			head = p
		}
	}
	return head
}

// keySensitivity is the closest sensitivity of any template of a key attribute.
func (m *Masker) keySensitivity(table *Table, name string) Sensitivity {
	worst := Open
	for _, e := range m.entities {
		t, ok := e.Keys[name]
		if e.Table != table || !ok {
			continue
		}
		if s := e.TemplateSensitivity(t); s == Secret || worst == Open {
			worst = s
		}
	}
	return worst
}

// TemplateSensitivity is the closest sensitivity of the template's
// placeholders.
func (e *Entity) TemplateSensitivity(t Template) Sensitivity {
	worst := Open
	for _, n := range t.Placeholders() {
		if a := e.Attribute(n); a != nil && (a.Sensitive == Secret || worst == Open) {
			worst = a.Sensitive
		}
	}
	return worst
}

// Key returns a key as it may be shown: the placeholders of sensitive
// attributes are hidden. A key that does not fit its template is hidden behind
// the literal it starts with.
func (m *Masker) Key(e *Entity, t Template, key string) string {
	if !m.Hides(e.TemplateSensitivity(t)) {
		return key
	}
	match, err := t.Parse(key)
	if err != nil {
		return key[:commonPrefix(key, t.LiteralPrefix())] + maskedText
	}
	var b strings.Builder
	for _, span := range match.Spans {
		text := key[span.Start:span.End]
		if a := e.Attribute(span.Segment.Name); a != nil {
			text = m.MaskText(text, a.Sensitive, a.Format)
		}
		b.WriteString(text)
	}
	return b.String()
}
