package localhttp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/models"
)

// MaxBodies is the maximum total size, in bytes, of the request bodies in progress, except small ones.
const MaxBodies = 64 << 20

// RejectAsDynamoDB rejects a request whose Host header does not name this machine, with a DynamoDB error.
func RejectAsDynamoDB(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	w.Header().Set("Server", "ddbdesk")
	w.WriteHeader(http.StatusBadRequest)
	fmt.Fprintf(w, `{"__type":"com.amazon.coral.service#AccessDeniedException","message":%q}`,
		"The endpoint accepts requests to 127.0.0.1 or localhost only")
}

// AccessLog writes one line for each request. The line contains no keys or values.
func AccessLog(next http.Handler, w io.Writer) http.Handler {
	logger := Log(w, "", log.Ltime|log.Lmicroseconds)
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
		tables := strings.Join(tablesIn(body.Bytes()), ",")
		logger.Printf("%s %s %d %s", cmp.Or(shorten(operation), "-"), cmp.Or(shorten(tables), "-"), response.status,
			time.Since(start).Round(time.Microsecond))
	})
}

func shorten(text string) string { return models.Truncate(models.Printable(text), 48) }

// A statusWriter records the status of a response.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (s *statusWriter) WriteHeader(status int) {
	s.status = status
	s.ResponseWriter.WriteHeader(status)
}

func tablesIn(body []byte) []string {
	var request struct {
		TableName     json.RawMessage
		RequestItems  map[string]json.RawMessage
		TransactItems []map[string]struct{ TableName string }
	}
	// The store reports a malformed body; here, it only has no table name.
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
