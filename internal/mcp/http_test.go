package mcp_test

import (
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/mcp"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
)

const token = "0123456789abcdef0123456789abcdef"

// serveHTTP starts an HTTP server for the database of a fixture.
func serveHTTP(t *testing.T, f *fixture.Fixture, token string) *httptest.Server {
	t.Helper()
	o := f.Options()
	o.Role, o.ReadOnly = session.Support, true
	s, err := mcp.New(mcp.Options{}, mcp.NewAgentView(session.NewViewer(o), nil))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s.Handler(token))
	t.Cleanup(server.Close)
	return server
}

// withToken adds the token to every request of a client.
type withToken struct{ next http.RoundTripper }

func (w withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+token)
	return w.next.RoundTrip(r)
}

func TestClientsConnectOverHTTP(t *testing.T) {
	f := fixture.New(t, "authbridge", session.Support)
	f.PutCase(t, "ver_1")
	server := serveHTTP(t, f, token)
	client := sdk.NewClient(&sdk.Implementation{Name: "web", Version: "1"}, nil)
	s, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint: server.URL, HTTPClient: &http.Client{Transport: withToken{http.DefaultTransport}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "run_pattern", Arguments: map[string]any{
		"pattern": "authbridge.get-verification", "parameters": map[string]string{"verificationId": "ver_1"},
	}})
	if err != nil || r.IsError || !strings.Contains(r.Content[0].(*sdk.TextContent).Text, "ver_1") {
		t.Errorf("got %v, %+v, want the item", err, r)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// The server rejects requests that come from web pages, name another host, or lack the token.
func TestHTTPRejectsWebPagesAndOtherHosts(t *testing.T) {
	server := serveHTTP(t, fixture.New(t, "authbridge", session.Support), token)
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
		`"clientInfo":{"name":"x","version":"1"}}}`
	for subject, test := range map[string]struct {
		host, origin, authorization string
		status                      int
	}{
		"client":                               {"", "", "Bearer " + token, http.StatusOK},
		"page on this machine":                 {"", "http://localhost:3000", "Bearer " + token, http.StatusOK},
		"no token":                             {"", "", "", http.StatusUnauthorized},
		"wrong token":                          {"", "", "Bearer " + strings.Repeat("x", len(token)), http.StatusUnauthorized},
		"truncated token":                      {"", "", "Bearer " + token[:31], http.StatusUnauthorized},
		"another scheme":                       {"", "", "Basic " + token, http.StatusUnauthorized},
		"a web page":                           {"", "https://example.com", "Bearer " + token, http.StatusForbidden},
		"page with a null origin":              {"", "null", "Bearer " + token, http.StatusForbidden},
		"DNS rebinding":                        {"attacker.example:80", "", "Bearer " + token, http.StatusForbidden},
		"host name that begins with localhost": {"localhost.example", "", "Bearer " + token, http.StatusForbidden},
	} {
		t.Run(subject, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader(hello))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			if r.Host = test.host; test.origin != "" {
				r.Header.Set("Origin", test.origin)
			}
			if test.authorization != "" {
				r.Header.Set("Authorization", test.authorization)
			}
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			if answer.StatusCode != test.status {
				t.Errorf("got status %d, want %d", answer.StatusCode, test.status)
			}
		})
	}
}

// An attacker could guess a short token, so the server rejects every request if its own token is short.
func TestHTTPNeedsLongToken(t *testing.T) {
	server := serveHTTP(t, fixture.New(t, "authbridge", session.Support), "")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer ")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusUnauthorized {
		t.Errorf("got status %d, want 401", answer.StatusCode)
	}
}

// Clients of every protocol version can call tools without a session, and the journal contains the name of the client.
func TestClientsOfEveryVersionCallOverHTTP(t *testing.T) {
	f := fixture.New(t, "authbridge", session.Support)
	server := serveHTTP(t, f, token)
	const meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},` +
		`"io.modelcontextprotocol/clientInfo":{"name":"new","version":"9"}}`
	for version, meta := range map[string]string{"2024-11-05": "", "2025-03-26": "", "2025-11-25": "", "2026-07-28": meta} {
		const name = "decode_key"
		text := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `","arguments":{"key":"CASE#x"}` + meta + `}}`
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		for key, value := range map[string]string{
			"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": "Bearer " + token,
			"MCP-Protocol-Version": version, "Mcp-Method": "tools/call", "Mcp-Name": name, "User-Agent": "agent " + version,
		} {
			r.Header.Set(key, value)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		if err := errors.Join(err, answer.Body.Close()); err != nil {
			t.Fatal(err)
		}
		if answer.StatusCode != http.StatusOK || !strings.Contains(string(body), "Verification") {
			t.Errorf("%s: status %d: %s", version, answer.StatusCode, body)
		}
	}
	clients := map[string]bool{}
	for e, err := range journal.Read(filepath.Join(f.Dir, "journal.jsonl")) {
		if err != nil {
			t.Fatal(err)
		}
		clients[e.Detail.Client] = true
	}
	want := map[string]bool{"agent 2024-11-05": true, "agent 2025-03-26": true, "agent 2025-11-25": true, "new 9": true}
	if !maps.Equal(clients, want) {
		t.Errorf("the journal contains the clients %v", clients)
	}
}
