package team

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/requests"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

type applyInput struct {
	sweepFlags
	RequestRef // place of the change request, for requests apply

	path string
	yes  bool
}

func (in *applyInput) needsPrompt(c *op.Call) (bool, error) {
	return needsPrompt(c, choice{"yes", in.yes})
}

func (in *applyInput) applyFlags() []*op.Param {
	return []*op.Param{op.Flag(&in.yes, "yes", "apply the plan without asking"), in.canaryFlag(), in.rateFlag()}
}

var applyFile = op.New(op.Op{
	Path: "apply", Title: "Apply a plan that ddbdesk change --plan saved",
	Help: "Plans the change in FILE again and applies it if the plan is the same. FILE contains the schema's name, its\n" +
		"variables and the inputs. The exit code is 10 if the data has changed, and 11 if the file was edited or\n" +
		"another machine created it.\n\n" +
		"ddbdesk applies a sweep item by item: a few first, then the rest. Run the same command again to continue an\n" +
		"interrupted sweep; ddbdesk changes no item twice.",
	Needs: op.Writes, Formats: []string{"text", "json", "jsonl"},
}, func(in *applyInput) []*op.Param {
	file := op.Arg(&in.path, "file", "a file that ddbdesk change --plan saved")
	file.Files = true
	return append(in.applyFlags(), file)
}, func(ctx context.Context, c *op.Call, in *applyInput) (op.Result, error) {
	f, err := changes.OpenFile(in.path)
	switch {
	case err != nil:
		return nil, op.FileError(err)
	case f.Many():
		return applyMany(ctx, c, in, f, nil)
	}
	defer f.Close() //nolint:errcheck // The file is only read.
	if name := in.firstGiven(); name != "" {
		return nil, session.InputErrorf("--%s works only with sweeps, and %s is a plan for one change; omit the flag",
			name, models.Printable(in.path))
	}
	if c.Output == "jsonl" {
		return nil, session.InputErrorf("-o jsonl works only with sweeps, and %s is a plan for one change; use -o json",
			models.Printable(in.path))
	}
	return applyOne(ctx, c, in, f)
})

func recordedSchema(c *op.Call, subject string, h changes.Head, path string) (*profiles.Profile, string, error) {
	p, schema, err := c.Recorded(subject, h.Schema, h.Variables, path)
	if err == nil && h.Profile != p.Digest() { // checked first, because the plan's action may no longer exist
		err = &session.Refusal{Reason: "schema " + p.Name + " changed after the plan was created", Advice: "create a new plan"}
	}
	return p, schema, err
}

// applyOne checks the digests of the schema and the file before it sends anything. LoadPlan then compares the data.
func applyOne(ctx context.Context, c *op.Call, in *applyInput, f *changes.File) (op.Result, error) {
	ask, err := in.needsPrompt(c)
	if err != nil {
		return nil, err
	}
	p, schema, err := recordedSchema(c, "plan", f.Head, in.path)
	if err != nil {
		return nil, err
	}
	s := pendingChange{Call: c, schema: schema, reason: f.Reason, undo: f.Undoes != ""}
	if s.w, err = c.Open(ctx, p); err != nil {
		return nil, err
	}
	if s.action, err = s.w.Planner.ActionOf(f); err != nil {
		return nil, err
	}
	s.production = p.IsProduction(f.Context)
	if err := s.w.Session.CanChange(s.action); err != nil {
		inputs, _ := f.OpenInputs(s.w.Session.Viewer) // The refusal takes precedence.
		return s.refuse(ctx, inputs, err)
	}
	if s.plan, err = s.w.Planner.LoadPlan(ctx, f); err != nil {
		noteApplied(s, f)
		return s.failedOutcome(err)
	}
	if s.secondPerson = s.w.Planner.CheckSecondPerson(f, s.action) != nil; !s.secondPerson {
		if err := s.w.Planner.CheckAuthor(f); err != nil {
			return s.failedOutcome(err)
		}
	}
	return s.apply(ctx, ask, func(ctx context.Context) (*changes.Commitment, error) { return s.w.Committer.Apply(ctx, f, s.plan) })
}

func noteApplied(s pendingChange, f *changes.File) {
	part, _ := f.Single() // LoadPlan reported an error.
	for past, err := range s.w.Journal.Past() {
		if !s.CanAsk() || err == nil && past.Intent.Time.Before(f.Created) {
			return
		}
		if err == nil && past.Committed() && past.Intent.Detail.Token == part.Token {
			s.Notef("this plan was applied on %s as change %s of the journal",
				past.Intent.Time.In(s.w.Session.Now().Location()).Format("2 Jan 15:04"), journal.ShortID(past.Intent.ID))
		}
	}
}

// applyMany closes the file if it returns no result. It calls end after every item was changed; end may be nil.
func applyMany(ctx context.Context, c *op.Call, in *applyInput, f *changes.File, end func() error) (r op.Result, err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	ask, err := in.needsPrompt(c)
	if err != nil {
		return nil, err
	}
	head := f.Head
	head.Schema = cmp.Or(in.Schema, head.Schema)
	p, schema, err := recordedSchema(c, "sweep", head, in.path)
	if err != nil {
		return nil, err
	}
	w, err := c.Open(ctx, p)
	if err != nil {
		return nil, err
	}
	again := w.Session.Command("requests", "apply", schema, in.Request.ID, "--file", in.path)
	if end == nil { // not from a change request
		again = w.Session.Command("apply", in.path)
		if err := w.Planner.CheckAuthor(f); err != nil {
			return nil, err
		}
	}
	a, _ := w.Planner.Action(f.Action)
	if refused := a != nil && w.Session.CanChange(a) != nil; ask && !refused { // The sweep records a refusal and returns it.
		if err := confirmMany(ctx, c, w, f, in.Canary, w.Session.Production() || p.IsProduction(f.Context)); err != nil {
			return nil, err
		}
		in.Continue = func(ctx context.Context, done changes.Summary, remaining int) error {
			_, err := c.Ask(ctx, op.Question{
				Text:     fmt.Sprintf("%d committed. Apply to the remaining %d? (y/N) ", done.Counts[changes.Committed], remaining),
				Declined: "the remaining items were not changed",
			})
			return err
		}
	}
	run := fileRun(ctx, c, w, f, again, schema, in.Limits)
	run.end = end
	return run.stream(), nil
}

var applyRequest = op.New(op.Op{
	Path: "requests apply", Title: "Apply the change of a request",
	Help: "Plans the change of the request again and applies it, if the plan is the same and the request is open or\n" +
		"approved. The change, its audit entry and the state of the request are one transaction. If the data or the\n" +
		"request has changed, ddbdesk writes nothing and exits with 10.\n\n" +
		"A sweep needs the file that its requester saved. ddbdesk applies it like ddbdesk apply, and marks the request as\n" +
		"applied when every item has changed. Until then, run the same command again to continue.",
	Needs: op.Writes, Formats: op.TextJSON,
}, func(in *applyInput) []*op.Param {
	return append(append(inputs(&in.RequestRef), in.applyFlags()...), op.Flag(&in.path, "file", "read the requested sweep from `FILE`"))
}, func(ctx context.Context, c *op.Call, in *applyInput) (op.Result, error) {
	if in.path != "" {
		return applyManyRequest(ctx, c, in)
	}
	ask, promptErr := in.needsPrompt(c)
	if err := cmp.Or(in.Find(ctx, c), promptErr); err != nil {
		return nil, err
	}
	if err := requests.CheckUsable(in.Request); err != nil {
		return nil, err
	}
	if q := in.Request; q.File.Many() {
		return nil, session.InputErrorf("request %s is a sweep; add --file FILE, with the file that %s saved", q.ID, op.Short(q.Requester))
	} else if name := in.firstGiven(); name != "" {
		return nil, session.InputErrorf("--%s works only with sweeps, and request %s is one change; omit the flag", name, q.ID)
	}
	v, w, err := in.Review(ctx, c)
	if err != nil {
		return nil, err
	}
	f := in.Request.File
	s := pendingChange{
		Call: c, w: w, schema: session.SchemaName(w.Session.Profile()), reason: f.Reason, plan: v.Plan,
		production: w.Session.Profile().IsProduction(f.Context),
	}
	if s.action, err = w.Planner.Action(in.Request.Action); err != nil {
		return nil, err
	}
	if err := w.Session.CanChange(s.action); err != nil {
		return s.refuse(ctx, f.Inputs, err)
	}
	if v.Outdated != nil {
		return s.failedOutcome(v.Outdated)
	}
	s.secondPerson = w.Planner.CheckSecondPerson(f, s.action) != nil
	return s.apply(ctx, ask, func(ctx context.Context) (*changes.Commitment, error) {
		commitment, note, err := w.Requests.Apply(ctx, v)
		c.NoteError(note)
		return commitment, err
	})
})

func applyManyRequest(ctx context.Context, c *op.Call, in *applyInput) (op.Result, error) {
	if err := in.Find(ctx, c); err != nil {
		return nil, err
	}
	f, err := changes.OpenFile(in.path)
	if err != nil {
		return nil, op.FileError(err)
	}
	w, err := in.Workspace(ctx, c)
	if err == nil {
		err = w.Requests.CanApplySweep(in.Request, f)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return applyMany(ctx, c, in, f, func() error {
		note, err := w.Requests.CompleteSweep(ctx, in.Request)
		c.NoteError(note)
		return err
	})
}
