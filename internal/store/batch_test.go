package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

var discard = log.New(io.Discard, "", 0)

// A partial store does at most some of each batch.
type partial struct {
	t     *testing.T
	does  int // of each batch
	sizes []int
	done  int
}

// Do implements store.Doer for BatchWriteItem.
func (p *partial) Do(r *http.Request) (*http.Response, error) {
	var in struct {
		RequestItems map[string][]json.RawMessage
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		p.t.Error(err)
	}
	batch := in.RequestItems["orders"]
	p.sizes = append(p.sizes, len(batch))
	n := min(p.does, len(batch))
	p.done += n
	rest := map[string][]json.RawMessage{}
	if n < len(batch) {
		rest["orders"] = batch[n:]
	}
	out, err := json.Marshal(map[string]any{"UnprocessedItems": rest})
	if err != nil {
		p.t.Error(err)
	}
	return answer(200, string(out)), nil
}

func some(n int) []models.Item {
	items := make([]models.Item, n)
	for i := range items {
		items[i] = item(attrs{"PK": fmt.Sprint(i)})
	}
	return items
}

func TestPutItemsUntilAllAreDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 25, 50, 60} {
			p := &partial{t: t, does: 10}
			if err := connect(t, p).Admin().PutItems(t.Context(), "orders", some(n)); err != nil {
				t.Fatal(err)
			}
			if p.done != n {
				t.Errorf("%d of %d items put", p.done, n)
			}
			for _, size := range p.sizes {
				if size == 0 || size > 25 {
					t.Errorf("a batch of %d", size)
				}
			}
		}
	})
}

func TestPutItemsStopsAfterRepeatedThrottling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &partial{t: t}
		err := connect(t, p).Admin().PutItems(t.Context(), "orders", some(30))
		want := "BatchWriteItem on table orders was throttled; wait a moment, or raise the table's capacity"
		if store.ClassOf(err) != store.Throttled || err.Error() != want {
			t.Errorf("got %v", err)
		}
		if len(p.sizes) != 8 {
			t.Errorf("%d rounds", len(p.sizes))
		}
	})
}

func TestPutItemsRejectsAnInvalidResponse(t *testing.T) {
	err := connect(t, doer(func(*http.Request) (*http.Response, error) { return answer(200, `{"ok":true}`), nil })).
		Admin().PutItems(t.Context(), "orders", some(1))
	if store.ClassOf(err) != store.Captive {
		t.Errorf("got %v", err)
	}
}

func TestBatchGetUntilAllAreRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := doer(func(r *http.Request) (*http.Response, error) {
			var in struct {
				RequestItems map[string]struct{ Keys []json.RawMessage }
			}
			if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
				t.Error(err)
			}
			keys := in.RequestItems["orders"].Keys
			if len(keys) > 100 {
				t.Errorf("%d keys in a request", len(keys))
			}
			n := min(7, len(keys))
			out := map[string]any{
				"Responses":        map[string]any{"orders": keys[:n]},
				"UnprocessedKeys":  map[string]any{},
				"ConsumedCapacity": []any{map[string]any{"TableName": "orders", "CapacityUnits": n}},
			}
			if n < len(keys) {
				out["UnprocessedKeys"] = map[string]any{"orders": map[string]any{"Keys": keys[n:]}}
			}
			body, err := json.Marshal(out)
			if err != nil {
				t.Error(err)
			}
			return answer(200, string(body)), nil
		})
		ctx, sum := summing(t.Context())
		got, err := batchGet(ctx, connect(t, d).Reader(), "orders", some(130))
		if err != nil || len(got) != 130 {
			t.Fatalf("%d items, %v", len(got), err)
		}
		for i, want := range texts(some(130), "PK") {
			if pk, _ := got[i].Text("PK"); pk != want {
				t.Fatalf("item %d is %s", i, pk)
			}
		}
		if sum.requests < 19 || sum.units != 130 || sum.retries == 0 {
			t.Errorf("usage is %+v", sum)
		}
	})
}

// A usage is what the requests of a context cost.
type usage struct {
	requests, retries int
	units             float64
}

// summing returns a context that sums what its requests cost.
func summing(ctx context.Context) (context.Context, *usage) {
	var sum usage
	return store.WithTrace(ctx, store.Trace{
		Called:  func(c store.Call) { sum.requests++; sum.units += c.Capacity },
		Retried: func(store.Retry) { sum.retries++ },
	}), &sum
}

func TestNestedTracesReceiveEveryCall(t *testing.T) {
	r := connect(t, doer(func(*http.Request) (*http.Response, error) {
		return answer(200, `{"Items":[],"ConsumedCapacity":{"TableName":"orders","CapacityUnits":2.5}}`), nil
	})).Reader()
	outer, one := summing(t.Context())
	inner, two := summing(outer)
	for range 3 {
		if _, err := r.Fetch(inner, leg(), nil, 0); err != nil {
			t.Fatal(err)
		}
	}
	if want := (usage{requests: 3, units: 7.5}); *one != want || *two != want {
		t.Errorf("got %+v and %+v, want %+v", *one, *two, want)
	}
}

func TestTablesReadsEveryPage(t *testing.T) {
	pages := []string{
		`{"TableNames":["a","b"],"LastEvaluatedTableName":"b"}`, `{"TableNames":["c"],"LastEvaluatedTableName":"c"}`, `{"TableNames":[]}`,
	}
	names, err := connect(t, doer(func(*http.Request) (*http.Response, error) {
		page := pages[0]
		pages = pages[1:]
		return answer(200, page), nil
	})).Reader().Tables(t.Context())
	if err != nil || fmt.Sprint(names) != "[a b c]" {
		t.Errorf("got %v, %v", names, err)
	}
}
