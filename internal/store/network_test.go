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
	"time"

	"github.com/ddbdesk/ddbdesk/internal/store"
)

func dialed(t *testing.T, url string) store.Reader {
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
	_, err = dialed(t, url).Fetch(t.Context(), leg(), nil, 0)
	want := "cannot reach " + url + ": connection refused; is the server running?"
	if store.ClassOf(err) != store.Unreachable || err.Error() != want {
		t.Errorf("got %v", err)
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("took %s", took)
	}
}

func TestBrokenConnectionIsReplaced(t *testing.T) {
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		switch requests.Add(1) {
		case 1: // no answer at all
			panic(http.ErrAbortHandler)
		case 2: // half an answer
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, `{"Items":[{"PK":`)
		default:
			fmt.Fprint(w, `{"Items":[{"PK":{"S":"x"}}],"Count":1,"ScannedCount":1}`)
		}
	}))
	defer server.Close()
	ctx, sum := summing(t.Context())
	page, err := dialed(t, server.URL).Fetch(ctx, leg(), nil, 0)
	if err != nil || page.Count != 1 {
		t.Fatalf("got %+v, %v", page, err)
	}
	if sum.requests != 1 || sum.retries != 2 {
		t.Errorf("usage is %+v", sum)
	}
}

func TestWebServerOnThePort(t *testing.T) {
	for _, status := range []int{200, 302, 403, 404} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Location", "/login")
			w.WriteHeader(status)
			fmt.Fprint(w, "<!doctype html><html>log in</html>")
		}))
		_, err := dialed(t, server.URL).Fetch(t.Context(), leg(), nil, 0)
		if store.ClassOf(err) != store.Captive || !strings.HasSuffix(err.Error(), "is that DynamoDB? Check the endpoint URL") {
			t.Errorf("status %d: %v", status, err)
		}
		server.Close()
	}
}

func TestWrongScheme(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	_, err := dialed(t, strings.Replace(server.URL, "http:", "https:", 1)).Fetch(t.Context(), leg(), nil, 0)
	if store.ClassOf(err) != store.Unreachable || !strings.HasSuffix(err.Error(), "use http:// in the endpoint URL") {
		t.Errorf("got %v", err)
	}
}

func TestUntrustedCertificate(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = discard
	server.StartTLS()
	defer server.Close()
	_, err := dialed(t, server.URL).Fetch(t.Context(), leg(), nil, 0)
	if store.ClassOf(err) != store.Unreachable || !strings.Contains(err.Error(), "certificate is not trusted; set AWS_CA_BUNDLE") {
		t.Errorf("got %v", err)
	}
}

func TestCancelEndsTheWaitForAResponse(t *testing.T) {
	arrived, hold := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(arrived)
		<-hold
	}))
	defer server.Close()
	defer close(hold)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	reader := dialed(t, server.URL)
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
		t.Errorf("came back after %s", took)
	}
}

// A server may respond before it has read the request, and the rest of the request must still
// be sent on the connection.
func TestResponseBeforeTheRequestIsReadIsReturned(t *testing.T) {
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
		t.Errorf("%d of %d bytes are left to be sent: %v", len(sent), late.ContentLength, err)
	}
}
