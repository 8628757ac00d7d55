package data

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// maxLoadFaults is the number of differing items that load lists before it stops counting them one by one.
const maxLoadFaults = 5

type loadInput struct {
	items.ReadOptions

	schema, path string
	unchecked    bool

	checked, read atomic.Int64 // items: first all are checked, then they are read again to be written
}

var loadFile = op.New(op.Op{
	Path: "load", Title: "Write items from a file, except to production",
	Help: "Writes the items of FILE, and never replaces an existing item. FILE is DynamoDB JSON, JSON or JSON Lines, CSV, a\n" +
		"batch-write-item request, or the folder of an S3 export. All items are checked against the profile before the\n" +
		"first one is written.\n\n" +
		"Missing tables are created on the embedded store and on local servers. Needs --role admin, except on the\n" +
		"embedded store. Refused on production.",
	Needs: op.Writes, Formats: op.TextJSON,
}, func(in *loadInput) []*op.Param {
	return []*op.Param{
		op.SchemaArg(&in.schema), op.Arg(&in.path, "file", "file with items, or the folder of an export"),
		op.Flag(&in.Table, "table", "write to `TABLE` if neither the file nor the keys identify the table"),
		op.Flag(&in.Entity, "entity", "build missing keys from the templates of `ENTITY`"),
		op.Flag(&in.unchecked, "unchecked", "also write items that differ from the profile"),
	}
}, func(ctx context.Context, c *op.Call, in *loadInput) (op.Result, error) {
	t, err := prepareSchema(ctx, c, in.schema)
	if err != nil {
		return nil, err
	}
	in.Profile = t.profile
	defer c.Progress(in.progress)()
	if err := in.check(ctx, c); err != nil {
		return nil, err
	}
	done, err := t.recorded(ctx, func() (tables.Seeded, error) {
		return Write(ctx, t.profile, t.conn, func(add func(*models.Table, models.Item) error) error {
			return items.Read(in.path, in.ReadOptions, func(r items.Record) error {
				in.read.Add(1)
				return add(r.Table, r.Item)
			})
		})
	})
	if err != nil {
		return nil, err
	}
	doc := op.Doc{
		Document: map[string]int{"items": done.Written, "skipped": done.Skipped}, Lines: []string{english.Plural(done.Written, "item", "")},
	}
	if done.Skipped > 0 {
		doc.Notes = []string{english.Plural(done.Skipped, "item", "") + " left out, because an item with the key exists"}
	}
	return doc, nil
})

func (in *loadInput) progress() string {
	checked, read := in.checked.Load(), in.read.Load()
	if read == 0 {
		return humanize.Comma(checked) + " items checked"
	}
	return fmt.Sprintf("%d%% · %s of %s items", 100*read/max(checked, 1), humanize.Comma(read), humanize.Comma(checked))
}

func (in *loadInput) check(ctx context.Context, c *op.Call) error {
	faults := 0
	err := items.Read(in.path, in.ReadOptions, func(r items.Record) error {
		in.checked.Add(1)
		if fault := items.CheckItem(in.Profile, r); fault != "" {
			if faults++; faults <= maxLoadFaults {
				c.Note(r.Place + ": " + fault)
			}
		}
		return ctx.Err()
	})
	switch {
	case errors.Is(err, items.ErrInput):
		return session.InputErrorf("%v", err)
	case err != nil && ctx.Err() == nil:
		return session.InputErrorf("FILE: %v", err)
	case err != nil:
		return err
	case faults > 0 && !in.unchecked:
		return session.InputErrorf("%s the profile; nothing was written; add --unchecked to write them as they are",
			english.PluralWord(faults, "1 item differs from", fmt.Sprintf("%d items differ from", faults)))
	}
	return nil
}

// Write writes the items that each adds, where none exist. It creates missing tables of a local store before. After an
// error, the result is what was certainly written.
func Write(
	ctx context.Context, p *profiles.Profile, conn *store.Connection, each func(add func(*models.Table, models.Item) error) error,
) (tables.Seeded, error) {
	if err := tables.CreateOwn(ctx, p, conn); err != nil {
		return tables.Seeded{}, err
	}
	l := items.NewLoader(p, conn)
	err := each(func(t *models.Table, it models.Item) error { return l.Add(ctx, t, it) })
	if err == nil {
		err = l.Flush(ctx)
	}
	return l.Done(), err
}
