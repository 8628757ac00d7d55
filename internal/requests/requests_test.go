package requests_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/requests"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/faults"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

const tableName = "ddbdesk-requests"

// A requestsFixture is a fixture of authbridge with a requests table, and a line that can inject faults.
type requestsFixture struct {
	*fixture.Fixture
	line  *faults.Connection
	hook  *hook
	now   time.Time
	table string // name of the requests table
}

// A hook calls do once, just before the next transaction.
type hook struct {
	next store.Doer
	do   func()
}

func (h *hook) Do(r *http.Request) (*http.Response, error) {
	if do := h.do; do != nil && strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".TransactWriteItems") {
		h.do = nil
		do()
	}
	return h.next.Do(r)
}

func newRequestsFixture(t *testing.T) *requestsFixture {
	t.Helper()
	line := faults.New(fixture.Database(t))
	h := &hook{next: line}
	d := &requestsFixture{fixture.NewOn(t, schemas.Open(t, "authbridge"), fixture.Connect(t, h)), line, h, fixture.Now, tableName}
	d.Create(t)
	p, err := requests.NewProfile(requests.Place{Table: tableName, PartitionKey: "PK", SortKey: "SK"})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Conn.Admin().CreateTable(t.Context(), p.Tables[0]); err != nil {
		t.Fatal(err)
	}
	return d
}

// user returns the console of a user.
func (f *requestsFixture) user(name string, role session.Role) *workspace.Workspace {
	return f.userWithTicket(name, role, "")
}

// userWithTicket returns the console of a user, with a ticket unless it is "".
func (f *requestsFixture) userWithTicket(name string, role session.Role, ticket string) *workspace.Workspace {
	o := f.Options()
	o.Actor, o.Role, o.Person.User, o.Purpose.Ticket = name, role, name, ticket
	o.Requests.Table, o.JournalPath = f.table, filepath.Join(f.Dir, name, "journal.jsonl")
	o.Clock = func() time.Time { return f.now }
	return f.Open(o)
}

func plan(t *testing.T, w *workspace.Workspace, action, id string) *change.Plan {
	t.Helper()
	a, err := w.Planner.Action(action)
	if err != nil {
		t.Fatal(err)
	}
	p, err := w.Planner.Plan(t.Context(), a, map[string]string{"verificationId": id}, "checked by phone")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// file files a request for the approval of a case.
func file(t *testing.T, w *workspace.Workspace, id string) requests.Request {
	t.Helper()
	q, note, err := w.Requests.File(t.Context(), plan(t, w, "approve", id), "authbridge", "")
	if err != nil || note != nil {
		t.Fatal(err, note)
	}
	return q
}

func register(t *testing.T, w *workspace.Workspace) *requests.Register {
	t.Helper()
	r, err := w.Requests.Register()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func read(t *testing.T, w *workspace.Workspace, id string) requests.Request {
	t.Helper()
	q, err := register(t, w).Find(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func review(t *testing.T, w *workspace.Workspace, q requests.Request) requests.Review {
	t.Helper()
	v, err := w.Requests.Review(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func (f *requestsFixture) status(t *testing.T, it models.Item) string {
	t.Helper()
	status, _ := f.Read(t, it).Text("status")
	return status
}

// A program cannot fill the list of requests by changing its reason or its name. A user may file a request again.
func TestOneOpenRequestForOneChange(t *testing.T) {
	d := newRequestsFixture(t)
	it := d.PutCase(t, "ver_one")
	w := d.user("kago", session.Support)
	first := ""
	for i, via := range []string{"agent 1", "agent 1", "agent 2", ""} {
		a, err := w.Planner.Action("approve")
		if err != nil {
			t.Fatal(err)
		}
		p, err := w.Planner.Plan(t.Context(), a, map[string]string{"verificationId": "ver_one"}, fmt.Sprint("reason ", i))
		if err != nil {
			t.Fatal(err)
		}
		q, _, err := w.Requests.File(t.Context(), p, "authbridge", via)
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = q.ID
		}
		if isSame := q.ID == first; isSame != (via != "") || isSame && q.Reason != "reason 0" {
			t.Errorf("%q files request %d as %s for %q; the first is %s", via, i, q.ID, q.Reason, first)
		}
	}
	if d.status(t, it) != "in_review" {
		t.Error("filing changed the item")
	}
}

// An open request for one environment does not stand for the same change in another.
func TestRequestForAnotherEnvironmentIsFiled(t *testing.T) {
	const schema = `
name: shop
variables: {environment: {default: dev}}
tables: {orders: {name: "orders-{environment}", partition_key: id}}
entities: {Order: {table: orders, keys: {id: "{id}"}, attributes: {id: {type: S}, note: {type: S}}}}
actions: {note: {title: Note, entity: Order, inputs: {note: {attribute: Order.note}}, set: {note: "{note}"}}}
`
	conn := newRequestsFixture(t).Conn
	first := ""
	for _, environment := range []string{"dev", "staging"} {
		p, err := profiles.Load("shop.yaml", []byte(schema), map[string]string{"environment": environment})
		if err != nil {
			t.Fatal(err)
		}
		d := &requestsFixture{Fixture: fixture.NewOn(t, p, conn), now: fixture.Now, table: tableName}
		d.Create(t)
		d.Put(t, p.Tables[0], models.Item{"id": models.StringValue("1")})
		w := d.user("kago", session.Support)
		a, err := w.Planner.Action("note")
		if err != nil {
			t.Fatal(err)
		}
		plan, err := w.Planner.Plan(t.Context(), a, map[string]string{"id": "1", "note": "x"}, "")
		if err != nil {
			t.Fatal(err)
		}
		q, _, err := w.Requests.File(t.Context(), plan, "shop.yaml", "agent")
		if err != nil || q.ID == first {
			t.Fatalf("%s: got request %s: %v", environment, q.ID, err)
		}
		first = q.ID
	}
}

// A user with the support role requests a change. When an admin applies it, the item, its audit entry and the request
// change together.
func TestAdminAppliesRequestOfSupportUser(t *testing.T) {
	d := newRequestsFixture(t)
	it := d.PutCase(t, "ver_1")
	ana, ben := d.user("ana", session.Support), d.user("ben", session.Admin)
	q := file(t, ana, "ver_1")
	if q.State != requests.Open || q.Requester != "ana" || q.Action != "approve" || q.Schema != "authbridge" ||
		q.Reason != "checked by phone" {
		t.Errorf("got %+v, want reason \"checked by phone\"", q)
	}
	if got := d.status(t, it); got != "in_review" {
		t.Fatalf("status after filing = %s, want in_review", got)
	}
	list, more, err := register(t, ben).List(t.Context(), requests.Listing{Schema: "authbridge"})
	if err != nil || more || len(list) != 1 || list[0].ID != q.ID || list[0].Fault != nil {
		t.Fatalf("got %+v, more: %v, %v, want the filed request", list, more, err)
	}
	d.now = d.now.Add(time.Second) // Events in the same second have no order.
	done, note, err := ben.Requests.Apply(t.Context(), review(t, ben, list[0]))
	if err != nil || note != nil {
		t.Fatal(err, note)
	}
	if got := d.status(t, it); got != "approved" || len(done.Items) != len(done.Plan.AllWrites()) {
		t.Errorf("status = %s, %d items for %d writes, want approved", got, len(done.Items), len(done.Plan.AllWrites()))
	}
	entries := d.Entries(t, "ver_1")
	if len(entries) != 1 {
		t.Fatalf("got %d audit entries, want 1", len(entries))
	}
	if user, _ := entries[0].Text("userId"); user != "ben" {
		t.Errorf("the audit entry has user %s, want ben", user)
	}
	q = read(t, ana, q.ID)
	if q.State != requests.Applied || q.DecidedBy != "ben" {
		t.Errorf("got state %s by %s, want applied by ben", q.State, q.DecidedBy)
	}
	events, err := register(t, ana).Events(t.Context(), q.ID)
	if err != nil || len(events) != 2 || events[0].Action != "file" || events[1].Action != "apply" || events[1].Who != "ben" {
		t.Errorf("got events %+v, %v, want file and apply", events, err)
	}
}

// The random end of an ID does not order the requests of the same minute.
func TestNewestRequestOfMinuteIsFirst(t *testing.T) {
	d := newRequestsFixture(t)
	ana, ids := d.user("ana", session.Support), []string{}
	for n := range 8 {
		id := fmt.Sprintf("ver_%d", n)
		d.PutCase(t, id)
		ids = append(ids, file(t, ana, id).ID)
		d.now = d.now.Add(time.Second)
	}
	list, _, err := register(t, ana).List(t.Context(), requests.Listing{})
	slices.Reverse(ids)
	if got := models.MapSlice(list, func(q requests.Request) string { return q.ID }); err != nil || !slices.Equal(got, ids) {
		t.Errorf("got %v, error %v; want %v", got, err, ids)
	}
}

// After a canceled read, the requests are still unknown, so that the next screen reads them.
func TestCanceledListIsUnknown(t *testing.T) {
	d := newRequestsFixture(t)
	inbox := d.user("ben", session.Admin).Requests
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := inbox.List(ctx); err == nil || inbox.Known() != nil {
		t.Errorf("got error %v and %v, want an error and no known requests", err, inbox.Known())
	}
	if _, _, err := inbox.List(t.Context()); err != nil || inbox.Known() == nil {
		t.Errorf("got error %v and no known requests", err)
	}
}

// If two reviewers apply a request at the same time, one of them gets a conflict.
func TestOnlyOneReviewerApplies(t *testing.T) { onlyOneApplies(t, newRequestsFixture(t), 20) }

// onlyOneApplies lets two reviewers apply the same request at the same time, in several rounds.
func onlyOneApplies(t *testing.T, d *requestsFixture, rounds int) {
	t.Helper()
	for round := range rounds {
		id := "ver_" + string(rune('a'+round))
		it := d.PutCase(t, id)
		q := file(t, d.user("ana", session.Support), id)
		errs := make([]error, 2)
		var reviews [2]requests.Review
		reviewers := []*workspace.Workspace{d.user("ben", session.Admin), d.user("cleo", session.Admin)}
		for i, w := range reviewers {
			reviews[i] = review(t, w, q)
		}
		var wait sync.WaitGroup
		for i, w := range reviewers {
			wait.Go(func() { _, _, errs[i] = w.Requests.Apply(context.Background(), reviews[i]) })
		}
		wait.Wait()
		applied := 0
		for _, err := range errs {
			var conflict *change.Conflict
			switch {
			case err == nil:
				applied++
			case !errors.As(err, &conflict):
				t.Errorf("round %d: got %v, want a conflict", round, err)
			}
		}
		if entries := d.Entries(t, id); applied != 1 || len(entries) != 1 || d.status(t, it) != "approved" {
			t.Fatalf("round %d: %d reviewers applied the request, %d entries, %v", round, applied, len(entries), errs)
		}
	}
}

// A decision may be made between the reviewer's check and the transaction, which must then fail.
func TestDecidedRequestIsNotApplied(t *testing.T) {
	for name, decide := range map[string]func(t *testing.T, d *requestsFixture, q requests.Request) error{
		"rejected": func(t *testing.T, d *requestsFixture, q requests.Request) error {
			_, err := register(t, d.user("cleo", session.Admin)).Reject(t.Context(), q, "wrong case")
			return err
		},
		"withdrawn": func(t *testing.T, d *requestsFixture, q requests.Request) error {
			_, err := register(t, d.user("ana", session.Support)).Withdraw(t.Context(), q, "")
			return err
		},
		"commented": func(t *testing.T, d *requestsFixture, q requests.Request) error {
			return register(t, d.user("ana", session.Support)).AddComment(t.Context(), q, "please wait")
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newRequestsFixture(t)
			it := d.PutCase(t, "ver_1")
			q := file(t, d.user("ana", session.Support), "ver_1")
			ben := d.user("ben", session.Admin)
			v := review(t, ben, q)
			decided := false
			d.hook.do = func() {
				decided = true
				if err := decide(t, d, q); err != nil {
					t.Error(err)
				}
			}
			_, _, err := ben.Requests.Apply(t.Context(), v)
			var conflict *change.Conflict
			if !decided || !errors.As(err, &conflict) || !strings.Contains(err.Error(), "Request") {
				t.Errorf("decided: %v, Apply returned %v, want a conflict", decided, err)
			}
			if got := d.status(t, it); got != "in_review" || len(d.Entries(t, "ver_1")) != 0 {
				t.Errorf("status = %s, want in_review", got)
			}
			if got := read(t, ben, q.ID).State; got == requests.Applied {
				t.Errorf("state = %s, want a request that was not applied", got)
			}
		})
	}
}

// If the item has changed since the request, the reviewer sees the changes and cannot apply it. The request stays open.
func TestChangedDataNeedsAnotherPlan(t *testing.T) {
	d := newRequestsFixture(t)
	it := d.PutCase(t, "ver_1")
	q := file(t, d.user("ana", session.Support), "ver_1")
	ben := d.user("ben", session.Admin)
	p := plan(t, ben, "reject", "ver_1")
	if _, err := ben.Committer.Commit(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	v := review(t, ben, q)
	if v.Plan != nil || v.Outdated == nil || !strings.Contains(v.Outdated.Error(), "data changed since") {
		t.Errorf("got %+v, want a note about changed data", v.Outdated)
	}
	if _, _, err := ben.Requests.Apply(t.Context(), v); err == nil {
		t.Error("Apply accepted an outdated request")
	}
	if got := d.status(t, it); got != "rejected" || read(t, ben, q.ID).State != requests.Open {
		t.Errorf("status = %s, want rejected", got)
	}
}

func TestDecisionsNeedAnotherUser(t *testing.T) {
	four := fourEyes(t)
	for name, c := range map[string]struct {
		by      string
		role    session.Role
		do      func(t *testing.T, w *workspace.Workspace, q requests.Request) error
		refused string
	}{
		"requester applies":         {"ana", session.Admin, apply, "needs a second person"},
		"requester in capitals":     {"ANA ", session.Admin, apply, "needs a second person"},
		"requester approves":        {"ana", session.Admin, approve, "needs a second person"},
		"another user applies":      {"ben", session.Admin, apply, ""},
		"another user approves":     {"ben", session.Admin, approve, ""},
		"support applies":           {"ben", session.Support, apply, "role support cannot change items"},
		"support rejects":           {"ben", session.Support, reject, "role support cannot decide requests"},
		"another user rejects":      {"ben", session.Admin, reject, ""},
		"another user withdraws":    {"ben", session.Admin, withdraw, "only the requester, ana, can withdraw"},
		"requester withdraws":       {"ana", session.Support, withdraw, ""},
		"developer reads, comments": {"ben", session.Developer, comment, ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := newRequestsFixture(t)
			d.Profile = four
			d.PutCase(t, "ver_1")
			q := file(t, d.user("ana", session.Support), "ver_1")
			err := c.do(t, d.user(c.by, c.role), q)
			switch {
			case c.refused == "" && err != nil:
				t.Error(err)
			case c.refused != "" && (!errors.Is(err, session.ErrRefused) || !strings.Contains(err.Error(), c.refused)):
				t.Errorf("got %v, want a refusal with %q", err, c.refused)
			case c.refused != "" && read(t, d.user("ana", session.Support), q.ID).State != requests.Open:
				t.Error("the refused decision closed the request")
			}
		})
	}
}

// fourEyes returns authbridge with an approval that requires a second person.
func fourEyes(t *testing.T) *profiles.Profile {
	t.Helper()
	_, text, err := profiles.ReadSource("authbridge")
	if err != nil {
		t.Fatal(err)
	}
	edited := strings.Replace(string(text), "    transition: VerificationStatus.approve\n", "    transition: VerificationStatus.approve\n    four_eyes: true\n", 1)
	p, err := profiles.Load("authbridge.yaml", []byte(edited), nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func apply(t *testing.T, w *workspace.Workspace, q requests.Request) error {
	_, _, err := w.Requests.Apply(t.Context(), review(t, w, q))
	return err
}

func approve(t *testing.T, w *workspace.Workspace, q requests.Request) error {
	_, err := w.Requests.Approve(t.Context(), q, "")
	return err
}

func reject(t *testing.T, w *workspace.Workspace, q requests.Request) error {
	_, err := register(t, w).Reject(t.Context(), q, "wrong case")
	return err
}

func withdraw(t *testing.T, w *workspace.Workspace, q requests.Request) error {
	_, err := register(t, w).Withdraw(t.Context(), q, "")
	return err
}

func comment(t *testing.T, w *workspace.Workspace, q requests.Request) error {
	return register(t, w).AddComment(t.Context(), q, "which case?")
}

// An approval does not change the case. Any other admin can apply the approved request later.
func TestApprovedRequestIsAppliedLater(t *testing.T) {
	d := newRequestsFixture(t)
	it := d.PutCase(t, "ver_1")
	q := file(t, d.user("ana", session.Support), "ver_1")
	if err := approve(t, d.user("ben", session.Admin), q); err != nil {
		t.Fatal(err)
	}
	if d.status(t, it) != "in_review" {
		t.Fatal("approving the request changed the case")
	}
	cleo := d.user("cleo", session.Admin)
	if q = read(t, cleo, q.ID); q.State != requests.Approved || q.DecidedBy != "ben" {
		t.Errorf("got state %s by %s, want approved by ben", q.State, q.DecidedBy)
	}
	if err := apply(t, cleo, q); err != nil || d.status(t, it) != "approved" {
		t.Error(err, d.status(t, it))
	}
}

func TestUnknownRequestErrorNamesListCommand(t *testing.T) {
	_, err := register(t, newRequestsFixture(t).user("ana", session.Admin)).Find(t.Context(), "20260101-0000-aaaaaa")
	if err == nil || !strings.Contains(err.Error(), "not found in table") || !strings.Contains(err.Error(), "ddbdesk requests list authbridge ") {
		t.Error(err)
	}
}

func TestExpiredRequestIsNotApplied(t *testing.T) {
	d := newRequestsFixture(t)
	d.PutCase(t, "ver_1")
	q := file(t, d.user("ana", session.Support), "ver_1")
	ben := d.user("ben", session.Admin)
	v := review(t, ben, q) // reviewed before the request expires
	d.now = q.Expires.Add(time.Second)
	if _, _, err := ben.Requests.Apply(t.Context(), v); err == nil || !strings.Contains(err.Error(), "expired") {
		t.Errorf("Apply: got %v, want an error about the expiry", err)
	}
	if got := read(t, ben, q.ID); got.State != requests.Expired {
		t.Errorf("state = %s, want expired", got.State)
	}
}

// Entries contain the reason and ticket of their session, but the plan of a request contains only the request's reason.
func TestRequestFromTicketSessionIsApplied(t *testing.T) {
	d := newRequestsFixture(t)
	d.PutCase(t, "ver_1")
	ana := d.userWithTicket("ana", session.Support, "OPS-17")
	const reason = "checked by phone,\nand by mail"
	a, err := ana.Planner.Action("approve")
	if err != nil {
		t.Fatal(err)
	}
	p, err := ana.Planner.Plan(t.Context(), a, map[string]string{"verificationId": "ver_1"}, reason)
	if err != nil {
		t.Fatal(err)
	}
	q, _, err := ana.Requests.File(t.Context(), p, "authbridge", "")
	if err != nil || q.Fault != nil || q.Reason != reason {
		t.Fatalf("got reason %q: %v, %v", q.Reason, q.Fault, err)
	}
	ben := d.userWithTicket("ben", session.Admin, "OPS-18")
	d.now = d.now.Add(time.Second) // Events in the same second have no order.
	if _, _, err := ben.Requests.Apply(t.Context(), review(t, ben, q)); err != nil {
		t.Fatal(err)
	}
	events, err := register(t, ben).Events(t.Context(), q.ID)
	if err != nil || len(events) != 2 || !strings.Contains(events[0].Comment, "OPS-17") {
		t.Errorf("the history lacks the session's ticket: %v, %v", events, err)
	}
}

// If another program edits an attribute of a request, the request is invalid.
func TestEditedRequestIsNotApplied(t *testing.T) {
	d := newRequestsFixture(t)
	d.PutCase(t, "ver_1")
	q := file(t, d.user("ana", session.Support), "ver_1")
	ben := d.user("ben", session.Admin)
	table, stored := storedRequest(t, ben, q.ID)
	planText, _ := stored.Text("plan")
	for name, to := range map[string]string{
		"action": "reject", "requester": "dan", "reason": "none", "digest": "00",
		"plan": strings.Replace(planText, `"actor":"ana"`, `"actor":"dan"`, 1),
	} {
		edited := models.Item{}
		maps.Copy(edited, stored)
		edited[name] = models.StringValue(to)
		d.Put(t, table, edited)
		if got := read(t, ben, q.ID); got.Fault == nil || ben.Requests.CanApply(got) == nil {
			t.Errorf("the request with an edited %s has no fault", name)
		}
	}
}

// A later version may write states that this one does not know.
func TestRequestInUnknownStateIsNotApplied(t *testing.T) {
	d := newRequestsFixture(t)
	d.PutCase(t, "ver_1")
	q := file(t, d.user("ana", session.Support), "ver_1")
	ben := d.user("ben", session.Admin)
	table, stored := storedRequest(t, ben, q.ID)
	stored["state"] = models.StringValue("scheduled")
	d.Put(t, table, stored)
	if err := requests.CheckUsable(read(t, ben, q.ID)); !errors.As(err, new(*change.Conflict)) {
		t.Errorf("CheckUsable: got %v, want a conflict", err)
	}
}

// storedRequest returns the requests table and the item of a request.
func storedRequest(t *testing.T, w *workspace.Workspace, id string) (*models.Table, models.Item) {
	t.Helper()
	p, err := requests.NewProfile(requests.Place{Table: tableName, PartitionKey: "PK", SortKey: "SK"})
	if err != nil {
		t.Fatal(err)
	}
	it, err := w.Reading.Get(t.Context(), p.Tables[0], models.Item{
		"PK": models.StringValue("DDBDESK#REQUESTS"), "SK": models.StringValue(id),
	})
	if err != nil || it == nil {
		t.Fatal(it, err)
	}
	return p.Tables[0], it
}

// The plan determines the item and the user of a request. Editing the expiry cannot extend it beyond the maximum.
func TestRequestNamesItemAndUserOfItsPlan(t *testing.T) {
	d := newRequestsFixture(t)
	d.PutCase(t, "ver_1")
	it := d.PutCase(t, "ver_2")
	q := file(t, d.user("ana", session.Support), "ver_2")
	ben := d.user("ben", session.Admin)
	edit := func(name, to string) requests.Request {
		table, stored := storedRequest(t, ben, q.ID)
		stored[name] = models.StringValue(to)
		d.Put(t, table, stored)
		return read(t, ben, q.ID)
	}
	if got := edit("identity", "arn:aws:iam::111122223333:user/boss"); got.Identity != q.Identity {
		t.Errorf("got identity %s, want %s", got.Identity, q.Identity)
	}
	if got := edit("expiresAt", "2099-01-01T00:00:00Z"); got.Expires.Sub(q.Created) > requests.MaxValid+time.Hour {
		t.Errorf("the request expires at %s, after the maximum", got.Expires)
	}
	got := edit("subject", strings.Replace(q.Subject, "ver_2", "ver_1", 1))
	if v, err := ben.Requests.Review(t.Context(), got); err != nil || !errors.Is(v.Outdated, session.ErrRefused) || v.Plan != nil {
		t.Errorf("review of %s: got plan %v, %v, %v, want a refusal", got.Subject, v.Plan, v.Outdated, err)
	}
	if _, err := ben.Requests.Approve(t.Context(), got, ""); !errors.Is(err, session.ErrRefused) {
		t.Errorf("approving %s: got %v, want a refusal", got.Subject, err)
	}
	if got := read(t, ben, q.ID); got.State != requests.Open || d.status(t, it) != "in_review" {
		t.Errorf("got state %s and status %s, want an open request", got.State, d.status(t, it))
	}
}

// A reviewer decides on the plan that was read. If another one replaces it in the meantime, the decision fails.
func TestDecisionAppliesToRequestThatWasRead(t *testing.T) {
	d := newRequestsFixture(t)
	d.PutCase(t, "ver_1")
	d.PutCase(t, "ver_2")
	ana := d.user("ana", session.Support)
	q, other := file(t, ana, "ver_1"), file(t, ana, "ver_2")
	ben := d.user("ben", session.Admin)
	seen := read(t, ben, q.ID)
	table, swapped := storedRequest(t, ben, other.ID)
	swapped["SK"], swapped["requestId"] = models.StringValue(q.ID), models.StringValue(q.ID)
	d.Put(t, table, swapped)
	var conflict *change.Conflict
	if _, err := ben.Requests.Approve(t.Context(), seen, ""); !errors.As(err, &conflict) {
		t.Errorf("approving another plan: got %v, want a conflict", err)
	}
	register, err := ben.Requests.Register()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := register.Reject(t.Context(), seen, "no"); !errors.As(err, &conflict) {
		t.Errorf("rejecting another plan: got %v, want a conflict", err)
	}
}

// The writer of the requests table cannot write other items.
func TestRegisterWritesOnlyRequests(t *testing.T) {
	d := newRequestsFixture(t)
	it := d.PutCase(t, "ver_1")
	p, err := requests.NewProfile(requests.Place{Table: tableName, PartitionKey: "PK", SortKey: "SK"})
	if err != nil {
		t.Fatal(err)
	}
	confined := d.user("ana", session.Support).Session.ConfinedTo(p, p.Tables[0], "DDBDESK#")
	admin := d.user("ben", session.Admin)
	_, err = confined.Writer().Commit(t.Context(), plan(t, admin, "approve", "ver_1").Batch())
	if store.ClassOf(err) != store.Validation || d.status(t, it) != "in_review" {
		t.Errorf("got %v and status %s, want a validation error", err, d.status(t, it))
	}
}

func TestReadOnlySessionCannotFileRequest(t *testing.T) {
	d := newRequestsFixture(t)
	d.PutCase(t, "ver_1")
	o := d.Options()
	o.ReadOnly, o.Requests.Table = true, tableName
	w := d.Open(o)
	_, _, err := w.Requests.File(t.Context(), plan(t, w, "approve", "ver_1"), "authbridge", "")
	if !errors.Is(err, session.ErrRefused) {
		t.Errorf("File: got %v, want a refusal", err)
	}
}

// The stored plan contains personal data, but no part of a request shows it.
func TestRequestShowsNoPersonalData(t *testing.T) {
	d := newRequestsFixture(t)
	d.PutCase(t, "ver_1")
	q := file(t, d.user("ana", session.Support), "ver_1")
	p, err := requests.NewProfile(register(t, d.user("ana", session.Support)).Place())
	if err != nil {
		t.Fatal(err)
	}
	if a := p.Entity("Request").Attribute("plan"); a == nil || a.Sensitive != models.PII {
		t.Error("the attribute plan is not masked")
	}
	if f, err := changes.ReadFile([]byte("{}")); f != nil || err == nil {
		t.Error("ReadFile accepted an empty plan")
	}
	if q.Subject == "" || strings.Contains(q.Subject, "client_a") {
		t.Errorf("the subject is %q, want one without the client", q.Subject)
	}
}
