package requests

import "context"

// An Entry is a change request with the permissions that the session's user had when it was listed. The permissions
// only determine the options on the screen: each operation checks them again.
type Entry struct {
	Request
	IsRequester bool // the session's user filed the request

	// These are the refusals to apply or approve, to reject, and to withdraw the request; nil if the user may do so.
	CannotApply, CannotReject, CannotWithdraw error
}

// NeedsReview reports whether another user's request is pending. CannotApply and CannotReject show whether this user
// may decide it.
func (e Entry) NeedsReview() bool { return e.State.Pending() && !e.IsRequester }

// List returns the schema's requests that can still be applied and those of the last 30 days, newest first, and whether
// there are more. List is Register.List for one schema. After an error, list contains the requests read before.
func (in *Inbox) List(ctx context.Context) (list []Entry, more bool, err error) {
	r, err := in.Register()
	if err != nil {
		return nil, false, err
	}
	found, more, err := r.List(ctx, Listing{Schema: in.s.Profile().Name})
	for _, q := range found {
		list = append(list, in.entry(r, q))
	}
	if ctx.Err() == nil { // Otherwise, nobody would read the requests again.
		in.known.Store(&list)
	}
	return list, more, err
}

func (in *Inbox) entry(r *Register, q Request) Entry {
	e := Entry{
		Request: q, IsRequester: r.IsRequester(q), CannotApply: in.CanApply(q), CannotReject: r.cannotDecide,
		CannotWithdraw: r.canWithdraw(q),
	}
	if err := in.s.CanRequest(); err != nil && e.CannotWithdraw == nil {
		e.CannotWithdraw = err
	}
	if q.File != nil && q.File.Many() && e.CannotApply == nil {
		e.CannotApply = in.fileRequired(q)
	}
	if err := checkNotEnded(q); err != nil {
		e.CannotReject, e.CannotWithdraw = err, err
	}
	return e
}
