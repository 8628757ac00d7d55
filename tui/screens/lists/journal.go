package lists

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/listing"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A journalRow is a journal entry: a change, or a remark (a refusal or a reveal). Exactly one of the two fields is set.
type journalRow = *journalLine

type journalLine struct {
	change *changes.PastChange
	remark *journal.Entry
}

// Journal lists this console's operations on the session's database.
var Journal = listing.Open(func(*screen.Env, screen.Journal) *listing.Spec[journalRow] {
	return &listing.Spec[journalRow]{
		Name: "journal", Inner: true, Title: "Changes", Does: "Lists changes, refusals and reveals on this machine.",
		Noun: "entry", Pages: true,
		Guide: screen.Guide{
			Purpose: "Changes, refusals and reveals of this schema and database on this machine, newest first. ddbdesk detects a modified or " +
				"removed entry.",
			First: "select a change. Press o u to undo it with a new change, or enter to open its item. The tab Sessions lists the reads.",
			Signs: []screen.Sign{
				{Glyph: "✓", Meaning: "committed: the change was applied"},
				{Glyph: "?", Meaning: "unknown outcome; press o v to read the items and determine it"},
				{Glyph: "≠", Meaning: "conflict: the item had changed; nothing was written"},
				{Glyph: "↶", Meaning: "committed and later undone"},
				{Glyph: "⊘", Meaning: "refused, with the reason"},
				{Glyph: "◉", Meaning: "personal data was shown, with the reason"},
				{Glyph: "✗", Meaning: "failed: nothing was written"},
			},
		},
		ID:   func(r journalRow) string { return r.entry().ID },
		Load: loadJournal,
		Tabs: []listing.Tab[journalRow]{
			{Title: "Changes", Has: func(r journalRow) bool { return r.change != nil }, Empty: func(e *screen.Env) (string, string) {
				return "No changes to " + models.Printable(e.Session.Profile().Name) + " yet", sessionsHint
			}},
			{
				Title: "With refusals and reveals", Ended: true, Has: func(journalRow) bool { return true },
				Empty: listing.None("No entries yet", sessionsHint),
			},
		},
		Columns: journalColumns, Facts: journalFacts,
		Search: func(r journalRow) string { return r.entry().Subject + " " + r.entry().Detail.Key },
		Label:  func(e *screen.Env, r journalRow) string { return joinDistinct(r.title(e), entryItem(e, r.entry())) },
		Actions: []listing.Action[journalRow]{
			{
				Name: "resolve", Keys: "o>v", Desc: "resolve", Long: "resolve a change with an unknown outcome by reading its items",
				Doing: "reading the items of", Do: resolveChange,
				Can: listing.CheckAll(isChange, listing.Require(journalRow.isOpen, "the outcome is known")),
			},
			{
				Name: "undo", Keys: "o>u", Desc: "undo", Long: "plan the undo of the change", Danger: true,
				Can: listing.CheckAll(isChange, canUndo),
				Run: func(s *listing.Screen[journalRow], r journalRow) tea.Cmd {
					return readPast(r, s.Env.Journal.Undoable, func(p *change.Plan) tea.Cmd {
						return s.Undo(changes.Latest{PastChange: *r.change, Plan: p})
					})
				},
			},
			{
				Name: "enter", Keys: "enter", Desc: "open item", Long: "open the item that was changed", Can: isChange,
				Run: func(s *listing.Screen[journalRow], r journalRow) tea.Cmd {
					return readPast(r, s.Env.Journal.PlanOf, func(p *change.Plan) tea.Cmd {
						w := p.Writes[0]
						item := w.Key
						if w.Before != nil {
							item = w.Before // The change may have deleted the item.
						}
						if w.After != nil {
							item = w.After
						}
						return screen.Open(screen.Item{Table: w.Table, Item: item})
					})
				},
			},
		},
	}
})

// sessionsHint is the next step in an empty journal.
const sessionsHint = "Press 2 for sessions, including those of other schemas and databases."

// firstEntries is the number of entries to read first.
const firstEntries = 500

// loadJournal verifies the whole chain if the user asks, otherwise only the new part. It lists changes with an unknown
// outcome first. The others keep the journal's order, because clock changes can make its times unordered.
func loadJournal(_ context.Context, e *screen.Env, r *listing.Reading[journalRow]) (listing.Rows[journalRow], error) {
	log, err := e.Journal.Log(firstEntries << (2 * r.ExtraPages))
	entries, problems, unverified := e.Journal.Verify(r.ByUser)
	if unverified != nil {
		problems = append(problems, "it could not be verified: "+unverified.Error())
	}
	var list []journalRow
	open := 0
	for i := range log.Changes {
		if list = append(list, &journalLine{change: &log.Changes[i]}); log.Changes[i].Open() {
			open++
		}
	}
	for i := range log.Remarks {
		list = append(list, &journalLine{remark: &log.Remarks[i]})
	}
	slices.SortStableFunc(list, func(a, b journalRow) int {
		if first := a.isOpen(); first != b.isOpen() {
			return map[bool]int{true: -1, false: 1}[first]
		}
		return cmp.Compare(b.entry().Seq, a.entry().Seq)
	})
	rows := listing.Rows[journalRow]{List: list, More: log.More}
	rows.Status = present.Plural(len(log.Changes), "change") + " of " + e.Session.Profile().Name
	if log.More {
		rows.Status = "newest " + rows.Status + " · n load older entries"
	}
	if open > 0 {
		rows.Status = fmt.Sprintf("✗ %d with unknown outcome · %s", open, rows.Status)
	}
	rows.Note = "✓ journal verified: " + present.Plural(entries, "entry") + " of all schemas"
	if len(list) == 0 { // A count beside an empty list reads like a contradiction.
		rows.Note = "✓ this machine's journal verified"
	}
	if len(problems) > 0 {
		rows.Problems, rows.Note = []string{"the journal was modified or is damaged: " + problems[0]}, ""
	}
	return rows, err
}

func (r journalRow) entry() journal.Entry {
	if r.change != nil {
		return r.change.Intent
	}
	return *r.remark
}

func (r journalRow) isOpen() bool { return r.change != nil && r.change.Open() }

var journalColumns = []listing.Column[journalRow]{
	listing.Time("When", "", func(r journalRow) time.Time { return r.entry().Time }),
	listing.Styled(widget.Column{Title: "Who", Max: 16}, widget.RoleMuted,
		func(_ *screen.Env, r journalRow) string { return r.entry().Actor }),
	listing.Styled(widget.Column{Title: "What", Max: 28}, widget.RoleKey,
		func(env *screen.Env, r journalRow) string { return r.title(env) }),
	{
		Column: widget.Column{Title: "Outcome", Max: 17},
		Cell: func(_ *screen.Env, r journalRow) widget.Cell {
			word, _, role := r.outcome()
			return widget.Cell{Text: word, Role: role}
		},
	},
	listing.Styled(widget.Column{Title: "Item", Max: 64, Middle: true}, widget.RoleMuted, func(env *screen.Env, r journalRow) string {
		item := entryItem(env, r.entry())
		if e := env.Session.Profile().Entity(r.entry().Detail.Entity); e != nil { // The ID is worth more than the entity.
			item = strings.TrimPrefix(item, present.EntityName(e)+" ")
		}
		return orNoValue(item)
	}),
	listing.Styled(widget.Column{Title: "Change", Max: 34}, widget.RoleInfo, func(env *screen.Env, r journalRow) string {
		return orNoValue(transition(env, r.entry()))
	}),
	listing.Styled(widget.Column{Title: "Reason", Max: 40}, widget.RoleText, func(_ *screen.Env, r journalRow) string {
		return orNoValue(string(r.entry().Detail.Reason))
	}),
}

func (r journalRow) title(env *screen.Env) string {
	name := subjectTitle(env, r.entry().Subject)
	switch {
	case r.change != nil && r.change.IsUndo():
		return "Undo: " + name
	case r.remark != nil && r.remark.Kind == journal.Reveal:
		return "Reveal: " + name
	}
	return name
}

func (r journalRow) outcome() (word, sentence string, role widget.Role) {
	switch {
	case r.remark != nil && r.remark.Kind == journal.Reveal:
		return "◉ revealed", "personal data was shown", widget.RoleInfo
	case r.remark != nil && r.remark.Kind == journal.Setup:
		return "✓ sample data", "sample data was written where no item existed", widget.RoleInfo
	case r.remark != nil:
		return "⊘ refused", "refused: " + orNoValue(r.remark.Detail.Why), widget.RoleWarn
	case r.change.Open():
		return "? unknown", "unknown; press o v to read the items and determine it", widget.RoleBad
	case r.change.Undone:
		return "↶ undone", "committed and later undone", widget.RoleMuted
	}
	text := r.change.Outcome.Outcome
	word, _, _ = strings.Cut(text, ":")
	switch {
	case r.change.Committed():
		return "✓", text, widget.RoleGood
	case word == "conflict":
		return "≠ conflict", text, widget.RoleWarn
	}
	return "✗ " + word, text, widget.RoleWarn
}

func journalFacts(env *screen.Env, r journalRow) []listing.Fact {
	e := r.entry()
	if r.change != nil && r.change.Outcome != nil {
		e = withOutcome(e, r.change.Outcome)
	}
	_, outcome, role := r.outcome()
	return append([]listing.Fact{
		{Label: "what", Text: r.title(env), Role: widget.RoleKey},
		{Label: "outcome", Text: outcome, Role: role},
	}, detailFacts(env, e)...)
}

var isChange = listing.Require(func(r journalRow) bool { return r.change != nil }, "the entry is not a change")

func canUndo(e *screen.Env, r journalRow) error {
	switch {
	case r.change.Open():
		return errors.New("the outcome is unknown; resolve it with o v first")
	case !r.change.Committed():
		return errors.New("nothing was written")
	case r.change.Undone:
		return errors.New("the change was already undone")
	case r.change.IsUndo():
		return errors.New("the change is an undo; apply the original change again instead")
	}
	a := e.Session.Profile().Action(strings.TrimSpace(r.change.Intent.Subject))
	switch {
	case a == nil: // The schema no longer contains it.
		return nil
	case a.NoUndo != "":
		return errors.New("the change cannot be undone: " + a.NoUndo)
	}
	return e.Session.CanChange(a)
}

func readPast(r journalRow, read func(changes.PastChange) (*change.Plan, error), then func(p *change.Plan) tea.Cmd) tea.Cmd {
	return func() tea.Msg {
		p, err := read(*r.change)
		if err != nil {
			return screen.NoticeMsg{Text: err.Error(), Bad: true}
		}
		return screen.Answer(func() tea.Cmd { return then(p) })
	}
}

// outcomes describes the result of a change, as determined from its items.
var outcomes = map[change.State]string{
	change.Written:    "the change was applied: the items have the values that it wrote",
	change.Overtaken:  "the change was applied, and the items have changed again since then",
	change.NotWritten: "nothing was written: the items are unchanged",
	change.AsPlanned:  "the outcome cannot be determined: the items have the planned values, possibly from another user",
	change.Unclear:    "the outcome cannot be determined: the items have changed since then",
}

func resolveChange(ctx context.Context, e *screen.Env, r journalRow, _ string) (listing.ActionResult, error) {
	state, err := e.Journal.Resolve(ctx, *r.change)
	if err != nil {
		return listing.ActionResult{Message: "outcome still unknown: " + err.Error(), Bad: true}, nil //nolint:nilerr // The row shows it.
	}
	return listing.ActionResult{Message: cmp.Or(outcomes[state], string(state))}, nil
}
