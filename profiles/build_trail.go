package profiles

import (
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
)

// trailBuilder builds audit trails.
type trailBuilder struct{ formulas }

func (b trailBuilder) trailFields(path string, t *change.Trail) {
	for _, f := range []struct{ word, name string }{
		{"who", t.Who}, {"what", t.What}, {"when", t.When}, {"before", t.Before}, {"after", t.After}, {"reason", t.Reason},
	} {
		if _, ok := attributeAt(t.Entity, f.name); !ok && f.name != "" {
			b.noAttribute(path+"."+f.word, t.Entity, f.name)
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
				b.noAttribute(p, t.Entity, n.Key)
				continue
			}
			f, uses := b.formula(p, n.Value, a)
			for _, u := range uses {
				if !readable(e, u.ref.Name) {
					b.Errorf(p, near(u.ref.Name, paths(e.Attributes)), "{%s} is not an attribute of %s", u.ref.Name, e.Name)
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

// trailPut accepts a reference that at least one action that writes the entry knows; for other actions it has no
// value.
func (b trailBuilder) trailPut(path string, t *change.Trail, d trailDecl) {
	if len(d.Put) > 0 && t.Entity.Owner != "" {
		b.Errorf(path+".put", "remove put:", "%s is owned by another service (%s)", t.Entity.Name, t.Entity.Owner)
	}
	known := b.entryNames(t)
	for _, e := range d.Let {
		b.entryName(path+".let."+e.Key, e.Key)
		f, uses := b.name(path+".let."+e.Key, e.Value)
		b.checkAny(uses, known)
		t.Let = append(t.Let, change.Setting{Name: e.Key, Formula: f})
	}
	for _, r := range d.Reads {
		p := portion[readingDecl]{r.Key, path + ".reads." + r.Key, r.Value}
		b.entryName(p.path, r.Key)
		if e := b.entity(p.path+".entity", r.Value.Entity); e != nil {
			t.Reads = append(t.Reads, b.trailReading(p, e, known))
		}
	}
	set, uses := b.settings(path+".put", d.Put, t.Entity)
	b.checkAny(uses, known)
	t.Set = set
}

func (b trailBuilder) entryName(path, name string) {
	switch {
	case !plainName().MatchString(name):
		b.Errorf(path, "use letters, digits, _ and -", "invalid name %q", models.Printable(name))
	case reserved(name):
		b.Errorf(path, "choose another name", "%s is already the name of a built-in value", name)
	}
}

func (b trailBuilder) trailReading(p portion[readingDecl], e *models.Entity, known []names) change.Reading {
	keys, _ := keyPlaceholders(e)
	for _, n := range known {
		if !slices.ContainsFunc(keys, func(k string) bool {
			_, given := p.decl.Key.Get(k)
			return !given && !n.knows(k)
		}) {
			known = []names{n}
			break
		}
	}
	merged := names{entry: true}
	if len(known) > 0 {
		merged = known[0]
	}
	return b.reading(p, e, merged)
}

// entryNames returns one set of names per action that writes entries of the trail, or one per covered entity if there
// is no action.
func (b trailBuilder) entryNames(t *change.Trail) []names {
	var list []names
	for _, ab := range b.builders {
		if _, ok := t.Subject(ab.a.Entity); ok && !ab.writesNoAudit() {
			list = append(list, b.inEntry(ab.names, t))
		}
	}
	if len(list) == 0 {
		for _, s := range t.About {
			list = append(list, b.inEntry(names{subject: s.Entity}, t))
		}
	}
	return list
}

func (b formulas) inEntry(n names, t *change.Trail) names {
	d, _ := b.decl.Trails.Get(t.Entity.Name)
	n.entry = true
	n.lets = append(slices.Clone(n.lets), d.Let.Keys()...)
	aliases := map[string]*models.Entity{}
	for alias, e := range n.aliases {
		aliases[alias] = e
	}
	for _, r := range d.Reads {
		if e := b.p.Entity(r.Value.Entity); e != nil && aliases[r.Key] == nil {
			aliases[r.Key] = e
		}
	}
	n.aliases = aliases
	return n
}

func (b trailBuilder) checkAny(uses []mention, known []names) {
	for _, u := range uses {
		if len(known) > 0 && !slices.ContainsFunc(known, func(n names) bool { return n.knows(u.ref.Name) }) {
			b.check([]mention{u}, known[0])
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
			if p.Required && !named && !readable(s.Entity, p.Name) {
				b.Errorf(path+".parameters."+p.Name, "set a default", "{%s} is neither a name under about: nor an attribute of %s",
					p.Name, s.Entity.Name)
			}
		}
	}
}

// inline returns nil after a reported error.
func (b *builder) inline(path string, d inlineDecl, id, title string, known bool, returns ...string) *accesspatterns.Pattern {
	if d.Pattern != "" {
		if d.Operation != "" || len(d.Key)+len(d.Filter)+len(d.Parameters) > 0 {
			b.Errorf(path, "", "a read with pattern: cannot have other fields")
		}
		return b.readPattern(path+".pattern", d.Pattern)
	}
	if len(d.Returns) == 0 {
		d.Returns = returns
	}
	pb := &patternBuilder{builder: b, path: path, decl: patternDecl{readDecl: d.readDecl, Title: title, Documented: &known}}
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
		b.word(path, strings.TrimPrefix(id, b.p.Name+"."), ids)
	case !p.IsRead():
		b.Errorf(path, "", "pattern %s is a write", p.ID)
		return nil
	}
	return p
}
