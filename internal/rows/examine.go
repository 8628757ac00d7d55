package rows

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/models"
)

const (
	// partRows is the number of consecutive rows that one goroutine examines. It covers several blocks, because the
	// blocks at both ends are expanded twice.
	partRows = 256
	// examiners is the maximum number of goroutines that expand blocks in addition to the screen.
	examiners = readers - 1
)

// A part contains the result for consecutive rows.
type part struct {
	upTo int // first row that was not examined
	hits []hit
	keys []byte // concatenated keys of the hits, if the search sorts
}

// A hit is a matching row.
type hit struct {
	at  int32
	end int // end of the hit's key in part.keys
}

// examine uses all CPUs. It returns the consecutive parts that were completed before the step's time or ctx ended.
func (s *Search) examine(ctx context.Context, items *Reader, end int) []part {
	start, workers := time.Now(), min(runtime.GOMAXPROCS(0), examiners)
	count := (end - s.next + partRows - 1) / partRows
	parts := make([]part, count)
	var claimed atomic.Int64
	work := func(items *Reader) {
		for time.Since(start) <= stepTime && ctx.Err() == nil {
			i := int(claimed.Add(1)) - 1
			if i >= count {
				return
			}
			from := s.next + i*partRows
			parts[i] = s.examinePart(ctx, items, from, min(from+partRows, end))
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
		if next = parts[done].upTo; next < min(s.next+(done+1)*partRows, end) { // ctx ended
			return parts[:done+1]
		}
	}
	return parts[:done]
}

func (s *Search) examinePart(ctx context.Context, items *Reader, from, end int) part {
	p := part{upTo: from}
	for ; p.upTo < end && ctx.Err() == nil; p.upTo++ {
		s.examineItem(&p, items.At(p.upTo))
	}
	return p
}

func (s *Search) examineItem(p *part, it models.Item) {
	row, score := s.row(it), 0
	if s.filter != nil {
		var keep bool
		if score, keep = s.filter.Match(row); !keep {
			return
		}
	}
	if s.Sorts() {
		key := ScoreKey(score)
		if s.order.Column != "" {
			key = row.SortKey(s.order.Column)
		}
		from := len(p.keys)
		p.keys = key.Append(p.keys)
		p.keys = p.keys[:min(len(p.keys), from+keyBytes)] // the ranking keeps only the beginning
	}
	p.hits = append(p.hits, hit{int32(p.upTo), len(p.keys)})
}

func (s *Search) addPart(p part) {
	from := 0
	for _, h := range p.hits {
		if s.Sorts() {
			s.rank.add(int(h.at), p.keys[from:h.end])
			from = h.end
		} else {
			s.hits = append(s.hits, h.at)
		}
	}
	s.next = p.upTo
}
