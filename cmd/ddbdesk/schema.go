// The schema commands: list, show, lint and json-schema.

package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/export"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/lint"
)

func schemaCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{Use: "schema", Short: "List, show and check schema profiles", Args: unknownSubcommand, RunE: needSubcommand}
	cmd.AddCommand(schemaList(a), schemaShow(a), schemaLint(a), schemaJSON(a))
	return cmd
}

func schemaList(a *app) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "list", Short: "List the built-in profiles", Args: exactly(),
		RunE: func(*cobra.Command, []string) error {
			type row struct {
				Name     string `json:"name"`
				Title    string `json:"title"`
				Tables   int    `json:"tables"`
				Indexes  int    `json:"indexes"`
				Entities int    `json:"entities"`
				Patterns int    `json:"patterns"`
				Findings int    `json:"findings"`
			}
			rows := []row{}
			for _, name := range profiles.Names() {
				p, err := profiles.Open(name, nil)
				if err != nil {
					return err
				}
				r := row{p.Name, p.Title, len(p.Tables), 0, len(p.Entities), len(p.Patterns), len(p.Findings)}
				for _, t := range p.Tables {
					r.Indexes += len(t.Indexes)
				}
				rows = append(rows, r)
			}
			if output == "json" {
				return writeJSON(a.stdout, rows)
			}
			t := export.NewTextTable("NAME", "TITLE", "TABLES", "INDEXES", "ENTITIES", "PATTERNS", "FINDINGS")
			for _, r := range rows {
				t.Add(r.Name, r.Title, itoa(r.Tables), itoa(r.Indexes), itoa(r.Entities), itoa(r.Patterns), itoa(r.Findings))
			}
			return t.Write(a.stdout)
		},
	}
	outputFlag(cmd, &output, "table", "json")
	return cmd
}

func schemaShow(a *app) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "show SCHEMA", Short: "Show tables, entities, lifecycles, patterns and findings", Args: exactly("SCHEMA"),
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

func schemaLint(a *app) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "lint SCHEMA", Short: "Check a profile, and look for defects of the schema itself", Args: exactly("SCHEMA"),
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

func (a *app) writeDiagnostics(list []profiles.Diagnostic, output string) error {
	counts := map[profiles.Severity]int{}
	for _, d := range list {
		counts[d.Severity]++
	}
	if output == "json" {
		if list == nil {
			list = []profiles.Diagnostic{}
		}
		if err := writeJSON(a.stdout, list); err != nil {
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
			fmt.Fprintln(a.stdout, models.Printable(line))
		}
		fmt.Fprintf(a.stderr, "%d errors, %d warnings, %d notes\n", counts[profiles.Error], counts[profiles.Warning], counts[profiles.Info])
	}
	if counts[profiles.Error] > 0 {
		return &codeError{exitUsage}
	}
	return nil
}

func schemaJSON(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "json-schema", Short: "Print the JSON Schema of the profile language, for editors", Args: exactly(),
		RunE: func(*cobra.Command, []string) error {
			_, err := a.stdout.Write(profiles.JSONSchema())
			return err
		},
	}
}
