package main

import (
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/interchange"
	"github.com/ddbdesk/ddbdesk/models"
)

// exportFormats returns the formats of schema files that can be written.
func exportFormats() []*interchange.Format {
	var list []*interchange.Format
	for _, f := range interchange.Formats() {
		if f.Writes() {
			list = append(list, f)
		}
	}
	return list
}

// schemaExportCommand returns `ddbdesk schema export`.
func schemaExportCommand(a *app) *cobra.Command {
	var to fileOutput
	names := models.NamesOf(exportFormats(), func(f *interchange.Format) string { return f.Name })
	cmd := &cobra.Command{
		Use: "export SCHEMA FORMAT", Short: "Write a profile as the schema file of another tool",
		Long: "Prints the tables, indexes and TTL of a profile as " + english.OxfordWordSeries(names, "or") + ".\n" +
			"What the format cannot express is listed on stderr.",
		Args: cli.Exactly("SCHEMA", "FORMAT"),
		RunE: func(_ *cobra.Command, args []string) error {
			return exportSchema(a, args[0], args[1], to)
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, word string) (completions, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return a.completeSchemas(cmd, args, word)
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
	to.register(cmd, "the file")
	return cmd
}

// exportSchema writes a profile in another format.
func exportSchema(a *app, schema, format string, to fileOutput) error {
	f := interchange.Find(format)
	if f == nil || !f.Writes() {
		names := models.NamesOf(exportFormats(), func(f *interchange.Format) string { return f.Name })
		return cli.InvalidChoice("FORMAT", "format", format, names)
	}
	if err := to.ready(); err != nil {
		return err
	}
	p, err := a.schema(schema)
	if err != nil {
		return err
	}
	text, lost, err := f.Write(p)
	if err != nil {
		return err
	}
	if err := to.write(a.Streams, text); err != nil {
		return err
	}
	if len(lost) > 0 {
		a.Notef("format %s cannot express %s", f.Name, strings.Join(lost, ", "))
	}
	return nil
}
