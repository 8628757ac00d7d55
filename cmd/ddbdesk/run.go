package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/export"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/watch"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// runOptions are the flags of the run command.
type runOptions struct {
	limit     int    // rows per page, 0 for the default
	all       bool   // read to the end
	next      string // page token of the previous answer, "" for the first page
	allowScan bool   // consent to the cost of reading a whole table
	explain   bool   // print the requests and send nothing
	output    string // name of an export format
	reveal    bool   // show personal data
	reason    string // for the journal entry of the reveal

	withEntity bool // name the entity of each row

	watch bool          // read again and print what changes
	every time.Duration // between two reads of a watch
	units float64       // budget of a watch in read units
}

// session returns the options for the session.
func (o runOptions) session() reading.RunOptions {
	return reading.RunOptions{Limit: o.limit, Token: o.next, AllowScan: o.allowScan, All: o.all}
}

// check reports flags that contradict each other or have no meaning.
func (o runOptions) check(cmd *cobra.Command) error {
	switch {
	case cmd.Flags().Changed("limit") && o.limit < 1:
		return cli.UsageErrorf("--limit: %d is not a positive number", o.limit)
	case cmd.Flags().Changed("next") && o.next == "":
		return cli.UsageErrorf("--next: empty token")
	case o.withEntity && o.output == export.DynamoDB.Name:
		return cli.UsageErrorf("--with-entity: -o %s has items only as they are stored; use another format", o.output)
	case o.watch && !slices.Contains(watchFormats, o.output):
		return cli.UsageErrorf("--watch: -o %s cannot be streamed; use %s", o.output, strings.Join(watchFormats, " or "))
	case o.watch && (o.all || o.next != ""):
		return cli.UsageErrorf("--watch starts at the first item; omit --all and --next")
	case o.every <= 0 || o.units <= 0:
		return cli.UsageErrorf("--every and --units must be positive")
	case !o.watch && (cmd.Flags().Changed("every") || cmd.Flags().Changed("units")):
		return cli.UsageErrorf("--every and --units work only with --watch")
	case o.reveal && strings.TrimSpace(o.reason) == "":
		return cli.UsageErrorf("--reveal: missing --reason TEXT")
	}
	return checkReason(o.reason)
}

// runCommand returns `ddbdesk run`.
func runCommand(a *app) *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run SCHEMA PATTERN [name=value ...]",
		Short: "Run a read pattern and print the items",
		Long: "Runs a read pattern with the given parameters. PATTERN is an ID from `ddbdesk pattern list`, or @NAME for a\n" +
			"query that was bookmarked in the console; parameters on the command line override those of the bookmark.\n\n" +
			"Without --all, run stops after one page and prints a token for --next. With --all it reads all pages, in\n" +
			"parallel where possible and within --budget, and writes items as they arrive, so that even a table larger than\n" +
			"memory can be exported. Only -o table waits until everything is read. If --all is interrupted, the output so far\n" +
			"is valid, and run prints a token for --next that continues after it.\n\n" +
			"Times can be written as 2026-01-14, 2026-01-14T10:00:00Z, epoch seconds, today or now-7d.",
		Args:              cli.AtLeast("SCHEMA", "PATTERN"),
		ValidArgsFunction: a.completeInSchema(completeRun),
		RunE:              func(cmd *cobra.Command, args []string) error { return runPattern(a, cmd, args, o) },
	}
	f := cmd.Flags()
	f.IntVar(&o.limit, "limit", 0, "return `N` rows per page, counted after filters")
	f.BoolVar(&o.all, "all", false, "read all pages")
	f.StringVar(&o.next, "next", "", "continue after the page that printed `TOKEN`")
	f.BoolVar(&o.allowScan, "allow-scan", false, "allow reading a whole table")
	f.BoolVar(&o.explain, "explain", false, "print the requests as JSON and send nothing")
	f.BoolVar(&o.reveal, "reveal", false, "show personal data; needs --reason, and is recorded in the journal")
	f.StringVar(&o.reason, "reason", "", "record `TEXT` in the journal as the reason for --reveal")
	f.BoolVar(&o.withEntity, "with-entity", false, "name the entity of each item, as "+models.EntityField)
	f.BoolVar(&o.watch, "watch", false, "repeat the query, and print the items that were added (+), changed (~) or removed (-)")
	f.DurationVar(&o.every, "every", 10*time.Second, "wait `TIME` between reads with --watch")
	f.Float64Var(&o.units, "units", watch.DefaultUnits, "end --watch before it has consumed `N` read units")
	cli.OutputFlag(cmd, &o.output, rowFormats()...)
	return cmd
}

// rowFormats returns the formats of items, the default first.
func rowFormats() []string {
	names := []string{export.Text.Name}
	for _, f := range export.Formats() {
		if f != export.Text {
			names = append(names, f.Name)
		}
	}
	return names
}

// runPattern runs a read pattern. It checks the arguments in a workspace without a connection
// first: a wrong argument is reported even where ddbdesk cannot connect, and --explain
// never does. Only the refusal of a scan waits for the connection, because it quotes the
// size of the table.
func runPattern(a *app, cmd *cobra.Command, args []string, o runOptions) error {
	if err := o.check(cmd); err != nil {
		return err
	}
	p, given, err := a.schemaAndValues(args)
	if err != nil {
		return err
	}
	id, given, err := resolveBookmark(p, args[1], given)
	if err != nil {
		return err
	}
	offline := workspace.New(session.Options{Profile: p})
	q, err := readPattern(offline, p, id)
	if err != nil {
		return err
	}
	request, err := offline.Reading.Bind(q, given)
	if err != nil {
		return err
	}
	if o.explain {
		r, err := offline.Reading.Run(request, reading.RunOptions{Limit: o.limit, Token: o.next, AllowScan: true})
		if err != nil {
			return err
		}
		return cli.WriteJSON(a.Stdout, r.Explain())
	}
	_, refused := offline.Reading.Run(request, reading.RunOptions{Limit: o.limit, Token: o.next, AllowScan: o.allowScan})
	if refused != nil && !errors.Is(refused, session.ErrRefused) {
		return refused
	}
	ctx := cmd.Context()
	s, err := a.readSession(ctx, p)
	switch {
	case err != nil && refused != nil:
		return refused
	case err != nil:
		return err
	case refused != nil:
		return s.Reading.RefuseScan(ctx, q)
	}
	if o.reveal {
		if err := s.Session.Reveal(ctx, q.FullID(), o.reason); err != nil {
			return err
		}
	}
	r, err := s.Reading.Run(request, o.session())
	if err != nil {
		return err
	}
	a.Warn(r.Request().Warnings)
	if o.watch {
		clock := time.NewTicker(o.every)
		defer clock.Stop()
		limits := watch.Options{Units: o.units, Rows: o.limit, AllowScan: o.allowScan}
		return queryWatch{a, s, r, o.output == export.JSONL.Name}.watchRun(ctx, limits, clock.C)
	}
	return writeRun(ctx, a, s, r, o)
}

// readPattern returns the read pattern with an ID. The error for a write pattern
// names the action that makes the write.
func readPattern(s *workspace.Workspace, p *profiles.Profile, id string) (*accesspatterns.Pattern, error) {
	q, err := s.Reading.Pattern(id)
	if err != nil || q.IsRead() {
		return q, err
	}
	hint := strings.TrimSpace(q.Safe)
	if act := p.Action(q.ID); act != nil && act.Off == "" {
		hint = strings.TrimSpace(fmt.Sprintf("use ddbdesk change %s %s. %s", session.SchemaName(p), act.ID, hint))
	}
	return nil, cli.UsageErrorf("%s is a write pattern; run accepts read patterns only\n%s", q.FullID(), hint)
}

// schemaAndValues opens the profile of SCHEMA NAME [name=value ...] and reads the values.
func (a *app) schemaAndValues(args []string) (*profiles.Profile, map[string]string, error) {
	p, err := a.schema(args[0])
	if err != nil {
		return nil, nil, err
	}
	values, err := a.given(args[2:])
	return p, values, err
}

// given reads name=value arguments. An argument of another form may be the folder
// of --embedded.
func (s *settings) given(args []string) (map[string]string, error) {
	given, err := parameters(args)
	if err != nil && s.flags.Embedded == defaultDir {
		return nil, fmt.Errorf("%w; the folder of --embedded must follow =", err)
	}
	return given, err
}

// parameters reads name=value arguments. An empty value is valid here; binding rejects it.
func parameters(args []string) (map[string]string, error) {
	given := map[string]string{}
	for _, arg := range args {
		name, value, ok := strings.Cut(arg, "=")
		if !ok || name == "" {
			return nil, cli.UsageErrorf("expected name=value, found %q", cli.Short(arg))
		}
		if _, twice := given[name]; twice {
			return nil, cli.UsageErrorf("parameter %s: given twice", cli.Short(name))
		}
		given[name] = value
	}
	return given, nil
}

// runOutcome notes what a user should know about the result. A GetItem that found
// nothing is exit code 1.
func runOutcome(s cli.Streams, r *reading.Run, total reading.Page, token string, o runOptions) error {
	q, request := r.Request().Pattern, r.Request()
	isGet := request.Read.Operation == accesspatterns.Get
	if token != "" && o.output != "json" {
		s.Note("more results follow; to continue, run " + r.Continue(token))
	}
	if d := q.Defect(); d != nil && (o.output == "table" || total.Count == 0 && !isGet) {
		text := q.Safe
		if text == "" {
			text = d.Workaround
		}
		s.Notef("%s %s: %s", d.ID, d.Kind, strings.TrimSpace(text))
	}
	if q.ExpectOne && total.Count > 1 {
		s.Notef("%s expects one item and found %d; DynamoDB does not enforce unique index keys", q.ID, total.Count)
	}
	if keys := request.KeyCount(); keys > 1 && total.Count > 0 && total.Count < keys && token == "" && o.next == "" {
		s.Notef("%d of %d keys not found", keys-total.Count, keys)
	}
	switch {
	case total.Count > 0:
	case isGet:
		s.Note("nothing found")
		return cli.ExitWith(cli.ExitNotFound)
	case o.output == "table" && !request.IsCount():
		s.Notef("no results; %d items scanned", total.Scanned)
	}
	return nil
}
