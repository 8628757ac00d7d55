package journal

import (
	"cmp"
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/models"
)

// A Session summarizes the entries of one user for one purpose. Its numbers count journal entries, except Items. It is
// also the JSON document of `ddbdesk journal sessions`, so the JSON names must not change. Times use RFC 3339.
type Session struct {
	ID         string          `json:"id"`
	Person     string          `json:"person"`   // user's name in the journal
	Identity   string          `json:"identity"` // the user according to AWS or the operating system
	Context    string          `json:"context"`
	Schemas    []string        `json:"schemas"`
	Clients    []string        `json:"clients"` // programs that read for the user
	Reason     string          `json:"reason"`
	Ticket     string          `json:"ticket"`
	BreakGlass bool            `json:"breakGlass"`
	Begun      time.Time       `json:"begun"`
	Ended      time.Time       `json:"ended"` // time of the last entry
	Reads      int             `json:"reads"`
	Items      int             `json:"items"` // items that the reads returned
	Changes    int             `json:"changes"`
	Refusals   int             `json:"refusals"`
	Reveals    int             `json:"reveals"`
	Copies     int             `json:"copies"` // copies and exports
	Subjects   []string        `json:"subjects"`
	Reviews    []SessionReview `json:"reviews"`

	arn, user string // user's AWS identity and operating system account
	parts     []Part // locations of the entries
}

// A SessionReview is another user's review of the session.
type SessionReview struct {
	At   time.Time `json:"at"`
	By   string    `json:"by"`
	Note string    `json:"note"`
}

// A Filter selects sessions. Empty fields match every session. Since compares with the end of a session.
type Filter struct {
	Person     string // part of the name or identity
	Ticket     string
	Since      time.Time
	BreakGlass bool
	Unreviewed bool
}

func (f Filter) matches(s *Session) bool {
	has := func(text string) bool { return strings.Contains(strings.ToLower(text), strings.ToLower(f.Person)) }
	return (has(s.Person) || has(s.Identity)) && (f.Ticket == "" || strings.EqualFold(f.Ticket, s.Ticket)) &&
		!s.Ended.Before(f.Since) && (!f.BreakGlass || s.BreakGlass) && (!f.Unreviewed || len(s.Reviews) == 0)
}

// A grouping collects entries into sessions. Older versions wrote entries without a session; these form one session for
// each user and day.
type grouping struct {
	sessions map[string]*Session
	reviews  map[string][]SessionReview
	seen     map[string]bool // hashes of the added entries, because an entry that was sent twice counts once
	entries  int
}

func (g *grouping) add(e Entry, from SinkEntry) {
	if g.sessions == nil {
		g.sessions, g.reviews, g.seen = map[string]*Session{}, map[string][]SessionReview{}, map[string]bool{}
	}
	if g.seen[e.Hash] {
		return
	}
	g.seen[e.Hash] = true
	g.entries++
	if e.Kind == Review {
		g.reviews[e.Subject] = append(g.reviews[e.Subject], SessionReview{e.Time, e.Actor, string(e.Detail.Reason)})
		return
	}
	id := sessionOf(e)
	s := g.sessions[id]
	if s == nil {
		s = &Session{ID: id, Person: e.Actor, Begun: e.Time, Schemas: []string{}, Clients: []string{}, Subjects: []string{}}
		g.sessions[id] = s
	}
	s.add(e)
	s.addPart(from)
}

func sessionOf(e Entry) string {
	return cmp.Or(e.Session, e.Time.Format(time.DateOnly)+" "+e.Actor)
}

func (g *grouping) list(f Filter) (list []*Session) {
	for _, s := range g.sessions {
		s.Reviews = append([]SessionReview{}, g.reviews[s.ID]...)
		slices.SortFunc(s.Reviews, func(a, b SessionReview) int { return a.At.Compare(b.At) })
		if f.matches(s) {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b *Session) int { return cmp.Or(b.Begun.Compare(a.Begun), cmp.Compare(a.ID, b.ID)) })
	return list
}

func (s *Session) addPart(k SinkEntry) {
	for i := range s.parts {
		if p := &s.parts[i]; p.Origin == k.Origin && p.Journal == k.Journal {
			p.First, p.Last = min(p.First, k.Seq), max(p.Last, k.Seq)
			return
		}
	}
	s.parts = append(s.parts, Part{Origin: k.Origin, Journal: k.Journal, First: k.Seq, Last: k.Seq})
}

func (s *Session) add(e Entry) {
	s.Identity = cmp.Or(s.Identity, e.Identity, e.User)
	s.arn, s.user = cmp.Or(s.arn, e.Identity), cmp.Or(s.user, e.User)
	s.Context, s.Reason, s.Ticket = cmp.Or(s.Context, e.Context), cmp.Or(s.Reason, e.Purpose), cmp.Or(s.Ticket, e.Ticket)
	s.BreakGlass = s.BreakGlass || e.BreakGlass
	if e.Time.Before(s.Begun) {
		s.Begun = e.Time
	}
	if e.Time.After(s.Ended) {
		s.Ended = e.Time
	}
	s.Schemas, s.Clients = addUnique(s.Schemas, e.Profile), addUnique(s.Clients, e.Detail.Client)
	if e.Kind != Outcome {
		s.Subjects = addUnique(s.Subjects, string(e.Kind)+" "+e.Subject)
	}
	switch e.Kind {
	case Lookup:
		s.Reads++
		n, _ := strconv.Atoi(e.Detail.Items) // without a number, the read returned no items
		s.Items += n
	case Intent, Setup:
		s.Changes++
	case Refusal:
		s.Refusals++
	case Reveal:
		s.Reveals++
	case Copy, Export:
		s.Copies++
	default:
	}
}

func addUnique(list []string, text string) []string {
	if at, ok := slices.BinarySearch(list, text); !ok && text != "" {
		return slices.Insert(list, at, text)
	}
	return list
}

// FindSession returns the session whose ID begins with id. ok is false if there is none or more than one; in the second
// case, found is one of them.
func FindSession(list []*Session, id string) (found *Session, ok bool) {
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

// User returns the user's AWS identity and operating system account, or "" for each if unknown.
func (s *Session) User() (arn, account string) { return s.arn, s.user }

// IsRecordedIn reports whether all entries of the session come from this machine's journal at path.
func (s *Session) IsRecordedIn(path string) bool {
	host, _, _ := strings.Cut(Origin(path), " ")
	return !slices.ContainsFunc(s.parts, func(p Part) bool {
		at, _, _ := strings.Cut(p.Origin, " ")
		return at != "" && at != host
	})
}

// WriteSessions writes sessions as CSV without formulas. If a session has several reviews, it writes the last one.
// Times use RFC 3339.
func WriteSessions(w io.Writer, list []*Session) error {
	out := csv.NewWriter(w)
	_ = out.Write([]string{
		"session", "begun", "ended", "person", "identity", "context", "schemas", "ticket", "break_glass", "reason", "reads",
		"items", "changes",
		"refusals", "reveals", "copies", "reviewed_by", "note",
	}) // out.Error returns the error.
	for _, s := range list {
		var r SessionReview
		if n := len(s.Reviews); n > 0 {
			r = s.Reviews[n-1]
		}
		row := []string{
			s.ID, s.Begun.Format(time.RFC3339), s.Ended.Format(time.RFC3339),
			s.Person, s.Identity, s.Context, strings.Join(s.Schemas, " "), s.Ticket,
			strconv.FormatBool(s.BreakGlass), s.Reason,
		}
		for _, n := range []int{s.Reads, s.Items, s.Changes, s.Refusals, s.Reveals, s.Copies} {
			row = append(row, strconv.Itoa(n))
		}
		row = append(row, r.By, r.Note)
		for i, cell := range row {
			row[i] = models.CSVCell(models.Printable(cell))
		}
		_ = out.Write(row) // out.Error returns the error.
	}
	out.Flush()
	return out.Error()
}
