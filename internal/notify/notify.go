// Package notify tells a program or a server of an event. It is configured by the user alone, because a program that a
// profile named would run with the user's rights.
package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"time"
)

// A Target is told of events. Exactly one of its fields is set.
type Target struct {
	Command []string // a program and its arguments, without a shell; it reads the event as JSON from its standard input
	URL     string   // receives the event as JSON in a POST request
}

// limit is how long a program or a server may take.
const limit = 10 * time.Second

// Send tells the target of an event, as JSON, and waits until it is done, at most ten seconds. The error names the target,
// but not the arguments of the program or the path of the URL, which can contain secrets.
func (t Target) Send(ctx context.Context, event any) error {
	text, err := json.Marshal(event)
	if err != nil {
		return fmt.Errorf("notify: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if len(t.Command) > 0 {
		if err := Run(ctx, t.Command, append(text, '\n')); err != nil {
			return fmt.Errorf("notify: %w", err)
		}
		return nil
	}
	return post(ctx, t.URL, text)
}

// Run runs a program with text as its standard input, without a shell.
func Run(ctx context.Context, command []string, text []byte) error {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdin = bytes.NewReader(text)
	cmd.WaitDelay = time.Second // for programs that leave others behind with their output
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return fmt.Errorf("%s: %w", command[0], err)
	}
	return nil
}

func post(ctx context.Context, url string, text []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("notify: the URL is invalid")
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return fmt.Errorf("notify: %s: %w", r.URL.Host, unwrapURL(err, url))
	}
	defer func() { _ = response.Body.Close() }() // it was read as far as it matters
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<16))
	if response.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("notify: %s answered %s", r.URL.Host, response.Status)
	}
	return nil
}

func unwrapURL(err error, url string) error {
	text := strings.ReplaceAll(err.Error(), url, "the URL")
	return fmt.Errorf("%s", text)
}
