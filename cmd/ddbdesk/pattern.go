// The pattern commands.

package main

import (
	"github.com/spf13/cobra"
)

func patternCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{Use: "pattern", Short: "List access patterns", Args: unknownSubcommand, RunE: needSubcommand}
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
				return writeJSON(a.stdout, describePatterns(p))
			}
			return patternTable(p).Write(a.stdout)
		},
	}
	outputFlag(list, &output, "table", "json")
	cmd.AddCommand(list)
	return cmd
}
