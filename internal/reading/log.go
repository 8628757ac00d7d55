package reading

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/store"
)

// maxLogged is the maximum number of requests that a Log keeps.
const maxLogged = 500

// A SentCall is a sent request, including all attempts. It does not contain keys or values.
type SentCall struct {
	ID        int       // number of the request, from 1
	At        time.Time // time of the response
	Operation string    // API name
	Table     string    // "" for a request without a table, or with several
	Index     string    // "" for the table itself
	Purpose   string    // title of the screen or subject of the lookup that sent it, or ""
	Capacity  float64   // consumed capacity units, 0 if the store reports none
	Took      time.Duration
	Err       error // nil if the request succeeded; the text does not quote the request
}

// A Log keeps the last requests of the contexts that it watches. It is safe for concurrent use. The zero value is ready
// to use.
type Log struct {
	// Now is the clock for the entries; nil means time.Now.
	Now func() time.Time

	mu    sync.Mutex
	sent  []SentCall // oldest first
	total int
	units float64
}

// Watch returns a context that logs its requests. The other traces of ctx continue to receive the requests.
func (l *Log) Watch(ctx context.Context) context.Context {
	return store.WithTrace(ctx, store.Trace{Called: l.add})
}

// WithPurpose returns a context whose requests have a purpose in a Log. The outermost purpose applies.
func WithPurpose(ctx context.Context, purpose string) context.Context {
	return store.WithTrace(ctx, store.Trace{Purpose: purpose})
}

func (l *Log) add(c store.Call) {
	now := time.Now
	if l.Now != nil {
		now = l.Now
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.total++
	l.units += c.Capacity
	if len(l.sent) == maxLogged {
		l.sent = slices.Delete(l.sent, 0, 1)
	}
	l.sent = append(l.sent, SentCall{
		ID: l.total, At: now(), Operation: c.Operation, Table: c.Table, Index: c.Index, Purpose: c.Purpose,
		Capacity: c.Capacity, Took: c.Took, Err: c.Err,
	})
}

// Newest returns the logged requests, newest first.
func (l *Log) Newest() []SentCall {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := slices.Clone(l.sent)
	slices.Reverse(list)
	return list
}

// Total returns the number of sent requests and the capacity units that they consumed, including requests that the log
// no longer keeps.
func (l *Log) Total() (requests int, units float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.total, l.units
}
