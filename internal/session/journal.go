package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/ddbdesk/ddbdesk/internal/journal"
)

// Sink returns the destination of journal copies, or nil.
func (s *settings) Sink() journal.Sink {
	if s.o.Shipper == nil {
		return nil
	}
	return s.o.Shipper.Sink
}

// JournalPath returns the path of the journal.
func (s *settings) JournalPath() string { return cmp.Or(s.o.JournalPath, journal.DefaultPath()) }

// OpenJournal opens the journal of a session for writing. It returns the error of journal.Open; a caller that must
// record something must then stop. The journal does not need to be closed.
func OpenJournal(v *Viewer) (*journal.Journal, error) {
	j, err := journal.Open(v.JournalPath())
	if err == nil && v.o.JournalFault != nil {
		j.Intercept(v.o.JournalFault)
	}
	if err == nil {
		j.SetShipper(v.o.Shipper)
	}
	return j, err
}

// Entry returns a new journal entry of this session without writing it. detail must not contain unmasked values of
// items.
func (v *Viewer) Entry(kind journal.Kind, subject string, detail journal.Detail) journal.Entry {
	return journal.Entry{
		Kind: kind, Actor: v.o.Actor, User: v.o.Person.User, Identity: v.o.Person.ARN, Role: string(v.o.Role), Context: v.o.Context,
		Endpoint: v.o.Target.Endpoint,
		Region:   v.o.Target.Region, Account: v.o.Target.Account, Profile: v.o.Profile.Name, Subject: subject, Detail: detail,
		Session: v.o.Purpose.Session, Purpose: v.o.Purpose.Reason, Ticket: v.o.Purpose.Ticket, BreakGlass: v.o.Purpose.BreakGlass,
	}
}

// Record writes an entry to the journal. When it returns nil, the entry is on disk. Record does not wait for a sink.
func (v *Viewer) Record(ctx context.Context, kind journal.Kind, subject string, detail journal.Detail) error {
	j, err := OpenJournal(v)
	if err != nil {
		return err
	}
	_, err = j.Append(ctx, v.Entry(kind, subject, detail))
	return err
}

// Setup records in the journal that a command starts to write something other than a change, such as sample data. It
// returns a function that records the outcome, such as "committed", even after ctx was canceled. If err is not nil, the
// command must not start.
func (s *Session) Setup(ctx context.Context, subject string) (ended func(outcome string, cause error) error, err error) {
	j, err := OpenJournal(s.Viewer)
	if err != nil {
		return nil, err
	}
	setupEntry, err := j.Append(ctx, s.Entry(journal.Setup, subject, journal.Detail{}))
	if err != nil {
		return nil, err
	}
	return func(outcome string, cause error) error {
		detail := journal.Detail{}
		if cause != nil {
			detail.Why = cause.Error()
		}
		_, err := j.Append(context.WithoutCancel(ctx), setupEntry.Result(outcome, detail))
		return err
	}, nil
}

// Refuse records a refusal in the journal and returns cause. The error matches ErrRefused if cause does, even if the
// journal is not writable.
func (s *Session) Refuse(ctx context.Context, subject string, detail journal.Detail, cause error) error {
	detail.Why = cause.Error()
	if err := s.Record(ctx, journal.Refusal, subject, detail); err != nil {
		return errors.Join(cause, fmt.Errorf("record the refusal in the journal: %w", err))
	}
	return cause
}
