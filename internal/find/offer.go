package find

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns/lookup"
	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

func (p *part) mayOffer() bool { return p.s.f.o.Offers && (len(p.prefixMatches) > 0 || p.words != "") }

func (p *part) beginsWithText(e *models.Entity, it models.Item) bool {
	return e != nil && slices.ContainsFunc(p.prefixMatches, func(b lookup.PrefixMatch) bool {
		id, ok := e.Values(it)(b.Attribute)
		if !ok {
			id, ok = it.Text(b.Attribute) // a key
		}
		return b.Entity == e && ok && id != b.Text && strings.HasPrefix(id, b.Text)
	})
}

// searchesText reports whether a scan compares all visible values. A schema with words needs the user's consent.
func (p *part) searchesText() bool { return p.isSchemaless() || p.isAccepted && p.words != "" }

func (p *part) addOffer(o Offer) {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	p.s.result.Offers = append(p.s.result.Offers, o)
}

// addOffers adds searches for IDs that begin with the text, for patterns with missing parameters, and for words.
func (s *Search) addOffers(ctx context.Context, parts []*part) {
	best, bestPrefix, described := lookup.Bare, lookup.Bare, map[string]int{}
	several := slices.ContainsFunc(s.f.places, func(p *place) bool { return p.Profile.Name != s.f.places[0].Profile.Name })
	for _, p := range parts {
		best = min(best, p.found.Best())
		for _, b := range p.prefixMatches {
			bestPrefix = min(bestPrefix, b.Quality)
		}
	}
	for _, p := range parts {
		if p.w == nil || p.isUnused() || p.err != nil && !p.answered {
			continue
		}
		for _, o := range p.offers(best, bestPrefix) {
			if (o.Kind == ScanOffer || o.Kind == SimilarOffer) && slices.Contains(p.scanned, o.Table) {
				continue
			}
			list := []Offer{o}
			if !several || p.isSchemaless() && !p.isSeveralWords() || described[p.Context] < s.remainingReads(p.Context) {
				described[p.Context]++
				list = s.f.Price(ctx, list)
			}
			for _, o := range list {
				p.addOffer(o)
			}
		}
	}
}

// Price returns the offers with estimates. It omits offers whose tables the session cannot describe.
func (f *Finder) Price(ctx context.Context, offers []Offer) []Offer {
	var list []Offer
	for _, o := range offers {
		if !o.Priced {
			e, err := o.Workspace.Reading.Estimate(ctx, o.Table, nil)
			if o.Priced, o.Estimate = err == nil, e; o.Queries != nil {
				o.Estimate = priceOf(e, int64(len(o.Queries)*maxRows))
			}
		}
		if o.Priced {
			list = append(list, o)
		}
	}
	return list
}

// offers returns the searches of a part, without estimates. It omits searches that match worse than the best part.
func (p *part) offers(best, bestPrefix lookup.Quality) []Offer {
	var list []Offer
	offers := p.s.Result().Offers
	add := func(t *models.Table, kind OfferKind, queries ...lookup.Read) {
		same := func(have Offer) bool {
			return have.Workspace == p.w && have.Table == t && (have.Kind == kind || have.Queries == nil && queries == nil)
		}
		switch i := slices.IndexFunc(list, same); {
		case i >= 0:
			list[i].Queries = append(list[i].Queries, queries...)
		case !slices.ContainsFunc(offers, same) && !p.isMissingTable(t.Name):
			list = append(list, Offer{Workspace: p.w, Context: p.Context, Table: t, Kind: kind, Queries: queries})
		}
	}
	foundItem := p.s.hasIdentifiedItem()
	switch {
	case p.isSchemaless() && len(p.s.Result().Hits) == 0 && len(p.scanned) == 0:
		add(p.Profile.Tables[0], SchemalessOffer)
	case !foundItem && !p.isSchemaless():
		p.addByForm(best, bestPrefix, add)
	}
	ambiguous := !foundItem && bestPrefix == lookup.Bare && best > lookup.Literal && len(p.s.Result().Near) == 0
	for _, r := range p.unsent {
		if r.Distinctive {
			add(r.Entity.Table, RemainingOffer, r)
		} else if ambiguous {
			add(r.Entity.Table, UnsureOffer, r)
		}
	}
	if ambiguous && best == lookup.Bare && !p.isSchemaless() {
		for _, t := range p.wordTables() {
			add(t, WordOffer)
		}
	}
	return list
}

func (p *part) addByForm(best, bestPrefix lookup.Quality, add func(*models.Table, OfferKind, ...lookup.Read)) {
	for _, b := range p.prefixMatches {
		kind := ScanOffer
		if b.Reads != nil {
			kind = PrefixOffer
		}
		if b.Quality == bestPrefix && bestPrefix < lookup.Bare {
			add(b.Entity.Table, kind, b.Reads...)
		}
	}
	hits := p.ownHits()
	for _, m := range p.found.Missing {
		foundElsewhere := m.Quality == lookup.Bare && len(p.s.Result().Hits) > 0 && len(hits) == 0
		if m.Quality == best && !foundElsewhere && p.acceptsMissing(m, hits) && p.returnsIdentifiedItem(m) {
			add(m.Pattern.Table, ScanOffer)
		}
	}
	for _, t := range p.unsearchedTables(best) {
		add(t, ScanOffer)
	}
	if m, ok := p.meaning(); ok && p.s.f.o.Similar && m.IsID() && p.found.Best() == best && len(hits) == 0 {
		if a := m.Entity.Attribute(m.Entity.IDName()); a != nil && a.Sensitive == models.NotSensitive {
			add(m.Entity.Table, SimilarOffer)
		}
	}
}

// unsearchedTables returns the tables that may contain a text of a known form, or an address in another spelling.
func (p *part) unsearchedTables(best lookup.Quality) []*models.Table {
	if best == lookup.Bare {
		return nil
	}
	list := p.doubtful[best]
	for _, t := range p.found.Targets {
		if t.Quality == best && t.FoundByRead && t.Address() != "" {
			list = append(list, t.Entity.Table)
		}
	}
	return list
}

// wordTables returns the tables that may contain the text as any value, or among words.
func (p *part) wordTables() []*models.Table {
	if p.words != "" {
		return p.Profile.Tables
	}
	return p.doubtful[lookup.Bare]
}

func priceOf(all reading.Estimate, n int64) reading.Estimate {
	e := all
	if all.Items > 0 {
		e.Items = min(n, all.Items)
		e.Bytes = all.Bytes * e.Items / all.Items
	}
	return e.Sequential()
}

// Accept starts the offered searches for a text after the user consented to their estimates. It respects the read
// budget of the sessions but has no other limit. It ignores offers for databases that the finder does not search. The
// search may take as long as the estimates indicate; cancel ctx to stop it.
func (f *Finder) Accept(ctx context.Context, text string, offers []Offer) (*Search, error) {
	s, ctx := f.start(ctx, math.MaxInt)
	var parts []*part
	partByWorkspace := map[*workspace.Workspace]*part{}
	accepted := map[*part][]Offer{}
	for _, o := range offers {
		p := partByWorkspace[o.Workspace]
		if p == nil {
			tables, _ := f.schemaless(ctx)
			places := slices.Concat(f.places, tables)
			at := slices.IndexFunc(places, func(p *place) bool { return p.opened() == o.Workspace })
			if at < 0 {
				continue // the finder does not search this database
			}
			found, err := places[at].lookUp(text)
			if err != nil {
				s.cancel()
				return nil, err
			}
			p = s.newPart(places[at], text, found)
			p.w, p.isAccepted = o.Workspace, true
			partByWorkspace[o.Workspace], parts = p, append(parts, p)
		}
		accepted[p] = append(accepted[p], o)
	}
	crash.Go("search as offered", func() {
		defer s.end(ctx)
		for _, p := range parts {
			for _, o := range accepted[p] {
				if o.Queries == nil {
					p.scan(ctx, o.Table, 0)
					continue
				}
				p.readAll(ctx, o.Queries, Direct)
			}
		}
		s.setConclusions(parts)
		s.lastEvents(ctx)
	})
	return s, nil
}
