package store

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
)

// Timeouts of one attempt. A dead endpoint fails after two attempts, about four
// seconds. DynamoDB responds within one second; DynamoDB Local may need three
// seconds for a page of a scan.
const (
	dialTimeout   = 2 * time.Second
	tlsTimeout    = 3 * time.Second
	answerTimeout = 10 * time.Second

	// attemptTimeout limits the wait for the first byte of a response, whatever
	// sends the request: a server in process has no transport with timeouts.
	attemptTimeout = dialTimeout + tlsTimeout + answerTimeout

	// stallTimeout limits the wait for the next byte once a response has begun. The
	// whole response may take longer: a page of 1 MB needs four seconds at 2 Mbit/s,
	// and half a minute on a slow mobile connection.
	stallTimeout = 10 * time.Second
)

// maxAnswer is the most bytes that are read of an answer. DynamoDB's largest hold
// 16 MB of items, in JSON up to a few times as much.
const maxAnswer = 64 << 20

// newHTTPClient returns the client that the SDK configures further: it must be
// of this type for AWS_CA_BUNDLE to work.
func newHTTPClient() *awshttp.BuildableClient {
	return awshttp.NewBuildableClient().
		WithDialerOptions(func(d *net.Dialer) { d.Timeout = dialTimeout }).
		WithTransportOptions(func(t *http.Transport) {
			t.TLSHandshakeTimeout = tlsTimeout
			t.ResponseHeaderTimeout = answerTimeout
			t.MaxIdleConnsPerHost = 2 * pacedTogether // or a scan in as many segments dials anew for its pages
		})
}

// An answerError says that something answered, but not DynamoDB: a log-in page
// of a network, a proxy, another server on that port.
type answerError struct {
	status      int
	contentType string
	empty       bool
}

func (e *answerError) Error() string {
	if e.empty {
		return fmt.Sprintf("an empty response with HTTP status %d", e.status)
	}
	return fmt.Sprintf("HTTP status %d with %s instead of DynamoDB's JSON", e.status, e.contentType)
}

// class tells a failing server or a connection that broke from a stranger.
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

// dynamoOnly lets pass only answers that start as a JSON object, that keep coming,
// and that come to an end. The SDK takes an empty body for an empty answer, which
// would show an empty table.
type dynamoOnly struct {
	next Doer
}

// Do sends the request.
func (d *dynamoOnly) Do(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context())
	r = r.WithContext(ctx)
	timer := newStallTimer(cancel)
	err := keepBody(r)
	var resp *http.Response
	if err == nil {
		timer.start(attemptTimeout)
		resp, err = d.next.Do(r)
		err = timer.stop(err, stallError{})
	}
	if err != nil {
		cancel()
		return nil, err
	}
	resp.Body = &steadyBody{body: resp.Body, cancel: cancel, timer: timer, within: stallTimeout, left: maxAnswer}
	body := bufio.NewReaderSize(resp.Body, 512)
	first, err := body.Peek(1)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		resp.Body.Close()
		return nil, fmt.Errorf("read the answer: %w", err)
	case len(first) == 0 || first[0] != '{':
		resp.Body.Close()
		contentType := resp.Header.Get("Content-Type")
		if contentType == "" {
			contentType = "text"
		}
		return nil, &answerError{status: resp.StatusCode, contentType: contentType, empty: len(first) == 0}
	}
	checked := &checkedBody{Reader: body, Closer: resp.Body}
	if want, err := strconv.ParseUint(resp.Header.Get("X-Amz-Crc32"), 10, 32); err == nil && !resp.Uncompressed {
		checked.sum, checked.want = crc32.NewIEEE(), uint32(want)
	}
	resp.Body = checked
	return resp, nil
}

// keepBody puts the body of a request where net/http knows it to be in memory, and
// where the SDK cannot close it. It closes its own once it has the head of the
// answer: a server that is faster than the end of the writing goroutine then breaks
// the connection in the middle of its answer, one page in fifty of a local one.
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

// errChecksum is an answer that changed on its way.
var errChecksum = errors.New("the response does not match its checksum")

// A checkedBody compares a body with the checksum that came with it, if one did.
// The SDK's own check only writes a warning to its log, and one for every answer
// of a server that sends no checksum.
type checkedBody struct {
	io.Reader
	io.Closer
	sum  hash.Hash32 // nil without a checksum
	want uint32
}

// Read implements io.Reader.
func (b *checkedBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if b.sum == nil {
		return n, err
	}
	b.sum.Write(p[:n]) // A hash never fails.
	if errors.Is(err, io.EOF) && b.sum.Sum32() != b.want {
		return n, errChecksum
	}
	return n, err
}
