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

// journalCommand returns `ddbdesk journal`.
func journalCommand(a *app) *cobra.Command {
	var output string
	show := func(*cobra.Command, []string) error { return a.showJournal(output) }
	cmd := &cobra.Command{
		Use: "journal", Short: "Show and verify the local journal, and undo changes", Args: unknownSubcommand, RunE: show,
		Long: "The journal records every change, refusal and reveal on this machine. Without a subcommand, journal shows it.",
	}
	outputFlag(cmd, &output, "table", "json")
	showCmd := &cobra.Command{Use: "show", Short: "Show the journal", Args: exactly(), RunE: show}
	outputFlag(showCmd, &output, "table", "json")
	verify := &cobra.Command{
		Use: "verify", Short: "Find entries that were modified, removed or reordered", Args: exactly(),
		RunE: func(*cobra.Command, []string) error { return a.verifyJournal() },
	}
	cmd.AddCommand(showCmd, verify, resolveCommand(a), undoCommand(a))
	return cmd
}

// journalJSON is a journal entry without its sealed record, which only this machine
// can read.
type journalJSON struct {
	journal.Entry
	Open bool `json:"open"` // an intent without an outcome
}

// readJournal returns the entries of the journal, and reports damaged ones to warn.
func readJournal(warn func(string)) ([]journalJSON, error) {
	path := journal.DefaultPath()
	list := []journalJSON{}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return list, nil
	} else if err != nil {
		return nil, err
	}
	open := map[string]int{} // index of the latest intent, by ID
	for e, err := range journal.Read(path) {
		if err != nil {
			warn(err.Error())
			continue
		}
		e.Detail.Record = ""
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

// showJournal prints all entries, oldest first, and notes unresolved changes.
func (s streams) showJournal(output string) error {
	entries, err := readJournal(s.note)
	if err != nil {
		return err
	}
	if output == "json" {
		return writeJSON(s.stdout, entries)
	}
	if len(entries) == 0 {
		s.note(journal.DefaultPath() + " has no entries")
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
	if err := t.Write(s.stdout); err != nil {
		return err
	}
	s.noteUnresolved(open)
	return nil
}

// noteUnresolved reports how many changes of each profile have no outcome.
func (s streams) noteUnresolved(open map[string]int) {
	for _, name := range slices.Sorted(maps.Keys(open)) {
		s.notef("%s without an outcome; run ddbdesk journal resolve %s to read the items and find it",
			english.Plural(open[name], "change", ""), models.Printable(name))
	}
}

// journalRow returns the cells of an entry. An outcome repeats the details of its
// intent.
func journalRow(e journalJSON, intent journal.Entry) []string {
	detail := e.Detail
	outcome := e.Outcome
	switch {
	case e.Open:
		outcome = "OPEN: outcome unknown"
	case e.Kind == journal.Outcome:
		detail = intent.Detail
	case e.Kind == journal.Refusal:
		outcome = e.Detail.Why
	}
	subject := e.Subject
	if detail.Undoes != "" {
		subject = "undo of " + subject
	}
	change := ""
	if detail.To != "" {
		change = detail.From + " → " + detail.To
	}
	return []string{
		e.Time.Format("2006-01-02T15:04:05Z"), string(e.Kind), shortID(e.ID), e.Actor, e.Role, subject,
		detail.Key, change, outcome, detail.Reason,
	}
}

// verifyJournal checks the hash chain of the journal. Problems are exit code 255.
func (s streams) verifyJournal() error {
	path := journal.DefaultPath()
	r, err := journal.Verify(path)
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && r.OK() {
		fmt.Fprintln(s.stdout, "the journal does not exist yet")
		return nil
	}
	for _, p := range r.Problems {
		fmt.Fprintln(s.stdout, p.String())
	}
	if !r.OK() {
		return fmt.Errorf("%s: %s; an entry was modified or the file is corrupt", path, english.Plural(len(r.Problems), "problem", ""))
	}
	fmt.Fprintf(s.stdout, "%s verified: none modified, removed or reordered\n", english.Plural(r.Entries, "entry", ""))
	return nil
}
