package store_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// respond returns the answer to one attempt.
type respond func() (*http.Response, error)

func dynamo(status int, code, message string) respond {
	return func() (*http.Response, error) { return failing(status, code, message), nil }
}

func page(status int, contentType, body string) respond {
	return func() (*http.Response, error) {
		resp := answer(status, body)
		resp.Header.Set("Content-Type", contentType)
		return resp, nil
	}
}

func failedAttempt(err error) respond {
	return func() (*http.Response, error) { return nil, err }
}

// truncatedResponse returns an answer whose connection breaks in the middle of the body.
func truncatedResponse() (*http.Response, error) {
	resp := answer(200, "")
	resp.Body = io.NopCloser(io.MultiReader(strings.NewReader(`{"Items":[{"PK":{"S":"hidd`), errReader{}))
	return resp, nil
}

// corruptResponse returns an answer that does not match its checksum.
func corruptResponse() (*http.Response, error) {
	resp := answer(200, `{"Items":[{"PK":{"S":"hidden"}}],"Count":1}`)
	resp.Header.Set("X-Amz-Crc32", "1")
	return resp, nil
}

type errReader struct{}

func (errReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func dial(err error) error {
	return &net.OpError{Op: "dial", Net: "tcp", Err: err}
}

const denied = `User: arn:aws:iam::123456789012:user/bob is not authorized to perform: dynamodb:Query on resource: ` +
	`arn:aws:dynamodb:eu-west-1:123456789012:table/orders/index/byDay because no identity-based policy allows the dynamodb:Query action`

func TestErrorsAreClassified(t *testing.T) {
	for _, test := range []struct {
		name     string
		respond  respond
		class    store.Class
		attempts int
		text     string // the complete error message
	}{
		{
			"throttled", dynamo(400, "ProvisionedThroughputExceededException", "slow down"), store.Throttled, 5,
			"Query on index byDay of table orders was throttled 5 times; wait a moment, or read in smaller pages",
		},
		{
			"throttled by the account", dynamo(400, "ThrottlingException", "Rate exceeded"), store.Throttled, 5,
			"Query on index byDay of table orders was throttled 5 times; wait a moment, or read in smaller pages",
		},
		{
			"throttled for a reason", throttledBecause("IndexReadProvisionedThroughputExceeded", "/index/byDay"), store.Throttled, 5,
			"Query on index byDay of table orders was throttled 5 times: the provisioned read capacity of index byDay is used up; " +
				"wait a moment, or raise it",
		},
		{
			"throttled by the quota", throttledBecause("TableReadAccountLimitExceeded", ""), store.Throttled, 5,
			"Query on index byDay of table orders was throttled 5 times: the read limit of the account for table orders is reached; " +
				"wait a moment, or request a higher quota",
		},
		{
			"failing", dynamo(500, "InternalServerError", "we are sorry"), store.Service, 5,
			"Query on index byDay of table orders failed: we are sorry; try again",
		},
		{
			"unavailable with a web page", page(503, "text/html", "<html>hidden"), store.Service, 5,
			"Query on index byDay of table orders failed: HTTP status 503 with text/html instead of DynamoDB's JSON; try again",
		},
		{
			"unknown error", dynamo(400, "NewException", "something new"), store.Service, 1,
			"Query on index byDay of table orders failed: something new; try again",
		},
		{
			"condition", dynamo(400, "ConditionalCheckFailedException", "The conditional request failed"),
			store.ConditionFailed, 1, "the item changed since it was read; nothing was written; read it again",
		},
		{
			"transaction", page(400, "application/x-amz-json-1.0", `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException",`+
				`"Message":"Transaction cancelled","CancellationReasons":[{"Code":"None"},{"Code":"ConditionalCheckFailed",`+
				`"Message":"The conditional request failed","Item":{"PK":{"S":"hidden"}}}]}`), store.TransactionCancelled, 1,
			"the transaction was canceled; nothing was written (write 2: ConditionalCheckFailed); read the items again",
		},
		{
			"access denied", dynamo(400, "AccessDeniedException", denied), store.AccessDenied, 1,
			"access denied: dynamodb:Query on table orders/index/byDay " +
				"(because no identity-based policy allows the dynamodb:Query action); ask an administrator to grant " +
				"your role this permission",
		},
		{
			"expired", dynamo(400, "ExpiredTokenException", "The security token included in the request is expired"),
			store.ExpiredCredentials, 1,
			"credentials expired; get new ones and set AWS_PROFILE, or AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN",
		},
		{
			"wrong key", dynamo(400, "UnrecognizedClientException", "The security token included in the request is invalid"),
			store.NoCredentials, 1,
			"the AWS credentials were not accepted; check AWS_PROFILE and --profile, or get new ones and set AWS_PROFILE, " +
				"or AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN",
		},
		{
			"wrong secret", dynamo(400, "InvalidSignatureException", "The request signature we calculated does not match"),
			store.NoCredentials, 1,
			"the signature was not accepted; check the secret access key and this machine's clock",
		},
		{
			"wrong clock",
			dynamo(400, "InvalidSignatureException", "Signature expired: 20260120T120000Z is now earlier than 20260120T121500Z"),
			store.NoCredentials, 1, "this machine's clock differs from that of AWS; set the clock",
		},
		{
			"request of another time", dynamo(400, "RequestExpired", "Request has expired"),
			store.NoCredentials, 1, "this machine's clock differs from that of AWS; set the clock",
		},
		{
			"table missing", dynamo(400, "ResourceNotFoundException", "Requested resource not found"), store.TableMissing, 1,
			"table orders does not exist in the embedded database; create it with ddbdesk table create SCHEMA",
		},
		{
			"index missing", dynamo(400, "ValidationException", "The table does not have the specified index: byDay"),
			store.IndexMissing, 1,
			"table orders has no index byDay in the embedded database; compare it with the schema: ddbdesk table check SCHEMA",
		},
		{
			"validation", dynamo(400, "ValidationException", "Query condition missed key schema element: PK"), store.Validation, 1,
			"DynamoDB rejected Query on index byDay of table orders: Query condition missed key schema element: PK",
		},
		{
			"hostile text", dynamo(400, "ValidationException", `\u001b]0;title\u0007\nsecond line`), store.Validation, 1,
			"DynamoDB rejected Query on index byDay of table orders: ␛]0;title␇␊second line",
		},
		{
			"connection refused", failedAttempt(dial(os.NewSyscallError("connect", syscall.ECONNREFUSED))), store.Unreachable, 2,
			"cannot reach the embedded database: connection refused; check the network, VPN and proxy",
		},
		{
			"dial timeout", failedAttempt(dial(os.ErrDeadlineExceeded)), store.Unreachable, 2,
			"cannot reach the embedded database: no response in time; check the network, VPN and proxy",
		},
		{
			"no such host", failedAttempt(dial(&net.DNSError{Err: "no such host", Name: "x", IsNotFound: true})), store.Unreachable, 1,
			"cannot reach the embedded database: no such host; check the region, the endpoint and the network",
		},
		{
			"failing name server", failedAttempt(dial(&net.DNSError{Err: "server misbehaving", Name: "x", IsTemporary: true})),
			store.Unreachable, 3,
			"cannot reach the embedded database: the DNS server cannot resolve it; check the region, the endpoint and the network",
		},
		{
			"no network", failedAttempt(dial(os.NewSyscallError("connect", syscall.ENETUNREACH))), store.Unreachable, 3,
			"cannot reach the embedded database: no network route from this machine; check the network, VPN and proxy",
		},
		{
			"certificate of another host", failedAttempt(&tls.CertificateVerificationError{Err: x509.HostnameError{
				Certificate: &x509.Certificate{}, Host: "x",
			}}),
			store.Unreachable, 1,
			"cannot reach the embedded database: its certificate is for another host; log in to the network, or check the endpoint",
		},
		{
			"certificate out of date", failedAttempt(&tls.CertificateVerificationError{Err: x509.CertificateInvalidError{Reason: x509.Expired}}),
			store.Unreachable, 1, "cannot reach the embedded database: its certificate has expired; check this machine's clock",
		},
		{
			"connection reset", failedAttempt(&net.OpError{Op: "read", Err: os.NewSyscallError("read", syscall.ECONNRESET)}),
			store.Unreachable, 5, "cannot reach the embedded database: the connection broke; try again",
		},
		{
			"use of closed network connection", failedAttempt(&net.OpError{Op: "read", Err: net.ErrClosed}), store.Unreachable, 5,
			"cannot reach the embedded database: the connection broke; try again",
		},
		{
			"truncated body", truncatedResponse, store.Unreachable, 5,
			"cannot reach the embedded database: the connection broke; try again",
		},
		{
			"half of the JSON", page(200, "application/x-amz-json-1.0", `{"Items":[{"PK":{"S":"hidd`), store.Unreachable, 5,
			"cannot reach the embedded database: the connection broke; try again",
		},
		{
			"corrupted response", corruptResponse, store.Unreachable, 5,
			"cannot reach the embedded database: the connection broke; try again",
		},
		{
			"empty response", page(200, "application/x-amz-json-1.0", ""), store.Unreachable, 5,
			"cannot reach the embedded database: it sent an empty response; check the network, VPN and proxy",
		},
		{
			"login page", page(200, "text/html; charset=utf-8", "\n<html>hidden"), store.Captive, 1,
			"the embedded database is not DynamoDB: it sent HTTP status 200 with text/html; charset=utf-8 " +
				"instead of DynamoDB's JSON; log in to the network or check the proxy",
		},
		{
			"redirect", page(302, "text/html", ""), store.Captive, 1,
			"the embedded database is not DynamoDB: it sent an empty response with HTTP status 302; " +
				"log in to the network or check the proxy",
		},
		{
			"JSON of another program", page(200, "application/json", `{"login":"please"}`), store.Captive, 1,
			"the embedded database is not DynamoDB: it sent HTTP status 200 with JSON without Items " +
				"instead of DynamoDB's JSON; log in to the network or check the proxy",
		},
		{
			"invalid JSON", page(200, "application/json", `{{hidden}}`), store.Captive, 1,
			"the embedded database is not DynamoDB: it sent a response other than DynamoDB's JSON; " +
				"log in to the network or check the proxy",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				attempts := 0
				got, err := fetch(t.Context(), doer(func(*http.Request) (*http.Response, error) {
					attempts++
					return test.respond()
				}))
				if err == nil {
					t.Fatalf("got %+v, want an error", got)
				}
				if class := store.ClassOf(err); class != test.class {
					t.Errorf("got class %q, want %q", class, test.class)
				}
				if attempts != test.attempts {
					t.Errorf("got %d attempts, want %d", attempts, test.attempts)
				}
				if err.Error() != test.text {
					t.Errorf("got error\n%s\nwant\n%s", err, test.text)
				}
				if strings.Contains(err.Error(), "hidd") || strings.Contains(err.Error(), "123456789012") {
					t.Errorf("the error contains personal data: %s", err)
				}
				if models.Printable(err.Error()) != err.Error() {
					t.Errorf("the error is not printable: %q", err)
				}
				if len(got.Items) != 0 {
					t.Error("Fetch returned items and an error")
				}
			})
		})
	}
}

func TestErrorKeepsItsCause(t *testing.T) {
	_, err := fetch(t.Context(), doer(func(*http.Request) (*http.Response, error) {
		return answer(400, `{"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",`+
			`"message":"The conditional request failed","Item":{"PK":{"S":"x"}}}`), nil
	}))
	var failed *types.ConditionalCheckFailedException
	if !errors.As(err, &failed) || failed.Item == nil {
		t.Errorf("the error lacks the old item: %v", err)
	}
	var storeErr *store.Error
	if !errors.As(fmt.Errorf("outer: %w", err), &storeErr) || storeErr.Operation != "Query" || storeErr.Table != "orders" || storeErr.Index != "byDay" {
		t.Errorf("got %+v", storeErr)
	}
	if store.ClassOf(errors.New("other")) != "" || store.ClassOf(nil) != "" {
		t.Error("ClassOf returned a class for another error")
	}
}

func TestThrottledRequestIsRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		attempts := 0
		var reports, traced []store.Retry
		c, err := store.Connect(t.Context(), store.Options{
			OnRetry: func(r store.Retry) { reports = append(reports, r) },
			Embedded: doer(func(*http.Request) (*http.Response, error) {
				if attempts++; attempts <= 2 {
					return failing(400, "ProvisionedThroughputExceededException", "slow down"), nil
				}
				return answer(200, `{"Items":[],"Count":0,"ScannedCount":0}`), nil
			}),
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx := store.WithTrace(t.Context(), store.Trace{Retried: func(r store.Retry) { traced = append(traced, r) }})
		start := time.Now()
		if _, err := c.Reader().Fetch(ctx, leg(), nil, 0); err != nil {
			t.Fatal(err)
		}
		waited := time.Duration(0)
		for i, r := range reports {
			if r.Operation != "Query" || r.Attempt != i+1 || r.Class != store.Throttled || r.Wait <= 0 {
				t.Errorf("got retry %d as %+v", i, r)
			}
			waited += r.Wait
		}
		if len(reports) != 2 || len(traced) != 2 {
			t.Errorf("got %d reports and %d traces, want 2 each", len(reports), len(traced))
		}
		if took := time.Since(start); took != waited || took > 2*time.Second {
			t.Errorf("the request took %s, the reports announced %s", took, waited)
		}
	})
}

func TestCancelEndsWaitForRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Millisecond, cancel)
		start := time.Now()
		_, err := fetch(ctx, doer(func(*http.Request) (*http.Response, error) {
			return failing(400, "ThrottlingException", "slow down"), nil
		}))
		if store.ClassOf(err) != store.Canceled || !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		if took := time.Since(start); took != time.Millisecond {
			t.Errorf("the request ended %s after the cancellation", took-time.Millisecond)
		}
	})
}

func TestDeadlineEndsRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := fetch(ctx, doer(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}))
		want := "Query on index byDay of table orders timed out; try again, or read fewer items"
		if store.ClassOf(err) != store.Canceled || err.Error() != want {
			t.Errorf("got %v", err)
		}
	})
}

func TestLegMustBeOneRequest(t *testing.T) {
	c := connect(t, doer(func(*http.Request) (*http.Response, error) {
		t.Error("Fetch sent a request for an empty leg")
		return failing(500, "InternalServerError", ""), nil
	}))
	if _, err := c.Reader().Fetch(t.Context(), accesspatterns.Leg{}, nil, 0); store.ClassOf(err) != store.Validation {
		t.Errorf("got %v", err)
	}
}
