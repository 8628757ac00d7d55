package changes

import (
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// isCreatedBy ignores letter case, as IAM does. Source: AWS IAM User Guide, "IAM and AWS STS quotas".
func (f *File) isCreatedBy(s *session.Viewer, oneMachine bool) bool {
	return isSameName(f.Actor, s.Actor()) || f.Person().SameAs(s.Person(), oneMachine)
}

// IsAuthor reports whether the user of the session created the plan.
func (pl *Planner) IsAuthor(f *File) bool {
	signedHere, err := f.isSignedHere(pl.s)
	return f.isCreatedBy(pl.s, err == nil && signedHere)
}

func isSameName(a, b string) bool {
	return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
}

// CheckSecondPerson returns a refusal if the action needs a second person and the session's user created the plan. It
// also refuses an edited file of this machine.
func (pl *Planner) CheckSecondPerson(f *File, a *change.Action) error {
	signedHere, err := f.isSignedHere(pl.s)
	if err != nil || !a.FourEyes {
		return err
	}
	if err := CheckTypedActor(pl.s, a); err != nil {
		return err
	}
	if !f.isCreatedBy(pl.s, signedHere) {
		return nil
	}
	actor := models.Printable(f.Actor)
	if !isSameName(f.Actor, pl.s.Actor()) {
		actor += ", who is the same person as " + models.Printable(pl.s.Actor()) + ","
	}
	return session.Refusef("another user must apply it", "%s needs a second person, and %s created the plan", a.Term(), actor)
}

// CheckAuthor returns a refusal if the file is from another machine. Use it for files that a person hands over, because
// such files, unlike the requests table, do not prove their author.
func (pl *Planner) CheckAuthor(f *File) error {
	if signedHere, err := f.isSignedHere(pl.s); err != nil || signedHere {
		return err
	}
	return &session.Refusal{
		Reason: "a plan from another machine does not prove who created it", Advice: "file the change as a request; see ddbdesk requests",
	}
}

// CheckTypedActor returns a refusal if the user typed the actor, the action needs a second person and AWS identifies
// the user.
func CheckTypedActor(s *session.Viewer, a *change.Action) error {
	arn := s.Person().ARN
	if !a.FourEyes || arn == "" || isSameName(arn, s.Actor()) {
		return nil
	}
	return session.Refusef("omit --actor",
		"--actor is refused: %s needs a second person, and AWS identifies you as %s", a.Term(), models.Printable(arn))
}

// checkUndoPerson refuses an undo by the person who made the change, if its action needs a second person.
func checkUndoPerson(s *session.Viewer, original *change.Plan) error {
	if !original.Action.FourEyes {
		return nil
	}
	if err := CheckTypedActor(s, original.Action); err != nil {
		return err
	}
	if !isSameName(original.Basis.Actor, s.Actor()) && !personOf(s, original.Basis.Token).SameAs(s.Person(), true) {
		return nil
	}
	return session.Refusef("another user must undo it", "%s needs a second person, and %s applied this change",
		original.Action.Term(), models.Printable(original.Basis.Actor))
}

// personOf returns the zero Person, which matches nobody, if the journal does not record who applied the change.
func personOf(s *session.Viewer, token string) session.Person {
	for e, err := range journal.Backward(s.JournalPath()) {
		if err == nil && e.Kind == journal.Intent && e.Detail.Token == token {
			return session.Person{User: e.User, ARN: e.Identity}
		}
	}
	return session.Person{}
}
