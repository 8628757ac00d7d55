package store_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/faults"
	"github.com/ddbdesk/ddbdesk/internal/testing/stored"
	"github.com/ddbdesk/ddbdesk/models"
)

func readerOf(t *testing.T, url string) store.Reader {
	t.Helper()
	configure(t, "")
	c, err := store.Connect(t.Context(), store.Options{EndpointURL: url})
	if err != nil {
		t.Fatal(err)
	}
	return c.Reader()
}

func TestClosedPortIsUnreachable(t *testing.T) {
	var listening net.ListenConfig
	l, err := listening.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	_, err = readerOf(t, url).Fetch(t.Context(), leg(), nil, 0)
	want := "cannot reach " + url + ": connection refused; is the server running?"
	if store.ClassOf(err) != store.Unreachable || err.Error() != want {
		t.Errorf("got %v", err)
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("the request took %s, want at most 2s", took)
	}
}

func TestBrokenConnectionIsReplaced(t *testing.T) {
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		switch requests.Add(1) {
		case 1: // no answer
			panic(http.ErrAbortHandler)
		case 2: // part of an answer
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, `{"Items":[{"PK":`)
		default:
			fmt.Fprint(w, `{"Items":[{"PK":{"S":"x"}}],"Count":1,"ScannedCount":1}`)
		}
	}))
	defer server.Close()
	ctx, sum := withUsage(t.Context())
	page, err := readerOf(t, server.URL).Fetch(ctx, leg(), nil, 0)
	if err != nil || page.Count != 1 {
		t.Fatalf("got %+v, %v", page, err)
	}
	if sum.requests != 1 || sum.retries != 2 {
		t.Errorf("got usage %+v, want 1 request and 2 retries", sum)
	}
}

func TestWebServerIsReportedAsWrongEndpoint(t *testing.T) {
	for _, status := range []int{200, 302, 403, 404} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Location", "/login")
			w.WriteHeader(status)
			fmt.Fprint(w, "<!doctype html><html>log in</html>")
		}))
		_, err := readerOf(t, server.URL).Fetch(t.Context(), leg(), nil, 0)
		if store.ClassOf(err) != store.Captive || !strings.HasSuffix(err.Error(), "check the endpoint URL") {
			t.Errorf("status %d: got %v, want an error about the endpoint", status, err)
		}
		server.Close()
	}
}

func TestWrongSchemeIsReported(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	_, err := readerOf(t, strings.Replace(server.URL, "http:", "https:", 1)).Fetch(t.Context(), leg(), nil, 0)
	if store.ClassOf(err) != store.Unreachable || !strings.HasSuffix(err.Error(), "use http:// in the endpoint URL") {
		t.Errorf("got %v", err)
	}
}

func TestUntrustedCertificate(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = discard
	server.StartTLS()
	defer server.Close()
	_, err := readerOf(t, server.URL).Fetch(t.Context(), leg(), nil, 0)
	if store.ClassOf(err) != store.Unreachable || !strings.Contains(err.Error(), "certificate is not trusted; set AWS_CA_BUNDLE") {
		t.Errorf("got %v", err)
	}
}

func TestCancelEndsWaitForResponse(t *testing.T) {
	arrived, hold := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(arrived)
		<-hold
	}))
	defer server.Close()
	defer close(hold)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	reader := readerOf(t, server.URL)
	failed := make(chan error)
	go func() {
		_, err := reader.Fetch(ctx, leg(), nil, 0)
		failed <- err
	}()
	<-arrived
	start := time.Now()
	cancel()
	if err := <-failed; store.ClassOf(err) != store.Canceled {
		t.Errorf("got %v", err)
	}
	if took := time.Since(start); took > time.Second {
		t.Errorf("the request ended %s after the cancellation", took)
	}
}

// A server may respond before it has read the request. The connection must still send the rest of the request.
func TestResponseBeforeRequestIsReadIsReturned(t *testing.T) {
	var late *http.Request
	server := doer(func(r *http.Request) (*http.Response, error) {
		late = r
		return answer(http.StatusOK, `{"Items":[],"Count":0,"ScannedCount":0}`), nil
	})
	if _, err := fetch(t.Context(), server); err != nil {
		t.Fatal(err)
	}
	sent, err := io.ReadAll(late.Body)
	if err != nil || int64(len(sent)) != late.ContentLength || !strings.Contains(string(sent), `"orders"`) {
		t.Errorf("the connection sent %d of %d bytes: %v", len(sent), late.ContentLength, err)
	}
}

// faultyConnection returns a connection to a store of 20 orders, through a line that can inject faults.
func faultyConnection(t *testing.T) (*faults.Connection, *store.Connection) {
	t.Helper()
	s, err := embedded.Open(embedded.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	line := faults.New(s)
	c := connect(t, line)
	table := &models.Table{Name: "orders", PartitionKey: models.Key{Name: "id", Type: models.TypeS}}
	if err := c.Admin().CreateTable(t.Context(), table); err != nil {
		t.Fatal(err)
	}
	var items []models.Item
	for i := range 20 {
		items = append(items, item(attrs{"id": string(rune('a' + i)), "text": strings.Repeat("x", 100)}))
	}
	if err := stored.Put(t.Context(), c.Writer(), table.Name, items); err != nil {
		t.Fatal(err)
	}
	return line, c
}

// reads contains a read of each kind, which returns the number of results.
var reads = map[string]func(ctx context.Context, r store.Reader) (int, error){
	"Scan": func(ctx context.Context, r store.Reader) (int, error) {
		p, err := r.Fetch(ctx, accesspatterns.Leg{Scan: &dynamodb.ScanInput{TableName: aws.String("orders")}}, nil, 0)
		return len(p.Items), err
	},
	"BatchGet": func(ctx context.Context, r store.Reader) (int, error) {
		found, err := batchGet(ctx, r, "orders", []models.Item{item(attrs{"id": "a"}), item(attrs{"id": "b"})})
		return len(found), err
	},
	"DescribeTable": func(ctx context.Context, r store.Reader) (int, error) {
		info, err := r.DescribeTable(ctx, "orders")
		return len(info.PartitionKey.Name), err
	},
	"Tables": func(ctx context.Context, r store.Reader) (int, error) {
		names, err := r.Tables(ctx)
		return len(names), err
	},
}

// classOf returns the class of the error for a permanent fault.
func classOf(f *faults.Fault) store.Class {
	switch f.Kind {
	case faults.Failing:
		return store.Service
	case faults.Throttling:
		return store.Throttled
	case faults.Denied:
		return store.AccessDenied
	case faults.OtherServer:
		return store.Captive
	case faults.Credentials:
		if f.Name == "expired token" {
			return store.ExpiredCredentials
		}
		return store.NoCredentials
	default:
		return store.Unreachable
	}
}

// isSurvivable reports whether reads succeed during a permanent fault, after a delay or with a corrected clock.
func isSurvivable(f *faults.Fault) bool { return f.Kind == faults.Slow || f.Name == "wrong clock" }

func TestReadsUnderEveryFault(t *testing.T) {
	for _, f := range faults.All() {
		if f.Name == "endless answer" || f.Name == "transaction in progress" {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				line, c := faultyConnection(t)
				for name, read := range reads {
					if f.Name != "unprocessed keys" || name == "BatchGet" {
						readUnderFault(t, name, line, f, c.Reader(), read)
					}
				}
			})
		})
	}
}

// readUnderFault reads once with a transient fault, and once with a permanent one.
func readUnderFault(t *testing.T, name string, line *faults.Connection, f *faults.Fault, r store.Reader,
	read func(context.Context, store.Reader) (int, error),
) {
	line.Set(nil)
	want, err := read(t.Context(), r)
	if err != nil || want == 0 {
		t.Fatal(name, want, err)
	}
	retried := 0
	ctx := store.WithTrace(t.Context(), store.Trace{Retried: func(store.Retry) { retried++ }})

	line.Set(faults.First(1, f))
	once, err := read(ctx, r)
	switch repeated := len(line.Calls()) > 1; {
	case repeated && (err != nil || once != want):
		t.Errorf(name+": after one fault: %d, %v", once, err)
	case repeated && retried == 0:
		t.Error(name, "reported no retry")
	case err != nil && store.ClassOf(err) != classOf(f):
		t.Errorf(name+": after one fault: %q: %v", store.ClassOf(err), err)
	}

	line.Set(faults.Always(f))
	start := time.Now()
	got, err := read(ctx, r)
	took := time.Since(start)
	if isSurvivable(f) {
		if err != nil || got != want {
			t.Errorf(name+": got %d, %v", got, err)
		}
		return
	}
	if got != 0 || store.ClassOf(err) != classOf(f) {
		t.Errorf(name+": %q (want %q): %v", store.ClassOf(err), classOf(f), err)
	}
	if took > 40*time.Second {
		t.Errorf(name+": given up after %s", took)
	}
	checkSentence(t, err)
}

// checkSentence fails unless the error explains the fix.
func checkSentence(t *testing.T, err error) {
	t.Helper()
	storeErr, ok := err.(*store.Error) //nolint:errorlint // The store wraps its errors in nothing.
	if !ok || storeErr.Problem == "" || storeErr.Advice == "" || strings.Contains(err.Error(), "\n") {
		t.Errorf("the error has no advice: %v", err)
	}
}

// A response that makes progress has no time limit.
func TestSlowResponsesAreRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		line, c := faultyConnection(t)
		line.Set(faults.Always(faults.Rate(1, 9*time.Second)))
		start := time.Now()
		if n, err := reads["Tables"](t.Context(), c.Reader()); err != nil || n != 1 {
			t.Errorf("got %d, %v", n, err)
		}
		if took := time.Since(start); took < 3*time.Minute {
			t.Errorf("the response took only %s, want at least 3m", took)
		}
	})
}

// A canceled request ends immediately, even during a fault.
func TestCancelUnderEveryFault(t *testing.T) {
	for _, f := range faults.All() {
		t.Run(f.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				line, c := faultyConnection(t)
				line.Set(faults.Always(f))
				for _, after := range []time.Duration{0, time.Millisecond, 40 * time.Millisecond, 700 * time.Millisecond, 3 * time.Second} {
					if f.Name == "endless answer" && after > 0 {
						continue // This needs real time.
					}
					ctx, cancel := context.WithCancel(t.Context())
					time.AfterFunc(after, cancel)
					start := time.Now()
					_, err := reads["Scan"](ctx, c.Reader())
					took := time.Since(start)
					cancel()
					if took > after {
						t.Errorf("canceled after %s, ended after %s: %v", after, took, err)
					}
				}
			})
		})
	}
}
