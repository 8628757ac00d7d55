package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/session"
)

// journalCommand returns `ddbdesk journal`.
func journalCommand(a *app) *cobra.Command {
	var output string
	show := func(*cobra.Command, []string) error { return showJournal(a.Streams, output) }
	cmd := &cobra.Command{
		Use: "journal", Short: "Show and verify the local journal, and list its sessions", Args: cli.UnknownSubcommand, RunE: show,
		Long: "The journal records every change, refusal and reveal on this machine. Without a subcommand, journal shows it.",
	}
	cli.OutputFlag(cmd, &output, "table", "json")
	showCmd := &cobra.Command{Use: "show", Short: "Show the journal", Args: cli.Exactly(), RunE: show}
	cli.OutputFlag(showCmd, &output, "table", "json")
	cmd.AddCommand(showCmd, verifyCommand(a), resolveCommand(a), sessionsCommand(a))
	return cmd
}

// verifyCommand returns `ddbdesk journal verify`.
func verifyCommand(a *app) *cobra.Command {
	var against string
	cmd := &cobra.Command{
		Use: "verify", Short: "Find entries that were modified, removed or reordered", Args: cli.Exactly(),
		Long: "Verifies the hash chain of the journal. --against also compares it with the copies that a sink keeps, which finds a\n" +
			"journal that was shortened, or rewritten with correct hashes.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := verifyJournal(a.Streams); err != nil || against == "" {
				return err
			}
			return verifyAgainst(cmd.Context(), a, against)
		},
	}
	cmd.Flags().StringVar(&against, "against", "", "also compare with the copies in `FILE`, or \"sink\" for the configured sink")
	return cmd
}

// journalJSON is a journal entry without its sealed record, which only this machine
// can read.
type journalJSON struct {
	journal.Entry
	Open bool `json:"open"` // an intent without an outcome
}

// eachEntry calls a function with every entry of the journal, oldest first, and reports damaged ones to warn. It keeps only
// the IDs of open changes.
func eachEntry(warn func(string), each func(journalJSON) error) error {
	path := journal.DefaultPath()
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	pending, _ := journal.Pending(path) // Reading the entries reports damaged ones, too.
	open := map[string]uint64{}         // number of the last intent, by ID
	for _, e := range pending {
		open[e.ID] = e.Seq
	}
	for e, err := range journal.Read(path) {
		if err != nil {
			if err := noteDamaged(warn, err); err != nil {
				return err
			}
			continue
		}
		e.Detail.Record = ""
		if err := each(journalJSON{e, e.Kind == journal.Intent && open[e.ID] == e.Seq}); err != nil {
			return err
		}
	}
	return nil
}

// noteDamaged notes lines that are damaged. It returns every other error: what is after it was not read.
func noteDamaged(note func(string), err error) error {
	if _, damaged := errors.AsType[*journal.LineError](err); !damaged {
		return err
	}
	note(strings.ReplaceAll(err.Error(), "\n", "; "))
	return nil
}

// showJournal prints all entries, oldest first, and notes unresolved changes.
func showJournal(s cli.Streams, output string) error {
	if output == "json" {
		return showJournalJSON(s)
	}
	const part = 1000 // rows that are aligned together
	out := s.TableOutput()
	t := items.NewTextTable("TIME", "KIND", "ID", "ACTOR", "ROLE", "SUBJECT", "KEY", "CHANGE", "OUTCOME", "REASON")
	t.Keys = "KEY"
	intents := map[string]journal.Entry{} // of the changes whose outcome was not read yet
	open := map[string]int{}
	entries := 0
	err := eachEntry(s.Note, func(e journalJSON) error {
		entries++
		intent := intents[e.ID]
		switch e.Kind {
		case journal.Intent:
			intents[e.ID] = e.Entry
		case journal.Outcome:
			delete(intents, e.ID)
		default:
		}
		if e.Open {
			open[e.Profile]++
		}
		t.Add(journalRow(e, intent)...)
		if t.Len() == part {
			return t.Write(out)
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case entries == 0:
		s.Note(journal.DefaultPath() + " has no entries")
		return nil
	}
	if err := t.Write(out); err != nil {
		return err
	}
	noteUnresolved(s, open)
	return nil
}

// showJournalJSON prints all entries as an array, each as it is read. The array is closed also if the rest cannot be read: the
// exit code says so, and what was read can be parsed.
func showJournalJSON(s cli.Streams) error {
	out := items.Visible(s.Stdout)
	begin := "[\n  "
	err := eachEntry(s.Note, func(e journalJSON) error {
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("  ", "  ")
		if err := encoder.Encode(e); err != nil {
			return err
		}
		_, err := fmt.Fprintf(out, "%s%s", begin, bytes.TrimSuffix(text.Bytes(), []byte("\n")))
		begin = ",\n  "
		return err
	})
	end := "\n]\n"
	if begin == "[\n  " {
		end = "[]\n"
	}
	if _, writeErr := io.WriteString(out, end); err == nil {
		err = writeErr
	}
	return err
}

// noteUnresolved reports how many changes of each profile have no outcome.
func noteUnresolved(s cli.Streams, open map[string]int) {
	for _, name := range slices.Sorted(maps.Keys(open)) {
		s.Notef("%s without an outcome; to determine it, run %s", english.Plural(open[name], "change", ""),
			session.ResolveCommand(name))
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
		e.Time.Format("2006-01-02T15:04:05Z"), string(e.Kind), journal.ShortID(e.ID), e.Actor, e.Role, subject,
		detail.Key, change, outcome, detail.Reason,
	}
}

// verifyJournal checks the hash chain of the journal. Problems are exit code 255.
func verifyJournal(s cli.Streams) error {
	path := journal.DefaultPath()
	r, err := journal.Verify(path)
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && r.OK() {
		fmt.Fprintln(s.Stdout, "the journal does not exist yet")
		return nil
	}
	for _, p := range r.Problems {
		fmt.Fprintln(s.Stdout, p.String())
	}
	if !r.OK() {
		return fmt.Errorf("%s: %s; an entry was modified or the file is corrupt", path, english.Plural(len(r.Problems), "problem", ""))
	}
	fmt.Fprintf(s.Stdout, "%s verified: none modified, removed or reordered\n", english.Plural(r.Entries, "entry", ""))
	return nil
}
