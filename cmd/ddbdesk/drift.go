package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/applying"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/drift"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/sweep"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

// driftOptions are the flags of the drift command.
type driftOptions struct {
	repair    bool   // plan repairs
	yes       bool   // apply the planned repairs
	reason    string // for the audit entries and the journal
	allowScan bool   // consent to the cost of reading whole tables in production
	template  bool   // print actions that set missing attributes
	output    string // table or json
	pace      paceOptions
}

// driftCommand returns `ddbdesk drift`.
func driftCommand(a *app) *cobra.Command {
	var o driftOptions
	cmd := &cobra.Command{
		Use:   "drift SCHEMA [ENTITY]",
		Short: "Find items that do not match the schema, and repair them",
		Long: "Scans the tables of the schema, or that of ENTITY, for items with stale index keys, a wrong TTL, missing\n" +
			"required attributes, or no matching entity. --repair plans the values that follow from other attributes, and\n" +
			"--repair --yes applies them, one transaction per item. The exit code is 0 whether or not drift is found.\n\n" +
			"--template prints actions for the profile that set the missing attributes. After review, a sweep applies them.",
		Args:              cli.Between(1, "SCHEMA", "ENTITY"),
		ValidArgsFunction: a.completeInSchema(completeEntities),
		RunE:              func(cmd *cobra.Command, args []string) error { return findDrift(cmd.Context(), a, args, o) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.repair, "repair", false, "plan the repair of each item; writes only with --yes")
	f.BoolVar(&o.yes, flagYes, false, "apply the repairs; needs --role admin")
	f.StringVar(&o.reason, "reason", "", "record `TEXT` as the reason in the audit entries and the journal")
	f.BoolVar(&o.allowScan, "allow-scan", false, "allow scans of production tables")
	f.BoolVar(&o.template, "template", false, "print actions for the profile that set missing attributes, instead of the items")
	o.pace.registerRate(cmd)
	cli.OutputFlag(cmd, &o.output, "table", "json")
	return cmd
}

// findDrift checks the flags and permissions, then searches. A refused scan or repair is
// reported before anything is read.
func findDrift(ctx context.Context, a *app, args []string, o driftOptions) error {
	switch {
	case o.template && (o.repair || o.output == "json"):
		return cli.UsageErrorf("--template prints a part of a profile; omit --repair and -o json")
	case o.yes && !o.repair:
		return cli.UsageErrorf("--yes applies repairs; add --repair")
	case o.reason != "" && !o.repair:
		return cli.UsageErrorf("--reason is the reason of a repair; add --repair")
	case o.pace.rate != "" && !o.yes:
		return cli.UsageErrorf("--%s limits the repairs that are applied; add --repair --yes", flagRate)
	}
	limits, err := o.pace.limits()
	if err != nil {
		return err
	}
	p, err := a.schema(args[0])
	if err != nil {
		return err
	}
	search := drift.Options{AllowScan: o.allowScan}
	if len(args) == 2 {
		search.Entity = args[1]
	}
	if err := errors.Join(workspace.New(session.Options{Profile: p}).Drift.Check(search), checkReason(o.reason)); err != nil {
		return err
	}
	open := a.readSession
	if o.repair {
		open = a.changeSession
	}
	s, err := open(ctx, p)
	if err != nil {
		return err
	}
	d := &driftSearch{
		Streams: a.Streams, session: s, schema: args[0], options: o, out: newDriftWriter(a.TableOutput(), o), repairs: map[string]int{},
		templates: templateWriter{out: a.Stdout, items: map[gap]int{}},
	}
	if o.yes {
		scanned, _, _ := s.Drift.TablesOf(search) // Check found no error.
		if d.repairing, err = s.Sweeps.Start(ctx, sweep.Sweep{Tables: scanned, Reason: o.reason, Rate: limits.Rate}); err != nil {
			return err
		}
	}
	if err := s.Drift.Refuse(ctx, search); err != nil {
		return err
	}
	return d.run(ctx, search)
}

// A driftSearch finds drift, repairs it with --repair, and reports both.
type driftSearch struct {
	cli.Streams
	session   *workspace.Workspace
	schema    string // as it was typed
	options   driftOptions
	out       *driftWriter
	repairing *sweep.Run     // the sweep that applies the repairs, nil without --yes
	repairs   map[string]int // number by outcome
	templates templateWriter
}

// The outcomes of a repair in the JSON document.
const (
	repairPlanned    = string(changes.Planned)
	repairCommitted  = string(changes.Committed)
	repairConflict   = string(changes.Conflict)
	repairImpossible = "impossible"
)

// runPattern searches, writes every item with drift, and notes the summary. Conflicts during
// repair do not end the search; they are exit code 10.
func (d *driftSearch) run(ctx context.Context, o drift.Options) error {
	reported := time.Now()
	o.Progress = func(t *models.Table, sum drift.Summary) {
		if time.Since(reported) >= cli.ProgressInterval {
			reported = time.Now()
			d.Notef("%s: %s scanned, %s with drift", t.Name, english.Plural(sum.Scanned, "item", ""), english.Plural(sum.Items, "item", ""))
		}
	}
	sum, err := d.session.Drift.Find(ctx, o, func(item drift.Result) error { return d.report(ctx, item) })
	if err != nil && sum.Items == 0 && sum.Scanned == 0 {
		return err // nothing is written, because an error is not an empty result
	}
	end := func() error { return d.out.close(sum) }
	if d.options.template {
		end = d.templates.close
	}
	// Repairs are reported in a complete document even before an error.
	if writeErr := end(); writeErr != nil {
		return errors.Join(err, writeErr)
	}
	d.Note(d.summary(sum))
	if n := len(d.templates.gaps); n > 0 && !d.options.template {
		d.Notef("%s can be set by actions in the profile; --template prints them", english.Plural(n, "missing attribute", ""))
	}
	if d.repairs[repairCommitted] > 1 {
		sweep := journal.ShortID(d.repairing.Summary().ID)
		d.Note("to undo the repairs, run " + d.session.Session.Command("undo", d.schema, "--sweep", sweep))
	}
	switch {
	case err != nil:
		return fmt.Errorf("stopped after %s: %w", english.Plural(sum.Scanned, "item", ""), err)
	case d.repairs[repairConflict] > 0:
		return cli.ExitWith(cli.ExitConflict)
	}
	return nil
}

// report repairs an item if requested and writes it.
func (d *driftSearch) report(ctx context.Context, item drift.Result) error {
	d.templates.add(item)
	if d.options.template {
		return nil
	}
	line := driftLine{item: item, masker: d.session.Session.Masker()}
	line.key, line.defects = d.session.Drift.Shown(item)
	err := d.repair(ctx, &line)
	if line.repair != "" {
		d.repairs[line.repair]++
	}
	if writeErr := d.out.add(line); writeErr != nil {
		return errors.Join(err, writeErr)
	}
	return err
}

// repair plans the repair of an item, and applies it with --yes. An error ends the
// search because the next item would fail in the same way.
func (d *driftSearch) repair(ctx context.Context, line *driftLine) error {
	if !d.options.repair {
		return nil
	}
	if !line.item.Repairable {
		line.repair, line.why = repairImpossible, line.item.Why
		return nil
	}
	if d.repairing != nil {
		return d.apply(ctx, line)
	}
	plan, err := d.session.Planner.PlanRepair(ctx, line.item.Table, line.item.Item, d.options.reason)
	if err != nil {
		return line.failed(err)
	}
	line.plan, line.repair = plan, repairPlanned
	return nil
}

// apply applies the repair of an item.
func (d *driftSearch) apply(ctx context.Context, line *driftLine) error {
	o := d.repairing.Change(ctx, sweep.Item{Table: line.item.Table, Item: line.item.Item})
	switch {
	case o.Status == sweep.Refused && o.Plan != nil: // A guard, which would refuse the next repair as well.
		return o.Err
	case o.Err != nil:
		return line.failed(o.Err)
	case o.Status == sweep.Skipped:
		return context.Cause(ctx)
	}
	line.plan, line.repair, line.journal, line.why = o.Done.Plan, repairCommitted, o.Journal, o.Why
	return applying.Unrecorded(o.Done, d.session)
}

// summary describes in one line what was scanned, found and repaired.
func (d *driftSearch) summary(sum drift.Summary) string {
	parts := []string{english.Plural(sum.Scanned, "item", "") + " scanned"}
	if sum.Capacity > 0 {
		parts[0] += fmt.Sprintf(", %g RCU", reading.Round(sum.Capacity))
	}
	if sum.Items == 0 {
		parts = append(parts, "no drift")
	}
	for _, k := range change.DefectKinds() {
		if n := sum.Kinds[k]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, k))
		}
	}
	for _, outcome := range []string{repairPlanned, repairCommitted, repairConflict, repairImpossible} {
		if n := d.repairs[outcome]; n > 0 {
			parts = append(parts, english.Plural(n, "repair", "")+" "+outcome)
		}
	}
	return strings.Join(parts, "; ")
}
