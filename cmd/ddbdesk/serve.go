package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/localhttp"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

const (
	// defaultAddr uses the port of DynamoDB Local, because existing scripts use it.
	defaultAddr = "127.0.0.1:8000"
	// serveGCPercent is the GOGC of serve. Requests allocate much memory and keep little of it, so 10 MB more memory
	// makes a query a third faster. GOGC overrides it.
	serveGCPercent = 400
)

type serveInput struct {
	addr, data  string // HOST:PORT, and the folder of the store
	inMemory    bool   // a store without a folder
	allowPublic bool   // accept an address that other machines can reach
	verbose     bool   // log each request

	folder *op.Param // parameter that sets data
}

func serveCommand(a *app) *cobra.Command {
	serve := op.New(op.Op{
		Path: "serve", Title: "Serve the embedded database as a DynamoDB endpoint",
		Help: "Serves DynamoDB's HTTP API from the embedded database, for the AWS CLI, SDKs and tests on this machine. It\n" +
			"acknowledges a write after it is on disk. It accepts all credentials, so it listens on the loopback interface\n" +
			"only, unless you add --allow-public.",
	}, serveParams, func(ctx context.Context, _ *op.Call, in *serveInput) (op.Result, error) {
		return nil, serveStore(ctx, a, in)
	})
	cmd := a.commandOf(serve, serve.Form())
	cmd.Args = cli.UnknownSubcommand
	cmd.AddCommand(a.operation("serve check"))
	return cmd
}

func serveParams(in *serveInput) []*op.Param {
	in.addr = defaultAddr
	addr := op.Flag(&in.addr, "addr", "listen on `HOST:PORT`: without HOST on loopback, with port 0 on a free port")
	addr.Complete = func(op.Host, string) []string { return []string{defaultAddr, "127.0.0.1:0"} }
	in.folder = op.Flag(&in.data, "data", "store the data in `DIR` (default: the folder of --embedded)")
	return []*op.Param{
		addr, in.folder, op.Flag(&in.inMemory, "in-memory", "use a temporary database and delete it on exit"),
		op.Flag(&in.allowPublic, "allow-public", "allow an address that other machines can reach; there is no authentication"),
		op.Flag(&in.verbose, "verbose", "log each request to stderr: operation, table, status, duration"),
	}
}

func serveStore(ctx context.Context, a *app, in *serveInput) error {
	o, err := serveOptions(a, in)
	if err != nil {
		return err
	}
	addr, err := localhttp.ResolveAddress("--addr", in.addr, "--allow-public", in.allowPublic)
	if err != nil {
		return err
	}
	o.MaxBodies = localhttp.MaxBodies
	db, err := a.stores.open(o)
	if err != nil {
		return err
	}
	listener, err := localhttp.Listen(ctx, "--addr", addr)
	if err != nil {
		return err
	}
	handler := http.Handler(db)
	if addr.IP.IsLoopback() {
		handler = localhttp.RequireLocalHost(handler, http.HandlerFunc(localhttp.RejectAsDynamoDB))
	}
	if in.verbose {
		handler = localhttp.AccessLog(handler, a.Stderr)
	}
	allowGarbage(serveGCPercent)
	announce(a.Streams, listener.Addr(), o.Path)
	return serveHTTP(ctx, localhttp.NewServer(handler, a.Stderr), listener)
}

func serveOptions(a *app, in *serveInput) (embedded.Options, error) {
	isSet := in.folder.Given()
	switch {
	case a.flags.ReadOnly:
		return embedded.Options{}, &session.Refusal{
			Reason: "clients of ddbdesk serve can write, but this session is read-only",
			Advice: "omit --read-only",
		}
	case isSet && in.data == "":
		return embedded.Options{}, session.InputErrorf("--data: the folder name is empty; for a temporary database, use --in-memory")
	case in.inMemory && (isSet || a.changed["embedded"]):
		return embedded.Options{}, session.InputErrorf("--in-memory uses no folder; omit --data and --embedded")
	case isSet && a.changed["embedded"]:
		return embedded.Options{}, session.InputErrorf("--data and --embedded cannot be used together")
	}
	for _, name := range []string{"profile", "region", "endpoint-url", "from-export"} {
		if a.changed[name] {
			return embedded.Options{}, session.InputErrorf("serve opens only the embedded database; omit --%s", name)
		}
	}
	dir := appdir.EmbeddedStore()
	switch {
	case in.inMemory:
		return embedded.Options{NoSync: true}, nil
	case isSet:
		dir = in.data
	case a.flags.Embedded != "" && a.flags.Embedded != defaultDir:
		dir = a.flags.Embedded
	case a.flags.Name != "" && a.flags.Embedded == "":
		return embedded.Options{},
			session.InputErrorf("--context: context %s does not use the embedded database, and serve opens no other; use --data DIR",
				op.Short(a.flags.Name))
	}
	return embedded.Options{Path: appdir.RealPath(dir)}, nil
}

func announce(s cli.Streams, addr net.Addr, dir string) {
	url := "http://" + addr.String()
	data := "in memory"
	if dir != "" {
		data = "data in " + models.Printable(dir)
	}
	fmt.Fprintf(s.Stderr, "ddbdesk: serving %s, %s; for the AWS CLI and SDKs set AWS_ENDPOINT_URL_DYNAMODB=%s AWS_REGION=us-east-1 "+
		"AWS_DEFAULT_REGION=us-east-1 AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local\n", url, data, url)
}

func serveHTTP(ctx context.Context, server *http.Server, listener net.Listener) error {
	err := localhttp.Serve(ctx, server, listener)
	if errors.Is(err, localhttp.ErrInterrupted) {
		return op.Interrupted
	}
	return err
}

type checkInput struct {
	dir     string
	compact bool
}

var checkStore = op.New(op.Op{
	Path: "serve check", Title: "Verify an embedded database",
	Help: "Verifies the embedded database in DIR: checksums, indexes, counts and the pages of the file. It changes\n" +
		"nothing unless you add --compact, which rewrites the file of an intact database without free space.\n\n" +
		"Exit codes: 0 if intact; 255 if damaged; 253 if missing, empty, written by a newer version, or open in another\n" +
		"process.",
	Needs: op.Offline, Formats: op.TextJSON,
}, func(in *checkInput) []*op.Param {
	return []*op.Param{
		op.Arg(&in.dir, "dir", "folder of the database"),
		op.Flag(&in.compact, "compact", "shrink the file if the database is intact; needs room for a second copy"),
	}
}, func(_ context.Context, _ *op.Call, in *checkInput) (op.Result, error) {
	report, err := embedded.Check(appdir.RealPath(in.dir))
	if err == nil && in.compact && report.Sound() {
		report.Compacted, err = embedded.Compact(appdir.RealPath(in.dir))
	}
	if err != nil {
		problem := err.Error()
		if errors.Is(err, fs.ErrNotExist) {
			problem = "folder " + models.Printable(in.dir) + " contains no embedded database; use the folder of --embedded=DIR or serve --data"
		}
		return nil, &store.Error{Class: store.Config, Problem: problem, Err: err}
	}
	if !report.Sound() {
		err = fmt.Errorf("database %s is damaged; restore it from a backup, or export what is readable with ddbdesk run --all",
			models.Printable(report.Path))
	}
	return op.Doc{Document: report, Lines: checkLines(report)}, err
})

func checkLines(report *embedded.Report) (lines []string) {
	for _, p := range report.Problems {
		lines = append(lines, "damaged: "+models.Printable(p))
	}
	for _, t := range report.Tables {
		state := "intact"
		if len(t.Problems) > 0 {
			state = "damaged"
		}
		lines = append(lines, fmt.Sprintf("%s: %s, %s, %s", models.Printable(t.Table), state, english.Plural(int(t.Items), "item", ""),
			english.Plural(t.Indexes, "index", "indexes")))
		for _, p := range t.Problems {
			lines = append(lines, "  "+models.Printable(p))
		}
	}
	if len(lines) == 0 {
		lines = append(lines, "intact, no tables")
	}
	if c := report.Compacted; c != nil {
		lines = append(lines, fmt.Sprintf("compacted: %s to %s", humanize.IBytes(uint64(c.Before)), humanize.IBytes(uint64(c.After))))
	}
	return lines
}
