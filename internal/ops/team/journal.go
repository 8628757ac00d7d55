package team

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

// journalOperations lists ddbdesk journal and its subcommands.
var journalOperations = []*op.Op{
	newJournalOp(op.Op{
		Path: "journal", Title: "Show and verify the local journal, and list its sessions",
		Help: "The journal records every change, refusal and reveal on this machine. Without a subcommand, journal shows it.",
	}),
	newJournalOp(op.Op{Path: "journal show", Title: "Show the changes, refusals and reveals on this machine"}),
	verifyJournal, resolveChanges, listSessions, reviewSession,
}

func newJournalOp(o op.Op) *op.Op {
	o.Formats = op.TableJSON
	return op.New(o, nil, func(_ context.Context, c *op.Call, _ *struct{}) (op.Result, error) { return journalOf(c), nil })
}

// A journalEntry is an entry without its sealed record, which only this machine can read.
type journalEntry struct {
	journal.Entry
	Open bool `json:"open"` // an intent without an outcome

	outcomeFollows bool // the next entry is its outcome
}

// journalOf returns the journal, oldest entry first. It keeps only the IDs of open changes in memory.
func journalOf(c *op.Call) op.Stream {
	s := op.Stream{
		Rows:  entries(c),
		Table: items.NewTextTable("TIME", "KIND", "ID", "USER", "ROLE", "SUBJECT", "KEY", "CHANGE", "OUTCOME", "REASON"),
	}
	s.Table.Keys, s.Table.WholeLast, s.Table.Optional = "KEY", true, []string{"ROLE", "KIND", "REASON", "CHANGE", "USER"}
	intents := map[string]journal.Entry{} // intents whose outcome has not been read yet
	open, number, titles := map[string]int{}, 0, newTitles(c)
	s.Cells = func(row any) [][]string {
		e := row.(journalEntry)
		number++
		intent := intents[e.ID]
		switch e.Kind {
		case journal.Intent:
			intents[e.ID] = e.Entry
		case journal.Outcome:
			delete(intents, e.ID)
		default:
		}
		if e.Open {
			open[e.Profile]++
		}
		return [][]string{journalRow(e, intent, titles)}
	}
	s.Drawn = func(row any, cells [][]string) [][]string {
		e := row.(journalEntry)
		if e.Kind == journal.Intent && !e.Open || e.outcomeFollows {
			return nil // The outcome repeats the intent.
		}
		subject, key, outcome := &cells[0][5], &cells[0][6], &cells[0][8]
		_, *key = titles.item(e.Profile, *key)
		*subject = strings.NewReplacer("list-requests a change request", "list change requests", "list-events a", "history of a",
			"plan file a", "plan a").Replace(strings.Replace(*subject, e.Profile+".", "", 1))
		if e.Kind == journal.Lookup {
			*key, _, _ = strings.Cut(e.Detail.Entities, " ")
			if n := strings.Count(e.Detail.Entities, ","); n > 0 {
				*key = fmt.Sprintf("%d entities", n+1)
			}
			*outcome = e.Detail.Why
		}
		if n, err := strconv.Atoi(e.Detail.Items); err == nil && *outcome == "" {
			*outcome = english.Plural(n, "item", "") +
				map[journal.Kind]string{journal.Lookup: " read", journal.Copy: " copied", journal.Export: " exported"}[e.Kind]
		}
		*outcome = cmp.Or(strings.Replace(*outcome, ", 0 already existed", "", 1), "–")
		return cells
	}
	s.Envelope = op.Envelope{Array: true, End: func(err error) error {
		switch {
		case err != nil || c.Output == "json":
		case number == 0:
			c.Note(journal.DefaultPath() + " has no entries")
		default:
			NoteUnresolved(c.Note, open)
		}
		return err
	}}
	return s
}

func entries(c *op.Call) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		path := journal.DefaultPath()
		pending, _ := journal.Pending(path) // Reading the entries reports damaged ones too.
		open := map[string]uint64{}         // number of the last intent, by ID
		empty, last := true, (*journalEntry)(nil)
		for _, e := range pending {
			open[e.ID] = e.Seq
		}
		for e, err := range journal.Read(path) {
			empty = false
			if err != nil {
				if err := noteDamaged(c.Note, err); err != nil {
					if last == nil || yield(*last, nil) {
						yield(nil, err)
					}
					return
				}
				continue
			}
			e.Detail.Record = ""
			if last != nil {
				last.outcomeFollows = e.Kind == journal.Outcome && e.ID == last.ID
				if !yield(*last, nil) {
					return
				}
			}
			last = &journalEntry{Entry: e, Open: e.Kind == journal.Intent && open[e.ID] == e.Seq}
		}
		if last != nil && !yield(*last, nil) {
			return
		}
		if reason := journal.MissingReason(path); empty && reason != "" {
			yield(nil, errors.New(reason))
		}
	}
}

// noteDamaged notes damaged lines of the journal. It returns any other error, which ended the read.
func noteDamaged(note func(string), err error) error {
	if _, damaged := errors.AsType[*journal.LineError](err); !damaged {
		return err
	}
	note(strings.ReplaceAll(err.Error(), "\n", "; "))
	return nil
}

// NoteUnresolved notes how many changes of each schema have no outcome.
func NoteUnresolved(note func(string), open map[string]int) {
	for _, name := range slices.Sorted(maps.Keys(open)) {
		note(fmt.Sprintf("%s unresolved; to check, run %s", english.Plural(open[name], "change", ""),
			session.ResolveCommand(name)))
	}
}

// journalRow returns the cells of an entry. For an outcome, it adds the details of the intent.
func journalRow(e journalEntry, intent journal.Entry, named titles) []string {
	detail := e.Detail
	outcome := e.Outcome
	switch {
	case e.Open:
		outcome = "OPEN: outcome unknown"
	case e.Kind == journal.Outcome:
		detail = intent.Detail
	case e.Kind == journal.Refusal:
		why, _, _ := strings.Cut(e.Detail.Why, "; run ")
		outcome = "refused: " + why
	case e.Kind == journal.Reveal:
		outcome = "personal data shown"
	}
	subject := named.subject(e.Profile, e.Subject)
	if detail.Undoes != "" {
		subject = "undo of " + subject
	}
	return []string{
		e.Time.Format("2006-01-02T15:04:05Z"), string(e.Kind), journal.ShortID(e.ID), e.Actor, e.Role, subject,
		detail.Key, named.stateChange(e.Profile, e.Subject, detail.From, detail.To), outcome, string(detail.Reason),
	}
}

var verifyJournal = op.New(op.Op{
	Path: "journal verify", Title: "Find entries that were modified, removed or reordered",
	Help: "Verifies the hash chain of the journal. --against also compares it with the sink's copies, and detects a journal\n" +
		"that was truncated, or rewritten with correct hashes.",
}, func(against *string) []*op.Param {
	return []*op.Param{op.Flag(against, "against", "also compare with the copies in `FILE`, or \"sink\" for the configured sink")}
}, func(ctx context.Context, c *op.Call, against *string) (op.Result, error) {
	lines, err := verifyChain()
	if err == nil && *against != "" {
		var more []string
		more, err = verifyAgainst(ctx, c, *against)
		lines = append(lines, more...)
	}
	if len(lines) == 0 || errors.Is(err, session.ErrInput) {
		return nil, err
	}
	return op.Doc{Lines: lines}, err
})

func verifyChain() ([]string, error) {
	path := journal.DefaultPath()
	r, err := journal.Verify(path)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && r.OK() {
		return []string{"the journal does not exist yet"}, nil
	}
	if r.OK() {
		return []string{fmt.Sprintf("%s verified: none modified, removed or reordered", english.Plural(r.Entries, "entry", ""))}, nil
	}
	lines := models.MapSlice(r.Problems, journal.Problem.String)
	return lines, fmt.Errorf("%s: %s; an entry was modified or the file is corrupt", path, english.Plural(len(lines), "problem", ""))
}

func verifyAgainst(ctx context.Context, c *op.Call, source string) ([]string, error) {
	from, err := c.Sink("--against", source)
	if err != nil {
		return nil, err
	}
	path := journal.DefaultPath()
	r, err := journal.VerifyAgainst(ctx, path, from)
	switch {
	case err != nil:
		return nil, sinkError("--against", source, from.Name(), err)
	case !r.OK():
		return r.Problems, fmt.Errorf("%s: %s against %s; the journal or its copies were truncated or changed",
			path, english.Plural(len(r.Problems), "problem", ""), from.Name())
	case r.Matched == 0:
		return nil, fmt.Errorf("%s has no entries of this journal, so nothing was compared", from.Name())
	}
	if r.Waiting > 0 {
		c.Notef("%s not sent yet", english.Plural(r.Waiting, "entry is", "entries are"))
	}
	return []string{fmt.Sprintf("%s identical in %s", english.Plural(r.Matched, "entry", ""), from.Name())}, nil
}

// sinkError names the flag if the user named the file with the copies; the configured sink must exist.
func sinkError(flag, place, name string, err error) error {
	_, isPath := errors.AsType[*fs.PathError](err)
	switch {
	case isPath && place != "" && place != op.ConfiguredSink:
		return fmt.Errorf("%s: %w", flag, op.FileError(err))
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s does not exist: nothing was sent to the sink yet, or the file was removed", name)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// changeIDLength is the number of characters in a full journal ID.
const changeIDLength = 32

// findChange returns the change whose journal ID starts with id. It notes damaged journal entries.
func findChange(note func(string), w *workspace.Workspace, id string) (changes.PastChange, error) {
	var found []changes.PastChange
	for c, err := range w.Journal.Past() {
		switch err := noteDamaged(note, err); {
		case err != nil:
			return changes.PastChange{}, err
		case strings.HasPrefix(c.Intent.ID, id):
			found = append(found, c)
		}
		if len(found) > 0 && len(id) == changeIDLength {
			break
		}
	}
	switch len(found) {
	case 0:
		return changes.PastChange{}, session.InputErrorf("the journal has no change %s for this schema and connection; "+
			"list the changes with ddbdesk journal", op.Short(id))
	case 1:
		return found[0], nil
	}
	return changes.PastChange{}, session.InputErrorf("%s is ambiguous: %d changes start with it; give more characters", op.Short(id),
		len(found))
}

// A resolution is the outcome of a change, based on its items and its audit entry. Error explains why ddbdesk could not
// determine the outcome; otherwise it is null.
type resolution struct {
	ID     string       `json:"id"`
	Action string       `json:"action"`
	Key    string       `json:"key"`
	State  change.State `json:"state"` // "" if the items do not show it
	Error  *string      `json:"error"`
}

type resolveInput struct{ schema, id string }

// resolveChanges is ddbdesk journal resolve. It resolves the change with an ID, or all unresolved changes.
var resolveChanges = op.New(op.Op{
	Path: "journal resolve", Title: "Determine the outcome of unresolved changes by reading their items", Needs: op.Writes,
	Formats: op.TextJSON,
}, func(in *resolveInput) []*op.Param {
	id := op.Arg(&in.id, "id", "journal ID of a change, or its beginning").Optional()
	return []*op.Param{op.SchemaArg(&in.schema), id.WithCheck(func() error {
		if id.Given() && in.id == "" {
			return errors.New("empty")
		}
		return nil
	})}
}, func(ctx context.Context, c *op.Call, in *resolveInput) (op.Result, error) {
	w, err := c.OpenSchema(ctx, in.schema)
	if err != nil {
		return nil, err
	}
	open := make([]changes.PastChange, 1)
	if in.id != "" {
		open[0], err = findChange(c.Note, w, in.id)
	} else {
		open, err = w.Journal.Open()
		slices.Reverse(open)
		err = noteDamaged(c.Note, err)
	}
	if err != nil {
		return nil, err
	}
	list, lastErr := resolveAll(ctx, c, w, open)
	for _, e := range w.Journal.OpenElsewhere() {
		c.Notef("%s unresolved elsewhere: %s on %s; to check, use that schema and connection",
			english.Plural(e.Number, "change", ""), models.Printable(e.Schema), e.Place)
	}
	doc := op.Doc{Document: list}
	if len(list) == 0 {
		doc.Notes = []string{"no unresolved changes of this schema on this connection"}
	}
	for _, x := range list {
		if x.Error == nil {
			action := newTitles(c).action(w.Session.Profile().Name, x.Action)
			doc.Lines = append(doc.Lines, fmt.Sprintf("%s  %s %s: %s", journal.ShortID(x.ID), action, x.Key, x.State))
		}
	}
	return doc, lastErr
})

// resolveAll resolves every change, even after errors. It notes all errors except the last one, which it returns.
func resolveAll(ctx context.Context, c *op.Call, w *workspace.Workspace, open []changes.PastChange) ([]resolution, error) {
	list := []resolution{}
	var lastErr error
	for _, past := range open {
		r := resolution{ID: past.Intent.ID, Action: past.Intent.Subject, Key: past.Intent.Detail.Key}
		var err error
		if r.State, err = w.Journal.Resolve(ctx, past); err != nil {
			if lastErr != nil {
				c.Note(lastErr.Error())
			}
			text := models.Printable(err.Error())
			r.Error, lastErr = &text, err
		}
		list = append(list, r)
	}
	return list, lastErr
}
