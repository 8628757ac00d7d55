// This file lets a screen watch what its requests do while it waits.

package session

import (
	"context"
	"fmt"
	"sync"

	"github.com/ddbdesk/ddbdesk/internal/store"
)

// A Progress counts what the requests of a context do. It is safe for
// concurrent use; the zero value is ready. A nil Progress counts nothing.
type Progress struct {
	mu       sync.Mutex
	requests int
	capacity float64
	retry    string
}

// Watch returns a context whose requests are counted.
func (p *Progress) Watch(ctx context.Context) context.Context {
	return store.WithTrace(ctx, store.Trace{
		Called: func(c store.Call) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.requests++
			p.capacity += c.Capacity
			p.retry = ""
		},
		Retried: func(r store.Retry) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.retry = fmt.Sprintf("%s: attempt %d failed, trying again", r.Class, r.Attempt)
		},
	})
}

// Requests returns how many requests were answered and the capacity units that
// they consumed.
func (p *Progress) Requests() (n int, capacity float64) {
	if p == nil {
		return 0, 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.requests, p.capacity
}

// Retrying says why the request under way is sent again, "" when it is not.
func (p *Progress) Retrying() string {
	if p == nil {
		return ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.retry
}
