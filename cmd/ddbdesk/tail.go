package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/documents"
	"github.com/ddbdesk/ddbdesk/internal/export"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/tail"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

// tailOptions are the flags of the tail command.
type tailOptions struct {
	where  string
	since  time.Duration
	count  int
	once   bool // end when nothing is new
	output string
}

// tailPause is the time between two reads of a stream that has nothing new.
const tailPause = time.Second

// tailCommand returns `ddbdesk tail`.
func tailCommand(a *app) *cobra.Command {
	var o tailOptions
	cmd := &cobra.Command{
		Use:   "tail SCHEMA [ENTITY ...]",
		Short: "Print the changes of items as they happen",
		Long: "Follows the streams of the schema's tables, and prints a line for each change: the entity and its key, the transition of\n" +
			"the lifecycle, who made it according to the audit trail, and the attributes that differ. Personal data is masked.\n" +
			"It runs until ctrl+c, --count or --once ends it. Reading a stream consumes no read units of the table.",
		Args:              cli.AtLeast("SCHEMA"),
		ValidArgsFunction: a.completeInSchema(completeEntities),
		RunE:              func(cmd *cobra.Command, args []string) error { return followSchema(cmd.Context(), a, args, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.where, flagWhere, "", "print only changes of items that match `FILTER`")
	f.DurationVar(&o.since, "since", 0, "begin with the changes of the last `TIME`, at most 24h (default: those from now on)")
	f.IntVar(&o.count, "count", 0, "end after `N` changes")
	f.BoolVar(&o.once, "once", false, "end when no change is new")
	cli.OutputFlag(cmd, &o.output, export.Text.Name, export.JSONL.Name)
	return cmd
}

// followSchema prints events until the context or an option ends it.
func followSchema(ctx context.Context, a *app, args []string, o tailOptions) error {
	switch {
	case o.since < 0 || o.since > store.StreamRetention:
		return cli.UsageErrorf("--since: expected a time up to 24h, because streams keep changes that long; found %s", o.since)
	case o.count < 0:
		return cli.UsageErrorf("--count: expected 1 or more, found %d", o.count)
	}
	w, err := a.openSchema(ctx, args[0], a.readSession)
	if err != nil {
		return err
	}
	choice := tail.Options{Where: o.where}
	if o.since > 0 {
		choice.Since = w.Session.Now().Add(-o.since)
	}
	for _, name := range args[1:] {
		e, err := w.Reading.Entity(name)
		if err != nil {
			return err
		}
		choice.Entities = append(choice.Entities, e)
	}
	ctx, end := w.Session.Look(ctx, &session.Lookup{Subject: "tail " + args[0], Arguments: append(args[1:], o.where)})
	t, err := tail.New(ctx, w.Session.Viewer, choice)
	if err != nil {
		return end(err)
	}
	for _, off := range t.Off {
		a.Notef("table %s has no stream; its changes are not shown", off.Name)
	}
	return end(a.printEvents(ctx, w, t, o))
}

// printEvents reads and prints.
func (a *app) printEvents(ctx context.Context, w *workspace.Workspace, t *tail.Tail, o tailOptions) error {
	printed := 0
	for {
		b, err := t.Next(ctx)
		if err != nil {
			return err
		}
		for _, table := range b.Trimmed {
			a.Notef("table %s: changes are missing here; its stream keeps them for 24 hours only", table.Name)
		}
		for _, e := range b.Events {
			if err := a.printEvent(w, e, o.output); err != nil {
				return err
			}
			if printed++; printed == o.count {
				return nil
			}
		}
		switch {
		case b.More:
			continue
		case o.once:
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(tailPause):
		}
	}
}

// printEvent writes one line.
func (a *app) printEvent(w *workspace.Workspace, e *tail.Event, output string) error {
	if output == export.JSONL.Name {
		line, err := json.Marshal(documents.OfEvent(e, w.Session.Masker()))
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(export.Visible(a.Stdout), string(line))
		return err
	}
	_, err := fmt.Fprintln(a.Stdout, models.Printable(tail.Line(e, w.Session.Masker())))
	return err
}
