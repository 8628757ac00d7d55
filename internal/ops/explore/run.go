package explore

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/profiles"
)

type runInput struct {
	readInput
	customQueryInput

	schema, pattern string
	args            map[string]string

	watch  bool
	every  time.Duration
	units  float64
	timing []*op.Param // every and units
}

var runPattern = op.New(op.Op{
	Path: "run", Title: "Run an access pattern and print the items",
	Help: "Runs an access pattern with the given parameters. PATTERN is an ID from `ddbdesk pattern list`, or @NAME for a\n" +
		"bookmarked query; parameters on the command line override those of the bookmark.\n\n" +
		"Without --all, run stops after one page; --next @last continues after it. With --all it reads all pages, in\n" +
		"parallel where possible and within --budget, and writes items as they arrive, so you can export a table larger than\n" +
		"memory. Only -o table reads everything first. If --all is interrupted, the output so far\n" +
		"is valid, and --next @last continues after it.\n\n" +
		"Write a time as 2026-01-14, 2026-01-14T10:00:00Z, epoch seconds, today, yesterday or now-7d.\n\n" +
		"For a table without a schema, the patterns get, query, query-INDEX and scan take the arguments of `ddbdesk table`.\n" +
		"Other patterns do not accept --where and --desc.",
	Needs: op.Reads, Formats: rowFormats(),
}, func(in *runInput) []*op.Param {
	in.every, in.units = 10*time.Second, reading.WatchUnits
	pattern := op.Arg(&in.pattern, "pattern", "the ID of a read pattern, or @NAME of a bookmark")
	pattern.Complete = InSchema(&in.schema, func(p *profiles.Profile, word string) []string { return CompletePattern(p, nil, word) })
	values := op.Arg(&in.args, "values", "parameters of the pattern, as `name=value`").Optional()
	values.Complete = InSchema(&in.schema, func(p *profiles.Profile, word string) []string {
		return CompletePattern(p, []string{in.pattern}, word)
	})
	in.timing = []*op.Param{
		op.Flag(&in.every, "every", "with --watch, wait `TIME` between reads, such as 30s"),
		op.Flag(&in.units, "units", "stop --watch before it exceeds `N` RCU"),
	}
	return slices.Concat([]*op.Param{op.SchemaArg(&in.schema), pattern, values}, in.readInput.params(),
		in.customQueryInput.params(), []*op.Param{
			op.Flag(&in.watch, "watch", "repeat the query, and print the items that were added (+), changed (~) or removed (-)"),
		}, in.timing)
}, run)

func rowFormats() []string {
	names := []string{items.Text.Name}
	for _, f := range items.Formats() {
		if f != items.Text {
			names = append(names, f.Name)
		}
	}
	return names
}

func (in *runInput) check(output string) error {
	switch {
	case in.watch && !slices.Contains(watchFormats, output):
		return session.InputErrorf("--watch cannot print -o %s; use -o %s", output, strings.Join(watchFormats, " or -o "))
	case in.watch && (in.all || in.next != ""):
		return session.InputErrorf("--watch starts at the first item, so it does not work with --all or --next")
	case in.every <= 0 || in.units <= 0:
		return session.InputErrorf("--every and --units must be greater than 0, such as --every 30s --units 100")
	case !in.watch && slices.ContainsFunc(in.timing, (*op.Param).Given):
		return session.InputErrorf("--every and --units work only with --watch; add --watch")
	}
	return in.readInput.check(output)
}

func run(ctx context.Context, c *op.Call, in *runInput) (op.Result, error) {
	if err := in.check(c.Output); err != nil {
		return nil, err
	}
	p, err := c.Profile(in.schema)
	if err != nil {
		return nil, err
	}
	q, args, err := resolveBookmark(p, in.pattern, in.args)
	id := in.pattern
	if q != nil {
		id = q.ID
	}
	if err == nil && (q == nil || q.CustomQuery == nil) {
		q, err = ReadPattern(workspace.New(session.Options{Profile: p}), p, id)
	}
	if err == nil {
		q, args, err = in.customPattern(c, p, q, args, in.reveal)
	}
	if err == nil && in.watch && q.Read.Operation == accesspatterns.Count {
		err = session.InputErrorf("--watch prints items, and %s returns only their number; omit --watch", q.Term())
	}
	if err != nil {
		return nil, err
	}
	return in.read(ctx, c, p, q, args, func(w *workspace.Workspace, r *reading.Run) op.Result {
		if !in.watch {
			return newRowWriter(ctx, w, r, &in.readInput)
		}
		clock := time.NewTicker(in.every) // The garbage collector stops the ticker.
		limits := reading.WatchOptions{Units: in.units, Rows: in.limit, AllowScan: in.allowScan}
		return watched(ctx, c, w, r, limits, clock.C)
	})
}

// ReadPattern returns the read pattern with an ID. For a write pattern, the error names the corresponding action.
func ReadPattern(w *workspace.Workspace, p *profiles.Profile, id string) (*accesspatterns.Pattern, error) {
	q, err := w.Reading.Pattern(id)
	if err != nil || q.IsRead() {
		return q, err
	}
	hint := strings.TrimSpace(q.Safe)
	if act := p.Action(q.ID); act != nil && act.Disabled == "" {
		hint = strings.TrimSpace(fmt.Sprintf("use ddbdesk change %s %s. %s", session.SchemaName(p), act.ID, hint))
	} else if act != nil {
		hint = fmt.Sprintf("its action %s is disabled: %s", act.ID, act.Disabled)
	}
	return nil, session.InputErrorf("%s is a write pattern; run accepts only read patterns\n%s", q.Term(), hint)
}
