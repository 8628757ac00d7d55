package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/models"
)

// Limits of a connection. The slowest response is that of a request which creates an
// index on a large table.
const (
	headerTimeout = 10 * time.Second
	readTimeout   = time.Minute
	writeTimeout  = 5 * time.Minute
	idleTimeout   = 5 * time.Minute // longer than clients keep a connection, so that they close it
	maxHeader     = 64 << 10        // bytes
	maxRequest    = 16<<20 + 1      // bytes; the store answers more than 16 MB with DynamoDB's error
	maxBodies     = 64 << 20        // bytes of all bodies together, except small ones
)

// newServer returns a server with limits on time and size. Errs receives its log.
func newServer(handler http.Handler, errs io.Writer) *http.Server {
	return &http.Server{
		Handler:           http.MaxBytesHandler(handler, maxRequest),
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          log.New(printableLines{errs}, "ddbdesk: ", 0),
	}
}

// printableLines makes log lines with text from clients printable.
type printableLines struct{ w io.Writer }

func (p printableLines) Write(line []byte) (int, error) {
	_, err := fmt.Fprintln(p.w, models.Printable(strings.TrimRight(string(line), "\n")))
	return len(line), err
}

// localOnly rejects requests whose Host header does not name this machine. Otherwise
// a web page could read the store by DNS rebinding: its own host name would resolve
// to the loopback address.
func localOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !namesThisMachine(r.Host) {
			w.Header().Set("Content-Type", "application/x-amz-json-1.0")
			w.Header().Set("Server", "ddbdesk")
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"__type":"com.amazon.coral.service#AccessDeniedException","message":%q}`,
				"The endpoint accepts requests to 127.0.0.1 or localhost only")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// namesThisMachine reports whether a Host header is a loopback address or a localhost
// name.
func namesThisMachine(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if ip, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return ip.IsLoopback()
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return host == "" || host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// accessLog writes a line for each request, without keys and values.
func accessLog(next http.Handler, w io.Writer) http.Handler {
	logger := log.New(printableLines{w}, "", log.Ltime|log.Lmicroseconds)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		var body bytes.Buffer
		r.Body = struct {
			io.Reader
			io.Closer
		}{io.TeeReader(r.Body, &body), r.Body}
		response := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(response, r)
		_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
		tables := strings.Join(tablesOf(body.Bytes()), ",")
		logger.Printf("%s %s %d %s", cmp.Or(short(operation), "-"), cmp.Or(short(tables), "-"), response.status,
			time.Since(start).Round(time.Microsecond))
	})
}

// A statusWriter remembers the status of a response.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (s *statusWriter) WriteHeader(status int) {
	s.status = status
	s.ResponseWriter.WriteHeader(status)
}

// tablesOf returns the tables that a request names, whatever its operation.
func tablesOf(body []byte) []string {
	var request struct {
		TableName     json.RawMessage
		RequestItems  map[string]json.RawMessage
		TransactItems []map[string]struct{ TableName string }
	}
	// The store reports a malformed body; here it names no table.
	_ = json.Unmarshal(body, &request)
	names := map[string]bool{}
	var name string
	if json.Unmarshal(request.TableName, &name) == nil && name != "" {
		names[name] = true
	}
	for name := range request.RequestItems {
		names[name] = true
	}
	for _, item := range request.TransactItems {
		for _, action := range item {
			names[action.TableName] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
