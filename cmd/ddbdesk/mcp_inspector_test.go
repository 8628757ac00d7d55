package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The MCP inspector lists, calls and reads everything. Unlike the server, it does not use the Go SDK. The test is
// skipped unless .ci/clients installed the inspector.
func TestMCPWorksWithInspector(t *testing.T) {
	inspector := os.Getenv("DDBDESK_TEST_MCP_INSPECTOR")
	if inspector == "" {
		t.Skip("DDBDESK_TEST_MCP_INSPECTOR is not set; .ci/clients installs the inspector with npm")
	}
	server := newMCP(t)
	program, err := exec.LookPath("ddbdesk")
	if err != nil {
		t.Fatal(err)
	}
	var args []string
	for _, v := range server.Env {
		if strings.HasPrefix(v, "DDBDESK_") { // The inspector passes no other variables.
			args = append(args, "-e", v)
		}
	}
	args = append(append(args, program), server.Args[1:]...)
	for _, c := range []struct {
		name   string
		method []string
		want   []string
	}{
		{"tools are portable", []string{"tools/list", "--strict"}, []string{`"name": "run_pattern"`, `"readOnlyHint": true`}},
		{"find", []string{"tools/call", "--tool-name", "find", "--tool-arg", "value=client_xyz789"}, []string{`\"hits\":[`}},
		{
			"run_pattern",
			[]string{
				"tools/call", "--tool-name", "run_pattern", "--tool-arg", "pattern=authbridge.list-verifications-by-date",
				"--tool-arg", `parameters={"date":"2026-01-19"}`, "--tool-arg", "limit=2",
			},
			[]string{`\"count\":2`, `\"truncated\":true`, "•••"},
		},
		{
			"decode_key",
			[]string{"tools/call", "--tool-name", "decode_key", "--tool-arg", "key=CASE#ver_1", "--tool-arg", "sort_key=META"},
			[]string{`\"entity\":\"Verification\"`},
		},
		{"an error of a tool", []string{"tools/call", "--tool-name", "explain_finding", "--tool-arg", "id=Z99"}, []string{`"isError": true`, "no finding"}},
		{"resources", []string{"resources/list"}, []string{"ddbdesk://authbridge/schema", "ddbdesk://authbridge/docs", "ddbdesk://authbridge/findings"}},
		{"a resource", []string{"resources/read", "--uri", "ddbdesk://authbridge/findings"}, []string{"ddbdesk://authbridge/findings", `\"A01\"`}},
	} {
		t.Run(c.name, func(t *testing.T) { // One at a time, because each server needs the database for itself.
			var output bytes.Buffer
			run := exec.CommandContext(t.Context(), inspector, append(append([]string{"--cli"}, args...), append([]string{"--method"}, c.method...)...)...)
			run.Env, run.Stderr = append(os.Environ(), "HOME="+t.TempDir()), &output
			out, err := run.Output()
			if failed := strings.Contains(string(out), `"isError": true`); err != nil && !failed {
				t.Fatalf("the inspector failed: %v\n%s%s", err, out, output.String())
			}
			if !json.Valid(out) {
				t.Errorf("the output is not JSON: %s", out)
			}
			for _, want := range c.want {
				if !bytes.Contains(out, []byte(want)) {
					t.Errorf("%q is missing:\n%.2000s", want, out)
				}
			}
		})
	}
}

// An agent with the TypeScript SDK finds, reads, relates and plans with the tools alone, over both transports.
func TestMCPWorksWithTypeScript(t *testing.T) {
	t.Parallel()
	if os.Getenv("DDBDESK_TEST_MCP_TYPESCRIPT") == "" {
		t.Skip("DDBDESK_TEST_MCP_TYPESCRIPT is not set; .ci/clients installs the SDK with npm")
	}
	server := newMCP(t)
	program, err := exec.LookPath("ddbdesk")
	if err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), "node", append([]string{"testdata/clients/mcp_client.mjs", program}, server.Args[1:]...)...)
	run.Env = server.Env
	if out, err := run.CombinedOutput(); err != nil || !strings.HasSuffix(strings.TrimSpace(string(out)), "ok") {
		t.Errorf("the TypeScript client failed: %v\n%s", err, out)
	}
}
