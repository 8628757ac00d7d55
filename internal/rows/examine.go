package rows

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/models"
)

const (
	// partRows is the number of consecutive rows that a goroutine examines: several blocks, because those at the ends are
	// expanded twice.
	partRows = 256
	// jqRows is that of rows that a jq expression examines, on one goroutine: its bounds of time and memory hold for one row.
	jqRows = 16
	// examiners is the number of goroutines at most, as many as can expand blocks beside the screen.
	examiners = readers - 1
)

// A part is what was found in consecutive rows.
type part struct {
	upTo    int // the first row that was not examined
	hits    []hit
	keys    []byte // of the hits, one after the other, when they are sorted
	failed  int
	slow    int
	failure error
}

// A hit is a matching row.
type hit struct {
	at       int32
	end      int // of its key in the keys of its part
	value    string
	hasValue bool
}

// examine works on all processors and returns the parts that it completed before the time of a step was over or ctx
// ended. They follow each other.
func (s *Search) examine(ctx context.Context, items *Reader, end int) []part {
	start, size, workers := time.Now(), partRows, min(runtime.GOMAXPROCS(0), examiners)
	if s.filter != nil && s.filter.jq != nil {
		size, workers = jqRows, 1
	}
	count := (end - s.next + size - 1) / size
	parts := make([]part, count)
	var claimed atomic.Int64
	work := func(items *Reader) {
		for time.Since(start) <= stepTime && ctx.Err() == nil {
			i := int(claimed.Add(1)) - 1
			if i >= count {
				return
			}
			from := s.next + i*size
			parts[i] = s.part(ctx, items, from, min(from+size, end))
		}
	}
	var others sync.WaitGroup
	for _, r := range items.others(min(workers, count) - 1) {
		others.Add(1)
		crash.Go("search rows", func() {
			defer others.Done()
			work(r)
		})
	}
	work(items)
	others.Wait()
	done := 0
	for next := s.next; done < count && parts[done].upTo > next; done++ {
		if next = parts[done].upTo; next < min(s.next+(done+1)*size, end) { // ctx ended, or too many rows were slow
			return parts[:done+1]
		}
	}
	return parts[:done]
}

func (s *Search) part(ctx context.Context, items *Reader, from, end int) part {
	p := part{upTo: from}
	for ; p.upTo < end && ctx.Err() == nil && p.slow < slowRows; p.upTo++ {
		if err := s.decide(ctx, &p, items.At(p.upTo)); err != nil {
			p.failed, p.failure = p.failed+1, err
			if errors.Is(err, ErrSlow) {
				p.slow++
			}
		}
	}
	return p
}

func (s *Search) decide(ctx context.Context, p *part, it models.Item) error {
	row := s.row(it)
	var m Match
	if s.filter != nil {
		var err error
		m, err = s.filter.Match(ctx, row)
		if err != nil || !m.Keep {
			return err
		}
	}
	if s.Sorts() {
		from := len(p.keys)
		p.keys = s.keyOf(row, m).Append(p.keys)
		p.keys = p.keys[:min(len(p.keys), from+keyBytes)] // the ranking keeps no more
	}
	p.hits = append(p.hits, hit{int32(p.upTo), len(p.keys), m.Value, m.HasValue})
	return nil
}

func (s *Search) keyOf(row Row, m Match) SortKey {
	switch s.order.Column {
	case "":
		return ScoreKey(m.Score)
	case ValueColumn:
		return JSONKey(m.Value)
	default:
		return row.SortKey(s.order.Column)
	}
}

// take returns false when the jq expression is too slow to go on.
func (s *Search) take(p part) bool {
	from := 0
	for _, h := range p.hits {
		if h.hasValue {
			s.values.set(int(h.at), h.value)
		}
		if s.Sorts() {
			s.rank.add(int(h.at), p.keys[from:h.end])
			from = h.end
		} else {
			s.hits = append(s.hits, h.at)
		}
	}
	if s.failed += p.failed; p.failure != nil {
		s.failure = p.failure
	}
	s.slow += p.slow
	return s.slow < slowRows
}
