package profiles

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
)

// moves finds the transitions that a word names: the name of one, with the
// lifecycle's before it or not, or Lifecycle.{input} for every documented one.
// e is nil when the lifecycle decides the entity.
func (b *builder) moves(path, word string, e *models.Entity) (life *models.Lifecycle, moves []*models.Transition, target string) {
	lifeName, name, dotted := strings.Cut(word, ".")
	if !dotted {
		lifeName, name = "", word
	}
	if strings.HasPrefix(name, "{") && strings.HasSuffix(name, "}") {
		target = name[1 : len(name)-1]
	}
	found, moves, known := b.matching(e, lifeName, name, target != "")
	switch {
	case len(found) == 0 && target != "" && slices.Contains(known, word):
		b.errorf(path, "", "%s has no documented transitions", lifeName)
	case len(found) == 0:
		b.word(path, word, known)
	case len(found) > 1:
		b.errorf(path, fmt.Sprintf("write %s.%s", found[0].Name, name), "%s and %s both have transition %s", found[0].Name, found[1].Name, name)
	case len(moves) > 1 && target == "":
		b.errorf(path, "use different names", "%d transitions of %s have the name %s", len(moves), found[0].Name, name)
	default:
		return found[0], moves, target
	}
	return nil, nil, ""
}

// matching finds the lifecycles that have the transition (with every, a
// documented one), their transitions, and every word that could have been written.
func (b *builder) matching(e *models.Entity, lifeName, name string, every bool) (found []*models.Lifecycle, moves []*models.Transition, known []string) {
	for _, l := range b.p.Lifecycles {
		if l.Entity == nil || e != nil && l.Entity != e {
			continue
		}
		if every {
			known = append(known, l.Name+"."+name)
		}
		matches := false
		for _, t := range l.Transitions {
			if t.Name != "" && !every {
				known = append(known, t.Name, l.Name+"."+t.Name)
			}
			here := lifeName == "" || l.Name == lifeName
			if here && (t.Name == name && name != "" || every && t.Documented) {
				moves, matches = append(moves, t), true
			}
		}
		if matches {
			found = append(found, l)
		}
	}
	return found, moves, known
}

// entering builds what is set on entering a state. The item may be another
// action's companion, so only built-in values can be named.
func (b *builder) entering(path string, d lifeDecl, l *models.Lifecycle) {
	if b.onEnter == nil {
		b.onEnter = map[*models.Lifecycle]map[string][]change.Setting{}
	}
	b.onEnter[l] = map[string][]change.Setting{}
	for _, s := range d.States {
		if len(s.Value.Set) > 0 {
			p := path + "." + s.Key
			b.onEnter[l][s.Key] = b.changes(p, s.Value.Set, nil, l.Entity, names{})
		}
	}
}
