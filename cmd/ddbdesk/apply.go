package main

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/applying"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/sweep"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// applyCommand returns `ddbdesk apply`.
func applyCommand(a *app) *cobra.Command {
	var o applyOptions
	cmd := &cobra.Command{
		Use:   "apply FILE",
		Short: "Apply a plan that ddbdesk change --plan saved",
		Long: "Plans the change of FILE again and applies it if the plan is the same. The file names the schema, its variables\n" +
			"and the inputs. If the data has changed since, the exit code is 10; if the file was edited, it is 11.\n\n" +
			"The file of a sweep is applied item by item: a few first, then the rest. Run the same command again to continue a sweep\n" +
			"that was interrupted; no item is changed twice.",
		Args: cli.Exactly("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return applyFile(a, cmd, args[0], o) },
	}
	cmd.Flags().Bool(flagYes, false, "apply the plan without asking")
	o.pace.register(cmd)
	cli.OutputFlag(cmd, &o.output, "text", "json", "jsonl")
	return cmd
}

// applyOptions are the flags of apply.
type applyOptions struct {
	output string // text, json, or jsonl for a sweep
	pace   paceOptions
}

// applyFile applies the plan or the sweep of a file.
func applyFile(a *app, cmd *cobra.Command, path string, o applyOptions) error {
	if len(a.flags.typedVars) > 0 {
		return cli.UsageErrorf("--var: the plan file sets the variables; omit the flag")
	}
	m, err := sweep.OpenManifest(path)
	switch {
	case err == nil:
		return errors.Join(applySweep(a, cmd, path, m, o), m.Close())
	case !errors.Is(err, sweep.ErrNoManifest):
		return argumentError(path, err)
	}
	text, err := readArgument(path)
	if err != nil {
		return err
	}
	for _, name := range []string{flagCanary, flagRate} {
		if cmd.Flags().Changed(name) {
			return cli.UsageErrorf("--%s is about the file of a sweep, and %s plans one change", name, models.Printable(path))
		}
	}
	if o.output == "jsonl" {
		return cli.UsageErrorf("-o jsonl is about the file of a sweep, and %s plans one change; use -o json", models.Printable(path))
	}
	return applyPlan(a, cmd, path, text, o.output)
}

// applyPlan loads the plan of a file and applies it. The digests of the profile and of the
// file are checked before anything is sent; LoadPlan compares the data.
func applyPlan(a *app, cmd *cobra.Command, path string, text []byte, output string) error {
	mode, err := chooseMode(a.Streams, cmd, flagYes)
	if err != nil {
		return err
	}
	f, err := changes.ReadPlanFile(text)
	if err != nil {
		return err
	}
	p, _, err := recordedProfile(&a.settings, "plan", f.Schema, f.Variables, path)
	if err != nil {
		return err
	}
	if f.Profile != p.Digest() { // checked first: its action may be gone
		return profileChanged(p)
	}
	act, err := workspace.New(session.Options{Profile: p}).Planner.Action(f.Action)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	s, err := a.changeSession(ctx, p)
	if err != nil {
		return err
	}
	r := &applying.Change{
		Streams: a.Streams, Output: output, Action: act, Schema: f.Schema, Reason: f.Reason, Workspace: s,
		Production: s.Session.Production() || p.IsProduction(f.Context),
	}
	if err := s.Session.CanChange(act); err != nil {
		return r.Refuse(ctx, f.Inputs, err)
	}
	plan, err := s.Planner.LoadPlan(ctx, f)
	if err != nil {
		return r.Failed(err)
	}
	r.Plan, r.SecondPerson = plan, s.Planner.NeedsAnother(f, act) != nil
	return r.Apply(ctx, mode == modeAsk, func(ctx context.Context) (*changes.Commitment, error) { return s.Committer.Apply(ctx, f, plan) })
}

// profileChanged is the refusal of a plan that was made with another version of the profile.
func profileChanged(p *profiles.Profile) error {
	return &session.Refusal{Why: "profile " + p.Name + " was changed after the plan was made", Next: "make a new plan"}
}

// readArgument reads the file that the argument FILE names. Errors of the file system name the argument.
func readArgument(path string) ([]byte, error) {
	text, err := appdir.ReadFile(path)
	if err != nil {
		return nil, argumentError(path, err)
	}
	return text, nil
}

// argumentError describes why the file that the argument FILE names cannot be read. Other errors are about its content.
func argumentError(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return cli.UsageErrorf("FILE: no file %s", models.Printable(path))
	case cli.HasType[*fs.PathError](err):
		return cli.UsageErrorf("FILE: %v", err)
	}
	return err
}

// recordedProfile opens the profile that a file names, a plan or a case file, with the variables that it has, and returns what
// opens it. A profile file is looked for under the name that the file has, then relative to it.
func recordedProfile(s *settings, what, schema string, variables map[string]string, path string) (*profiles.Profile, string, error) {
	vars := profiles.Values{Given: variables}
	p, err := s.reader.Open(schema, vars)
	if !cli.HasType[*profiles.ErrUnknown](err) {
		return p, schema, err
	}
	name := strings.TrimSuffix(schema, filepath.Ext(schema))
	for _, other := range []string{filepath.Join(filepath.Dir(path), schema), name} {
		if q, otherErr := s.reader.Open(other, vars); otherErr == nil {
			return q, other, nil
		}
	}
	beside := ""
	if path != "" {
		beside = " beside the " + what + " or"
	}
	return nil, "", cli.UsageErrorf("the %s needs profile %s; copy it%s to the profiles folder beside the configuration file", what,
		cli.Short(schema), beside)
}
