package store

import (
	"context"
	"io"
	"sync/atomic"
	"time"
)

// A stallError is a server that stopped sending: before its response began, or
// in the middle of it. It is a timeout in the sense of package net.
type stallError struct{ begun bool }

func (e stallError) Error() string {
	if e.begun {
		return "the response stopped"
	}
	return "no response"
}

func (stallError) Timeout() bool   { return true }
func (stallError) Temporary() bool { return true }

// errTooLarge is a response that no DynamoDB sends.
var errTooLarge = &answerError{status: 200, contentType: "more than 64 MB"}

// A stallTimer cancels a request while its server is silent for too long.
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

// start gives the server that long to send something.
func (t *stallTimer) start(within time.Duration) { t.timer.Reset(within) }

// stop ends the wait that resulted in err. It returns stalled when the timer
// caused the error: the caller did not cancel the request.
func (t *stallTimer) stop(err error, stalled stallError) error {
	t.timer.Stop()
	if err != nil && t.fired.Load() {
		return stalled
	}
	return err
}

// A steadyBody ends the request when no byte arrives for a while, and reads at
// most maxAnswer bytes.
type steadyBody struct {
	body   io.ReadCloser
	cancel context.CancelFunc // of the request
	timer  *stallTimer
	within time.Duration // for the next byte
	left   int64
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
