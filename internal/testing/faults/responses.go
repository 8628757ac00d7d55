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

func failingFaults() []*Fault {
	return []*Fault{
		dynamoDBFault("internal error", Failing, 500, "InternalServerError", "The request processing has failed because of an unknown error"),
		{Name: "internal error after", Kind: Failing, Done: true, run: func(_ *http.Request, next sendFunc) (*http.Response, error) {
			return errorResponse(500, "InternalServerError", "The request processing has failed because of an unknown error"), loseResponse(next)
		}},
		dynamoDBFault("unavailable", Failing, 503, "ServiceUnavailable", "The service is temporarily unavailable"),
		htmlFault("bad gateway", Failing, 502),
		htmlFault("unavailable with a page", Failing, 503),
		{Name: "gateway time-out after", Kind: Failing, Done: true, run: func(_ *http.Request, next sendFunc) (*http.Response, error) {
			return newResponse(504, "text/html", "<html>504 Gateway Time-out</html>"), loseResponse(next)
		}},
	}
}

func throttlingFaults() []*Fault {
	const batchOperation = "BatchGetItem"
	return []*Fault{
		dynamoDBFault("throttled", Throttling, 400, "ProvisionedThroughputExceededException",
			"The level of configured provisioned throughput for the table was exceeded"),
		dynamoDBFault("throttled by rate", Throttling, 400, "ThrottlingException", "Rate of requests exceeds the allowed throughput"),
		dynamoDBFault("throttled by account", Throttling, 400, "RequestLimitExceeded",
			"Throughput exceeds the current throughput limit for your account"),
		htmlFault("throttled by a proxy", Throttling, 429),
		{
			Name: "transaction in progress", Kind: Throttling, operations: []string{"TransactWriteItems"},
			run: func(*http.Request, sendFunc) (*http.Response, error) {
				return errorResponse(400, "TransactionInProgressException", "Transaction for the given token is in progress"), nil
			},
		},
		{Name: "unprocessed keys", Kind: Throttling, operations: []string{batchOperation}, run: func(
			r *http.Request, _ sendFunc,
		) (*http.Response, error) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return nil, err
			}
			// Return all keys as unprocessed.
			return newResponse(200, "application/x-amz-json-1.0", `{"Responses":{},"UnprocessedKeys":`+requestItems(body)+`}`), nil
		}},
	}
}

func credentialFaults() []*Fault {
	return []*Fault{
		dynamoDBFault("expired token", Credentials, 400, "ExpiredTokenException", "The security token included in the request is expired"),
		dynamoDBFault("unknown key", Credentials, 400, "UnrecognizedClientException", "The security token included in the request is invalid"),
		dynamoDBFault("access denied", Denied, 400, "AccessDeniedException",
			"User: arn:aws:sts::123456789012:assumed-role/r/s is not authorized to perform this"),
		{Name: "wrong clock", Kind: Credentials, run: wrongClock},
	}
}

// wrongClock rejects requests whose time differs from the server's. Like AWS, it returns the server's time.
func wrongClock(r *http.Request, next sendFunc) (*http.Response, error) {
	serverTime := time.Now().Add(skew).UTC()
	requestTime, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
	if err == nil && serverTime.Sub(requestTime).Abs() < 5*time.Minute {
		return next()
	}
	resp := errorResponse(
		400, "InvalidSignatureException",
		"Signature expired: "+r.Header.Get("X-Amz-Date")+" is now earlier than "+serverTime.Format("20060102T150405Z"),
	)
	resp.Header.Set("Date", serverTime.Format(http.TimeFormat))
	return resp, nil
}

func foreignFaults() []*Fault {
	return []*Fault{
		htmlFault("log-in page", OtherServer, 200),
		{Name: "log-in redirect", Kind: OtherServer, run: func(*http.Request, sendFunc) (*http.Response, error) {
			resp := newResponse(302, "text/html", "")
			resp.Header.Set("Location", "http://portal.invalid/login")
			return resp, nil
		}},
		htmlFault("log-in required", OtherServer, 511),
		htmlFault("proxy log-in", OtherServer, 407),
		{Name: "endless answer", Kind: OtherServer, Done: true, run: func(_ *http.Request, next sendFunc) (*http.Response, error) {
			resp := newResponse(200, "application/x-amz-json-1.0", "")
			resp.ContentLength = -1
			resp.Body = io.NopCloser(io.MultiReader(strings.NewReader(`{"Items":["`), endlessBody{}))
			return resp, loseResponse(next)
		}},
	}
}

// dynamoDBFault returns a fault that responds with a DynamoDB error and does not process the request.
func dynamoDBFault(name string, kind Kind, status int, code, message string) *Fault {
	return &Fault{Name: name, Kind: kind, run: func(*http.Request, sendFunc) (*http.Response, error) {
		return errorResponse(status, code, message), nil
	}}
}

// htmlFault returns a fault that responds with a proxy's error page.
func htmlFault(name string, kind Kind, status int) *Fault {
	return &Fault{Name: name, Kind: kind, run: func(*http.Request, sendFunc) (*http.Response, error) {
		return newResponse(status, "text/html; charset=utf-8", "<!doctype html><html><body>"+http.StatusText(status)+"</body></html>"), nil
	}}
}

func errorResponse(status int, code, message string) *http.Response {
	return newResponse(status, "application/x-amz-json-1.0", fmt.Sprintf(`{"__type":"com.amazonaws.dynamodb.v20120810#%s","message":%q}`,
		code, message))
}

func newResponse(status int, contentType, text string) *http.Response {
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

// endlessBody is an infinite body of spaces.
type endlessBody struct{}

func (endlessBody) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// slowBody is a body that delivers small parts.
type slowBody struct {
	io.Reader
	io.Closer
	r        *http.Request
	bytes    int
	interval time.Duration
	begun    bool
}

func (b *slowBody) Read(p []byte) (int, error) {
	if b.begun {
		if err := wait(b.r, b.interval); err != nil {
			return 0, err
		}
	}
	b.begun = true
	return b.Reader.Read(p[:min(len(p), b.bytes)])
}

// changeResponse returns an effect that changes the response of the server.
func changeResponse(change func(*http.Request, *http.Response)) effect {
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
	if closeErr := resp.Body.Close(); err == nil {
		err = closeErr
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
