package store

import (
	"bufio"
	"bytes"
	"context"
	"os/exec"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials/processcreds"

	"github.com/ddbdesk/ddbdesk/models"
)

// quietHelper takes the terminal away from the profile's credential helper: the
// SDK would give it standard input and error, where it reads the keys that are
// meant for the screens and writes over them. What it says goes to log.
func quietHelper(cfg *aws.Config, log func(string)) {
	if cfg.Credentials == nil || !aws.IsCredentialsProvider(cfg.Credentials, (*processcreds.Provider)(nil)) {
		return
	}
	for _, source := range cfg.ConfigSources {
		shared, ok := source.(config.SharedConfig)
		if !ok || shared.CredentialProcess == "" {
			continue
		}
		usual := processcreds.DefaultNewCommandBuilder{Args: []string{shared.CredentialProcess}}
		build := func(ctx context.Context) (*exec.Cmd, error) {
			cmd, err := usual.NewCommand(ctx)
			if err != nil {
				return nil, err
			}
			cmd.Stdin, cmd.Stderr = nil, lineWriter{log}
			return cmd, nil
		}
		cfg.Credentials = aws.NewCredentialsCache(processcreds.NewProviderCommand(processcreds.NewCommandBuilderFunc(build)))
		return
	}
}

// lineWriter hands text on by the line.
type lineWriter struct{ log func(string) }

// Write implements io.Writer.
func (w lineWriter) Write(p []byte) (int, error) {
	if w.log == nil {
		return len(p), nil
	}
	for lines := bufio.NewScanner(bytes.NewReader(p)); lines.Scan(); {
		w.log(models.Printable(lines.Text()))
	}
	return len(p), nil
}
