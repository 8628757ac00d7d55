package main

import (
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/documents"
)

func versionCommand(a *app) *cobra.Command {
	var output string
	asJSON := false
	cmd := &cobra.Command{
		Use: "version", Short: "Show the version, its commit and the modules in it", Args: cli.Exactly(),
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				output = "json"
			}
			info, _ := debug.ReadBuildInfo()
			v := documents.NewVersion(info)
			return a.Print(output, v, func(w io.Writer) error { return cli.WriteLines(w, v.Lines()...) })
		},
	}
	cli.OutputFlag(cmd, &output, "text", "json")
	cmd.Flags().BoolVar(&asJSON, "json", false, "the same as -o json")
	return cmd
}

func version() string {
	info, _ := debug.ReadBuildInfo()
	return documents.NewVersion(info).Version
}
