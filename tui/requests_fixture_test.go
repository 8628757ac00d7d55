package tui

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/requests"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

const requestsTable = "ddbdesk-requests"

// requestsPlace is the table for the requests.
var requestsPlace = requests.Place{Table: requestsTable, PartitionKey: "PK", SortKey: "SK"}

// requestsFixture is a change fixture with a requests table and several users.
type requestsFixture struct {
	*changeFixture
	table string // requests table in the users' contexts
}

// newRequestsFixture opens a fixture with the case in review.
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

// withoutRequestsTable opens a fixture without a requests table.
func withoutRequestsTable(t *testing.T) *requestsFixture {
	t.Helper()
	return &requestsFixture{newChangeFixture(t, session.Support, "", "in_review"), requestsTable}
}

// user returns a user's workspace with its own journal.
func (f *requestsFixture) user(name string, role session.Role) *workspace.Workspace {
	dir := filepath.Join(f.t.TempDir(), name)
	return workspace.NewWriting(session.Options{
		Person: session.Person{User: name}, Profile: f.p, Store: controlledReader{f.conn.Reader(), f.changeFixture},
		Target: store.Target{Region: "af-south-1", Endpoint: "embedded", Embedded: true},
		Role:   role, Actor: name, JournalPath: filepath.Join(dir, "journal"), StateDir: dir,
		Requests: session.Requests{Table: f.table}, Clock: func() time.Time { return f.now },
	}, delayedWriter{f.conn.Writer(), f.changeFixture})
}

// withRequests runs a test on a fixture with requests.
func withRequests(t *testing.T, run func(t *testing.T, o *requestsFixture)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { run(t, newRequestsFixture(t)) })
}

// enterAs starts the console of a user with a role, and opens the item.
func (f *requestsFixture) enterAs(role session.Role, size tuitest.Size) *tuitest.Terminal {
	f.session = f.user("ana", role)
	return f.enter(size)
}

// all returns all requests, newest first.
func (f *requestsFixture) all() []requests.Request {
	f.t.Helper()
	r, err := f.user("reader", session.Support).Requests.Register()
	if err != nil {
		f.t.Fatal(err)
	}
	list, _, err := r.List(context.Background(), requests.Listing{})
	if err != nil {
		f.t.Fatal(err)
	}
	return list
}

// requireSecondPerson makes an approval require a second person.
func (f *requestsFixture) requireSecondPerson() {
	f.t.Helper()
	_, text, err := profiles.ReadSource("authbridge")
	if err != nil {
		f.t.Fatal(err)
	}
	const approve = "    transition: VerificationStatus.approve\n"
	edited := strings.Replace(string(text), approve, approve+"    four_eyes: true\n", 1)
	if f.p, err = profiles.Load("authbridge.yaml", []byte(edited), nil); err != nil {
		f.t.Fatal(err)
	}
}

// file files a user's request to apply an action to the case.
func (f *requestsFixture) file(name, action, reason string) requests.Request {
	f.t.Helper()
	w := f.user(name, session.Support)
	a, err := w.Planner.Action(action)
	if err != nil {
		f.t.Fatal(err)
	}
	p, err := w.Planner.Plan(context.Background(), a, map[string]string{"verificationId": caseID}, reason)
	if err != nil {
		f.t.Fatal(err)
	}
	q, note, err := w.Requests.File(context.Background(), p, "authbridge", "")
	if err != nil || note != nil {
		f.t.Fatal(err, note)
	}
	return q
}

// decide makes a user's decision about a request, as another console would.
func (f *requestsFixture) decide(name string, do func(ctx context.Context, in *requests.Inbox, r *requests.Register) error) {
	f.t.Helper()
	w := f.user(name, session.Admin)
	r, err := w.Requests.Register()
	if err == nil {
		err = do(context.Background(), w.Requests, r)
	}
	if err != nil {
		f.t.Fatal(err)
	}
}

// inbox starts a user's console and opens the requests.
func (f *requestsFixture) inbox(name string, role session.Role, size tuitest.Size) *tuitest.Terminal {
	f.t.Helper()
	f.session = f.user(name, role)
	d := &openerFixture{profile: f.p}
	tt := tuitest.New(f.t, New(Options{Opener: singleOpener{d, f.session}, Start: f.p.Name, Clipboard: f.clip.write}), size)
	tt.WaitFor("Patterns")
	tt.Reach("╭ Change requests", ":requests")
	return tt
}

// state returns the state of a request.
func (f *requestsFixture) state(id string) requests.State {
	f.t.Helper()
	for _, q := range f.all() {
		if q.ID == id {
			return q.State
		}
	}
	f.t.Fatalf("request %s does not exist", id)
	return ""
}

// goldenRequests compares the screen with its golden file, without generated IDs.
func goldenRequests(t *testing.T, tt *tuitest.Terminal, name string) {
	t.Helper()
	text := variableText.ReplaceAllStringFunc(tt.Screen(), func(id string) string { return strings.Repeat("0", len(id)) })
	tuitest.Golden(t, fmt.Sprintf("%s-%dx%d", name, tt.Size().W, tt.Size().H), text)
}

// touch changes the modification time of the case.
func (f *requestsFixture) touch(at string) { f.set("updatedAt", at) }

func (f *requestsFixture) set(name, value string) {
	f.t.Helper()
	it := f.item()
	it[name] = models.StringValue(value)
	f.write(change.Batch{Writes: []types.TransactWriteItem{{Put: &types.Put{TableName: aws.String(f.p.Entity("Verification").Table.Name), Item: it}}}})
}

// edit changes an attribute of the only request, as another program would.
func (f *requestsFixture) edit(name, to string) {
	f.t.Helper()
	page, err := f.conn.Reader().Fetch(context.Background(), accesspatterns.Leg{Query: &dynamodb.QueryInput{
		TableName: aws.String(requestsTable), KeyConditionExpression: aws.String("PK = :all"),
		ExpressionAttributeValues: models.Item{":all": models.StringValue("DDBDESK#REQUESTS")},
	}}, nil, 0)
	if err != nil || len(page.Items) != 1 {
		f.t.Fatal(len(page.Items), err)
	}
	page.Items[0][name] = models.StringValue(to)
	f.write(change.Batch{Writes: []types.TransactWriteItem{{Put: &types.Put{TableName: aws.String(requestsTable), Item: page.Items[0]}}}})
}

// denied is the error of a user who cannot read the requests table.
var denied = &store.Error{
	Class: store.AccessDenied, Operation: "Query", Table: requestsTable, Problem: "Query on " + requestsTable + " is denied: dynamodb:Query",
}

// failReads makes every read fail with err, until err is nil.
func (f *requestsFixture) failReads(err error) {
	if err == nil {
		f.fail.Store(nil)
		return
	}
	f.fail.Store(&err)
}
