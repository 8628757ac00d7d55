package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/accesspatterns/lookup"
	"github.com/ddbdesk/ddbdesk/accesspatterns/snippet"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/documents"
	"github.com/ddbdesk/ddbdesk/internal/find"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/table"
)

// findCommand returns `ddbdesk find`.
func findCommand(a *app) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "find [SCHEMA] VALUE", Short: "Find an ID, a key or another value in all schemas",
		Long: "Finds VALUE in SCHEMA, or in the built-in schemas and yours: an ID, an email address, a domain, a key,\n" +
			"\"PK / SK\", or an item as JSON. The best match comes first.\n\n" +
			"Sends each GetItem and single-partition Query that VALUE can complete, within a limit of requests and time.\n" +
			"Small tables are scanned if no read applies, except on production. Exit code 1: nothing found.",
		Args: cli.Between(1, "VALUE", "VALUE"), ValidArgsFunction: a.completeSchemas,
		RunE: func(cmd *cobra.Command, args []string) error { return findValue(cmd.Context(), a, args, output) },
	}
	cli.OutputFlag(cmd, &output, "text", "json")
	return cmd
}

// findValue searches for the last argument, in the schema of the one before it or in all, and prints what was found.
func findValue(ctx context.Context, a *app, args []string, output string) error {
	value := args[len(args)-1]
	finder, err := newFinder(a, args[:len(args)-1])
	if err != nil {
		return err
	}
	s, err := finder.Search(ctx, value)
	if err != nil {
		return cli.UsageErrorf("VALUE: %v", err)
	}
	for range s.Changed() {
		continue // Output is in the order of the whole result.
	}
	r := s.Result()
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := unreached(finder, r); err != nil {
		return err
	}
	document := documents.OfFound(r)
	if err := a.Print(output, document, func(w io.Writer) error { return table.Found(w, r.Hits) }); err != nil {
		return err
	}
	noteFound(a.Streams, value, r)
	if len(r.Hits) == 0 {
		return cli.ExitWith(cli.ExitNotFound)
	}
	return nil
}

// newFinder returns the search over the schemas, by default the built-in ones and those of the user, on the connection of the
// flags. It notes the profiles that have errors.
func newFinder(a *app, schemas []string) (*find.Finder, error) {
	var list []*profiles.Profile
	for _, name := range schemas {
		p, err := a.schema(name)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	if list == nil {
		every, err := a.everyProfile()
		if every == nil {
			return nil, err
		}
		if err != nil {
			a.Warn(strings.Split(err.Error(), "\n"))
		}
		list = every
	}
	options, err := findOptions(&a.settings)
	if err != nil {
		return nil, err
	}
	sources := make([]find.Source, len(list))
	for i, p := range list {
		sources[i] = find.Source{Profile: p, Open: func(ctx context.Context) (*workspace.Workspace, error) { return a.readSession(ctx, p) }}
	}
	return find.New(sources, options), nil
}

// findOptions returns the limits of a search, as the configuration sets them.
func findOptions(s *settings) (find.Options, error) {
	f, err := s.configuration()
	if err != nil || f.Options.ScanLimit == nil {
		return find.Options{}, err
	}
	if limit := *f.Options.ScanLimit; limit > 0 {
		return find.Options{ScanUnits: float64(limit)}, nil
	}
	return find.Options{ScanUnits: -1}, nil
}

// unreached returns the error of a search that reached no database. Tables that do not exist are no error: not every
// schema is in use.
func unreached(f *find.Finder, r find.Result) error {
	if len(r.Hits) > 0 || len(r.Failures) == 0 || len(r.Failures)+len(r.Unused) < f.Len() {
		return nil
	}
	return r.Failures[0].Err
}

// noteFound says on stderr what limits the result.
func noteFound(to cli.Streams, value string, r find.Result) {
	for _, f := range r.Failures {
		to.Notef("%s: not searched completely: %v", f.Profile.Name, f.Err)
	}
	if r.Cut {
		to.Note("the search ended at its limit; some reads were not sent")
	}
	if len(r.Hits) > 0 {
		return
	}
	to.Note("no match; enter a complete ID or key")
	if len(r.Similar) > 0 {
		to.Note("did you mean " + strings.Join(r.Similar, " or ") + "?")
	}
	for _, n := range r.Near {
		to.Notef("this almost matches a key of %s: %v; run ddbdesk decode %s %s", n.Profile.Name, n,
			session.SchemaName(n.Profile), snippet.ShellQuote(value))
	}
	if len(r.Unused) > 0 {
		names := models.NamesOf(r.Unused, func(p *profiles.Profile) string { return p.Name })
		to.Notef("the database has no tables of %s", strings.Join(names, ", "))
	}
	for _, m := range r.Missing {
		if slices.Contains(r.Unused, m.Profile) {
			continue // None of its items can be in the database.
		}
		to.Notef("%s also needs %s%s", m.Pattern.FullID(), strings.Join(m.Parameters, ", "), sourceOf(m))
	}
	for _, s := range r.Scans {
		to.Notef("%s was not scanned: %s", s.Table.Name, s.Estimate)
	}
}

// sourceOf names the pattern that finds a missing parameter, as a clause, "" if there is none.
func sourceOf(m find.Missing) string {
	if p := lookup.SourceOf(m.Profile.Patterns, m.Missing); p != nil {
		return fmt.Sprintf("; %s returns it", p.FullID())
	}
	return ""
}
