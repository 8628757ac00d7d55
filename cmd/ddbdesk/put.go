package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/casefile"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// putCommand returns `ddbdesk put`.
func putCommand(a *app) *cobra.Command {
	var o putOptions
	cmd := &cobra.Command{
		Use: "put FILE", Short: "Write the items of a case where no item exists, except to production",
		Long: "Writes the items of a case file that do not exist yet. If an item exists with other values, nothing is written\n" +
			"and the exit code is 10. With --replace, such items are updated to the values of the case, if they have not\n" +
			"changed since the plan was shown. Secrets and attributes that the schema does not declare are kept.\n\n" +
			"Missing tables are created on the embedded store and on local servers. Needs --role admin, except on the\n" +
			"embedded store. Refused on production. On a terminal, ddbdesk shows the plan and asks first. A sealed case\n" +
			"needs --reason, which is recorded in the journal, and at least --role developer.",
		Args: cli.Exactly("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return putCase(cmd.Context(), a, args[0], o) },
	}
	cli.OutputFlag(cmd, &o.output, "text", "json")
	cmd.Flags().BoolVar(&o.dry, flagDryRun, false, "show the plan; write nothing")
	cmd.Flags().BoolVar(&o.yes, flagYes, false, "write without asking")
	cmd.Flags().BoolVar(&o.replace, "replace", false, "also update items that exist with other values")
	identityFlag(cmd, &o.identity)
	return cmd
}

// putOptions are the flags of put.
type putOptions struct {
	dry, yes, replace bool
	identity, output  string
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
	viewer := session.NewViewer(a.access(p, conn.Describe()))
	var replaced []*change.Plan
	if o.replace {
		replaced, err = plan.Replacements(viewer)
	} else {
		err = plan.Conflict()
	}
	if err != nil {
		return err
	}
	if plan.Expired > 0 {
		a.Notef("the time to live of %s has passed; the database may delete them soon", english.Plural(plan.Expired, "item", ""))
	}
	w := putting{
		c: c, p: p, plan: plan, replaced: replaced, masker: viewer.Masker(), place: conn.Describe().Place(),
		entities: casefile.Entities(p, plan.New),
	}
	if !o.dry && !o.yes && w.total() > 0 && a.Interactive() {
		if err := w.confirm(ctx, a); err != nil {
			return err
		}
	}
	done := tables.Seeded{Written: len(plan.New), Replaced: len(replaced)}
	if !o.dry {
		a.Notef("writing %s to %s", english.Plural(w.total(), "item", ""), w.place)
		done, err = setupRecorded(ctx, a, p, conn, "put", func(o session.Options) (tables.Seeded, error) { return w.apply(ctx, a, conn, o) })
		if err != nil {
			return err
		}
	}
	return w.report(a, done, o)
}

// A putting is a case that is written to a database.
type putting struct {
	c        *casefile.Case
	p        *profiles.Profile
	plan     *casefile.Plan
	replaced []*change.Plan
	masker   *models.Masker
	place    string
	entities map[string]int // of the new items
}

// total is the number of items that are written.
func (w putting) total() int { return len(w.plan.New) + len(w.replaced) }

// report prints what was written, or would be.
func (w putting) report(a *app, done tables.Seeded, o putOptions) error {
	skipped := w.plan.Present + done.Skipped
	document := map[string]any{
		"items": done.Written, "skipped": skipped, "replaced": done.Replaced, "target": w.place, "written": !o.dry, "entities": w.entities,
	}
	return a.Print(o.output, document, func(out io.Writer) error {
		if skipped > 0 {
			a.Notef("%d items already exist", skipped)
		}
		if o.dry {
			if err := w.describe(out); err != nil {
				return err
			}
			a.Notef("nothing was written to %s", w.place)
		}
		line := english.Plural(done.Written, "item", "")
		if done.Replaced > 0 {
			line += fmt.Sprintf(", %d replaced", done.Replaced)
		}
		_, err := fmt.Fprintln(out, line)
		return err
	})
}

// describe writes the number of new items of each entity, and how others would change.
func (w putting) describe(out io.Writer) error {
	for _, name := range slices.Sorted(maps.Keys(w.entities)) {
		if _, err := fmt.Fprintf(out, "%d %s\n", w.entities[name], cmp.Or(name, "of no entity")); err != nil {
			return err
		}
	}
	for _, plan := range w.replaced {
		if err := cli.WriteLines(out, strings.TrimRight(plan.Shown(w.masker).Text(), "\n")); err != nil {
			return err
		}
	}
	return nil
}

// confirm shows the plan on the terminal and asks whether to apply it. Any answer but yes ends the command.
func (w putting) confirm(ctx context.Context, a *app) error {
	if err := w.describe(a.Stderr); err != nil {
		return err
	}
	if w.plan.Present > 0 {
		fmt.Fprintf(a.Stderr, "%d already exist and stay unchanged\n", w.plan.Present)
	}
	if w.c.Real {
		fmt.Fprintln(a.Stderr, "The items have personal data as stored.")
	}
	question := fmt.Sprintf("Write %s to %s? (y/N) ", english.Plural(w.total(), "item", ""), models.Printable(w.place))
	return a.Agree(ctx, question, cli.IsYes, cli.NothingWritten)
}

// apply writes the new items where none exist, then the others where they are as the plan shows them.
func (w putting) apply(ctx context.Context, a *app, conn *store.Connection, access session.Options) (tables.Seeded, error) {
	done, err := w.write(ctx, conn)
	if err != nil {
		return done, err
	}
	access.Store = conn.Reader()
	s, sweep := workspace.New(access), ""
	if done.Replaced, sweep, err = casefile.Replace(ctx, s.Committer, conn.Writer(), w.replaced); done.Replaced > 0 {
		a.Notef("to undo, run %s --sweep %s", s.Session.SchemaCommand("undo"), journal.ShortID(sweep))
	}
	return done, err
}

// write writes the new items where none exist. It creates missing tables of a local store before.
func (w putting) write(ctx context.Context, conn *store.Connection) (tables.Seeded, error) {
	if err := tables.CreateOwn(ctx, w.p, conn); err != nil {
		return tables.Seeded{}, err
	}
	l := tables.NewLoader(w.p, conn)
	for _, r := range w.plan.New {
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
