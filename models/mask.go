package models

import (
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// A Masker hides personal data and secrets in items, keys and texts. It is the only place that decides which values a
// person may see. The zero value has no entities and hides every attribute; see NewMasker. It is safe for concurrent
// use.
type Masker struct {
	entities       []*Entity
	reveal         bool
	showUndeclared bool // show the undeclared attributes of a recognized entity
	tables         map[*Table]tableMask
	visible        map[*Entity]map[string]bool // attributes without any hidden value
	givenKeys      map[string][]string         // key attribute values that the user entered; see WithGivenKeys
}

// A tableMask combines the declarations of all entities of a table. It applies to items that match no entity, and to
// attributes that the item's entity does not declare.
type tableMask struct {
	declared map[string]Sensitivity // every documented attribute, by name
	keys     map[string]keyMask     // every key attribute
}

// A keyMask combines the templates of one key attribute.
type keyMask struct {
	sensitive Sensitivity
	prefixes  []string // the literals that the templates start with
}

// NewMasker returns the masker for items of these entities. With reveal, it shows personal data but never secrets. The
// entities must be sealed. The caller sets reveal only if the role allows it and the journal has a reason; the Masker
// checks neither.
func NewMasker(entities []*Entity, reveal bool) *Masker {
	m := &Masker{entities: entities, reveal: reveal, tables: map[*Table]tableMask{}, visible: map[*Entity]map[string]bool{}}
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
			tm.declared[a.Name] = Stricter(tm.declared[a.Name], a.Strictest())
		}
		for name, t := range e.Keys {
			k := tm.keys[name]
			k.sensitive = Stricter(k.sensitive, e.TemplateSensitivity(t))
			if prefix := t.LiteralPrefix(); prefix != "" {
				k.prefixes = append(k.prefixes, prefix)
			}
			tm.keys[name] = k
		}
	}
	for _, e := range entities {
		m.visible[e] = m.visibleAttributes(e)
	}
	return m
}

// WithGivenKeys returns a masker for the results of a request for which the user entered some key attribute values. The
// masker shows those values even in items that match no entity, unless they may be secrets.
func (m *Masker) WithGivenKeys(given map[string][]string) *Masker {
	if m == nil || len(given) == 0 {
		return m
	}
	out := *m
	out.givenKeys = given
	return &out
}

// WithUndeclared returns the masker for roles that may see undeclared attributes of a known entity.
func (m *Masker) WithUndeclared() *Masker {
	out := *m
	out.showUndeclared, out.visible = true, map[*Entity]map[string]bool{}
	for _, e := range out.entities {
		out.visible[e] = out.visibleAttributes(e)
	}
	return &out
}

func (m *Masker) showsUndeclared(e *Entity) bool {
	return m.showUndeclared || m.reveal || e.ShowUndeclared || e.ByName != nil
}

func (m *Masker) visibleAttributes(e *Entity) map[string]bool {
	tm, open := m.tables[e.Table], map[string]bool{}
	for _, a := range e.Attributes {
		open[a.Name] = !m.Hides(a.Strictest()) && (m.showsUndeclared(e) || !a.hasParts())
	}
	for name, t := range e.Keys {
		a, declared := open[name]
		open[name] = (a || !declared) && !m.Hides(e.TemplateSensitivity(t)) &&
			!m.Hides(Stricter(tm.keys[name].sensitive, tm.declared[name]))
	}
	return open
}

func (a *Attribute) hasParts() bool { return len(a.Attributes) > 0 }

// Strictest returns the strictest sensitivity of the attribute and everything nested in it.
func (a *Attribute) Strictest() Sensitivity {
	s := a.Sensitive
	if a.Undocumented {
		s = Stricter(s, PII)
	}
	for _, n := range a.Attributes {
		s = Stricter(s, n.Strictest())
	}
	return s
}

// TemplateSensitivity returns the strictest sensitivity of the template's placeholders.
func (e *Entity) TemplateSensitivity(t Template) Sensitivity {
	strictest := NotSensitive
	for _, s := range t.segs {
		if a := e.Attribute(s.Name); a != nil {
			strictest = Stricter(strictest, a.Sensitive)
		}
	}
	return strictest
}

// Stricter returns the stricter of s and the sensitivity that the entity declares for the value at a path: the
// strictest of the attributes along the path and inside it.
func (e *Entity) Stricter(s Sensitivity, path []string) Sensitivity {
	path = withoutElements(path)
	if t, key := e.Keys[path[0]]; key {
		s = Stricter(s, e.TemplateSensitivity(t))
	}
	for i := range path {
		a := e.Attribute(strings.Join(path[:i+1], "."))
		switch {
		case a != nil && i+1 < len(path) && e.Attribute(strings.Join(path[:i+2], ".")) != nil:
			s = Stricter(s, a.Sensitive)
		case a != nil:
			s = Stricter(s, a.Strictest())
		case e.ByName != nil && e.Attribute(path[0]) == nil:
			s = Stricter(s, e.ByName(path[i]))
		}
	}
	return s
}

// HidesPath reports whether the value at a path is hidden for some entity of a table, and whether it is hidden for
// every entity that may have it. Items that match no entity may hide more.
func (m *Masker) HidesPath(table *Table, path []string) (some, all bool) {
	all = true
	for _, e := range m.entities {
		if e.Table != table {
			continue
		}
		_, key := e.Keys[path[0]]
		isHidden := m.Hides(e.Stricter(NotSensitive, path)) || m.isUndeclared(table, e, path[0]) || m.hidesPart(e, path)
		some = some || isHidden
		all = all && (isHidden || !key && e.Attribute(path[0]) == nil && e.ByName == nil)
	}
	return some, some && all
}

func (m *Masker) hidesPart(e *Entity, path []string) bool {
	path = withoutElements(path)
	for i := 1; i < len(path) && !m.showsUndeclared(e); i++ {
		a := e.Attribute(strings.Join(path[:i], "."))
		if a != nil && a.hasParts() && e.Attribute(strings.Join(path[:i+1], ".")) == nil {
			return true
		}
	}
	return false
}

// HidesName reports whether an attribute name is hidden in some items of a table, because the name may be data.
func (m *Masker) HidesName(table *Table, name string) bool {
	guessesByName := false
	for _, e := range m.entities {
		if e.Table == table && m.hidesName(table, e, name) {
			return true
		}
		guessesByName = guessesByName || e.Table == table && e.ByName != nil
	}
	return !guessesByName && m.hidesName(table, nil, name)
}

// Hides reports whether the value at a path is hidden, entirely or in part.
func (v *LazyItem) Hides(path []string) bool {
	top, _ := v.At(path[0])
	for i := range path {
		shown, ok := Item{path[0]: top}.AtNames(path[:i+1])
		if _, whole := shown.(*Masked); ok && (whole || i+1 == len(path) && IsMasked(shown)) {
			return true
		}
	}
	return false
}

// Hides reports whether values of sensitivity s are hidden. m must not be nil.
func (m *Masker) Hides(s Sensitivity) bool {
	return s == Secret || s == PII && !m.reveal
}

// Display returns the visible form of a value with the text, sensitivity s and format f. Empty text stays empty. A
// masked email address keeps its first letter and its top-level domain.
func (m *Masker) Display(text string, s Sensitivity, f Format) Display {
	if text == "" || !m.Hides(s) {
		return Display{Text: text}
	}
	return hidden(s, f, text)
}

// MaskText returns the text of Display.
func (m *Masker) MaskText(text string, s Sensitivity, f Format) string {
	return m.Display(text, s, f).Text
}

// Key returns the text of DisplayKey. It does not report whether a part is hidden, so use the text only for display.
func (m *Masker) Key(e *Entity, t Template, key string) string { return m.DisplayKey(e, t, key).Text }

// DisplayKey returns the visible form of a key of e with the template t, and masks the placeholders of sensitive
// attributes. If the key does not fit its template or its split is ambiguous, DisplayKey shows only the literal prefix.
func (m *Masker) DisplayKey(e *Entity, t Template, key string) Display {
	sensitivity := e.TemplateSensitivity(t)
	if !m.Hides(sensitivity) {
		return Display{Text: key}
	}
	match, err := t.Parse(key)
	if err != nil || match.Ambiguous {
		return Display{key[:commonPrefix(key, t.LiteralPrefix())] + MaskedText, true, sensitivity == Secret}
	}
	var b strings.Builder
	var out Display
	for _, span := range match.Spans {
		part := Display{Text: key[span.Start:span.End]}
		if a := e.Attribute(span.Segment.Name); a != nil {
			part = m.Display(part.Text, a.Sensitive, a.Format)
		}
		b.WriteString(part.Text)
		out.Masked, out.Secret = out.Masked || part.Masked, out.Secret || part.Secret
	}
	out.Text = b.String()
	return out
}

// Item returns a copy of the item in which hidden values are *Masked, or nil if the item is nil. It does not change the
// item. The copy shares the visible values, so the caller must not change them in place.
func (m *Masker) Item(table *Table, it Item) Item {
	if it == nil {
		return nil
	}
	return m.itemOf(table, m.Entity(table, it), it)
}

// Entity returns the entity that the item matches, or nil. Pass a masked item only if its key is fully visible, because
// matching reads the key.
func (m *Masker) Entity(table *Table, it Item) *Entity {
	return bestMatch(m.entities, table, it)
}

// KeyOf returns a masked copy of the key of an item of e; it omits the item's other attributes. It applies the rules of
// e even if the key belongs to another entity.
func (m *Masker) KeyOf(e *Entity, key Item) Item {
	table := e.Table
	if _, known := m.visible[e]; !known {
		e = nil
	}
	return m.itemOf(table, e, key)
}

// Diff returns the masked changes from before to after, two states of an item of the table. It includes values that
// differ but look the same when masked.
func (m *Masker) Diff(table *Table, before, after Item) []Change {
	return m.DiffWith(table, before, m, table, after)
}

// DiffWith is Diff for two states in different databases: other masks the state after, which is an item of its table.
func (m *Masker) DiffWith(table *Table, before Item, other *Masker, otherTable *Table, after Item) []Change {
	changes := Diff(before, after)
	shownBefore, shownAfter := m.Item(table, before), other.Item(otherTable, after)
	for i, c := range changes {
		if c.Before != nil {
			changes[i].Path, changes[i].Before = m.Entity(table, before).MaskedAt(shownBefore, c.Path)
		}
		if c.After != nil {
			changes[i].Path, changes[i].After = other.Entity(otherTable, after).MaskedAt(shownAfter, c.Path)
		}
	}
	return changes
}

func (m *Masker) itemOf(table *Table, e *Entity, it Item) Item {
	out := make(Item, len(it))
	var unsafe []string
	for name, v := range it {
		if m.hidesName(table, e, name) {
			unsafe = append(unsafe, name)
			continue
		}
		out[name] = m.maskValue(table, e, name, v)
	}
	hideNames(out, unsafe, HiddenValue())
	return out
}

// Undeclared returns the names of attributes that the item's entity does not declare, so that m hides their values from
// some roles. It omits names that may themselves be data.
func (m *Masker) Undeclared(table *Table, it Item) []string {
	e := m.Entity(table, it)
	if e == nil || e.Undocumented {
		return nil
	}
	return slices.DeleteFunc(it.Names(), func(name string) bool { return !isSafeName(name) || !m.isUndeclared(table, e, name) })
}

func (m *Masker) hidesName(table *Table, e *Entity, name string) bool {
	return !isSafeName(name) && m.isUndeclared(table, e, name)
}

func (m *Masker) maskValue(table *Table, e *Entity, name string, v types.AttributeValue) types.AttributeValue {
	if e != nil {
		if m.visible[e][name] {
			return v
		}
		t, key := e.Keys[name]
		text, scalar := ValueText(v)
		a := e.Attribute(name)
		switch {
		case key && scalar && m.isOtherEntityKey(e, name, t, text):
		case key && scalar:
			if d := m.DisplayKey(e, t, text); d.Masked {
				return d.Value()
			}
			return v
		case a != nil:
			return m.maskAttribute(a, v, m.showsUndeclared(e))
		case !key && e.ByName != nil:
			if s := e.guessSensitivity(name, v); m.Hides(s) {
				return hidden(s, NoFormat, "").Value()
			}
		}
	}
	if m.isUndeclared(table, e, name) {
		if shown := m.maskUndeclared(table, name, v); IsMasked(shown) { // Another entity declares it.
			return shown
		}
		return HiddenValue()
	}
	return m.maskUndeclared(table, name, v)
}

// PlanFormat begins the format of a saved plan, in its first member. The inputs of the plan can be personal data.
const PlanFormat = "ddbdesk plan "

// guessSensitivity returns the strictest sensitivity that the names in an undeclared value suggest, or its text: the
// table may contain change requests.
func (e *Entity) guessSensitivity(name string, v types.AttributeValue) Sensitivity {
	strictest := e.ByName(name)
	switch v := v.(type) {
	case *types.AttributeValueMemberM:
		for inner, part := range v.Value {
			strictest = Stricter(strictest, e.guessSensitivity(inner, part))
		}
	case *types.AttributeValueMemberL:
		for _, part := range v.Value {
			strictest = Stricter(strictest, e.guessSensitivity("", part))
		}
	case *types.AttributeValueMemberS:
		if strings.HasPrefix(v.Value, `{"format":"`+PlanFormat) {
			return Stricter(strictest, PII)
		}
	}
	return strictest
}

func (m *Masker) isOtherEntityKey(e *Entity, name string, t Template, text string) bool {
	if !m.Hides(m.tables[e.Table].keys[name].sensitive) || m.Hides(e.TemplateSensitivity(t)) {
		return false
	}
	_, err := t.Parse(text)
	return err != nil
}

// maskAttribute masks a declared value. showUndeclared shows undeclared parts if no declared part is sensitive.
func (m *Masker) maskAttribute(a *Attribute, v types.AttributeValue, showUndeclared bool) types.AttributeValue {
	if _, null := v.(*types.AttributeValueMemberNULL); null {
		return v
	}
	if m.Hides(a.Sensitive) {
		text, scalar := ValueText(v)
		if scalar && text == "" {
			return StringValue("")
		}
		return hidden(a.Sensitive, a.Format, text).Value()
	}
	strictest := a.Strictest()
	if !m.Hides(strictest) && (showUndeclared || !a.hasParts()) {
		return v
	}
	switch v := v.(type) {
	case *types.AttributeValueMemberM:
		return m.maskDocument(a, v.Value, showUndeclared)
	case *types.AttributeValueMemberL:
		masked := func(element types.AttributeValue) types.AttributeValue {
			return m.maskAttribute(a, element, showUndeclared)
		}
		return &types.AttributeValueMemberL{Value: MapSlice(v.Value, masked)}
	default:
		if !m.Hides(strictest) {
			return v
		}
		// The schema declares parts, some of them sensitive, but this value has none, so all of it may be sensitive.
		return hidden(strictest, NoFormat, "").Value()
	}
}

// maskDocument masks a map, including undeclared parts, because they may contain secrets.
func (m *Masker) maskDocument(a *Attribute, doc map[string]types.AttributeValue, showUndeclared bool) types.AttributeValue {
	out := make(map[string]types.AttributeValue, len(doc))
	for _, n := range a.Attributes {
		if part, ok := doc[n.Name]; ok {
			out[n.Name] = m.maskAttribute(n, part, showUndeclared)
		}
	}
	hiddenValue := hidden(Stricter(PII, a.Strictest()), NoFormat, "").Value()
	var unsafe []string
	for name := range doc {
		if _, declared := out[name]; declared {
			continue
		}
		if !isSafeName(name) {
			unsafe = append(unsafe, name)
			continue
		}
		out[name] = hiddenValue
	}
	hideNames(out, unsafe, hiddenValue)
	return &types.AttributeValueMemberM{Value: out}
}

func (m *Masker) isUndeclared(table *Table, e *Entity, name string) bool {
	switch {
	case m.reveal:
		return false
	case e != nil:
		_, key := e.Keys[name]
		// In a table without a schema, developers see attributes unless their names suggest sensitive data.
		hides := e.Undocumented && (e.ByName == nil || !m.showUndeclared)
		return !key && e.Attribute(name) == nil && (hides || !m.showsUndeclared(e) && !e.isReferenced(name))
	}
	tm := m.tables[table]
	_, declared := tm.declared[name]
	_, key := tm.keys[name]
	return !declared && !key
}

// isReferenced reports whether the schema names a top-level attribute in a condition or as the TTL, even if undeclared.
func (e *Entity) isReferenced(name string) bool {
	return name == e.Table.TTL || slices.Contains(e.Has, name) ||
		slices.ContainsFunc(e.Is, func(q Equality) bool { return q.Path == name })
}

// maskUndeclared masks an undeclared attribute as the table's strictest entity would, except a key's literal prefix.
func (m *Masker) maskUndeclared(table *Table, name string, v types.AttributeValue) types.AttributeValue {
	tm := m.tables[table]
	s := tm.declared[name]
	prefix := ""
	k, key := tm.keys[name]
	if key && s == NotSensitive {
		s = k.sensitive
		text, _ := ValueText(v)
		prefix = k.prefix(text)
	}
	switch {
	case !m.Hides(s):
		return v
	case key && s != Secret && m.isGivenKey(name, v):
		return v
	case prefix != "":
		return Display{prefix + MaskedText, true, s == Secret}.Value()
	default:
		return hidden(s, NoFormat, "").Value()
	}
}

func (m *Masker) isGivenKey(name string, v types.AttributeValue) bool {
	text, scalar := ValueText(v)
	return scalar && slices.Contains(m.givenKeys[name], text)
}

// prefix returns the longest literal that starts both a template and the text. It reveals only the kind of key.
func (k keyMask) prefix(text string) string {
	longest := ""
	for _, p := range k.prefixes {
		if len(p) > len(longest) && strings.HasPrefix(text, p) {
			longest = p
		}
	}
	return longest
}

// These limits define a safe name.
const (
	maxNameBytes  = 64
	maxNameDigits = 4 // in a row: enough for a year, too few for a telephone number
)

// isSafeName accepts ASCII letters, digits and joiners, because any other name may be data, such as a telephone number.
func isSafeName(name string) bool {
	digits := 0
	for i := range len(name) {
		c := name[i]
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', strings.IndexByte("_-.:#$", c) >= 0:
			digits = 0
		default:
			return false
		}
		if digits > maxNameDigits {
			return false
		}
	}
	return len(name) <= maxNameBytes
}

func hideNames(out map[string]types.AttributeValue, names []string, value types.AttributeValue) {
	slices.Sort(names)
	for i := range names {
		name := MaskedText // not a safe name, so no other attribute can have it
		if i > 0 {
			name += " " + strconv.Itoa(i+1)
		}
		out[name] = value
	}
}
