// The protocol: requests that are not valid HTTP requests of the API.

package embedded

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/embedded/body"
)

func TestInvalidRequestsHaveTheServiceErrors(t *testing.T) {
	s := filled(t, 1)
	nested := func(depth int) string {
		return `{"TableName":"bench","Item":{"PK":{"S":"a"},"SK":{"S":"b"},"x":` + strings.Repeat(
			`{"L":[`, depth,
		) + `{"S":"x"}` + strings.Repeat(`]}`, depth) + `}}`
	}
	for name, test := range map[string]struct {
		target, body, want string
	}{
		"unknown operation": {"Frobnicate", `{}`, `400 {"__type":"com.amazon.coral.service#UnknownOperationException"}`},
		"cut off":           {"PutItem", `{"TableName":`, `400 {"Message":"The request is not valid JSON: unexpected end of JSON input","__type":"com.amazon.coral.service#SerializationException"}`},
		"empty":             {"PutItem", ``, `400 {"Message":"The request is not valid JSON: unexpected end of JSON input","__type":"com.amazon.coral.service#SerializationException"}`},
		"list": {
			"PutItem", `[]`,
			`400 {"Message":"Unexpected field type","__type":"com.amazon.coral.service#SerializationException"}`,
		},
		"number as name": {
			"PutItem", `{"TableName":5}`,
			`400 {"Message":"NUMBER_VALUE cannot be converted to String","__type":"com.amazon.coral.service#SerializationException"}`,
		},
		"number as number": {
			"PutItem", `{"TableName":"bench","Item":{"PK":{"N":5}}}`,
			`400 {"Message":"NUMBER_VALUE cannot be converted to String","__type":"com.amazon.coral.service#SerializationException"}`,
		},
		"text as limit": {
			"Scan", `{"TableName":"bench","Limit":"1"}`,
			`400 {"Message":"STRING_VALUE cannot be converted to Integer","__type":"com.amazon.coral.service#SerializationException"}`,
		},
		"list as item": {"PutItem", `{"TableName":"bench","Item":[]}`, `400 {"Message":"Unrecognized collection type java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.AttributeValue>","__type":"com.amazon.coral.service#SerializationException"}`},
		"text as value": {
			"PutItem", `{"TableName":"bench","Item":{"PK":"a"}}`,
			`400 {"Message":"Unexpected value type in payload","__type":"com.amazon.coral.service#SerializationException"}`,
		},
		"map as text": {
			"GetItem", `{"TableName":{}}`,
			`400 {"Message":"Start of structure or map found where not expected","__type":"com.amazon.coral.service#SerializationException"}`,
		},
		"no table":      {"PutItem", `{"Item":{}}`, `400 {"__type":"com.amazon.coral.validate#ValidationException","message":"1 validation error detected: Value null at 'tableName' failed to satisfy constraint: Member must not be null"}`},
		"no item":       {"PutItem", `{"TableName":"bench"}`, `400 {"__type":"com.amazon.coral.validate#ValidationException","message":"1 validation error detected: Value null at 'item' failed to satisfy constraint: Member must not be null"}`},
		"two types":     {"PutItem", `{"TableName":"bench","Item":{"PK":{"S":"a","N":"1"}}}`, `400 {"__type":"com.amazon.coral.validate#ValidationException","message":"Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"}`},
		"no type":       {"PutItem", `{"TableName":"bench","Item":{"PK":{}}}`, `400 {"__type":"com.amazon.coral.validate#ValidationException","message":"Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"}`},
		"missing key":   {"PutItem", `{"TableName":"bench","Item":{"PK":{"S":"a"}}}`, `400 {"__type":"com.amazon.coral.validate#ValidationException","message":"One or more parameter values were invalid: Missing the key SK in the item"}`},
		"duplicates":    {"PutItem", `{"TableName":"bench","Item":{"PK":{"SS":["a","b","a"]}}}`, `400 {"__type":"com.amazon.coral.validate#ValidationException","message":"One or more parameter values were invalid: Input collection [a, b, a] contains duplicates."}`},
		"legacy":        {"PutItem", `{"TableName":"bench","Item":{},"Expected":{"PK":{}}}`, `400 {"__type":"com.amazon.coral.validate#ValidationException","message":"One or more parameter values were invalid: Value must be provided when Exists is null for Attribute: PK"}`},
		"deep":          {"PutItem", nested(31), `200 {}`},
		"too deep":      {"PutItem", nested(32), `400 {"__type":"com.amazon.coral.validate#ValidationException","message":"Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"}`},
		"absurdly deep": {"PutItem", nested(100000), `400 {"__type":"com.amazon.coral.validate#ValidationException","message":"Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"}`},
		"large item": {
			"PutItem",
			`{"TableName":"bench","Item":{"PK":{"S":"a"},"SK":{"S":"b"},"x":{"S":"` + strings.Repeat("x", maxItemSize) + `"}}}`,
			`400 {"__type":"com.amazon.coral.validate#ValidationException","message":"Item size has exceeded the maximum allowed size"}`,
		},
		"large key": {"GetItem", `{"TableName":"bench","Key":{"PK":{"S":"` + strings.Repeat("x", 2049) + `"},"SK":{"S":"b"}}}`, `400 {"__type":"com.amazon.coral.validate#ValidationException","message":"One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of2048 bytes"}`},
		"large body": {
			"PutItem", `{"x":"` + strings.Repeat("x", body.Max) + `"}`,
			`413 {"__type":"com.amazon.coral.service#RequestEntityTooLargeException","message":"Request body exceeds the limit of 16 MiB"}`,
		},
		"table by ARN": {
			"GetItem",
			`{"TableName":"arn:aws:dynamodb:local:000000000000:table/bench","Key":{"PK":{"S":"absent"},"SK":{"S":"b"}}}`,
			`200 {}`,
		},
	} {
		status, out := call(t, s, test.target, test.body)
		if got := http.StatusText(status); got == "" {
			t.Errorf("%s: status %d", name, status)
		}
		if got := strings.Join(
			[]string{map[int]string{200: "200", 400: "400", 413: "413", 500: "500"}[status], string(out)}, " ",
		); got != test.want {
			t.Errorf("%s\n got  %.300s\n want %s", name, got, test.want)
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
		t.Errorf("got %d %s", status, out)
	}
	mustCall(t, s, "ListTables", `{}`)
}

// panicInput is an operation that panics.
type panicInput struct{ unconstrained }

func (*panicInput) run(context.Context, *Store) (any, error) { panic("boom") }
