package main

import (
	"github.com/spf13/cobra"
)

// fixturesCommand returns `ddbdesk fixtures`.
func fixturesCommand(a *app) *cobra.Command {
	var inGo, inJSON bool
	cmd := &cobra.Command{
		Use: "fixtures FILE (--go|--json)", Short: "Write the items of a case as test fixtures",
		Long: "Writes the items of a file of ddbdesk take to stdout: with --go as Go source with the types of the AWS SDK, with\n" +
			"--json as a request of aws dynamodb batch-write-item, which ddbdesk load reads too.",
		Args: exactly("FILE"),
		RunE: func(_ *cobra.Command, args []string) error {
			if inGo == inJSON {
				return usageErrorf("use --go or --json")
			}
			c, _, err := openCaseFile(a, args[0])
			if err != nil {
				return err
			}
			if inGo {
				return c.WriteGo(a.stdout)
			}
			return c.WriteJSON(a.stdout)
		},
	}
	cmd.Flags().BoolVar(&inGo, "go", false, "write Go source")
	cmd.Flags().BoolVar(&inJSON, "json", false, "write DynamoDB JSON")
	return cmd
}
