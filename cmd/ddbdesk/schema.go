package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/documents"
	"github.com/ddbdesk/ddbdesk/internal/export"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/lint"
)

// schemaCommand returns `ddbdesk schema` with its subcommands.
func schemaCommand(a *app) *cobra.Command {
	return cli.Group("schema", "List, show and check schema profiles",
		schemaListCommand(a), schemaShowCommand(a), schemaLintCommand(a), schemaInitCommand(a), schemaImportCommand(a),
		schemaExportCommand(a), schemaDocsCommand(a), jsonSchemaCommand(a))
}

// schemaRow is one profile in the document of schema list, with the numbers of
// its parts. Patterns counts reads and writes; Findings are schema issues.
type schemaRow struct {
	Name     string `json:"name"`
	Title    string `json:"title"`
	Tables   int    `json:"tables"`
	Indexes  int    `json:"indexes"`
	Entities int    `json:"entities"`
	Patterns int    `json:"patterns"`
	Findings int    `json:"findings"`
}

// schemaListCommand returns `ddbdesk schema list`.
func schemaListCommand(a *app) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "list", Short: "List built-in and custom profiles", Args: cli.Exactly(),
		RunE: func(*cobra.Command, []string) error { return listSchemas(a, output) },
	}
	cli.OutputFlag(cmd, &output, "table", "json")
	return cmd
}

// listSchemas prints the profiles that have a name, with the numbers of their parts. It notes those that have errors.
func listSchemas(a *app, output string) error {
	list, err := a.everyProfile()
	if list == nil {
		return err
	}
	if err != nil {
		a.Warn(strings.Split(err.Error(), "\n"))
	}
	rows := make([]schemaRow, 0, len(list))
	for _, p := range list {
		r := schemaRow{p.Name, p.Title, len(p.Tables), 0, len(p.Entities), len(p.Patterns), len(p.Findings)}
		for _, t := range p.Tables {
			r.Indexes += len(t.Indexes)
		}
		rows = append(rows, r)
	}
	t := export.NewTextTable("NAME", "TITLE", "TABLES", "INDEXES", "ENTITIES", "PATTERNS", "FINDINGS")
	for _, r := range rows {
		counts := models.NamesOf([]int{r.Tables, r.Indexes, r.Entities, r.Patterns, r.Findings}, strconv.Itoa)
		t.Add(append([]string{r.Name, r.Title}, counts...)...)
	}
	return a.Print(output, rows, t.Write)
}

// schemaShowCommand returns `ddbdesk schema show`.
func schemaShowCommand(a *app) *cobra.Command {
	var output string
	cmd := &cobra.Command{Use: "show", Short: "Show the tables, entities, lifecycles, patterns and actions of a schema"}
	cli.OutputFlag(cmd, &output, "text", "json")
	return a.forSchema(cmd, func(_ context.Context, schema string) error {
		p, err := a.schema(schema)
		if err != nil {
			return err
		}
		return a.Print(output, documents.OfSchema(p), func(w io.Writer) error { return documents.WriteProfile(w, p) })
	})
}

// schemaLintCommand returns `ddbdesk schema lint`.
func schemaLintCommand(a *app) *cobra.Command {
	var output string
	cmd := &cobra.Command{Use: "lint", Short: "Check a profile for errors, and the schema for design issues"}
	cli.OutputFlag(cmd, &output, "text", "json")
	return a.forSchema(cmd, func(_ context.Context, schema string) error {
		p, err := a.schema(schema)
		if invalid, ok := errors.AsType[profiles.Errors](err); ok {
			return writeDiagnostics(a.Streams, invalid, output)
		}
		if err != nil {
			return err
		}
		return writeDiagnostics(a.Streams, lint.Run(p), output)
	})
}

// writeDiagnostics writes what lint found: the list on stdout, its summary on stderr, so
// that a script can count lines. Errors are exit code 252, because the profile cannot be
// used; warnings and notes are not errors.
func writeDiagnostics(s cli.Streams, list []profiles.Diagnostic, output string) error {
	counts := map[profiles.Severity]int{}
	for _, d := range list {
		counts[d.Severity]++
	}
	if output == "json" {
		if err := cli.WriteJSON(s.Stdout, append([]profiles.Diagnostic{}, list...)); err != nil {
			return err
		}
	} else {
		for _, d := range list {
			line := d.String()
			if d.Kind != "" {
				line += " [" + d.Kind + " " + d.Rule + "]"
			}
			if d.Finding != "" {
				line += " (documented as " + d.Finding + ")"
			}
			fmt.Fprintln(s.Stdout, models.Printable(line))
		}
		fmt.Fprintf(s.Stderr, "%s, %s, %s\n", english.Plural(counts[profiles.Error], "error", ""),
			english.Plural(counts[profiles.Warning], "warning", ""), english.Plural(counts[profiles.Info], "note", ""))
	}
	if counts[profiles.Error] > 0 {
		return cli.ExitWith(cli.ExitUsage)
	}
	return nil
}

// jsonSchemaCommand returns `ddbdesk schema json-schema`.
func jsonSchemaCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "json-schema", Short: "Print the JSON Schema of profiles, for editors", Args: cli.Exactly(),
		RunE: func(*cobra.Command, []string) error {
			_, err := a.Stdout.Write(profiles.JSONSchema())
			return err
		},
	}
}

// patternCommand returns `ddbdesk pattern list`.
func patternCommand(a *app) *cobra.Command {
	var output string
	list := &cobra.Command{Use: "list", Short: "List the access patterns of a schema"}
	cli.OutputFlag(list, &output, "table", "json")
	return cli.Group("pattern", list.Short, a.forSchema(list, func(_ context.Context, schema string) error {
		p, err := a.schema(schema)
		if err != nil {
			return err
		}
		return a.Print(output, documents.OfPatterns(p.Patterns), documents.PatternTable(p).Write)
	}))
}
