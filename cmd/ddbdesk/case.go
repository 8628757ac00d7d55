package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/cases"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/link"
	"github.com/ddbdesk/ddbdesk/internal/ops/explore"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

func caseCommand(a *app) *cobra.Command {
	return cli.Group("case", "Save an item and its related items in a file, and load such files", caseSaveCommand(a), caseLoadCommand(a))
}

type caseSaveOptions struct {
	limits  cases.Limits
	purpose cases.Purpose
	out     string
	output  string
}

func caseSaveCommand(a *app) *cobra.Command {
	o := caseSaveOptions{limits: cases.DefaultLimits()}
	cmd := &cobra.Command{
		Use:   "save SCHEMA ENTITY|PATTERN [name=value ...]",
		Short: "Save a case in a file, with pseudonyms for personal data",
		Long: "Reads an item by its key, or the items of a pattern, follows their relations and prints the tree. With --out,\n" +
			"reads the items again with strong consistency and saves them in a case file for ddbdesk open and case load.\n\n" +
			"Personal data is replaced by pseudonyms of the same type and format; equal values get equal pseudonyms. Keys are\n" +
			"built from them. Secrets are left out, and so are attributes that the schema does not declare, unless --keep\n" +
			"names them. The key of the pseudonyms stays on this machine.",
		Args:              cli.AtLeast("SCHEMA", "ENTITY|PATTERN"),
		ValidArgsFunction: a.completeInSchema(completeCase),
		RunE:              func(cmd *cobra.Command, args []string) error { return saveCase(a, cmd, args, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.out, "out", "", "save the case in `FILE`, which must not exist")
	f.IntVar(&o.limits.Depth, "depth", o.limits.Depth, "follow relations `N` steps far")
	f.IntVar(&o.limits.Rows, "rows", o.limits.Rows, "save at most `N` items of each read")
	f.IntVar(&o.limits.Items, "items", o.limits.Items, "save at most `N` items")
	f.IntVar(&o.limits.Bytes, "bytes", o.limits.Bytes, "save at most `N` bytes of items")
	f.Float64Var(&o.limits.Units, "rcu", o.limits.Units, "stop following relations after `N` read units")
	f.StringArrayVar(&o.limits.Without, "without", nil, "do not follow `PATTERN`; repeatable")
	f.StringArrayVar(&o.purpose.Keep, "keep", nil, "keep `ATTRIBUTE`, which the schema does not declare; repeatable")
	f.StringVar(&o.purpose.Reason, "reason", "", "store the reason `TEXT` and the --ticket in the file and in the journal; required on production")
	cli.OutputFlag(cmd, &o.output, "text", "json")
	return cmd
}

func (o caseSaveOptions) check(cmd *cobra.Command) error {
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
	if cmd.Flags().Changed("out") {
		if err := cli.CheckNewFile("--out", o.out); err != nil {
			return err
		}
	}
	return checkReason(o.purpose.Reason)
}

func saveCase(a *app, cmd *cobra.Command, args []string, o caseSaveOptions) error {
	o.purpose.Ticket = a.flags.purpose.Ticket
	if err := o.check(cmd); err != nil {
		return err
	}
	p, err := a.schema(args[0])
	if err != nil {
		return err
	}
	given, err := a.given(args[2:])
	if err != nil {
		return err
	}
	start, err := caseStart(p, args[1], given)
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
	if o.out != "" {
		if err := w.Cases.Check(o.purpose); err != nil {
			return err
		}
	}
	tree, err := w.Cases.Explore(ctx, start, o.limits)
	if err != nil {
		return err
	}
	list := tree.Items()
	if len(list) == 0 {
		a.Note("nothing found")
		return cli.ExitWith(cli.ExitNotFound)
	}
	document := savedCase{Items: len(list), Entities: cases.Entities(list), Dropped: []string{}, Kept: []string{}}
	for _, r := range tree.Rows() {
		document.Branches = append(document.Branches, caseBranch{r.Name, r.Depth, r.Entities(), r.New(), r.More})
	}
	if o.out == "" {
		err := a.Print(o.output, document, func(out io.Writer) error { return writeTree(out, tree) })
		a.Note("nothing was saved; add --out FILE" + cases.Extension)
		return err
	}
	c, report, err := w.Cases.Collect(ctx, tree, o.purpose)
	if err != nil {
		return err
	}
	if err := c.Save(o.out); err != nil {
		return err
	}
	document.File, document.Items, document.Entities = &o.out, len(c.Records), cases.Entities(c.Records)
	document.Replaced = cases.Total(report.Replaced)
	document.Dropped = append(document.Dropped, cases.Names(report.Dropped)...)
	document.Kept = append(document.Kept, cases.Names(report.Kept)...)
	return a.Print(o.output, document, func(out io.Writer) error {
		if err := writeTree(out, tree); err != nil {
			return err
		}
		return cli.WriteLines(out, append(append([]string{""}, report.Lines()...), "saved     "+o.out)...)
	})
}

// A savedCase is the document of case save. Without a file nothing was saved, and Replaced, Dropped and Kept are empty. Dropped
// and Kept name attributes, as Entity.attribute.
type savedCase struct {
	File     *string        `json:"file"`
	Items    int            `json:"items"`
	Entities map[string]int `json:"entities"`
	Replaced int            `json:"replaced"` // values with pseudonyms in their place
	Dropped  []string       `json:"dropped"`
	Kept     []string       `json:"kept"`
	Branches []caseBranch   `json:"branches"`
}

// A caseBranch is what one pattern found from the items of the branch above it.
type caseBranch struct {
	Pattern  string         `json:"pattern"`
	Depth    int            `json:"depth"` // 0 for the root
	Entities map[string]int `json:"entities"`
	New      int            `json:"new"`
	More     bool           `json:"more"` // a limit left out further items
}

func caseStart(p *profiles.Profile, name string, given map[string]string) (link.Place, error) {
	start, err := link.Find(p, name, given)
	if err != nil || start.Pattern == nil {
		return start, err
	}
	offline := workspace.New(session.Options{Profile: p})
	q, err := explore.ReadPattern(offline, p, name)
	if err != nil {
		return start, err
	}
	request, err := offline.Reading.Bind(q, given)
	if err == nil && (request.IsScan() || request.IsCount()) {
		err = cli.UsageErrorf("%s does not read the items of a case; name an entity, or a pattern that gets or queries", q.FullID())
	}
	return start, err
}

func writeTree(w io.Writer, t *cases.Tree) error {
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

type caseLoadOptions struct {
	dry, yes, replace bool
	output            string
}

func caseLoadCommand(a *app) *cobra.Command {
	var o caseLoadOptions
	cmd := &cobra.Command{
		Use: "load FILE", Short: "Write the items of a case where no item exists, except to production",
		Long: "Writes the items of a case file that do not exist yet. If an item exists with other values, nothing is written\n" +
			"and the exit code is 10. With --replace, such items are updated to the values of the case, if they have not\n" +
			"changed since the plan was shown. Secrets and attributes that the schema does not declare are kept.\n\n" +
			"Missing tables are created on the embedded store and on local servers. Needs --role admin, except on the\n" +
			"embedded store. Refused on production. On a terminal, ddbdesk shows the plan and asks first.",
		Args: cli.Exactly("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return loadCase(cmd.Context(), a, args[0], o) },
	}
	cli.OutputFlag(cmd, &o.output, "text", "json")
	cmd.Flags().BoolVar(&o.dry, flagDryRun, false, "show the plan; write nothing")
	cmd.Flags().BoolVar(&o.yes, flagYes, false, "write without asking")
	cmd.Flags().BoolVar(&o.replace, "replace", false, "also update items that exist with other values")
	return cmd
}

// caseLoadName is the name of case load in refusals and in the journal.
const caseLoadName = "case load"

func loadCase(ctx context.Context, a *app, path string, o caseLoadOptions) error {
	if o.dry && o.yes {
		return cli.UsageErrorf("--%s and --%s cannot be used together", flagDryRun, flagYes)
	}
	c, p, err := openCaseFile(a, path)
	if err != nil {
		return err
	}
	conn, err := a.connect(ctx, p.Guardrails.Regions)
	if err != nil {
		return err
	}
	access := a.access(p, conn.Describe())
	if err := access.CanPrepare(caseLoadName); err != nil {
		return err
	}
	viewer := session.NewViewer(access)
	l := caseLoad{Streams: a.Streams, masker: viewer.Masker(), place: conn.Describe().Place()}
	if l.Plan, err = cases.PlanLoad(ctx, conn.Reader(), c, time.Now()); err != nil {
		return err
	}
	if o.replace {
		l.replaced, err = l.Replacements(viewer)
	} else {
		err = l.Conflict()
	}
	if err != nil {
		return err
	}
	if l.Expired > 0 {
		a.Notef("the time to live of %s has passed; the database may delete them soon", english.Plural(l.Expired, "item", ""))
	}
	if !o.dry && !o.yes && l.total() > 0 && a.Interactive() {
		if err := l.confirm(ctx); err != nil {
			return err
		}
	}
	done := tables.Seeded{Written: len(l.New), Replaced: len(l.replaced)}
	if !o.dry {
		a.Notef("writing %s to %s", english.Plural(l.total(), "item", ""), l.place)
		done, err = setupRecorded(ctx, a, p, conn, caseLoadName, func(o session.Options) (tables.Seeded, error) {
			return l.apply(ctx, p, conn, o)
		})
		if err != nil {
			return err
		}
	}
	return l.report(done, o)
}

// A caseLoad is a case that is written to a database.
type caseLoad struct {
	cli.Streams
	*cases.Plan
	replaced []*change.Plan
	masker   *models.Masker
	place    string
}

func (l *caseLoad) total() int { return len(l.New) + len(l.replaced) }

func (l *caseLoad) report(done tables.Seeded, o caseLoadOptions) error {
	skipped := l.Present + done.Skipped
	document := map[string]any{
		"items": done.Written, "skipped": skipped, "replaced": done.Replaced, "target": l.place, "written": !o.dry,
		"entities": cases.Entities(l.New),
	}
	return l.Print(o.output, document, func(out io.Writer) error {
		if skipped > 0 {
			l.Notef("%d items already exist", skipped)
		}
		if o.dry {
			if err := l.describe(out); err != nil {
				return err
			}
			l.Notef("nothing was written to %s", l.place)
		}
		line := english.Plural(done.Written, "item", "")
		if done.Replaced > 0 {
			line += fmt.Sprintf(", %d replaced", done.Replaced)
		}
		return cli.WriteLines(out, line)
	})
}

func (l *caseLoad) describe(out io.Writer) error {
	var lines []string
	entities := cases.Entities(l.New)
	for _, name := range slices.Sorted(maps.Keys(entities)) {
		lines = append(lines, fmt.Sprintf("%d %s", entities[name], cmp.Or(name, "of no entity")))
	}
	for _, plan := range l.replaced {
		lines = append(lines, strings.TrimRight(plan.Shown(l.masker).Text(), "\n"))
	}
	return cli.WriteLines(out, lines...)
}

// confirm shows the plan on the terminal and asks whether to apply it. Any answer but yes ends the command.
func (l *caseLoad) confirm(ctx context.Context) error {
	if err := l.describe(l.Stderr); err != nil {
		return err
	}
	if l.Present > 0 {
		fmt.Fprintf(l.Stderr, "%d already exist and stay unchanged\n", l.Present)
	}
	question := fmt.Sprintf("Write %s to %s? (y/N) ", english.Plural(l.total(), "item", ""), models.Printable(l.place))
	return l.Agree(ctx, question, cli.IsYes, cli.NothingWritten)
}

// apply writes the new items where none exist, then the others where they are as the plan shows them.
func (l *caseLoad) apply(ctx context.Context, p *profiles.Profile, conn *store.Connection, access session.Options) (tables.Seeded, error) {
	done, err := writeRecords(ctx, p, conn, l.New)
	if err != nil {
		return done, err
	}
	access.Store = conn.Reader()
	s, sweep := workspace.New(access), ""
	if done.Replaced, sweep, err = cases.Replace(ctx, s.Committer, conn.Writer(), l.replaced); done.Replaced > 0 {
		l.Notef("to undo, run %s --sweep %s", s.Session.SchemaCommand("undo"), journal.ShortID(sweep))
	}
	return done, err
}

// writeRecords writes items where none exist. It creates missing tables of a local store before.
func writeRecords(ctx context.Context, p *profiles.Profile, conn *store.Connection, list []*cases.Record) (tables.Seeded, error) {
	if err := tables.CreateOwn(ctx, p, conn); err != nil {
		return tables.Seeded{}, err
	}
	l := items.NewLoader(p, conn)
	for _, r := range list {
		if err := l.Add(ctx, r.Table, r.Item); err != nil {
			return l.Done(), err
		}
	}
	err := l.Flush(ctx)
	return l.Done(), err
}

// openCaseFile reads a case file, and opens the profile that it was saved with, with the variables of this call.
func openCaseFile(a *app, path string) (*cases.Case, *profiles.Profile, error) {
	text, err := readArgument(path)
	if err != nil {
		return nil, nil, err
	}
	f, err := cases.Parse(text)
	if err != nil {
		return nil, nil, err
	}
	saved, schema, err := recordedProfile(&a.settings, "case file", f.Schema, f.Variables, path)
	if err == nil {
		err = f.Match(saved)
	} else if cli.HasType[profiles.Errors](err) { // it may lack a variable of the header
		err = &session.Refusal{Why: "the case was saved with another version of profile " + cli.Short(f.Schema), Next: errorText(err)}
	}
	if err != nil {
		return nil, nil, err
	}
	p, err := a.schema(schema)
	if err != nil {
		return nil, nil, err
	}
	c, err := f.Open(p)
	return c, p, err
}

// completeCase offers entities and read patterns, then the parts of the key or the parameters.
func completeCase(p *profiles.Profile, args []string, word string) completions {
	if len(args) == 0 {
		return append(completeEntities(p, nil, word), explore.CompletePattern(p, nil, word)...)
	}
	e := p.Entity(args[0])
	if e == nil {
		return explore.CompletePattern(p, args, word)
	}
	var names completions
	for _, k := range e.Table.PrimaryKeys() {
		t, _ := e.KeyTemplate(k.Name)
		names = append(names, models.NamesOf(t.Placeholders(), func(n string) string { return n + "=" })...)
	}
	return names
}
