// Group commit: writers that would wait for one another share a transaction, and
// with it the two fsyncs that end it.

package embedded

import (
	"errors"
	"sync"
	"time"

	"go.etcd.io/bbolt"
)

// change is what one writer does in a transaction.
type change struct {
	run  func(*tx) error
	err  error
	done bool
	turn chan struct{} // tells the writer that it is done, or that it leads
}

// commits orders the writers. The first leads: it performs its change and all those
// that gathered while the leader before was at the disk.
type commits struct {
	mu      sync.Mutex
	leading bool
	waiting []*change
	arrived chan struct{} // tells a leader that lingers
	// crowd is how many wrote or waited when the last commit ended, and took how long
	// that was.
	crowd int
	took  time.Duration
}

// lingerFrom is the time of a commit from which a leader lingers. Timers are not
// finer than an eighth of it.
const lingerFrom = 2 * time.Millisecond

var (
	// errHalfDone ends a shared transaction in which a change failed after it had
	// written.
	errHalfDone = errors.New("a change failed after it had written")
	// errNothing ends a transaction that has nothing to put on disk.
	errNothing = errors.New("nothing was written")
)

// update runs the change in a transaction that is on disk when update returns
// without an error; with an error nothing of the change is. The change can be run
// twice, the first time in vain: it has to start afresh.
func (st *storage) update(run func(*tx) error) error {
	c := &change{run: run, turn: make(chan struct{}, 1)}
	if !st.commits.lead(c) {
		<-c.turn
	}
	if !c.done {
		st.commits.linger()
		group := st.commits.gather()
		begin := time.Now()
		st.perform(group)
		st.commits.release(group, time.Since(begin))
	}
	return c.err
}

// lead queues a change and reports whether its writer leads now.
func (q *commits) lead(c *change) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, c)
	first := !q.leading
	q.leading = true
	select {
	case q.arrived <- struct{}{}:
	default:
	}
	return first
}

// linger waits for those whose commit has just ended: who writes one item after the
// other is about to come back, and would then wait for all of this commit before its
// own. It takes an eighth of a commit at most.
func (q *commits) linger() {
	q.mu.Lock()
	took := q.took
	q.mu.Unlock()
	if took < lingerFrom {
		return
	}
	timer := time.NewTimer(took / 8)
	defer timer.Stop()
	for q.lacking() {
		select {
		case <-q.arrived:
		case <-timer.C:
			return
		}
	}
}

// lacking reports whether some of the crowd are not back.
func (q *commits) lacking() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting) < q.crowd
}

// gather takes what waits, the leader's own change first.
func (q *commits) gather() []*change {
	q.mu.Lock()
	defer q.mu.Unlock()
	group := q.waiting
	q.waiting = nil
	return group
}

// release hands the lead on and lets the writers of a group go.
func (q *commits) release(group []*change, took time.Duration) {
	q.mu.Lock()
	q.crowd, q.took = len(group)+len(q.waiting), took
	if q.leading = len(q.waiting) > 0; q.leading {
		q.waiting[0].turn <- struct{}{}
	}
	q.mu.Unlock()
	for _, c := range group {
		c.done = true
		c.turn <- struct{}{}
	}
}

// perform runs the changes in one transaction. A change that fails before it has
// written leaves the others alone. When one fails later, which takes damage, each
// gets a transaction of its own.
func (st *storage) perform(group []*change) {
	err := st.transaction(func(t *tx) error {
		written := false
		for _, c := range group {
			t.written = false
			if c.err = attempt(t, c.run); c.err != nil && t.written {
				return errHalfDone
			}
			written = written || t.written
		}
		if !written {
			return errNothing
		}
		return nil
	})
	switch {
	case err == nil, errors.Is(err, errNothing), errors.Is(err, errHalfDone) && len(group) == 1:
	case errors.Is(err, errHalfDone):
		for _, c := range group {
			c.err = st.transaction(c.run)
		}
	default:
		// Also the failures count no more: they may have been due to what the others wrote.
		for _, c := range group {
			c.err = err
		}
	}
}

// attempt makes a panic the error of the change that it happened in: others share
// its transaction.
func attempt(t *tx, run func(*tx) error) error {
	finished := false
	defer func() { t.written = t.written || !finished }()
	return guarded(func() error {
		err := run(t)
		finished = true
		return err
	})
}

// transaction runs f in a transaction of its own.
func (st *storage) transaction(f func(*tx) error) error {
	return guarded(func() error {
		return st.db.Update(func(b *bbolt.Tx) error {
			t := &tx{bolt: b, deltas: map[string]count{}}
			if err := f(t); err != nil {
				return err
			}
			return t.saveCounts()
		})
	})
}
