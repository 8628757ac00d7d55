package dashboard

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/requests"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
)

func (b *Board) review(ctx context.Context) error {
	r := &b.summary.Review
	r.Done = true
	list, more, err := b.w.Requests.List(ctx)
	r.Count.More, r.Open.More = more, more
	r.add(list)
	slices.SortFunc(r.Since, time.Time.Compare)
	r.Err = err
	switch class := store.ClassOf(err); {
	case class == store.TableMissing, class == store.AccessDenied, errors.Is(err, session.ErrRefused), errors.Is(err, session.ErrInput):
		return nil // the rest of the database can be read
	}
	return err
}

func (r *PendingRequests) add(list []requests.Entry) {
	for _, e := range list {
		if e.State.Pending() {
			r.Open.N++
		}
		if !r.OwnRequests && e.NeedsReview() || r.OwnRequests && e.IsRequester && e.State.Pending() {
			r.Count.N++
			r.Since = append(r.Since, e.Created)
		}
	}
}

// IsOutdated reports whether a later read of the requests, or nil, changes the counts.
func (r PendingRequests) IsOutdated(list *[]requests.Entry) bool {
	if !r.Known() || list == nil {
		return false
	}
	now := PendingRequests{OwnRequests: r.OwnRequests}
	now.add(*list)
	return now.Open.N != r.Open.N || now.Count.N != r.Count.N
}
