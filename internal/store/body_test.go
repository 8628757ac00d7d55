package store

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestStalledBodyFails(t *testing.T) {
	hold := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "begun")
		if err := http.NewResponseController(w).Flush(); err != nil {
			t.Error(err)
		}
		<-hold
	}))
	defer server.Close()
	defer close(hold)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := newHTTPClient().Do(r) //nolint:bodyclose // The steady body closes it.
	if err != nil {
		t.Fatal(err)
	}
	b := &steadyBody{body: resp.Body, cancel: cancel, timer: newStallTimer(cancel), within: 20 * time.Millisecond, left: maxAnswer}
	defer closeBody(t, b)
	got, err := io.ReadAll(b)
	if string(got) != "begun" || !errors.Is(err, stallError{begun: true}) || errors.Is(err, context.Canceled) {
		t.Errorf("read %q, %v", got, err)
	}
	if class := classify(t.Context(), err); class != Unreachable || attempts(class, err, true) != 1 || attempts(class, err, false) != 2 {
		t.Errorf("it is %s", class)
	}
}

func TestEndlessBodyFails(t *testing.T) {
	none := func() {}
	body := io.NopCloser(strings.NewReader(strings.Repeat("x", 2000)))
	b := &steadyBody{body: body, cancel: none, timer: newStallTimer(none), within: time.Second, left: 1000}
	defer closeBody(t, b)
	got, err := io.ReadAll(b)
	if len(got) < 1000 || len(got) > 1512 || !errors.Is(err, errTooLarge) {
		t.Errorf("read %d bytes, %v", len(got), err)
	}
	if class := classify(t.Context(), err); class != Captive {
		t.Errorf("it is %s", class)
	}
}

func closeBody(t *testing.T, b io.Closer) {
	t.Helper()
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}
