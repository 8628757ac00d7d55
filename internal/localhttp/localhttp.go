// Package localhttp serves HTTP to programs on this machine: the listener is on the loopback interface, what a web page could
// make a browser send is refused, and time and size are limited.
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

// Limits of a connection. The slowest response is that of a request which creates an index on a large table.
const (
	headerTimeout = 10 * time.Second
	readTimeout   = time.Minute
	writeTimeout  = 5 * time.Minute
	idleTimeout   = 5 * time.Minute // longer than clients keep a connection, so that they close it
	maxHeader     = 64 << 10        // bytes
	maxRequest    = 16<<20 + 1      // bytes; the store answers more than 16 MB with DynamoDB's error
	// shutdownGrace bounds the wait for requests in progress at shutdown.
	shutdownGrace = 10 * time.Second
)

// NewServer returns a server with limits on time and size. Errs receives its log, in lines of printable characters.
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

// Log returns a log of printable characters: its lines may have text from clients. Flags are those of package log.
func Log(w io.Writer, prefix string, flags int) *log.Logger {
	return log.New(printableLines{w}, prefix, flags)
}

// printableLines makes log lines with text from clients printable.
type printableLines struct{ w io.Writer }

func (p printableLines) Write(line []byte) (int, error) {
	_, err := fmt.Fprintln(p.w, models.Printable(strings.TrimRight(string(line), "\n")))
	return len(line), err
}

// Only rejects requests whose Host header does not name this machine, with the handler refused. Otherwise a web page
// could use the server by DNS rebinding: its own host name would resolve to the loopback address.
func Only(next, refused http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !Names(r.Host) {
			refused.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Names reports whether a Host header, or the host of a URL, is a loopback address or a localhost name.
func Names(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if ip, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return ip.IsLoopback()
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return host == "" || host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// Address resolves the HOST:PORT of a flag; without HOST it is 127.0.0.1. The error is a *session.Refusal for an
// address that other machines can reach, unless the flag allow permits it; "" never does. Address resolves the name
// once, so that the server listens on the address that was checked.
func Address(flag, address, allow string, allowed bool) (*net.TCPAddr, error) {
	shown := models.PrintableCell(address, 80)
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, session.InputErrorf("%s: %s is not HOST:PORT, such as 127.0.0.1:8000", flag, shown)
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
	refusal := &session.Refusal{Why: fmt.Sprintf("%s: other machines can reach %s", flag, shown), Next: "use 127.0.0.1"}
	if allow != "" {
		refusal.Why += ", and there is no authentication"
		refusal.Next += ", or add " + allow
	}
	return nil, refusal
}

// Listen opens the listener of an address. The flag is named in the error.
func Listen(ctx context.Context, flag string, addr *net.TCPAddr) (net.Listener, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", addr.String())
	if err != nil {
		return nil, &store.Error{
			Class: store.Config, What: "cannot listen: " + err.Error(), Advice: "use " + flag + " :0 for a free port", Err: err,
		}
	}
	return listener, nil
}

// ErrInterrupted is returned by Serve when its context ended, and all requests in progress were completed.
var ErrInterrupted = errors.New("interrupted")

// Serve serves until ctx is done, and completes the requests in progress. It returns nil at SIGTERM, with which process
// managers stop a server.
func Serve(ctx context.Context, server *http.Server, listener net.Listener) error {
	terminate := make(chan os.Signal, 1)
	signal.Notify(terminate, syscall.SIGTERM)
	defer signal.Stop(terminate)
	failed := make(chan error, 1)
	crash.Go("serve", func() { failed <- server.Serve(listener) })
	select {
	case err := <-failed:
		return fmt.Errorf("serve %s: %w", listener.Addr(), err)
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownGrace)
	defer cancel()
	grace, stop := signal.NotifyContext(grace, os.Interrupt, syscall.SIGTERM) // a second signal ends the wait
	defer stop()
	if err := server.Shutdown(grace); err != nil {
		return errors.Join(fmt.Errorf("shut down with requests in progress: %w", err), server.Close())
	}
	select {
	case <-terminate:
		return nil
	default:
		return ErrInterrupted
	}
}
