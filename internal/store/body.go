package store

import (
	"context"
	"io"
	"sync/atomic"
	"time"
)

// A stallError is the error for a server that does not respond, or that stops during its
// response (begun). It is a timeout as package net defines it.
type stallError struct{ begun bool }

func (e stallError) Error() string {
	if e.begun {
		return "the response stopped"
	}
	return "no response"
}

func (stallError) Timeout() bool   { return true }
func (stallError) Temporary() bool { return true }

// errTooLarge is the error for a response longer than maxAnswer.
var errTooLarge = &answerError{status: 200, contentType: "more than 64 MB"}

// A stallTimer cancels a request if its server sends nothing for too long.
type stallTimer struct {
	timer *time.Timer
	fired atomic.Bool
}

func newStallTimer(cancel context.CancelFunc) *stallTimer {
	t := &stallTimer{}
	t.timer = time.AfterFunc(time.Hour, func() {
		t.fired.Store(true)
		cancel()
	})
	t.timer.Stop()
	return t
}

func (t *stallTimer) start(within time.Duration) { t.timer.Reset(within) }

// stop returns stalled if the timer, and not the caller, canceled the request.
func (t *stallTimer) stop(err error, stalled stallError) error {
	t.timer.Stop()
	if err != nil && t.fired.Load() {
		return stalled
	}
	return err
}

// A steadyBody cancels the request when its body stops, and reads at most maxAnswer bytes. A
// limit for the whole response would end a slow but healthy one, so only silence is limited.
type steadyBody struct {
	body   io.ReadCloser
	cancel context.CancelFunc // of the request
	timer  *stallTimer
	within time.Duration // for the next byte
	left   int64         // bytes that may still be read
}

// Read implements io.Reader.
func (b *steadyBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLarge
	}
	b.timer.start(b.within)
	n, err := b.body.Read(p)
	b.left -= int64(n)
	return n, b.timer.stop(err, stallError{begun: true})
}

// Close implements io.Closer.
func (b *steadyBody) Close() error {
	defer b.cancel()
	return b.body.Close()
}
