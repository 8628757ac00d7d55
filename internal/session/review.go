package session

import (
	"context"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/journal"
)

// Sources returns the sources of sessions: this machine's journal first, then the configured sink if there is one.
func (v *Viewer) Sources() []journal.Source {
	list := []journal.Source{journal.LocalSource(v.JournalPath())}
	if s := v.Sink(); s != nil {
		list = append(list, journal.SinkSource(s))
	}
	return list
}

// CanReview returns the refusal to review a session, or nil. Users cannot review their own sessions. CanReview compares
// the actor, which users type, and the identity, which they cannot choose.
func (v *Viewer) CanReview(s *journal.Session) error {
	arn, account := s.User()
	user := Person{User: account, ARN: arn}
	if strings.EqualFold(strings.TrimSpace(s.Person), strings.TrimSpace(v.Actor())) ||
		v.Person().SameAs(user, s.IsRecordedIn(v.JournalPath())) {
		return &Refusal{Reason: "you are the user of session " + s.ID, Advice: "ask another user to review it"}
	}
	return nil
}

// Review records the result of a review in this machine's journal, which sends every entry to its sink. A second review
// adds another entry, because the journal never removes any.
func (v *Viewer) Review(ctx context.Context, s *journal.Session, note string) error {
	result, err := ReasonFor(nil, note)
	switch {
	case err != nil:
		return err
	case result == "":
		return InputErrorf("missing --reason, the result of the review; add --reason TEXT")
	}
	if err := v.CanReview(s); err != nil {
		return err
	}
	return v.Record(ctx, journal.Review, s.ID, journal.Detail{Reason: result})
}
