package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
)

// process is a running `ddbdesk serve`.
type process struct {
	cmd *exec.Cmd
	url string
}

var servingAt = regexp.MustCompile(`serving (http://\S+),`)

func start(ctx context.Context, binary string, args ...string) (*process, error) {
	p := &process{cmd: exec.CommandContext(ctx, binary, append([]string{"serve", "--addr", ":0"}, args...)...)}
	pipe, err := p.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	said := bufio.NewReader(pipe)
	line, err := said.ReadString('\n')
	if m := servingAt.FindStringSubmatch(line); m != nil {
		p.url = m[1]
		return p, nil
	}
	p.stop()
	return nil, fmt.Errorf("start %s serve: %s (%w)", binary, strings.TrimSpace(line), err)
}

// stop ends the process. Its exit code is irrelevant.
func (p *process) stop() {
	if p.cmd.Process.Signal(syscall.SIGTERM) != nil {
		_ = p.cmd.Process.Kill() // Windows does not have the signal.
	}
	_ = p.cmd.Wait()
}

// server is a measured server.
type server struct {
	name, url string
	client    *http.Client
}

func newServer(name, url string) *server {
	return &server{
		name: name, url: url,
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}},
	}
}

// ask sends one request and returns the complete response.
func (s *server) ask(ctx context.Context, operation, body string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header = http.Header{
		"X-Amz-Target": {"DynamoDB_20120810." + operation}, "Content-Type": {"application/x-amz-json-1.0"},
		"X-Amz-Date":    {"20260101T000000Z"},
		"Authorization": {"AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=00"},
	}
	answer, err := s.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	var text bytes.Buffer
	if _, err := io.Copy(&text, answer.Body); err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: status %d: %s", operation, answer.StatusCode, text.String())
	}
	return text.Bytes(), nil
}

const createBench = `{"TableName":"bench","BillingMode":"PAY_PER_REQUEST",
	"AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"},{"AttributeName":"SK","AttributeType":"S"},{"AttributeName":"G1","AttributeType":"S"}],
	"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}],
	"GlobalSecondaryIndexes":[{"IndexName":"byG1","KeySchema":[{"AttributeName":"G1","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}]}`

// load creates the table and fills it, eight batches at a time.
func (s *server) load(ctx context.Context, items int) error {
	if _, err := s.ask(ctx, "CreateTable", createBench); err != nil {
		return err
	}
	return fill(items, clients, noteBytes, func(batch string) error {
		_, err := s.ask(ctx, "BatchWriteItem", batch)
		return err
	})
}

// perBatch is DynamoDB's limit of writes in a batch.
const perBatch = 25

// fill writes batches of items, several at the same time.
func fill(items, writers, note int, write func(batch string) error) error {
	batches := make(chan int)
	errs := make([]error, writers)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for from := range batches {
				if errs[w] != nil {
					continue // drains
				}
				var puts []string
				for i := from; i < min(from+perBatch, items); i++ {
					puts = append(puts, `{"PutRequest":{"Item":`+item(i, note)+`}}`)
				}
				errs[w] = write(`{"RequestItems":{"bench":[` + strings.Join(puts, ",") + `]}}`)
			}
		})
	}
	for from := 0; from < items; from += perBatch {
		batches <- from
	}
	close(batches)
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
