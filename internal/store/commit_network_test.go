package store_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/stored"
	"github.com/ddbdesk/ddbdesk/models"
)

func writerTo(t *testing.T, url string) store.Writer {
	t.Helper()
	configure(t, "")
	c, err := store.Connect(t.Context(), store.Options{EndpointURL: url})
	if err != nil {
		t.Fatal(err)
	}
	return c.Writer()
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	var listening net.ListenConfig
	l, err := listening.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestCommitToClosedPortIsNotWritten(t *testing.T) {
	l := listen(t)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := writerTo(t, "http://"+l.Addr().String()).Commit(t.Context(), approve())
	wantFailure(t, err, store.Unreachable, store.NotWritten)
}

func TestCommitWithAnotherSchemeIsNotWritten(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	_, err := writerTo(t, strings.Replace(server.URL, "http:", "https:", 1)).Commit(t.Context(), approve())
	wantFailure(t, err, store.Unreachable, store.NotWritten)
}

func TestCommitCanceledBeforeConnectionIsNotWritten(t *testing.T) {
	l := listen(t)
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	accepted := make(chan net.Conn, 1)
	go func() {
		// The listener accepts the connection, but never answers the TLS handshake.
		conn, err := l.Accept()
		if err != nil {
			t.Error(err)
		}
		cancel()
		accepted <- conn
	}()
	_, err := writerTo(t, "https://"+l.Addr().String()).Commit(ctx, approve())
	wantFailure(t, err, store.Canceled, store.NotWritten)
	if err := (<-accepted).Close(); err != nil {
		t.Error(err)
	}
}

func TestCommitCanceledWhileSentIsUnknown(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	hold := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		cancel()
		<-hold
	}))
	defer server.Close()
	defer close(hold)
	_, err := writerTo(t, server.URL).Commit(ctx, approve())
	wantFailure(t, err, store.Canceled, store.Unknown)
}

func TestCommitOverBrokenConnection(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			t.Error(err)
		}
		panic(http.ErrAbortHandler)
	}))
	defer server.Close()
	_, err := writerTo(t, server.URL).Commit(t.Context(), overwrite())
	wantFailure(t, err, store.Unreachable, store.Unknown)
}

// A lossyStore processes every request but loses the first responses.
type lossyStore struct {
	store.Doer
	losses int
}

// Do implements store.Doer.
func (f *lossyStore) Do(r *http.Request) (*http.Response, error) {
	resp, err := f.Doer.Do(r)
	if f.losses == 0 || err != nil {
		return resp, err
	}
	f.losses--
	return nil, errors.Join(resp.Body.Close(), &net.OpError{Op: "read", Err: syscall.ECONNRESET})
}

func TestCommitWithLostAnswer(t *testing.T) {
	s, err := embedded.Open(embedded.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	lossy := &lossyStore{Doer: s}
	c := connect(t, lossy)
	table := &models.Table{Name: "orders", PartitionKey: models.Key{Name: "id", Type: models.TypeS}}
	if err := c.Admin().CreateTable(t.Context(), table); err != nil {
		t.Fatal(err)
	}
	if err := stored.Put(t.Context(), c.Writer(), table.Name, []models.Item{item(attrs{"id": "x", "n": 1})}); err != nil {
		t.Fatal(err)
	}
	key := item(attrs{"id": "x"})

	lossy.losses = 1
	_, err = c.Writer().Commit(t.Context(), updateItem(table, key, "SET n = :new", "n = :old", attrs{":new": 2, ":old": 1}))
	wantFailure(t, err, store.Unreachable, store.Unknown,
		store.Failure{Code: store.CodeConditionFailed, Item: item(attrs{"id": "x", "n": 2})})

	lossy.losses = 3
	done, err := c.Writer().Commit(t.Context(), transaction("once", types.TransactWriteItem{Update: &types.Update{
		TableName: aws.String(table.Name), Key: key, UpdateExpression: aws.String("ADD n :one"),
		ConditionExpression: aws.String("n = :two"), ExpressionAttributeValues: values(attrs{":one": 1, ":two": 2}),
	}}))
	if err != nil || done.Attempts != 4 {
		t.Errorf("got %+v, %v, want 4 attempts", done, err)
	}
	found, err := c.Reader().Fetch(t.Context(), accesspatterns.Leg{
		Get: &dynamodb.GetItemInput{TableName: aws.String(table.Name), Key: key, ConsistentRead: aws.Bool(true)},
	}, nil, 0)
	if err != nil || found.Count != 1 {
		t.Fatal(err)
	}
	sameItem(t, item(attrs{"id": "x", "n": 3}), found.Items[0])
}

// A networkFault is a fault of one request.
type networkFault struct {
	name    string
	arrives bool    // the store processes the request
	answer  respond // nil for the store's own answer
}

var networkFaults = []networkFault{
	{"none", true, nil},
	{"refused", false, connectionRefused},
	{"no such host", false, nameless},
	{"throttled", false, throttled},
	{"denied", false, forbidden},
	{"request lost", false, reset},
	{"response lost", true, reset},
	{"truncated response", true, truncatedResponse},
	{"internal error before the write", false, internalError},
	{"internal error after the write", true, internalError},
	{"page of a proxy after the write", true, page(502, "text/html", "<html>")},
	{"empty response", true, page(200, "text/plain", "")},
	{"no response in time", true, waiting},
}

// hostileNetwork applies the next fault to each request, until no fault remains.
type hostileNetwork struct {
	store.Doer
	remaining []networkFault
}

// Do implements store.Doer.
func (h *hostileNetwork) Do(r *http.Request) (*http.Response, error) {
	if len(h.remaining) == 0 {
		return h.Doer.Do(r)
	}
	m := h.remaining[0]
	h.remaining = h.remaining[1:]
	if m.arrives {
		resp, err := h.Doer.Do(r)
		if m.answer == nil || err != nil {
			return resp, err
		}
		if err := resp.Body.Close(); err != nil {
			return nil, err
		}
	}
	return m.answer()
}

// incrementBatch returns a change that increments a counter. All kinds have a condition except "unconditional", so only
// that kind must not be repeated.
func incrementBatch(kind string, table *models.Table, before int, token string) change.Batch {
	key, given := item(attrs{"id": "x"}), attrs{":one": 1, ":before": before}
	switch kind {
	case "unconditional":
		b := updateItem(table, key, "ADD n :one", "", attrs{":one": 1})
		b.Writes[0].Update.ConditionExpression = nil
		return b
	case "transaction":
		return transaction(token, types.TransactWriteItem{Update: &types.Update{
			TableName: aws.String(table.Name), Key: key, UpdateExpression: aws.String("ADD n :one"),
			ConditionExpression: aws.String("n = :before"), ExpressionAttributeValues: values(given),
		}})
	case "put":
		return transaction("", types.TransactWriteItem{Put: &types.Put{
			TableName: aws.String(table.Name), Item: item(attrs{"id": "x", "n": before + 1}),
			ConditionExpression:       aws.String("n = :before"),
			ExpressionAttributeValues: values(attrs{":before": before}),
		}})
	}
	return updateItem(table, key, "ADD n :one", "n = :before", given)
}

// withoutDeadline hides the deadline of a test from rapid, because T.Deadline panics in a synctest bubble.
type withoutDeadline struct{ testing.TB }

func TestCommitReportsItsOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := embedded.Open(embedded.Options{NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		network := &hostileNetwork{Doer: s}
		c := connect(t, network)
		table := &models.Table{Name: "orders", PartitionKey: models.Key{Name: "id", Type: models.TypeS}}
		if err := c.Admin().CreateTable(t.Context(), table); err != nil {
			t.Fatal(err)
		}
		rapid.Check(withoutDeadline{t}, func(rt *rapid.T) {
			now := rapid.IntRange(0, 1000).Draw(rt, "counter")
			if err := stored.Put(t.Context(), c.Writer(), table.Name, []models.Item{item(attrs{"id": "x", "n": now})}); err != nil {
				rt.Fatal(err)
			}
			kind := rapid.SampledFrom([]string{"update", "put", "transaction", "unconditional"}).Draw(rt, "kind")
			reported := now - rapid.SampledFrom([]int{0, 0, 0, 1}).Draw(rt, "out of date by")
			token := rapid.StringMatching(`[a-z]{30}`).Draw(rt, "token")
			for _, i := range rapid.SliceOfN(rapid.IntRange(0, len(networkFaults)-1), 0, 5).Draw(rt, "faults") {
				network.remaining = append(network.remaining, networkFaults[i])
				rt.Log(networkFaults[i].name)
			}
			_, err := c.Writer().Commit(t.Context(), incrementBatch(kind, table, reported, token))
			network.remaining = nil

			found, readErr := batchGet(t.Context(), c.Reader(), table.Name, []models.Item{item(attrs{"id": "x"})})
			if readErr != nil {
				rt.Fatal(readErr)
			}
			untouched := models.EqualValues(found[0]["n"], value(now))
			if !untouched && !models.EqualValues(found[0]["n"], value(now+1)) {
				rt.Errorf("%d became %v, want one more", now, found[0]["n"])
			}
			var failed *store.Error
			switch {
			case err == nil && untouched:
				rt.Error("Commit succeeded, but wrote nothing")
			case errors.As(err, &failed) && failed.Outcome() == store.NotWritten && !untouched:
				rt.Errorf("Commit wrote the change, but returned %v", err)
			case store.ClassOf(err) == store.ConditionFailed && reported == now:
				rt.Errorf("got a conflict without another writer: %v", err)
			}
		})
	})
}
