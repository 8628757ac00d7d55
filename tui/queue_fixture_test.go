package tui

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/testing/hostile"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// queueGrace is a little longer than the time for which a new dialog ignores enter.
const queueGrace = 500 * time.Millisecond

// queueFixture is a store with cases in a queue.
type queueFixture struct {
	t             testing.TB
	p             *profiles.Profile
	conn          *store.Connection
	transport     *storeConn
	journal       string
	role          session.Role
	named         string // name of the context
	clip          clip
	changeOptions func(o *session.Options) // changes the options of a session
	scanLimit     float64                  // read units that a scan may cost without consent

	requests string // name of the requests table, or ""
}

// A storeConn is the connection to the store.
type storeConn struct {
	next          *embedded.Store
	writeDelay    time.Duration // delay of a write
	failAll       bool          // all requests fail
	loseNext      bool          // the next write arrives, but its answer is lost and all later requests fail
	queryDelay    time.Duration // delay of a query or scan
	staleDelay    time.Duration // delay of the next answer to a query or scan, which still contains the earlier state
	hostileErrors atomic.Bool   // the store rejects every request with a hostile message
	getDelay      time.Duration // delay of an item read, which returns the later state
	reads         atomic.Int64  // number of queries and scans
}

// Do implements store.Doer.
func (l *storeConn) Do(r *http.Request) (*http.Response, error) {
	if l.failAll {
		return nil, syscall.ECONNREFUSED
	}
	if l.hostileErrors.Load() {
		return refusal(hostile.Text), nil
	}
	_, op, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	switch op {
	case "GetItem":
		time.Sleep(l.getDelay)
	case "Query", "Scan":
		l.reads.Add(1)
		select {
		case <-time.After(l.queryDelay):
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
		if late := l.staleDelay; late > 0 {
			l.staleDelay = 0
			answer, err := l.next.Do(r)
			time.Sleep(late)
			return answer, err
		}
	case "UpdateItem", "PutItem", "TransactWriteItems":
		time.Sleep(l.writeDelay)
		if l.loseNext {
			l.failAll, l.loseNext = true, false
			answer, err := l.next.Do(r)
			if err == nil {
				_, err = io.Copy(io.Discard, answer.Body)
				err = errors.Join(err, answer.Body.Close())
			}
			return nil, errors.Join(syscall.ECONNRESET, err)
		}
	}
	return l.next.Do(r)
}

// refusal returns DynamoDB's response to a denied request, with the message.
func refusal(message string) *http.Response {
	text, err := json.Marshal(map[string]string{"__type": "com.amazon.coral.service#AccessDeniedException", "message": message})
	if err != nil {
		panic(err) // JSON can encode any map of strings.
	}
	return &http.Response{
		StatusCode: http.StatusBadRequest, Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body: io.NopCloser(bytes.NewReader(text)), ContentLength: int64(len(text)),
	}
}

// queueTime returns noon. In a bubble, it returns the fake time, which starts at noon.
func queueTime() time.Time {
	start := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	if passed := time.Since(start); passed < 24*time.Hour {
		return noon.Add(passed)
	}
	return noon
}

// newQueueFixture opens a store with n cases in review.
func newQueueFixture(t testing.TB, n int) *queueFixture {
	t.Helper()
	w := newEmptyQueueFixture(t, "authbridge")
	for i := range n {
		w.put(i+1, "in_review", nil)
	}
	return w
}

// newEmptyQueueFixture opens a store with the empty tables of a schema.
func newEmptyQueueFixture(t testing.TB, profile string) *queueFixture {
	t.Helper()
	p := schemas.Shared(t, profile)
	w := &queueFixture{
		t: t, p: p, transport: &storeConn{next: fixture.DatabaseAt(t, queueTime)}, journal: filepath.Join(t.TempDir(), "journal"), role: session.Admin,
	}
	w.conn = fixture.Connect(t, w.transport)
	fixture.NewOn(t, p, w.conn).Create(t)
	return w
}

// id returns the ID of case n.
func (f *queueFixture) id(n int) string {
	return fmt.Sprintf("ver_%08d-77aa-4c02-9d11-0a1b2c3d4e5f", n)
}

// created returns the creation time of case n.
func (f *queueFixture) created(n int) string {
	return fmt.Sprintf("2026-01-20T%02d:%02d:00Z", 8+n/60, n%60)
}

// put writes a case. Attributes in extra take precedence.
func (f *queueFixture) put(n int, status string, extra models.Item) {
	f.t.Helper()
	e := f.p.Entity("Verification")
	created := f.created(n)
	it, err := e.Build(models.Item{
		"verificationId": models.StringValue(f.id(n)), "clientId": models.StringValue("client_xyz789"),
		"status":       models.StringValue(status),
		"documentType": models.StringValue("omang"), "createdAt": models.StringValue(created), "updatedAt": models.StringValue(created),
		"submittedAt": models.StringValue(created), "expiresAt": models.StringValue(fmt.Sprintf("2026-02-19T%02d:%02d:00Z", 8+n/60, n%60)),
		"ttl": &types.AttributeValueMemberN{Value: strconv.Itoa(1771488000 + 60*n)},
	}, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	maps.Copy(it, extra)
	f.write(change.Batch{Writes: []types.TransactWriteItem{{Put: &types.Put{TableName: aws.String(e.Table.Name), Item: it}}}})
}

// remove deletes a case.
func (f *queueFixture) remove(n int) {
	f.t.Helper()
	f.write(change.Batch{Writes: []types.TransactWriteItem{{Delete: &types.Delete{TableName: aws.String("AuthBridgeTable"), Key: models.Item{
		"PK": models.StringValue("CASE#" + f.id(n)), "SK": models.StringValue("META"),
	}}}}})
}

func (f *queueFixture) write(b change.Batch) {
	f.t.Helper()
	slow := f.transport.writeDelay
	f.transport.writeDelay = 0
	defer func() { f.transport.writeDelay = slow }()
	if _, err := f.conn.Writer().Commit(f.t.Context(), b); err != nil {
		f.t.Fatal(err)
	}
}

// text returns an attribute of a case.
func (f *queueFixture) text(n int, name string) string {
	f.t.Helper()
	it, err := f.session().Reading.Get(f.t.Context(), f.p.Entity("Verification").Table, models.Item{
		"PK": models.StringValue("CASE#" + f.id(n)), "SK": models.StringValue("META"),
	})
	if err != nil {
		f.t.Fatal(err)
	}
	text, _ := it.Text(name)
	return text
}

// statuses returns the statuses of the first n cases.
func (f *queueFixture) statuses(n int) string {
	f.t.Helper()
	var list []string
	for i := range n {
		list = append(list, f.text(i+1, "status"))
	}
	return strings.Join(list, " ")
}

func (f *queueFixture) session() *workspace.Workspace {
	return f.sessionWith(func(*session.Options) {})
}

// sessionWith opens a session. The function last can change its options.
func (f *queueFixture) sessionWith(last func(*session.Options)) *workspace.Workspace {
	o := session.Options{
		Profile: f.p, Store: f.conn.Reader(),
		Target: store.Target{Region: "af-south-1", Endpoint: "embedded", Embedded: true},
		Role:   f.role, Context: f.named, Actor: "kagiso", JournalPath: f.journal, StateDir: filepath.Dir(f.journal), Clock: queueTime,
		Requests: session.Requests{Table: f.requests},
	}
	if f.changeOptions != nil {
		f.changeOptions(&o)
	}
	last(&o)
	return workspace.NewWriting(o, f.conn.Writer())
}

// enter starts the console, and opens a screen by a key or by an entry of the palette.
func (f *queueFixture) enter(size tuitest.Size, key, ready string) *tuitest.Terminal {
	f.t.Helper()
	tt := tuitest.New(
		f.t, New(Options{
			Opener: queueOpener{&openerFixture{profile: f.p}, f.session()}, Start: f.p.Name, Clipboard: f.clip.write,
			ScanLimit: f.scanLimit,
		}),
		size,
	)
	tt.WaitFor("Patterns")
	tt.Reach(ready, key)
	return tt
}

// queueOpener opens the same session for every schema.
type queueOpener struct {
	*openerFixture
	s *workspace.Workspace
}

func (o queueOpener) Open(context.Context, *profiles.Profile) (*workspace.Workspace, error) {
	return o.s, nil
}

// withCases runs a test with n cases in review.
func withCases(t *testing.T, n int, run func(t *testing.T, w *queueFixture)) {
	t.Helper()
	w := newQueueFixture(t, n)
	synctest.Test(t, func(t *testing.T) {
		w.t = t
		run(t, w)
	})
}

// inQueueFixture runs a test with n cases in review, at the sizes of flow tests.
func inQueueFixture(t *testing.T, n int, run func(t *testing.T, w *queueFixture, size tuitest.Size)) {
	atSizes(t, func(t *testing.T, size tuitest.Size) {
		withCases(t, n, func(t *testing.T, w *queueFixture) { run(t, w, size) })
	})
}
