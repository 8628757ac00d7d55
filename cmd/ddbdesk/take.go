package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/casefile"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/documents"
	"github.com/ddbdesk/ddbdesk/internal/export"
	"github.com/ddbdesk/ddbdesk/internal/exporter"
	"github.com/ddbdesk/ddbdesk/internal/link"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// takeOptions are the flags of take.
type takeOptions struct {
	limits  casefile.Limits
	purpose casefile.Purpose
	out     string
	output  string

	real       bool     // keep personal data, in a sealed file
	recipients []string // public keys that the file is sealed for, none for a passphrase
}

// takeCommand returns `ddbdesk take`.
func takeCommand(a *app) *cobra.Command {
	o := takeOptions{limits: casefile.DefaultLimits()}
	cmd := &cobra.Command{
		Use:   "take SCHEMA ENTITY|PATTERN [name=value ...]",
		Short: "Save a case in a file, with pseudonyms for personal data",
		Long: "Reads an item by its key, or the items of a pattern, follows their relations and prints the tree. With --out,\n" +
			"reads the items again with strong consistency and saves them in a case file for ddbdesk open, put and fixtures.\n\n" +
			"Personal data is replaced by pseudonyms of the same type and format; equal values get equal pseudonyms. Keys are\n" +
			"built from them. Secrets are left out, and so are attributes that the profile does not declare, unless --keep\n" +
			"names them. The key of the pseudonyms stays on this machine.\n\n" +
			"With --real, personal data stays as stored, secrets are still left out, and the file is sealed with age for\n" +
			"recipients or for a passphrase. This needs --role developer and --reason, and is recorded as a reveal.",
		Args:              cli.AtLeast("SCHEMA", "ENTITY|PATTERN"),
		ValidArgsFunction: a.completeInSchema(completeTake),
		RunE:              func(cmd *cobra.Command, args []string) error { return takeCase(a, cmd, args, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.out, "out", "", "save the case in `FILE`, which must not exist")
	f.IntVar(&o.limits.Depth, "depth", o.limits.Depth, "follow relations `N` steps far")
	f.IntVar(&o.limits.Rows, "rows", o.limits.Rows, "take at most `N` items from each read")
	f.IntVar(&o.limits.Items, "items", o.limits.Items, "take at most `N` items")
	f.IntVar(&o.limits.Bytes, "bytes", o.limits.Bytes, "take at most `N` bytes of items")
	f.Float64Var(&o.limits.Units, "rcu", o.limits.Units, "stop following relations after `N` read units")
	f.StringArrayVar(&o.limits.Without, "without", nil, "do not follow `PATTERN`; repeatable")
	f.StringArrayVar(&o.purpose.Keep, "keep", nil, "keep `ATTRIBUTE`, which the profile does not declare; repeatable")
	f.StringVar(&o.purpose.Reason, "reason", "", "store the reason `TEXT` and the --ticket in the file and in the journal; required on production")
	f.BoolVar(&o.real, "real", false, "keep personal data, in a sealed file; needs --out and --reason")
	f.StringArrayVar(&o.recipients, "recipient", nil,
		"seal the file of --real for the age public key `KEY`, instead of a passphrase; repeatable")
	cli.OutputFlag(cmd, &o.output, "text", "json")
	return cmd
}

// check reports flags without a meaning.
func (o takeOptions) check(cmd *cobra.Command) error {
	for name, n := range map[string]float64{
		"rows": float64(o.limits.Rows), "items": float64(o.limits.Items), "bytes": float64(o.limits.Bytes), "rcu": o.limits.Units,
	} {
		if !(n > 0) {
			return cli.UsageErrorf("--%s: %v is not a positive number", name, n)
		}
	}
	if o.limits.Depth < 0 {
		return cli.UsageErrorf("--depth: %d is negative", o.limits.Depth)
	}
	switch {
	case o.real && o.out == "":
		return cli.UsageErrorf("--real: missing --out FILE%s", casefile.Extension)
	case len(o.recipients) > 0 && !o.real:
		return cli.UsageErrorf("--recipient: only a case with personal data is sealed; add --real, or omit the flag")
	}
	if cmd.Flags().Changed("out") {
		if err := cli.CheckNewFile("--out", o.out); err != nil {
			return err
		}
	}
	return checkReason(o.purpose.Reason)
}

// takeCase finds the items of a case, and saves them if there is a file for them.
func takeCase(a *app, cmd *cobra.Command, args []string, o takeOptions) error {
	o.purpose.Ticket = a.flags.purpose.Ticket
	if err := o.check(cmd); err != nil {
		return err
	}
	p, given, err := a.schemaAndValues(args)
	if err != nil {
		return err
	}
	start, err := takeStart(p, args[1], given)
	if err != nil {
		return err
	}
	for _, id := range o.limits.Without {
		if p.Pattern(id) == nil {
			return cli.UsageErrorf("--without: %s has no pattern %q%s", p.Name, cli.Short(id), models.DidYouMean(id, p.PatternIDs()))
		}
	}
	ctx := cmd.Context()
	w, err := a.readSession(ctx, p)
	if err != nil {
		return err
	}
	save, err := o.saver(ctx, a, w)
	if err != nil {
		return err
	}
	tree, err := w.Cases.Explore(ctx, start, o.limits, func(*casefile.Tree) {})
	if err != nil {
		return err
	}
	if items, _, _ := tree.Total(); items == 0 {
		a.Note("nothing found")
		return cli.ExitWith(cli.ExitNotFound)
	}
	if o.out == "" {
		err := a.Print(o.output, documents.OfTree(tree), func(out io.Writer) error { return writeTree(out, tree) })
		a.Note("nothing was saved; add --out FILE" + casefile.Extension)
		return err
	}
	c, report, text, err := save(tree)
	if err != nil {
		return err
	}
	path, err := export.Path(o.out)
	if err != nil {
		return cli.UsageErrorf("--out: %v", err)
	}
	if err := exporter.SaveText(path, string(text), false); err != nil {
		return err
	}
	document := documents.OfTaken(tree, c, w.Session.Profile(), report, o.out)
	return a.Print(o.output, document, func(out io.Writer) error {
		if err := writeTree(out, tree); err != nil {
			return err
		}
		return cli.WriteLines(out, append(append([]string{""}, report.Lines()...), "saved     "+o.out)...)
	})
}

// A caseSaver takes the items of a tree, and returns the text of their file.
type caseSaver func(*casefile.Tree) (*casefile.Case, *casefile.Report, []byte, error)

// saver returns what makes the file, after it asked for a passphrase that seals it. The error says why no file may be made.
func (o takeOptions) saver(ctx context.Context, a *app, w *workspace.Workspace) (caseSaver, error) {
	switch {
	case o.out == "":
		return nil, nil
	case !o.real:
		return func(t *casefile.Tree) (c *casefile.Case, r *casefile.Report, text []byte, err error) {
			if c, r, err = w.Cases.Take(ctx, t, o.purpose); err == nil {
				text, err = c.Encode()
			}
			return c, r, text, err
		}, w.Cases.Check(o.purpose)
	}
	if err := w.Cases.CheckReal(w.Session, o.purpose); err != nil {
		return nil, err
	}
	l, err := a.lock(ctx, o.recipients)
	return func(t *casefile.Tree) (c *casefile.Case, r *casefile.Report, text []byte, err error) {
		if c, r, err = w.Cases.TakeReal(ctx, w.Session, t, o.purpose); err == nil {
			text, err = c.Seal(l)
		}
		return c, r, text, err
	}, err
}

// takeStart returns the start of a case: an item of an entity, or a query that reads the items of a case.
func takeStart(p *profiles.Profile, name string, given map[string]string) (link.Place, error) {
	var values []link.Value
	for _, n := range slices.Sorted(maps.Keys(given)) {
		values = append(values, link.Value{Name: n, Text: given[n]})
	}
	start, err := link.Find(p, name, values)
	if err != nil || start.Pattern == nil {
		return start, err
	}
	offline := workspace.New(session.Options{Profile: p})
	q, err := readPattern(offline, p, name)
	if err != nil {
		return start, err
	}
	request, err := offline.Reading.Bind(q, given)
	if err == nil && (request.IsScan() || request.IsCount()) {
		err = cli.UsageErrorf("%s does not read the items of a case; take an entity, or a pattern that gets or queries", q.FullID())
	}
	return start, err
}

// writeTree writes a tree in columns: what is read, its items, and what is to be known about them.
func writeTree(w io.Writer, t *casefile.Tree) error {
	rows := t.Rows()
	names, counts := 0, 0
	for _, r := range rows {
		names, counts = max(names, ansi.StringWidth(r.Indent+r.Name)), max(counts, ansi.StringWidth(r.Counts()))
	}
	for _, r := range rows {
		name := r.Indent + r.Name + strings.Repeat(" ", names-ansi.StringWidth(r.Indent+r.Name))
		text := fmt.Sprintf("%s  %-*s  %s", name, counts, r.Counts(), models.Printable(r.Note()))
		if _, err := fmt.Fprintln(w, strings.TrimRight(text, " ")); err != nil {
			return err
		}
	}
	return cli.WriteLines(w, t.Summary())
}

// completeTake offers entities and read patterns, then the parts of the key or the parameters.
func completeTake(p *profiles.Profile, args []string, word string) (completions, cobra.ShellCompDirective) {
	if len(args) > 0 {
		if e := p.Entity(args[0]); e != nil {
			var names completions
			for _, k := range e.Table.PrimaryKeys() {
				t, _ := e.KeyTemplate(k.Name)
				names = append(names, models.NamesOf(t.Placeholders(), func(n string) string { return n + "=" })...)
			}
			return names, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
		}
		return completeRun(p, args, word)
	}
	entities, _ := completeEntities(p, nil, word)
	patterns, directive := completeRun(p, nil, word)
	return append(entities, patterns...), directive
}
