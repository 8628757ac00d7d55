package changes_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

// begin lets the actor start a random operation.
func (a *simulatedActor) begin() {
	i, n, console := a.s.rng.IntN(simulatedCases), a.s.rng.IntN(100), a.console
	names := []string{"approve", "reject", "claim-review", "request-resubmission"}
	action := console.Session.Profile().Action(names[a.s.rng.IntN(len(names))])
	a.busy, a.done = true, make(chan error, 1)
	var do func(context.Context) error
	switch {
	case n < 55:
		a.operation = action.ID + " " + a.s.id(i)
		do = func(ctx context.Context) error {
			p, err := console.Planner.Plan(ctx, action, map[string]string{"verificationId": a.s.id(i)}, "simulated")
			if err == nil {
				_, err = console.Committer.Commit(ctx, p)
			}
			return err
		}
	case n < 75:
		a.operation, do = "undoes a change", func(ctx context.Context) error { return undoSome(ctx, console, n) }
	case n < 85:
		a.operation, do = "repairs "+a.s.id(i), func(ctx context.Context) error { return repair(ctx, console, a.s.id(i)) }
	case n < 92:
		a.operation, do = "resolves what is open", func(ctx context.Context) error { return resolveAll(ctx, console) }
	default:
		a.operation = "decides several"
		do = func(ctx context.Context) error { return decideSeveral(ctx, console, action) }
	}
	a.s.logf("%s %s", a.name, a.operation)
	go func() { a.done <- do(a.s.t.Context()) }()
}

// undoSome undoes one of the last changes.
func undoSome(ctx context.Context, console *workspace.Workspace, n int) error {
	list, err := fixture.Changes(console.Journal)
	if err != nil || len(list) == 0 {
		return err
	}
	past, err := console.Journal.Undoable(list[n%min(len(list), 3)])
	if err != nil {
		return err
	}
	p, err := console.Planner.PlanUndo(ctx, past, "simulated")
	if err == nil {
		_, err = console.Committer.Commit(ctx, p)
	}
	return err
}

func repair(ctx context.Context, console *workspace.Workspace, id string) error {
	table := console.Session.Profile().Entity("Verification").Table
	it, err := console.Reading.Get(ctx, table, models.Item{"PK": models.StringValue("CASE#" + id), "SK": models.StringValue("META")})
	if err != nil {
		return err
	}
	p, err := console.Planner.PlanRepair(ctx, table, it, "simulated")
	if err == nil {
		_, err = console.Committer.Commit(ctx, p)
	}
	return err
}

func resolveAll(ctx context.Context, console *workspace.Workspace) error {
	list, err := fixture.Changes(console.Journal)
	for _, c := range list {
		if c.Open() {
			_, failed := console.Journal.Resolve(ctx, c)
			err = errors.Join(err, failed)
		}
	}
	return err
}

func decideSeveral(ctx context.Context, console *workspace.Workspace, action *change.Action) error {
	var items []changes.Item
	for i := range 3 {
		it, err := console.Reading.Get(ctx, action.Entity.Table, models.Item{
			"PK": models.StringValue(fmt.Sprint("CASE#ver_sim", i)), "SK": models.StringValue("META"),
		})
		if err != nil {
			return err
		}
		items = append(items, changes.Item{Table: action.Entity.Table, Item: it})
	}
	_, err := console.Committer.Run(ctx, changes.Set{Action: action, Reason: "simulated"}, changes.Items(items...), func(changes.Outcome) {})
	return err
}

// finish lets all actors end, resolves open changes and repairs damaged items. No change may stay open.
func (s *simulation) finish() {
	s.journalDisk.set(nil)
	for busy := true; busy; {
		busy = false
		for _, a := range s.actors {
			select {
			case <-a.pending:
				a.pass <- struct{}{}
			default:
			}
			s.settle()
			busy = busy || a.busy
		}
		if busy {
			time.Sleep(simulatedPause)
		}
	}
	time.Sleep(time.Hour)
	if err := resolveAll(s.t.Context(), s.observer()); err != nil && !isTornError(err) {
		s.fail("resolving: %v", err)
	}
	s.check()
	list := s.changes(s.observer())
	if at := slices.IndexFunc(list, changes.PastChange.Open); at >= 0 {
		s.fail("%s stays open", list[at].Intent.ID)
	}
	committed := len(slices.DeleteFunc(list, func(c changes.PastChange) bool { return !c.Committed() }))
	s.t.Logf("seed %d: %d changes, %d committed", s.seed, len(list), committed)
}

// observer returns a console without faults, with the clock of the simulation.
func (s *simulation) observer() *workspace.Workspace {
	o := s.f.Options()
	o.Clock = time.Now
	return s.f.Open(o)
}

// check verifies the invariants.
func (s *simulation) check() {
	s.t.Helper()
	console := s.observer()
	if _, err := os.Stat(console.Session.JournalPath()); err != nil {
		return // No change was tried yet.
	}
	if report, err := journal.Verify(console.Session.JournalPath()); err != nil || !report.OK() {
		s.fail("the journal is damaged: %v %v", report.Problems, err)
	}
	s.checkTrail(s.checkJournal(console))
	for _, file := range s.files(s.f.Dir) {
		if text, err := os.ReadFile(file); err != nil || bytes.Contains(text, []byte(simulatedCanary)) {
			s.fail("%s holds personal data, or cannot be read: %v", file, err)
		}
	}
}

// checkJournal compares the changes in the journal with the entries of the audit trail, which it returns.
func (s *simulation) checkJournal(console *workspace.Workspace) []models.Item {
	s.t.Helper()
	run, err := console.Reading.Start(s.f.Profile.Pattern("list-audit-by-date"), map[string]string{"date": "2000-01-01"}, reading.RunOptions{Limit: 1000})
	if err != nil {
		s.fail("%v", err)
	}
	page, err := run.Next(s.t.Context())
	if err != nil {
		s.fail("%v", err)
	}
	positions := map[string]int{}
	for _, it := range page.Items {
		sk, _ := it.Text("SK")
		positions[sk]++
	}
	for _, c := range s.changes(console) {
		p, err := console.Journal.PlanOf(c)
		if err != nil {
			s.fail("%v", err)
		}
		for _, w := range p.Writes {
			if !w.Entry {
				continue
			}
			sk, _ := w.Key.Text("SK")
			if n := positions[sk]; c.Committed() && n != 1 || !c.Committed() && !c.Open() && n != 0 {
				s.fail("change %s of %s is %+v, with %d entries in the audit trail", c.Intent.ID, c.Intent.Subject, c.Outcome, n)
			}
			delete(positions, sk)
		}
	}
	for sk := range positions {
		s.fail("the audit trail has the entry %s, which no journal has", sk)
	}
	return page.Items
}

func (s *simulation) changes(console *workspace.Workspace) []changes.PastChange {
	s.t.Helper()
	list, err := fixture.Changes(console.Journal)
	if err != nil && !isTornError(err) {
		s.fail("%v", err)
	}
	return list
}

// isTornError reports whether the only error is an incomplete last line of the journal.
func isTornError(err error) bool {
	return strings.HasSuffix(err.Error(), "line is incomplete: its write was interrupted") && !strings.Contains(err.Error(), "\n")
}

// checkTrail follows the entries of each case from its first to its current state: in order, or in any order if clocks
// jump.
func (s *simulation) checkTrail(entries []models.Item) {
	s.t.Helper()
	slices.SortFunc(entries, func(a, b models.Item) int {
		first, _ := a.Text("SK")
		second, _ := b.Text("SK")
		return strings.Compare(first, second)
	})
	for i := range simulatedCases {
		state, exits := s.first[s.id(i)], map[string]int{} // how often each state was left minus how often it was entered
		for _, it := range entries {
			if id, _ := it.Text("verificationId"); id != s.id(i) {
				continue
			}
			before, _ := it.Text("before.status")
			after, _ := it.Text("after.status")
			if before == "" && after == "" {
				continue // a repair
			}
			if before != state && !s.jumps {
				sk, _ := it.Text("SK")
				s.fail("%s was %s, and the next entry of its audit trail, %s, is from %s", s.id(i), state, sk, before)
			}
			state = after
			exits[before]++
			exits[after]--
		}
		now, _ := s.current(i).Text("status")
		exits[s.first[s.id(i)]]--
		exits[now]++
		for at, n := range exits {
			if n != 0 {
				s.fail("%s is %s, and the entries of its audit trail leave %s %d times too often", s.id(i), now, at, n)
			}
		}
	}
}
