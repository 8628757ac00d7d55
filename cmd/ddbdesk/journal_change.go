package main

import (
	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/applying"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/ops/team"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
)

// schemaAndID accepts a schema, and the ID of a change or its first characters.
func schemaAndID(cmd *cobra.Command, args []string) error {
	if len(args) == 2 && args[1] == "" {
		return cli.UsageErrorf("ID: empty")
	}
	return cli.Between(1, "SCHEMA", "ID")(cmd, args)
}

// undoCommand returns `ddbdesk undo`.
func undoCommand(a *app) *cobra.Command {
	var o changeOptions
	var id string
	cmd := &cobra.Command{
		Use: "undo SCHEMA [ID]", Short: "Undo the latest change, one with an ID, or a sweep",
		Long: "Plans the change that restores the previous values. If an item has changed since, nothing is written and the\n" +
			"exit code is 10. Version counters and update times advance; audit entries stay, and the undo adds its own.\n\n" +
			"--sweep undoes each item that is still as the sweep left it, and reports the rest.",
		Args: schemaAndID, ValidArgsFunction: a.completeSchemas,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed(flagSweep) {
				return undoSweep(a, cmd, args, id, o)
			}
			if cmd.Flags().Changed(flagRate) {
				return cli.UsageErrorf("--%s is about many items; add --%s ID", flagRate, flagSweep)
			}
			return undoChange(a, cmd, args, o)
		},
	}
	o.register(cmd)
	cmd.Flags().StringVar(&id, flagSweep, "", "undo what the sweep with `ID` changed")
	o.sweep.pace.registerRate(cmd)
	return cmd
}

// undoChange plans the change that restores the values before another change, and prints or applies
// it as change does. The journal holds the plan that is undone.
func undoChange(a *app, cmd *cobra.Command, args []string, o changeOptions) error {
	mode, err := chooseMode(a.Streams, cmd, flagDryRun, flagYes)
	if err != nil {
		return err
	}
	if err := checkReason(o.reason); err != nil {
		return err
	}
	ctx := cmd.Context()
	s, err := a.openSchema(ctx, args[0], a.changeSession)
	if err != nil {
		return err
	}
	past, err := changeToUndo(a.Streams, s, args[1:])
	if err != nil {
		return err
	}
	done, refused := s.Journal.Undoable(past)
	if done == nil {
		return refused
	}
	r := &applying.Change{
		Streams: a.Streams, Output: o.output, Action: done.Action, Schema: args[0], Reason: o.reason, Undoes: done, Workspace: s,
	}
	if refused == nil {
		refused = session.NeedsReason(done.Action, o.reason)
	}
	if refused == nil && mode != flagDryRun {
		refused = s.Session.CanChange(done.Action)
	}
	switch {
	case refused != nil && mode == flagDryRun:
		return r.Failed(refused)
	case refused != nil:
		return r.Refuse(ctx, done.Basis.Inputs, refused)
	}
	if r.Plan, err = s.Planner.PlanUndo(ctx, done, o.reason); err != nil {
		return r.Failed(err)
	}
	if mode == flagDryRun {
		return r.PrintPlan()
	}
	return r.Apply(ctx, mode == modeAsk, r.Commit)
}

// changeToUndo returns the change with an ID, else the latest one that was applied
// and not undone.
func changeToUndo(s cli.Streams, in *workspace.Workspace, id []string) (changes.PastChange, error) {
	if len(id) == 1 {
		return team.FindChange(s.Note, in, id[0])
	}
	for c, err := range in.Journal.Past() {
		if err := team.NoteDamaged(s.Note, err); err != nil {
			return c, err
		} else if c.Committed() && !c.Undone && !c.IsUndo() {
			return c, nil
		}
	}
	return changes.PastChange{}, cli.UsageErrorf("the journal has no change of %s to undo on this connection",
		in.Session.Profile().Name)
}
