package main

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/documents"
	"github.com/ddbdesk/ddbdesk/internal/sweep"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

// undoSweep undoes what is still as a sweep left it.
func undoSweep(a *app, cmd *cobra.Command, args []string, id string, o changeOptions) error {
	mode, err := chooseMode(a.Streams, cmd, flagDryRun, flagYes)
	switch {
	case err != nil:
		return err
	case len(args) > 1 || id == "":
		return cli.UsageErrorf("--%s: give the ID of a sweep, and no ID of a change", flagSweep)
	case o.output == "cli":
		return cli.UsageErrorf("-o cli prints one change; an undo of a sweep has -o text and -o json")
	}
	limits, err := o.sweep.pace.limits()
	if err != nil {
		return err
	}
	if err := checkReason(o.reason); err != nil {
		return err
	}
	ctx := cmd.Context()
	w, err := a.openSchema(ctx, args[0], a.changeSession)
	if err != nil {
		return err
	}
	u, err := w.Sweeps.Undo(id, o.reason)
	if err != nil {
		return err
	}
	u.Sweep.Rate = limits.Rate
	if u.Earlier > 0 {
		a.Notef("%s already undone", english.Plural(u.Earlier, "change is", "changes are"))
	}
	if u.Open > 0 {
		a.Notef("%s without an outcome; run ddbdesk journal resolve %s first", english.Plural(u.Open, "change is", "changes are"),
			models.Printable(args[0]))
	}
	if mode == flagDryRun || len(u.Sweep.Items) == 0 {
		return printUndo(ctx, a.Streams, w, u, o.output)
	}
	r := &sweepReport{Streams: a.Streams, output: o.output, schema: args[0], session: w, production: w.Session.Production()}
	return r.undo(ctx, mode, u)
}

// printUndo prints what an undo would do.
func printUndo(ctx context.Context, s cli.Streams, w *workspace.Workspace, u sweep.Undoing, output string) error {
	p, err := w.Sweeps.PreviewUndo(ctx, u)
	if err != nil {
		return err
	}
	err = s.Print(output, documents.OfSweepUndo(p, u.ID, w.Session.Masker()), func(out io.Writer) error {
		lines := []string{fmt.Sprintf("Undo sweep %s: %s, about %g WCU", shortID(u.ID), english.Plural(p.Planned, "item", ""), p.Capacity)}
		return writeLines(out, append(lines, documents.SweepDetails(p, w.Session.Masker())...)...)
	})
	if err == nil && p.Planned == 0 {
		s.Note("nothing can be undone")
		return cli.ExitWith(cli.ExitConflict)
	}
	return err
}

// undo asks unless mode is flagYes, and undoes the items. On production the answer is the number of items.
func (r *sweepReport) undo(ctx context.Context, mode string, u sweep.Undoing) error {
	all := len(u.Sweep.Items)
	if mode == modeAsk {
		what := fmt.Sprintf("Undo %s of sweep %s? (y/N) ", english.Plural(all, "change", ""), shortID(u.ID))
		agrees := cli.IsYes
		if r.production {
			what = fmt.Sprintf("This is production. Type the number of items, %d, to undo sweep %s: ", all, shortID(u.ID))
			agrees = func(text string) bool { return text == strconv.Itoa(all) }
		}
		if err := r.Agree(ctx, what, agrees, cli.NothingWritten); err != nil {
			return err
		}
	}
	sum, err := r.session.Sweeps.Apply(ctx, u.Sweep, func(o sweep.Outcome) { r.outcome(o, all) })
	if err != nil {
		return err
	}
	return r.end(ctx, sum, all)
}
