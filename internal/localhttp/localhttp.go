// Package localhttp serves HTTP to programs on this machine. It listens on the loopback interface, rejects requests
// that a web page could make a browser send, and limits time and size.
package localhttp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// These are the limits of a connection. The slowest response is to a request that creates an index on a large table.
const (
	headerTimeout = 10 * time.Second
	readTimeout   = time.Minute
	writeTimeout  = 5 * time.Minute
	idleTimeout   = 5 * time.Minute // longer than clients keep a connection open, so that they close it
	maxHeader     = 64 << 10        // in bytes
	maxRequest    = 16<<20 + 1      // in bytes; above 16 MB, the store returns DynamoDB's error
	// shutdownGrace is the maximum wait for requests in progress during shutdown.
	shutdownGrace = 10 * time.Second
)

// NewServer returns a server with limits on time and size. errs receives the server's log in printable characters.
func NewServer(handler http.Handler, errs io.Writer) *http.Server {
	return &http.Server{
		Handler:           http.MaxBytesHandler(handler, maxRequest),
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          Log(errs, "ddbdesk: ", 0),
	}
}

// Log returns a logger that makes its lines printable: they may contain text from clients. flags are log's flags.
func Log(w io.Writer, prefix string, flags int) *log.Logger {
	return log.New(printableLines{w}, prefix, flags)
}

// printableLines makes log lines printable, because they may contain text from clients.
type printableLines struct{ w io.Writer }

func (p printableLines) Write(line []byte) (int, error) {
	_, err := fmt.Fprintln(p.w, models.Printable(strings.TrimRight(string(line), "\n")))
	return len(line), err
}

// RequireLocalHost passes a request to refused if its Host header does not name this machine. Otherwise a web page
// could use the server by DNS rebinding: the page's own host name would resolve to the loopback address.
func RequireLocalHost(next, refused http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !IsLocalHost(r.Host) {
			refused.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// IsLocalHost reports whether a Host header or the host of a URL is a loopback address or a localhost name.
func IsLocalHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if ip, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return ip.IsLoopback()
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return host == "" || host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// ResolveAddress resolves the HOST:PORT of a flag; the default HOST is 127.0.0.1. For an address that other machines
// can reach, it returns a *session.Refusal unless allowed is true; allowFlag is the flag that permits it, or "" if none
// does. ResolveAddress resolves the name only once, so that the server listens on the address that was checked.
func ResolveAddress(flag, address, allowFlag string, allowed bool) (*net.TCPAddr, error) {
	shown := models.PrintableCell(address, 80)
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, session.InputErrorf("%s: invalid address %s; use HOST:PORT, such as 127.0.0.1:8000", flag, shown)
	}
	n, err := strconv.ParseUint(port, 10, 16)
	switch {
	case err != nil:
		return nil, session.InputErrorf("%s: invalid port %q; use a number up to 65535", flag, models.PrintableCell(port, 80))
	case host == "":
		return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: int(n)}, nil
	}
	addr, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return nil, session.InputErrorf("%s: unknown host %s", flag, models.PrintableCell(host, 80))
	}
	if addr.IP.IsLoopback() || allowed {
		return addr, nil
	}
	refusal := &session.Refusal{Reason: fmt.Sprintf("%s: other machines can reach %s", flag, shown), Advice: "use 127.0.0.1"}
	if allowFlag != "" {
		refusal.Reason += ", and there is no authentication"
		refusal.Advice += ", or add " + allowFlag
	}
	return nil, refusal
}

// Listen opens a listener on an address. Errors contain the name of the flag.
func Listen(ctx context.Context, flag string, addr *net.TCPAddr) (net.Listener, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", addr.String())
	if err != nil {
		return nil, &store.Error{
			Class: store.Config, Problem: "cannot listen: " + err.Error(), Advice: "use " + flag + " :0 for a free port", Err: err,
		}
	}
	return listener, nil
}

// ErrInterrupted means that Serve ended because its context ended, after it completed all requests in progress.
var ErrInterrupted = errors.New("interrupted")

// Serve serves until ctx ends, and then completes the requests in progress. It returns nil on SIGTERM, because process
// managers use this signal to stop a server.
func Serve(ctx context.Context, server *http.Server, listener net.Listener) error {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	defer signal.Stop(signals)
	serveErrs := make(chan error, 1)
	crash.Go("serve", func() { serveErrs <- server.Serve(listener) })
	select {
	case err := <-serveErrs:
		return fmt.Errorf("serve %s: %w", listener.Addr(), err)
	case <-ctx.Done():
	}
	shutdownCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownGrace)
	defer cancel()
	shutdownCtx, stop := signal.NotifyContext(shutdownCtx, os.Interrupt, syscall.SIGTERM) // a second signal ends the wait
	defer stop()
	if err := server.Shutdown(shutdownCtx); err != nil {
		return errors.Join(fmt.Errorf("shut down with requests in progress: %w", err), server.Close())
	}
	select {
	case <-signals:
		return nil
	default:
		return ErrInterrupted
	}
}
