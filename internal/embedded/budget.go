package embedded

import (
	"io"
	"net/http"
	"sync"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
)

// smallBody is the size in bytes up to which a body is not counted, so that clients which stall
// in the middle of large bodies do not keep out everyone else.
const smallBody = 16 << 10

// errBusy is the answer to a request whose body exceeds the budget. Clients retry it.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html
var errBusy = &apierror.Error{
	Status: http.StatusServiceUnavailable, Name: apierror.CoralErrors + "ServiceUnavailable",
	Message: "The bodies of the requests in progress take too much memory; retry the request, or send fewer large requests at a time",
}

// budget bounds the bytes of all request bodies together.
type budget struct {
	limit int64 // 0 means no bound
	mu    sync.Mutex
	used  int64
}

// share is what one request has taken of a budget.
type share struct {
	budget *budget
	size   int64 // of the body so far
	taken  int64 // of the budget
}

func (b *budget) share() *share { return &share{budget: b} }

// take makes room for a body of size bytes in total, or returns errBusy.
func (s *share) take(size int64) error {
	s.size = max(s.size, size)
	more := s.size - s.taken
	if s.budget.limit == 0 || s.size <= smallBody || more <= 0 {
		return nil
	}
	s.budget.mu.Lock()
	defer s.budget.mu.Unlock()
	if s.budget.used+more > s.budget.limit {
		return errBusy
	}
	s.budget.used += more
	s.taken += more
	return nil
}

// release gives everything back.
func (s *share) release() {
	s.budget.mu.Lock()
	defer s.budget.mu.Unlock()
	s.budget.used -= s.taken
	s.taken = 0
}

// reader counts what arrives. It matters to bodies that do not declare their length.
func (s *share) reader(r io.Reader) io.Reader { return &countedReader{from: r, share: s} }

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
