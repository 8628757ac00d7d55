package requests

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/drift"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/models"
)

const (
	// defaultValid is how long a request remains valid if the context does not set a duration.
	defaultValid = 7 * 24 * time.Hour
	// MaxValid is the maximum duration that a context can set. By default, List omits older requests.
	MaxValid = 30 * 24 * time.Hour
	// maxListed is the maximum number of requests that List returns.
	maxListed = 1000
)

// A Register reads and writes only the change requests in a table. It is safe for concurrent use.
type Register struct {
	s             *session.Session // session with the requests' schema
	cannotDecide  error            // reason why the user may not decide others' requests, or nil
	place         Place
	createCommand string // command that creates its table
	listCommand   string // command that lists its requests
	rd            *reading.Reader
	planner       *changes.Planner
	committer     *changes.Committer
}

// NewRegister returns the register of a place, for the connection and the user of a session. It sends no requests.
func NewRegister(s *session.Session, at Place) (*Register, error) {
	p, err := NewProfile(at)
	if err != nil {
		return nil, err
	}
	r := &Register{s: s.ConfinedTo(p, p.Tables[0], keyPrefix), cannotDecide: s.CanDecide(), place: at}
	r.createCommand, r.listCommand = s.Command("table", "create", "SCHEMA", "--requests"), s.Command("requests", "list")
	if s.Profile().Name != p.Name {
		schema := session.SchemaName(s.Profile())
		r.createCommand, r.listCommand = s.Command("table", "create", schema, "--requests"), s.Command("requests", "list", schema)
	}
	catalog := tables.New(r.s.Viewer)
	r.rd = reading.New(r.s.Viewer, catalog)
	r.planner, r.committer, _ = changes.New(r.s, catalog, r.rd, drift.New(r.s.Viewer, catalog, r.rd))
	return r, nil
}

// Place returns the place of the requests.
func (r *Register) Place() Place { return r.place }

// A Listing determines the requests to list.
type Listing struct {
	Schema string // "" for all schemas
	All    bool   // include requests that are too old to apply
}

// List returns the requests, newest first. more reports whether there are more. List stops after the page that reaches
// 1,000 requests. After an error, list contains the requests read before.
func (r *Register) List(ctx context.Context, l Listing) (list []Request, more bool, err error) {
	now := r.s.Now().UTC()
	since := now.Add(-MaxValid - time.Hour).Format(idTime)
	if l.All {
		since = "0"
	}
	args := map[string]string{"since": since}
	if l.Schema != "" {
		args["schema"] = l.Schema
	}
	run, err := r.rd.Start(r.s.Profile().Pattern("list-requests"), args, reading.RunOptions{})
	for err == nil {
		var page reading.Page
		page, err = run.Next(ctx)
		for _, it := range page.Items {
			list = append(list, requestOf(it, now))
		}
		// An ID has the minute of its request, and then random characters.
		slices.SortStableFunc(list, func(a, b Request) int { return b.Created.Compare(a.Created) })
		if !page.More || len(list) >= maxListed {
			return list, page.More, r.explainError(err)
		}
	}
	return list, false, r.explainError(err)
}

// Find returns the request whose ID begins with id. The error wraps session.ErrInput if none or several match. A full
// ID costs one GetItem. A prefix costs a list of all requests, and only matches requests in this list.
func (r *Register) Find(ctx context.Context, id string) (Request, error) {
	table := r.s.Profile().Tables[0]
	key := models.Item{
		r.place.PartitionKey: models.StringValue(keyPrefix + "REQUESTS"), r.place.SortKey: models.StringValue(id),
	}
	it, err := r.rd.Get(ctx, table, key)
	if err != nil {
		return Request{}, r.explainError(err)
	}
	if it != nil {
		return requestOf(it, r.s.Now()), nil
	}
	list, _, err := r.List(ctx, Listing{All: true})
	if err != nil {
		return Request{}, err
	}
	found := models.Filter(list, func(q Request) bool { return strings.HasPrefix(q.ID, id) })
	switch len(found) {
	case 0:
		return Request{}, session.InputErrorf("request %q not found in table %s; list the requests with %s",
			models.Printable(id), r.place.Table, r.listCommand)
	case 1:
		return found[0], nil
	}
	return Request{}, session.InputErrorf("request ID %q is ambiguous; give more characters", models.Printable(id))
}

// findPending returns the open request of the same user for the same change, schema and variables, whatever its reason
// and its program are.
func (r *Register) findPending(ctx context.Context, f *changes.File) (Request, bool, error) {
	list, _, err := r.List(ctx, Listing{})
	if err != nil {
		return Request{}, false, err
	}
	found, ok := models.Find(list, func(q Request) bool {
		return q.State.Pending() && q.File != nil && q.File.Action == f.Action && q.Target == f.Target &&
			q.File.Profile == f.Profile && q.File.User == f.User && maps.Equal(q.File.Inputs, f.Inputs)
	})
	return found, ok, nil
}

// Events returns the history of a request, oldest first. If there are no events, the result is empty instead of nil, so
// that JSON contains [].
func (r *Register) Events(ctx context.Context, id string) ([]Event, error) {
	run, err := r.rd.Start(r.s.Profile().Pattern("list-events"), map[string]string{"requestId": id}, reading.RunOptions{})
	if err != nil {
		return nil, err
	}
	events := []Event{}
	for {
		page, err := run.Next(ctx)
		for _, it := range page.Items {
			text := func(name string) string { v, _ := it.Text(name); return v }
			events = append(events, Event{parseTime(text("at")), text("who"), text("action"), text("comment")})
		}
		if err != nil || !page.More {
			return events, r.explainError(err)
		}
	}
}

func (r *Register) explainError(err error) error {
	e, ok := errors.AsType[*store.Error](err)
	if !ok || !tables.IsMissing(err) {
		return err
	}
	explained := *e
	explained.Problem, explained.Advice = "requests table "+r.place.Table+" does not exist", "create it with "+r.createCommand
	switch {
	case r.s.Production():
		explained.Advice = "create it with the tool that manages your tables, with the keys PK and SK of type S"
	case r.cannotDecide != nil:
		explained.Advice = "ask an admin to create it with " + r.createCommand
	}
	return &explained
}

// IsRequester reports whether the session's user filed the request. If the plan is damaged, the identity is unverified,
// so IsRequester compares names.
func (r *Register) IsRequester(q Request) bool {
	if q.File == nil {
		return strings.EqualFold(q.Requester, r.s.Actor())
	}
	return r.planner.IsAuthor(q.File)
}

func (r *Register) validity() time.Duration {
	if d := r.s.Requests().Valid; d > 0 {
		return min(d, MaxValid)
	}
	return defaultValid
}

// A NotifyError reports that a request was written but its notification was not delivered. The caller must not repeat
// the operation because of it.
type NotifyError error

// Withdraw ends the user's own request, even if it has expired. The error is a *session.Refusal for another user's
// request.
func (r *Register) Withdraw(ctx context.Context, q Request, comment string) (NotifyError, error) {
	if err := r.canWithdraw(q); err != nil {
		return nil, err
	}
	return r.recordAction(ctx, q, "withdraw", Withdrawn, comment)
}

func (r *Register) canWithdraw(q Request) error {
	if r.IsRequester(q) {
		return nil
	}
	return &session.Refusal{
		Reason: fmt.Sprintf("only the requester, %s, can withdraw request %s", models.Printable(q.Requester), q.ID),
		Advice: "reject it instead",
	}
}

// Reject ends a request, even if it has expired. It does not need a second person, because it does not change the
// schema's items. The error is a *session.Refusal if the user may not decide.
func (r *Register) Reject(ctx context.Context, q Request, reason string) (NotifyError, error) {
	if r.cannotDecide != nil {
		return nil, r.cannotDecide
	}
	return r.recordAction(ctx, q, "reject", Rejected, reason)
}

// AddComment adds a comment to the history of a request. It does not change the state or send a notification.
func (r *Register) AddComment(ctx context.Context, q Request, comment string) error {
	_, err := r.recordAction(ctx, q, "comment", "", comment)
	return err
}

func (r *Register) recordAction(ctx context.Context, q Request, action string, state State, comment string) (NotifyError, error) {
	p, err := r.planDecision(ctx, q, action, comment)
	if err != nil {
		return nil, err
	}
	if _, err := r.committer.Commit(ctx, p); err != nil {
		return nil, err
	}
	if state == "" {
		return nil, nil
	}
	return r.notify(ctx, q, string(state)), nil
}

func (r *Register) planDecision(ctx context.Context, q Request, action, comment string) (*change.Plan, error) {
	a, err := r.planner.Action(action)
	if err != nil {
		return nil, err
	}
	p, err := r.planner.Plan(ctx, a, map[string]string{"requestId": q.ID}, comment)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"plan", "digest", "subject"} {
		now, _ := p.Writes[0].Before.Text(name)
		if old, _ := q.item.Text(name); now != old {
			return nil, &change.Conflict{Message: "request " + q.ID + " changed since it was reviewed; review it again"}
		}
	}
	return p, nil
}
