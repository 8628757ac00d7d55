// Changes that share a transaction are committed together, but succeed and fail independently.

package embedded

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
)

// runInGroup runs the changes as one group and returns their errors. A first writer remains the leader until all of
// them wait.
func runInGroup(t *testing.T, s *Store, runs ...func() error) []error {
	t.Helper()
	leading, release := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		err := s.storage.update(func(*tx) error {
			close(leading)
			<-release
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-leading
	errs := make([]error, len(runs))
	for i, run := range runs {
		wg.Go(func() { errs[i] = run() })
		for { // in this order
			s.storage.commits.mu.Lock()
			n := len(s.storage.commits.waiting)
			s.storage.commits.mu.Unlock()
			if n > i {
				break
			}
			runtime.Gosched()
		}
	}
	close(release)
	wg.Wait()
	return errs
}

// expectStatus sends a request that must have this status.
func expectStatus(t *testing.T, s *Store, target, body string, want int) func() error {
	return func() error {
		if status, out := call(t, s, target, body); status != want {
			return fmt.Errorf("%s: %d %s, want %d", target, status, out, want)
		}
		return nil
	}
}

// fileWrites returns the number of writes to the file.
func fileWrites(s *Store) int64 {
	stats := s.storage.db.Stats()
	return stats.TxStats.GetWrite()
}

func TestGroupedWritesCheckTheirConditionsInOrder(t *testing.T) {
	s := filledStore(t, 0)
	create := `{"TableName":"bench","Item":{"PK":{"S":"a"},"SK":{"S":"1"},"G1":{"S":"%s"}},"ConditionExpression":"attribute_not_exists(PK)"}`
	add := `{"TableName":"bench","Key":{"PK":{"S":"a"},"SK":{"S":"n"}},"UpdateExpression":"ADD n :one","ExpressionAttributeValues":{":one":{"N":"1"}}}`
	before := fileWrites(s)
	errs := runInGroup(t, s,
		expectStatus(t, s, "PutItem", fmt.Sprintf(create, "first"), http.StatusOK),
		expectStatus(t, s, "PutItem", fmt.Sprintf(create, "second"), http.StatusBadRequest),
		expectStatus(t, s, "UpdateItem", add, http.StatusOK),
		expectStatus(t, s, "TransactWriteItems", `{"TransactItems":[{"Put":{"TableName":"bench","Item":{"PK":{"S":"b"},"SK":{"S":"1"}}}},{"Put":`+
			fmt.Sprintf(create, "third")+`}]}`, http.StatusBadRequest),
		expectStatus(t, s, "UpdateItem", add, http.StatusOK),
	)
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
	all := string(mustCall(t, s, "Scan", `{"TableName":"bench"}`))
	for _, want := range []string{`"Count":2`, `"first"`, `"n":{"N":"2"}`} {
		if !strings.Contains(all, want) {
			t.Errorf("%s is missing in %s", want, all)
		}
	}
	shared := fileWrites(s) - before
	before = fileWrites(s)
	mustCall(t, s, "UpdateItem", add)
	if one := fileWrites(s) - before; shared > one+2 {
		t.Errorf("five grouped changes wrote the file %d times, one change %d times", shared, one)
	}
}

func TestFailedChangeDoesNotAffectItsGroup(t *testing.T) {
	s := filledStore(t, 1)
	broken := errors.New("broken")
	tb := s.tables["bench"]
	halfway := func(fail func() error) func() error {
		return func() error {
			return s.storage.update(func(t *tx) error {
				it := attribute.Item{"PK": {Kind: attribute.S, Str: "half"}, "SK": {Kind: attribute.S, Str: "done"}}
				if err := t.write(tb, tb.rowKey(it), nil, it); err != nil {
					return err
				}
				return fail()
			})
		}
	}
	errs := runInGroup(t, s,
		expectStatus(t, s, "PutItem", `{"TableName":"bench","Item":`+benchItem(1)+`}`, http.StatusOK),
		halfway(func() error { return broken }),
		halfway(func() error { panic("broken as well") }),
		expectStatus(t, s, "PutItem", `{"TableName":"bench","Item":`+benchItem(2)+`}`, http.StatusOK),
	)
	if errs[0] != nil || errs[3] != nil {
		t.Errorf("the valid changes failed: %v, %v", errs[0], errs[3])
	}
	if !errors.Is(errs[1], broken) || errs[2] == nil || !strings.Contains(errs[2].Error(), "broken as well") {
		t.Errorf("the invalid changes returned %v, %v", errs[1], errs[2])
	}
	if all := string(mustCall(t, s, "Scan", `{"TableName":"bench"}`)); !strings.Contains(
		all, `"Count":3`,
	) || strings.Contains(all, "half") {
		t.Errorf("the table contains %s", all)
	}
}

// BenchmarkDurablePuts measures puts of eight concurrent clients on disk.
func BenchmarkDurablePuts(b *testing.B) {
	s, err := Open(Options{Path: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	}()
	mustCall(b, s, "CreateTable", `{"TableName":"bench","BillingMode":"PAY_PER_REQUEST",
		"AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"},{"AttributeName":"SK","AttributeType":"S"}],
		"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}]}`)
	var n atomic.Int64
	b.SetParallelism(8 / min(8, runtime.GOMAXPROCS(0)))
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			measure(b, s, "PutItem", `{"TableName":"bench","Item":`+benchItem(int(n.Add(1)%1000))+`}`)
		}
	})
}

// Readers and writers run while other requests create, change and delete tables.
func TestConcurrentRequestsAreSafe(t *testing.T) {
	s := filledStore(t, 50)
	var wg sync.WaitGroup
	// try accepts client errors, such as for a table that does not exist at the moment, but not internal errors.
	try := func(target, body string) {
		if status, out := call(t, s, target, body); status >= http.StatusInternalServerError {
			t.Errorf("%s: got a server error %d %s", target, status, out)
		}
	}
	for worker := range 8 {
		wg.Go(func() {
			for i := range 40 {
				n := worker*40 + i
				try("PutItem", `{"TableName":"bench","Item":`+benchItem(n)+`}`)
				try("UpdateItem", fmt.Sprintf(`{"TableName":"bench","Key":{"PK":{"S":"CUSTOMER#0000"},"SK":{"S":"ORDER#%06d"}},
					"UpdateExpression":"SET G1 = :g","ExpressionAttributeValues":{":g":{"S":"STATE#%d"}}}`, n%50, i%7))
				try(
					"Query",
					`{"TableName":"bench","IndexName":"byG1","KeyConditionExpression":"G1 = :g","ExpressionAttributeValues":{":g":{"S":"STATE#1"}}}`,
				)
				try("PutItem", fmt.Sprintf(`{"TableName":"short","Item":{"PK":{"S":"%d"}}}`, n))
				try("DeleteItem", fmt.Sprintf(`{"TableName":"bench","Key":{"PK":{"S":"CUSTOMER#0000"},"SK":{"S":"ORDER#%06d"}}}`, n))
			}
		})
	}
	wg.Go(func() {
		for range 20 {
			try("CreateTable", `{"TableName":"short","BillingMode":"PAY_PER_REQUEST",
				"AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"}],"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"}]}`)
			try("UpdateTable", `{"TableName":"bench","AttributeDefinitions":[{"AttributeName":"note","AttributeType":"S"}],"GlobalSecondaryIndexUpdates":[
				{"Create":{"IndexName":"byNote","KeySchema":[{"AttributeName":"note","KeyType":"HASH"}],"Projection":{"ProjectionType":"KEYS_ONLY"}}}]}`)
			try("ListTables", `{}`)
			try("UpdateTable", `{"TableName":"bench","GlobalSecondaryIndexUpdates":[{"Delete":{"IndexName":"byNote"}}]}`)
			try("DeleteTable", `{"TableName":"short"}`)
		}
	})
	wg.Wait()
	// Every index entry must have its item, and the counts must be correct.
	table := string(mustCall(t, s, "Scan", `{"TableName":"bench","Select":"COUNT"}`))
	index := string(mustCall(t, s, "Scan", `{"TableName":"bench","IndexName":"byG1","Select":"COUNT"}`))
	if table != index {
		t.Errorf("the table returns %s, but its index %s", table, index)
	}
}

// Concurrent conditional writes, transactions and consistent reads are linearizable: they have the same effects and
// responses as in some sequential order.

const (
	linearClients = 32
	linearGroups  = 8 // groups of keys; an operation uses the keys of one group
	linearKeys    = 3 // keys of each group
)

// registers contains the values of a group. 0 means that the item does not exist.
type registers [linearKeys]int

// linearInput is an operation on a group: a read of all keys, an increment of the first key, or conditional writes of
// the first or the first two keys.
type linearInput struct {
	kind   string // read, add, put, transact
	group  int
	keys   [2]int
	expect [2]int // 0 expects no item
	write  [2]int
}

// linearOutput is the response: the values read, or whether the conditions held.
type linearOutput struct {
	read    registers
	written bool
}

// apply is the specification.
func (in linearInput) apply(state registers) (linearOutput, registers) {
	switch in.kind {
	case "read":
		return linearOutput{read: state}, state
	case "add":
		state[in.keys[0]]++
		return linearOutput{read: registers{state[in.keys[0]]}, written: true}, state
	}
	n := 1
	if in.kind == "transact" {
		n = 2
	}
	for i := range n {
		if state[in.keys[i]] != in.expect[i] {
			return linearOutput{}, state
		}
	}
	for i := range n {
		state[in.keys[i]] = in.write[i]
	}
	return linearOutput{written: true}, state
}

var linearModel = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		groups := make([][]porcupine.Operation, linearGroups)
		for _, op := range history {
			group := op.Input.(linearInput).group
			groups[group] = append(groups[group], op)
		}
		return groups
	},
	Init: func() any { return registers{} },
	Step: func(state, input, output any) (bool, any) {
		want, after := input.(linearInput).apply(state.(registers))
		return want == output.(linearOutput), after
	},
	DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v %+v", input, output) },
}

func randomInput(random *rand.Rand, known *[linearGroups]registers) linearInput {
	in := linearInput{kind: []string{"read", "add", "put", "put", "transact", "transact"}[random.IntN(6)], group: random.IntN(linearGroups)}
	keys := random.Perm(linearKeys)
	in.keys = [2]int{keys[0], keys[1]}
	for i, k := range in.keys {
		in.expect[i] = known[in.group][k]
		in.write[i] = 1 + random.IntN(3) // few values, so that conditions often hold
	}
	return in
}

func linearKey(group, key int) string {
	return fmt.Sprintf(`{"PK":{"S":"%d"},"SK":{"S":"%d"}}`, group, key)
}

// put returns a conditional put.
func (in linearInput) put(i int) string {
	condition := `"ConditionExpression":"attribute_not_exists(PK)"`
	if in.expect[i] != 0 {
		condition = fmt.Sprintf(`"ConditionExpression":"v = :v","ExpressionAttributeValues":{":v":{"N":"%d"}}`, in.expect[i])
	}
	return fmt.Sprintf(`{"TableName":"bench","Item":{"PK":{"S":"%d"},"SK":{"S":"%d"},"v":{"N":"%d"}},%s}`,
		in.group, in.keys[i], in.write[i], condition)
}

// request returns the operation and the body.
func (in linearInput) request() (target, body string) {
	switch in.kind {
	case "read":
		var gets []string
		for k := range linearKeys {
			gets = append(gets, `{"Get":{"TableName":"bench","Key":`+linearKey(in.group, k)+`}}`)
		}
		return "TransactGetItems", `{"TransactItems":[` + strings.Join(gets, ",") + `]}`
	case "add":
		return "UpdateItem", `{"TableName":"bench","Key":` + linearKey(in.group, in.keys[0]) + `,"UpdateExpression":"ADD v :one",
			"ExpressionAttributeValues":{":one":{"N":"1"}},"ReturnValues":"UPDATED_NEW"}`
	case "put":
		return "PutItem", in.put(0)
	}
	return "TransactWriteItems", `{"TransactItems":[{"Put":` + in.put(0) + `},{"Put":` + in.put(1) + `}]}`
}

// output parses a response. Any error except a failed condition is an error of the test.
func (in linearInput) output(status int, body []byte) (out linearOutput, err error) {
	if status == http.StatusBadRequest && strings.Contains(string(body), "ConditionalCheckFailed") {
		return out, nil
	}
	if status != http.StatusOK {
		return out, fmt.Errorf("%s: %d %s", in.kind, status, body)
	}
	type number struct{ V struct{ N string } }
	var answer struct {
		Responses  []struct{ Item *number }
		Attributes number
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return out, err
	}
	switch in.kind {
	case "read":
		for k, r := range answer.Responses {
			if r.Item != nil && err == nil {
				out.read[k], err = strconv.Atoi(r.Item.V.N)
			}
		}
		return out, err
	case "add":
		out.read[0], err = strconv.Atoi(answer.Attributes.V.N)
	}
	out.written = true
	return out, err
}

// linearClient sends requests over HTTP.
type linearClient struct {
	t   *testing.T
	url string
}

func (c *linearClient) do(in linearInput) (linearOutput, error) {
	target, body := in.request()
	r, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, c.url, strings.NewReader(body))
	if err != nil {
		return linearOutput{}, err
	}
	r.Header.Set("X-Amz-Target", targetPrefix+target)
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=local")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return linearOutput{}, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return linearOutput{}, err
	}
	return in.output(resp.StatusCode, data)
}

func TestConcurrentWritesAreLinearizable(t *testing.T) {
	each := 60
	if testing.Short() {
		each = 20
	}
	server := httptest.NewServer(filledStore(t, 0))
	defer server.Close()
	seed, start := rand.Uint64(), time.Now()
	t.Logf("seed %d", seed)
	histories := make([][]porcupine.Operation, linearClients)
	var clients sync.WaitGroup
	for c := range linearClients {
		clients.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(c)))
			client := &linearClient{t: t, url: server.URL}
			var known [linearGroups]registers // values that this client last read
			for range each {
				in := randomInput(random, &known)
				call := time.Since(start).Nanoseconds()
				out, err := client.do(in)
				if err != nil {
					t.Error(err)
					return
				}
				histories[c] = append(histories[c], porcupine.Operation{
					ClientId: c, Input: in, Call: call, Output: out, Return: time.Since(start).Nanoseconds(),
				})
				if in.kind == "read" {
					known[in.group] = out.read
				} else {
					_, known[in.group] = in.apply(known[in.group])
				}
			}
		})
	}
	clients.Wait()
	var history []porcupine.Operation
	written, refused := 0, 0
	for _, operations := range histories {
		for _, op := range operations {
			switch in, out := op.Input.(linearInput), op.Output.(linearOutput); {
			case in.kind == "read" || in.kind == "add":
			case out.written:
				written++
			default:
				refused++
			}
		}
		history = append(history, operations...)
	}
	t.Logf("%d operations, %d conditional writes, %d rejected", len(history), written, refused)
	if written == 0 || refused == 0 {
		t.Error("every condition was met, or none")
	}
	if !porcupine.CheckOperations(linearModel, history) {
		t.Error("the history is not linearizable")
	}
}
