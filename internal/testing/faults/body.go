package faults

import (
	"encoding/json"
	"io"
	"net/http"
	"time"
)

// body combines a reader with the closer of another one.
type body struct {
	io.Reader
	io.Closer
}

// ends is a body that ends with an error.
type ends struct{ err error }

func (e ends) Read([]byte) (int, error) { return 0, e.err }

// never is a body that blocks until the client disconnects.
type never struct{ r *http.Request }

func (n never) Read([]byte) (int, error) {
	<-n.r.Context().Done()
	return 0, n.r.Context().Err()
}

// endless is a body of spaces that never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// trickle is a body that arrives in small parts.
type trickle struct {
	io.Reader
	io.Closer
	r     *http.Request
	bytes int
	each  time.Duration
	begun bool
}

func (t *trickle) Read(p []byte) (int, error) {
	if t.begun {
		if err := wait(t.r, t.each); err != nil {
			return 0, err
		}
	}
	t.begun = true
	return t.Reader.Read(p[:min(len(p), t.bytes)])
}

// onAnswer is an effect that changes the response of the server.
func onAnswer(change func(*http.Request, *http.Response)) effect {
	return func(r *http.Request, next sending) (*http.Response, error) {
		resp, err := next()
		if err == nil {
			change(r, resp)
		}
		return resp, err
	}
}

// lose passes the request to the server and drops the response.
func lose(next sending) error {
	resp, err := next()
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	if closing := resp.Body.Close(); err == nil {
		err = closing
	}
	return err
}

// requestItems is the parameter of BatchGetItem with the requested keys.
func requestItems(request []byte) string {
	var asked struct{ RequestItems json.RawMessage }
	if json.Unmarshal(request, &asked) != nil || asked.RequestItems == nil {
		return "{}"
	}
	return string(asked.RequestItems)
}
