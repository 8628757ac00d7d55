package main

import (
	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/applying"
	"github.com/ddbdesk/ddbdesk/internal/cli"
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
	u.Rate = limits.Rate
	applying.NoteUndo(a.Streams, u, args[0])
	if mode == flagDryRun || u.Changes == 0 {
		return applying.PrintUndo(ctx, a.Streams, w, u, o.output)
	}
	r := &applying.Sweep{Streams: a.Streams, Output: o.output, Schema: args[0], Workspace: w, Production: w.Session.Production()}
	return r.Undo(ctx, mode == modeAsk, u)
}
