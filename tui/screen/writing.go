package screen

import "sync/atomic"

// A Writing is a write that was asked for. A program that ends may never run its command: whichever is first, the command
// or the end of the program, decides whether it is run.
type Writing struct {
	claimed atomic.Bool
	done    chan struct{}
}

// NewWriting returns a write that did not start.
func NewWriting() *Writing { return &Writing{done: make(chan struct{})} }

// Start reports whether the write is to be run. End must follow.
func (w *Writing) Start() bool { return w.claimed.CompareAndSwap(false, true) }

// End says that the write has its outcome.
func (w *Writing) End() { close(w.done) }

// Wait returns once the write has its outcome. One that did not start will not be run.
func (w *Writing) Wait() {
	if w.claimed.CompareAndSwap(false, true) {
		return
	}
	<-w.done
}
