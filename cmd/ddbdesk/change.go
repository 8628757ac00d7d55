// The change command: one action, from its inputs to a plan, and from the plan
// to the tables when that is asked for.

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/snippet"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

type changeFlags struct {
	reason string
	dryRun bool
	plan   string
	yes    bool
	output string
}

// The flags that say what becomes of a plan.
const (
	flagDryRun = "dry-run"
	flagPlan   = "plan"
	flagYes    = "yes"
	modeAsk    = "" // none: a person is asked
)

func changeCommand(a *app) *cobra.Command {
	var f changeFlags
	cmd := &cobra.Command{
		Use:   "change SCHEMA ACTION [name=value ...]",
		Short: "Change an item: plan an action, look at it, carry it out",
		Long: "Plans an action of the schema: what it would write, under which conditions, with its audit entry.\n" +
			"--dry-run prints the plan, --plan keeps it in a file for `ddbdesk apply`, --yes carries it out; without one\n" +
			"of them a person at the terminal is asked. Nothing is ever written that is not as it was read (exit 10).",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usageErrorf("missing %s", []string{"SCHEMA", "ACTION"}[len(args)])
			}
			return nil
		},
		ValidArgsFunction: completeInSchema(completeChange),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.change(cmd, args, f) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.reason, "reason", "", "why; goes to the audit entry and the journal")
	fl.BoolVar(&f.dryRun, flagDryRun, false, "print the plan and write nothing")
	fl.StringVar(&f.plan, flagPlan, "", "write the plan to `FILE` for ddbdesk apply")
	fl.BoolVar(&f.yes, flagYes, false, "carry the plan out; needs --role admin")
	outputFlag(cmd, &f.output, "text", "json", "cli")
	return cmd
}

func (a *app) change(cmd *cobra.Command, args []string, f changeFlags) error {
	p, err := a.schema(args[0])
	if err != nil {
		return err
	}
	// Everything that can be wrong about the call is said before anything is
	// opened.
	dry := session.New(session.Options{Profile: p})
	act, err := action(dry, args[1])
	if err != nil {
		return err
	}
	mode, err := a.chooseMode(cmd, flagDryRun, flagPlan, flagYes)
	if err != nil {
		return err
	}
	given, err := a.given(args[2:])
	if err != nil {
		return err
	}
	if mode == flagPlan {
		err = freePath(f.plan)
	}
	if err = errors.Join(err, checkReason(f.reason)); err != nil {
		return err
	}
	ctx := cmd.Context()
	refused := dry.CanPlan(act)
	if refused == nil {
		warnings, err := dry.CheckChange(ctx, act, given)
		if err != nil {
			return err
		}
		for _, w := range warnings {
			a.note(models.Truncate(models.Printable(w), maxWarning))
		}
		refused = session.NeedsReason(act, f.reason)
	}
	r := &report{app: a, output: f.output, action: act, schema: args[0], reason: f.reason}
	writes := mode == flagYes || mode == modeAsk
	if refused != nil && !writes {
		return r.failed(refused)
	}
	s, err := a.changeSession(ctx, p)
	switch {
	case err != nil && refused != nil:
		return r.failed(refused)
	case err != nil:
		return err
	case writes && refused == nil:
		refused = s.CanChange(act)
	}
	r.session = s
	if refused != nil {
		return r.failed(s.Refuse(ctx, act, given, f.reason, refused))
	}
	plan, err := s.Plan(ctx, act, given, f.reason)
	if err != nil {
		return r.failed(err)
	}
	r.plan, r.second = plan, act.FourEyes
	if mode == flagPlan {
		return r.keep(args[0], f.plan)
	}
	return r.carryOut(ctx, mode, func(ctx context.Context) (*session.Commitment, error) { return s.Commit(ctx, plan) })
}

// action finds an action. Somebody may have meant a pattern.
func action(s *session.Session, id string) (*accesspatterns.Action, error) {
	p := s.Profile()
	act, err := s.Action(id)
	if q := p.Pattern(id); err != nil && q != nil {
		if q.IsRead() {
			return nil, usageErrorf("%s is a read pattern: ddbdesk run %s %s reads it", q.FullID(), p.Name, q.ID)
		}
		return nil, usageErrorf("%s is no action here\n%s", q.FullID(), strings.TrimSpace(q.Safe))
	}
	return act, err
}

// chooseMode returns which of the flags was given: exactly one, or none where a
// person can be asked.
func (a *app) chooseMode(cmd *cobra.Command, names ...string) (string, error) {
	var given, known []string
	for _, name := range names {
		f := cmd.Flags().Lookup(name)
		words := "--" + name
		if f.Value.Type() == "string" {
			words += " FILE"
		}
		known = append(known, words)
		if f.Changed && f.Value.String() != "false" {
			given = append(given, name)
		}
	}
	switch {
	case len(given) > 1:
		return "", usageErrorf("--%s: give one of them", strings.Join(given, " and --"))
	case len(given) == 1:
		return given[0], nil
	case a.interactive():
		return modeAsk, nil
	}
	choice := known[0]
	if last := len(known) - 1; last > 0 {
		choice = strings.Join(known[:last], ", ") + " or " + known[last]
	}
	return "", usageErrorf("nobody can be asked here: add %s", choice)
}

func checkReason(reason string) error {
	if !utf8.ValidString(reason) {
		return usageErrorf("--reason: not valid UTF-8")
	}
	return nil
}

// freePath refuses to write a plan over anything, before there is a plan.
func freePath(path string) error {
	if path == "" {
		return usageErrorf("--plan: the name of the file is empty")
	}
	if _, err := os.Lstat(path); err == nil {
		return usageErrorf("--plan: %s is there already, and nothing is written over it: give another name", models.Printable(path))
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return usageErrorf("--plan: there is no folder %s", models.Printable(filepath.Dir(path)))
	}
	return nil
}

// keep writes the plan to a new file that only its owner may read.
func (r *report) keep(schema, path string) error {
	text, err := r.session.WritePlan(r.plan, schema)
	if err != nil {
		return r.failed(err)
	}
	f, err := os.OpenFile(filepath.Clean(path), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return freePath(path)
	}
	if err != nil {
		return fmt.Errorf("writing the plan: %w", err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(fmt.Errorf("writing the plan: %w", err), os.Remove(path))
	}
	if err := r.planned(); err != nil {
		return err
	}
	r.app.notef("nothing was written yet: ddbdesk apply %s carries the plan out", snippet.ShellQuote(path))
	return nil
}
