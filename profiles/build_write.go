package profiles

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/placed"
	"github.com/ddbdesk/ddbdesk/models"
)

// settings builds the values of attributes. moved lists attributes only in the key that a move may set.
func (b formulas) settings(
	path string, list placed.Ordered[formulaDecl], e *models.Entity, moved ...string,
) ([]change.Setting, []formulaReference) {
	var out []change.Setting
	var uses []formulaReference
	for _, s := range list {
		p := path + "." + s.Key
		a, ok := e.Attribute(s.Key), slices.Contains(moved, s.Key)
		if !ok {
			a, ok = b.writableAttribute(p, e, s.Key)
		}
		if !ok {
			continue
		}
		f, more := b.formula(p, s.Value, a)
		names, inPath := b.path(p, s.Key)
		out, uses = append(out, change.Setting{Name: s.Key, Formula: f.WithPath(names)}), slices.Concat(uses, more, inPath)
	}
	return out, uses
}

// path compiles a path with references such as approvals.{user}. It returns nil for a path without references.
func (b formulas) path(at, path string) ([]change.Formula, []formulaReference) {
	if !strings.Contains(path, "{") {
		return nil, nil
	}
	var names []change.Formula
	var uses []formulaReference
	depth := 0
	parts := strings.FieldsFunc(path, func(r rune) bool {
		switch r {
		case '{':
			depth++
		case '}':
			depth--
		}
		return r == '.' && depth == 0 // {item.user} is one reference.
	})
	for _, part := range parts {
		f, more := b.name(at, formulaDecl{form: textForm, text: part})
		names, uses = append(names, f), append(uses, more...)
	}
	return names, uses
}

func (b formulas) writableAttribute(path string, e *models.Entity, name string) (*models.Attribute, bool) {
	a, ok := attributeAt(e, name)
	template, derives := e.Keys[name]
	switch {
	case derives && template.String() != "{"+name+"}":
		b.Errorf(path, "remove it", "key attribute %s is derived from %s", name, template)
	case !ok:
		b.reportUnknownAttribute(path, e, name)
	case a != nil && a.KeyOnly:
		b.Errorf(path, "", "%s exists only in the keys of %s", name, e.Name)
	case e.Distinguishes(name):
		b.Errorf(path, "remove it", "%s distinguishes %s from other entities and is set automatically", name, e.Name)
	case a != nil && a.Equals != "":
		b.Errorf(path, "remove it", "%s repeats %s and is set automatically", name, a.Equals)
	default:
		return a, true
	}
	return nil, false
}

func (b formulas) checkNotInKey(path string, e *models.Entity, name string) {
	keys, _ := keyPlaceholders(e)
	for _, k := range keys {
		if a := e.Attribute(k); pathsOverlap(k, name) && a != nil && !a.KeyOnly {
			b.Errorf(path, "", "%s is part of the primary key of %s, which only an action of kind move changes", name, e.Name)
		}
	}
}

func pathsOverlap(a, b string) bool {
	return a == b || strings.HasPrefix(a, b+".") || strings.HasPrefix(b, a+".")
}

func (b formulas) changes(
	path string, set placed.Ordered[formulaDecl], remove []string, e *models.Entity, known names, moved ...string,
) []change.Setting {
	out, uses := b.settings(path+".set", set, e, moved...)
	b.check(uses, known)
	var changedPaths []string
	addPath := func(p, name string) {
		for _, t := range changedPaths {
			switch {
			case t == name:
				b.Errorf(p, "", "%s is both set and removed", name)
			case pathsOverlap(t, name):
				b.Errorf(p, "", "%s and %s overlap, and DynamoDB refuses to change both", t, name)
			}
		}
		changedPaths = append(changedPaths, name)
		if !slices.Contains(moved, name) {
			b.checkNotInKey(p, e, name)
		}
	}
	for _, s := range set {
		addPath(path+".set."+s.Key, s.Key)
	}
	for i, name := range remove {
		p := fmt.Sprintf("%s.remove.%d", path, i)
		if strings.Contains(name, "{") {
			b.Errorf(p, "name the attribute", "remove does not accept references, found %q", models.Printable(name))
		}
		a, ok := b.writableAttribute(p, e, name)
		if ok && a != nil && a.Required && a.Path == a.Name {
			b.Errorf(p, "", "every %s requires %s, so it cannot be removed", e.Name, name)
		}
		addPath(p, name)
	}
	return out
}

func (b *actionBuilder) write() {
	d, a := b.decl, b.a
	reject := func(word string, isSet bool) {
		if isSet {
			b.Errorf(b.path+"."+word, "", "an action of kind %s cannot have %s", a.Kind, word)
		}
	}
	switch a.Kind {
	case change.KindPut:
		reject("remove", len(d.Remove) > 0)
		reject("require", len(d.Require) > 0)
		set, uses := b.settings(b.path+".set", d.Set, a.Entity)
		b.check(uses, b.names)
		a.Set = set
		b.checkComplete(b.path, a.Entity, set, b.names)
		return
	case change.KindDelete, change.KindRepair:
		reject("set", len(d.Set) > 0)
		reject("remove", len(d.Remove) > 0)
	default:
		a.Set, a.Remove = b.changes(b.path, d.Set, d.Remove, a.Entity, b.names, b.movedKeyParts()...), d.Remove
		if a.Lifecycle == nil && len(d.Set)+len(d.Remove)+len(b.companionDecls) == 0 {
			b.Errorf(b.path, "add set:, remove: or transition:", "action changes nothing")
		}
		for _, s := range d.Set {
			if a.Lifecycle != nil && s.Key == a.Lifecycle.Attribute {
				b.Errorf(b.path+".set."+s.Key, "remove it", "the transition sets %s", s.Key)
			}
		}
	}
	a.Require = b.requirements(b.path+".require", d.Require, a.Entity, b.names)
}

// movedKeyParts returns the primary key parts that a move may set, if the move sets at least one.
func (b *actionBuilder) movedKeyParts() []string {
	if b.a.Kind != change.KindMove {
		return nil
	}
	keys, _ := keyPlaceholders(b.a.Entity)
	isSet := func(key string) bool {
		_, set := b.decl.Set.Get(key)
		return set || b.a.Lifecycle != nil && b.a.Lifecycle.Attribute == key
	}
	if !slices.ContainsFunc(keys, isSet) {
		b.Errorf(b.path+".set", "", "a move sets a part of the primary key of %s: %s", b.a.Entity.Name, strings.Join(keys, ", "))
	}
	return keys
}

func (b formulas) checkComplete(path string, e *models.Entity, set []change.Setting, known names) {
	isSet := func(change.Setting) bool { return true } // other code reports unknown names
	for _, name := range missingAttributes(e, set, known, isSet) {
		place := "set:"
		if a := e.Attribute(name); a != nil && a.KeyOnly {
			place = "let:, because it exists only in a key"
		}
		b.Errorf(path+".set", "add "+name+" to "+place, "a new %s has no value for %s", e.Name, name)
	}
}

// missingAttributes returns required attributes and key placeholders without a setting that has a value.
func missingAttributes(e *models.Entity, set []change.Setting, known names, has func(change.Setting) bool) []string {
	isSet := func(name string) bool {
		return slices.ContainsFunc(set, func(s change.Setting) bool {
			return (s.Name == name || strings.HasPrefix(s.Name, name+".")) && has(s)
		})
	}
	keys, needed := keyPlaceholders(e)
	missing := models.Filter(keys, func(k string) bool { return needed[k] && !isSet(k) && !known.has(k) })
	for _, a := range e.Attributes {
		_, derives := e.Keys[a.Name]
		automatic := a.KeyOnly || derives || a.Equals != "" || a.Name == e.Version || a.Name == e.Updated ||
			e.Distinguishes(a.Name) || slices.Contains(keys, a.Name)
		if a.Required && !automatic && !isSet(a.Name) {
			missing = append(missing, a.Name)
		}
	}
	return missing
}

func (b formulas) requirements(path string, list []requirementDecl, e *models.Entity, known names) []change.Requirement {
	var out []change.Requirement
	for i, d := range list {
		p := fmt.Sprintf("%s.%d", path, i)
		r := change.Requirement{Attribute: d.Attribute, OrMissing: d.OrMissing, Message: d.Because}
		if len(d.Any) > 0 && d.Attribute == "" {
			r.Any = b.requirements(p+".any", d.Any, e, known)
			out = append(out, r)
			continue
		}
		a, _ := attributeAt(e, d.Attribute)
		if !isStored(e, d.Attribute) {
			b.reportUnknownAttribute(p+".attribute", e, d.Attribute)
			continue
		}
		words := len(d.Any)
		for _, c := range comparisons[formulaDecl](d) {
			words++
			var uses []formulaReference
			if r.Compare = c.compare; a != nil && r.Compare.IsOrdering() {
				b.checkSortsByTime(p+"."+c.word, a.Path, a.Format)
			}
			target := a
			if c.compare == accesspatterns.Contains {
				target = a.Member()
			}
			r.Value, uses = b.formula(p+"."+c.word, c.value, target)
			b.check(uses, known)
		}
		if d.Exists != nil {
			words++
			r.Compare = accesspatterns.NotExists
			if *d.Exists {
				r.Compare = accesspatterns.Exists
			}
		}
		if words != 1 {
			b.Errorf(p, "", "expected exactly one of equals, differs, under, up_to, over, from, contains and exists, found %d", words)
			continue
		}
		out = append(out, r)
	}
	return out
}

// reading uses the value of the same name for a missing part of the key.
func (b formulas) reading(r namedPart[readingDecl], e *models.Entity, known names) change.Reading {
	out := change.Reading{Alias: r.name, Entity: e, Optional: r.decl.Optional, Pattern: b.p.Pattern(r.decl.Pattern)}
	keys, needed := keyPlaceholders(e)
	kind := "the primary key of " + e.Name
	if out.Pattern != nil {
		keys, needed, kind = nil, map[string]bool{}, out.Pattern.ID
		for _, q := range out.Pattern.Params {
			keys = append(keys, q.Name)
			needed[q.Name] = q.Required && q.Default == ""
		}
	}
	for _, k := range r.decl.Key.Keys() {
		if !slices.Contains(keys, k) {
			b.Errorf(r.path+".key."+k, nearestHint(k, keys), "%s does not contain {%s}", kind, models.Printable(k))
		}
	}
	for _, name := range keys {
		path := r.path + ".key." + name
		d, isSet := r.decl.Key.Get(name)
		switch {
		case isSet:
		case known.has(name):
			d = formulaDecl{form: textForm, text: "{" + name + "}"}
		case needed[name]:
			b.Errorf(path, "add key: {"+name+": ..}", "%s needs {%s}, which has no value here", kind, name)
			continue
		default:
			continue
		}
		f, uses := b.name(path, d)
		b.check(uses, known)
		out.Key = append(out.Key, change.Setting{Name: name, Formula: f})
	}
	return out
}

// formulas builds formulas and the writes that contain them.
type formulas struct{ *builder }

// names contains the names that formulas in one place can use.
type names struct {
	lets, inputs []string
	aliases      map[string]*models.Entity
	subject      *models.Entity // nil where there is no item yet
	inEntry      bool           // an audit entry, which can refer to the change
}

func (n names) has(name string) bool {
	switch {
	case slices.Contains(n.lets, name) || slices.Contains(n.inputs, name):
		return true
	case name == "before" || name == "after":
		return n.inEntry
	case name == change.Subject:
		return false // the item itself is not a value
	case isReserved(name):
		return true
	}
	head, rest, nested := strings.Cut(name, ".")
	if e := n.aliases[head]; e != nil && nested {
		return isStored(e, rest)
	}
	if n.subject == nil {
		return false
	}
	return head == change.Subject && nested && isStored(n.subject, rest) || isReadable(n.subject, name)
}

func isReserved(name string) bool {
	if slices.Contains(change.ReservedNames(), name) {
		return true
	}
	if !strings.HasPrefix(name, "now") && !strings.HasPrefix(name, "today") {
		return false
	}
	_, err := models.ParseTime(name, time.Unix(0, 0)) // in the year 1, now-2d would be out of range
	return err == nil
}

func (n names) all() []string {
	list := slices.Concat(n.lets, n.inputs, models.Filter(change.ReservedNames(), n.has))
	if n.subject != nil {
		for _, p := range paths(n.subject.Attributes) {
			list = append(list, p)
			if isStored(n.subject, p) {
				list = append(list, change.Subject+"."+p)
			}
		}
	}
	for _, alias := range slices.Sorted(maps.Keys(n.aliases)) {
		for _, p := range paths(n.aliases[alias].Attributes) {
			if isStored(n.aliases[alias], p) {
				list = append(list, alias+"."+p)
			}
		}
	}
	return list
}

func paths(list []*models.Attribute) []string {
	var out []string
	for _, a := range list {
		out = append(out, a.Path)
		out = append(out, paths(a.Attributes)...)
	}
	return out
}

// isReadable reports whether items can have a value at the path, even if only inside a key.
func isReadable(e *models.Entity, path string) bool {
	a := e.Attribute(path)
	return isStored(e, path) || a != nil && a.KeyOnly
}

func isStored(e *models.Entity, path string) bool {
	a, ok := attributeAt(e, path)
	return ok && (a == nil || !a.KeyOnly) || slices.Contains(e.KeyNames(), path)
}

// attributeAt returns nil and true inside a map without declared fields, where every path is valid.
func attributeAt(e *models.Entity, path string) (*models.Attribute, bool) {
	if a := e.Attribute(path); a != nil {
		return a, true
	}
	for {
		i := strings.LastIndexByte(path, '.')
		if i < 0 {
			return nil, false
		}
		path = path[:i]
		if a := e.Attribute(path); a != nil {
			return nil, a.Type == models.TypeM && len(a.Attributes) == 0
		}
	}
}

// A formulaReference is a reference in a formula, with the formula's path in the schema.
type formulaReference struct {
	path string
	ref  change.Reference
}

// formula compiles the formula of attribute a. A nil attribute has no declared type; its formula can be a sum.
func (b formulas) formula(path string, d formulaDecl, a *models.Attribute) (change.Formula, []formulaReference) {
	t := models.TypeN
	if a != nil {
		t = a.Type
	}
	return b.typed(path, d, a, t)
}

func (b formulas) name(path string, d formulaDecl) (change.Formula, []formulaReference) {
	return b.typed(path, d, nil, "")
}

func (b formulas) typed(path string, d formulaDecl, a *models.Attribute, t models.Type) (change.Formula, []formulaReference) {
	switch d.form {
	case mapForm:
		return b.document(path, d, a)
	case listForm:
		return b.list(path, d, a)
	case textForm:
	case noForm, nullForm:
		b.Errorf(path, "write a formula, or use remove: to delete the attribute", "formula is empty")
		return change.Formula{}, nil
	}
	if a == nil && t != "" {
		if v, ok := d.literal(); ok {
			return change.Literal(v), nil
		}
	}
	isCollection := slices.Contains([]models.Type{models.TypeSS, models.TypeNS, models.TypeBS, models.TypeL}, t)
	f, err := change.ParseFormula(d.text, t == models.TypeN || isCollection, b.p.ValueMaps)
	if err != nil {
		b.Errorf(path, "", "formula %q: %v", models.Printable(d.text), err)
		return f, nil
	}
	if isCollection {
		f = f.AsCollection()
	}
	var uses []formulaReference
	for _, r := range f.References() {
		uses = append(uses, formulaReference{path, r})
	}
	if a != nil && len(uses) == 0 {
		b.checkLiteral(path, d.text, a)
	}
	return f, uses
}

func (d formulaDecl) literal() (types.AttributeValue, bool) {
	t := map[string]models.Type{"!!bool": models.TypeBOOL, "!!int": models.TypeN, "!!float": models.TypeN}[d.tag]
	if t == "" {
		return nil, false
	}
	v, err := models.ScalarValue(t, d.text)
	return v, err == nil
}

func (b formulas) checkLiteral(path, text string, a *models.Attribute) {
	if len(a.Enum) > 0 && !a.OpenEnum && !slices.Contains(a.Enum, text) {
		suggestion := hintOr(text, a.Enum, "known: "+strings.Join(a.Enum, ", "))
		b.Errorf(path, suggestion, "%q is not a value of %s", models.Printable(text), a.Path)
		return
	}
	if _, err := a.Value(text); err != nil {
		b.Errorf(path, "", "%s has type %s: %v", a.Path, a.Type, err)
	}
}

func (b formulas) document(path string, d formulaDecl, a *models.Attribute) (change.Formula, []formulaReference) {
	if a != nil && a.Type != models.TypeM {
		b.Errorf(path, "", "%s has type %s and cannot be a map", a.Path, a.Type)
	}
	var fields []change.Setting
	var uses []formulaReference
	for _, e := range d.fields {
		p := path + "." + e.Key
		inner := nestedAttribute(a, e.Key)
		if inner == nil && a != nil && len(a.Attributes) > 0 {
			b.Errorf(p, nearestHint(e.Key, models.MapSlice(a.Attributes, func(inner *models.Attribute) string { return inner.Name })),
				"%s has no nested attribute %q", a.Path, models.Printable(e.Key))
		}
		f, more := b.formula(p, e.Value, inner)
		fields, uses = append(fields, change.Setting{Name: e.Key, Formula: f}), append(uses, more...)
	}
	return change.MapFormula(fields), uses
}

func nestedAttribute(a *models.Attribute, name string) *models.Attribute {
	if a == nil {
		return nil
	}
	return models.First(a.Attributes, func(inner *models.Attribute) bool { return inner.Name == name })
}

func nearestHint(word string, known []string) string {
	return strings.TrimPrefix(models.DidYouMean(word, known), "; ")
}

func hintOr(word string, known []string, fallback string) string {
	return cmp.Or(nearestHint(word, known), fallback)
}

func (b formulas) list(path string, d formulaDecl, a *models.Attribute) (change.Formula, []formulaReference) {
	if a != nil && a.Type != models.TypeL {
		b.Errorf(path, "", "%s has type %s and cannot be a list", a.Path, a.Type)
	}
	element := a.Element()
	var list []change.Formula
	var uses []formulaReference
	for i, inner := range d.list {
		f, more := b.formula(placed.Join(path, strconv.Itoa(i)), inner, element)
		list, uses = append(list, f), append(uses, more...)
	}
	return change.ListFormula(list), uses
}

func (b formulas) check(uses []formulaReference, n names) {
	for _, u := range uses {
		if n.has(u.ref.Name) {
			continue
		}
		suggestion := hintOr(u.ref.Name, n.all(), "known: "+strings.Join(n.short(), ", "))
		b.Errorf(u.path, suggestion, "unknown reference {%s}", models.Printable(u.ref.Name))
	}
}

func (n names) short() []string {
	return slices.Concat(n.lets, n.inputs, slices.Sorted(maps.Keys(n.aliases)), models.Filter(change.ReservedNames(), n.has))
}
