package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/internal/mcp"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
)

// initMessage is the first message of a session.
const initMessage = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
	`"clientInfo":{"name":"x","version":"1"}}}` + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"

// A transcript collects the output of a server. It is safe for concurrent use.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (t *transcript) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.Write(p)
}

func (*transcript) Close() error { return nil }

func (t *transcript) lines() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Split(strings.TrimSpace(t.text.String()), "\n")
}

// newServer returns a server for the database of a fixture.
func newServer(t testing.TB, f *fixture.Fixture) *mcp.Server {
	t.Helper()
	o := f.Options()
	o.Role, o.ReadOnly = session.Support, true
	server, err := mcp.New(mcp.Options{}, mcp.NewAgentView(session.NewViewer(o), nil))
	if err != nil {
		t.Fatal(err)
	}
	return server
}

// call returns the message that calls a tool.
func call(id, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments) + "\n"
}

// For any input, the server answers in lines of JSON, ends with its client, and never panics.
func FuzzMessages(f *testing.F) {
	item := call("2", "get_item", `{"key":{"PK":"CASE#ver_1","SK":"META"}}`)
	cancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}` + "\n"
	for _, text := range []string{
		"", "\n\n", "hello\n", "{}\n", "[]\n", "null\n", `{"jsonrpc":"2.0","id":1,"meth`, item, // without initialize
		item + cancel, cancel + item, item + item, "[" + strings.TrimSpace(item) + "," + strings.TrimSpace(cancel) + "]\n",
		initMessage + item, item + initMessage, strings.ReplaceAll(item, "2.0", "1.0"), strings.ReplaceAll(item, "\n", "\r\n"),
		call("null", "find", "{}"), call("-1", "find", `{"value":7}`), call("1e400", "find", "[]"), call(`{"a":1}`, "find", `"x"`),
		call("3", "drop_table", "{}"), call("4", "run_pattern", `{"pattern":"authbridge.get-verification","limit":1e30}`),
		call("5", "get_item", strings.Repeat(`{"key":`, 2000)+"1"+strings.Repeat("}", 2000)),
		call("6", "decode_key", `{"key":"`+strings.Repeat("x", 1<<16)+`"}`), call("7", "decode_key", `{"key":"\ud800\u0000"}`),
		`{"jsonrpc":"2.0","id":8,"result":{}}` + "\n", `{"jsonrpc":"2.0","id":9,"error":{"code":1,"message":"x"}}` + "\n",
		`{"jsonrpc":"2.0","id":10,"method":"resources/read","params":{"uri":"ddbdesk://authbridge/../../etc/passwd"}}` + "\n",
		`{"jsonrpc":"2.0","id":11,"method":"tools/list","params":{"cursor":"////"}}` + "\n",
	} {
		f.Add(true, []byte(text))
		f.Add(false, []byte(text))
	}
	data := fixture.New(f, "authbridge", session.Support)
	data.PutCase(f, "ver_1")
	f.Fuzz(func(t *testing.T, initialized bool, messages []byte) {
		if initialized {
			messages = append([]byte(initMessage), messages...)
		}
		out := &transcript{}
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		err := newServer(t, data).Run(ctx, mcp.Stdio(bytes.NewReader(messages), out))
		if ctx.Err() != nil {
			t.Fatalf("the server did not end with its client: %v", err)
		}
		for _, line := range out.lines() {
			if line != "" && !json.Valid([]byte(line)) || len(line) > 1<<20 {
				t.Errorf("got an invalid line of %d bytes: %.300q", len(line), line)
			}
		}
	})
}

// The server answers every request, even if the client has already closed its output, as a pipe in a shell does.
func TestRequestsAreAnsweredAfterEndOfInput(t *testing.T) {
	f := fixture.New(t, "authbridge", session.Support)
	f.PutCase(t, "ver_1")
	messages := initMessage + call("2", "get_item", `{"key":{"PK":"CASE#ver_1","SK":"META"}}`) + call(`"last"`, "list_patterns", "{}")
	out := &transcript{}
	if err := newServer(t, f).Run(t.Context(), mcp.Stdio(strings.NewReader(messages), out)); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(out.lines(), "\n")
	for _, id := range []string{"2", `"last"`} {
		if !strings.Contains(text, `"id":`+id+`,"result"`) {
			t.Errorf("got no response to request %s: %.500s", id, text)
		}
	}
}

// The server answers an invalid line with the error that JSON-RPC requires, and continues with the next line.
func TestInvalidMessagesAreAnswered(t *testing.T) {
	const last = `{"jsonrpc":"2.0","id":"last","method":"ping"}` + "\n"
	f := fixture.New(t, "authbridge", session.Support)
	for line, code := range map[string]string{
		"{nonsense\n": "-32700", "\xff\xfe[1,2\n": "-32700", "[]\n": "-32600", "[7]\n": "-32600", "\"x\"\n": "-32600", "{\"id\":6}\n": "-32600",
		`{"jsonrpc":"1.0","id":5,"method":"ping"}` + "\n": "-32600", "\r\n": "", "[" + strings.TrimSpace(last) + "]\n": "",
	} {
		in, client := io.Pipe()
		answers, out := io.Pipe()
		ended := make(chan error, 1)
		go func() { ended <- newServer(t, f).Run(t.Context(), mcp.Stdio(in, out)) }()
		go func() { _, _ = io.WriteString(client, initMessage+line+last) }() // the answers prove the reads
		text := ""
		for lines := bufio.NewScanner(answers); !strings.Contains(text, `"id":"last"`) && lines.Scan(); {
			text += lines.Text() + "\n"
		}
		if strings.Contains(text, `"id":null,"error":{"code":`+code) != (code != "") {
			t.Errorf("%q: got %s", line, text)
		}
		err := errors.Join(client.Close(), answers.Close(), <-ended)
		if err != nil && !errors.Is(err, io.ErrClosedPipe) { // The answer to a second ping may follow.
			t.Errorf("%q: got %v", line, err)
		}
	}
}

// A client may send requests twice, in any order, with wrong types or huge values, and cancel any of them. The server
// must still answer the next one.
func TestServerSurvivesAnyConversation(t *testing.T) {
	f := fixture.New(t, "authbridge", session.Support)
	f.PutCase(t, "ver_1")
	id := rapid.SampledFrom([]string{"1", "2", "3", `"a"`, "0", "-1"})
	arguments := rapid.SampledFrom([]string{
		"{}", "[]", "null", "7", `{"key":{"PK":"CASE#ver_1","SK":"META"}}`, `{"value":"ver_1"}`, `{"key":"CASE#ver_1"}`,
		`{"pattern":"authbridge.get-verification","parameters":{"verificationId":"ver_1"}}`, `{"pattern":7}`, `{"action":"approve"}`,
		`{"value":"` + strings.Repeat("x", 1<<17) + `"}`, strings.Repeat(`{"key":`, 500) + "1" + strings.Repeat("}", 500),
	})
	tool := rapid.SampledFrom([]string{
		"find", "list_patterns", "run_pattern", "decode_key", "get_item", "related", "explain_finding", "plan_change", "none", "",
	})
	other := rapid.SampledFrom([]string{
		"tools/list", "resources/list", "resources/read", "prompts/list", "ping", "logging/setLevel", "notifications/initialized",
		"notifications/progress", "completion/complete", "nothing/at-all", "initialize",
	})
	rapid.Check(t, func(rt *rapid.T) {
		in, client := io.Pipe()
		answers, out := io.Pipe()
		ended := make(chan error, 1)
		go func() { ended <- newServer(t, f).Run(t.Context(), mcp.Stdio(in, out)) }()
		done := make(chan bool, 1)
		go func() {
			defer close(done)
			lines := bufio.NewScanner(answers)
			lines.Buffer(nil, 4<<20)
			for lines.Scan() {
				if !json.Valid(lines.Bytes()) {
					t.Errorf("invalid JSON: %.300q", lines.Text())
				}
				if strings.Contains(lines.Text(), `"id":"last"`) {
					done <- true
				}
			}
		}()
		text := initMessage
		for range rapid.IntRange(1, 30).Draw(rt, "messages") {
			switch rapid.IntRange(0, 3).Draw(rt, "kind") {
			case 0, 1:
				text += call(id.Draw(rt, "id"), tool.Draw(rt, "tool"), arguments.Draw(rt, "arguments"))
			case 2:
				text += fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`, id.Draw(rt, "id")) + "\n"
			case 3:
				text += fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id.Draw(rt, "id"), other.Draw(rt, "method"), arguments.Draw(rt, "params")) + "\n"
			}
		}
		if _, err := io.WriteString(client, text+`{"jsonrpc":"2.0","id":"last","method":"tools/list"}`+"\n"); err != nil {
			rt.Fatalf("the server ended: %v", err)
		}
		select {
		case ok := <-done:
			if !ok {
				rt.Fatalf("the server ended: %v", <-ended)
			}
		case <-time.After(time.Minute):
			rt.Fatal("no response within a minute")
		}
		_ = client.Close()
		<-ended //nolint:errcheck // it ends because the client disconnected
		_ = out.Close()
	})
}
