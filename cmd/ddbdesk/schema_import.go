package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/interchange"
	"github.com/ddbdesk/ddbdesk/models"
)

func schemaImportCommand(a *app) *cobra.Command {
	var o interchange.Options
	var to draftOutput
	var items string
	names := models.NamesOf(interchange.Formats(), func(f *interchange.Format) string { return f.Name })
	var list strings.Builder
	for _, f := range interchange.Formats() {
		fmt.Fprintf(&list, "  %-15s %s: %s\n", f.Name, f.Title, f.Obtain)
	}
	cmd := &cobra.Command{
		Use: "import FORMAT FILE...", Short: "Make a profile from the schema file of another tool",
		Long: "Drafts a profile from the schema file of another tool. Parts inferred from its sample items have documented:\n" +
			"false; lines marked CHECK need your confirmation. A report goes to stderr.\n\nFormats:\n" + list.String(),
		Args: cli.AtLeast("FORMAT", "FILE"),
		RunE: func(_ *cobra.Command, args []string) error {
			f := interchange.Find(args[0])
			if f == nil {
				return cli.InvalidChoice("FORMAT", "format", args[0], names)
			}
			return importSchema(a, f, args[1:], o, to, items)
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) (completions, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveDefault
			}
			names := models.NamesOf(interchange.Formats(), func(f *interchange.Format) string { return f.Name + "\t" + f.Title })
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
	to.register(cmd)
	cmd.Flags().StringVar(&o.Name, "name", "", "name the profile `NAME` (default: the name in the file)")
	cmd.Flags().StringVar(&o.Table, "table", "", "use `NAME` as the table name if the file has none")
	cmd.Flags().StringVar(&items, "items", "", "also write the sample items of the files to a new `FILE`, for ddbdesk load")
	return cmd
}

func importSchema(a *app, f *interchange.Format, paths []string, o interchange.Options, to draftOutput, items string) error {
	if err := to.Ready(); err != nil {
		return err
	}
	var files []interchange.File
	for _, path := range paths {
		text, err := appdir.ReadFile(path)
		if err != nil {
			return cli.UsageErrorf("FILE: %v", err)
		}
		files = append(files, interchange.File{Name: path, Text: text})
	}
	in, err := f.Read(files, o)
	if err != nil {
		return cli.UsageErrorf("%v", err)
	}
	a.Warn(in.Warnings)
	if err := to.finish(a.Streams, in.Profile, in.Items); err != nil {
		return err
	}
	switch {
	case items == "" && in.Rows() > 0:
		a.Notef("the files have %d sample items; write them with --items FILE", in.Rows())
		return nil
	case items == "":
		return nil
	case in.Rows() == 0:
		a.Notef("the files have no sample items; %s was not written", models.Printable(items))
		return nil
	}
	return appdir.Create(items, batchJSON(in))
}

func batchJSON(in *interchange.Import) []byte {
	var b bytes.Buffer
	b.WriteString("{")
	var variables []string
	for _, v := range in.Profile.Variables {
		variables = append(variables, "{"+v.Name+"}", v.Default)
	}
	named := strings.NewReplacer(variables...)
	for i, t := range in.Profile.Tables {
		name, _ := json.Marshal(named.Replace(t.Name))
		fmt.Fprintf(&b, "%s\n  %s: [", strings.Repeat(",", min(i, 1)), name)
		for j, it := range in.Items[t.ID] {
			fmt.Fprintf(&b, "%s\n    {\"PutRequest\": {\"Item\": %s}}", strings.Repeat(",", min(j, 1)), it.AppendDynamoDBJSON(nil))
		}
		b.WriteString("]")
	}
	b.WriteString("\n}\n")
	return b.Bytes()
}
