package faults_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/internal/testing/faults"
)

// server counts the requests and answers them.
type server struct{ arrived int }

const text = `{"Items":[],"Count":0,"ScannedCount":0,"ConsumedCapacity":{"TableName":"orders","CapacityUnits":0.5}}`

func (s *server) Do(r *http.Request) (*http.Response, error) {
	s.arrived++
	rec := httptest.NewRecorder()
	_, _ = io.WriteString(rec, text)
	resp := rec.Result()
	resp.Request, resp.ContentLength = r, int64(len(text))
	return resp, nil
}

func request(t *testing.T, url, operation string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(`{"RequestItems":{"orders":{"Keys":[]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	return r
}

// operation returns an operation to which the fault applies.
func operation(f *faults.Fault) string {
	switch f.Name {
	case "transaction in progress":
		return "TransactWriteItems"
	case "unprocessed keys":
		return "BatchGetItem"
	}
	return "UpdateItem"
}

// Tests of writes rely on Done, so it must state whether the server processed the request.
func TestFaultsRecordServersEffect(t *testing.T) {
	for _, f := range faults.All() {
		t.Run(f.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &server{}
				line := faults.New(s)
				line.Set(faults.Always(f))
				r := request(t, "http://db.invalid", operation(f))
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				resp, err := line.Do(r.WithContext(ctx)) //nolint:bodyclose // The body has no connection.
				whole := ""
				if err == nil {
					var read []byte
					read, err = io.ReadAll(io.LimitReader(resp.Body, 1<<20))
					whole = string(read)
				}
				if got := s.arrived == 1; got != f.Done {
					t.Errorf("the request arrived: %v, want %v", got, f.Done)
				}
				succeeded := err == nil && resp.StatusCode == 200 && whole == text && resp.Header.Get("X-Amz-Crc32") == ""
				if succeeded != (f.Kind == faults.Slow) {
					t.Errorf("a %s fault returned %v and %.60q", f.Kind, err, whole)
				}
				calls := line.Calls()
				if len(calls) != 1 || calls[0].Arrived != f.Done || calls[0].Fault != f.Name || calls[0].Operation != operation(f) {
					t.Errorf("got recorded calls %+v", calls)
				}
			})
		})
	}
}

// On a real connection, each fault is also a failure for the client.
func TestFaultsOnConnection(t *testing.T) {
	s := &server{}
	line := faults.New(s)
	srv := httptest.NewServer(line)
	defer srv.Close()
	for _, f := range faults.OfKinds(faults.Broken, faults.Failing, faults.Throttling, faults.Denied, faults.OtherServer) {
		if f.Name == "endless answer" {
			continue
		}
		line.Set(faults.Always(f))
		client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		resp, err := client.Do(request(t, srv.URL, operation(f)))
		var got []byte
		if err == nil {
			got, err = io.ReadAll(resp.Body)
			if closing := resp.Body.Close(); closing != nil {
				t.Fatal(closing)
			}
		}
		if err == nil && resp.StatusCode == 200 && string(got) == text && resp.Header.Get("X-Amz-Crc32") == "" {
			t.Errorf("the client did not notice %s", f)
		}
		client.CloseIdleConnections()
	}
	line.Set(nil)
	resp, err := http.DefaultClient.Do(request(t, srv.URL, "Query"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got, err := io.ReadAll(resp.Body); err != nil || string(got) != text {
		t.Errorf("without faults: got %q, %v", got, err)
	}
}

func TestScriptsSelectRequestsThatFail(t *testing.T) {
	f := faults.Named("refused")
	for name, test := range map[string]struct {
		script faults.Script
		want   string // of Query, UpdateItem, Query, UpdateItem, Query, UpdateItem; x means the fault
	}{
		"always": {faults.Always(f), "xxxxxx"},
		"first":  {faults.First(2, f), "xx...."},
		"after":  {faults.After(2, f), "..xxxx"},
		"nth":    {faults.Nth(2, f), ".x...."},
		"only":   {faults.Only(faults.Always(f), "Query"), "x.x.x."},
		"writes": {faults.Writes(faults.Nth(2, f)), "...x.."},
		"reads":  {faults.Reads(faults.After(1, f)), "..x.x."},
	} {
		line := faults.New(&server{})
		line.Set(test.script)
		got := ""
		for i := range 6 {
			//nolint:bodyclose // The body has no connection.
			_, err := line.Do(request(t, "http://db.invalid", []string{"Query", "UpdateItem"}[i%2]))
			got += map[bool]string{true: "x", false: "."}[err != nil]
		}
		if got != test.want {
			t.Errorf("%s: got %s, want %s", name, got, test.want)
		}
	}
}

func TestRandomFaultsAreRepeatable(t *testing.T) {
	run := func(seed uint64) []string {
		line := faults.New(&server{})
		line.Set(faults.Random(seed, 0.5, faults.OfKinds(faults.Failing, faults.Throttling)))
		for range 50 {
			_, _ = line.Do(request(t, "http://db.invalid", "Query")) //nolint:bodyclose // The body has no connection.
		}
		var names []string
		for _, c := range line.Calls() {
			names = append(names, c.Fault)
		}
		return names
	}
	if diff := cmp.Diff(run(7), run(7)); diff != "" {
		t.Error(diff)
	}
	if cmp.Equal(run(7), run(8)) {
		t.Error("two seeds give the same faults")
	}
}
