package explore

import (
	"context"
	"errors"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// A readInput contains the inputs of all operations that return items.
type readInput struct {
	limit      int // rows per page, 0 for the default
	all        bool
	next       string
	allowScan  bool
	explain    bool
	reveal     bool
	reason     string
	withEntity bool
}

func (in *readInput) params() []*op.Param {
	return []*op.Param{
		op.Flag(&in.limit, "limit", "return up to `N` matching rows per page").Within(1, -1),
		op.Flag(&in.all, "all", "read all pages"),
		op.Flag(&in.next, "next", "continue after the page with `TOKEN`; @last is the latest page on this machine").WithCheck(func() error {
			if in.next == "" {
				return errors.New("the token is empty; use the token of the last page, or @last")
			}
			return nil
		}),
		op.Flag(&in.allowScan, "allow-scan", "allow reading a whole table"),
		op.Flag(&in.explain, "explain", "print the requests as JSON and send nothing"),
		op.Flag(&in.reveal, "reveal", "show personal data; requires --reason, and the journal records it"),
		op.Flag(&in.reason, "reason", "record `TEXT` in the journal as the reason for --reveal"),
		op.Flag(&in.withEntity, "with-entity", "add the entity of each item as "+models.EntityField),
	}
}

func (in *readInput) check(output string) error {
	switch {
	case in.withEntity && output == items.DynamoDB.Name:
		return session.InputErrorf("--with-entity: -o %s prints items as they are stored; use another format, such as -o json", output)
	case in.reveal && strings.TrimSpace(in.reason) == "":
		return session.InputErrorf("--reveal requires a reason; add --reason TEXT")
	}
	if err := session.CheckReason(in.reason); err != nil {
		return session.InputErrorf("--%v", err)
	}
	return nil
}

// read first binds the request without a connection, so that it reports invalid arguments offline, and --explain never
// connects. A rejected scan does connect, because the error includes the size of the table.
func (in *readInput) read(
	ctx context.Context, c *op.Call, p *profiles.Profile, q *accesspatterns.Pattern, args map[string]string,
	show func(w *workspace.Workspace, r *reading.Run) op.Result,
) (op.Result, error) {
	offline := workspace.New(session.Options{Profile: p})
	request, err := offline.Reading.Bind(q, args)
	if err != nil {
		return nil, err
	}
	if in.next == lastToken {
		if in.next, err = readToken(offline.Session.StateDir(), q.FullID()); err != nil {
			return nil, err
		}
	}
	o := reading.RunOptions{Limit: in.limit, Token: in.next, AllowScan: in.allowScan || in.explain}
	r, runErr := offline.Reading.Run(request, o)
	switch {
	case runErr == nil && in.explain:
		return explainedRequests(r.Explain()), nil
	case runErr != nil && !errors.Is(runErr, session.ErrRefused):
		return nil, runErr
	}
	w, err := c.Open(ctx, p)
	switch {
	case err != nil:
		return nil, err
	case runErr != nil:
		return nil, w.Reading.ScanRefusal(ctx, q)
	}
	if in.reveal {
		if err := w.Session.Reveal(ctx, q.FullID(), in.reason); err != nil {
			return nil, err
		}
	}
	o.All = in.all
	if r, err = w.Reading.Run(request, o); err != nil {
		return nil, err
	}
	c.Warn(r.Request().Warnings)
	if names := w.Reading.OmittedAttributes(request); len(names) > 0 {
		c.Notef("the results omit any items in which %s is masked", english.OxfordWordSeries(names, "or"))
	}
	return show(w, r), nil
}

// explainedRequests contains requests in AWS CLI form. All formats are JSON.
type explainedRequests []accesspatterns.Explanation

// JSON returns the requests.
func (e explainedRequests) JSON() any { return e }

// Text writes the requests as JSON.
func (e explainedRequests) Text(to op.Output) error { return to.JSON(e) }
