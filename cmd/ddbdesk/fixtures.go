package main

import (
	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/store"
)

// fixturesCommand returns `ddbdesk fixtures`.
func fixturesCommand(a *app) *cobra.Command {
	var inGo, inJSON bool
	var identity string
	cmd := &cobra.Command{
		Use: "fixtures FILE (--go|--json)", Short: "Write the items of a case as test fixtures",
		Long: "Writes the items of a file of ddbdesk take to stdout: with --go as Go source with the types of the AWS SDK, with\n" +
			"--json as a request of aws dynamodb batch-write-item, which ddbdesk load reads too.\n\n" +
			"The fixtures of a sealed case have personal data: this needs --role developer and --reason.",
		Args: cli.Exactly("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if inGo == inJSON {
				return cli.UsageErrorf("use --go or --json")
			}
			ctx := cmd.Context()
			c, p, err := openCaseFile(ctx, a, args[0], identity)
			if err != nil {
				return err
			}
			if err := a.revealCase(ctx, c, p, store.Target{}, "fixtures"); err != nil {
				return err
			}
			if inGo {
				return c.WriteGo(a.Stdout)
			}
			return c.WriteJSON(a.Stdout)
		},
	}
	cmd.Flags().BoolVar(&inGo, "go", false, "write Go source")
	cmd.Flags().BoolVar(&inJSON, "json", false, "write DynamoDB JSON")
	identityFlag(cmd, &identity)
	return cmd
}
