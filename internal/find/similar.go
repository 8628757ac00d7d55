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

// addCorrections adds similar IDs of items and bookmarks that the user knows, and existing texts that the user may have
// meant.
func (s *Search) addCorrections(ctx context.Context, text string) {
	var known []string
	var entities []*models.Entity
	for _, p := range s.f.places {
		entities = append(entities, p.Profile.Entities...)
		w := p.opened()
		if w == nil {
			continue
		}
		known = append(known, w.History.IDs()...)
		for _, v := range w.History.Visits() {
			known = append(known, unmaskedID(v.Entity, v.Key))
		}
		list, _ := w.Bookmarks.Read() // A search does not need the bookmarks.
		for _, b := range list {
			if b.IsItem() {
				r, _ := w.Session.Recognize(b.Table, b.Key)
				known = append(known, unmaskedID(r.Entity, b.Key))
			}
		}
	}
	known = slices.DeleteFunc(known, func(id string) bool { return len(id) < minSimilarLength })
	for _, c := range lookup.Corrections(entities, known, text) {
		if slices.Contains(known, c) || s.exists(ctx, c) {
			s.addSimilar(c)
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

func (s *Search) addSimilar(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := &s.result; len(r.Similar) < maxSimilar && !slices.Contains(r.Similar, id) {
		r.Similar = append(r.Similar, id)
	}
}

func (p *part) compareID(t *models.Table, it models.Item) {
	r, _ := p.w.Session.Recognize(t, it)
	id := unmaskedID(r.Entity, it)
	isNear := func(t lookup.Target) bool { return lookup.IsOneTypo(id, t.Text) }
	if len(id) >= minSimilarLength && slices.ContainsFunc(p.found.Targets, isNear) {
		p.s.addSimilar(id)
	}
}

// unmaskedID returns the ID of an item, or "" if it may be masked.
func unmaskedID(e *models.Entity, it models.Item) string {
	if e == nil {
		return ""
	}
	a := e.Attribute(e.IDName())
	if a == nil || a.Sensitive != models.NotSensitive {
		return ""
	}
	id, _ := e.Values(it)(a.Path)
	return id
}
