package main

import (
	"errors"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/applying"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
)

// changeOptions are the flags of the commands that plan a change.
type changeOptions struct {
	reason string // for the audit entry and the journal
	dryRun bool   // see flagDryRun
	plan   string // file, see flagPlan
	file   bool   // see flagRequest
	yes    bool   // see flagYes
	output string // text, json or cli
	sweep  sweepOptions
}

// The flags that select what happens to a plan, which are also the modes of a command.
const (
	flagDryRun  = "dry-run" // print the plan
	flagPlan    = "plan"    // save the plan
	flagYes     = "yes"     // apply the plan
	flagRequest = "request" // file the plan for another user to apply
	modeAsk     = ""        // without a flag: ask at the terminal
)

// register adds the flags, without --plan.
func (o *changeOptions) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.reason, "reason", "", "record `TEXT` as the reason in the audit entry and the journal")
	f.BoolVar(&o.dryRun, flagDryRun, false, "show the plan; write nothing")
	f.BoolVar(&o.yes, flagYes, false, "apply the plan without asking; needs --role admin")
	cli.OutputFlag(cmd, &o.output, "text", "json", "cli")
}

// changeCommand returns `ddbdesk change`.
func changeCommand(a *app) *cobra.Command {
	var o changeOptions
	cmd := &cobra.Command{
		Use:   "change SCHEMA ACTION [name=value ...]",
		Short: "Plan an action on an item, and apply it",
		Long: "Plans an action of the schema: the writes, their conditions and the audit entry. --dry-run prints the plan,\n" +
			"--plan saves it for `ddbdesk apply`, --request files it for another user, and --yes applies it; without these\n" +
			"flags ddbdesk asks first.\n" +
			"If an item has changed since it was read, nothing is written and the exit code is 10.\n\n" +
			"--over plans the action on every item that a pattern returns; name=value are the parameters of the pattern.",
		Args:              cli.AtLeast("SCHEMA", "ACTION"),
		ValidArgsFunction: a.completeInSchema(completeChange),
		RunE: func(cmd *cobra.Command, args []string) error {
			many, err := o.sweep.given(cmd)
			switch {
			case err != nil:
				return err
			case many:
				return planSweep(a, cmd, args, o)
			}
			return planChange(a, cmd, args, o)
		},
	}
	o.register(cmd)
	o.sweep.register(cmd)
	cmd.Flags().BoolVar(&o.file, flagRequest, false, "file the plan as a request that another user applies")
	cmd.Flags().StringVar(&o.plan, flagPlan, "", "save the plan to `FILE` for ddbdesk apply")
	return cmd
}

// planChange plans an action, and applies, saves or prints the plan. Like run, it checks the
// arguments before it connects. A refusal of something that would write is recorded in
// the journal, which needs the session; a refused plan that only would be printed is
// not worth an entry.
func planChange(a *app, cmd *cobra.Command, args []string, o changeOptions) error {
	p, err := a.schema(args[0])
	if err != nil {
		return err
	}
	offline := workspace.New(session.Options{Profile: p})
	act, err := findAction(offline, args[1])
	if err != nil {
		return err
	}
	mode, err := chooseMode(a.Streams, cmd, flagDryRun, flagPlan, flagRequest, flagYes)
	if err != nil {
		return err
	}
	given, err := a.given(args[2:])
	if err != nil {
		return err
	}
	if mode == flagPlan {
		err = cli.CheckNewFile("--plan", o.plan)
	}
	if err = errors.Join(err, checkReason(o.reason)); err != nil {
		return err
	}
	ctx := cmd.Context()
	refused := offline.Session.CanPlan(act)
	if refused == nil {
		warnings, err := offline.Planner.CheckInputs(ctx, act, given)
		if err != nil {
			return err
		}
		a.Warn(warnings)
		refused = session.NeedsReason(act, o.reason)
	}
	r := &applying.Change{Streams: a.Streams, Output: o.output, Action: act, Schema: args[0], Reason: o.reason}
	writes := mode == flagYes || mode == modeAsk
	if refused != nil && !writes {
		return r.Failed(refused)
	}
	s, err := a.changeSession(ctx, p)
	switch {
	case err != nil && refused != nil:
		return r.Failed(refused)
	case err != nil:
		return err
	case writes && refused == nil:
		refused = s.Session.CanChange(act)
	}
	r.Workspace = s
	if refused == nil {
		refused = changes.TypedActor(s.Session.Viewer, act)
	}
	if refused != nil {
		return r.Refuse(ctx, given, refused)
	}
	plan, err := s.Planner.Plan(ctx, act, given, o.reason)
	if err != nil {
		return r.Failed(err)
	}
	r.Plan, r.SecondPerson = plan, act.FourEyes
	switch mode {
	case flagDryRun:
		return r.PrintPlan()
	case flagPlan:
		return r.Save(args[0], o.plan)
	case flagRequest:
		return r.File(ctx, args[0])
	}
	return r.Apply(ctx, mode == modeAsk, r.Commit)
}

// findAction returns the action with an ID, and a hint when the ID is that of a
// pattern.
func findAction(s *workspace.Workspace, id string) (*change.Action, error) {
	p := s.Session.Profile()
	act, err := s.Planner.Action(id)
	if q := p.Pattern(id); err != nil && q != nil {
		if q.IsRead() {
			return nil, cli.UsageErrorf("%s is a read pattern; use ddbdesk run %s %s", q.FullID(), session.SchemaName(p), q.ID)
		}
		return nil, cli.UsageErrorf("%s has no action\n%s", q.FullID(), strings.TrimSpace(q.Safe))
	}
	return act, err
}

// chooseMode returns the one flag of names that was given, or modeAsk where ddbdesk
// can ask.
func chooseMode(s cli.Streams, cmd *cobra.Command, names ...string) (string, error) {
	var given, usage []string
	for _, name := range names {
		f := cmd.Flags().Lookup(name)
		flag := "--" + name
		if f.Value.Type() == "string" {
			flag += " FILE"
		}
		usage = append(usage, flag)
		if f.Changed && f.Value.String() != "false" {
			given = append(given, name)
		}
	}
	switch {
	case len(given) > 1:
		return "", cli.UsageErrorf("--%s cannot be used together", strings.Join(given, " and --"))
	case len(given) == 1:
		return given[0], nil
	case s.Interactive():
		return modeAsk, nil
	}
	return "", cli.UsageErrorf("cannot ask for confirmation without a terminal; use %s", english.OxfordWordSeries(usage, "or"))
}

// checkReason rejects a reason that the journal does not store.
func checkReason(reason string) error {
	if err := session.CheckReason(reason); err != nil {
		return cli.UsageErrorf("--%v", err)
	}
	return nil
}
