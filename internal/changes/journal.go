package changes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// A PastChange is a change that the journal recorded.
type PastChange struct {
	Intent  journal.Entry
	Outcome *journal.Entry // nil while the outcome is unknown
	Undone  bool           // a later change undid it
}

// OpenElsewhere counts changes without an outcome that belong to another schema or database, so that this session
// cannot resolve them.
type OpenElsewhere struct {
	Schema string // schema name
	Place  string // the database, described so that it differs from other databases
	Number int
}

// Open reports whether the outcome of the change is unknown.
func (c PastChange) Open() bool { return c.Outcome == nil }

// Committed reports whether the change was applied.
func (c PastChange) Committed() bool {
	return c.Outcome != nil && c.Outcome.Outcome == outcomeCommitted
}

// Unclear reports whether the items did not show the outcome of the change.
func (c PastChange) Unclear() bool {
	return c.Outcome != nil && strings.HasPrefix(c.Outcome.Outcome, outcomeUnclear)
}

// MayBeApplied reports whether the change was applied, or its outcome is unknown or unclear.
func (c PastChange) MayBeApplied() bool { return c.Open() || c.Committed() || c.Unclear() }

// IsUndo reports whether the change is an undo.
func (c PastChange) IsUndo() bool { return c.Intent.Detail.Undoes != "" }

const (
	outcomeCommitted = "committed" // outcome of an applied change
	outcomeUnclear   = "unclear: " // prefix of the outcome if the items do not show it
)

// Past yields the changes of this session's schema and target, newest first. It reads the journal backward and only as
// far as the caller iterates. It yields an error for each unreadable line.
func (j *Journal) Past() iter.Seq2[PastChange, error] {
	return func(yield func(PastChange, error) bool) {
		h := newHistory(j)
		for e, err := range journal.Backward(j.s.JournalPath()) {
			c, found := PastChange{}, err != nil
			if err == nil {
				c, found = h.change(e)
			}
			if found && !yield(c, err) {
				return
			}
		}
	}
}

// A history combines journal entries into changes, from the newest entry to the oldest.
type history struct {
	j        *Journal
	outcomes map[string]journal.Entry // outcomes by change ID, until their intents follow
	undone   map[string]bool          // tokens of undone changes that follow
	seen     recent                   // IDs of changes whose last intent has occurred
}

func newHistory(j *Journal) *history {
	return &history{j: j, outcomes: map[string]journal.Entry{}, undone: map[string]bool{}, seen: recent{has: map[string]bool{}}}
}

// maxRecent is the maximum number of IDs in memory. ddbdesk plans a change again within seconds, so its intents are
// close together.
const maxRecent = 2048

// recent keeps the last IDs that were added, so that memory does not grow with the journal.
type recent struct {
	has  map[string]bool
	ring []string
	next int // position of the oldest ID in a full ring
}

func (r *recent) add(id string) {
	if r.has[id] = true; len(r.ring) < maxRecent {
		r.ring = append(r.ring, id)
		return
	}
	delete(r.has, r.ring[r.next])
	r.ring[r.next], r.next = id, (r.next+1)%maxRecent
}

func (h *history) change(e journal.Entry) (PastChange, bool) {
	_, known := h.outcomes[e.ID]
	switch {
	case !h.j.isForSession(e) || h.seen.has[e.ID]: // An earlier intent was planned again under another token.
		return PastChange{}, false
	case e.Kind == journal.Outcome && !known:
		h.outcomes[e.ID] = e
		return PastChange{}, false
	case e.Kind != journal.Intent:
		return PastChange{}, false
	}
	c := PastChange{Intent: e, Undone: h.undone[e.Detail.Token]}
	if outcome, ok := h.outcomes[e.ID]; ok {
		c.Outcome = &outcome
	}
	if c.IsUndo() && c.Committed() {
		h.undone[c.Intent.Detail.Undoes] = true
	}
	delete(h.outcomes, e.ID)
	delete(h.undone, e.Detail.Token)
	h.seen.add(e.ID)
	return c, true
}

// isForSession compares the account, because others may have the same tables, and the table, which variables name.
func (j *Journal) isForSession(e journal.Entry) bool {
	t := j.s.Target()
	if e.Profile != j.s.Profile().Name || e.Endpoint != t.Endpoint || e.Region != t.Region {
		return false
	}
	if e.Account != "" && t.Account != "" && e.Account != t.Account {
		return false
	}
	name := e.Detail.Table
	return name == "" || slices.ContainsFunc(j.s.Profile().Tables, func(t *models.Table) bool { return t.Name == name })
}

// PlanOf returns the plan of a change. The error wraps session.ErrInput if another machine recorded the change, and is a
// *session.Refusal if the schema no longer has its action or entity.
func (j *Journal) PlanOf(c PastChange) (*change.Plan, error) {
	text, err := j.openRecord(c)
	if err != nil {
		return nil, err
	}
	var a *change.Action
	p, err := change.ReadRecord(text, func(id, entity string) *change.Action {
		a = j.recordedAction(id, entity)
		return a
	}, func(name string) *models.Entity {
		if a != nil && a.IsRaw() && name == change.RawEntity {
			return a.UnmatchedEntity()
		}
		return j.s.Profile().Entity(name)
	})
	if errors.Is(err, change.ErrNotInSchema) {
		return nil, session.Refusef("undo the change with its former schema, or list a renamed action under aliases:", "%v", err)
	}
	return p, err
}

// ActionOf returns the action of a change without decrypting its record, or nil if the schema no longer has the action.
func (j *Journal) ActionOf(c PastChange) *change.Action {
	id, ok := strings.CutPrefix(c.Intent.Subject, j.s.Profile().Name+".")
	if !ok {
		return nil
	}
	return j.recordedAction(id, c.Intent.Detail.Entity)
}

func (j *Journal) recordedAction(id, entity string) *change.Action {
	switch a := j.s.Profile().Action(id); {
	case a != nil && a.IsRaw():
		return a.ForEntity(j.s.Profile().Entity(entity))
	case a != nil && a.Entity.Name == entity:
		return a
	}
	if e := j.s.Profile().Entity(entity); e != nil {
		if id == change.ReplaceID {
			return change.ReplaceAction(j.s.Profile().Name, e)
		}
		if a := j.s.Profile().RepairOf(e); a != nil && a.ID == id {
			return a
		}
	}
	return nil
}

// A Latest is a change to undo, with its plan and the rest of its set.
type Latest struct {
	PastChange
	Plan *change.Plan
	Set  UndoSet // the zero UndoSet for a change that is not part of a set
}

// Many reports whether one undo reverts more than this change, because the set contains several changes.
func (l Latest) Many() bool { return l.Set.Changes > 1 }

// Last returns the newest change that was or may have been applied, or false if there is none. It skips undos and
// undone changes. If the change cannot be undone, it returns the error of Undoable.
func (j *Journal) Last() (l Latest, found bool, err error) {
	var faults []error
	for c, err := range j.Past() {
		switch {
		case err != nil:
			faults = append(faults, err)
		case c.Undone || c.IsUndo() || !c.MayBeApplied() || c.Unclear() && c.Intent.Detail.Sweep != "":
		default:
			l.PastChange = c
			if l.Plan, err = j.Undoable(c); err == nil && c.Intent.Detail.Sweep != "" {
				l.Set, err = j.Undo(c.Intent.Detail.Sweep, "")
			}
			return l, true, err
		}
	}
	return l, false, errors.Join(faults...)
}

// LastChange returns the newest change of the item that can be undone, without its set, or false if there is none.
func (j *Journal) LastChange(table *models.Table, key models.Item) (Latest, bool, error) {
	var faults []error
	for c, err := range j.Past() {
		if err != nil {
			faults = append(faults, err)
			continue
		}
		if p := j.planToUndo(c, table, key); p != nil {
			return Latest{PastChange: c, Plan: p}, true, errors.Join(faults...)
		}
	}
	return Latest{}, false, errors.Join(faults...)
}

func (j *Journal) planToUndo(c PastChange, table *models.Table, key models.Item) *change.Plan {
	if !c.Committed() || c.Undone || c.IsUndo() {
		return nil
	}
	p, err := j.PlanOf(c)
	if err != nil || !slices.ContainsFunc(p.Writes, func(w change.Write) bool {
		return !w.Entry && w.Table == table && models.EqualItems(w.Key, key)
	}) {
		return nil // The error means that it is from another machine or another schema.
	}
	return p
}

// MayHaveChanged reports whether LastChange can find a change of the item. It reads only the last 2,000 entries of a
// large journal, which takes about 30 ms, and returns true if it does not know the rest.
func (j *Journal) MayHaveChanged(table *models.Table, key models.Item) bool {
	log, err := j.Log(100)
	return err != nil || log.More || slices.ContainsFunc(log.Changes, func(c PastChange) bool {
		return j.planToUndo(c, table, key) != nil
	})
}

// Open returns the changes of Past that do not have an outcome, oldest first. It reads little more than the journal
// files that contain open changes.
func (j *Journal) Open() ([]PastChange, error) {
	pending, err := journal.Pending(j.s.JournalPath())
	var list []PastChange
	for i, e := range pending {
		repeated := slices.ContainsFunc(pending[i+1:], func(o journal.Entry) bool { return o.ID == e.ID })
		if j.isForSession(e) && !repeated { // Only the last intent of a replanned change counts.
			list = append(list, PastChange{Intent: e})
		}
	}
	return list, err
}

// OpenElsewhere counts changes without an outcome that belong to another schema, target or table than this session's,
// in the order of the journal. It skips lines that cannot be read.
func (j *Journal) OpenElsewhere() []OpenElsewhere {
	pending, _ := journal.Pending(j.s.JournalPath())
	var list []OpenElsewhere
	previous := map[string]bool{} // the intents of a replanned change have the same ID
	for _, e := range pending {
		if j.isForSession(e) || previous[e.ID] {
			continue
		}
		previous[e.ID] = true
		at := OpenElsewhere{Schema: e.Profile, Place: j.placeOf(e)}
		same := func(o OpenElsewhere) bool { return o.Schema == at.Schema && o.Place == at.Place }
		i := slices.IndexFunc(list, same)
		if i < 0 {
			i, list = len(list), append(list, at)
		}
		list[i].Number++
	}
	return list
}

func (j *Journal) placeOf(e journal.Entry) string {
	t := j.s.Target()
	var parts []string
	for _, part := range []string{e.Endpoint, e.Region} {
		if part != "" {
			parts = append(parts, models.Printable(part))
		}
	}
	if e.Account != "" {
		parts = append(parts, "account "+models.Printable(e.Account))
	}
	if e.Endpoint == t.Endpoint && e.Region == t.Region && e.Detail.Table != "" {
		parts = append(parts, "table "+models.Printable(e.Detail.Table))
	}
	return strings.Join(parts, ", ")
}

// writesAfter returns the newest writes first. It omits changes that this machine or schema cannot read.
func (j *Journal) writesAfter(p *change.Plan) func(*models.Table, models.Item) []change.Write {
	return func(table *models.Table, key models.Item) []change.Write {
		var writes []change.Write
		for c, err := range j.Past() {
			if err != nil {
				continue // An unreadable line cannot explain a change.
			}
			if c.Intent.Detail.Token == p.Basis.Token {
				break
			}
			later, err := j.PlanOf(c)
			if err != nil || !c.Committed() {
				continue
			}
			for _, w := range later.Writes {
				if w.Table == table && models.EqualItems(w.Key, key) {
					writes = append(writes, w)
				}
			}
		}
		return writes
	}
}

// Unsettled returns the time for which a change without an outcome may still be in progress, or 0 if Resolve can
// determine the outcome.
func (j *Journal) Unsettled(c PastChange) time.Duration {
	age := j.s.Now().Sub(c.Intent.Time)
	if age < 0 {
		return 0
	}
	return max(commitLimit-age, 0)
}

// Resolve reads the items of a change without an outcome and records the resulting state in the journal, including
// change.Unclear and change.AsPlanned.
func (j *Journal) Resolve(ctx context.Context, c PastChange) (change.State, error) {
	if !c.Open() {
		return "", session.InputErrorf("journal entry %s already has an outcome: %s", c.Intent.ID, c.Outcome.Outcome)
	}
	if wait := j.Unsettled(c); wait > 0 {
		return "", session.InputErrorf("journal entry %s is %s old and may still be in progress; resolve it after %s",
			c.Intent.ID, (commitLimit - wait).Round(time.Second), commitLimit)
	}
	log, err := session.OpenJournal(j.s)
	if err != nil {
		return "", err
	}
	// The age is unreliable if someone has set the clock.
	if idle, err := log.IsIdle(); err != nil || !idle {
		return "", cmp.Or(err, session.InputErrorf("a change is being sent on this machine; resolve journal entry %s afterwards",
			c.Intent.ID))
	}
	p, err := j.PlanOf(c)
	if err != nil {
		return "", err
	}
	state, err := currentState(ctx, j.rd, p)
	if err != nil {
		return "", err
	}
	outcome := map[change.State]string{
		change.Written: outcomeCommitted, change.Overtaken: outcomeCommitted,
		change.NotWritten: "nothing was written", change.Unclear: outcomeUnclear + "the items have changed since",
		change.AsPlanned: outcomeUnclear + "the items have the planned values, possibly from another user",
	}[state]
	detail := journal.Detail{Resolved: "by reading the items: " + string(state), ResolvedBy: j.s.Actor()}
	if _, err := log.Append(ctx, c.Intent.Result(outcome, detail)); err != nil {
		return state, fmt.Errorf("record the outcome in the journal: %w", err)
	}
	return state, nil
}
