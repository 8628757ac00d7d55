package store_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/stored"
	"github.com/ddbdesk/ddbdesk/models"
)

// streamFixture is a database with a stream, whose clock the test sets.
type streamFixture struct {
	t     *testing.T
	now   time.Time
	conn  *store.Connection
	table *models.Table
	// before runs before each request and gets its operation. A response that it returns replaces the database's.
	before func(operation string) *http.Response
	// answer is like before, and also gets the body.
	answer func(operation string, body []byte) *http.Response
}

func newStreamFixture(t *testing.T) *streamFixture {
	t.Helper()
	f := &streamFixture{t: t, now: time.Date(2026, 11, 24, 10, 0, 0, 0, time.UTC)}
	db, err := embedded.Open(embedded.Options{Path: t.TempDir(), NoSync: true, Clock: func() time.Time { return f.now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	serve := doer(func(r *http.Request) (*http.Response, error) {
		_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
		if f.before != nil {
			if resp := f.before(operation); resp != nil {
				return resp, nil
			}
		}
		if f.answer != nil {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return nil, err
			}
			if resp := f.answer(operation, body); resp != nil {
				return resp, nil
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		return db.Do(r)
	})
	f.conn, err = store.Connect(t.Context(), store.Options{Embedded: serve, Clock: func() time.Time { return f.now }})
	if err != nil {
		t.Fatal(err)
	}
	f.table = &models.Table{ID: "notes", Name: "notes", PartitionKey: models.Key{Name: "PK", Type: models.TypeS}, Stream: models.StreamBoth}
	if err := f.conn.Admin().CreateTable(t.Context(), f.table); err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *streamFixture) put(ids ...string) {
	f.t.Helper()
	for _, id := range ids {
		if err := stored.Put(f.t.Context(), f.conn.Writer(), "notes", []models.Item{{"PK": models.StringValue(id)}}); err != nil {
			f.t.Fatal(err)
		}
	}
}

func (f *streamFixture) follow(since time.Time) store.Follower {
	f.t.Helper()
	follower, err := f.conn.Reader().Follow(f.t.Context(), "notes", since)
	if err != nil {
		f.t.Fatal(err)
	}
	return follower
}

// next returns the keys of the next records, and whether records are missing before them.
func (f *streamFixture) next(follower store.Follower) (ids []string, gap bool) {
	f.t.Helper()
	records, gap, err := follower.Next(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	for _, r := range records {
		id, _ := r.Keys.Text("PK")
		ids = append(ids, id)
	}
	return ids, gap
}

func TestFollowReadsEachChangeOnce(t *testing.T) {
	f := newStreamFixture(t)
	f.put("old")
	fromNow, fromStart := f.follow(time.Time{}), f.follow(f.now.Add(-time.Hour))
	for i, want := range [][]string{nil, {"a", "b"}, nil, {"c"}} {
		f.put(want...)
		if got, _ := f.next(fromNow); !slices.Equal(got, want) {
			t.Errorf("read %d from now: got %v, want %v", i, got, want)
		}
		if i == 0 {
			want = []string{"old"}
		}
		if got, _ := f.next(fromStart); !slices.Equal(got, want) {
			t.Errorf("read %d from an hour ago: got %v, want %v", i, got, want)
		}
		f.now = f.now.Add(time.Minute)
	}
}

func TestFollowOmitsEarlierChanges(t *testing.T) {
	f := newStreamFixture(t)
	f.put("a")
	f.now = f.now.Add(2 * time.Hour)
	f.put("b")
	if got, gap := f.next(f.follow(f.now.Add(-time.Hour))); !slices.Equal(got, []string{"b"}) || gap {
		t.Errorf("got %v, gap %t, want b", got, gap)
	}
}

// While a computer sleeps, its iterators expire.
func TestFollowContinuesAfterIteratorsExpired(t *testing.T) {
	for _, first := range [][]string{nil, {"a"}} {
		f := newStreamFixture(t)
		f.put("before")
		f.now = f.now.Add(time.Minute)
		follower := f.follow(time.Time{})
		f.next(follower)
		f.put(first...)
		f.next(follower)
		f.now = f.now.Add(time.Hour)
		f.put("b")
		if got, gap := f.next(follower); !slices.Equal(got, []string{"b"}) || gap {
			t.Errorf("after %v: got %v, gap %t", first, got, gap)
		}
	}
}

func TestFollowReportsTrimmedChanges(t *testing.T) {
	f := newStreamFixture(t)
	follower := f.follow(time.Time{})
	f.next(follower)
	f.put("a")
	f.next(follower)
	f.put("lost")
	f.now = f.now.Add(25 * time.Hour)
	f.put("b")
	if got, gap := f.next(follower); !slices.Equal(got, []string{"b"}) || !gap {
		t.Errorf("got %v, gap %t, want b and a gap", got, gap)
	}
	f.put("c")
	if got, gap := f.next(follower); !slices.Equal(got, []string{"c"}) || gap {
		t.Errorf("got %v, gap %t, want c", got, gap)
	}
}

func TestFollowSurvivesThrottlingAndErrors(t *testing.T) {
	f := newStreamFixture(t)
	follower := f.follow(f.now)
	f.put("a")
	throttled := 0
	f.before = func(operation string) *http.Response {
		if operation != "GetRecords" || throttled == 2 {
			return nil
		}
		throttled++
		return failing(http.StatusBadRequest, "ThrottlingException", "Rate exceeded")
	}
	if got, _ := f.next(follower); !slices.Equal(got, []string{"a"}) {
		t.Errorf("after throttling: got %v", got)
	}
	f.put("b")
	f.before = func(operation string) *http.Response {
		return failing(http.StatusBadRequest, "AccessDeniedException", "not authorized to perform: dynamodb:"+operation)
	}
	if _, _, err := follower.Next(t.Context()); store.ClassOf(err) != store.AccessDenied {
		t.Errorf("without permission: got %v", err)
	}
	f.before = nil
	if got, _ := f.next(follower); !slices.Equal(got, []string{"b"}) {
		t.Errorf("after the error: got %v", got)
	}
}

// If a shard splits, the follower reads the shard before its children, and each change once.
func TestFollowReadsParentsBeforeChildren(t *testing.T) {
	shard := func(id, parent string, closed bool) string {
		end := ""
		if closed {
			end = `,"EndingSequenceNumber":"9"`
		}
		return fmt.Sprintf(`{"ShardId":%q,"ParentShardId":%q,"SequenceNumberRange":{"StartingSequenceNumber":"1"%s}}`, id, parent, end)
	}
	f := newStreamFixture(t)
	shards := []string{shard("left", "root", false), shard("right", "root", false), shard("root", "", true)}
	at := ""
	f.before = func(operation string) *http.Response {
		switch operation {
		case "DescribeStream":
			return answer(http.StatusOK, `{"StreamDescription":{"Shards":[`+strings.Join(shards, ",")+`]}}`)
		case "GetShardIterator":
			return answer(http.StatusOK, `{"ShardIterator":"it"}`)
		case "GetRecords":
			at += "x"
			next := map[string]string{"x": ``}[at]
			if len(at) > 1 {
				next = `,"NextShardIterator":"it"`
			}
			return answer(http.StatusOK, fmt.Sprintf(`{"Records":[{"eventName":"INSERT","dynamodb":{"ApproximateCreationDateTime":%d,
				"SequenceNumber":"%d","Keys":{"PK":{"S":"%s"}}}}]%s}`, f.now.Unix(), len(at), at, next))
		}
		return nil
	}
	follower := f.follow(f.now)
	if got, _ := f.next(follower); !slices.Equal(got, []string{"x"}) {
		t.Errorf("the parent: got %v", got)
	}
	if got, _ := f.next(follower); !slices.Equal(got, []string{"xx", "xxx"}) {
		t.Errorf("the children: got %v", got)
	}
}

// A follower with a start time reports more changes until it has read past older records, ended shards and empty
// responses.
func TestFollowReportsMoreUntilItCaughtUp(t *testing.T) {
	f := newStreamFixture(t)
	record := func(n int, at time.Time) string {
		return fmt.Sprintf(`{"eventName":"INSERT","dynamodb":{"ApproximateCreationDateTime":%d,"SequenceNumber":"%d","Keys":{"PK":{"S":"%[2]d"}}}}`,
			at.Unix(), n)
	}
	answers := []string{
		`{"Records":[` + record(1, f.now.Add(-time.Hour)) + `],"NextShardIterator":"it"}`, `{"Records":[]}`, // the parent
		`{"Records":[],"NextShardIterator":"it"}`, `{"Records":[` + record(2, f.now) + `],"NextShardIterator":"it"}`,
	}
	f.before = func(operation string) *http.Response {
		switch operation {
		case "DescribeStream":
			return answer(http.StatusOK, `{"StreamDescription":{"Shards":[{"ShardId":"parent","SequenceNumberRange":{"EndingSequenceNumber":"9"}},
				{"ShardId":"child","ParentShardId":"parent"}]}}`)
		case "GetShardIterator":
			return answer(http.StatusOK, `{"ShardIterator":"it"}`)
		case "GetRecords":
			text := `{"Records":[],"NextShardIterator":"it"}`
			if len(answers) > 0 {
				text, answers = answers[0], answers[1:]
			}
			return answer(http.StatusOK, text)
		}
		return nil
	}
	follower := f.follow(f.now)
	var all []string
	reads := 0
	for more := true; more && reads < 100; more = follower.More() {
		ids, _ := f.next(follower)
		all, reads = append(all, ids...), reads+1
	}
	if !slices.Equal(all, []string{"2"}) || reads != 7 {
		t.Errorf("got %v in %d reads, want 2 in 7", all, reads)
	}
	answers = []string{`{"Records":[` + record(3, f.now) + `],"NextShardIterator":"it"}`}
	if ids, _ := f.next(follower); !slices.Equal(ids, []string{"3"}) || !follower.More() {
		t.Errorf("after a new record: got %v, more %t", ids, follower.More())
	}
	if _, _ = f.next(follower); follower.More() {
		t.Error("after an empty response: got more, want none")
	}
}

func TestFollowNeedsStream(t *testing.T) {
	f := newStreamFixture(t)
	other := *f.table
	other.Name, other.Stream = "plain", ""
	if err := f.conn.Admin().CreateTable(t.Context(), &other); err != nil {
		t.Fatal(err)
	}
	_, err := f.conn.Reader().Follow(t.Context(), "plain", time.Time{})
	if store.ClassOf(err) != store.StreamOff || !strings.HasPrefix(err.Error(), "table plain has no stream; ") {
		t.Errorf("got %v, want an error about the stream", err)
	}
	if err := f.conn.Admin().EnableStream(t.Context(), "plain", models.StreamKeys); err != nil {
		t.Fatal(err)
	}
	follower, err := f.conn.Reader().Follow(context.Background(), "plain", time.Time{})
	if err != nil || follower.View() != models.StreamKeys {
		t.Errorf("got %v, want a view of the keys", err)
	}
	if _, err := f.conn.Reader().Follow(t.Context(), "missing", time.Time{}); store.ClassOf(err) != store.TableMissing {
		t.Errorf("a missing table: got %v", err)
	}
}

// lookBack returns the keys found by some requests, the time from which they are complete, and whether more exist.
func (f *streamFixture) lookBack(requests int) (ids []string, complete time.Duration, more bool) {
	f.t.Helper()
	b, err := f.conn.Reader().Lookback(f.t.Context(), "notes")
	if err != nil {
		f.t.Fatal(err)
	}
	for ; requests > 0 && b.More(); requests-- {
		records, err := b.Next(f.t.Context())
		if err != nil {
			f.t.Fatal(err)
		}
		for _, r := range records {
			id, _ := r.Keys.Text("PK")
			ids = append(ids, id)
		}
	}
	return ids, b.Complete(f.now).Sub(time.Date(2026, 11, 24, 10, 0, 0, 0, time.UTC)), b.More()
}

// Each shard except the open "right" has one record. "root" was split into "left" and "right", and "left" into "child".
func TestLookbackReadsNewestShardsFirst(t *testing.T) {
	f := newStreamFixture(t)
	start := f.now
	hours := map[string]int{"root": 1, "left": 5, "child": 9}
	shard := func(id, parent, end string) string {
		return fmt.Sprintf(`{"ShardId":%q,"ParentShardId":%q,"SequenceNumberRange":{"StartingSequenceNumber":"1"%s}}`, id, parent, end)
	}
	const closed = `,"EndingSequenceNumber":"9"`
	f.before = func(operation string) *http.Response {
		if operation == "DescribeStream" {
			return answer(http.StatusOK, fmt.Sprintf(`{"StreamDescription":{"CreationRequestDateTime":%d,"Shards":[%s]}}`, start.Unix(),
				strings.Join([]string{
					shard("root", "gone", closed), shard("left", "root", closed), shard("right", "root", ""), shard("child", "left", ""),
				}, ",")))
		}
		return nil
	}
	f.answer = func(operation string, body []byte) *http.Response {
		var in struct{ ShardId, ShardIterator string } //nolint:revive // the service's spelling
		if err := json.Unmarshal(body, &in); err != nil {
			t.Fatal(err)
		}
		switch id := in.ShardIterator; operation {
		case "GetShardIterator":
			return answer(http.StatusOK, fmt.Sprintf(`{"ShardIterator":%q}`, in.ShardId))
		case "GetRecords":
			record, next := "", `,"NextShardIterator":"open"`
			if hour := hours[id]; hour > 0 {
				record = fmt.Sprintf(`{"eventName":"INSERT","dynamodb":{"ApproximateCreationDateTime":%d,"SequenceNumber":"1",
					"Keys":{"PK":{"S":%q}}}}`, start.Add(time.Duration(hour)*time.Hour).Unix(), id)
			}
			if id == "root" || id == "left" {
				next = ""
			}
			return answer(http.StatusOK, fmt.Sprintf(`{"Records":[%s]%s}`, record, next))
		}
		return nil
	}
	f.now = start.Add(10 * time.Hour)
	// An open shard takes one response with its record, and several empty ones until its end.
	for _, c := range []struct {
		requests int
		want     string
		complete time.Duration
	}{
		{1, "child", 34*time.Hour + time.Second},
		{4, "child", 34*time.Hour + time.Second},
		{7, "child", 9*time.Hour + time.Second},
		{8, "child left", 5*time.Hour + time.Second},
		{100, "child left root", 0},
	} {
		ids, complete, more := f.lookBack(c.requests)
		if got := strings.Join(ids, " "); got != c.want || complete != c.complete || more != (c.requests < 9) {
			t.Errorf("%d requests: got %s, complete after %s, more: %t", c.requests, got, complete, more)
		}
	}
	f.now = start.Add(27 * time.Hour)
	if _, complete, _ := f.lookBack(100); complete != 3*time.Hour {
		t.Errorf("complete after %s, want 3h", complete)
	}
}

// DynamoDB can return empty responses before the end of a shard.
func TestLookbackReadsPastEmptyResponses(t *testing.T) {
	f := newStreamFixture(t)
	f.put("a")
	answers := []string{"", "", `{"eventName":"INSERT","dynamodb":{"ApproximateCreationDateTime":1795000000,"SequenceNumber":"1",
		"Keys":{"PK":{"S":"a"}}}}`}
	f.before = func(operation string) *http.Response {
		switch operation {
		case "GetShardIterator":
			return answer(http.StatusOK, `{"ShardIterator":"it"}`)
		case "GetRecords":
			records := ""
			if len(answers) > 0 {
				records, answers = answers[0], answers[1:]
			}
			return answer(http.StatusOK, `{"Records":[`+records+`],"NextShardIterator":"it"}`)
		}
		return nil
	}
	if ids, _, _ := f.lookBack(100); !slices.Equal(ids, []string{"a"}) {
		t.Errorf("got %v, want a", ids)
	}
}

func TestLookbackNeedsStream(t *testing.T) {
	f := newStreamFixture(t)
	if _, err := f.conn.Reader().Lookback(t.Context(), "missing"); store.ClassOf(err) != store.TableMissing {
		t.Errorf("got %v, want a missing table", err)
	}
}
