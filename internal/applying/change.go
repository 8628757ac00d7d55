package applying

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Change applies one change for a command and prints its outcome: as text, as the JSON document of the
// command contract, or as an AWS CLI command.
type Change struct {
	cli.Streams
	Output       string               // text, json or cli
	Action       *change.Action       // what is planned
	Schema       string               // as it was typed
	Reason       string               // for the journal
	Undoes       *change.Plan         // the plan that an undo reverts, else nil
	Workspace    *workspace.Workspace // nil until there is a connection
	Plan         *change.Plan         // nil until the items are read
	Production   bool                 // the change needs the confirmation of production
	SecondPerson bool                 // a user other than the actor must apply the plan

	printed bool // the user saw the plan
}

// Refuse records in the journal that the action was refused, and returns the error to
// print.
func (r *Change) Refuse(ctx context.Context, inputs map[string]string, refused error) error {
	return r.Failed(r.Workspace.Committer.Refuse(ctx, r.Action, inputs, r.Reason, refused))
}

// Commit applies the plan.
func (r *Change) Commit(ctx context.Context) (*changes.Commitment, error) {
	return r.Workspace.Committer.Commit(ctx, r.Plan)
}

// Apply calls commit, after the user agreed at the terminal if ask is set, and prints the outcome.
func (r *Change) Apply(ctx context.Context, ask bool, commit func(context.Context) (*changes.Commitment, error)) error {
	if ask && !r.SecondPerson { // a change that commit refuses needs no question
		if err := r.confirm(ctx); err != nil {
			return err
		}
	}
	done, err := commit(ctx)
	if err != nil {
		return r.Failed(err)
	}
	return r.committed(done)
}

func (r *Change) confirm(ctx context.Context) error {
	to := r.Stderr
	if r.Output == "text" && cli.IsTerminal(r.Stdout) {
		to, r.printed = r.Stdout, true
	}
	if err := r.WriteText(to); err != nil {
		return err
	}
	question := "Apply? (y/N) "
	agrees := cli.IsYes
	if r.Production || r.Workspace.Session.Production() {
		name, id := r.Plan.SubjectID()
		what := "This is production."
		if r.Workspace.Session.Stage() == session.Unclassified {
			what = "This connection is not classified; it is treated as production."
		}
		question = fmt.Sprintf("%s Type the %s of the item to apply the change: ", what, models.Printable(name))
		agrees = func(text string) bool { return text == id }
	}
	return r.Agree(ctx, question, agrees, cli.NothingWritten)
}

func (r *Change) masked() *change.Plan { return r.Plan.Shown(r.Workspace.Session.Masker()) }

// PrintPlan writes the plan to stdout.
func (r *Change) PrintPlan() error {
	switch r.Output {
	case "json":
		doc := r.Document(changes.Planned)
		capacity := r.Plan.Capacity()
		doc.Capacity = &capacity
		return cli.WriteJSON(r.Stdout, doc)
	case "cli":
		return r.printCLI()
	}
	return r.WriteText(r.Stdout)
}

func (r *Change) printCLI() error {
	masked := r.masked().Batch().CLI()
	if masked != r.Plan.Batch().CLI() {
		r.Note("sensitive values are masked; the command does not make the same change")
	}
	_, err := fmt.Fprintln(r.Stdout, masked)
	return err
}

// WriteText writes the plan for people.
func (r *Change) WriteText(w io.Writer) error {
	return cli.WriteLines(w, changes.Lines(r.masked(), r.Undoes != nil)...)
}

// committed words an output error so that it does not read like a change that did not happen.
func (r *Change) committed(done *changes.Commitment) error {
	if err := r.printCommitted(done); err != nil {
		return fmt.Errorf("the change was applied (journal %s), but its report could not be written: %w", journal.ShortID(done.Journal), err)
	}
	return Unrecorded(done, r.Workspace)
}

// Unrecorded returns the error of an applied change whose outcome is not in the journal, otherwise nil. Scripts
// notice it by the exit code.
func Unrecorded(done *changes.Commitment, w *workspace.Workspace) error {
	if done.Unrecorded == nil {
		return nil
	}
	return fmt.Errorf("the change was applied, but its journal entry %s has no outcome; run %s: %w",
		journal.ShortID(done.Journal), w.Session.SchemaCommand("journal", "resolve"), done.Unrecorded)
}

func (r *Change) printCommitted(done *changes.Commitment) error {
	r.Plan = done.Plan
	for _, n := range done.Notes {
		if done.Unrecorded == nil || n != done.Unrecorded.Error() { // the error of the command
			r.Note(n)
		}
	}
	switch r.Output {
	case "json":
		doc := r.Document(changes.Committed)
		doc.Capacity, doc.Journal = &done.Capacity, &done.Journal
		doc.Notes = append(doc.Notes, done.Notes...)
		return cli.WriteJSON(r.Stdout, doc)
	case "cli":
		return r.printCLI()
	}
	if !r.printed {
		if err := r.WriteText(r.Stdout); err != nil {
			return err
		}
	}
	line := string(changes.Committed)
	if done.Capacity > 0 {
		line += fmt.Sprintf(", %g WCU", done.Capacity)
	}
	if _, err := fmt.Fprintln(r.Stdout, line+", journal "+journal.ShortID(done.Journal)); err != nil {
		return err
	}
	if r.canUndo(done) {
		r.Note("to undo, run " + r.Workspace.Session.Command("undo", r.Schema, journal.ShortID(done.Journal)))
	}
	return nil
}

// canUndo excludes a change that wrote a secret, because the journal does not keep secrets.
func (r *Change) canUndo(done *changes.Commitment) bool {
	_, err := r.Workspace.Journal.Undoable(done.Past)
	return err == nil
}

// Failed prints the document of a change that was not applied, and returns its
// error with the text for stderr.
func (r *Change) Failed(err error) error {
	conflict, isConflict := errors.AsType[*change.Conflict](err)
	status := changes.Status("")
	switch {
	case isConflict:
		status = changes.Conflict
	case errors.Is(err, session.ErrRefused):
		status = changes.Refused
	case errors.Is(err, changes.ErrUnknown):
		status = changes.Unknown
	default:
		return err
	}
	text := strings.ReplaceAll(err.Error(), "\n", "; ")
	var differences []models.Change
	if isConflict {
		differences = conflict.Differences
	}
	if r.Output == "json" {
		doc := r.Document(status)
		printable := models.Printable(text)
		doc.Error = &printable
		doc.Differences = append(doc.Differences, differences...)
		if writeErr := cli.WriteJSON(r.Stdout, doc); writeErr != nil {
			return errors.Join(err, writeErr)
		}
	}
	if line := differencesText(differences); line != "" {
		text += "\n" + line
	}
	return &rewordedError{text, err}
}

// A rewordedError is another error with the text that is printed for it.
type rewordedError struct {
	text string
	err  error
}

func (e *rewordedError) Error() string { return e.text }
func (e *rewordedError) Unwrap() error { return e.err }

// maxDifferences is how many differences an error message lists.
const maxDifferences = 4

func differencesText(list []models.Change) string {
	var parts []string
	for _, c := range list[:min(len(list), maxDifferences)] {
		parts = append(parts, fmt.Sprintf("%s was %s, is %s", c.Path, change.ValueCell(c.Before), change.ValueCell(c.After)))
	}
	if more := len(list) - maxDifferences; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	return strings.Join(parts, "; ")
}

// Document describes the change as far as it came.
func (r *Change) Document(status changes.Status) changes.Document {
	if r.Plan == nil {
		return changes.DocumentOf(r.Action, status, r.Reason, nil, r.Undoes != nil)
	}
	return changes.DocumentOf(r.Action, status, r.Reason, r.masked(), r.Undoes != nil)
}

// Save writes the plan to a new file that only its owner can read.
func (r *Change) Save(schema, path string) error {
	text, err := r.Workspace.Planner.WritePlan(r.Plan, schema)
	if err != nil {
		return r.Failed(err)
	}
	switch err := items.Save(path, text, false); {
	case errors.Is(err, items.ErrExists): // created since the check
		return cli.CheckNewFile("--plan", path)
	case err != nil:
		return fmt.Errorf("save the plan: %w", err)
	}
	if err := r.PrintPlan(); err != nil {
		return err
	}
	r.Note("nothing is written yet; to apply the plan, run " + r.Workspace.Session.Command("apply", path))
	return nil
}

// File files the plan as a request and prints it.
func (r *Change) File(ctx context.Context, schema string) error {
	q, note, err := r.Workspace.Requests.File(ctx, r.Plan, schema, "")
	if err != nil {
		return r.Failed(err)
	}
	if note != nil {
		r.Note(note.Error())
	}
	if r.Output == "json" {
		doc := r.Document(changes.Planned)
		doc.Request = &q.ID
		return cli.WriteJSON(r.Stdout, doc)
	}
	if err := r.PrintPlan(); err != nil {
		return err
	}
	r.Notef("filed as request %s; nothing of the schema is written yet. Another user applies it with %s", models.Printable(q.ID),
		r.Workspace.Session.Command("requests", "apply", schema, q.ID))
	return nil
}
