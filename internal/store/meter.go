// A reader that counts what it costs.

package store

import (
	"context"
	"sync"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// Usage is what requests cost so far.
type Usage struct {
	Requests  int     // calls, failed ones included
	Retries   int     // attempts beyond the first of each call
	ReadUnits float64 // read capacity units that the store reported
}

// A Meter is a Reader that counts. It is safe for concurrent use.
type Meter struct {
	next  Reader
	mu    sync.Mutex
	usage Usage
}

var _ Reader = (*Meter)(nil)

// NewMeter returns a Meter of the requests sent through it to next.
func NewMeter(next Reader) *Meter { return &Meter{next: next} }

// Usage returns the sums since the meter was made.
func (m *Meter) Usage() Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.usage
}

func (m *Meter) counting(ctx context.Context) context.Context {
	return WithTrace(ctx, Trace{
		Called: func(c Call) {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.usage.Requests++
			m.usage.ReadUnits += c.Capacity
		},
		Retried: func(Retry) {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.usage.Retries++
		},
	})
}

// Fetch implements Reader.
func (m *Meter) Fetch(ctx context.Context, leg accesspatterns.Leg, start models.Item, limit int) (accesspatterns.Page, error) {
	return m.next.Fetch(m.counting(ctx), leg, start, limit)
}

// BatchGet implements Reader.
func (m *Meter) BatchGet(ctx context.Context, table string, keys []models.Item) ([]models.Item, error) {
	return m.next.BatchGet(m.counting(ctx), table, keys)
}

// DescribeTable implements Reader.
func (m *Meter) DescribeTable(ctx context.Context, table string) (TableInfo, error) {
	return m.next.DescribeTable(m.counting(ctx), table)
}

// DescribeTTL implements Reader.
func (m *Meter) DescribeTTL(ctx context.Context, table string) (attribute string, enabled bool, err error) {
	return m.next.DescribeTTL(m.counting(ctx), table)
}

// Tables implements Reader.
func (m *Meter) Tables(ctx context.Context) ([]string, error) {
	return m.next.Tables(m.counting(ctx))
}
