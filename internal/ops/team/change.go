package team

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/ops/explore"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// formats contains the formats of operations that make one change.
var formats = []string{"text", "json", "cli"}

// A choice is a flag that determines what to do with a plan. Its name is the flag with its value.
type choice struct {
	name string
	on   bool
}

// needsPrompt reports whether the operation must ask before it writes, because none of the flags is set. If so, the
// error means that no user can answer. Report an unknown change or request before that error.
func needsPrompt(c *op.Call, flags ...choice) (bool, error) {
	var given, usage []string
	for _, f := range flags {
		usage = append(usage, "--"+f.name)
		if f.on {
			name, _, _ := strings.Cut(f.name, " ")
			given = append(given, name)
		}
	}
	switch {
	case len(given) > 1:
		return false, session.InputErrorf("--%s cannot be used together", strings.Join(given, " and --"))
	case len(given) == 0 && !c.CanAsk():
		return true, session.InputErrorf("cannot ask for confirmation without a terminal; use %s", english.OxfordWordSeries(usage, "or"))
	}
	return len(given) == 0, nil
}

// sweepFlags contains the flags that limit a sweep.
type sweepFlags struct {
	changes.Limits
	flags []*op.Param // flags for sweeps only
	rate  string
}

// defaultCanary is the number of items to change before a sweep asks whether to continue.
const defaultCanary = 3

func (in *sweepFlags) rateFlag() *op.Param {
	p := op.Flag(&in.rate, "rate", "limit a sweep to `WCU` per second, or none for no limit (default: limited on production)")
	in.flags = append(in.flags, p)
	return p.WithCheck(func() (err error) {
		if in.Rate, err = reading.ParseBudget(in.rate); err != nil {
			return session.InputErrorf("invalid rate %q; use WCU per second, such as 100, or none", op.Short(in.rate))
		}
		return nil
	})
}

func (in *sweepFlags) canaryFlag() *op.Param {
	in.Canary = defaultCanary
	p := op.Flag(&in.Canary, "canary", "change `N` items of a sweep first, then prompt; 0 changes all without this prompt")
	in.flags = append(in.flags, p)
	return p.Within(0, -1)
}

// firstGiven returns the first sweep flag that the user set, or "".
func (in *sweepFlags) firstGiven() string {
	for _, p := range in.flags {
		if p.Given() {
			return p.Name
		}
	}
	return ""
}

// A planInput contains the inputs of all operations that plan one change.
type planInput struct {
	reason    string
	dryRun    bool
	plan      string
	file, yes bool

	planned *op.Param // parameter --plan
}

func (in *planInput) params() []*op.Param {
	in.planned = op.Flag(&in.plan, "plan", "save the plan to `FILE` for ddbdesk apply")
	return []*op.Param{
		in.planned.WithCheck(func() error { return items.CheckNewFile(in.plan) }),
		op.Reason(&in.reason, "record `TEXT` as the reason in the audit entry and the journal"),
		op.Flag(&in.dryRun, "dry-run", "show the plan; write nothing"),
		op.Flag(&in.yes, "yes", "apply the plan without asking; needs --role admin"),
	}
}

func (in *planInput) requestFlag() *op.Param {
	return op.Flag(&in.file, "request", "file the plan as a request that another user applies")
}

func (in *planInput) finish(ctx context.Context, s pendingChange, ask bool) (op.Result, error) {
	switch {
	case in.dryRun:
		return s.plannedOutcome(), nil
	case in.plan != "":
		return s.save(in.plan)
	case in.file:
		return s.fileRequest(ctx)
	}
	return s.apply(ctx, ask, s.commit)
}

type changeInput struct {
	sweepFlags
	planInput

	schema, action string
	values         map[string]string

	over, where string
	toAction    map[string]string // values of --input
	files       map[string]string // values of --input-file
	allowScan   bool

	many *op.Param // parameter --over
}

var changeItems = op.New(op.Op{
	Path: "change", Title: "Plan an action on an item, and apply it",
	Help: "Plans an action of the schema: the writes, their conditions and the audit entry. --dry-run prints the plan,\n" +
		"--plan saves it for `ddbdesk apply`, --request files it for another user, and --yes applies it; without these\n" +
		"flags ddbdesk asks first. If an item has changed since ddbdesk read it, ddbdesk writes nothing and exits with\n" +
		"10.\n\n" +
		"--over plans the action on every item that a pattern returns; name=value then sets a parameter of the pattern. A\n" +
		"sweep needs --dry-run or --plan, because you can continue a sweep only from its file. With --plan, --yes also\n" +
		"applies it. Pass a secret in a file, such as --input-file token=/dev/stdin, because other users can see\n" +
		"arguments.",
	Needs: op.Writes, Formats: formats,
}, func(in *changeInput) []*op.Param {
	action := op.Arg(&in.action, "action", "the ID of the action")
	action.Complete = explore.InSchema(&in.schema, func(p *profiles.Profile, _ string) (ids []string) {
		for _, a := range p.Actions {
			if a.Disabled == "" {
				ids = append(ids, a.ID+"\t"+a.Title)
			}
		}
		return ids
	})
	values := op.Arg(&in.values, "values", "inputs of the action or parameters of the pattern, as `name=value`").Optional()
	values.Complete = explore.InSchema(&in.schema, func(p *profiles.Profile, word string) []string {
		if a := p.Action(in.action); a != nil {
			return explore.CompleteValues(a.Inputs, word)
		}
		return nil
	})
	in.many = op.Flag(&in.over, "over", "change every item that `PATTERN` returns")
	in.flags = []*op.Param{
		op.Flag(&in.where, "where", "change only items that match `FILTER`, such as status:in_review"),
		op.Flag(&in.toAction, "input", "pass `NAME=VALUE` to the action instead of the pattern; repeatable"),
		op.Flag(&in.allowScan, "allow-scan", "allow --over to scan a whole table"),
	}
	in.canaryFlag()
	in.rateFlag()
	files := op.Flag(&in.files, "input-file", "pass the text of FILE to the action, as `NAME=FILE`; repeatable")
	return slices.Concat([]*op.Param{op.SchemaArg(&in.schema), action, values, files, in.many, in.requestFlag()}, in.params(), in.flags)
}, func(ctx context.Context, c *op.Call, in *changeInput) (op.Result, error) {
	if in.many.Given() {
		return planSweep(ctx, c, in)
	}
	if name := in.firstGiven(); name != "" {
		return nil, session.InputErrorf("--%s works only with sweeps; add --over PATTERN", name)
	}
	p, offline, act, err := in.open(c)
	if err != nil {
		return nil, err
	}
	if in.values, err = in.fromFiles(act, in.values); err != nil {
		return nil, err
	}
	return in.change(ctx, c, p, offline, pendingChange{action: act, schema: in.schema}, in.values)
})

// maxInput is the maximum size of an input in bytes, because an item has at most 400 KB. Source: Amazon DynamoDB
// Developer Guide, "Quotas in Amazon DynamoDB".
const maxInput = 400 << 10

// fromFiles rejects a secret on the command line, because the process list and the shell history would contain it.
func (in *changeInput) fromFiles(act *change.Action, values map[string]string) (map[string]string, error) {
	for _, p := range act.Inputs {
		if _, isSet := values[p.Name]; isSet && p.Sensitive == models.Secret {
			return nil, session.InputErrorf("%s is a secret, and other users can see arguments; use --input-file %[1]s=FILE", p.Name)
		}
	}
	all := maps.Clone(values)
	for name, path := range in.files {
		if _, duplicate := all[name]; duplicate {
			return nil, session.InputErrorf("--input-file: %s is also given as an argument", models.Printable(name))
		}
		f, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("--input-file: %w", op.FileError(err))
		}
		text, err := io.ReadAll(io.LimitReader(f, maxInput+1))
		switch err = errors.Join(err, f.Close()); {
		case err != nil:
			return nil, fmt.Errorf("--input-file: %w", op.FileError(err))
		case len(text) > maxInput:
			return nil, session.InputErrorf("--input-file: %s is longer than %d KB", models.Printable(path), maxInput>>10)
		}
		if all == nil {
			all = map[string]string{}
		}
		all[name] = strings.TrimRight(string(text), "\r\n")
	}
	return all, nil
}

func (in *changeInput) open(c *op.Call) (*profiles.Profile, *workspace.Workspace, *change.Action, error) {
	p, err := c.Profile(in.schema)
	if err != nil {
		return nil, nil, nil, err
	}
	offline := workspace.New(session.Options{Profile: p})
	act, err := offline.Planner.Action(in.action)
	if q := p.Pattern(in.action); err != nil && q != nil {
		err = session.InputErrorf("%s has no action\n%s", q.Term(), strings.TrimSpace(q.Safe))
		if q.IsRead() {
			err = session.InputErrorf("%s is a read pattern; use ddbdesk run %s %s", q.Term(), session.SchemaName(p), q.ID)
		}
	}
	return p, offline, act, err
}

// change checks the inputs before it connects. The journal records a rejected write, but not a rejected dry run.
func (in *planInput) change(
	ctx context.Context, c *op.Call, p *profiles.Profile, offline *workspace.Workspace, s pendingChange, inputs map[string]string,
) (op.Result, error) {
	modes := []choice{{"dry-run", in.dryRun}, {"plan FILE", in.planned.Given()}, {"request", in.file}, {"yes", in.yes}}
	ask, err := needsPrompt(c, modes...)
	s.Call, s.reason = c, in.reason
	act := s.action
	refusal := offline.Session.CanPlan(act)
	if refusal == nil {
		if _, err := offline.Planner.SubjectKey(act, inputs); err != nil {
			return nil, err
		}
	}
	if err != nil {
		return nil, err
	}
	if refusal == nil {
		c.Warn(act.Warnings(inputs, offline.Session.Now().UTC()))
		_, refusal = session.ReasonFor(act, in.reason)
	}
	willWrite := in.yes || ask
	if refusal != nil && !willWrite {
		return s.failedOutcome(refusal)
	}
	s.w, err = c.Open(ctx, p)
	switch {
	case err != nil && refusal != nil:
		return s.failedOutcome(refusal)
	case err != nil:
		return nil, err
	case willWrite && refusal == nil:
		refusal = s.w.Session.CanChange(act)
	}
	if refusal == nil {
		refusal = changes.CheckTypedActor(s.w.Session.Viewer, act)
	}
	if refusal != nil {
		return s.refuse(ctx, inputs, refusal)
	}
	if s.reveal {
		if err := s.w.Session.Reveal(ctx, act.FullID(), in.reason); err != nil {
			return s.failedOutcome(err)
		}
	}
	if s.plan, err = s.w.Planner.Plan(ctx, act, inputs, in.reason); err != nil {
		return s.failedOutcome(err)
	}
	s.action, s.secondPerson = s.plan.Action, s.plan.Action.FourEyes
	return in.finish(ctx, s, ask)
}
