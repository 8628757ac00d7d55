package embedded

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"net/http"
	"reflect"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
	"github.com/ddbdesk/ddbdesk/internal/embedded/body"
)

const (
	contentType  = "application/x-amz-json-1.0"
	targetPrefix = "DynamoDB_20120810."
	streamPrefix = "DynamoDBStreams_20120810."

	// statusCancelled marks a request whose client has disconnected.
	statusCancelled = 499
)

// request is the input of one operation. The handler uses it for only one request.
type request interface {
	// check records the constraints of the API model that the request violates, in DynamoDB's order. They depend on the
	// request alone.
	check(c *checks)
	// run performs the operation and returns its response. The caller holds the store's lock.
	run(ctx context.Context, s *Store) (any, error)
}

// Inputs embed unconstrained if the API model declares no constraints for them.
type unconstrained struct{}

func (unconstrained) check(*checks) {}

// operation implements one X-Amz-Target. Operations on items share the lock; the file's transactions order their
// writes.
type operation struct {
	read func(body []byte) (request, error)
	// exclusive operations change table definitions; no other request runs at the same time.
	exclusive bool
}

// operations maps names in X-Amz-Target to their inputs. Other DynamoDB operations, such as backups, are unknown.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Operations_Amazon_DynamoDB.html
var operations = map[string]operation{
	"CreateTable":               {reader[createTableInput](), true},
	"DeleteTable":               {reader[deleteTableInput](), true},
	"UpdateTable":               {reader[updateTableInput](), true},
	"UpdateTimeToLive":          {reader[updateTimeToLiveInput](), true},
	"UpdateContinuousBackups":   {reader[updateContinuousBackupsInput](), true},
	"TagResource":               {reader[tagResourceInput](), true},
	"UntagResource":             {reader[untagResourceInput](), true},
	"DescribeTable":             {reader[describeTableInput](), false},
	"ListTables":                {reader[listTablesInput](), false},
	"DescribeTimeToLive":        {reader[describeTimeToLiveInput](), false},
	"DescribeContinuousBackups": {reader[describeContinuousBackupsInput](), false},
	"ListTagsOfResource":        {reader[listTagsInput](), false},
	"DescribeLimits":            {reader[describeLimitsInput](), false},
	"DescribeEndpoints":         {reader[describeEndpointsInput](), false},
	"PutItem":                   {reader[putItemInput](), false},
	"GetItem":                   {reader[getItemInput](), false},
	"UpdateItem":                {reader[updateItemInput](), false},
	"DeleteItem":                {reader[deleteItemInput](), false},
	"Query":                     {reader[queryInput](), false},
	"Scan":                      {reader[scanInput](), false},
	"BatchGetItem":              {reader[batchGetItemInput](), false},
	"BatchWriteItem":            {reader[batchWriteItemInput](), false},
	"TransactWriteItems":        {reader[transactWriteItemsInput](), false},
	"TransactGetItems":          {reader[transactGetItemsInput](), false},
	"ExecuteStatement":          {reader[executeStatementInput](), false},
	"BatchExecuteStatement":     {reader[batchExecuteStatementInput](), false},
	"ExecuteTransaction":        {reader[executeTransactionInput](), false},
}

func operationOf(target string) (op operation, known bool) {
	if name, ok := strings.CutPrefix(target, streamPrefix); ok {
		op, known = streamOperations[name]
	} else if name, ok := strings.CutPrefix(target, targetPrefix); ok {
		op, known = operations[name]
	}
	return op, known
}

func reader[In any, P interface {
	*In
	request
}]() func(body []byte) (request, error) {
	names := sync.OnceValue(func() body.Names { return body.NamesOf(reflect.TypeFor[In]()) })
	return func(text []byte) (request, error) {
		in := P(new(In))
		return in, body.Decode(text, in, names())
	}
}

// ServeHTTP answers one request of DynamoDB's HTTP API. It does not check signatures: any client that can reach the
// port may read and write everything, so bind listeners to the loopback interface. It is safe for concurrent use, and
// limits neither the number nor the duration of requests.
func (s *Store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet && r.URL.Path == "/" { // health checks
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("X-Amzn-Requestid", requestID())
		w.Header().Set("Server", "ddbdesk")
		const text = "healthy: ddbdesk serve, a database for trying out and testing schemas\n"
		_, _ = io.WriteString(w, text) // the client may have disconnected
		return
	}
	status, header, body := s.respond(r)
	maps.Copy(w.Header(), header)
	w.WriteHeader(status)
	// The client may have disconnected.
	_, _ = w.Write(body)
}

func (s *Store) respond(r *http.Request) (status int, header http.Header, body []byte) {
	status = http.StatusOK
	out, err := s.execute(r)
	if err == nil {
		body, err = encodeBody(out)
	}
	if err != nil {
		status, out = describeError(r.Context(), err)
		// The description of an error always encodes.
		body, _ = encodeBody(out)
	}
	return status, http.Header{
		"Content-Type":   {contentType},
		"Content-Length": {strconv.Itoa(len(body))},
		// The AWS SDK compares the checksum with the body, and sends the request again if they differ.
		"X-Amz-Crc32":      {strconv.FormatUint(uint64(crc32.ChecksumIEEE(body)), 10)},
		"X-Amzn-Requestid": {requestID()},
		// The header distinguishes this store from AWS, which sends "Server".
		"Server": {"ddbdesk"},
	}, body
}

// appender is a response that writes its own JSON, such as a page or an item. The standard encoder would read every
// byte two more times.
type appender interface {
	appendJSON(dst []byte) ([]byte, error)
}

func encodeBody(out any) ([]byte, error) {
	if a, ok := out.(appender); ok {
		return a.appendJSON(make([]byte, 0, 512))
	}
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	err := enc.Encode(out)
	return bytes.TrimSuffix(body.Bytes(), []byte("\n")), err
}

// panicText returns the type of a panic value and not the value itself, which may contain item data.
func panicText(p any) string {
	if err, ok := p.(runtime.Error); ok {
		return err.Error()
	}
	return fmt.Sprintf("%T", p)
}

// execute ends the request, not the process, after a panic or a fault of the mapped file, as on a failing disk.
func (s *Store) execute(r *http.Request) (out any, err error) {
	defer func() {
		if p := recover(); p != nil {
			out, err = nil, errors.New("panic: "+panicText(p))
		}
	}()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	text, done, err := s.bodies.Read(r)
	defer done()
	if err != nil {
		return nil, err
	}
	op, known := operationOf(r.Header.Get("X-Amz-Target"))
	if r.Method != http.MethodPost || !known {
		return nil, apierror.Protocol("UnknownOperationException", "")
	}
	if r.Header.Get("Authorization") == "" && !r.URL.Query().Has("X-Amz-Algorithm") {
		return nil, apierror.Protocol("MissingAuthenticationTokenException", "Request is missing Authentication Token")
	}
	in, err := op.read(text)
	if err != nil {
		return nil, err
	}
	var c checks
	if in.check(&c); c.err() != nil {
		return nil, c.err()
	}
	if op.exclusive {
		s.mu.Lock()
		defer s.mu.Unlock()
	} else {
		s.mu.RLock()
		defer s.mu.RUnlock()
	}
	if s.closed {
		return nil, errClosed
	}
	return in.run(r.Context(), s)
}

// describeError varies the namespace in __type and the case of "message" as DynamoDB does, because clients see both.
func describeError(ctx context.Context, err error) (int, any) {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return statusCancelled, map[string]string{"message": err.Error()}
	}
	var api *apierror.Error
	if !errors.As(err, &api) {
		api = apierror.Internal(err)
	}
	body := map[string]any{"__type": api.Name}
	if api.Name == apierror.CoralErrors+"SerializationException" {
		body["Message"] = api.Message
	} else if api.Message != "" {
		body["message"] = api.Message
	}
	if api.Item != nil {
		body["Item"] = api.Item
	}
	if api.Reasons != nil {
		body["CancellationReasons"] = api.Reasons
	}
	return api.Status, body
}

// Do answers the request in process, without a network, which makes the store an HTTPClient of the AWS SDK. It returns
// the context's error if the context ends before the request takes effect.
func (s *Store) Do(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	status, header, body := s.respond(r)
	if r.Body != nil {
		if err := r.Body.Close(); err != nil {
			return nil, err
		}
	}
	if err := r.Context().Err(); err != nil && status == statusCancelled {
		return nil, err
	}
	return &http.Response{
		Status: strconv.Itoa(status) + " " + http.StatusText(status), StatusCode: status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: r,
	}, nil
}
