package team

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/ops/explore"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

// checkSweep requires a file for a sweep, so that the user can continue the sweep later.
func checkSweep(c *op.Call, in *changeInput) error {
	planned := in.planned.Given()
	switch {
	case in.file && (in.yes || in.dryRun):
		return session.InputErrorf("--request lets another user apply the sweep; omit --yes and --dry-run")
	case in.file && !planned:
		return session.InputErrorf("for a sweep, --request requires --plan FILE, because the user who applies the sweep needs the file")
	case c.Output == "cli":
		return session.InputErrorf("-o cli prints only one change; for a sweep, use -o text or -o json")
	case in.dryRun && (planned || in.yes):
		return session.InputErrorf("--dry-run writes nothing; omit --plan and --yes")
	case planned, in.dryRun:
		return nil
	}
	return session.InputErrorf("a sweep requires a plan file, so that you can continue it after an interruption; use --plan FILE, then " +
		"ddbdesk apply FILE, or only show the plan with --dry-run")
}

// planSweep plans an action on many items. With --plan it saves the plans, and with --yes it also applies them.
func planSweep(ctx context.Context, c *op.Call, in *changeInput) (op.Result, error) {
	if err := checkSweep(c, in); err != nil {
		return nil, err
	}
	p, offline, act, err := in.open(c)
	if err != nil {
		return nil, err
	}
	s := changes.Selection{Set: changes.Set{Action: act, Reason: in.reason}, Where: in.where, AllowScan: in.allowScan}
	if s.Pattern, err = offline.Reading.Pattern(in.over); err != nil {
		return nil, fmt.Errorf("--over: %w", err)
	}
	toAction, err := in.fromFiles(act, in.toAction)
	if err != nil {
		return nil, err
	}
	if err = s.Assign(in.values, toAction); err == nil {
		err = offline.Planner.Check(s)
	}
	if err != nil {
		return nil, err
	}
	w, err := c.Open(ctx, p)
	if err != nil {
		return nil, err
	}
	if !s.AllowScan && s.Pattern.Read.Operation == accesspatterns.Scan {
		return nil, w.Reading.ScanRefusal(ctx, s.Pattern)
	}
	if in.dryRun {
		p, err := w.Planner.Preview(ctx, s, nil)
		if err != nil {
			return nil, err
		}
		return preview(w, p)
	}
	if err := changes.CheckTypedActor(w.Session.Viewer, act); err != nil {
		return nil, err
	}
	return saveSweep(ctx, c, w, s, in)
}

// preview returns the result of a dry run. It is a conflict if the action cannot change any item.
func preview(w *workspace.Workspace, p changes.Preview) (op.Doc, error) {
	m := w.Session.Masker()
	doc := op.Doc{Document: p.Document(m), Head: func(to op.Output) []string {
		if !to.Draws() {
			return p.Lines(m, w.Session.Plain(), nil)
		}
		return p.Lines(m, w.Session.Plain(), func(key string) string { return shownItem(w, key) })
	}}
	switch {
	case p.Items > 0:
		return doc, nil
	case p.Undoes != nil:
		doc.After = "nothing can be undone"
	default:
		doc.After = "no item allows the action; nothing can be changed"
	}
	return doc, op.Conflict
}

// saveSweep saves a sweep in a file that only its owner can read. If it cannot change any item, it writes no file.
func saveSweep(ctx context.Context, c *op.Call, w *workspace.Workspace, s changes.Selection, in *changeInput) (op.Result, error) {
	file, err := w.Planner.NewFile(in.plan, s, in.schema)
	if err != nil {
		return nil, err
	}
	p, err := w.Planner.Preview(ctx, s, file.Add)
	if err != nil {
		return nil, errors.Join(err, file.Discard())
	}
	shown, noItemsErr := preview(w, p)
	if noItemsErr != nil {
		return shown, cmp.Or(file.Discard(), noItemsErr)
	}
	switch err := file.Save(); {
	case errors.Is(err, items.ErrExists): // created since the check
		return nil, session.InputErrorf("--plan: %v", items.CheckNewFile(in.plan))
	case err != nil:
		return nil, fmt.Errorf("save the sweep: %w", err)
	}
	switch {
	case in.yes:
		f, err := changes.OpenFile(in.plan)
		if err != nil {
			return nil, err
		}
		return fileRun(ctx, c, w, f, w.Session.Command("apply", in.plan), in.schema, in.Limits).stream(), nil
	case in.file:
		q, note, err := w.Requests.FileSweep(ctx, file.File)
		if err != nil {
			return shown, err
		}
		c.NoteError(note)
		shown.After = fmt.Sprintf("filed as request %s; nothing is written yet. "+
			"Give the file to another user, who applies it with %s",
			models.Printable(q.ID), w.Session.AdminCommand("requests", "apply", in.schema, q.ID, "--file", in.plan))
		return shown, nil
	}
	shown.After = "nothing is written yet; to apply the sweep, run " + w.Session.AdminCommand("apply", in.plan)
	return shown, nil
}

// A runningSweep applies a sweep while its result is being written. It shows the outcome of each item as it arrives.
type runningSweep struct {
	*op.Call
	w           *workspace.Workspace
	action      *change.Action // nil for an undo
	all         int            // number of items
	again       string         // command that continues the sweep; "" for an undo
	schema      string         // schema as typed
	interrupted func() bool
	run         func(each func(changes.Outcome)) (changes.Summary, error)
	end         func() error // runs after every item was changed; may be nil

	counts   map[changes.Status]int
	undoable bool // this machine's journal contains at least one change of the sweep
	summary  changes.Summary
	stopped  error // error of the sweep, rather than of writing an outcome
}

func (r *runningSweep) stream() op.Stream {
	return op.Stream{Rows: op.Pushed(r.outcomes), Line: r.line, Envelope: op.Envelope{
		Member: "items", Head: struct{}{}, Tail: func() any { return json.RawMessage("{" + r.summary.Totals() + "}") }, End: r.report,
	}}
}

// outcomes applies the sweep. If it cannot write an outcome, it continues, because the journal contains the outcomes.
func (r *runningSweep) outcomes(add func(row any) error) error {
	r.counts = map[changes.Status]int{}
	due := op.NotesDue()
	r.summary, r.stopped = r.run(func(o changes.Outcome) {
		r.counts[o.Status]++
		r.undoable = r.undoable || o.Journal != "" && (o.Status == changes.Committed || o.Status == changes.Earlier)
		o.Key = models.Printable(o.Key)
		_ = add(o)
		if due() {
			r.Notef("%d of %d items; %s", changes.Summary{Counts: r.counts}.Total(), r.all, countsText(r.counts))
		}
	})
	return r.stopped
}

// line returns the text of an outcome, or "" if only the summary counts it. On a terminal, the long key is last.
func (r *runningSweep) line(to op.Output, row any) string {
	o := row.(changes.Outcome)
	id := journal.ShortID(o.Journal)
	line := fmt.Sprintf("%-9s  %s", o.Status, o.Key)
	switch {
	case o.Status == changes.Earlier || o.Status == changes.Skipped:
		return ""
	case to.Draws():
		line = fmt.Sprintf("%-9s  %-8s  %s", o.Status, id, shownItem(r.w, o.Key))
	case id != "":
		line += "  journal " + id
	}
	if o.Reason != "" {
		line += "  " + o.Reason
	}
	return line
}

func shownItem(w *workspace.Workspace, key string) string {
	if w.Session.Plain() {
		_, key = explore.PlainItem(w.Session.Profile(), key)
	}
	return key
}

func countsText(counts map[changes.Status]int) string {
	var parts []string
	for _, s := range changes.Statuses() {
		if n := counts[s]; n > 0 {
			word := string(s)
			if s == changes.Earlier {
				word = "already done"
			}
			parts = append(parts, humanize.Comma(int64(n))+" "+word)
		}
	}
	return strings.Join(parts, ", ")
}

// report notes the summary, even after an error that stopped the sweep. It returns the worst outcome.
func (r *runningSweep) report(err error) error {
	sum, n := r.summary, r.summary.Counts
	if r.stopped != nil && sum.Total() == 0 {
		return r.stopped
	}
	line := countsText(n)
	if sum.Capacity > 0 && !r.Plain() {
		line += fmt.Sprintf("; %s WCU", humanize.Commaf(sum.Capacity))
	}
	if n[changes.Skipped] > 0 {
		line += "; " + sum.Stopped
	}
	r.Note(line)
	if r.again != "" && r.undoable {
		r.Note(undoNote(r.w, r.action, r.schema, "--sweep", journal.ShortID(sum.ID)))
	}
	if r.again != "" && n[changes.Committed]+n[changes.Earlier]+n[changes.Conflict] < r.all {
		r.Note("to continue, run " + r.again)
	}
	switch {
	case r.stopped != nil:
		return r.stopped
	case err != nil:
		return fmt.Errorf("the sweep was applied, but its report could not be written: %w", err)
	case n[changes.Unknown]+n[changes.Failed] > 0:
		return op.Failed
	case n[changes.Skipped] > 0 && r.interrupted():
		return op.Interrupted
	case n[changes.Conflict]+n[changes.Refused]+n[changes.Skipped] > 0:
		return op.Conflict
	case r.end != nil:
		return r.end()
	}
	return nil
}

func newRunningSweep(
	ctx context.Context, c *op.Call, w *workspace.Workspace, schema string, all int,
	run func(func(changes.Outcome)) (changes.Summary, error),
) *runningSweep {
	return &runningSweep{Call: c, w: w, schema: schema, all: all, run: run, interrupted: func() bool { return ctx.Err() != nil }}
}

func fileRun(
	ctx context.Context, c *op.Call, w *workspace.Workspace, f *changes.File, again, schema string, l changes.Limits,
) *runningSweep {
	if l.Continue == nil && l.Canary != defaultCanary && l.Canary > 0 && c.CanAsk() {
		c.Note("--yes continues after the first items without a prompt; to check them yourself, omit --yes")
	}
	l.Waiting = func(d time.Duration) {
		c.Notef("an earlier run left a change unresolved; ddbdesk can check it in %s", d.Round(time.Second))
	}
	r := newRunningSweep(ctx, c, w, schema, f.Items, func(each func(changes.Outcome)) (changes.Summary, error) {
		sum, err := w.Committer.ApplyFile(ctx, f, l, each)
		return sum, errors.Join(err, f.Close())
	})
	r.again = again
	r.action, _ = w.Planner.Action(f.Action) // The sweep reports the error.
	return r
}

// confirmMany asks whether to begin if items remain. On production, the user must type their number.
func confirmMany(ctx context.Context, c *op.Call, w *workspace.Workspace, f *changes.File, canary int, production bool) error {
	u, _ := w.Journal.Undo(f.Sweep, "") // The sweep reports an unreadable journal.
	done := u.Changes + u.Earlier
	remaining, number := f.Items-done, english.Plural(f.Items, "item", "")
	if remaining == 0 {
		return nil
	} else if done > 0 {
		number = fmt.Sprintf("%d of %s (%d already done)", remaining, number, done)
	}
	units := humanize.CommafWithDigits(f.Capacity*float64(remaining)/float64(f.Items), 0)
	q := op.Question{
		Preview: []string{fmt.Sprintf("%s on %s from %s, about %s WCU, planned by %s on %s", models.Printable(f.Action), number,
			models.Printable(f.Over), units, models.Printable(f.Actor), f.Created.In(w.Session.Now().Location()).Format("2 Jan 15:04"))},
		InResult: c.Output == "text", Text: "Apply? (y/N) ", Declined: nothingWritten,
	}
	if canary > 0 && canary < remaining {
		q.Text = fmt.Sprintf("Apply to the first %d? (y/N) ", canary)
	}
	if production {
		q.Text, q.Answer = "This is production. Type the number of items to apply the sweep: ", strconv.Itoa(remaining)
	}
	_, err := c.Ask(ctx, q)
	return err
}
