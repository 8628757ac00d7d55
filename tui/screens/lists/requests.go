package lists

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/requests"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/planner"
	"github.com/ddbdesk/ddbdesk/tui/listing"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A request is a row of Requests. Its history and its current writes are read later.
type request = *requestEntry

type requestEntry struct {
	requests.Entry
	review *requests.Review
	events []requests.Event
}

// Requests lists the changes that some users requested and others apply. The user can decide each request.
var Requests = listing.Open(func(_ *screen.Env, to screen.Requests) *listing.Spec[request] {
	return &listing.Spec[request]{
		Name: "requests", Inner: true, Title: "Change requests", Does: "Lists changes that one user requests and another user applies.",
		Noun:   "request",
		Layout: listing.Tall, InitialID: to.ID,
		Guide: screen.Guide{
			Purpose: "Changes that one user requested and another one applies. The details show what a request would write now.",
			First:   "select a request, read the plan below it, and press o to apply or reject it. Press v for closed requests.",
			Signs: screen.Signs([]screen.Sign{
				{Glyph: "◐", Meaning: "can be applied: open, or approved by another user"},
				{Glyph: "✓", Meaning: "applied"},
				{Glyph: "✗", Meaning: "rejected, or damaged: its plan was edited and cannot be applied"},
				{Glyph: "■", Meaning: "withdrawn or expired"},
			}, screen.MaskSigns),
		},
		ID:    func(q request) string { return q.ID },
		Label: func(e *screen.Env, q request) string { return requestTitle(e, q.Request) },
		Every: time.Minute, Load: loadRequests, Read: reviewRequest, Facts: requestFacts,
		Missing: func(e *screen.Env) *listing.Advice {
			if e.Session.RequestsTable() != "" {
				return nil
			}
			return &listing.Advice{
				Title:   "No requests table is configured",
				Text:    "Set requests: {table: NAME} in a context, or requests: NAME in the schema. Then create the table:",
				Command: e.Session.Command("table", "create", session.SchemaName(e.Session.Profile()), "--requests"),
			}
		},
		Tabs: []listing.Tab[request]{
			{Title: "Open", Has: func(q request) bool { return q.State.Pending() }, Empty: listing.None(
				"No open change requests", "To request a change, open its item, press o and choose the change.")},
			{
				Title: "History", Ended: true, Has: func(q request) bool { return !q.State.Pending() },
				Empty: func(e *screen.Env) (string, string) {
					return "No requests of the last 30 days have ended",
						"Older ones: " + e.Session.Command("requests", "list", session.SchemaName(e.Session.Profile()), "--all")
				},
			},
		},
		Columns: requestColumns, Actions: requestActions,
	}
})

func loadRequests(ctx context.Context, e *screen.Env, _ *listing.Reading[request]) (listing.Rows[request], error) {
	entries, more, err := e.Requests.List(ctx)
	rows, mine, review := listing.Rows[request]{List: make([]request, len(entries))}, 0, 0
	for i, entry := range entries {
		rows.List[i] = &requestEntry{Entry: entry}
		switch {
		case entry.NeedsReview():
			review++
		case entry.State.Pending():
			mine++
		}
	}
	slices.SortStableFunc(rows.List, func(a, b request) int {
		switch {
		case a.State.Pending() != b.State.Pending():
			return map[bool]int{true: -1, false: 1}[a.State.Pending()]
		case !a.State.Pending():
			return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(b.ID, a.ID))
		case a.IsRequester != b.IsRequester:
			return map[bool]int{true: 1, false: -1}[a.IsRequester]
		case !a.Expires.Equal(b.Expires):
			return a.Expires.Compare(b.Expires)
		}
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
	})
	rows.Status = present.Plural(review, "request") + " to review"
	if e.Session.CanDecide() != nil {
		rows.Status = present.Plural(mine+review, "open request")
	}
	if e.Session.CanDecide() != nil || mine > 0 {
		rows.Status += fmt.Sprintf(" · you made %d", mine)
	}
	if more {
		rows.Status = fmt.Sprintf("only the newest %s · %s", present.Plural(len(entries), "request"), rows.Status)
	}
	return rows, err
}

var requestColumns = []listing.Column[request]{
	listing.Styled(widget.Column{Title: "What", Max: 24, Frozen: true}, widget.RoleKey, func(e *screen.Env, q request) string {
		return present.ActionTitle(e, q.Action)
	}),
	listing.Styled(widget.Column{Title: "Item", Min: 20, Max: 64, Middle: true}, widget.RoleText, func(e *screen.Env, q request) string {
		return orNoValue(requestItem(e, q.Request))
	}),
	{
		Column: widget.Column{Title: "State", Min: 11, Max: 11},
		Cell:   func(_ *screen.Env, q request) widget.Cell { return requestState(q.Request) },
	},
	listing.Styled(widget.Column{Title: "Who", Max: 20, Middle: true}, widget.RoleMuted, requester),
	listing.Styled(widget.Column{Title: "Reason", Max: 60}, widget.RoleText, func(_ *screen.Env, q request) string {
		return orNoValue(q.Reason)
	}),
	listing.Styled(widget.Column{Title: "When", Min: 8, Max: 12}, widget.RoleMuted, func(e *screen.Env, q request) string {
		return ageText(q.Created, e.Now())
	}).Sorted(func(a, b request) int { return a.Created.Compare(b.Created) }),
	{
		Column: widget.Column{Title: "Expires", Min: 7, Max: 12},
		Cell:   requestExpires,
		By:     func(a, b request) int { return a.Expires.Compare(b.Expires) },
	},
}

func requester(e *screen.Env, q request) string {
	switch {
	case !q.IsRequester:
		return orNoValue(q.Requester)
	case q.Requester != e.Session.Actor():
		return "you, as " + q.Requester
	}
	return orNoValue(q.Requester) + " (you)"
}

func requestItem(e *screen.Env, q requests.Request) string {
	if a := e.Session.Profile().Action(q.Action); a != nil && q.File != nil {
		inputs := models.Recognition{Values: q.File.Inputs}
		if id := present.ItemID(a.Entity, e.Session.Masker(), inputs, nil); id.Text != "" {
			return models.Printable(id.Text)
		}
	}
	return e.Requests.KeyOf(q)
}

func requestExpires(e *screen.Env, q request) widget.Cell {
	c := widget.Cell{Text: ageText(q.Expires, e.Now()), Role: widget.RoleMuted}
	switch {
	case q.State.Ended():
		c.Text = present.NoValue
	case q.State.Pending() && q.Expires.Sub(e.Now()) < 24*time.Hour:
		c.Role = widget.RoleWarn
	}
	return c
}

// requestStates contains the cells for states; other states use "■".
var requestStates = map[requests.State]widget.Cell{
	requests.Open:     {Text: "◐", Role: widget.RoleInfo},
	requests.Approved: {Text: "◐", Role: widget.RoleGood},
	requests.Applied:  {Text: "✓", Role: widget.RoleGood},
	requests.Rejected: {Text: "✗", Role: widget.RoleWarn},
}

func requestState(q requests.Request) widget.Cell {
	if q.Fault != nil && !q.State.Ended() {
		return widget.Cell{Text: "✗ damaged", Role: widget.RoleBad}
	}
	c, ok := requestStates[q.State]
	if !ok {
		c = widget.Cell{Text: "■", Role: widget.RoleMuted}
	}
	c.Text += " " + models.PrintableCell(string(q.State), 12)
	return c
}

func requestTitle(e *screen.Env, q requests.Request) string {
	title := present.ActionTitle(e, q.Action)
	if a := e.Session.Profile().Action(q.Action); a != nil {
		title += " · " + present.EntityName(a.Entity)
	}
	return present.Join(title, requestItem(e, q), " ")
}

func reviewRequest(ctx context.Context, e *screen.Env, q request) (func(*request), error) {
	review := requests.Review{Request: q.Request, Outdated: q.Fault}
	register, err := e.Requests.Register()
	if err != nil {
		return nil, err
	}
	events, err := register.Events(ctx, q.ID)
	if err == nil && q.State.Pending() {
		review, err = e.Requests.Review(ctx, q.Request)
	}
	if err != nil {
		return nil, err
	}
	return func(q *request) { *q = &requestEntry{(*q).Entry, &review, events} }, nil
}

func requestFacts(e *screen.Env, q request) []listing.Fact {
	state := requestState(q.Request)
	user := joinDistinct(requester(e, q), identityOf(q.Requester, q.Identity))
	list := []listing.Fact{
		{Label: "change", Text: requestTitle(e, q.Request), Role: widget.RoleStrong},
		{Label: "state", Text: state.Text + requestExpiry(e, q.Request), Role: state.Role},
		{Label: "reason", Text: q.Reason},
		{Label: "who", Text: user + ", " + ageText(q.Created, e.Now())},
		{Label: "filed by", Text: q.Via},
		requestDecision(e, q.Request),
	}
	switch {
	case !q.State.Pending() || q.CannotApply == nil:
	case e.Plain():
		list = append(list, listing.Fact{Label: "you", Text: "An admin decides. Press o to comment, or to withdraw your own request."})
	default:
		list = append(list, listing.Fact{Label: "you", Text: "⊘ " + e.Reason(q.CannotApply), Role: widget.RoleWarn})
	}
	list = append(list, listing.Fact{Label: "request", Text: q.ID, Role: widget.RoleMuted})
	if q.review == nil {
		return list
	}
	switch v := q.review; {
	case v.Outdated != nil && !q.State.Ended():
		list = append(list, listing.Blank(), listing.Fact{Text: "≠ Cannot be applied: " + v.Outdated.Error(), Role: widget.RoleWarn})
		if cannotPlanAgain(e, q) == nil {
			list = append(list, listing.Fact{Text: "Press o n to plan it again from the current items.", Role: widget.RoleMuted})
		} else if isLasting(v) {
			list = append(list, listing.Fact{Text: "Press o to reject it, or to withdraw your own request.", Role: widget.RoleMuted})
		}
	case v.Plan != nil:
		list = append(list, listing.Heading("Planned writes now"),
			listing.Fact{Lines: func(w int) []string { return planner.PlanLines(e, v.Plan, w) }})
	}
	if len(q.events) > 0 {
		list = append(list, listing.Heading("History"))
	}
	for _, event := range slices.Backward(q.events) {
		list = append(list, listing.Fact{
			Label: ageText(event.At, e.Now()), Text: present.Join(event.PastTense()+" by "+event.Who, event.Comment, ": "),
		})
	}
	return list
}

func requestDecision(e *screen.Env, q requests.Request) listing.Fact {
	if q.DecidedBy == "" || q.State == requests.Open {
		return listing.Fact{Label: "comment", Text: q.Comment}
	}
	word := string(q.State)
	if q.State == requests.Expired {
		word = string(requests.Approved)
	}
	return listing.Fact{Label: word, Text: present.Join("by "+q.DecidedBy+", "+ageText(q.DecidedAt, e.Now()), q.Comment, ": ")}
}

func requestExpiry(e *screen.Env, q requests.Request) string {
	if q.Expires.IsZero() || q.State.Ended() {
		return ""
	}
	word := " · expires "
	if q.State == requests.Expired {
		word = " · since "
	}
	return word + ageText(q.Expires, e.Now()) + ", " + present.Stamp(q.Expires, e.Now())
}

var requestActions = []listing.Action[request]{
	{
		Name: "apply", Keys: "o>a", Desc: "apply", Long: "approve and apply the request; shows the plan first", Detailed: true,
		Can: func(_ *screen.Env, q request) error {
			if q.CannotApply == nil && q.review != nil {
				return q.review.Outdated
			}
			return q.CannotApply
		},
		Run: applyRequest,
	},
	decision("reject", "o>r", "reject the request with a reason", "Reason",
		"A rejected request cannot be applied. The requester sees your reason.",
		func(_ *screen.Env, q request) error { return q.CannotReject },
		func(ctx context.Context, r *requests.Register, _ *screen.Env, q request, text string) (requests.NotifyError, error) {
			return r.Reject(ctx, q.Request, text)
		}),
	decision("withdraw", "o>w", "withdraw your own request", "", "A withdrawn request cannot be applied.",
		func(_ *screen.Env, q request) error { return q.CannotWithdraw },
		func(ctx context.Context, r *requests.Register, _ *screen.Env, q request, text string) (requests.NotifyError, error) {
			return r.Withdraw(ctx, q.Request, text)
		}),
	{
		Name: "plan-again", Keys: "o>n", Desc: "plan again", Long: "replan the request from the current items",
		Can: cannotPlanAgain, Run: planAgain,
	},
	{
		Name: "enter", Keys: "enter", Desc: "open item", Long: "open the item that the request changes",
		Can: func(e *screen.Env, q request) error {
			if table, _ := e.Requests.Item(q.Request); table == nil {
				return errors.New("the request does not identify its item")
			}
			return nil
		},
		Run: func(s *listing.Screen[request], q request) tea.Cmd {
			table, key := s.Env.Requests.Item(q.Request)
			return screen.Open(screen.Item{Table: table, Item: key})
		},
	},
	decision("comment", "o>c", "add a comment to the history of the request", "Comment",
		"The comment is part of the history of the request.",
		func(e *screen.Env, _ request) error { return e.Session.CanRequest() },
		func(ctx context.Context, r *requests.Register, _ *screen.Env, q request, text string) (requests.NotifyError, error) {
			return nil, r.AddComment(ctx, q.Request, text)
		}),
	decision("approve", "o>p", "approve the request, so that any other admin can apply it", "",
		"Any other admin can then apply it. No item is changed yet.",
		func(_ *screen.Env, q request) error { return q.CannotApply },
		func(ctx context.Context, _ *requests.Register, e *screen.Env, q request, text string) (requests.NotifyError, error) {
			return e.Requests.Approve(ctx, q.Request, text)
		}),
}

// decisionWords contains the gerund and the past tense for each decision.
var decisionWords = map[string][2]string{
	"reject": {"rejecting", "rejected"}, "withdraw": {"withdrawing", "withdrew"}, "comment": {"commenting on", "commented on"},
	"approve": {"approving", "approved"},
}

func decision(verb, key, long, label, about string, can func(*screen.Env, request) error,
	do func(context.Context, *requests.Register, *screen.Env, request, string) (requests.NotifyError, error),
) listing.Action[request] {
	hint := "required; shown in the history of the request"
	if label == "" {
		hint = "optional"
	}
	words := decisionWords[verb]
	return listing.Action[request]{
		Name: verb, Keys: key, Desc: verb, Long: long, Can: can, Doing: words[0],
		Prompt: &listing.Prompt[request]{
			Label: cmp.Or(label, "Comment"), Required: label != "", Hint: hint, Check: session.CheckReason,
			About: func(e *screen.Env, q request) []string {
				return []string{requestTitle(e, q.Request) + ", requested by " + q.Requester, about}
			},
		},
		Do: func(ctx context.Context, e *screen.Env, q request, text string) (listing.ActionResult, error) {
			register, err := e.Requests.Register()
			if err != nil {
				return listing.ActionResult{}, err
			}
			note, err := do(ctx, register, e, q, text)
			done := listing.ActionResult{Message: words[1] + " the request: " + requestTitle(e, q.Request)}
			if note != nil {
				done = listing.ActionResult{Message: words[1] + "; " + note.Error(), Bad: true}
			}
			return done, err
		},
	}
}

// applyRequest applies exactly this request and plan. Any change in the meantime causes a conflict.
func applyRequest(s *listing.Screen[request], q request) tea.Cmd {
	a, err := s.Env.Planner.Action(q.Action)
	if err != nil {
		return screen.Send(screen.NoticeMsg{Text: err.Error(), Bad: true})
	}
	inbox, reviewed := s.Env.Requests, q.review.Request
	box, cmd := planner.NewReviewed(s.Env, planner.ChangeRequest{
		Action: a, Title: requestTitle(s.Env, q.Request), Verb: "Approve and apply", Reason: q.Reason,
		About: reviewNote(s.Env, q),
		Plan: func(ctx context.Context, _ map[string]string, _ string) (*change.Plan, error) {
			return reviewAgain(ctx, inbox, q.ID)
		},
		Commit: func(ctx context.Context, p *change.Plan) (*changes.Commitment, error) {
			done, note, err := inbox.Apply(ctx, requests.Review{Request: reviewed, Plan: p})
			if note != nil {
				done.Notes = append(done.Notes, note.Error())
			}
			return done, err
		},
		Done: func(*changes.Commitment) tea.Cmd { return s.Reload() },
	}, q.review.Plan)
	s.Box = box
	return cmd
}

// reviewNote returns whether a second person approved a request that its requester applies, and "" for other users.
func reviewNote(e *screen.Env, q request) string {
	switch {
	case !q.IsRequester:
		return ""
	case q.State == requests.Approved:
		return "This is your own request. " + q.DecidedBy + " approved it " + ageText(q.DecidedAt, e.Now()) + "."
	}
	return "This is your own request, and no second person has approved it."
}

func reviewAgain(ctx context.Context, inbox *requests.Inbox, id string) (*change.Plan, error) {
	register, err := inbox.Register()
	if err != nil {
		return nil, err
	}
	q, err := register.Find(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := requests.CheckUsable(q); err != nil {
		return nil, err
	}
	v, err := inbox.Review(ctx, q)
	if err == nil {
		err = v.Outdated
	}
	return v.Plan, err
}

func isLasting(v *requests.Review) bool {
	var conflict *change.Conflict
	return v != nil && errors.As(v.Outdated, &conflict) && conflict.Lasting
}

func cannotPlanAgain(e *screen.Env, q request) error {
	switch {
	case q.File == nil:
		return errors.New("the plan of the request is damaged")
	case q.File.Many():
		return errors.New("to plan a sweep again, run ddbdesk change SCHEMA ACTION --over PATTERN")
	case e.Session.Profile().Action(q.Action) == nil:
		return errors.New("the schema has no action " + q.Action)
	case q.State == requests.Applied:
		return errors.New("the request was applied")
	case isLasting(q.review):
		return errors.New("the item no longer permits it; reject or withdraw the request")
	case q.State.Pending() && q.review != nil && q.review.Plan != nil:
		return errors.New("the plan is up to date")
	}
	return e.Requests.CheckVariables(q.File)
}

// planAgain does not show the inputs of the request, because they may contain personal data.
func planAgain(s *listing.Screen[request], q request) tea.Cmd {
	a := s.Env.Session.Profile().Action(q.Action)
	s.Box = planner.NewChange(s.Env, planner.ChangeRequest{
		Action: a, Title: requestTitle(s.Env, q.Request), Args: q.File.Inputs, Reason: q.Reason,
		About: present.Join(a.Description, "The inputs are those of request "+models.Printable(q.ID)+".", " "),
		Done:  func(*changes.Commitment) tea.Cmd { return s.Reload() },
	})
	return nil
}
