// Package data contains the operations that prepare a database. They create and check tables, and write new items
// without plans.
package data

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/requests"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// Operations lists the package's operations in help order.
var Operations = []*op.Op{listTables, createTables, checkTables, seedTables, loadFile, saveCase, loadCase}

// A target is a database to which an operation writes without plans.
type target struct {
	operation string // name of the operation, for errors and the journal
	profile   *profiles.Profile
	conn      *store.Connection
	access    session.Options
}

func prepare(ctx context.Context, c *op.Call, p *profiles.Profile) (*target, error) {
	conn, access, err := c.Database(ctx, p)
	if err != nil {
		return nil, err
	}
	return &target{c.Path, p, conn, access}, access.CanPrepare(c.Path)
}

func prepareSchema(ctx context.Context, c *op.Call, schema string) (*target, error) {
	p, err := c.Profile(schema)
	if err != nil {
		return nil, err
	}
	return prepare(ctx, c, p)
}

// writeJournaled calls write only if it can write journal entries.
func (t *target) writeJournaled(ctx context.Context, write func() (tables.SeedResult, error)) (done tables.SeedResult, err error) {
	if t.access.Actor, err = t.access.Identity(ctx); err != nil {
		return done, err
	}
	end, err := session.New(t.access).Setup(ctx, t.operation)
	if err != nil {
		return done, &session.Refusal{
			Reason: fmt.Sprintf("%s needs a working journal: %v", t.operation, err),
			Advice: "nothing was written",
		}
	}
	done, err = write()
	outcome := done.String()
	if err != nil {
		outcome = "failed after " + outcome
	}
	if recordErr := end(outcome, err); recordErr != nil {
		return done, errors.Join(err, fmt.Errorf("%s, but this could not be recorded in the journal: %w", outcome, recordErr))
	}
	return done, done.AddTo(err)
}

type createInput struct {
	schema            string
	requests, journal bool
}

var createTables = op.New(op.Op{
	Path: "table create", Title: "Create the missing tables of a schema",
	Help: "Creates the missing tables of the schema. This needs --role admin except on the embedded database. With\n" +
		"--requests, it creates only the change-request table that the context or the schema names; with --journal, only\n" +
		"the table of journal.sink in the configuration.",
	Needs: op.Writes, Formats: op.TextJSON,
}, func(in *createInput) []*op.Param {
	return []*op.Param{
		op.SchemaArg(&in.schema), op.Flag(&in.requests, "requests", "create the change-request table instead"),
		op.Flag(&in.journal, "journal", "create the table of the journal sink instead"),
	}
}, func(ctx context.Context, c *op.Call, in *createInput) (op.Result, error) {
	if in.requests && in.journal {
		return nil, session.InputErrorf("--requests and --journal cannot be used together")
	}
	t, err := prepareSchema(ctx, c, in.schema)
	if err != nil {
		return nil, err
	}
	p, err := in.tables(t)
	if err != nil {
		return nil, err
	}
	created, err := tables.Create(ctx, p, t.conn)
	doc := op.Doc{
		Document: map[string][]string{"created": append([]string{}, created...)},
		Lines:    models.MapSlice(created, func(name string) string { return "created " + name }),
	}
	if err == nil && len(created) == 0 {
		doc.Notes = []string{"all tables exist"}
	}
	return doc, err
})

func (in *createInput) tables(t *target) (*profiles.Profile, error) {
	switch {
	case in.requests:
		at, err := requests.PlaceFor(t.profile, t.access.Requests.Table)
		if err != nil {
			return nil, err
		}
		return requests.NewProfile(at)
	case in.journal:
		if t.access.Shipper != nil {
			if s, ok := t.access.Shipper.Sink.(*journal.TableSink); ok {
				journalOnly := *t.profile
				journalOnly.Tables = []*models.Table{s.Model()}
				return &journalOnly, nil
			}
		}
		return nil, session.InputErrorf("--journal: the configuration has no table for the journal; set journal.sink.table")
	}
	return t.profile, nil
}

// checkTables ends with a service error if a table or a required index is missing. It reports tables without permission
// to describe them, and compares the others.
var checkTables = op.New(op.Op{
	Path: "table check", Title: "Compare the live tables with the schema", Needs: op.Reads, Formats: op.TextJSON,
}, func(schema *string) []*op.Param {
	return []*op.Param{op.SchemaArg(schema)}
}, func(ctx context.Context, c *op.Call, schema *string) (op.Result, error) {
	w, err := c.OpenSchema(ctx, *schema)
	if err != nil {
		return nil, err
	}
	found, checkErr := w.Tables.Check(ctx)
	if checkErr != nil && store.ClassOf(checkErr) != store.AccessDenied {
		return nil, checkErr
	}
	return checks(found), cmp.Or(checkErr, tables.MissingPart(w.Session.Viewer, found))
})

// checks contains the comparisons of tables.
type checks []tables.Check

func (list checks) JSON() any { return list }

// Text writes a row for each table, and one for each additional difference.
func (list checks) Text(to op.Output) error {
	t := items.NewTextTable("TABLE", "STATE", "ITEMS (APPROX.)", "DETAILS")
	t.WholeLast = true
	for _, c := range list {
		state, items := "ok", fmt.Sprint(c.ApproximateItems)
		switch {
		case c.Missing:
			state, items = "missing", ""
		case c.Status == "":
			state, items = "unknown", ""
		case len(c.Differences) > 0:
			state = "differs"
		}
		details := c.Differences
		if c.NotCompared != "" {
			details = append(details, c.NotCompared)
		}
		t.Add(c.Table, state, items, strings.Join(details[:min(1, len(details))], ""))
		for _, d := range details[min(1, len(details)):] {
			t.Add("", "", "", d)
		}
	}
	return t.Write(to.Writer)
}

// maxSeedItems is the maximum number of items per entity for seed to create.
const maxSeedItems = 1_000_000

type seedInput struct {
	sample.Options

	schema, at string
}

var seedTables = op.New(op.Op{
	Path: "seed", Title: "Write deterministic sample data to the tables of a schema",
	Help: "Writes sample items to the tables of the schema. Existing items stay unchanged. On the embedded database and on\n" +
		"local servers, seed also creates the tables. It needs --role admin except on the embedded database.",
	Needs: op.Writes, Formats: op.TextJSON,
}, func(in *seedInput) []*op.Param {
	in.Seed, in.at = 1, "today"
	return []*op.Param{
		op.SchemaArg(&in.schema),
		op.Flag(&in.Items, "items", "write `N` items per entity, and their audit entries (default: as in the schema)").
			Within(1, maxSeedItems),
		op.Flag(&in.Seed, "seed", "seed the random data with `N`; the same seed produces the same data"),
		op.Flag(&in.at, "at", "generate sample data up to `TIME`").WithCheck(func() error {
			at, err := models.ParseTime(in.at, time.Now())
			return cmp.Or(err, sample.CheckTime(at.Time))
		}),
		op.Flag(&in.Defects, "defects", "also write a few items with problems that ddbdesk drift finds"),
	}
}, func(ctx context.Context, c *op.Call, in *seedInput) (op.Result, error) {
	at, err := models.ParseTime(in.at, time.Now())
	if err != nil {
		return nil, err
	}
	in.At = at.Time
	t, err := prepareSchema(ctx, c, in.schema)
	if err != nil {
		return nil, err
	}
	done, err := t.writeJournaled(ctx, func() (tables.SeedResult, error) { return Seed(ctx, t.profile, t.conn, in.Options) })
	if err != nil {
		return nil, err
	}
	total := done.Written + done.Skipped
	doc := op.Doc{
		Document: map[string]int{"items": total, "skipped": done.Skipped}, Lines: []string{english.Plural(done.Written, "item", "")},
	}
	if done.Skipped > 0 {
		doc.Notes = []string{fmt.Sprintf("existing items left unchanged: %d", done.Skipped)}
	}
	return doc, nil
})

// Seed writes sample data. It first creates missing tables in a local store.
func Seed(ctx context.Context, p *profiles.Profile, conn *store.Connection, o sample.Options) (tables.SeedResult, error) {
	if err := tables.CreateLocal(ctx, p, conn); err != nil {
		return tables.SeedResult{}, err
	}
	return tables.Seed(ctx, p, conn, o)
}
