package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/applying"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/sweep"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// The flags of a sweep.
const (
	flagOver      = "over"
	flagWhere     = "where"
	flagAllowScan = "allow-scan"
)

// sweepOptions are the flags of change that make it a sweep.
type sweepOptions struct {
	over      string // pattern
	where     string
	inputs    []string // name=value
	allowScan bool
	pace      paceOptions
}

// register adds the flags.
func (o *sweepOptions) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.over, flagOver, "", "change every item that `PATTERN` returns")
	f.StringVar(&o.where, flagWhere, "", "change only items that match `FILTER`")
	f.StringArrayVar(&o.inputs, "input", nil, "pass `NAME=VALUE` to the action instead of the pattern; repeatable")
	f.BoolVar(&o.allowScan, flagAllowScan, false, "allow --over to scan a whole table")
	o.pace.register(cmd)
}

// given reports whether the command is a sweep. The error names a flag that needs --over.
func (o *sweepOptions) given(cmd *cobra.Command) (bool, error) {
	if cmd.Flags().Changed(flagOver) {
		return true, nil
	}
	for _, name := range []string{flagWhere, "input", flagAllowScan, flagCanary, flagRate} {
		if cmd.Flags().Changed(name) {
			return false, cli.UsageErrorf("--%s is about many items; add --over PATTERN", name)
		}
	}
	return false, nil
}

// selection returns what the arguments and flags select.
func (o *sweepOptions) selection(a *app, p *profiles.Profile, act *change.Action, args []string, reason string) (sweep.Selection, error) {
	s := sweep.Selection{Action: act, Where: o.where, Reason: reason, AllowScan: o.allowScan}
	offline := workspace.New(session.Options{Profile: p})
	given, err := a.given(args)
	if err != nil {
		return s, err
	}
	inputs, err := op.Values(o.inputs)
	if err != nil {
		return s, fmt.Errorf("--input: %w", err)
	}
	if s.Pattern, err = offline.Reading.Pattern(o.over); err != nil {
		return s, fmt.Errorf("--%s: %w", flagOver, err)
	}
	if err := s.Assign(given, inputs); err != nil {
		return s, err
	}
	return s, offline.Sweeps.Check(s)
}

// planSweep plans an action on many items and prints what it would do. With --plan it saves the plans, and applies them with --yes.
func planSweep(a *app, cmd *cobra.Command, args []string, o changeOptions) error {
	if err := o.checkSweep(cmd); err != nil {
		return err
	}
	p, err := a.schema(args[0])
	if err != nil {
		return err
	}
	act, err := findAction(workspace.New(session.Options{Profile: p}), args[1])
	if err != nil {
		return err
	}
	s, err := o.sweep.selection(a, p, act, args[2:], o.reason)
	if err = errors.Join(err, checkReason(o.reason)); err != nil {
		return err
	}
	limits, err := o.sweep.pace.limits()
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	w, err := a.changeSession(ctx, p)
	if err != nil {
		return err
	}
	if !s.AllowScan && s.Pattern.Read.Operation == accesspatterns.Scan {
		return w.Reading.RefuseScan(ctx, s.Pattern)
	}
	if o.dryRun {
		preview, err := w.Sweeps.Preview(ctx, s, nil)
		if err != nil {
			return err
		}
		return applying.PrintSweep(a.Streams, w, preview, o.output)
	}
	if err := changes.TypedActor(w.Session.Viewer, act); err != nil {
		return err
	}
	saved, err := saveSweep(ctx, a.Streams, w, s, args[0], o)
	if err != nil {
		return err
	}
	if o.file {
		return requestSweep(ctx, a.Streams, w, saved, o.plan)
	}
	if !o.yes {
		a.Note("nothing is written yet; to apply the sweep, run " + w.Session.Command("apply", o.plan))
		return nil
	}
	m, err := sweep.OpenManifest(o.plan)
	if err != nil {
		return err
	}
	r := &applying.Sweep{Streams: a.Streams, Output: o.output, Path: o.plan, Schema: args[0], Workspace: w, Manifest: m}
	return errors.Join(r.Apply(ctx, false, limits), m.Close())
}

// checkSweep reports flags that a sweep does not have. It is always applied from a file, so that it can be continued.
func (o changeOptions) checkSweep(cmd *cobra.Command) error {
	planned := cmd.Flags().Changed(flagPlan)
	switch {
	case o.file && (o.yes || o.dryRun):
		return cli.UsageErrorf("--%s lets another user apply the sweep; omit --%s and --%s", flagRequest, flagYes, flagDryRun)
	case o.file && !planned:
		return cli.UsageErrorf("--%s of a sweep needs --%s FILE: the user who applies it needs the file", flagRequest, flagPlan)
	case o.output == "cli":
		return cli.UsageErrorf("-o cli prints one change; a sweep has -o text and -o json")
	case o.dryRun && (planned || o.yes):
		return cli.UsageErrorf("--%s writes nothing; omit --%s and --%s", flagDryRun, flagPlan, flagYes)
	case planned:
		return cli.CheckNewFile("--"+flagPlan, o.plan)
	case o.dryRun:
		return nil
	}
	return cli.UsageErrorf("a sweep is applied from a file, so that it can be continued; use --%s, or --%s FILE and then ddbdesk apply FILE",
		flagDryRun, flagPlan)
}

// saveSweep plans a sweep and saves it in a new file that only its owner can read. It prints the preview, unless the sweep is
// applied next. Without an item to change there is no file.
func saveSweep(
	ctx context.Context, to cli.Streams, w *workspace.Workspace, s sweep.Selection, schema string, o changeOptions,
) (*sweep.Manifest, error) {
	draft, err := w.Sweeps.NewManifest(o.plan, s, schema)
	if err != nil {
		return nil, err
	}
	p, err := w.Sweeps.Preview(ctx, s, draft.Add)
	if err == nil && (!o.yes || p.Planned == 0) {
		err = applying.PrintSweep(to, w, p, o.output)
	}
	if err != nil {
		return nil, errors.Join(err, draft.Discard())
	}
	switch err := draft.Save(); {
	case errors.Is(err, items.ErrExists): // created since the check
		return nil, cli.CheckNewFile("--"+flagPlan, o.plan)
	case err != nil:
		return nil, fmt.Errorf("save the sweep: %w", err)
	}
	return draft.Manifest, nil
}

// requestSweep files a sweep that was saved as a request.
func requestSweep(ctx context.Context, to cli.Streams, w *workspace.Workspace, m *sweep.Manifest, path string) error {
	q, note, err := w.Requests.FileSweep(ctx, m)
	if err != nil {
		return err
	}
	if note != nil {
		to.Note(note.Error())
	}
	to.Notef("filed as request %s; nothing of the schema is written yet. Give the file to another user, who applies it with %s",
		models.Printable(q.ID), w.Session.Command("requests", "apply", m.Schema, q.ID, "--file", path))
	return nil
}
