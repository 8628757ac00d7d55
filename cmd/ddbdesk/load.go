package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// loadOptions are the flags of load.
type loadOptions struct {
	table, entity string
	unchecked     bool
	output        string
}

// maxLoadFaults is the number of differing items that load lists before it stops counting them one by one.
const maxLoadFaults = 5

func loadCommand(a *app) *cobra.Command {
	var o loadOptions
	cmd := &cobra.Command{
		Use: "load SCHEMA FILE", Short: "Write items from a file, except to production",
		Long: "Writes the items of FILE, and never replaces an existing item. FILE is DynamoDB JSON, JSON or JSON Lines, CSV, a\n" +
			"batch-write-item request, or the folder of an S3 export. All items are checked against the profile before the\n" +
			"first one is written.\n\n" +
			"Missing tables are created on the embedded store and on local servers. Needs --role admin, except on the\n" +
			"embedded store. Refused on production.",
		Args: cli.Exactly("SCHEMA", "FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return loadFile(cmd.Context(), a, args[0], args[1], o) },
		ValidArgsFunction: func(cmd *cobra.Command, args []string, word string) (completions, cobra.ShellCompDirective) {
			if len(args) == 1 {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return a.completeSchemas(cmd, args, word)
		},
	}
	cli.OutputFlag(cmd, &o.output, "text", "json")
	cmd.Flags().StringVar(&o.table, "table", "", "write to `TABLE` if neither the file nor the keys identify the table")
	cmd.Flags().StringVar(&o.entity, "entity", "", "build missing keys from the templates of `ENTITY`")
	cmd.Flags().BoolVar(&o.unchecked, "unchecked", false, "also write items that differ from the profile")
	return cmd
}

func loadFile(ctx context.Context, a *app, schema, path string, o loadOptions) error {
	p, conn, err := connectToPrepare(ctx, a, schema, "load")
	if err != nil {
		return err
	}
	from := items.ReadOptions{Profile: p, Table: o.table, Entity: o.entity}
	progress := &loadProgress{started: time.Now()}
	end := showLine(a, func() string { return progress.text(time.Now()) })
	err = checkItems(ctx, a, path, from, o.unchecked, progress)
	var done tables.Seeded
	if err == nil {
		done, err = setupRecorded(ctx, a, p, conn, "load", func(session.Options) (tables.Seeded, error) {
			return loadItems(ctx, p, conn, path, from, progress)
		})
	}
	end()
	if err != nil {
		return err
	}
	return a.Print(o.output, map[string]int{"items": done.Written, "skipped": done.Skipped}, func(w io.Writer) error {
		if done.Skipped > 0 {
			a.Notef("%s left out, because an item with the key exists", english.Plural(done.Skipped, "item", ""))
		}
		_, err := fmt.Fprintf(w, "%s\n", english.Plural(done.Written, "item", ""))
		return err
	})
}

// A loadProgress counts the items of a file: first those that are checked, then those that are read to be written.
type loadProgress struct {
	started       time.Time
	checked, read atomic.Int64
}

func (p *loadProgress) text(now time.Time) string {
	checked, read := p.checked.Load(), p.read.Load()
	switch {
	case now.Sub(p.started) < progressDelay:
		return ""
	case read == 0:
		return humanize.Comma(checked) + " items checked"
	}
	return fmt.Sprintf("%d%% · %s of %s items", 100*read/max(checked, 1), humanize.Comma(read), humanize.Comma(checked))
}

func checkItems(ctx context.Context, a *app, path string, from items.ReadOptions, unchecked bool, progress *loadProgress) error {
	faults := 0
	err := items.Read(path, from, func(r items.Record) error {
		progress.checked.Add(1)
		if fault := items.CheckItem(from.Profile, r); fault != "" {
			if faults++; faults <= maxLoadFaults {
				a.Note(r.Place + ": " + fault)
			}
		}
		return ctx.Err()
	})
	switch {
	case errors.Is(err, items.ErrInput):
		return cli.UsageErrorf("%v", err)
	case err != nil && ctx.Err() == nil:
		return cli.UsageErrorf("FILE: %v", err)
	case err != nil:
		return err
	case faults > 0 && !unchecked:
		return cli.UsageErrorf("%s the profile; nothing was written; add --unchecked to write them as they are",
			english.PluralWord(faults, "1 item differs from", fmt.Sprintf("%d items differ from", faults)))
	}
	return nil
}

func loadItems(
	ctx context.Context, p *profiles.Profile, conn *store.Connection, path string, from items.ReadOptions, progress *loadProgress,
) (tables.Seeded, error) {
	if err := tables.CreateOwn(ctx, p, conn); err != nil {
		return tables.Seeded{}, err
	}
	l := items.NewLoader(p, conn)
	err := items.Read(path, from, func(r items.Record) error {
		progress.read.Add(1)
		return l.Add(ctx, r.Table, r.Item)
	})
	if err == nil {
		err = l.Flush(ctx)
	}
	return l.Done(), err
}
