package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// newMCP returns the process of an MCP server for a database with sample data, without starting it.
func newMCP(t *testing.T) *exec.Cmd {
	t.Helper()
	dir := t.TempDir()
	env := append(os.Environ(), "DDBDESK_STATE_DIR="+filepath.Join(dir, "state"), "DDBDESK_CONFIG_DIR="+dir)
	data := "--embedded=" + filepath.Join(dir, "db")
	seed := exec.CommandContext(t.Context(), "ddbdesk", "seed", "authbridge", data, "--at", "2026-01-20T12:00:00Z")
	seed.Env = env
	if out, err := seed.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// The agent does not get the role of the flags.
	cmd := exec.CommandContext(t.Context(), "ddbdesk", "mcp", "authbridge", data, "--role", "admin")
	cmd.Env = env
	return cmd
}

// A plan becomes one request with the name of the agent's program. The item changes only if a user applies it.
func TestMCPFilesRequests(t *testing.T) {
	cmd := newMCP(t)
	config := "contexts:\n  local:\n    " + strings.Replace(strings.TrimLeft(cmd.Args[3], "-"), "=", ": ", 1) + "\n    requests: {table: ddbdesk-requests}\n"
	_, dir, _ := strings.Cut(cmd.Env[len(cmd.Env)-1], "=") // newMCP sets the configuration folder last.
	if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	ddbdesk := func(args ...string) string {
		t.Helper()
		c := exec.CommandContext(t.Context(), "ddbdesk", append(args, "--context", "local")...)
		c.Env = cmd.Env
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	ddbdesk("table", "create", "authbridge", "--requests")
	found := ddbdesk("run", "authbridge", "list-verifications-by-date", "date=2026-01-19")
	id := regexp.MustCompile(`(ver_\S+)\s+In review`).FindStringSubmatch(found)
	if id == nil {
		t.Fatalf("the search returned no case to approve: %s", found)
	}
	cmd.Args = []string{cmd.Args[0], "mcp", "authbridge", "--context", "local"}
	s, err := sdk.NewClient(&sdk.Implementation{Name: "helpdesk", Version: "3"}, nil).Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "plan_change", Arguments: map[string]any{
			"action": "approve", "inputs": map[string]string{"verificationId": id[1]}, "reason": "documents match",
		}})
		if err != nil || r.IsError || !strings.Contains(r.Content[0].(*sdk.TextContent).Text, "Filed as request") {
			t.Fatalf("want a filed request, got %v, %+v", err, r)
		}
	}
	if err := s.Close(); err != nil {
		t.Errorf("the server did not end with its client: %v", err)
	}
	list := ddbdesk("requests", "list", "authbridge", "-o", "json")
	if strings.Count(list, `"id":`) != 1 || !strings.Contains(list, `"via": "helpdesk 3"`) || !strings.Contains(list, `"state": "open"`) {
		t.Errorf("want one open request of the client, got %s", list)
	}
	if second := ddbdesk("run", "authbridge", "list-verifications-by-date", "date=2026-01-19"); second != found {
		t.Errorf("the request changed the item: %s", second)
	}
}

// An agent sees only the keys of an allowed table without a schema, even outside of production.
func TestMCPShowsAllowedTableKeys(t *testing.T) {
	cmd := newMCP(t)
	cmd.Args = []string{cmd.Args[0], "mcp", "--allow-table", "AuthBridgeTable", cmd.Args[3], "--role", "admin"}
	s, err := sdk.NewClient(&sdk.Implementation{Name: "helpdesk", Version: "3"}, nil).Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	call := func(pattern string, parameters map[string]string) (string, bool) {
		t.Helper()
		r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "run_pattern", Arguments: map[string]any{"pattern": pattern, "parameters": parameters}})
		if err != nil {
			t.Fatal(err)
		}
		return r.Content[0].(*sdk.TextContent).Text, r.IsError
	}
	if out, failed := call("query-GSI1", map[string]string{"GSI1PK": "CLIENT#client_xyz789"}); failed ||
		!strings.Contains(out, `"GSI1PK":"CLIENT#client_xyz789"`) || !strings.Contains(out, `"status":"•••"`) {
		t.Errorf("want keys and a masked status, got %s", out)
	}
	if out, failed := call("scan", map[string]string{}); !failed || !strings.Contains(out, "agents are not allowed") {
		t.Errorf("scan: got %s, want a refusal", out)
	}
	if err := s.Close(); err != nil {
		t.Errorf("the server did not end with its client: %v", err)
	}
}

// A search in a database without the tables is an error instead of an empty result.
func TestMCPReportsDatabaseWithoutTables(t *testing.T) {
	cmd := newMCP(t)
	cmd.Args = []string{cmd.Args[0], "mcp", "tazco", cmd.Args[3]}
	s, err := sdk.NewClient(&sdk.Implementation{Name: "helpdesk", Version: "3"}, nil).Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "find", Arguments: map[string]any{"value": "USER#3f2b8c1e-5d4a-4e6f-9a7b-0c1d2e3f4a5b"}})
	if err != nil {
		t.Fatal(err)
	}
	if text := r.Content[0].(*sdk.TextContent).Text; !r.IsError || text != "the database contains no tables of tazco" {
		t.Errorf("got %s", text)
	}
	if err := s.Close(); err != nil {
		t.Errorf("the server did not end with its client: %v", err)
	}
}
