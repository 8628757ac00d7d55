// The run command: one access pattern, from parameters to rows.

package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

type runFlags struct {
	limit     int
	all       bool
	next      string
	allowScan bool
	explain   bool
	output    string
	reveal    bool
	reason    string
}

func runCommand(a *app) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run SCHEMA PATTERN [name=value ...]",
		Short: "Run an access pattern",
		Long: "Runs a read pattern. Without --all it stops after one page and prints the token that --next takes.\n" +
			"With --all it reads several partitions, or segments of a table, at the same time and within the --budget, and writes\n" +
			"rows as they come: a table larger than memory can be written, in every format but table, which is aligned at the end.\n" +
			"When it is stopped, what was written is whole, and --next with the token that it prints goes on behind it.\n" +
			"Times may be given as 2026-01-14, 2026-01-14T10:00:00Z, epoch seconds, today or now-7d.\n" +
			"PATTERN may be @name: a named query of the console's bookmarks. Parameters that are given take the place of its own.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usageErrorf("missing %s", []string{"SCHEMA", "PATTERN"}[len(args)])
			}
			return nil
		},
		ValidArgsFunction: completeInSchema(completeRun),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.runPattern(cmd, args, f) },
	}
	fl := cmd.Flags()
	fl.IntVar(&f.limit, "limit", 0, "rows a page: rows that pass the filter")
	fl.BoolVar(&f.all, "all", false, "read to the end")
	fl.StringVar(&f.next, "next", "", "go on where the token of an earlier page stopped")
	fl.BoolVar(&f.allowScan, "allow-scan", false, "agree to read a whole table")
	fl.BoolVar(&f.explain, "explain", false, "print the requests and send nothing")
	fl.BoolVar(&f.reveal, "reveal", false, "show personal data; needs --reason and goes to the journal")
	fl.StringVar(&f.reason, "reason", "", "why personal data is revealed")
	outputFlag(cmd, &f.output, rowFormats()...)
	return cmd
}

func (a *app) runPattern(cmd *cobra.Command, args []string, f runFlags) error {
	if cmd.Flags().Changed("limit") && f.limit < 1 {
		return usageErrorf("--limit: %d is not a number of rows from 1", f.limit)
	}
	if cmd.Flags().Changed("next") && f.next == "" {
		return usageErrorf("--next: the token is empty")
	}
	if f.reveal && strings.TrimSpace(f.reason) == "" {
		return usageErrorf("--reveal needs --reason TEXT")
	}
	p, err := a.schema(args[0])
	if err != nil {
		return err
	}
	given, err := a.given(args[2:])
	if err != nil {
		return err
	}
	// Everything that can be wrong about the call is said before anything is
	// opened.
	dry := session.New(session.Options{Profile: p})
	id, given, err := resolveBookmark(p, args[1], given)
	if err != nil {
		return err
	}
	q, err := dry.Pattern(id)
	if err != nil {
		return err
	}
	if !q.IsRead() {
		hint := ""
		if act := p.Action(q.ID); act != nil {
			hint = fmt.Sprintf("ddbdesk change %s %s writes it. ", p.Name, act.ID)
		}
		return usageErrorf("%s is a write pattern: run only reads\n%s", q.FullID(), hint+strings.TrimSpace(q.Safe))
	}
	if f.explain {
		return a.explain(dry, q, given, f)
	}
	ctx := cmd.Context()
	_, err = dry.Run(q, given, session.RunOptions{Limit: f.limit, Token: f.next, AllowScan: f.allowScan})
	if err != nil && !errors.Is(err, session.ErrRefused) {
		return err
	}
	refused := err
	s, err := a.readSession(ctx, p)
	switch {
	case err != nil && refused != nil:
		return refused
	case err != nil:
		return err
	case refused != nil:
		return s.RefuseScan(ctx, q)
	}
	if f.reveal {
		if err := s.Reveal(ctx, q.FullID(), f.reason); err != nil {
			return err
		}
	}
	r, err := s.Run(q, given, session.RunOptions{Limit: f.limit, Token: f.next, AllowScan: f.allowScan, All: f.all})
	if err != nil {
		return err
	}
	for _, w := range r.Request().Warnings {
		a.note(models.Truncate(models.Printable(w), maxWarning))
	}
	return a.writeRun(ctx, s, r, f)
}

// maxWarning is how many cells of a warning about a value are shown: the value
// itself may be a whole key.
const maxWarning = 200

// given is parameters, for a command that may be called with --embedded DIR.
func (a *app) given(args []string) (map[string]string, error) {
	given, err := parameters(args)
	if err != nil && a.flags.embedded == defaultDir {
		return nil, fmt.Errorf("%w; the folder of --embedded must follow =", err)
	}
	return given, err
}

// parameters reads name=value arguments.
func parameters(args []string) (map[string]string, error) {
	given := map[string]string{}
	for _, arg := range args {
		name, value, ok := strings.Cut(arg, "=")
		if !ok || name == "" {
			return nil, usageErrorf("expected name=value, found %q", models.Printable(arg))
		}
		if _, twice := given[name]; twice {
			return nil, usageErrorf("parameter %s: given twice", models.Printable(name))
		}
		given[name] = value
	}
	return given, nil
}

// explain prints the requests that would be sent.
func (a *app) explain(s *session.Session, q *accesspatterns.Pattern, given map[string]string, f runFlags) error {
	r, err := s.Run(q, given, session.RunOptions{Limit: f.limit, Token: f.next, AllowScan: true})
	if err != nil {
		return err
	}
	return writeJSON(a.stdout, r.Explain())
}

// outcome says what a person should know, and ends with 1 for a GetItem that
// found nothing.
func (a *app) outcome(r *session.Run, total session.Page, token string, f runFlags) error {
	q := r.Request().Pattern
	if token != "" && f.output != "json" {
		a.note("there is more: --next " + token)
	}
	if d := q.Defect(); d != nil && (f.output == "table" || total.Count == 0 && r.Request().Read.Operation != accesspatterns.Get) {
		words := q.Safe
		if words == "" {
			words = d.Behaviour
		}
		a.notef("%s %s: %s", d.ID, d.Kind, strings.TrimSpace(words))
	}
	if q.ExpectOne && total.Count > 1 {
		a.notef("%s should find one item and found %d: an index does not keep its keys unique", q.ID, total.Count)
	}
	switch {
	case total.Count > 0:
	case r.Request().Read.Operation == accesspatterns.Get:
		a.note("nothing found")
		return &codeError{exitNotFound}
	case f.output == "table" && !r.Request().IsCount():
		a.notef("no rows; %d items were read", total.Scanned)
	}
	return nil
}
