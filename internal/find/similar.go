package find

import (
	"context"
	"slices"

	"github.com/ddbdesk/ddbdesk/accesspatterns/lookup"
	"github.com/ddbdesk/ddbdesk/models"
)

const (
	maxSimilar       = 3 // maximum number of suggested corrections
	minSimilarLength = 6 // minimum length of an ID to compare; shorter IDs often differ by one character
)

// corrections returns existing values that the user knows, and other texts that the user may have meant.
func (f *Finder) corrections(text string) (known, others []string) {
	var entities []*models.Entity
	if f.o.KnownValues != nil {
		known = f.o.KnownValues()
	}
	for _, p := range f.places {
		entities = append(entities, p.Profile.Entities...)
		if w := p.opened(); w != nil {
			known = append(known, w.History.IDs()...)
		}
	}
	all := lookup.Corrections(entities, known, text)
	exists := func(c string) bool { return slices.Contains(known, c) }
	return slices.DeleteFunc(slices.Clone(all), func(c string) bool { return !exists(c) }), slices.DeleteFunc(all, exists)
}

func (s *Search) verifyCorrections(ctx context.Context, texts []string) {
	for _, text := range texts {
		if s.exists(ctx, text) {
			s.mu.Lock()
			s.result.Similar = append(s.result.Similar, text)
			s.mu.Unlock()
		}
	}
}

func (s *Search) exists(ctx context.Context, text string) bool {
	for _, p := range s.f.places {
		w := p.opened()
		found, err := p.lookUp(text)
		if w == nil || err != nil {
			continue
		}
		for _, r := range found.Reads {
			if r.Quality > lookup.Literal || p.isMissingTable(r.Entity.Table.Name) || !p.reserve(s, 1) {
				continue
			}
			if page, err := w.Session.Store().Fetch(ctx, r.Leg, nil, 1); err == nil && len(page.Items) > 0 {
				return true
			}
		}
	}
	return false
}

// addSimilar skips values that may be masked.
func (p *part) addSimilar(t *models.Table, it models.Item) {
	known, ok := p.w.Session.Recognize(t, it)
	if !ok {
		return
	}
	name := known.Entity.IDName()
	a := known.Entity.Attribute(name)
	id, ok := known.Entity.Values(it)(name)
	isNear := func(t lookup.Target) bool { return lookup.IsOneTypo(id, t.Text) }
	if !ok || a == nil || a.Sensitive != models.NotSensitive || len(id) < minSimilarLength ||
		!slices.ContainsFunc(p.found.Targets, isNear) {
		return
	}
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	if r := &p.s.result; len(r.Similar) < maxSimilar && !slices.Contains(r.Similar, id) {
		r.Similar = append(r.Similar, id)
	}
}
