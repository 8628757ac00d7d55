package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/ddbdesk/ddbdesk/internal/journal"
)

// JournalPath returns the path of the journal.
func (s *Session) JournalPath() string { return cmp.Or(s.o.JournalPath, journal.DefaultPath()) }

// Entry returns a journal entry of this session that is not written yet.
func (s *Session) Entry(kind journal.Kind, subject string, detail journal.Detail) journal.Entry {
	return journal.Entry{
		Kind: kind, Actor: s.o.Actor, Role: string(s.o.Role), Context: s.o.Context, Endpoint: s.o.Target.Endpoint,
		Region: s.o.Target.Region, Account: s.o.Target.Account, Profile: s.o.Profile.Name, Subject: subject, Detail: detail,
	}
}

// Record writes an entry to the journal.
func (s *Session) Record(ctx context.Context, kind journal.Kind, subject string, detail journal.Detail) error {
	j, err := journal.Open(s.JournalPath())
	if err != nil {
		return err
	}
	_, err = j.Append(ctx, s.Entry(kind, subject, detail))
	return err
}

// Refuse records in the journal that something was refused, and returns why.
func (s *Session) Refuse(ctx context.Context, subject string, detail journal.Detail, why error) error {
	detail.Why = why.Error()
	if err := s.Record(ctx, journal.Refusal, subject, detail); err != nil {
		return errors.Join(why, fmt.Errorf("recording the refusal in the journal: %w", err))
	}
	return why
}
