package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ddbdesk/ddbdesk/internal/crash"
)

// Stdio returns the transport over standard input and output. Unlike the SDK's transport, it answers an invalid line
// instead of ending.
func Stdio(in io.Reader, out io.Writer) sdk.Transport {
	responses := &lines{out: out, answered: make(chan struct{}, 1)}
	messages, to := io.Pipe()
	crash.Go("the requests of an agent", func() { _ = to.CloseWithError(forward(in, to, responses)) }) // for the server
	return &sdk.IOTransport{Reader: messages, Writer: responses}
}

// lines is a writer for two goroutines. Each call writes a whole line.
type lines struct {
	mu       sync.Mutex
	out      io.Writer
	awaited  sync.Map      // IDs of requests without a response
	answered chan struct{} // wakes await
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, err := l.out.Write(p)
	if m, decodeErr := jsonrpc.DecodeMessage(p); decodeErr == nil {
		if r, ok := m.(*jsonrpc.Response); ok {
			l.awaited.Delete(r.ID.Raw())
		}
	}
	if err != nil { // The client does not read any further responses.
		l.awaited.Clear()
	}
	select {
	case l.answered <- struct{}{}:
	default:
	}
	return n, err
}

func (*lines) Close() error { return nil }

func (l *lines) isAwaited() (found bool) {
	l.awaited.Range(func(_, _ any) bool { found = true; return false })
	return found
}

// answerLimit limits the time for which a server answers requests after the end of its input.
const answerLimit = 10 * time.Second

// await waits for the responses to all requests. The SDK's server drops them when its input ends.
func (l *lines) await() {
	timer := time.NewTimer(answerLimit)
	defer timer.Stop()
	for l.isAwaited() {
		select {
		case <-l.answered:
		case <-timer.C:
			return
		}
	}
}

// forward writes the messages from in to a server, one per line, and answers invalid lines. It splits batches into
// messages, because the SDK's server ends on a batch if the protocol version does not support batches.
func forward(in io.Reader, to io.Writer, responses *lines) error {
	r := bufio.NewScanner(in)
	r.Buffer(nil, sdk.DefaultMaxLineLength)
	for r.Scan() {
		line := bytes.TrimSpace(r.Bytes())
		messages := []json.RawMessage{line}
		switch {
		case len(line) == 0:
			continue
		case !json.Valid(line):
			if _, err := responses.Write(errorResponse(jsonrpc.CodeParseError, "the line is not JSON")); err != nil {
				return err
			}
			continue
		case line[0] == '[':
			messages = nil
			_ = json.Unmarshal(line, &messages) // the line is a valid list
		}
		wrong := slices.ContainsFunc(messages, func(m json.RawMessage) bool {
			_, err := jsonrpc.DecodeMessage(m)
			return err != nil
		})
		if wrong || len(messages) == 0 {
			if _, err := responses.Write(errorResponse(jsonrpc.CodeInvalidRequest,
				"the line is not a message of JSON-RPC 2.0")); err != nil {
				return err
			}
			continue
		}
		for _, m := range messages {
			message, _ := jsonrpc.DecodeMessage(m) // checked above
			if r, ok := message.(*jsonrpc.Request); ok && r.IsCall() {
				responses.awaited.Store(r.ID.Raw(), nil)
			}
			if _, err := fmt.Fprintf(to, "%s\n", m); err != nil {
				return err
			}
		}
	}
	if err := r.Err(); err != nil {
		return err
	}
	responses.await()
	return nil
}

func errorResponse(code int, reason string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`+"\n", code, reason)
}
