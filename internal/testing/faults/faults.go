// Package faults simulates an unreliable network in tests: a [Connection] between a client and a DynamoDB server
// injects the faults of a script into requests. It wraps an in-process server as an HTTP client, or a listening server
// as an http.Handler. The same script and seed produce the same faults for the same order of requests.
//
// Only tests import it.
package faults

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"
)

// A Doer sends one HTTP request.
type Doer interface {
	Do(*http.Request) (*http.Response, error)
}

// A Request describes one attempt to a script. A retry is another request.
type Request struct {
	Number    int    // number since the script was set, from 1
	Operation string // API name, such as Query
	Writes    bool   // it changes items
}

// A Call is the outcome of one request.
type Call struct {
	Request
	Fault   string // name of the fault, or ""
	Arrived bool   // the server processed it, whatever the client received
}

// A Script returns the fault for a request, or nil.
type Script func(Request) *Fault

// A Connection is the connection to a server. It is safe for concurrent use.
type Connection struct {
	next Doer

	mu     sync.Mutex
	script Script
	number int
	calls  []Call
}

// New returns a connection without faults.
func New(next Doer) *Connection { return &Connection{next: next} }

// Set replaces the script and counts requests from 1 again. Nil ends all faults, but not the requests that already
// hang.
func (c *Connection) Set(s Script) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.script, c.number, c.calls = s, 0, nil
}

// Calls returns the completed requests since the script was set, in the order of their completion.
func (c *Connection) Calls() []Call {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Call(nil), c.calls...)
}

// Do implements Doer.
func (c *Connection) Do(r *http.Request) (*http.Response, error) {
	request, fault := c.nextFault(r)
	call := Call{Request: request}
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.calls = append(c.calls, call)
	}()
	if fault == nil {
		call.Arrived = true
		return c.next.Do(r)
	}
	call.Fault = fault.Name
	if !fault.appliesTo(request) {
		call.Fault, call.Arrived = "", true
		return c.next.Do(r)
	}
	resp, err := fault.run(r, func() (*http.Response, error) {
		call.Arrived = true
		return c.next.Do(r)
	})
	if err != nil {
		return nil, err // as in net/http, never return both a response and an error
	}
	return resp, nil
}

func (c *Connection) nextFault(r *http.Request) (Request, *Fault) {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	c.mu.Lock()
	defer c.mu.Unlock()
	c.number++
	request := Request{Number: c.number, Operation: operation, Writes: isWrite(operation)}
	if c.script == nil {
		return request, nil
	}
	return request, c.script(request)
}

func isWrite(operation string) bool {
	switch operation {
	case "UpdateItem", "PutItem", "DeleteItem", "TransactWriteItems", "BatchWriteItem":
		return true
	}
	return false
}

// ServeHTTP applies the faults to a real connection. It resets the connection where an in-process client would get an
// error, and closes it early after an incomplete response.
func (c *Connection) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// A server notices a disconnected client only after it has read the whole request.
	body, err := io.ReadAll(r.Body)
	if err != nil {
		reset(w)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	resp, err := c.Do(r)
	if err != nil {
		reset(w)
		return
	}
	defer resp.Body.Close()
	maps.Copy(w.Header(), resp.Header)
	if resp.ContentLength >= 0 {
		w.Header().Set("Content-Length", fmt.Sprint(resp.ContentLength))
	}
	w.WriteHeader(resp.StatusCode)
	flush := http.NewResponseController(w).Flush
	if flush() != nil {
		return // the client has disconnected
	}
	part := make([]byte, 32<<10)
	for {
		n, err := resp.Body.Read(part)
		if n > 0 {
			if _, err := w.Write(part[:n]); err != nil {
				return
			}
			if flush() != nil {
				return
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			panic(http.ErrAbortHandler) // close the connection without a response
		}
	}
}

// reset ends the connection of a request as if the machine crashed.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(interface{ SetLinger(int) error }); ok {
		_ = tcp.SetLinger(0) // sends RST instead of FIN
	}
	_ = conn.Close()
}

// wait waits for d, or until the client of r disconnects.
func wait(r *http.Request, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-r.Context().Done():
		return r.Context().Err()
	}
}
