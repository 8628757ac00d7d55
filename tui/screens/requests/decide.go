package requests

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/requests"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/planner"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A decider decides the request that was selected when its key was pressed, and no other.
type decider struct {
	s *requestsScreen

	writing *screen.Writing    // the decision that is being written, nil for none
	doing   string             // what that is: "rejecting request"
	id      string             // of its request
	said    map[string]outcome // of the last decision from here, by request
}

// An outcome is what became of a decision.
type outcome struct {
	text string
	bad  bool
}

// decidedMsg is the outcome of a decision.
type decidedMsg struct {
	id   string
	done string // "rejected"
	note requests.Note
	err  error
}

// apply opens the dialog that applies the reviewed request. The transaction is conditional on this request and its plan, so
// that whatever happens meanwhile is a conflict.
func (d *decider) apply() tea.Cmd {
	v := d.s.review.current()
	q, inbox := v.Request, d.s.env.Requests
	a, err := d.s.env.Planner.Action(q.Action)
	if err != nil {
		return screen.Send(screen.NoticeMsg{Text: err.Error(), Bad: true})
	}
	box, cmd := planner.NewReviewed(d.s.env, planner.ChangeRequest{
		Action: a, Title: a.Title + " · request " + models.Printable(q.ID), Verb: "Approve and apply", Reason: q.Reason,
		Plan: func(ctx context.Context, _ map[string]string, _ string) (*change.Plan, error) {
			return planAgain(ctx, inbox, q.ID)
		},
		Commit: func(ctx context.Context, p *change.Plan) (*changes.Commitment, error) {
			done, note, err := inbox.Apply(ctx, requests.Review{Request: q, Plan: p})
			if note != nil {
				done.Notes = append(done.Notes, note.Error())
			}
			return done, err
		},
		Done: func(*changes.Commitment) tea.Cmd { return d.s.list.load() },
	}, v.Plan)
	d.s.Box = box
	return cmd
}

// planAgain reads a request again and plans its change from the current items.
func planAgain(ctx context.Context, inbox *requests.Inbox, id string) (*change.Plan, error) {
	register, err := inbox.Register()
	if err != nil {
		return nil, err
	}
	q, err := register.Find(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := requests.Usable(q); err != nil {
		return nil, err
	}
	v, err := inbox.Review(ctx, q)
	if err == nil {
		err = v.Moved
	}
	return v.Plan, err
}

// renew opens the dialog that plans the change of a request as a change of the user. Its inputs are those of the request and
// are not shown, because they can contain personal data.
func (d *decider) renew() tea.Cmd {
	e := *d.s.list.selected()
	a := d.s.env.Session.Profile().Action(e.Action)
	d.s.Box = planner.NewChange(d.s.env, planner.ChangeRequest{
		Action: a, Title: a.Title + " · request " + models.Printable(e.ID), Args: e.File.Inputs, Reason: e.Reason,
		About: present.Join(a.Description, "The inputs are those of request "+models.Printable(e.ID)+".", " "),
		Done:  func(*changes.Commitment) tea.Cmd { return d.s.list.load() },
	})
	return nil
}

// A decision is one that needs no plan.
type decision struct {
	verb, doing, done string
	about             string // what follows, a sentence
	required          bool   // a text is required
	do                func(ctx context.Context, r *requests.Register, q requests.Request, text string) (requests.Note, error)
}

func (d *decider) approve() tea.Cmd {
	inbox := d.s.env.Requests
	return d.ask(decision{
		verb: "Approve", doing: "approving request", done: "approved",
		about: "Any other admin may then apply it. Nothing of the schema is written.",
		do: func(ctx context.Context, _ *requests.Register, q requests.Request, text string) (requests.Note, error) {
			return inbox.Approve(ctx, q, text)
		},
	})
}

func (d *decider) reject() tea.Cmd {
	return d.ask(decision{
		verb: "Reject", doing: "rejecting request", done: "rejected", required: true,
		about: "It can then no longer be applied. The requester sees the reason.",
		do: func(ctx context.Context, r *requests.Register, q requests.Request, text string) (requests.Note, error) {
			return r.Reject(ctx, q, text)
		},
	})
}

func (d *decider) withdraw() tea.Cmd {
	return d.ask(decision{
		verb: "Withdraw", doing: "withdrawing request", done: "withdrawn", about: "It can then no longer be applied.",
		do: func(ctx context.Context, r *requests.Register, q requests.Request, text string) (requests.Note, error) {
			return r.Withdraw(ctx, q, text)
		},
	})
}

func (d *decider) comment() tea.Cmd {
	return d.ask(decision{
		verb: "Comment", doing: "commenting on request", done: "commented", required: true,
		about: "The comment is part of the history of the request.",
		do: func(ctx context.Context, r *requests.Register, q requests.Request, text string) (requests.Note, error) {
			return nil, r.AddComment(ctx, q, text)
		},
	})
}

// ask asks for the text of a decision about the selected request.
func (d *decider) ask(of decision) tea.Cmd {
	e := *d.s.list.selected()
	q := overlay.NewCalmQuestion(
		of.verb+" · request "+models.Printable(e.ID), "", of.verb, nil,
		d.s.actionTitle(e.Request)+" · "+e.Subject+", requested by "+e.Requester, of.about,
	)
	field := widget.FormField{Name: "text", Label: "Comment", Width: 48, Placeholder: "optional", Validate: session.CheckReason}
	if of.required {
		field.Required, field.Placeholder = true, "required: for the history of the request"
	}
	if of.done == "rejected" {
		field.Label = "Reason"
	}
	q.Ask(d.s.env.Styles, field, func(text string) string {
		switch err := session.CheckReason(text); {
		case of.required && text == "":
			return field.Label + ": missing"
		case err != nil:
			return err.Error()
		}
		return ""
	})
	if !of.required {
		q.FocusForm(false) // The key of the decision and enter would otherwise make it.
	}
	q.Yes = func() tea.Cmd { return d.decide(of, e.Request, q.Value()) }
	d.s.Box = q
	return nil
}

// decide writes a decision. From here on nothing stops it.
func (d *decider) decide(of decision, q requests.Request, text string) tea.Cmd {
	w := screen.NewWriting()
	d.writing, d.doing, d.id = w, of.doing, q.ID
	inbox, ctx := d.s.env.Requests, context.WithoutCancel(d.s.ctx)
	return func() tea.Msg {
		if !w.Start() {
			return nil
		}
		defer w.End()
		msg := decidedMsg{id: q.ID, done: of.done}
		register, err := inbox.Register()
		if err == nil {
			msg.note, err = of.do(ctx, register, q, text)
		}
		msg.err = err
		return msg
	}
}

// decided shows the outcome of a decision and lists the requests again. The details keep it when the notice is gone.
func (d *decider) decided(msg decidedMsg) tea.Cmd {
	d.writing = nil
	id := models.Printable(msg.id)
	now := outcome{text: msg.done + " request " + id}
	switch {
	case msg.err != nil:
		now = outcome{"not " + msg.done + ": " + msg.err.Error(), true}
	case msg.note != nil:
		now = outcome{msg.done + "; " + msg.note.Error(), true}
	}
	d.said[msg.id] = now
	return tea.Batch(d.s.list.load(), screen.Send(screen.NoticeMsg{Text: now.text, Bad: now.bad}))
}
