package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/documents"
	"github.com/ddbdesk/ddbdesk/internal/requests"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

func tableCommand(a *app) *cobra.Command {
	var output string
	var ofRequests, ofJournal bool
	create := &cobra.Command{
		Use: "create", Short: "Create the tables that do not exist",
		Long: "Creates the tables of the schema that do not exist. It needs --role admin except on the embedded store. With\n" +
			"--requests it creates the table of requested changes that the context or the schema names, and no other; with\n" +
			"--journal the table of journal.sink in the configuration.",
	}
	check := &cobra.Command{Use: "check", Short: "Compare the live tables with the schema"}
	create.Flags().BoolVar(&ofRequests, "requests", false, "create the table of requested changes instead")
	create.Flags().BoolVar(&ofJournal, "journal", false, "create the table of the journal's sink instead")
	create.MarkFlagsMutuallyExclusive("requests", "journal")
	cli.OutputFlag(create, &output, "text", "json")
	cli.OutputFlag(check, &output, "text", "json")
	return cli.Group("table", "Create and check the tables of a schema",
		a.forSchema(create, func(ctx context.Context, schema string) error {
			return createTables(ctx, a, schema, output, func(p *profiles.Profile) (*profiles.Profile, error) {
				switch {
				case ofRequests:
					return requestsTable(a, p)
				case ofJournal:
					return sinkTable(a, p)
				}
				return p, nil
			})
		}),
		a.forSchema(check, func(ctx context.Context, schema string) error { return checkTables(ctx, a, schema, output) }))
}

func createTables(
	ctx context.Context, a *app, schema, output string, of func(*profiles.Profile) (*profiles.Profile, error),
) error {
	p, conn, err := connectToPrepare(ctx, a, schema, "table create")
	if err != nil {
		return err
	}
	if p, err = of(p); err != nil {
		return err
	}
	created, err := tables.Create(ctx, p, conn)
	writeErr := a.Print(output, map[string][]string{"created": append([]string{}, created...)}, func(w io.Writer) error {
		if err == nil && len(created) == 0 {
			a.Note("all tables exist")
			return nil
		}
		for _, name := range created {
			fmt.Fprintln(w, "created "+models.Printable(name))
		}
		return nil
	})
	return cmp.Or(writeErr, err)
}

func requestsTable(a *app, p *profiles.Profile) (*profiles.Profile, error) {
	at, err := requests.PlaceFor(p, a.flags.Requests.Table)
	if err != nil {
		return nil, err
	}
	return requests.NewProfile(at)
}

func connectToPrepare(ctx context.Context, a *app, schema, what string) (*profiles.Profile, *store.Connection, error) {
	p, err := a.schema(schema)
	if err != nil {
		return nil, nil, err
	}
	conn, err := a.connectFor(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	return p, conn, a.access(p, conn.Describe()).CanPrepare(what)
}

// checkTables ends with exit code 254 for a missing table or required index; tables that may not be described are
// reported, and the others compared.
func checkTables(ctx context.Context, a *app, schema, output string) error {
	s, err := a.openSchema(ctx, schema, a.readSession)
	if err != nil {
		return err
	}
	checks, denied := s.Tables.Check(ctx)
	if denied != nil && store.ClassOf(denied) != store.AccessDenied {
		return denied
	}
	err = a.Print(output, checks, documents.CheckTable(checks).Write)
	return cmp.Or(err, denied, tables.MissingPart(s.Session.Viewer, checks))
}

// maxSeedItems is the most items per entity that seed creates.
const maxSeedItems = 1_000_000

func seedCommand(a *app) *cobra.Command {
	var o sample.Options
	var at, output string
	cmd := &cobra.Command{
		Use: "seed", Short: "Write deterministic sample data to the tables of a schema",
		Long: "Writes sample data to the tables of the schema where no item exists. On the embedded store and on local\n" +
			"servers, seed also creates the tables. It needs --role admin except on the embedded store.",
	}
	cmd.Flags().IntVar(&o.Items, "items", 0, "write `N` items per entity, and their audit entries (default: as in the profile)")
	cmd.Flags().Uint64Var(&o.Seed, "seed", 1, "seed the random data with `N`; the same seed produces the same data")
	cmd.Flags().StringVar(&at, "at", "today", "generate sample data up to `TIME`")
	cmd.Flags().BoolVar(&o.Defects, "defects", false, "also write a few items with known defects, which ddbdesk drift finds")
	cli.OutputFlag(cmd, &output, "text", "json")
	return a.forSchema(cmd, func(ctx context.Context, schema string) error {
		if cmd.Flags().Changed("items") && (o.Items < 1 || o.Items > maxSeedItems) {
			return cli.UsageErrorf("--items: %d is not between 1 and %d", o.Items, maxSeedItems)
		}
		moment, err := models.ParseTime(at, time.Now())
		if err != nil {
			return cli.UsageErrorf("--at: %v", err)
		}
		o.At = moment.Time
		p, conn, err := connectToPrepare(ctx, a, schema, "seed")
		if err != nil {
			return err
		}
		done, err := setupRecorded(ctx, a, p, conn, "seed", func(session.Options) (tables.Seeded, error) { return seed(ctx, p, conn, o) })
		if err != nil {
			return err
		}
		total := done.Written + done.Skipped
		return a.Print(output, map[string]int{"items": total, "skipped": done.Skipped}, func(w io.Writer) error {
			if done.Skipped > 0 {
				a.Notef("%d already exist and were left unchanged", done.Skipped)
			}
			_, err := fmt.Fprintf(w, "%d items\n", total)
			return err
		})
	})
}

// setupRecorded writes nothing without entries in the journal.
func setupRecorded(
	ctx context.Context, a *app, p *profiles.Profile, conn *store.Connection, what string, write func(session.Options) (tables.Seeded, error),
) (tables.Seeded, error) {
	actor, err := a.identity(ctx, conn)
	if err != nil {
		return tables.Seeded{}, err
	}
	access, err := a.recording(p, conn.Describe(), actor)
	if err != nil {
		return tables.Seeded{}, err
	}
	ended, err := session.New(access).Setup(ctx, what)
	if err != nil {
		return tables.Seeded{}, &session.Refusal{Why: fmt.Sprintf("%s needs a working journal: %v", what, err), Next: "nothing was written"}
	}
	done, err := write(access)
	outcome := done.String()
	if err != nil {
		outcome = "failed after " + outcome
	}
	if recordErr := ended(outcome, err); recordErr != nil {
		return done, errors.Join(err, fmt.Errorf("%s, but this could not be recorded in the journal: %w", outcome, recordErr))
	}
	return done, done.Before(err)
}

func seed(ctx context.Context, p *profiles.Profile, conn *store.Connection, o sample.Options) (tables.Seeded, error) {
	if err := tables.CreateOwn(ctx, p, conn); err != nil {
		return tables.Seeded{}, err
	}
	return tables.Seed(ctx, p, conn, o)
}
