package models_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/models"
)

// everyType has a value of each of DynamoDB's types, by its descriptor.
var everyType = models.Item{
	"S":    s(`<a href="x">&\</a>` + "\n\u2028é👍"),
	"N":    n("12345678901234567890123456789012345678"),
	"B":    &types.AttributeValueMemberB{Value: []byte{0, 0xff, '>'}},
	"BOOL": &types.AttributeValueMemberBOOL{Value: true},
	"NULL": null(),
	"M":    m("b.c", m("d", n("-1.5E-130"))),
	"L":    l(s("x"), n("0.10"), l(), null()),
	"SS":   &types.AttributeValueMemberSS{Value: []string{"b", "a"}},
	"NS":   &types.AttributeValueMemberNS{Value: []string{"1E+2", "9.99"}},
	"BS":   &types.AttributeValueMemberBS{Value: [][]byte{{1}, {}}},
}

func TestItemJSON(t *testing.T) {
	plain := map[string]string{
		"S": `"<a href=\"x\">&\\</a>\n\u2028é👍"`, "N": `12345678901234567890123456789012345678`, "B": `"AP8+"`,
		"BOOL": `true`, "NULL": `null`, "M": `{"b.c":{"d":-1.5E-130}}`, "L": `["x",0.10,[],null]`,
		"SS": `["b","a"]`, "NS": `[1E+2,9.99]`, "BS": `["AQ==",""]`,
	}
	typed := map[string]string{
		"S": `{"S":"<a href=\"x\">&\\</a>\n\u2028é👍"}`, "N": `{"N":"12345678901234567890123456789012345678"}`, "B": `{"B":"AP8+"}`,
		"BOOL": `{"BOOL":true}`, "NULL": `{"NULL":true}`, "M": `{"M":{"b.c":{"M":{"d":{"N":"-1.5E-130"}}}}}`,
		"L":  `{"L":[{"S":"x"},{"N":"0.10"},{"L":[]},{"NULL":true}]}`,
		"SS": `{"SS":["b","a"]}`, "NS": `{"NS":["1E+2","9.99"]}`, "BS": `{"BS":["AQ==",""]}`,
	}
	for name, v := range everyType {
		if got := string(models.AppendValueJSON(nil, v)); got != plain[name] {
			t.Errorf("%s is written as %s, want %s", name, got, plain[name])
		}
		if got := string(models.AppendTypedJSON(nil, v)); got != typed[name] {
			t.Errorf("%s is typed as %s, want %s", name, got, typed[name])
		}
		if got := models.ValueType(v); string(got) != name {
			t.Errorf("%s has the type %s", name, got)
		}
	}
	if got := string(models.Item{"b": n("1"), "a": s("x"), "B": null()}.AppendJSON([]byte("> "))); got != `> {"B":null,"a":"x","b":1}` {
		t.Errorf("an item is written as %s", got)
	}
	if got := string(models.Item{}.AppendDynamoDBJSON(nil)); got != `{}` {
		t.Errorf("an empty item is written as %s", got)
	}
	if b, err := json.Marshal(models.Item{"a": n("1.0")}); err != nil || string(b) != `{"a":1.0}` {
		t.Errorf("an item inside other JSON is written as %s (%v)", b, err)
	}
}

// TestItemJSONFromOddServers: what DynamoDB never sends must not break a pipe.
func TestItemJSONFromOddServers(t *testing.T) {
	tests := []struct {
		value types.AttributeValue
		want  string
	}{
		{n("NaN"), `"NaN"`},
		{n("01"), `"01"`},
		{n("+1"), `"+1"`},
		{n(""), `""`},
		{n("1,2"), `"1,2"`},
		{n("0e1"), `0e1`},
		{n("9E+5"), `9E+5`},
		{n(" 1"), `" 1"`},
		{n("true"), `"true"`},
		{s("a\u2028b"), `"a\u2028b"`},
		{s("a\xffb"), `"a\ufffdb"`},
		{nil, `null`},
		{&types.UnknownUnionMember{Tag: "X"}, `null`},
	}
	for _, tt := range tests {
		if got := string(models.AppendValueJSON(nil, tt.value)); got != tt.want {
			t.Errorf("%#v is written as %s, want %s", tt.value, got, tt.want)
		}
	}
	if got := string(models.AppendTypedJSON(nil, nil)); got != `null` {
		t.Errorf("no value is typed as %s", got)
	}
	if models.ValueType(nil) != "" {
		t.Error("no value has a type")
	}
}

// drawText draws text of every kind, valid UTF-8 or not.
func drawText() *rapid.Generator[string] {
	return rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "plain", `"`, `\`, "<&>", "\x00\x1f\x7f", "\u2028", "\xff"}),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 6), func(b []byte) string { return string(b) }))
}

// TestJSONTextReadsBack: every string that is text survives, every other is
// made valid.
func TestJSONTextReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawText().Draw(t, "text")
		var back string
		if err := json.Unmarshal(models.AppendValueJSON(nil, s(text)), &back); err != nil {
			t.Fatalf("%q is no JSON: %v", text, err)
		}
		if want := strings.ToValidUTF8(text, "\ufffd"); utf8.ValidString(text) && back != want || !utf8.ValidString(back) {
			t.Fatalf("%q comes back as %q", text, back)
		}
	})
}

// TestParseKeyJSONReadsBack: a page token holds keys as typed JSON.
func TestParseKeyJSONReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String()
		value := rapid.OneOf(
			rapid.Map(text, s),
			rapid.Map(rapid.StringMatching(`-?[1-9][0-9]{0,37}`), n),
			rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) types.AttributeValue { return &types.AttributeValueMemberB{Value: b} }),
		)
		want := models.Item{}
		for range rapid.IntRange(0, 4).Draw(t, "attributes") {
			want[text.Draw(t, "name")] = value.Draw(t, "value")
		}
		line := want.AppendDynamoDBJSON(nil)
		got, err := models.ParseKeyJSON(line)
		if err != nil || string(got.AppendDynamoDBJSON(nil)) != string(line) {
			t.Fatalf("%s is read as %s: %v", line, got.AppendDynamoDBJSON(nil), err)
		}
	})
}

func TestParseKeyJSONRejects(t *testing.T) {
	for _, text := range []string{
		``, `[]`, `{"PK":"x"}`, `{"PK":{}}`, `{"PK":{"S":"a","N":"1"}}`, `{"PK":{"S":1}}`, `{"PK":{"BOOL":"true"}}`, `{"PK":{"X":"a"}}`,
		`{"PK":{"N":"one"}}`, `{"PK":{"B":"%"}}`, `{"PK":{"S":"a"}`,
	} {
		if it, err := models.ParseKeyJSON([]byte(text)); err == nil || !strings.Contains(err.Error(), "key ") {
			t.Errorf("%s is read as %v (%v)", text, it, err)
		}
	}
}

func TestItemAt(t *testing.T) {
	it := models.Item{
		"a":     &types.AttributeValueMemberM{Value: models.Item{"b": m("c", n("7")), "b.c": s("inner")}},
		"x.y":   s("dotted"),
		"x":     m("y", s("nested")),
		"flag":  &types.AttributeValueMemberBOOL{Value: false},
		"bytes": &types.AttributeValueMemberB{Value: []byte("hi")},
		"list":  l(s("x")),
		"none":  null(),
	}
	tests := []struct {
		path, text string
		ok         bool
	}{
		{"a.b.c", "inner", true},
		{"x.y", "dotted", true},
		{"flag", "false", true},
		{"bytes", "aGk=", true},
		{"a", "", false},
		{"a.b", "", false},
		{"a.z", "", false},
		{"list", "", false},
		{"list.0", "", false},
		{"none", "", false},
		{"flag.x", "", false},
		{"", "", false},
	}
	for _, tt := range tests {
		if text, ok := it.Text(tt.path); text != tt.text || ok != tt.ok {
			t.Errorf("%q is %q, %v; want %q, %v", tt.path, text, ok, tt.text, tt.ok)
		}
	}
	if _, ok := it.At("a.b"); !ok {
		t.Error("a.b is a map and has no value")
	}
	if diff := cmp.Diff(
		[]string{"a", "bytes", "flag", "list", "none", "x", "x.y"}, it.Names(),
	); diff != "" || !slices.IsSorted(it.Names()) {
		t.Errorf("names (-want +got)\n%s", diff)
	}
}
