package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/internal/session"
)

// A panic of a command or its goroutine causes exit code 255, one line on stderr and a crash report.
func TestPanicIsReported(t *testing.T) {
	const marker = "MARKER-448211907"
	for name, run := range map[string]func(ctx context.Context) error{
		"itself": func(context.Context) error { panic(marker) },
		"a goroutine": func(ctx context.Context) error {
			crash.Go("a test", func() { panic(marker) })
			<-ctx.Done()
			return ctx.Err()
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			crash.Install(crash.NewHandler(dir, crashEnvironment))
			defer crash.Install(nil)
			ctx, stop := context.WithCancel(t.Context())
			done, ended := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(ended)
				stopAfterCrash(stop, done, io.Discard)
			}()
			start := time.Now()
			err := execute(ctx, &cobra.Command{
				RunE:          func(cmd *cobra.Command, _ []string) error { return run(cmd.Context()) },
				SilenceErrors: true, SilenceUsage: true,
			})
			close(done)
			<-ended
			if code := cli.CodeOf(ctx, err); code != cli.ExitOther {
				t.Errorf("exit %d, want %d", code, cli.ExitOther)
			}
			if d := time.Since(start); d > time.Second {
				t.Errorf("the report took %v, want at most 1s", d)
			}
			message := errorText(session.Support, err)
			if strings.Contains(message, "\n") || strings.Contains(message, marker) || !strings.Contains(message, dir) {
				t.Errorf("got message %q, want one line with the folder and without the marker", message)
			}
			files, err := filepath.Glob(filepath.Join(dir, "*"))
			if err != nil || len(files) != 1 {
				t.Fatalf("want 1 crash report, got %v, %v", files, err)
			}
			if text, err := os.ReadFile(files[0]); err != nil || strings.Contains(string(text), marker) {
				t.Errorf("the crash report contains the marker: %s, %v", text, err)
			}
		})
	}
}
