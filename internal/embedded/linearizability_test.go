// Linearizability: concurrent conditional writes, transactions and consistent reads have the same
// effects and responses as in some order, one after the other.

package embedded

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

const (
	linearClients = 32
	linearGroups  = 8 // of keys; an operation concerns the keys of one group
	linearKeys    = 3 // of each group
)

// registers are the values of a group. 0 is an item that does not exist.
type registers [linearKeys]int

// linearInput is an operation on a group: a read of all keys, an increment of the first, or
// conditional writes of the first or of the first two keys.
type linearInput struct {
	kind   string // read, add, put, transact
	group  int
	keys   [2]int
	expect [2]int // 0 expects that there is no item
	write  [2]int
}

// linearOutput is the response: what was read, or whether the conditions held.
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
		in.write[i] = 1 + random.IntN(3) // few values, so that conditions are often met
	}
	return in
}

func linearKey(group, key int) string {
	return fmt.Sprintf(`{"PK":{"S":"%d"},"SK":{"S":"%d"}}`, group, key)
}

// linearPut is a conditional put.
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

// output reads a response. Whatever is not a failed condition is an error of the test.
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
	server := httptest.NewServer(filled(t, 0))
	defer server.Close()
	seed, start := rand.Uint64(), time.Now()
	t.Logf("seed %d", seed)
	histories := make([][]porcupine.Operation, linearClients)
	var clients sync.WaitGroup
	for c := range linearClients {
		clients.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(c)))
			client := &linearClient{t: t, url: server.URL}
			var known [linearGroups]registers // what this client has seen last
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
	t.Logf("%d operations, %d conditional writes applied, %d refused", len(history), written, refused)
	if written == 0 || refused == 0 {
		t.Error("conditions were never met, or always")
	}
	if !porcupine.CheckOperations(linearModel, history) {
		t.Error("the history is not linearizable")
	}
}
