// The HTTP side of the serve command: limits, who may ask, and the access log.

package main

import (
	"bytes"
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

// Limits of a connection. A request is at most 16 MB, and the longest answer is
// that of an index which is made of everything that a large table holds.
const (
	headerWithin = 10 * time.Second
	readWithin   = time.Minute
	writeWithin  = 5 * time.Minute
	idleWithin   = 5 * time.Minute // longer than clients keep a connection, who therefore end it
	maxHeader    = 64 << 10
	maxRequest   = 16<<20 + 1 // the store answers what is larger than 16 MB with DynamoDB's error
)

func newServer(handler http.Handler, errs io.Writer) *http.Server {
	return &http.Server{
		Handler:           http.MaxBytesHandler(handler, maxRequest),
		ReadHeaderTimeout: headerWithin,
		ReadTimeout:       readWithin,
		WriteTimeout:      writeWithin,
		IdleTimeout:       idleWithin,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          log.New(printableLines{errs}, "ddbdesk: ", 0),
	}
}

// printableLines writes lines that hold what clients sent.
type printableLines struct{ w io.Writer }

func (p printableLines) Write(line []byte) (int, error) {
	_, err := fmt.Fprintln(p.w, models.Printable(strings.TrimRight(string(line), "\n")))
	return len(line), err
}

// localOnly answers those who asked for this machine by a name of its own. A page
// in a browser can make its own name lead here, and would then be allowed to
// read the answers.
func localOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !namesThisMachine(r.Host) {
			w.Header().Set("Content-Type", "application/x-amz-json-1.0")
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"__type":"com.amazon.coral.service#AccessDeniedException","message":%q}`,
				"The endpoint is for this machine alone: address it as 127.0.0.1 or localhost")
			return
		}
		next.ServeHTTP(w, r)
	})
}

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

// accessLog writes a line for each request. Keys and values stay out of it.
func accessLog(next http.Handler, w io.Writer) http.Handler {
	logger := log.New(printableLines{w}, "", log.Ltime|log.Lmicroseconds)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begin := time.Now()
		body, err := io.ReadAll(r.Body)
		if err == nil {
			r.Body = io.NopCloser(bytes.NewReader(body))
		} else {
			r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), failing{err}))
		}
		answer := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(answer, r)
		_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
		logger.Printf("%s %s %d %s", orDash(short(operation)), orDash(short(strings.Join(tablesOf(body), ","))), answer.status,
			time.Since(begin).Round(time.Microsecond))
	})
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// failing gives the store the error with which reading ended.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

type statusWriter struct {
	http.ResponseWriter
	status int
}

func (s *statusWriter) WriteHeader(status int) {
	s.status = status
	s.ResponseWriter.WriteHeader(status)
}

// tablesOf names the tables of a request, wherever its operation has them.
func tablesOf(body []byte) []string {
	var request struct {
		TableName     json.RawMessage
		RequestItems  map[string]json.RawMessage
		TransactItems []map[string]struct{ TableName string }
	}
	// What is not readable the store says; here it names no table.
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
