package change

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
)

// MaxWrites is how many writes one transaction of DynamoDB takes. Source:
// Amazon DynamoDB API Reference, TransactWriteItems.
const MaxWrites = 100

// Plan makes the plan of the action. The same basis gives the same plan. A
// *Conflict says why the items, as they were read, do not allow it.
func (a *Action) Plan(b *Basis) (*Plan, error) {
	s := newScope(a, b)
	p := &Plan{Action: a, Basis: b, Notes: slices.Clone(a.Manual)}
	if err := a.checkSubject(b.Items[Subject], a.keyForWords(s)); err != nil {
		return nil, err
	}
	if err := a.move(s, p); err != nil {
		return nil, err
	}
	subject, err := s.subjectWrite(p)
	if err != nil {
		return nil, err
	}
	p.Writes = append(p.Writes, subject)
	for _, c := range a.Also {
		w, ok, err := s.companion(c)
		if err != nil {
			return nil, err
		}
		if ok {
			p.Writes = append(p.Writes, w)
		}
	}
	s.describe(subject)
	for _, e := range a.Audits {
		w, err := s.entry(e, e.Set)
		if err != nil {
			return nil, err
		}
		p.Writes = append(p.Writes, w)
	}
	return p, p.check()
}

// At makes the plan again for another time, from what was read for this one:
// the times that it writes are those of the commit.
func (p *Plan) At(b Basis) (*Plan, error) {
	if p.Undoes != nil {
		return p.Undoes.undo(&b)
	}
	return p.Action.Plan(&b)
}

func (a *Action) keyForWords(s *scope) models.Item {
	key, err := a.subjectKey(s)
	if err != nil {
		return models.Item{} // it was checked before anything was read
	}
	return key
}

// move finds the transition that the subject makes.
func (a *Action) move(s *scope, p *Plan) error {
	if a.Lifecycle == nil {
		return nil
	}
	attribute := a.Lifecycle.Attribute
	now, _ := s.basis.Items[Subject].Text(attribute)
	to := a.To()
	if a.Target != "" {
		v, _ := s.input(a.Target)
		to, _ = models.ValueText(v)
	}
	for _, t := range a.Transitions {
		if t.To == to && slices.Contains(t.From, now) {
			p.From, p.To = now, to
			return nil
		}
	}
	is := fmt.Sprintf("%s is %s", attribute, models.Printable(now))
	if now == "" {
		is = attribute + " is not set"
	}
	if a.Target == "" {
		return &Conflict{What: fmt.Sprintf("%s: %s needs %s %s", is, a.ID, attribute, strings.Join(a.From(), " or "))}
	}
	var open []string
	for _, t := range a.Transitions {
		if slices.Contains(t.From, now) && !slices.Contains(open, t.To) {
			open = append(open, t.To)
		}
	}
	if len(open) == 0 {
		return &Conflict{What: is + ": no transition leaves it"}
	}
	return &Conflict{What: fmt.Sprintf("%s: from there it can become %s, not %s", is, strings.Join(open, " or "), models.Printable(to))}
}

// subjectWrite plans what happens to the subject.
func (s *scope) subjectWrite(p *Plan) (Write, error) {
	a := s.action
	before := s.basis.Items[Subject]
	d := draft{entity: a.Entity, before: before, set: a.Set, remove: a.Remove, require: a.Require, place: "item"}
	if p.To != "" {
		d.lifecycle, d.from, d.to = a.Lifecycle, p.From, p.To
		d.set = append(slices.Clone(a.OnEnter[p.To]), a.Set...)
	}
	switch a.Kind {
	case Creates:
		return s.put(d)
	case Deletes:
		return s.remove(d)
	case Repairs:
		d.repair = true
		return s.update(d)
	case Changes:
	}
	return s.update(d)
}

// companion plans a write that happens together with that of the subject; false
// when it is not needed this time.
func (s *scope) companion(c Companion) (Write, bool, error) {
	if c.If != "" && !s.truth(c.If) || c.Unless != "" && s.truth(c.Unless) {
		return Write{}, false, nil
	}
	before := s.basis.Items[c.Alias]
	d := draft{entity: c.Entity, before: before, set: c.Set, remove: c.Remove, require: c.Require, place: c.Alias}
	if c.Operation == Put {
		d.before, d.place = nil, c.Entity.Name
		w, err := s.put(d)
		return w, true, err
	}
	if before == nil {
		return Write{}, false, nil // an optional reading that found nothing
	}
	if c.Transition != nil {
		now, _ := before.Text(c.Lifecycle.Attribute)
		if !slices.Contains(c.Transition.From, now) {
			return Write{}, false, &Conflict{What: fmt.Sprintf("%s of %s is %s, and must be %s",
				c.Lifecycle.Attribute, c.Entity.Title, models.Printable(now), strings.Join(c.Transition.From, " or "))}
		}
		d.lifecycle, d.from, d.to = c.Lifecycle, now, c.Transition.To
	}
	var w Write
	var err error
	switch c.Operation {
	case Delete:
		w, err = s.remove(d)
	case Check:
		w, err = s.only(d)
	default:
		w, err = s.update(d)
	}
	return w, true, err
}

// truth reports whether a name has a value that means yes.
func (s *scope) truth(name string) bool {
	if _, ok := s.basis.Items[name]; ok {
		return true
	}
	v, ok := s.value(name)
	if !ok {
		return false
	}
	text, scalar := models.ValueText(v)
	return !scalar || text != "" && text != "false"
}

// entry plans an audit or history entry.
func (s *scope) entry(e Entry, set []Setting) (Write, error) {
	w, err := s.with(e.Trail.Let).put(draft{entity: e.Trail.Entity, set: set, place: "entry of " + e.Trail.Entity.Name})
	w.Entry = true
	return w, err
}

// describe remembers what the subject's change does, for audit entries: not its
// keys, not what only says that it changed, nothing about a person.
func (s *scope) describe(w Write) {
	s.before, s.after = models.Item{}, models.Item{}
	for _, c := range w.Changes {
		a := w.Entity.Attribute(c.Path)
		key := w.Entity.Keys[c.Path]
		if c.Derived || !key.IsZero() || c.Path == w.Entity.Version || c.Path == w.Entity.Updated || a == nil || a.Sensitive != models.Open {
			continue
		}
		if c.Before != nil {
			s.before.With(c.Path, c.Before)
		}
		if c.After != nil {
			s.after.With(c.Path, c.After)
		}
	}
}

// check refuses what no transaction can do.
func (p *Plan) check() error {
	if len(p.Writes) > MaxWrites {
		return fmt.Errorf("%s needs %d writes; one transaction takes %d", p.Action.FullID(), len(p.Writes), MaxWrites)
	}
	seen := map[string]bool{}
	for _, w := range p.Writes {
		id := w.Table.Name + "\x00" + string(w.Key.AppendDynamoDBJSON(nil))
		if seen[id] {
			return &Conflict{What: fmt.Sprintf(
				"%s would write %s %s twice, which one transaction cannot", p.Action.ID, w.Entity.Title,
				models.Printable(w.Table.KeyText(w.Key)),
			)}
		}
		seen[id] = true
	}
	return nil
}

// errNothing is what a plan that changes nothing is refused with.
var errNothing = errors.New("nothing would change")
