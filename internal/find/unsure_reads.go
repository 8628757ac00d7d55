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
	"github.com/ddbdesk/ddbdesk/models"
)

// maxUnsure is the maximum number of reads per context for a text that does not clearly match any schema. The search
// offers further reads.
const maxUnsure = 5

// unsentReads returns the unsent reads that are distinctive, or the unsent reads that are not.
func (p *part) unsentReads(distinctive bool) []lookup.Read {
	return slices.DeleteFunc(slices.Clone(p.found.Reads), func(r lookup.Read) bool { return r.Distinctive != distinctive || p.isKnown(r) })
}

// remainingReads returns the number of further reads for a text without a clear match.
func (s *Search) remainingReads(context string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maxUnsure - (s.f.o.Reads - s.remaining[context])
}

// unsureRead is a read of a part. turn is its position among the part's reads.
type unsureRead struct {
	p          *part
	r          lookup.Read
	turn, rank int
}

// sendUnsureReads sends the reads that accept any text: all GetItem requests together, then queries within the limit,
// in turns between schemas. Reads of referring items come last, because the search follows references anyway.
func (s *Search) sendUnsureReads(ctx context.Context, parts []*part) {
	var gets, queries []*unsureRead
	for _, p := range parts {
		for i, r := range p.unsentReads(false) {
			one := &unsureRead{p: p, r: r, turn: i}
			switch {
			case r.IsReference:
				one.rank = 2
			case r.Guessed:
				one.rank = 1
			}
			if r.Leg.Get != nil {
				gets = append(gets, one)
			} else {
				queries = append(queries, one)
			}
		}
	}
	s.readTogether(ctx, gets)
	slices.SortStableFunc(queries, func(a, b *unsureRead) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.r.Quality, b.r.Quality), cmp.Compare(a.turn, b.turn))
	})
	scans := 0 // scans of tables that may contain an ID of this format
	for _, p := range parts {
		if q := p.found.Best(); q < lookup.Bare {
			scans += len(p.unreachedTables(q))
		}
	}
	var reading sync.WaitGroup
	for _, q := range queries {
		switch {
		case len(q.p.ownHits()) > 0: // all reads of the schema follow
		case s.remainingReads(q.p.Context)-scans < costOf(q.r):
			q.p.unsent = append(q.p.unsent, q.r)
		case q.p.claimRead(q.r):
			reading.Add(1)
			crash.Go("search a partition", func() {
				defer reading.Done()
				q.p.readOne(ctx, q.r, Direct, q.turn)
			})
		}
	}
	reading.Wait()
}

// readTogether sends the GetItem reads of all schemas as one request, except the reads of sessions that journal reads.
func (s *Search) readTogether(ctx context.Context, gets []*unsureRead) {
	for len(gets) > 0 {
		first := gets[0].p
		group := slices.DeleteFunc(slices.Clone(gets), func(g *unsureRead) bool {
			journaled := first.w.Session.JournalsReads() || g.p.w.Session.JournalsReads()
			return g.p != first && journaled
		})
		group = group[:min(len(group), accesspatterns.MaxBatch)]
		gets = slices.DeleteFunc(gets, func(g *unsureRead) bool { return slices.Contains(group, g) })
		if s.remainingReads(first.Context) > 0 && s.sendBatch(ctx, group) {
			continue
		}
		for _, g := range group {
			g.p.unsent = append(g.p.unsent, g.r)
		}
	}
}

// sendBatch sends GetItem reads as one request within the limit, and separately if the request fails for a table.
func (s *Search) sendBatch(ctx context.Context, gets []*unsureRead) bool {
	first := gets[0].p
	legs := models.MapSlice(gets, func(g *unsureRead) accesspatterns.Leg { return g.r.Leg })
	if len(gets) == 1 {
		first.readAll(ctx, []lookup.Read{gets[0].r}, Direct)
		return first.isKnown(gets[0].r)
	}
	if !first.reserve(s, 1) {
		return false
	}
	page, err := first.w.Session.Store().Fetch(ctx, accesspatterns.CombinedGetLeg(legs), nil, 0)
	class := store.ClassOf(err)
	first.release(1, err)
	if class == store.TableMissing {
		s.recordMissingTables(ctx, gets)
		rest := slices.DeleteFunc(slices.Clone(gets), func(g *unsureRead) bool { return g.p.isKnown(g.r) })
		if len(rest) > 0 && len(rest) < len(gets) {
			return s.sendBatch(ctx, rest)
		}
	}
	if class == store.TableMissing || class == store.AccessDenied || class == store.Validation {
		for _, g := range gets {
			g.p.readAll(ctx, []lookup.Read{g.r}, Direct)
		}
		return true
	}
	for _, g := range gets {
		table := g.r.Entity.Table
		g.p.recordSent(g.r)
		if !g.p.note(table.Name, err) {
			continue
		}
		for i, it := range page.Items {
			key, _ := table.PrimaryKey(it)
			if page.Tables[i] == table.Name && models.EqualItems(key, models.Item(g.r.Leg.Get.Key)) {
				g.p.addHits([]models.Item{it}, g.r, Direct, g.turn, false)
			}
		}
	}
	return true
}

func (s *Search) recordMissingTables(ctx context.Context, gets []*unsureRead) {
	names, err := gets[0].p.w.Session.Store().Tables(ctx)
	for _, g := range gets {
		if err == nil && !slices.Contains(names, g.r.Entity.Table.Name) {
			g.p.note(g.r.Entity.Table.Name, &store.Error{Class: store.TableMissing, Table: g.r.Entity.Table.Name})
		}
	}
}
