package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"math"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/find"
	"github.com/ddbdesk/ddbdesk/internal/localhttp"
	"github.com/ddbdesk/ddbdesk/internal/mcp"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/ops/explore"
	"github.com/ddbdesk/ddbdesk/internal/ops/team"
	"github.com/ddbdesk/ddbdesk/internal/requests"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/profiles"
)

type mcpInput struct {
	schemas, tools, allowTables []string
	units                       float64
	http                        string // HOST:PORT, "" for stdin and stdout
}

func mcpCommand(a *app) *cobra.Command {
	serve := op.New(op.Op{
		Path: "mcp", Title: "Start a read-only MCP server for AI agents",
		Help: "Serves the Model Context Protocol on stdin and stdout, or over HTTP with --http. An agent can search, run read\n" +
			"patterns, decode keys, read items and plan changes. It cannot reveal personal data, scan or change items. If a\n" +
			"requests table is configured, ddbdesk also files each plan as a request, which an admin applies.\n\n" +
			"The role is support, regardless of the context. The journal records each read, without its values.",
	}, func(in *mcpInput) []*op.Param {
		in.units = mcp.DefaultUnits
		schemas := op.Arg(&in.schemas, "schema", "names of schemas, or files").Optional()
		schemas.Files, schemas.Complete = true, func(h op.Host, _ string) []string { return h.SchemaNames() }
		return []*op.Param{
			schemas,
			op.Flag(&in.units, "units", "stop reading after `N` RCU in total").WithCheck(func() error {
				if in.units > 0 && in.units <= math.MaxFloat32 { // NaN fails both comparisons
					return nil
				}
				return fmt.Errorf("%g is out of range; use a number above 0", in.units)
			}),
			op.Flag(&in.tools, "tools", "also offer the read patterns `ID,ID` as tools with typed arguments"),
			op.Flag(&in.allowTables, "allow-table",
				"also let agents read the item keys of table `NAME`, which needs no schema; repeatable"),
			op.Flag(&in.http, "http", "serve HTTP on `HOST:PORT` of this machine instead; clients need a token"),
		}
	}, func(ctx context.Context, _ *op.Call, in *mcpInput) (op.Result, error) {
		return nil, serveMCP(ctx, a, in)
	})
	return a.commandOf(serve, serve.Form())
}

// agentSchema opens a declared schema or a table without one, of which agents see only the keys.
func (a *app) agentSchema(name string, isTable bool) (*profiles.Profile, error) {
	if !isTable {
		return a.schema(name)
	}
	p, _, err := a.Table(tablePrefix + strings.TrimPrefix(name, tablePrefix))
	if err != nil {
		return nil, err
	}
	for _, e := range p.Entities {
		e.Undocumented = true
	}
	return p, nil
}

func serveMCP(ctx context.Context, a *app, in *mcpInput) error {
	if len(in.schemas)+len(in.allowTables) == 0 {
		schema := op.SchemaArg(new(string))
		return fmt.Errorf("%w or --allow-table NAME", op.MissingArgument{Param: schema})
	}
	var views []*mcp.AgentView
	var sources []find.Source
	for i, schema := range slices.Concat(in.schemas, in.allowTables) {
		p, err := a.agentSchema(schema, i >= len(in.schemas))
		if err != nil {
			return err
		}
		options, err := supportOptions(ctx, a, p)
		if err != nil {
			return err
		}
		var fileRequest mcp.FileRequest
		if _, err := requests.PlaceFor(p, options.Requests.Table); err == nil && i < len(in.schemas) {
			fileRequest = requestFiler(a, p, schema)
		}
		views = append(views, mcp.NewAgentView(session.NewViewer(options), fileRequest))
		sources = append(sources, find.Source{Place: find.Place{Profile: p}, Open: func(context.Context) (*workspace.Workspace, error) {
			return workspace.New(options), nil
		}})
	}
	finder := find.New(sources, find.Options{ScanUnits: -1})
	search := func(ctx context.Context, value string) (explore.Found, error) {
		found, r, err := explore.Search(ctx, finder, "value", value, false)
		if found.Truncated = r.Incomplete; err == nil && len(r.Unused) == len(views) {
			err = fmt.Errorf("the database contains no tables of %s", find.Places(r.Unused))
		}
		return found, err
	}
	tools := strings.FieldsFunc(strings.Join(in.tools, ","), func(r rune) bool { return r == ',' })
	server, err := mcp.New(mcp.Options{Version: version(), Units: in.units, Tools: tools, Find: search}, views...)
	if err != nil {
		return err
	}
	if in.http != "" {
		return serveMCPOverHTTP(ctx, a, server, in.http)
	}
	terminate := make(chan os.Signal, 1) // Clients stop a server with this signal.
	signal.Notify(terminate, syscall.SIGTERM)
	defer signal.Stop(terminate)
	err = server.Run(ctx, mcp.Stdio(a.Stdin, os.Stdout))
	if ctx.Err() != nil && len(terminate) > 0 {
		return nil
	}
	return err
}

// tokenVariable is the environment variable with the token of mcp --http. Other users could see a command argument.
const tokenVariable = "DDBDESK_MCP_TOKEN"

func serveMCPOverHTTP(ctx context.Context, a *app, server *mcp.Server, address string) error {
	addr, err := localhttp.ResolveAddress("--http", address, "", false)
	if err != nil {
		return err
	}
	token, isSet := os.LookupEnv(tokenVariable)
	switch {
	case !isSet:
		token = rand.Text() + rand.Text()
	case len(token) < mcp.MinToken:
		return session.InputErrorf("%s: the token has %d characters; use %d or more", tokenVariable, len(token), mcp.MinToken)
	}
	listener, err := localhttp.Listen(ctx, "--http", addr)
	if err != nil {
		return err
	}
	a.Notef("MCP server at http://%s", listener.Addr())
	if !isSet {
		a.Note("clients need the header Authorization: Bearer " + token)
	}
	httpServer := localhttp.NewServer(server.Handler(token), a.Stderr)
	httpServer.WriteTimeout = 0 // A client may wait for messages indefinitely.
	return serveHTTP(ctx, httpServer, listener)
}

func supportOptions(ctx context.Context, a *app, p *profiles.Profile) (session.Options, error) {
	conn, err := a.connectFor(ctx, p)
	if err != nil {
		return session.Options{}, err
	}
	o := a.sessionOptions(p, conn, a.localActor())
	o.Role, o.ReadOnly, o.BookmarkPath = session.Support, true, ""
	return o, nil
}

// requestFiler opens its own session, because the server's session cannot write.
func requestFiler(a *app, p *profiles.Profile, schema string) mcp.FileRequest {
	return func(ctx context.Context, plan *change.Plan, client string) (team.Request, error) {
		conn, err := a.connectFor(ctx, p)
		if err != nil {
			return team.Request{}, err
		}
		actor, err := a.identity(ctx, conn)
		if err != nil {
			return team.Request{}, err
		}
		o := a.sessionOptions(p, conn, actor)
		o.Role, o.BookmarkPath = session.Support, ""
		q, note, err := workspace.NewWriting(o, conn.Writer()).Requests.File(ctx, plan, schema, cmp.Or(client, "an agent"))
		if note != nil {
			a.Note(note.Error())
		}
		return team.NewRequest(q), err
	}
}
