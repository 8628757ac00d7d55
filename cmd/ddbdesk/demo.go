package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/config"
	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/ops/data"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

func demoCommand(a *app) *cobra.Command {
	type input struct {
		tour, check bool
		requested   *op.Param
	}
	open := op.New(op.Op{Path: "demo", Title: "Open the console on sample data, without AWS"}, func(in *input) []*op.Param {
		in.requested = op.Flag(&in.tour, "tour", "start with the tour (default: only the first time)")
		return []*op.Param{
			in.requested, op.Flag(&in.check, "check", "read the sample data with every access pattern, print the result and exit"),
		}
	}, func(ctx context.Context, _ *op.Call, in *input) (op.Result, error) {
		if err := a.rejectConnectionFlags("demo"); err != nil {
			return nil, err
		}
		if in.check {
			if in.requested.Given() {
				return nil, session.InputErrorf("--check shows no screens, so it has no tour; omit --tour")
			}
			return nil, checkDemo(ctx, a)
		}
		return nil, openDemo(ctx, a, in.tour, in.requested.Given())
	})
	cmd := a.commandOf(open, open.Form())
	a.registerConsole(cmd)
	return cmd
}

// openDemo starts the tour if --tour was given, or by default on the first run.
func openDemo(ctx context.Context, a *app, tour, requested bool) error {
	if err := needTerminal(a.Streams); err != nil {
		return err
	}
	db, err := a.stores.open(embedded.Options{NoSync: true})
	if err != nil {
		return err
	}
	a.enterDemo()
	d := newDemo(db)
	d.repeatTour = requested
	if d.tour, err = a.canTakeTour(tour || !requested, requested); err != nil {
		return err
	}
	a.flags.Requests.Table = demoRequests
	return a.runConsole(ctx, &opener{app: a, demo: d}, "")
}

func (s *settings) rejectConnectionFlags(command string) error {
	for _, name := range []string{"profile", "region", "endpoint-url", "embedded", "from-export", "context"} {
		if s.changed[name] || name == "context" && s.flags.Name != "" {
			return session.InputErrorf("%s uses its own database; omit --%s", command, name)
		}
	}
	return nil
}

// enterDemo gives a user without --role every permission.
func (s *settings) enterDemo() {
	s.applyContext(config.Context{})
	s.flags.Role = cmp.Or(s.flags.Role, string(session.Admin))
}

// canTakeTour also requires a session that may change items. explicit is set if --tour is on the command line.
func (s *settings) canTakeTour(requested, explicit bool) (bool, error) {
	switch {
	case !requested || s.mayChange():
		return requested, nil
	case explicit:
		return false, session.InputErrorf("--tour includes a change and its undo; omit --role %s and --read-only", s.flags.Role)
	}
	return false, nil
}

// A demo is a store in memory. It creates and fills each schema's tables when the schema is first opened.
type demo struct {
	store       *embedded.Store
	filled      map[string]bool // schemas whose tables contain the sample data
	fill        func(ctx context.Context, p *profiles.Profile, conn *store.Connection) error
	onlyProfile *profiles.Profile // the only schema; nil for the built-in ones
	tour        bool              // start with the tour unless the user has seen it
	repeatTour  bool              // start with the tour even if the user has seen it
}

func newDemo(db *embedded.Store) *demo {
	return &demo{store: db, filled: map[string]bool{}, fill: func(ctx context.Context, p *profiles.Profile, conn *store.Connection) error {
		if _, err := data.Seed(ctx, p, conn, sample.Options{Seed: 1, At: demoTime(), Defects: true}); err != nil {
			return err
		}
		for _, t := range p.Tables { // after the sample data, which is not a change
			if err := conn.Admin().EnableStream(ctx, t.Name, models.StreamBoth); err != nil {
				return err
			}
		}
		return nil
	}}
}

func (d *demo) open(ctx context.Context, a *app, p *profiles.Profile) (*workspace.Workspace, error) {
	conn, err := store.Connect(ctx, store.Options{Embedded: d.store})
	if err != nil {
		return nil, err
	}
	if !d.filled[p.Name] {
		if err := d.fill(ctx, p, conn); err != nil {
			return nil, err
		}
		if a.flags.Requests.Table != "" {
			if err := fileRequests(ctx, a, p, conn); err != nil {
				return nil, err
			}
		}
		d.filled[p.Name] = true
	}
	w := a.newSession(p, conn, a.localActor())
	return w, suggestSamples(ctx, w, conn.Reader())
}

// conflictingUser is the user whose change the tour's change conflicts with.
const conflictingUser = "lesego"

func (d *demo) changeAsColleague(ctx context.Context, a *app, w *workspace.Workspace, p *change.Plan) error {
	conn, err := store.Connect(ctx, store.Options{Embedded: d.store})
	if err != nil {
		return err
	}
	other := a.colleague(w.Session.Profile(), conn, conflictingUser)
	plan, err := other.Planner.Plan(ctx, p.Action, p.Basis.Inputs, "Documents match; approved by a colleague")
	if err != nil {
		return err
	}
	_, err = other.Committer.Commit(ctx, plan)
	return err
}

// suggestSamples reads without the command log and the session's counts, because the user did not request the read.
func suggestSamples(ctx context.Context, w *workspace.Workspace, r store.Reader) error {
	for _, t := range w.Session.Profile().Tables {
		page, err := r.Fetch(ctx, accesspatterns.ScanLeg(t), nil, 0)
		if err != nil {
			return err
		}
		w.History.RecordItems(t, page.Items)
	}
	return nil
}

func demoTime() time.Time {
	t, err := models.ParseTime("now", time.Now())
	if err != nil {
		return time.Now()
	}
	return t.Truncate(time.Minute)
}

func checkDemo(ctx context.Context, a *app) error {
	db, err := a.stores.open(embedded.Options{NoSync: true})
	if err != nil {
		return err
	}
	a.enterDemo()
	d := newDemo(db)
	list, err := a.readProfiles(profiles.Names())
	if err != nil {
		return err
	}
	var faults []error
	for _, p := range list {
		w, err := d.open(ctx, a, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		found, err := checkSample(ctx, w)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", p.Name, err))
			continue
		}
		fmt.Fprintf(a.Stdout, "%-14s %s\n", p.Name, found)
	}
	return errors.Join(faults...)
}

// checkSample reads a schema's sample data, and the first page of each pattern that a sample item leads to.
func checkSample(ctx context.Context, w *workspace.Workspace) (found string, err error) {
	items, rows, patterns := 0, 0, map[string]bool{}
	for _, t := range w.Session.Profile().Tables {
		var start models.Item
		for first := true; first || start != nil; first = false {
			page, err := w.Session.Store().Fetch(ctx, accesspatterns.ScanLeg(t), start, 0)
			if err != nil {
				return "", err
			}
			if first && len(page.Items) == 0 {
				return "", fmt.Errorf("table %s has no sample data", t.Name)
			}
			items, start = items+len(page.Items), page.LastKey
			for _, it := range page.Items {
				for _, r := range w.Reading.Related(t, it) {
					if patterns[r.Pattern.ID] || !r.Pattern.IsRead() {
						continue
					}
					patterns[r.Pattern.ID] = true
					n, err := firstPage(ctx, w, r)
					if err != nil {
						return "", fmt.Errorf("%s: %w", r.Pattern.ID, err)
					}
					rows += n
				}
			}
		}
	}
	return fmt.Sprintf("%d items, %d access patterns, %d rows", items, len(patterns), rows), nil
}

func firstPage(ctx context.Context, w *workspace.Workspace, r accesspatterns.Related) (rows int, err error) {
	run, err := w.Reading.Start(r.Pattern, r.Args, reading.RunOptions{AllowScan: true})
	if err != nil {
		return 0, err
	}
	page, err := run.Next(ctx)
	return page.Count, err
}
