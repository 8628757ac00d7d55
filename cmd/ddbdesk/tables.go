// The table and seed commands: create what is missing, check what is there,
// fill it with sample data.

package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/export"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

func tableCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{Use: "table", Short: "Create and check the tables of a schema", Args: unknownSubcommand, RunE: needSubcommand}
	cmd.AddCommand(tableCreate(a), tableCheck(a))
	return cmd
}

func tableCreate(a *app) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "create SCHEMA", Short: "Create the tables that are missing", Args: exactly("SCHEMA"), ValidArgsFunction: completeSchemas,
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := a.schema(args[0])
			if err != nil {
				return err
			}
			conn, err := a.connect(cmd.Context(), p.Guardrails.Regions)
			if err != nil {
				return err
			}
			if err := a.canPrepare(p, conn.Describe(), "table create"); err != nil {
				return err
			}
			created, err := session.CreateTables(cmd.Context(), p, conn)
			if output == "json" {
				if created == nil {
					created = []string{}
				}
				if werr := writeJSON(a.stdout, map[string][]string{"created": created}); werr != nil {
					return werr
				}
				return err
			}
			for _, name := range created {
				fmt.Fprintln(a.stdout, "created "+models.Printable(name))
			}
			if err == nil && len(created) == 0 {
				a.note("every table is there already")
			}
			return err
		},
	}
	outputFlag(cmd, &output, "text", "json")
	return cmd
}

func tableCheck(a *app) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "check SCHEMA", Short: "Check the live tables against the profile", Args: exactly("SCHEMA"), ValidArgsFunction: completeSchemas,
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := a.schema(args[0])
			if err != nil {
				return err
			}
			s, err := a.readSession(cmd.Context(), p)
			if err != nil {
				return err
			}
			checks, denied := s.CheckTables(cmd.Context())
			if denied != nil && store.ClassOf(denied) != store.AccessDenied {
				return denied
			}
			if output == "json" {
				err = writeJSON(a.stdout, checks)
			} else {
				err = a.writeChecks(checks)
			}
			switch {
			case err != nil:
				return err
			case denied != nil:
				return denied
			}
			return unusable(p, checks)
		},
	}
	outputFlag(cmd, &output, "text", "json")
	return cmd
}

// unusable is the error of a check that found what patterns need missing, nil
// when all of it is there.
func unusable(p *profiles.Profile, checks []session.TableCheck) error {
	for _, c := range checks {
		if c.Missing {
			return &store.Error{
				Class: store.TableMissing, Table: c.Table, What: "table " + c.Table + " does not exist",
				Advice: "ddbdesk table create " + p.Name + " creates it",
			}
		}
	}
	for _, c := range checks {
		if len(c.MissingIndexes) > 0 {
			return &store.Error{
				Class: store.IndexMissing, Table: c.Table, Index: c.MissingIndexes[0],
				What:   "table " + c.Table + " has no index " + strings.Join(c.MissingIndexes, ", "),
				Advice: "add it to the table: ddbdesk creates tables with their indexes, and changes none that is there",
			}
		}
	}
	return nil
}

func (a *app) writeChecks(checks []session.TableCheck) error {
	t := export.NewTextTable("TABLE", "STATE", "ITEMS (APPROX.)", "NOTE")
	t.WholeLast = true
	for _, c := range checks {
		state, items := "ok", fmt.Sprint(c.ApproximateItems)
		switch {
		case c.Missing:
			state, items = "missing", ""
		case c.Status == "":
			state, items = "unknown", ""
		case len(c.Differences) > 0:
			state = "differs"
		}
		notes := c.Differences
		if c.NotCompared != "" {
			notes = append(notes, c.NotCompared)
		}
		if len(notes) == 0 {
			notes = []string{""}
		}
		for i, n := range notes {
			if i > 0 {
				t.Add("", "", "", n)
				continue
			}
			t.Add(c.Table, state, items, n)
		}
	}
	return t.Write(a.stdout)
}

func seedCommand(a *app) *cobra.Command {
	var items int
	var number uint64
	var at, output string
	cmd := &cobra.Command{
		Use: "seed SCHEMA", Short: "Put deterministic sample data into the tables of a schema", Args: exactly("SCHEMA"),
		ValidArgsFunction: completeSchemas,
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := a.schema(args[0])
			if err != nil {
				return err
			}
			if cmd.Flags().Changed("items") && (items < 1 || items > 1_000_000) {
				return usageErrorf("--items: %d is not a number from 1 to 1000000", items)
			}
			moment, err := models.ParseTime(at, time.Now())
			if err != nil {
				return usageErrorf("--at: %v", err)
			}
			conn, err := a.connect(cmd.Context(), p.Guardrails.Regions)
			if err != nil {
				return err
			}
			if err := a.canPrepare(p, conn.Describe(), "seed"); err != nil {
				return err
			}
			n, err := seed(cmd.Context(), p, conn, sample.Options{Items: items, Seed: number, At: moment.Time})
			if err != nil {
				return err
			}
			if output == "json" {
				return writeJSON(a.stdout, map[string]int{"items": n})
			}
			fmt.Fprintf(a.stdout, "%d items\n", n)
			return nil
		},
	}
	cmd.Flags().IntVar(&items, "items", 0, "items an entity (default: what the profile says)")
	cmd.Flags().Uint64Var(&number, "seed", 1, "another number gives other data, the same number the same")
	cmd.Flags().StringVar(&at, "at", "today", "the moment that the sample data is as of")
	outputFlag(cmd, &output, "text", "json")
	return cmd
}

// seed creates missing tables on a local store and fills them.
func seed(ctx context.Context, p *profiles.Profile, conn *store.Connection, o sample.Options) (int, error) {
	if t := conn.Describe(); t.Embedded || t.Loopback {
		if _, err := session.CreateTables(ctx, p, conn); err != nil {
			return 0, err
		}
	}
	return session.Seed(ctx, p, conn, o)
}
