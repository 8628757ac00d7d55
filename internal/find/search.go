package find

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/lookup"
	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Search is one search in progress. It is safe for concurrent use.
type Search struct {
	f         *Finder
	cancel    context.CancelFunc
	uncounted context.Context // context of the search, for requests that do not count as part of it
	changed   chan struct{}   // holds a token when the result changed; closed at the end

	mu        sync.Mutex
	result    Result
	scanning  float64         // RCU of started scans
	remaining map[string]int  // remaining reads by context
	seen      map[string]bool // hits by place and key
}

// Search starts a search for a text and returns at once. The search reads in the background until ctx ends. An error
// means that the text cannot be an ID, key or item of any schema. It wraps accesspatterns.ErrPasted or describes a
// problem with the key.
func (f *Finder) Search(ctx context.Context, text string) (*Search, error) {
	s, ctx := f.start(ctx, f.o.Reads)
	var parts []*part
	var refused error
	understood := len(f.places) == 0
	for _, p := range placesOfLink(f.places, text) {
		found, err := p.lookUp(text)
		if err != nil { // the text may still contain an ID of another schema
			if refused == nil {
				refused = err
			}
			continue
		}
		understood = true
		if one := s.newPart(p, text, found); found.LacksCountryCode ||
			len(found.Reads)+len(found.Targets)+len(found.Missing) > 0 || one.mayOffer() {
			parts = append(parts, one)
		}
	}
	if !understood {
		s.cancel()
		return nil, refused
	}
	parts = s.matchConsoleLink(text, dropUnlikely(parts))
	s.result.HasOtherText = slices.ContainsFunc(parts, func(p *part) bool { return p.found.HasOtherText })
	s.result.LacksCountryCode = slices.ContainsFunc(parts, func(p *part) bool { return p.found.LacksCountryCode })
	s.result.Incomplete = slices.ContainsFunc(parts, func(p *part) bool { return p.found.Truncated && p.found.Best() < lookup.Bare })
	prefix := f.onlyMatchesPrefixes(text, parts)
	if prefix {
		parts = nil
	}
	crash.Go("search the schemas", func() {
		defer s.end(ctx)
		first, rest := splitByPrefix(parts)
		s.read(ctx, first)
		if s.hasIdentifiedItem() {
			parts = first
		} else {
			s.read(ctx, otherParts(first, rest))
		}
		s.withTimeLimit(ctx, func(ctx context.Context) { s.scanSmall(ctx, parts) })
		if !prefix {
			parts = append(parts, s.searchSchemaless(ctx, text)...)
		}
		s.explainKey(text)
		if f.o.Offers {
			s.withTimeLimit(ctx, func(ctx context.Context) { s.addOffers(ctx, parts) })
		}
		s.setConclusions(parts)
		if len(s.Result().Hits) == 0 {
			s.withTimeLimit(ctx, func(ctx context.Context) { s.addCorrections(ctx, text) })
		}
		s.finish(ctx)
		events, cancel := context.WithTimeout(ctx, f.o.Time)
		defer cancel()
		s.lastEvents(events)
	})
	return s, nil
}

func (s *Search) newPart(p *place, text string, found lookup.Result) *part {
	one := &part{
		place: p, s: s, found: found, sent: map[string]bool{}, text: strings.TrimSpace(text),
		doubtful: map[lookup.Quality][]*models.Table{}, prefixMatches: lookup.FindByPrefix(Schema(p.Profile), text),
	}
	for _, t := range found.Targets { // A sentence can contain the beginning of an ID.
		if found.HasOtherText && len(one.prefixMatches) == 0 && t.Distinctive && t.Attribute == t.Entity.IDName() {
			one.prefixMatches = lookup.FindByPrefix(Schema(p.Profile), t.Text)
		}
	}
	if lookup.MayBeTitle(text) && found.Best() == lookup.Bare {
		one.words = strings.ToLower(strings.TrimSpace(text))
	}
	return one
}

// dropUnlikely omits schemas in which any text could be a key if the text has the form of another schema's key.
func dropUnlikely(parts []*part) []*part {
	readsKey := func(p *part) bool { return slices.ContainsFunc(p.found.Reads, isKey) }
	if !slices.ContainsFunc(parts, readsKey) {
		return parts
	}
	return slices.DeleteFunc(parts, func(p *part) bool { return p.found.Best() == lookup.Bare })
}

// matchConsoleLink omits schemas without the table of an AWS console link if another schema has the table.
func (s *Search) matchConsoleLink(text string, parts []*part) []*part {
	l, ok := lookup.ParseConsoleLink(text)
	if !ok || l.Table == "" {
		return parts
	}
	lacksTable := func(p *part) bool {
		return !slices.ContainsFunc(p.Profile.Tables, func(t *models.Table) bool { return t.Name == l.Table })
	}
	if slices.ContainsFunc(parts, func(p *part) bool { return !lacksTable(p) }) {
		return slices.DeleteFunc(parts, lacksTable)
	}
	s.result.Elsewhere = &l
	return parts
}

func (f *Finder) onlyMatchesPrefixes(text string, parts []*part) bool {
	return !slices.ContainsFunc(parts, func(p *part) bool { return p.found.Best() < lookup.Bare }) &&
		slices.ContainsFunc(f.places, func(p *place) bool { return Schema(p.Profile).IsOnlyPrefix(text) })
}

func splitByPrefix(parts []*part) (first, rest []*part) {
	for _, p := range parts {
		if p.found.Best() == lookup.Literal {
			first = append(first, p)
		} else {
			rest = append(rest, p)
		}
	}
	if len(first) == 0 {
		return rest, nil
	}
	return first, rest
}

// otherParts omits schemas that accept any text if another schema in use declares the beginning of the text.
func otherParts(first, rest []*part) []*part {
	if !slices.ContainsFunc(first, func(p *part) bool { return p.found.Best() == lookup.Literal && !p.isUnused() }) {
		return rest
	}
	return slices.DeleteFunc(rest, func(p *part) bool { return p.found.Best() == lookup.Bare })
}

func (s *Search) hasIdentifiedItem() bool {
	return slices.ContainsFunc(s.Result().Hits, func(h Hit) bool { return h.Identified })
}

func (f *Finder) start(ctx context.Context, reads int) (*Search, context.Context) {
	s := &Search{f: f, changed: make(chan struct{}, 1), remaining: map[string]int{}, seen: map[string]bool{}}
	for c := range f.turns {
		s.remaining[c] = reads
	}
	ctx, s.cancel = context.WithCancel(ctx)
	s.uncounted = ctx
	return s, store.WithTrace(ctx, store.Trace{Called: func(c store.Call) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.result.Requests++
		s.result.Capacity += c.Capacity
	}})
}

// Changed returns a channel on which the search sends after the result changes, and which it closes at the end. Only
// one goroutine may receive from it. The search announces changes in quick succession once.
func (s *Search) Changed() <-chan struct{} { return s.changed }

// Result returns the current result.
func (s *Search) Result() Result {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.result
	r.Hits = slices.Clone(r.Hits)
	return r
}

// Wait returns the final result. While it runs, no other goroutine may receive from Changed.
func (s *Search) Wait() Result {
	for range s.changed {
		continue
	}
	return s.Result()
}

// Cancel ends the search and keeps its hits. Callers may call it several times, even after the end. The search closes
// the channel of Changed soon after.
func (s *Search) Cancel() { s.cancel() }

func (s *Search) finish(ctx context.Context) {
	s.mu.Lock()
	s.result.Incomplete = s.result.Incomplete || !s.result.Done && ctx.Err() != nil
	s.result.Done = true
	s.mu.Unlock()
	s.announce()
}

func (s *Search) end(ctx context.Context) {
	s.finish(ctx)
	s.cancel()
	close(s.changed)
}

func (s *Search) announce() {
	select {
	case s.changed <- struct{}{}:
	default: // the receiver has not read the last change yet
	}
}

func (p *place) reserve(s *Search, n int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.remaining[p.Context] < n {
		s.result.Incomplete = true
		return false
	}
	s.remaining[p.Context] -= n
	return true
}

// release returns n reads to the budget if the request failed because its table does not exist, which costs nothing.
// Reads of other tables can then use them. It does so only for a single word, because several words are rarely a key.
func (p *part) release(n int, err error) {
	if store.ClassOf(err) == store.TableMissing && !p.isSeveralWords() {
		p.s.mu.Lock()
		defer p.s.mu.Unlock()
		p.s.remaining[p.Context] += n
	}
}

// withTimeLimit limits a step by the time budget. It does not limit connecting, because the user may have to sign in.
func (s *Search) withTimeLimit(ctx context.Context, step func(context.Context)) {
	ctx, cancel := context.WithTimeout(ctx, s.f.o.Time)
	defer cancel()
	step(ctx)
	if ctx.Err() != nil {
		s.mu.Lock()
		s.result.Incomplete = true
		s.mu.Unlock()
	}
}

func (s *Search) read(ctx context.Context, parts []*part) {
	byContext := map[string][]*part{}
	for _, p := range parts {
		byContext[p.Context] = append(byContext[p.Context], p)
	}
	var reading sync.WaitGroup
	defer reading.Wait()
	for _, list := range byContext {
		reading.Add(1)
		crash.Go("search a context", func() {
			defer reading.Done()
			s.readContext(ctx, list)
		})
	}
}

func (s *Search) readContext(ctx context.Context, parts []*part) {
	var connected []*part
	var reading sync.WaitGroup
	each := func(step func(context.Context)) {
		reading.Add(1)
		crash.Go("search a schema", func() {
			defer reading.Done()
			s.withTimeLimit(ctx, step)
		})
	}
	for _, p := range parts {
		w, err := s.f.connect(s.uncounted, p.place)
		if err != nil {
			p.err = err
			continue
		}
		p.w = w
		connected = append(connected, p)
		each(func(ctx context.Context) {
			p.readAll(ctx, slices.DeleteFunc(p.unsentReads(true), func(r lookup.Read) bool { return !r.HasKey }), Direct)
			foundItem := p.hasIdentifiedItem() // other reads list items that refer to it
			p.readAll(ctx, slices.DeleteFunc(p.unsentReads(true), func(r lookup.Read) bool { return foundItem && !r.IsItem }), Direct)
		})
	}
	reading.Wait()
	s.withTimeLimit(ctx, func(ctx context.Context) { s.sendUnsureReads(ctx, connected) })
	for _, p := range connected {
		each(func(ctx context.Context) {
			if !p.hasIdentifiedItem() || !slices.ContainsFunc(p.found.Reads, func(r lookup.Read) bool { return r.HasKey }) {
				p.follow(ctx)
			}
			if len(p.ownHits()) > 0 && !p.hasIdentifiedItem() {
				p.readAll(ctx, p.found.Reads, Direct)
			}
		})
	}
	reading.Wait()
}

// maxFollowed is the maximum number of reads for values in a schema's hits.
const maxFollowed = 8

func (s *Search) setConclusions(parts []*part) {
	best := lookup.Bare
	order := map[*workspace.Workspace]int{}
	for _, p := range parts {
		best = min(best, p.found.Best())
		order[p.w] = p.order
	}
	slices.SortStableFunc(s.result.Offers, func(a, b Offer) int {
		return cmp.Or(cmp.Compare(order[a.Workspace], order[b.Workspace]), strings.Compare(a.Table.Name, b.Table.Name))
	})
	for _, p := range parts {
		hits := p.ownHits()
		found := len(hits) > 0
		hasOwnHit := slices.ContainsFunc(hits, func(h Hit) bool { return h.Identified })
		s.mu.Lock()
		r := &s.result
		if m, ok := p.meaning(); ok && !hasOwnHit && !p.isUnused() && p.found.Best() == best {
			if !slices.Contains(r.Understood, m) {
				r.Understood = append(r.Understood, m)
			}
		}
		switch {
		case p.isUnused():
			if p.found.Best() == best { // otherwise, the text belongs to another schema
				r.Unused = append(r.Unused, p.Place)
			}
		case p.err != nil && !errors.Is(p.err, context.Canceled) && store.ClassOf(p.err) != store.TableMissing:
			r.Failures = append(r.Failures, Failure{p.Place, p.err})
		case !found && p.isSearched():
			r.Absent = append(r.Absent, p.Place)
		}
		for _, m := range p.found.Missing {
			isListed := slices.ContainsFunc(r.Missing, func(have Missing) bool { return have.Pattern.FullID() == m.Pattern.FullID() })
			foundElsewhere := !found && len(r.Hits) > 0 && m.Quality == lookup.Bare // the text matched elsewhere
			if (!found || !hasOwnHit && p.returnsIdentifiedItem(m)) && !foundElsewhere && m.Quality == best &&
				p.acceptsMissing(m, hits) && !isListed {
				r.Missing = append(r.Missing, Missing{p.Place, m})
			}
		}
		s.mu.Unlock()
	}
}

func (s *Search) explainKey(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var entities []*models.Entity
	for i, p := range s.f.places {
		isRepeated := slices.ContainsFunc(s.f.places[:i], func(q *place) bool { return q.Profile.Name == p.Profile.Name })
		if !isRepeated { // another context may have the same schema
			entities = append(entities, p.Profile.Entities...)
		}
	}
	key, sort, item, err := accesspatterns.SplitPasted(entities, text)
	if err != nil || item != nil || len(s.result.Hits) > 0 {
		return
	}
	for _, n := range accesspatterns.NearestTemplates(entities, key, sort) {
		at := slices.IndexFunc(s.f.places, func(p *place) bool { return slices.Contains(p.Profile.Entities, n.Entity) })
		s.result.Near = append(s.result.Near, NearMatch{s.f.places[at].Profile, n})
	}
}
