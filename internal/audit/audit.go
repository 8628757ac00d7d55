// Package audit lists what users did with databases: it groups the entries of journals into sessions, and records reviews of them.
// What an entry has is decided by the package that writes it.
package audit

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/session"
)

// A Session is what one user did for one purpose. Numbers are those of journal entries, except
// Items. It is also the document of the command audit, so the names in JSON must not change.
// Times are in RFC 3339.
type Session struct {
	ID         string    `json:"id"`
	Person     string    `json:"person"`   // as the journal names the user
	Identity   string    `json:"identity"` // as AWS or the operating system does
	Context    string    `json:"context"`
	Schemas    []string  `json:"schemas"`
	Clients    []string  `json:"clients"` // programs that read for the user
	Reason     string    `json:"reason"`
	Ticket     string    `json:"ticket"`
	BreakGlass bool      `json:"breakGlass"`
	Begun      time.Time `json:"begun"`
	Ended      time.Time `json:"ended"` // time of the last entry
	Reads      int       `json:"reads"`
	Items      int       `json:"items"` // that the reads returned
	Changes    int       `json:"changes"`
	Refusals   int       `json:"refusals"`
	Reveals    int       `json:"reveals"`
	Copies     int       `json:"copies"` // copies and exports
	Subjects   []string  `json:"subjects"`
	Reviews    []Review  `json:"reviews"`

	user  session.Person // who the user really was
	parts []journal.Part // where the entries are
}

// A Review is the result that another user recorded about a session.
type Review struct {
	At   time.Time `json:"at"`
	By   string    `json:"by"`
	Note string    `json:"note"`
}

// A Filter selects sessions. Empty fields select all. Since compares with the end of a session.
type Filter struct {
	Person     string // part of the name or of the identity
	Ticket     string
	Since      time.Time
	BreakGlass bool
	Unreviewed bool
}

// keeps reports whether a session is selected.
func (f Filter) keeps(s *Session) bool {
	has := func(text string) bool { return strings.Contains(strings.ToLower(text), strings.ToLower(f.Person)) }
	return (has(s.Person) || has(s.Identity)) && (f.Ticket == "" || strings.EqualFold(f.Ticket, s.Ticket)) &&
		!s.Ended.Before(f.Since) && (!f.BreakGlass || s.BreakGlass) && (!f.Unreviewed || len(s.Reviews) == 0)
}

// A grouping collects entries into sessions. Entries of versions without sessions are those of one session for each user and day.
type grouping struct {
	sessions map[string]*Session
	reviews  map[string][]Review
	seen     map[string]bool // hashes: an entry that was sent twice counts once
	entries  int
}

// add adds an entry, and the copy that it is from; one without an origin is an entry of this machine.
func (g *grouping) add(e journal.Entry, from journal.Kept) {
	if g.sessions == nil {
		g.sessions, g.reviews, g.seen = map[string]*Session{}, map[string][]Review{}, map[string]bool{}
	}
	if g.seen[e.Hash] {
		return
	}
	g.seen[e.Hash] = true
	g.entries++
	if e.Kind == journal.Review {
		g.reviews[e.Subject] = append(g.reviews[e.Subject], Review{e.Time, e.Actor, e.Detail.Reason})
		return
	}
	id := sessionOf(e)
	s := g.sessions[id]
	if s == nil {
		s = &Session{ID: id, Person: e.Actor, Begun: e.Time, Schemas: []string{}, Clients: []string{}, Subjects: []string{}}
		g.sessions[id] = s
	}
	s.add(e)
	s.keep(from)
}

// sessionOf returns the ID of the session of an entry.
func sessionOf(e journal.Entry) string {
	return cmp.Or(e.Session, e.Time.Format(time.DateOnly)+" "+e.Actor)
}

// list returns the sessions that a filter selects, newest first.
func (g *grouping) list(f Filter) (list []*Session) {
	for _, s := range g.sessions {
		s.Reviews = append([]Review{}, g.reviews[s.ID]...)
		slices.SortFunc(s.Reviews, func(a, b Review) int { return a.At.Compare(b.At) })
		if f.keeps(s) {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b *Session) int { return cmp.Or(b.Begun.Compare(a.Begun), cmp.Compare(a.ID, b.ID)) })
	return list
}

// keep remembers where the entries of the session are, to read them again.
func (s *Session) keep(k journal.Kept) {
	for i := range s.parts {
		if p := &s.parts[i]; p.Origin == k.Origin && p.Journal == k.Journal {
			p.First, p.Last = min(p.First, k.Seq), max(p.Last, k.Seq)
			return
		}
	}
	s.parts = append(s.parts, journal.Part{Origin: k.Origin, Journal: k.Journal, First: k.Seq, Last: k.Seq})
}

// add counts an entry.
func (s *Session) add(e journal.Entry) {
	s.Identity = cmp.Or(s.Identity, e.Identity, e.User)
	s.user.ARN, s.user.User = cmp.Or(s.user.ARN, e.Identity), cmp.Or(s.user.User, e.User)
	s.Context, s.Reason, s.Ticket = cmp.Or(s.Context, e.Context), cmp.Or(s.Reason, e.Why), cmp.Or(s.Ticket, e.Ticket)
	s.BreakGlass = s.BreakGlass || e.BreakGlass
	if e.Time.Before(s.Begun) {
		s.Begun = e.Time
	}
	if e.Time.After(s.Ended) {
		s.Ended = e.Time
	}
	s.Schemas, s.Clients = with(s.Schemas, e.Profile), with(s.Clients, e.Detail.Client)
	if e.Kind != journal.Outcome {
		s.Subjects = with(s.Subjects, string(e.Kind)+" "+e.Subject)
	}
	switch e.Kind {
	case journal.Lookup:
		s.Reads++
		n, _ := strconv.Atoi(e.Detail.Items) // without a number there were none
		s.Items += n
	case journal.Intent, journal.Setup:
		s.Changes++
	case journal.Refusal:
		s.Refusals++
	case journal.Reveal:
		s.Reveals++
	case journal.Copy, journal.Export:
		s.Copies++
	default:
	}
}

// with adds a text to a sorted list, unless it is there or empty.
func with(list []string, text string) []string {
	if at, ok := slices.BinarySearch(list, text); !ok && text != "" {
		return slices.Insert(list, at, text)
	}
	return list
}

// Find returns the session whose ID begins with a text, and false if there is none, or several.
// With several, found is one of them and ok is false.
func Find(list []*Session, id string) (found *Session, ok bool) {
	for _, s := range list {
		switch {
		case s.ID == id:
			return s, true
		case id != "" && strings.HasPrefix(s.ID, id):
			found, ok = s, found == nil
		}
	}
	return found, ok
}
