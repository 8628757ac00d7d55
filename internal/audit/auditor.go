package audit

import (
	"context"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/session"
)

// An Auditor reads and reviews sessions on behalf of the user of a session.
type Auditor struct{ v *session.Viewer }

// New returns the auditor of a session. It does no I/O.
func New(v *session.Viewer) *Auditor { return &Auditor{v} }

// Sources returns where sessions can be read: the journal of this machine first, then the sink of the configuration, if there is one.
func (a *Auditor) Sources() []Source {
	list := []Source{Local(a.v.JournalPath())}
	if s := a.v.Sink(); s != nil {
		list = append(list, Kept(s))
	}
	return list
}

// CanReview returns the refusal to review a session, nil if that is allowed. A user cannot review a session of the own name or
// identity. It compares the actor, which users type, as well as the identity, which they
// cannot.
func (a *Auditor) CanReview(s *Session) error {
	if strings.EqualFold(strings.TrimSpace(s.Person), strings.TrimSpace(a.v.Actor())) || a.v.Person().SameAs(s.user, a.here(s)) {
		return &session.Refusal{Why: "you are the user of session " + s.ID, Next: "ask another user to review it"}
	}
	return nil
}

// here reports whether entries of a session were made on this machine.
func (a *Auditor) here(s *Session) bool {
	host, _, _ := strings.Cut(journal.Origin(a.v.JournalPath()), " ")
	for _, p := range s.parts {
		if at, _, _ := strings.Cut(p.Origin, " "); at != "" && at != host {
			return false
		}
	}
	return true
}

// Review records the result of a review in the journal of this machine, which sends it to its
// sink as every entry. Reviews are never removed: a second one is another entry.
func (a *Auditor) Review(ctx context.Context, s *Session, note string) error {
	if note = strings.TrimSpace(note); note == "" {
		return session.InputErrorf("the result of the review is missing")
	}
	if err := a.CanReview(s); err != nil {
		return err
	}
	return a.v.Record(ctx, journal.Review, s.ID, journal.Detail{Reason: note})
}
