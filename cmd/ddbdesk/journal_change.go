package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/applying"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

// schemaAndID accepts a schema, and the ID of a change or its first characters.
func schemaAndID(cmd *cobra.Command, args []string) error {
	if len(args) == 2 && args[1] == "" {
		return cli.UsageErrorf("ID: empty")
	}
	return cli.Between(1, "SCHEMA", "ID")(cmd, args)
}

// changeID is the number of characters of a whole journal ID.
const changeID = 32

// findChange returns the change whose journal ID starts with id. It notes damaged journal entries.
func findChange(s cli.Streams, of *workspace.Workspace, id string) (changes.PastChange, error) {
	var found []changes.PastChange
	for c, err := range of.Journal.Past() {
		switch err := noteDamaged(s.Note, err); {
		case err != nil:
			return changes.PastChange{}, err
		case strings.HasPrefix(c.Intent.ID, id):
			found = append(found, c)
		}
		if len(found) > 0 && len(id) == changeID {
			break
		}
	}
	switch len(found) {
	case 0:
		return changes.PastChange{}, cli.UsageErrorf("ID: the journal has no change %s for this schema and connection",
			cli.Short(id))
	case 1:
		return found[0], nil
	}
	return changes.PastChange{}, cli.UsageErrorf("ID: %s is ambiguous: %d changes start with it; give more characters", cli.Short(id),
		len(found))
}

// openChanges returns the changes without an outcome of the session's schema and connection, latest first, and notes damaged
// journal entries.
func openChanges(s cli.Streams, of *workspace.Workspace) ([]changes.PastChange, error) {
	list, err := of.Journal.Open()
	slices.Reverse(list)
	return list, noteDamaged(s.Note, err)
}

// resolveCommand returns `ddbdesk journal resolve`.
func resolveCommand(a *app) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "resolve SCHEMA [ID]", Short: "Determine the outcome of unresolved changes by reading their items",
		Args: schemaAndID, ValidArgsFunction: a.completeSchemas,
		RunE: func(cmd *cobra.Command, args []string) error { return resolveChange(cmd.Context(), a, args, output) },
	}
	cli.OutputFlag(cmd, &output, "text", "json")
	return cmd
}

// resolvedJSON is the outcome of a change, as its items and its audit entry show it. Error is
// the reason if the outcome could not be determined, otherwise null.
type resolvedJSON struct {
	ID     string       `json:"id"`
	Action string       `json:"action"`
	Key    string       `json:"key"`
	State  change.State `json:"state"` // "" when the items do not show it
	Error  *string      `json:"error"`
}

// resolveChange determines the outcome of the change with an ID, or of all unresolved changes,
// and records it in the journal.
func resolveChange(ctx context.Context, a *app, args []string, output string) error {
	s, err := a.openSchema(ctx, args[0], a.changeSession)
	if err != nil {
		return err
	}
	open := make([]changes.PastChange, 1)
	if len(args) == 2 {
		open[0], err = findChange(a.Streams, s, args[1])
	} else {
		open, err = openChanges(a.Streams, s)
	}
	if err != nil {
		return err
	}
	results, failed := resolveAll(ctx, a.Streams, s, open)
	noteElsewhere(a.Streams, s)
	err = a.Print(output, results, func(w io.Writer) error {
		if len(open) == 0 {
			a.Note("no unresolved changes of this schema on this connection")
		}
		for _, r := range results {
			if r.Error == nil {
				if err := cli.WriteLines(w, fmt.Sprintf("%s  %s %s: %s", journal.ShortID(r.ID), r.Action, r.Key, r.State)); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return cmp.Or(err, failed)
}

// noteElsewhere reports the unresolved changes that this schema and connection cannot resolve.
func noteElsewhere(s cli.Streams, in *workspace.Workspace) {
	for _, e := range in.Journal.OpenElsewhere() {
		s.Notef("%s without an outcome elsewhere: %s on %s; resolve with that schema and connection",
			english.Plural(e.Number, "change", ""), models.Printable(e.Schema), e.Place)
	}
}

// resolveAll resolves each change, whatever the errors of others, and returns the
// last error. It notes the errors before that.
func resolveAll(ctx context.Context, s cli.Streams, in *workspace.Workspace, open []changes.PastChange) ([]resolvedJSON, error) {
	results := []resolvedJSON{}
	var failed error
	for _, c := range open {
		r := resolvedJSON{ID: c.Intent.ID, Action: c.Intent.Subject, Key: c.Intent.Detail.Key}
		var err error
		if r.State, err = in.Journal.Resolve(ctx, c); err != nil {
			if failed != nil {
				s.Note(failed.Error())
			}
			text := models.Printable(err.Error())
			r.Error, failed = &text, err
		}
		results = append(results, r)
	}
	return results, failed
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
		return findChange(s, in, id[0])
	}
	for c, err := range in.Journal.Past() {
		if err := noteDamaged(s.Note, err); err != nil {
			return c, err
		} else if c.Committed() && !c.Undone && !c.IsUndo() {
			return c, nil
		}
	}
	return changes.PastChange{}, cli.UsageErrorf("the journal has no change of %s to undo on this connection",
		in.Session.Profile().Name)
}
