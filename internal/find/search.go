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
	f       *Finder
	cancel  context.CancelFunc
	plain   context.Context // of the search, for what is not counted as a part of it
	changed chan struct{}   // holds a token when the result changed; closed at the end

	mu       sync.Mutex
	result   Result
	scanning float64         // read units of the scans that were begun
	left     map[string]int  // reads that may still be sent, by context
	seen     map[string]bool // hits, by place and key
}

// A part is the search in one place.
type part struct {
	*place
	s        *Search
	w        *workspace.Workspace
	found    lookup.Result
	mu       sync.Mutex
	sent     map[string]bool // requests
	answered bool            // one read succeeded
	scanned  []*models.Table // completely
	// doubtful are tables that were not scanned for a text of such a quality, which may be of another system.
	doubtful map[lookup.Quality][]*models.Table
	left     []lookup.Read  // not sent, because they match any text or the limit was reached
	begins   []lookup.Begin // IDs that may begin with the text
	agreed   bool           // the user agreed to scan
	words    string         // that a title may contain, in lower case; "" for none
	err      error          // of the first read that failed
}

// Search starts to search for a text. An error explains why the text can be no ID, key or item of any schema. The
// search ends with ctx. It returns at once and reads in the background. The error wraps
// accesspatterns.ErrPasted or is about the key.
func (f *Finder) Search(ctx context.Context, text string) (*Search, error) {
	s, ctx := f.start(ctx, f.o.Reads)
	var parts []*part
	var refused error
	understood := len(f.places) == 0
	for _, p := range linked(f.places, text) {
		found, err := p.look(text)
		if err != nil { // It may still contain an ID of another schema.
			if refused == nil {
				refused = err
			}
			continue
		}
		understood = true
		if one := s.part(p, text, found); found.National || len(found.Reads)+len(found.Targets)+len(found.Missing) > 0 || one.mayOffer() {
			parts = append(parts, one)
		}
	}
	if !understood {
		s.cancel()
		return nil, refused
	}
	parts = s.inConsole(text, likely(parts))
	s.result.Within = slices.ContainsFunc(parts, func(p *part) bool { return p.found.Within })
	s.result.National = slices.ContainsFunc(parts, func(p *part) bool { return p.found.National })
	s.result.Cut = slices.ContainsFunc(parts, func(p *part) bool { return p.found.Cut && p.found.Best() < lookup.Bare })
	if f.onlyBegins(text, parts) {
		parts = nil
	}
	known, others := f.corrections(text)
	s.result.Similar = known
	crash.Go("search the schemas", func() {
		defer s.end(ctx)
		first, rest := declared(parts)
		s.read(ctx, first)
		if s.foundItself() {
			parts = first
		} else {
			s.read(ctx, elsewhere(first, rest))
		}
		s.timed(ctx, func(ctx context.Context) { s.scanSmall(ctx, parts) })
		s.explainKey(text)
		if f.o.Offers {
			s.timed(ctx, func(ctx context.Context) { s.offer(ctx, parts) })
		}
		s.conclude(parts)
		if len(s.Result().Hits) == 0 {
			s.timed(ctx, func(ctx context.Context) { s.correct(ctx, others) })
		}
		s.finish(ctx)
		events, cancel := context.WithTimeout(ctx, f.o.Time)
		defer cancel()
		s.lastEvents(events)
	})
	return s, nil
}

func (s *Search) part(p *place, text string, found lookup.Result) *part {
	one := &part{
		place: p, s: s, found: found, sent: map[string]bool{},
		doubtful: map[lookup.Quality][]*models.Table{}, begins: lookup.Begins(Schema(p.Profile), text),
	}
	if lookup.IsWords(text) && found.Best() == lookup.Bare {
		one.words = strings.ToLower(strings.TrimSpace(text))
	}
	return one
}

func isKey(r lookup.Read) bool { return r.Key && r.Quality == lookup.Literal }

// likely omits schemas where any text could be a key if the text is spelled like a key of another one.
func likely(parts []*part) []*part {
	spelled := func(p *part) bool { return slices.ContainsFunc(p.found.Reads, isKey) }
	if !slices.ContainsFunc(parts, spelled) {
		return parts
	}
	return slices.DeleteFunc(parts, func(p *part) bool { return p.found.Best() == lookup.Bare })
}

// inConsole omits the schemas without the table that a link of the AWS console names, if another one has it.
func (s *Search) inConsole(text string, parts []*part) []*part {
	l, ok := lookup.Linked(text)
	if !ok || l.Table == "" {
		return parts
	}
	lacks := func(p *part) bool {
		return !slices.ContainsFunc(p.Profile.Tables, func(t *models.Table) bool { return t.Name == l.Table })
	}
	if slices.ContainsFunc(parts, func(p *part) bool { return !lacks(p) }) {
		return slices.DeleteFunc(parts, lacks)
	}
	s.result.Elsewhere = &l
	return parts
}

func (f *Finder) onlyBegins(text string, parts []*part) bool {
	return !slices.ContainsFunc(parts, func(p *part) bool { return p.found.Best() < lookup.Bare }) &&
		slices.ContainsFunc(f.places, func(p *place) bool { return Schema(p.Profile).OnlyBegins(text) })
}

func declared(parts []*part) (first, rest []*part) {
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

// elsewhere omits the schemas where any text fits if the database has one that declares what the text begins with.
func elsewhere(first, rest []*part) []*part {
	if !slices.ContainsFunc(first, func(p *part) bool { return p.found.Best() == lookup.Literal && !p.unused() }) {
		return rest
	}
	return slices.DeleteFunc(rest, func(p *part) bool { return p.found.Best() == lookup.Bare })
}

func (s *Search) foundItself() bool {
	return slices.ContainsFunc(s.Result().Hits, func(h Hit) bool { return h.Own })
}

func (f *Finder) start(ctx context.Context, reads int) (*Search, context.Context) {
	s := &Search{f: f, changed: make(chan struct{}, 1), left: map[string]int{}, seen: map[string]bool{}}
	for _, p := range f.places {
		s.left[p.Context] = reads
	}
	ctx, s.cancel = context.WithCancel(ctx)
	s.plain = ctx
	return s, store.WithTrace(ctx, store.Trace{Called: func(c store.Call) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.result.Requests++
		s.result.Capacity += c.Capacity
	}})
}

// Changed returns a channel that receives when the result has changed, and is closed when the
// search has ended. Only one goroutine may receive from it. Changes that follow quickly are
// announced once.
func (s *Search) Changed() <-chan struct{} { return s.changed }

// Result returns what was found so far.
func (s *Search) Result() Result {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.result
	r.Hits = slices.Clone(r.Hits)
	return r
}

// Wait returns the result of the whole search. Nothing else may receive from Changed.
func (s *Search) Wait() Result {
	for range s.changed {
		continue
	}
	return s.Result()
}

// Cancel ends the search; what was found stays. It may be called several times, and after the
// end. The channel of Changed is closed soon after.
func (s *Search) Cancel() { s.cancel() }

func (s *Search) finish(ctx context.Context) {
	s.mu.Lock()
	s.result.Cut = s.result.Cut || !s.result.Done && ctx.Err() != nil
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
	default: // It has not looked since the last change.
	}
}

func (p *place) reserve(s *Search, n int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left[p.Context] < n {
		s.result.Cut = true
		return false
	}
	s.left[p.Context] -= n
	return true
}

// timed limits a step by the budget of time. Connecting is not limited: a user may have to sign in.
func (s *Search) timed(ctx context.Context, step func(context.Context)) {
	ctx, cancel := context.WithTimeout(ctx, s.f.o.Time)
	defer cancel()
	step(ctx)
	if ctx.Err() != nil {
		s.mu.Lock()
		s.result.Cut = true
		s.mu.Unlock()
	}
}

func (s *Search) read(ctx context.Context, parts []*part) {
	of := map[string][]*part{}
	for _, p := range parts {
		of[p.Context] = append(of[p.Context], p)
	}
	var reading sync.WaitGroup
	defer reading.Wait()
	for _, list := range of {
		reading.Add(1)
		crash.Go("search a context", func() {
			defer reading.Done()
			s.readContext(ctx, list)
		})
	}
}

func (s *Search) readContext(ctx context.Context, parts []*part) {
	var open []*part
	var reading sync.WaitGroup
	each := func(step func(context.Context)) {
		reading.Add(1)
		crash.Go("search a schema", func() {
			defer reading.Done()
			s.timed(ctx, step)
		})
	}
	for _, p := range parts {
		w, err := s.f.connect(s.plain, p.place)
		if err != nil {
			p.err = err
			continue
		}
		p.w = w
		open = append(open, p)
		each(func(ctx context.Context) {
			p.all(ctx, slices.DeleteFunc(p.reads(true), func(r lookup.Read) bool { return !r.Key }), Direct)
			named := p.foundItself() // Other reads list what refers to it.
			p.all(ctx, slices.DeleteFunc(p.reads(true), func(r lookup.Read) bool { return named && !r.Whole }), Direct)
		})
	}
	reading.Wait()
	s.timed(ctx, func(ctx context.Context) { s.unsure(ctx, open) })
	for _, p := range open {
		each(func(ctx context.Context) {
			if !p.foundItself() || !slices.ContainsFunc(p.found.Reads, func(r lookup.Read) bool { return r.Key }) {
				p.follow(ctx)
			}
			if len(p.ownHits()) > 0 && !p.foundItself() {
				p.all(ctx, p.found.Reads, Direct)
			}
		})
	}
	reading.Wait()
}

func (p *part) all(ctx context.Context, reads []lookup.Read, way Way) {
	var reading sync.WaitGroup
	for i, r := range reads {
		if !p.take(r) {
			continue
		}
		reading.Add(1)
		crash.Go("search a partition", func() {
			defer reading.Done()
			p.one(ctx, r, way, i)
		})
	}
	reading.Wait()
}

func (p *part) take(r lookup.Read) bool {
	if p.knows(r) {
		return false
	}
	sent := p.reserve(p.s, costOf(r))
	p.mark(r)
	if !sent {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.left = append(p.left, r)
	}
	return sent
}

func (p *part) mark(r lookup.Read) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent[r.Fingerprint()] = true
}

func (p *part) knows(r lookup.Read) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sent[r.Fingerprint()] || p.lacks(r.Entity.Table.Name)
}

func costOf(r lookup.Read) int {
	if r.Index != nil && r.Index.Projection != models.ProjectionAll {
		return 2
	}
	return 1
}

func (p *part) one(ctx context.Context, r lookup.Read, way Way, order int) {
	page, err := p.w.Session.Store().Fetch(ctx, r.Leg, nil, p.s.f.o.Rows)
	if err == nil && costOf(r) > 1 && len(page.Items) > 0 {
		page.Items, err = p.complete(ctx, r.Entity.Table, page.Items)
	}
	if !p.note(r.Entity.Table.Name, err) {
		return
	}
	p.hits(page.Items, r, way, order)
}

// note counts a table or index that does not exist as no failure: a schema may be used in part.
func (p *part) note(table string, err error) bool {
	class := store.ClassOf(err)
	if class == store.TableMissing {
		p.setLacking(table)
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

// complete leaves a row of an index whose item is gone as it is.
func (p *part) complete(ctx context.Context, t *models.Table, rows []models.Item) ([]models.Item, error) {
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
	whole := make(map[string]models.Item, len(page.Items))
	for _, it := range page.Items {
		whole[t.KeyID(it)] = it
	}
	for i, row := range rows {
		if it, ok := whole[t.KeyID(row)]; ok {
			rows[i] = it
		}
	}
	return rows, nil
}

func (p *part) hits(items []models.Item, r lookup.Read, way Way, order int) {
	if len(items) == 0 {
		return
	}
	s := p.s
	s.mu.Lock()
	for _, it := range items {
		t := r.Entity.Table
		h := Hit{Workspace: p.w, Context: p.Context, Table: t, Item: it, Way: way, order: [2]int{p.order, order}}
		if known, ok := p.w.Session.Recognize(t, it); ok {
			h.Entity = known.Entity
		}
		h.judge(p.found.Targets, r)
		h.Begins = !h.Own && p.begin(h.Entity, it)
		id := p.Context + "\x00" + p.Profile.Name + "\x00" + t.Name + "\x00" + t.KeyID(it)
		if !s.seen[id] {
			s.seen[id] = true
			s.result.Hits = append(s.result.Hits, h)
			continue
		}
		at := slices.IndexFunc(s.result.Hits, func(have Hit) bool {
			return have.Workspace == p.w && have.Table == t && t.KeyID(have.Item) == t.KeyID(it)
		})
		if compareHits(h, s.result.Hits[at]) < 0 { // Reads end in any order.
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

func (p *part) foundItself() bool {
	return slices.ContainsFunc(p.ownHits(), func(h Hit) bool { return h.Own })
}

// mostFollowed is how many reads are sent for what the hits of a schema name.
const mostFollowed = 8

func (p *part) follow(ctx context.Context) {
	var reads []lookup.Read
	for _, h := range p.ownHits() {
		if h.Entity == nil || len(reads) >= mostFollowed {
			continue
		}
		for _, r := range lookup.Follow(Schema(p.Profile), p.found.Missing, accesspatterns.ItemView(h.Entity, h.Item)) {
			same := func(have lookup.Read) bool { return have.Fingerprint() == r.Fingerprint() }
			if r.Whole && !slices.ContainsFunc(reads, same) {
				reads = append(reads, r)
			}
		}
	}
	p.all(ctx, reads[:min(len(reads), mostFollowed)], Followed)
}

func (s *Search) conclude(parts []*part) {
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
		itself := slices.ContainsFunc(hits, func(h Hit) bool { return h.Own })
		s.mu.Lock()
		r := &s.result
		if m, ok := p.meaning(); ok && !itself && !p.unused() && p.found.Best() == best {
			if !slices.Contains(r.Understood, m) {
				r.Understood = append(r.Understood, m)
			}
		}
		switch {
		case p.unused():
			if p.found.Best() == best { // Else the text is of another schema.
				r.Unused = append(r.Unused, p.Place)
			}
		case p.err != nil && !errors.Is(p.err, context.Canceled) && store.ClassOf(p.err) != store.TableMissing:
			r.Failures = append(r.Failures, Failure{p.Place, p.err})
		case !found && p.w != nil: // Else nothing was asked.
			r.Absent = append(r.Absent, p.Place)
		}
		for _, m := range p.found.Missing {
			elsewhere := !found && len(r.Hits) > 0 && m.Quality == lookup.Bare // Any text fits it, and this one was found.
			if (!found || !itself && p.returns(m)) && !elsewhere && m.Quality == best && p.explains(m) && !r.lists(m) {
				r.Missing = append(r.Missing, Missing{p.Place, m})
			}
		}
		s.mu.Unlock()
	}
}

// meaning is known only of a text whose form says whose ID or key it is.
func (p *part) meaning() (Meaning, bool) {
	for _, r := range p.found.Reads {
		if isKey(r) {
			return Meaning{Entity: r.Entity, Key: true, From: r.From}, true
		}
	}
	var of []lookup.Target
	for _, t := range p.found.Targets {
		if t.Owned && t.Sure && t.Quality == p.found.Best() && t.Attribute == t.Entity.IDName() {
			of = append(of, t)
		}
	}
	if len(of) > 0 { // Several entities have UUIDs.
		other := func(t lookup.Target) bool { return t.Entity != of[0].Entity }
		return Meaning{Entity: of[0].Entity, From: of[0].From}, !slices.ContainsFunc(of, other)
	}
	for _, t := range p.found.Targets {
		if address := t.Address(); address != "" && t.Quality == p.found.Best() {
			return Meaning{Entity: t.Entity, Address: address, From: t.From}, true
		}
	}
	for _, b := range p.begins {
		if b.Quality <= lookup.Exact {
			return Meaning{Entity: b.Entity, Start: true}, true
		}
	}
	return Meaning{}, false
}

func (s *Search) explainKey(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key, sort, item, err := accesspatterns.SplitPasted(text)
	if err != nil || item != nil || len(s.result.Hits) > 0 {
		return
	}
	var entities []*models.Entity
	for i, p := range s.f.places {
		before := slices.ContainsFunc(s.f.places[:i], func(q *place) bool { return q.Profile.Name == p.Profile.Name })
		if !before { // Another context has the same schema.
			entities = append(entities, p.Profile.Entities...)
		}
	}
	for _, n := range accesspatterns.Nearest(entities, key, sort) {
		at := slices.IndexFunc(s.f.places, func(p *place) bool { return slices.Contains(p.Profile.Entities, n.Entity) })
		s.result.Near = append(s.result.Near, Near{s.f.places[at].Profile, n})
	}
}

func (p *part) unused() bool {
	missing := slices.ContainsFunc(p.Profile.Tables, func(t *models.Table) bool { return p.lacks(t.Name) })
	return missing && !p.answered && (p.err == nil || store.ClassOf(p.err) == store.TableMissing)
}

// explains counts only parameters of the only schema that are the ID of an item and lack a single value, because any text fits a
// parameter without a format.
func (p *part) explains(m lookup.Missing) bool {
	if slices.Contains(p.scanned, m.Pattern.Table) {
		return false // The table does not contain the text.
	}
	return m.Quality < lookup.Bare || len(p.s.f.places) == 1 && len(m.Parameters) == 1 && p.returns(m)
}

// returns reports whether the pattern gets the item whose own ID the text may be.
func (p *part) returns(m lookup.Missing) bool {
	return m.Pattern.Read.Operation == accesspatterns.Get && slices.ContainsFunc(p.found.Targets, func(t lookup.Target) bool {
		return t.Owned && t.Attribute == m.Param && slices.Contains(m.Pattern.Returns, t.Entity)
	})
}
