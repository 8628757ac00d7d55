package faults

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// skew is the clock difference of the fault "wrong clock". AWS tolerates five minutes.
const skew = 20 * time.Minute

func failing() []*Fault {
	return []*Fault{
		dynamo("internal error", Failing, 500, "InternalServerError", "The request processing has failed because of an unknown error"),
		{Name: "internal error after", Kind: Failing, Done: true, run: func(_ *http.Request, next sendFunc) (*http.Response, error) {
			return errorResponse(500, "InternalServerError", "The request processing has failed because of an unknown error"), loseResponse(next)
		}},
		dynamo("unavailable", Failing, 503, "ServiceUnavailable", "The service is temporarily unavailable"),
		html("bad gateway", Failing, 502),
		html("unavailable with a page", Failing, 503),
		{Name: "gateway time-out after", Kind: Failing, Done: true, run: func(_ *http.Request, next sendFunc) (*http.Response, error) {
			return page(504, "text/html", "<html>504 Gateway Time-out</html>"), loseResponse(next)
		}},
	}
}

func throttling() []*Fault {
	const batches = "BatchGetItem"
	return []*Fault{
		dynamo("throttled", Throttling, 400, "ProvisionedThroughputExceededException",
			"The level of configured provisioned throughput for the table was exceeded"),
		dynamo("throttled by rate", Throttling, 400, "ThrottlingException", "Rate of requests exceeds the allowed throughput"),
		dynamo("throttled by account", Throttling, 400, "RequestLimitExceeded",
			"Throughput exceeds the current throughput limit for your account"),
		html("throttled by a proxy", Throttling, 429),
		{
			Name: "transaction in progress", Kind: Throttling, operations: []string{"TransactWriteItems"},
			run: func(*http.Request, sendFunc) (*http.Response, error) {
				return errorResponse(400, "TransactionInProgressException", "Transaction for the given token is in progress"), nil
			},
		},
		{Name: "unprocessed keys", Kind: Throttling, operations: []string{batches}, run: func(
			r *http.Request, _ sendFunc,
		) (*http.Response, error) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return nil, err
			}
			// Return all keys as unprocessed.
			return page(200, "application/x-amz-json-1.0", `{"Responses":{},"UnprocessedKeys":`+requestItems(body)+`}`), nil
		}},
	}
}

func credentials() []*Fault {
	return []*Fault{
		dynamo("expired token", Credentials, 400, "ExpiredTokenException", "The security token included in the request is expired"),
		dynamo("unknown key", Credentials, 400, "UnrecognizedClientException", "The security token included in the request is invalid"),
		dynamo("access denied", Denied, 400, "AccessDeniedException",
			"User: arn:aws:sts::123456789012:assumed-role/r/s is not authorized to perform this"),
		{Name: "wrong clock", Kind: Credentials, run: wrongClock},
	}
}

// wrongClock rejects requests whose time differs from the server's. Like AWS, it returns the server's time.
func wrongClock(r *http.Request, next sendFunc) (*http.Response, error) {
	server := time.Now().Add(skew).UTC()
	signed, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
	if err == nil && server.Sub(signed).Abs() < 5*time.Minute {
		return next()
	}
	resp := errorResponse(
		400, "InvalidSignatureException",
		"Signature expired: "+r.Header.Get("X-Amz-Date")+" is now earlier than "+server.Format("20060102T150405Z"),
	)
	resp.Header.Set("Date", server.Format(http.TimeFormat))
	return resp, nil
}

func foreignFaults() []*Fault {
	return []*Fault{
		html("log-in page", OtherServer, 200),
		{Name: "log-in redirect", Kind: OtherServer, run: func(*http.Request, sendFunc) (*http.Response, error) {
			resp := page(302, "text/html", "")
			resp.Header.Set("Location", "http://portal.invalid/login")
			return resp, nil
		}},
		html("log-in required", OtherServer, 511),
		html("proxy log-in", OtherServer, 407),
		{Name: "endless answer", Kind: OtherServer, Done: true, run: func(_ *http.Request, next sendFunc) (*http.Response, error) {
			resp := page(200, "application/x-amz-json-1.0", "")
			resp.ContentLength = -1
			resp.Body = io.NopCloser(io.MultiReader(strings.NewReader(`{"Items":["`), endless{}))
			return resp, loseResponse(next)
		}},
	}
}

// dynamo returns a fault that answers with an error of DynamoDB and does not process the request.
func dynamo(name string, kind Kind, status int, code, message string) *Fault {
	return &Fault{Name: name, Kind: kind, run: func(*http.Request, sendFunc) (*http.Response, error) {
		return errorResponse(status, code, message), nil
	}}
}

// html returns a fault that answers with the page of a proxy.
func html(name string, kind Kind, status int) *Fault {
	return &Fault{Name: name, Kind: kind, run: func(*http.Request, sendFunc) (*http.Response, error) {
		return page(status, "text/html; charset=utf-8", "<!doctype html><html><body>"+http.StatusText(status)+"</body></html>"), nil
	}}
}

func errorResponse(status int, code, message string) *http.Response {
	return page(status, "application/x-amz-json-1.0", fmt.Sprintf(`{"__type":"com.amazonaws.dynamodb.v20120810#%s","message":%q}`,
		code, message))
}

func page(status int, contentType, text string) *http.Response {
	header := http.Header{}
	if contentType != "" {
		header.Set("Content-Type", contentType)
	}
	return &http.Response{
		StatusCode: status, Status: fmt.Sprintf("%d %s", status, http.StatusText(status)), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: io.NopCloser(strings.NewReader(text)), ContentLength: int64(len(text)),
	}
}

// body combines a reader with the closer of another body.
type body struct {
	io.Reader
	io.Closer
}

// failingBody is a body that ends with an error.
type failingBody struct{ err error }

func (e failingBody) Read([]byte) (int, error) { return 0, e.err }

// blockingBody is a body that blocks until the client disconnects.
type blockingBody struct{ r *http.Request }

func (b blockingBody) Read([]byte) (int, error) {
	<-b.r.Context().Done()
	return 0, b.r.Context().Err()
}

// endless is a body that contains spaces without end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// slowBody is a body that delivers small parts.
type slowBody struct {
	io.Reader
	io.Closer
	r     *http.Request
	bytes int
	each  time.Duration
	begun bool
}

func (b *slowBody) Read(p []byte) (int, error) {
	if b.begun {
		if err := wait(b.r, b.each); err != nil {
			return 0, err
		}
	}
	b.begun = true
	return b.Reader.Read(p[:min(len(p), b.bytes)])
}

// onAnswer returns an effect that changes the response of the server.
func onAnswer(change func(*http.Request, *http.Response)) effect {
	return func(r *http.Request, next sendFunc) (*http.Response, error) {
		resp, err := next()
		if err == nil {
			change(r, resp)
		}
		return resp, err
	}
}

// loseResponse sends the request to the server and drops the response.
func loseResponse(next sendFunc) error {
	resp, err := next()
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	if closing := resp.Body.Close(); err == nil {
		err = closing
	}
	return err
}

// requestItems returns the BatchGetItem parameter with the requested keys.
func requestItems(request []byte) string {
	var batch struct{ RequestItems json.RawMessage }
	if json.Unmarshal(request, &batch) != nil || batch.RequestItems == nil {
		return "{}"
	}
	return string(batch.RequestItems)
}
