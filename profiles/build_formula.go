package profiles

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/placed"
	"github.com/ddbdesk/ddbdesk/models"
)

// formulas builds formulas and the writes that they make up.
type formulas struct{ *builder }

// names holds the names that formulas at one place can use.
type names struct {
	lets, inputs []string
	aliases      map[string]*models.Entity
	subject      *models.Entity // nil where there is no item yet
	entry        bool           // of an audit entry, which knows what was changed
}

func (n names) knows(name string) bool {
	switch {
	case slices.Contains(n.lets, name) || slices.Contains(n.inputs, name):
		return true
	case name == "before" || name == "after":
		return n.entry
	case name == change.Subject:
		return false // the item itself is no value
	case reserved(name):
		return true
	}
	head, rest, nested := strings.Cut(name, ".")
	if e := n.aliases[head]; e != nil && nested {
		return stored(e, rest)
	}
	if n.subject == nil {
		return false
	}
	return head == change.Subject && nested && stored(n.subject, rest) || readable(n.subject, name)
}

func reserved(name string) bool {
	if slices.Contains(change.Reserved(), name) {
		return true
	}
	if !strings.HasPrefix(name, "now") && !strings.HasPrefix(name, "today") {
		return false
	}
	_, err := models.ParseTime(name, time.Unix(0, 0)) // the year 1 would leave no room for now-2d
	return err == nil
}

func (n names) all() []string {
	list := slices.Concat(n.lets, n.inputs)
	for _, r := range change.Reserved() {
		if n.knows(r) {
			list = append(list, r)
		}
	}
	if n.subject != nil {
		for _, p := range paths(n.subject.Attributes) {
			list = append(list, p)
			if stored(n.subject, p) {
				list = append(list, change.Subject+"."+p)
			}
		}
	}
	for _, alias := range slices.Sorted(maps.Keys(n.aliases)) {
		for _, p := range paths(n.aliases[alias].Attributes) {
			if stored(n.aliases[alias], p) {
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

// readable reports whether items can have a value at the path, even if only inside a key.
func readable(e *models.Entity, path string) bool {
	a := e.Attribute(path)
	return stored(e, path) || a != nil && a.KeyOnly
}

func stored(e *models.Entity, path string) bool {
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

// A mention is a reference in a formula, with the path of the formula.
type mention struct {
	path string
	ref  change.Reference
}

// formula compiles the formula of attribute a. A nil attribute has no declared type; its formula can be a sum.
func (b formulas) formula(path string, d formulaDecl, a *models.Attribute) (change.Formula, []mention) {
	t := models.TypeN
	if a != nil {
		t = a.Type
	}
	return b.typed(path, d, a, t)
}

func (b formulas) name(path string, d formulaDecl) (change.Formula, []mention) {
	return b.typed(path, d, nil, "")
}

func (b formulas) typed(path string, d formulaDecl, a *models.Attribute, t models.Type) (change.Formula, []mention) {
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
	collected := slices.Contains([]models.Type{models.TypeSS, models.TypeNS, models.TypeBS, models.TypeL}, t)
	f, err := change.ParseFormula(d.text, t == models.TypeN || collected, b.p.ValueMaps)
	if err != nil {
		b.Errorf(path, "", "formula %q: %v", models.Printable(d.text), err)
		return f, nil
	}
	if collected {
		f = f.Collected()
	}
	var uses []mention
	for _, r := range f.References() {
		uses = append(uses, mention{path, r})
	}
	if a != nil && len(uses) == 0 {
		b.literal(path, d.text, a)
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

func (b formulas) literal(path, text string, a *models.Attribute) {
	if len(a.Enum) > 0 && !a.OpenEnum && !slices.Contains(a.Enum, text) {
		suggestion := nearOr(text, a.Enum, "known: "+strings.Join(a.Enum, ", "))
		b.Errorf(path, suggestion, "%q is not a value of %s", models.Printable(text), a.Path)
		return
	}
	if _, err := a.Value(text); err != nil {
		b.Errorf(path, "", "%s has type %s: %v", a.Path, a.Type, err)
	}
}

func (b formulas) document(path string, d formulaDecl, a *models.Attribute) (change.Formula, []mention) {
	if a != nil && a.Type != models.TypeM {
		b.Errorf(path, "", "%s has type %s and cannot be a map", a.Path, a.Type)
	}
	var fields []change.Setting
	var uses []mention
	for _, e := range d.fields {
		p := path + "." + e.Key
		inner := within(a, e.Key)
		if inner == nil && a != nil && len(a.Attributes) > 0 {
			b.Errorf(p, near(e.Key, models.NamesOf(a.Attributes, func(inner *models.Attribute) string { return inner.Name })),
				"%s has no nested attribute %q", a.Path, models.Printable(e.Key))
		}
		f, more := b.formula(p, e.Value, inner)
		fields, uses = append(fields, change.Setting{Name: e.Key, Formula: f}), append(uses, more...)
	}
	return change.MapFormula(fields), uses
}

func within(a *models.Attribute, name string) *models.Attribute {
	if a == nil {
		return nil
	}
	return find(a.Attributes, func(inner *models.Attribute) bool { return inner.Name == name })
}

func near(word string, known []string) string {
	return strings.TrimPrefix(models.DidYouMean(word, known), "; ")
}

func nearOr(word string, known []string, otherwise string) string {
	return cmp.Or(near(word, known), otherwise)
}

func (b formulas) list(path string, d formulaDecl, a *models.Attribute) (change.Formula, []mention) {
	if a != nil && a.Type != models.TypeL {
		b.Errorf(path, "", "%s has type %s and cannot be a list", a.Path, a.Type)
	}
	element := a.Element()
	var list []change.Formula
	var uses []mention
	for i, inner := range d.list {
		f, more := b.formula(placed.Join(path, strconv.Itoa(i)), inner, element)
		list, uses = append(list, f), append(uses, more...)
	}
	return change.ListFormula(list), uses
}

func (b formulas) check(uses []mention, n names) {
	for _, u := range uses {
		if n.knows(u.ref.Name) {
			continue
		}
		suggestion := nearOr(u.ref.Name, n.all(), "known: "+strings.Join(n.short(), ", "))
		b.Errorf(u.path, suggestion, "unknown reference {%s}", models.Printable(u.ref.Name))
	}
}

func (n names) short() []string {
	list := slices.Concat(n.lets, n.inputs, slices.Sorted(maps.Keys(n.aliases)))
	for _, r := range change.Reserved() {
		if n.knows(r) {
			list = append(list, r)
		}
	}
	return list
}
