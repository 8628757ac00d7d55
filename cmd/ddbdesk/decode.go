package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/documents"
)

// decodeCommand returns `ddbdesk decode`.
func decodeCommand(a *app) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "decode SCHEMA KEY [SORTKEY]", Short: "Decode a key into its entity and placeholders",
		Long: "Lists the entities whose key templates match KEY, with the values of their placeholders and the patterns that\n" +
			"can run with them. If none matches, decode explains why the closest templates do not. KEY can also be a pair such\n" +
			"as 'PK / SK', or the JSON of an item. Write a negative sort key after --: ddbdesk decode SCHEMA KEY -- -12.5",
		Args: cli.Between(2, "SCHEMA", "KEY", "SORTKEY"), ValidArgsFunction: a.completeSchemas,
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := a.schema(args[0])
			if err != nil {
				return err
			}
			sort := ""
			if len(args) > 2 {
				if sort = args[2]; accesspatterns.CheckKey(sort) != nil {
					return cli.UsageErrorf("SORTKEY: %v", accesspatterns.CheckKey(sort))
				}
			}
			d, err := documents.Decode(p, args[1], sort)
			if err != nil {
				return cli.UsageErrorf("KEY: %v", err)
			}
			return a.Print(output, d, func(w io.Writer) error { return cli.WriteLines(w, d.Lines()...) })
		},
	}
	cli.OutputFlag(cmd, &output, "text", "json")
	return cmd
}
