// The conformance suite consists of requests with DynamoDB's responses, as data in testdata/conformance. It runs
// against this store, and against the servers in DDBDESK_TEST_ENDPOINTS="name=url name=url".
//
//	go test ./internal/embedded -run Conformance -update
//
// adds this store's response where a file has none, and the different responses of the servers.

package embedded

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the servers' responses to the files of the conformance suite")

// conformanceServer is a server under test.
type conformanceServer struct {
	name string
	url  string
	http interface {
		Do(*http.Request) (*http.Response, error)
	}
	shorthand
}

func TestConformance(t *testing.T) {
	servers := []*conformanceServer{{name: "embedded", url: "http://embedded.invalid", http: openStore(t, Options{})}}
	for endpoint := range strings.FieldsSeq(os.Getenv("DDBDESK_TEST_ENDPOINTS")) {
		name, url, ok := strings.Cut(endpoint, "=")
		if !ok {
			t.Fatalf("DDBDESK_TEST_ENDPOINTS: %q is not name=url", endpoint)
		}
		servers = append(servers, &conformanceServer{name: name, url: url, http: http.DefaultClient})
	}
	files, err := filepath.Glob("testdata/conformance/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, server := range servers {
		server.setUp(t)
	}
	for _, file := range files {
		if filepath.Base(file) == "setup.txt" {
			continue
		}
		head, cases := readCases(t, file)
		for _, server := range servers {
			if lacks(head, server.name) {
				continue
			}
			t.Run(server.name+"/"+strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
				for i, c := range cases {
					server.id = fmt.Sprintf("%s-%d", strings.TrimSuffix(filepath.Base(file), ".txt"), i+1)
					t.Run(c.name, func(t *testing.T) { server.runCase(t, c) })
				}
			})
		}
		if *update {
			if err := writeCases(file, head, cases); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// setUp creates the tables of setup.txt and deletes them after the test.
func (s *conformanceServer) setUp(t *testing.T) {
	t.Helper()
	s.prefix = "t" + strconv.FormatInt(time.Now().UnixNano(), 36) + "-"
	s.arns = map[string]string{}
	t.Cleanup(func() { s.dropTables(t) })
	_, cases := readCases(t, "testdata/conformance/setup.txt")
	for _, c := range cases {
		for _, st := range c.steps {
			answer := s.ask(t.Context(), t, st.request)
			if _, known := st.knownResponse(s.name); known {
				continue // the server does not have these tables
			}
			if !strings.HasPrefix(answer, "200 ") {
				t.Fatalf("%s: creating %s failed: %s", s.name, c.name, answer)
			}
			var out struct {
				TableDescription struct{ TableName, TableArn string }
			}
			if err := json.Unmarshal([]byte(answer[4:]), &out); err != nil {
				t.Fatal(err)
			}
			if d := out.TableDescription; d.TableName != "" {
				s.arns[strings.TrimPrefix(d.TableName, s.prefix)] = d.TableArn
			}
		}
	}
}

// dropTables deletes the tables of this run, including tables that the server should have rejected.
func (s *conformanceServer) dropTables(t *testing.T) {
	t.Helper()
	ctx := context.Background() // the test's own context has ended by then
	var out struct{ TableNames []string }
	answer := s.ask(ctx, t, `ListTables {"ExclusiveStartTableName":"`+s.prefix+`"}`)
	if err := json.Unmarshal([]byte(strings.TrimPrefix(answer, "200 ")), &out); err != nil {
		t.Fatalf("%s: %s: %v", s.name, answer, err)
	}
	for _, name := range out.TableNames {
		if strings.HasPrefix(name, s.prefix) {
			s.ask(ctx, t, `DeleteTable {"TableName":"`+name+`"}`)
		}
	}
}

// runCase compares each response with the file.
func (s *conformanceServer) runCase(t *testing.T, c *conformanceCase) {
	s.got = map[string]string{}
	for _, st := range c.steps {
		got := s.ask(t.Context(), t, st.request)
		if s.name != "embedded" && strings.HasPrefix(got, "500 ") {
			got = s.ask(t.Context(), t, st.request) // other servers fail occasionally
		}
		if err := s.keep(st, got); err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		if st.answer == "" && *update {
			st.answer = s.abbreviate(got)
		}
		want, known := st.knownResponse(s.name)
		if !known {
			want = st.answer
		}
		if *update && s.name != "embedded" {
			st.recordDifference(s, got)
			continue
		}
		if slices.Contains(st.otherWording, s.name) {
			want, got = kindOfError(want), kindOfError(got)
		}
		if diff := s.diffResponses(want, got); diff != "" {
			t.Errorf("%s\n got  %.600s\n want %.600s\n%s", st.request, got, want, diff)
		}
		if known && !c.isDocumented() {
			t.Errorf("%s returns another response, but the case does not quote the AWS documentation", s.name)
		}
	}
}

// kindOfError returns a response without the wording of its messages.
func kindOfError(answer string) string {
	kind, rest, _ := strings.Cut(answer, ": ")
	if _, found, ok := strings.Cut(rest, " Item {"); ok {
		kind += " Item {" + found
	}
	if _, reasons, ok := strings.Cut(rest, " CancellationReasons "); ok {
		kind += regexp.MustCompile(`"Message":"([^"\\]|\\.)*"`).ReplaceAllString(reasons, "")
	}
	return kind
}

// recordDifference records a different response of the server, and removes a recorded response that no longer differs.
func (st *conformanceStep) recordDifference(s *conformanceServer, got string) {
	if known, ok := st.knownResponse(s.name); ok && s.diffResponses(known, got) == "" {
		return
	}
	st.known = slices.DeleteFunc(st.known, func(line string) bool { return strings.HasPrefix(line, s.name+" ") })
	st.otherWording = slices.DeleteFunc(st.otherWording, func(name string) bool { return name == s.name })
	switch {
	case s.diffResponses(st.answer, got) == "":
	case got[0] == '4' && kindOfError(got) == kindOfError(s.expand(st.answer)):
		st.otherWording = append(st.otherWording, s.name)
	default:
		st.known = append(st.known, s.name+" "+s.abbreviate(got))
	}
}

// abbreviate reverses expand for names and IDs.
func (s *conformanceServer) abbreviate(text string) string {
	for name, arn := range s.arns {
		text = strings.ReplaceAll(text, arn, "$arn."+name)
	}
	if strings.HasPrefix(text, `200 {"TableDescription":`) {
		return `200 with {"TableDescription":{}}` // the rest differs each time
	}
	text = regexp.MustCompile(`x{50,}`).ReplaceAllStringFunc(text, func(run string) string { return fmt.Sprintf("$x(%d)", len(run)) })
	for name, value := range s.got {
		text = strings.ReplaceAll(text, value, "$got."+name)
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, s.prefix, "$"), s.id, "$id")
}

// ask sends a request and returns the response in the format of the files.
func (s *conformanceServer) ask(ctx context.Context, t *testing.T, request string) string {
	t.Helper()
	request, unsigned := strings.CutPrefix(request, "unsigned ")
	operation, body, _ := strings.Cut(request, " ")
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/", strings.NewReader(s.expand(body)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", contentType)
	prefix := targetPrefix
	if name, ok := strings.CutPrefix(operation, "Streams."); ok {
		prefix, operation = streamPrefix, name
	}
	r.Header.Set("X-Amz-Target", prefix+operation)
	r.Header.Set("X-Amz-Date", "20260101T000000Z")
	if !unsigned {
		r.Header.Set(
			"Authorization",
			"AWS4-HMAC-SHA256 Credential=local/20260101/eu-central-1/dynamodb/aws4_request, SignedHeaders=host, Signature=00",
		)
	}
	resp, err := s.http.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answerLine(resp.StatusCode, answer)
}

// answerLine returns a response on one line.
func answerLine(status int, body []byte) string {
	var e map[string]any
	if err := json.Unmarshal(body, &e); err != nil {
		return fmt.Sprintf("%d without JSON", status)
	}
	// Encoding decoded JSON cannot fail; it sorts the members.
	encoded := func(v any) string { data, _ := json.Marshal(v); return string(data) }
	if status == http.StatusOK {
		return "200 " + encoded(e)
	}
	name, _ := e["__type"].(string)
	out := fmt.Sprintf("%d %s", status, name[strings.LastIndex(name, "#")+1:])
	for _, field := range []string{"message", "Message"} {
		if text, ok := e[field].(string); ok && text != "" {
			out += ": " + strings.Join(strings.Fields(text), " ")
			break
		}
	}
	for _, field := range []string{"Item", "CancellationReasons"} {
		if more, ok := e[field]; ok {
			out += " " + field + " " + encoded(more)
		}
	}
	return out
}

// diffResponses returns the difference between two responses, or "".
func (s *conformanceServer) diffResponses(want, got string) string {
	want = s.expand(want)
	partial, isPartial := strings.CutPrefix(want, "200 with ")
	unordered, isUnordered := strings.CutPrefix(want, "200 in any order ")
	exact, isExact := strings.CutPrefix(want, "200 ")
	body, ok := strings.CutPrefix(got, "200 ")
	switch {
	case !isExact || !ok:
		return cmp.Diff(strings.Join(strings.Fields(want), " "), got)
	case isPartial:
		exact = partial
	case isUnordered:
		exact = unordered
	}
	var wanted, actual any
	if err := json.Unmarshal([]byte(exact), &wanted); err != nil {
		return fmt.Sprintf("the wanted answer is not JSON: %v", err)
	}
	if err := json.Unmarshal([]byte(body), &actual); err != nil {
		return fmt.Sprintf("the answer is not JSON: %v", err)
	}
	sortUnordered(wanted, isUnordered)
	sortUnordered(actual, isUnordered)
	if isPartial {
		actual = sameMembers(wanted, actual)
	}
	if reflect.DeepEqual(wanted, actual) {
		return ""
	}
	return cmp.Diff(wanted, actual)
}

// sortUnordered sorts the members of sets, and optionally all lists.
func sortUnordered(v any, lists bool) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			sortUnordered(member, lists || name == "SS" || name == "NS" || name == "BS")
		}
	case []any:
		for _, member := range v {
			sortUnordered(member, lists)
		}
		if lists {
			slices.SortFunc(v, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}
	}
}

// sameMembers removes the members of a response that are not compared.
func sameMembers(wanted, actual any) any {
	switch w := wanted.(type) {
	case map[string]any:
		a, ok := actual.(map[string]any)
		if !ok {
			return actual
		}
		out := map[string]any{}
		for name, member := range w {
			if given, ok := a[name]; ok {
				out[name] = sameMembers(member, given)
			}
		}
		return out
	case []any:
		a, ok := actual.([]any)
		if !ok || len(a) != len(w) {
			return actual
		}
		out := make([]any, len(w))
		for i := range w {
			out[i] = sameMembers(w[i], a[i])
		}
		return out
	}
	return actual
}
