package reading_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// A requestRecorder records the reads that a server receives.
type requestRecorder struct {
	store.Doer
	mu   sync.Mutex
	sent []accesspatterns.Explanation
}

func (l *requestRecorder) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	if !strings.HasPrefix(operation, "Describe") {
		l.mu.Lock()
		l.sent = append(l.sent, accesspatterns.Explanation{Operation: operation, Input: body})
		l.mu.Unlock()
	}
	return l.Doer.Do(r)
}

// explanation is a schema with the listener of its server.
type explanation struct {
	*fixture.Fixture
	listener *requestRecorder
}

// newExplanation opens the projected schema with its sample data.
func newExplanation(t *testing.T) explanation {
	t.Helper()
	return newExplanationOf(t, projected)
}

// newExplanationOf opens a schema with its sample data.
func newExplanationOf(t *testing.T, profile string) explanation {
	t.Helper()
	p, err := profiles.Load("told.yaml", []byte(profile), nil)
	if err != nil {
		t.Fatal(err)
	}
	l := &requestRecorder{Doer: fixture.Database(t)}
	f := fixture.NewOn(t, p, fixture.Connect(t, l))
	f.Create(t)
	f.Seed(t)
	return explanation{f, l}
}

// run runs a pattern to its end, and fails unless the explanation equals the received requests.
func (x explanation) run(t *testing.T, id string, args map[string]string) []models.Item {
	t.Helper()
	p, err := x.Workspace.Reading.Pattern(id)
	if err != nil {
		t.Fatal(err)
	}
	r, err := x.Workspace.Reading.Start(p, args, reading.RunOptions{Limit: 1000})
	if err != nil {
		t.Fatalf("%s with %v: %v", id, args, err)
	}
	x.listener.sent = nil
	page, err := r.Next(t.Context())
	if err != nil || page.More {
		t.Fatalf("%s with %v: %v, more: %v", id, args, err, page.More)
	}
	list := r.Explain()
	received := slices.Clone(x.listener.sent)
	if last := list[len(list)-1]; strings.Contains(string(last.Input), " of the row>") {
		// The explanation contains one request for all rows, because Explain does not have their keys.
		for i, e := range received {
			if e.Operation == last.Operation {
				received[i].Input = withKeysOf(t, e.Input, last.Input)
			}
		}
		received = slices.CompactFunc(received, func(a, b accesspatterns.Explanation) bool { return string(a.Input) == string(b.Input) })
	}
	if diff := cmp.Diff(values(t, list), values(t, received)); diff != "" {
		t.Errorf("%s with %v: explained and received differ (-explained +received):\n%s", id, args, diff)
	}
	return page.Items
}

// values counts equal requests, because requests that run in parallel have no order.
func values(t *testing.T, list []accesspatterns.Explanation) map[string]int {
	t.Helper()
	all := map[string]int{}
	for _, e := range list {
		var v map[string]any
		if err := json.Unmarshal(e.Input, &v); err != nil {
			t.Fatal(err)
		}
		delete(v, "Limit")            // the reader requests one item more than a page
		delete(v, "ScanIndexForward") // true is the default
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		all[e.Operation+" "+string(text)]++
	}
	return all
}

// withKeysOf returns the BatchGetItem input with the keys of another input.
func withKeysOf(t *testing.T, input, other json.RawMessage) json.RawMessage {
	t.Helper()
	type request struct{ RequestItems map[string]map[string]any }
	var a, b request
	var whole map[string]any
	for text, v := range map[*json.RawMessage]any{&input: &a, &other: &b} {
		if err := json.Unmarshal(*text, v); err != nil {
			t.Fatal(err)
		}
	}
	if err := json.Unmarshal(input, &whole); err != nil {
		t.Fatal(err)
	}
	for table := range a.RequestItems {
		a.RequestItems[table]["Keys"] = b.RequestItems[table]["Keys"]
	}
	whole["RequestItems"] = a.RequestItems
	out, err := json.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// samples returns the items of an entity.
func (x explanation) samples(t *testing.T, entity string) []sample.Item {
	t.Helper()
	var list []sample.Item
	for _, s := range x.Samples(t) {
		if s.Entity.Name == entity {
			list = append(list, s)
		}
	}
	return list
}

// sharded has keys with shards, digests and formatted times.
const sharded = `name: told
tables:
  t: {name: told, partition_key: PK, sort_key: SK, indexes: {ByMail: {partition_key: MPK, sort_key: at, projection: ALL}}}
entities:
  Order:
    table: t
    keys: {PK: "ORDERS#{id:crc32 mod 5}", SK: "{at}#{id}", MPK: "{mail:sha256}#{at:%Y/%m}"}
    attributes:
      id: {type: S, required: true, format: uuid}
      mail: {type: S, required: true, examples: [ann@example.com, ben@example.com]}
      at: {type: S, required: true, format: "%Y-%m-%d %H:%M"}
    sample: {count: 20}
patterns:
  orders:
    operation: query
    key: {PK: "ORDERS#{id:crc32 mod 5}", SK: {range: at, from: "{from}"}}
    fan_out: {placeholder: id, values: shards}
    returns: [Order]
    parameters: {id: {required: false}, from: {attribute: Order.at, required: false}}
  by-mail:
    operation: query
    index: ByMail
    key: {MPK: "{mail:sha256}#{month}"}
    fan_out: {placeholder: month, days: {from: "{since}", to: now}, max: 36}
    returns: [Order]
    parameters: {since: {type: timestamp}}
`

func TestExplainedShardsAreReceived(t *testing.T) {
	x := newExplanationOf(t, sharded)
	all := x.run(t, "orders", nil)
	if len(all) != 20 {
		t.Fatalf("all shards have %d orders, want 20", len(all))
	}
	one := all[7]
	id, _ := one.Text("id")
	mail, _ := one.Text("mail")
	at, _ := one.Text("at")
	has := func(list []models.Item) bool {
		return slices.ContainsFunc(list, func(it models.Item) bool { return models.EqualItems(it, one) })
	}
	if found := x.run(t, "orders", map[string]string{"id": id}); !has(found) || len(found) == 20 {
		t.Errorf("the shard of an ID has %d orders and contains the ID: %t", len(found), has(found))
	}
	if found := x.run(t, "orders", map[string]string{"from": at}); !has(found) {
		t.Errorf("the orders from %s on do not contain the order of that time", at)
	}
	if found := x.run(t, "by-mail", map[string]string{"mail": mail, "since": at}); !has(found) {
		t.Errorf("%s has no order since %s", mail, at)
	}
}
