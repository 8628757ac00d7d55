package change

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// A PastAction is an earlier change that an audit entry describes.
type PastAction struct {
	UserInput
	// Before and After contain the subject before and after the change. Before is nil for a new item.
	Before, After models.Item
	// Items contains the items that the formulas of the entry read, by alias.
	Items map[string]models.Item
}

// Attributes returns the content of the entry for a past change. It is for sample data, because entries in the demo
// must look like those that an action writes. It neither checks values nor computes keys, and omits attributes without
// a value. Inputs that the action copies to an attribute have that attribute's value.
func (e Entry) Attributes(a *Action, p PastAction) (models.Item, error) {
	b := &Basis{UserInput: p.UserInput, Values: map[string]accesspatterns.Value{}, Items: map[string]models.Item{Subject: p.After}}
	maps.Copy(b.Items, p.Items)
	if p.Before != nil {
		b.Items[Subject] = p.Before
	}
	for _, in := range a.Inputs {
		if text, ok := a.pastInput(in.Name, p.After); ok {
			b.Values[in.Name] = accesspatterns.Value{Text: text}
		}
	}
	pl := planner{newScope(a, b)}
	pl.setAuditChange(Write{Entity: a.Entity, Changes: models.Diff(p.Before, p.After)})
	entry := models.Item{}
	_, err := planner{pl.with(e.Trail.Let)}.apply(draft{
		entity: e.Trail.Entity, set: e.Set,
		place: "entry of " + e.Trail.Entity.Name,
	}, entry)
	return entry, err
}

func (a *Action) pastInput(name string, after models.Item) (string, bool) {
	if text, ok := a.CopiedValue(name, after); ok {
		return text, true
	}
	return a.Entity.Values(after)(name)
}

// CopiedValue returns the value of the item's attribute that the action sets to {name}, such as {reason}. It returns
// false if there is no such attribute.
func (a *Action) CopiedValue(name string, it models.Item) (string, bool) {
	for _, path := range a.CopyTargets(name) {
		if v, ok := it.At(path); ok {
			return models.ValueText(v)
		}
	}
	return "", false
}

// CopyTargets lists the attribute paths that the action sets to {name} unchanged, where name is, for example, an input.
func (a *Action) CopyTargets(name string) []string {
	var paths []string
	for path, copied := range unchangedReferences("", a.Set) {
		if copied == name {
			paths = append(paths, path)
		}
	}
	return paths
}

// RelativeTimes returns the attribute paths that the action sets to a time relative to the change, such as {now+30d},
// when it leads to the state. The values are the differences from the time of the change.
func (a *Action) RelativeTimes(state string) map[string]time.Duration {
	settings := a.OnEnter[state]
	if a.To() == state {
		settings = append(slices.Clip(settings), a.Set...)
	}
	times, epoch := map[string]time.Duration{}, time.Unix(0, 0)
	for path, copied := range unchangedReferences("", settings) {
		if !strings.HasPrefix(copied, "now") || a.Input(copied) != nil {
			continue
		}
		if t, err := models.ParseTime(copied, epoch); err == nil {
			times[path] = t.Sub(epoch)
		}
	}
	return times
}

func unchangedReferences(parent string, settings []Setting) iter.Seq2[string, string] {
	return func(yield func(path, name string) bool) {
		for _, s := range settings {
			switch f := s.Formula; {
			case f.kind == mapFormula:
				for path, name := range unchangedReferences(parent+s.Name+".", f.fields) {
					if !yield(path, name) {
						return
					}
				}
			case f.kind == textFormula && len(f.parts) == 1 && f.parts[0].ref.isUnchanged():
				if !yield(parent+s.Name, f.parts[0].ref.Name) {
					return
				}
			}
		}
	}
}
