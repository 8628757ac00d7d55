// The drift command: items that something is wrong with, and their repair.

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

type driftFlags struct {
	repair    bool
	yes       bool
	reason    string
	allowScan bool
	output    string
}

func driftCommand(a *app) *cobra.Command {
	var f driftFlags
	cmd := &cobra.Command{
		Use:   "drift SCHEMA [ENTITY]",
		Short: "Find items whose index keys, times or attributes are not as they should be",
		Long: "Reads every table of the schema, or that of ENTITY, and lists the items that something is wrong with: index\n" +
			"keys that disagree with the attributes, a ttl of another moment, required attributes that are missing, and\n" +
			"items that no entity fits. --repair plans to set right what follows from other attributes; with --yes it is\n" +
			"carried out, one transaction an item. Whatever is found, the exit code is 0.",
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return usageErrorf("missing SCHEMA")
			case len(args) > 2:
				return usageErrorf("unexpected argument %q", models.Printable(args[2]))
			}
			return nil
		},
		ValidArgsFunction: completeInSchema(completeEntities),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.drift(cmd.Context(), args, f) },
	}
	fl := cmd.Flags()
	fl.BoolVar(&f.repair, "repair", false, "plan the repair of each item; writes nothing without --yes")
	fl.BoolVar(&f.yes, "yes", false, "carry the repairs out; needs --role admin")
	fl.StringVar(&f.reason, "reason", "", "why; goes to the audit entries and the journal")
	fl.BoolVar(&f.allowScan, "allow-scan", false, "agree to read whole tables on production")
	outputFlag(cmd, &f.output, "table", "json")
	return cmd
}

func (a *app) drift(ctx context.Context, args []string, f driftFlags) error {
	if f.yes && !f.repair {
		return usageErrorf("--yes carries repairs out: add --repair")
	}
	if f.reason != "" && !f.repair {
		return usageErrorf("--reason is that of a repair: add --repair")
	}
	p, err := a.schema(args[0])
	if err != nil {
		return err
	}
	o := session.DriftOptions{AllowScan: f.allowScan}
	if len(args) == 2 {
		o.Entity = args[1]
	}
	if err := errors.Join(session.New(session.Options{Profile: p}).CheckDrift(o), checkReason(f.reason)); err != nil {
		return err
	}
	open := a.readSession
	if f.repair {
		open = a.changeSession
	}
	s, err := open(ctx, p)
	if err != nil {
		return err
	}
	if f.yes {
		if err := s.CanRepair(ctx, f.reason); err != nil {
			return err
		}
	}
	if err := s.RefuseDrift(ctx, o); err != nil {
		return err
	}
	r := &driftRun{app: a, session: s, flags: f, out: newDriftWriter(a.stdout, f)}
	return r.run(ctx, o)
}

// A driftRun searches, repairs what it finds when asked, and reports both.
type driftRun struct {
	app     *app
	session *session.Session
	flags   driftFlags
	out     *driftWriter

	repairs map[string]int // by outcome
	told    time.Time      // when the progress was last said
}

// The outcomes of a repair, in the document.
const (
	repairPlanned    = statusPlanned
	repairCommitted  = statusCommitted
	repairConflict   = statusConflict
	repairImpossible = "impossible"
)

// progressEvery is how often a long search says how far it is.
const progressEvery = 5 * time.Second

func (r *driftRun) run(ctx context.Context, o session.DriftOptions) error {
	r.repairs = map[string]int{}
	r.told = time.Now()
	o.Progress = func(t *models.Table, sofar session.DriftSummary) {
		if time.Since(r.told) >= progressEvery {
			r.told = time.Now()
			r.app.notef("%s: %s read so far, %s found", t.Name, count(sofar.Scanned, "item"), count(sofar.Items, "item"))
		}
	}
	sum, err := r.session.Drift(ctx, o, func(d session.DriftItem) error { return r.found(ctx, d) })
	if err != nil && sum.Items == 0 && sum.Scanned == 0 {
		return err // nothing is written: an error is not an empty result
	}
	// What was found, and above all what was repaired, is reported in good form
	// before an error.
	if werr := r.out.end(sum); werr != nil {
		return errors.Join(err, werr)
	}
	r.app.note(r.summary(sum))
	switch {
	case err != nil:
		return fmt.Errorf("stopped after %s: %w", count(sum.Scanned, "item"), err)
	case r.repairs[repairConflict] > 0:
		return &codeError{exitConflict}
	}
	return nil
}

// found reports an item, and repairs it when that is asked for.
func (r *driftRun) found(ctx context.Context, d session.DriftItem) error {
	line := driftLine{item: d, masker: r.session.Masker()}
	line.key, line.defects = r.session.ShownDrift(d)
	err := r.mend(ctx, &line)
	if line.repair != "" {
		r.repairs[line.repair]++
	}
	if werr := r.out.add(line); werr != nil {
		return errors.Join(err, werr)
	}
	return err
}

// mend plans the repair of an item and carries it out when that is agreed. An
// error ends the search: the next item would fail the same way.
func (r *driftRun) mend(ctx context.Context, line *driftLine) error {
	if !r.flags.repair {
		return nil
	}
	if !line.item.Repairable {
		line.repair, line.why = repairImpossible, line.item.Why
		return nil
	}
	plan, err := r.session.PlanRepair(ctx, line.item.Table, line.item.Item, r.flags.reason)
	var refusal *session.Refusal
	switch {
	case err == nil:
		line.plan, line.repair = plan, repairPlanned
	case errors.As(err, &refusal):
		line.repair, line.why = repairImpossible, refusal.Error()
		return nil
	default:
		return line.failed(err)
	}
	if !r.flags.yes {
		return nil
	}
	done, err := r.session.Commit(ctx, plan)
	if err != nil {
		return line.failed(err)
	}
	line.plan, line.repair, line.journal = done.Plan, repairCommitted, done.Journal
	line.why = strings.Join(done.Notes, "; ")
	return nil
}

// failed notes a conflict; another error it returns.
func (l *driftLine) failed(err error) error {
	l.repair, l.why = "", err.Error()
	var conflict *accesspatterns.Conflict
	if errors.As(err, &conflict) {
		l.repair = repairConflict
		return nil
	}
	return err
}

// summary says in one line what was read, found and repaired.
func (r *driftRun) summary(sum session.DriftSummary) string {
	words := []string{fmt.Sprintf("%s read for %g read units", count(sum.Scanned, "item"), thousandths(sum.Capacity))}
	if sum.Items == 0 {
		words = append(words, "nothing is wrong")
	}
	for _, k := range accesspatterns.DefectKinds() {
		if n := sum.Kinds[k]; n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, k))
		}
	}
	for _, outcome := range []string{repairPlanned, repairCommitted, repairConflict, repairImpossible} {
		if n := r.repairs[outcome]; n > 0 {
			words = append(words, fmt.Sprintf("%s %s", count(n, "repair"), outcome))
		}
	}
	return strings.Join(words, "; ")
}
