// Fuzzing: every request gets a response that DynamoDB could send.
//
//	go test ./internal/embedded -run '^$' -fuzz FuzzRequest

package embedded

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// errorType is the form of every error's __type.
var errorType = regexp.MustCompile(`^com\.amazon[a-z.]*(v20120810)?#[A-Za-z]+(Exception|Error)$`)

// FuzzRequest sends any body to every operation. A number beyond the operations selects one that
// does not exist.
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
	s := filled(f, 10)
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
		t.Fatalf("%s: response is not an object: %q", target, out)
	}
	if status == http.StatusOK {
		return
	}
	name, _ := answer["__type"].(string)
	if status != http.StatusBadRequest && status != http.StatusRequestEntityTooLarge || !errorType.MatchString(name) {
		t.Fatalf("%s: unexpected response %d %s", target, status, out)
	}
}
