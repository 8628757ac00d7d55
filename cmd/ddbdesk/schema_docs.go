package main

import (
	"bytes"
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/schemadoc"
)

// docsOptions are the flags of schema docs.
type docsOptions struct {
	format string
	check  bool
	to     fileOutput
}

// schemaDocsCommand returns `ddbdesk schema docs`.
func schemaDocsCommand(a *app) *cobra.Command {
	var o docsOptions
	cmd := &cobra.Command{
		Use: "docs", Short: "Write a document of a schema: tables, keys, states, patterns, issues",
		Long: "Prints documentation for the schema in one file: Markdown with Mermaid state diagrams, or HTML.\n\n" +
			"With --check, compares it with --out FILE instead of writing it. Exit code 10: the file is out of date.",
	}
	cmd.Flags().StringVar(&o.format, "format", "markdown", "write the document as `FORMAT`: markdown or html")
	cmd.Flags().BoolVar(&o.check, "check", false, "with --out, report whether the file is up to date")
	o.to.register(cmd, "the document")
	completeFormats := func(*cobra.Command, []string, string) (completions, cobra.ShellCompDirective) {
		return schemadoc.Formats(), cobra.ShellCompDirectiveNoFileComp
	}
	if err := cmd.RegisterFlagCompletionFunc("format", completeFormats); err != nil {
		panic("complete --format: " + err.Error()) // the flag does not exist
	}
	return a.forSchema(cmd, func(_ context.Context, schema string) error { return documentSchema(a, schema, o) })
}

// documentSchema writes the document of a schema, or compares it.
func documentSchema(a *app, schema string, o docsOptions) error {
	if !slices.Contains(schemadoc.Formats(), o.format) {
		return cli.InvalidChoice("--format", "format", o.format, schemadoc.Formats())
	}
	switch {
	case o.check && o.to.out == "":
		return cli.UsageErrorf("--check: needs --out FILE")
	case o.check && o.to.force:
		return cli.UsageErrorf("--check: writes nothing; omit --force")
	case !o.check:
		if err := o.to.ready(); err != nil {
			return err
		}
	}
	p, err := a.schema(schema)
	if err != nil {
		return err
	}
	text := schemadoc.Write(p, o.format)
	if !o.check {
		return o.to.write(a.Streams, text)
	}
	current, err := appdir.ReadFile(o.to.out)
	if err != nil {
		return cli.UsageErrorf("--out: %v", err)
	}
	if !bytes.Equal(bytes.ReplaceAll(current, []byte("\r\n"), []byte("\n")), text) {
		a.Notef("%s is not current; write it again with --force", cli.Short(o.to.out))
		return cli.ExitWith(cli.ExitConflict)
	}
	return nil
}
