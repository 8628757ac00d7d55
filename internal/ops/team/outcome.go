package team

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

// A pendingChange is a change in progress.
type pendingChange struct {
	*op.Call
	w              *workspace.Workspace // nil before the connection
	action         *change.Action
	schema, reason string       // as typed
	undo           bool         // the change undoes another one
	reveal         bool         // the plan shows personal data
	plan           *change.Plan // nil before the items are read
	production     bool         // production, which needs confirmation
	secondPerson   bool         // a user other than the actor must apply the plan
}

// An outcome is the result of a change: the same document in all cases, or an AWS CLI command.
type outcome struct {
	pendingChange
	doc      changes.Document
	showPlan bool
	lines    []string // text of the result, after the plan
	notes    []string // notes after the result
}

func (p pendingChange) outcome(status changes.Status) outcome {
	plan := p.plan
	if plan != nil {
		plan = plan.Shown(p.w.Session.Masker())
	}
	return outcome{pendingChange: p, doc: changes.DocumentOf(p.action, status, p.reason, plan, p.undo)}
}

// JSON returns the document.
func (o outcome) JSON() any { return o.doc }

// Text writes the lines.
func (o outcome) Text(to op.Output) error { return o.Write(to, "text") }

// Write writes the result. Its error must not look as if the change was not applied.
func (o outcome) Write(to op.Output, format string) (err error) {
	switch {
	case format == "json":
		err = to.JSON(o.doc)
	case format == "cli" && o.doc.Error == nil:
		shown := o.plan.Shown(o.w.Session.Masker()).Batch().CLI()
		if shown != o.plan.Batch().CLI() {
			o.Note("sensitive values are masked; the command does not make the same change")
		}
		_, err = fmt.Fprintln(to, shown)
	case o.showPlan:
		err = to.Sentences(append(o.planLines(to.Draws()), o.lines...)...)
	case len(o.lines) > 0:
		err = to.Sentences(o.lines...)
	}
	switch {
	case err != nil && o.doc.Journal != nil:
		return fmt.Errorf("the change was applied (journal %s), but its report could not be written: %w",
			journal.ShortID(*o.doc.Journal), err)
	case err != nil:
		return err
	}
	for _, n := range o.notes {
		o.Note(n)
	}
	return nil
}

func (p pendingChange) planLines(drawn bool) []string {
	lines := changes.Lines(p.plan.Shown(p.w.Session.Masker()), p.undo, p.w.Session.Plain(), drawn)
	if drawn {
		lines = append(lines, p.expiredNote()...)
	}
	return lines
}

func (p pendingChange) expiredNote() []string {
	if at, ok := p.plan.Writes[0].Table.Expires(p.plan.SubjectBefore()); ok && !at.After(p.w.Session.Now()) {
		return []string{"note: the item has expired, and DynamoDB deletes expired items within days"}
	}
	return nil
}

func (p pendingChange) plannedOutcome(notes ...string) outcome {
	o, capacity := p.outcome(changes.Planned), p.plan.Capacity()
	o.doc.Capacity, o.showPlan, o.notes = &capacity, true, notes
	return o
}

func (p pendingChange) refuse(ctx context.Context, inputs map[string]string, refusal error) (op.Result, error) {
	return p.failedOutcome(p.w.Committer.Refuse(ctx, p.action, inputs, p.reason, refusal))
}

// maxDifferences is the maximum number of differences in an error message.
const maxDifferences = 4

// failedOutcome returns the result of a change that was not applied, with a readable error.
func (p pendingChange) failedOutcome(err error) (op.Result, error) {
	status := changes.StatusOf(err)
	if status == changes.Failed {
		return nil, err
	}
	o := p.outcome(status)
	conflict, isConflict := errors.AsType[*change.Conflict](err)
	text := strings.ReplaceAll(err.Error(), "\n", "; ")
	printable := models.Printable(text)
	o.doc.Error = &printable
	var parts []string
	if isConflict {
		for i, c := range conflict.Differences {
			o.doc.Differences = append(o.doc.Differences, c)
			if i < maxDifferences {
				parts = append(parts, fmt.Sprintf("%s was %s, is %s", c.Path, change.ValueCell(c.Before), change.ValueCell(c.After)))
			}
		}
		if more := len(conflict.Differences) - maxDifferences; more > 0 {
			parts = append(parts, fmt.Sprintf("%d more", more))
		}
	}
	if len(parts) > 0 {
		text += "\n" + strings.Join(parts, "; ")
	}
	if isConflict && conflict.Missing { // It has its own exit code for scripts, and an outcome is not printed.
		p.Note(p.ErrorText(err))
		err = op.NotFound
	}
	return o, &rewordedError{text, err}
}

// A rewordedError is another error with a different text.
type rewordedError struct {
	text string
	err  error
}

func (e *rewordedError) Error() string { return e.text }
func (e *rewordedError) Unwrap() error { return e.err }

func (p pendingChange) apply(ctx context.Context, ask bool, commit func(context.Context) (*changes.Commitment, error)) (op.Result, error) {
	shown := false
	if ask && !p.secondPerson { // the committer will reject the change, so skip the confirmation
		var err error
		if shown, err = p.Ask(ctx, p.question()); err != nil {
			return nil, err
		}
	}
	commitment, err := commit(ctx)
	if err != nil {
		return p.failedOutcome(err)
	}
	for _, n := range commitment.Notes {
		if commitment.Unrecorded == nil || n != commitment.Unrecorded.Error() { // error of the operation
			p.Note(n)
		}
	}
	p.plan = commitment.Plan
	o := p.outcome(changes.Committed)
	o.doc.Capacity, o.doc.Journal, o.doc.Notes = &commitment.Capacity, &commitment.Journal, append(o.doc.Notes, commitment.Notes...)
	o.showPlan = !shown
	line := string(changes.Committed)
	if commitment.Capacity > 0 && !p.w.Session.Plain() {
		line += fmt.Sprintf(", %g WCU", commitment.Capacity)
	}
	o.lines = []string{line + ", journal " + journal.ShortID(commitment.Journal)}
	// A change that wrote a secret cannot be undone, because the journal stores no secrets.
	if _, err := p.w.Journal.Undoable(commitment.Past); err == nil && p.Output == "text" {
		o.notes = []string{undoNote(p.w, p.action, p.schema, journal.ShortID(commitment.Journal))}
	}
	return o, unrecordedError(commitment, p.w)
}

func undoNote(w *workspace.Workspace, a *change.Action, schema string, words ...string) string {
	if a != nil && a.Reason == change.ReasonRequired {
		words = append(words, "--reason", "TEXT")
	}
	return "to undo, run " + w.Session.Command(append([]string{"undo", schema}, words...)...)
}

func (p pendingChange) commit(ctx context.Context) (*changes.Commitment, error) {
	return p.w.Committer.Commit(ctx, p.plan)
}

// question shows the plan and asks whether to apply it. On production, the user must type the item's ID.
func (p pendingChange) question() op.Question {
	q := op.Question{Preview: p.planLines(p.Output == "text"), InResult: p.Output == "text", Text: "Apply? (y/N) ", Declined: nothingWritten}
	if p.Output != "text" {
		q.Preview = append(q.Preview, p.expiredNote()...)
	}
	if p.production || p.w.Session.Production() {
		subject := "This is production."
		if p.w.Session.Stage() == session.Unclassified {
			subject = "This connection is not classified; it is treated as production."
		}
		name, id := p.plan.SubjectID()
		q.Text, q.Answer = fmt.Sprintf("%s Type the %s of the item to apply the change: ", subject, models.Printable(name)), id
	}
	return q
}

const nothingWritten = "nothing was written"

// unrecordedError returns the error, with its own exit code, of a change whose outcome is missing in the journal.
func unrecordedError(commitment *changes.Commitment, w *workspace.Workspace) error {
	if commitment.Unrecorded == nil {
		return nil
	}
	return fmt.Errorf("the change was applied, but its journal entry %s has no outcome; run %s: %w",
		journal.ShortID(commitment.Journal), w.Session.SchemaCommand("journal", "resolve"), commitment.Unrecorded)
}

// save writes the plan to a new file that only its owner can read.
func (p pendingChange) save(path string) (op.Result, error) {
	text, err := p.w.Planner.WritePlan(p.plan, p.schema)
	if err != nil {
		return p.failedOutcome(err)
	}
	switch err := items.Save(path, text, false); {
	case errors.Is(err, items.ErrExists): // created since the check
		return nil, session.InputErrorf("--plan: %v", items.CheckNewFile(path))
	case err != nil:
		return nil, fmt.Errorf("save the plan: %w", err)
	}
	return p.plannedOutcome("nothing is written yet; to apply the plan, run " + p.w.Session.AdminCommand("apply", path)), nil
}

func (p pendingChange) fileRequest(ctx context.Context) (op.Result, error) {
	q, note, err := p.w.Requests.File(ctx, p.plan, p.schema, "")
	if err != nil {
		return p.failedOutcome(err)
	}
	p.NoteError(note)
	o := p.plannedOutcome(fmt.Sprintf("filed as request %s; nothing is written yet. Another user applies it with %s",
		models.Printable(q.ID), p.w.Session.AdminCommand("requests", "apply", p.schema, q.ID)))
	if p.Output == "json" {
		o.doc.Capacity, o.doc.Request, o.notes = nil, &q.ID, nil
	}
	return o, nil
}
