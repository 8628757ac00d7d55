package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/casefile"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// putCommand returns `ddbdesk put`.
func putCommand(a *app) *cobra.Command {
	var output string
	var dry bool
	cmd := &cobra.Command{
		Use: "put FILE", Short: "Write the items of a case where no item exists, except to production",
		Long: "Writes the items of a case file that do not exist yet. If an item exists with other values, nothing is written\n" +
			"and the exit code is 10.\n\n" +
			"Missing tables are created on the embedded store and on local servers. Needs --role admin, except on the\n" +
			"embedded store. Refused on production.",
		Args: exactly("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return putCase(cmd.Context(), a, args[0], dry, output) },
	}
	outputFlag(cmd, &output, "text", "json")
	cmd.Flags().BoolVar(&dry, flagDryRun, false, "show the plan; write nothing")
	return cmd
}

// putCase writes the items of a case.
func putCase(ctx context.Context, a *app, path string, dry bool, output string) error {
	c, p, err := openCaseFile(a, path)
	if err != nil {
		return err
	}
	conn, err := a.connect(ctx, p.Guardrails.Regions)
	if err != nil {
		return err
	}
	if err := a.access(p, conn.Describe()).CanPrepare("put"); err != nil {
		return err
	}
	plan, err := casefile.PlanPut(ctx, conn.Reader(), c, time.Now())
	if err != nil {
		return err
	}
	if err := plan.Conflict(); err != nil {
		return err
	}
	if plan.Expired > 0 {
		a.notef("the time to live of %s has passed; the database may delete them soon", english.Plural(plan.Expired, "item", ""))
	}
	entities := casefile.Entities(p, plan.New)
	document := map[string]any{
		"items": len(plan.New), "skipped": plan.Present, "target": conn.Describe().Place(), "written": !dry, "entities": entities,
	}
	if !dry {
		a.notef("writes %s to %s", english.Plural(len(plan.New), "item", ""), conn.Describe().Place())
		done, err := setupRecorded(ctx, a, p, conn, "put", func() (tables.Seeded, error) { return putItems(ctx, p, conn, plan.New) })
		if err != nil {
			return err
		}
		document["items"], document["skipped"] = done.Written, plan.Present+done.Skipped
	}
	return a.print(output, document, func(w io.Writer) error {
		if n := document["skipped"]; n != 0 {
			a.notef("%v items already exist", n)
		}
		if dry {
			for _, name := range slices.Sorted(maps.Keys(entities)) {
				if _, err := fmt.Fprintf(w, "%d %s\n", entities[name], cmp.Or(name, "of no entity")); err != nil {
					return err
				}
			}
			a.notef("nothing was written to %s", conn.Describe().Place())
		}
		_, err := fmt.Fprintf(w, "%s\n", english.Plural(document["items"].(int), "item", ""))
		return err
	})
}

// putItems writes items where none exist, and creates missing tables of a local store before.
func putItems(ctx context.Context, p *profiles.Profile, conn *store.Connection, items []casefile.Record) (tables.Seeded, error) {
	if conn.Describe().Own() {
		if _, err := tables.Create(ctx, p, conn); err != nil {
			return tables.Seeded{}, err
		}
	}
	l := tables.NewLoader(p, conn)
	for _, r := range items {
		if err := l.Add(ctx, r.Table, r.Item); err != nil {
			return l.Done(), err
		}
	}
	err := l.Flush(ctx)
	return l.Done(), err
}

// openCaseFile reads a file of take, and opens the profile that it was taken with, with the variables of this call.
func openCaseFile(a *app, path string) (*casefile.Case, *profiles.Profile, error) {
	text, err := readArgument(path)
	if err != nil {
		return nil, nil, err
	}
	f, err := casefile.Parse(text)
	if err != nil {
		return nil, nil, err
	}
	taken, schema, err := recordedProfile(&a.settings, "case file", f.Schema, f.Variables, path)
	if err == nil {
		err = f.Match(taken)
	} else if hasType[profiles.Errors](err) { // it may lack a variable of the header
		err = &session.Refusal{Why: "the case was taken with another version of profile " + short(f.Schema), Next: errorText(err)}
	}
	if err != nil {
		return nil, nil, err
	}
	p, err := a.schema(schema)
	if err != nil {
		return nil, nil, err
	}
	c, err := f.Open(p)
	return c, p, err
}
