package applying

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/sweep"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Sweep applies a sweep for a command and prints the outcome of each item.
type Sweep struct {
	cli.Streams
	Output     string // text, json or jsonl
	Path       string // of the manifest, "" for an undo
	Schema     string // as it was typed
	Workspace  *workspace.Workspace
	Manifest   *sweep.Manifest // nil for an undo
	Production bool            // the sweep needs the confirmation of production

	begun, noted time.Time
	counts       map[sweep.Status]int
	list         *cli.List // of the JSON document
	failed       error     // of writing an outcome
	undoable     bool      // the journal of this machine has a change of the sweep
}

// Apply applies the manifest, after the user agreed at the terminal if ask is set.
func (r *Sweep) Apply(ctx context.Context, ask bool, l sweep.Limits) error {
	all := r.Manifest.Items
	if ask {
		if err := r.confirm(ctx, min(all, max(l.Canary, 0)), all); err != nil {
			return err
		}
		l.Continue = r.confirmRest
	}
	l.Waiting = func(d time.Duration) {
		r.Notef("an earlier run left a change without an outcome; ddbdesk can determine it in %s", d.Round(time.Second))
	}
	sum, err := r.Workspace.Sweeps.ApplyManifest(ctx, r.Manifest, l, func(o sweep.Outcome) { r.outcome(o, all) })
	return r.ended(ctx, sum, all, err)
}

func (r *Sweep) ended(ctx context.Context, sum sweep.Summary, all int, err error) error {
	if err != nil && sum.Total() == 0 {
		return err
	}
	if ended := r.end(ctx, sum, all); err == nil {
		return ended
	}
	return err
}

func (r *Sweep) confirm(ctx context.Context, canary, all int) error {
	m := r.Manifest
	fmt.Fprintf(r.Stderr, "%s on %s from %s, about %s WCU, planned by %s at %s\n", models.Printable(m.Action),
		english.Plural(all, "item", ""), models.Printable(m.Over), humanize.Commaf(m.Capacity), models.Printable(m.Actor),
		m.Made.UTC().Format(time.RFC3339))
	what := "Apply? (y/N) "
	if canary > 0 && canary < all {
		what = fmt.Sprintf("Apply to the first %d? (y/N) ", canary)
	}
	agrees := cli.IsYes
	if r.Production {
		what = "This is production. Type the number of items to apply the sweep: "
		agrees = func(text string) bool { return text == strconv.Itoa(all) }
	}
	return r.Agree(ctx, what, agrees, cli.NothingWritten)
}

func (r *Sweep) confirmRest(ctx context.Context, done sweep.Summary, remaining int) error {
	what := fmt.Sprintf("%d committed. Apply to the remaining %d? (y/N) ", done.Counts[sweep.Committed], remaining)
	next := r.Workspace.Session.Command("apply", r.Path)
	return r.Agree(ctx, what, cli.IsYes, "the remaining items were not changed; to continue, run "+next)
}

func (r *Sweep) outcome(o sweep.Outcome, all int) {
	if r.counts == nil {
		r.counts, r.begun, r.noted = map[sweep.Status]int{}, time.Now(), time.Now()
	}
	r.counts[o.Status]++
	r.undoable = r.undoable || o.Journal != "" && (o.Status == sweep.Committed || o.Status == sweep.Earlier)
	var err error
	switch {
	case r.Output == "json":
		o.Key = models.Printable(o.Key)
		err = r.document().Add(o)
	case r.Output == "jsonl":
		o.Key = models.Printable(o.Key)
		e := json.NewEncoder(items.Visible(r.Stdout))
		e.SetEscapeHTML(false)
		err = e.Encode(o)
	case o.Status == sweep.Earlier, o.Status == sweep.Skipped: // The summary has them.
	default:
		line := fmt.Sprintf("%-9s  %s", o.Status, o.Key)
		if o.Journal != "" {
			line += "  journal " + journal.ShortID(o.Journal)
		}
		if o.Why != "" {
			line += "  " + o.Why
		}
		err = cli.WriteLines(r.Stdout, line)
	}
	if r.failed == nil {
		r.failed = err // The sweep continues: its outcomes are in the journal.
	}
	if time.Since(r.noted) >= cli.ProgressInterval {
		r.noted = time.Now()
		n := sweep.Summary{Counts: r.counts}.Total()
		r.Notef("%d of %d items; %s", n, all, r.tally(r.counts))
	}
}

func (r *Sweep) document() *cli.List {
	if r.list == nil {
		r.list = cli.NewList(r.Stdout, "{", "items")
	}
	return r.list
}

func (r *Sweep) tally(counts map[sweep.Status]int) string {
	var parts []string
	for _, s := range sweep.Statuses() {
		if n := counts[s]; n > 0 {
			word := string(s)
			if s == sweep.Earlier {
				word = "already done"
			}
			parts = append(parts, humanize.Comma(int64(n))+" "+word)
		}
	}
	return strings.Join(parts, ", ")
}

func (r *Sweep) end(ctx context.Context, sum sweep.Summary, all int) error {
	err := r.failed
	if r.Output == "json" && err == nil {
		err = r.document().End(sum.Totals())
	}
	line := r.tally(sum.Counts)
	if sum.Capacity > 0 {
		line += fmt.Sprintf("; %s WCU", humanize.Commaf(sum.Capacity))
	}
	if n := sum.Counts[sweep.Skipped]; n > 0 {
		line += "; " + sum.Stopped
	}
	r.Note(line)
	if r.Path != "" {
		if r.undoable {
			r.Note("to undo, run " + r.Workspace.Session.Command("undo", r.Schema, "--sweep", journal.ShortID(sum.ID)))
		}
		if sum.Counts[sweep.Committed]+sum.Counts[sweep.Earlier] < all {
			r.Note("to continue, run " + r.Workspace.Session.Command("apply", r.Path))
		}
	}
	if err != nil {
		return fmt.Errorf("the sweep was applied, but its report could not be written: %w", err)
	}
	return sweepCode(ctx, sum)
}

func sweepCode(ctx context.Context, sum sweep.Summary) error {
	n := sum.Counts
	switch {
	case n[sweep.Unknown]+n[sweep.Failed] > 0:
		return cli.ExitWith(cli.ExitService)
	case n[sweep.Skipped] > 0 && ctx.Err() != nil:
		return cli.ExitWith(cli.ExitInterrupted)
	case n[sweep.Conflict]+n[sweep.Refused]+n[sweep.Skipped] > 0:
		return cli.ExitWith(cli.ExitConflict)
	}
	return nil
}

// NoteUndo says which changes of a sweep are not undone.
func NoteUndo(s cli.Streams, u sweep.Undoing, schema string) {
	if u.Earlier > 0 {
		s.Notef("%s already undone", english.Plural(u.Earlier, "change is", "changes are"))
	}
	if u.Open > 0 {
		s.Notef("%s without an outcome; run ddbdesk journal resolve %s first", english.Plural(u.Open, "change is", "changes are"),
			models.Printable(schema))
	}
}

// Undo undoes the items, after the user agreed at the terminal if ask is set. On production the answer is the number of items.
func (r *Sweep) Undo(ctx context.Context, ask bool, u sweep.Undoing) error {
	all := u.Changes
	if ask {
		what := fmt.Sprintf("Undo %s of sweep %s? (y/N) ", english.Plural(all, "change", ""), journal.ShortID(u.ID))
		agrees := cli.IsYes
		if r.Production {
			what = fmt.Sprintf("This is production. Type the number of items, %d, to undo sweep %s: ", all, journal.ShortID(u.ID))
			agrees = func(text string) bool { return text == strconv.Itoa(all) }
		}
		if err := r.Agree(ctx, what, agrees, cli.NothingWritten); err != nil {
			return err
		}
	}
	sum, err := r.Workspace.Sweeps.ApplyUndo(ctx, u, func(o sweep.Outcome) { r.outcome(o, all) })
	return r.ended(ctx, sum, all, err)
}

// PrintSweep prints what a sweep would do. If no item can be changed, the command ends as a conflict does.
func PrintSweep(s cli.Streams, w *workspace.Workspace, p sweep.Preview, output string) error {
	err := s.Print(output, p.Document(w.Session.Masker()), func(out io.Writer) error {
		return cli.WriteLines(out, p.Lines(w.Session.Masker())...)
	})
	if err == nil && p.Planned == 0 {
		s.Note("no item allows the action; nothing can be changed")
		return cli.ExitWith(cli.ExitConflict)
	}
	return err
}

// PrintUndo prints what an undo would do.
func PrintUndo(ctx context.Context, s cli.Streams, w *workspace.Workspace, u sweep.Undoing, output string) error {
	p, err := w.Sweeps.PreviewUndo(ctx, u)
	if err != nil {
		return err
	}
	err = s.Print(output, p.UndoDocument(u.ID, w.Session.Masker()), func(out io.Writer) error {
		items := english.Plural(p.Planned, "item", "")
		lines := []string{fmt.Sprintf("Undo sweep %s: %s, about %g WCU", journal.ShortID(u.ID), items, p.Capacity)}
		return cli.WriteLines(out, append(lines, p.Details(w.Session.Masker())...)...)
	})
	if err == nil && p.Planned == 0 {
		s.Note("nothing can be undone")
		return cli.ExitWith(cli.ExitConflict)
	}
	return err
}
