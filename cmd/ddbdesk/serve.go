// The serve command: the embedded store as a DynamoDB endpoint for other programs.

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

const (
	// defaultAddr is the port of DynamoDB Local, which scripts already name.
	defaultAddr = "127.0.0.1:8000"
	// shutdownGrace is how long the end waits for requests in progress.
	shutdownGrace = 10 * time.Second
	// collectAt is how much the memory in use may grow, in percent, until what is
	// garbage is collected. Requests leave much of it and keep little: for some 10 MB
	// this saves a third of the time of a query. GOGC overrides it.
	collectAt = 400
)

type serveFlags struct {
	addr, data  string
	inMemory    bool
	allowPublic bool
	verbose     bool
}

func serveCommand(a *app) *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use: "serve", Short: "The embedded store as a DynamoDB endpoint for other programs", Args: exactly(),
		Long: "serve answers DynamoDB's HTTP API on this machine: the AWS CLI and the SDKs work with it when their\n" +
			"endpoint is set. What it acknowledged is on disk. Any credentials are accepted, so it listens on\n" +
			"loopback alone unless --allow-public is given.",
		Example: "  ddbdesk serve\n  ddbdesk serve --addr :0 --in-memory\n" +
			"  AWS_ENDPOINT_URL_DYNAMODB=http://" + defaultAddr + " aws dynamodb list-tables",
		RunE: func(cmd *cobra.Command, _ []string) error { return a.serve(cmd, &f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.addr, "addr", defaultAddr, "where to listen, `HOST:PORT`; without a host on loopback, port 0 picks a free one")
	flags.StringVar(&f.data, "data", "", "the `DIR` of the data (default: that of --embedded)")
	flags.BoolVar(&f.inMemory, "in-memory", false, "a temporary store that is gone when serve ends")
	flags.BoolVar(&f.allowPublic, "allow-public", false, "listen where other machines can reach it, although it asks for no password")
	flags.BoolVar(&f.verbose, "verbose", false, "a line on stderr for each request: operation, table, status, duration")
	for name, complete := range map[string]cobra.CompletionFunc{
		"addr": cobra.FixedCompletions([]string{defaultAddr, "127.0.0.1:0"}, cobra.ShellCompDirectiveNoFileComp),
		"data": func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	} {
		if err := cmd.RegisterFlagCompletionFunc(name, complete); err != nil {
			panic(err) // The flag was added above.
		}
	}
	return cmd
}

func (a *app) serve(cmd *cobra.Command, f *serveFlags) error {
	o, err := a.servedStore(cmd, f)
	if err != nil {
		return err
	}
	addr, err := listenAddr(f)
	if err != nil {
		return err
	}
	db, err := a.stores.open(o)
	if err != nil {
		return err
	}
	var config net.ListenConfig
	listener, err := config.Listen(cmd.Context(), "tcp", addr.String())
	if err != nil {
		return &store.Error{Class: store.Config, What: "cannot listen: " + err.Error(), Advice: "--addr :0 picks a free port", Err: err}
	}
	handler := http.Handler(db)
	if addr.IP.IsLoopback() {
		handler = localOnly(handler)
	}
	if f.verbose {
		handler = accessLog(handler, a.stderr)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectAt)
	}
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM)
	defer signal.Stop(asked)
	a.announce(listener.Addr(), o.Path)
	return serveUntilDone(cmd.Context(), newServer(handler, a.stderr), listener, asked)
}

// servedStore is the store that flags and context name. What leads to AWS leads
// nowhere here.
func (a *app) servedStore(cmd *cobra.Command, f *serveFlags) (embedded.Options, error) {
	given := cmd.Flags().Changed("data")
	switch {
	case a.flags.readOnly:
		return embedded.Options{}, &session.Refusal{Why: "the session is read-only: programs that use serve write", Next: "leave out --read-only"}
	case given && f.data == "":
		return embedded.Options{}, usageErrorf("--data: empty: --in-memory keeps nothing")
	case f.inMemory && (given || a.changed["embedded"]):
		return embedded.Options{}, usageErrorf("--in-memory keeps nothing: leave out the directory")
	case given && a.changed["embedded"]:
		return embedded.Options{}, usageErrorf("--data and --embedded name the directory twice: leave one out")
	}
	for _, name := range []string{"profile", "region", "endpoint-url"} {
		if a.changed[name] {
			return embedded.Options{}, usageErrorf("--%s leads to another store, serve opens the embedded one: leave it out", name)
		}
	}
	dir := filepath.Join(appdir.State(), "embedded")
	switch {
	case f.inMemory:
		return embedded.Options{NoSync: true}, nil
	case given:
		dir = f.data
	case a.flags.embedded != "" && a.flags.embedded != defaultDir:
		dir = a.flags.embedded
	case a.flags.context != "" && a.flags.embedded == "":
		return embedded.Options{}, usageErrorf("--context: %s leads to AWS, serve opens the embedded store: name it with --data", models.Printable(a.flags.context))
	}
	return embedded.Options{Path: realPath(dir)}, nil
}

// listenAddr resolves the address, and refuses one that other machines reach: who
// connects is not asked for a password. A name is resolved once, so that what was
// checked is what is listened on.
func listenAddr(f *serveFlags) (*net.TCPAddr, error) {
	host, port, err := net.SplitHostPort(f.addr)
	if err != nil {
		return nil, usageErrorf("--addr: %s is not HOST:PORT: %s is the default", short(f.addr), defaultAddr)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil {
		return nil, usageErrorf("--addr: the port %q is not a number up to 65535", short(port))
	} else if host == "" {
		return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: int(n)}, nil
	}
	addr, err := net.ResolveTCPAddr("tcp", f.addr)
	if err != nil {
		return nil, usageErrorf("--addr: no such host %s", short(host))
	}
	if !addr.IP.IsLoopback() && !f.allowPublic {
		return nil, &session.Refusal{
			Why:  fmt.Sprintf("--addr: other machines can reach %s, and serve asks nobody for a password", short(f.addr)),
			Next: "listen on 127.0.0.1, or add --allow-public if that is meant",
		}
	}
	return addr, nil
}

// announce says where the store is, and what makes other programs use it: some read
// the one name of the region, some the other.
func (a *app) announce(addr net.Addr, dir string) {
	url := "http://" + addr.String()
	data := "nothing is kept"
	if dir != "" {
		data = "data in " + models.Printable(dir)
	}
	fmt.Fprintf(a.stderr, "ddbdesk: serving %s, %s; for the AWS CLI and SDKs set AWS_ENDPOINT_URL_DYNAMODB=%s AWS_REGION=us-east-1 "+
		"AWS_DEFAULT_REGION=us-east-1 AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local\n", url, data, url)
}

// serveUntilDone serves until ctx ends; requests in progress are answered. A
// process manager asks it to end with SIGTERM: then nothing went wrong. Anything
// else is an interruption.
func serveUntilDone(ctx context.Context, server *http.Server, listener net.Listener, asked <-chan os.Signal) error {
	failed := make(chan error, 1)
	crash.Go("serve", func() { failed <- server.Serve(listener) })
	select {
	case err := <-failed:
		return fmt.Errorf("serving %s: %w", listener.Addr(), err)
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownGrace)
	defer cancel()
	grace, stop := signal.NotifyContext(grace, os.Interrupt, syscall.SIGTERM) // A second signal waits for nobody.
	defer stop()
	if err := server.Shutdown(grace); err != nil {
		return errors.Join(fmt.Errorf("ending before all requests were answered: %w", err), server.Close())
	}
	select {
	case <-asked:
		return nil
	default:
		return &codeError{exitInterrupted}
	}
}
