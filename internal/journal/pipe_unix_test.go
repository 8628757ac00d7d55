//go:build unix

package journal

import (
	"context"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Opening a pipe would block forever while holding the journal's lock, so a pipe in place of a journal is an error.
func TestPipesAreErrors(t *testing.T) {
	for _, suffix := range []string{"", ".head", ".lock", ".sending"} {
		t.Run("journal"+suffix, func(t *testing.T) {
			j := open(t)
			if _, err := j.Append(t.Context(), intent("a")); err != nil {
				t.Fatal(err)
			}
			path := j.path + suffix
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Skip("requires named pipes: ", err)
			}
			ended := make(chan error, 1)
			go func() { ended <- begin(t.Context(), j.path) }()
			select {
			case err := <-ended:
				if err == nil || !strings.Contains(err.Error(), "not a regular file") {
					t.Errorf("got %v, want an error about the pipe", err)
				}
			case <-time.After(10 * time.Second):
				t.Error("the call waits for the pipe")
			}
		})
	}
}

// begin performs the journal operations of a change without its outcome.
func begin(ctx context.Context, path string) error {
	j, err := Open(path)
	if err != nil {
		return err
	}
	if _, err := VerifyChanged(path); err != nil {
		return err
	}
	release, err := j.BeginSending(ctx)
	if err != nil {
		return err
	}
	defer release()
	_, err = j.Append(ctx, intent("b"))
	return err
}
