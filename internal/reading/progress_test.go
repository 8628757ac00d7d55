package reading_test

import (
	"bytes"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// throttling throttles the first request and returns no items for later requests.
type throttling struct{ calls int }

func (t *throttling) Do(r *http.Request) (*http.Response, error) {
	t.calls++
	status, body := http.StatusOK, `{"ConsumedCapacity":{"TableName":"t","CapacityUnits":0.5}}`
	if t.calls == 1 {
		status, body = http.StatusBadRequest, `{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException","message":"slow down"}`
	}
	return &http.Response{
		StatusCode: status, Request: r, Body: io.NopCloser(bytes.NewBufferString(body)),
		Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
	}, nil
}

func TestProgressNamesReasonForDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := profiles.Open("authbridge", nil)
		if err != nil {
			t.Fatal(err)
		}
		conn, err := store.Connect(t.Context(), store.Options{Embedded: &throttling{}})
		if err != nil {
			t.Fatal(err)
		}
		s := workspace.New(session.Options{Profile: p, Store: conn.Reader(), StateDir: filepath.Join(t.TempDir(), "state")})
		q, err := s.Reading.Pattern("get-verification")
		if err != nil {
			t.Fatal(err)
		}
		run, err := s.Reading.Start(q, map[string]string{"verificationId": "ver_1"}, reading.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var progress reading.Progress
		done := make(chan error, 1)
		go func() {
			_, err := run.Next(progress.Watch(t.Context()))
			done <- err
		}()
		synctest.Wait()
		if reason := progress.Retrying(); !strings.Contains(reason, "throttled") {
			t.Errorf("while waiting: got %q, want the reason", reason)
		}
		time.Sleep(time.Minute)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if n, capacity := progress.Requests(); n != 1 || capacity != 0.5 || progress.Retrying() != "" {
			t.Errorf("got %d requests, %g units, %q", n, capacity, progress.Retrying())
		}
	})
}

func TestProgressText(t *testing.T) {
	for want, f := range map[string]reading.Figures{
		"1,200 items · 3 pages · 12.5 RCU, 6.3/s": {Rows: 1200, Scanned: 1200, Pages: 3, Capacity: 12.5, Rate: 6.25},
		"25% · 10 items of 1,000 scanned · about 1m30s left · 2 of 4 segments · 1 page · " +
			"8 RCU, 4/s of 5 · waiting for the budget · throttled 1 time": {
			Rows: 10, Scanned: 1000, Pages: 1, Capacity: 8, Rate: 4, Budget: 5, Share: 0.25, Remaining: 90 * time.Second,
			Segments: 4, SegmentsDone: 2,
			Waiting: true, Throttled: 1,
		},
		"1,200 items · 3 pages": {Rows: 1200, Scanned: 1200, Pages: 3}, // the server does not report capacity
	} {
		if got := f.String(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
