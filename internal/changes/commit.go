package changes

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Commitment is an applied change.
type Commitment struct {
	Plan     *change.Plan // plan with the timestamps of the commit
	Journal  string       // the ID of its journal entries
	Capacity float64      // write units consumed, 0 when the response was lost
	Notes    []string     // notes for the user
	// Unrecorded is the error that prevented the journal from recording the outcome, or nil. Resolve closes the intent.
	Unrecorded error
	// Past is the change as Journal.Past would return it.
	Past PastChange
	// Items contains the written items in the order of the plan's writes: as read after the commit, or as planned if
	// the read failed. An item that does not exist is nil.
	Items []models.Item
}

// ErrUnknown matches the error of a change with an unknown outcome. Its intent stays open in the journal until Resolve
// reads the items.
var ErrUnknown = errors.New("outcome unknown")

// These limits apply to sending a change and reading its items. They replace the caller's context, even after it ends.
const (
	commitLimit = 90 * time.Second
	readLimit   = 15 * time.Second
)

// Commit applies the plan: it writes the intent to the journal, sends the writes as one transaction, reads the items
// back and writes the outcome to the journal. It sets the plan's timestamps to the time of the commit and changes
// nothing else. It completes a sent change even if ctx ends.
//
// A *change.Conflict means that DynamoDB wrote nothing, because the items changed since the read. A *session.Refusal
// means that Commit sent nothing. ErrUnknown means that DynamoDB may have applied the change.
func (c *Committer) Commit(ctx context.Context, p *change.Plan) (*Commitment, error) {
	return c.commit(ctx, p, origin{})
}

func (c *Committer) refuse(ctx context.Context, p *change.Plan, cause error) error {
	return c.s.Refuse(ctx, p.Action.FullID(), subjectDetail(c.s, p), cause)
}

// RefuseUndo works like Refuse, for the undo of a change.
func (c *Committer) RefuseUndo(ctx context.Context, original *change.Plan, reason string, cause error) error {
	detail := subjectDetail(c.s, original)
	detail.Undoes, detail.From, detail.To = original.Basis.Token, original.To, original.From
	detail.Reason, _ = change.MakeReason(reason)
	return c.s.Refuse(ctx, original.Action.FullID(), detail, cause)
}

// checkSecondPerson returns a refusal if the user may not apply the plan alone.
func (c *Committer) checkSecondPerson(p *change.Plan, f *File) error {
	switch {
	case f != nil:
		return c.planner.CheckSecondPerson(f, p.Action)
	case p.Undoes != nil:
		return checkUndoPerson(c.s.Viewer, p.Undoes)
	case p.Action.FourEyes:
		return session.Refusef("file it with --request, and another user applies it",
			"%s needs a second person", p.Action.Term())
	}
	return nil
}

func (c *Committer) commit(ctx context.Context, p *change.Plan, from origin) (_ *Commitment, err error) {
	if err := c.checkSecondPerson(p, from.file); err != nil {
		return nil, c.refuse(ctx, p, err)
	}
	if f := from.file; f != nil {
		if p, err = c.planForApplier(p, f, from.member); err == nil {
			from.fromThisMachine, err = f.isSignedHere(c.s.Viewer)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := c.s.CanChange(p.Action); err != nil {
		return nil, c.refuse(ctx, p, err)
	}
	if _, err := session.ReasonFor(p.Action, string(p.Basis.Reason)); err != nil {
		return nil, c.refuse(ctx, p, err)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	basis := *p.Basis
	basis.Reason = c.s.ReasonOf(basis.Reason)
	if basis.Now, err = commitTime(c.s.Viewer, p); err != nil {
		return nil, c.refuse(ctx, p, err)
	}
	if p, err = planInOrder(ctx, c.s.Viewer, p, basis); err != nil {
		return nil, err
	}
	return c.send(store.WithTrace(ctx, store.Trace{Purpose: p.Action.FullID()}), c.s.Writer(), p, from)
}

func (c *Committer) send(ctx context.Context, w store.Writer, p *change.Plan, from origin) (*Commitment, error) {
	j, err := c.verifiedJournal()
	if err != nil {
		return nil, journalRefusal(err)
	}
	release, err := j.BeginSending(ctx)
	if err != nil {
		return nil, journalRefusal(err)
	}
	defer release()
	run := &commitRun{s: c.s, w: w, rd: c.rd, j: j, plan: p, from: from}
	if err := run.recordIntent(ctx); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitLimit)
	defer cancel()
	return run.run(ctx)
}

func journalRefusal(err error) error {
	return &session.Refusal{Reason: fmt.Sprintf("changes need a working journal: %v", err), Advice: "nothing was sent"}
}

// A commitRun is a change in progress.
type commitRun struct {
	s        *session.Session
	w        store.Writer
	rd       *reading.Reader
	j        *journal.Journal
	plan     *change.Plan
	from     origin
	intent   journal.Entry
	attempts int // number of waits for a key that another audit entry has
	// deleted is the plan's record with the item that DynamoDB deleted, or "" if it equals the item read.
	deleted string
}

// compareRest compares attributes outside the condition. Only a single write detects a later change to them.
func (c *commitRun) compareRest(ctx context.Context) error {
	for _, w := range c.plan.AllWrites() {
		if len(w.Unchecked) == 0 && (w.Operation != change.Delete || len(c.plan.AllWrites()) == 1) {
			continue
		}
		now, err := c.rd.Get(ctx, w.Table, w.Key)
		message := fmt.Sprintf("%s %s", w.Entity.Title, models.Printable(w.Table.KeyText(c.s.FullMasker().KeyOf(w.Entity, w.Key))))
		if err != nil {
			return fmt.Errorf("%s%s could not be compared: %w", change.NothingWritten, message, err)
		}
		if now != nil && w.Differs(now) {
			m := c.s.Masker()
			return &change.Conflict{
				Message:     change.NothingWritten + message + " changed since it was read",
				Differences: models.Diff(m.Item(w.Table, w.Before), m.Item(w.Table, now)),
			}
		}
	}
	return nil
}

func (c *commitRun) uncomparedNote() string {
	n := 0
	for _, w := range c.plan.AllWrites() {
		n += len(w.Unchecked)
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("; ddbdesk could not compare %s, and an undo restores the values that it read", english.Plural(n, "attribute", ""))
}

// replaceOld puts the item that DynamoDB deleted into the record, so that an undo restores that item.
func (c *commitRun) replaceOld(old models.Item) string {
	w := &c.plan.Writes[0]
	if old == nil || !w.Differs(old) {
		return ""
	}
	w.Before = old
	note := "other attributes of the deleted item had just changed"
	if record, err := c.plan.Record(); err == nil {
		if sealed, err := c.s.Sealer().Seal(record, recordPurpose); err == nil {
			c.deleted = base64.StdEncoding.EncodeToString(sealed)
			note += "; undo restores the item with them"
		}
	}
	return note
}

func (c *commitRun) recordIntent(ctx context.Context) error {
	record, err := c.plan.Record()
	if err != nil {
		return err
	}
	sealed, err := c.s.Sealer().Seal(record, recordPurpose)
	if err != nil {
		return &session.Refusal{Reason: fmt.Sprintf("changes need a record in the journal: %v", err), Advice: "nothing was sent"}
	}
	detail := subjectDetail(c.s, c.plan)
	detail.Token, detail.Writes = c.plan.Basis.Token, strconv.Itoa(len(c.plan.AllWrites()))
	detail.Record = base64.StdEncoding.EncodeToString(sealed)
	c.from.record(&detail)
	e := c.s.Entry(journal.Intent, c.plan.Action.FullID(), detail)
	e.ID = c.intent.ID
	written, err := c.j.Append(ctx, e)
	if err != nil { // An open intent stays open, because its outcome must follow.
		if written.ID != "" {
			_, closeErr := c.j.Append(ctx, written.Result("refused: nothing was sent", journal.Detail{Why: err.Error()}))
			err = errors.Join(err, closeErr)
		}
		return journalRefusal(err)
	}
	c.intent = written
	return nil
}

func (c *commitRun) run(ctx context.Context) (*Commitment, error) {
	const resends = 2            // after a lost response, while the items do not show the change
	var lastUnknown *store.Error // the last attempt that may have succeeded
	start := c.s.Now()
	if err := c.compareRest(ctx); err != nil {
		return nil, c.close(ctx, "conflict: nothing was written", err)
	}
	for sent := 0; ; sent++ {
		done, err := c.w.Commit(ctx, c.plan.Batch())
		if err == nil {
			return c.recordCommitted(ctx, done.Capacity, c.replaceOld(done.Old))
		}
		var failed *store.Error
		if !errors.As(err, &failed) {
			return nil, c.close(ctx, "failed: nothing was written", err)
		}
		unknown := failed.Outcome() == store.Unknown
		if unknown {
			lastUnknown = failed
		}
		if lastUnknown != nil {
			state, err := currentState(ctx, c.rd, c.plan)
			switch {
			case err == nil && (state == change.Written || state == change.Overtaken):
				return c.recordCommitted(ctx, 0, "the response was lost; the items show that the change was applied"+c.uncomparedNote())
			case err == nil && unknown && sent < resends && ctx.Err() == nil && c.canResend(state):
				continue
			case unknown || !settlesEarlierAttempt(failed, state) || state != change.NotWritten && store.IsTokenForgotten(start, c.s.Now()):
				return nil, c.unknownError(lastUnknown, state, err)
			}
		}
		if c.failsOnSharedKey(failed) && c.replanInNextSecond(ctx) == nil {
			continue
		}
		if failed.Class == store.ConditionFailed || failed.Class == store.TransactionCancelled {
			return nil, c.close(ctx, "conflict: nothing was written", c.newConflict(ctx, failed))
		}
		return nil, c.close(ctx, "failed: nothing was written", err)
	}
}

// canResend reports whether another attempt determines the outcome; a token distinguishes it from another user's change.
func (c *commitRun) canResend(state change.State) bool {
	return state == change.NotWritten || state == change.AsPlanned && c.plan.Batch().IsTransaction()
}

// settlesEarlierAttempt reports whether a failure also settles an earlier attempt. Because of its token, a transaction
// that succeeded would not check its conditions again. A single write may fail because the earlier attempt succeeded.
func settlesEarlierAttempt(failed *store.Error, state change.State) bool {
	failsCondition := slices.ContainsFunc(failed.Failures, func(f store.Failure) bool { return f.Code == store.CodeConditionFailed })
	return failsCondition && (failed.Class == store.TransactionCancelled || state == change.NotWritten)
}

func (c *commitRun) unknownError(failed *store.Error, state change.State, err error) error {
	reason := "rereading the items also failed"
	switch {
	case err == nil && state == change.NotWritten:
		reason = "the items do not show it yet"
	case err == nil && state == change.AsPlanned:
		reason = "the items are as planned, but nothing proves that this change wrote them"
	case err == nil:
		reason = "the items are inconclusive"
	}
	return fmt.Errorf("%w: %s, and %s; check and resolve journal entry %s",
		ErrUnknown, strings.TrimRight(failed.Problem, "."), reason, c.intent.ID)
}

// newConflict returns a text for the journal, which must not contain personal data even if the screen reveals it.
func (c *commitRun) newConflict(ctx context.Context, failed *store.Error) *change.Conflict {
	out := &change.Conflict{Message: change.NothingWritten + strings.TrimRight(failed.Problem, ".")}
	for _, f := range failed.Failures {
		if f.Index >= len(c.plan.AllWrites()) {
			continue
		}
		w := c.plan.AllWrites()[f.Index]
		message := fmt.Sprintf("%s %s", w.Entity.Title, models.Printable(w.Table.KeyText(c.s.FullMasker().KeyOf(w.Entity, w.Key))))
		now, readErr := f.Item, error(nil)
		if f.Code == store.CodeConditionFailed && now == nil && w.Before != nil { // Some servers do not return it.
			now, readErr = c.rd.Get(ctx, w.Table, w.Key)
		}
		switch {
		case f.Code != store.CodeConditionFailed:
			message += ": " + f.Code
		case readErr != nil:
			message += " changed since it was read, or no longer exists"
		case now == nil && w.Before != nil:
			message += " no longer exists"
		case w.Entry:
			message += " already exists, because another change was made in the same second; apply the plan again in a second"
		case w.Before == nil:
			message += " already exists"
		default:
			message += " changed since it was read"
			out.Differences = append(
				out.Differences, models.Diff(c.s.Masker().Item(w.Table, w.Before), c.s.Masker().Item(w.Table, now))...,
			)
		}
		if len(failed.Failures) == 1 || f.Index == failed.Failures[0].Index {
			out.Message = change.NothingWritten + message
		} else {
			out.Message += "; " + message
		}
	}
	return out
}

func (c *commitRun) recordCommitted(ctx context.Context, capacity float64, note string) (*Commitment, error) {
	out := &Commitment{Plan: c.plan, Journal: c.intent.ID, Capacity: capacity, Notes: c.from.notes()}
	if note != "" {
		out.Notes = append(out.Notes, note)
	}
	items, err := readBack(ctx, c.rd, c.plan)
	if out.Items = items; err != nil {
		out.Items = nil
		for _, w := range c.plan.AllWrites() {
			out.Items = append(out.Items, w.After)
		}
	}
	switch {
	case err != nil:
		out.Notes = append(out.Notes, "the items could not be read back: "+err.Error())
	case !slices.Contains([]change.State{change.Written, change.AsPlanned}, c.plan.Outcome(items)):
		out.Notes = append(out.Notes, "the items changed again right after this write")
	}
	detail := journal.Detail{Capacity: strconv.FormatFloat(capacity, 'g', -1, 64), Notes: strings.Join(out.Notes, "; "), Record: c.deleted}
	outcome, err := c.record(ctx, outcomeCommitted, detail)
	if out.Past = (PastChange{Intent: c.intent}); err == nil {
		out.Past.Outcome = &outcome
	} else {
		out.Unrecorded = fmt.Errorf("record the outcome in the journal: %w", err)
		out.Notes = append(out.Notes, out.Unrecorded.Error())
	}
	return out, nil
}

func (c *commitRun) close(ctx context.Context, outcome string, err error) error {
	detail := journal.Detail{Why: err.Error()}
	if conflict, ok := errors.AsType[*change.Conflict](err); ok {
		detail.Changed = pathsOf(conflict.Differences)
	}
	if _, journalErr := c.record(ctx, outcome, detail); journalErr != nil {
		return errors.Join(err, fmt.Errorf("record the outcome in the journal: %w", journalErr))
	}
	return err
}

// record writes the outcome to the journal, even after the time limit of the commit.
func (c *commitRun) record(ctx context.Context, outcome string, detail journal.Detail) (journal.Entry, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readLimit)
	defer cancel()
	return c.j.Append(ctx, c.intent.Result(outcome, detail))
}

func currentState(ctx context.Context, rd *reading.Reader, p *change.Plan) (change.State, error) {
	now, err := readBack(ctx, rd, p)
	if err != nil {
		return "", err
	}
	return p.Outcome(now), nil
}

func readBack(ctx context.Context, rd *reading.Reader, p *change.Plan) ([]models.Item, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readLimit)
	defer cancel()
	now := make([]models.Item, len(p.AllWrites()))
	for i, w := range p.AllWrites() {
		if w.Operation == change.Check {
			continue
		}
		it, err := rd.Get(ctx, w.Table, w.Key)
		if err != nil {
			return nil, err
		}
		now[i] = it
	}
	return now, nil
}

// verifiedJournal verifies the changed parts of the journal before the first change. Append checks only its end.
func (c *Committer) verifiedJournal() (*journal.Journal, error) {
	j, err := session.OpenJournal(c.s.Viewer)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.verified {
		return j, nil
	}
	r, err := journal.VerifyChanged(j.Path())
	if err != nil {
		return nil, err
	}
	if !r.OK() {
		return nil, fmt.Errorf(
			"%w: %s in %s; %s", journal.ErrDamaged, r.Problems[0], j.Path(), journal.Remedy(j.Path()),
		)
	}
	c.verified = true
	return j, nil
}

func pathsOf(list []models.Change) string {
	return models.Printable(strings.Join(models.MapSlice(list, func(d models.Change) string { return d.Path }), ", "))
}

// subjectDetail omits personal data even if the screen reveals it.
func subjectDetail(s *session.Session, p *change.Plan) journal.Detail {
	w := p.Writes[0]
	detail := journal.Detail{
		Reason: p.Basis.Reason, Entity: p.Action.Entity.Name, Table: w.Table.Name, From: p.From, To: p.To,
		Key: models.Printable(w.Table.KeyText(s.FullMasker().KeyOf(w.Entity, w.Key))),
	}
	if w.Operation == change.Update && p.To == "" {
		own := models.Filter(w.Changes, func(d models.Change) bool { return !d.Derived })
		detail.Changed = pathsOf(own)
	}
	if p.Undoes != nil {
		detail.Undoes = p.Undoes.Basis.Token
	}
	return detail
}
