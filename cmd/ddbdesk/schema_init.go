package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/draft"
	"github.com/ddbdesk/ddbdesk/internal/infer"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/models"
)

// initOptions are the flags of schema init.
type initOptions struct {
	name      string
	sample    int
	allowScan bool
	examples  bool
	to        draftOutput
}

const (
	defaultSample = 1024
	maxSample     = 20_000
)

// schemaInitCommand returns `ddbdesk schema init`.
func schemaInitCommand(a *app) *cobra.Command {
	var o initOptions
	cmd := &cobra.Command{
		Use: "init TABLE...", Short: "Make a profile from live tables and a sample of their items",
		Long: "Drafts a profile from live tables: describes them, reads a sample of their items, and infers entities, key\n" +
			"templates, attributes, formats and patterns. Inferred parts have documented: false, with the evidence in a\n" +
			"comment; lines marked CHECK need your confirmation.\n\n" +
			"The sample is not stored. Item values are not written to the profile, except literals in keys and words that\n" +
			"repeat, such as states.",
		Args: cli.AtLeast("TABLE"),
		RunE: func(cmd *cobra.Command, args []string) error { return initSchema(cmd.Context(), a, args, o) },
	}
	o.to.register(cmd)
	f := cmd.Flags()
	f.StringVar(&o.name, "name", "", "`NAME` of the profile (default: that of the first table)")
	f.IntVar(&o.sample, "sample", defaultSample, "read about `N` items of each table; 0 reads none")
	f.BoolVar(&o.allowScan, "allow-scan", false, "allow reading the sample from a database that is not on this machine")
	f.BoolVar(&o.examples, "examples", false, "also write example values of attributes that are not sensitive")
	return cmd
}

// initSchema drafts a profile of live tables.
func initSchema(ctx context.Context, a *app, names []string, o initOptions) error {
	if o.sample < 0 || o.sample > maxSample {
		return cli.UsageErrorf("--sample: %d is not between 0 and %d", o.sample, maxSample)
	}
	if err := o.to.ready(); err != nil {
		return err
	}
	conn, err := a.connectFor(ctx, nil)
	if err != nil {
		return err
	}
	if target := conn.Describe(); o.sample > 0 && !o.allowScan && !target.Own() {
		return &session.Refusal{
			Why:  fmt.Sprintf("reading a sample of %s items of each table in %s costs read units", humanize.Comma(int64(o.sample)), target),
			Next: "add --allow-scan to accept the cost, or --sample 0 to read none",
		}
	}
	budget, _ := reading.ParseBudget(a.flags.Budget) // prepare checked it
	r := store.NewPacer(conn.Reader(), budget)
	p := &draft.Profile{Name: o.name}
	if p.Name == "" {
		p.Name = infer.Kebab(names[0])
	}
	p.Notes = []string{
		"Drafted from " + english.Plural(len(names), "live table", "") + ".",
		"Confirm each line marked CHECK, then run: ddbdesk schema lint " + p.Name + ".yaml",
	}
	items := map[string][]models.Item{}
	for _, name := range slices.Compact(slices.Clone(names)) {
		t, err := draftTable(ctx, r, name)
		if err != nil {
			return err
		}
		if p.Table(t.ID) != nil {
			return cli.UsageErrorf("TABLE: two tables have the ID %s", t.ID)
		}
		var capacity float64
		if o.sample > 0 {
			if items[t.ID], capacity, err = tables.Sample(ctx, r, &t.Table, o.sample); err != nil {
				return err
			}
			a.Notef("table %s: read %s for %.1f read units", name, english.Plural(len(items[t.ID]), "item", ""), capacity)
		}
		infer.Add(p, infer.Sample{Table: t, Items: items[t.ID]}, infer.Options{Examples: o.examples})
		infer.Patterns(p, t)
	}
	return o.to.finish(a.Streams, p, items)
}

// draftTable describes a live table.
func draftTable(ctx context.Context, r store.Reader, name string) (*draft.Table, error) {
	info, err := r.DescribeTable(ctx, name)
	if err != nil {
		return nil, err
	}
	t := &draft.Table{Table: models.Table{
		ID: infer.Kebab(name), Name: name, PartitionKey: info.PartitionKey, SortKey: info.SortKey, Billing: billingText(info.Billing),
	}}
	if v := models.StreamView(info.Stream); slices.Contains(models.StreamViews(), v) {
		t.Stream = v
	}
	for _, x := range info.Indexes {
		index := &models.Index{Name: x.Name, Local: x.Local, PartitionKeys: x.PartitionKeys, SortKeys: x.SortKeys, Projection: x.Projection}
		if x.Projection == models.ProjectionInclude {
			index.Include = x.Include
		}
		t.Indexes = append(t.Indexes, index)
	}
	ttl, enabled, err := r.DescribeTTL(ctx, name)
	switch {
	case store.ClassOf(err) == store.AccessDenied:
		t.Notes = append(t.Notes, draft.Check("no permission to read the TTL attribute; add ttl: if the table has one"))
	case err != nil:
		return nil, err
	case enabled:
		t.TTL = ttl
	}
	return t, nil
}

// billingText returns DynamoDB's billing mode in words.
func billingText(mode string) string {
	if mode == "PAY_PER_REQUEST" {
		return "on-demand"
	}
	return "provisioned"
}
