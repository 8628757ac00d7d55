package find

import (
	"context"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/lookup"
	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/models"
)

// scanSmall scans small tables that no read reached, best match first. If there are hits, it scans only their schemas.
func (s *Search) scanSmall(ctx context.Context, parts []*part) {
	before := s.Result().Hits
	first := true
	for q := lookup.Literal; q <= lookup.Bare; q++ {
		if hits := s.Result().Hits; len(hits) > len(before) || s.hasIdentifiedItem() || q == lookup.Bare && s.Result().HasOtherText {
			return
		}
		var scanning sync.WaitGroup
		tableCount := 0
		list, count, room := map[*part][]*models.Table{}, map[string]int{}, map[string]int{}
		for _, p := range parts {
			if p.w != nil && (len(before) == 0 || len(p.ownHits()) > 0) {
				list[p] = p.unreachedTables(q)
				count[p.Context] += len(list[p])
				room[p.Context] = s.remainingReads(p.Context)
			}
		}
		for c, n := range count {
			if q == lookup.Bare && n > room[c] {
				room[c] = 0 // scanning only some of these tables is useless
			}
		}
		for _, p := range parts {
			for _, t := range list[p] {
				if p.isDoubtful(q) && room[p.Context] <= 0 {
					p.doubtful[q] = append(p.doubtful[q], t)
					continue
				}
				room[p.Context]--
				tableCount++
				mayOffer := first && len(before) == 0 && (len(p.prefixMatches) == 0 || p.prefixMatches[0].Quality >= q)
				scanning.Add(1)
				crash.Go("scan a small table", func() {
					defer scanning.Done()
					p.scanOrOffer(ctx, t, mayOffer)
				})
			}
		}
		scanning.Wait()
		first = first && tableCount == 0
	}
}

// isDoubtful reports whether the text may belong to another system, judging by its targets of quality q.
func (p *part) isDoubtful(q lookup.Quality) bool {
	return !slices.ContainsFunc(p.found.Targets, func(t lookup.Target) bool {
		return t.Quality == q && t.Distinctive && !t.IsGenerated()
	})
}

// unreachedTables returns no tables if the schema has a better match for the text. If the schema identifies the
// entities whose ID the text is, unreachedTables returns only their tables.
func (p *part) unreachedTables(q lookup.Quality) []*models.Table {
	if p.isSchemaless() {
		return slices.DeleteFunc(slices.Clone(p.Profile.Tables), func(t *models.Table) bool {
			return q != lookup.Bare || p.isMissingTable(t.Name)
		})
	}
	best := lookup.Bare
	for _, t := range p.found.Targets {
		best = min(best, t.Quality)
	}
	if q != best {
		return nil
	}
	owned := map[string]bool{}
	for _, t := range p.found.Targets {
		owned[t.Text] = owned[t.Text] || t.IsEntityID && t.Quality == best
	}
	var list []*models.Table
	for _, t := range p.found.Targets {
		table := t.Entity.Table
		if !t.IsCommon() && t.Quality == best && !t.FoundByRead && (t.IsEntityID || !owned[t.Text]) &&
			!p.isMissingTable(table.Name) && !slices.Contains(list, table) {
			list = append(list, table)
		}
	}
	return list
}

func (p *part) scanOrOffer(ctx context.Context, t *models.Table, mayOffer bool) {
	e, err := p.w.Reading.Estimate(ctx, t, nil)
	if !p.note(t.Name, err) {
		return
	}
	if limit := p.s.f.o.ScanUnits; !p.w.Session.Production() && e.ReadUnits <= limit && p.fitsBudget(e.ReadUnits) {
		p.scan(ctx, t, limit)
		return
	}
	if mayOffer {
		kind := ScanOffer
		if p.isSchemaless() {
			kind = SchemalessOffer
		}
		p.addOffer(Offer{Workspace: p.w, Context: p.Context, Table: t, Kind: kind, Estimate: e, Priced: true})
	}
}

func (p *part) fitsBudget(units float64) bool {
	if t := p.w.Session.Target(); t.Embedded || t.Loopback {
		return true
	}
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	if p.s.result.Capacity+p.s.scanning+units > DefaultReadUnits {
		return false
	}
	p.s.scanning += units
	return true
}

// scan stops above limit RCU. With a limit of 0, neither this limit nor the budget of requests applies.
func (p *part) scan(ctx context.Context, t *models.Table, limit float64) {
	reader, err := p.w.Reading.Paced(ctx, t)
	if !p.note(t.Name, err) {
		return
	}
	spent := 0.0
	var start models.Item
	for limit == 0 || p.reserve(p.s, 1) {
		page, err := reader.Fetch(ctx, accesspatterns.ScanLeg(t), start, 0)
		if !p.note(t.Name, err) {
			return
		}
		for _, it := range page.Items {
			if e, ok := p.matchItem(t, it); ok {
				p.addHits([]models.Item{it}, lookup.Read{Entity: e, Quality: lookup.Bare}, Scanned, 0, false)
			}
			p.compareID(t, it)
		}
		if start = page.LastKey; start == nil {
			p.mu.Lock()
			p.scanned = append(p.scanned, t)
			p.mu.Unlock()
			return
		}
		if spent += page.Capacity; limit > 0 && spent >= limit {
			break
		}
	}
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	p.s.result.Incomplete = true
}

// mayReveal reports whether a scan could reveal a hidden value. Users know an address, but could only guess a note.
func (p *part) mayReveal(e *models.Entity, a *models.Attribute, target lookup.Target) bool {
	if a.Sensitive == models.Secret {
		return true
	}
	isFreeText := target.Address() == "" && (a.Format == models.NoFormat || a.Format == models.Text || a.Format.IsTime())
	return isFreeText && p.w.Session.Masker().Hides(a.Sensitive) && !slices.ContainsFunc(e.KeyNames(), func(k string) bool {
		t, _ := e.KeyTemplate(k)
		return slices.Contains(t.Placeholders(), a.Path)
	})
}

func (p *part) matchItem(t *models.Table, it models.Item) (*models.Entity, bool) {
	known, ok := p.w.Session.Recognize(t, it)
	if !ok {
		return nil, false
	}
	if p.beginsWithText(known.Entity, it) || p.searchesText() && p.contains(known.Entity, t, it) {
		return known.Entity, true
	}
	values := known.Entity.Values(it)
	return known.Entity, slices.ContainsFunc(p.found.Targets, func(target lookup.Target) bool {
		if target.Entity != known.Entity {
			return false
		}
		v, isStored := it.At(target.Attribute)
		if a := known.Entity.Attribute(target.Attribute); a != nil && p.mayReveal(known.Entity, a, target) {
			if isStored && target.Quality < lookup.Bare {
				p.addMasked(known.Entity, a.Path)
			}
			return false
		}
		if text, ok := values(target.Attribute); ok {
			return target.Is(text)
		}
		return hasElement(v, target.Text)
	})
}

func hasElement(v types.AttributeValue, text string) bool {
	switch v := v.(type) {
	case *types.AttributeValueMemberSS:
		return slices.Contains(v.Value, text)
	case *types.AttributeValueMemberNS:
		return slices.ContainsFunc(v.Value, func(n string) bool {
			return models.CheckNumber(text) == nil && models.CompareNumbers(n, text) == 0
		})
	case *types.AttributeValueMemberL:
		return slices.ContainsFunc(v.Value, func(e types.AttributeValue) bool {
			element, ok := models.ValueText(e)
			return ok && element == text
		})
	}
	return false
}
