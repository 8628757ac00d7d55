package change

import (
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
)

// derive recomputes in after what follows from an attribute that differs from
// before, or everything with all. It returns the paths that it wrote.
func (s *scope) derive(e *models.Entity, before, after models.Item, all bool) map[string]bool {
	derived := map[string]bool{}
	changed := func(path string) bool {
		x, _ := before.At(path)
		y, _ := after.At(path)
		return all || !models.EqualValues(x, y)
	}
	s.repeatTimes(e.Attributes, after, changed, derived)
	values := ownValues(e, after)
	for _, k := range e.Table.KeyAttributes() {
		t, declared := e.Keys[k.Name]
		if !declared || k == e.Table.PartitionKey || k == e.Table.SortKey || !all && !mentions(t, changed) {
			continue
		}
		if t.String() == "{"+k.Name+"}" {
			continue // the attribute itself
		}
		name := s.basis.Live.keyName(e.Table, k.Name)
		_, carried := before[name]
		if !carried && !s.wanted(e.Table, k.Name) {
			continue
		}
		text, err := t.Format(values)
		if err != nil {
			if _, there := after[name]; there {
				delete(after, name) // a sparse index: the item leaves it
				derived[name] = true
			}
			continue
		}
		if v, err := models.ScalarValue(k.Type, text); err == nil {
			after[name] = v
			derived[name] = true
		}
	}
	return derived
}

func mentions(t models.Template, changed func(string) bool) bool {
	for _, name := range t.Placeholders() {
		if changed(name) {
			return true
		}
	}
	return false
}

// wanted reports whether a key attribute belongs to an index that the live
// table has. A table that lacks an optional index gets no key for it.
func (s *scope) wanted(t *models.Table, name string) bool {
	for _, x := range t.Indexes {
		if x.PartitionKey.Name != name && x.SortKey.Name != name {
			continue
		}
		if s.basis.Live.hasIndex(t, x) {
			return true
		}
	}
	return false
}

// repeatTimes rewrites the attributes that repeat the moment of a sibling.
func (s *scope) repeatTimes(list []*models.Attribute, after models.Item, changed func(string) bool, derived map[string]bool) {
	for _, a := range list {
		s.repeatTimes(a.Attributes, after, changed, derived)
		if a.Equals == "" || !a.Format.IsTime() {
			continue
		}
		from := a.Equals
		if i := strings.LastIndexByte(a.Path, '.'); i >= 0 {
			from = a.Path[:i+1] + from
		}
		text, ok := after.Text(from)
		_, there := after.At(a.Path)
		if !ok || !changed(from) || !there && !a.Required {
			continue
		}
		at, err := models.ParseTime(text, s.basis.Now)
		if err != nil {
			continue // the drift report names it
		}
		spelled, _ := a.Format.FormatTime(at.Time)
		if v, err := models.ScalarValue(a.Type, spelled); err == nil {
			after.With(a.Path, v)
			derived[a.Path] = true
		}
	}
}

// moveOn increments the version and sets the time of the last change, unless
// the action sets them itself.
func (s *scope) moveOn(e *models.Entity, before, after models.Item, set map[string]bool) error {
	if name := e.Version; name != "" && !set[name] {
		old, ok := before.Text(name)
		if !ok {
			old = "0"
		}
		next, err := models.AddNumbers(old, "1", false)
		if err != nil {
			return &Conflict{What: name + " cannot be counted up: " + err.Error()}
		}
		v, err := models.ScalarValue(e.Attribute(name).Type, next)
		if err != nil {
			return &Conflict{What: name + " cannot be counted up: " + err.Error()}
		}
		after[name] = v
	}
	if name := e.Updated; name != "" && !set[name] {
		a := e.Attribute(name)
		v, err := models.ScalarValue(a.Type, s.spellLike(before, a))
		if err != nil {
			return &Conflict{What: name + " cannot be set: " + err.Error()}
		}
		after[name] = v
	}
	return nil
}

// spellLike writes now as the attribute stores it, in the precision of the
// value that is there when the document leaves it open.
func (s *scope) spellLike(before models.Item, a *models.Attribute) string {
	if old, ok := before.Text(a.Path); ok && a.Format == models.ISO8601Any && strings.Contains(old, ".") {
		text, _ := models.ISO8601Millis.FormatTime(s.basis.Now)
		return text
	}
	return s.spell(s.basis.Now, a)
}
