package find

import (
	"slices"

	"github.com/ddbdesk/ddbdesk/accesspatterns/lookup"
	"github.com/ddbdesk/ddbdesk/models"
)

const (
	mostSimilar     = 3 // texts offered for one with a typing error
	shortestSimilar = 6 // characters of an ID that was read; shorter ones differ by one character as a rule
)

func (f *Finder) corrections(text string) []string {
	var entities []*models.Entity
	var known []string
	if f.o.Known != nil {
		known = f.o.Known()
	}
	for _, p := range f.places {
		entities = append(entities, p.Profile.Entities...)
		if w := p.opened(); w != nil {
			known = append(known, w.History.IDs()...)
		}
	}
	return lookup.Corrections(entities, known, text)
}

// compare skips values that may be masked.
func (p *part) compare(t *models.Table, it models.Item) {
	known, ok := p.w.Session.Recognize(t, it)
	if !ok {
		return
	}
	name := known.Entity.IDName()
	a := known.Entity.Attribute(name)
	id, ok := known.Entity.Values(it)(name)
	if !ok || a == nil || a.Sensitive != models.Open || len(id) < shortestSimilar || !lookup.OneOff(id, p.found.Value) {
		return
	}
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	if r := &p.s.result; len(r.Similar) < mostSimilar && !slices.Contains(r.Similar, id) {
		r.Similar = append(r.Similar, id)
	}
}
