package results

import (
	"errors"
	"time"

	rowset "github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

const (
	// firstStep is how many rows are looked at until the first that pass are shown.
	FirstStep = 500
	// laterStep is how many are looked at in each step after that, at most.
	laterStep = 20_000
	// stepTime bounds a step: what it found is shown then.
	stepTime = 40 * time.Millisecond
	// slowRows is after how many rows that took too long an expression is given up:
	// one may be the fault of a busy machine.
	slowRows = 3
)

// keyed reports whether the rows are shown in another order than they were read in.
func (w *arranging) keyed() bool {
	return w.by.Order != widget.Unsorted || w.filter != nil && w.filter.IsFuzzy()
}

// found is how many rows passed.
func (w *arranging) found() int {
	if w.keyed() {
		return len(w.Rank.Rows) + len(w.Rank.fresh)
	}
	return len(w.Hits)
}

// step looks at the next rows. It only looks at what is shown: a hidden value
// can be found out neither by a filter nor by an order.
func (w arranging) step(items *rowset.Reader) arranging {
	from, most := time.Now(), laterStep
	if w.next == 0 {
		most = FirstStep
	}
	to := min(w.next+most, items.Len())
	found := w.found()
	var key []byte
	for ; w.next < to && w.ctx.Err() == nil; w.next++ {
		if w.next%16 == 0 && time.Since(from) > stepTime {
			break
		}
		var err error
		key, err = w.look(w.next, items.At(w.next), key[:0])
		if err != nil {
			w.failed, w.failure = w.failed+1, err
		}
		if errors.Is(err, rowset.ErrSlow) {
			if w.slow++; w.slow >= slowRows {
				w.next = items.Len()
				break
			}
		}
	}
	w.news = w.news || !w.keyed() && w.found() > found
	if w.keyed() && len(w.Rank.fresh) > 0 {
		w.Order(items)
	}
	return w
}

// order puts what was found in order, when it is time to.
func (w *arranging) Order(items *rowset.Reader) {
	last := w.next >= items.Len()
	if !last && !w.Rank.due() {
		return
	}
	var buf [2][]byte
	turn := 0
	w.Rank.Order(func(at int32) []byte {
		if w.ctx.Err() != nil {
			return nil // Nobody waits for the order any more.
		}
		turn = 1 - turn
		buf[turn] = w.column().sortKey(w.glimpse(items.At(int(at)))).Append(buf[turn][:0])
		return buf[turn]
	})
	if last || w.filter != nil {
		w.Hits, w.news = w.Rank.Places(), true
	}
}

func (w *arranging) column() Column { return Column{Key: w.by.Key} }

func (w *arranging) glimpse(it models.Item) *glimpse {
	return &glimpse{&w.lens, w.lens.masker.Lazy(w.lens.pattern.Table, it)}
}

// look decides about one row. The bytes of its key are appended to b.
func (w *arranging) look(at int, it models.Item, b []byte) ([]byte, error) {
	seen := w.glimpse(it)
	var v rowset.Match
	if w.filter != nil {
		var err error
		v, err = w.filter.Match(w.ctx, seen)
		if err != nil || !v.Keep {
			return b, err
		}
	}
	if v.HasValue {
		w.values.Set(at, v.Value)
	}
	if !w.keyed() {
		w.Hits = append(w.Hits, int32(at))
		return b, nil
	}
	var key rowset.SortKey
	switch {
	case w.by.Order == widget.Unsorted:
		key = rowset.ScoreKey(v.Score)
	case w.by.Key == QueryColumn:
		key = rowset.JSONKey(v.Value)
	default:
		key = w.column().sortKey(seen)
	}
	b = key.Append(b)
	w.Rank.Add(at, b)
	return b, nil
}
