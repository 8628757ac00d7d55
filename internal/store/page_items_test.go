package store

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/schemas"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/aws/smithy-go/transport/http/protocol/awsjson"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/internal/testing/hostile"
	"github.com/ddbdesk/ddbdesk/models"
)

// decode decodes the body of a response to a Scan.
func decode(ctx context.Context, p smithyhttp.ClientProtocol, body string) (*dynamodb.ScanOutput, error) {
	resp := &smithyhttp.Response{Response: &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(body))}}
	out := &dynamodb.ScanOutput{}
	operation := smithy.NewOperationSchema(schemas.Scan, schemas.ScanInput, schemas.ScanOutput)
	return out, p.DeserializeResponse(ctx, operation, dynamodb.TypeRegistry, resp, out)
}

var plainProtocol = awsjson.New10(schemas.DynamoDB_20120810)

// offset is the place of an error, which differs where the items before it were cut out.
var offset = regexp.MustCompile(` at offset \d+`)

// checkPage decodes a body as pages are decoded, and as the SDK does.
func checkPage(t interface {
	Helper()
	Context() context.Context
	Fatalf(string, ...any)
}, body string,
) {
	t.Helper()
	want, wantErr := decode(t.Context(), plainProtocol, body)
	got, err := decode(t.Context(), pageProtocol{plainProtocol}, body)
	if offset.ReplaceAllString(fmt.Sprint(err), "") != offset.ReplaceAllString(fmt.Sprint(wantErr), "") {
		t.Fatalf("%.300q:\n%v, the SDK says\n%v", body, err, wantErr)
	}
	if err == nil && !reflect.DeepEqual(want, got) {
		t.Fatalf("%.300q (-SDK +ours):\n%s", body, cmp.Diff(want, got, cmp.Exporter(func(reflect.Type) bool { return true })))
	}
}

// page is the response with these items.
func page(items ...models.Item) string {
	text := []byte(`{"ConsumedCapacity":{"CapacityUnits":1.5,"TableName":"t"},"Count":2,"Items":[`)
	for i, it := range items {
		if i > 0 {
			text = append(text, ',')
		}
		text = it.AppendDynamoDBJSON(text)
	}
	return string(text) + `],"LastEvaluatedKey":{"PK":{"S":"a\"}]b"}},"ScannedCount":3}`
}

func TestPagesAreDecodedAsBySDK(t *testing.T) {
	var all []models.Item
	for _, s := range hostile.Shapes() {
		all = append(all, s.Attributes)
		if _, _, ok := cutItems(page(s.Attributes)); !ok {
			t.Errorf("%s: decoded by the SDK", s.Name)
		}
	}
	bodies := []string{
		page(), page(all...), page(models.Item{}), `{}`, `{"Count":0}`, `[]`, `{"Items":null}`, `{"Items":{}}`, `{"Items":[null]}`, `{"Items":[1]}`,
		`{"Items":[],"Items":[{"a":{"S":"b"}}]}`, ` { "Count" : 1 , "Items" : [ { "a" : { "S" : "b" } , "c":{"L":[ {"N":"1"} ]} } ] , "X" : [] } `,
		`{"Items":[{"a":null}]}`, `{"Items":[{"a":{"S":null}}]}`, `{"Items":[{"a":{}}]}`, `{"Items":[{"a":{"X":1,"S":"b"}}]}`,
		`{"Items":[{"a":{"S":"b","N":"1"}}]}`, `{"Items":[{"a":{"S":1}}]}`, `{"Items":[{"a":{"N":1}}]}`, `{"Items":[{"a":{"BOOL":"true"}}]}`,
		`{"Items":[{"a":{"B":"no base64"}}]}`, `{"Items":[{"a":{"S":"b"},"a":{"S":"c"}}]}`, `{"Items":[{"a":{"S":"b"}}`, `{"Items":[{"a":{"S":"b"}}]`,
		`{"Items":[{"a":{"S":"b}}]}`, `{"Items":[{"a":{"S":"b"}}]}}`, `{"Items":[{"a":{"S":"b"}},]}`, `{"Items":[{"a":{"S":"b"},}]}`,
		`{"Items":[{"a":{"S":"\u0041\ud83d\ude00\ud83d \/\n"}}]}`, `{"Items":[{"\u0061":{"\u0053":"b"}}]}`, `{"Items":[{"a":{"S":"\x"}}]}`,
		"{\"Items\":[{\"a\":{\"S\":\"b\nc\"}}]}", "{\"Items\":[{\"a\":{\"S\":\"\xff\xfe\"},\"\xff\":{\"S\":\"\\n\xff\"}}]}",
		`{"Items":[{"a":{"SS":["a",null]}}]}`, `{"Items":[{"a":{"L":[null]}}]}`, `{"Items":[{"a":{"M":null}}]}`, `{"Items":[{"a" {"S":"b"}}]}`,
		`{"Items":[{"a":{"S":"b"}}]trailing}`, `{"Items":[{"a":{"NULL":true},"b":{"NULL":false},"c":{"BOOL":truefalse}}]}`,
	}
	for _, body := range bodies {
		checkPage(t, body)
	}
	deep := `{"Items":[{"a":` + strings.Repeat(`{"L":[`, 5000) + strings.Repeat(`]}`, 5000) + `}]}`
	checkPage(t, deep)
}

func TestDrawnPagesAreDecodedAsBySDK(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var items []models.Item
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			it := models.Item{}
			for range rapid.IntRange(0, 12).Draw(t, "attributes") {
				it[hostile.Drawn().Draw(t, "name")] = rapid.OneOf(
					rapid.SampledFrom(hostile.EveryType()),
					rapid.Map(hostile.Drawn(), models.StringValue),
				).Draw(t, "value")
			}
			items = append(items, it)
		}
		body := []byte(page(items...))
		for range rapid.IntRange(0, 2).Draw(t, "mistakes") {
			at := rapid.IntRange(0, len(body)-1).Draw(t, "at")
			switch rapid.IntRange(0, 2).Draw(t, "mistake") {
			case 0:
				body[at] = rapid.SampledFrom([]byte("\"\\{}[]:, n1\x00\xff")).Draw(t, "byte")
			case 1:
				body = append(body[:at], body[at+1:]...)
			default:
				body = body[:at]
			}
			if len(body) == 0 {
				return
			}
		}
		checkPage(t, string(body))
	})
}

func BenchmarkDecodePage(b *testing.B) {
	var items []models.Item
	for i := range 1000 {
		items = append(items, models.Item{
			"PK": models.StringValue("ORDER#1"), "SK": models.StringValue(fmt.Sprint("LINE#", i)), "order": models.StringValue("00001"),
			"line": models.StringValue(fmt.Sprint(i)), "status": models.StringValue("open"), "createdAt": models.StringValue("2026-01-14T10:00:00Z"),
			"owner": models.StringValue("somebody@example.com"), "note": models.StringValue(strings.Repeat("some words about it ", 15)),
			"amount": &types.AttributeValueMemberN{Value: "1.50"},
		})
	}
	body := page(items...)
	for name, p := range map[string]smithyhttp.ClientProtocol{"SDK": plainProtocol, "ddbdesk": pageProtocol{plainProtocol}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				if _, err := decode(b.Context(), p, body); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
