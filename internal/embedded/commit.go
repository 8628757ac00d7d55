// Concurrent writers share one transaction (group commit), and therefore the two fsyncs at its end.

package embedded

import (
	"errors"
	"sync"
	"time"

	"go.etcd.io/bbolt"
)

type change struct {
	run    func(*tx) error
	err    error
	done   bool
	signal chan struct{} // signals that the change is done, or that the writer becomes the leader
}

// commits queues the writers. The first one is the leader: it performs its own change and all changes that arrived
// during the previous leader's commit.
type commits struct {
	mu      sync.Mutex
	leading bool
	waiting []*change
	arrived chan struct{} // wakes a waiting leader
	// writers is the number of writers that took part or waited when the last commit ended; took is that commit's
	// duration.
	writers int
	took    time.Duration
}

// minAwaitedCommit is the shortest commit for which a leader waits for other writers. An eighth of it is about the
// timer resolution.
const minAwaitedCommit = 2 * time.Millisecond

var (
	// errPartlyWritten rolls back a shared transaction if a change failed after writing.
	errPartlyWritten = errors.New("a change failed after it had written")
	// errNothingWritten rolls back a transaction that has nothing to write.
	errNothingWritten = errors.New("nothing was written")
)

// update returns nil once the change is on disk. It may call run twice, so run must reset its results at the start.
func (st *storage) update(run func(*tx) error) error {
	c := &change{run: run, signal: make(chan struct{}, 1)}
	if !st.commits.lead(c) {
		<-c.signal
	}
	if !c.done {
		st.commits.awaitWriters()
		st.commits.mu.Lock()
		group := st.commits.waiting // the leader's own change is the first
		st.commits.waiting = nil
		st.commits.mu.Unlock()
		begin := time.Now()
		st.perform(group)
		st.commits.release(group, time.Since(begin))
	}
	return c.err
}

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

// awaitWriters waits up to an eighth of a commit for writers that are about to return and would miss this commit.
func (q *commits) awaitWriters() {
	q.mu.Lock()
	took := q.took
	q.mu.Unlock()
	if took < minAwaitedCommit {
		return
	}
	timer := time.NewTimer(took / 8)
	defer timer.Stop()
	for q.expectsWriters() {
		select {
		case <-q.arrived:
		case <-timer.C:
			return
		}
	}
}

func (q *commits) expectsWriters() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting) < q.writers
}

func (q *commits) release(group []*change, took time.Duration) {
	q.mu.Lock()
	q.writers, q.took = len(group)+len(q.waiting), took
	if q.leading = len(q.waiting) > 0; q.leading {
		q.waiting[0].signal <- struct{}{}
	}
	q.mu.Unlock()
	for _, c := range group {
		c.done = true
		c.signal <- struct{}{}
	}
}

// perform runs changes in one transaction, or separately after a failed write, which only a damaged file causes.
func (st *storage) perform(group []*change) {
	err := st.transaction(func(t *tx) error {
		written := false
		for _, c := range group {
			t.written = false
			if c.err = attempt(t, c.run); c.err != nil && t.written {
				return errPartlyWritten
			}
			written = written || t.written
		}
		if !written {
			return errNothingWritten
		}
		return nil
	})
	switch {
	case err == nil, errors.Is(err, errNothingWritten), errors.Is(err, errPartlyWritten) && len(group) == 1:
	case errors.Is(err, errPartlyWritten):
		for _, c := range group {
			c.err = st.transaction(c.run)
		}
	default:
		// Also discard the failures, because the other changes may have caused them.
		for _, c := range group {
			c.err = err
		}
	}
}

// attempt converts a panic to an error of its change, because other changes share the transaction.
func attempt(t *tx, run func(*tx) error) error {
	finished := false
	defer func() { t.written = t.written || !finished }()
	return recoverFaults(func() error {
		err := run(t)
		finished = true
		return err
	})
}

func (st *storage) transaction(f func(*tx) error) error {
	return recoverFaults(func() error {
		return st.db.Update(func(b *bbolt.Tx) error {
			t := &tx{bolt: b, clock: st.clock, deltas: map[string]count{}}
			if err := f(t); err != nil {
				return err
			}
			return t.saveCounts()
		})
	})
}
