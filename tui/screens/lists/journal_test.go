package lists

import (
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// The journal shows times in the zone of the screens, as the sessions beside it do.
func TestJournalTimesAreLocal(t *testing.T) {
	zone := time.FixedZone("", 2*60*60)
	now := time.Date(2026, 1, 1, 1, 0, 0, 0, zone)
	env := &screen.Env{Now: func() time.Time { return now }}
	for want, age := range map[string]time.Duration{"1 Jan 00:30": 30 * time.Minute, "31 Dec 2025 23:30": 90 * time.Minute} {
		r := &journalLine{remark: &journal.Entry{Time: now.Add(-age).UTC()}}
		if got := journalColumns[0].Cell(env, r).Text; got != want {
			t.Errorf("%v ago: got %q, want %q", age, got, want)
		}
	}
}

// The journal names the attributes of a change that has no states.
func TestJournalNamesChangedAttributes(t *testing.T) {
	e := journal.Entry{Kind: journal.Intent, Detail: journal.Detail{Changed: "tags, total"}}
	if got := transition(&screen.Env{}, e); got != "tags, total" {
		t.Errorf("got %q, want tags, total", got)
	}
}
