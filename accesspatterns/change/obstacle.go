package change

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// Args returns the values, as text, by which entries of the trail name the
// item. A name without a value is left out.
func (t TrailSubject) Args(it models.Item, now time.Time) (map[string]string, error) {
	s := newScope(&Action{Entity: t.Entity}, &Basis{Given: Given{Now: now}, Items: map[string]models.Item{Subject: it}})
	args := map[string]string{}
	for _, n := range t.Names {
		v, ok, err := s.eval(n.Formula, nil, "", n.Name)
		if err != nil {
			return nil, fmt.Errorf("naming the item of a trail: %w", err)
		}
		if !ok {
			continue
		}
		if text, scalar := models.ValueText(v); scalar {
			args[n.Name] = text
		}
	}
	return args, nil
}

// Args returns the inputs of the action that an item of its entity fills: what
// its primary key is made of. A part that the key holds comes from there,
// whatever an attribute says. A new item shares the collection of the one in
// view, where that is not all of its key.
func (a *Action) Args(it models.Item) map[string]string {
	primary, values := primaryParts(a.Entity, it), a.Entity.Values(it)
	args := map[string]string{}
	keys := []models.Key{a.Entity.Table.PartitionKey, a.Entity.Table.SortKey}
	if a.Kind == Creates {
		t, _ := a.Entity.KeyTemplate(a.Entity.Table.SortKey.Name)
		if len(t.Placeholders()) == 0 {
			return args
		}
		keys = keys[:1]
	}
	for _, k := range keys {
		t, _ := a.Entity.KeyTemplate(k.Name)
		for _, name := range t.Placeholders() {
			if a.Input(name) == nil {
				continue
			}
			if v, ok := primary[name]; ok {
				args[name] = v
			} else if v, ok := values(name); ok {
				args[name] = v
			}
		}
	}
	return args
}

// primaryParts returns the placeholders that the primary key of the item holds
// as a whole: not the day of a time.
func primaryParts(e *models.Entity, it models.Item) map[string]string {
	parts := map[string]string{}
	for _, k := range []models.Key{e.Table.PartitionKey, e.Table.SortKey} {
		t, ok := e.KeyTemplate(k.Name)
		text, there := it.Text(k.Name)
		if !ok || !there {
			continue
		}
		m, err := t.Parse(text)
		if err != nil {
			continue
		}
		for _, s := range t.Segments() {
			if v, ok := m.Values[s.Name]; ok && !s.Format.Lossy() {
				parts[s.Name] = v
			}
		}
	}
	return parts
}

// Obstacle returns why the item, as far as it alone tells, does not allow the
// action; nil when it may be planned. It reads nothing: what depends on other
// items, or on what is still to be given, is not judged. The error is a
// *Conflict.
func (a *Action) Obstacle(it models.Item, now time.Time, actor string) error {
	if a.Kind == Creates {
		return nil // it is about another item, which is not there yet
	}
	b := &Basis{
		Given:  Given{Now: now.UTC(), Actor: actor},
		Values: map[string]accesspatterns.Value{}, Items: map[string]models.Item{Subject: it},
	}
	args := a.Args(it)
	for name, text := range args {
		if v, err := a.Input(name).Read(text, b.Now); err == nil {
			b.Values[name] = v
		}
	}
	key, _ := a.Entity.Table.PrimaryKey(it)
	if err := a.checkSubject(it, key); err != nil {
		return err
	}
	s := newScope(a, b)
	if err := a.stuck(s); err != nil {
		return err
	}
	d := draft{entity: a.Entity, before: it, place: Subject}
	for _, r := range a.Require {
		if !a.foreign(r.Value, args, nil) {
			d.require = append(d.require, r)
		}
	}
	_, err := s.require(d)
	return err
}

// stuck returns why no transition of the action leaves the state of its
// subject.
func (a *Action) stuck(s *scope) error {
	if a.Target == "" {
		return a.move(s, &Plan{})
	}
	now, _ := s.basis.Items[Subject].Text(a.Lifecycle.Attribute)
	if slices.Contains(a.From(), now) {
		return nil
	}
	return &Conflict{What: fmt.Sprintf("%s is %s: no transition leaves it", a.Lifecycle.Attribute, models.Printable(now))}
}

// foreign reports whether a formula needs more than the subject and args: a
// reading, or an input that is not given yet.
func (a *Action) foreign(f Formula, args map[string]string, seen []string) bool {
	return slices.ContainsFunc(f.References(), func(r Reference) bool {
		head, _, _ := strings.Cut(r.Name, ".")
		if slices.ContainsFunc(a.Reads, func(x Reading) bool { return x.Alias == head }) {
			return true
		}
		if a.Input(r.Name) != nil {
			_, given := args[r.Name]
			return !given
		}
		i := slices.IndexFunc(a.Let, func(l Setting) bool { return l.Name == r.Name })
		if i < 0 || slices.Contains(seen, r.Name) {
			return r.Name == "reason"
		}
		return a.foreign(a.Let[i].Formula, args, append(slices.Clone(seen), r.Name))
	})
}
