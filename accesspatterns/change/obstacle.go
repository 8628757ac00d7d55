package change

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// Args returns the values that identify the item in trail entries, by name. It omits missing values. An error means
// that a formula in the schema cannot be computed for this item.
func (t TrailSubject) Args(it models.Item, now time.Time) (map[string]string, error) {
	s := newScope(&Action{Entity: t.Entity}, &Basis{UserInput: UserInput{Now: now}, Items: map[string]models.Item{Subject: it}})
	args := map[string]string{}
	for _, n := range t.Names {
		v, err := s.eval(n.Formula, nil, n.Name)
		if err != nil {
			return nil, fmt.Errorf("identify the item of audit entries: %w", err)
		}
		if v == nil {
			continue
		}
		if text, scalar := models.ValueText(v); scalar {
			args[n.Name] = text
		}
	}
	return args, nil
}

// Args returns the inputs of the action that an item of its entity fills: the placeholders of its primary key. The key
// takes precedence over an attribute of the same name. For a new item, it fills only the partition key, so that the new
// item joins the item collection of the current one.
func (a *Action) Args(it models.Item) map[string]string {
	primary, values := primaryParts(a.Entity, it), a.Entity.Values(it)
	args := map[string]string{}
	keys := a.Entity.Table.PrimaryKeys()
	if a.Kind == KindPut {
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

// Obstacle returns a *Conflict if the item does not permit the action. Its message, for menus, describes the missing
// conditions. Obstacle sends no requests, so it does not check requirements that depend on other items or on unknown
// inputs. A nil error is preliminary, because planning reads the item and checks it again.
func (a *Action) Obstacle(it models.Item, now time.Time, actor string) error {
	if a.Kind == KindPut {
		return nil // The subject is another item, which does not exist yet.
	}
	b := &Basis{
		UserInput: UserInput{Now: now.UTC(), Actor: actor},
		Values:    map[string]accesspatterns.Value{}, Items: map[string]models.Item{Subject: it},
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
	pl := planner{newScope(a, b)}
	if err := a.checkTransition(pl.scope); err != nil {
		return err
	}
	d := draft{entity: a.Entity, before: it, place: Subject}
	for _, r := range a.Require {
		if !slices.ContainsFunc(r.values(), func(f Formula) bool { return a.needsUnknownValue(f, args, nil) }) {
			d.require = append(d.require, r)
		}
	}
	_, err := pl.requirements(d)
	return err
}

// checkTransition returns an error if no transition of the action leaves the subject's state.
func (a *Action) checkTransition(s *scope) error {
	if a.Target == "" {
		_, _, err := a.transition(s)
		return err
	}
	state, _ := s.basis.Items[Subject].Text(a.Lifecycle.Attribute)
	if slices.Contains(a.From(), state) {
		return nil
	}
	return Conflictf("%s is %s: no transition leaves this state", a.Lifecycle.Attribute, a.Lifecycle.Term(state))
}

// needsUnknownValue reports whether a formula needs a reading, the reason, or an input not in args. visited contains
// the names already visited, which stops cycles.
func (a *Action) needsUnknownValue(f Formula, args map[string]string, visited []string) bool {
	return slices.ContainsFunc(f.References(), func(r Reference) bool {
		head, _, _ := strings.Cut(r.Name, ".")
		if slices.ContainsFunc(a.Reads, func(x Reading) bool { return x.Alias == head }) {
			return true
		}
		if a.Input(r.Name) != nil {
			_, isSet := args[r.Name]
			return !isSet
		}
		i := slices.IndexFunc(a.Let, func(l Setting) bool { return l.Name == r.Name })
		if i < 0 || slices.Contains(visited, r.Name) {
			return r.Name == "reason"
		}
		return a.needsUnknownValue(a.Let[i].Formula, args, append(slices.Clone(visited), r.Name))
	})
}
