package find

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/lookup"
	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

// A part is a search in one place.
type part struct {
	*place
	s        *Search
	w        *workspace.Workspace
	found    lookup.Result
	text     string
	mu       sync.Mutex
	sent     map[string]bool // fingerprints of sent requests
	answered bool            // at least one read succeeded
	scanned  []*models.Table // completely scanned tables
	// doubtful contains, by match quality, unscanned tables for a text that may belong to another system.
	doubtful      map[lookup.Quality][]*models.Table
	unsent        []lookup.Read        // unsent, because they match any text or because of the limit
	prefixMatches []lookup.PrefixMatch // IDs that may begin with the text
	isAccepted    bool                 // the user accepted the scan
	words         string               // words to find in titles, in lower case; "" for none
	err           error                // first error of a read
}

func isKey(r lookup.Read) bool { return r.HasKey && r.Quality == lookup.Literal }

func (p *part) readAll(ctx context.Context, reads []lookup.Read, way Way) {
	var reading sync.WaitGroup
	for i, r := range reads {
		if !p.claimRead(r) {
			continue
		}
		reading.Add(1)
		crash.Go("search a partition", func() {
			defer reading.Done()
			p.readOne(ctx, r, way, i)
		})
	}
	reading.Wait()
}

func (p *part) claimRead(r lookup.Read) bool {
	if p.isKnown(r) {
		return false
	}
	sent := p.reserve(p.s, costOf(r))
	p.recordSent(r)
	if !sent {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.unsent = append(p.unsent, r)
	}
	return sent
}

func (p *part) recordSent(r lookup.Read) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent[r.Fingerprint()] = true
}

func (p *part) isKnown(r lookup.Read) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sent[r.Fingerprint()] || p.isMissingTable(r.Entity.Table.Name)
}

func costOf(r lookup.Read) int {
	if r.Index != nil && r.Index.Projection != models.ProjectionAll {
		return 2
	}
	return 1
}

func (p *part) readOne(ctx context.Context, r lookup.Read, way Way, order int) {
	limit := maxCounted
	if costOf(r) > 1 { // another request gets each item
		limit = maxRows
	}
	page, err := p.w.Session.Store().Fetch(ctx, r.Leg, nil, limit)
	p.release(costOf(r), err)
	if err == nil && costOf(r) > 1 && len(page.Items) > 0 {
		page.Items, err = p.fetchItems(ctx, r.Entity.Table, page.Items)
	}
	if !p.note(r.Entity.Table.Name, err) {
		return
	}
	p.addHits(page.Items, r, way, order, page.LastKey != nil)
}

// A query reads up to maxCounted rows to count its items, and the search lists the newest maxRows of each kind.
const maxRows, maxCounted = 10, 25

// note does not treat a missing table or index as a failure, because a database may contain only part of a schema.
func (p *part) note(table string, err error) bool {
	class := store.ClassOf(err)
	if class == store.TableMissing {
		p.addMissingTable(table)
	}
	if class == store.IndexMissing || class == store.Canceled {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil {
		p.answered = true
		return true
	}
	if p.err == nil || store.ClassOf(p.err) == store.TableMissing {
		p.err = err
	}
	return false
}

// fetchItems keeps an index row unchanged if its item no longer exists.
func (p *part) fetchItems(ctx context.Context, t *models.Table, rows []models.Item) ([]models.Item, error) {
	var keys []models.Item
	for _, row := range rows {
		if key, ok := t.PrimaryKey(row); ok {
			keys = append(keys, key)
		}
	}
	page, err := p.w.Session.Store().Fetch(ctx, accesspatterns.BatchLeg(t, keys), nil, 0)
	if err != nil {
		return nil, err
	}
	itemsByKey := make(map[string]models.Item, len(page.Items))
	for _, it := range page.Items {
		itemsByKey[t.KeyID(it)] = it
	}
	for i, row := range rows {
		if it, ok := itemsByKey[t.KeyID(row)]; ok {
			rows[i] = it
		}
	}
	return rows, nil
}

func (p *part) addHits(items []models.Item, r lookup.Read, way Way, order int, more bool) {
	if len(items) == 0 {
		return
	}
	s, t := p.s, r.Entity.Table
	p.w.History.RecordItems(t, items) // IDs for later corrections
	total, listed := map[*models.Entity]int{}, map[*models.Entity]int{}
	hits := models.MapSlice(items, func(it models.Item) Hit {
		h := Hit{Workspace: p.w, Context: p.Context, Table: t, Item: it, Way: way, order: [2]int{p.order, order}}
		if known, ok := p.w.Session.Recognize(t, it); ok {
			h.Entity = known.Entity
			_, h.changed = h.Entity.Span(it, p.w.Session.Now())
		}
		h.setQuality(p.found.Targets, r)
		h.IsPrefixMatch = !h.Identified && p.beginsWithText(h.Entity, it)
		total[h.Entity]++
		return h
	})
	if !more {
		slices.SortStableFunc(hits, func(a, b Hit) int {
			return cmp.Or(cmp.Compare(first[a.Identified], first[b.Identified]), compareAge(a, b))
		})
	}
	s.mu.Lock()
	for _, h := range hits {
		if listed[h.Entity]++; listed[h.Entity] > maxRows {
			continue
		}
		if h.More = more || total[h.Entity] > maxRows; !more {
			h.Total = total[h.Entity]
		}
		id := p.Context + "\x00" + p.Profile.Name + "\x00" + t.Name + "\x00" + t.KeyID(h.Item)
		if !s.seen[id] {
			s.seen[id] = true
			s.result.Hits = append(s.result.Hits, h)
			continue
		}
		at := slices.IndexFunc(s.result.Hits, func(existing Hit) bool {
			return existing.Workspace == p.w && existing.Table == t && t.KeyID(existing.Item) == t.KeyID(h.Item)
		})
		if compareHits(h, s.result.Hits[at]) < 0 { // reads finish in any order
			s.result.Hits[at] = h
		}
	}
	sortHits(s.result.Hits)
	s.mu.Unlock()
	s.announce()
}

func (p *part) ownHits() []Hit {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	var list []Hit
	for _, h := range p.s.result.Hits {
		if h.Workspace == p.w {
			list = append(list, h)
		}
	}
	return list
}

func (p *part) hasIdentifiedItem() bool {
	return slices.ContainsFunc(p.ownHits(), func(h Hit) bool { return h.Identified })
}

func (p *part) follow(ctx context.Context) {
	var reads []lookup.Read
	for _, h := range p.ownHits() {
		if h.Entity == nil || len(reads) >= maxFollowed {
			continue
		}
		for _, r := range lookup.Follow(Schema(p.Profile), p.found.Missing, accesspatterns.ItemView(h.Entity, h.Item)) {
			same := func(existing lookup.Read) bool { return existing.Fingerprint() == r.Fingerprint() }
			if r.IsItem && !slices.ContainsFunc(reads, same) {
				reads = append(reads, r)
			}
		}
	}
	p.readAll(ctx, reads[:min(len(reads), maxFollowed)], Followed)
}

// meaning returns the interpretation of the text, or false unless its form identifies an entity's ID or key.
func (p *part) meaning() (Meaning, bool) {
	for _, r := range p.found.Reads {
		if isKey(r) {
			return Meaning{Entity: r.Entity, IsKey: true, From: r.From}, true
		}
	}
	var targets []lookup.Target
	for _, t := range p.found.Targets {
		if t.IsEntityID && t.Distinctive && t.Quality == p.found.Best() && t.Attribute == t.Entity.IDName() {
			targets = append(targets, t)
		}
	}
	if len(targets) > 0 { // several entities may have UUIDs
		other := func(t lookup.Target) bool { return t.Entity != targets[0].Entity }
		return Meaning{Entity: targets[0].Entity, From: targets[0].From}, !slices.ContainsFunc(targets, other)
	}
	for _, t := range p.found.Targets {
		if address := t.Address(); address != "" && t.Quality == p.found.Best() {
			return Meaning{Entity: t.Entity, Address: address, From: t.From}, true
		}
	}
	for _, b := range p.prefixMatches {
		if b.Quality <= lookup.Exact {
			return Meaning{Entity: b.Entity, IsStart: true}, true
		}
	}
	return Meaning{}, false
}

func (p *part) isUnused() bool {
	lacksTable := slices.ContainsFunc(p.Profile.Tables, func(t *models.Table) bool { return p.isMissingTable(t.Name) })
	return lacksTable && !p.answered && (p.err == nil || store.ClassOf(p.err) == store.TableMissing)
}

// acceptsMissing accepts only item IDs that lack one value, because any text fits a parameter without a format. If the
// hits contain the text as the value that a pattern lacks, the text is not the other value of this pattern.
func (p *part) acceptsMissing(m lookup.Missing, ownHits []Hit) bool {
	isOtherValue := slices.ContainsFunc(ownHits, func(h Hit) bool { return slices.Contains(m.Parameters, h.Attribute) })
	if isOtherValue || slices.Contains(p.scanned, m.Pattern.Table) {
		return false // the table does not contain the text
	}
	isOnlyPlace := len(p.s.f.places) == 1 && p.s.f.places[0] == p.place
	return m.Quality < lookup.Bare || isOnlyPlace && len(m.Parameters) == 1 && p.returnsIdentifiedItem(m)
}

// returnsIdentifiedItem reports whether the pattern gets an item whose own ID may be the text.
func (p *part) returnsIdentifiedItem(m lookup.Missing) bool {
	return m.Pattern.Read.Operation == accesspatterns.Get && slices.ContainsFunc(p.found.Targets, func(t lookup.Target) bool {
		return t.IsEntityID && t.Attribute == m.Param && slices.Contains(m.Pattern.Returns, t.Entity)
	})
}
