package find

import (
	"context"

	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/timeline"
)

// These constants limit the audit entries to read for the best hits, because a trail without an index needs one request
// per day.
const (
	maxEvents     = 3
	eventRequests = 12
)

func (s *Search) lastEvents(ctx context.Context) {
	hits := s.Result().Hits
	for i, h := range hits {
		if i == maxEvents || ctx.Err() != nil {
			return
		}
		if h.Entity == nil || !h.Identified && len(hits) > 1 {
			continue
		}
		if last := s.lastEvent(ctx, h); last != nil {
			s.mu.Lock()
			s.result.Hits[i].Last = last
			s.mu.Unlock()
			s.announce()
		}
	}
}

func (s *Search) lastEvent(ctx context.Context, h Hit) *timeline.Entry {
	remaining := eventRequests
	ctx = store.WithTrace(ctx, store.Trace{Admit: func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		admitted := remaining > 0 && s.remaining[h.Context] > 0
		if admitted {
			remaining, s.remaining[h.Context] = remaining-1, s.remaining[h.Context]-1
		}
		return admitted
	}})
	line := timeline.New(h.Workspace.Session.Viewer, h.Workspace.Reading, h.Entity, h.Item)
	if line.Requests() > remaining {
		return nil
	}
	list, _ := line.Next(ctx, 1)
	if len(list) == 0 {
		return nil
	}
	return &list[0]
}
