package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/documents"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

// A changeReport applies one change and prints its outcome: as text, as the JSON
// document of the command contract, or as an AWS CLI command. Session and plan are
// nil until there are any.
type changeReport struct {
	cli.Streams
	output       string // text, json or cli
	action       *change.Action
	schema       string // as it was typed
	reason       string
	undoes       *change.Plan // the plan that an undo reverts, else nil
	session      *workspace.Workspace
	plan         *change.Plan
	production   bool // the change needs the confirmation of production
	printed      bool // the user saw the plan
	secondPerson bool // a user other than the actor must apply the plan
}

// refuse records in the journal that the action was refused, and returns the error to
// print.
func (r *changeReport) refuse(ctx context.Context, inputs map[string]string, refused error) error {
	return r.failed(r.session.Committer.Refuse(ctx, r.action, inputs, r.reason, refused))
}

// commit applies the plan.
func (r *changeReport) commit(ctx context.Context) (*changes.Commitment, error) {
	return r.session.Committer.Commit(ctx, r.plan)
}

// applyPlan prints the plan for --dry-run. Otherwise it calls commit, after the user agreed
// at the terminal if mode is modeAsk.
func (r *changeReport) apply(ctx context.Context, mode string, commit func(context.Context) (*changes.Commitment, error)) error {
	switch {
	case mode == flagDryRun:
		return r.printPlan()
	case mode == modeAsk && !r.secondPerson: // a change that commit refuses needs no question
		if err := r.confirm(ctx); err != nil {
			return err
		}
	}
	done, err := commit(ctx)
	if err != nil {
		return r.failed(err)
	}
	return r.committed(done)
}

// confirm shows the plan and asks whether to apply it. Any answer but yes ends the
// command. On production the answer is the item's ID.
func (r *changeReport) confirm(ctx context.Context) error {
	to := r.Stderr
	if r.output == "text" && cli.IsTerminal(r.Stdout) {
		to, r.printed = r.Stdout, true
	}
	if err := r.writeText(to); err != nil {
		return err
	}
	question := "Apply? (y/N) "
	agrees := cli.IsYes
	if r.production || r.session.Session.Production() {
		name, id := r.plan.SubjectID()
		what := "This is production."
		if r.session.Session.Stage() == session.Unclassified {
			what = "This connection is not classified; it is treated as production."
		}
		question = fmt.Sprintf("%s Type the %s of the item to apply the change: ", what, models.Printable(name))
		agrees = func(text string) bool { return text == id }
	}
	return r.Agree(ctx, question, agrees, cli.NothingWritten)
}

// masked returns the plan without the values that the role may not see.
func (r *changeReport) masked() *change.Plan { return r.plan.Shown(r.session.Session.Masker()) }

// printPlan writes the plan to stdout.
func (r *changeReport) printPlan() error {
	switch r.output {
	case "json":
		doc := r.document(documents.Planned)
		capacity := r.plan.Capacity()
		doc.Capacity = &capacity
		return cli.WriteJSON(r.Stdout, doc)
	case "cli":
		return r.printCLI()
	}
	return r.writeText(r.Stdout)
}

// printCLI writes the request as an AWS CLI command.
func (r *changeReport) printCLI() error {
	masked := r.masked().Batch().CLI()
	if masked != r.plan.Batch().CLI() {
		r.Note("sensitive values are masked; the command does not make the same change")
	}
	_, err := fmt.Fprintln(r.Stdout, masked)
	return err
}

// writeText writes the plan for people.
func (r *changeReport) writeText(w io.Writer) error {
	p := r.masked()
	summary := fmt.Sprintf("%s, %s, about %g WCU", p.Batch().Explain().Operation, english.Plural(len(p.Writes), "write", ""), p.Capacity())
	if p.Basis.Reason != "" {
		summary += "; reason: " + p.Basis.Reason
	}
	return writeLines(w, r.title(), summary, "", strings.TrimRight(p.Text(), "\n"))
}

// writeLines writes texts of one or more lines, each line printable.
func writeLines(w io.Writer, texts ...string) error {
	lines := strings.Split(strings.Join(texts, "\n"), "\n")
	for i, l := range lines {
		lines[i] = models.Printable(l)
	}
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

// title names the change, such as "Approve, status in_review → approved".
func (r *changeReport) title() string {
	title := r.action.Title
	if r.undoes != nil {
		title = "Undo: " + title
	}
	if r.plan.To != "" && r.action.Lifecycle != nil {
		title += fmt.Sprintf(", %s %s → %s", r.action.Lifecycle.Attribute, r.plan.From, r.plan.To)
	}
	return title
}

// committed prints the outcome of an applied plan. An output error must not read
// like a change that did not happen.
func (r *changeReport) committed(done *changes.Commitment) error {
	if err := r.printCommitted(done); err != nil {
		return fmt.Errorf("the change was applied (journal %s), but its report could not be written: %w", shortID(done.Journal), err)
	}
	return unrecorded(done, r.session)
}

// unrecorded returns the error of an applied change whose outcome is not in the journal, otherwise nil. Scripts
// notice it by the exit code.
func unrecorded(done *changes.Commitment, w *workspace.Workspace) error {
	if done.Unrecorded == nil {
		return nil
	}
	return fmt.Errorf("the change was applied, but its journal entry %s has no outcome; run %s: %w",
		shortID(done.Journal), w.Session.SchemaCommand("journal", "resolve"), done.Unrecorded)
}

// printCommitted prints the committed plan in the output format, with the consumed WCU
// and the journal ID.
func (r *changeReport) printCommitted(done *changes.Commitment) error {
	r.plan = done.Plan
	for _, n := range done.Notes {
		if done.Unrecorded == nil || n != done.Unrecorded.Error() { // the error of the command
			r.Note(n)
		}
	}
	switch r.output {
	case "json":
		doc := r.document(documents.Committed)
		doc.Capacity, doc.Journal = &done.Capacity, &done.Journal
		doc.Notes = append(doc.Notes, done.Notes...)
		return cli.WriteJSON(r.Stdout, doc)
	case "cli":
		return r.printCLI()
	}
	if !r.printed {
		if err := r.writeText(r.Stdout); err != nil {
			return err
		}
	}
	line := string(documents.Committed)
	if done.Capacity > 0 {
		line += fmt.Sprintf(", %g WCU", done.Capacity)
	}
	if _, err := fmt.Fprintln(r.Stdout, line+", journal "+shortID(done.Journal)); err != nil {
		return err
	}
	if r.canUndo(done) {
		r.Note("to undo, run " + r.session.Session.Command("journal", "undo", r.schema, shortID(done.Journal)))
	}
	return nil
}

// canUndo reports whether the applied change can be undone. One that wrote a secret
// cannot, because the journal does not keep secrets.
func (r *changeReport) canUndo(done *changes.Commitment) bool {
	_, err := r.session.Journal.Undoable(done.Past)
	return err == nil
}

// failed prints the document of a change that was not applied, and returns its
// error with the text for stderr.
func (r *changeReport) failed(err error) error {
	conflict, isConflict := errors.AsType[*change.Conflict](err)
	status := documents.Status("")
	switch {
	case isConflict:
		status = documents.Conflict
	case errors.Is(err, session.ErrRefused):
		status = documents.Refused
	case errors.Is(err, changes.ErrUnknown):
		status = documents.Unknown
	default:
		return err
	}
	text := strings.ReplaceAll(err.Error(), "\n", "; ")
	var differences []models.Change
	if isConflict {
		differences = conflict.Differences
	}
	if r.output == "json" {
		doc := r.document(status)
		printable := models.Printable(text)
		doc.Error = &printable
		for _, c := range differences {
			doc.Differences = append(doc.Differences, documents.OfDifference(c))
		}
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

const (
	// maxDifferences is how many differences an error message lists.
	maxDifferences = 4
	// maxDifferenceCells is how many terminal cells of a value it shows.
	maxDifferenceCells = 60
)

// differencesText lists in one line what changed since the items were read.
func differencesText(list []models.Change) string {
	var parts []string
	for _, c := range list[:min(len(list), maxDifferences)] {
		parts = append(parts, fmt.Sprintf("%s was %s, is %s", c.Path, cellOf(c.Before), cellOf(c.After)))
	}
	if more := len(list) - maxDifferences; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	return strings.Join(parts, "; ")
}

// cellOf returns a value in few words.
func cellOf(v types.AttributeValue) string {
	if v == nil {
		return "not set"
	}
	return models.PrintableCell(change.ValueWords(v), maxDifferenceCells)
}

// shortIDLength is how many characters of a journal ID people see.
const shortIDLength = 8

// shortID shortens a journal ID for people; commands accept any unambiguous prefix.
func shortID(id string) string { return id[:min(shortIDLength, len(id))] }

// document describes the change as far as it came.
func (r *changeReport) document(status documents.Status) documents.Change {
	if r.plan == nil {
		return documents.OfChange(r.action, status, r.reason, nil, r.undoes != nil)
	}
	return documents.OfChange(r.action, status, r.reason, r.masked(), r.undoes != nil)
}
