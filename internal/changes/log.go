package changes

import (
	"errors"
	"slices"

	"github.com/ddbdesk/ddbdesk/internal/journal"
)

// A Log is the end of the journal, limited to a session's schema and target.
type Log struct {
	Changes []PastChange    // newest first, including older changes without an outcome
	Remarks []journal.Entry // other entries: refusals, reveals of personal data and sample data; newest first
	More    bool            // the journal has older entries
}

// logEntries limits the entries that Log reads, as a multiple of its limit, because entries may belong to other schemas
// or targets.
const logEntries = 20

// Log returns the newest changes and remarks until their number reaches limit, and every older change without an
// outcome. It reads at most limit*logEntries entries, apart from the older open changes. The error joins the errors of
// unreadable lines, and Log returns it with the rest of the log.
func (j *Journal) Log(limit int) (Log, error) {
	var l Log
	var errs []error
	h, read := newHistory(j), 0
	for e, err := range journal.Backward(j.s.JournalPath()) {
		if len(l.Changes)+len(l.Remarks) >= limit || read >= limit*logEntries {
			l.More = true
			break
		}
		read++
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if c, ok := h.change(e); ok {
			l.Changes = append(l.Changes, c)
		} else if slices.Contains(remarks, e.Kind) && j.isForSession(e) {
			l.Remarks = append(l.Remarks, e)
		}
	}
	if l.More {
		open, err := j.Open()
		errs = append(errs, err)
		for _, c := range slices.Backward(open) {
			listed := func(other PastChange) bool { return other.Intent.ID == c.Intent.ID }
			if !slices.ContainsFunc(l.Changes, listed) {
				l.Changes = append(l.Changes, c)
			}
		}
	}
	return l, errors.Join(errs...)
}

var remarks = []journal.Kind{journal.Refusal, journal.Reveal, journal.Setup}

// Verify reads the journal and returns its number of entries and its problems, which are nil for an intact journal.
// Unless whole is set, it skips verified parts that did not change.
func (j *Journal) Verify(whole bool) (entries int, problems []string, err error) {
	verify := journal.VerifyChanged
	if whole {
		verify = journal.Verify
	}
	report, err := verify(j.s.JournalPath())
	for _, p := range report.Problems {
		problems = append(problems, p.String())
	}
	return report.Entries, problems, err
}
