package drift

import (
	"context"
	"errors"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/drift"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/planner"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// driftCostMsg says what a search would read.
type driftCostMsg struct{ scope, cost string }

// driftTickedMsg brings in what a search found meanwhile.
type driftTickedMsg struct{ search *driftSearch }

// driftEndedMsg says that a search is over.
type driftEndedMsg struct {
	search *driftSearch
	sum    drift.Summary
	err    error
	took   time.Duration
}

// errDriftFull ends a search that found more than anybody reads.
var errDriftFull = errors.New("more than 20,000 items are wrong: the search was ended; repair these first, or look for what made them so")

// askCost asks how large the chosen tables are, once.
func (ch *driftScopes) askCost() tea.Cmd {
	scope, ok := ch.chosen()
	if _, known := ch.costs[scope]; !ok || known {
		return nil
	}
	ch.costs[scope] = ""
	ctx, se := ch.s.ctx, ch.s.env.Workspace
	return func() tea.Msg {
		cost := se.Drift.Cost(ctx, drift.Options{Entity: scope})
		if cost == "" {
			cost = "how large that is could not be asked"
		}
		return driftCostMsg{scope, cost}
	}
}

// askSearch asks for consent to what the chosen search reads.
func (ch *driftScopes) askSearch() tea.Cmd {
	scope, ok := ch.chosen()
	if !ok {
		return nil
	}
	cost := ch.costs[scope]
	if cost == "" {
		cost = "how large that is, is still being asked"
	}
	var names []string
	for _, t := range ch.tables(scope) {
		names = append(names, t.Name)
	}
	what := "The whole table " + names[0] + " is read."
	if len(names) > 1 {
		what = "These tables are read as a whole: " + strings.Join(names, ", ") + "."
	}
	ch.s.Box = overlay.NewQuestion("Look for drift?", "SCAN", "Read it", func() tea.Cmd { return ch.s.finds.begin(scope) },
		what, cost, "It is read page by page, and nothing is written; esc stops it and keeps what was found.")
	return nil
}

// begin searches.
func (rn *driftRun) begin(scope string) tea.Cmd {
	ctx, cancel := context.WithCancel(rn.s.ctx)
	d := &driftSearch{feed: &driftFeed{}, cancel: cancel, progress: &reading.Progress{}, running: true}
	rn.s.search, rn.s.scope, rn.s.started = d, scope, true
	rn.s.Clear()
	rn.s.Arrange()
	ctx = d.progress.Watch(ctx)
	se := rn.s.env.Workspace
	return tea.Batch(driftTicked(d), func() tea.Msg {
		from, n := time.Now(), 0
		o := drift.Options{Entity: scope, AllowScan: true, Progress: func(t *models.Table, sofar drift.Summary) {
			d.feed.tell(t.Name, sofar.Scanned)
		}}
		sum, err := se.Drift.Find(ctx, o, func(it drift.Result) error {
			if n++; n > driftMost {
				return errDriftFull
			}
			d.feed.put(it)
			return nil
		})
		return driftEndedMsg{d, sum, err, time.Since(from)}
	})
}

func driftTicked(d *driftSearch) tea.Cmd {
	return tea.Tick(widget.BusyFrame, func(time.Time) tea.Msg { return driftTickedMsg{d} })
}

// take brings in what was found since the last time.
func (rn *driftRun) Take(d *driftSearch) {
	first := rn.s.rows.Len() == 0
	for _, it := range d.feed.drain() {
		rn.s.rows.Add(it)
	}
	if first && rn.s.rows.Len() > 0 {
		rn.s.grid.SetSource(rn.s.rows)
	}
}

func (rn *driftRun) ticked(msg driftTickedMsg) tea.Cmd {
	if msg.search != rn.s.search || !rn.s.search.running {
		return nil
	}
	rn.s.search.elapsed += widget.BusyFrame
	rn.s.search.table, rn.s.search.scanned = rn.s.search.feed.told()
	rn.Take(rn.s.search)
	return driftTicked(rn.s.search)
}

func (rn *driftRun) ended(msg driftEndedMsg) {
	if msg.search != rn.s.search {
		return
	}
	d := rn.s.search
	rn.Take(d)
	d.cancel()
	d.running, d.sum, d.err, d.took, d.at = false, msg.sum, msg.err, msg.took, rn.s.env.Session.Now()
	if msg.err == nil {
		d.stopped = false
	}
}

// targets are the findings that a repair is for: those that are marked, else
// the one under the cursor.
func (rp *driftRepair) targets() []*driftRow {
	var list []*driftRow
	for _, i := range rp.s.grid.Marked() {
		if row := rp.s.rows.At(i); row.state == "" {
			list = append(list, row)
		}
	}
	if len(list) == 0 {
		if row := rp.s.selected(); row != nil && row.state == "" {
			list = append(list, row)
		}
	}
	return list
}

// cannotRepair says why nothing can be repaired now.
func (rp *driftRepair) cannotRepair() string {
	rows := rp.targets()
	if len(rows) == 0 {
		return "there is nothing to repair here"
	}
	why := ""
	for _, row := range rows {
		if row.Repairable {
			a := rp.s.env.Session.Profile().RepairOf(row.Entity)
			if err := rp.s.env.Session.CanChange(a); err != nil {
				return err.Error()
			}
			return ""
		}
		why = row.Why
	}
	return "this item cannot be repaired: " + why
}

// repair sets one item right through the dialog that every change goes
// through, several through the one for many.
func (rp *driftRepair) repair() tea.Cmd {
	rows := rp.targets()
	if len(rows) == 1 && len(rp.s.grid.Marked()) == 0 {
		return rp.repairOne(rows[0])
	}
	return rp.repairMany(rows)
}

func (rp *driftRepair) repairOne(row *driftRow) tea.Cmd {
	se := rp.s.env.Workspace
	a := se.Session.Profile().RepairOf(row.Entity)
	key := rp.s.rows.words(row).key
	var about []string
	for _, d := range row.shown {
		about = append(about, strings.TrimSpace(d.Attribute+" "+d.Text))
	}
	rp.s.Box = planner.NewChange(rp.s.env, planner.ChangeRequest{
		Action: a, Title: a.Title + " · " + key, About: strings.Join(about, ". ") + ".", Verb: "Repair", Item: row.Item,
		Args: changes.ActionArgs(a, row.Entity, row.Item),
		Plan: func(ctx context.Context, _ map[string]string, reason string) (*change.Plan, error) {
			return se.Planner.PlanRepair(ctx, row.Table, row.Item, reason)
		},
		Done: func(*changes.Commitment) tea.Cmd {
			row.state = driftRepaired
			return nil
		},
	})
	return nil
}

// repairMany asks once for all of them.
func (rp *driftRepair) repairMany(rows []*driftRow) tea.Cmd {
	items := make([]changes.BulkItem, len(rows))
	for i, row := range rows {
		items[i] = changes.BulkItem{Table: row.Table, Item: row.Item}
	}
	x := planner.NewBulkBox(rp.s.env, changes.Bulk{Items: items})
	x.Heard = func(o changes.BulkOutcome) {
		if o.Status == changes.BulkCommitted {
			rows[o.Index].state = driftRepaired
		}
	}
	x.Closed = func() tea.Cmd {
		rp.s.grid.ClearMarks()
		return nil
	}
	rp.s.Box = x
	return x.Start()
}

// driftRepaired is what a row says once its item was set right.
const driftRepaired = "✓ repaired"
