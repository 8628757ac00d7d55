// This file tells how the live tables compare with the profile, pattern by
// pattern: what cannot run here is said before it is tried.

package session

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
)

// Live is how the tables of a connection compare with the profile.
type Live struct {
	Checks []TableCheck
	Err    error // why not all of them could be compared
	At     time.Time
}

// Live compares the tables, with two requests for each.
func (s *Session) Live(ctx context.Context) *Live {
	checks, err := s.CheckTables(ctx)
	return &Live{Checks: checks, Err: err, At: s.Now()}
}

// Why says why a pattern cannot run on the tables as they are, "" when nothing
// is known against it. It may be asked of a nil Live.
func (l *Live) Why(p *accesspatterns.Pattern) string {
	if l == nil || p.Table == nil {
		return ""
	}
	for _, c := range l.Checks {
		x := p.Read.Index
		switch {
		case c.Table != p.Table.Name:
		case c.Missing:
			return "there is no table " + c.Table + " here; ddbdesk table create " + p.Profile + " makes it"
		case x != nil && slices.Contains(c.absent(), x.Name):
			return "the table " + c.Table + " has no index " + x.Name + " here"
		}
	}
	return ""
}

// absent lists the indexes that are not there, those that may be absent too.
func (c TableCheck) absent() []string {
	return append(slices.Clone(c.MissingIndexes), c.OptionalAbsent...)
}

// Summary says in a few words what was found; good is false when something
// cannot work or could not be compared.
func (l *Live) Summary() (text string, good bool) {
	var missing, differ []string
	for _, c := range l.Checks {
		switch {
		case c.Missing:
			missing = append(missing, c.Table)
		case len(c.Differences) > 0:
			differ = append(differ, c.Table+" ("+c.Differences[0]+more(len(c.Differences)-1)+")")
		}
	}
	switch {
	case l.Err != nil:
		return "could not be compared: " + l.Err.Error(), false
	case len(missing) > 0:
		return "not there: " + strings.Join(missing, ", "), false
	case len(differ) > 0:
		return "differ from the document: " + strings.Join(differ, ", "), false
	}
	return "as the document says", true
}

func more(n int) string {
	if n < 1 {
		return ""
	}
	return ", and more"
}
