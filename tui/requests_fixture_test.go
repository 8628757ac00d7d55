package tui

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/requests"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/profiles"
)

const requestsTable = "ddbdesk-requests"

// requestsPlace is where the requests of the tests are.
var requestsPlace = requests.Place{Table: requestsTable, PartitionKey: "PK", SortKey: "SK"}

// A requestsFixture is a change fixture with a table of requests and several users.
type requestsFixture struct {
	*changeFixture
}

// newRequestsFixture opens a store in which the case is in review.
func newRequestsFixture(t *testing.T) *requestsFixture {
	t.Helper()
	o := withoutRequestsTable(t)
	p, err := requests.NewProfile(requestsPlace)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.conn.Admin().CreateTable(t.Context(), p.Tables[0]); err != nil {
		t.Fatal(err)
	}
	return o
}

// withoutRequestsTable is the fixture before the table was created.
func withoutRequestsTable(t *testing.T) *requestsFixture {
	t.Helper()
	return &requestsFixture{newChangeFixture(t, session.Support, "", "in_review")}
}

// user returns the workspace of a user, who has a journal of their own.
func (o *requestsFixture) user(name string, role session.Role) *workspace.Workspace {
	dir := filepath.Join(o.t.TempDir(), name)
	return workspace.NewWriting(session.Options{
		Person: session.Person{User: name}, Profile: o.p, Store: slow{o.conn.Reader(), o.changeFixture},
		Target: store.Target{Region: "af-south-1", Endpoint: "embedded", Embedded: true},
		Role:   role, Actor: name, JournalPath: filepath.Join(dir, "journal"), StateDir: dir,
		Requests: session.Requests{Table: requestsTable}, Clock: func() time.Time { return o.now },
	}, late{o.conn.Writer(), o.changeFixture})
}

// enterAs starts the console of a user on the item.
func (o *requestsFixture) enterAs(name string, role session.Role, size tuitest.Size) *tuitest.Terminal {
	o.session = o.user(name, role)
	return o.enter(size)
}

// all returns the requests in the table, newest first.
func (o *requestsFixture) all() []requests.Request {
	o.t.Helper()
	r, err := o.user("reader", session.Support).Requests.Register()
	if err != nil {
		o.t.Fatal(err)
	}
	list, _, err := r.List(context.Background(), requests.Listing{})
	if err != nil {
		o.t.Fatal(err)
	}
	return list
}

// needsTwo makes the approval an action that needs a second person.
func (o *requestsFixture) needsTwo() {
	o.t.Helper()
	_, text, err := profiles.ReadSource("authbridge")
	if err != nil {
		o.t.Fatal(err)
	}
	const approve = "    transition: VerificationStatus.approve\n"
	with := strings.Replace(string(text), approve, approve+"    four_eyes: true\n", 1)
	if o.p, err = profiles.Load("authbridge.yaml", []byte(with), nil); err != nil {
		o.t.Fatal(err)
	}
}
