// The apply command: a plan in a file, carried out later or by somebody else.

package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// maxPlanFile is the largest file that is read as a plan: a transaction moves
// at most 4 MB, shown before and after as text.
const maxPlanFile = 64 << 20

func applyCommand(a *app) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "apply FILE",
		Short: "Carry out a plan that ddbdesk change --plan FILE wrote",
		Long: "Makes the plan of the file again and carries it out when it is still the same: the file names its schema,\n" +
			"its variables and what it was made for. Data that moved on is exit 10, a file that was edited exit 11.",
		Args: exactly("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.apply(cmd, args[0], output) },
	}
	cmd.Flags().Bool(flagYes, false, "carry the plan out without asking")
	outputFlag(cmd, &output, "text", "json")
	return cmd
}

func (a *app) apply(cmd *cobra.Command, path, output string) error {
	mode, err := a.chooseMode(cmd, flagYes)
	if err != nil {
		return err
	}
	if len(a.flags.vars) > 0 {
		return usageErrorf("--var: the plan has its variables: leave it out")
	}
	f, err := readPlan(path)
	if err != nil {
		return err
	}
	p, err := openPlanned(f, path)
	if err != nil {
		return err
	}
	dry := session.New(session.Options{Profile: p})
	if f.Profile != p.Digest() { // its action may not be there any more
		return &session.Refusal{Why: "the profile " + p.Name + " was changed since the plan was made", Next: "make a new plan"}
	}
	act, err := dry.Action(f.Action)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	s, err := a.changeSession(ctx, p)
	if err != nil {
		return err
	}
	r := &report{app: a, output: output, action: act, schema: f.Schema, reason: f.Reason, session: s, production: p.IsProduction(f.Context)}
	if err := s.CanChange(act); err != nil {
		return r.failed(s.Refuse(ctx, act, f.Inputs, f.Reason, err))
	}
	plan, err := s.LoadPlan(ctx, f)
	if err != nil {
		return r.failed(err)
	}
	r.plan, r.second = plan, act.FourEyes && f.MadeBy(s.Actor())
	return r.carryOut(ctx, mode, func(ctx context.Context) (*session.Commitment, error) { return s.Apply(ctx, f, plan) })
}

func readPlan(path string) (*session.PlanFile, error) {
	in, err := os.Open(filepath.Clean(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usageErrorf("FILE: there is no %s", models.Printable(path))
	}
	if err != nil {
		return nil, usageErrorf("FILE: %v", err)
	}
	text, err := io.ReadAll(io.LimitReader(in, maxPlanFile))
	if err = errors.Join(err, in.Close()); err != nil {
		return nil, usageErrorf("FILE: %v", err)
	}
	return session.ReadPlanFile(text)
}

// openPlanned opens the profile of a plan. A file is looked for where the plan
// was made, and beside the plan.
func openPlanned(f *session.PlanFile, path string) (*profiles.Profile, error) {
	p, err := profiles.Open(f.Schema, f.Variables)
	var unknown *profiles.ErrUnknown
	if errors.As(err, &unknown) {
		beside := filepath.Join(filepath.Dir(path), f.Schema)
		if q, berr := profiles.Open(beside, f.Variables); berr == nil {
			return q, nil
		}
		return nil, usageErrorf("the profile of the plan is gone: %v", err)
	}
	return p, err
}
