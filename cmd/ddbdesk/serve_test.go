package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/cli"
)

// serveProcess is a running `ddbdesk serve`.
type serveProcess struct {
	t      *testing.T
	cmd    *exec.Cmd
	url    string
	stderr *lockedBuffer
	read   chan struct{} // closed at the end of the process's stderr
}

var servingAt = regexp.MustCompile(`serving (http://\S+),`)

// startServe starts a process, on a free port unless args name one, and waits until it listens.
func startServe(t *testing.T, args ...string) *serveProcess {
	t.Helper()
	s := launchServe(t, args...)
	if s.url == "" {
		t.Fatalf("serve printed no address: exit %d\n%s", s.wait(), s.stderr)
	}
	return s
}

// prepareServe returns a process without starting it.
func prepareServe(t *testing.T, args ...string) *serveProcess {
	args = append([]string{"serve", "--addr", ":0"}, args...)
	s := &serveProcess{t: t, cmd: exec.CommandContext(t.Context(), "ddbdesk", args...), stderr: &lockedBuffer{}, read: make(chan struct{})}
	s.cmd.Env = append(os.Environ(), "DDBDESK_STATE_DIR="+filepath.Join(t.TempDir(), "state"), "DDBDESK_CONFIG_DIR="+t.TempDir())
	return s
}

// launchServe starts a process and waits for its first line.
func launchServe(t *testing.T, args ...string) *serveProcess {
	t.Helper()
	s := prepareServe(t, args...)
	s.launch()
	return s
}

// launch starts the process and waits for its first line.
func (s *serveProcess) launch() {
	t := s.t
	t.Helper()
	pipe, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(pipe)
	first, _ := lines.ReadString('\n') // The caller handles a process that ends without a line.
	_, _ = s.stderr.Write([]byte(first))
	go func() {
		_, _ = io.Copy(s.stderr, lines)
		close(s.read)
	}()
	if m := servingAt.FindStringSubmatch(first); m != nil {
		s.url = m[1]
	}
	t.Cleanup(func() {
		if s.cmd.ProcessState == nil {
			_ = s.cmd.Process.Kill()
			s.wait()
		}
	})
}

// wait returns the exit code.
func (s *serveProcess) wait() int {
	<-s.read
	err := s.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && s.t.Context().Err() == nil {
		s.t.Fatal(err)
	}
	return s.cmd.ProcessState.ExitCode()
}

// end sends a signal and returns the exit code.
func (s *serveProcess) end(sig os.Signal) int {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
	return s.wait()
}

// ask sends a request and returns its status and body.
func (s *serveProcess) ask(operation, body string) (int, string) {
	s.t.Helper()
	status, answer, err := postDynamo(s.t, http.DefaultClient, s.url, "", operation, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	return status, answer
}

func (s *serveProcess) must(operation, body string) string {
	s.t.Helper()
	status, answer := s.ask(operation, body)
	if status != http.StatusOK {
		s.t.Fatalf("%s failed: %d %s\n%s", operation, status, answer, s.stderr)
	}
	return answer
}

func postDynamo(t *testing.T, client *http.Client, url, host, operation string, body io.Reader) (int, string, error) {
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, body)
	if err != nil {
		return 0, "", err
	}
	r.Host = host
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, "+
		"SignedHeaders=host, Signature=00")
	answer, err := client.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(text), err
}

// lockedBuffer is a buffer for two goroutines: one writes, and the other reads.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

const notesTable = `{"TableName":"notes","BillingMode":"PAY_PER_REQUEST",
	"AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],
	"KeySchema":[{"AttributeName":"id","KeyType":"HASH"}]}`

func TestServeKeepsDataBetweenRuns(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("requires signals")
	}
	dir := filepath.Join(t.TempDir(), "data")
	s := startServe(t, "--data", dir)
	s.must("CreateTable", notesTable)
	s.must("PutItem", `{"TableName":"notes","Item":{"id":{"S":"one"},"text":{"S":"kept"}}}`)
	for _, want := range []string{
		dir, "AWS_ENDPOINT_URL_DYNAMODB=" + s.url, "AWS_REGION=", "AWS_DEFAULT_REGION=",
		"AWS_ACCESS_KEY_ID=", "AWS_SECRET_ACCESS_KEY=",
	} {
		if !strings.Contains(s.stderr.String(), want) {
			t.Errorf("%s is missing in the output of serve: %s", want, s.stderr)
		}
	}
	if code := s.end(syscall.SIGTERM); code != cli.ExitOK {
		t.Errorf("SIGTERM: exit %d, want %d\n%s", code, cli.ExitOK, s.stderr)
	}
	s = startServe(t, "--data", dir)
	if got := s.must("GetItem", `{"TableName":"notes","Key":{"id":{"S":"one"}}}`); !strings.Contains(got, "kept") {
		t.Errorf("the item is missing after a restart: %s", got)
	}
	if code := s.end(os.Interrupt); code != cli.ExitInterrupted {
		t.Errorf("SIGINT: exit %d, want %d\n%s", code, cli.ExitInterrupted, s.stderr)
	}
	if n := strings.Count(s.stderr.String(), "\n"); n != 1 {
		t.Errorf("serve printed %d lines, want 1:\n%s", n, s.stderr)
	}
}

// The operating system keeps the writes of a killed process, so the test checks the options instead.
func TestServeSyncsUnlessInMemory(t *testing.T) {
	for name, synced := range map[string]bool{"data": true, "addr": true, "in-memory": false} {
		var in serveInput
		for _, p := range serveParams(&in) {
			if p.Name == name {
				if err := p.Set(map[string]string{"data": t.TempDir(), "addr": ":0", "in-memory": "true"}[name]); err != nil {
					t.Fatal(err)
				}
			}
		}
		if o, err := serveOptions(&app{}, &in); err != nil || o.NoSync == synced {
			t.Errorf("serve --%s: got %+v %v, want synced writes: %t", name, o, err, synced)
		}
	}
}

func TestServeRejectsFolderInUse(t *testing.T) {
	dir := t.TempDir()
	startServe(t, "--data", dir)
	second := launchServe(t, "--data", dir)
	if code := second.wait(); code != cli.ExitConfig {
		t.Errorf("exit %d, want %d", code, cli.ExitConfig)
	}
	if message := second.stderr.String(); !strings.Contains(message, "in use by another process") || !strings.Contains(message, dir) {
		t.Errorf("the second process printed %s", message)
	}
}

func TestServeReportsPortInUse(t *testing.T) {
	first := startServe(t, "--in-memory")
	second := launchServe(t, "--in-memory", "--addr", strings.TrimPrefix(first.url, "http://"))
	if code := second.wait(); code != cli.ExitConfig {
		t.Errorf("exit %d, want %d", code, cli.ExitConfig)
	}
	if message := second.stderr.String(); !strings.Contains(message, "address already in use") && runtime.GOOS != "windows" {
		t.Errorf("the second process printed %s", message)
	}
}

// interruptRequest starts a request, interrupts the process, and returns the pipe with the rest of the request's body.
func interruptRequest(t *testing.T, s *serveProcess) (rest *io.PipeWriter, done <-chan error) {
	t.Helper()
	s.must("CreateTable", notesTable)
	body, rest := io.Pipe()
	result := make(chan error, 1)
	// The client sends the body when the store reads it, so the request is then in progress.
	waiting := &http.Client{Transport: expectContinue{&http.Transport{ExpectContinueTimeout: time.Hour}}}
	go func() {
		status, text, err := postDynamo(t, waiting, s.url, "", "PutItem", body)
		if err == nil && status != http.StatusOK {
			err = errors.New(text)
		}
		result <- err
	}()
	if _, err := io.WriteString(rest, `{"TableName":"notes",`); err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	// The listener closes before the request is complete.
	for {
		if _, _, err := postDynamo(t, http.DefaultClient, s.url, "", "ListTables", strings.NewReader("{}")); err != nil {
			return rest, result
		}
	}
}

func TestServeCompletesRequestsInProgress(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("requires signals")
	}
	s := startServe(t, "--in-memory")
	rest, done := interruptRequest(t, s)
	if _, err := io.WriteString(rest, `"Item":{"id":{"S":"late"}}}`); err != nil {
		t.Fatal(err)
	}
	if err := rest.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("the request in progress failed: %v", err)
	}
	if code := s.wait(); code != cli.ExitOK {
		t.Errorf("exit %d, want %d\n%s", code, cli.ExitOK, s.stderr)
	}
}

func TestServeEndsAtSecondSignal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("requires signals")
	}
	s := startServe(t, "--in-memory")
	rest, done := interruptRequest(t, s)
	if code := s.end(os.Interrupt); code != cli.ExitInterrupted {
		t.Errorf("exit %d, want %d", code, cli.ExitInterrupted)
	}
	if err := rest.CloseWithError(io.ErrUnexpectedEOF); err != nil { // The client is waiting for this.
		t.Fatal(err)
	}
	if err := <-done; err == nil {
		t.Error("an incomplete request got a response")
	}
	if !strings.Contains(s.stderr.String(), "shut down with requests in progress") {
		t.Errorf("want a note about requests in progress, got %s", s.stderr)
	}
}

// expectContinue is a client that sends the body only after the server accepts the request.
type expectContinue struct{ *http.Transport }

func (e expectContinue) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Expect", "100-continue")
	return e.Transport.RoundTrip(r)
}

func TestServeRejectsOversizedRequests(t *testing.T) {
	s := startServe(t, "--in-memory", "--verbose")
	status, answer := s.ask("PutItem", `{"TableName":"`+strings.Repeat("x", 17<<20)+`"}`)
	if status != http.StatusRequestEntityTooLarge || !strings.Contains(answer, "RequestEntityTooLarge") {
		t.Errorf("got %d %s, want 413", status, answer)
	}
	s.must("ListTables", `{}`)
}

// stallBody sends the headers of a request with a large body and returns the status line of the first response. It is
// 100 if serve waits for the body.
func stallBody(t *testing.T, url string) string {
	t.Helper()
	host := strings.TrimPrefix(url, "http://")
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() }) // serve may have closed it
	_, err = fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: %s\r\nX-Amz-Target: DynamoDB_20120810.PutItem\r\nContent-Length: %d\r\n"+
		"Authorization: AWS4-HMAC-SHA256\r\nExpect: 100-continue\r\n\r\n", host, 15<<20)
	if err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return line
}

func TestServeBoundsBodiesInProgress(t *testing.T) {
	s := startServe(t, "--in-memory")
	statuses := map[string]int{}
	for range 60 {
		statuses[strings.Fields(stallBody(t, s.url))[1]]++
	}
	if want := map[string]int{"100": 4, "503": 56}; !maps.Equal(statuses, want) {
		t.Errorf("60 requests with 15 MB: got %v, want %v", statuses, want)
	}
	s.must("ListTables", `{}`)
}

func TestServeOnLoopbackRejectsOtherHostNames(t *testing.T) {
	s := startServe(t, "--in-memory")
	for host, want := range map[string]int{
		"127.0.0.1:8000": http.StatusOK, "localhost:8000": http.StatusOK, "[::1]:8000": http.StatusOK, "dynamodb.localhost": http.StatusOK,
		"evil.example:8000": http.StatusBadRequest, "10.0.0.1": http.StatusBadRequest,
	} {
		status, answer, err := postDynamo(t, http.DefaultClient, s.url, host, "ListTables", strings.NewReader("{}"))
		if err != nil || status != want {
			t.Errorf("Host %s: got %d %s %v, want %d", host, status, answer, err, want)
		}
	}
}

func TestServeLogsRequestsWithoutData(t *testing.T) {
	s := startServe(t, "--in-memory", "--verbose")
	s.must("CreateTable", notesTable)
	s.must("PutItem", `{"TableName":"notes","Item":{"id":{"S":"secret"}}}`)
	s.must("BatchGetItem", `{"RequestItems":{"notes":{"Keys":[{"id":{"S":"secret"}}]}}}`)
	s.must("TransactWriteItems", `{"TransactItems":[{"Delete":{"TableName":"notes","Key":{"id":{"S":"secret"}}}}]}`)
	if status, _ := s.ask("Nonsense", `{"TableName":{}}`); status != http.StatusBadRequest {
		t.Errorf("an unknown operation: got %d, want 400", status)
	}
	if runtime.GOOS == "windows" {
		return
	}
	s.end(syscall.SIGTERM)
	message := s.stderr.String()
	for _, want := range []string{
		"CreateTable notes 200 ", "PutItem notes 200 ", "BatchGetItem notes 200 ",
		"TransactWriteItems notes 200 ", "Nonsense - 400 ",
	} {
		if !strings.Contains(message, want) {
			t.Errorf("line %q is missing in:\n%s", want, message)
		}
	}
	if strings.Contains(message, "secret") {
		t.Errorf("the log contains data:\n%s", message)
	}
}
