package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// sessionsOptions are the flags of journal sessions.
type sessionsOptions struct {
	journal.Filter
	since, from, output string
}

func sessionsCommand(a *app) *cobra.Command {
	var o sessionsOptions
	cmd := &cobra.Command{
		Use: "sessions", Short: "List sessions: who, why, and what was read, changed and revealed", Args: cli.UnknownSubcommand,
		Long: "Groups the entries of the journal into sessions. --from reads the copies that a sink keeps of all users and machines,\n" +
			"within --budget, and reports entries that were modified or are missing.",
		RunE: func(cmd *cobra.Command, _ []string) error { return listSessions(cmd.Context(), a, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.Person, "person", "", "only users whose name or identity contains `TEXT`")
	f.BoolVar(&o.Unreviewed, "unreviewed", false, "only sessions without a review")
	f.BoolVar(&o.BreakGlass, "emergencies", false, "only sessions with --break-glass")
	f.StringVar(&o.since, "since", "", "only sessions since `TIME`, such as -7d or 2026-11-01")
	cmd.PersistentFlags().StringVar(&o.from, "from", "", "read the entries in `FILE`, or \"sink\" for the configured sink")
	cli.OutputFlag(cmd, &o.output, "table", "json", "csv")
	review := &cobra.Command{
		Use: "review SESSION", Short: "Record that a session was reviewed", Args: cli.Exactly("SESSION"),
		Long: "Writes an entry to the journal of this machine. --reason is the note.",
		RunE: func(cmd *cobra.Command, args []string) error { return reviewSession(cmd.Context(), a, args[0], o.from) },
	}
	cmd.AddCommand(review)
	return cmd
}

func listSessions(ctx context.Context, a *app, o sessionsOptions) error {
	if o.since != "" {
		t, err := models.ParseTime(o.since, time.Now())
		if err != nil {
			return cli.UsageErrorf("--since: %v", err)
		}
		o.Since = t.Time
	}
	o.Ticket = a.flags.ticket
	from, err := auditSource(a, o.from)
	if err != nil {
		return err
	}
	r, err := from.Read(ctx, o.Filter, nil)
	if err != nil {
		err = unreadable("--from", o.from, cmp.Or(from.Name(), "journal"), err)
		if r.Entries == 0 {
			return err
		}
	}
	for _, p := range r.Problems {
		a.Note(p)
	}
	if len(r.Problems) > 0 {
		err = errors.Join(err, fmt.Errorf("%s: %s; entries were modified or are missing, or the file is corrupt",
			cmp.Or(from.Name(), journal.DefaultPath()), english.Plural(len(r.Problems), "problem", "")))
	} else if from.Name() != "" && err == nil {
		a.Notef("%s of %s verified in %s", english.Plural(r.Entries, "entry", ""), english.Plural(r.Journals, "journal", ""), from.Name())
	}
	list := r.List
	switch {
	case o.output == "csv":
		return errors.Join(journal.WriteSessions(items.Visible(a.Stdout), list), err)
	case o.output == "json" && list == nil:
		list = []*journal.Session{}
	}
	return errors.Join(a.Print(o.output, list, func(w io.Writer) error { return writeSessions(w, list) }), err)
}

func auditSource(a *app, from string) (journal.Source, error) {
	if from == "" {
		return journal.LocalSource(journal.DefaultPath()), nil
	}
	s, err := sinkNamed(a, "--from", from)
	return journal.SinkSource(s), err
}

func writeSessions(w io.Writer, list []*journal.Session) error {
	t := items.NewTextTable(
		"SESSION", "BEGUN", "PERSON", "CONTEXT", "TICKET", "READS", "ITEMS", "CHANGES", "REVEALS", "COPIES", "REVIEWED", "REASON",
	)
	for _, s := range list {
		ticket := s.Ticket
		if s.BreakGlass {
			ticket = "BREAK GLASS"
		}
		reviewed := ""
		if n := len(s.Reviews); n > 0 {
			reviewed = s.Reviews[n-1].By
		}
		t.Add(
			s.ID, s.Begun.Format("2006-01-02T15:04:05Z"), s.Person, s.Context, ticket, strconv.Itoa(s.Reads), strconv.Itoa(s.Items),
			strconv.Itoa(s.Changes), strconv.Itoa(s.Reveals), strconv.Itoa(s.Copies), reviewed, s.Reason,
		)
	}
	return t.Write(w)
}

func reviewSession(ctx context.Context, a *app, id, from string) error {
	note := a.flags.purpose.Reason
	if note == "" {
		return cli.UsageErrorf("--reason: missing; give the result of the review")
	}
	source, err := auditSource(a, from)
	if err != nil {
		return err
	}
	r, err := source.Read(ctx, journal.Filter{}, nil)
	s, ok := journal.FindSession(r.List, id)
	if !ok {
		return cmp.Or(err, cli.UsageErrorf("session %q not found, or ambiguous; list the sessions with ddbdesk journal sessions", cli.Short(id)))
	}
	o, err := a.recording(&profiles.Profile{}, store.Target{}, a.localActor())
	if err != nil {
		return err
	}
	o.Purpose = session.Purpose{}
	if err := session.NewViewer(o).Review(ctx, s, note); err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.Stdout, "session %s of %s reviewed\n", s.ID, models.Printable(s.Person))
	return err
}
