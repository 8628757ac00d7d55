package team

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

type sessionsInput struct {
	journal.Filter
	since, from string
}

func fromFlag(to *string) *op.Param {
	return op.Flag(to, "from", "read the entries in `FILE`, or \"sink\" for the configured sink")
}

var listSessions = op.New(op.Op{
	Path: "journal sessions", Title: "List sessions with their users, reasons, reads and changes",
	Help: "Groups the entries of the journal into sessions. --from reads the sink's copies of all users and machines,\n" +
		"within --budget, and reports entries that were modified or are missing.",
	Formats: []string{"table", "json", "csv"},
}, func(in *sessionsInput) []*op.Param {
	return []*op.Param{
		op.Flag(&in.Person, "person", "list only users whose name or identity contains `TEXT`"),
		op.Flag(&in.Unreviewed, "unreviewed", "list only sessions without a review"),
		op.Flag(&in.BreakGlass, "emergencies", "list only emergency sessions (--break-glass)"),
		op.Flag(&in.since, "since", "list only sessions since `TIME`, such as -7d or 2026-11-01").WithCheck(func() (err error) {
			if in.since != "" {
				var t models.Time
				t, err = models.ParseTime(in.since, time.Now())
				in.Since = t.Time
			}
			return err
		}),
		fromFlag(&in.from),
	}
}, func(ctx context.Context, c *op.Call, in *sessionsInput) (op.Result, error) {
	in.Ticket = c.Access(nil).Purpose.Ticket
	from, err := sessionSource(c, in.from)
	if err != nil {
		return nil, err
	}
	r, err := from.Read(ctx, in.Filter, nil)
	if err != nil {
		err = sinkError("--from", in.from, cmp.Or(from.Name(), "journal"), err)
		if r.Entries == 0 {
			return nil, err
		}
	}
	for _, p := range r.Problems {
		c.Note(p)
	}
	if len(r.Problems) > 0 {
		err = errors.Join(err, fmt.Errorf("%s: %s; entries were modified or are missing, or the file is corrupt",
			cmp.Or(from.Name(), journal.DefaultPath()), english.Plural(len(r.Problems), "problem", "")))
	} else if from.Name() != "" && err == nil {
		c.Notef("%s of %s verified in %s", english.Plural(r.Entries, "entry", ""), english.Plural(r.Journals, "journal", ""), from.Name())
	}
	return sessionList(r.List), err
})

func sessionSource(c *op.Call, from string) (journal.Source, error) {
	if from == "" {
		return journal.LocalSource(journal.DefaultPath()), nil
	}
	s, err := c.Sink("--from", from)
	return journal.SinkSource(s), err
}

// A sessionList is a list of sessions that prints as a table, JSON or CSV.
type sessionList []*journal.Session

func (l sessionList) JSON() any { return append(sessionList{}, l...) }

func (l sessionList) Write(to op.Output, format string) error {
	switch format {
	case "csv":
		return journal.WriteSessions(items.NewEscapingWriter(to.Writer), l)
	case "json":
		return to.JSON(l.JSON())
	}
	return l.Text(to)
}

func (l sessionList) Text(to op.Output) error {
	if len(l) == 0 {
		to.Note("no sessions")
		return nil
	}
	t := items.NewTextTable(
		"SESSION", "STARTED", "USER", "CONTEXT", "TICKET", "READS", "ITEMS", "CHANGES", "REVEALS", "COPIES", "REVIEWED", "REASON",
	)
	t.Optional = []string{"CONTEXT", "COPIES", "ITEMS", "READS"}
	for _, s := range l {
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
	return t.Write(to.Writer)
}

type reviewInput struct{ session, from, note string }

var reviewSession = op.New(op.Op{
	Path: "journal sessions review", Title: "Record that you reviewed a session",
	Help: "Records in this machine's journal that you reviewed a session. --reason records the result.",
}, func(in *reviewInput) []*op.Param {
	return []*op.Param{
		op.Arg(&in.session, "session", "session ID, or its beginning"), fromFlag(&in.from),
		op.Reason(&in.note, "record `TEXT` as the result of the review").Must(),
	}
}, func(ctx context.Context, c *op.Call, in *reviewInput) (op.Result, error) {
	o, err := c.Recording()
	if err != nil {
		return nil, err
	}
	source, err := sessionSource(c, in.from)
	if err != nil {
		return nil, err
	}
	r, err := source.Read(ctx, journal.Filter{}, nil)
	s, ok := journal.FindSession(r.List, in.session)
	if !ok {
		if err != nil {
			err = sinkError("--from", in.from, cmp.Or(source.Name(), "journal"), err)
		}
		return nil, cmp.Or(err, session.InputErrorf("%q matches no session, or several; list the sessions with ddbdesk journal sessions",
			op.Short(in.session)))
	}
	if err := session.NewViewer(o).Review(ctx, s, in.note); err != nil {
		return nil, err
	}
	return op.Doc{Lines: []string{fmt.Sprintf("session %s of %s reviewed", s.ID, s.Person)}}, nil
})
