package store_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/store"
)

// lookBack returns the keys of the records that a number of requests have, and from when they are complete, after the start.
func (f *followed) lookBack(requests int) (ids []string, complete time.Duration, more bool) {
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

// Each shard has one record: that of a split shard and that of one of its halves are closed, the other half and its child are
// open or empty.
func TestLookbackReadsTheNewestShardsFirst(t *testing.T) {
	f := newFollowed(t)
	began := f.now
	hours := map[string]int{"root": 1, "left": 5, "child": 9}
	shard := func(id, parent, end string) string {
		return fmt.Sprintf(`{"ShardId":%q,"ParentShardId":%q,"SequenceNumberRange":{"StartingSequenceNumber":"1"%s}}`, id, parent, end)
	}
	const closed = `,"EndingSequenceNumber":"9"`
	f.before = func(operation string) *http.Response {
		if operation == "DescribeStream" {
			return answer(http.StatusOK, fmt.Sprintf(`{"StreamDescription":{"CreationRequestDateTime":%d,"Shards":[%s]}}`, began.Unix(),
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
					"Keys":{"PK":{"S":%q}}}}`, began.Add(time.Duration(hour)*time.Hour).Unix(), id)
			}
			if id == "root" || id == "left" {
				next = ""
			}
			return answer(http.StatusOK, fmt.Sprintf(`{"Records":[%s]%s}`, record, next))
		}
		return nil
	}
	f.now = began.Add(10 * time.Hour)
	// An open shard takes a response with its record, and those that are its end. "right" has no record.
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
			t.Errorf("%d requests: %s, complete after %s, more: %t", c.requests, got, complete, more)
		}
	}
	f.now = began.Add(27 * time.Hour)
	if _, complete, _ := f.lookBack(100); complete != 3*time.Hour {
		t.Errorf("complete after %s, a stream keeps 24 hours", complete)
	}
}

// DynamoDB returns empty responses before the end of a shard.
func TestLookbackReadsPastEmptyResponses(t *testing.T) {
	f := newFollowed(t)
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
		t.Errorf("%v", ids)
	}
}

func TestLookbackNeedsAStream(t *testing.T) {
	f := newFollowed(t)
	if _, err := f.conn.Reader().Lookback(t.Context(), "missing"); store.ClassOf(err) != store.TableMissing {
		t.Errorf("%v", err)
	}
}
