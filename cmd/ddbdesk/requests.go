package main

import (
	"cmp"
	"context"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/documents"
	"github.com/ddbdesk/ddbdesk/internal/export"
	"github.com/ddbdesk/ddbdesk/internal/requests"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

// requestsCommand returns `ddbdesk requests` with its subcommands.
func requestsCommand(a *app) *cobra.Command {
	return cli.Group("requests", "List, review and decide requested changes",
		requestListCommand(a), requestShowCommand(a),
		decideCommand(a, decision{
			name: "approve", summary: "Approve a request, which any other admin then applies", done: "approved",
			do: func(ctx context.Context, o *requestDesk, text string) (requests.Note, error) {
				w, err := o.open(ctx)
				if err != nil {
					return nil, err
				}
				return w.Requests.Approve(ctx, o.request, text)
			},
		}),
		decideCommand(a, decision{
			name: "reject", summary: "Reject a request", done: "rejected", needsText: true,
			do: func(ctx context.Context, o *requestDesk, text string) (requests.Note, error) {
				return o.register.Reject(ctx, o.request, text)
			},
		}),
		decideCommand(a, decision{
			name: "withdraw", summary: "Withdraw your own request", done: "withdrawn",
			do: func(ctx context.Context, o *requestDesk, text string) (requests.Note, error) {
				return o.register.Withdraw(ctx, o.request, text)
			},
		}),
		decideCommand(a, decision{
			name: "comment", summary: "Add a comment to a request", done: "commented", needsText: true,
			do: func(ctx context.Context, o *requestDesk, text string) (requests.Note, error) {
				return nil, o.register.AddComment(ctx, o.request, text)
			},
		}),
		requestApplyCommand(a))
}

// A requestDesk is a request with the register that has it.
type requestDesk struct {
	a        *app
	schema   string // as typed, "" without one
	register *requests.Register
	request  requests.Request
}

// openRequests opens the register of a schema, or of the context if schema is "".
func openRequests(ctx context.Context, a *app, schema string) (*requestDesk, error) {
	o := &requestDesk{a: a, schema: schema}
	if schema != "" {
		w, err := a.openSchema(ctx, schema, a.changeSession)
		if err != nil {
			return nil, err
		}
		o.register, err = w.Requests.Register()
		return o, err
	}
	if a.flags.Requests.Table == "" {
		return nil, cli.UsageErrorf("SCHEMA: missing; name the schema, or set requests: {table: NAME} in a context and use --context")
	}
	at, err := requests.PlaceFor(nil, a.flags.Requests.Table)
	if err != nil {
		return nil, err
	}
	p, err := requests.NewProfile(at)
	if err != nil {
		return nil, err
	}
	w, err := a.changeSession(ctx, p)
	if err != nil {
		return nil, err
	}
	o.register, err = requests.NewRegister(w.Session, at)
	return o, err
}

// openRequest opens the request of the arguments [SCHEMA] ID.
func openRequest(ctx context.Context, a *app, args []string) (*requestDesk, error) {
	schema, id := "", args[len(args)-1]
	if len(args) == 2 {
		schema = args[0]
	}
	if id == "" {
		return nil, cli.UsageErrorf("ID: empty")
	}
	o, err := openRequests(ctx, a, schema)
	if err != nil {
		return nil, err
	}
	o.request, err = o.register.Find(ctx, id)
	return o, err
}

// open opens the schema of the request with the variables of its plan. A schema that was typed comes before the one that the
// plan names, which may be a file of another machine.
func (o *requestDesk) open(ctx context.Context) (*workspace.Workspace, error) {
	if o.request.Fault != nil {
		return nil, o.request.Fault
	}
	f := o.request.File
	p, _, err := recordedProfile(&o.a.settings, "plan", cmp.Or(o.schema, f.Schema), f.Variables, "")
	if err != nil {
		return nil, err
	}
	return o.a.changeSession(ctx, p)
}

// requestListCommand returns `ddbdesk requests list`.
func requestListCommand(a *app) *cobra.Command {
	var output, state string
	var all bool
	states := []string{"open", "approved", "applied", "rejected", "withdrawn", "expired"}
	cmd := &cobra.Command{
		Use: "list [SCHEMA]", Short: "List requests, newest first",
		Long: "Lists the requests of a schema, or of all schemas in the table of the context: those that can still be applied and\n" +
			"those that ended in the last 30 days. --all lists older ones, too.",
		Args: cli.Between(0, "SCHEMA"), ValidArgsFunction: a.completeSchemas,
		RunE: func(cmd *cobra.Command, args []string) error {
			if state != "" && !slices.Contains(states, state) {
				return cli.InvalidChoice("--state", "state", state, states)
			}
			return listRequests(cmd.Context(), a, args, all, requests.State(state), output)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "also list requests that were made more than 30 days ago")
	cmd.Flags().StringVar(&state, "state", "", "list only requests in `STATE`, such as open")
	cli.OutputFlag(cmd, &output, "text", "json")
	return cmd
}

// listRequests prints the requests of a schema, or of all.
func listRequests(ctx context.Context, a *app, args []string, all bool, state requests.State, output string) error {
	schema := ""
	l := requests.Listing{All: all}
	if len(args) == 1 {
		schema = args[0]
		p, err := a.schema(schema)
		if err != nil {
			return err
		}
		l.Schema = p.Name
	}
	o, err := openRequests(ctx, a, schema)
	if err != nil {
		return err
	}
	list, more, err := o.register.List(ctx, l)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(q requests.Request) bool { return state != "" && q.State != state })
	return a.Print(output, documents.OfRequests(list, more), func(w io.Writer) error {
		switch {
		case len(list) == 0:
			a.Note("no requests in table " + o.register.Place().Table)
			return nil
		case more:
			a.Notef("only the newest %d requests are listed", len(list))
		}
		t := export.NewTextTable("ID", "STATE", "SCHEMA", "ACTION", "ITEM", "REQUESTER", "EXPIRES", "REASON")
		t.Keys = "ITEM"
		for _, q := range list {
			t.Add(q.ID, string(q.State), q.Schema, q.Action, q.Subject, q.Requester, q.Expires.Format(time.RFC3339), q.Reason)
		}
		return t.Write(w)
	})
}

// A decision is a subcommand that changes the state of a request.
type decision struct {
	name, summary, done string
	needsText           bool
	do                  func(ctx context.Context, o *requestDesk, text string) (requests.Note, error)
}

// decideCommand returns a subcommand that decides a request.
func decideCommand(a *app, d decision) *cobra.Command {
	var output, reason string
	cmd := &cobra.Command{
		Use: d.name + " [SCHEMA] ID", Short: d.summary, Args: cli.Between(1, "[SCHEMA] ID", "ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkReason(reason); err != nil {
				return err
			}
			if d.needsText && reason == "" {
				return cli.UsageErrorf("--reason: missing; add --reason TEXT")
			}
			ctx := cmd.Context()
			o, err := openRequest(ctx, a, args)
			if err != nil {
				return err
			}
			note, err := d.do(ctx, o, reason)
			if err != nil {
				return err
			}
			if note != nil {
				a.Note(note.Error())
			}
			now, err := o.register.Find(ctx, o.request.ID)
			if err != nil {
				return err
			}
			return a.Print(output, documents.OfRequest(now), func(w io.Writer) error {
				_, err := io.WriteString(w, d.done+" "+models.Printable(now.ID)+"\n")
				return err
			})
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "record `TEXT` in the history of the request")
	cli.OutputFlag(cmd, &output, "text", "json")
	return cmd
}
