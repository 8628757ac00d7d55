// Package audit groups the entries of journals into sessions: who worked with a database, why, and what was read, changed and
// revealed.
package audit

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/journal"
)

// A Session is what one user did for one purpose. Numbers are those of journal entries, except Items.
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
}

// A Review is the result that another user recorded about a session.
type Review struct {
	At   time.Time `json:"at"`
	By   string    `json:"by"`
	Note string    `json:"note"`
}

// A Filter selects sessions. Empty fields select all.
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

// Sessions returns the selected sessions of entries, newest first, and the first error of reading them. An entry that several
// sinks have counts once. Entries of versions without sessions are those of one session for each user and day.
func Sessions(entries iter.Seq2[journal.Entry, error], f Filter) ([]*Session, error) {
	found, seen := map[string]*Session{}, map[string]bool{}
	reviews := map[string][]Review{}
	var failed error
	for e, err := range entries {
		switch {
		case err != nil:
			failed = cmp.Or(failed, err)
			continue
		case seen[e.Hash]:
			continue
		}
		seen[e.Hash] = true
		if e.Kind == journal.Review {
			reviews[e.Subject] = append(reviews[e.Subject], Review{e.Time, e.Actor, e.Detail.Reason})
			continue
		}
		id := cmp.Or(e.Session, e.Time.Format("2006-01-02")+" "+e.Actor)
		s := found[id]
		if s == nil {
			s = &Session{ID: id, Person: e.Actor, Begun: e.Time, Schemas: []string{}, Clients: []string{}, Subjects: []string{}}
			found[id] = s
		}
		s.add(e)
	}
	var list []*Session
	for _, s := range found {
		s.Reviews = append([]Review{}, reviews[s.ID]...)
		if f.keeps(s) {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b *Session) int { return cmp.Or(b.Begun.Compare(a.Begun), cmp.Compare(a.ID, b.ID)) })
	return list, failed
}

// add counts an entry.
func (s *Session) add(e journal.Entry) {
	s.Identity = cmp.Or(s.Identity, e.Identity, e.User)
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
func Find(list []*Session, id string) (*Session, bool) {
	matches := map[string]*Session{}
	for _, s := range list {
		if s.ID == id {
			return s, true
		}
		if id != "" && strings.HasPrefix(s.ID, id) {
			matches[s.ID] = s
		}
	}
	for s := range maps.Values(matches) {
		return s, len(matches) == 1
	}
	return nil, false
}
