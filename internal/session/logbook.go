// This file reads the journal for people: what was refused and revealed, and
// whether the file is what was written.

package session

import (
	"errors"
	"slices"

	"github.com/ddbdesk/ddbdesk/internal/journal"
)

// A JournalEntry is a line of the journal.
type JournalEntry = journal.Entry

// Remarks returns the entries of this session's profile and target that are no
// changes: refusals, and what was revealed, newest first. Lines that cannot be
// read come back joined in the error; the rest is there.
func (s *Session) Remarks() ([]JournalEntry, error) {
	var list []JournalEntry
	var faults []error
	for e, err := range journal.Read(s.JournalPath()) {
		switch {
		case err != nil:
			faults = append(faults, err)
		case !s.ours(e):
		case e.Kind == journal.Refusal || e.Kind == journal.Reveal:
			list = append(list, e)
		}
	}
	slices.Reverse(list)
	return list, errors.Join(faults...)
}

// IsReveal reports whether the entry says that personal data was shown.
func IsReveal(e JournalEntry) bool { return e.Kind == journal.Reveal }

// VerifyJournal reads the whole journal and returns how many entries it has and
// what is wrong with it, nothing for a sound one.
func (s *Session) VerifyJournal() (entries int, problems []string, err error) {
	report, err := journal.Verify(s.JournalPath())
	for _, p := range report.Problems {
		problems = append(problems, p.String())
	}
	return report.Entries, problems, err
}
