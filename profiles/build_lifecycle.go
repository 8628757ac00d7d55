package profiles

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
)

func (b schemaBuilder) lifecycles() {
	kinds := texts(models.StateOpen, models.StateGood, models.StateBad, models.StateFinal)
	for _, e := range b.decl.Lifecycles {
		path, d := "lifecycles."+e.Key, e.Value
		l := &models.Lifecycle{Name: e.Key, Attribute: d.Attribute, Documented: documented(d.Documented)}
		for _, s := range d.States {
			b.word(path+".states."+s.Key+".kind", s.Value.Kind, kinds)
			label := s.Value.Label
			label = cmp.Or(label, s.Key)
			kind := models.StateKind(s.Value.Kind)
			kind = cmp.Or(kind, models.StateOpen)
			l.States = append(l.States, &models.State{
				Name: s.Key, Label: label, Kind: kind, Initial: s.Value.Initial,
				Description: s.Value.Description, Documented: documented(s.Value.Documented),
			})
		}
		b.transitions(path, d, l)
		if l.Entity = b.entity(path+".entity", d.Entity); l.Entity != nil {
			if l.Entity.Attribute(d.Attribute) == nil {
				b.noAttribute(path+".attribute", l.Entity, d.Attribute)
			}
			l.Entity.Lifecycles = append(l.Entity.Lifecycles, l)
			b.stateSettings(path+".states", d, l)
		}
		b.p.Lifecycles = append(b.p.Lifecycles, l)
	}
	for _, e := range b.decl.Entities {
		var states []string
		if per := b.p.Entity(e.Value.Sample.Per); per != nil && len(per.Lifecycles) > 0 {
			for _, s := range per.Lifecycles[0].States {
				states = append(states, s.Name)
			}
		}
		b.word("entities."+e.Key+".sample.during", e.Value.Sample.During, states)
		if entity := b.p.Entity(e.Key); entity != nil {
			b.sampleData("entities."+e.Key+".sample", e.Value.Sample, entity)
		}
	}
}

func (b schemaBuilder) transitions(path string, d lifeDecl, l *models.Lifecycle) {
	for i, t := range d.Transitions {
		p := fmt.Sprintf("%s.transitions.%d", path, i)
		b.word(p+".to", t.To, d.States.Keys())
		for j, from := range t.From {
			b.word(fmt.Sprintf("%s.from.%d", p, j), from, d.States.Keys())
		}
		l.Transitions = append(l.Transitions, &models.Transition{
			Name: t.Name, From: t.From, To: t.To, Actor: t.Actor, Documented: documented(t.Documented), Source: t.Source,
		})
	}
}

// stateSettings allows only built-in values in formulas, because any action can lead to the state.
func (b schemaBuilder) stateSettings(path string, d lifeDecl, l *models.Lifecycle) {
	if b.onEnter == nil {
		b.onEnter = map[*models.Lifecycle]map[string][]change.Setting{}
	}
	b.onEnter[l] = map[string][]change.Setting{}
	for i, s := range d.States {
		for _, set := range s.Value.Set {
			if set.Value.text == "{now}" && l.States[i].Entered == "" {
				l.States[i].Entered = set.Key
			}
		}
		if len(s.Value.Set) > 0 {
			p := path + "." + s.Key
			b.onEnter[l][s.Key] = formulas(b).changes(p, s.Value.Set, nil, l.Entity, names{})
		}
	}
}

// moves resolves transition, Lifecycle.transition, or Lifecycle.{input} for every documented one. e is nil when the
// lifecycle determines the entity.
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
		b.Errorf(path, "", "%s has no documented transitions", lifeName)
	case len(found) == 0:
		b.word(path, word, known)
	case len(found) > 1:
		b.Errorf(
			path, fmt.Sprintf("write %s.%s", found[0].Name, name), "%s and %s both have transition %s", found[0].Name,
			found[1].Name, name,
		)
	case len(moves) > 1 && target == "":
		b.Errorf(path, "use different names", "%d transitions of %s have the name %s", len(moves), found[0].Name, name)
	default:
		return found[0], moves, target
	}
	return nil, nil, ""
}

func (b *builder) matching(e *models.Entity, lifeName, name string, every bool) (found []*models.Lifecycle,
	moves []*models.Transition, known []string,
) {
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
