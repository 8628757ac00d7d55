package main

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/export"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/lint"
)

func schemaCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{Use: "schema", Short: "List, show and check schema profiles", Args: unknownSubcommand, RunE: needSubcommand}
	cmd.AddCommand(schemaListCommand(a), schemaShowCommand(a), schemaLintCommand(a), jsonSchemaCommand(a))
	return cmd
}

// schemaRow is one built-in profile in the document of schema list.
type schemaRow struct {
	Name     string `json:"name"`
	Title    string `json:"title"`
	Tables   int    `json:"tables"`
	Indexes  int    `json:"indexes"`
	Entities int    `json:"entities"`
	Patterns int    `json:"patterns"`
	Findings int    `json:"findings"`
}

func schemaListCommand(a *app) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "list", Short: "List the built-in profiles", Args: exactly(),
		RunE: func(*cobra.Command, []string) error { return a.listSchemas(output) },
	}
	outputFlag(cmd, &output, "table", "json")
	return cmd
}

// listSchemas prints the built-in profiles with the numbers of their parts.
func (s streams) listSchemas(output string) error {
	rows := []schemaRow{}
	for _, name := range profiles.Names() {
		p, err := profiles.Open(name, nil)
		if err != nil {
			return err
		}
		r := schemaRow{p.Name, p.Title, len(p.Tables), 0, len(p.Entities), len(p.Patterns), len(p.Findings)}
		for _, t := range p.Tables {
			r.Indexes += len(t.Indexes)
		}
		rows = append(rows, r)
	}
	if output == "json" {
		return writeJSON(s.stdout, rows)
	}
	t := export.NewTextTable("NAME", "TITLE", "TABLES", "INDEXES", "ENTITIES", "PATTERNS", "FINDINGS")
	for _, r := range rows {
		counts := each([]int{r.Tables, r.Indexes, r.Entities, r.Patterns, r.Findings}, strconv.Itoa)
		t.Add(append([]string{r.Name, r.Title}, counts...)...)
	}
	return t.Write(s.stdout)
}

func schemaShowCommand(a *app) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "show SCHEMA", Short: "Show the tables, entities, lifecycles, patterns and actions of a schema", Args: exactly("SCHEMA"),
		ValidArgsFunction: completeSchemas,
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := a.schema(args[0])
			if err != nil {
				return err
			}
			if output == "json" {
				return writeJSON(a.stdout, describeProfile(p))
			}
			return showProfile(a.stdout, p)
		},
	}
	outputFlag(cmd, &output, "text", "json")
	return cmd
}

func schemaLintCommand(a *app) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "lint SCHEMA", Short: "Check a profile for errors, and the schema for design issues", Args: exactly("SCHEMA"),
		ValidArgsFunction: completeSchemas,
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := a.schema(args[0])
			var list []profiles.Diagnostic
			var invalid profiles.Errors
			switch {
			case errors.As(err, &invalid):
				list = invalid
			case err != nil:
				return err
			default:
				list = lint.Run(p)
			}
			return a.writeDiagnostics(list, output)
		},
	}
	outputFlag(cmd, &output, "text", "json")
	return cmd
}

// writeDiagnostics writes what lint found. Errors are exit code 252, because the
// profile cannot be used; warnings and notes are not errors.
func (s streams) writeDiagnostics(list []profiles.Diagnostic, output string) error {
	counts := map[profiles.Severity]int{}
	for _, d := range list {
		counts[d.Severity]++
	}
	if output == "json" {
		if err := writeJSON(s.stdout, append([]profiles.Diagnostic{}, list...)); err != nil {
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
			fmt.Fprintln(s.stdout, models.Printable(line))
		}
		fmt.Fprintf(s.stderr, "%d errors, %d warnings, %d notes\n", counts[profiles.Error], counts[profiles.Warning], counts[profiles.Info])
	}
	if counts[profiles.Error] > 0 {
		return &codeError{exitUsage}
	}
	return nil
}

func jsonSchemaCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "json-schema", Short: "Print the JSON Schema of profiles, for editors", Args: exactly(),
		RunE: func(*cobra.Command, []string) error {
			_, err := a.stdout.Write(profiles.JSONSchema())
			return err
		},
	}
}

func patternCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{Use: "pattern", Short: "List the access patterns of a schema", Args: unknownSubcommand, RunE: needSubcommand}
	var output string
	list := &cobra.Command{
		Use: "list SCHEMA", Short: "List the access patterns of a schema", Args: exactly("SCHEMA"),
		ValidArgsFunction: completeSchemas,
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := a.schema(args[0])
			if err != nil {
				return err
			}
			if output == "json" {
				return writeJSON(a.stdout, each(p.Patterns, describePattern))
			}
			return patternTable(p).Write(a.stdout)
		},
	}
	outputFlag(list, &output, "table", "json")
	cmd.AddCommand(list)
	return cmd
}
