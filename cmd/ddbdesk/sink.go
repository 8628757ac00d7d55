package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/config"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// newShipper returns nil without a sink. All sessions of the program share it.
func newShipper(a *app) (*journal.Shipper, error) {
	f, err := a.configuration()
	if err != nil {
		return nil, err
	}
	a.stores.mu.Lock()
	defer a.stores.mu.Unlock()
	if s := openSink(a, f); a.stores.shipper == nil && s != nil {
		a.stores.shipper = &journal.Shipper{Sink: s, Required: f.Sink.Required}
	}
	return a.stores.shipper, nil
}

func (a *app) recording(p *profiles.Profile, t store.Target, actor string) (session.Options, error) {
	shipper, err := newShipper(a)
	o := a.access(p, t)
	o.Actor, o.Shipper = actor, shipper
	return o, err
}

func openSink(a *app, f *config.File) journal.Sink {
	switch s := f.Sink; {
	case s.File != "":
		return journal.FileSink{Path: s.File}
	case s.Table != "":
		at := *a
		if c, ok := f.Context(s.Context); ok {
			at.typed, at.changed = config.Context{}, nil // flags are about the database of the session
			at.enterContext(c)
		}
		t := journal.NewTableSink(s.Table, func(ctx context.Context) (*store.Connection, error) { return at.connect(ctx, nil) })
		t.Budget, _ = reading.ParseBudget(a.flags.Budget) // prepare checked it
		return t
	}
	return nil
}

func verifyAgainst(ctx context.Context, a *app, where string) error {
	from, err := sinkNamed(a, "--against", where)
	if err != nil {
		return err
	}
	path := journal.DefaultPath()
	r, err := journal.VerifyAgainst(ctx, path, from)
	if err != nil {
		return unreadable("--against", where, from.Name(), err)
	}
	for _, p := range r.Problems {
		fmt.Fprintln(a.Stdout, p)
	}
	if !r.OK() {
		return fmt.Errorf("%s: %s against %s; the journal or its copies were shortened or changed",
			path, english.Plural(len(r.Problems), "problem", ""), from.Name())
	}
	if r.Matched == 0 {
		return fmt.Errorf("%s has no entries of this journal, so nothing was compared", from.Name())
	}
	fmt.Fprintf(a.Stdout, "%s equal in %s\n", english.Plural(r.Matched, "entry", ""), from.Name())
	if r.Waiting > 0 {
		a.Notef("%s not sent yet", english.Plural(r.Waiting, "entry is", "entries are"))
	}
	return nil
}

func sinkNamed(a *app, flag, where string) (journal.Sink, error) {
	if where != configuredSink {
		return journal.FileSink{Path: where}, nil
	}
	f, err := a.configuration()
	if err != nil {
		return nil, err
	}
	s := openSink(a, f)
	if s == nil {
		return nil, cli.UsageErrorf("%s: %s has no journal.sink; name a file with its entries", flag, f.Path)
	}
	return s, nil
}

// unreadable is about the flag if another value of it can be read; the sink of the configuration must be there.
func unreadable(flag, where, name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist) && where != configuredSink:
		return cli.UsageErrorf("%s: no file %s", flag, cli.Short(where))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s does not exist: nothing was sent to the sink yet, or the file was removed", name)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// configuredSink is the value of --against and --from for the sink of the configuration.
const configuredSink = "sink"
