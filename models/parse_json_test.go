package models_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// People write DynamoDB JSON by hand: a number without quotes, and true as a text, are what they look like.
func TestParseItemReadsEveryType(t *testing.T) {
	const text = `{
		"s": {"S": "x"}, "n": {"N": "1.50"}, "bare": {"N": 12345678901234567890}, "b": {"B": "AQI="}, "null": {"NULL": true},
		"yes": {"BOOL": true}, "no": {"BOOL": false}, "python": {"BOOL": "True"}, "not": {"BOOL": "false"}, "nothing": {"NULL": "true"},
		"m": {"M": {"in": {"S": "y"}}}, "l": {"L": [{"S": "z"}, {"N": "2"}]}, "empty": {"L": []},
		"ss": {"SS": ["a", "b"]}, "ns": {"NS": ["1", 2]}, "bs": {"BS": ["AQ=="]}
	}`
	boolean := func(v bool) types.AttributeValue { return &types.AttributeValueMemberBOOL{Value: v} }
	want := models.Item{
		"s": s("x"), "n": n("1.50"), "bare": n("12345678901234567890"), "b": &types.AttributeValueMemberB{Value: []byte{1, 2}}, "null": null(),
		"yes": boolean(true), "no": boolean(false), "python": boolean(true), "not": boolean(false), "nothing": null(),
		"m": m("in", s("y")), "l": l(s("z"), n("2")), "empty": l(),
		"ss": &types.AttributeValueMemberSS{Value: []string{"a", "b"}}, "ns": &types.AttributeValueMemberNS{Value: []string{"1", "2"}},
		"bs": &types.AttributeValueMemberBS{Value: [][]byte{{1}}},
	}
	got, err := models.ParseItem([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range want {
		if !models.EqualValues(got[name], v) {
			t.Errorf("%s is %#v, want %#v", name, got[name], v)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d attributes, want %d", len(got), len(want))
	}
}

// The error names the attribute and what is wrong, and never has its value: it may be personal data.
func TestParseItemRejects(t *testing.T) {
	for text, want := range map[string]string{
		``:                           "not an item in DynamoDB JSON",
		`[]`:                         "not an item in DynamoDB JSON",
		`{} {}`:                      "text follows the item",
		`{"a": "canary"}`:            `attribute a: needs exactly one type with its value, such as {"S": "text"}`,
		`{"a": {}}`:                  `attribute a: needs exactly one type with its value, such as {"S": "text"}`,
		`{"a": {"S": "1", "N": 1}}`:  `attribute a: needs exactly one type with its value, such as {"S": "text"}`,
		`{"a": {"X": "canary"}}`:     `attribute a: unknown type "X"`,
		`{"a": {"S": 7}}`:            "attribute a: type S needs a text in quotes",
		`{"a": {"B": 7}}`:            "attribute a: type B needs a text in quotes",
		`{"a": {"B": "canary!"}}`:    "attribute a: type B needs base64",
		`{"a": {"M": "canary"}}`:     "attribute a: type M needs an object",
		`{"a": {"M": {"b": 1}}}`:     `attribute a: attribute b: needs exactly one type with its value, such as {"S": "text"}`,
		`{"a": {"L": "canary"}}`:     "attribute a: type L needs a list",
		`{"a": {"L": [{"S": 7}]}}`:   "attribute a: element 0: type S needs a text in quotes",
		`{"a": {"BOOL": "canary"}}`:  "attribute a: type BOOL needs true or false",
		`{"a": {"NULL": 1}}`:         "attribute a: type NULL needs true or false",
		`{"a": {"N": "canary"}}`:     "attribute a: type N needs a number",
		`{"a": {"NS": ["canary"]}}`:  "attribute a: element 0: type N needs a number",
		`{"a": {"SS": "canary"}}`:    "attribute a: type SS needs a list with at least one value",
		`{"a": {"SS": []}}`:          "attribute a: type SS needs a list with at least one value",
		`{"a": {"NS": ["1", "x"]}}`:  "attribute a: element 1: ",
		`{"a": {"BS": ["canary!"]}}`: "attribute a: element 0: type B needs base64",
	} {
		it, err := models.ParseItem([]byte(text))
		if err == nil || it != nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v, %v; want %q", text, it, err, want)
		}
	}
}
