// Package lists contains the screens that a Spec declares, one per file.
package lists

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/requests"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/listing"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

func ageText(t, now time.Time) string {
	if t.IsZero() {
		return present.NoValue
	}
	return present.Age(t, now)
}

func orNoValue(text string) string { return cmp.Or(text, present.NoValue) }

func joinDistinct(list ...string) string {
	list = slices.DeleteFunc(list, func(text string) bool { return text == "" })
	return strings.Join(slices.Compact(list), " · ")
}

// identityOf omits the operating system account with the user's name, such as "0 (root)".
func identityOf(name, identity string) string {
	if identity == name || strings.HasSuffix(identity, " ("+name+")") {
		return ""
	}
	return identity
}

func transition(env *screen.Env, e journal.Entry) string {
	from, to := e.Detail.From, e.Detail.To
	if to == "" {
		return e.Detail.Changed
	}
	if a := actionOf(env, e); a != nil && a.Lifecycle != nil {
		from, to = a.Lifecycle.Title(from), a.Lifecycle.Title(to)
	}
	return orNoValue(from) + " → " + to
}

// actionOf returns the action of an entry for role support, which reads titles instead of IDs, and otherwise nil.
func actionOf(env *screen.Env, e journal.Entry) *change.Action {
	p := env.Session.Profile()
	if !env.Plain() || e.Profile != p.Name {
		return nil
	}
	return p.Action(e.Subject)
}

// entryWords contains words for the kinds of entries.
var entryWords = map[journal.Kind]string{
	journal.Intent: "change", journal.Outcome: "result", journal.Lookup: "read", journal.Setup: "sample data",
}

func entryWord(k journal.Kind) string { return cmp.Or(entryWords[k], string(k)) }

// subjectTitle returns the title of the change or query that a subject names, or the subject without one.
func subjectTitle(env *screen.Env, subject string) string {
	if verb, ok := strings.CutPrefix(subject, "requests."); ok {
		return verb + " a change request"
	}
	if planned, ok := strings.CutPrefix(subject, "plan "); ok {
		return "plan " + subjectTitle(env, planned)
	}
	p := env.Session.Profile()
	id, inProfile := strings.CutPrefix(subject, p.Name+".")
	if a := p.Action(id); inProfile && a != nil {
		return a.Title
	}
	if q := p.Pattern(id); inProfile && q != nil {
		return q.Title
	}
	return id
}

// entryItem returns the entity and the ID of an entry's item. If the schema does not describe the item, it returns the
// key, but nothing for role support. For a change request, it returns the ID of the item to change.
func entryItem(env *screen.Env, e journal.Entry) string {
	p, d := env.Session.Profile(), e.Detail
	entity := p.Entity(d.Entity)
	if entity == nil || e.Profile != p.Name {
		if id, isRequest := strings.CutPrefix(d.Key, "DDBDESK#REQUESTS / "); isRequest {
			if known := env.Requests.Known(); known != nil {
				if i := slices.IndexFunc(*known, func(q requests.Entry) bool { return q.ID == id }); i >= 0 {
					return requestItem(env, (*known)[i].Request)
				}
			}
			return id
		}
		return map[bool]string{false: d.Key}[env.Plain()]
	}
	return present.KeyTitle(env, entity, d.Key)
}

func entityName(env *screen.Env, e *models.Entity) string {
	if env.Plain() {
		return present.EntityName(e)
	}
	return e.Name
}

type sentCall = *reading.SentCall

// CommandLog lists the requests that the console sent. It omits values.
var CommandLog = listing.Open(func(*screen.Env, screen.CommandLog) *listing.Spec[sentCall] {
	return &listing.Spec[sentCall]{
		Name: "command-log", Title: "Calls", Does: "Lists the calls that the console sent to DynamoDB.", Noun: "call", FollowsNewest: true,
		Guide: screen.Guide{
			Purpose: "The last calls to DynamoDB, with their capacity, time and error. Keys and values are not recorded.",
			First:   "press / to filter by an operation, a table, an index or an error.",
			Signs:   []screen.Sign{{Glyph: "✗", Meaning: "the call failed; the details give the reason"}},
		},
		ID:     func(r sentCall) string { return strconv.Itoa(r.ID) },
		Empty:  listing.None("No call has been sent", "Open a list or an item; its calls appear here."),
		Every:  time.Second,
		Load:   loadSent,
		Search: failure,
		Columns: []listing.Column[sentCall]{
			listing.Time("Time", time.TimeOnly, func(r sentCall) time.Time { return r.At }),
			sentColumn(widget.Column{Title: "Operation", Max: 24}, func(r sentCall) string {
				if r.Err != nil {
					return "✗ " + r.Operation
				}
				return "  " + r.Operation
			}),
			sentColumn(widget.Column{Title: "Table and index", Max: 80}, callTarget),
			listing.Styled(widget.Column{Title: "For", Max: 40}, widget.RoleText, func(e *screen.Env, r sentCall) string {
				return subjectTitle(e, r.Purpose)
			}),
			sentColumn(widget.Column{Title: "Capacity", Align: widget.AlignRight, Min: 9}, sentUnits),
			sentColumn(widget.Column{Title: "Took", Align: widget.AlignRight, Min: 7}, func(r sentCall) string {
				return present.ShortDuration(r.Took)
			}).Sorted(func(a, b sentCall) int { return int(a.Took - b.Took) }),
		},
		Brief: func(s *listing.Screen[sentCall]) bool {
			return !slices.ContainsFunc(s.Filtered(), func(r sentCall) bool { return r.Err != nil })
		},
		Facts: func(e *screen.Env, r sentCall) []listing.Fact {
			return []listing.Fact{
				{Label: "operation", Text: r.Operation, Role: widget.RoleKey},
				{Label: "error", Text: failure(r), Role: widget.RoleBad},
				{Label: "table", Text: callTarget(r)},
				{Label: "for", Text: subjectTitle(e, r.Purpose)},
				{Label: "capacity", Text: sentUnits(r)},
				{Label: "took", Text: present.ShortDuration(r.Took)},
				{Label: "time", Text: present.Exact(r.At, e.Now())},
			}
		},
	}
})

func loadSent(_ context.Context, e *screen.Env, _ *listing.Reading[sentCall]) (listing.Rows[sentCall], error) {
	list := e.Log.Newest()
	n, units := e.Log.Total()
	status := present.Plural(n, "call")
	if n > len(list) {
		status += fmt.Sprintf(", the last %d are listed", len(list))
	}
	if units > 0 {
		status += fmt.Sprintf(" · %g capacity units", units)
	}
	return listing.Rows[sentCall]{List: pointers(list), Status: status, Note: "newest first"}, nil
}

func sentColumn(c widget.Column, text func(r sentCall) string) listing.Column[sentCall] {
	return listing.Tinted(c, widget.RoleBad, text, func(r sentCall) bool { return r.Err != nil })
}

func failure(r sentCall) string {
	if r.Err == nil {
		return ""
	}
	return r.Err.Error()
}

func callTarget(r sentCall) string { return strings.TrimSpace(r.Table + " " + r.Index) }

func sentUnits(r sentCall) string {
	if r.Capacity == 0 {
		return ""
	}
	for _, write := range []string{"TransactWrite", "Put", "Update", "Delete"} {
		if strings.HasPrefix(r.Operation, write) {
			return fmt.Sprintf("%g WCU", r.Capacity)
		}
	}
	return fmt.Sprintf("%g RCU", r.Capacity)
}

// pointers returns pointers to the rows. With pointers, all lists share one compiled instance of the generic code.
func pointers[T any](list []T) []*T {
	refs := make([]*T, len(list))
	for i := range list {
		refs[i] = &list[i]
	}
	return refs
}
