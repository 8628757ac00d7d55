// The journal commands: what this console did.

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/journal"
)

func (a *app) journalCommand() *cobra.Command {
	var output string
	show := func(*cobra.Command, []string) error { return a.journalShow(output) }
	cmd := &cobra.Command{Use: "journal", Short: "What this console did: show or verify the local journal", Args: unknownSubcommand, RunE: show}
	outputFlag(cmd, &output, "table", "json")
	one := &cobra.Command{Use: "show", Short: "Show the journal", Args: exactly(), RunE: show}
	outputFlag(one, &output, "table", "json")
	cmd.AddCommand(one, a.journalVerify())
	return cmd
}

func (a *app) journalShow(output string) error {
	path := journal.DefaultPath()
	entries := []journal.Entry{}
	if _, err := os.Stat(path); err == nil {
		for e, err := range journal.Read(path) {
			if err != nil {
				a.note(err.Error())
				continue
			}
			entries = append(entries, e)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if output == "json" {
		return writeJSON(a.stdout, entries)
	}
	t := newTable("TIME", "KIND", "ACTOR", "ROLE", "SUBJECT", "REASON", "OUTCOME")
	for _, e := range entries {
		t.add(e.Time.Format("2006-01-02T15:04:05Z"), string(e.Kind), e.Actor, e.Role, e.Subject, e.Detail["reason"], e.Outcome)
	}
	if len(entries) == 0 {
		a.note(path + " has no entries")
		return nil
	}
	return t.write(a.stdout)
}

func (a *app) journalVerify() *cobra.Command {
	return &cobra.Command{
		Use: "verify", Short: "Find changed, removed or reordered lines", Args: exactly(),
		RunE: func(*cobra.Command, []string) error {
			path := journal.DefaultPath()
			if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
				fmt.Fprintln(a.stdout, "no journal yet: nothing to verify")
				return nil
			}
			r, err := journal.Verify(path)
			if err != nil {
				return err
			}
			for _, p := range r.Problems {
				fmt.Fprintln(a.stdout, p.String())
			}
			if !r.OK() {
				return fmt.Errorf("%s: %d problems: somebody changed it, or the disk did", path, len(r.Problems))
			}
			fmt.Fprintf(a.stdout, "%d entries, none changed, removed or reordered\n", r.Entries)
			return nil
		},
	}
}
