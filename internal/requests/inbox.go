package requests

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// An Inbox files and decides the change requests of one schema. Every call except PendingOf reads the requests again. It
// is safe for concurrent use.
type Inbox struct {
	s         *session.Session // session of the schema
	planner   *changes.Planner
	committer *changes.Committer
	known     atomic.Pointer[[]Entry]
}

// New returns an inbox for a session. It sends no requests.
func New(s *session.Session, p *changes.Planner, c *changes.Committer) *Inbox {
	return &Inbox{s: s, planner: p, committer: c}
}

// Register returns the register in the requests table. The error is a *session.Refusal if no table is configured.
func (in *Inbox) Register() (*Register, error) {
	at, err := PlaceFor(in.s.Profile(), in.s.Requests().Table)
	if err != nil {
		return nil, err
	}
	return NewRegister(in.s, at)
}

// maxPlan is the maximum size of a plan in bytes, so that it fits into an item beside the other attributes. Source:
// Amazon DynamoDB Developer Guide, "Quotas in Amazon DynamoDB", Item size.
const maxPlan = 350 << 10

// File stores a plan as a change request. schema is the name under which it opens again. via is the program that acts
// for the user, or "". If a program files a change for which the user has an open request, File stores nothing and
// returns the open request, with its reason. If File stores the request but the notification fails, it returns a
// NotifyError. The error is a *session.Refusal in a read-only session, for a typed actor if the action needs a second
// person, and for a plan above 350 KB.
func (in *Inbox) File(ctx context.Context, p *change.Plan, schema, via string) (Request, NotifyError, error) {
	if p.Undoes != nil {
		return Request{}, nil, session.InputErrorf("an undo cannot be requested, because it needs the journal of this machine")
	}
	r, err := in.registerForFiling(p.Action)
	if err != nil {
		return Request{}, nil, err
	}
	text, err := in.planner.WriteRequested(p, schema)
	if err != nil {
		return Request{}, nil, err
	}
	if len(text) > maxPlan {
		return Request{}, nil, &session.Refusal{
			Reason: fmt.Sprintf("the plan has %d bytes; a request can contain at most %d", len(text), maxPlan),
			Advice: "save it with --plan FILE",
		}
	}
	f, err := changes.ReadFile(text)
	if err != nil {
		return Request{}, nil, err
	}
	if via != "" {
		if q, found, err := r.findPending(ctx, f); found || err != nil {
			return q, nil, err
		}
	}
	q, note, err := r.storeRequest(ctx, f, text, in.s.Profile().Name, subject(in.s.FullMasker(), p), via)
	if err == nil {
		list := append([]Entry{in.entry(r, q)}, *cmp.Or(in.Known(), &[]Entry{})...)
		in.known.Store(&list)
	}
	return q, note, err
}

// FileSweep stores a sweep as a change request, without the items, which may exceed the 400 KB of a DynamoDB item. The
// user who applies it needs the file, which the request identifies by its digest. For the NotifyError, see File.
func (in *Inbox) FileSweep(ctx context.Context, f *changes.File) (Request, NotifyError, error) {
	a, err := in.planner.Action(f.Action)
	if err != nil {
		return Request{}, nil, err
	}
	r, err := in.registerForFiling(a)
	if err != nil {
		return Request{}, nil, err
	}
	if f.NeedsThisMachine() {
		return Request{}, nil, &session.Refusal{
			Reason: "the file contains personal data, which is encrypted for this machine, so another user cannot apply it",
			Advice: "file a request for each item, or apply the file here with ddbdesk apply",
		}
	}
	text, err := f.Summary()
	if err != nil {
		return Request{}, nil, fmt.Errorf("file the request: %w", err)
	}
	return r.storeRequest(ctx, f, text, in.s.Profile().Name, sweepSubject(f), "")
}

func (in *Inbox) registerForFiling(a *change.Action) (*Register, error) {
	if err := cmp.Or(in.s.CanRequest(), changes.CheckTypedActor(in.s.Viewer, a)); err != nil {
		return nil, err
	}
	return in.Register()
}

func (in *Inbox) fileRequired(q Request) error {
	command := in.s.Command("requests", "apply", session.SchemaName(in.s.Profile()), q.ID, "--file", "FILE")
	return &session.Refusal{
		Reason: fmt.Sprintf("request %s is a sweep of %s", q.ID, q.Subject),
		Advice: fmt.Sprintf("run %s with the file that %s saved", command, models.Printable(q.Requester)),
	}
}

// CanApplySweep returns the refusal to apply f as the request's file, or nil. The digest binds the file to the request,
// so that it rejects a file with an added or removed item.
func (in *Inbox) CanApplySweep(q Request, f *changes.File) error {
	if err := in.CanApply(q); err != nil {
		return err
	}
	switch {
	case !q.File.Many():
		return &session.Refusal{Reason: fmt.Sprintf("request %s changes one item, and needs no file", q.ID), Advice: "omit --file"}
	case q.File.Digest != f.Digest:
		return &session.Refusal{Reason: "the file does not belong to request " + q.ID, Advice: "ask " +
			models.Printable(q.Requester) + " for the file"}
	}
	return nil
}

// CompleteSweep marks the request of a sweep as applied. Each item has its own transaction, and this transaction
// follows all of them. Every failure is a *change.Conflict, because the sweep has been applied and must not be
// repeated.
func (in *Inbox) CompleteSweep(ctx context.Context, q Request) (NotifyError, error) {
	r, err := in.Register()
	if err != nil {
		return nil, err
	}
	note, err := r.recordAction(ctx, q, "apply", Applied, "")
	if err != nil {
		return note, &change.Conflict{Message: fmt.Sprintf("the sweep was applied, but request %s was not marked as applied: %v", q.ID, err)}
	}
	return note, nil
}

func (r *Register) storeRequest(
	ctx context.Context, f *changes.File, text []byte, schema, subject, via string,
) (Request, NotifyError, error) {
	now := r.s.Now().UTC()
	a, err := r.planner.Action("file")
	if err != nil {
		return Request{}, nil, err
	}
	inputs := map[string]string{
		"requestId": newID(now), "schema": schema, "actionId": f.Action, "subject": subject,
		"target": f.Target, "expiresAt": now.Add(r.validity()).Format(time.RFC3339),
		"plan": strings.ReplaceAll(string(text), "\n", ""), "digest": f.Digest,
	}
	if via != "" {
		inputs["via"] = via
	}
	if f.Reason != "" {
		inputs["why"] = models.Printable(f.Reason) // An input cannot contain line breaks.
	}
	plan, err := r.planner.Plan(ctx, a, inputs, f.Reason)
	if err != nil {
		return Request{}, nil, r.explainError(err)
	}
	commitment, err := r.committer.Commit(ctx, plan)
	if err != nil {
		return Request{}, nil, r.explainError(err)
	}
	q := requestOf(commitment.Plan.Writes[0].After, now)
	return q, r.notify(ctx, q, "requested"), nil
}

func subject(m *models.Masker, p *change.Plan) string {
	w := p.Shown(m).Writes[0]
	return entityTitle(w.Entity) + " " + models.Printable(w.Table.KeyText(w.Key))
}

func entityTitle(e *models.Entity) string { return models.PrintableCell(e.Title, 60) }

// KeyOf returns the masked key of a request's item without the entity's title, for lists with a separate column for the
// entity.
func (in *Inbox) KeyOf(q Request) string {
	if a := in.s.Profile().Action(q.Action); a != nil {
		return strings.TrimPrefix(q.Subject, entityTitle(a.Entity)+" ")
	}
	return q.Subject
}

// A Review contains the current effect of a request.
type Review struct {
	Request Request
	// Plan is the change as ddbdesk would write it now; nil if it cannot be applied.
	Plan *change.Plan
	// Outdated is the reason why the change can no longer be applied: the data or the schema has changed since someone
	// filed the request.
	Outdated error
}

// Review plans the change of a request again, based on the current items. It writes nothing. The error is a read error.
// A request that can no longer be applied is not an error; see Review.Outdated.
func (in *Inbox) Review(ctx context.Context, q Request) (Review, error) {
	v := Review{Request: q, Outdated: q.Fault}
	if q.File == nil {
		return v, nil
	}
	if q.File.Many() {
		v.Outdated = in.fileRequired(q)
		return v, nil
	}
	if v.Outdated = in.CheckVariables(q.File); v.Outdated != nil {
		return v, nil //nolint:nilerr // The review contains the error.
	}
	p, err := in.planner.LoadPlan(ctx, q.File)
	switch {
	case err == nil && subject(in.s.FullMasker(), p) != q.Subject:
		v.Outdated = q.editedRefusal()
	case err == nil:
		v.Plan = p
	case errors.As(err, new(*change.Conflict)) || errors.Is(err, session.ErrRefused):
		v.Outdated = err
	default:
		return v, err
	}
	return v, nil
}

// CheckVariables returns a refusal if a plan was created with other values of the schema's variables, or nil. Such a
// plan is for other tables.
func (in *Inbox) CheckVariables(f *changes.File) error {
	for _, v := range in.s.Profile().Variables {
		if recorded, ok := f.Variables[v.Name]; ok && recorded != v.Value {
			value := models.Printable(recorded)
			return &session.Refusal{
				Reason: fmt.Sprintf("the request is for %s=%s, but this session has %[1]s=%[3]s", v.Name, value, models.Printable(v.Value)),
				Advice: "run " + in.s.Again("--var", v.Name+"="+value),
			}
		}
	}
	return nil
}

// Item returns the table and the key of the item that a request changes, or nil if the request does not contain them, or
// is for other tables.
func (in *Inbox) Item(q Request) (*models.Table, models.Item) {
	f := q.File
	if f == nil || f.Many() || in.CheckVariables(f) != nil {
		return nil, nil
	}
	a, err := in.planner.Action(f.Action)
	if err != nil {
		return nil, nil
	}
	key, err := in.planner.SubjectKey(a, f.Inputs)
	if err != nil || key == nil {
		return nil, nil
	}
	return a.Entity.Table, key
}

// CanApply returns the refusal to approve or apply a request, or nil. A sweep also needs its file; see CanApplySweep.
func (in *Inbox) CanApply(q Request) error {
	if err := CheckUsable(q); err != nil {
		return err
	}
	a, err := in.planner.Action(q.Action)
	if err != nil {
		return err
	}
	if err := in.s.CanChange(a); err != nil {
		return err
	}
	return in.planner.CheckSecondPerson(q.File, a)
}

// CheckUsable returns the reason why no user may apply the plan of a request, or nil. It checks the request without
// reading the table again.
func CheckUsable(q Request) error {
	switch {
	case q.Fault != nil:
		return q.Fault
	case q.State == Expired:
		return &session.Refusal{
			Reason: fmt.Sprintf("request %s expired at %s", q.ID, q.Expires.Format(time.RFC3339)),
			Advice: "ask the requester to file it again",
		}
	}
	return checkNotEnded(q)
}

func checkNotEnded(q Request) error {
	if !q.State.Ended() {
		return nil
	}
	return &change.Conflict{Message: fmt.Sprintf("request %s was %s by %s", q.ID, q.State, models.Printable(q.DecidedBy))}
}

// Approve allows other users with role admin to apply the request, provided that it could be applied now. It does not
// write to the schema's tables.
func (in *Inbox) Approve(ctx context.Context, q Request, comment string) (NotifyError, error) {
	r, err := in.Register()
	if err != nil {
		return nil, err
	}
	if err := in.CanApply(q); err != nil {
		return nil, err
	}
	if !q.File.Many() {
		v, err := in.Review(ctx, q)
		if err = cmp.Or(err, v.Outdated); err != nil {
			return nil, err
		}
	}
	return r.recordAction(ctx, q, "approve", Approved, comment)
}

// Apply applies the change of a request and marks the request as applied, in one transaction with both audit entries.
// The request must be pending and unchanged since the review. Apply returns the same errors as changes.Committer.Apply:
// a *change.Conflict means that it wrote nothing, because the items or the request changed.
func (in *Inbox) Apply(ctx context.Context, v Review) (*changes.Commitment, NotifyError, error) {
	r, err := in.Register()
	if err != nil {
		return nil, nil, err
	}
	q := v.Request
	if v.Outdated != nil {
		return nil, nil, v.Outdated
	}
	if err := CheckUsable(q); err != nil {
		return nil, nil, err
	}
	decision, err := r.planDecision(ctx, q, "apply", "")
	if err != nil {
		return nil, nil, r.explainError(err)
	}
	joined, err := v.Plan.Join(decision)
	if err != nil {
		return nil, nil, err
	}
	commitment, err := in.committer.Apply(ctx, q.File, joined)
	if err != nil {
		return nil, nil, err
	}
	return commitment, r.notify(ctx, q, string(Applied)), nil
}
