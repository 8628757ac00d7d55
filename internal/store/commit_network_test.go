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

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/store"
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

func TestCommitToAClosedPortIsNotWritten(t *testing.T) {
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

func TestCommitCanceledBeforeAConnectionIsNotWritten(t *testing.T) {
	l := listen(t)
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	accepted := make(chan net.Conn, 1)
	go func() {
		// The connection is taken, but nobody speaks TLS on it.
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

func TestCommitOverAConnectionThatBreaks(t *testing.T) {
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

// A forgetful store does what it is told, and its first answers get lost.
type forgetful struct {
	store.Doer
	loses int
}

// Do implements store.Doer.
func (f *forgetful) Do(r *http.Request) (*http.Response, error) {
	resp, err := f.Doer.Do(r)
	if f.loses == 0 || err != nil {
		return resp, err
	}
	f.loses--
	return nil, errors.Join(resp.Body.Close(), &net.OpError{Op: "read", Err: syscall.ECONNRESET})
}

func TestCommitWhoseAnswerIsLost(t *testing.T) {
	s, err := embedded.Open(embedded.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	lossy := &forgetful{Doer: s}
	c := connect(t, lossy)
	table := &models.Table{Name: "orders", PartitionKey: models.Key{Name: "id", Type: models.TypeS}}
	if err := c.Admin().CreateTable(t.Context(), table); err != nil {
		t.Fatal(err)
	}
	if err := c.Admin().PutItems(t.Context(), table.Name, []models.Item{item(attrs{"id": "x", "n": 1})}); err != nil {
		t.Fatal(err)
	}
	key := item(attrs{"id": "x"})

	lossy.loses = 1
	_, err = c.Writer().Commit(t.Context(), updateItem(table, key, "SET n = :new", "n = :old", attrs{":new": 2, ":old": 1}))
	wantFailure(t, err, store.Unreachable, store.Unknown,
		store.Failure{Code: store.CodeConditionFailed, Item: item(attrs{"id": "x", "n": 2})})

	lossy.loses = 3
	done, err := c.Writer().Commit(t.Context(), transaction("once", types.TransactWriteItem{Update: &types.Update{
		TableName: aws.String(table.Name), Key: key, UpdateExpression: aws.String("ADD n :one"),
		ConditionExpression: aws.String("n = :two"), ExpressionAttributeValues: values(attrs{":one": 1, ":two": 2}),
	}}))
	if err != nil || done.Attempts != 4 {
		t.Errorf("done as %+v, %v", done, err)
	}
	found, err := c.Reader().Fetch(t.Context(), accesspatterns.Leg{
		Get: &dynamodb.GetItemInput{TableName: aws.String(table.Name), Key: key, ConsistentRead: aws.Bool(true)},
	}, nil, 0)
	if err != nil || found.Count != 1 {
		t.Fatal(err)
	}
	sameItem(t, item(attrs{"id": "x", "n": 3}), found.Items[0])
}
