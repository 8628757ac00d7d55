package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/accesspatterns/snippet"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/documents"
	"github.com/ddbdesk/ddbdesk/internal/export"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/sweep"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

// The flags that bound how a sweep is applied.
const (
	flagCanary = "canary"
	flagRate   = "rate"
	flagSweep  = "sweep"
)

// defaultCanary is how many items a sweep changes before it asks whether to continue.
const defaultCanary = 3

// paceOptions bound how a sweep is applied.
type paceOptions struct {
	canary int
	rate   string
}

// register adds the flags.
func (o *paceOptions) register(cmd *cobra.Command) {
	cmd.Flags().IntVar(&o.canary, flagCanary, defaultCanary, "of a sweep, change `N` items first, then ask; 0 changes all at once")
	o.registerRate(cmd)
}

// registerRate adds the flag of the write budget alone.
func (o *paceOptions) registerRate(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.rate, flagRate, "", "of a sweep, `WCU` per second at most, or none; a polite rate on production by default")
}

// limits parses the flags.
func (o paceOptions) limits() (sweep.Limits, error) {
	rate, err := reading.ParseBudget(o.rate)
	switch {
	case err != nil:
		return sweep.Limits{}, cli.UsageErrorf("--%s: invalid rate %q; give WCU per second, such as 100, or none", flagRate,
			cli.Short(o.rate))
	case o.canary < 0:
		return sweep.Limits{}, cli.UsageErrorf("--%s: %d is negative", flagCanary, o.canary)
	}
	return sweep.Limits{Rate: rate, Canary: o.canary}, nil
}

// applySweep applies the manifest of a file, or continues to.
func applySweep(a *app, cmd *cobra.Command, path string, m *sweep.Manifest, o applyOptions) error {
	mode, err := chooseMode(a.Streams, cmd, flagYes)
	if err != nil {
		return err
	}
	limits, err := o.pace.limits()
	if err != nil {
		return err
	}
	p, schema, err := recordedProfile(&a.settings, "sweep", m.Schema, m.Variables, path)
	if err != nil {
		return err
	}
	if m.Profile != p.Digest() { // checked first: its action may be gone
		return profileChanged(p)
	}
	ctx := cmd.Context()
	w, err := a.changeSession(ctx, p)
	if err != nil {
		return err
	}
	r := &sweepReport{
		Streams: a.Streams, output: o.output, path: path, schema: schema, session: w, manifest: m,
		production: w.Session.Production() || p.IsProduction(m.Context),
	}
	return r.apply(ctx, mode, limits)
}

// A sweepReport applies a sweep and prints the outcome of each item.
type sweepReport struct {
	cli.Streams
	output     string // text, json or jsonl
	path       string // of the manifest, "" for an undo
	schema     string
	session    *workspace.Workspace
	manifest   *sweep.Manifest
	production bool

	begun, noted time.Time
	counts       map[sweep.Status]int
	list         *cli.List // of the JSON document
	failed       error     // of writing an outcome
	undoable     bool      // the journal of this machine has a change of the sweep
}

// apply asks unless mode is flagYes, and applies the manifest.
func (r *sweepReport) apply(ctx context.Context, mode string, l sweep.Limits) error {
	all := r.manifest.Items
	if mode == modeAsk {
		if err := r.confirm(ctx, min(all, max(l.Canary, 0)), all); err != nil {
			return err
		}
		l.Continue = r.confirmRest
	}
	l.Waiting = func(d time.Duration) {
		r.Notef("an earlier run left a change without an outcome; it can be determined in %s", d.Round(time.Second))
	}
	sum, err := r.session.Sweeps.ApplyManifest(ctx, r.manifest, l, func(o sweep.Outcome) { r.outcome(o, all) })
	if err != nil && sum.Total() == 0 {
		return err
	}
	if ended := r.end(ctx, sum, all); err == nil {
		return ended
	}
	return err
}

// confirm asks whether to begin. On production the answer is the number of items.
func (r *sweepReport) confirm(ctx context.Context, canary, all int) error {
	m := r.manifest
	fmt.Fprintf(r.Stderr, "%s over %s: %s, about %s WCU, planned by %s at %s\n", models.Printable(m.Action), models.Printable(m.Over),
		english.Plural(all, "item", ""), humanize.Commaf(m.Capacity), models.Printable(m.Actor), m.Made.UTC().Format(time.RFC3339))
	what := "Apply? (y/N) "
	if canary > 0 && canary < all {
		what = fmt.Sprintf("Apply to the first %d? (y/N) ", canary)
	}
	agrees := cli.IsYes
	if r.production {
		what = "This is production. Type the number of items to apply the sweep: "
		agrees = func(text string) bool { return text == strconv.Itoa(all) }
	}
	return r.Agree(ctx, what, agrees, cli.NothingWritten)
}

// confirmRest asks after the canary whether to continue.
func (r *sweepReport) confirmRest(ctx context.Context, done sweep.Summary, remaining int) error {
	what := fmt.Sprintf("%d committed. Apply to the remaining %d? (y/N) ", done.Counts[sweep.Committed], remaining)
	return r.Agree(ctx, what, cli.IsYes, "the remaining items were not changed; to continue, run ddbdesk apply "+snippet.ShellQuote(r.path))
}

// outcome prints the outcome of an item, and from time to time how far the sweep is.
func (r *sweepReport) outcome(o sweep.Outcome, all int) {
	if r.counts == nil {
		r.counts, r.begun, r.noted = map[sweep.Status]int{}, time.Now(), time.Now()
	}
	r.counts[o.Status]++
	r.undoable = r.undoable || o.Journal != "" && (o.Status == sweep.Committed || o.Status == sweep.Earlier)
	var err error
	switch {
	case r.output == "json":
		o.Key = models.Printable(o.Key)
		err = r.document().Add(o)
	case r.output == "jsonl":
		o.Key = models.Printable(o.Key)
		e := json.NewEncoder(export.Visible(r.Stdout))
		e.SetEscapeHTML(false)
		err = e.Encode(o)
	case o.Status == sweep.Earlier, o.Status == sweep.Skipped: // The summary has them.
	default:
		line := fmt.Sprintf("%-9s  %s", o.Status, o.Key)
		if o.Journal != "" {
			line += "  journal " + shortID(o.Journal)
		}
		if o.Why != "" {
			line += "  " + o.Why
		}
		err = writeLines(r.Stdout, line)
	}
	if r.failed == nil {
		r.failed = err // The sweep continues: its outcomes are in the journal.
	}
	if time.Since(r.noted) >= driftProgressInterval {
		r.noted = time.Now()
		n := sweep.Summary{Counts: r.counts}.Total()
		r.Notef("%d of %d items; %s", n, all, r.tally(r.counts))
	}
}

// document is the JSON document, to which each outcome is written at once.
func (r *sweepReport) document() *cli.List {
	if r.list == nil {
		r.list = cli.NewList(r.Stdout, "{", "items")
	}
	return r.list
}

// tally lists how many items had which outcome.
func (r *sweepReport) tally(counts map[sweep.Status]int) string {
	var parts []string
	for _, s := range sweep.Statuses() {
		if n := counts[s]; n > 0 {
			word := string(s)
			if s == sweep.Earlier {
				word = "already done"
			}
			parts = append(parts, humanize.Comma(int64(n))+" "+word)
		}
	}
	return strings.Join(parts, ", ")
}

// end prints the summary, and returns the outcome of the command.
func (r *sweepReport) end(ctx context.Context, sum sweep.Summary, all int) error {
	err := r.failed
	if r.output == "json" && err == nil {
		err = r.document().End(documents.SweepTotals(sum))
	}
	line := r.tally(sum.Counts)
	if sum.Capacity > 0 {
		line += fmt.Sprintf("; %s WCU", humanize.Commaf(sum.Capacity))
	}
	if n := sum.Counts[sweep.Skipped]; n > 0 {
		line += "; " + sum.Stopped
	}
	r.Note(line)
	if r.path != "" {
		if r.undoable {
			r.Notef("to undo, run ddbdesk journal undo %s --sweep %s", models.Printable(r.schema), shortID(sum.ID))
		}
		if sum.Counts[sweep.Committed]+sum.Counts[sweep.Earlier] < all {
			r.Notef("to continue, run ddbdesk apply %s", snippet.ShellQuote(r.path))
		}
	}
	if err != nil {
		return fmt.Errorf("the sweep was applied, but its report could not be written: %w", err)
	}
	return sweepCode(ctx, sum)
}

// sweepCode is the exit code of a sweep: that of its worst outcome.
func sweepCode(ctx context.Context, sum sweep.Summary) error {
	n := sum.Counts
	switch {
	case n[sweep.Unknown]+n[sweep.Failed] > 0:
		return cli.ExitWith(cli.ExitService)
	case n[sweep.Skipped] > 0 && ctx.Err() != nil:
		return cli.ExitWith(cli.ExitInterrupted)
	case n[sweep.Conflict]+n[sweep.Refused]+n[sweep.Skipped] > 0:
		return cli.ExitWith(cli.ExitConflict)
	}
	return nil
}
