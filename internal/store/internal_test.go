package store

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/schemas"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/aws/smithy-go/transport/http/protocol/awsjson"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/testing/hostile"
	"github.com/ddbdesk/ddbdesk/models"
)

// decode decodes the response body of a Scan.
func decode(ctx context.Context, p smithyhttp.ClientProtocol, body string) (*dynamodb.ScanOutput, error) {
	resp := &smithyhttp.Response{Response: &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(body))}}
	out := &dynamodb.ScanOutput{}
	operation := smithy.NewOperationSchema(schemas.Scan, schemas.ScanInput, schemas.ScanOutput)
	return out, p.DeserializeResponse(ctx, operation, dynamodb.TypeRegistry, resp, out)
}

var plainProtocol = awsjson.New10(schemas.DynamoDB_20120810)

// offset matches the offset in an error, which differs because ddbdesk decodes the items separately.
var offset = regexp.MustCompile(` at offset \d+`)

// checkPage compares ddbdesk's decoding of a body with the SDK's.
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
		t.Fatalf("%.300q: got\n%v, but the SDK returns\n%v", body, err, wantErr)
	}
	if err == nil && !reflect.DeepEqual(want, got) {
		t.Fatalf("%.300q (-SDK +ours):\n%s", body, cmp.Diff(want, got, cmp.Exporter(func(reflect.Type) bool { return true })))
	}
}

// page returns a response body with these items.
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
			t.Errorf("cutItems rejected %s", s.Name)
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
				it[hostile.Generator().Draw(t, "name")] = rapid.OneOf(
					rapid.SampledFrom(hostile.EveryType()),
					rapid.Map(hostile.Generator(), models.StringValue),
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

// echoServer is a server that rejects every request and repeats its body in the error.
type echoServer struct{ code string }

func (e echoServer) Do(r *http.Request) (*http.Response, error) {
	sent, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	message := strings.ReplaceAll(strings.ReplaceAll(string(sent), `\`, `\\`), `"`, `\"`)
	body := `{"__type":"com.amazonaws.dynamodb.v20120810#` + e.code + `","message":"Cannot do ` + message + `","Message":"Cannot do ` + message +
		`","CancellationReasons":[{"Code":"ValidationError","Message":"` + message + `"}]}`
	return &http.Response{
		StatusCode: http.StatusBadRequest, Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body: io.NopCloser(strings.NewReader(body)), Request: r, ContentLength: int64(len(body)),
	}, nil
}

// No error contains a value from the request, even if the server repeats it.
func TestErrorsDoNotRepeatRequests(t *testing.T) {
	const phone, salary, card = "+26771234567", "5120044", `a "quoted" name`
	table := &models.Table{Name: "People", PartitionKey: models.Key{Name: "PK", Type: models.TypeS}}
	item := models.Item{
		"PK": models.StringValue("PERSON#" + phone), "salary": &types.AttributeValueMemberN{Value: salary},
		"cards": &types.AttributeValueMemberSS{Value: []string{card}}, "print": &types.AttributeValueMemberB{Value: []byte(phone)},
		"by": &types.AttributeValueMemberM{Value: models.Item{phone: models.StringValue(card)}},
	}
	key := models.Item{"PK": item["PK"]}
	query := &dynamodb.QueryInput{
		TableName: aws.String("People"), KeyConditionExpression: aws.String("PK = :p"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":p": item["PK"]},
	}
	for _, code := range []string{"ValidationException", "AccessDeniedException", "TransactionCanceledException", "UnheardOfException"} {
		conn, err := Connect(t.Context(), Options{Embedded: echoServer{code}})
		if err != nil {
			t.Fatal(err)
		}
		get := func() error {
			_, err := conn.Reader().Fetch(t.Context(), accesspatterns.GetLeg(table, key), nil, 0)
			return err
		}
		ask := func() error {
			_, err := conn.Reader().Fetch(t.Context(), accesspatterns.Leg{Query: query}, key, 0)
			return err
		}
		several := func() error {
			_, err := conn.Reader().Fetch(t.Context(), accesspatterns.BatchLeg(table, []models.Item{key}), nil, 0)
			return err
		}
		put := func() error {
			_, err := conn.Writer().Commit(
				t.Context(), change.Batch{Writes: []types.TransactWriteItem{{Put: &types.Put{TableName: aws.String("People"), Item: item}}}},
			)
			return err
		}
		transact := func() error {
			_, err := conn.Writer().Commit(t.Context(), change.Batch{
				Token: "t", Writes: []types.TransactWriteItem{{Put: &types.Put{TableName: aws.String("People"), Item: item}}},
			})
			return err
		}
		for name, call := range map[string]func() error{"get": get, "query": ask, "batch get": several, "put": put, "transact": transact} {
			err := call()
			var storeErr *Error
			if !errors.As(err, &storeErr) {
				t.Fatalf("%s, %s: got %v", name, code, err)
			}
			for _, value := range []string{phone, salary, "quoted", base64.StdEncoding.EncodeToString([]byte(phone))} {
				if strings.Contains(err.Error(), value) || strings.Contains(storeErr.Problem, value) {
					t.Errorf("%s, %s: the error contains the value %q", name, code, err)
				}
			}
		}
	}
}

func TestServerMessagesContainNoValues(t *testing.T) {
	for text, want := range map[string]string{
		"The parameter cannot be converted to a numeric value: 12 345": "The parameter cannot be converted to a numeric value: …",
		"One or more parameter values were invalid: Input collection [a, b, a] contains duplicates.": "One or more " +
			"parameter values were invalid: " +
			"Input collection […] contains duplicates.",
		"1 validation error detected: Value 'it's' at 'x' failed; Value 'b' at 'key' failed to satisfy constraint: Member " +
			"must not be null": "" +
			"1 validation error detected: Value '…' at 'key' failed to satisfy constraint: Member must not be null",
		"User: arn:aws:iam::123456789012:user/bob": "User: arn:aws:iam::…:user/bob",
		"Requested resource not found":             "Requested resource not found",
	} {
		if got := withoutData(text, nil); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestBackoff(t *testing.T) {
	for failed := 1; failed < 100; failed++ {
		for range 20 {
			full := maxBackoff
			if failed < 6 {
				full = min(maxBackoff, throttledBackoff<<(failed-1))
			}
			if wait := backoff(throttledBackoff, failed); wait < full/2 || wait > full {
				t.Fatalf("after %d failures: wait %s, want %s to %s", failed, wait, full/2, full)
			}
		}
	}
}

func TestWritesAreRetriedOnlyIfNotProcessed(t *testing.T) {
	reset := &net.OpError{Op: "read", Err: syscall.ECONNRESET}
	for _, test := range []struct {
		name         string
		err          error
		reads, write int
	}{
		{"refused", &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, 2, 2},
		{"reset", reset, maxAttempts, 1},
		{"truncated response", io.ErrUnexpectedEOF, maxAttempts, 1},
		{"server failed", &answerError{status: 503, contentType: "text/html"}, maxAttempts, 1},
		{"throttled by a proxy", &answerError{status: 429, contentType: "text/html"}, maxAttempts, maxAttempts},
		{"no network", &net.OpError{Op: "dial", Err: syscall.EHOSTUNREACH}, 3, 3},
		{"stalled", stallError{begun: true}, 2, 1},
		{"unknown", errors.New("other"), 1, 1},
	} {
		for writes, want := range map[bool]int{false: test.reads, true: test.write} {
			if got := attempts(classify(t.Context(), test.err), test.err, writes); got != want {
				t.Errorf("%s, writes %v: got %d attempts, want %d", test.name, writes, got, want)
			}
		}
	}
}

// The store replaces a broken connection immediately, and delays its retries if the network is unreachable.
func TestNetworkErrorsAreRetriedWithDelays(t *testing.T) {
	reset := &net.OpError{Op: "read", Err: syscall.ECONNRESET}
	for _, test := range []struct {
		err                error
		minTotal, maxTotal time.Duration // of all waits together
		firstIsAtMostMs    int
	}{
		{reset, time.Second, 2200 * time.Millisecond, 25},
		{&net.OpError{Op: "dial", Err: syscall.ENETUNREACH}, 375 * time.Millisecond, 750 * time.Millisecond, 250},
	} {
		r := &retrier{ctx: t.Context()}
		var waits time.Duration
		for r.IsErrorRetryable(test.err) {
			wait, err := r.RetryDelay(0, test.err)
			if err != nil || waits == 0 && wait > time.Duration(test.firstIsAtMostMs)*time.Millisecond {
				t.Errorf("%v: the first wait is %s, %v", test.err, wait, err)
			}
			waits += wait
		}
		if waits < test.minTotal || waits > test.maxTotal {
			t.Errorf("%v: the total wait is %s", test.err, waits)
		}
	}
}

func TestDialTimeoutIsNotCanceled(t *testing.T) {
	// Timeouts of package net match context.DeadlineExceeded.
	err := &net.OpError{Op: "dial", Err: context.DeadlineExceeded}
	if got := classify(t.Context(), err); got != Unreachable {
		t.Errorf("classify(dial timeout) = %q, want %q", got, Unreachable)
	}
	ctx, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	if got := classify(ctx, err); got != Canceled {
		t.Errorf("after the caller's deadline: got %q, want %q", got, Canceled)
	}
}

func TestStalledBodyFails(t *testing.T) {
	hold := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "begun")
		if err := http.NewResponseController(w).Flush(); err != nil {
			t.Error(err)
		}
		<-hold
	}))
	defer server.Close()
	defer close(hold)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := newHTTPClient().Do(r) //nolint:bodyclose // The guardedBody closes it.
	if err != nil {
		t.Fatal(err)
	}
	b := &guardedBody{body: resp.Body, cancel: cancel, timer: newStallTimer(cancel), within: 20 * time.Millisecond, remaining: maxAnswer}
	defer closeBody(t, b)
	got, err := io.ReadAll(b)
	if string(got) != "begun" || !errors.Is(err, stallError{begun: true}) || errors.Is(err, context.Canceled) {
		t.Errorf("got %q, %v", got, err)
	}
	if class := classify(t.Context(), err); class != Unreachable || attempts(class, err, true) != 1 || attempts(class, err, false) != 2 {
		t.Errorf("got class %s", class)
	}
}

func TestEndlessBodyFails(t *testing.T) {
	noop := func() {}
	body := io.NopCloser(strings.NewReader(strings.Repeat("x", 2000)))
	b := &guardedBody{body: body, cancel: noop, timer: newStallTimer(noop), within: time.Second, remaining: 1000}
	defer closeBody(t, b)
	got, err := io.ReadAll(b)
	if len(got) < 1000 || len(got) > 1512 || !errors.Is(err, errTooLarge) {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
	if class := classify(t.Context(), err); class != Captive {
		t.Errorf("class = %s, want %s", class, Captive)
	}
}

func closeBody(t *testing.T, b io.Closer) {
	t.Helper()
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}

func TestExplicitEndpointIsUsed(t *testing.T) {
	// A VPC endpoint belongs to AWS, so it does not count as custom, but requests must still use it.
	const endpoint = "https://vpce-1.dynamodb.eu-west-1.vpce.amazonaws.com"
	c, err := Connect(t.Context(), Options{Region: "eu-west-1", EndpointURL: endpoint})
	if err != nil {
		t.Fatal(err)
	}
	if got := aws.ToString(c.client.Options().BaseEndpoint); got != endpoint {
		t.Errorf("requests go to %q", got)
	}
}

func TestEndpointNames(t *testing.T) {
	for endpoint, want := range map[string]struct {
		loopback, aws bool
		region        string
	}{
		"http://127.0.0.1:8000":                                     {loopback: true},
		"http://127.5.5.5":                                          {loopback: true},
		"http://[::1]:8000":                                         {loopback: true},
		"http://[::ffff:127.0.0.1]:8000":                            {loopback: true},
		"http://LOCALHOST:8000":                                     {loopback: true},
		"http://db.localhost.:8000":                                 {loopback: true},
		"http://localhost.example.com":                              {},
		"http://127.0.0.1.nip.io":                                   {},
		"http://0.0.0.0:8000":                                       {},
		"http://10.0.0.1:8000":                                      {},
		"https://dynamodb.eu-west-1.amazonaws.com":                  {aws: true, region: "eu-west-1"},
		"https://dynamodb-fips.us-gov-west-1.amazonaws.com":         {aws: true, region: "us-gov-west-1"},
		"https://vpce-1-x.dynamodb.us-east-1.vpce.amazonaws.com":    {aws: true, region: "us-east-1"},
		"https://dynamodb.cn-north-1.amazonaws.com.cn":              {aws: true, region: "cn-north-1"},
		"https://123456789012.ddb.ap-southeast-2.amazonaws.com/":    {aws: true, region: "ap-southeast-2"},
		"https://dynamodb.eu-central-1.api.aws":                     {aws: true, region: "eu-central-1"},
		"https://dynamodb.eu-west-1.amazonaws.com.evil.example.com": {},
	} {
		if got := isLoopback(endpoint); got != want.loopback {
			t.Errorf("isLoopback(%s) = %v, want %v", endpoint, got, want.loopback)
		}
		if got := isAWS(endpoint); got != want.aws {
			t.Errorf("isAWS(%s) = %v, want %v", endpoint, got, want.aws)
		}
		if got := regionIn(endpoint); got != want.region {
			t.Errorf("regionIn(%s) = %q, want %q", endpoint, got, want.region)
		}
	}
}

func TestEC2Instance(t *testing.T) {
	for vendor, want := range map[string]bool{"Amazon EC2\n": true, "Amazon EC2": true, "QEMU\n": false, "": false} {
		file := filepath.Join(t.TempDir(), "sys_vendor")
		if err := os.WriteFile(file, []byte(vendor), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := isInstance(file); got != want {
			t.Errorf("isInstance(%q) = %v, want %v", vendor, got, want)
		}
	}
	if isInstance(filepath.Join(t.TempDir(), "none")) {
		t.Error("isInstance is true without a vendor")
	}
}
