package changes

import (
	"slices"

	"github.com/ddbdesk/ddbdesk/internal/journal"
)

// A JournalEntry is a line of the journal.
type JournalEntry = journal.Entry

// Remarks returns the entries of this session's schema and target that are not changes, newest first: refusals,
// reveals of personal data and sample data. Lines that cannot be read are joined in the error, which comes with the rest.
func (j *Journal) Remarks() ([]JournalEntry, error) {
	var list []JournalEntry
	err := j.read(func(e journal.Entry) {
		if e.Kind == journal.Refusal || e.Kind == journal.Reveal || e.Kind == journal.Setup {
			list = append(list, e)
		}
	})
	slices.Reverse(list)
	return list, err
}

// IsSetup reports whether the entry records that sample data was written.
func IsSetup(e JournalEntry) bool { return e.Kind == journal.Setup }

// IsReveal reports whether the entry records that personal data was revealed.
func IsReveal(e JournalEntry) bool { return e.Kind == journal.Reveal }

// Verify reads the whole journal and returns its number of entries and what is wrong with it, nothing for an intact
// one.
func (j *Journal) Verify() (entries int, problems []string, err error) {
	report, err := journal.Verify(j.s.JournalPath())
	for _, p := range report.Problems {
		problems = append(problems, p.String())
	}
	return report.Entries, problems, err
}
