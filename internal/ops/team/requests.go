// Package team contains the operations that change items. They plan a change or a sweep, show, save or file it, ask
// before applying it, and report the result. A second person decides and applies a change request.
//
// Code that plans and commits changes belongs in [github.com/ddbdesk/ddbdesk/internal/changes].
package team

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/requests"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

// Operations lists the package's operations in help order.
var Operations = slices.Concat(
	[]*op.Op{changeItems, editItem, putItem, deleteItem, undoChange, listRequests, showRequest}, decisions, journalOperations,
	[]*op.Op{applyRequest, applyFile, findDrift, examineSetup},
)

// A RequestRef identifies the change request of an operation and the register that contains it.
type RequestRef struct {
	Schema string // schema as typed; "" for the context's table
	ID     string // full or abbreviated ID

	Register *requests.Register
	Request  requests.Request
	opened   *workspace.Workspace // workspace of the register
}

func inputs(at *RequestRef) []*op.Param {
	return []*op.Param{op.SchemaArg(&at.Schema).Optional(), op.Arg(&at.ID, "id", "request ID, or its beginning")}
}

// open opens the register of the schema, or of the context if there is no schema.
func (at *RequestRef) open(ctx context.Context, c *op.Call) (err error) {
	if at.Schema != "" {
		if at.opened, err = c.OpenSchema(ctx, at.Schema); err == nil {
			at.Register, err = at.opened.Requests.Register()
		}
		return err
	}
	table := c.RequestsTable()
	if table == "" {
		if _, err := c.Profile(at.ID); at.ID != "" && err == nil { // The only argument is a schema.
			return op.MissingArgument{Param: inputs(at)[1]}
		}
		return fmt.Errorf("%w, or a --context that sets requests: {table: NAME}", op.MissingArgument{Param: op.SchemaArg(&at.Schema)})
	}
	where, err := requests.PlaceFor(nil, table)
	if err != nil {
		return err
	}
	p, err := requests.NewProfile(where)
	if err != nil {
		return err
	}
	if at.opened, err = c.Open(ctx, p); err == nil {
		at.Register, err = requests.NewRegister(at.opened.Session, where)
	}
	return err
}

// words returns a command for a request, with the schema if the user typed one.
func (at *RequestRef) words(verb, id string, more ...string) []string {
	return append(slices.DeleteFunc([]string{"requests", verb, at.Schema, id}, func(s string) bool { return s == "" }), more...)
}

// Find opens the register and reads the request.
func (at *RequestRef) Find(ctx context.Context, c *op.Call) error {
	if at.ID == "" {
		return session.InputErrorf("the request ID is empty; list the requests with ddbdesk requests list")
	}
	err := at.open(ctx, c)
	if err == nil {
		at.Request, err = at.Register.Find(ctx, at.ID)
	}
	return err
}

// Workspace opens the request's schema with the variables of its plan. The user's schema argument takes precedence over
// the schema in the plan, which may be a file on another machine.
func (at *RequestRef) Workspace(ctx context.Context, c *op.Call) (*workspace.Workspace, error) {
	if at.Request.Fault != nil {
		return nil, at.Request.Fault
	}
	f := at.Request.File
	p, _, err := c.Recorded("plan", cmp.Or(at.Schema, f.Schema), f.Variables, "")
	if err != nil {
		return nil, err
	}
	return c.Open(ctx, p)
}

// Review plans the requested change again. If the request has ended or cannot be applied, both the plan and the
// workspace are nil.
func (at *RequestRef) Review(ctx context.Context, c *op.Call) (requests.Review, *workspace.Workspace, error) {
	v := requests.Review{Request: at.Request, Outdated: at.Request.Fault}
	if !at.Request.State.Pending() || at.Request.File == nil {
		return v, nil, nil
	}
	w, err := at.Workspace(ctx, c)
	if err != nil {
		return v, nil, err
	}
	v, err = w.Requests.Review(ctx, at.Request)
	return v, w, err
}

type listInput struct {
	RequestRef

	all   bool
	state requests.State
}

var listRequests = op.New(op.Op{
	Path: "requests list", Title: "List requests, newest first",
	Help: "Lists the requests of the last 30 days for a schema, or for all schemas in the context's table. Older requests can\n" +
		"no longer be applied; --all includes them.",
	Needs: op.Writes, Formats: op.TextJSON,
}, func(in *listInput) []*op.Param {
	return []*op.Param{
		op.SchemaArg(&in.Schema).Optional(),
		op.Flag(&in.all, "all", "also list requests that were made more than 30 days ago"),
		op.Flag(&in.state, "state", "list only requests in `STATE`, such as open").
			OneOf("open", "approved", "applied", "rejected", "withdrawn", "expired"),
	}
}, func(ctx context.Context, c *op.Call, in *listInput) (op.Result, error) {
	l := requests.Listing{All: in.all}
	if in.Schema != "" {
		p, err := c.Profile(in.Schema)
		if err != nil {
			return nil, err
		}
		l.Schema = p.Name
	}
	if err := in.open(ctx, c); err != nil {
		return nil, err
	}
	found, more, err := in.Register.List(ctx, l)
	if err != nil {
		return nil, err
	}
	doc, plain, drawn, named := Requests{Requests: []Request{}, More: more}, []Request{}, []Request{}, newTitles(c)
	for _, q := range found {
		if in.state == "" || q.State == in.state {
			row := NewRequest(q)
			doc.Requests = append(doc.Requests, row)
			row.Action = named.action(q.Schema, q.Action)
			plain = append(plain, row)
			_, row.Subject = named.item(q.Schema, q.Subject)
			drawn = append(drawn, row)
		}
	}
	empty := "no requests in table " + in.Register.Place().Table
	if in.state != "" {
		empty = fmt.Sprintf("no %s requests in table %s", in.state, in.Register.Place().Table)
	}
	if !in.all {
		empty += "; to include requests that were made more than 30 days ago, add --all"
	}
	out := op.Rows{
		List: doc.Requests, Plain: plain, Drawn: drawn, In: doc, Empty: empty,
		Optional: []string{"SCHEMA", "EXPIRES", "REASON", "REQUESTER"},
	}
	if i := slices.IndexFunc(found, func(q requests.Request) bool { return q.State.Pending() }); i >= 0 {
		out.Next = "to show a request and what you can do with it, run " + in.opened.Session.Command(in.words("show", found[i].ID)...)
	}
	if more {
		out.Note = fmt.Sprintf("the list covers only the newest %d requests", len(found))
	}
	return out, nil
})

type decisionInput struct {
	RequestRef

	reason string
}

// decisions lists the operations that change the state of a request.
var decisions = []*op.Op{
	decision("approve", "Approve a request so that another admin can apply it", "approved",
		func(ctx context.Context, c *op.Call, in *decisionInput) (requests.NotifyError, error) {
			w, err := in.Workspace(ctx, c)
			if err != nil {
				return nil, err
			}
			return w.Requests.Approve(ctx, in.Request, in.reason)
		}),
	decision("reject", "Reject a request", "rejected",
		func(ctx context.Context, _ *op.Call, in *decisionInput) (requests.NotifyError, error) {
			return in.Register.Reject(ctx, in.Request, in.reason)
		}),
	decision("withdraw", "Withdraw your own request", "withdrawn",
		func(ctx context.Context, _ *op.Call, in *decisionInput) (requests.NotifyError, error) {
			return in.Register.Withdraw(ctx, in.Request, in.reason)
		}),
	decision("comment", "Add a comment to a request", "commented on",
		func(ctx context.Context, _ *op.Call, in *decisionInput) (requests.NotifyError, error) {
			return nil, in.Register.AddComment(ctx, in.Request, in.reason)
		}),
}

// decision returns the operation for the decision do. Rejections and comments require a text.
func decision(
	name, title, done string, do func(ctx context.Context, c *op.Call, in *decisionInput) (requests.NotifyError, error),
) *op.Op {
	return op.New(op.Op{Path: "requests " + name, Title: title, Needs: op.Writes, Formats: op.TextJSON},
		func(in *decisionInput) []*op.Param {
			reason := op.Flag(&in.reason, "reason", "record `TEXT` in the history of the request")
			if name == "reject" || name == "comment" {
				reason.Must()
			}
			return append(inputs(&in.RequestRef), reason)
		}, func(ctx context.Context, c *op.Call, in *decisionInput) (op.Result, error) {
			if err := in.Find(ctx, c); err != nil {
				return nil, err
			}
			note, err := do(ctx, c, in)
			if err != nil {
				return nil, err
			}
			c.NoteError(note)
			now, err := in.Register.Find(ctx, in.Request.ID)
			if err != nil {
				return nil, err
			}
			return op.Doc{Document: NewRequest(now), Lines: []string{done + " " + models.Printable(now.ID)}}, nil
		})
}
