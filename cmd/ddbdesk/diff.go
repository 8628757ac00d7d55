package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/casefile"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/compare"
	"github.com/ddbdesk/ddbdesk/internal/documents"
	"github.com/ddbdesk/ddbdesk/internal/export"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

// diffOptions are the flags of the diff command.
type diffOptions struct {
	contexts []string
	tables   bool // compare the tables only
	compare.Options
	out    string // case file
	output string
}

// diffCommand returns `ddbdesk diff`.
func diffCommand(a *app) *cobra.Command {
	var o diffOptions
	cmd := &cobra.Command{
		Use:   "diff SCHEMA --context A --context B [ENTITY | PATTERN name=value ...]",
		Short: "Compare the tables and items of two environments",
		Long: "Compares the tables of two contexts, then their items. It prints items that only one context has, and items whose\n" +
			"attributes differ. Attributes that the profile declares volatile are not compared. Personal data is masked, and\n" +
			"nothing is written. The exit code is 10 if anything differs.\n\n" +
			"--out writes the items that exist only in the second context, or differ there, to a case file. Personal data is\n" +
			"replaced by pseudonyms.\n\n" +
			"Each side is read once, within its budget. Memory grows with the items that have no equal one in the other\n" +
			"context: about 120 MB for a million.",
		Args:              cli.AtLeast("SCHEMA"),
		ValidArgsFunction: a.completeInSchema(completeEntities),
		RunE:              func(cmd *cobra.Command, args []string) error { return diffContexts(cmd.Context(), a, args, o) },
	}
	f := cmd.Flags()
	// It takes the place of the flag of all commands.
	f.StringArrayVar(&o.contexts, "context", nil, "compare `CONTEXT`; use twice")
	f.BoolVar(&o.tables, "tables", false, "compare only table definitions; read no items")
	f.StringVar(&o.out, "out", "", "save the differing items of the second context as a case in `FILE`, which must not exist")
	f.BoolVar(&o.AllowScan, "allow-scan", false, "allow scans of production tables")
	f.IntVar(&o.Details, "details", 1000,
		"list changed attributes of the first `N` items that differ, 0 for all; later items are listed by key")
	cli.OutputFlag(cmd, &o.output, "table", "json")
	return cmd
}

// diffContexts opens both databases and compares them.
func diffContexts(ctx context.Context, a *app, args []string, o diffOptions) error {
	switch {
	case len(o.contexts) != 2 || o.contexts[0] == o.contexts[1]:
		return cli.UsageErrorf("diff compares two contexts; add --context twice, such as --context staging --context production")
	case o.Details < 0:
		return cli.UsageErrorf("--details: expected 0 or more, found %d", o.Details)
	case o.tables && o.out != "":
		return cli.UsageErrorf("--tables compares only table definitions; omit --out")
	case o.tables && len(args) > 1:
		return cli.UsageErrorf("--tables compares only table definitions; omit %s", cli.Short(args[1]))
	}
	if o.out != "" {
		if err := cli.CheckNewFile("--out", o.out); err != nil {
			return err
		}
	}
	var sides [2]*workspace.Workspace
	for i, name := range o.contexts {
		var err error
		if sides[i], err = openInContext(ctx, a, name, args[0]); err != nil {
			return fmt.Errorf("context %s: %w", cli.Short(name), err)
		}
	}
	if err := o.choose(sides[0], args[1:]); err != nil {
		return err
	}
	c := compare.New(sides[0], sides[1])
	if !o.tables {
		if err := c.Check(ctx, o.Options); err != nil {
			return err
		}
	}
	d := &differ{Streams: a.Streams, diffOptions: o, c: c}
	if o.out != "" {
		var err error
		if d.keep, err = c.NewCase(casefile.Purpose{Reason: a.flags.purpose.Reason, Ticket: a.flags.purpose.Ticket}); err != nil {
			return err
		}
	}
	var err error
	if d.tables, err = c.Tables(ctx); err != nil {
		return err
	}
	return d.run(ctx)
}

// openInContext opens a schema in a context.
func openInContext(ctx context.Context, a *app, name, schema string) (*workspace.Workspace, error) {
	f, err := a.configuration()
	if err != nil {
		return nil, err
	}
	c, ok := f.Context(name)
	if !ok {
		return nil, cli.UsageErrorf("%s has no such context%s", f.Path, models.DidYouMean(name, f.Names()))
	}
	in := a.in(c)
	return in.openSchema(ctx, schema, in.readSession)
}

// choose reads which items are compared: all, those of an entity, or those of a pattern.
func (o *diffOptions) choose(w *workspace.Workspace, args []string) (err error) {
	if len(args) == 0 {
		return nil
	}
	if w.Session.Profile().Entity(args[0]) != nil && len(args) == 1 {
		o.Entity = args[0]
		return nil
	}
	if w.Session.Profile().Pattern(args[0]) == nil && len(args) == 1 {
		_, err = w.Reading.Entity(args[0])
		return err
	}
	o.Pattern = args[0]
	o.Args, err = parameters(args[1:])
	return err
}

// A differ writes a comparison.
type differ struct {
	cli.Streams
	diffOptions
	c      *compare.Comparison
	tables []compare.TableDifference
	rows   *export.TextTable // nil for JSON
	list   *cli.List         // nil for text
	keep   *compare.Case     // nil without a case file
}

func (d *differ) run(ctx context.Context) error {
	if err := d.begin(); err != nil {
		return err
	}
	var sum compare.Summary
	var err error
	if !d.diffOptions.tables {
		reported := time.Now()
		d.Progress = func(sum compare.Summary) {
			if time.Since(reported) >= cli.ProgressInterval {
				reported = time.Now()
				d.Notef("%s and %s items read", humanize.Comma(int64(sum.Left)), humanize.Comma(int64(sum.Right)))
			}
		}
		sum, err = d.c.Find(ctx, d.Options, d.add)
	}
	if endErr := d.end(sum); endErr != nil || err != nil {
		return joinStopped(err, endErr, sum)
	}
	d.Note(d.summary(sum))
	if err := d.save(ctx); err != nil {
		return err
	}
	if sum.Different() || len(d.tables) > 0 {
		return cli.ExitWith(cli.ExitConflict)
	}
	return nil
}

// save writes the case file, if there is to be one.
func (d *differ) save(ctx context.Context) error {
	if d.keep == nil {
		return nil
	}
	c, _, err := d.keep.Collect(ctx)
	if err != nil {
		return err
	}
	if c == nil {
		d.Notef("no item of a known entity differs in %s; nothing was saved", cli.Short(d.contexts[1]))
		return nil
	}
	if err := writeCase(c, d.out); err != nil {
		return fmt.Errorf("save the case: %w", err)
	}
	d.Notef("saved %s of %s to %s", english.Plural(len(c.Records), "item", ""), cli.Short(d.contexts[1]), d.out)
	return nil
}

// joinStopped says how far a comparison came.
func joinStopped(err, endErr error, sum compare.Summary) error {
	if err == nil {
		return endErr
	}
	return fmt.Errorf("stopped after %s: %w", english.Plural(sum.Left+sum.Right, "item", ""), err)
}

// begin writes what differs in the tables.
func (d *differ) begin() error {
	if d.output == "json" {
		var head bytes.Buffer
		e := json.NewEncoder(&head)
		e.SetEscapeHTML(false)
		err := e.Encode(documents.Compared{Left: d.contexts[0], Right: d.contexts[1], Tables: documents.OfTables(d.tables)})
		d.list = cli.NewList(d.Stdout, strings.TrimSuffix(strings.TrimSpace(head.String()), "}")+",", "differences")
		return err
	}
	left, right := strings.ToUpper(cli.Short(d.contexts[0])), strings.ToUpper(cli.Short(d.contexts[1]))
	d.rows = export.NewTextTable("ENTITY", "KEY", "DIFFERENCE", "ATTRIBUTE", left, right)
	d.rows.Keys = "KEY"
	if len(d.tables) == 0 {
		return nil
	}
	t := export.NewTextTable("TABLE", "PROPERTY", left, right)
	for _, x := range d.tables {
		t.Add(x.Table, x.Property, orDash(x.Left), orDash(x.Right))
	}
	return t.Write(d.TableOutput())
}

func orDash(text string) string {
	if text == "" {
		return "–"
	}
	return models.Printable(text)
}

// diffPart is the number of rows that are aligned together, so that memory stays small.
const diffPart = 1000

// add writes an item that differs.
func (d *differ) add(item compare.Difference) error {
	if d.keep != nil {
		if err := d.keep.Add(item); err != nil {
			return err
		}
	}
	key, changes := d.c.Shown(item)
	if d.list != nil {
		return d.list.Add(documents.OfContrast(item, key, changes))
	}
	entity := "–"
	if item.Entity != nil {
		entity = item.Entity.Name
	}
	what := map[compare.Kind]string{
		compare.OnlyLeft: "only in " + cli.Short(d.contexts[0]), compare.OnlyRight: "only in " + cli.Short(d.contexts[1]),
		compare.Differs: "differs",
	}[item.Kind]
	text := item.Table.KeyText(key)
	if len(changes) == 0 {
		d.rows.Add(entity, text, what, "", "", "")
	}
	for _, ch := range changes {
		d.rows.Add(entity, text, what, ch.Path, documents.ValueCell(ch.Before), documents.ValueCell(ch.After))
		entity, text, what = "", "", ""
	}
	if d.rows.Len() < diffPart {
		return nil
	}
	return d.rows.Write(d.TableOutput())
}

// end completes the table or the document.
func (d *differ) end(sum compare.Summary) error {
	if d.list != nil {
		tail, err := json.Marshal(documents.OfSummary(sum))
		if err != nil {
			return err
		}
		return d.list.End(strings.TrimSuffix(strings.TrimPrefix(string(tail), "{"), "}"))
	}
	if d.rows.Len() == 0 {
		return nil
	}
	if len(d.tables) > 0 {
		if _, err := io.WriteString(d.Stdout, "\n"); err != nil {
			return err
		}
	}
	return d.rows.Write(d.TableOutput())
}

// summary says in one line what was compared.
func (d *differ) summary(sum compare.Summary) string {
	parts := []string{english.Plural(len(d.tables), "difference between the tables", "differences between the tables")}
	if !d.diffOptions.tables {
		parts = append(parts,
			fmt.Sprintf("%s only in %s", humanize.Comma(int64(sum.OnlyLeft)), cli.Short(d.contexts[0])),
			fmt.Sprintf("%s only in %s", humanize.Comma(int64(sum.OnlyRight)), cli.Short(d.contexts[1])),
			english.Plural(sum.Differs, "item differs", "items differ"), english.Plural(sum.Equal, "item is equal", "items are equal"))
	}
	return strings.Join(parts, "; ")
}
