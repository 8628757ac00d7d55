package main

import (
	"context"

	"github.com/ddbdesk/ddbdesk/internal/config"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// newShipper returns nil if there is no sink. All sessions of the program share the shipper.
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
		sinkApp := *a
		if c, ok := f.Context(s.Context); ok {
			sinkApp.typed, sinkApp.changed = config.Context{}, nil // the session's flags select another database
			sinkApp.applyContext(c)
		}
		t := journal.NewTableSink(s.Table, func(ctx context.Context) (*store.Connection, error) { return sinkApp.connect(ctx, nil) })
		t.Budget, _ = reading.ParseBudget(a.flags.Budget) // prepare validated it
		return t
	}
	return nil
}

func (a *app) Sink(flag, place string) (journal.Sink, error) {
	if place != op.ConfiguredSink {
		return journal.FileSink{Path: place}, nil
	}
	f, err := a.configuration()
	if err != nil {
		return nil, err
	}
	s := openSink(a, f)
	if s == nil {
		return nil, session.InputErrorf("%s: %s does not set journal.sink; set it, or use the name of a file with journal entries", flag, f.Path)
	}
	return s, nil
}
