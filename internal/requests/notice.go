package requests

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// A Notice is the message for the configured URL. It contains no personal data: no names, reasons, keys or values.
type Notice struct {
	Event   string    `json:"event"` // requested, approved, applied, rejected or withdrawn
	ID      string    `json:"id"`
	Schema  string    `json:"schema"`
	Action  string    `json:"action"`
	Context string    `json:"context,omitempty"`
	Time    time.Time `json:"time"`
	Expires time.Time `json:"expires"`
}

func (r *Register) notify(ctx context.Context, q Request, event string) NotifyError {
	url := r.s.Requests().Notify
	if url == "" {
		return nil
	}
	e := Notice{
		Event: event, ID: q.ID, Schema: q.Schema, Action: q.Action, Context: r.s.Context(), Time: r.s.Now().UTC(), Expires: q.Expires,
	}
	if err := post(context.WithoutCancel(ctx), url, e); err != nil {
		return fmt.Errorf("request %s is stored, but no one was notified: %w", q.ID, err)
	}
	return nil
}

const postTimeout = 10 * time.Second

// post sends a notice. Its error contains the host, but not the path of the URL, which may contain secrets.
func post(ctx context.Context, url string, e Notice) error {
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, postTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(text))
	if err != nil {
		return errors.New("invalid URL")
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return fmt.Errorf("%s: %s", r.URL.Host, strings.ReplaceAll(err.Error(), url, "the URL"))
	}
	defer func() { _ = response.Body.Close() }() // the body is irrelevant
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<16))
	if response.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("%s answered %s", r.URL.Host, response.Status)
	}
	return nil
}
