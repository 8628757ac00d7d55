package store

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
)

// These are the timeouts of one attempt. A dead endpoint fails after two attempts, which take about four seconds.
// DynamoDB responds within one second; DynamoDB Local may need three seconds for a page of a scan.
const (
	dialTimeout   = 2 * time.Second
	tlsTimeout    = 3 * time.Second
	answerTimeout = 10 * time.Second

	// attemptTimeout is the maximum wait for the first byte of a response. It applies to every client, because a server
	// in this process has no transport with timeouts.
	attemptTimeout = dialTimeout + tlsTimeout + answerTimeout

	// stallTimeout is the maximum wait for the next byte once a response has begun. The whole response may take longer:
	// a page of 1 MB needs four seconds at 2 Mbit/s, and half a minute on a slow mobile connection.
	stallTimeout = 10 * time.Second
)

// maxAnswer is the maximum number of bytes to read from a response. DynamoDB's largest responses contain 16 MB of
// items, which take up to four times as much in JSON.
const maxAnswer = 64 << 20

// newHTTPClient returns the only type of client that supports AWS_CA_BUNDLE.
func newHTTPClient() *awshttp.BuildableClient {
	return awshttp.NewBuildableClient().
		WithDialerOptions(func(d *net.Dialer) { d.Timeout = dialTimeout }).
		WithTransportOptions(func(t *http.Transport) {
			t.TLSHandshakeTimeout = tlsTimeout
			t.ResponseHeaderTimeout = answerTimeout
			t.MaxIdleConnsPerHost = 2 * maxConcurrent // otherwise a parallel scan opens a connection for each page
		})
}

// An answerError is a response that did not come from DynamoDB, but from the login page of a network, a proxy, or
// another server at that port.
type answerError struct {
	status      int    // HTTP status
	contentType string // content type of the response
	empty       bool   // the response has no body
}

func (e *answerError) Error() string {
	if e.empty {
		return fmt.Sprintf("an empty response with HTTP status %d", e.status)
	}
	return fmt.Sprintf("HTTP status %d with %s instead of DynamoDB's JSON", e.status, e.contentType)
}

func (e *answerError) class() Class {
	switch {
	case e.status == http.StatusTooManyRequests:
		return Throttled
	case e.status == http.StatusNetworkAuthenticationRequired:
		return Captive
	case e.status >= http.StatusInternalServerError:
		return Service
	case e.empty && e.status == http.StatusOK:
		return Unreachable
	}
	return Captive
}

// responseValidator is an HTTP client that rejects responses that do not start as a JSON object, do not match their
// checksum, stall, or do not end. The SDK would read an empty body as a response without fields, which would look like
// an empty table.
type responseValidator struct {
	next Doer
}

// Do implements Doer.
func (v *responseValidator) Do(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context())
	r = r.WithContext(ctx)
	timer := newStallTimer(cancel)
	err := keepBody(r)
	var resp *http.Response
	if err == nil {
		timer.start(attemptTimeout)
		resp, err = v.next.Do(r)
		err = timer.stop(err, stallError{})
	}
	if err != nil {
		cancel()
		return nil, err
	}
	resp.Body = &guardedBody{body: resp.Body, cancel: cancel, timer: timer, within: stallTimeout, remaining: maxAnswer}
	body := bufio.NewReaderSize(resp.Body, 512)
	first, err := body.Peek(1)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		resp.Body.Close()
		return nil, fmt.Errorf("read the response: %w", err)
	case len(first) == 0 || first[0] != '{':
		resp.Body.Close()
		contentType := cmp.Or(resp.Header.Get("Content-Type"), "text")
		return nil, &answerError{status: resp.StatusCode, contentType: contentType, empty: len(first) == 0}
	}
	checked := &checkedBody{Reader: body, Closer: resp.Body}
	if checksum, err := strconv.ParseUint(resp.Header.Get("X-Amz-Crc32"), 10, 32); err == nil && !resp.Uncompressed {
		checked.sum, checked.checksum = crc32.NewIEEE(), uint32(checksum)
	}
	resp.Body = checked
	return resp, nil
}

// keepBody replaces the body with a copy that the SDK cannot close. The SDK closes the body at the response header,
// while net/http may still be sending it. For a local server, this breaks the connection for one page in fifty.
func keepBody(r *http.Request) error {
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	var body bytes.Buffer
	if r.ContentLength > 0 {
		body.Grow(int(r.ContentLength) + bytes.MinRead)
	}
	_, err := body.ReadFrom(r.Body)
	if err = errors.Join(err, r.Body.Close()); err != nil {
		return fmt.Errorf("read the request to be sent: %w", err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body.Bytes()))
	return nil
}

// errChecksum is the error for a response that changed in transit.
var errChecksum = errors.New("the response does not match its checksum")

// A checkedBody compares a response with its checksum if there is one. The SDK's own check only logs a warning, even
// for every response without a checksum.
type checkedBody struct {
	io.Reader
	io.Closer
	sum      hash.Hash32 // nil without a checksum
	checksum uint32
}

// Read implements io.Reader.
func (b *checkedBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if b.sum == nil {
		return n, err
	}
	b.sum.Write(p[:n]) // never fails; see hash.Hash
	if errors.Is(err, io.EOF) && b.sum.Sum32() != b.checksum {
		return n, errChecksum
	}
	return n, err
}

// A stallError is the error for a server that does not respond, or stops during its response (begun). It is a timeout
// as defined by package net.
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
	timer   *time.Timer
	expired atomic.Bool
}

func newStallTimer(cancel context.CancelFunc) *stallTimer {
	t := &stallTimer{}
	t.timer = time.AfterFunc(time.Hour, func() {
		t.expired.Store(true)
		cancel()
	})
	t.timer.Stop()
	return t
}

func (t *stallTimer) start(timeout time.Duration) { t.timer.Reset(timeout) }

// stop returns stalled if the timer, rather than the caller, canceled the request.
func (t *stallTimer) stop(err error, stalled stallError) error {
	t.timer.Stop()
	if err != nil && t.expired.Load() {
		return stalled
	}
	return err
}

// A guardedBody cancels the request if its body stalls, and reads at most maxAnswer bytes. It does not limit the whole
// response, because this would end a slow but healthy one.
type guardedBody struct {
	body      io.ReadCloser
	cancel    context.CancelFunc // cancels the request
	timer     *stallTimer
	within    time.Duration // timeout for the next byte
	remaining int64         // number of bytes that may still be read
}

// Read implements io.Reader.
func (b *guardedBody) Read(p []byte) (int, error) {
	if b.remaining <= 0 {
		return 0, errTooLarge
	}
	b.timer.start(b.within)
	n, err := b.body.Read(p)
	b.remaining -= int64(n)
	return n, b.timer.stop(err, stallError{begun: true})
}

// Close implements io.Closer.
func (b *guardedBody) Close() error {
	defer b.cancel()
	return b.body.Close()
}
