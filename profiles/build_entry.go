package profiles

import (
	"slices"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/placed"
)

// noAudit is the value of audit: for an action without an audit entry.
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
		b.word(b.path+".audit", d.text, []string{noAudit})
	case d.form == listForm, d.form == nullForm:
		b.Errorf(b.path+".audit", "", "expected none, or values of the audit entry")
	}
}

func (b *actionBuilder) audits() {
	var written []*change.Trail
	for _, t := range b.p.Trails {
		if s, ok := t.Subject(b.a.Entity); ok && len(t.Set) > 0 && !b.writesNoAudit() {
			written = append(written, t)
			b.a.Audits = append(b.a.Audits, b.entry(t, s))
		}
	}
	b.entryValues(b.path+".audit", b.decl.Audit.fields, written)
	b.entryValues(b.path+".undo", b.decl.Undo.fields, written)
	for _, t := range written {
		set, uses := b.settings(b.path+".undo", valuesFor(b.decl.Undo.fields, t), t.Entity)
		b.check(uses, b.inEntry(b.names, t))
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
			b.noAttribute(path+"."+e.Key, t, e.Key)
		}
	}
}

// entry joins what the trail sets, the attributes that identify the subject, and the action's own values, which take
// precedence.
func (b *actionBuilder) entry(t *change.Trail, s change.TrailSubject) change.Entry {
	own, uses := b.settings(b.path+".audit", valuesFor(b.decl.Audit.fields, t), t.Entity)
	known := b.inEntry(b.names, t)
	b.check(uses, known)
	for _, r := range t.Reads {
		if e := b.names.aliases[r.Alias]; e != nil && e != r.Entity {
			b.Errorf(b.path, "choose another name for the item under reads:", "%s is a %s here but a %s in the entries of %s",
				r.Alias, e.Name, r.Entity.Name, t.Entity.Name)
		}
	}
	set := slices.Clone(t.Set)
	for _, list := range [][]change.Setting{s.Names, own} {
		for _, v := range list {
			i := slices.IndexFunc(set, func(o change.Setting) bool { return o.Name == v.Name })
			switch {
			case i < 0:
				set = append(set, v)
			case sets(own, v.Name):
				set[i] = v
			}
		}
	}
	given := func(s change.Setting) bool {
		return sets(own, s.Name) || !slices.ContainsFunc(s.Formula.References(), func(r change.Reference) bool {
			return !r.HasDefault && !known.knows(r.Name)
		})
	}
	for _, name := range missing(t.Entity, set, known, given) {
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

// impliedRepair is the id of the repair of an entity that declares none.
const impliedRepair = "repair-index-key"

func sets(list []change.Setting, name string) bool {
	return slices.ContainsFunc(list, func(s change.Setting) bool { return s.Name == name })
}
