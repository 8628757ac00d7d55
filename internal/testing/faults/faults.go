// Package faults is a bad network for tests: a [Line] between a client and a
// DynamoDB server on which one request after the other meets what a script says.
// It stands in front of a server in process, as an HTTP client, or of one that
// listens, as an http.Handler. The same script and seed give the same faults in
// the same order of requests.
//
// Only tests and the tool badline import it.
package faults

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// A Doer sends one HTTP request.
type Doer interface {
	Do(*http.Request) (*http.Response, error)
}

// A Request is one attempt, as a script sees it.
type Request struct {
	Number    int    // of all requests on the line since its script was set, from 1
	Operation string // the API's name: Query
	Writes    bool   // it changes items
}

// A Call is what became of one request.
type Call struct {
	Request
	Fault   string // its name, "" when it met none
	Arrived bool   // the server did it, whatever its client heard
}

// A Script says which fault a request meets, nil for none.
type Script func(Request) *Fault

// A Line is the way to a server. It is safe for concurrent use.
type Line struct {
	next Doer

	mu     sync.Mutex
	script Script
	number int
	calls  []Call
}

// New returns a line without faults.
func New(next Doer) *Line { return &Line{next: next} }

// Set changes the script and counts requests from 1 again. Nil ends all faults;
// what hangs stays so.
func (l *Line) Set(s Script) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.script, l.number, l.calls = s, 0, nil
}

// Calls are the requests since the script was set, in the order in which they
// came back.
func (l *Line) Calls() []Call {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]Call(nil), l.calls...)
}

// Do implements Doer.
func (l *Line) Do(r *http.Request) (*http.Response, error) {
	request, fault := l.meet(r)
	call := Call{Request: request}
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.calls = append(l.calls, call)
	}()
	if fault == nil {
		call.Arrived = true
		return l.next.Do(r)
	}
	call.Fault = fault.Name
	if !fault.suits(request) {
		call.Fault, call.Arrived = "", true
		return l.next.Do(r)
	}
	resp, err := fault.run(r, func() (*http.Response, error) {
		call.Arrived = true
		return l.next.Do(r)
	})
	if err != nil {
		return nil, err // As net/http does: an answer comes without an error.
	}
	return resp, nil
}

func (l *Line) meet(r *http.Request) (Request, *Fault) {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	l.mu.Lock()
	defer l.mu.Unlock()
	l.number++
	request := Request{Number: l.number, Operation: operation, Writes: writes(operation)}
	if l.script == nil {
		return request, nil
	}
	return request, l.script(request)
}

func writes(operation string) bool {
	switch operation {
	case "UpdateItem", "PutItem", "DeleteItem", "TransactWriteItems", "BatchWriteItem":
		return true
	}
	return false
}

// ServeHTTP puts the line on a real connection. What a client in process would be
// told as an error is a connection that is reset; an answer that ends too early
// is closed there.
func (l *Line) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// Only with all of a request read does its server notice that the client goes.
	asked, err := io.ReadAll(r.Body)
	if err != nil {
		reset(w)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(asked))
	resp, err := l.Do(r)
	if err != nil {
		reset(w)
		return
	}
	defer resp.Body.Close()
	for name, values := range resp.Header {
		w.Header()[name] = values
	}
	if resp.ContentLength >= 0 {
		w.Header().Set("Content-Length", fmt.Sprint(resp.ContentLength))
	}
	w.WriteHeader(resp.StatusCode)
	flush := http.NewResponseController(w).Flush
	if flush() != nil {
		return // Nobody listens any more.
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
			panic(http.ErrAbortHandler) // The server closes the connection, and says nothing.
		}
	}
}

// reset ends the connection of a request as a machine does that has crashed.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(interface{ SetLinger(int) error }); ok {
		_ = tcp.SetLinger(0) // A reset instead of an orderly end.
	}
	_ = conn.Close()
}

// wait waits for d, or until the client of r has gone.
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
