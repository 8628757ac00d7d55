package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/journal"
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

// openChanges returns the changes without an outcome of the session's schema and connection, latest first, and notes damaged
// journal entries.
func openChanges(s cli.Streams, of *workspace.Workspace) ([]changes.PastChange, error) {
	list, err := of.Journal.Open()
	slices.Reverse(list)
	return list, journal.NoteDamaged(s.Note, err)
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
		open[0], err = s.Journal.Find(args[1], a.Note)
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
