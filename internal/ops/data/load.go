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
	"github.com/ddbdesk/ddbdesk/internal/ops/explore"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/profiles"
)

type loadInput struct {
	items.ReadOptions

	schema, path string
	unchecked    bool

	checked, read atomic.Int64 // number of items checked first, then read again for writing
}

var loadFile = op.New(op.Op{
	Path: "load", Title: "Write items from a file, except to production",
	Help: "Writes the items of FILE, and never replaces an existing item. FILE is DynamoDB JSON, JSON or JSON Lines, CSV, a\n" +
		"batch-write-item request, or the folder of an S3 export. First it checks all items: it refuses masked values,\n" +
		"items that DynamoDB would reject, and, without --unchecked, items that do not match the schema. If a write\n" +
		"fails, run the same command again to continue.\n\n" +
		"On the embedded database and on local servers, ddbdesk creates missing tables. load needs --role admin, except on\n" +
		"the embedded database, and refuses production.",
	Needs: op.Writes, Formats: op.TextJSON,
}, func(in *loadInput) []*op.Param {
	entity := op.Flag(&in.Entity, "entity", "build missing keys from the templates of `ENTITY`")
	entity.Complete = explore.InSchema(&in.schema, func(p *profiles.Profile, _ string) []string { return explore.CompleteEntities(p) })
	return []*op.Param{
		op.SchemaArg(&in.schema), op.Arg(&in.path, "file", "file with items, or the folder of an export"),
		op.Flag(&in.Table, "table", "write to `TABLE` if neither the file nor the keys identify the table"),
		entity,
		op.Flag(&in.unchecked, "unchecked", "also write items that differ from the schema"),
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
	done, err := t.writeJournaled(ctx, func() (tables.SeedResult, error) {
		return Write(ctx, t.profile, t.conn, func(add func(items.Record) error) error {
			return items.Read(in.path, in.ReadOptions, func(r items.Record) error {
				in.read.Add(1)
				return add(r)
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
		doc.Notes = []string{"skipped " + english.Plural(done.Skipped, "item", "") + ": " +
			english.PluralWord(done.Skipped, "its key already exists", "their keys already exist")}
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
	err := op.FileError(items.CheckFile(ctx, in.path, in.ReadOptions, in.unchecked, c.Note, func() { in.checked.Add(1) }))
	if err != nil && ctx.Err() == nil && !errors.Is(err, items.ErrInput) && !errors.Is(err, session.ErrInput) {
		err = session.InputErrorf("FILE: %v", err)
	}
	return err
}

// Write writes the items from each that do not exist yet. It first creates missing tables in a local store. If it
// returns an error, the result contains the items that DynamoDB certainly wrote.
func Write(
	ctx context.Context, p *profiles.Profile, conn *store.Connection, each func(add func(items.Record) error) error,
) (tables.SeedResult, error) {
	if err := tables.CreateLocal(ctx, p, conn); err != nil {
		return tables.SeedResult{}, err
	}
	l := items.NewLoader(p, conn)
	err := each(func(r items.Record) error { return l.Add(ctx, r) })
	if err == nil {
		err = l.Flush(ctx)
	}
	return l.Done(), err
}
