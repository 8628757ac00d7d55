package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestServeWorksWithClients runs the AWS CLI, boto3 and the SDK for JavaScript if DDBDESK_TEST_CLIENTS is set. It skips
// a client that is not installed; .ci/clients installs them.
func TestServeWorksWithClients(t *testing.T) {
	t.Parallel()
	if os.Getenv("DDBDESK_TEST_CLIENTS") == "" {
		t.Skip("starts the AWS CLI and SDKs; .ci/run clients runs this test")
	}
	for _, client := range []struct {
		name    string
		present []string // a command that succeeds if the client is installed
		run     []string
	}{
		{"aws", []string{"sh", "-c", "command -v aws"}, []string{"sh", "aws_cli.sh"}},
		{"boto3", []string{"python3", "-c", "import boto3"}, []string{"python3", "boto3_client.py"}},
		{
			"javascript",
			[]string{"node", "-e", "process.exit(process.env.DDBDESK_TEST_JAVASCRIPT ? 0 : 1)"},
			[]string{"node", "javascript_client.mjs"},
		},
	} {
		t.Run(client.name, func(t *testing.T) {
			t.Parallel()
			if out, err := clientCommand(t, "", client.present...).CombinedOutput(); err != nil {
				t.Skipf("not installed: %v %s", err, out)
			}
			s := startServe(t, "--data", t.TempDir())
			_, environment, _ := strings.Cut(s.stderr.String(), " set ")
			run := clientCommand(t, environment, append(client.run, s.url)...)
			run.Dir = filepath.Join("testdata", "clients")
			out, err := run.CombinedOutput()
			if err != nil || !strings.HasSuffix(strings.TrimSpace(string(out)), "ok") {
				t.Errorf("the client failed: %v\n%s", err, out)
			}
		})
	}
}

// clientCommand returns a command with the environment that serve prints, without the user's AWS configuration.
func clientCommand(t *testing.T, environment string, words ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), words[0], words[1:]...)
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "AWS_") {
			cmd.Env = append(cmd.Env, e)
		}
	}
	nowhere := filepath.Join(t.TempDir(), "none")
	cmd.Env = append(cmd.Env, "AWS_CONFIG_FILE="+nowhere, "AWS_SHARED_CREDENTIALS_FILE="+nowhere, "AWS_EC2_METADATA_DISABLED=true",
		"AWS_PAGER=")
	cmd.Env = append(cmd.Env, strings.Fields(environment)...)
	return cmd
}
