package main

import (
	"fmt"
	"io"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

func checkCommand(a *app) *cobra.Command {
	var output string
	var compact bool
	cmd := &cobra.Command{
		Use: "check DIR", Short: "Verify an embedded database", Args: cli.Exactly("DIR"),
		Long: "Verifies the embedded database in DIR: checksums, indexes, counts and the pages of the file. It changes nothing,\n" +
			"unless --compact is given and the database is intact: then it rewrites the file without free space.\n\n" +
			"Exit codes: 0 intact, 255 damaged, 253 missing, of a newer version, or open in another process.",
		RunE: func(_ *cobra.Command, args []string) error { return checkDatabase(a.Streams, args[0], output, compact) },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
	cli.OutputFlag(cmd, &output, "text", "json")
	cmd.Flags().BoolVar(&compact, "compact", false, "shrink the file if the database is intact; needs room for a second copy")
	return cmd
}

func checkDatabase(s cli.Streams, dir, output string, compact bool) error {
	report, err := embedded.Check(appdir.RealPath(dir))
	if err == nil && compact && report.Sound() {
		report.Compacted, err = embedded.Compact(appdir.RealPath(dir))
	}
	if err != nil {
		return &store.Error{Class: store.Config, What: err.Error(), Err: err}
	}
	err = s.Print(output, report, func(w io.Writer) error { return writeCheck(w, report) })
	if err == nil && !report.Sound() {
		err = fmt.Errorf("database %s is damaged; restore it from a backup, or export what is readable with ddbdesk run --all",
			models.Printable(report.Path))
	}
	return err
}

func writeCheck(w io.Writer, report *embedded.Report) error {
	for _, p := range report.Problems {
		if _, err := fmt.Fprintln(w, "damaged: "+models.Printable(p)); err != nil {
			return err
		}
	}
	for _, tb := range report.Tables {
		state := "sound"
		if len(tb.Problems) > 0 {
			state = "damaged"
		}
		_, err := fmt.Fprintf(w, "%s: %s, %s, %s\n", models.Printable(tb.Table), state, english.Plural(int(tb.Items), "item", ""),
			english.Plural(tb.Indexes, "index", "indexes"))
		if err != nil {
			return err
		}
		for _, p := range tb.Problems {
			if _, err := fmt.Fprintln(w, "  "+models.Printable(p)); err != nil {
				return err
			}
		}
	}
	if c := report.Compacted; c != nil {
		_, err := fmt.Fprintf(w, "compacted: %s to %s\n", humanize.IBytes(uint64(c.Before)), humanize.IBytes(uint64(c.After)))
		return err
	}
	return nil
}
