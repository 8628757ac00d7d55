// The schema commands: list, show, lint and json-schema.

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/export"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/lint"
)

func (a *app) schemaCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "schema", Short: "List, show and check schema profiles", Args: unknownSubcommand, RunE: needSubcommand}
	cmd.AddCommand(a.schemaList(), a.schemaShow(), a.schemaLint(), a.schemaJSON())
	return cmd
}

// needSubcommand complains in one line where cobra would print its help.
func needSubcommand(cmd *cobra.Command, _ []string) error {
	return usageErrorf("%s needs a subcommand: %s", cmd.Name(), strings.Join(subcommands(cmd), ", "))
}

func unknownSubcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usageErrorf("%s has no subcommand %q%s", cmd.Name(), models.Printable(args[0]), models.DidYouMean(args[0], subcommands(cmd)))
}

func subcommands(cmd *cobra.Command) []string {
	var names []string
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	return names
}

// outputFlag adds -o with the formats that a command knows.
func outputFlag(cmd *cobra.Command, to *string, formats ...string) {
	cmd.Flags().StringVarP(to, "output", "o", formats[0], "output format: "+strings.Join(formats, ", "))
	check := cmd.PreRunE
	cmd.PreRunE = func(c *cobra.Command, args []string) error {
		for _, f := range formats {
			if f == *to {
				if check != nil {
					return check(c, args)
				}
				return nil
			}
		}
		return usageErrorf("-o: %q is none of %s%s", models.Printable(*to), strings.Join(formats, ", "), models.DidYouMean(*to, formats))
	}
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(export.Visible(w))
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

func (a *app) schemaList() *cobra.Command {
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

func (a *app) schemaShow() *cobra.Command {
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

func (a *app) schemaLint() *cobra.Command {
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

func (a *app) schemaJSON() *cobra.Command {
	return &cobra.Command{
		Use: "json-schema", Short: "Print the JSON Schema of the profile language, for editors", Args: exactly(),
		RunE: func(*cobra.Command, []string) error {
			_, err := a.stdout.Write(profiles.JSONSchema())
			return err
		},
	}
}
