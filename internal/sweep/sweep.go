// Package sweep applies one action to many items, each in a transaction of its own: it selects the items with a pattern,
// previews the change, keeps it in a manifest, applies it within a budget of write units and reports the outcome of each item.
// How one item is changed, and what the journal records of it, is decided by internal/changes.
package sweep

import (
	"slices"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Runner selects the items of sweeps and applies sweeps. It is safe for concurrent use.
type Runner struct {
	s         *session.Session
	tables    *tables.Catalog
	rd        *reading.Reader
	planner   *changes.Planner
	committer *changes.Committer
	journal   *changes.Journal
}

// New returns the runner of a session. It sends nothing.
func New(s *session.Session, t *tables.Catalog, rd *reading.Reader, p *changes.Planner, c *changes.Committer, j *changes.Journal) *Runner {
	return &Runner{s: s, tables: t, rd: rd, planner: p, committer: c, journal: j}
}

// A Sweep is one change of many items, each in a transaction of its own.
type Sweep struct {
	Action *change.Action    // nil repairs what derives from other attributes
	Inputs map[string]string // in addition to what each item fills
	Reason string
	Items  []Item
	Tables []*models.Table // of the items of a repair that Start begins without items
	Rate   float64         // write units per second; 0 for the default, negative for no limit
	undo   bool            // its items are changes to undo
}

func (s Sweep) tables() []*models.Table {
	if s.Action != nil {
		return s.Action.Tables()
	}
	list := slices.Clone(s.Tables)
	for _, it := range s.Items {
		if !slices.Contains(list, it.Table) {
			list = append(list, it.Table)
		}
	}
	return list
}

// An Item is an item as it was read when it was selected.
type Item struct {
	Table *models.Table
	Item  models.Item // nil if only the journal knows it
	// Undoes is the change of the item to undo; nil applies the action.
	Undoes *changes.PastChange
}

// A Status is the outcome of the change of one item.
type Status string

// The statuses. After any of them but Unknown it is known whether the item was written.
const (
	Committed Status = "committed"
	Earlier   Status = "earlier"  // committed before, by the journal or by what the item shows
	Conflict  Status = "conflict" // the item's state does not allow it, or it changed
	Refused   Status = "refused"
	Failed    Status = "failed" // nothing was written
	Unknown   Status = "unknown"
	Skipped   Status = "skipped" // not tried
)

// Statuses lists every status.
func Statuses() []Status {
	return []Status{Committed, Earlier, Conflict, Refused, Failed, Unknown, Skipped}
}

// An Outcome is the outcome of the change of one item, with what explains it.
type Outcome struct {
	Index   int                 `json:"-"`     // of the item, from 0
	Table   string              `json:"table"` // real name
	Key     string              `json:"key"`   // masked
	Status  Status              `json:"status"`
	Why     string              `json:"why"`     // "" when it was committed as planned
	Journal string              `json:"journal"` // the ID of its journal entries, "" when this run has not committed it
	Done    *changes.Commitment `json:"-"`       // nil when it was not committed
	Plan    *change.Plan        `json:"-"`       // nil when it could not be planned
	Err     error               `json:"-"`       // why it was not committed; nil for a skipped item
}

// A Summary counts the outcomes of a sweep.
type Summary struct {
	ID       string // of the sweep, as the journal has it
	Counts   map[Status]int
	Capacity float64   // write units consumed
	Stopped  string    // why items were skipped, "" if none was
	Outcomes []Outcome // of Apply; a manifest and a Run keep none
}

// Total returns how many items have an outcome.
func (s Summary) Total() int {
	n := 0
	for _, c := range s.Counts {
		n += c
	}
	return n
}
