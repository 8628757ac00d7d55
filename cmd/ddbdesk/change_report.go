// This file carries plans out, and reports what became of them: as text, as the
// document that scripts rely on, or as the AWS CLI's command.

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// A report is about one change. session and plan are nil until there are any.
type report struct {
	app        *app
	output     string
	action     *accesspatterns.Action
	schema     string // as it was named
	reason     string
	undoes     *accesspatterns.Plan // what an undo takes back
	session    *session.Session
	plan       *accesspatterns.Plan
	production bool // besides what the session says
	printed    bool // a person saw the plan already
	second     bool // somebody else has to carry it out
}

// The states of a change, in its document.
const (
	statusPlanned   = "planned"
	statusCommitted = "committed"
	statusConflict  = "conflict"
	statusRefused   = "refused"
	statusUnknown   = "unknown" // the answer was lost, and the items do not tell
)

// changeJSON always has all its fields.
type changeJSON struct {
	Action      string                        `json:"action"`
	Title       string                        `json:"title"`
	Undo        bool                          `json:"undo"`
	Status      string                        `json:"status"`
	From        *string                       `json:"from"`
	To          *string                       `json:"to"`
	Reason      string                        `json:"reason"`
	Writes      []accesspatterns.PlannedWrite `json:"writes"`
	Token       *string                       `json:"token"`
	Notes       []string                      `json:"notes"`
	Capacity    *float64                      `json:"capacity"` // write units: estimated, or consumed when committed
	Journal     *string                       `json:"journal"`  // the id of its entries
	Differences []differenceJSON              `json:"differences"`
	Error       *string                       `json:"error"`
}

type differenceJSON struct {
	Path   string          `json:"path"`
	Before json.RawMessage `json:"before"`
	After  json.RawMessage `json:"after"`
}

// carryOut prints the plan, or carries it out with commit: at once, or when the
// person who is asked agrees.
func (r *report) carryOut(ctx context.Context, mode string, commit func(context.Context) (*session.Commitment, error)) error {
	switch mode {
	case flagDryRun:
		return r.planned()
	case modeAsk:
		if r.second {
			break // it is refused: there is nothing to ask
		}
		if err := r.ask(ctx); err != nil {
			return err
		}
	}
	done, err := commit(ctx)
	if err != nil {
		return r.failed(err)
	}
	return r.committed(done)
}

// shown is the plan as it may be shown.
func (r *report) shown() *accesspatterns.Plan { return r.plan.Shown(r.session.Masker()) }

// planned writes the plan.
func (r *report) planned() error {
	switch r.output {
	case "json":
		doc := r.document(statusPlanned)
		capacity := r.plan.Capacity()
		doc.Capacity = &capacity
		return writeJSON(r.app.stdout, doc)
	case "cli":
		return r.command()
	}
	return r.text(r.app.stdout)
}

// command writes what is sent as a command of the AWS CLI.
func (r *report) command() error {
	shown := r.shown().Batch().CLI()
	if shown != r.plan.Batch().CLI() {
		r.app.note("sensitive values are hidden: the command is to be read, it does not do the same")
	}
	_, err := fmt.Fprintln(r.app.stdout, shown)
	return err
}

// text writes the plan for people.
func (r *report) text(w io.Writer) error {
	p := r.shown()
	lines := []string{r.title()}
	what := fmt.Sprintf("%s, %s, about %s", p.Batch().Explain().Operation, count(len(p.Writes), "write"), units(p.Capacity()))
	if p.Basis.Reason != "" {
		what += "; reason: " + p.Basis.Reason
	}
	lines = append(append(lines, what, ""), strings.Split(strings.TrimRight(p.Text(), "\n"), "\n")...)
	for i, l := range lines {
		lines[i] = models.Printable(l)
	}
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

// title names the change: Approve, status in_review → approved.
func (r *report) title() string {
	title := r.action.Title
	if r.undoes != nil {
		title = "Undo: " + title
	}
	if r.plan.To != "" && r.action.Lifecycle != nil {
		title += fmt.Sprintf(", %s %s → %s", r.action.Lifecycle.Attribute, r.plan.From, r.plan.To)
	}
	return title
}

// committed writes what was carried out. An error of writing it must not read
// like one of the change.
func (r *report) committed(done *session.Commitment) error {
	if err := r.made(done); err != nil {
		return fmt.Errorf("the change was made (journal %s), but not all of it could be printed: %w", shortID(done.Journal), err)
	}
	return nil
}

func (r *report) made(done *session.Commitment) error {
	r.plan = done.Plan
	for _, n := range done.Notes {
		r.app.note(n)
	}
	switch r.output {
	case "json":
		doc := r.document(statusCommitted)
		doc.Capacity, doc.Journal = &done.Capacity, &done.Journal
		doc.Notes = append(doc.Notes, done.Notes...)
		return writeJSON(r.app.stdout, doc)
	case "cli":
		return r.command()
	}
	if !r.printed {
		if err := r.text(r.app.stdout); err != nil {
			return err
		}
	}
	line := "committed"
	if done.Capacity > 0 {
		line += ", " + units(done.Capacity)
	}
	if _, err := fmt.Fprintln(r.app.stdout, line+", journal "+shortID(done.Journal)); err != nil {
		return err
	}
	if r.canUndo(done.Journal) {
		r.app.notef("ddbdesk journal undo %s %s takes it back", r.schema, shortID(done.Journal))
	}
	return nil
}

// canUndo reports whether the change that was just made can be taken back: not
// when it wrote a secret, for one, which the journal does not keep.
func (r *report) canUndo(id string) bool {
	list, _ := r.session.Changes() // damaged lines are about other changes
	c, err := findChange(list, id)
	if err != nil {
		return false
	}
	_, err = r.session.Undoable(c)
	return err == nil
}

// failed writes the document of a change that did not happen, and returns the
// error as it is printed.
func (r *report) failed(err error) error {
	var conflict *accesspatterns.Conflict
	status := ""
	switch {
	case errors.As(err, &conflict):
		status = statusConflict
	case errors.Is(err, session.ErrRefused):
		status = statusRefused
	case errors.Is(err, session.ErrUnknown):
		status = statusUnknown
	default:
		return err
	}
	words := strings.ReplaceAll(err.Error(), "\n", "; ")
	var differences []models.Change
	if conflict != nil {
		differences = conflict.Differences
	}
	if r.output == "json" {
		doc := r.document(status)
		said := models.Printable(words)
		doc.Error = &said
		for _, c := range differences {
			doc.Differences = append(doc.Differences, differenceJSON{c.Path, valueJSON(c.Before), valueJSON(c.After)})
		}
		if werr := writeJSON(r.app.stdout, doc); werr != nil {
			return errors.Join(err, werr)
		}
	}
	if text := differenceWords(differences); text != "" {
		words += "\n" + text
	}
	return &wordedError{words, err}
}

// A wordedError says another error in the lines that are printed.
type wordedError struct {
	words string
	err   error
}

func (e *wordedError) Error() string { return e.words }
func (e *wordedError) Unwrap() error { return e.err }

// maxDifferences is how many differences a line names.
const maxDifferences = 4

// differenceWords says in one line what is no longer as it was.
func differenceWords(list []models.Change) string {
	var words []string
	for i, c := range list {
		if i == maxDifferences {
			words = append(words, fmt.Sprintf("%d more", len(list)-i))
			break
		}
		words = append(words, fmt.Sprintf("%s was %s, is %s", c.Path, valueWords(c.Before), valueWords(c.After)))
	}
	return strings.Join(words, "; ")
}

// maxDifference is how many cells of a value such a line shows.
const maxDifference = 60

func valueWords(v types.AttributeValue) string {
	if v == nil {
		return "not set"
	}
	return models.PrintableCell(accesspatterns.ValueWords(v), maxDifference)
}

func valueJSON(v types.AttributeValue) json.RawMessage {
	if v == nil {
		return json.RawMessage("null")
	}
	return models.AppendValueJSON(nil, v)
}

func units(f float64) string {
	if f == 1 {
		return "1 write unit"
	}
	return strconv.FormatFloat(f, 'f', -1, 64) + " write units"
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// idLength is how much of a journal entry's id people are shown.
const idLength = 8

func shortID(id string) string { return id[:min(idLength, len(id))] }

// document describes the change as far as it came.
func (r *report) document(status string) changeJSON {
	doc := changeJSON{
		Action: r.action.ID, Title: r.action.Title, Undo: r.undoes != nil, Status: status, Reason: strings.TrimSpace(r.reason),
		Writes: []accesspatterns.PlannedWrite{}, Notes: []string{}, Differences: []differenceJSON{},
	}
	if r.plan == nil {
		return doc
	}
	p := r.shown()
	doc.Reason, doc.Token = p.Basis.Reason, &p.Basis.Token
	doc.Writes, doc.Notes = append(doc.Writes, p.Writes...), append(doc.Notes, p.Notes...)
	if p.To != "" {
		doc.From, doc.To = &p.From, &p.To
	}
	return doc
}
