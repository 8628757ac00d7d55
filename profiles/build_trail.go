package profiles

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/placed"
	"github.com/ddbdesk/ddbdesk/models"
)

// trailBuilder builds audit trails.
type trailBuilder struct{ formulas }

func (b trailBuilder) trailFields(path string, t *change.Trail) {
	for _, f := range []struct{ word, name string }{
		{"who", t.Who}, {"what", t.What}, {"when", t.When}, {"before", t.Before}, {"after", t.After}, {"reason", t.Reason},
	} {
		if _, ok := attributeAt(t.Entity, f.name); !ok && f.name != "" {
			b.reportUnknownAttribute(path+"."+f.word, t.Entity, f.name)
		}
	}
}

func (b trailBuilder) about(path string, t *change.Trail, d trailDecl) {
	for _, s := range d.About {
		e := b.entity(path+"."+s.Key, s.Key)
		if e == nil {
			continue
		}
		subject := change.TrailSubject{Entity: e}
		for _, n := range s.Value {
			p := path + "." + s.Key + "." + n.Key
			a, ok := attributeAt(t.Entity, n.Key)
			if !ok {
				b.reportUnknownAttribute(p, t.Entity, n.Key)
				continue
			}
			f, uses := b.formula(p, n.Value, a)
			for _, u := range uses {
				if !isReadable(e, u.ref.Name) {
					b.Errorf(p, nearestHint(u.ref.Name, paths(e.Attributes)), "{%s} is not an attribute of %s", u.ref.Name, e.Name)
				}
			}
			subject.Names = append(subject.Names, change.Setting{Name: n.Key, Formula: f})
		}
		t.About = append(t.About, subject)
	}
	if len(t.About) == 0 {
		b.Errorf(path, "add Entity: {attribute of the entry: \"{attribute of the item}\"}", "trail names no entity")
	}
}

// trailPut accepts a reference that at least one action defines. The entries of other actions have no value for it.
func (b trailBuilder) trailPut(path string, t *change.Trail, d trailDecl) {
	if len(d.Put) > 0 && t.Entity.Owner != "" {
		b.Errorf(path+".put", "remove put:", "%s is owned by another service (%s)", t.Entity.Name, t.Entity.Owner)
	}
	known := b.entryNames(t)
	for _, e := range d.Let {
		b.checkEntryName(path+".let."+e.Key, e.Key)
		f, uses := b.name(path+".let."+e.Key, e.Value)
		b.checkReferences(uses, known)
		t.Let = append(t.Let, change.Setting{Name: e.Key, Formula: f})
	}
	for _, r := range d.Reads {
		p := namedPart[readingDecl]{r.Key, path + ".reads." + r.Key, r.Value}
		b.checkEntryName(p.path, r.Key)
		if r.Value.Pattern != "" {
			b.Errorf(p.path+".pattern", "read it by its key", "an audit trail cannot run a pattern")
			continue
		}
		if e := b.entity(p.path+".entity", r.Value.Entity); e != nil {
			t.Reads = append(t.Reads, b.trailReading(p, e, known))
		}
	}
	set, uses := b.settings(path+".put", d.Put, t.Entity)
	b.checkReferences(uses, known)
	t.Set = set
}

func (b trailBuilder) checkEntryName(path, name string) {
	switch {
	case !plainName().MatchString(name):
		b.Errorf(path, "use letters, digits, _ and -", "invalid name %q", models.Printable(name))
	case isReserved(name):
		b.Errorf(path, "choose another name", "%s is already the name of a built-in value", name)
	}
}

func (b trailBuilder) trailReading(p namedPart[readingDecl], e *models.Entity, known []names) change.Reading {
	keys, _ := keyPlaceholders(e)
	for _, n := range known {
		if !slices.ContainsFunc(keys, func(k string) bool {
			_, isSet := p.decl.Key.Get(k)
			return !isSet && !n.has(k)
		}) {
			known = []names{n}
			break
		}
	}
	scope := names{inEntry: true}
	if len(known) > 0 {
		scope = known[0]
	}
	return b.reading(p, e, scope)
}

// entryNames returns names for each action that writes entries of the trail, or otherwise for each covered entity.
func (b trailBuilder) entryNames(t *change.Trail) []names {
	var list []names
	for _, ab := range b.builders {
		if _, ok := t.Subject(ab.a.Entity); ok && !ab.writesNoAudit() {
			list = append(list, b.entryScope(ab.names, t))
		}
	}
	if len(list) == 0 {
		for _, s := range t.About {
			list = append(list, b.entryScope(names{subject: s.Entity}, t))
		}
	}
	return list
}

func (b formulas) entryScope(n names, t *change.Trail) names {
	d, _ := b.decl.Trails.Get(t.Entity.Name)
	n.inEntry = true
	n.lets = append(slices.Clone(n.lets), d.Let.Keys()...)
	aliases := map[string]*models.Entity{}
	maps.Copy(aliases, n.aliases)
	for _, r := range d.Reads {
		if e := b.p.Entity(r.Value.Entity); e != nil && aliases[r.Key] == nil {
			aliases[r.Key] = e
		}
	}
	n.aliases = aliases
	return n
}

func (b trailBuilder) checkReferences(uses []formulaReference, known []names) {
	for _, u := range uses {
		if len(known) > 0 && !slices.ContainsFunc(known, func(n names) bool { return n.has(u.ref.Name) }) {
			b.check([]formulaReference{u}, known[0])
		}
	}
}

func (b trailBuilder) trailRead(path string, t *change.Trail, d trailDecl) {
	if d.Read == nil {
		return
	}
	t.Read = b.inline(path, *d.Read, t.Entity.Name, t.Title, t.Documented, t.Entity.Name)
	if t.Read != nil && t.Read.Read.Projection != nil {
		b.Errorf(path+".projection", "remove it", "an audit trail needs all attributes")
	}
	if t.Read == nil {
		return
	}
	if !slices.Contains(t.Read.Returns, t.Entity) {
		b.Errorf(path, "", "read does not return %s", t.Entity.Name)
	}
	for _, p := range t.Read.Params {
		for _, s := range t.About {
			named := slices.ContainsFunc(s.Names, func(n change.Setting) bool { return n.Name == p.Name })
			if p.Required && !named && !isReadable(s.Entity, p.Name) {
				b.Errorf(path+".parameters."+p.Name, "set a default", "{%s} is neither a name under about: nor an attribute of %s",
					p.Name, s.Entity.Name)
			}
		}
	}
}

// inline reports errors and returns nil after one.
func (b *builder) inline(path string, d inlineDecl, id, title string, documented bool, returns ...string) *accesspatterns.Pattern {
	if d.Pattern != "" {
		if d.Operation != "" || len(d.Key)+len(d.Filter)+len(d.Parameters) > 0 {
			b.Errorf(path, "", "a read with pattern: cannot have other fields")
		}
		return b.readPattern(path+".pattern", d.Pattern)
	}
	if len(d.Returns) == 0 {
		d.Returns = returns
	}
	pb := &patternBuilder{builder: b, path: path, decl: patternDecl{readDecl: d.readDecl, Title: title, Documented: &documented}}
	p := pb.build(id)
	if p != nil && !p.IsRead() {
		b.Errorf(path+".operation", "", "expected a read, found operation write")
		return nil
	}
	return p
}

func (b *builder) readPattern(path, id string) *accesspatterns.Pattern {
	p := b.p.Pattern(id)
	switch {
	case p == nil:
		var ids []string
		for _, q := range b.p.Patterns {
			if q.IsRead() {
				ids = append(ids, q.ID)
			}
		}
		b.checkWord(path, strings.TrimPrefix(id, b.p.Name+"."), ids)
	case !p.IsRead():
		b.Errorf(path, "", "pattern %s is a write", p.ID)
		return nil
	}
	return p
}

// noAudit is the value of audit: for an action that writes no audit entry.
const noAudit = "none"

func (b *actionBuilder) writesNoAudit() bool {
	return b.decl.Audit.form == textForm && b.decl.Audit.text == noAudit
}

func (b *actionBuilder) undo() {
	switch u := b.decl.Undo; u.form {
	case textForm:
		b.a.NoUndo = u.text
	case listForm, nullForm:
		b.Errorf(b.path+".undo", "", "expected the reason why the action cannot be undone, or values of the undo's audit entry")
	case mapForm, noForm:
	}
	switch d := b.decl.Audit; {
	case d.form == textForm && !b.writesNoAudit():
		b.checkWord(b.path+".audit", d.text, []string{noAudit})
	case d.form == listForm, d.form == nullForm:
		b.Errorf(b.path+".audit", "", "expected none, or values of the audit entry")
	}
}

func (b *actionBuilder) audits() {
	var trails []*change.Trail
	for _, t := range b.p.Trails {
		if s, ok := t.Subject(b.a.Entity); ok && len(t.Set) > 0 && !b.writesNoAudit() {
			trails = append(trails, t)
			b.a.Audits = append(b.a.Audits, b.entry(t, s))
		}
	}
	b.entryValues(b.path+".audit", b.decl.Audit.fields, trails)
	b.entryValues(b.path+".undo", b.decl.Undo.fields, trails)
	for _, t := range trails {
		set, uses := b.settings(b.path+".undo", valuesFor(b.decl.Undo.fields, t), t.Entity)
		b.check(uses, b.entryScope(b.names, t))
		b.a.UndoEntry = append(b.a.UndoEntry, set...)
	}
}

func valuesFor(list placed.Ordered[formulaDecl], t *change.Trail) placed.Ordered[formulaDecl] {
	return slices.DeleteFunc(slices.Clone(list), func(e placed.Entry[formulaDecl]) bool {
		_, ok := attributeAt(t.Entity, e.Key)
		return !ok
	})
}

func (b *actionBuilder) entryValues(path string, list placed.Ordered[formulaDecl], trails []*change.Trail) {
	for _, e := range list {
		if len(trails) == 0 {
			b.Errorf(path+"."+e.Key, "", "no trail with put: covers %s", b.a.Entity.Name)
			continue
		}
		if !slices.ContainsFunc(trails, func(t *change.Trail) bool { _, ok := attributeAt(t.Entity, e.Key); return ok }) {
			t := trails[0].Entity
			b.reportUnknownAttribute(path+"."+e.Key, t, e.Key)
		}
	}
}

// entry joins the trail's values, the attributes that identify the subject, and the action's values, which win.
func (b *actionBuilder) entry(t *change.Trail, s change.TrailSubject) change.Entry {
	actionSettings, uses := b.settings(b.path+".audit", valuesFor(b.decl.Audit.fields, t), t.Entity)
	known := b.entryScope(b.names, t)
	b.check(uses, known)
	for _, r := range t.Reads {
		if e := b.names.aliases[r.Alias]; e != nil && e != r.Entity {
			b.Errorf(b.path, "choose another name for the item under reads:", "%s is a %s here but a %s in the entries of %s",
				r.Alias, e.Name, r.Entity.Name, t.Entity.Name)
		}
	}
	set := slices.Clone(t.Set)
	for _, list := range [][]change.Setting{s.Names, actionSettings} {
		for _, v := range list {
			i := slices.IndexFunc(set, func(o change.Setting) bool { return o.Name == v.Name })
			switch {
			case i < 0:
				set = append(set, v)
			case hasSetting(actionSettings, v.Name):
				set[i] = v
			}
		}
	}
	isSet := func(s change.Setting) bool {
		return hasSetting(actionSettings, s.Name) || !slices.ContainsFunc(s.Formula.References(), func(r change.Reference) bool {
			return !r.HasDefault && !known.has(r.Name)
		})
	}
	for _, name := range missingAttributes(t.Entity, set, known, isSet) {
		path := b.path + ".audit"
		if b.decl.Audit.form == noForm {
			path = b.path
		}
		if b.implied {
			path = "trails." + t.Entity.Name + ".put"
		}
		b.Errorf(path, "set it under put: of the trail, or under audit:", "the audit entry of %s in %s has no value for %s",
			b.a.ID, t.Entity.Name, name)
	}
	return change.Entry{Trail: t, Set: set}
}

// impliedRepair is the ID of the repair action for an entity that declares none.
const impliedRepair = "repair-index-key"

func hasSetting(list []change.Setting, name string) bool {
	return slices.ContainsFunc(list, func(s change.Setting) bool { return s.Name == name })
}

// queueBuilder builds queues.
type queueBuilder struct{ *builder }

func (b queueBuilder) queuePattern(path string, q *change.Queue, d queueDecl) *accesspatterns.Pattern {
	switch {
	case d.Pattern != "" && d.Read != nil, d.Pattern == "" && d.Read == nil:
		b.Errorf(path, "", "expected either pattern: or read:")
		return nil
	case d.Pattern != "":
		return b.readPattern(path+".pattern", d.Pattern)
	}
	if d.Read.Pattern == "" && b.p.Pattern(q.ID) != nil {
		b.Errorf(path, "choose another ID", "%s is already the ID of a pattern", q.ID)
	}
	return b.inline(path+".read", *d.Read, q.ID, q.Title, q.Documented)
}

func (b queueBuilder) args(path string, q *change.Queue, list placed.Ordered[string]) {
	known := models.MapSlice(q.Pattern.Params, func(p *accesspatterns.Param) string { return p.Name })
	q.Args = map[string]string{}
	for _, a := range list {
		p := q.Pattern.Param(a.Key)
		if p == nil {
			b.Errorf(path+"."+a.Key, nearestHint(a.Key, known), "%s has no parameter %q", q.Pattern.ID, models.Printable(a.Key))
			continue
		}
		b.checkValue(path+"."+a.Key, p, a.Value)
		q.Args[a.Key] = a.Value
	}
}

func (b queueBuilder) parameters(path string, q *change.Queue, names []string) {
	known := models.MapSlice(q.Pattern.Params, func(p *accesspatterns.Param) string { return p.Name })
	for i, name := range names {
		at := fmt.Sprintf("%s.parameters.%d", path, i)
		p := q.Pattern.Param(name)
		_, fixed := q.Args[name]
		switch {
		case p == nil:
			b.Errorf(at, nearestHint(name, known), "%s has no parameter %q", q.Pattern.ID, models.Printable(name))
		case fixed:
			b.Errorf(at, "remove it here or there", "%s already has a value under args:", name)
		case slices.Contains(q.Params, p):
			b.Errorf(at, "", "duplicate parameter %s", name)
		default:
			q.Params = append(q.Params, p)
		}
	}
	for _, p := range q.Pattern.Params {
		if _, fixed := q.Args[p.Name]; p.Required && !fixed && !slices.Contains(q.Params, p) {
			b.Errorf(path+".args", "add "+p.Name+" to args: or parameters:", "%s requires %s", q.Pattern.ID, p.Name)
		}
	}
}

func (b queueBuilder) after(path string, q *change.Queue, ids []string) {
	if len(ids) > 0 && len(q.Params) == 0 {
		b.Errorf(path, "add parameters:", "queue has no parameter that the item of an action fills")
		return
	}
	for i, id := range ids {
		at := fmt.Sprintf("%s.%d", path, i)
		a := b.p.Action(id)
		if a == nil {
			b.Errorf(at, nearestHint(id, b.decl.Actions.Keys()), "unknown action %q", models.Printable(id))
			continue
		}
		q.After = append(q.After, a)
		for _, p := range q.Params {
			if !accesspatterns.CanFill(q.Pattern, p, b.p.Entities, a.Entity) {
				b.Errorf(at, "", "%s has no attribute for parameter %s of %s", a.Entity.Name, p.Name, q.Pattern.ID)
			}
		}
	}
}

func (b queueBuilder) queueActions(path string, q *change.Queue, ids []string) {
	for i, id := range ids {
		p := fmt.Sprintf("%s.%d", path, i)
		a := b.p.Action(id)
		switch {
		case a == nil:
			b.checkWord(p, id, b.decl.Actions.Keys())
		case !slices.Contains(q.Pattern.Returns, a.Entity):
			b.Errorf(p, "", "%s changes a %s, which the queue does not return", a.ID, a.Entity.Name)
		default:
			q.Actions = append(q.Actions, a)
		}
	}
}
