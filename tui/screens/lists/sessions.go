package lists

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/output"
	"github.com/ddbdesk/ddbdesk/tui/listing"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

type auditSession = *journal.Session

const breakGlass = "BREAK GLASS"

// Audit lists sessions with their users, purposes, reads, changes and reveals.
var Audit = listing.Open(func(*screen.Env, screen.Audit) *listing.Spec[auditSession] {
	reader := &auditReader{}
	return &listing.Spec[auditSession]{
		Name: "audit", Inner: true, Title: "Sessions", Noun: "session", Costly: true,
		Does: "Lists the sessions on this machine, or the sessions on all machines from the journal's sink.",
		Guide: screen.Guide{
			Purpose: "Sessions with their reason, ticket, reads, changes, reveals and copies. Values of items are not recorded.",
			First:   "press enter to see the entries of a session, and o m to record that you reviewed it.",
			Signs: []screen.Sign{
				{Glyph: "✓", Meaning: "reviewed; the reviewer's name follows"},
				{Glyph: "◉", Meaning: "personal data was revealed"},
				{Glyph: "✗", Meaning: "entries were modified or are missing; the details name them"},
			},
		},
		ID: func(s auditSession) string { return s.ID },
		Label: func(e *screen.Env, s auditSession) string {
			return joinDistinct(s.Person, present.Exact(s.Begun, e.Now()))
		},
		Tabs: []listing.Tab[auditSession]{
			{Title: "All", Has: func(auditSession) bool { return true }, Empty: listing.None("No sessions",
				"ddbdesk records changes, reveals and refusals everywhere, and reads on production. Press 1 for the changes.")},
			{
				Title: "Without a review", Ended: true, Has: func(s auditSession) bool { return len(s.Reviews) == 0 },
				Empty: listing.None("No session needs a review", "Press v for all sessions."),
			},
		},
		Load: reader.load, Columns: sessionColumns, Facts: sessionFacts,
		Search: func(s auditSession) string {
			return strings.Join(slices.Concat([]string{s.Identity, s.Context, s.ID}, s.Schemas, s.Subjects), " ")
		},
		Export: exportSessions,
		Actions: []listing.Action[auditSession]{
			{
				Name: "enter", Keys: "enter", Desc: "entries", Long: "list the entries of the session",
				Run: func(s *listing.Screen[auditSession], of auditSession) tea.Cmd {
					return screen.Open(screen.AuditEntries{Of: of, From: reader.source(s.Env)})
				},
			},
			{
				Name: "review", Keys: "o>m", Desc: "mark reviewed", Long: "record that you reviewed the session, with a note",
				Can:   func(e *screen.Env, s auditSession) error { return e.Session.CanReview(s) },
				Doing: "recording the review of",
				Do: func(ctx context.Context, e *screen.Env, s auditSession, note string) (listing.ActionResult, error) {
					return listing.ActionResult{Message: "recorded the review of the session of " + s.Person},
						e.Session.Review(ctx, s, note)
				},
				Prompt: &listing.Prompt[auditSession]{
					Label: "Note", Required: true, Hint: "the result of the review", Check: session.CheckReason,
					About: func(_ *screen.Env, s auditSession) []string {
						return []string{"The journal records that you reviewed the session of " + models.Printable(s.Person) +
							", with your note. The session itself does not change."}
					},
				},
			},
			{
				Name: "source", Keys: "o>s", Desc: "sink", Free: true,
				Long: "read the sessions of all machines from the sink, or those of this machine from its journal",
				Can: func(e *screen.Env, _ auditSession) error {
					if len(e.Session.Sources()) < 2 {
						return errors.New("the configuration has no journal.sink; see docs/team.md")
					}
					return nil
				},
				Run: func(s *listing.Screen[auditSession], _ auditSession) tea.Cmd {
					reader.sourceIndex.Add(1)
					return s.Reload()
				},
			},
		},
	}
})

// An auditReader is the source of the sessions.
type auditReader struct {
	sourceIndex atomic.Int64 // index of the source
}

func (a *auditReader) source(e *screen.Env) journal.Source {
	list := e.Session.Sources()
	return list[int(a.sourceIndex.Load())%len(list)]
}

func (a *auditReader) load(ctx context.Context, e *screen.Env, r *listing.Reading[auditSession]) (listing.Rows[auditSession], error) {
	source := a.source(e)
	rows := listing.Rows[auditSession]{Note: cmp.Or(source.Name(), "this machine's journal")}
	report, err := source.Read(ctx, journal.Filter{}, func(n int) {
		r.Found(listing.Rows[auditSession]{Status: present.Plural(n, "entry")})
	})
	rows.List, rows.Problems = report.List, report.Problems
	rows.Status = fmt.Sprintf("%s · ✓ %s verified", present.Plural(len(report.List), "session"), present.Plural(report.Entries, "entry"))
	if report.Journals > 1 {
		rows.Status += " of " + present.Plural(report.Journals, "journal")
	}
	return rows, err
}

func sessionColumn(c widget.Column, text func(s auditSession) string) listing.Column[auditSession] {
	return listing.Tinted(c, widget.RoleBad, text, func(s auditSession) bool { return s.BreakGlass })
}

var sessionColumns = []listing.Column[auditSession]{
	listing.Time("Started", "", func(s auditSession) time.Time { return s.Begun }),
	sessionColumn(widget.Column{Title: "Who", Max: 20}, func(s auditSession) string { return s.Person }),
	sessionColumn(widget.Column{Title: "Ticket", Max: 16, Hides: true}, func(s auditSession) string {
		if s.BreakGlass {
			return breakGlass
		}
		return s.Ticket
	}),
	sessionColumn(widget.Column{Title: "Reason", Max: 60, Hides: true}, func(s auditSession) string { return s.Reason }),
	sessionColumn(widget.Column{Title: "In all schemas", Max: 60}, func(s auditSession) string {
		return joinDistinct(countText(s.Changes, "change"),
			map[bool]string{true: "◉ " + countText(s.Reveals, "reveal")}[s.Reveals > 0], countText(s.Reads, "read"),
			countText(s.Copies, "copy"))
	}),
	{
		Column: widget.Column{Title: "Reviewed", Max: 16, Hides: true},
		Cell: func(_ *screen.Env, s auditSession) widget.Cell {
			if n := len(s.Reviews); n > 0 {
				return widget.Cell{Text: "✓ " + s.Reviews[n-1].By, Role: widget.RoleGood}
			}
			return widget.Cell{}
		},
	},
}

func sessionFacts(e *screen.Env, s auditSession) []listing.Fact {
	emergency := ""
	if s.BreakGlass {
		emergency = breakGlass + ": an emergency, without a ticket"
	}
	list := []listing.Fact{
		{Label: "emergency", Text: emergency, Role: widget.RoleBad},
		{Label: "who", Text: joinDistinct(s.Person, identityOf(s.Person, s.Identity))},
		{Label: "reason", Text: orNoValue(s.Reason)},
		{Label: "ticket", Text: s.Ticket, Role: widget.RoleInfo},
		{Label: "started", Text: strings.Join(slices.Compact([]string{
			present.Exact(s.Begun, e.Now()),
			present.Exact(s.Ended, e.Now()),
		}), " to ")},
		{Label: "context", Text: s.Context},
		{Label: "schemas", Text: strings.Join(s.Schemas, ", ")},
		{Label: "programs", Text: strings.Join(s.Clients, ", ")},
		{Label: "read", Text: joinDistinct(countText(s.Reads, "read"), countText(s.Items, "item"))},
		{Label: "changed", Text: joinDistinct(countText(s.Changes, "change"), countText(s.Refusals, "refusal"))},
		{Label: "shown", Text: joinDistinct(countText(s.Reveals, "reveal"), countText(s.Copies, "copy"))},
	}
	for _, r := range s.Reviews {
		list = append(list, listing.Fact{
			Label: "reviewed", Text: "✓ " + joinDistinct(r.By, present.Exact(r.At, e.Now()), r.Note), Role: widget.RoleGood,
		})
	}
	return append(list,
		listing.Fact{Label: "what", Text: strings.Join(models.MapSlice(s.Subjects, func(text string) string {
			kind, subject, _ := strings.Cut(text, " ")
			return entryWord(journal.Kind(kind)) + ": " + subjectTitle(e, subject)
		}), "\n"), Role: widget.RoleMuted},
		listing.Fact{Label: "session", Text: s.ID, Role: widget.RoleMuted})
}

func countText(n int, noun string) string {
	if n == 0 {
		return ""
	}
	return present.Plural(n, noun)
}

func exportSessions(list []auditSession) []output.Piece {
	text := present.Plural(len(list), "session")
	return []output.Piece{
		{Label: "JSON", Note: "as ddbdesk journal sessions -o json", What: text, File: "sessions.json", Text: func() (string, error) {
			text, err := json.MarshalIndent(list, "", "  ")
			return string(models.PrintableJSON(text)), err
		}},
		{Label: "CSV", Note: "one line per session", What: text, File: "sessions.csv", Text: func() (string, error) {
			var b bytes.Buffer
			err := journal.WriteSessions(&b, list)
			return b.String(), err
		}},
	}
}

type entry = *journal.Entry

// AuditEntries lists a session's entries.
var AuditEntries = listing.Open(func(_ *screen.Env, to screen.AuditEntries) *listing.Spec[entry] {
	spec := &listing.Spec[entry]{
		Name: "audit-entries", Title: "Entries", Noun: "entry", Costly: true,
		Does: "Lists the entries of a session: each read, change, reveal, copy and refusal.",
		Guide: screen.Guide{
			Purpose: "The entries of a session, oldest first: reads, changes, reveals, copies and refusals.",
			First:   "select an entry to see its details. Press esc to go back to the sessions.",
			Signs:   []screen.Sign{{Glyph: "◉", Meaning: "personal data was revealed, with the reason"}},
		},
		ID:    func(e entry) string { return e.Hash },
		Empty: listing.None("No entries", "Press esc for the sessions."),
		Load: func(ctx context.Context, _ *screen.Env, _ *listing.Reading[entry]) (listing.Rows[entry], error) {
			list, err := to.From.Entries(ctx, to.Of)
			return listing.Rows[entry]{List: withOutcomes(list)}, err
		},
		Search: func(e entry) string {
			return strings.Join([]string{string(e.Detail.Reason), e.Detail.Client, e.Subject, e.Detail.Key}, " ")
		},
		Columns: []listing.Column[entry]{
			listing.Time("When", time.DateTime, func(e entry) time.Time { return e.Time }),
			listing.Text("Entry", func(e entry) string { return entryWord(e.Kind) }),
			listing.Styled(widget.Column{Title: "What", Max: 40}, widget.RoleText, func(env *screen.Env, e entry) string {
				return subjectTitle(env, e.Subject)
			}),
			{Column: widget.Column{Title: "Outcome", Max: 40}, Cell: entryOutcome},
			listing.Styled(widget.Column{Title: "Change", Max: 34}, widget.RoleInfo, func(env *screen.Env, e entry) string {
				return transition(env, *e)
			}),
			listing.Styled(widget.Column{Title: "Item", Max: 64, Middle: true}, widget.RoleMuted, func(env *screen.Env, e entry) string {
				return entryItem(env, *e)
			}),
		},
		Facts: entryFacts,
	}
	if to.Of != nil {
		spec.Heading = "Entries of " + models.Printable(joinDistinct(to.Of.Person, to.Of.Ticket))
	}
	return spec
})

func withOutcomes(list []journal.Entry) (rows []entry) {
	intents := map[string]entry{}
	for _, e := range pointers(list) {
		if intent := intents[e.ID]; e.Kind == journal.Outcome && intent != nil {
			*intent = withOutcome(*intent, e)
			continue
		}
		if rows = append(rows, e); e.Kind == journal.Intent {
			intents[e.ID] = e
		}
	}
	return rows
}

func withOutcome(intent journal.Entry, e entry) journal.Entry {
	d, o := &intent.Detail, e.Detail
	intent.Outcome = e.Outcome
	d.Notes, d.Capacity, d.Resolved, d.ResolvedBy = o.Notes, o.Capacity, o.Resolved, o.ResolvedBy
	return intent
}

func entryOutcome(_ *screen.Env, e entry) widget.Cell {
	switch e.Kind {
	case journal.Refusal:
		return widget.Cell{Text: e.Detail.Why, Role: widget.RoleWarn}
	case journal.Reveal:
		return widget.Cell{Text: "◉ " + string(e.Detail.Reason), Role: widget.RoleInfo}
	case journal.Lookup, journal.Copy, journal.Export:
		return widget.Cell{Text: joinDistinct(entryItems(e), e.Detail.Shown), Role: widget.RoleMuted}
	default:
		return widget.Cell{Text: cmp.Or(e.Outcome, e.Detail.Why), Role: widget.RoleMuted}
	}
}

func entryItems(e entry) string {
	n, err := strconv.Atoi(e.Detail.Items)
	if err != nil {
		return e.Detail.Items
	}
	return present.Plural(n, "item")
}

func entryFacts(env *screen.Env, e entry) []listing.Fact {
	return append([]listing.Fact{
		{Label: "what", Text: entryWord(e.Kind) + ": " + subjectTitle(env, e.Subject)},
		{Label: "outcome", Text: e.Outcome, Role: widget.RoleInfo},
		{Label: "why", Text: e.Detail.Why, Role: widget.RoleWarn},
	}, detailFacts(env, *e)...)
}

// detailFacts omits the sealed record of the writes, and for role support the parts that only a developer can use.
func detailFacts(env *screen.Env, e journal.Entry) []listing.Fact {
	d := e.Detail
	list := []listing.Fact{
		{Label: "reason", Text: string(d.Reason)},
		{Label: "change", Text: transition(env, e), Role: widget.RoleInfo},
		{Label: "who", Text: joinDistinct(e.Actor, e.Identity, identityOf(e.Actor, e.User)) + " as " + e.Role},
		{Label: "when", Text: present.Join(present.Exact(e.Time, env.Now()), present.Age(e.Time, env.Now()), " · ")},
		{Label: "item", Text: entryItem(env, e)},
		{Label: "items", Text: joinDistinct(entryItems(&e), d.Entities)},
		{Label: "shown", Text: d.Shown},
		{Label: "format", Text: d.Format},
		{Label: "notes", Text: d.Notes, Role: widget.RoleWarn},
		{Label: "planned by", Text: joinDistinct(d.PlannedBy, identityOf(d.PlannedBy, d.Planner))},
		{Label: "resolved", Text: joinDistinct(d.Resolved, d.ResolvedBy)},
		{Label: "where", Text: joinDistinct(e.Context, e.Account, e.Region, e.Endpoint)},
	}
	if env.Plain() {
		return list
	}
	return append(list, []listing.Fact{
		{Label: "key", Text: d.Key},
		{Label: "schema", Text: joinDistinct(e.Profile, d.Table)},
		{Label: "operation", Text: e.Subject},
		{Label: "arguments", Text: d.Arguments, Role: widget.RoleMuted},
		{Label: "writes", Text: d.Writes},
		{Label: "capacity", Text: d.Capacity},
		{Label: "duration", Text: d.Duration},
		{Label: "program", Text: d.Client},
		{Label: "token", Text: d.Token, Role: widget.RoleMuted},
		{Label: "undoes", Text: d.Undoes, Role: widget.RoleMuted},
		{Label: "number", Text: fmt.Sprintf("%d · %s", e.Seq, models.Truncate(e.Hash, 17)), Role: widget.RoleMuted},
		{Label: "ID", Text: e.ID, Role: widget.RoleMuted},
	}...)
}
