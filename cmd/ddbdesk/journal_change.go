// The journal commands about changes: find out what became of one, and take one
// back.

package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// schemaAndID takes a schema, and the id of a change or the start of one.
func schemaAndID(_ *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return usageErrorf("missing SCHEMA")
	case len(args) > 2:
		return usageErrorf("unexpected argument %q", models.Printable(args[2]))
	case len(args) == 2 && args[1] == "":
		return usageErrorf("ID: empty")
	}
	return nil
}

// findChange finds a change of the journal by its id, or the start of one.
func findChange(list []session.PastChange, id string) (session.PastChange, error) {
	var found []session.PastChange
	for _, c := range list {
		if strings.HasPrefix(c.Intent.ID, id) {
			found = append(found, c)
		}
	}
	switch len(found) {
	case 0:
		return session.PastChange{}, usageErrorf("ID: the journal has no change %s of this schema and connection", short(id))
	case 1:
		return found[0], nil
	}
	return session.PastChange{}, usageErrorf("ID: %s is the start of %d changes: write more of it", short(id), len(found))
}

func journalResolve(a *app) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "resolve SCHEMA [ID]", Short: "Find out what became of changes without an outcome, by reading their items",
		Args: schemaAndID, ValidArgsFunction: completeSchemas,
		RunE: func(cmd *cobra.Command, args []string) error { return a.resolve(cmd.Context(), args, output) },
	}
	outputFlag(cmd, &output, "text", "json")
	return cmd
}

type resolvedJSON struct {
	ID     string               `json:"id"`
	Action string               `json:"action"`
	Key    string               `json:"key"`
	State  accesspatterns.State `json:"state"` // "" when it could not be told
	Error  *string              `json:"error"`
}

func (a *app) resolve(ctx context.Context, args []string, output string) error {
	p, err := a.schema(args[0])
	if err != nil {
		return err
	}
	s, err := a.changeSession(ctx, p)
	if err != nil {
		return err
	}
	list, faults := s.Changes()
	if faults != nil {
		a.note(strings.ReplaceAll(faults.Error(), "\n", "; "))
	}
	var open []session.PastChange
	if len(args) == 2 {
		c, err := findChange(list, args[1])
		if err != nil {
			return err
		}
		open = append(open, c)
	} else {
		for _, c := range list {
			if c.Open() {
				open = append(open, c)
			}
		}
	}
	results, failed := a.resolveAll(ctx, s, open)
	if output == "json" {
		if err := writeJSON(a.stdout, results); err != nil {
			return err
		}
		return failed
	}
	for _, r := range results {
		if r.Error == nil {
			fmt.Fprintln(a.stdout, models.Printable(fmt.Sprintf("%s  %s %s: %s", shortID(r.ID), r.Action, r.Key, r.State)))
		}
	}
	if len(open) == 0 {
		a.note("every change has its outcome")
	}
	return failed
}

// resolveAll returns the last error: one change that cannot be told does not
// keep the others open.
func (a *app) resolveAll(ctx context.Context, s *session.Session, open []session.PastChange) ([]resolvedJSON, error) {
	results := []resolvedJSON{}
	var failed error
	for _, c := range open {
		r := resolvedJSON{ID: c.Intent.ID, Action: c.Intent.Subject, Key: c.Intent.Detail["key"]}
		var err error
		if r.State, err = s.Resolve(ctx, c); err != nil {
			if failed != nil {
				a.note(failed.Error())
			}
			words := models.Printable(err.Error())
			r.Error, failed = &words, err
		}
		results = append(results, r)
	}
	return results, failed
}

func journalUndo(a *app) *cobra.Command {
	var f changeFlags
	cmd := &cobra.Command{
		Use: "undo SCHEMA [ID]", Short: "Take a change back: the newest one, or that of the id",
		Long: "Plans the change that sets the items back to what they were, when nobody changed them since (exit 10).\n" +
			"Counters and times of change move on; audit entries stay, and the undo adds its own.",
		Args: schemaAndID, ValidArgsFunction: completeSchemas,
		RunE: func(cmd *cobra.Command, args []string) error { return a.undo(cmd, args, f) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.reason, "reason", "", "why; goes to the audit entry and the journal")
	fl.BoolVar(&f.dryRun, flagDryRun, false, "print the plan and write nothing")
	fl.BoolVar(&f.yes, flagYes, false, "carry the plan out; needs --role admin")
	outputFlag(cmd, &f.output, "text", "json", "cli")
	return cmd
}

func (a *app) undo(cmd *cobra.Command, args []string, f changeFlags) error {
	mode, err := a.chooseMode(cmd, flagDryRun, flagYes)
	if err != nil {
		return err
	}
	if err := checkReason(f.reason); err != nil {
		return err
	}
	p, err := a.schema(args[0])
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	s, err := a.changeSession(ctx, p)
	if err != nil {
		return err
	}
	was, err := a.toUndo(s, args[1:])
	if err != nil {
		return err
	}
	done, refused := s.Undoable(was)
	if done == nil {
		return refused
	}
	r := &report{app: a, output: f.output, action: done.Action, schema: args[0], reason: f.reason, undoes: done, session: s}
	if refused == nil {
		refused = session.NeedsReason(done.Action, f.reason)
	}
	if refused == nil && mode != flagDryRun {
		refused = s.CanChange(done.Action)
	}
	if refused != nil {
		if mode != flagDryRun {
			refused = s.Refuse(ctx, done.Action, done.Basis.Inputs, f.reason, refused)
		}
		return r.failed(refused)
	}
	plan, err := s.PlanUndo(ctx, done, f.reason)
	if err != nil {
		return r.failed(err)
	}
	r.plan = plan
	return r.carryOut(ctx, mode, func(ctx context.Context) (*session.Commitment, error) { return s.Commit(ctx, plan) })
}

// toUndo finds the change that is meant: that of the id, else the newest one
// that was made and not taken back.
func (a *app) toUndo(s *session.Session, id []string) (session.PastChange, error) {
	list, faults := s.Changes()
	if faults != nil {
		a.note(strings.ReplaceAll(faults.Error(), "\n", "; "))
	}
	if len(id) == 1 {
		return findChange(list, id[0])
	}
	for _, c := range list {
		if c.Committed() && !c.Undone && !c.IsUndo() {
			return c, nil
		}
	}
	return session.PastChange{}, usageErrorf("the journal has no change of %s here that could be taken back", s.Profile().Name)
}
