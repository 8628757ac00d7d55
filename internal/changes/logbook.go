package changes

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
func (j *Journal) Remarks() ([]JournalEntry, error) {
	var list []JournalEntry
	var faults []error
	for e, err := range journal.Read(j.s.JournalPath()) {
		switch {
		case err != nil:
			faults = append(faults, err)
		case !j.ours(e):
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
func (j *Journal) VerifyJournal() (entries int, problems []string, err error) {
	report, err := journal.Verify(j.s.JournalPath())
	for _, p := range report.Problems {
		problems = append(problems, p.String())
	}
	return report.Entries, problems, err
}
