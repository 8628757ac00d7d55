// The journal commands: what this console did.

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/export"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/models"
)

func journalCommand(a *app) *cobra.Command {
	var output string
	show := func(*cobra.Command, []string) error { return a.journalShow(output) }
	cmd := &cobra.Command{
		Use: "journal", Short: "What this console did: show, verify or resolve the local journal, take changes back",
		Args: unknownSubcommand, RunE: show,
	}
	outputFlag(cmd, &output, "table", "json")
	one := &cobra.Command{Use: "show", Short: "Show the journal", Args: exactly(), RunE: show}
	outputFlag(one, &output, "table", "json")
	cmd.AddCommand(one, journalVerify(a), journalResolve(a), journalUndo(a))
	return cmd
}

// noteUnresolved reports how many changes of each profile have no outcome.
func (s streams) noteUnresolved(open map[string]int) {
	for _, name := range slices.Sorted(maps.Keys(open)) {
		s.notef("%s without an outcome; run ddbdesk journal resolve %s to find out what became of them",
			english.Plural(open[name], "change", ""), models.Printable(name))
	}
}

// journalJSON is an entry without the sealed record of what was written: it is
// for this machine alone.
type journalJSON struct {
	journal.Entry
	Open bool `json:"open"` // an intent without an outcome
}

// sealedDetail is the detail of an intent that nobody is shown.
const sealedDetail = "record"

func readJournal(warn func(string)) ([]journalJSON, error) {
	path := journal.DefaultPath()
	list := []journalJSON{}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return list, nil
	} else if err != nil {
		return nil, err
	}
	open := map[string]int{} // the newest intent of an id
	for e, err := range journal.Read(path) {
		if err != nil {
			warn(err.Error())
			continue
		}
		e.Detail = maps.Clone(e.Detail)
		delete(e.Detail, sealedDetail)
		if i, ok := open[e.ID]; ok && (e.Kind == journal.Outcome || e.Kind == journal.Intent) {
			list[i].Open = false
		}
		if e.Kind == journal.Intent {
			open[e.ID] = len(list)
		}
		list = append(list, journalJSON{e, e.Kind == journal.Intent})
	}
	return list, nil
}

func (a *app) journalShow(output string) error {
	entries, err := readJournal(a.note)
	if err != nil {
		return err
	}
	if output == "json" {
		return writeJSON(a.stdout, entries)
	}
	if len(entries) == 0 {
		a.note(journal.DefaultPath() + " has no entries")
		return nil
	}
	t := export.NewTextTable("TIME", "KIND", "ID", "ACTOR", "ROLE", "SUBJECT", "KEY", "CHANGE", "OUTCOME", "REASON")
	intents := map[string]journal.Entry{}
	open := map[string]int{}
	for _, e := range entries {
		if e.Kind == journal.Intent {
			intents[e.ID] = e.Entry
		}
		t.Add(journalRow(e, intents[e.ID])...)
		if e.Open {
			open[e.Profile]++
		}
	}
	if err := t.Write(a.stdout); err != nil {
		return err
	}
	a.noteUnresolved(open)
	return nil
}

// journalRow says an entry in one line. An outcome repeats what its intent was
// about.
func journalRow(e journalJSON, intent journal.Entry) []string {
	detail := e.Detail
	outcome := e.Outcome
	switch {
	case e.Open:
		outcome = "OPEN: outcome unknown"
	case e.Kind == journal.Outcome:
		detail = intent.Detail
	case e.Kind == journal.Refusal:
		outcome = e.Detail["why"]
	}
	subject := e.Subject
	if detail["undoes"] != "" {
		subject = "undo of " + subject
	}
	change := ""
	if detail["to"] != "" {
		change = detail["from"] + " → " + detail["to"]
	}
	return []string{
		e.Time.Format("2006-01-02T15:04:05Z"), string(e.Kind), shortID(e.ID), e.Actor, e.Role, subject,
		detail["key"], change, outcome, detail["reason"],
	}
}

func journalVerify(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "verify", Short: "Find changed, removed or reordered lines", Args: exactly(),
		RunE: func(*cobra.Command, []string) error {
			path := journal.DefaultPath()
			r, err := journal.Verify(path)
			if err != nil {
				return err
			}
			if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && r.OK() {
				fmt.Fprintln(a.stdout, "no journal yet: nothing to verify")
				return nil
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
