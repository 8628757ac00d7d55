package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/ddbdesk/ddbdesk/internal/journal"
)

// Sink returns the destination of journal copies, nil for none.
func (s *settings) Sink() journal.Sink {
	if s.o.Shipper == nil {
		return nil
	}
	return s.o.Shipper.Sink
}

// JournalPath returns the path of the journal.
func (s *settings) JournalPath() string { return cmp.Or(s.o.JournalPath, journal.DefaultPath()) }

// OpenJournal opens the journal of a session to write it. The error is that of journal.Open; a
// caller that must record something stops there. There is nothing to close.
func OpenJournal(v *Viewer) (*journal.Journal, error) {
	j, err := journal.Open(v.JournalPath())
	if err == nil && v.o.JournalFault != nil {
		j.Intercept(v.o.JournalFault)
	}
	if err == nil {
		j.ShipTo(v.o.Shipper)
	}
	return j, err
}

// Entry returns an unwritten journal entry of this session. The detail must not contain an unmasked value of an item.
func (v *Viewer) Entry(kind journal.Kind, subject string, detail journal.Detail) journal.Entry {
	return journal.Entry{
		Kind: kind, Actor: v.o.Actor, User: v.o.Person.User, Identity: v.o.Person.ARN, Role: string(v.o.Role), Context: v.o.Context,
		Endpoint: v.o.Target.Endpoint,
		Region:   v.o.Target.Region, Account: v.o.Target.Account, Profile: v.o.Profile.Name, Subject: subject, Detail: detail,
		Session: v.o.Purpose.Session, Why: v.o.Purpose.Reason, Ticket: v.o.Purpose.Ticket, BreakGlass: v.o.Purpose.BreakGlass,
	}
}

// Record writes an entry to the journal. The entry is on disk when it returns nil. Sending it
// to a sink does not wait.
func (v *Viewer) Record(ctx context.Context, kind journal.Kind, subject string, detail journal.Detail) error {
	j, err := OpenJournal(v)
	if err != nil {
		return err
	}
	_, err = j.Append(ctx, v.Entry(kind, subject, detail))
	return err
}

// Setup records in the journal that a command starts writing something other than a change, such as sample data, and
// returns a function that records the outcome, a word of the journal such as "committed". If err is not nil, the
// command must not start. ended records even after ctx was canceled.
func (s *Session) Setup(ctx context.Context, subject string) (ended func(outcome string, cause error) error, err error) {
	j, err := OpenJournal(s.Viewer)
	if err != nil {
		return nil, err
	}
	begun, err := j.Append(ctx, s.Entry(journal.Setup, subject, journal.Detail{}))
	if err != nil {
		return nil, err
	}
	return func(outcome string, cause error) error {
		detail := journal.Detail{}
		if cause != nil {
			detail.Why = cause.Error()
		}
		_, err := j.Append(context.WithoutCancel(ctx), begun.Result(outcome, detail))
		return err
	}, nil
}

// Refuse records a refusal in the journal and returns why. The error matches ErrRefused if why does, even if the
// journal cannot be written.
func (s *Session) Refuse(ctx context.Context, subject string, detail journal.Detail, cause error) error {
	detail.Why = cause.Error()
	if err := s.Record(ctx, journal.Refusal, subject, detail); err != nil {
		return errors.Join(cause, fmt.Errorf("recording the refusal in the journal: %w", err))
	}
	return cause
}
