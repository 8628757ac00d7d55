// Package body reads request bodies within a memory limit, and reports errors in their JSON with the wording of
// DynamoDB's parser. It does not depend on operations.
package body

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
)

// Max is DynamoDB's limit for a body in bytes. A longer body gets a 413 RequestEntityTooLargeException.
const Max = 16 << 20

// smallBody is the maximum size in bytes of a body that does not count toward the budget, so that clients that stall in
// the middle of large bodies do not block all others.
const smallBody = 16 << 10

// errBusy is the response to a request whose body exceeds the budget. Clients retry it.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html
var errBusy = &apierror.Error{
	Status: http.StatusServiceUnavailable, Name: apierror.CoralErrors + "ServiceUnavailable",
	Message: "The requests in progress use too much memory; retry the request, or send fewer large requests at a time",
}

// A Budget limits the total size of all request bodies in memory. It is safe for concurrent use. The zero Budget has no
// limit. Bodies of at most 16 KB do not count.
type Budget struct {
	Limit int64 // bytes, 0 means no limit

	mu   sync.Mutex
	used int64
}

// Read reads the body of a request and charges it to the budget. The caller must call done when it no longer needs the
// body, even after an error. Read never waits for the budget, because retrying clients are better than clients that
// occupy a connection. The error is an *apierror.Error.
func (b *Budget) Read(r *http.Request) (body []byte, done func(), err error) {
	s := &share{budget: b}
	body, err = s.read(r)
	return body, s.release, err
}

// share is the part of a budget that one request uses.
type share struct {
	budget *Budget
	size   int64 // bytes read so far
	taken  int64 // bytes charged to the budget
}

func (s *share) read(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	var body bytes.Buffer
	if r.ContentLength > 0 && r.ContentLength <= Max {
		if err := s.reserve(r.ContentLength); err != nil {
			return nil, err
		}
		body.Grow(int(r.ContentLength) + bytes.MinRead)
	}
	if _, err := body.ReadFrom(&countedReader{from: io.LimitReader(r.Body, Max+1), share: s}); errors.Is(err, errBusy) {
		return nil, errBusy
	} else if err != nil {
		return nil, apierror.Unreadable("The request body could not be read: " + err.Error())
	}
	if body.Len() > Max {
		return nil, &apierror.Error{
			Status: http.StatusRequestEntityTooLarge, Name: apierror.CoralErrors + "RequestEntityTooLargeException",
			Message: "Request body exceeds the limit of 16 MiB",
		}
	}
	return body.Bytes(), nil
}

func (s *share) reserve(size int64) error {
	s.size = max(s.size, size)
	more := s.size - s.taken
	if s.budget.Limit == 0 || s.size <= smallBody || more <= 0 {
		return nil
	}
	s.budget.mu.Lock()
	defer s.budget.mu.Unlock()
	if s.budget.used+more > s.budget.Limit {
		return errBusy
	}
	s.budget.used += more
	s.taken += more
	return nil
}

func (s *share) release() {
	s.budget.mu.Lock()
	defer s.budget.mu.Unlock()
	s.budget.used -= s.taken
	s.taken = 0
}

// A countedReader counts the received bytes, for bodies that do not declare their length.
type countedReader struct {
	from  io.Reader
	share *share
	read  int64
}

func (c *countedReader) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.read += int64(n)
	if reserveErr := c.share.reserve(c.read); reserveErr != nil {
		return 0, reserveErr
	}
	return n, err
}

// maxNested is the maximum nesting of the JSON in a valid request: one level of a document is two or three levels of
// JSON.
const maxNested = 4 * attribute.MaxNesting

// Decode decodes the parameters of a request and ignores unknown parameters. It may modify body. The error is an
// *apierror.Error with the wording of DynamoDB's parser. It is a SerializationException unless the JSON is nested too
// deeply.
func Decode(body []byte, into any, names Names) error {
	if !utf8.Valid(body) || hasHalfSurrogate(body) { // json.Unmarshal would replace invalid text
		return apierror.Unreadable("The request is not valid UTF-8")
	}
	if err := names.prepare(body); err != nil {
		return err
	}
	if string(bytes.TrimSpace(body)) == "null" { // json.Unmarshal accepts null for any type
		return apierror.Unreadable("Unexpected field type")
	}
	err := json.Unmarshal(body, into)
	var typeErr *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &typeErr):
		return apierror.Unreadable(wrongJSONType(typeErr))
	}
	return apierror.Unreadable("The request is not valid JSON: " + err.Error())
}

// surrogates matches escaped backslashes, surrogate pairs such as \ud83d\ude00 and, as a group, an unpaired surrogate.
var surrogates = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\\\\|\\ud[89ab]..\\ud[c-f]..|\\u(d[89a-f])`)
})

func hasHalfSurrogate(body []byte) bool {
	return bytes.Contains(body, []byte(`\u`)) &&
		slices.ContainsFunc(surrogates().FindAllSubmatchIndex(body, -1), func(m []int) bool { return m[2] >= 0 })
}

// Names contains the names of an operation's parameters. It is immutable, so all requests of an operation share one.
type Names struct{ exact, folded map[string]bool } // as declared, and in lower case

// NamesOf returns the parameter names that a struct declares, including embedded structs. input must be a struct.
func NamesOf(input reflect.Type) Names {
	names := Names{map[string]bool{}, map[string]bool{}}
	for _, field := range reflect.VisibleFields(input) {
		if field.IsExported() && !field.Anonymous {
			names.exact[field.Name] = true
			names.folded[strings.ToLower(field.Name)] = true
		}
	}
	return names
}

// prepare rejects documents that are nested too deeply before allocating memory for them. It also invalidates parameter
// names in the wrong case, which encoding/json would accept.
func (names Names) prepare(body []byte) error {
	depth, isName := 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; c {
		case '"':
			end := stringEnd(body, i)
			if name := body[i+1 : end]; depth == 1 && isName && !names.exact[string(name)] && names.folded[strings.ToLower(string(name))] {
				name[0] = '_'
			}
			i, isName = end, false
		case '{', '[':
			if depth++; depth > maxNested {
				return apierror.TooDeep()
			}
			isName = depth == 1
		case '}', ']':
			depth--
		case ',':
			isName = true
		}
	}
	return nil
}

func stringEnd(body []byte, start int) int {
	for i := start + 1; i < len(body); i++ {
		switch body[i] {
		case '"':
			return i
		case '\\':
			i++
		}
	}
	return max(start+1, len(body)-1)
}

func wrongJSONType(e *json.UnmarshalTypeError) string {
	kind := e.Type.Kind()
	target := map[reflect.Kind]string{
		reflect.String: "String", reflect.Bool: "Boolean", reflect.Int64: "Long", reflect.Int32: "Integer",
	}[kind]
	found, _, _ := strings.Cut(e.Value, " ")
	switch {
	case found == "object":
		return "Start of structure or map found where not expected"
	case found == "array" && kind == reflect.Map:
		return "Unrecognized collection type java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.AttributeValue>"
	case kind == reflect.Struct && e.Field != "":
		return "Unexpected value type in payload"
	case target == "":
		return "Unexpected field type"
	case found == "array":
		return "Unrecognized collection type class java.lang." + target
	case found == "bool":
		return "TRUE_VALUE cannot be converted to " + target
	}
	return strings.ToUpper(found) + "_VALUE cannot be converted to " + target
}
