package main

import (
	"context"
	"fmt"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/drafting"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
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
	f.StringVar(&o.name, "name", "", "name the profile `NAME` (default: the name of the first table)")
	f.IntVar(&o.sample, "sample", defaultSample, "read about `N` items of each table; 0 reads none")
	f.BoolVar(&o.allowScan, "allow-scan", false, "allow reading the sample from a database that is not on this machine")
	f.BoolVar(&o.examples, "examples", false, "also write example values of attributes that are not sensitive")
	return cmd
}

func initSchema(ctx context.Context, a *app, names []string, o initOptions) error {
	if o.sample < 0 || o.sample > maxSample {
		return cli.UsageErrorf("--sample: %d is not between 0 and %d", o.sample, maxSample)
	}
	if err := o.to.Ready(); err != nil {
		return err
	}
	conn, err := a.connectFor(ctx, nil)
	if err != nil {
		return err
	}
	if target := conn.Describe(); o.sample > 0 && !o.allowScan && !target.Own() {
		return &session.Refusal{
			Why:  fmt.Sprintf("reading a sample of %s items of each table in %s costs read units", humanize.Comma(int64(o.sample)), target),
			Next: "to accept the cost, run " + a.access(nil, target).Again("--allow-scan", "") + "; --sample 0 reads none",
		}
	}
	budget, _ := reading.ParseBudget(a.flags.Budget) // prepare checked it
	r := store.NewPacer(conn.Reader(), budget)
	d, err := drafting.FromTables(ctx, r, names, drafting.Options{Name: o.name, Sample: o.sample, Examples: o.examples, Note: a.Notef})
	if err != nil {
		return err
	}
	return o.to.finish(a.Streams, d.Profile, d.Items)
}
