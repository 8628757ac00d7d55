// The body of an answer while it comes: neither one that stops coming nor one
// that never ends may keep its reader for ever.

package store

import (
	"context"
	"io"
	"sync/atomic"
	"time"
)

// A stallError is an answer that began and then stopped coming. It is a time-out,
// as the net package understands them.
type stallError struct{}

var errStalled stallError

func (stallError) Error() string   { return "the answer stopped coming" }
func (stallError) Timeout() bool   { return true }
func (stallError) Temporary() bool { return true }

// errTooLarge is an answer that no DynamoDB sends.
var errTooLarge = &answerError{status: 200, contentType: "more than 64 MB"}

// A steadyBody ends the request when no byte comes for a while, and reads
// maxAnswer bytes at most.
type steadyBody struct {
	body    io.ReadCloser
	cancel  context.CancelFunc // of the request
	within  time.Duration      // the next byte has to come
	timer   *time.Timer
	stalled atomic.Bool
	left    int64
}

func newSteadyBody(body io.ReadCloser, within time.Duration, cancel context.CancelFunc) *steadyBody {
	b := &steadyBody{body: body, cancel: cancel, within: within, left: maxAnswer}
	b.timer = time.AfterFunc(within, func() {
		b.stalled.Store(true)
		cancel()
	})
	b.timer.Stop()
	return b
}

// Read implements io.Reader.
func (b *steadyBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLarge
	}
	b.timer.Reset(b.within)
	n, err := b.body.Read(p)
	b.timer.Stop()
	b.left -= int64(n)
	if err != nil && b.stalled.Load() {
		err = errStalled // Not that the request was cancelled: nobody did.
	}
	return n, err
}

// Close implements io.Closer.
func (b *steadyBody) Close() error {
	b.timer.Stop()
	defer b.cancel()
	return b.body.Close()
}
