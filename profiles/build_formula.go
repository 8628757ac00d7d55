package profiles

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
)

// names is what the formulas at one place can name.
type names struct {
	lets, inputs []string
	aliases      map[string]*models.Entity
	subject      *models.Entity // nil where there is no item yet
	entry        bool           // of an audit entry, which knows what was changed
}

// knows reports whether name stands for something.
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

// reserved reports whether only the console gives the name a value.
func reserved(name string) bool {
	if slices.Contains(change.Reserved(), name) {
		return true
	}
	if !strings.HasPrefix(name, "now") && !strings.HasPrefix(name, "today") {
		return false
	}
	_, err := models.ParseTime(name, time.Time{})
	return err == nil
}

// all lists the names, to find the one that was meant.
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

// paths lists the attributes with those inside them.
func paths(list []*models.Attribute) []string {
	var out []string
	for _, a := range list {
		out = append(out, a.Path)
		out = append(out, paths(a.Attributes)...)
	}
	return out
}

// readable reports whether items of the entity have a value at the path, be it
// inside a key alone.
func readable(e *models.Entity, path string) bool {
	a := e.Attribute(path)
	return stored(e, path) || a != nil && a.KeyOnly
}

// stored reports whether items of the entity can have an attribute at the path.
func stored(e *models.Entity, path string) bool {
	a, ok := attributeAt(e, path)
	return ok && (a == nil || !a.KeyOnly) || slices.Contains(e.KeyNames(), path)
}

// attributeAt finds the attribute at the path. Inside a document whose content
// nobody documents every path is fine, and nil.
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

// A mention is a name in a formula, and where it stands.
type mention struct {
	path string
	ref  change.Reference
}

// formula compiles what was written for attribute a; nil is a value that nobody
// documents, a sum when it looks like one. The names in it are returned.
func (b *builder) formula(path string, d formulaDecl, a *models.Attribute) (change.Formula, []mention) {
	t := models.TypeN
	if a != nil {
		t = a.Type
	}
	return b.typed(path, d, a, t)
}

// name compiles the formula of a name, whose value has no type of its own.
func (b *builder) name(path string, d formulaDecl) (change.Formula, []mention) {
	return b.typed(path, d, nil, "")
}

// typed compiles a formula. Text for a number may be a sum.
func (b *builder) typed(path string, d formulaDecl, a *models.Attribute, t models.Type) (change.Formula, []mention) {
	switch d.form {
	case mapForm:
		return b.document(path, d, a)
	case listForm:
		return b.list(path, d, a)
	case textForm:
	case noForm, nullForm:
		b.errorf(path, "write a formula, or use remove: to delete the attribute", "formula is empty")
		return change.Formula{}, nil
	}
	f, err := change.ParseFormula(d.text, t == models.TypeN, b.p.ValueMaps)
	if err != nil {
		b.errorf(path, "", "formula %q: %v", models.Printable(d.text), err)
		return f, nil
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

// literal checks text that is written to the attribute as it stands.
func (b *builder) literal(path, text string, a *models.Attribute) {
	if len(a.Enum) > 0 && !a.OpenEnum && !slices.Contains(a.Enum, text) {
		suggestion := strings.TrimPrefix(models.DidYouMean(text, a.Enum), "; ")
		if suggestion == "" {
			suggestion = "known: " + strings.Join(a.Enum, ", ")
		}
		b.errorf(path, suggestion, "%q is not a value of %s", models.Printable(text), a.Path)
		return
	}
	if _, err := a.Value(text); err != nil {
		b.errorf(path, "", "%s has type %s: %v", a.Path, a.Type, err)
	}
}

func (b *builder) document(path string, d formulaDecl, a *models.Attribute) (change.Formula, []mention) {
	if a != nil && a.Type != models.TypeM {
		b.errorf(path, "", "%s has type %s and cannot be a map", a.Path, a.Type)
	}
	var fields []change.Setting
	var uses []mention
	for _, e := range d.fields {
		p := path + "." + e.Key
		inner := within(a, e.Key)
		if inner == nil && a != nil && len(a.Attributes) > 0 {
			b.errorf(p, near(e.Key, children(a)), "%s has no nested attribute %q", a.Path, models.Printable(e.Key))
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
	for _, inner := range a.Attributes {
		if inner.Name == name {
			return inner
		}
	}
	return nil
}

func children(a *models.Attribute) []string {
	var list []string
	for _, inner := range a.Attributes {
		list = append(list, inner.Name)
	}
	return list
}

func near(word string, known []string) string {
	return strings.TrimPrefix(models.DidYouMean(word, known), "; ")
}

func (b *builder) list(path string, d formulaDecl, a *models.Attribute) (change.Formula, []mention) {
	var element *models.Attribute
	if a != nil {
		if a.Type != models.TypeL {
			b.errorf(path, "", "%s has type %s and cannot be a list", a.Path, a.Type)
		}
		t := a.Items
		if t == "" && len(a.Attributes) > 0 {
			t = models.TypeM
		}
		if t != "" {
			element = &models.Attribute{Name: a.Name, Path: a.Path, Type: t, Attributes: a.Attributes}
		}
	}
	var list []change.Formula
	var uses []mention
	for i, inner := range d.list {
		f, more := b.formula(join(path, strconv.Itoa(i)), inner, element)
		list, uses = append(list, f), append(uses, more...)
	}
	return change.ListFormula(list), uses
}

// check reports the names that stand for nothing.
func (b *builder) check(uses []mention, n names) {
	for _, u := range uses {
		if n.knows(u.ref.Name) {
			continue
		}
		suggestion := near(u.ref.Name, n.all())
		if suggestion == "" {
			suggestion = "known: " + strings.Join(n.short(), ", ")
		}
		b.errorf(u.path, suggestion, "unknown reference {%s}", models.Printable(u.ref.Name))
	}
}

// short lists the names that no attribute has.
func (n names) short() []string {
	list := slices.Concat(n.lets, n.inputs, slices.Sorted(maps.Keys(n.aliases)))
	for _, r := range change.Reserved() {
		if n.knows(r) {
			list = append(list, r)
		}
	}
	return list
}
