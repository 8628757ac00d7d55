package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/applying"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/ops/team"
	"github.com/ddbdesk/ddbdesk/internal/requests"
	"github.com/ddbdesk/ddbdesk/internal/sweep"
)

// requestApplyCommand returns `ddbdesk requests apply`.
func requestApplyCommand(a *app) *cobra.Command {
	var output, file string
	var pace paceOptions
	cmd := &cobra.Command{
		Use: "apply [SCHEMA] ID", Short: "Apply the change of a request",
		Long: "Plans the change of the request again and applies it, if the plan is the same and the request is open or approved.\n" +
			"The change, its audit entry and the state of the request are one transaction. If the data or the request has\n" +
			"changed, nothing is written and the exit code is 10.\n\n" +
			"A sweep needs the file that its requester saved. It is applied as by ddbdesk apply; the request is marked as applied\n" +
			"when every item is changed. Until then, run the same command again to continue.",
		Args: cli.Between(1, "[SCHEMA] ID", "ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if file != "" {
				return applySweepRequest(cmd, a, args, file, applyOptions{output: output, pace: pace})
			}
			return applyRequest(cmd, a, args, output)
		},
	}
	cmd.Flags().Bool(flagYes, false, "apply the plan without asking")
	cmd.Flags().StringVar(&file, "file", "", "read the requested sweep from `FILE`")
	pace.register(cmd)
	cli.OutputFlag(cmd, &output, "text", "json")
	return cmd
}

// findRequest reads the request of the arguments [SCHEMA] ID.
func findRequest(ctx context.Context, a *app, args []string) (*team.Place, *op.Call, error) {
	at := &team.Place{ID: args[len(args)-1]}
	if len(args) == 2 {
		at.Schema = args[0]
	}
	c := &op.Call{Host: host{a}, Needs: op.Writes}
	return at, c, at.Find(ctx, c)
}

// applyRequest applies the change of a request, and asks first where it can.
func applyRequest(cmd *cobra.Command, a *app, args []string, output string) error {
	mode, err := chooseMode(a.Streams, cmd, flagYes)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	at, c, err := findRequest(ctx, a, args)
	if err != nil {
		return err
	}
	if err := requests.Usable(at.Request); err != nil {
		return err
	}
	if at.Request.Sweep != nil {
		return cli.UsageErrorf("request %s is a sweep; add --file FILE, which %s saved", at.Request.ID, cli.Short(at.Request.Requester))
	}
	v, w, err := at.Review(ctx, c)
	if err != nil {
		return err
	}
	act, err := w.Planner.Action(at.Request.Action)
	if err != nil {
		return err
	}
	f := at.Request.File
	r := &applying.Change{
		Streams: a.Streams, Output: output, Action: act, Schema: f.Schema, Reason: f.Reason, Workspace: w, Plan: v.Plan,
		Production: w.Session.Production() || w.Session.Profile().IsProduction(f.Context),
	}
	if err := w.Session.CanChange(act); err != nil {
		return r.Refuse(ctx, f.Inputs, err)
	}
	if v.Moved != nil {
		return r.Failed(v.Moved)
	}
	r.SecondPerson = r.Workspace.Planner.NeedsAnother(f, r.Action) != nil
	return r.Apply(ctx, mode == modeAsk, func(ctx context.Context) (*changes.Commitment, error) {
		done, note, err := r.Workspace.Requests.Apply(ctx, v)
		if note != nil {
			a.Note(note.Error())
		}
		return done, err
	})
}

// applySweepRequest applies the sweep of a request from its file, and marks the request when all items are changed.
func applySweepRequest(cmd *cobra.Command, a *app, args []string, path string, o applyOptions) (err error) {
	ctx := cmd.Context()
	at, c, err := findRequest(ctx, a, args)
	if err != nil {
		return err
	}
	m, err := sweep.OpenManifest(path)
	if err != nil {
		return argumentError(path, err)
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	w, err := at.Workspace(ctx, c)
	if err != nil {
		return err
	}
	if err := w.Requests.CanApplySweep(at.Request, m); err != nil {
		return err
	}
	if err := applySweep(a, cmd, path, m, o); err != nil {
		return err
	}
	note, err := w.Requests.EndSweep(ctx, at.Request)
	if note != nil {
		a.Note(note.Error())
	}
	return err
}
