package drift

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/drift"
	"github.com/ddbdesk/ddbdesk/internal/history"
	"github.com/ddbdesk/ddbdesk/internal/sweep"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/planner"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// A search reads whole tables, so it runs only with consent: askCost asks DynamoDB for
// the size while the user chooses, askSearch shows it in a question, and begin starts
// the search in a command. The command puts findings into the feed, and each tick of
// the spinner takes them out.

// costMsg says what a search of a scope reads.
type costMsg struct{ scope, cost string }

// endedMsg is the end of a search.
type endedMsg struct {
	search *search
	sum    drift.Summary
	err    error
	took   time.Duration
}

// errFull ends a search with too many findings.
var errFull = errors.New("more than 20,000 items are inconsistent; repair these first, or look for the common cause")

// askCost asks for the size of the tables of the selected scope, once.
func (p *picker) askCost() tea.Cmd {
	scope, ok := p.selectedScope()
	if _, known := p.costs[scope]; !ok || known {
		return nil
	}
	p.costs[scope] = ""
	ctx, env := p.s.ctx, p.s.env.Workspace
	return func() tea.Msg {
		cost := env.Drift.Cost(ctx, drift.Options{Entity: scope})
		if cost == "" {
			cost = "The size is unknown."
		}
		return costMsg{scope, cost}
	}
}

// estimating is shown until the cost of a search is known.
const estimating = "Estimating the size …"

// askSearch asks for consent to what the selected search reads.
func (p *picker) askSearch() tea.Cmd {
	scope, ok := p.selectedScope()
	if !ok {
		return nil
	}
	cost := p.costs[scope]
	if cost == "" {
		cost = estimating
	}
	var names []string
	for _, t := range tablesOf(p.s.env.Session.Profile(), scope) {
		names = append(names, t.Name)
	}
	what := "It reads the whole table " + names[0] + "."
	if len(names) > 1 {
		what = "It reads these tables completely: " + strings.Join(names, ", ") + "."
	}
	p.s.Box = overlay.NewQuestion("Search for drift?", "SCAN", "Search", func() tea.Cmd { return p.s.begin(scope) },
		what, cost, "It reads page by page and writes nothing. esc stops it and keeps the defects found so far.")
	return nil
}

// begin starts a search.
func (s *driftScreen) begin(scope string) tea.Cmd {
	task, ctx, tick := screen.StartTask(s.ctx)
	d := &search{task: task, feed: &feed{}}
	s.search, s.scope, s.started = d, scope, true
	s.clear()
	s.arrange()
	env := s.env.Workspace
	return tea.Batch(tick, func() tea.Msg {
		start, n := time.Now(), 0
		o := drift.Options{Entity: scope, AllowScan: true, Progress: func(t *models.Table, sofar drift.Summary) {
			d.feed.report(t.Name, sofar.Scanned)
		}}
		sum, err := env.Drift.Find(ctx, o, func(it drift.Result) error {
			if n++; n > maxFindings {
				return errFull
			}
			d.feed.put(it)
			return nil
		})
		return endedMsg{d, sum, err, time.Since(start)}
	})
}

// take shows the findings and the progress since the last time. The cursor and the marks
// stay: new rows come last.
func (s *driftScreen) take() {
	d := s.search
	if d == nil {
		return
	}
	first := s.rows.Len() == 0
	items, table, scanned := d.feed.drain()
	d.table, d.scanned = table, scanned
	for _, it := range items {
		s.rows.add(it)
	}
	if first && s.rows.Len() > 0 {
		s.grid.SetSource(s.rows) // The widths of the columns fit the first rows.
	}
}

// ended shows the last findings and the figures of a search. Late messages of an earlier
// search are ignored.
func (s *driftScreen) ended(msg endedMsg) tea.Cmd {
	d := s.search
	if msg.search != d {
		return nil
	}
	s.take()
	d.task.End()
	d.task.Stopped = d.task.Stopped && msg.err != nil // It may have been complete before.
	d.sum, d.err, d.took, d.at = msg.sum, msg.err, msg.took, s.env.Session.Now()
	if d.err != nil {
		return nil // What was marked may be in the part that was not searched.
	}
	if s.scope == "" {
		s.env.History.SetDrift(history.DriftCheck{At: d.at, Items: d.sum.Items, Scanned: d.sum.Scanned})
	}
	lost := slices.Sorted(maps.Values(s.rows.awaited))
	clear(s.rows.awaited)
	return s.rows.lose(lost, "not found again")
}

// targets returns the findings that a repair applies to: the marked ones of all kinds,
// otherwise the one under the cursor. Items that were repaired are left out.
func (r *repairer) targets() []*driftRow {
	if r.s == nil || r.s.rows == nil {
		return nil
	}
	list := r.s.rows.marked()
	if row := r.s.selected(); len(list) == 0 && row != nil {
		list = append(list, row)
	}
	return slices.DeleteFunc(list, func(row *driftRow) bool { return row.state != "" })
}

// cannotRepair says why defects cannot be repaired now, "" when one of them can.
func (r *repairer) cannotRepair(rows []*driftRow) string {
	if len(rows) == 0 {
		return "nothing to repair"
	}
	why := ""
	for _, row := range rows {
		if row.Repairable {
			if err := r.s.env.Session.CanChange(r.s.env.Session.Profile().RepairOf(row.Entity)); err != nil {
				return err.Error()
			}
			return ""
		}
		why = row.Why
	}
	return "this item cannot be repaired: " + why
}

// problem says which of the findings are gone or changed since a repair was offered.
func (r *repairer) problem(rows []*driftRow) string {
	var gone, changed []string
	for _, row := range rows {
		switch key := r.s.rows.masked(row).key; {
		case !slices.Contains(r.s.rows.list, row):
			gone = append(gone, key)
		case row.state != "":
			changed = append(changed, key)
		}
	}
	if len(gone)+len(changed) == 0 {
		return ""
	}
	return results.Undone(gone, changed)
}

// repair opens the dialog that changes one item, or the one that changes many, for the
// findings for which the repair was offered.
func (r *repairer) repair(rows []*driftRow) tea.Cmd {
	why := r.problem(rows)
	switch lost := r.s.rows.lost; {
	case why != "":
		return screen.Send(screen.NoticeMsg{Text: "Repair: " + why, Bad: true})
	case len(rows) > 1 || rows[0].marked:
		return r.repairMany(rows)
	case len(lost) > 0:
		r.s.Box = overlay.NewCalmQuestion("Repair another item?", "", "Use this item", func() tea.Cmd {
			r.s.rows.lost = nil
			return r.repair(rows)
		}, "These marked items are gone or changed: "+results.NameSome(lost)+".", "The cursor is on "+r.s.rows.masked(rows[0]).key+".")
		return nil
	}
	return r.repairOne(rows[0])
}

// repairOne opens the dialog that changes an item, with the plan of a repair in place of
// the plan of an action.
func (r *repairer) repairOne(row *driftRow) tea.Cmd {
	env := r.s.env.Workspace
	a := env.Session.Profile().RepairOf(row.Entity)
	key := r.s.rows.masked(row).key
	var about []string
	for _, d := range row.shown {
		about = append(about, strings.TrimSpace(d.Attribute+" "+d.Text))
	}
	r.s.Box = planner.NewChange(r.s.env, planner.ChangeRequest{
		Action: a, Title: a.Title + " · " + key, About: strings.Join(about, ". ") + ".", Verb: "Repair", Item: row.Item,
		Args: changes.ActionArgs(a, row.Entity, row.Item),
		Plan: func(ctx context.Context, _ map[string]string, reason string) (*change.Plan, error) {
			return env.Planner.PlanRepair(ctx, row.Table, row.Item, reason)
		},
		Done: func(done *changes.Commitment) tea.Cmd {
			if done != nil {
				row.state = stateAfter(done)
			}
			return nil
		},
	})
	return nil
}

// repairMany opens the dialog that plans, confirms and applies the repairs together. Each
// is a change of its own.
func (r *repairer) repairMany(rows []*driftRow) tea.Cmd {
	items := make([]sweep.Item, len(rows))
	for i, row := range rows {
		items[i] = sweep.Item{Table: row.Table, Item: row.Item}
	}
	x := planner.NewSweepDialog(r.s.env, sweep.Sweep{Items: items})
	x.Heard = func(o sweep.Outcome) {
		if o.Done == nil {
			return
		}
		w := o.Done.Plan.Writes[0]
		for _, row := range rows {
			if row.Table == w.Table && results.Key(row.Table, row.Item) == results.Key(w.Table, w.Key) {
				row.state = stateAfter(o.Done)
			}
		}
	}
	x.Closed = func() tea.Cmd {
		r.s.rows.clearMarks()
		return nil
	}
	r.s.Box = x
	return x.Start()
}

// repaired is the state of a row after its repair.
const repaired = "✓ repaired"

// stateAfter is the state of a row after a repair, or after its undo.
func stateAfter(done *changes.Commitment) string {
	if done.Plan.Undoes != nil {
		return ""
	}
	return repaired
}

// Undo opens the dialog that undoes a change.
func (s *driftScreen) Undo(past changes.PastChange, p *change.Plan) {
	s.Box = planner.NewChange(s.env, planner.UndoRequest(s.env, past, p))
}

// outdated is the state of a row whose item was changed after the search.
const outdated = "≠ changed"

// Committed notes which findings a change made outdated: a repair of them would be about
// another state.
func (s *driftScreen) Committed(list []screen.Committed) tea.Cmd {
	ids := map[string]bool{}
	for _, c := range list {
		ids[rowID(c.Table, c.Key)] = true
	}
	var lost []string
	for _, row := range s.rows.list {
		if !ids[row.id] || row.state != "" {
			continue
		}
		row.state = outdated
		if row.marked && s.Box == nil {
			s.rows.mark(row, false)
			lost = append(lost, s.rows.masked(row).key)
		}
	}
	return s.rows.lose(lost, "changed since the search")
}
