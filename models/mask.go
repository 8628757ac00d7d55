// This file hides personal data and secrets: in attributes, nested ones, and
// inside the keys that repeat them.

package models

import (
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// What stands in the place of a hidden value.
const (
	maskedText = "•••"
	secretText = "[secret]"
)

// A Masker hides the sensitive values of one profile's items. The zero value
// knows no entity: it hides every attribute. See NewMasker. It is safe for
// concurrent use.
type Masker struct {
	entities []*Entity
	reveal   bool
	tables   map[*Table]tableMask
}

// A tableMask is what the entities of one table say together: about items that
// none of them matches, and attributes that strayed to another kind of item.
type tableMask struct {
	declared map[string]Sensitivity // every documented attribute, by name
	keys     map[string]keyMask     // every key attribute
}

// A keyMask is what the templates of one key attribute say together.
type keyMask struct {
	sensitive Sensitivity
	heads     []string // the literals that the templates start with
}

// NewMasker returns the masker of items of these entities. With reveal,
// personal data is shown; secrets never are.
func NewMasker(entities []*Entity, reveal bool) *Masker {
	m := &Masker{entities: entities, reveal: reveal, tables: map[*Table]tableMask{}}
	for _, e := range entities {
		tm, ok := m.tables[e.Table]
		if !ok {
			tm = tableMask{map[string]Sensitivity{}, map[string]keyMask{}}
			for _, k := range e.Table.KeyAttributes() {
				tm.keys[k.Name] = keyMask{}
			}
			m.tables[e.Table] = tm
		}
		for _, a := range e.Attributes {
			tm.declared[a.Name] = closer(tm.declared[a.Name], a.deepest())
		}
		for name, t := range e.Keys {
			k := tm.keys[name]
			k.sensitive = closer(k.sensitive, e.TemplateSensitivity(t))
			if head := t.LiteralPrefix(); head != "" {
				k.heads = append(k.heads, head)
			}
			tm.keys[name] = k
		}
	}
	return m
}

// deepest is the closest sensitivity of the attribute and all inside it.
func (a *Attribute) deepest() Sensitivity {
	s := a.Sensitive
	if a.Undocumented {
		s = closer(s, PII)
	}
	for _, n := range a.Attributes {
		s = closer(s, n.deepest())
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
	if !ok || local == "" || dot < 0 || len(domain)-dot < 2 || len(domain)-dot > 7 {
		return maskedText
	}
	_, first := utf8.DecodeRuneInString(local)
	return local[:first] + "•••@•••" + domain[dot:]
}

// Item returns the item as it may be shown. The item itself is not changed.
func (m *Masker) Item(table *Table, it Item) Item {
	if it == nil {
		return nil
	}
	return m.itemOf(table, m.Entity(table, it), it)
}

func (m *Masker) itemOf(table *Table, e *Entity, it Item) Item {
	out := make(Item, len(it))
	var odd []string
	for name, v := range it {
		if !plainName(name) && m.undeclared(table, e, name) {
			odd = append(odd, name)
			continue
		}
		out[name] = m.shown(table, e, name, v)
	}
	hideNames(out, odd, StringValue(maskedText))
	return out
}

func (m *Masker) shown(table *Table, e *Entity, name string, v types.AttributeValue) types.AttributeValue {
	if e == nil {
		return m.unknown(table, name, v)
	}
	return m.attribute(e, name, v)
}

// Entity returns what an item is among the entities of the masker, nil when none
// matches.
func (m *Masker) Entity(table *Table, it Item) *Entity {
	e, _ := identify(m.entities, table, it)
	return e
}

// KeyOf returns the key of an item of e as it may be shown, whether or not the
// rest of the item is there.
func (m *Masker) KeyOf(e *Entity, key Item) Item { return m.itemOf(e.Table, e, key) }

// A Veiled item is an item of which only what is asked for is made as it may be
// shown: where one attribute of very many items is looked at, masking all of
// them costs too much. It is not safe for concurrent use.
type Veiled struct {
	// Entity is what the item is, nil when no entity matches.
	Entity *Entity

	masker *Masker
	table  *Table
	raw    Item
	masked Item // nil until all of it was asked for
}

// Veil returns an item whose values are masked when they are asked for.
func (m *Masker) Veil(table *Table, it Item) Veiled {
	return Veiled{Entity: m.Entity(table, it), masker: m, table: table, raw: it}
}

// Item is all of the item as it may be shown; see Masker.Item.
func (v *Veiled) Item() Item {
	if v.masked == nil && v.raw != nil {
		v.masked = v.masker.itemOf(v.table, v.Entity, v.raw)
	}
	return v.masked
}

// At is the value at a path as it may be shown; see Item.At.
func (v *Veiled) At(path string) (types.AttributeValue, bool) {
	if v.masked != nil {
		return v.masked.At(path)
	}
	if value, ok := v.raw[path]; ok {
		return v.masker.shown(v.table, v.Entity, path, value), true
	}
	head, _, nested := strings.Cut(path, ".")
	value, ok := v.raw[head]
	if !ok || !nested {
		return nil, false
	}
	return Item{head: v.masker.shown(v.table, v.Entity, head, value)}.At(path)
}

func (m *Masker) attribute(e *Entity, name string, v types.AttributeValue) types.AttributeValue {
	if t, ok := e.Keys[name]; ok {
		if text, isText := ValueText(v); isText {
			if m.strayKey(e, name, t, text) {
				return m.stray(e.Table, name, v)
			}
			masked := m.Key(e, t, text)
			if masked == text {
				return v
			}
			return StringValue(masked)
		}
	}
	a := e.Attribute(name)
	if a == nil {
		if m.undeclared(e.Table, e, name) {
			return StringValue(maskedText)
		}
		// What strayed here from another kind of item is as sensitive as there.
		return m.stray(e.Table, name, v)
	}
	return m.value(a, v)
}

// strayKey reports whether the text of a key attribute, which holds nothing
// sensitive in items of e, may be the key of another kind of item.
func (m *Masker) strayKey(e *Entity, name string, t Template, text string) bool {
	if !m.Hides(m.tables[e.Table].keys[name].sensitive) || m.Hides(e.TemplateSensitivity(t)) {
		return false
	}
	_, err := t.Parse(text)
	return err != nil
}

func (m *Masker) value(a *Attribute, v types.AttributeValue) types.AttributeValue {
	if _, null := v.(*types.AttributeValueMemberNULL); null {
		return v
	}
	if m.Hides(a.Sensitive) {
		text, ok := ValueText(v)
		if !ok {
			text = "document"
		}
		return StringValue(m.MaskText(text, a.Sensitive, a.Format))
	}
	inside := a.deepest()
	if !m.Hides(inside) {
		return v
	}
	switch v := v.(type) {
	case *types.AttributeValueMemberM:
		return m.document(a, v.Value)
	case *types.AttributeValueMemberL:
		out := make([]types.AttributeValue, len(v.Value))
		for i, element := range v.Value {
			out[i] = m.value(a, element)
		}
		return &types.AttributeValueMemberL{Value: out}
	default:
		// Documented as a document with sensitive parts, but none: the parts
		// cannot be told, so all of it is hidden.
		return StringValue(m.MaskText("document", inside, NoFormat))
	}
}

// document hides the sensitive parts of a map, and those that nobody documents:
// beside a token may stand another one.
func (m *Masker) document(a *Attribute, doc map[string]types.AttributeValue) types.AttributeValue {
	out := make(map[string]types.AttributeValue, len(doc))
	hidden := StringValue(m.MaskText("part", a.deepest(), NoFormat))
	for _, n := range a.Attributes {
		if inner, ok := doc[n.Name]; ok {
			out[n.Name] = m.value(n, inner)
		}
	}
	var odd []string
	for name := range doc {
		if _, declared := out[name]; declared {
			continue
		}
		if !plainName(name) {
			odd = append(odd, name)
			continue
		}
		out[name] = hidden
	}
	hideNames(out, odd, hidden)
	return &types.AttributeValueMemberM{Value: out}
}

// unknown hides an attribute of an item that no entity matches. What no entity
// of the table declares may be anything: it is shown only when revealed.
func (m *Masker) unknown(table *Table, name string, v types.AttributeValue) types.AttributeValue {
	if m.undeclared(table, nil, name) {
		return StringValue(maskedText)
	}
	return m.stray(table, name, v)
}

// undeclared reports whether an attribute of an item of e, nil for one that no
// entity matches, is hidden because nobody declares it.
func (m *Masker) undeclared(table *Table, e *Entity, name string) bool {
	switch {
	case m.reveal:
		return false
	case e != nil:
		_, key := e.Keys[name]
		return e.Undocumented && !key && e.Attribute(name) == nil
	}
	tm := m.tables[table]
	_, declared := tm.declared[name]
	_, key := tm.keys[name]
	return !declared && !key
}

// stray hides an attribute that the item's own entity, if it has one, does not
// declare: whatever is sensitive in any entity of the table, and the keys
// behind their documented beginning.
func (m *Masker) stray(table *Table, name string, v types.AttributeValue) types.AttributeValue {
	tm := m.tables[table]
	s, head := tm.declared[name], ""
	if k, ok := tm.keys[name]; ok && s == Open {
		s = k.sensitive
		text, _ := ValueText(v)
		head = k.head(text)
	}
	switch {
	case !m.Hides(s):
		return v
	case head != "":
		return StringValue(head + maskedText)
	default:
		return StringValue(m.MaskText("hidden", s, NoFormat))
	}
}

// head returns the longest literal that starts a template of the key attribute
// and the text: it tells the kind of key and nothing more.
func (k keyMask) head(text string) string {
	head := ""
	for _, h := range k.heads {
		if len(h) > len(head) && strings.HasPrefix(text, h) {
			head = h
		}
	}
	return head
}

// TemplateSensitivity is the closest sensitivity of the template's
// placeholders.
func (e *Entity) TemplateSensitivity(t Template) Sensitivity {
	worst := Open
	for _, s := range t.segs {
		if a := e.Attribute(s.Name); a != nil {
			worst = closer(worst, a.Sensitive)
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
