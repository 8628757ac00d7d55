package embedded

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/embedded/body"
)

// These requests are too large for a file of testdata/conformance.
func TestLargeRequestsHaveServiceErrors(t *testing.T) {
	s := filledStore(t, 1)
	nested := func(depth int) string {
		return `{"TableName":"bench","Item":{"PK":{"S":"a"},"SK":{"S":"b"},"x":` +
			strings.Repeat(`{"L":[`, depth) + `{"S":"x"}` + strings.Repeat(`]}`, depth) + `}}`
	}
	for name, test := range map[string]struct {
		body   string
		status int
		want   string
	}{
		"31 levels":      {nested(31), http.StatusOK, "{}"},
		"32 levels":      {nested(32), http.StatusBadRequest, "Nesting Levels have exceeded supported limits"},
		"100,000 levels": {nested(100000), http.StatusBadRequest, "Nesting Levels have exceeded supported limits"},
		"large item": {
			`{"TableName":"bench","Item":{"PK":{"S":"a"},"SK":{"S":"b"},"x":{"S":"` + strings.Repeat("x", maxItemSize) + `"}}}`,
			http.StatusBadRequest, "Item size has exceeded the maximum allowed size",
		},
		"large body": {
			`{"x":"` + strings.Repeat("x", body.Max) + `"}`, http.StatusRequestEntityTooLarge, "Request body exceeds the limit of 16 MiB",
		},
	} {
		status, out := call(t, s, "PutItem", test.body)
		if status != test.status || !strings.Contains(string(out), test.want) {
			t.Errorf("%s: got %d %.300s, want %d %s", name, status, out, test.status, test.want)
		}
	}
}

func TestUnsignedRequestIsRejected(t *testing.T) {
	s := openStore(t, Options{})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://embedded.invalid/", strings.NewReader(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Amz-Target", targetPrefix+"ListTables")
	resp, err := s.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var out map[string]string
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusBadRequest || out["__type"] != "com.amazon.coral.service#MissingAuthenticationTokenException" ||
		out["message"] != "Request is missing Authentication Token" {
		t.Errorf("got %d %v", resp.StatusCode, out)
	}
}

func TestPanicEndsOnlyItsRequest(t *testing.T) {
	s := openStore(t, Options{})
	operations["Panic"] = operation{read: reader[panicInput]()}
	defer delete(operations, "Panic")
	status, out := call(t, s, "Panic", `{}`)
	if status != http.StatusInternalServerError || !strings.Contains(string(out), "InternalServerError") {
		t.Errorf("got %d %s, want 500", status, out)
	}
	mustCall(t, s, "ListTables", `{}`)
}

// panicInput is an operation that panics.
type panicInput struct{ unconstrained }

func (*panicInput) run(context.Context, *Store) (any, error) { panic("boom") }

// stalledBody is a body that sends text and then waits until it is released.
type stalledBody struct {
	text    *strings.Reader
	arrived *sync.WaitGroup
	release chan struct{}
	waiting bool
}

func (s *stalledBody) Read(p []byte) (int, error) {
	if s.text.Len() > 0 {
		return s.text.Read(p)
	}
	if !s.waiting {
		s.waiting = true
		s.arrived.Done()
	}
	<-s.release
	return 0, io.EOF
}

func TestLargeBodiesShareBudget(t *testing.T) {
	const size, fit = 100 << 10, 4
	for name, declared := range map[string]int64{"declared length": size, "chunked": -1} {
		t.Run(name, func(t *testing.T) {
			s := openStore(t, Options{MaxBodies: fit*size + size/2})
			begin := func(body io.Reader) int {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://embedded.invalid/", body)
				if err != nil {
					t.Error(err)
					return 0
				}
				r.ContentLength = declared
				r.Header.Set("X-Amz-Target", targetPrefix+"ListTables")
				r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=local")
				resp, err := s.Do(r)
				if err != nil {
					t.Error(err)
					return 0
				}
				if err := resp.Body.Close(); err != nil {
					t.Error(err)
				}
				return resp.StatusCode
			}
			large := "{}" + strings.Repeat(" ", size-2)
			release := make(chan struct{})
			var arrived, ended sync.WaitGroup
			for range fit {
				arrived.Add(1)
				ended.Go(func() {
					if status := begin(&stalledBody{text: strings.NewReader(large), arrived: &arrived, release: release}); status != http.StatusOK {
						t.Errorf("a body within the budget: got %d, want 200", status)
					}
				})
			}
			arrived.Wait()
			if status := begin(strings.NewReader(large)); status != http.StatusServiceUnavailable {
				t.Errorf("a body beyond the budget: got %d, want 503", status)
			}
			if status, out := call(t, s, "ListTables", `{}`); status != http.StatusOK {
				t.Errorf("a small body beside large bodies: got %d %s", status, out)
			}
			close(release)
			ended.Wait()
			if status := begin(strings.NewReader(large)); status != http.StatusOK {
				t.Errorf("a body after the other bodies: got %d, want 200", status)
			}
		})
	}
}

func TestTargetsFindRepeatedItems(t *testing.T) {
	orders, users := &table{ID: "1"}, &table{ID: "2"}
	seen := targets{}
	for i, test := range []struct {
		target target
		first  bool
	}{
		{target{table: orders, key: []byte("a")}, true},
		{target{table: orders, key: []byte("b")}, true},
		{target{table: users, key: []byte("a")}, true},
		{target{table: orders, key: []byte("a")}, false},
		{target{table: orders}, true}, // reported as an invalid key, not as a repetition
		{target{table: orders}, true},
	} {
		if got := seen.add(&test.target); got != test.first {
			t.Errorf("target %d: got %v, want %v", i, got, test.first)
		}
	}
}

// Every request gets a response that DynamoDB could send:
//
//	go test ./internal/embedded -run '^$' -fuzz FuzzRequest

// errorType matches every error's __type.
var errorType = regexp.MustCompile(`^com\.amazon[a-z.]*(v20120810)?#[A-Za-z]+(Exception|Error)$`)

// FuzzRequest sends any body to every operation. A number beyond the operations selects an unknown operation.
func FuzzRequest(f *testing.F) {
	targets := append(slices.Sorted(maps.Keys(operations)), "Frobnicate", "")
	add := func(target, body string) { f.Add(uint8(slices.Index(targets, target)), body) }
	key := `"TableName":"bench","Key":{"PK":{"S":"CUSTOMER#0000"},"SK":{"S":"ORDER#000001"}}`
	add(
		"PutItem",
		`{"TableName":"bench","Item":{"PK":{"S":"a"},"SK":{"S":"b"},"x":{"L":[{"M":{}},{"NS":["1","2"]}]}},"ReturnValues":"ALL_OLD"}`,
	)
	add("PutItem", `{"TableName":"bench","Item":{"PK":{"S":"a"},"SK":{"S":"b"}},"Expected":{"x":{"ComparisonOperator":"IN","AttributeValueList":[{"S":"x"}]},"y":{"Exists":false}},"ConditionalOperator":"OR"}`)
	add(
		"PutItem",
		`{"TableName":"bench","Item":{"PK":{"S":"a"},"SK":{"S":"b"},"x":`+strings.Repeat(
			`{"L":[`, 32,
		)+`{"S":"x"}`+strings.Repeat(`]}`, 32)+`}}`,
	)
	add("PutItem", strings.Repeat(`[`, 10000))
	add("PutItem", `{"TableName":"bench","Item":{"PK":{"S":"a","S":"b"},"PK":{"N":"1"},"x":{"B":"="},"y":{"N":1}}}`)
	add("UpdateItem", `{`+key+`,"UpdateExpression":"SET a = :a REMOVE b ADD c :a","ExpressionAttributeValues":{":a":{"N":"1"}},"ReturnValues":"UPDATED_NEW","ReturnItemCollectionMetrics":"SIZE"}`)
	add(
		"UpdateItem",
		`{`+key+`,"AttributeUpdates":{"a":{"Action":"ADD","Value":{"N":"1"}},"b":{"Action":"DELETE"},"c":{"Value":{"SS":["x"]}}}}`,
	)
	add("DeleteItem", `{`+key+`,"ConditionExpression":"attribute_exists(PK)","ReturnConsumedCapacity":"INDEXES"}`)
	add("GetItem", `{`+key+`,"ProjectionExpression":"#a","ExpressionAttributeNames":{"#a":"note"}}`)
	add("GetItem", `{`+key+`,"AttributesToGet":["note"],"ConsistentRead":true}`)
	add("Query", `{"TableName":"bench","IndexName":"byG1","KeyConditionExpression":"G1 = :g","ExpressionAttributeValues":{":g":{"S":"STATE#1"}},"Limit":1,"ExclusiveStartKey":{"PK":{"S":"a"}}}`)
	add("Query", `{"TableName":"bench","KeyConditions":{"PK":{"ComparisonOperator":"EQ","AttributeValueList":[{"S":"a"}]}},"QueryFilter":{"x":{"ComparisonOperator":"NULL"}}}`)
	add(
		"Scan",
		`{"TableName":"bench","FilterExpression":"paid = :g","ExpressionAttributeValues":{":g":{"BOOL":true}},"Segment":0,"TotalSegments":3}`,
	)
	add("TransactWriteItems", `{"TransactItems":[{"Put":{"TableName":"bench","Item":{}}},{"Update":null},{}],"ClientRequestToken":"t"}`)
	add("TransactGetItems", `{"TransactItems":[{"Get":{}},null]}`)
	add("BatchWriteItem", `{"RequestItems":{"bench":[{"PutRequest":{"Item":null}},{"DeleteRequest":{}}],"x":null}}`)
	add("BatchGetItem", `{"RequestItems":{"bench":{"Keys":[null]},"y":null}}`)
	add("CreateTable", `{"TableName":"other","KeySchema":[{}],"AttributeDefinitions":[],"GlobalSecondaryIndexes":[{}]}`)
	add("CreateTable", `{"TableName":"other","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"},{"AttributeName":"b","AttributeType":"N"}],"KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],
		"GlobalSecondaryIndexes":[{"IndexName":"two","KeySchema":[{"AttributeName":"a","KeyType":"HASH"},{"AttributeName":"b","KeyType":"HASH"}],"Projection":{"ProjectionType":"KEYS_ONLY"}}]}`)
	add(
		"UpdateTable",
		`{"TableName":"bench","GlobalSecondaryIndexUpdates":[{"Create":{"IndexName":"new","KeySchema":[],"Projection":null}}]}`,
	)
	add("UpdateTimeToLive", `{"TableName":"bench","TimeToLiveSpecification":{"AttributeName":"x"}}`)
	add("TagResource", `{"ResourceArn":"arn:aws:dynamodb:local:000000000000:table/bench","Tags":[{"Key":""}]}`)
	add("ExecuteStatement", `{"Statement":"SELECT * FROM bench WHERE PK = ?","Parameters":[{"S":"CUSTOMER#0000"}],"Limit":1,"NextToken":"e30="}`)
	add("ExecuteStatement", `{"Statement":"UPDATE bench SET a = 1 WHERE PK = 'CUSTOMER#0000' AND SK = 'x' RETURNING ALL NEW *"}`)
	add("BatchExecuteStatement", `{"Statements":[{"Statement":"INSERT INTO bench VALUE {'PK':'a'}"},{"Statement":"x"},null]}`)
	add("ExecuteTransaction", `{"TransactStatements":[{"Statement":"EXISTS(SELECT * FROM bench WHERE PK = 'a' AND SK = 'b')"},{}]}`)
	add("Frobnicate", `{}`)
	add("", ``)
	s := filledStore(f, 10)
	f.Fuzz(func(t *testing.T, n uint8, body string) {
		target := targets[int(n)%len(targets)]
		resp := send(t, s, target, body)
		defer resp.Body.Close()
		out, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		checkShape(t, target, resp.StatusCode, out)
	})
}

// checkShape checks that a response is an object, and that an error has a type.
func checkShape(t *testing.T, target string, status int, out []byte) {
	t.Helper()
	var answer map[string]any
	if err := json.Unmarshal(out, &answer); err != nil {
		t.Fatalf("%s: the response is not a JSON object: %q", target, out)
	}
	if status == http.StatusOK {
		return
	}
	name, _ := answer["__type"].(string)
	if status != http.StatusBadRequest && status != http.StatusRequestEntityTooLarge || !errorType.MatchString(name) {
		t.Fatalf("%s: unexpected response %d %s", target, status, out)
	}
}
