package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/applying"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/documents"
	"github.com/ddbdesk/ddbdesk/internal/requests"
	"github.com/ddbdesk/ddbdesk/internal/sweep"
)

// requestShowCommand returns `ddbdesk requests show`.
func requestShowCommand(a *app) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "show [SCHEMA] ID", Short: "Show a request, its history, and what it would write now",
		Args: cli.Between(1, "[SCHEMA] ID", "ID"),
		RunE: func(cmd *cobra.Command, args []string) error { return showRequest(cmd.Context(), a, args, output) },
	}
	cli.OutputFlag(cmd, &output, "text", "json")
	return cmd
}

// showRequest prints a request and the change that it would make of the items as they are now.
func showRequest(ctx context.Context, a *app, args []string, output string) error {
	o, err := openRequest(ctx, a, args)
	if err != nil {
		return err
	}
	events, err := o.register.Events(ctx, o.request.ID)
	if err != nil {
		return err
	}
	if q := o.request; q.Sweep != nil && q.State.Pending() {
		return a.Print(output, documents.Review{Request: documents.OfRequest(q), Events: events}, func(w io.Writer) error {
			return errors.Join(writeRequest(w, q, events), cli.WriteLines(w, append([]string{""}, documents.RequestedSweep(q.Sweep)...)...))
		})
	}
	doc := documents.Review{Request: documents.OfRequest(o.request), Events: events}
	r, v, err := reviewOf(ctx, o, output)
	if err != nil {
		return err
	}
	if v.Moved != nil {
		text := v.Moved.Error()
		doc.Moved = &text
	}
	if r.Plan != nil {
		planned := r.Document(documents.Planned)
		doc.Change = &planned
	}
	return a.Print(output, doc, func(w io.Writer) error {
		if err := writeRequest(w, o.request, events); err != nil {
			return err
		}
		if v.Moved != nil {
			return cli.WriteLines(w, "", "cannot be applied: "+v.Moved.Error())
		}
		if r.Plan == nil {
			return nil
		}
		if err := cli.WriteLines(w, ""); err != nil {
			return err
		}
		return r.WriteText(w)
	})
}

// reviewOf plans the change of a request again. The report has no plan if the request ended or cannot be applied.
func reviewOf(ctx context.Context, o *requestDesk, output string) (*applying.Change, requests.Review, error) {
	r, v := &applying.Change{Streams: o.a.Streams, Output: output}, requests.Review{Request: o.request, Moved: o.request.Fault}
	if !o.request.State.Pending() || o.request.File == nil {
		return r, v, nil
	}
	w, err := o.open(ctx)
	if err != nil {
		return nil, v, err
	}
	act, err := w.Planner.Action(o.request.Action)
	if err != nil {
		return nil, v, err
	}
	f := o.request.File
	r.Workspace, r.Action, r.Schema, r.Reason = w, act, f.Schema, f.Reason
	r.Production = w.Session.Production() || w.Session.Profile().IsProduction(f.Context)
	if v, err = w.Requests.Review(ctx, o.request); err != nil {
		return nil, v, err
	}
	r.Plan = v.Plan
	return r, v, nil
}

// writeRequest writes a request and its history for people.
func writeRequest(w io.Writer, q requests.Request, events []requests.Event) error {
	lines := []string{
		fmt.Sprintf("%s  %s  %s %s", q.ID, q.State, q.Schema, q.Action), q.Subject,
		fmt.Sprintf("requested by %s at %s, expires at %s", q.Requester, q.Created.Format(time.RFC3339), q.Expires.Format(time.RFC3339)),
	}
	if q.Via != "" {
		lines = append(lines, "filed by "+q.Via)
	}
	if q.Reason != "" {
		lines = append(lines, "reason: "+q.Reason)
	}
	for _, e := range events {
		line := fmt.Sprintf("  %s  %-9s  %s", e.At.Format(time.RFC3339), e.Done(), e.Who)
		if e.Comment != "" {
			line += ": " + e.Comment
		}
		lines = append(lines, line)
	}
	return cli.WriteLines(w, lines...)
}

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

// applyRequest applies the change of a request, and asks first where it can.
func applyRequest(cmd *cobra.Command, a *app, args []string, output string) error {
	mode, err := chooseMode(a.Streams, cmd, flagYes)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	o, err := openRequest(ctx, a, args)
	if err != nil {
		return err
	}
	if err := requests.Usable(o.request); err != nil {
		return err
	}
	if o.request.Sweep != nil {
		return cli.UsageErrorf("request %s is a sweep; add --file FILE, which %s saved", o.request.ID, cli.Short(o.request.Requester))
	}
	r, v, err := reviewOf(ctx, o, output)
	if err != nil {
		return err
	}
	if err := r.Workspace.Session.CanChange(r.Action); err != nil {
		return r.Refuse(ctx, o.request.File.Inputs, err)
	}
	if v.Moved != nil {
		return r.Failed(v.Moved)
	}
	r.SecondPerson = r.Workspace.Planner.NeedsAnother(o.request.File, r.Action) != nil
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
	request, err := openRequest(ctx, a, args)
	if err != nil {
		return err
	}
	m, err := sweep.OpenManifest(path)
	if err != nil {
		return argumentError(path, err)
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	w, err := request.open(ctx)
	if err != nil {
		return err
	}
	if err := w.Requests.CanApplySweep(request.request, m); err != nil {
		return err
	}
	if err := applySweep(a, cmd, path, m, o); err != nil {
		return err
	}
	note, err := w.Requests.EndSweep(ctx, request.request)
	if note != nil {
		a.Note(note.Error())
	}
	return err
}
