package main

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/cases"
	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/link"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/ops/data"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/profiles"
)

func openCommand(a *app) *cobra.Command {
	open := op.New(op.Op{
		Path: "open", Title: "Open a link or a case file in the console",
		Help: "Opens the console on the item or query of a link. To copy such a link in the console, press y l:\n" +
			"SCHEMA/ENTITY?name=value#SECTION or SCHEMA/PATTERN?name=value. The flags select the connection and the role.\n\n" +
			"If you open a case file, ddbdesk loads its items into a temporary embedded database, and removes the database\n" +
			"when the console ends. The role is admin unless --role names another one.",
	}, func(subject *string) []*op.Param {
		p := op.Arg(subject, "what", "`LINK|FILE"+cases.Extension+"` to open")
		p.Files = true
		return []*op.Param{p}
	}, func(ctx context.Context, _ *op.Call, subject *string) (op.Result, error) {
		if strings.HasSuffix(*subject, cases.Extension) {
			return nil, openCase(ctx, a, *subject)
		}
		if info, err := os.Stat(*subject); err == nil && !info.IsDir() {
			return nil, session.InputErrorf("%s is neither a link nor a case file; the name of a case file ends with %s",
				op.Short(*subject), cases.Extension)
		}
		return nil, openLink(ctx, a, *subject)
	})
	cmd := a.commandOf(open, open.Form())
	a.registerConsole(cmd)
	return cmd
}

func openLink(ctx context.Context, a *app, text string) error {
	l, err := link.Parse(text)
	if err != nil {
		return err
	}
	p, err := a.Profile(l.Schema)
	if err != nil {
		return err
	}
	if _, err := l.Resolve(p); err != nil {
		return err
	}
	if err := needTerminal(a.Streams); err != nil {
		return err
	}
	return a.runConsole(ctx, &opener{app: a, file: []string{l.Schema}, link: l}, p.Name)
}

func openCase(ctx context.Context, a *app, path string) error {
	if err := a.rejectConnectionFlags("open"); err != nil {
		return err
	}
	c, p, err := data.OpenCase(host{a}, path)
	if err != nil {
		return err
	}
	if err := needTerminal(a.Streams); err != nil {
		return err
	}
	a.enterDemo()
	db, err := a.stores.open(caseStoreOptions())
	if err != nil {
		return err
	}
	d := newDemo(db)
	d.onlyProfile = p
	d.fill = func(ctx context.Context, p *profiles.Profile, conn *store.Connection) error {
		_, err := data.Write(ctx, p, conn, data.AddRecords(c.Records))
		return err
	}
	return a.runConsole(ctx, &opener{app: a, demo: d, link: c.Link(p)}, p.Name)
}

// caseStoreOptions sets the clock to 1970, so that the items of an old case do not expire.
func caseStoreOptions() embedded.Options {
	return embedded.Options{NoSync: true, Clock: func() time.Time { return time.Unix(0, 0) }}
}
