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
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// putCommand returns `ddbdesk put`.
func putCommand(a *app) *cobra.Command {
	var o putOptions
	cmd := &cobra.Command{
		Use: "put FILE", Short: "Write the items of a case where no item exists, except to production",
		Long: "Writes the items of a case file that do not exist yet. If an item exists with other values, nothing is written\n" +
			"and the exit code is 10.\n\n" +
			"Missing tables are created on the embedded store and on local servers. Needs --role admin, except on the\n" +
			"embedded store. Refused on production. On a terminal, ddbdesk shows the plan and asks first. A sealed case\n" +
			"needs --reason, which is recorded in the journal, and at least --role developer.",
		Args: cli.Exactly("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return putCase(cmd.Context(), a, args[0], o) },
	}
	cli.OutputFlag(cmd, &o.output, "text", "json")
	cmd.Flags().BoolVar(&o.dry, flagDryRun, false, "show the plan; write nothing")
	cmd.Flags().BoolVar(&o.yes, flagYes, false, "write without asking")
	identityFlag(cmd, &o.identity)
	return cmd
}

// putOptions are the flags of put.
type putOptions struct {
	dry, yes         bool
	identity, output string
}

// putCase writes the items of a case.
func putCase(ctx context.Context, a *app, path string, o putOptions) error {
	if o.dry && o.yes {
		return cli.UsageErrorf("--%s and --%s cannot be used together", flagDryRun, flagYes)
	}
	c, p, err := openCaseFile(ctx, a, path, o.identity)
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
	if !o.dry {
		if err := a.revealCase(ctx, c, p, conn.Describe(), "put"); err != nil {
			return err
		}
	}
	plan, err := casefile.PlanPut(ctx, conn.Reader(), c, time.Now())
	if err != nil {
		return err
	}
	if err := plan.Conflict(); err != nil {
		return err
	}
	if plan.Expired > 0 {
		a.Notef("the time to live of %s has passed; the database may delete them soon", english.Plural(plan.Expired, "item", ""))
	}
	entities, place := casefile.Entities(p, plan.New), conn.Describe().Place()
	if !o.dry && !o.yes && len(plan.New) > 0 && a.Interactive() {
		if err := a.confirmPut(ctx, c, entities, plan, place); err != nil {
			return err
		}
	}
	document := map[string]any{"items": len(plan.New), "skipped": plan.Present, "target": place, "written": !o.dry, "entities": entities}
	if !o.dry {
		a.Notef("writes %s to %s", english.Plural(len(plan.New), "item", ""), place)
		done, err := setupRecorded(ctx, a, p, conn, "put", func() (tables.Seeded, error) { return putItems(ctx, p, conn, plan.New) })
		if err != nil {
			return err
		}
		document["items"], document["skipped"] = done.Written, plan.Present+done.Skipped
	}
	return a.Print(o.output, document, func(w io.Writer) error {
		if n := document["skipped"]; n != 0 {
			a.Notef("%v items already exist", n)
		}
		if o.dry {
			if err := writeEntities(w, entities); err != nil {
				return err
			}
			a.Notef("nothing was written to %s", place)
		}
		_, err := fmt.Fprintf(w, "%s\n", english.Plural(document["items"].(int), "item", ""))
		return err
	})
}

// writeEntities writes the number of items of each entity.
func writeEntities(w io.Writer, counts map[string]int) error {
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if _, err := fmt.Fprintf(w, "%d %s\n", counts[name], cmp.Or(name, "of no entity")); err != nil {
			return err
		}
	}
	return nil
}

// confirmPut shows the plan on the terminal and asks whether to apply it. Any answer but yes ends the command.
func (a *app) confirmPut(ctx context.Context, c *casefile.Case, entities map[string]int, plan *casefile.Plan, place string) error {
	if err := writeEntities(a.Stderr, entities); err != nil {
		return err
	}
	if plan.Present > 0 {
		fmt.Fprintf(a.Stderr, "%d unchanged, because they exist\n", plan.Present)
	}
	if c.Real {
		fmt.Fprintln(a.Stderr, "The items have personal data as stored.")
	}
	question := fmt.Sprintf("Write %s to %s? (y/N) ", english.Plural(len(plan.New), "item", ""), models.Printable(place))
	return a.Agree(ctx, question, cli.IsYes, cli.NothingWritten)
}

// putItems writes items where none exist, and creates missing tables of a local store before.
func putItems(ctx context.Context, p *profiles.Profile, conn *store.Connection, items []casefile.Record) (tables.Seeded, error) {
	if err := tables.CreateOwn(ctx, p, conn); err != nil {
		return tables.Seeded{}, err
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
func openCaseFile(ctx context.Context, a *app, path, identity string) (*casefile.Case, *profiles.Profile, error) {
	f, err := a.readCase(ctx, path, identity)
	if err != nil {
		return nil, nil, err
	}
	taken, schema, err := recordedProfile(&a.settings, "case file", f.Schema, f.Variables, path)
	if err == nil {
		err = f.Match(taken)
	} else if cli.HasType[profiles.Errors](err) { // it may lack a variable of the header
		err = &session.Refusal{Why: "the case was taken with another version of profile " + cli.Short(f.Schema), Next: errorText(err)}
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
