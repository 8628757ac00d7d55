// Package body reads the bodies of requests: within a limit on their memory, and with the wording of the service's parser for
// what is wrong with their JSON. It knows no operation.
package body

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"sync"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
)

// Max is the limit of the service for a body, in bytes. A longer body is answered with 413
// RequestEntityTooLargeException.
const Max = 16 << 20

// smallBody is the size in bytes up to which a body is not counted, so that clients which stall
// in the middle of large bodies do not keep out everyone else.
const smallBody = 16 << 10

// errBusy is the answer to a request whose body exceeds the budget. Clients retry it.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html
var errBusy = &apierror.Error{
	Status: http.StatusServiceUnavailable, Name: apierror.CoralErrors + "ServiceUnavailable",
	Message: "The bodies of the requests in progress take too much memory; retry the request, or send fewer large requests at a time",
}

// A Budget bounds the bytes of all request bodies together. It is safe for concurrent use. The
// zero Budget has no bound. Bodies of at most 16 KB are not counted.
type Budget struct {
	Limit int64 // 0 means no bound

	mu   sync.Mutex
	used int64
}

// Read reads the body of a request on account of the budget. The caller calls done once it does not need the body any more,
// also after an error. It never waits for room: a client that retries is better than one that
// holds a connection. The error is an *apierror.Error.
func (b *Budget) Read(r *http.Request) (body []byte, done func(), err error) {
	s := &share{budget: b}
	body, err = s.read(r)
	return body, s.release, err
}

// share is what one request has taken of a budget.
type share struct {
	budget *Budget
	size   int64 // of the body so far
	taken  int64 // of the budget
}

func (s *share) read(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	var body bytes.Buffer
	if r.ContentLength > 0 && r.ContentLength <= Max {
		if err := s.take(r.ContentLength); err != nil {
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

func (s *share) take(size int64) error {
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

// A countedReader counts what arrives. It matters to bodies that do not declare their length.
type countedReader struct {
	from  io.Reader
	share *share
	read  int64
}

func (c *countedReader) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.read += int64(n)
	if busy := c.share.take(c.read); busy != nil {
		return 0, busy
	}
	return n, err
}
